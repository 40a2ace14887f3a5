"""What the tests share: the program that is tested, a project that it made, and its records."""

from __future__ import annotations

import dataclasses
import json
import os
import unittest
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import taskgen

DATA = Path(__file__).parent / "data"
PROGRAM = os.environ.get("TASKGEN_PROGRAM")

QUESTIONS = (
    {"id": 7, "prompt": "Which tide gauges lasted a century?", "language": "en"},
    {"id": 8, "prompt": "哪些验潮站运行了一百年？\u2028第二行", "language": "zh"},
)


def unknown(value: Any, way: str = "") -> Iterator[str]:
    """The fields, with the way to them, that the program wrote and the module does not know."""
    if dataclasses.is_dataclass(value):
        for key in getattr(value, "extra", {}):
            yield f"{way}.{key}"
        for field in dataclasses.fields(value):
            if field.name != "extra":
                yield from unknown(getattr(value, field.name), f"{way}.{field.name}")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from unknown(item, f"{way}.{key}")
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from unknown(item, way)


class Folder(unittest.TestCase):
    """Tests that write files, each into a folder of its own."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, *lines: object) -> Path:
        """A file of lines: bytes as they are, anything else as JSON."""
        texts = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        path = self.folder / name
        path.write_bytes(b"".join(text + b"\n" for text in texts))
        return path


def program_path() -> str:
    """The program to test."""
    assert PROGRAM is not None
    return PROGRAM


@unittest.skipIf(PROGRAM is None, "TASKGEN_PROGRAM names no program")
class Made(Folder):
    """Tests on a project that the program made: imported questions and two agents' reports."""

    def setUp(self) -> None:
        super().setUp()
        questions = self.write("questions.jsonl", *QUESTIONS)
        root = self.folder / "project"
        taskgen.run("init", root, program=program_path())
        self.project = taskgen.Project(root, program=program_path())
        self.project.run("tasks", "import", questions, "--set=tides", "--licence=CC0-1.0")

    def import_reports(self) -> None:
        """Two agents' reports on each task."""
        for agent in ("first", "second"):
            lines = [
                {"id": task.id, "prompt": task.text, "article": f"# {agent}\n\nWords on tides."}
                for task in self.project.tasks()
            ]
            reports = self.write(f"{agent}.jsonl", *lines)
            self.project.run("reports", "import", reports, f"--agent={agent}")

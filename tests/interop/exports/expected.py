"""What the checks of exports share: the file of what is expected, and how a check ends."""

import json
import sys
from importlib.metadata import version
from pathlib import Path


class Expected:
    """The set, its tasks in order, and all reports."""

    def __init__(self, path: str):
        lines = Path(path).read_text(encoding="utf-8").split("\n")
        rows = [json.loads(line) for line in lines if line]
        self.set = next(row["set"] for row in rows if "set" in row)
        self.tasks = [row["task"] for row in rows if "task" in row]
        self.reports = [row["report"] for row in rows if "report" in row]
        self.texts = {task["id"]: task["task"] for task in self.tasks}

    def with_text(self) -> list[dict]:
        """The reports that people and benchmarks can read: with a text, of a task of the set."""
        return [r for r in self.reports if r["state"] == "ok" and r["task"] in self.texts]


def check(is_fine: bool, why: str) -> None:
    """Ends the check with one sentence where something differs."""
    if not is_fine:
        print(f"differs: {why}", file=sys.stderr)
        sys.exit(1)


def equal(got, wanted, what: str) -> None:
    check(got == wanted, f"{what} is {got!r:.200}, not {wanted!r:.200}")


def done(package: str, **counts) -> None:
    said = ", ".join(f"{name} {count}" for name, count in counts.items())
    print(f"{package} {version(package)}: {said}")

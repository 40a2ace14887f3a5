"""A project: its tasks, transcripts, reports and scores.

Transcripts are read from their files. What the database holds, the program is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ._decoding import decode
from .errors import ProjectNotFound
from .program import Argument, call, call_json, name_of
from .reports import Leaderboard, Report, Score, scores_of
from .tasks import Task, TaskSet, set_in, tasks_in
from .transcripts import Transcript, read_transcript


class Project:
    """A folder with a `taskgen.toml`.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: Argument = ".", *, program: Argument | None = None) -> None:
        """Opens the project in `path`.

        Args:
            path: The folder.
            program: The program to run; otherwise that of the same wheel, or that on the PATH.

        Raises:
            ProjectNotFound: If the folder has no `taskgen.toml`.
        """
        self.path = Path(path)
        self._program = program
        if not (self.path / "taskgen.toml").is_file():
            raise ProjectNotFound(
                f"not a project, there is no `taskgen.toml`: `{self.path}`;"
                f" `taskgen init {self.path}` makes it one"
            )

    def __repr__(self) -> str:
        return f"Project({str(self.path)!r})"

    def tasks(self, *, top: int | None = None) -> list[Task]:
        """The tasks, best first; only the best `top` of them if that is given."""
        lines, source = self._export(() if top is None else (f"--top={top}",))
        return tasks_in(lines, source)

    def set(self, name: str) -> TaskSet:
        """The set `name`, or a version of it, `name@version`."""
        lines, source = self._export((f"--set={name}",))
        return set_in(lines, source)

    def transcripts(self) -> list[Transcript]:
        """The transcripts, in the order of their paths."""
        folder = self.path / "transcripts"
        files = [file for file in folder.rglob("*.json") if not file.name.endswith(".meta.json")]
        return [read_transcript(file) for file in sorted(files)]

    def reports(self) -> list[Report]:
        """The reports of agents with their scores."""
        value = self.run("reports", "list")
        return list(decode(tuple[Report, ...], value, "`taskgen reports list`"))

    def scores(self) -> list[Score]:
        """The scores of all reports as rows, one for each report and measure."""
        return scores_of(self.reports())

    def leaderboard(self, *, by: Sequence[str] = (), set: str | None = None) -> Leaderboard:
        """The agents by measure, with intervals and tiers.

        Args:
            by: Facets of the tasks, such as language or phase, to have a table for each value.
            set: Only the tasks of this set; otherwise the newest selection, or all tasks.
        """
        arguments = ["leaderboard"]
        arguments += [f"--by={facet}" for facet in by]
        if set is not None:
            arguments.append(f"--set={set}")
        return decode(Leaderboard, self.run(*arguments), "`taskgen leaderboard`")

    def run(self, *arguments: Argument) -> object:
        """What `taskgen ARGUMENTS --json` prints in this project, parsed; none if nothing.

        Raises:
            CommandFailed: If it ends with another exit code than 0. Exit code 1 is "done, but some
                items failed": what was printed nevertheless is in `CommandFailed.output`.
            FormatError: If the output is not one JSON value.
            ProgramNotFound: If the program is not installed.
        """
        return call_json(self._flags(), arguments, self._program)

    def _flags(self) -> tuple[Argument, ...]:
        return ("--project", self.path)

    def _export(self, arguments: Sequence[str]) -> tuple[list[bytes], str]:
        """The lines of an export, and its name for errors."""
        command = ("tasks", "export", *arguments, "--output=-")
        text = call(self._flags(), command, self._program)
        return text.encode().split(b"\n"), name_of(command)

"""What goes wrong: a file that is not as it should be, or a command that failed."""

from __future__ import annotations

from collections.abc import Sequence


class TaskgenError(Exception):
    """The base of all errors of this module."""


class FormatError(TaskgenError):
    """A file, or a program's output, that is not in the format.

    Attributes:
        path: The file, or the command whose output it is.
        line: The line, from 1; none where the whole file is one value that can be parsed.
        problem: What is wrong there.
    """

    def __init__(self, path: str, line: int | None, problem: str) -> None:
        super().__init__(path, line, problem)
        self.path = path
        self.line = line
        self.problem = problem

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.problem}"


class ProgramNotFound(TaskgenError):
    """The program `taskgen` is neither beside this module nor on the PATH."""


class ProjectNotFound(TaskgenError):
    """A folder that is no project, because it has no `taskgen.toml`."""


class CommandFailed(TaskgenError):
    """A command that ended with another exit code than 0.

    Attributes:
        command: The program with its arguments.
        exit_code: 1 some items failed, 2 usage, configuration or lock, 3 a model or key is
            missing, 4 too many judgements without a verdict, 5 the budget is spent, 6 a judge no
            better than chance, 75 and 130 stopped; below 0, the signal that ended it.
        message: What the program said on standard error.
        output: What it printed nevertheless, as it is.
    """

    def __init__(
        self, command: Sequence[str], exit_code: int, message: str, output: str = ""
    ) -> None:
        super().__init__(command, exit_code, message, output)
        self.command = tuple(command)
        self.exit_code = exit_code
        self.message = message
        self.output = output

    def __str__(self) -> str:
        said = f": {self.message}" if self.message else ""
        return f"`{' '.join(self.command)}` ended with exit code {self.exit_code}{said}"

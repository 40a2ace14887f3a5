"""The program `taskgen` of the same wheel: where it is, and how it is run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from ._decoding import parse
from .errors import CommandFailed, ProgramNotFound

Argument = str | os.PathLike[str]


def find_program() -> str:
    """The path of the program: that of the same wheel, or the first on the PATH."""
    name = "taskgen" + (sysconfig.get_config_var("EXE") or "")
    for folder in _script_folders():
        program = folder / name
        if program.is_file() and os.access(program, os.X_OK):
            return str(program)
    found = shutil.which("taskgen")
    if found is None:
        raise ProgramNotFound(
            "the program `taskgen` is neither beside this module nor on the PATH;"
            " install the wheel with pip, or the program with `make install`"
        )
    return found


def _script_folders() -> Iterator[Path]:
    """Where pip may have put the wheel's programs."""
    packages = Path(__file__).resolve().parent.parent
    # Of `pip install --target`.
    yield packages / "bin"
    # Of a venv or a prefix that another interpreter has on its path: lib/pythonX.Y/site-packages.
    if packages.name in ("site-packages", "dist-packages"):
        yield packages.parent.parent.parent / "bin"
    yield Path(sysconfig.get_path("scripts"))
    yield Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))


def output(*arguments: Argument, program: Argument | None = None) -> str:
    """What `taskgen ARGUMENTS` prints.

    Raises:
        CommandFailed: If it ends with another exit code than 0.
        ProgramNotFound: If the program is not installed.
    """
    return call((), arguments, program)


def run(*arguments: Argument, program: Argument | None = None) -> object:
    """What `taskgen ARGUMENTS --json` prints, parsed; none where it prints nothing.

    Raises:
        CommandFailed: If it ends with another exit code than 0. Exit code 1 is "done, but some
            items failed": what was printed nevertheless is in `CommandFailed.output`.
        FormatError: If the output is not one JSON value.
        ProgramNotFound: If the program is not installed.
    """
    return call_json((), arguments, program)


def call(flags: Sequence[Argument], arguments: Sequence[Argument], program: Argument | None) -> str:
    """What the command prints. `flags` stand before it, so that it may end with `-- ANYTHING`."""
    path = find_program() if program is None else os.fspath(program)
    # Without progress: of what it says, only errors are of interest. Nobody is there to be asked.
    command: list[Argument] = [path, "--quiet", *flags, *arguments]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    printed = ended.stdout.decode("utf-8", errors="replace")
    if ended.returncode != 0:
        said = ended.stderr.decode("utf-8", errors="replace").strip()
        said = said.removeprefix("error: ")
        raise CommandFailed(_words(arguments), ended.returncode, said, printed)
    return printed


def call_json(
    flags: Sequence[Argument], arguments: Sequence[Argument], program: Argument | None
) -> object:
    """What the command prints, parsed; none where it prints nothing."""
    printed = call(("--json", *flags), arguments, program)
    return parse(printed.encode(), name_of(arguments)) if printed.strip() else None


def name_of(arguments: Sequence[Argument]) -> str:
    """The command's name in errors about its output."""
    return f"`{' '.join(_words(arguments))}`"


def _words(arguments: Sequence[Argument]) -> list[str]:
    return ["taskgen", *(os.fspath(argument) for argument in arguments)]

"""`python -m taskgen`: the program, whatever the PATH is."""

from __future__ import annotations

import os
import subprocess
import sys

from .errors import ProgramNotFound
from .program import find_program


def main() -> None:
    """Runs the program with the arguments of this one, and ends with its exit code."""
    try:
        program = find_program()
    except ProgramNotFound as error:
        sys.exit(f"error: {error}")
    if sys.platform == "win32":
        sys.exit(subprocess.run([program, *sys.argv[1:]]).returncode)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()

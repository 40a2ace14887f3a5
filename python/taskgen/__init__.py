"""taskgen in Python: tasks, transcripts and scores as typed records, and the program to run.

    >>> import taskgen
    >>> project = taskgen.Project("demo")
    >>> for task in project.tasks(top=3):
    ...     print(task.rank, task.text)
    >>> taskgen.to_frame(project.scores()).pivot_table("value", "agent", "measure")

Nothing is computed here that the program computes: what needs the database, it is asked for.
"""

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as _version

from .errors import CommandFailed, FormatError, ProgramNotFound, ProjectNotFound, TaskgenError
from .frames import to_frame
from .program import find_program, output, run
from .project import Project
from .reports import (
    AgentRow,
    Alone,
    Counts,
    Difference,
    Group,
    Leaderboard,
    Measure,
    MeasureScore,
    NamedSwap,
    PairUnderWeights,
    Report,
    ReportScores,
    Score,
    Sensitivity,
    Spent,
    Spread,
    Table,
)
from .tasks import (
    Categories,
    Decision,
    Edited,
    Finding,
    FromFile,
    FromTalk,
    Imported,
    Inspiration,
    Model,
    Quote,
    Recognised,
    Recording,
    RecordingPath,
    Review,
    Strength,
    Task,
    TaskSet,
    Trait,
    Withdrawn,
    read_set,
    read_tasks,
)
from .transcripts import Segment, Transcript, Word, read_transcript

try:
    __version__ = _version("taskgen")
except PackageNotFoundError:
    # In a checkout, without an installed wheel.
    __version__ = "unknown"

__all__ = [
    "AgentRow",
    "Alone",
    "Categories",
    "CommandFailed",
    "Counts",
    "Difference",
    "Decision",
    "Edited",
    "Finding",
    "FormatError",
    "FromFile",
    "FromTalk",
    "Group",
    "Imported",
    "Inspiration",
    "Leaderboard",
    "Measure",
    "MeasureScore",
    "Model",
    "NamedSwap",
    "PairUnderWeights",
    "Project",
    "ProgramNotFound",
    "ProjectNotFound",
    "Quote",
    "Recognised",
    "Recording",
    "RecordingPath",
    "Report",
    "ReportScores",
    "Review",
    "Score",
    "Segment",
    "Sensitivity",
    "Spent",
    "Spread",
    "Strength",
    "Table",
    "Task",
    "TaskSet",
    "TaskgenError",
    "Trait",
    "Transcript",
    "Withdrawn",
    "Word",
    "find_program",
    "output",
    "read_set",
    "read_tasks",
    "read_transcript",
    "run",
    "to_frame",
]

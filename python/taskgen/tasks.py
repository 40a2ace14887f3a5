"""Tasks as `taskgen tasks export` writes them, one a line; and sets of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ._decoding import decode, parse_lines
from ._record import Record
from .errors import FormatError


@dataclass(frozen=True, slots=True, kw_only=True)
class Categories(Record):
    """A discipline in the categories of other benchmarks."""

    wiki_live_challenge: str | None
    live_research_bench: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength(Record):
    """A strength on the ranking's scale, with its 95 % interval.

    Attributes:
        strength: Posterior median.
        low: Lower end of the interval.
        high: Upper end of the interval.
        p_top: Probability to be among the best, from 0 to 1.
        games: Games that counted.
    """

    strength: float
    low: float
    high: float
    p_top: float
    games: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Record):
    """The finding of a probe on a task.

    Attributes:
        probe: The question.
        outcome: The answer.
        note: Why, in one sentence.
        by: The model that decided.
    """

    probe: str
    outcome: str
    note: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Record):
    """A person's decision on a task.

    Attributes:
        task: The task.
        by: The person.
        verdict: accepted, pinned or rejected.
        fault: Why it was rejected, in a word such as `unclear`.
        note: The person's note.
        settles: Whether it settles what others disagree on.
    """

    task: str
    by: str
    verdict: str
    fault: str | None
    note: str
    settles: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited(Record):
    """A change of a task's words by a person.

    Attributes:
        task: The id of the task as it was before.
        by: The person.
    """

    task: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Record):
    """A model by name and by the hash of its weights."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingPath(Record):
    """A recording by its id, its path under the seminars folder and its licence."""

    id: str
    path: str
    licence: str = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording(Record):
    """A recording.

    Attributes:
        id: By the hash of its bytes.
        path: Path under the seminars folder.
        title: Title.
        licence: Licence; `unknown` where nobody named one.
        media_sha256: Hash of its bytes.
        duration_s: Length in seconds.
    """

    id: str
    path: str
    title: str
    licence: str
    media_sha256: str
    duration_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised(Record):
    """A transcript by its id, and the model of speech recognition that wrote it."""

    id: str
    asr_model: Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait(Record):
    """A trait that an idea was judged to show, and why."""

    trait: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Review(Record):
    """A reviewer's decision on an inspiration.

    Attributes:
        by: The kind of reviewer, a person or a model.
        name: The person's name, or the model as `provider/model`.
        fault: Why it was rejected; none if it was accepted.
        note: The reviewer's note.
        settles: Whether it settles what others disagree on.
    """

    by: str
    name: str
    fault: str | None
    note: str = ""
    settles: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote(Record):
    """A quote as a span of a transcript.

    Attributes:
        segment_id: The transcript's id and the number of the segment in which it begins.
        start_s: When it is said, in seconds.
        end_s: When it ends, in seconds.
        start_char: First character in `Transcript.text`.
        end_char: One past the last character, so that `text[start_char:end_char]` is the quote.
        quote: The words themselves.
        speaker: Who says them, where that is known.
        similarity: How near the model's own wording was, from 0 to 1.
    """

    segment_id: str
    start_s: float
    end_s: float
    start_char: int
    end_char: int
    quote: str
    speaker: str | None
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspiration(Record):
    """An idea of a talk, with its quotes.

    Attributes:
        id: The inspiration.
        seminar: Its recording.
        kind: The paper's label of its type, such as Limitation; `type` in the file.
        traits: Its traits, with reasons.
        text: Its summary, in the talk's language.
        evidence: Where the talk says so.
        reviews: What reviewers said of it, oldest first.
    """

    id: str
    seminar: RecordingPath
    kind: str = field(metadata={"key": "type"})
    traits: tuple[Trait, ...]
    text: str
    evidence: tuple[Quote, ...]
    reviews: tuple[Review, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FromTalk(Record):
    """The way from a task back to the seconds of the recordings.

    Attributes:
        seminar: The recording of the first inspiration.
        transcript: Its transcript.
        inspirations: The inspirations in order.
    """

    seminar: Recording
    transcript: Recognised
    inspirations: tuple[Inspiration, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported(Record):
    """A place in a file that tasks were imported from.

    Attributes:
        benchmark: Name of the benchmark: the set that the task was imported into first.
        licence: Licence of the file, as the user says; `unknown` if not.
        file_id: Its id in the file, where it has one.
        template: Its text before time slots were filled, where it has some.
        checklist: What a report must deliver, as the file says it.
    """

    benchmark: str
    licence: str
    file_id: str | None = None
    template: str | None = None
    checklist: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FromFile(Record):
    """The way from a task back to the file that it was imported from."""

    imported: Imported


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Record):
    """A task with its facets, its place in the ranking and the way back to its source.

    Attributes:
        id: The task.
        schema_version: Version of the record's shape.
        phase: The paper's label of the phase: Synthesize, Design or Evaluate.
        task_type: The paper's label of the family, such as Literature Survey.
        difficulty: Basic or Advanced.
        text: What an agent is asked to do; `task` in the file.
        inspiration_ids: The inspirations that it rests on; none of an imported task.
        language: BCP 47 tag of the text.
        translation_of: The task that this one says in another language.
        discipline: Discipline, or `other`.
        categories: The discipline in the categories of other benchmarks.
        rank: Place in the ranking, from 1; none before the task was ranked.
        elo: Elo rating, where the ranking is the paper's.
        elo_games: Games that counted for the Elo rating.
        estimate: Strength, where the ranking is not the paper's.
        probes: What probes found of it.
        provenance: Where it comes from.
        as_of: The day, as `YYYY-MM-DD`, that an imported question asks about.
        facets: Facets of other benchmarks by name; of an imported task only.
        edited: The task that a person changed into this one, and who did.
        decisions: What people decided on it, oldest first.
        set: The set as `name@version`, in the export of a set.
        canary: The set's canary, in the export of a set.
    """

    id: str
    schema_version: int
    phase: str | None
    task_type: str | None
    difficulty: str | None
    text: str = field(metadata={"key": "task"})
    inspiration_ids: tuple[str, ...]
    language: str
    translation_of: str | None
    discipline: str | None
    categories: Categories | None
    rank: int | None
    elo: float | None
    elo_games: int | None
    estimate: Strength | None
    probes: tuple[Finding, ...]
    provenance: FromFile | FromTalk
    as_of: str | None = None
    facets: Mapping[str, str] | None = None
    edited: Edited | None = None
    decisions: tuple[Decision, ...] = ()
    set: str | None = None
    canary: str | None = None

    @property
    def licence(self) -> str:
        """The licence of the first recording, or of the file; `unknown` if nobody named one."""
        if isinstance(self.provenance, FromFile):
            return self.provenance.imported.licence
        return self.provenance.seminar.licence

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """The quotes of all its inspirations, in order; none of an imported task."""
        if isinstance(self.provenance, FromFile):
            return ()
        inspirations = self.provenance.inspirations
        return tuple(quote for inspiration in inspirations for quote in inspiration.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn(Record):
    """What is left of a task of a set whose text is gone, because its speaker withdrew consent.

    Attributes:
        id: The task.
        set: The set as `name@version`.
        canary: The set's canary.
        withdrawn: Always true.
    """

    id: str
    set: str
    canary: str
    withdrawn: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSet:
    """A set of tasks as it was frozen.

    Attributes:
        label: The set as `name@version`.
        canary: Text that every line holds, so that a model that has read the set can be told.
        members: The tasks in their order, and what is left of withdrawn ones.
    """

    label: str
    canary: str
    members: tuple[Task | Withdrawn, ...]

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks that were not withdrawn, in order."""
        return tuple(member for member in self.members if isinstance(member, Task))


def read_tasks(path: str | os.PathLike[str]) -> list[Task]:
    """The tasks of a file that `taskgen tasks export` wrote, best first.

    Of a set's export, withdrawn tasks are left out; `read_set` has them.
    """
    with open(path, "rb") as file:
        return tasks_in(file, os.fspath(path))


def read_set(path: str | os.PathLike[str]) -> TaskSet:
    """The set of a file that `taskgen tasks export` wrote of one."""
    with open(path, "rb") as file:
        return set_in(file, os.fspath(path))


def tasks_in(lines: Iterable[bytes], path: str) -> list[Task]:
    """The tasks of an export's lines. `path` is for errors."""
    members = [_member(value, path, number) for number, value in parse_lines(lines, path)]
    return [member for member in members if isinstance(member, Task)]


def set_in(lines: Iterable[bytes], path: str) -> TaskSet:
    """The set of an export's lines. `path` is for errors."""
    members: list[Task | Withdrawn] = []
    label = canary = None
    for number, value in parse_lines(lines, path):
        member = _member(value, path, number)
        if member.set is None or member.canary is None:
            raise FormatError(path, number, "the task is of no set")
        if label is not None and (member.set, member.canary) != (label, canary):
            raise FormatError(path, number, f"the line is of another set: `{member.set}`")
        label, canary = member.set, member.canary
        members.append(member)
    if label is None or canary is None:
        raise FormatError(path, None, "a set without a line")
    return TaskSet(label=label, canary=canary, members=tuple(members))


def _member(value: object, path: str, number: int) -> Task | Withdrawn:
    if isinstance(value, dict) and value.get("withdrawn") is True:
        return decode(Withdrawn, value, path, number)
    return decode(Task, value, path, number)

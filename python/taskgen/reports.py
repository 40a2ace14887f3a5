"""Reports of agents with their scores, and the leaderboard that is folded from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ._record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent(Record):
    """What an attempt took, as far as it is known."""

    input_tokens: int | None
    output_tokens: int | None
    tokens: int | None
    cost_usd: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureScore(Record):
    """The score of a report by one measure, or why there is none.

    Attributes:
        value: The score on the measure's own scale; none where it could not be had.
        numerator: What was reached.
        denominator: Of what.
        cause: Why there is no value.
        unscored: Judgements without a verdict.
    """

    value: float | None = None
    numerator: float | None = None
    denominator: float | None = None
    cause: str | None = None
    unscored: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread(Record):
    """The spread of a judge's repeated judgements.

    Attributes:
        squares: Squared deviations from the mean of their group, summed.
        degrees_of_freedom: Judgements minus groups.
    """

    squares: float
    degrees_of_freedom: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportScores(Record):
    """All scores of a report.

    Attributes:
        report: The report.
        task: The task that it answers.
        agent: The agent's name.
        attempt: Which of the agent's attempts, from 1.
        state: How the attempt ended.
        facets: Facets of its task by name, such as phase, type, discipline and language.
        measures: Scores by the key of their measure.
        by_judge: Of a panel: a measure by each judge alone.
        repeated: The spread of a judge's repeated judgements, by measure.
        unscored: Judgements without a verdict, by cause.
        url_failures: Cited URLs that gave no text, by cause.
        cost_micro: Micro-dollars that the agent cost, where known.
    """

    report: str
    task: str
    agent: str
    attempt: int
    state: str
    facets: Mapping[str, str]
    measures: Mapping[str, MeasureScore]
    by_judge: Mapping[str, Mapping[str, float]]
    repeated: Mapping[str, Spread]
    unscored: Mapping[str, int]
    url_failures: Mapping[str, int]
    cost_micro: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Record):
    """A report of an agent without its text.

    Attributes:
        id: The report; `report` in the program's output.
        task: The id of the task that it answers.
        agent: The agent's name.
        attempt: Which of the agent's attempts, from 1.
        state: How the attempt ended: ok, refused, empty, timeout or error.
        characters: Length of its text.
        spent: What the attempt took.
        scores: Its scores; none where its task is no longer current.
    """

    id: str = field(metadata={"key": "report"})
    task: str
    agent: str
    attempt: int
    state: str
    characters: int
    spent: Spent
    scores: ReportScores | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One score of one report: a row of a long table.

    Attributes:
        report: The report.
        task: The task that it answers.
        agent: The agent's name.
        attempt: Which of the agent's attempts, from 1.
        state: How the attempt ended.
        measure: The measure's key.
        value: The score; none where it could not be had. It is never 0 instead.
        numerator: What was reached.
        denominator: Of what.
        cause: Why there is no value.
        unscored: Judgements without a verdict.
    """

    report: str
    task: str
    agent: str
    attempt: int
    state: str
    measure: str
    value: float | None
    numerator: float | None
    denominator: float | None
    cause: str | None
    unscored: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts(Record):
    """The sums behind a pooled share.

    Attributes:
        numerator: What was reached.
        denominator: Of what.
        unscored: What had no verdict and is in neither.
        wilson: Wilson's 95 % interval, as if no two of them had a report in common.
    """

    numerator: float
    denominator: float
    unscored: int
    wilson: tuple[float, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(Record):
    """An agent's number by one measure, how sure one may be of it, and what it rests on.

    Attributes:
        value: The number; none where it cannot be computed.
        low: Lower end of the 95 % interval, by resampling tasks.
        high: Upper end.
        worst: The value if all tasks without one had the least possible.
        best: The same with the largest possible.
        no_bounds: Why there is no worst and best.
        failed_by_rule: Tasks on which a failed report counts, in the bounds, by the measure's rule.
        not_applicable: Tasks on which there is nothing to measure.
        n: Tasks with a value.
        of: All tasks.
        missing: Why the others have none, with their number.
        counts: The sums behind a pooled share.
    """

    value: float | None
    low: float | None
    high: float | None
    worst: float | None
    best: float | None
    failed_by_rule: int
    not_applicable: int
    n: int
    of: int
    missing: Mapping[str, int]
    no_bounds: str | None = None
    counts: Counts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone(Record):
    """An agent's number by one judge of a panel alone.

    Attributes:
        value: The mean over tasks.
        tasks: Tasks with a report that the judge judged completely.
    """

    value: float
    tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRow(Record):
    """An agent of a leaderboard.

    Attributes:
        agent: Its name.
        rank: 1 for the best of the complete agents, the others have none; equals share it.
        tier: 1 for the best; none without a rank.
        is_complete: Whether nothing, or as good as nothing, of it is missing.
        possible_ranks: The best and the worst rank that it could have, whatever is missing.
        p_top_k: Share of the resamples in which it is among the best of the complete agents.
        reports: Its reports, of whatever state.
        without_report: Tasks that it has none on.
        states: Reports by state.
        measures: Every measure by its key.
        by_judge: Of a panel: a measure by each judge alone.
        repeated: Standard deviation of the judgements that one judge gave the same, by measure.
        spent_micro: Micro-dollars of all reports, as far as known.
        unscored: Judgements without a verdict, by cause.
        url_failures: Cited URLs that gave no text, by cause.
    """

    agent: str
    rank: int | None
    tier: int | None
    is_complete: bool
    possible_ranks: tuple[int, int] | None
    p_top_k: float | None
    reports: int
    without_report: int
    states: Mapping[str, int]
    measures: Mapping[str, Measure]
    by_judge: Mapping[str, Mapping[str, Alone]]
    repeated: Mapping[str, float]
    spent_micro: int
    unscored: Mapping[str, int]
    url_failures: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Record):
    """Two agents by one measure, on the tasks that both have a value on.

    Attributes:
        measure: Key of the measure.
        first: The agent that stands above.
        second: The other.
        tasks: Tasks that both have a value on.
        value: The first's value on them minus the second's.
        low: Lower end of its 95 % interval, not corrected for the number of pairs.
        high: Upper end.
        p: Two-sided p-value of no difference, by flipping signs.
        adjusted: By Holm's correction over all pairs of the measure.
        detectable: The smallest true difference that as many tasks would show.
        significant: Whether the adjusted p-value is below alpha.
    """

    measure: str
    first: str
    second: str
    tasks: int
    value: float
    low: float | None
    high: float | None
    p: float
    adjusted: float
    detectable: float | None
    significant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Record):
    """Agents on the same tasks.

    Attributes:
        tasks: Tasks that any agent has a report on.
        reports: Reports, of whatever state.
        tiers_by: Key of the measure that tiers are by.
        complete_by: Key of the measure that says which agents are complete.
        agents: Complete agents first, best first.
        differences: Every pair of agents that shares a task, measure by measure.
    """

    tasks: int
    reports: int
    tiers_by: str | None
    complete_by: str | None
    agents: tuple[AgentRow, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Table):
    """The same for the tasks with one value of a facet.

    Attributes:
        facet: The facet.
        value: The value; none for reports on tasks without the facet.
    """

    facet: str
    value: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSwap(Record):
    """The change of a criterion's weight that makes two agents equal.

    Attributes:
        criterion: The criterion.
        weight: Its mean weight, of 1.
        change: What is added to it; the others give or take in proportion.
    """

    criterion: str
    weight: float
    change: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairUnderWeights(Record):
    """Two agents under other weights of the criteria.

    Attributes:
        first: The one that stands above by the weights of the checklists.
        second: The other.
        kept: Share of the random weightings in which the first one stays above.
        swap: Of neighbours: the smallest change of one weight that makes them equal, if any does.
        neighbours: Whether they are neighbours.
    """

    first: str
    second: str
    kept: float
    swap: NamedSwap | None
    neighbours: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity(Record):
    """How stable the order of the complete agents is.

    Attributes:
        measure: Key of the measure whose criteria are weighed.
        weightings: Random weightings that were drawn.
        criteria: Names of criteria.
        tasks: Tasks on which all complete agents have a rating of each criterion.
        pairs: Every pair of the complete agents.
    """

    measure: str
    weightings: int
    criteria: int
    tasks: int
    pairs: tuple[PairUnderWeights, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard(Table):
    """Agents by measure, with intervals and tiers.

    Attributes:
        options: What it was made with.
        groups: One for each value of each facet that was asked for.
        families: Families in place of agents, where the project names some.
        sensitivity: How far the order depends on the weights of criteria, where that was asked for.
    """

    options: Mapping[str, object]
    groups: tuple[Group, ...]
    families: Table | None = None
    sensitivity: Sensitivity | None = None


def scores_of(reports: Iterable[Report]) -> list[Score]:
    """The scores of reports as rows, one for each report and measure."""
    return [
        Score(
            report=report.id,
            task=report.task,
            agent=report.agent,
            attempt=report.attempt,
            state=report.state,
            measure=measure,
            value=score.value,
            numerator=score.numerator,
            denominator=score.denominator,
            cause=score.cause,
            unscored=score.unscored,
        )
        for report in reports
        if report.scores is not None
        for measure, score in report.scores.measures.items()
    ]

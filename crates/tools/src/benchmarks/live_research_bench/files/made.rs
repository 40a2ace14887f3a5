//! Grading blocks and summaries made of facts: the figures in them follow from what they list, by
//! the benchmark's formulas.

use serde_json::{Number, Value};

use super::{
    ChecklistBlock, ChecklistSummary, Comparison, CriterionFigures, DepthBlock, DepthFigures,
    DimensionScores, Field, IssueBlock, Item, Named, Order, PointwiseFigures, Side, SideFlaws,
    SideScores, SummaryFile, SummaryMetadata,
};
use crate::benchmarks::live_research_bench::{
    Criterion,
    averages::{Judge, JudgeMean, JudgeName},
    depth::{Decision, Dimensions, Games},
    rubric::issue_score,
};

/// A judgement of an item of a checklist.
pub struct ItemFact {
    /// Its place in the checklist, from 1.
    pub number: usize,
    /// Whether the report meets it.
    pub passes: bool,
    /// The judge's reason.
    pub reason: String,
}

/// A judgement of a report beside the reference, in one order.
pub struct ComparisonFact {
    /// Scores of the evaluated report.
    pub evaluated: Dimensions,
    /// Scores of the reference.
    pub reference: Dimensions,
    /// The judge's reason.
    pub reason: String,
    /// Flaws of the evaluated report.
    pub flaws: Vec<String>,
    /// Flaws of the reference.
    pub reference_flaws: Vec<String>,
}

impl ChecklistBlock {
    /// A block of a judge; of the checklist's `of` items those without a verdict are left out.
    pub fn of_items(judge: &JudgeName, criterion: Criterion, of: u64, items: &[ItemFact]) -> Self {
        let letter = if criterion == Criterion::Presentation {
            "p"
        } else {
            "q"
        };
        let passed = items.iter().filter(|item| item.passes).count() as u64;
        let failed = items.len() as u64 - passed;
        let evaluations = items.iter().map(|item| {
            let value = Item {
                score: Number::from(u8::from(item.passes)).into(),
                justification: item.reason.clone().into(),
                ..Item::default()
            };
            (format!("{letter}{}", item.number), Field::Read(value))
        });
        // A rate over fewer items than there are is another figure.
        let rate = (items.len() as u64 == of && of > 0)
            .then(|| Number::from_f64(100.0 * passed as f64 / of as f64))
            .flatten();
        let mut summary = ChecklistSummary {
            total_score: Number::from(passed).into(),
            ..ChecklistSummary::default()
        };
        if criterion == Criterion::Presentation {
            summary.total_criteria = of.into();
            summary.passed_count = Number::from(passed).into();
            summary.failed_count = Number::from(failed).into();
            summary.average_pass_rate = rate.into();
        } else {
            summary.total_checklists = of.into();
            summary.addressed_count = Number::from(passed).into();
            summary.not_addressed_count = Number::from(failed).into();
            summary.percentage_addressed = rate.into();
        }
        Self {
            provider: judge.provider.clone().into(),
            model: judge.model.clone().into(),
            evaluations: Named(evaluations.collect()).into(),
            summary: summary.into(),
            ..Self::default()
        }
    }
}

impl IssueBlock {
    /// A block of a judge that lists issues.
    pub fn of_issues(judge: &JudgeName, issues: Vec<String>) -> Self {
        let n = issues.len();
        let issues: Vec<Value> = issues.into_iter().map(Value::String).collect();
        Self {
            provider: judge.provider.clone().into(),
            model: judge.model.clone().into(),
            specific_issues: issues.into(),
            total_issues: (n as u64).into(),
            score: Number::from(issue_score(n)).into(),
            ..Self::default()
        }
    }
}

impl DepthBlock {
    /// A block of a judge; an order without a verdict is left out.
    pub fn of_comparisons(
        judge: &JudgeName,
        [evaluated, reference]: [&str; 2],
        [first, second]: [Option<&ComparisonFact>; 2],
    ) -> Self {
        let comparison =
            |fact: Option<&ComparisonFact>, order| fact.map(|fact| comparison(fact, order)).into();
        let winner = |fact: Option<&ComparisonFact>| fact.map(|fact| decision(fact).into()).into();
        let reasons = [first, second].into_iter().flatten();
        let reasons: Vec<&str> = reasons.map(|fact| fact.reason.as_str()).collect();
        Self {
            provider: judge.provider.clone().into(),
            model: judge.model.clone().into(),
            winner_comparison_1: winner(first),
            winner_comparison_2: winner(second),
            justification: Value::String(reasons.join("\n")).into(),
            position_swap_used: true.into(),
            raw_comparison_1: comparison(first, Order::EvaluatedFirst),
            raw_comparison_2: comparison(second, Order::ReferenceFirst),
            comparison_type: "vs_reference".to_owned().into(),
            reference_model: reference.to_owned().into(),
            evaluated_model: evaluated.to_owned().into(),
            ..Self::default()
        }
    }
}

fn decision(fact: &ComparisonFact) -> Decision {
    Decision::of_totals(fact.evaluated.total(), fact.reference.total())
}

fn comparison(fact: &ComparisonFact, order: Order) -> Comparison {
    let of_evaluated = (&fact.evaluated, &fact.flaws);
    let of_reference = (&fact.reference, &fact.reference_flaws);
    let (a, b) = match order {
        Order::EvaluatedFirst => (of_evaluated, of_reference),
        Order::ReferenceFirst => (of_reference, of_evaluated),
    };
    let winner = match Decision::of_totals(a.0.total(), b.0.total()) {
        Decision::Win => Side::A,
        Decision::Loss => Side::B,
        Decision::Tie => Side::Tie,
    };
    let flaws =
        |flaws: &[String]| -> Vec<Value> { flaws.iter().cloned().map(Value::String).collect() };
    Comparison {
        winner: winner.into(),
        scores: SideScores {
            a: scores(a.0).into(),
            b: scores(b.0).into(),
            ..SideScores::default()
        }
        .into(),
        justification: fact.reason.clone().into(),
        major_flaws: SideFlaws {
            a: flaws(a.1).into(),
            b: flaws(b.1).into(),
            ..SideFlaws::default()
        }
        .into(),
        ..Comparison::default()
    }
}

fn scores(of: &Dimensions) -> DimensionScores {
    let number = |value: f64| -> Field<Number> { number(Some(value)).into() };
    DimensionScores {
        granularity: number(of.granularity),
        insight: number(of.insight),
        critique: number(of.critique),
        evidence: number(of.evidence),
        density: number(of.density),
        total: number(of.total()),
        ..DimensionScores::default()
    }
}

/// Whole numbers without a point, as the benchmark writes them.
fn number(value: Option<f64>) -> Option<Number> {
    let value = value?;
    if value.fract() == 0.0 && value.abs() < 1e9 {
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}

impl SummaryFile {
    /// The summary of a judge by its means. A model without a score has a count of 0 and no mean.
    pub fn of_judge(judge: &Judge, reference: Option<&str>, reports: usize) -> Self {
        let models = judge.means.iter().map(|(model, means)| {
            let mut figures = CriterionFigures::default();
            for (criterion, mean) in means {
                if *criterion == Criterion::Depth {
                    figures.depth = Box::new(depth_figures(mean, reference)).into();
                } else {
                    figures.set_pointwise(*criterion, pointwise_figures(mean));
                }
            }
            (model.clone(), figures.into())
        });
        let asked = |criterion: &Criterion| {
            judge
                .means
                .values()
                .any(|means| means.contains_key(criterion))
        };
        let criteria = Criterion::ALL.into_iter().filter(asked);
        let criteria: Vec<Value> = criteria.map(|of| Value::from(of.word())).collect();
        let metadata = SummaryMetadata {
            provider: judge.name.provider.clone().into(),
            model: judge.name.model.clone().into(),
            total_reports: (reports as u64).into(),
            criteria_evaluated: criteria.into(),
            ..SummaryMetadata::default()
        };
        Self {
            metadata: metadata.into(),
            results_by_model: Named(models.collect()).into(),
            ..Self::default()
        }
    }
}

fn pointwise_figures(mean: &JudgeMean) -> PointwiseFigures {
    PointwiseFigures {
        mean: number(mean.mean).into(),
        count: mean.n.into(),
        min: number(mean.min).into(),
        max: number(mean.max).into(),
        ..PointwiseFigures::default()
    }
}

fn depth_figures(mean: &JudgeMean, reference: Option<&str>) -> DepthFigures {
    let games = mean.games;
    DepthFigures {
        wins: games.map(|games| games.wins).into(),
        losses: games.map(|games| games.losses).into(),
        ties: games.map(|games| games.ties).into(),
        total: games.map(Games::total).into(),
        decisive_games: games.map(Games::decisive).into(),
        win_rate: number(mean.mean).into(),
        reference_model: reference.map(str::to_owned).into(),
        ..DepthFigures::default()
    }
}

//! What the values of agents could at least and at most be, whatever is missing turned out to be.
//! Hides attempts, the units of unscored judgements, and failed reports.
//!
//! Worst and best cases as in Manski, "Nonparametric bounds on treatment effects", Am. Econ. Rev.
//! 80 (1990): nothing is assumed of what is missing but the ends of the scale. A report that nobody
//! has, or that nobody could score, is anywhere on the scale. An agent's failed report is not
//! missing: it counts by the measure's own rule, the one of `--failed-as-zero`; where a measure has
//! none, it is anywhere on the scale, too.

use std::collections::{BTreeMap, HashMap};

use super::cells::scores_of_failure;
use crate::{
    data::{Average, Fraction, MeasureDef, Open, Score, Undecided},
    evaluate::scorecard::ReportScores,
};

/// Causes of a report without a value where the measure had nothing to measure: nothing is missing.
const NOTHING_TO_MEASURE: [&str; 14] = [
    "a short text",
    "no checklist",
    "no citations",
    "no citing statement",
    "no decisive game",
    "no gold article",
    "no key points",
    "no key points that matter",
    "no prose",
    "no references",
    "no sentences",
    "no statements",
    "not looked for",
    "reference",
];

/// The sums of an agent by one measure, with whatever is missing at either end of its scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// The least and the largest possible numerator.
    numerators: [f64; 2],
    /// The denominator, of both.
    denominator: f64,
    /// Whether a pooled share lacks a report of unknown size: then it may be anything.
    is_open: bool,
    /// Tasks without a value on which there was nothing to measure.
    pub not_applicable: u64,
    /// Tasks on which a failed report counts by the measure's own rule.
    pub by_rule: u64,
}

impl Bounds {
    /// The ends on a scale from 0 to `most`; none where no task has anything to measure.
    pub fn ends(&self, most: f64) -> Option<(f64, f64)> {
        if self.is_open {
            return Some((0.0, most));
        }
        let [low, high] = self.numerators.map(|sum| sum / self.denominator);
        (self.denominator > 0.0).then(|| (low.clamp(0.0, most), high.clamp(0.0, most)))
    }

    fn add(&mut self, range: Range) {
        match range {
            Range::Nothing => self.not_applicable += 1,
            Range::Open => self.is_open = true,
            Range::Between([low, high], size) => {
                self.numerators[0] += low;
                self.numerators[1] += high;
                self.denominator += size;
            }
        }
    }
}

/// What a report, or several attempts, could have come to.
#[derive(Clone, Copy, Debug)]
enum Range {
    /// There was nothing to measure.
    Nothing,
    /// A share of nobody knows how much.
    Open,
    /// The least and the largest numerator, and the denominator.
    Between([f64; 2], f64),
}

impl Range {
    /// Anything on the scale.
    fn anything(measure: &MeasureDef) -> Self {
        match (measure.average, measure.most) {
            (Average::PerTask, Some(most)) => Self::Between([0.0, most], 1.0),
            _ => Self::Open,
        }
    }

    fn of(measure: &MeasureDef, ends: [f64; 2], size: f64) -> Self {
        match measure.average {
            Average::PerTask => Self::Between(ends.map(|end| end / size), 1.0),
            Average::Pooled => Self::Between(ends, size),
        }
    }
}

/// A report with its scores by the places of their measures.
type Attempt<'a> = (&'a ReportScores, Vec<Option<&'a Score>>);

/// Agents × measures; measures without a largest value have no sums. The reports are those of each
/// task, in the order of their attempts.
pub fn bounds(
    measures: &[&'static MeasureDef],
    by_task: &BTreeMap<&str, Vec<&ReportScores>>,
    agents: &[&str],
) -> Vec<Vec<Bounds>> {
    // Looked up by hash: a hundred thousand reports have dozens of scores each.
    let places: HashMap<&str, usize> = (measures.iter().enumerate())
        .map(|(at, measure)| (measure.key, at))
        .collect();
    let mut all = vec![vec![Bounds::default(); measures.len()]; agents.len()];
    for reports in by_task.values() {
        add_task(&mut all, measures, &places, reports, agents);
    }
    all
}

fn add_task(
    all: &mut [Vec<Bounds>],
    measures: &[&'static MeasureDef],
    places: &HashMap<&str, usize>,
    reports: &[&ReportScores],
    agents: &[&str],
) {
    let failed = if reports.iter().all(|report| report.is_ok()) {
        Vec::new()
    } else {
        by_place(scores_of_failure(reports).iter(), places, measures.len())
            .into_iter()
            .map(Option::<&Score>::cloned)
            .collect()
    };
    let mut attempts: Vec<Vec<Attempt<'_>>> = vec![vec![]; agents.len()];
    for report in reports {
        if let Ok(agent) = agents.binary_search(&&*report.agent) {
            let scores = by_place(report.scores.iter(), places, measures.len());
            attempts[agent].push((report, scores));
        }
    }
    for (sums, attempts) in all.iter_mut().zip(&attempts) {
        for (at, measure) in measures.iter().enumerate() {
            if measure.most.is_none() {
                continue;
            }
            let mut by_rule = false;
            let ranges: Vec<Range> = attempts
                .iter()
                .map(|(report, scores)| {
                    if report.is_ok() {
                        range(measure, scores[at])
                    } else {
                        let rule = failed.get(at).and_then(Option::as_ref);
                        by_rule |= rule.is_some();
                        rule.map_or(Range::anything(measure), |score| {
                            range(measure, Some(score))
                        })
                    }
                })
                .collect();
            sums[at].by_rule += u64::from(by_rule);
            sums[at].add(averaged(measure, &ranges));
        }
    }
}

/// Scores by the places of their measures.
fn by_place<'a>(
    scores: impl Iterator<Item = (&'static str, &'a Score)>,
    places: &HashMap<&str, usize>,
    measures: usize,
) -> Vec<Option<&'a Score>> {
    let mut by_place = vec![None; measures];
    for (key, score) in scores {
        if let Some(at) = places.get(key) {
            by_place[*at] = Some(score);
        }
    }
    by_place
}

/// What a report that is ok could have come to.
fn range(measure: &MeasureDef, score: Option<&Score>) -> Range {
    let Some(score) = score else {
        return Range::anything(measure);
    };
    let unscored = score.unscored as f64;
    if let Open::Between(numerators, denominator) = score.open {
        return Range::of(measure, numerators, denominator);
    }
    match &score.outcome {
        Err(cause) if NOTHING_TO_MEASURE.contains(&&**cause) => Range::Nothing,
        Err(_) if measure.undecided == Undecided::OneMore && score.unscored > 0 => {
            Range::of(measure, [0.0, unscored], unscored)
        }
        Err(_) => Range::anything(measure),
        Ok(Fraction {
            numerator,
            denominator,
        }) => match measure.undecided {
            // What leaves nothing out is what it is.
            _ if score.unscored == 0 => Range::of(measure, [*numerator; 2], *denominator),
            Undecided::OneMore => Range::of(
                measure,
                [*numerator, numerator + unscored],
                denominator + unscored,
            ),
            Undecided::One => Range::of(
                measure,
                [
                    (numerator - unscored).max(0.0),
                    (numerator + unscored).min(*denominator),
                ],
                *denominator,
            ),
            Undecided::Anything => Range::anything(measure),
        },
    }
}

/// The mean of several attempts; without any the task may come to anything.
fn averaged(measure: &MeasureDef, attempts: &[Range]) -> Range {
    if attempts.is_empty() {
        return Range::anything(measure);
    }
    let (mut ends, mut size, mut n) = ([0.0; 2], 0.0, 0.0);
    for attempt in attempts {
        match attempt {
            Range::Nothing => {}
            Range::Open => return Range::Open,
            Range::Between([low, high], of) => {
                ends = [ends[0] + low, ends[1] + high];
                size += of;
                n += 1.0;
            }
        }
    }
    if n == 0.0 {
        return Range::Nothing;
    }
    Range::Between(ends.map(|end| end / n), size / n)
}

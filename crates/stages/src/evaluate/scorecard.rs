//! The scorecard of one report: a row of the leaderboard's data.

use std::{collections::BTreeMap, iter::Sum, ops::Add, sync::Arc};

use serde::{Serialize, Serializer};

use crate::data::{Score, Scores};

/// The facets of a task, shared by the reports on it: there may be a hundred thousand of those.
pub type Facets = Arc<BTreeMap<String, String>>;

/// One report with its scores. A score that could not be had is a cause, never 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReportScores {
    /// Id of the report.
    pub report: String,
    /// Id of the task that it answers.
    pub task: String,
    /// The agent's name.
    pub agent: String,
    /// 1 for the first answer of the agent to the task.
    pub attempt: u32,
    /// ok, refused, empty, timeout, error.
    pub state: String,
    /// Facets of the task: `phase`, `type`, `discipline`, `language`.
    #[serde(serialize_with = "shared")]
    pub facets: Facets,
    /// By measure. A measure that is not in it has no value, either.
    #[serde(rename = "measures")]
    pub scores: Scores,
    /// Of a panel: a measure by each judge alone, without judges with missing ratings.
    pub by_judge: BTreeMap<&'static str, BTreeMap<String, f64>>,
    /// The spread of a judge's repeated judgements, by measure; none where each question was asked
    /// once.
    pub repeated: BTreeMap<&'static str, Spread>,
    /// The criteria that a measure is made of; none of measures without any.
    #[serde(skip)]
    pub criteria: BTreeMap<&'static str, Vec<CriterionScore>>,
    /// Judgements without a verdict, by cause.
    pub unscored: BTreeMap<String, u64>,
    /// Cited URLs that gave no text, by cause.
    pub url_failures: BTreeMap<String, u64>,
    /// Micro-dollars that the agent cost, where known; failed attempts cost, too.
    pub cost_micro: Option<u64>,
}

fn shared<S: Serializer>(facets: &Facets, serializer: S) -> Result<S::Ok, S::Error> {
    facets.serialize(serializer)
}

impl ReportScores {
    /// Whether the report may be measured.
    pub fn is_ok(&self) -> bool {
        self.state == "ok"
    }

    /// The score by a measure, if the report has one.
    pub fn score(&self, measure: &str) -> Option<&Score> {
        self.scores.get(measure)
    }

    /// The value by a measure.
    pub fn value(&self, measure: &str) -> Option<f64> {
        self.score(measure)?.value()
    }
}

/// A criterion of a report's score.
#[derive(Clone, Debug, PartialEq)]
pub struct CriterionScore {
    /// Its name, which other tasks may have, too.
    pub name: Arc<str>,
    /// How much it weighs beside the others.
    pub weight: f64,
    /// The mean rating, on the measure's scale; none where there is none.
    pub value: Option<f64>,
    /// What the mean rating could be, whatever the ratings that could not be had turned out to be;
    /// none where all are there.
    pub ends: Option<(f64, f64)>,
}

/// Squared deviations of ratings from the mean of their group, to be added up over groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Their sum, in squared points.
    pub squares: f64,
    /// Degrees of freedom: ratings minus groups.
    pub degrees_of_freedom: u64,
}

impl Spread {
    /// The spread within one group; none of fewer than two.
    pub fn within(group: &[f64]) -> Option<Self> {
        let degrees_of_freedom = (group.len() as u64)
            .checked_sub(1)
            .filter(|degrees_of_freedom| *degrees_of_freedom > 0)?;
        let mean = group.iter().sum::<f64>() / group.len() as f64;
        Some(Self {
            squares: group.iter().map(|value| (value - mean).powi(2)).sum(),
            degrees_of_freedom,
        })
    }

    /// The standard deviation within groups, pooled, in points; none without groups.
    pub fn deviation(self) -> Option<f64> {
        (self.degrees_of_freedom > 0)
            .then(|| (self.squares / self.degrees_of_freedom as f64).sqrt())
    }
}

impl Add for Spread {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            squares: self.squares + other.squares,
            degrees_of_freedom: self.degrees_of_freedom + other.degrees_of_freedom,
        }
    }
}

impl Sum for Spread {
    fn sum<I: Iterator<Item = Self>>(spreads: I) -> Self {
        spreads.fold(Self::default(), Add::add)
    }
}

/// The mean denominator of a measure over reports that have it: how much there is to say on a task.
pub(super) fn mean_denominator(reports: &[&ReportScores], key: &str) -> Option<f64> {
    let sizes: Vec<f64> = reports
        .iter()
        .filter_map(|report| report.scores.get(key)?.outcome.as_ref().ok())
        .map(|fraction| fraction.denominator)
        .collect();
    (!sizes.is_empty()).then(|| sizes.iter().sum::<f64>() / sizes.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (1² + 1² + 0) / 2 of [4, 6, 5], and (.5² + .5²) / 1 of [7, 8].
    #[test]
    fn spreads_are_pooled_over_groups() {
        let groups: [&[f64]; 3] = [&[4.0, 6.0, 5.0], &[7.0, 8.0], &[9.0]];
        let spread: Spread = groups.into_iter().filter_map(Spread::within).sum();
        assert_eq!(spread.degrees_of_freedom, 3);
        assert!(
            spread
                .deviation()
                .is_some_and(|sd| (sd - (2.5_f64 / 3.0).sqrt()).abs() < 1e-12)
        );
        assert_eq!(Spread::default().deviation(), None);
    }
}

//! Sample reports for tests, and the counts behind the paper's table.

use std::collections::BTreeMap;

use super::{Leaderboard, Measure, Options, Row};
use crate::{
    data::{Score, Scores},
    evaluate::{
        kae::measures::{self, Counts, INDEPENDENT, OWN},
        scorecard::{ReportScores, Spread},
    },
};

/// A report with its ACE and KAE scores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scored {
    pub report: String,
    pub task: String,
    pub agent: String,
    pub attempt: u32,
    pub state: String,
    pub facets: BTreeMap<String, String>,
    pub own: Option<Counts>,
    pub independent: Option<Counts>,
    pub ace: Option<f64>,
    pub ace_by: BTreeMap<String, f64>,
    pub repeated: Option<Spread>,
    pub unscored: BTreeMap<String, u64>,
    pub references: u64,
    pub url_failures: BTreeMap<String, u64>,
    pub output_tokens: Option<u64>,
    pub cost_micro: Option<u64>,
    pub words: u64,
}

impl Scored {
    fn scores(&self) -> Scores {
        let known = |n: Option<u64>| Score::number(n.map(|n| n as f64), "not known");
        let failed = self.url_failures.values().sum::<u64>() as f64;
        let url_failure_share = if self.references > 0 {
            Score::ratio(failed, self.references as f64)
        } else {
            Score::missing("no references")
        };
        let mut scores = measures::scores(OWN, self.own);
        scores.extend(measures::scores(INDEPENDENT, self.independent));
        scores.extend([
            ("ace", Score::number(self.ace, "unscored")),
            ("references", known(Some(self.references))),
            ("output_tokens", known(self.output_tokens)),
            ("words", known(Some(self.words))),
            ("cost_micro", known(self.cost_micro)),
            ("url_failure_share", url_failure_share),
        ]);
        scores
    }
}

impl From<&Scored> for ReportScores {
    fn from(scored: &Scored) -> Self {
        Self {
            report: scored.report.clone(),
            task: scored.task.clone(),
            agent: scored.agent.clone(),
            attempt: scored.attempt,
            state: scored.state.clone(),
            facets: scored.facets.clone().into(),
            scores: scored.scores(),
            by_judge: BTreeMap::from([("ace", scored.ace_by.clone())]),
            repeated: scored
                .repeated
                .map(|spread| ("ace", spread))
                .into_iter()
                .collect(),
            criteria: BTreeMap::new(),
            unscored: scored.unscored.clone(),
            url_failures: scored.url_failures.clone(),
            cost_micro: scored.cost_micro,
        }
    }
}

/// The rows of a leaderboard's data.
pub fn rows(scored: &[Scored]) -> Vec<ReportScores> {
    scored.iter().map(ReportScores::from).collect()
}

/// The leaderboard of these reports.
pub fn leaderboard(scored: &[Scored], options: &Options) -> Leaderboard {
    super::leaderboard(&rows(scored), options)
}

/// A measure of an agent.
pub fn of<'a>(row: &'a Row, key: &str) -> &'a Measure {
    row.measure(key).expect("a measure")
}

/// A report that is ok, with nothing scored.
pub fn report(agent: &str, task: &str, attempt: u32) -> Scored {
    Scored {
        report: format!("{agent} {task} {attempt}"),
        task: task.into(),
        agent: agent.into(),
        attempt,
        state: "ok".into(),
        words: 100,
        ..Scored::default()
    }
}

/// Counts with a verdict on every point.
pub fn counts(supported: u64, contradicted: u64, omitted: u64) -> Counts {
    Counts {
        supported,
        contradicted,
        omitted,
        unscored: 0,
    }
}

/// System, counts in English and Chinese, their printed KSR, KCR and KOR in percent; pooled
/// shares and efficiency.
pub type System = (&'static str, [[u64; 3]; 2], [[f64; 3]; 2], [f64; 4]);

/// All eight.
pub const SYSTEMS: [System; 8] = [
    (
        "gpt-4o-search-preview",
        [[28, 5, 23], [34, 2, 4]],
        [[50.0, 8.9, 41.1], [85.0, 5.0, 10.0]],
        [64.6, 7.3, 28.1, 1.825],
    ),
    (
        "gpt-4o-mini-search-preview",
        [[37, 4, 6], [10, 3, 5]],
        [[78.7, 8.5, 12.8], [55.6, 16.7, 27.8]],
        [72.3, 10.8, 16.9, 2.61],
    ),
    (
        "gpt-4.1-mini",
        [[80, 14, 34], [13, 1, 3]],
        [[62.5, 10.9, 26.6], [76.5, 5.9, 17.6]],
        [64.1, 10.3, 25.5, 1.791],
    ),
    (
        "gpt-4.1",
        [[28, 1, 7], [20, 2, 11]],
        [[77.8, 2.8, 19.4], [60.6, 6.1, 33.3]],
        [69.6, 4.3, 26.1, 2.289],
    ),
    (
        "o4-mini-deep-research",
        [[450, 25, 108], [25, 6, 2]],
        [[77.2, 4.3, 18.5], [75.8, 18.2, 6.1]],
        [77.1, 5.0, 17.9, 3.367],
    ),
    (
        "gemini-2.5-pro-search",
        [[41, 9, 13], [19, 3, 3]],
        [[65.1, 14.3, 20.6], [76.0, 12.0, 12.0]],
        [68.2, 13.6, 18.2, 2.145],
    ),
    (
        "gemini-2.5-flash-search",
        [[70, 3, 16], [20, 4, 1]],
        [[78.7, 3.4, 18.0], [80.0, 16.0, 4.0]],
        [78.9, 6.1, 14.9, 3.757],
    ),
    (
        "grok-4-search",
        [[100, 9, 11], [29, 8, 21]],
        [[83.3, 7.5, 9.2], [50.0, 13.8, 36.2]],
        [72.5, 9.6, 18.0, 2.627],
    ),
];

//! The leaderboard: what reports were found to be, agent by agent, with how sure one may be of it.
//! A pure fold; what it returns is all that a terminal, a CSV file, a JSON file or a page shows.
//! Hides attempts, missing reports, resampling and the order in which anything arrived.
//!
//! The unit is the task. Attempts of one agent at a task are averaged within it, tasks are
//! resampled as a whole, and every number says on how many of how many tasks it rests and why not
//! on the others. A report in another state than ok is counted by its state and is in no measure,
//! unless [`Options::failed_as_zero`].
//!
//! *Differs from the paper* (DeepResearch Arena, arXiv 2509.01396, Table 3 and Fig. 4): it has
//! pooled shares on the report's own key points, and ACE, without intervals. Here the same set is
//! also scored against key points of other agents' pages, shares are averaged over tasks as well,
//! and agents are compared.

mod cells;
pub mod measures;
mod pairs;
pub mod paper;
#[cfg(test)]
mod simulated;
mod table;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use self::table::table;

use crate::{
    evaluate::scorecard::{Counts, Scored},
    stats::bootstrap::RESAMPLES,
};

/// What a leaderboard is made with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Options {
    /// A facet (`phase`, `type`, `discipline`, `language`), to have the same once more for each of
    /// its values.
    pub by: Option<String>,
    /// Resamples of an interval.
    pub resamples: usize,
    /// Of all that is drawn.
    pub seed: u64,
    /// A difference is significant, and a tier ends, below this adjusted p-value.
    pub alpha: f64,
    /// Whether a report that is not ok has ACE 0 and omits all key points (as many as the task's
    /// other reports have on average; where there are none, it stays without). To be printed when
    /// on.
    pub failed_as_zero: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            by: None,
            resamples: RESAMPLES,
            seed: 0,
            alpha: 0.05,
            failed_as_zero: false,
        }
    }
}

/// All agents on all tasks, and again by a facet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Board {
    /// What it was made with.
    pub options: Options,
    /// All tasks.
    #[serde(flatten)]
    pub whole: Table,
    /// One a value of the facet, in their order; tests are corrected within each. Empty where none
    /// was asked for.
    pub groups: Vec<Group>,
}

/// The tasks with one value of a facet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The value; none for reports whose task has none.
    pub value: Option<String>,
    /// Its tasks, and all agents of the board.
    #[serde(flatten)]
    pub table: Table,
}

/// Agents on the same tasks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Tasks that any agent has a report on.
    pub tasks: u64,
    /// Reports, of whatever state.
    pub reports: u64,
    /// The measure that tiers are by: ACE where any agent has it, else KSR on independent key
    /// points.
    pub tiers_by: Option<Headline>,
    /// Best first: by ACE, then pooled KSR on independent key points, then name.
    pub agents: Vec<Row>,
    /// Every pair that shares a task, measure by measure.
    pub differences: Vec<Pair>,
}

/// A measure that agents are compared on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Headline {
    /// Checklist score, 0 to 10.
    Ace,
    /// Pooled KSR on key points of other agents' pages, 0 to 1.
    KsrIndependent,
    /// Pooled KSR on key points of the report's own pages, 0 to 1.
    KsrOwn,
}

/// One agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub agent: String,
    /// 1 for the best; none without a score.
    pub tier: Option<u32>,
    /// Its reports, of whatever state.
    pub reports: u64,
    /// Tasks that it has none on.
    pub without_report: u64,
    /// Reports by state.
    pub states: BTreeMap<String, u64>,
    /// Checklist score, 0 to 10.
    pub ace: Measure,
    /// Of a panel, what it were by each judge alone; attempts without a report are in none of
    /// these.
    pub ace_by: BTreeMap<String, Alone>,
    /// Standard deviation of the ratings that one judge gave the same criterion of a report, in
    /// points of 0 to 10; none where each was asked once.
    pub repeated: Option<f64>,
    /// Against key points of other agents' pages.
    pub independent: Keypoints,
    /// Against key points of the pages that the report itself cites.
    pub own: Keypoints,
    /// Tokens of a report that it is known of.
    pub output_tokens: Measure,
    /// Distinct URLs that a report cites.
    pub references: Measure,
    /// Words of a report.
    pub words: Measure,
    /// Micro-dollars of a report that it is known of.
    pub cost_micro: Measure,
    /// Micro-dollars of all reports, failed ones too, as far as known.
    pub spent_micro: u64,
    /// Judgements without a verdict, by cause.
    pub unscored: BTreeMap<String, u64>,
    /// Cited URLs that gave no text, by cause; of reports that are ok.
    pub url_failures: BTreeMap<String, u64>,
    /// Their share of all cited URLs, 0 to 1.
    pub url_failure_share: Measure,
}

/// One judge of a panel on one agent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Alone {
    /// Mean checklist score over tasks, 0 to 10.
    pub ace: f64,
    /// Tasks with a report of which the judge rated every criterion.
    pub tasks: u64,
}

/// What reports say of the key points of one kind of set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keypoints {
    /// Sums over all reports that are ok.
    pub counts: Counts,
    /// Wilson's 95 % interval of these counts' KSR, as if no two key points had a report in common:
    /// too narrow where they have, and there beside the interval over tasks to show it.
    pub ksr_wilson: Option<(f64, f64)>,
    /// Micro: sums over tasks, divided. The headline, as in the paper.
    pub pooled: Rates,
    /// Macro: each task counts the same. Its efficiency is that of its mean rates.
    pub mean: Rates,
}

/// The four rates of key points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rates {
    /// Supported, 0 to 1.
    pub ksr: Measure,
    /// Contradicted, 0 to 1.
    pub kcr: Measure,
    /// Not mentioned, 0 to 1.
    pub kor: Measure,
    /// KSR / (KCR + KOR), from 0 without end (Fig. 4 of the paper, which divides rounded shares).
    pub efficiency: Measure,
}

/// A number, how sure one may be of it, and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measure {
    /// None where it cannot be computed.
    pub value: Option<f64>,
    /// Lower end of the 95 % interval, by resampling tasks.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// What the value were if all tasks without one had the least possible; for means on a bounded
    /// scale.
    pub worst: Option<f64>,
    /// The same with the largest possible.
    pub best: Option<f64>,
    /// Tasks with a value.
    pub n: u64,
    /// All tasks.
    pub of: u64,
    /// Why the other `of − n` have none: `no report`, a report's state, `no key points`,
    /// `unscored`, `not known`, `no references`.
    pub missing: BTreeMap<String, u64>,
}

/// Two agents on the tasks that both have a value on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// What they are compared on.
    pub measure: Headline,
    /// The one that stands above.
    pub first: String,
    /// The other.
    pub second: String,
    /// Tasks that both have a value on.
    pub tasks: u64,
    /// The first's value on them less the second's.
    pub value: f64,
    /// Lower end of its 95 % interval, by resampling tasks; not corrected for the number of pairs.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Two-sided p-value of no difference, by flipping signs.
    pub p: f64,
    /// By Holm's correction over all pairs of the measure.
    pub adjusted: f64,
    /// The smallest true difference that as many tasks would show with 80 % power at .05,
    /// uncorrected.
    pub detectable: Option<f64>,
    /// Whether the adjusted p-value is below alpha.
    pub significant: bool,
}

/// The leaderboard of all that was scored. Two reports of the same agent, task and attempt are two
/// attempts; ids of reports are unique.
pub fn leaderboard(scored: &[Scored], options: &Options) -> Board {
    let mut all: Vec<&Scored> = scored.iter().collect();
    all.sort_by(|a, b| (a.attempt, &a.report).cmp(&(b.attempt, &b.report)));
    let agents: BTreeSet<&str> = all.iter().map(|one| &*one.agent).collect();
    let agents: Vec<&str> = agents.into_iter().collect();
    let mut groups: BTreeMap<Option<&String>, Vec<&Scored>> = BTreeMap::new();
    if let Some(facet) = &options.by {
        for one in &all {
            groups.entry(one.facets.get(facet)).or_default().push(one);
        }
    }
    let group = |(value, of): (Option<&String>, Vec<&Scored>)| Group {
        value: value.cloned(),
        table: table(&of, &agents, options),
    };
    Board {
        options: options.clone(),
        whole: table(&all, &agents, options),
        groups: groups.into_iter().map(group).collect(),
    }
}

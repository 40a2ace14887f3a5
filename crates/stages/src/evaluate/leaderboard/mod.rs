//! The leaderboard: scores by agent, with intervals and tiers. A pure fold: it returns all that a
//! terminal, a CSV file, a JSON file or a page shows. Hides attempts, missing reports, resampling
//! and the order in which anything arrived.
//!
//! The unit is the task. Attempts of one agent at a task are averaged within it, tasks are
//! resampled as a whole, and every number says on how many of how many tasks it rests and why not
//! on the others. A report in another state than ok is counted by its state and is in no measure,
//! unless [`Options::failed_as_zero`]. What is missing is bounded: each number on a scale with two
//! ends says what it could at worst and at best be. An agent without a value on every task stands
//! below those that have one, and has no rank.
//!
//! *Differs from the paper* (DeepResearch Arena, arXiv 2509.01396, Table 3 and Fig. 4): it has
//! pooled shares on the report's own key points, and ACE, without intervals. Here the same set is
//! also scored against key points of other agents' pages, shares are averaged over tasks as well,
//! and agents are compared.

mod bounds;
mod cells;
pub mod live_research_bench;
mod pairs;
pub mod paper;
mod places;
#[cfg(test)]
mod planted;
#[cfg(test)]
pub(super) mod sample;
#[cfg(test)]
mod simulated;
mod table;
#[cfg(test)]
mod tests;
pub mod weights;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use self::places::Parted;
use self::{table::table, weights::Sensitivity};

use crate::{
    data::MeasureDef,
    evaluate::{measures, scorecard::ReportScores},
    stats::bootstrap::RESAMPLES,
};

/// What a leaderboard is made with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Options {
    /// Facets (`phase`, `type`, `discipline`, `language`), to have the same once more for each of
    /// their values.
    pub by: Vec<String>,
    /// Agents by the name of their family, to have the same once more with families for agents.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub families: BTreeMap<String, Vec<String>>,
    /// Resamples of an interval.
    pub resamples: usize,
    /// Of all that is drawn.
    pub seed: u64,
    /// How many times as much criteria weigh, by their names in small letters, where that was asked
    /// for: the reports come with it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, f64>,
    /// The size of the top that [`Row::p_top_k`] is about.
    pub top: u32,
    /// A difference is significant, and a tier ends, below this adjusted p-value.
    pub alpha: f64,
    /// Whether a report that is not ok has the worst score by each measure, as its evaluator says.
    /// To be printed when on.
    pub failed_as_zero: bool,
    /// The tasks of a set by id, with their facets: they count, answered or not. Where none are
    /// given, the tasks are those that any agent has a report on.
    #[serde(skip)]
    pub set: BTreeMap<String, BTreeMap<String, String>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            by: Vec::new(),
            families: BTreeMap::new(),
            resamples: RESAMPLES,
            seed: 0,
            weights: BTreeMap::new(),
            top: 1,
            alpha: 0.05,
            failed_as_zero: false,
            set: BTreeMap::new(),
        }
    }
}

impl Options {
    /// The set's tasks with a value of a facet.
    fn with_facet(&self, facet: &str, value: Option<&String>) -> Vec<&str> {
        let set = self.set.iter();
        set.filter(|(_, facets)| facets.get(facet) == value)
            .map(|(task, _)| task.as_str())
            .collect()
    }
}

/// All agents on all tasks, and again by a facet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Leaderboard {
    /// What it was made with.
    pub options: Options,
    /// All tasks.
    #[serde(flatten)]
    pub whole: Table,
    /// One a value of each facet, in their order; tests are corrected within each. Empty where none
    /// was asked for.
    pub groups: Vec<Group>,
    /// Families in place of agents: all reports of a family's agents are one agent's attempts, so
    /// that on each task they weigh the same. None where no family was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub families: Option<Table>,
    /// How far the order depends on the weights of criteria; none where nobody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Sensitivity>,
}

/// The tasks with one value of a facet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The facet.
    pub facet: String,
    /// The value; none for reports on tasks without the facet.
    pub value: Option<String>,
    /// Its tasks, and all agents of the leaderboard.
    #[serde(flatten)]
    pub table: Table,
}

/// Agents on the same tasks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Tasks of the set, or those that any agent has a report on.
    pub tasks: u64,
    /// Reports, of whatever state.
    pub reports: u64,
    /// Key of the measure that tiers are by: the first ranking one that any agent has a value of.
    pub tiers_by: Option<&'static str>,
    /// Key of the measure that says which agents are complete: the one that tiers are by, else the
    /// first that agents are compared on and any has a value of. None where there is neither: then
    /// an agent is complete if it has a report on every task.
    pub complete_by: Option<&'static str>,
    /// Complete agents first, best first: by the ranking measures in their order, then name. The
    /// others by what they have at worst.
    pub agents: Vec<Row>,
    /// Every pair that shares a task, measure by measure.
    pub differences: Vec<Pair>,
}

/// One agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub agent: String,
    /// 1 for the best of the complete agents by the measure that tiers are by; equals share it.
    /// None of an agent that is not complete.
    pub rank: Option<u32>,
    /// 1 for the best; none without a rank.
    pub tier: Option<u32>,
    /// Whether it has a value on every task where there is something to measure, leaves no failed
    /// attempt out, and unscored judgements leave at most a tenth of the scale open.
    pub is_complete: bool,
    /// The best and the worst rank that it could have among all agents, the incomplete ones too,
    /// whatever is missing turned out to be. Its rank is one among the complete agents.
    pub possible_ranks: Option<(u32, u32)>,
    /// Share of the resamples in which it is among the best [`Options::top`] of the complete
    /// agents; none without a rank.
    pub p_top_k: Option<f64>,
    /// Its reports, of whatever state.
    pub reports: u64,
    /// Tasks that it has none on.
    pub without_report: u64,
    /// Reports by state.
    pub states: BTreeMap<String, u64>,
    /// Every measure by its key, in the order of [`crate::evaluate::measures`].
    #[serde(serialize_with = "in_order")]
    pub measures: Vec<(&'static str, Measure)>,
    /// Of a panel: a measure by each judge alone; attempts without a report are in none of these.
    pub by_judge: BTreeMap<&'static str, BTreeMap<String, Alone>>,
    /// Standard deviation of the judgements that one judge gave the same of a report, by measure,
    /// in its unit; none where each was asked once.
    pub repeated: BTreeMap<&'static str, f64>,
    /// Micro-dollars of all reports, failed ones too, as far as known.
    pub spent_micro: u64,
    /// Judgements without a verdict, by cause.
    pub unscored: BTreeMap<String, u64>,
    /// Cited URLs that gave no text, by cause; of reports that are ok.
    pub url_failures: BTreeMap<String, u64>,
}

impl Row {
    /// The measure of a key.
    pub fn measure(&self, key: &str) -> Option<&Measure> {
        let (_, measure) = self.measures.iter().find(|(known, _)| *known == key)?;
        Some(measure)
    }

    /// The value of a measure.
    pub fn value(&self, key: &str) -> Option<f64> {
        self.measure(key)?.value
    }
}

/// One judge of a panel on one agent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Alone {
    /// The mean over tasks.
    pub value: f64,
    /// Tasks with a report that the judge judged completely.
    pub tasks: u64,
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
    /// What the value were if all that is missing (a report that nobody has, a judgement without a
    /// verdict) were as bad as the scale allows, and failed reports counted by the measure's own
    /// rule. None on a scale without a largest value.
    pub worst: Option<f64>,
    /// The same with all that is missing as good as the scale allows. For a measure of which less
    /// is better, the lower end.
    pub best: Option<f64>,
    /// Why there is no worst and best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_bounds: Option<&'static str>,
    /// Tasks on which a failed report counts, in worst and best, by the measure's own rule, which
    /// is that of [`Options::failed_as_zero`].
    pub failed_by_rule: u64,
    /// Whether the value leaves such a failed report out.
    #[serde(skip)]
    pub leaves_failed_out: bool,
    /// Tasks without a value on which there was nothing to measure: nothing is missing of them.
    pub not_applicable: u64,
    /// Tasks with a value.
    pub n: u64,
    /// All tasks.
    pub of: u64,
    /// Why the other `of − n` have none: `no report`, a report's state, `no key points`,
    /// `unscored`, `not known`, `no references`.
    pub missing: BTreeMap<String, u64>,
    /// The sums behind a pooled share; none of other measures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
}

/// The sums behind a pooled share, over all reports that are ok.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// What was reached.
    pub numerator: f64,
    /// Of what.
    pub denominator: f64,
    /// What had no verdict and is in neither.
    pub unscored: u64,
    /// Wilson's 95 % interval of these counts, as if no two of them had a report in common: too
    /// narrow where they have, and beside the interval over tasks to show it.
    pub wilson: Option<(f64, f64)>,
}

impl Measure {
    /// Whether every task with something to measure has a value, and no failed attempt is left out
    /// that counts by the measure's rule. How much is open is another question.
    pub fn is_complete(&self) -> bool {
        self.value.is_some() && !self.leaves_failed_out && self.n + self.not_applicable == self.of
    }

    /// Whether what is missing could move it.
    pub fn is_open(&self) -> bool {
        self.worst != self.best
    }

    /// The least and the largest that it could be.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        let (worst, best) = (self.worst?, self.best?);
        Some((worst.min(best), worst.max(best)))
    }
}

fn in_order<S: serde::Serializer>(
    measures: &[(&'static str, Measure)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(measures.iter().map(|(key, measure)| (key, measure)))
}

/// Two agents on the tasks that both have a value on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Key of the measure that they are compared on.
    pub measure: &'static str,
    /// The one that stands above.
    pub first: String,
    /// The other.
    pub second: String,
    /// Tasks that both have a value on.
    pub tasks: u64,
    /// The first's value on them minus the second's.
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
pub fn leaderboard(scored: &[ReportScores], options: &Options) -> Leaderboard {
    let mut all: Vec<&ReportScores> = scored.iter().collect();
    // Reports come in the order in which threads ended; tables must not show it.
    all.sort_by(|a, b| (a.attempt, &a.report).cmp(&(b.attempt, &b.report)));
    let agents: BTreeSet<&str> = all.iter().map(|report| &*report.agent).collect();
    let agents: Vec<&str> = agents.into_iter().collect();
    let measures = known_measures(&all);
    let groups = |facet: &String| {
        let mut groups: BTreeMap<Option<&String>, Vec<&ReportScores>> = BTreeMap::new();
        for report in &all {
            let group = groups.entry(report.facets.get(facet)).or_default();
            group.push(report);
        }
        for facets in options.set.values() {
            groups.entry(facets.get(facet)).or_default();
        }
        let groups = groups.into_iter().map(|(value, reports)| {
            let set = options.with_facet(facet, value);
            Group {
                facet: facet.clone(),
                value: value.cloned(),
                table: table(&measures, &reports, &agents, &set, options),
            }
        });
        groups.collect::<Vec<_>>()
    };
    let set: Vec<&str> = options.set.keys().map(String::as_str).collect();
    Leaderboard {
        options: options.clone(),
        whole: table(&measures, &all, &agents, &set, options),
        groups: options.by.iter().flat_map(groups).collect(),
        families: families(&measures, &all, options),
        sensitivity: None,
    }
}

/// The table of families; an agent may be in several.
fn families(
    measures: &[&'static MeasureDef],
    reports: &[&ReportScores],
    options: &Options,
) -> Option<Table> {
    if options.families.is_empty() {
        return None;
    }
    let members = options.families.iter().flat_map(|(family, agents)| {
        let of_family = reports
            .iter()
            .filter(|report| agents.contains(&report.agent));
        of_family.map(|report| ReportScores {
            agent: family.clone(),
            ..(*report).clone()
        })
    });
    let members: Vec<ReportScores> = members.collect();
    let members: Vec<&ReportScores> = members.iter().collect();
    let names: Vec<&str> = options.families.keys().map(String::as_str).collect();
    let set: Vec<&str> = options.set.keys().map(String::as_str).collect();
    Some(table(measures, &members, &names, &set, options))
}

/// The measures that reports were scored by: an evaluator that has not been used in a project says
/// nothing about it. Where no report is ok, nothing is known of that.
fn known_measures(reports: &[&ReportScores]) -> Vec<&'static MeasureDef> {
    // Otherwise a project of failures alone would lose its columns.
    if !reports.iter().any(|report| report.is_ok()) {
        return measures().collect();
    }
    measures()
        .filter(|measure| is_scored(measure, reports))
        .collect()
}

/// Whether any report was scored by the measure; mostly the first one was.
fn is_scored(measure: &MeasureDef, reports: &[&ReportScores]) -> bool {
    let mut ok = reports.iter().filter(|report| report.is_ok());
    ok.any(|report| report.score(measure.key).is_some())
}

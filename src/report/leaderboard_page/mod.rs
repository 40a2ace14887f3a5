//! A leaderboard of research agents as HTML: one page with every number, its interval and what it
//! covers, and one page for each task with the evidence. Pages need no network and run no script.
//! Hides the templates and what fits a page.

mod heat;
mod passages;
mod plots;
mod scale;
mod tables;
mod task;
mod tasks;

use std::collections::BTreeMap;

use anyhow::Result;
use minijinja::{context, value::Serde};
use serde::Serialize;

use super::markup;
pub use task::{
    CitationView, CriterionView, Failure, PointView, Relation, ReportView, SourcePage, StoredPage,
    TaskPage, task,
};

/// Values of a facet in a plot, at most.
const VALUES: usize = 24;
/// Where bars and cells begin.
const LEFT: f64 = 212.0;
/// Columns of a label beside them.
const LABEL: usize = 30;

/// The content of the page. A number that is absent or not finite is shown as a dash and left out
/// of the plots; what refers to an agent or a measure that is not listed is not shown.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Page {
    /// The heading.
    pub title: String,
    /// Names and values: method, judges, seed, cost.
    pub facts: Vec<(String, String)>,
    /// Warnings that a reader must know first.
    pub warnings: Vec<String>,
    /// The measures, the headline first: its plots are unfolded.
    pub measures: Vec<Measure>,
    /// Measures that are the three parts of a whole.
    pub wholes: Vec<Whole>,
    /// All agents, best first, each with a name of its own.
    pub agents: Vec<Agent>,
    /// Families in place of agents, best first; empty where none are named.
    pub families: Vec<Agent>,
    /// The measures again, by facet of the tasks.
    pub by: Vec<Facet>,
    /// Agents compared on the tasks that both were scored on.
    pub differences: Vec<Difference>,
    /// All tasks.
    pub tasks: Vec<TaskRow>,
}

/// A measure.
#[derive(Clone, Debug, Serialize)]
pub struct Measure {
    /// Its key, by which values refer to it.
    pub key: String,
    /// Its name for people, such as `KSR, own pages`.
    pub label: String,
    /// Such as `%`; may be empty.
    pub unit: String,
    /// What it says, in one sentence.
    pub meaning: String,
    /// Whether more is better.
    pub higher_is_better: bool,
    /// Least and greatest possible value; an end that is not finite is open.
    pub range: (f64, f64),
}

/// Three measures that are the shares of a set of key points.
#[derive(Clone, Debug, Serialize)]
pub struct Whole {
    /// The set, such as `Key points of the agent's own pages`.
    pub title: String,
    /// Key of the share that reports support.
    pub supported: String,
    /// Key of the share that they contradict.
    pub conflicting: String,
    /// Key of the share that they do not mention.
    pub omitted: String,
    /// By the agent's name: what is supported over what is contradicted or omitted.
    pub efficiency: BTreeMap<String, Value>,
}

/// An agent's place.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// 1 for the best; none of an agent that is not complete.
    pub rank: Option<u32>,
    /// The best and the worst rank that it could have, whatever is missing turned out to be.
    pub possible_ranks: Option<(u32, u32)>,
    /// Whether it has a value on every task; the others stand apart, below.
    pub is_complete: bool,
    /// 1 for the best; none without a rank.
    pub tier: Option<u32>,
    /// By key of the measure.
    pub values: BTreeMap<String, Value>,
    /// Tokens that it wrote for a report, mean.
    pub tokens: Option<f64>,
    /// URLs that a report cites, mean.
    pub references: Option<f64>,
    /// Dollars for a report, mean.
    pub cost: Option<f64>,
    /// Words of a report, mean.
    pub words: Option<f64>,
    /// Reports by how they ended, such as `ok` and `refused`.
    pub states: BTreeMap<String, u64>,
    /// Distinct URLs that its reports cite.
    pub urls: u64,
    /// Of those, the ones that gave no text, by cause.
    pub url_failures: BTreeMap<String, u64>,
}

/// A measured value.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Value {
    /// The value; none where nothing was scored.
    pub value: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end of its 95 % interval.
    pub high: Option<f64>,
    /// The value if all that is missing were as bad as the scale allows; none where it has no end.
    pub worst: Option<f64>,
    /// The same as good as the scale allows.
    pub best: Option<f64>,
    /// Reports that it rests on.
    pub n: u64,
    /// Reports that it should rest on.
    pub of: u64,
    /// The others, by cause.
    pub failed: BTreeMap<String, u64>,
}

/// A property of the tasks, such as `type`.
#[derive(Clone, Debug, Serialize)]
pub struct Facet {
    /// Its name.
    pub name: String,
    /// Its values, in the order in which they are shown.
    pub values: Vec<FacetValue>,
}

/// What was measured on the tasks with one value of a facet.
#[derive(Clone, Debug, Serialize)]
pub struct FacetValue {
    /// The value, such as `Metric Design`.
    pub value: String,
    /// Values by the agent's name and the measure's key.
    pub agents: BTreeMap<String, BTreeMap<String, Value>>,
}

/// Two agents compared, task by task.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// Key of the measure.
    pub measure: String,
    /// An agent.
    pub first: String,
    /// Another one.
    pub second: String,
    /// Mean of the first one's values minus the second one's; none where they share no scored task.
    pub value: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end of its 95 % interval.
    pub high: Option<f64>,
    /// p-value of no difference, adjusted by Holm over all pairs of the measure.
    pub adjusted: Option<f64>,
    /// Tasks that both were scored on.
    pub n: u64,
    /// The smallest difference that so many tasks would detect.
    pub detectable: Option<f64>,
}

/// A task and how the agents did.
#[derive(Clone, Debug, Serialize)]
pub struct TaskRow {
    /// The task's id.
    pub id: String,
    /// What it asks for.
    pub text: String,
    /// Names and values, such as `type` and `Metric Design`.
    pub facets: Vec<(String, String)>,
    /// Its page, relative to this one; letters, digits and `-._~/#%` only, else it is not linked.
    pub href: String,
    /// By the agent's name.
    pub agents: BTreeMap<String, TaskScore>,
}

/// How an agent did on a task.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TaskScore {
    /// How its report ended, such as `ok` and `refused`.
    pub state: String,
    /// By key of the measure.
    pub values: BTreeMap<String, Option<f64>>,
}

impl Value {
    /// The least and the largest that it could be, where these differ.
    fn open(&self) -> Option<(f64, f64)> {
        let (worst, best) = (self.worst?, self.best?);
        let ends = (worst.min(best), worst.max(best));
        (ends.0 < ends.1 && ends.0.is_finite() && ends.1.is_finite()).then_some(ends)
    }
}

impl FacetValue {
    /// What was measured of an agent.
    fn of(&self, agent: &Agent, measure: &Measure) -> Option<&Value> {
        self.agents.get(&agent.name)?.get(&measure.key)
    }
}

impl Page {
    /// The same page with families in place of agents.
    fn of_families(&self) -> Self {
        Self {
            measures: self.measures.clone(),
            agents: self.families.clone(),
            ..Self::default()
        }
    }
}

/// The leaderboard as one file.
pub fn summary(page: &Page) -> Result<String> {
    let values = context! {
        page => Serde(page),
        board => Serde(tables::main_table(page)),
        families => Serde(tables::main_table(&page.of_families())),
        wholes => Serde(plots::wholes(page)),
        facets => Serde(plots::facets(page)),
        differences => Serde(tables::differences(page)),
        unscored => Serde(tables::unscored(page)),
        tasks => Serde(tasks::listed(page)),
    };
    let templates = [
        ("leaderboard.html", include_str!("leaderboard.html")),
        ("style.css", include_str!("style.css")),
    ];
    markup::fill(&templates, values)
}

#[cfg(test)]
mod tests;

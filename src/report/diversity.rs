//! Diversity of the tasks: near-copies across all seminars, and the spread over facets.

use std::collections::BTreeMap;

use serde::Serialize;

use super::listing::Listed;
use crate::{
    data::{Phase, TaskType},
    similarity::{Copies, Encoding, Link, Meaning},
    stats::entropy::entropy,
};

/// Placeholder for a facet that an imported task lacks.
pub const NOT_GIVEN: &str = "not given";

/// Counts by value.
pub type Counts = BTreeMap<String, usize>;

/// The diversity of the current tasks.
#[derive(Debug, Serialize)]
pub struct Diversity {
    /// Current tasks.
    pub tasks: usize,
    /// Least Jaccard index of the shingles of two copies.
    pub similarity: f64,
    /// The embedding model; none where only words were compared.
    pub meaning: Option<Encoding>,
    /// Clusters of near-copies, the largest first; a task alone is in none of them.
    pub clusters: Vec<Cluster>,
    /// Clusters, and tasks alone.
    pub distinct: usize,
    /// Tasks that are copies of a better one.
    pub copies: usize,
    /// Shannon's entropy of the clusters, in nats, tasks alone being clusters of one.
    pub entropy: f64,
    /// The effective number of clusters: so many of equal size would have the same entropy.
    pub effective: f64,
    /// Tasks by family and discipline.
    pub types: BTreeMap<&'static str, Counts>,
    /// Tasks by phase of research.
    pub phases: Counts,
    /// Tasks by primary language.
    pub languages: Counts,
    /// Tasks by seminar, or by the benchmark that they are from.
    pub seminars: Counts,
}

/// A cluster of near-copies.
#[derive(Debug, Serialize)]
pub struct Cluster {
    /// The best of them by the ranking; without one, the first by id.
    pub best: Member,
    /// The others, best first.
    pub copies: Vec<Copied>,
}

/// A task of a cluster.
#[derive(Debug, Serialize)]
pub struct Member {
    /// Its id.
    pub id: String,
    /// Its place in the ranking; none where it is in none.
    pub rank: Option<usize>,
    /// Where it is from.
    pub seminar: String,
    /// Its text.
    pub task: String,
}

/// A copy.
#[derive(Debug, Serialize)]
pub struct Copied {
    /// The task.
    #[serde(flatten)]
    pub member: Member,
    /// What links it with the best.
    pub by: Link,
    /// Jaccard index of its and the best one's shingles.
    pub likeness: f64,
    /// Cosine of its and the best one's vectors.
    pub cosine: Option<f64>,
}

/// The diversity of `tasks`, best first. Those with a Jaccard index of their shingles of `likeness`
/// or more are copies, and those that `meaning` finds.
pub fn diversity(tasks: &[Listed], likeness: f64, meaning: Option<&Meaning>) -> Diversity {
    let texts: Vec<&str> = tasks
        .iter()
        .map(|listed| listed.task.text.as_str())
        .collect();
    let found = Copies::find(&texts, likeness, meaning);
    let groups = &found.groups;
    let copies = groups.iter().map(|group| group.len() - 1).sum::<usize>();
    let distinct = tasks.len() - copies;
    let mut sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
    // Tasks alone are clusters of one.
    sizes.resize(distinct, 1);
    let entropy = entropy(&sizes);
    let mut clusters: Vec<Cluster> = groups
        .iter()
        .map(|group| cluster(tasks, group, &found))
        .collect();
    clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.copies.len()));
    Diversity {
        tasks: tasks.len(),
        similarity: likeness,
        meaning: meaning.map(|meaning| meaning.by.clone()),
        clusters,
        distinct,
        copies,
        entropy,
        effective: if tasks.is_empty() { 0.0 } else { entropy.exp() },
        types: types(tasks),
        phases: counted(tasks, |listed| {
            listed.task.facets.phase.map_or(NOT_GIVEN, Phase::label)
        }),
        languages: counted(tasks, |listed| {
            listed.task.language.split('-').next().unwrap_or_default()
        }),
        seminars: counted(tasks, Listed::origin),
    }
}

fn cluster(tasks: &[Listed], group: &[usize], found: &Copies<'_>) -> Cluster {
    // A group is in ascending order, and the tasks are best first.
    let best = group[0];
    let copied = group[1..].iter().map(|&at| {
        let likeness = found.likeness(best, at);
        Copied {
            member: member(&tasks[at]),
            by: likeness.by,
            likeness: likeness.words,
            cosine: likeness.cosine,
        }
    });
    Cluster {
        best: member(&tasks[best]),
        copies: copied.collect(),
    }
}

fn member(listed: &Listed) -> Member {
    Member {
        id: listed.task.id.to_string(),
        rank: listed.rank,
        seminar: listed.origin().to_owned(),
        task: listed.task.text.clone(),
    }
}

fn counted<'a>(tasks: &'a [Listed], value: impl Fn(&'a Listed) -> &'a str) -> Counts {
    let mut counts = Counts::new();
    for listed in tasks {
        *counts.entry(value(listed).to_owned()).or_default() += 1;
    }
    counts
}

fn types(tasks: &[Listed]) -> BTreeMap<&'static str, Counts> {
    let mut types: BTreeMap<&'static str, Counts> =
        TaskType::ALL.map(|of| (of.label(), Counts::new())).into();
    for Listed { task, .. } in tasks {
        let family = task.facets.task_type.map_or(NOT_GIVEN, TaskType::label);
        let discipline = task.facets.discipline.as_deref().unwrap_or(NOT_GIVEN);
        let counts = types.entry(family).or_default();
        *counts.entry(discipline.to_owned()).or_default() += 1;
    }
    types
}

//! Everything that was judged of a report, down to the criterion and the key point: what a reader who doubts a score looks
//! at.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{
    ace::Criterion,
    checklist::{Checklists, criterion_name},
    relate::{Frozen, independent_set, own_set, set},
};
use crate::{
    data::{AgentReport, KeyPoint, KeyPointId, Mark, Rating, Related, Task, TaskId},
    store::Store,
};

/// A report with what was judged of it.
#[derive(Clone, Debug)]
pub struct Detail {
    /// The report.
    pub report: AgentReport,
    /// The checklist of its task, each criterion with its ratings.
    pub criteria: Vec<(Criterion, Vec<Mark<Rating>>)>,
    /// The key points that it was compared with.
    pub points: Vec<PointDetail>,
}

/// A key point with what judges say of it and the report.
#[derive(Clone, Debug)]
pub struct PointDetail {
    /// The point that stands for those that say the same.
    pub point: KeyPoint,
    /// The pages that say so, by the hash of their bytes.
    pub pages: BTreeSet<String>,
    /// Whether it is in the set of the report's own pages.
    pub own: bool,
    /// Whether it is in the set of the other agents' pages.
    pub independent: bool,
    /// What the judges say.
    pub marks: Vec<Mark<Related>>,
}

/// What was judged of every report on the tasks, by task.
pub fn details(store: &Store, tasks: &[Task]) -> Result<BTreeMap<TaskId, Vec<Detail>>> {
    let evaluation = store.last_evaluation()?.unwrap_or_default();
    let voices = store.voices(&evaluation)?;
    let checklists: Checklists = store.checklists()?;
    let points = store.key_points()?;
    let mut details: BTreeMap<TaskId, Vec<Detail>> = tasks.iter().map(|task| (task.id.clone(), Vec::new())).collect();
    for report in store.reports()? {
        let Some(of_task) = details.get_mut(&report.task) else { continue };
        let set = |name: String| set(store, &evaluation, &report.task, &name);
        let sets = [(set(own_set(report.id.as_str()))?, true), (set(independent_set(&report.agent))?, false)];
        of_task.push(Detail {
            criteria: criteria(checklists.get(&report.task), &voices.ratings(&report.id)?),
            points: compared(&sets, &points, voices.relations(&report.id)?),
            report,
        });
    }
    Ok(details)
}

/// The checklists by task: each criterion with the name that its ratings have.
pub fn checklists(store: &Store) -> Result<BTreeMap<TaskId, Vec<(String, Criterion)>>> {
    let known: Checklists = store.checklists()?;
    let named = |id: &str, criteria: Vec<Criterion>| {
        criteria.into_iter().enumerate().map(|(at, criterion)| (criterion_name(id, at), criterion)).collect()
    };
    Ok(known.into_iter().map(|(task, (id, criteria))| (task, named(&id, criteria))).collect())
}

fn criteria(
    checklist: Option<&(String, Vec<Criterion>)>,
    rated: &[Mark<Rating>],
) -> Vec<(Criterion, Vec<Mark<Rating>>)> {
    let Some((id, criteria)) = checklist else { return Vec::new() };
    let of = |(at, criterion): (usize, &Criterion)| {
        let name = criterion_name(id, at);
        (criterion.clone(), rated.iter().filter(|mark| mark.of == name).cloned().collect())
    };
    criteria.iter().enumerate().map(of).collect()
}

fn compared(
    sets: &[(Option<Frozen>, bool)],
    points: &BTreeMap<KeyPointId, KeyPoint>,
    marks: Vec<Mark<Related>>,
) -> Vec<PointDetail> {
    let mut found: BTreeMap<KeyPointId, PointDetail> = BTreeMap::new();
    for &(ref set, is_own) in sets {
        for cluster in set.iter().flat_map(|set| &set.clusters) {
            let id = KeyPointId::from_stored(cluster.representative.clone());
            let Some(point) = points.get(&id) else { continue };
            let detail = found.entry(id).or_insert_with(|| PointDetail {
                point: point.clone(),
                pages: BTreeSet::new(),
                own: false,
                independent: false,
                marks: Vec::new(),
            });
            detail.own |= is_own;
            detail.independent |= !is_own;
            let members = cluster.members.iter().filter_map(|id| points.get(&KeyPointId::from_stored(id.clone())));
            detail.pages.extend(members.map(|member| member.source.clone()));
        }
    }
    for mark in marks {
        if let Some(detail) = found.get_mut(&KeyPointId::from_stored(mark.of.clone())) {
            detail.marks.push(mark);
        }
    }
    found.into_values().collect()
}

//! Everything that was judged of a report, down to the criterion and the key point: what a reader
//! who doubts a score looks at.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::{
    data::{AgentReport, KeyPoint, KeyPointId, Mark, Rating, Related, ReportHead, TaskId},
    evaluate::{
        ace::{
            criteria::Criterion,
            rating::{Checklists, criterion_name},
        },
        kae::relations::{Frozen, independent_set, own_set, set},
    },
    store::{Evaluation, Store, Voices},
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

/// What was judged, task by task: all of it at once would be too much to hold.
pub struct Details<'a> {
    store: &'a Store,
    evaluation: Evaluation,
    voices: Voices<'a>,
    checklists: Checklists,
    reports: BTreeMap<TaskId, Vec<ReportHead>>,
}

impl<'a> Details<'a> {
    /// Of all reports, by the judges of the newest evaluation.
    pub fn new(store: &'a Store) -> Result<Self> {
        let evaluation = store.last_evaluation()?.unwrap_or_default();
        let mut reports: BTreeMap<TaskId, Vec<ReportHead>> = BTreeMap::new();
        for report in store.report_heads()? {
            reports.entry(report.task.clone()).or_default().push(report);
        }
        Ok(Self {
            store,
            voices: store.voices(&evaluation)?,
            evaluation,
            checklists: store.checklists()?,
            reports,
        })
    }

    /// What was judged of every report on a task.
    pub fn of(&self, task: &TaskId) -> Result<Vec<Detail>> {
        let Some(reports) = self.reports.get(task) else {
            return Ok(Vec::new());
        };
        let mut points = BTreeMap::new();
        reports
            .iter()
            .map(|report| self.detail(report, &mut points))
            .collect()
    }

    /// `points` are those of the task that were looked up so far.
    fn detail(
        &self,
        report: &ReportHead,
        points: &mut BTreeMap<KeyPointId, KeyPoint>,
    ) -> Result<Detail> {
        let set = |name: String| set(self.store, &self.evaluation, &report.task, &name);
        let sets: [(Option<Frozen>, bool); 2] = [
            (set(own_set(report.id.as_str()))?, true),
            (set(independent_set(&report.agent))?, false),
        ];
        let clusters = sets
            .iter()
            .filter_map(|(set, _)| set.as_ref())
            .flat_map(|set| &set.clusters);
        for id in clusters.flat_map(|cluster| &cluster.members) {
            let id = KeyPointId::from_stored(id.clone());
            if !points.contains_key(&id) {
                points.extend(self.store.key_point(&id)?.map(|point| (id, point)));
            }
        }
        Ok(Detail {
            criteria: criteria(
                self.checklists.get(&report.task),
                &self.voices.ratings(&report.id)?,
            ),
            points: compared(&sets, points, self.voices.relations(&report.id)?),
            report: report.with(self.store.report_text(&report.id)?),
        })
    }
}

/// The checklists by task: each criterion with the name that its ratings have.
pub fn checklists(store: &Store) -> Result<BTreeMap<TaskId, Vec<(String, Criterion)>>> {
    let known: Checklists = store.checklists()?;
    let named = |id: &str, criteria: Vec<Criterion>| {
        criteria
            .into_iter()
            .enumerate()
            .map(|(at, criterion)| (criterion_name(id, at), criterion))
            .collect()
    };
    Ok(known
        .into_iter()
        .map(|(task, (id, criteria))| (task, named(&id, criteria)))
        .collect())
}

fn criteria(
    checklist: Option<&(String, Vec<Criterion>)>,
    rated: &[Mark<Rating>],
) -> Vec<(Criterion, Vec<Mark<Rating>>)> {
    let Some((id, criteria)) = checklist else {
        return Vec::new();
    };
    let of = |(at, criterion): (usize, &Criterion)| {
        let name = criterion_name(id, at);
        (
            criterion.clone(),
            rated
                .iter()
                .filter(|mark| mark.of == name)
                .cloned()
                .collect(),
        )
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
            let Some(point) = points.get(&id) else {
                continue;
            };
            let detail = found.entry(id).or_insert_with(|| PointDetail {
                point: point.clone(),
                pages: BTreeSet::new(),
                own: false,
                independent: false,
                marks: Vec::new(),
            });
            detail.own |= is_own;
            detail.independent |= !is_own;
            let members = cluster
                .members
                .iter()
                .filter_map(|id| points.get(&KeyPointId::from_stored(id.clone())));
            detail
                .pages
                .extend(members.map(|member| member.source.clone()));
        }
    }
    for mark in marks {
        if let Some(detail) = found.get_mut(&KeyPointId::from_stored(mark.of.clone())) {
            detail.marks.push(mark);
        }
    }
    found.into_values().collect()
}

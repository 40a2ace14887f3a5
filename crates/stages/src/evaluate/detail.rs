//! All judgements of a report, down to the criterion and the key point: the evidence behind a
//! score.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{
    ace::{
        self,
        checklist::{self, criterion_name},
        criteria::Criterion,
        rating,
    },
    evaluator::about,
    kae::relations::{self, Frozen, independent_set, own_set, set},
};
use crate::{
    data::{
        AgentReport, Judgement, KeyPoint, KeyPointId, Rating, RelationJudgement, ReportHead, TaskId,
    },
    store::{PanelJudgements, Store},
};

/// A report with its judgements.
#[derive(Clone, Debug)]
pub struct Detail {
    /// The report.
    pub report: AgentReport,
    /// The checklist of its task, each criterion with its ratings.
    pub criteria: Vec<(Criterion, Vec<Judgement<Rating>>)>,
    /// The key points that it was compared with.
    pub points: Vec<PointDetail>,
}

/// A key point with its relation to the report by each judge.
#[derive(Clone, Debug)]
pub struct PointDetail {
    /// The point that represents its duplicates.
    pub point: KeyPoint,
    /// The pages that say so, by the hash of their bytes.
    pub pages: BTreeSet<String>,
    /// Whether it is in the set of the report's own pages.
    pub own: bool,
    /// Whether it is in the set of the other agents' pages.
    pub independent: bool,
    /// The relations by judge.
    pub judgements: Vec<Judgement<RelationJudgement>>,
}

/// The judgements, task by task: all of them at once would take too much memory.
pub struct Details<'a> {
    store: &'a Store,
    judgements: PanelJudgements<'a>,
    /// How the key points that count were found.
    fingerprint: String,
    /// How often each criterion is rated.
    repeats: u32,
    reports: BTreeMap<TaskId, Vec<ReportHead>>,
}

impl<'a> Details<'a> {
    /// Of all reports, by the judges of the newest evaluation.
    pub fn new(store: &'a Store) -> Result<Self> {
        Self::of(store, store.report_heads()?)
    }

    /// Of some reports.
    pub fn of(store: &'a Store, heads: Vec<ReportHead>) -> Result<Self> {
        let evaluation = store.last_evaluation()?.unwrap_or_default();
        let mut reports: BTreeMap<TaskId, Vec<ReportHead>> = BTreeMap::new();
        for report in heads {
            reports.entry(report.task.clone()).or_default().push(report);
        }
        Ok(Self {
            store,
            judgements: store.panel_judgements(&evaluation)?,
            fingerprint: relations::fingerprint(&evaluation),
            repeats: ace::repeats(&evaluation),
            reports,
        })
    }

    /// The details of every report on a task.
    pub fn on_task(&self, task: &TaskId) -> Result<Vec<Detail>> {
        let Some(reports) = self.reports.get(task) else {
            return Ok(Vec::new());
        };
        let checklist = checklist::of_task(self.store, task)?;
        let mut points = BTreeMap::new();
        reports
            .iter()
            .map(|report| self.detail(report, checklist.as_ref(), &mut points))
            .collect()
    }

    /// `points` are those of the task that were looked up so far.
    fn detail(
        &self,
        report: &ReportHead,
        checklist: Option<&(String, Vec<Criterion>)>,
        points: &mut BTreeMap<KeyPointId, KeyPoint>,
    ) -> Result<Detail> {
        let set = |name: String| set(self.store, &self.fingerprint, &report.task, &name);
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
                checklist,
                &rating::ratings(&self.judgements, &report.id, self.repeats)?,
            ),
            points: compared(
                &sets,
                points,
                relations::relations(&self.judgements, &report.id)?,
            ),
            report: report.with(self.store.report_text(&report.id)?),
        })
    }
}

fn criteria(
    checklist: Option<&(String, Vec<Criterion>)>,
    rated: &[Judgement<Rating>],
) -> Vec<(Criterion, Vec<Judgement<Rating>>)> {
    let Some((id, criteria)) = checklist else {
        return Vec::new();
    };
    criteria
        .iter()
        .enumerate()
        .map(|(at, criterion)| {
            let ratings = about(rated, &criterion_name(id, at)).to_vec();
            (criterion.clone(), ratings)
        })
        .collect()
}

fn compared(
    sets: &[(Option<Frozen>, bool)],
    points: &BTreeMap<KeyPointId, KeyPoint>,
    judgements: Vec<Judgement<RelationJudgement>>,
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
                judgements: Vec::new(),
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
    for judgement in judgements {
        if let Some(detail) = found.get_mut(&KeyPointId::from_stored(judgement.about.clone())) {
            detail.judgements.push(judgement);
        }
    }
    found.into_values().collect()
}

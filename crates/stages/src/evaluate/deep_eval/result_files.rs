//! Judgements of a project as LiveResearchBench's result files: each judge's grades of the first
//! report of each agent on each task. A judgement that is missing is left out, so that no reader
//! takes it for a failed item.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{coverage, depth, issues, presentation};
use crate::{
    benchmarks::live_research_bench::{
        Criterion,
        averages::{Judge, JudgeName},
        depth::Counting,
        facts::{Known, PRESENTATION_ITEMS},
        files::{
            ChecklistBlock, DepthBlock, Field, IssueBlock, Metadata, QueryId, Report, ReportsFile,
            SummaryFile, bare_id,
        },
        recompute::recompute,
    },
    data::{ReportHead, Task, TaskId},
    evaluate::{
        attempts,
        file_names::{as_name, distinct, folders_of},
    },
    store::{PanelJudgements, Store},
};

/// The grades of a judge.
pub struct JudgeFiles {
    /// The judge.
    pub judge: JudgeName,
    /// All reports with its grades: `detailed_results_….json`.
    pub reports: ReportsFile,
    /// Its means by model, recomputed from the grades.
    pub means: Judge,
    /// `summary_….json`.
    pub summary: SummaryFile,
}

/// A report in the layout of the benchmark.
pub struct Placed<'a> {
    /// The report.
    pub head: &'a ReportHead,
    /// Its task.
    pub task: &'a Task,
    /// Id of the query, without `qid_`.
    pub query: String,
    /// `<agent>/qid_<id>_report.md`.
    pub path: String,
}

/// The first report of each agent on each task, by agent and task. Agents and queries with names
/// that would be one file get a number.
pub fn placed<'a>(tasks: &'a [Task], heads: &'a [ReportHead]) -> Vec<Placed<'a>> {
    let firsts = attempts::first_on(tasks, heads);
    let folders = folders_of(firsts.iter().map(|(head, _)| head.agent.as_str()));
    let used: BTreeMap<&TaskId, &Task> = firsts.iter().map(|(_, task)| (&task.id, *task)).collect();
    let used = used.into_iter();
    let queries = distinct(used.map(|(id, task)| (id, as_name(&query_id(task)))));
    let placed = firsts.into_iter().map(|(head, task)| {
        let query = &queries[&head.task];
        Placed {
            head,
            task,
            path: format!("{}/qid_{query}_report.md", folders[head.agent.as_str()]),
            query: query.clone(),
        }
    });
    placed.collect()
}

/// The id that the benchmark gave the query, or the task's own.
fn query_id(task: &Task) -> String {
    let own = || task.id.to_string();
    task.file_id().map_or_else(own, |id| bare_id(id).to_owned())
}

/// The grades of each judge that said anything of these reports, by the judge's name.
pub fn judges(store: &Store, placed: &[Placed<'_>], folder: &str) -> Result<Vec<JudgeFiles>> {
    let evaluation = store.last_evaluation()?.unwrap_or_default();
    let record = Graded {
        judgements: store.panel_judgements(&evaluation)?,
        reference: depth::reference(&evaluation),
        placed,
    };
    let mut files = Vec::new();
    for name in evaluation.judges([
        presentation::ITEM,
        coverage::ITEM,
        issues::CONSISTENCY.instrument(),
        issues::ASSOCIATION.instrument(),
        depth::COMPARISON,
    ]) {
        let (provider, model) = name.split_once('/').unwrap_or(("", &name));
        let judge = JudgeName {
            provider: provider.to_owned(),
            model: model.to_owned(),
            file: String::new(),
        };
        let reports = record.reports(&name, &judge, folder)?;
        let recomputed = recompute(&reports, &Known::default());
        let means = Judge::from_recomputed(judge.clone(), &recomputed, Counting::CountBoth);
        if means.means.values().any(|means| !means.is_empty()) {
            let reference = record.reference.as_deref();
            files.push(JudgeFiles {
                summary: SummaryFile::of_judge(&means, reference, placed.len()),
                judge,
                reports,
                means,
            });
        }
    }
    Ok(files)
}

/// The judgements of all judges.
struct Graded<'a> {
    judgements: PanelJudgements<'a>,
    /// The agent with the reference reports.
    reference: Option<String>,
    placed: &'a [Placed<'a>],
}

impl Graded<'_> {
    fn reports(&self, name: &str, judge: &JudgeName, folder: &str) -> Result<ReportsFile> {
        let agents: BTreeSet<&str> = self
            .placed
            .iter()
            .map(|of| of.head.agent.as_str())
            .collect();
        let graded = self.placed.iter().map(|placed| {
            let report = self.report(placed, name, judge, folder)?;
            Ok(Field::Read(Box::new(report)))
        });
        let graded = graded.collect::<Result<Vec<_>>>()?;
        let metadata = Metadata {
            total_reports: (graded.len() as u64).into(),
            total_models: (agents.len() as u64).into(),
            base_path: folder.to_owned().into(),
            ..Metadata::default()
        };
        Ok(ReportsFile {
            metadata: metadata.into(),
            reports: graded.into(),
            ..ReportsFile::default()
        })
    }

    fn report(
        &self,
        placed: &Placed<'_>,
        name: &str,
        judge: &JudgeName,
        folder: &str,
    ) -> Result<Report> {
        let id = placed.head.id.as_str();
        let judgements = &self.judgements;
        let form = presentation::items_by(judgements, id, name)?.map(|items| {
            ChecklistBlock::of_items(judge, Criterion::Presentation, PRESENTATION_ITEMS, &items)
        });
        let (items, of) = coverage::items_by(judgements, placed.task, id, name)?;
        let covered = (!items.is_empty())
            .then(|| ChecklistBlock::of_items(judge, Criterion::Coverage, of, &items));
        let issues = |protocol: &issues::Protocol| -> Result<Option<Box<IssueBlock>>> {
            let found = protocol.issues_by(judgements, id, name)?;
            Ok(found.map(|found| Box::new(IssueBlock::of_issues(judge, found))))
        };
        let depth = match &self.reference {
            Some(reference) if *reference != placed.head.agent => {
                let facts = depth::against(judgements, id, name, reference)?;
                let [first, second] = facts.each_ref().map(Option::as_ref);
                let sides = [placed.head.agent.as_str(), reference.as_str()];
                (first.is_some() || second.is_some())
                    .then(|| DepthBlock::of_comparisons(judge, sides, [first, second]))
            }
            _ => None,
        };
        Ok(Report {
            model_name: placed.head.agent.clone().into(),
            query_id: QueryId::new(&placed.query).into(),
            query: placed.task.text.clone().into(),
            report_file_path: format!("{folder}/{}", placed.path).into(),
            presentation: form.map(Box::new).into(),
            coverage: covered.map(Box::new).into(),
            consistency: issues(&issues::CONSISTENCY)?.into(),
            citation: issues(&issues::ASSOCIATION)?.into(),
            depth: depth.map(Box::new).into(),
            ..Report::default()
        })
    }
}

//! The pages that the reports on each task cite.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use anyhow::Result;

use super::{Case, evaluator::Work, timed};
use crate::{
    context::StageReport,
    data::{AgentReport, Reading, Task, TaskId},
    evidence::{
        pages::{self, CitedPages},
        reading,
    },
};

/// What the reports of a run cite.
pub struct Sources {
    /// What each report cites, in the order of the run's cases.
    readings: Vec<Reading>,
    /// The pages behind it.
    pub pages: CitedPages,
}

/// Reads the reports and fetches what they cite, once for all of them.
pub async fn fetch(work: &Work<'_>) -> Result<(Sources, StageReport)> {
    let started = Instant::now();
    let reports: Vec<_> = work.cases.iter().map(|case| case.report).collect();
    let readings = reading::read(&work.ctx.store, &reports)?;
    let urls = readings
        .iter()
        .flat_map(|reading| reading.urls.iter().take(work.options.most_urls))
        .collect();
    let (pages, report) = pages::fetch(work.ctx, work.pages, &urls, work.now).await?;
    Ok((Sources { readings, pages }, timed(report, started)))
}

/// The cited pages by task and report.
pub struct Library<'a> {
    /// The reports on each task, and the pages that each cites.
    cited: BTreeMap<&'a TaskId, Vec<(Case<'a>, BTreeSet<String>)>>,
}

impl<'a> Library<'a> {
    /// The pages of a run's reports; the first `most_urls` of each count.
    pub fn new(work: &Work<'a>, sources: &Sources) -> Self {
        let mut cited: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (case, reading) in work.cases.iter().zip(&sources.readings) {
            let urls = reading.urls.iter().take(work.options.most_urls);
            let behind = sources.pages.behind(urls);
            cited
                .entry(&case.task.id)
                .or_default()
                .push((*case, behind));
        }
        Self { cited }
    }

    /// The tasks.
    pub fn tasks(&self) -> impl Iterator<Item = &'a Task> {
        self.cited
            .values()
            .filter_map(|cases| Some(cases.first()?.0.task))
    }

    /// The readable pages that some of the reports on a task cite.
    pub fn cited(&self, task: &TaskId, by: impl Fn(&AgentReport) -> bool) -> BTreeSet<&str> {
        let reports = self
            .cited
            .get(task)
            .into_iter()
            .flatten()
            .filter(|(case, _)| by(case.report));
        reports
            .flat_map(|(_, pages)| pages)
            .map(String::as_str)
            .collect()
    }
}

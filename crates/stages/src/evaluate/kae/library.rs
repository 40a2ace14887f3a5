//! The pages that the reports on each task cite.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    data::{AgentReport, Reading, Task, TaskId},
    evaluate::Case,
    evidence::pages::CitedPages,
};

/// The cited pages by task and report.
pub struct Library<'a> {
    /// The reports on each task, and the pages that each cites.
    cited: BTreeMap<&'a TaskId, Vec<(Case<'a>, BTreeSet<String>)>>,
}

impl<'a> Library<'a> {
    /// The pages of these reports; the first `most_urls` of each reading count.
    pub fn new(
        cases: &[Case<'a>],
        readings: &[Reading],
        pages: &CitedPages,
        most_urls: usize,
    ) -> Self {
        let mut cited: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (case, reading) in cases.iter().zip(readings) {
            let behind = pages.behind(reading.urls.iter().take(most_urls));
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

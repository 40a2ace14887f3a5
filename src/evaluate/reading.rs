//! The pages that reports cite, each fetched once for all of them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::Case;
use crate::{
    context::{Context, StageReport},
    data::{AgentReport, Task, TaskId},
    text::citations,
    web::{Page, Pages},
};

/// Pages in flight at once; each host takes fewer.
const AT_ONCE: usize = 16;

/// What was read, and for whom.
pub(super) struct Library<'a> {
    /// The pages by the hash of their bytes.
    pub pages: BTreeMap<String, Page>,
    /// The reports on each task, and the pages that each cites.
    cited: BTreeMap<&'a TaskId, Vec<(Case<'a>, BTreeSet<String>)>>,
}

impl<'a> Library<'a> {
    /// The tasks.
    pub fn tasks(&self) -> impl Iterator<Item = &'a Task> {
        self.cited.values().filter_map(|cases| Some(cases.first()?.0.task))
    }

    /// The readable pages that some of the reports on a task cite.
    pub fn cited(&self, task: &TaskId, by: impl Fn(&AgentReport) -> bool) -> BTreeSet<&str> {
        let reports = self.cited.get(task).into_iter().flatten().filter(|(case, _)| by(case.report));
        reports.flat_map(|(_, pages)| pages).map(String::as_str).collect()
    }
}

/// The distinct URLs that a report cites, canonical.
pub(super) fn urls(text: &str) -> Vec<String> {
    citations::parse(text).urls().into_iter().map(|(url, _)| url.to_owned()).collect()
}

/// Fetches what is not stored yet.
pub(super) async fn read<'a>(
    ctx: &Context,
    pages: &Pages,
    cases: &[Case<'a>],
    now: &str,
) -> Result<(Library<'a>, StageReport)> {
    let mut report = StageReport::new("pages");
    let urls: Vec<Vec<String>> = cases.iter().map(|case| urls(&case.report.text)).collect();
    let wanted: BTreeSet<&String> = urls.iter().flatten().collect();
    let mut library = Library { pages: BTreeMap::new(), cited: BTreeMap::new() };
    // The page behind each URL that gave one.
    let mut behind: BTreeMap<&String, String> = BTreeMap::new();
    let get = async |url: &String| pages.get(&ctx.store, url, now).await;
    for (url, got) in ctx.each(report.stage, wanted, AT_ONCE, get).await? {
        report.count(got.stored);
        match got.page {
            Ok(page) => {
                behind.insert(url, page.content.clone());
                library.pages.insert(page.content.clone(), page);
            }
            // A page that cannot be had is the report's affair: it is counted with its score, and no failure of the run.
            Err(missing) => report.reject(&missing.cause),
        }
    }
    for (case, urls) in cases.iter().zip(&urls) {
        let pages = urls.iter().filter_map(|url| behind.get(url).cloned()).collect();
        library.cited.entry(&case.task.id).or_default().push((*case, pages));
    }
    Ok((library, report))
}

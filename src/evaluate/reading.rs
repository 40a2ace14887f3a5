//! The pages that reports cite, each fetched once for all of them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::Case;
use crate::{
    context::{Context, StageReport},
    data::{Task, TaskId},
    text::citations,
    web::{Page, Pages},
};

/// Pages in flight at once; each host takes fewer.
const AT_ONCE: usize = 16;

/// What was read, and for whom.
pub(super) struct Library<'a> {
    /// The pages by the hash of their bytes.
    pub pages: BTreeMap<String, Page>,
    /// The pages that are cited for each task.
    pub cited: BTreeMap<&'a TaskId, (&'a Task, BTreeSet<String>)>,
    /// The page behind each URL that gave one.
    pub behind: BTreeMap<String, String>,
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
    let wanted: BTreeSet<String> = cases.iter().flat_map(|case| urls(&case.report.text)).collect();
    let mut library = Library { pages: BTreeMap::new(), cited: BTreeMap::new(), behind: BTreeMap::new() };
    let get = async |url: &String| pages.get(&ctx.store, url, now).await;
    for (url, got) in ctx.each(report.stage, &wanted, AT_ONCE, get).await? {
        report.count(got.stored);
        match got.page {
            Ok(page) => {
                library.behind.insert(url.clone(), page.content.clone());
                library.pages.insert(page.content.clone(), page);
            }
            // A page that cannot be had is the report's affair: it is counted with its score, and no failure of the run.
            Err(missing) => report.reject(&missing.cause),
        }
    }
    for case in cases {
        let cited = library.cited.entry(&case.task.id).or_insert_with(|| (case.task, BTreeSet::new()));
        cited.1.extend(urls(&case.report.text).iter().filter_map(|url| library.behind.get(url).cloned()));
    }
    Ok((library, report))
}

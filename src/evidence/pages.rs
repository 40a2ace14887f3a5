//! The pages behind URLs, each fetched once for all reports that cite it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::{
    context::{Context, StageReport},
    web::{Page, Pages},
};

/// Pages in flight at once; each host takes fewer.
const AT_ONCE: usize = 16;

/// The pages that could be had.
#[derive(Debug, Default)]
pub struct CitedPages {
    /// By the hash of their bytes.
    pub pages: BTreeMap<String, Page>,
    /// The hash of the page behind each URL that gave one.
    content_of: BTreeMap<String, String>,
}

impl CitedPages {
    /// The pages behind URLs, by the hash of their bytes.
    pub fn behind<'a>(&self, urls: impl IntoIterator<Item = &'a String>) -> BTreeSet<String> {
        urls.into_iter()
            .filter_map(|url| self.content_of.get(url).cloned())
            .collect()
    }
}

/// Fetches the pages that are not stored yet. A page that cannot be had is counted by its cause and
/// is no failure of the run. `now` is noted with what is fetched.
pub async fn fetch(
    ctx: &Context,
    pages: &Pages,
    urls: &BTreeSet<&String>,
    now: &str,
) -> Result<(CitedPages, StageReport)> {
    let mut report = StageReport::new("pages");
    let mut cited = CitedPages::default();
    let get = async |url: &String| pages.get(&ctx.store, url, now).await;
    let wanted = urls.iter().copied();
    for (url, got) in ctx.each(report.stage, wanted, AT_ONCE, get).await? {
        report.count(got.stored);
        match got.page {
            Ok(page) => {
                cited.content_of.insert(url.clone(), page.content.clone());
                cited.pages.insert(page.content.clone(), page);
            }
            Err(missing) => report.reject(&missing.cause),
        }
    }
    Ok((cited, report))
}

//! Cited pages, each fetched once for all reports that cite it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::{
    context::{Context, StageReport},
    web::Pages,
};

/// Pages in flight at once; each host takes fewer.
const AT_ONCE: usize = 16;

/// The pages with text, by the hash of their bytes. Their texts stay in the store: those of a large
/// evaluation together are gigabytes.
#[derive(Debug, Default)]
pub struct CitedPages {
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
    let get = async |url: &String| {
        let got = pages.get(&ctx.store, url, now).await?;
        anyhow::Ok((got.stored, got.page.map(|page| page.content)))
    };
    let wanted = urls.iter().copied();
    for (url, got) in ctx.each(report.stage, wanted, AT_ONCE, get).await? {
        let (stored, page) = got;
        report.count(stored);
        match page {
            Ok(content) => {
                cited.content_of.insert(url.clone(), content);
            }
            // A page that cannot be read is counted and fails nothing: reports cite dead links.
            Err(missing) => report.reject(&missing.cause),
        }
    }
    Ok((cited, report))
}

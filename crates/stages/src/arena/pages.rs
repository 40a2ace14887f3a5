//! Pages of the web as a match and a crawl see them: fetched once, kept in the store, with the
//! links that may be followed.

use std::cell::Cell;

use anyhow::Result;
use async_trait::async_trait;

use super::trees::links::{ParsedLink, followed};
use crate::{
    data::arena::{Link, Page, PageState},
    store::Store,
    web::Pages,
};

/// Where pages come from that a tree does not have.
#[async_trait(?Send)]
pub trait PageSource {
    /// The page of an address; one that cannot be had says why. The error must stop the run.
    async fn page(&self, url: &str) -> Result<Page>;

    /// Pages so far that could not be had, and that a later run may have.
    fn lacking(&self) -> u64;
}

/// Pages of the web.
pub struct WebPages<'a> {
    /// Where pages are kept.
    pub store: &'a Store,
    /// The fetcher.
    pub pages: &'a Pages,
    /// The moment of this run (RFC 3339), which is stored with each visit.
    pub now: &'a str,
    lacking: Cell<u64>,
}

impl<'a> WebPages<'a> {
    /// Pages of the web, fetched at `now` (RFC 3339) and kept in the store.
    pub fn new(store: &'a Store, pages: &'a Pages, now: &'a str) -> Self {
        Self {
            store,
            pages,
            now,
            lacking: Cell::new(0),
        }
    }
}

#[async_trait(?Send)]
impl PageSource for WebPages<'_> {
    async fn page(&self, url: &str) -> Result<Page> {
        let got = self.pages.get(self.store, url, self.now).await?;
        let page = match got.page {
            Ok(page) => page,
            Err(none) => {
                self.lacking
                    .set(self.lacking.get() + u64::from(none.passing));
                return Ok(Page {
                    state: PageState::Failed(none.cause),
                    ..Page::unvisited(url)
                });
            }
        };
        let found = self.pages.links(self.store, url).await?;
        let links = found.map(|found| -> Vec<Link> {
            let parsed = found.iter().map(|link| ParsedLink {
                url: &link.url,
                anchor: &link.anchor,
                context: &link.context,
            });
            parsed.filter_map(|link| followed(link, url).ok()).collect()
        });
        Ok(Page {
            title: page.title,
            text: Some(page.text),
            state: PageState::Fetched,
            links,
            ..Page::unvisited(url)
        })
    }

    fn lacking(&self) -> u64 {
        self.lacking.get()
    }
}

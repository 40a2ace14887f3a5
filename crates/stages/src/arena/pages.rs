//! Pages of the web as a match and a crawl see them: fetched once, kept in the store, with the links
//! that may be followed.

use anyhow::Result;
use async_trait::async_trait;

use super::{
    play::PageSource,
    trees::links::{ParsedLink, followed},
};
use crate::{
    data::arena::{Link, Page, PageState},
    store::Store,
    web::Pages,
};

/// Pages of the web.
pub struct WebPages<'a> {
    /// Where pages are kept.
    pub store: &'a Store,
    /// The fetcher.
    pub pages: &'a Pages,
    /// The moment of this run (RFC 3339), which is stored with each visit.
    pub now: &'a str,
}

#[async_trait(?Send)]
impl PageSource for WebPages<'_> {
    async fn page(&self, url: &str) -> Result<Page> {
        let got = self.pages.get(self.store, url, self.now).await?;
        let page = match got.page {
            Ok(page) => page,
            Err(none) => {
                return Ok(Page {
                    state: PageState::Failed(none.cause),
                    ..Page::unvisited(url)
                });
            }
        };
        let found = self.pages.links(self.store, url).await?;
        let links: Vec<Link> = found
            .iter()
            .filter_map(|link| {
                let parsed = ParsedLink {
                    url: &link.url,
                    anchor: &link.anchor,
                    context: &link.context,
                };
                followed(parsed, url).ok()
            })
            .collect();
        Ok(Page {
            title: page.title,
            text: Some(page.text),
            state: PageState::Fetched,
            links: Some(links),
            ..Page::unvisited(url)
        })
    }
}

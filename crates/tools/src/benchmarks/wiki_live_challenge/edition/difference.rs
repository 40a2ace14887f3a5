//! The difference between two editions.

use std::collections::BTreeMap;

use serde::Serialize;

use super::manifest::{ArticleEntry, Manifest};

/// How a later edition differs from an earlier one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EditionDifference {
    /// Titles that only the later one has.
    pub new: Vec<String>,
    /// Titles that only the earlier one has.
    pub gone: Vec<String>,
    /// Articles with another revision or another text.
    pub changed: Vec<ChangedArticle>,
    /// Titles of the others.
    pub unchanged: Vec<String>,
}

/// Article that differs between two editions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedArticle {
    /// Title in the later edition.
    pub title: String,
    /// Title in the earlier one, where it was another.
    pub earlier_title: Option<String>,
    /// Revision in the earlier edition.
    pub from: u64,
    /// Revision in the later one; if it is the same, the reading made another text of it.
    pub to: u64,
}

/// The difference between two editions, in the order of the later one and then of the earlier one.
/// Articles are known by their wiki and the id of their page, because a page may get another title.
pub fn difference(earlier: &Manifest, later: &Manifest) -> EditionDifference {
    let is_same_wiki = earlier.api == later.api;
    let ids = |manifest: &Manifest| -> BTreeMap<u64, ArticleEntry> {
        let articles = manifest.articles.iter().filter(|_| is_same_wiki);
        articles
            .map(|article| (article.page_id, article.clone()))
            .collect()
    };
    let (before, after) = (ids(earlier), ids(later));
    let mut found = EditionDifference::default();
    for article in &later.articles {
        let title = article.title.clone();
        match before.get(&article.page_id) {
            None => found.new.push(title),
            Some(old) if old.revision == article.revision && old.sha256 == article.sha256 => {
                found.unchanged.push(title);
            }
            Some(old) => found.changed.push(ChangedArticle {
                earlier_title: Some(old.title.clone()).filter(|old| *old != title),
                title,
                from: old.revision,
                to: article.revision,
            }),
        }
    }
    let gone = earlier.articles.iter();
    let gone = gone.filter(|article| !after.contains_key(&article.page_id));
    found.gone.extend(gone.map(|article| article.title.clone()));
    found
}

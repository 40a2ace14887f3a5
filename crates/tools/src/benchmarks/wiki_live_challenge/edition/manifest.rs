//! The manifest of an edition: what it is of, each article with its revision, and what was left out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Head,
    licence::{Licence, Wiki},
};

/// Name of the manifest in an edition's folder.
pub const MANIFEST: &str = "manifest.json";
/// Version of the manifest's fields.
const FORMAT: u32 = 1;

/// Manifest of an edition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of these fields.
    pub format: u32,
    /// Name of the edition.
    pub name: String,
    /// First moment of the window in which the articles came into being.
    pub since: String,
    /// First moment after it.
    pub until: String,
    /// The moment at which each article is frozen.
    pub as_of: String,
    /// Address of the API that was asked.
    pub api: String,
    /// Name of the wiki.
    pub wiki: String,
    /// Category of good articles.
    pub category: String,
    /// Version of the reading that made texts of pages: the hashes are of its texts.
    pub reading: String,
    /// The most articles that were asked for.
    pub most: usize,
    /// Licence of all texts.
    pub licence: Licence,
    /// The articles, the best first.
    pub articles: Vec<ArticleEntry>,
    /// How many pages were left out, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// The pages that were looked at and left out.
    pub left_out_pages: Vec<LeftOut>,
}

/// Article of an edition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArticleEntry {
    /// Its place in the ranking, from 1.
    pub place: usize,
    /// Title.
    pub title: String,
    /// Stem of its files.
    pub stem: String,
    /// Id of the page.
    pub page_id: u64,
    /// Id of the frozen revision.
    pub revision: u64,
    /// When that was saved.
    pub revised: String,
    /// When the page came into being.
    pub created: String,
    /// When it was put into the category, or sorted anew in it.
    pub added: String,
    /// Distinct addresses that its references cite.
    pub references: u64,
    /// Number of its sections.
    pub sections: u64,
    /// Deepest level of a section.
    pub deepest_section: u64,
    /// Mean rank by which it stands in its place.
    pub mean_rank: f64,
    /// SHA-256 of its text without the title.
    pub sha256: String,
    /// Its address, which no report may use.
    pub url: String,
    /// Address of the frozen revision.
    pub permanent_link: String,
    /// Address of the list of its authors.
    pub history: String,
    /// The line with which its text is passed on.
    pub attribution: String,
}

/// Page that is no article of the edition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftOut {
    /// The reason in one word.
    pub reason: String,
    /// Id of the page.
    pub page_id: u64,
    /// Title.
    pub title: String,
}

impl LeftOut {
    /// A page with the reason.
    pub fn new(page_id: u64, title: &str, reason: &str) -> Self {
        Self {
            reason: reason.to_owned(),
            page_id,
            title: title.to_owned(),
        }
    }
}

/// Why a text is no manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// Its fields are others.
    #[error(
        "{name}: not a manifest of an edition: {error}\nhint: `taskgen wiki collect` writes one"
    )]
    Fields {
        /// Name of the file.
        name: String,
        /// What is wrong.
        error: serde_json::Error,
    },
    /// It is of a later version.
    #[error(
        "{name}: a manifest in format {format}, and this version knows {FORMAT}\nhint: it takes a later version of taskgen"
    )]
    Format {
        /// Name of the file.
        name: String,
        /// Its format.
        format: u32,
    },
}

impl Manifest {
    pub(super) fn new(
        head: &Head,
        wiki: &Wiki,
        licence: Licence,
        articles: Vec<ArticleEntry>,
        left_out: BTreeMap<String, u64>,
        left_out_pages: Vec<LeftOut>,
    ) -> Self {
        let head = head.clone();
        Self {
            format: FORMAT,
            name: head.name,
            since: head.since,
            until: head.until,
            as_of: head.as_of,
            api: wiki.api.clone(),
            wiki: wiki.name.clone(),
            category: head.category,
            reading: head.reading,
            most: head.most,
            licence,
            articles,
            left_out,
            left_out_pages,
        }
    }

    /// Reads a file; `name` is for messages.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, ManifestError> {
        let manifest: Self = serde_json::from_slice(bytes).map_err(|error| {
            let name = name.to_owned();
            ManifestError::Fields { name, error }
        })?;
        if manifest.format > FORMAT {
            let (name, format) = (name.to_owned(), manifest.format);
            return Err(ManifestError::Format { name, format });
        }
        Ok(manifest)
    }

    /// Text of the file.
    pub fn write(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

//! Here are good articles of a wiki, frozen: make an edition of the benchmark of them. Ranks them,
//! writes the benchmark's files and a manifest with each article's revision, licence and authors,
//! and says how two editions differ. Gets articles and gives texts; asks and opens nothing.

mod difference;
mod files;
mod licence;
mod manifest;
mod question;
mod ranking;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::layout::stem_of;
use crate::data::id::sha256_hex;

pub use self::{
    difference::{ChangedArticle, EditionDifference, difference},
    files::EditionFile,
    licence::{Licence, Wiki},
    manifest::{ArticleEntry, LeftOut, MANIFEST, Manifest, ManifestError},
    question::{RubricPart, question},
    ranking::{Measure, Ranked, ranked},
};

/// Bytes that the name of a file may have, the longest ending apart.
const LONGEST_STEM: usize = 255 - "_statements.json.tmp".len();

/// A good article, frozen.
#[derive(Clone, Debug, PartialEq)]
pub struct Gold {
    /// Title.
    pub title: String,
    /// Id of the page.
    pub page_id: u64,
    /// When its first revision was saved, such as `2026-03-01T00:00:00Z`.
    pub created: String,
    /// When it was put into the category of good articles.
    pub added: String,
    /// Id of the frozen revision.
    pub revision: u64,
    /// When that was saved.
    pub revised: String,
    /// Bytes of its wikitext.
    pub bytes: Option<u64>,
    /// Distinct addresses that its references cite.
    pub references: u64,
    /// Distinct addresses on other sites that the page links to.
    pub external_links: u64,
    /// Its sections, as the wiki lists them.
    pub sections: Vec<Value>,
    /// Its text with tables, in Markdown without the title.
    pub text: String,
    /// Its text without tables.
    pub prose: String,
    /// The revision with its wikitext, in the form of the wiki's reply.
    pub revisions: Value,
}

impl Gold {
    /// What it is ranked by.
    pub fn measure(&self) -> Measure {
        let levels = self
            .sections
            .iter()
            .filter_map(|of| of["toclevel"].as_u64());
        Measure {
            references: self.references,
            sections: self.sections.len() as u64,
            deepest: levels.max().unwrap_or_default(),
            page_id: self.page_id,
        }
    }
}

/// What an edition is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its name.
    pub name: String,
    /// First moment of the window.
    pub since: String,
    /// First moment after it.
    pub until: String,
    /// Moment of freezing.
    pub as_of: String,
    /// Category of good articles.
    pub category: String,
    /// Version of the reading that made texts of pages.
    pub reading: String,
    /// The most articles.
    pub most: usize,
}

impl Head {
    /// The usual name of an edition: its window.
    pub fn usual_name(since: &str, until: &str) -> String {
        let day = |moment: &str| moment.split('T').next().unwrap_or_default().to_owned();
        format!("{}_{}", day(since), day(until))
    }
}

/// An edition, as its files.
#[derive(Clone, Debug, PartialEq)]
pub struct Edition {
    /// What it is made of.
    pub manifest: Manifest,
    /// All its files but the manifest.
    pub files: Vec<EditionFile>,
}

/// Makes an edition: the best articles, at most as many as the head says, in the order of
/// [`ranked`]. `left_out` are pages that are no articles of it, and `older` counts those that were
/// never looked at because they are older than the window.
pub fn edition(
    head: &Head,
    wiki: &Wiki,
    gold: &[Gold],
    left_out: Vec<LeftOut>,
    older: u64,
    rubric: &[RubricPart],
) -> Edition {
    let licence = wiki.licence();
    let measures: Vec<Measure> = gold.iter().map(Gold::measure).collect();
    let mut left_out = left_out;
    let mut chosen: Vec<(ArticleEntry, &Gold)> = Vec::new();
    let mut stems = BTreeSet::new();
    for place in ranked(&measures) {
        let (article, measure) = (&gold[place.index], &measures[place.index]);
        let stem = stem_of(&article.title);
        let reason = if chosen.len() >= head.most {
            "below_most"
        } else if !can_be_file(&stem) || stems.contains(&stem.to_lowercase()) {
            "name_of_file"
        } else {
            // Some disks hold two names of different case for one.
            stems.insert(stem.to_lowercase());
            let number = chosen.len() + 1;
            let entry = entry(article, measure, number, place.mean_rank, wiki, &licence);
            chosen.push((entry, article));
            continue;
        };
        left_out.push(LeftOut::new(article.page_id, &article.title, reason));
    }
    left_out.sort();
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for page in &left_out {
        *counts.entry(page.reason.clone()).or_default() += 1;
    }
    if older > 0 {
        *counts.entry("before_window".to_owned()).or_default() += older;
    }
    let files = files::files(head, wiki, &licence, &chosen, rubric);
    let articles = chosen.into_iter().map(|(entry, _)| entry).collect();
    let manifest = Manifest::new(head, wiki, licence, articles, counts, left_out);
    Edition { manifest, files }
}

fn entry(
    article: &Gold,
    measure: &Measure,
    place: usize,
    mean_rank: f64,
    wiki: &Wiki,
    licence: &Licence,
) -> ArticleEntry {
    ArticleEntry {
        place,
        title: article.title.clone(),
        stem: stem_of(&article.title),
        page_id: article.page_id,
        revision: article.revision,
        revised: article.revised.clone(),
        created: article.created.clone(),
        added: article.added.clone(),
        references: measure.references,
        sections: measure.sections,
        deepest_section: measure.deepest,
        mean_rank,
        sha256: sha256_hex(article.text.as_bytes()),
        url: wiki.article(&article.title),
        permanent_link: wiki.permanent_link(article.revision),
        history: wiki.history(article.page_id),
        attribution: wiki.attribution(article, licence),
    }
}

/// Whether a stem can name a file: titles come from a stranger's server.
fn can_be_file(stem: &str) -> bool {
    // Readers of folders pass over hidden files.
    let is_hidden = stem.starts_with('.');
    !stem.is_empty()
        && !is_hidden
        && stem.len() <= LONGEST_STEM
        && !stem.chars().any(char::is_control)
}

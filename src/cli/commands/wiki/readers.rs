//! What the benchmark's own reader and ours make of an agency's articles, side by side.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

use crate::{
    benchmarks::wiki_live_challenge::compat::{
        citations as theirs, loss,
        text::{split_sentences, strip_citations, strip_references},
    },
    citations,
    evidence::{prose, reading},
};

/// Counts of one reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Read {
    /// Sentences, list items and rows.
    pub sentences: usize,
    /// Distinct addresses in each article, added up.
    pub urls: usize,
    /// Characters of articles that stand behind a line which only looks like a list of references,
    /// and are lost.
    pub lost: usize,
    /// Addresses that are cut at a parenthesis.
    pub cut_urls: usize,
}

/// Both readers' counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Readers {
    /// Characters of the articles.
    pub characters: usize,
    /// By the benchmark's reader, written anew to the letter.
    pub compat: Read,
    /// By ours.
    pub ours: Read,
}

impl Readers {
    /// Reads an article in both ways.
    pub fn add(&mut self, text: &str) {
        self.characters += text.chars().count();
        let bare = strip_citations(&strip_references(text));
        let found = theirs::parse(text);
        let urls: BTreeSet<&str> = found.entries.iter().map(|entry| entry.url).collect();
        let cut = loss::cut_urls(text);
        let whole: Vec<String> = cut.iter().filter_map(loss::CutUrl::whole).collect();
        self.compat.sentences += split_sentences(&bare).len();
        self.compat.urls += urls.len();
        self.compat.cut_urls += whole.len();

        let parsed = citations::parse(text);
        let known: BTreeSet<&str> = parsed.urls().into_iter().map(|(url, _)| url).collect();
        self.ours.sentences += reading::sourced(text).len();
        self.ours.urls += known.len();
        let is_whole = |url: &&String| as_ours(url).is_some_and(|url| known.contains(url.as_str()));
        self.ours.cut_urls += whole.iter().filter(|url| !is_whole(url)).count();

        if let Some(lost) = loss::lost_text(text) {
            let lost = text.chars().skip(lost.range.start).take(lost.range.len());
            let lost: String = lost.collect();
            self.compat.lost += lost.chars().count();
            let ours = prose::without_sources(text);
            let ours: HashSet<String> = ours.lines().map(bare_words).collect();
            let lost = prose::without_sources(&lost);
            let mut missing = lost.lines().map(bare_words);
            // It may begin in the middle of a line.
            let first = missing.next().unwrap_or_default();
            if !ours.iter().any(|line| line.ends_with(&first)) {
                self.ours.lost += first.chars().count();
            }
            let missing = missing.filter(|line| !line.is_empty() && !ours.contains(line));
            self.ours.lost += missing.map(|line| line.chars().count()).sum::<usize>();
        }
    }
}

/// A line without marks of citations and white space: in a part of an article marks lead nowhere and
/// stay, which are cut out of the whole.
fn bare_words(line: &str) -> String {
    let line = strip_citations(line);
    line.chars().filter(|c| !c.is_whitespace()).collect()
}

/// An address in the form in which our reader has addresses.
fn as_ours(url: &str) -> Option<String> {
    let alone = format!("See <{url}>.");
    let found = citations::parse(&alone);
    found.urls().first().map(|(url, _)| (*url).to_owned())
}

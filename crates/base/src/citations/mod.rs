//! Citations of a research report: links, numbers, footnotes, authors with years and bare
//! addresses, in any mixture, each with its place, its target and its faults. Hides the notations
//! and the lists of references they point into; deliberately absent is any access to the pages.

mod address;
mod author_year;
mod authors;
mod bare;
mod code;
mod entries;
mod headings;
mod hosts;
mod identifiers;
mod index;
mod links;
mod marks;
mod numbers;
mod openings;
mod places;
mod resolve;

use std::{collections::BTreeMap, ops::Range};

use serde::{Deserialize, Serialize};

use crate::text::steps;

/// How something is cited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// `[text](https://…)`, or `[text][label]` with the address elsewhere.
    Link,
    /// `[1]`, `【1】`, `¹` and their kin.
    Numbered,
    /// `[^1]`.
    Footnote,
    /// `(Smith, 2020)`, `Smith et al. (2020)`, `（王，2020）`.
    AuthorYear,
    /// An address, DOI or arXiv number that stands in the text as it is.
    Bare,
    /// In the list of references and never cited in the text.
    ReferenceOnly,
}

/// A fault of a citation or an entry, or a correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Diagnosis {
    /// The mark has no entry in the list of references.
    DanglingNumber,
    /// No mark in the text leads to the entry.
    UncitedEntry,
    /// There is no address, or one within the report only.
    NoUrl,
    /// The text in an address's place is not an address.
    MalformedUrl,
    /// The address is not of the web: `mailto:`, `data:`, `ftp:` …
    UnsupportedScheme,
    /// The address was cut: `…` or `...` is in it.
    TruncatedUrl,
    /// The address was never filled in or leads to no page: `URL`, `example.com`, `localhost`.
    PlaceholderUrl,
    /// Another entry has the same number.
    DuplicateNumber,
    /// An earlier entry has the same address.
    DuplicateUrl,
    /// Several entries fit the author and the year.
    AmbiguousAuthorYear,
    /// Tracking parameters were taken off the address.
    TrackingRemoved,
    /// The host can only be reached from inside a network.
    PrivateHost,
}

impl Diagnosis {
    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::DanglingNumber => "dangling_number",
            Self::UncitedEntry => "uncited_entry",
            Self::NoUrl => "no_url",
            Self::MalformedUrl => "malformed_url",
            Self::UnsupportedScheme => "unsupported_scheme",
            Self::TruncatedUrl => "truncated_url",
            Self::PlaceholderUrl => "placeholder_url",
            Self::DuplicateNumber => "duplicate_number",
            Self::DuplicateUrl => "duplicate_url",
            Self::AmbiguousAuthorYear => "ambiguous_author_year",
            Self::TrackingRemoved => "tracking_removed",
            Self::PrivateHost => "private_host",
        }
    }
}

/// One citation. Those of one mark, such as `[1, 3]`, share its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// Number, author with year, or the link's text: `1`, `Smith 2020`.
    pub label: Option<String>,
    /// The address as [`crate::text::url::canonical`] spells it; absent where no page can be
    /// fetched from it.
    pub url: Option<String>,
    /// The address as the report has it; absent where there is none, or one too long to be an
    /// address.
    pub raw_url: Option<String>,
    /// Where the mark begins in the report, in Unicode scalar values; for [`Style::ReferenceOnly`]
    /// the entry or the address in it.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// How it is cited.
    pub style: Style,
    /// Its entry's position in [`Citations::references`].
    pub entry: Option<usize>,
    /// In ascending order, each once; a mark that leads to an entry has the entry's.
    pub diagnosis: Vec<Diagnosis>,
}

/// One entry of a list of references, one footnote, or one definition of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Its number or name: `1`, `S2`, `note`.
    pub label: Option<String>,
    /// The entry without its label, as written.
    pub text: String,
    /// Its first address, as [`Citation::url`].
    pub url: Option<String>,
    /// That address as written, as [`Citation::raw_url`].
    pub raw_url: Option<String>,
    /// Where the entry begins in the report, label included, in Unicode scalar values.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// In ascending order, each once.
    pub diagnosis: Vec<Diagnosis>,
}

/// All that a report cites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citations {
    /// In the order of their start; 100,000 at most.
    pub citations: Vec<Citation>,
    /// In the order of the report.
    pub references: Vec<Reference>,
}

impl Citations {
    /// The distinct addresses in the order of their first mention, each with how often the text
    /// cites it: 0 for one that is only listed.
    pub fn urls(&self) -> Vec<(&str, usize)> {
        let mut urls: Vec<(&str, usize)> = Vec::new();
        let mut places = BTreeMap::new();
        for citation in &self.citations {
            let Some(url) = citation.url.as_deref() else {
                continue;
            };
            let place = *places.entry(url).or_insert(urls.len());
            if place == urls.len() {
                urls.push((url, 0));
            }
            urls[place].1 += usize::from(citation.style != Style::ReferenceOnly);
        }
        urls
    }
}

/// A section of references under a heading of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Where its heading begins in the report, in Unicode scalar values.
    pub start: usize,
    /// Where the next section begins, or the report ends.
    pub end: usize,
    /// 1 to 6 as in Markdown, 7 for a heading in bold face, 8 for a plain line.
    pub level: usize,
}

/// The sections of references of a report, in order, with entries or without.
pub fn sections(report: &str) -> Vec<Section> {
    let visible = code::hide(report);
    let lines = lines(&visible);
    let places = places::Places::new(report);
    let place = |line: usize| {
        let byte = lines.get(line).map_or(report.len(), |line| line.start);
        places.character(byte)
    };
    entries::sections(&visible, &lines)
        .into_iter()
        .map(|(section, level)| Section {
            start: place(section.start),
            end: place(section.end),
            level,
        })
        .collect()
}

/// The report with blanks in place of its code, byte for byte as long.
pub fn without_code(report: &str) -> String {
    code::hide(report)
}

/// Reads a report in Markdown. Code is not read, except where the whole report is one fenced block.
pub fn parse(report: &str) -> Citations {
    let visible = code::hide(report);
    let (images, entries): (Vec<_>, Vec<_>) = entries::find(&visible)
        .into_iter()
        .partition(|entry| entry.image);
    let images: Vec<Range<usize>> = images.into_iter().map(|image| image.range).collect();
    let visible = code::blank(&visible, &images);
    let index = index::build(&visible, &entries);
    let marks = marks::scan(&visible, &index);
    resolve::resolve(report, &entries, &index, marks)
}

/// The lines of a text as ranges of bytes, without their line breaks.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let line = start..start + line.len();
            start = line.end;
            line.start..line.end - usize::from(text[line].ends_with('\n'))
        })
        .collect()
}

#[cfg(test)]
mod tests;

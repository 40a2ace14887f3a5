//! Here is an article in the manner of an encyclopedia: which faults of writing can code find in
//! it, and where? Words that praise, judge, hint, comment or go out of date, and a lead that is
//! missing, unsourced or alone with its facts. Hides word lists and their exceptions; what is
//! quoted, named or attributed in the sentence is left alone.
//!
//! A finding is a mark for a reader and no verdict: whether sources bear out a word, code cannot
//! see. What was not checked says why and is never "none found".

mod figures;
mod kind;
mod language;
mod marks;
mod page;
mod pattern;
mod phrases;
mod sentence;
mod structure;

use serde::Serialize;

pub use self::kind::Kind;
use self::page::Page;

/// One fault and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it is a fault of.
    pub kind: Kind,
    /// Where it begins in the article, in Unicode scalar values.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The line it begins on, from 1.
    pub line: usize,
    /// The characters of the article between the two, cut after 200.
    pub words: String,
    /// The fault in one clause, for people.
    pub what: String,
}

/// Why a kind of fault was not looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The article has no running text.
    NoProse,
    /// The word lists are English, the article is not.
    NotEnglish,
    /// Nothing is cited anywhere: marks of citations may have been taken off.
    NoCitations,
    /// There is no heading below the title.
    NoSections,
    /// No text stands before the first section, and no section is a lead.
    NoLead,
    /// There is no title.
    NoTitle,
}

/// The answer for one kind of fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "detail")]
pub enum Outcome {
    /// It was looked for; the faults in the order of the article.
    Checked(Vec<Finding>),
    /// It was not.
    NotChecked(Reason),
}

impl Outcome {
    /// The faults that were found; absent where nobody looked.
    pub fn findings(&self) -> Option<&[Finding]> {
        match self {
            Self::Checked(findings) => Some(findings),
            Self::NotChecked(_) => None,
        }
    }
}

/// What code finds in one article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Article {
    /// Words of its running text: what stands in paragraphs and list items outside of references,
    /// tables and code. A Han character is a word.
    pub words: usize,
    /// In the order of [`Kind::ALL`].
    pub kinds: Vec<(Kind, Outcome)>,
}

impl Article {
    /// The answer for one kind of fault.
    pub fn outcome(&self, kind: Kind) -> &Outcome {
        &self.kinds[kind as usize].1
    }

    /// All faults that were found, in the order of the article.
    pub fn findings(&self) -> Vec<&Finding> {
        let found = self.kinds.iter().filter_map(|(_, of)| of.findings());
        let mut found: Vec<&Finding> = found.flatten().collect();
        found.sort_by_key(|finding| (finding.start, finding.end, finding.kind));
        found
    }

    /// Findings of a kind per 1,000 words of running text; absent where nobody looked.
    pub fn rate(&self, kind: Kind) -> Option<f64> {
        let found = self.outcome(kind).findings()?.len();
        (self.words > 0).then(|| found as f64 * 1_000.0 / self.words as f64)
    }
}

/// Checks an article in Markdown.
pub fn check(article: &str) -> Article {
    let page = Page::read(article);
    let words = page.words();
    let mut kinds: Vec<(Kind, Outcome)> = Vec::new();
    let mut phrases = phrases::check(&page);
    for kind in Kind::ALL {
        let outcome = match () {
            () if words == 0 => Outcome::NotChecked(Reason::NoProse),
            () if kind.is_of_words() => phrases.take(kind),
            () => structure::check(&page, kind),
        };
        kinds.push((kind, outcome));
    }
    let mut found = Article { words, kinds };
    quote(article, &mut found);
    found
}

/// Most characters of an article that a finding repeats.
const LONGEST_QUOTE: usize = 200;

/// Fills in the article's own characters: the page's are changed here and there.
fn quote(article: &str, found: &mut Article) {
    let chars: Vec<char> = article.chars().collect();
    for (_, outcome) in &mut found.kinds {
        let Outcome::Checked(findings) = outcome else {
            continue;
        };
        for finding in findings {
            let end = finding.end.min(finding.start + LONGEST_QUOTE);
            finding.words = chars[finding.start..end].iter().collect();
        }
    }
}

#[cfg(test)]
mod tests;

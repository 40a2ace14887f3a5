//! The test of leaks: a question must not name what it asks about, by title, name or address, nor
//! in disguise. Pages are to be found by reasoning from what the question leads through; a question
//! that names them asks for a look-up.
//!
//! Found in a question, without regard to case, accents, width, invisible characters, look-alike
//! letters, traditional or simplified script, and spaces, hyphens or dots inside words:
//! - a title, a part of it between the marks that sites use, a name before a parenthesis, the end
//!   of an address;
//! - two words or more of such a name that are seven in ten of those that carry meaning, in their
//!   order, or all of them near each other in any order;
//! - a word of such a name that general language hardly uses; three Han characters in a row that
//!   are three in five of a Chinese name;
//! - a host, with its dots, spelled out (`example dot com`) or as punycode, and the name of a site.
//!
//! Words of the pages that the question may lead through are no leak unless they are a target's
//! whole name. Not found: a description, a translation, an abbreviation that no title has.

mod folded;
mod names;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use folded::{Folded, stem};
use names::{Name, Of, is_language, is_telling};

use crate::{
    data::NodeId,
    text::{punycode, words::is_han},
};

/// Characters of a question that are read; a longer one breaks another rule.
const MOST_CHARACTERS: usize = 20_000;
/// Words that spell out an address.
const SPELLED: &[&str] = &["dot", "point", "punkt", "slash", "colon", "点", "點"];
/// Share of a name's words that stand for it.
const SHARE: f64 = 0.7;
/// The same of a name in Han characters.
const HAN_SHARE: f64 = 0.6;
/// Han characters that stand for a name.
const LEAST_HAN: usize = 3;
/// Words that may stand among those of a name.
const APART: usize = 2;

/// A page that a question must not name.
#[derive(Clone, Copy, Debug)]
pub struct Hidden<'a> {
    /// The page.
    pub node: &'a NodeId,
    /// Its title.
    pub title: Option<&'a str>,
    /// Its address.
    pub url: &'a str,
    /// Other names of what it is about, where they are known.
    pub names: &'a [&'a str],
}

/// How a question gives a page away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeakKind {
    /// By its whole name.
    Name,
    /// By most of its name.
    Part,
    /// By all words of its name in another order.
    Reordered,
    /// By one telling word of its name.
    Word,
    /// By the end of its address.
    Address,
    /// By its host, or the name of its site.
    Host,
}

impl LeakKind {
    /// The kind in words, for messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Name => "its name",
            Self::Part => "most of its name",
            Self::Reordered => "all words of its name",
            Self::Word => "a telling word of its name",
            Self::Address => "the end of its address",
            Self::Host => "its site",
        }
    }
}

/// A leak of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// The page that is given away.
    pub node: NodeId,
    /// How.
    pub kind: LeakKind,
    /// The name, or the part of it.
    pub found: String,
}

/// What a question says of pages that it must not name: for each page the first kind of leak.
/// `known` are the titles of the pages that it may lead through.
pub fn leaks(question: &str, hidden: &[Hidden<'_>], known: &[&str]) -> Vec<Leak> {
    let question: String = question.chars().take(MOST_CHARACTERS).collect();
    let question = Question::new(&question, known);
    let found = hidden.iter().filter_map(|page| {
        let (kind, found) = question.leak(page)?;
        Some(Leak {
            node: page.node.clone(),
            kind,
            found,
        })
    });
    found.collect()
}

struct Question {
    text: Folded,
    /// The same with words mended that were cut up.
    mended: Folded,
    /// The same without words that spell out an address.
    unspelled: Folded,
    /// Words as they stand, for names of two letters.
    written: BTreeSet<String>,
    /// Pieces that the question may have from the pages that it leads through.
    known: BTreeSet<String>,
    /// Those pages' titles.
    titles: Vec<Folded>,
}

impl Question {
    fn new(question: &str, known: &[&str]) -> Self {
        let letters = names::percent_decoded(&punycode::decode_all(question));
        let text = Folded::new(&letters);
        let pieces = text.pieces.iter();
        let unspelled = pieces.filter(|piece| !SPELLED.contains(&piece.as_str()));
        let titles: Vec<Folded> = known.iter().map(|title| Folded::new(title)).collect();
        let known = titles.iter().flat_map(|title| &title.pieces);
        let words = question.split(|c: char| !c.is_alphanumeric());
        Self {
            unspelled: Folded::of(unspelled.cloned().collect()),
            mended: Folded::mended(&letters),
            written: words.map(str::to_owned).collect(),
            known: known.map(|piece| stem(piece).to_owned()).collect(),
            titles,
            text,
        }
    }

    fn leak(&self, page: &Hidden<'_>) -> Option<(LeakKind, String)> {
        let names = names::names(page.title, page.url, page.names);
        let whole = |name: &&Name| self.holds_whole(name);
        if let Some(name) = names.iter().find(whole) {
            let kind = match name.of {
                Of::Page | Of::Part => LeakKind::Name,
                Of::Address => LeakKind::Address,
            };
            return Some((kind, name.written.clone()));
        }
        let host = self.host(page.url).map(|site| (LeakKind::Host, site));
        host.or_else(|| names.iter().find_map(|name| self.part(name)))
    }

    /// Whether the question has a whole name.
    fn holds_whole(&self, name: &Name) -> bool {
        let joined = name.folded.joined();
        let characters = joined.chars().count();
        let pieces = &name.folded.pieces;
        if !joined.chars().any(is_han) && characters <= 2 {
            // `Go` and `AI` are names as they are written, and other words elsewhere.
            return name.written != name.written.to_lowercase()
                && self.written.contains(name.written.trim());
        }
        if characters < 2 {
            return false;
        }
        // A common word alone is a name where it is the page's own, not its site's or address's.
        let own = name.of == Of::Page;
        let common = pieces.len() == 1 && !is_telling(joined) && !joined.chars().any(is_han);
        if !own && (common || self.is_known(name)) {
            return false;
        }
        if common {
            return self.has_piece(joined);
        }
        self.text.holds(joined) || self.unspelled.holds(joined)
    }

    fn has_piece(&self, word: &str) -> bool {
        self.text.has_piece(word) || self.mended.has_piece(word)
    }

    fn has_together(&self, words: &[&str], apart: usize) -> bool {
        self.text.has_together(words, apart) || self.mended.has_together(words, apart)
    }

    /// Whether the pages that the question leads through have the name in their titles.
    fn is_known(&self, name: &Name) -> bool {
        let titles = self.titles.iter();
        titles
            .into_iter()
            .any(|title| title.holds(name.folded.joined()))
    }

    fn host(&self, address: &str) -> Option<String> {
        let (host, sites) = names::host(address)?;
        if self.unspelled.holds(host.joined()) || self.text.holds(host.joined()) {
            return Some(host.pieces.join("."));
        }
        sites.into_iter().find(|site| {
            // `videogames` is a site, `video games` are not.
            let found = if is_language(site) {
                self.has_piece(site)
            } else {
                self.text.holds(site)
            };
            found && !self.known.contains(stem(site))
        })
    }

    /// Whether the question has enough of a name.
    fn part(&self, name: &Name) -> Option<(LeakKind, String)> {
        if name.of == Of::Part && self.is_known(name) {
            return None;
        }
        let content = name.content();
        let unknown = |at: &&usize| !self.known.contains(stem(&name.folded.pieces[**at]));
        let unknown: Vec<usize> = content.iter().filter(unknown).copied().collect();
        if let Some(run) = self.run(name, &content, &unknown) {
            return Some((LeakKind::Part, run));
        }
        let words = |places: &[usize]| -> Vec<&str> {
            let pieces = places.iter().map(|at| name.folded.pieces[*at].as_str());
            pieces.collect()
        };
        let (all, unknown) = (words(&content), words(&unknown));
        let near = all.len() > 2 || unknown.iter().any(|word| is_telling(word));
        let apart = if near { APART } else { 0 };
        if all.len() >= 2 && !unknown.is_empty() && self.has_together(&all, apart) {
            return Some((LeakKind::Reordered, all.join(" ")));
        }
        let word = unknown.iter().find(|word| {
            is_telling(word)
                && if is_language(word) {
                    self.has_piece(word)
                } else {
                    self.text.holds(word)
                }
        });
        if let Some(word) = word {
            return Some((LeakKind::Word, (*word).to_owned()));
        }
        let runs = name.han().into_iter();
        runs.into_iter()
            .find_map(|run| self.han_run(&run))
            .map(|part| (LeakKind::Part, part))
    }

    /// The run of words of a name in the question that stands for it, with or without the words of
    /// grammar among them.
    fn run(&self, name: &Name, content: &[usize], unknown: &[usize]) -> Option<String> {
        let least = ((content.len() as f64 * SHARE).ceil() as usize).max(2);
        if unknown.len() < 2 {
            return None;
        }
        let pieces = &name.folded.pieces;
        let mut runs = content.windows(least);
        let found = runs.find(|run| {
            let bare: String = run.iter().map(|at| pieces[*at].as_str()).collect();
            let whole = pieces[run[0]..=run[least - 1]].concat();
            let telling = run.iter().any(|at| unknown.contains(at));
            telling && (self.text.holds(&bare) || self.text.holds(&whole))
        })?;
        Some(pieces[found[0]..=found[least - 1]].join(" "))
    }

    /// The run of Han characters of a name in the question that stands for it.
    fn han_run(&self, run: &str) -> Option<String> {
        let chars: Vec<char> = run.chars().collect();
        let least = ((chars.len() as f64 * HAN_SHARE).ceil() as usize).max(LEAST_HAN);
        let mut parts = chars
            .windows(least)
            .map(|part| part.iter().collect::<String>());
        let unknown = |part: &String| !self.titles.iter().any(|title| title.holds(part));
        parts.find(|part| unknown(part) && self.text.holds(part))
    }
}

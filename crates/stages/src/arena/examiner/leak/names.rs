//! The names of a page: its title and the parts of it, what its address says, and its site.

use super::folded::{Folded, stem};
use crate::text::{
    lexicon::{is_word, rate},
    punycode, url,
    words::{is_content_word, is_han},
};

/// Names of a page at most; a title in more parts is no name of anything.
const MOST_NAMES: usize = 24;
/// Characters of a title or an address that are read.
const MOST_CHARACTERS: usize = 400;
/// Uses of a word in a million at which it may stand in any question.
const COMMON: f64 = 1e-6;
/// Letters of a word that may give a page away by itself.
const LEAST_LETTERS: usize = 4;

/// Titles and parts of addresses that name nothing.
const GENERIC: &[&str] = &[
    "about",
    "article",
    "articles",
    "blog",
    "category",
    "contact",
    "default",
    "disambiguation",
    "home",
    "homepage",
    "index",
    "introduction",
    "list",
    "main",
    "main page",
    "news",
    "overview",
    "page",
    "pages",
    "search",
    "welcome",
    "wiki",
    "首页",
    "主页",
    "简介",
    "概述",
];
/// Labels of hosts that name no site.
const HOST_PARTS: &[&str] = &[
    "ac", "blog", "co", "com", "de", "edu", "en", "go", "gov", "info", "int", "io", "m", "mobile",
    "net", "ne", "or", "org", "uk", "wiki", "www", "zh",
];

/// Beginnings of titles that say what is told of a thing, before `of` the thing.
const HEADS: &[&str] = &[
    "culture",
    "economy",
    "geography",
    "history",
    "index",
    "kinds",
    "list",
    "outline",
    "politics",
    "timeline",
    "types",
    "varieties",
];

/// The same of Chinese titles, behind the thing.
const TAILS: &[&str] = &[
    "的历史",
    "的歷史",
    "的文化",
    "的经济",
    "的經濟",
    "的种类",
    "的種類",
    "列表",
    "概述",
    "简史",
    "簡史",
];

/// Places, peoples and languages that a question may name although they stand in a title. The word
/// list has no proper names, so that each other one is telling. Sorted.
const PLACES: &[&str] = &[
    "africa",
    "african",
    "america",
    "american",
    "amsterdam",
    "arab",
    "arabic",
    "argentina",
    "asia",
    "asian",
    "athens",
    "australia",
    "australian",
    "austria",
    "austrian",
    "beijing",
    "belgium",
    "berlin",
    "boston",
    "brazil",
    "britain",
    "british",
    "california",
    "canada",
    "canadian",
    "chicago",
    "china",
    "chinese",
    "christian",
    "denmark",
    "dutch",
    "egypt",
    "egyptian",
    "england",
    "english",
    "europe",
    "european",
    "finland",
    "florida",
    "france",
    "french",
    "german",
    "germany",
    "greece",
    "greek",
    "holland",
    "hungary",
    "india",
    "indian",
    "ireland",
    "irish",
    "israel",
    "italian",
    "italy",
    "japan",
    "japanese",
    "jewish",
    "kingdom",
    "korea",
    "korean",
    "latin",
    "london",
    "madrid",
    "mexican",
    "mexico",
    "moscow",
    "netherlands",
    "norway",
    "norwegian",
    "paris",
    "poland",
    "polish",
    "portugal",
    "portuguese",
    "roman",
    "rome",
    "russia",
    "russian",
    "scotland",
    "scottish",
    "shanghai",
    "spain",
    "spanish",
    "states",
    "sweden",
    "swedish",
    "swiss",
    "switzerland",
    "sydney",
    "texas",
    "tokyo",
    "turkey",
    "turkish",
    "united",
    "vienna",
    "wales",
    "washington",
    "york",
    "zealand",
];

/// Where a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    /// The title, its first part, or a name that the caller knows.
    Page,
    /// Another part of the title, which is the site's more often than not, or the thing that a list
    /// or a history is about, which is the page's above.
    Part,
    /// The end of the address.
    Address,
}

/// A name of a page.
#[derive(Clone, Debug)]
pub struct Name {
    /// Where it stands.
    pub of: Of,
    /// It, as it was written.
    pub written: String,
    /// It, in pieces.
    pub folded: Folded,
}

impl Name {
    fn new(of: Of, written: &str) -> Option<Self> {
        let written: String = written.trim().chars().take(MOST_CHARACTERS).collect();
        let folded = Folded::new(&written);
        let said = folded.pieces.join(" ");
        let generic = GENERIC.contains(&&*said) || GENERIC.contains(&folded.joined());
        let letters = folded.joined().chars().any(char::is_alphabetic);
        (letters && !generic).then_some(Self {
            of,
            written,
            folded,
        })
    }

    /// The places of the pieces that carry meaning, without numbers and Han characters.
    pub fn content(&self) -> Vec<usize> {
        let pieces = self.folded.pieces.iter().enumerate();
        pieces
            .filter(|(_, piece)| piece.chars().all(|c| c.is_alphabetic() && !is_han(c)))
            .filter(|(_, piece)| is_content_word(piece) && !GENERIC.contains(&piece.as_str()))
            .map(|(at, _)| at)
            .collect()
    }

    /// Runs of Han characters.
    pub fn han(&self) -> Vec<String> {
        let mut runs = vec![String::new()];
        for piece in &self.folded.pieces {
            match runs.last_mut() {
                Some(run) if piece.chars().all(is_han) => run.push_str(piece),
                _ => runs.push(String::new()),
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }
}

/// Whether a word gives a page away by itself: a name, or a word that few texts use.
pub fn is_telling(word: &str) -> bool {
    word.chars().count() >= LEAST_LETTERS
        && word.chars().all(char::is_alphabetic)
        && PLACES.binary_search(&word).is_err()
        && rate(word) < COMMON
        && rate(stem(word)) < COMMON
}

/// Whether a word is one of the general language, or made of two.
pub fn is_language(word: &str) -> bool {
    is_word(word)
}

/// The names of a page.
pub fn names(title: Option<&str>, address: &str, others: &[&str]) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    let mut add = |of: Of, written: &str| {
        let Some(name) = Name::new(of, written) else {
            return;
        };
        let known = |other: &Name| other.folded.joined() == name.folded.joined();
        if names.len() < MOST_NAMES && !names.iter().any(known) {
            names.push(name);
        }
    };
    for title in title.into_iter().chain(others.iter().copied()) {
        let title: String = title.chars().take(MOST_CHARACTERS).collect();
        add(Of::Page, &title);
        for (at, part) in parts(&title).into_iter().enumerate() {
            let of = if at == 0 { Of::Page } else { Of::Part };
            add(of, part);
            // `Mercury (planet)` is called `Mercury`.
            if let Some((name, _)) = part.split_once(['(', '（']) {
                add(of, name);
            }
            if let Some(thing) = thing(part) {
                add(Of::Part, thing);
            }
        }
    }
    if let Some(end) = end_of_path(address) {
        add(Of::Address, &end);
    }
    names
}

/// What `History of glass` is about.
fn thing(title: &str) -> Option<&str> {
    let title = title.trim();
    if let Some(thing) = TAILS.iter().find_map(|tail| title.strip_suffix(tail)) {
        return Some(thing);
    }
    let (head, thing) = title.split_once(" of ")?;
    let head = head.to_lowercase();
    let thing = thing.strip_prefix("the ").unwrap_or(thing);
    HEADS.contains(&&*head).then_some(thing)
}

/// The parts of a title, as sites put them together.
fn parts(title: &str) -> Vec<&str> {
    const MARKS: [&str; 9] = [" - ", " – ", " — ", "|", "｜", " · ", " :: ", "»", "_"];
    let mut parts = vec![title];
    for mark in MARKS {
        parts = parts
            .into_iter()
            .flat_map(|part| part.split(mark))
            .collect();
    }
    parts
}

/// The last part of an address's path that has letters, as words.
fn end_of_path(address: &str) -> Option<String> {
    let address: String = address.chars().take(MOST_CHARACTERS).collect();
    let rest = address
        .split_once("://")
        .map_or(&*address, |(_, rest)| rest);
    let path = rest.split(['?', '#']).next()?;
    let steps = path.split('/').skip(1).filter(|step| !step.is_empty());
    let last = percent_decoded(steps.last()?);
    let stem = last.rsplit_once('.').map_or(&*last, |(stem, end)| {
        let extension =
            (2..=5).contains(&end.len()) && end.chars().all(|c| c.is_ascii_alphanumeric());
        if extension { stem } else { &last }
    });
    let words = stem.replace(['_', '-', '+'], " ");
    let (name, _) = words.split_once('(').unwrap_or((&words, ""));
    Some(name.trim().to_owned())
}

/// The text with percent-encoded bytes decoded.
pub fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).filter(|_| *byte == b'%');
        let digits = digits.and_then(|digits| str::from_utf8(digits).ok());
        let decoded = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(decoded.unwrap_or(*byte));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The host of a page in its letters, in pieces without the dots, and those of its labels that name
/// the site.
pub fn host(address: &str) -> Option<(Folded, Vec<String>)> {
    let host = url::host(address)?;
    if host.parse::<std::net::IpAddr>().is_ok() || host.starts_with('[') {
        return None;
    }
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let letters = punycode::decode_all(host);
    let labels: Vec<&str> = letters.split('.').collect();
    let sites = labels[..labels.len().saturating_sub(1)].iter();
    let sites = sites
        .filter(|label| !HOST_PARTS.contains(label))
        .map(|label| Folded::new(label).joined().to_owned())
        .filter(|label| label.chars().count() >= LEAST_LETTERS && rate(label) < COMMON);
    Some((Folded::new(&letters), sites.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_addresses_give_names() {
        assert!(PLACES.is_sorted());
        let end = |address| end_of_path(address);
        assert_eq!(
            end("https://a.test/x/Lux_(song)?y=1").as_deref(),
            Some("Lux")
        );
        assert_eq!(
            end("https://a.test/x/wooden-toys.html").as_deref(),
            Some("wooden toys")
        );
        assert_eq!(end("https://a.test/%E5%9C%9F/").as_deref(), Some("土"));
        assert_eq!(end("https://a.test/"), None);
        assert_eq!(percent_decoded("100%, %zz%"), "100%, %zz%");
    }
}

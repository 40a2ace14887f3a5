//! Articles that are not their writer's own: statements that cite the Wikipedia page which the
//! article is compared with, or any other, and passages that stand in that page word for word.
//!
//! The first is what Wiki Live Challenge's paper filters by; it misses copies without a citation.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization as _;
use unicode_segmentation::UnicodeSegmentation as _;
use url::Url;

use crate::text::words::fold;

/// Words in a row that make a passage.
pub const GRAM: usize = 8;

/// The most bytes of an address.
const MOST_BYTES: usize = 8_192;

/// Characters that no title of a page has; what follows one is not the address's.
const NOT_IN_TITLES: [char; 8] = ['#', '<', '>', '[', ']', '{', '}', '|'];

/// A page of Wikipedia.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WikiPage {
    /// Code of the edition, `en`; empty for addresses without one.
    pub edition: String,
    /// Title with spaces and a capital first letter; empty for an edition's front door.
    pub title: String,
}

impl WikiPage {
    /// The page behind an address, in whatever spelling: with or without a scheme, `www`, the host
    /// for telephones, percent-encoding, a fragment, underscores, backslashes of Markdown. None for
    /// addresses elsewhere.
    pub fn at(address: &str) -> Option<Self> {
        let url = web(address)?;
        let host = url.host_str()?.trim_end_matches('.');
        let edition = host.strip_suffix("wikipedia.org")?;
        if !edition.is_empty() && !edition.ends_with('.') {
            return None;
        }
        let edition = edition
            .split('.')
            .find(|label| !matches!(*label, "" | "www" | "m"));
        Some(Self {
            edition: edition.unwrap_or_default().to_owned(),
            title: title(&url),
        })
    }

    /// Whether an address that lost its last parenthesis led here: `Lux_(song` to `Lux_(song)`.
    fn is_rest_of(&self, cut: &Self) -> bool {
        let title = cut.title.trim_end();
        let mended = self.title.strip_suffix(')');
        self.edition == cut.edition && title.contains('(') && mended == Some(title)
    }
}

/// The address as a parsed URL; one without a scheme counts as `https`.
fn web(address: &str) -> Option<Url> {
    if address.len() > MOST_BYTES {
        return None;
    }
    let plain = without_backslashes(address.trim());
    let rest = plain.split_once("://").map_or(&*plain, |(_, rest)| rest);
    Url::parse(&format!("https://{}", rest.trim_start_matches('/'))).ok()
}

/// Markdown's backslashes would be slashes to a browser.
fn without_backslashes(address: &str) -> String {
    address.replace('\\', "")
}

/// The title in a path (`/wiki/Lux`, `/zh-tw/Lux`) or a query (`?title=Lux`).
fn title(url: &Url) -> String {
    let in_query = url.query_pairs().find(|(name, _)| name == "title");
    let raw = in_query.map_or_else(|| in_path(url), |(_, title)| title.into_owned());
    let end = raw.find(NOT_IN_TITLES).unwrap_or(raw.len());
    let spaced = raw[..end].replace('_', " ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let title: String = words.join(" ").nfc().collect();
    let mut chars = title.chars();
    let first = chars.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(chars).collect()
}

/// What follows the first part of a path.
fn in_path(url: &Url) -> String {
    let path = url.path().trim_start_matches('/');
    decoded(path.split_once('/').map_or("", |(_, title)| title))
}

/// The text behind percent-encoding.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let hex = more.get(..2).filter(|_| *first == b'%');
        if let Some(byte) = hex.and_then(byte) {
            bytes.push(byte);
            rest = &more[2..];
        } else {
            bytes.push(*first);
            rest = more;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The byte behind two hexadecimal digits.
fn byte(hex: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(hex).ok()?;
    let plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    plain.then(|| u8::from_str_radix(digits, 16).ok())?
}

/// Where addresses lead, seen from the page that an article is compared with; the nearest last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// Not to Wikipedia.
    #[default]
    Elsewhere,
    /// To another page of Wikipedia.
    Wikipedia,
    /// To that page, once a parenthesis is put back that the address lost.
    CutTarget,
    /// To that page.
    Target,
}

/// How near an address is to a page.
pub fn nearness(address: &str, target: &WikiPage) -> Nearness {
    match WikiPage::at(address) {
        None => Nearness::Elsewhere,
        Some(page) if page == *target => Nearness::Target,
        Some(page) if target.is_rest_of(&page) => Nearness::CutTarget,
        Some(_) => Nearness::Wikipedia,
    }
}

/// How near a statement's nearest address is to a page.
pub fn nearest<'a>(addresses: impl IntoIterator<Item = &'a str>, target: &WikiPage) -> Nearness {
    let all = addresses.into_iter();
    all.map(|address| nearness(address, target))
        .max()
        .unwrap_or_default()
}

/// Statements, counted by what they cite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leakage {
    /// All statements, those without a citation, too.
    pub statements: usize,
    /// Citing the page that the article is compared with.
    pub target: usize,
    /// Citing it by an address that lost a parenthesis, and not otherwise.
    pub cut_target: usize,
    /// Citing Wikipedia at all, the two above included.
    pub wikipedia: usize,
}

impl Leakage {
    /// The count with one more statement.
    pub fn add(&mut self, nearness: Nearness) {
        self.statements += 1;
        self.target += usize::from(nearness == Nearness::Target);
        self.cut_target += usize::from(nearness == Nearness::CutTarget);
        self.wikipedia += usize::from(nearness >= Nearness::Wikipedia);
    }

    /// Share of a count of the statements, none without statements.
    pub fn share(&self, count: usize) -> Option<f64> {
        (self.statements > 0).then(|| count as f64 / self.statements as f64)
    }
}

/// Passages of a text, counted by whether they stand in another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copying {
    /// All passages, repeated ones each time.
    pub passages: usize,
    /// Those that the other text has, too.
    pub copied: usize,
}

impl Copying {
    /// Share of the passages that are copied, none for a text too short to have one.
    pub fn share(self) -> Option<f64> {
        (self.passages > 0).then(|| self.copied as f64 / self.passages as f64)
    }
}

/// An article that others are compared with: its passages of [`GRAM`] words as Unicode parts them,
/// each Han character a word. Case, width, Chinese script and punctuation do not count.
pub struct Original {
    words: HashMap<String, u32>,
    passages: HashSet<[u32; GRAM]>,
}

impl Original {
    /// The passages of an article.
    pub fn of(article: &str) -> Self {
        let mut words = HashMap::new();
        let mut numbers = Vec::new();
        for word in fold(article).unicode_words() {
            let next = u32::try_from(words.len()).unwrap_or(u32::MAX);
            numbers.push(*words.entry(word.to_owned()).or_insert(next));
        }
        let passages = numbers.array_windows().copied().collect();
        Self { words, passages }
    }

    /// How much of a text stands in the article.
    pub fn copying(&self, text: &str) -> Copying {
        let folded = fold(text);
        // A word that the article does not have is in none of its passages.
        let numbers: Vec<u32> = folded
            .unicode_words()
            .map(|word| self.words.get(word).copied().unwrap_or(u32::MAX))
            .collect();
        let passages = numbers.array_windows::<GRAM>();
        Copying {
            passages: passages.len(),
            copied: passages.filter(|p| self.passages.contains(*p)).count(),
        }
    }
}

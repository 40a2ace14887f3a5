//! A sentence as words with what stands between them. Hides who is quoted, who is named, and who
//! holds the opinion that is told.

use std::ops::Range;

use super::page::{Block, Page};
use crate::text::{months::MONTHS, sentences, steps, words::is_content_word};

/// What stands before a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// Blanks.
    Space,
    Comma,
    /// Any other mark, or the beginning of the sentence.
    Stop,
}

/// A word.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub range: Range<usize>,
    /// In lower case; `#` for a figure.
    pub key: String,
    pub gap: Gap,
    /// Whether it begins with a capital.
    pub capital: bool,
    /// Whether it is another writer's or of a title.
    pub quoted: bool,
}

/// A sentence.
pub(super) struct Sentence {
    pub words: Vec<Word>,
    /// The word after which opinions have an owner.
    pub attributed_from: Option<usize>,
    /// Whether it says as of when it holds.
    pub dated: bool,
    /// Whether it is told in the present: in the past, what is upcoming is long over.
    pub present: bool,
}

/// Verbs by which an opinion gets an owner.
const OPINION: &[&str] = &[
    "acknowledged",
    "argue",
    "argued",
    "argues",
    "arguing",
    "believed",
    "believes",
    "called",
    "calling",
    "calls",
    "characterised",
    "characterized",
    "cited",
    "cites",
    "commended",
    "commends",
    "commented",
    "compared",
    "complimented",
    "concluded",
    "concluding",
    "considered",
    "considers",
    "credited",
    "credits",
    "criticised",
    "criticized",
    "declared",
    "deemed",
    "deems",
    "described",
    "describes",
    "describing",
    "dubbed",
    "felt",
    "finds",
    "found",
    "hailed",
    "hails",
    "highlighted",
    "judged",
    "labeled",
    "labelled",
    "labels",
    "lauded",
    "lauds",
    "likened",
    "listed",
    "lists",
    "named",
    "noted",
    "notes",
    "noting",
    "observed",
    "observes",
    "opined",
    "opining",
    "praised",
    "praises",
    "praising",
    "proclaimed",
    "ranked",
    "ranks",
    "rated",
    "recalled",
    "recalls",
    "recognised",
    "recognized",
    "reflected",
    "regarded",
    "remarked",
    "said",
    "saw",
    "saying",
    "says",
    "singled",
    "stated",
    "states",
    "suggested",
    "suggesting",
    "suggests",
    "thinks",
    "thought",
    "viewed",
    "views",
    "voted",
    "writes",
    "writing",
    "wrote",
];
const BE: &[&str] = &["are", "be", "been", "being", "is", "was", "were"];
/// Words before a subject and its verb that a name may stand within.
const NEAR: usize = 14;
const AUXILIARY: usize = 3;

/// The sentences of a block.
pub(super) fn sentences(page: &Page, block: &Block) -> Vec<Sentence> {
    let text = page.text(block.range.clone());
    let start = block.range.start;
    sentences::split(&text)
        .into_iter()
        .map(|range| Sentence::read(page, start + range.start..start + range.end))
        .collect()
}

impl Sentence {
    fn read(page: &Page, range: Range<usize>) -> Self {
        steps::add(range.len());
        let words = words(page, range);
        Self {
            attributed_from: attributed_from(&words),
            dated: is_dated(&words),
            present: is_present(&words),
            words,
        }
    }

    /// The mark behind a word.
    pub(super) fn gap_after(&self, at: usize) -> Gap {
        self.words.get(at + 1).map_or(Gap::Stop, |word| word.gap)
    }

    /// Whether a clause begins with a word.
    pub(super) fn begins_clause(&self, at: usize) -> bool {
        const JOINED: &[&str] = &[
            "although", "and", "as", "because", "but", "since", "that", "though", "whereas",
            "while", "yet",
        ];
        let joined = || JOINED.contains(&self.words[at - 1].key.as_str());
        self.words[at].gap != Gap::Space || at == 0 || joined()
    }

    /// Whether a word is a name or a part of one.
    pub(super) fn is_name(&self, at: usize) -> bool {
        let word = &self.words[at];
        if !word.capital {
            return false;
        }
        let next = self.words.get(at + 1);
        let goes_on = next.is_some_and(|next| next.capital && next.gap == Gap::Space);
        // An adverb may open a sentence about anybody: "Currently Ines Holm …".
        let opens = word.gap == Gap::Stop;
        !opens || (goes_on && !word.key.ends_with("ly"))
    }

    /// Whether a person or body is named behind a word: `by the engineer Holm`.
    pub(super) fn has_agent(&self, from: usize) -> bool {
        let rest = &self.words[from.min(self.words.len())..];
        rest.iter()
            .take(NEAR)
            .zip(rest.iter().skip(1))
            .any(|(by, next)| {
                let nobody = NOBODY.contains(&next.key.as_str()) || next.key.ends_with("ing");
                by.key == "by" && !nobody && !MONTHS.contains(&next.key.as_str())
            })
    }
}

/// Words behind `by` that name nobody in particular.
const NOBODY: &[&str] = &[
    "#",
    "all",
    "analysts",
    "both",
    "commentators",
    "critics",
    "experts",
    "fans",
    "far",
    "historians",
    "many",
    "means",
    "most",
    "numerous",
    "observers",
    "others",
    "people",
    "reviewers",
    "scholars",
    "several",
    "some",
    "studies",
    "then",
    "various",
];

fn words(page: &Page, range: Range<usize>) -> Vec<Word> {
    let mut words = Vec::new();
    let mut gap = Gap::Stop;
    let mut at = range.start;
    while at < range.end {
        let c = page.chars[at];
        if !c.is_alphanumeric() {
            gap = widened(gap, c);
            at += 1;
            continue;
        }
        let end = word_end(&page.chars, at, range.end);
        words.push(word(page, at..end, gap));
        gap = Gap::Space;
        at = end;
    }
    words
}

fn widened(gap: Gap, c: char) -> Gap {
    match c {
        _ if c.is_whitespace() => gap,
        '*' | '_' | '\'' | '"' | '“' | '”' | '‘' => gap,
        ',' if gap == Gap::Space => Gap::Comma,
        _ => Gap::Stop,
    }
}

/// Where a word ends: apostrophes, hyphens and the marks of figures are in it.
fn word_end(chars: &[char], start: usize, end: usize) -> usize {
    let mut at = start;
    while at < end {
        let c = chars[at];
        let next = chars.get(at + 1).filter(|_| at + 1 < end);
        let joins = match c {
            '-' | '\'' => next.is_some_and(|next| next.is_alphanumeric()),
            ',' | '.' => chars[at - 1].is_ascii_digit() && next.is_some_and(char::is_ascii_digit),
            _ => c.is_alphanumeric(),
        };
        if !joins {
            break;
        }
        at += 1;
    }
    at
}

fn word(page: &Page, range: Range<usize>, gap: Gap) -> Word {
    let text = page.text(range.clone());
    let figure = text.starts_with(|c: char| c.is_ascii_digit());
    Word {
        key: if figure {
            "#".to_owned()
        } else {
            text.to_lowercase()
        },
        gap,
        capital: text.starts_with(char::is_uppercase),
        quoted: page.quoted[range.start],
        range,
    }
}

/// The first word behind which opinions have an owner: a verb of opinion with a name before it, or
/// `according to` with one behind it.
fn attributed_from(words: &[Word]) -> Option<usize> {
    let named = |from: usize, to: usize| {
        let to = to.min(words.len());
        let mut part = words[from.min(to)..to].iter().enumerate();
        part.any(|(at, word)| word.capital && (from + at > 0 || may_be_name(&word.key)))
    };
    (0..words.len()).find_map(|at| {
        let key = words[at].key.as_str();
        if key == "according" && named(at + 1, at + 8) {
            return Some(0);
        }
        if !OPINION.contains(&key) {
            return None;
        }
        let before = &words[at.saturating_sub(AUXILIARY)..at];
        let passive = before.iter().any(|word| BE.contains(&word.key.as_str()));
        let by = words[at..].iter().take(4).position(|word| word.key == "by");
        if passive {
            let by = by?;
            return named(at + by + 1, at + by + 8).then_some(at);
        }
        let subject = at.saturating_sub(NEAR);
        let pronoun = before
            .iter()
            .any(|word| matches!(word.key.as_str(), "he" | "she"));
        (pronoun || named(subject, at)).then_some(at)
    })
}

/// Whether the first word of a sentence may be a name for all that its capital tells.
fn may_be_name(key: &str) -> bool {
    is_content_word(key) && !NOBODY.contains(&key) && !key.ends_with("ing") && !key.ends_with("ly")
}

/// `As of March 2024`, `by 2025`
fn is_dated(words: &[Word]) -> bool {
    words.windows(3).any(|three| {
        let day = three[2].key == "#" || MONTHS.contains(&three[2].key.as_str());
        three[0].key == "as" && three[1].key == "of" && (day || three[2].key == "early")
    })
}

fn is_present(words: &[Word]) -> bool {
    const PRESENT: &[&str] = &["are", "has", "have", "is", "will"];
    const PAST: &[&str] = &["did", "had", "was", "were", "would"];
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.key.as_str()));
    has(PRESENT) && !has(PAST)
}

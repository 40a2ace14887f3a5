//! Traces of texts in other texts: runs of words that stand in these texts and nowhere else. A file
//! or a reply holds traces of a talk if it shares a long run with it, or several shorter ones.
//! Hides how words are written in JSON, in HTML and in addresses, and that scripts without blanks
//! are counted by characters. Each text is read once, and no text is kept.

mod plain;

use std::collections::{HashSet, VecDeque};

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

use self::plain::{Plain, insides};
use super::script::is_han;

/// What a word weighs, and what a character of a script without blanks does.
const WORD: u32 = 3;
const CHARACTER: u32 = 2;
/// A run that is enough alone: eight words, or twelve characters.
const LONG: u32 = 8 * WORD;
/// A shorter run: five words, or eight characters.
const SHORT: u32 = 5 * WORD;
/// Different shorter runs that are enough together.
const ENOUGH: usize = 3;

/// The runs of words that stand in some texts and in no others.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    long: HashSet<u64>,
    short: HashSet<u64>,
}

impl Traces {
    /// Adds the runs of a text.
    pub fn add(&mut self, text: &str) {
        each_run(text, |run| match run {
            Run::Long(hash) => self.long.insert(hash),
            Run::Short(hash) => self.short.insert(hash),
        });
    }

    /// Adds the runs of others.
    pub fn join(&mut self, others: Self) {
        self.long.extend(others.long);
        self.short.extend(others.short);
    }

    /// Takes out the runs that stand in a text of others: they tell nothing.
    pub fn forgive(&mut self, text: &str) {
        if self.is_empty() {
            return;
        }
        each_run(text, |run| match run {
            Run::Long(hash) => self.long.remove(&hash),
            Run::Short(hash) => self.short.remove(&hash),
        });
    }

    /// How many long runs there are.
    pub fn len(&self) -> usize {
        self.long.len()
    }

    /// How many long runs these have in common with others.
    pub fn shared(&self, others: &Self) -> usize {
        self.long.intersection(&others.long).count()
    }

    /// Whether there is no run.
    pub fn is_empty(&self) -> bool {
        self.short.is_empty() && self.long.is_empty()
    }

    /// Whether a text holds traces.
    pub fn are_in(&self, text: &str) -> bool {
        let mut search = self.search();
        search.read(text);
        search.found()
    }

    /// The search in a text that is read piece by piece.
    pub fn search(&self) -> Search<'_> {
        Search {
            traces: self,
            long: false,
            short: HashSet::new(),
        }
    }
}

/// A search for traces in pieces of a text. Pieces that overlap by more than a run miss none.
pub struct Search<'t> {
    traces: &'t Traces,
    long: bool,
    short: HashSet<u64>,
}

impl Search<'_> {
    /// Reads the next piece.
    pub fn read(&mut self, piece: &str) {
        if self.found() || self.traces.is_empty() {
            return;
        }
        each_run(piece, |run| match run {
            Run::Long(hash) => {
                self.long |= self.traces.long.contains(&hash);
                self.long
            }
            Run::Short(hash) => {
                self.traces.short.contains(&hash)
                    && self.short.len() < ENOUGH
                    && self.short.insert(hash)
            }
        });
    }

    /// Whether what was read holds traces.
    pub fn found(&self) -> bool {
        self.long || self.short.len() >= ENOUGH
    }
}

/// A run of words by its hash.
enum Run {
    Long(u64),
    Short(u64),
}

/// The runs that end with the word that came last.
#[derive(Default)]
struct Runs {
    long: Window,
    short: Window,
}

impl Runs {
    fn push(&mut self, word: u64, weight: u32, mut each: impl FnMut(Run) -> bool) {
        self.long.push(word, weight, LONG, |hash| {
            each(Run::Long(hash));
        });
        self.short.push(word, weight, SHORT, |hash| {
            each(Run::Short(hash));
        });
    }
}

/// The last words, which do not weigh enough together yet.
#[derive(Default)]
struct Window {
    words: VecDeque<(u64, u32)>,
    weight: u32,
}

impl Window {
    /// Adds a word. Each word begins one run, which ends where it weighs enough.
    fn push(&mut self, word: u64, weight: u32, enough: u32, mut each: impl FnMut(u64)) {
        self.words.push_back((word, weight));
        self.weight += weight;
        while self.weight >= enough {
            let hashes = self.words.iter().map(|(hash, _)| *hash);
            each(hashes.fold(SEED, mixed));
            let Some((_, first)) = self.words.pop_front() else {
                return;
            };
            self.weight -= first;
        }
    }
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// A hash with one more value in it.
fn mixed(hash: u64, value: u64) -> u64 {
    let hash = (hash ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

/// Hands over the runs of a text, and those inside its tags: words in attributes and comments are
/// no part of the sentence around them.
fn each_run(text: &str, mut each: impl FnMut(Run) -> bool) {
    for part in std::iter::once(text).chain(insides(text)) {
        let mut runs = Runs::default();
        each_word(part, |word, weight| runs.push(word, weight, &mut each));
    }
}

/// Hands over the words of a text: the hash of each and its weight. Figures are no words: lines
/// have numbers in a prompt, and times in subtitles.
fn each_word(text: &str, mut each: impl FnMut(u64, u32)) {
    let mut word = Word::default();
    for c in Plain::of(text).nfkc() {
        if is_unseen(c) {
            continue;
        }
        if is_without_blanks(c) {
            word.end(&mut each);
            each(mixed(SEED, u64::from(c)), CHARACTER);
        } else if c.is_alphanumeric() || is_combining_mark(c) {
            word.add(c);
        } else {
            word.end(&mut each);
        }
    }
    word.end(&mut each);
}

/// A word that is being read.
#[derive(Default)]
struct Word {
    hash: Option<u64>,
    has_letter: bool,
}

impl Word {
    fn add(&mut self, c: char) {
        self.has_letter |= !c.is_numeric();
        for lower in c.to_lowercase() {
            self.hash = Some(mixed(self.hash.unwrap_or(SEED), u64::from(lower)));
        }
    }

    fn end(&mut self, each: &mut impl FnMut(u64, u32)) {
        let word = std::mem::take(self);
        if let (Some(hash), true) = (word.hash, word.has_letter) {
            each(hash, WORD);
        }
    }
}

/// Characters that stand inside a word without being seen.
fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
    )
}

/// Scripts that put no blanks between words: Han, kana, Thai, Lao, Burmese, Khmer.
fn is_without_blanks(c: char) -> bool {
    is_han(c)
        || matches!(c, '\u{3040}'..='\u{30ff}' | '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TALK: &str = "We buried a \"fibre\" cable under the gravel bed, and it's still there \
                        today.\nNobody believed us for three whole years.";
    const ZH: &str = "所以我们换了一个思路，把光纤电缆埋在河床的砾石下面来测量振动。";

    fn traces(texts: &[&str]) -> Traces {
        let mut traces = Traces::default();
        for text in texts {
            traces.add(text);
        }
        traces
    }

    fn check(text: &str, expect: bool) {
        assert_eq!(traces(&[TALK, ZH]).are_in(text), expect, "{text}");
    }

    #[test]
    fn words_are_found_however_they_are_written() {
        check("x WE BURIED A FIBRE CABLE UNDER THE GRAVEL! y", true);
        let json = serde_json::json!({ "text": TALK }).to_string();
        check(&json, true);
        check(&serde_json::json!({ "of": json }).to_string(), true);
        check(r"cable under the gravel bed and it\u2019s still", true);
        check(
            "cable under the gravel bed, and it&#x27;s still there",
            true,
        );
        check(
            "<p>cable under the <b>gravel</b> bed, and it&#39;s still",
            true,
        );
        check(
            "1 cable under the\n00:00:04,000 --> 00:00:08,100\n2 gravel bed and it's still",
            true,
        );
        check("cable under the gra\u{ad}vel bed and it's still", true);
        let escaped = ZH
            .encode_utf16()
            .fold(String::new(), |text, unit| text + &format!("\\u{unit:04x}"));
        check(&escaped, true);
        for hidden in [
            r#"<img src="x.png" alt="cable under the gravel bed, and it's still">"#,
            r#"{"of":"<img alt=\"cable under the gravel bed, and it's still\">"}"#,
            "<p><!-- cable under the gravel bed, and it's still --> so</p>",
            "https://x.invalid/?q=cable%20under%20the%20gravel%20bed%2C%20and+it%E2%80%99s%20still",
        ] {
            check(hidden, true);
        }
        let percent = ZH.bytes();
        check(
            &percent.fold(String::new(), |text, byte| text + &format!("%{byte:02X}")),
            true,
        );
    }

    #[test]
    fn little_is_no_trace() {
        check("", false);
        check("under the gravel bed and", false);
        check(
            "under the gravel bed and, as they say, nobody believed us for three",
            false,
        );
        check("我们换了一个思路", false);
        check("今天天气很好，我们换了一个思路，去公园散步。", false);
    }

    #[test]
    fn some_short_runs_are_enough_together() {
        check(
            "under the gravel bed and … nobody believed us for three … buried a fibre cable under",
            true,
        );
        check("把光纤电缆埋在河床的砾石下", true);
    }

    #[test]
    fn what_others_say_too_is_no_trace() {
        let mut own = traces(&[TALK, ZH]);
        own.forgive("They wrote: nobody believed us for three whole years.");
        own.forgive(ZH);
        assert!(!own.are_in("nobody believed us for three whole years") && !own.are_in(ZH));
        assert!(own.are_in(TALK));
        own.forgive(TALK);
        assert!(own.is_empty());
    }

    #[test]
    fn what_two_texts_share_is_counted() {
        let (own, other) = (traces(&[TALK]), traces(&[&TALK[..80], ZH]));
        assert!(own.len() > own.shared(&other) && own.shared(&other) > 0);
        assert_eq!(
            (own.shared(&own), own.shared(&traces(&[ZH]))),
            (own.len(), 0)
        );
        let mut both = traces(&[ZH]);
        both.join(own);
        assert!(both.are_in(TALK) && both.are_in(ZH));
    }

    #[test]
    fn pieces_count_together() {
        let own = traces(&[TALK]);
        let mut search = own.search();
        for piece in ["under the gravel bed and", "nobody believed us for three"] {
            search.read(piece);
            assert!(!search.found());
        }
        search.read("nobody believed us for three");
        assert!(!search.found(), "the same again is not another");
        search.read("buried a fibre cable under");
        assert!(search.found());
    }

    #[test]
    fn strange_texts_end_nothing() {
        let strange = [
            "\\",
            "\\u",
            "\\ud83d",
            "\\ud83d\\u0041",
            "&",
            "&#x110000;",
            "&#xé;",
            "<",
            "<a",
            "\\uéééé",
            "&é;",
            "%",
            "%é",
            "%e4%b8",
            "%e4%b8%zz",
            "%ff",
            "<é>",
            "\\\\\\u4e2d",
        ];
        for text in strange {
            check(text, false);
        }
        check(&strange.concat(), false);
        assert_eq!(
            Plain::of(r"\ud83d\ude00 \\\u4e2d").collect::<String>(),
            "😀 中"
        );
        let long = "<a &amp;\\".repeat(200_000);
        check(&long, false);
    }
}

//! A text as the test of leaks reads it: without case, accents, width, invisible characters and
//! look-alike letters, in one Chinese script, as a chain of pieces whose joints are known. So a
//! name is found however it was cut up, and never within another word.

use unicode_normalization::UnicodeNormalization as _;

use crate::text::{script::simplified, words::is_han};

/// A text in pieces: runs of letters and digits, and single Han characters.
#[derive(Clone, Debug, Default)]
pub struct Folded {
    /// The pieces.
    pub pieces: Vec<String>,
    /// All pieces without anything between them.
    joined: String,
    /// Whether a piece begins, or the last one ends, at a byte of `joined`.
    joints: Vec<bool>,
}

impl Folded {
    /// Reads a text.
    pub fn new(text: &str) -> Self {
        Self::of(pieces(&plain(text)))
    }

    /// The text with what was cut up within words put together.
    pub fn mended(text: &str) -> Self {
        Self::of(mended(&plain(text)))
    }

    /// Joins pieces.
    pub fn of(pieces: Vec<String>) -> Self {
        let mut joined = String::new();
        let mut joints = Vec::new();
        for piece in &pieces {
            joints.push(true);
            joined.push_str(piece);
            joints.resize(joined.len(), false);
        }
        joints.push(true);
        Self {
            pieces,
            joined,
            joints,
        }
    }

    /// All pieces without anything between them.
    pub fn joined(&self) -> &str {
        &self.joined
    }

    /// Whether a name stands in the text from joint to joint, however it is cut up there; an
    /// English plural or genitive may follow.
    pub fn holds(&self, name: &str) -> bool {
        if name.is_empty() {
            return false;
        }
        self.joined.match_indices(name).any(|(at, _)| {
            let end = at + name.len();
            self.joints[at]
                && ["", "s", "es"]
                    .iter()
                    .any(|ending| self.ends_with(end, ending))
        })
    }

    fn ends_with(&self, end: usize, ending: &str) -> bool {
        self.joined[end..].starts_with(ending)
            && self
                .joints
                .get(end + ending.len())
                .is_some_and(|joint| *joint)
    }

    /// Whether a name is one of the pieces, with an English plural or without.
    pub fn has_piece(&self, name: &str) -> bool {
        self.pieces.iter().any(|piece| stem(piece) == stem(name))
    }

    /// Whether all names stand in the text in whatever order, with `apart` other pieces among them
    /// at most.
    pub fn has_together(&self, names: &[&str], apart: usize) -> bool {
        let window = names.len() + apart;
        // Where each name stood last.
        let mut last: Vec<Option<usize>> = vec![None; names.len()];
        for (at, piece) in self.pieces.iter().enumerate() {
            let mut found = false;
            for (seen, _) in last
                .iter_mut()
                .zip(names)
                .filter(|(_, name)| stem(piece) == stem(name))
            {
                *seen = Some(at);
                found = true;
            }
            let near = |seen: &Option<usize>| seen.is_some_and(|seen| at - seen < window);
            if found && last.iter().all(near) {
                return true;
            }
        }
        false
    }
}

/// The word without an English plural.
pub fn stem(word: &str) -> &str {
    let plural = word.len() > 3 && !word.ends_with("ss");
    word.strip_suffix('s').filter(|_| plural).unwrap_or(word)
}

/// The text without what does not count.
fn plain(text: &str) -> String {
    let letters: String = text
        .nfkd()
        .filter(|c| !is_unseen(*c))
        .flat_map(char::to_lowercase)
        .flat_map(latin)
        .collect();
    // Decomposed letters of Korean and others come together again.
    simplified(&letters.nfc().collect::<String>()).into_owned()
}

/// The pieces of a plain text. An apostrophe within a word is no joint.
fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let is_letter = |at: Option<usize>| {
        let c = at.and_then(|at| chars.get(at));
        c.is_some_and(|c| c.is_alphanumeric() && !is_han(*c))
    };
    let mut pieces = Vec::new();
    let mut word = String::new();
    for (at, c) in chars.iter().enumerate() {
        if is_letter(Some(at)) {
            word.push(*c);
            continue;
        }
        let within = is_letter(at.checked_sub(1)) && is_letter(Some(at + 1));
        if matches!(c, '\'' | '’') && within {
            continue;
        }
        if !word.is_empty() {
            pieces.push(std::mem::take(&mut word));
        }
        if is_han(*c) {
            pieces.push(c.to_string());
        }
    }
    if !word.is_empty() {
        pieces.push(word);
    }
    pieces
}

/// Letters of a row of single ones that may be a word.
const LEAST_ROW: usize = 3;

/// The text with what hyphens, dots and the like join as one piece, and rows of single letters,
/// too: `p-y-t-h-o-n` and `p y t h o n`.
fn mended(text: &str) -> Vec<String> {
    let mut mended: Vec<String> = Vec::new();
    let mut row: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let piece = pieces(word).concat();
        if piece.chars().count() == 1 {
            row.push(piece);
            continue;
        }
        end_row(&mut row, &mut mended);
        if !piece.is_empty() {
            mended.push(piece);
        }
    }
    end_row(&mut row, &mut mended);
    mended
}

fn end_row(row: &mut Vec<String>, mended: &mut Vec<String>) {
    if row.len() >= LEAST_ROW {
        mended.push(row.concat());
        row.clear();
    }
    mended.append(row);
}

/// Accents that stand alone once letters are decomposed, and characters that nobody sees.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}'
        | '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
        || c.is_control() && !c.is_whitespace()
}

/// The Latin letters that a letter stands for or is taken for.
fn latin(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        'а' | 'α' => ('a', None),
        'в' | 'β' => ('b', None),
        'с' | 'ϲ' => ('c', None),
        'ԁ' | 'đ' | 'ð' => ('d', None),
        'е' | 'ε' => ('e', None),
        'һ' => ('h', None),
        'і' | 'ι' | 'ı' => ('i', None),
        'ј' => ('j', None),
        'к' | 'κ' => ('k', None),
        'ł' => ('l', None),
        'м' => ('m', None),
        'ո' => ('n', None),
        'о' | 'ο' | 'σ' | 'ø' => ('o', None),
        'р' | 'ρ' => ('p', None),
        'ԛ' => ('q', None),
        'ѕ' => ('s', None),
        'т' | 'τ' => ('t', None),
        'υ' => ('u', None),
        'ν' => ('v', None),
        'ԝ' | 'ω' => ('w', None),
        'х' | 'χ' => ('x', None),
        'у' => ('y', None),
        'æ' => ('a', Some('e')),
        'œ' => ('o', Some('e')),
        'ß' => ('s', Some('s')),
        'þ' => ('t', Some('h')),
        other => (other, None),
    };
    std::iter::once(first).chain(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(Folded::new(text).pieces.join(" "), expect, "{text}");
    }

    #[test]
    fn what_does_not_count_is_gone() {
        check("Café ＢＡＲ, naïve", "cafe bar naive");
        check("Ko\u{200b}d\u{ad}ak", "kodak");
        check("Кodаk", "kodak");
        check("Straße, Ærø", "strasse aero");
        check("機器翻譯 2.0", "机 器 翻 译 2 0");
        check("서울", "서울");
        check("'O'Brien’s' x", "obriens x");
    }

    #[test]
    fn names_are_found_however_they_are_cut_up_and_never_within_words() {
        for text in [
            "Kodak",
            "of ko-dak's",
            "k.o.d.a.k",
            "the Ko dak film",
            "KODAKS",
        ] {
            assert!(Folded::new(text).holds("kodak"), "{text}");
        }
        for text in ["kodakchrome", "ekodak", "ko da", ""] {
            assert!(!Folded::new(text).holds("kodak"), "{text}");
        }
        assert!(!Folded::new("the elephants").holds("ants"));
        assert!(Folded::new("用机器翻译的书").holds("机器翻译"));
    }

    #[test]
    fn words_that_were_cut_up_are_mended() {
        let check = |text: &str, expect: &str| {
            assert_eq!(Folded::mended(text).pieces.join(" "), expect, "{text}");
        };
        check("a p-y-t.h-o-n here", "a python here");
        check("of p y t h o n, 3", "of python3");
        check("sour-dough's a thing", "sourdoughs a thing");
        check("I or a", "i or a");
    }

    #[test]
    fn words_are_found_together_in_any_order() {
        let text = Folded::new("Which modern museum of art did he give his house to?");
        assert!(text.has_together(&["museum", "modern", "art"], 1));
        assert!(!text.has_together(&["modern", "house"], 2));
        assert!(!text.has_together(&["museum", "glass"], 9));
    }
}

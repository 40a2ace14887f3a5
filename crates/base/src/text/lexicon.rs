//! Word lists of English and Chinese: which words there are, and how common each is in general
//! language. Hides where the lists come from (`lexicon/README.md`), how they are packed, and how
//! Chinese is cut into words.

use std::{collections::HashMap, io::Read as _, sync::LazyLock};

use flate2::read::GzDecoder;

use super::words::{fold, is_han};

/// Longest Chinese word of the list, in characters.
const LONGEST: usize = 4;
/// Uses in a million words of running text by SCOWL's size: the order of magnitude, which is all
/// that a size can tell.
const PER_MILLION: [(u8, f64); 5] = [(10, 100.0), (20, 20.0), (35, 3.0), (50, 0.6), (70, 0.2)];
/// … and of a word that no list has.
const UNLISTED: f64 = 0.1;
/// Parts that make a word with a listed one.
const PREFIXES: [&str; 24] = [
    "anti", "auto", "bio", "co", "cross", "de", "geo", "hydro", "hyper", "inter", "macro", "meta",
    "micro", "mis", "multi", "nano", "non", "over", "pre", "re", "semi", "sub", "super", "un",
];
/// Shortest part of a compound.
const LEAST_PART: usize = 4;

/// A word of a Chinese text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment<'a> {
    /// Its characters.
    pub text: &'a str,
    /// Its part of speech, by jieba's first letter; none for what is no word of the list.
    pub part: Option<char>,
}

struct Chinese {
    words: HashMap<&'static str, (f64, char)>,
    total: f64,
}

static ENGLISH_TEXT: LazyLock<String> =
    LazyLock::new(|| unpacked(include_bytes!("lexicon/english.txt.gz")));
static CHINESE_TEXT: LazyLock<String> =
    LazyLock::new(|| unpacked(include_bytes!("lexicon/chinese.txt.gz")));

static ENGLISH: LazyLock<HashMap<&'static str, u8>> = LazyLock::new(|| {
    let lines = ENGLISH_TEXT.lines();
    lines
        .filter_map(|line| {
            let (size, word) = line.split_once(' ')?;
            Some((word, size.parse().ok()?))
        })
        .collect()
});

static CHINESE: LazyLock<Chinese> = LazyLock::new(|| {
    let words: HashMap<&'static str, (f64, char)> = CHINESE_TEXT
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ');
            let (word, count, part) = (fields.next()?, fields.next()?, fields.next()?);
            Some((word, (count.parse().ok()?, part.chars().next()?)))
        })
        .collect();
    let total = words.values().map(|(count, _)| count).sum();
    Chinese { words, total }
});

#[expect(
    clippy::unwrap_used,
    reason = "the lists are part of the program, and the tests unpack them"
)]
fn unpacked(packed: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    text
}

/// Whether a word is one: a listed English word in any case, or a form of listed ones (a hyphenated
/// word, a compound of two, one with a common first part); a Chinese word of the list. What has a
/// digit passes.
pub fn is_word(word: &str) -> bool {
    if word.chars().any(|c| c.is_ascii_digit()) {
        return true;
    }
    let folded = fold(word).replace('’', "'");
    if folded.chars().any(is_han) {
        return CHINESE.words.contains_key(folded.as_str());
    }
    let mut parts = folded.split('-').filter(|part| !part.is_empty());
    parts.all(|part| is_english(part.strip_suffix("'s").unwrap_or(part)))
}

fn is_english(word: &str) -> bool {
    let listed = |part: &str| ENGLISH.contains_key(part);
    if listed(word) || word.chars().count() == 1 {
        return true;
    }
    let mut rests = PREFIXES
        .iter()
        .filter_map(|prefix| word.strip_prefix(prefix));
    if rests.any(|rest| rest.len() >= LEAST_PART && listed(rest)) {
        return true;
    }
    let mut cuts = (LEAST_PART..word.len().saturating_sub(LEAST_PART - 1))
        .filter(|at| word.is_char_boundary(*at));
    cuts.any(|at| listed(&word[..at]) && listed(&word[at..]))
}

/// How often a word is used in running text of general language, as a share of all words.
pub fn rate(word: &str) -> f64 {
    let folded = fold(word);
    if folded.chars().any(is_han) {
        let count = CHINESE.words.get(folded.as_str()).map_or(1.0, |of| of.0);
        return count / CHINESE.total;
    }
    let size = ENGLISH.get(folded.as_str());
    let class = size.and_then(|size| PER_MILLION.iter().find(|(to, _)| size <= to));
    class.map_or(UNLISTED, |(_, rate)| *rate) / 1e6
}

/// The words of a Chinese text: of all ways to cut it, the one whose words are the most likely
/// together, each by its count. What is no word stands character by character.
pub fn segments(text: &str) -> Vec<Segment<'_>> {
    let ends: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let count = ends.len() - 1;
    // The best cut of what begins at each character: its mark, and the end of its first word.
    let mut best: Vec<(f64, usize)> = vec![(0.0, count); count + 1];
    for from in (0..count).rev() {
        let longest = count.min(from + LONGEST);
        let cuts = (from + 1..=longest).filter_map(|to| {
            let listed = CHINESE.words.get(&text[ends[from]..ends[to]]);
            let count = match listed {
                Some((count, _)) => count.max(1.0),
                None if to == from + 1 => 1.0,
                None => return None,
            };
            Some(((count / CHINESE.total).ln() + best[to].0, to))
        });
        if let Some(cut) = cuts.max_by(|a, b| a.0.total_cmp(&b.0)) {
            best[from] = cut;
        }
    }
    let mut segments = Vec::new();
    let mut from = 0;
    while from < count {
        let to = best[from].1;
        let text = &text[ends[from]..ends[to]];
        let part = CHINESE.words.get(text).map(|of| of.1);
        segments.push(Segment { text, part });
        from = to;
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_from_slips() {
        for word in [
            "logbooks",
            "Logbook's",
            "colour",
            "color",
            "don't",
            "re-read",
            "microclimate",
            "groundwater",
            "H2O",
            "x",
            "声调",
            "戏曲",
        ] {
            assert!(is_word(word), "{word}");
        }
        for word in ["recogniton", "abiotik", "sqrm", "敏南话", "细区", "时别"] {
            assert!(!is_word(word), "{word}");
        }
    }

    #[test]
    fn rare_words_are_rarer_than_common_ones() {
        let rates = ["house", "logbook", "kriging"].map(rate);
        assert!(rates.is_sorted_by(|a, b| a > b), "{rates:?}");
        assert!(rate("问题") > rate("声调"));
    }

    #[test]
    fn chinese_is_cut_into_its_words() {
        let cut = |text| {
            segments(text)
                .into_iter()
                .map(|of| of.text)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            cut("再让语言模型把音标转换成普通话"),
            [
                "再",
                "让",
                "语言",
                "模型",
                "把",
                "音标",
                "转换",
                "成",
                "普通话"
            ]
        );
        let misheard = segments("把细区数据用到");
        let parts: Vec<_> = misheard.iter().map(|of| of.text).collect();
        assert_eq!(parts, ["把", "细", "区", "数据", "用到"]);
        assert!(segments("").is_empty());
    }
}

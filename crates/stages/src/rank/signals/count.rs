//! What a task's text shows on its face, counted: whether something is handed in, figures, names,
//! vague words, repetitions, words that point elsewhere.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use crate::text::{
    pattern::constant,
    script::simplified,
    words::{han_count, is_chinese, is_content_word, one_line, tokens, word_count},
};

/// Number of signals.
pub const SIGNALS: usize = 7;

/// Their names, in the order of their values.
pub const NAMES: [&str; SIGNALS] = [
    "something to hand in",
    "figures",
    "names",
    "vague words",
    "repeated phrases",
    "repeated words",
    "words that point elsewhere",
];

/// How many letters of a word count when words are compared, so that its forms are one.
const STEM: usize = 6;
/// Words of a phrase; of Chinese, overlapping pairs of characters, and so four of those.
const PHRASE: usize = 3;
/// Characters of Chinese that say as much as one word.
const HAN_A_WORD: f64 = 1.6;
/// Hundreds of words that a text is counted as at least: one figure in five words is not twenty.
const SHORTEST: f64 = 0.5;

/// The values of a text's signals. A rate is per 100 words, and of rates and numbers the logarithm
/// of one more is taken: the first figure says more than the tenth.
pub fn signals(text: &str) -> [f64; SIGNALS] {
    let plain = simplified(&one_line(text)).into_owned();
    let hundred = words_of(&plain) / 100.0;
    let rate = |count: usize| (count as f64 / hundred.max(SHORTEST)).ln_1p();
    let words = tokens(&plain);
    let patterns = if is_chinese(&plain) {
        &*CHINESE
    } else {
        &*ENGLISH
    };
    [
        f64::from(u8::from(patterns.handed_in.is_match(&plain))),
        rate(patterns.figures.find_iter(&plain).count()),
        rate(names(&plain, patterns)),
        rate(patterns.vague.find_iter(&plain).count()),
        (repeated_phrases(&words) as f64).ln_1p(),
        repeated_words(&words),
        rate(patterns.pointing.find_iter(&plain).count()),
    ]
}

/// How many words a text has, those that Chinese characters stand for included.
pub fn words_of(text: &str) -> f64 {
    word_count(text) as f64 + han_count(text) as f64 / HAN_A_WORD
}

struct Patterns {
    handed_in: Regex,
    figures: Regex,
    /// Names where letters have no case: titles and foreign words. None: capitals tell.
    names: Option<Regex>,
    vague: Regex,
    pointing: Regex,
}

static ENGLISH: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    handed_in: constant(
        r"(?i)\b(?:hand in|submit|deliver)\b|\b(?:turn in|hand over|produce|prepare|compile|write|draft|draw up|report|return|build|make|publish)\b[^.!?]{0,60}?\b(?:reports?|tables?|protocols?|specifications?|checklists?|bibliograph(?:y|ies)|data ?sets?|timelines?|prototypes?|blueprints?|matri(?:x|ces)|catalogues?|memos?|notebooks?|guidelines?|proposals?|diagrams?|benchmarks?|questionnaires?|lists?|notes?|briefs?|documents?|plans?|essays?|maps?|charts?|scripts?|glossar(?:y|ies)|templates?|rubrics?|reviews?|hypothes[ei]s|comparisons?|estimates?|figures?|trees?|pages?|letters?)\b",
    ),
    figures: constant(
        r"(?i)\b(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|third|quarter)\b",
    ),
    names: None,
    vague: constant(
        r"(?i)\b(?:various|several|many|some|different|certain|suitable|appropriate(?:ly)?|relevant|important|significant|key|main|good|useful|interesting|overview|aspects?|factors?|perspectives?|issues?|problems|challenges?|suggestions?|improv\w+|well|clear|general|overall|typical|essential|comprehensive|etc|things?|discuss|consider|explore|investigate|understand|think|reflect|bear in mind|keep in mind|get a feeling|look (?:at|into)|familiari[sz]e|state of the art|future)\b",
    ),
    pointing: constant(r"(?i)\b(?:this|these|those|such|the same)\b"),
});

static CHINESE: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    handed_in: constant(
        r"提交|上交|写成|编成|绘制|制定|做成|整理成|制作|[写交编绘画整做汇列拟][^。！？]{0,40}?[一两二三四五][份张套篇幅本页条部]",
    ),
    figures: constant(
        r"\d[\d.]*|[一两二三四五六七八九十百千]+[个份篇年家条所台省县类种句组次页本部座名户段]",
    ),
    names: Some(constant(r"[A-Za-z][A-Za-z0-9-]+|《[^》]+》|“[^”]+”")),
    vague: constant(
        r"各种|若干|有关|相关|重要|主要|不同|一定|适当|合理|全面|深入|充分|多个|多方面|角度|因素|问题|建议|意见|特点|规律|现状|挑战|影响|进一步|思考|体会|探讨|讨论|分析|了解|观察|留意|设想|琢磨|参考|价值|意义|清晰|突出|明确|发展",
    ),
    pointing: constant(r"[这那该此]"),
});

fn names(text: &str, patterns: &Patterns) -> usize {
    match &patterns.names {
        Some(names) => names.find_iter(text).count(),
        None => capitals(text),
    }
}

/// Words with a capital that no sentence or quotation begins with.
fn capitals(text: &str) -> usize {
    let (mut count, mut begins) = (0, true);
    for word in text.split_whitespace() {
        let bare = word.trim_start_matches(['(', '[']);
        let quoted = bare.starts_with(['"', '“', '‘', '\'']);
        let is_name = bare.starts_with(char::is_uppercase)
            && bare.chars().nth(1).is_some_and(char::is_alphanumeric);
        count += usize::from(is_name && !begins && !quoted);
        let end = word.trim_end_matches(['"', '”', '’', '\'', ')', ']']);
        begins = end.ends_with(['.', '!', '?', ':']);
    }
    count
}

/// How many phrases of a few words stood there before.
fn repeated_phrases(words: &[String]) -> usize {
    let phrases = words.windows(PHRASE);
    let distinct: BTreeSet<_> = phrases.clone().collect();
    phrases.len() - distinct.len()
}

/// The share of words that stood there before, words of grammar apart.
fn repeated_words(words: &[String]) -> f64 {
    let stems: Vec<String> = words
        .iter()
        // Words of three letters are mostly of grammar; pairs of Han characters stay.
        .filter(|word| word.chars().count() != 3 && is_content_word(word))
        .map(|word| word.chars().take(STEM).collect())
        .collect();
    let distinct: BTreeSet<&String> = stems.iter().collect();
    (stems.len() - distinct.len()) as f64 / stems.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_shows_is_counted() {
        let precise = "Compare rainfall at twelve stations of the Met Office with the records of Newlyn. Hand in a table.";
        let vague = "Consider various important factors of rainfall, discuss the factors, and think about the factors.";
        let [a, b] = [precise, vague].map(signals);
        assert_eq!((a[0], b[0]), (1.0, 0.0));
        assert!(a[1] > b[1] && a[2] > b[2] && a[3] < b[3] && a[5] < b[5]);
        assert_eq!(capitals(precise), 3);
        assert_eq!(capitals("He said: “The rain in Spain (Plain)” is it."), 2);
        assert_eq!(
            capitals("It is “the rain in Spain.” From (the plain.) Then it ends."),
            1
        );
    }

    #[test]
    fn chinese_has_the_same_signals() {
        let precise = "请查找《气象年鉴》中十二个站的降水记录，交一份对照表。";
        let vague = "请从各种角度思考降水问题，探讨这些问题的重要意义。";
        let [a, b] = [precise, vague].map(signals);
        assert_eq!((a[0], b[0]), (1.0, 0.0));
        assert!(a[1] > b[1] && a[2] > b[2] && a[3] < b[3] && a[6] < b[6]);
    }

    #[test]
    fn an_empty_text_has_numbers_too() {
        assert!(signals("").iter().all(|value| value.is_finite()));
    }
}

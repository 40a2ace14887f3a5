//! Key terms of a talk: runs of words that name its subject, because it uses them again and again
//! and general language hardly does. Hides what such a run looks like in English and in Chinese.

mod word_lists;

use std::collections::BTreeMap;

use super::{
    lexicon::{Segment, is_word, rate, segments},
    words::{fold, is_chinese, is_content_word, is_han},
};
use word_lists::{BEFORE_NOUN, BEFORE_VERB, GENERIC, GENERIC_HAN, VERBS};

/// Words of a term.
const MOST_WORDS: usize = 3;
/// Uses from which a word that no list has counts as one: the recogniser heard it again.
const HEARD_AGAIN: usize = 2;
/// Parts of a talk; a term that stands in several is about the whole.
const PARTS: usize = 4;
/// Han characters of a term.
const TERM_HAN: std::ops::RangeInclusive<usize> = 2..=8;

/// The terms that name what a talk is about, the strongest first, `most` of them at most, none a
/// part of another.
pub fn key_terms(talk: &str, most: usize) -> Vec<String> {
    apart(strongest(talk), most)
}

/// The key terms of a talk that stand in one of its sentences, the strongest first, `most` of them
/// at most, none a part of another.
pub fn key_terms_in(sentence: &str, talk: &str, most: usize) -> Vec<String> {
    let mut terms = strongest(talk);
    let said = plain(sentence);
    terms.retain(|term| said.contains(&plain(term)));
    apart(terms, most)
}

/// All key terms of a talk, the strongest first.
fn strongest(talk: &str) -> Vec<String> {
    let mut found: Vec<Found> = if is_chinese(talk) {
        found_in_chinese(talk)
    } else {
        found_in_english(talk)
    };
    found.sort_by(|a, b| b.keyness.total_cmp(&a.keyness).then(a.term.cmp(&b.term)));
    found.into_iter().map(|found| found.term).collect()
}

/// The first terms, `most` of them at most, without those that share a word with one before them.
fn apart(all: Vec<String>, most: usize) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    for term in all {
        if !terms.iter().any(|kept| overlap(kept, &term)) {
            terms.push(term);
        }
        if terms.len() == most {
            break;
        }
    }
    terms
}

/// A text to look a term up in: without marks, each English word as one of it, between spaces.
fn plain(text: &str) -> String {
    if is_chinese(text) {
        return fold(text);
    }
    let words = text.split_whitespace().map(|word| singular(bare(word).0));
    format!(" {} ", words.collect::<Vec<_>>().join(" "))
}

/// The terms of a title, the longest first: each run of words that could name a thing.
pub fn terms_of_title(title: &str) -> Vec<String> {
    if is_chinese(title) {
        return longest_first(chinese_terms(title, true));
    }
    let runs = english_runs(title).into_iter();
    let runs = runs.filter(|run| !is_lone_participle(run));
    longest_first(runs.filter_map(|run| phrase(&run)).collect())
}

/// The terms of a sentence that is spoken, the longest first: a single word is one only where it
/// stands as a noun does.
pub fn terms_of(sentence: &str) -> Vec<String> {
    if is_chinese(sentence) {
        return longest_first(chinese_terms(sentence, false));
    }
    let mut terms = Vec::new();
    for run in english_runs(sentence) {
        // "We report events": what follows "we" is a verb.
        let is_verb = BEFORE_VERB.contains(&run[0].before.to_lowercase().as_str());
        let run = &run[usize::from(is_verb)..];
        let as_noun = run.len() > 1
            || run
                .first()
                .is_some_and(|word| BEFORE_NOUN.contains(&word.before.to_lowercase().as_str()));
        terms.extend(phrase(run).filter(|_| as_noun));
    }
    longest_first(terms)
}

fn chinese_terms(text: &str, headed: bool) -> Vec<String> {
    let joined = noun_runs(text, headed).into_iter().map(|run| joined(&run));
    joined
        .filter(|term| TERM_HAN.contains(&term.chars().count()))
        .filter(|term| is_specific_han(term))
        .collect()
}

/// The last words of a run, if they are a noun phrase.
fn phrase(run: &[Word<'_>]) -> Option<String> {
    let is_generic = |word: &&Word<'_>| GENERIC.contains(&singular(word.text).as_str());
    let run = &run[run.iter().take_while(is_generic).count()..];
    let run = &run[run.len().saturating_sub(MOST_WORDS)..];
    let words = || run.iter().map(|word| word.text).collect::<Vec<_>>();
    is_noun_phrase(run).then(|| words().join(" "))
}

fn longest_first(mut terms: Vec<String>) -> Vec<String> {
    terms.sort_by_key(|term| std::cmp::Reverse(parts(term)));
    let mut seen = Vec::new();
    terms.retain(|term| {
        let is_new = !seen.contains(term);
        seen.push(term.clone());
        is_new
    });
    terms
}

/// How many words of a sentence are probably misheard: the recogniser wrote what is no word. `talk`
/// is the talk, folded.
pub fn misheard_words(sentence: &str, talk: &str) -> usize {
    if is_chinese(sentence) {
        let segments = segments(sentence);
        let is_lone = |of: &Segment<'_>| {
            of.text.chars().count() == 1 && is_content_word(of.text) && of.text.chars().all(is_han)
        };
        let pairs = segments.windows(2);
        return pairs.filter(|pair| pair.iter().all(is_lone)).count();
    }
    let words = sentence.split_whitespace().map(|word| bare(word).0);
    words
        .filter(|word| word.starts_with(char::is_lowercase) && !is_heard(word, talk))
        .count()
}

/// Whether each word of a term is one, or is heard again and again in the talk, which is folded:
/// once for all of its words.
pub fn is_heard(term: &str, talk: &str) -> bool {
    if term.chars().any(is_han) {
        let segments = segments(term);
        // A recogniser mishears a name in the same way each time: a lone character is no word.
        return segments.iter().all(|of| of.part.is_some())
            && segments.iter().any(|of| of.text.chars().count() > 1)
            && !lone_pair(&segments);
    }
    term.split(' ')
        .all(|word| is_word(word) || talk.matches(&fold(word)).count() >= HEARD_AGAIN)
}

/// Whether two characters stand next to each other each on its own, as misheard words do.
fn lone_pair(segments: &[Segment<'_>]) -> bool {
    segments
        .windows(2)
        .any(|pair| pair.iter().all(|of| of.text.chars().count() == 1))
}

/// A term with its strength.
struct Found {
    term: String,
    keyness: f64,
}

/// What is counted of a term.
#[derive(Default)]
struct Count {
    uses: usize,
    /// How often it stands where a noun does, minus how often where a verb does.
    noun: i32,
    parts: [bool; PARTS],
    forms: BTreeMap<String, usize>,
}

impl Count {
    /// The form that is used most.
    fn form(&self) -> String {
        let best = self
            .forms
            .iter()
            .max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
        best.map(|(form, _)| form.clone()).unwrap_or_default()
    }

    /// How much a term says about the talk, by how surprising each of its words is: the more often
    /// it is used, the longer it is and the wider it is spread, the more.
    fn keyness(&self, surprise: &[f64]) -> f64 {
        let words = surprise.len() as f64;
        let mean = surprise.iter().sum::<f64>() / words;
        let spread = self.parts.iter().filter(|part| **part).count() as f64;
        self.uses as f64 * (1.0 + words).log2() * mean * spread.sqrt()
    }
}

/// A word of a running English text.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    /// The words before and after it.
    before: &'a str,
    after: &'a str,
    /// Where in the text it stands, from 0 to 1.
    at: f64,
}

fn found_in_english(talk: &str) -> Vec<Found> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut of_word: BTreeMap<String, usize> = BTreeMap::new();
    for run in english_runs(talk) {
        for word in &run {
            *of_word.entry(singular(word.text)).or_default() += 1;
        }
        for from in 0..run.len() {
            for to in from + 1..=run.len().min(from + MOST_WORDS) {
                count_english(&mut counts, &run[from..to], to == run.len());
            }
        }
    }
    let total = talk.split_whitespace().count().max(1) as f64;
    let terms = counts.into_iter().filter(|(key, of)| {
        let words = key.split(' ').count();
        of.uses >= 2 && (of.noun > 0 || words > 1 && of.noun == 0)
    });
    // A name that stands alone is a person's more often than a subject.
    let named = |of: &Count| of.form().starts_with(char::is_uppercase);
    terms
        .filter(|(key, of)| key.contains(' ') || !named(of))
        .map(|(key, of)| {
            let surprise = key.split(' ').map(|word| {
                let uses = of_word.get(word).copied().unwrap_or(1) as f64;
                (uses / (total * rate(word))).ln().max(0.0)
            });
            Found {
                term: of.form(),
                keyness: of.keyness(&surprise.collect::<Vec<_>>()),
            }
        })
        .collect()
}

fn count_english(counts: &mut BTreeMap<String, Count>, words: &[Word<'_>], ends_run: bool) {
    if !is_noun_phrase(words) {
        return;
    }
    let key: Vec<String> = words.iter().map(|word| singular(word.text)).collect();
    let of = counts.entry(key.join(" ")).or_default();
    let first = words[0];
    of.uses += 1;
    of.noun += i32::from(BEFORE_NOUN.contains(&first.before));
    of.noun += i32::from(ends_run) - i32::from(!ends_run);
    of.noun -= 2 * i32::from(BEFORE_VERB.contains(&first.before));
    of.parts[(first.at * PARTS as f64) as usize % PARTS] = true;
    let form: Vec<&str> = words.iter().map(|word| word.text).collect();
    *of.forms.entry(form.join(" ")).or_default() += 1;
}

/// Whether words could be a noun phrase that says something: no participle or adverb at its end,
/// and not only words of any talk.
fn is_noun_phrase(words: &[Word<'_>]) -> bool {
    let Some(last) = words.last() else {
        return false;
    };
    let last = last.text.to_lowercase();
    let is_generic = |word: &Word<'_>| GENERIC.contains(&singular(word.text).as_str());
    !last.ends_with("ed")
        && words.iter().all(|word| !word.text.ends_with("ly"))
        && !words.iter().all(is_generic)
        && !is_generic(&words[0])
}

/// Whether a run is one participle before what it governs: "Listening to soil".
fn is_lone_participle(run: &[Word<'_>]) -> bool {
    matches!(run, [one] if one.text.ends_with("ing") && !one.after.is_empty())
}

/// The runs of words that carry meaning, with no mark in between.
fn english_runs(text: &str) -> Vec<Vec<Word<'_>>> {
    let words: Vec<(&str, bool)> = text.split_whitespace().map(bare).collect();
    let mut runs = Vec::new();
    let mut run: Vec<Word<'_>> = Vec::new();
    for (at, (word, ends)) in words.iter().enumerate() {
        let carries = is_content_word(word)
            && !VERBS.contains(&word.to_lowercase().as_str())
            && word.chars().all(|c| c.is_alphabetic() || c == '-')
            && !word.chars().any(is_han);
        if carries {
            let before = at.checked_sub(1).filter(|at| !words[*at].1);
            run.push(Word {
                text: word,
                before: before.map_or("", |at| words[at].0),
                after: if *ends {
                    ""
                } else {
                    words.get(at + 1).map_or("", |of| of.0)
                },
                at: at as f64 / words.len() as f64,
            });
        }
        if !carries || *ends {
            runs.push(std::mem::take(&mut run));
        }
    }
    runs.push(run);
    runs.retain(|run| !run.is_empty());
    runs
}

/// A word without the marks around it, and whether a mark follows it.
fn bare(word: &str) -> (&str, bool) {
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
    (inner, word.ends_with(|c: char| !c.is_alphanumeric()))
}

/// A word in lower case, without the ending of a plural.
fn singular(word: &str) -> String {
    let word = word.to_lowercase();
    match word.strip_suffix('s') {
        Some(one) if one.len() >= 3 && !one.ends_with(['s', 'u', 'i']) => one.to_owned(),
        _ => word,
    }
}

fn found_in_chinese(talk: &str) -> Vec<Found> {
    let folded = fold(talk);
    let total = folded.chars().filter(|c| is_han(*c)).count().max(1) as f64 / 2.0;
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let runs = noun_runs(&folded, false);
    let length = folded.len();
    for run in &runs {
        for from in 0..run.len() {
            for to in from + 1..=run.len().min(from + MOST_WORDS) {
                let words = &run[from..to];
                let term = joined(words);
                if !TERM_HAN.contains(&term.chars().count()) || !is_specific_han(&term) {
                    continue;
                }
                let at = words[0].text.as_ptr() as usize - folded.as_ptr() as usize;
                let of = counts.entry(term.clone()).or_default();
                of.uses += 1;
                of.parts[at * PARTS / length.max(1) % PARTS] = true;
            }
        }
    }
    let terms = counts.into_iter().filter(|(_, of)| of.uses >= 2);
    terms
        .map(|(term, of)| {
            let surprise: Vec<f64> = segments(&term)
                .iter()
                .map(|word| (of.uses as f64 / (total * rate(word.text))).ln().max(0.0))
                .collect();
            let keyness = of.keyness(&surprise);
            Found { term, keyness }
        })
        .collect()
}

/// The runs of nouns and what belongs to them, without lone characters at their start. In a title
/// (`headed`) verbs and adjectives behind a noun belong to it, too: "语音识别", "数据稀缺".
fn noun_runs(text: &str, headed: bool) -> Vec<Vec<Segment<'_>>> {
    let mut runs: Vec<Vec<Segment<'_>>> = Vec::new();
    let mut run: Vec<Segment<'_>> = Vec::new();
    for word in segments(text) {
        let is_long = word.text.chars().count() > 1;
        let is_noun = matches!(word.part, Some('n' | 'j' | 'b'));
        let follows = headed && is_long && matches!(word.part, Some('v' | 'a'));
        if is_noun && (is_long || !run.is_empty()) || follows && !run.is_empty() {
            run.push(word);
        } else {
            runs.push(std::mem::take(&mut run));
        }
    }
    runs.push(run);
    for run in &mut runs {
        // "问题" at the end of a title says nothing about what it is.
        while run.last().is_some_and(|word| {
            GENERIC_HAN.contains(&word.text) || !headed && word.part != Some('n')
        }) {
            run.pop();
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

fn is_specific_han(term: &str) -> bool {
    !GENERIC_HAN.contains(&term)
}

fn joined(words: &[Segment<'_>]) -> String {
    words.iter().map(|word| word.text).collect()
}

/// How many words a term has, or Han characters.
fn parts(term: &str) -> usize {
    if is_chinese(term) {
        term.chars().count()
    } else {
        term.split(' ').count()
    }
}

/// Whether two terms share a word, or one is a part of the other.
fn overlap(a: &str, b: &str) -> bool {
    if is_chinese(a) {
        return a.contains(b) || b.contains(a);
    }
    let words = |term: &str| term.split(' ').map(singular).collect::<Vec<_>>();
    let (a, b) = (words(a), words(b));
    a.iter().any(|word| b.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TALK: &str = "We have four hundred boreholes along the coast. Each borehole tells us where \
        the fresh water ends. The salinity below thirty metres was never logged, and the salinity is \
        what people ask for. So we measured the electrical resistivity in each borehole. The \
        electrical resistivity falls where the salinity rises. People ask how many boreholes we need.";

    #[test]
    fn what_a_talk_repeats_and_others_do_not_is_its_subject() {
        let terms = key_terms(TALK, 3);
        for term in ["salinity", "electrical resistivity"] {
            assert!(terms.iter().any(|of| of == term), "{terms:?}");
        }
        assert!(
            terms.iter().any(|of| of.starts_with("borehole")),
            "{terms:?}"
        );
        assert!(key_terms("Thank you all. Thank you.", 3).is_empty());
    }

    #[test]
    fn chinese_key_terms_are_runs_of_nouns() {
        let talk = "黄河的泥沙从来没有人测过。泥沙的浓度随水库调度变化，水库调度又看电网。\
            我们把泥沙样品和水库调度的记录对在一起。";
        let terms = key_terms(talk, 3);
        assert!(terms.iter().any(|of| of == "泥沙"), "{terms:?}");
        assert!(terms.iter().any(|of| of.contains("水库")), "{terms:?}");
    }

    #[test]
    fn a_title_gives_its_noun_phrases() {
        assert_eq!(
            terms_of_title("Listening to soil: acoustic sensing of earthworm activity"),
            ["acoustic sensing", "earthworm activity", "soil"]
        );
        assert_eq!(
            terms_of_title("Reading the weather in old ship logbooks"),
            ["old ship logbooks", "weather"]
        );
        assert_eq!(
            terms_of_title("方言语音识别中的数据稀缺问题"),
            ["方言语音识别", "数据稀缺"]
        );
        assert!(terms_of_title("Lecture 3").is_empty());
    }

    #[test]
    fn a_sentence_gives_what_stands_in_it_as_a_noun() {
        let terms = terms_of("A small vision model looks at the line image, and we report events.");
        assert_eq!(terms, ["vision model", "line image"]);
    }

    #[test]
    fn misheard_words_are_not_heard() {
        assert_eq!(misheard_words("敏南话没有统一的输写规范。", ""), 3);
        assert_eq!(misheard_words("We mesure the salinty of water.", ""), 2);
        assert!(is_heard("声调", "") && is_heard("语言模型", ""));
        for misheard in ["敏南话", "细区", "秘南细区"] {
            assert!(!is_heard(misheard, misheard), "{misheard}");
        }
        let heard = |term, talk| is_heard(term, &fold(talk));
        assert!(heard("kriging", "We use kriging, and kriging is slow."));
        assert!(!heard("kriggin variance", "We use kriggin variance."));
    }
}

//! An examiner and a judge that are code, for trying an arena without a model. A question shows a
//! sentence of each target with its rarest piece left out; a rubric asks for that piece and for
//! what the page is about; an item is met by an answer that says its words. It knows nothing of
//! meaning: an answer that copies everything meets every item.

use std::collections::BTreeMap;

use super::shown::{Shown, checked, leaks_of};
use crate::{
    arena::{examiner::rubric::Tags, play::round::language},
    data::arena::{
        AnswerLength, DraftItem, DraftQuestion, DuelLabel, DuelVerdict, FailureTag, ItemMark, Met,
        Question, RubricKind, TieQuality,
    },
    text::words::{is_han, tokens},
};

/// Words of a sentence that is worth asking about.
const WORDS: std::ops::RangeInclusive<usize> = 8..=45;
/// Sentences of a page that are tried.
const TRIED: usize = 12;
/// What stands in place of what is left out.
const GAP: &str = "____";
/// The share of an item's words that an answer must have, for it to be unclear and not missed.
const SOME: f64 = 0.5;

/// A sentence with a gap.
struct Cloze {
    sentence: String,
    gapped: String,
    missing: String,
}

/// A question about the pages, or why there is none.
pub fn question(
    pages: &[Shown<'_>],
    length: AnswerLength,
    asked: &[Question],
) -> Result<Question, Vec<String>> {
    let mut reasons = Vec::new();
    // The first sentence of each page that makes a question, then the second, and so on: a later
    // question at the same place is another one.
    for nth in 0..TRIED {
        let Some(draft) = draft(pages, nth) else {
            reasons.push("a target has no further sentence to ask about".to_owned());
            break;
        };
        match checked(&draft, pages, length, asked) {
            Ok(question) => return Ok(question),
            Err(faults) => reasons.extend(faults),
        }
    }
    reasons.dedup();
    Err(reasons)
}

fn draft(pages: &[Shown<'_>], nth: usize) -> Option<DraftQuestion> {
    let (mut lines, mut rubric) = (Vec::new(), Vec::new());
    let mut is_chinese = false;
    for (page, number) in pages.iter().zip(1..).filter(|(page, _)| page.is_target) {
        let Cloze {
            sentence,
            gapped,
            missing,
        } = clozes(page, pages).nth(nth)?;
        is_chinese |= language(&gapped) == "zh";
        lines.push(format!("({}) {gapped}", lines.len() + 1));
        rubric.push(DraftItem {
            kind: RubricKind::Width,
            text: missing,
            source: number,
            quote: sentence.clone(),
        });
        rubric.push(DraftItem {
            kind: RubricKind::Depth,
            text: page.title()?.to_owned(),
            source: number,
            quote: sentence,
        });
    }
    let opening = if is_chinese {
        "下面每句话出自同一主题下的一个页面。请写出每个页面讲的是什么，并填上空缺："
    } else {
        "Each of these sentences is from a page of one subject. Say what each page is about, and what stands in its gap:"
    };
    Some(DraftQuestion {
        question: format!("{opening} {}", lines.join(" ")),
        rubric,
        rationale: String::new(),
    })
}

/// The sentences of a page with their gaps, those with figures first, without those that name a
/// page that is asked about.
fn clozes<'p>(page: &'p Shown<'_>, pages: &'p [Shown<'_>]) -> impl Iterator<Item = Cloze> + 'p {
    let counts = counts(page.material);
    let mut found: Vec<Cloze> = sentences(page.material)
        .into_iter()
        .filter_map(|sentence| cloze(sentence, &counts))
        .collect();
    found.sort_by_key(|cloze| !cloze.missing.bytes().any(|byte| byte.is_ascii_digit()));
    found
        .into_iter()
        .filter(|cloze| leaks_of(&cloze.gapped, pages).is_empty())
}

fn counts(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for token in tokens(text) {
        *counts.entry(token).or_insert(0) += 1;
    }
    counts
}

/// The sentence without its rarest piece: a figure, else the longest word that the page has once.
fn cloze(sentence: &str, counts: &BTreeMap<String, usize>) -> Option<Cloze> {
    if !WORDS.contains(&crate::text::words::length(sentence)) || sentence.contains(GAP) {
        return None;
    }
    let pieces = sentence.split(|c: char| c.is_whitespace() || "，、；：".contains(c));
    let rare = pieces.filter(|piece| {
        let words = tokens(piece);
        !words.is_empty()
            && words
                .iter()
                .all(|word| counts.get(word).copied().unwrap_or(0) == 1)
            && (piece.chars().any(|c| c.is_ascii_digit())
                || piece.chars().count() > 6
                || piece.chars().any(is_han))
    });
    let rank = |piece: &&str| {
        let has_figure = piece.chars().any(|c| c.is_ascii_digit());
        (has_figure, piece.chars().count())
    };
    let missing = rare.max_by_key(rank)?;
    let missing = missing.trim_matches(|c: char| c.is_ascii_punctuation() && c != '%' && c != '.');
    let missing = missing.trim_end_matches('.');
    if missing.is_empty() || sentence.matches(missing).count() != 1 {
        return None;
    }
    Some(Cloze {
        sentence: sentence.to_owned(),
        gapped: sentence.replacen(missing, GAP, 1),
        missing: missing.to_owned(),
    })
}

/// Sentences that are copied from the text as they stand.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut start = 0;
        for (at, c) in line.char_indices() {
            let end = at + c.len_utf8();
            let rest = &line[end..];
            let ends = matches!(c, '。' | '！' | '？')
                || (matches!(c, '.' | '!' | '?') && rest.starts_with(char::is_whitespace));
            if ends || rest.is_empty() {
                found.push(line[start..end].trim());
                start = end;
            }
        }
    }
    found
}

/// The verdict by the words of the rubric's items.
pub fn verdict(question: &Question, a: &str, b: &str) -> DuelVerdict {
    let (of_a, of_b) = (counts(a), counts(b));
    let marks = question
        .rubric
        .iter()
        .zip(1..)
        .map(|(item, number)| ItemMark {
            item: number,
            a: met(&item.text, &of_a),
            b: met(&item.text, &of_b),
        });
    let items: Vec<ItemMark> = marks.collect();
    let of =
        |side: fn(&ItemMark) -> Met| items.iter().filter(|mark| side(mark) == Met::Met).count();
    let (won_a, won_b) = (of(|mark| mark.a), of(|mark| mark.b));
    let clearly = 2 * won_a.abs_diff(won_b) >= items.len();
    let label = match (won_a.cmp(&won_b), clearly) {
        (std::cmp::Ordering::Equal, _) => DuelLabel::Tie,
        (std::cmp::Ordering::Greater, true) => DuelLabel::AMuchBetter,
        (std::cmp::Ordering::Greater, false) => DuelLabel::ABetter,
        (std::cmp::Ordering::Less, true) => DuelLabel::BMuchBetter,
        (std::cmp::Ordering::Less, false) => DuelLabel::BBetter,
    };
    let is_good = 2 * won_a >= items.len();
    let quality = if is_good {
        TieQuality::High
    } else {
        TieQuality::Low
    };
    let mut verdict = DuelVerdict {
        verdict: label,
        tie_quality: (label == DuelLabel::Tie).then_some(quality),
        failure: FailureTag::None,
        reason: format!("{won_a} and {won_b} of {} items", items.len()),
        items,
    };
    verdict.failure = Tags::of(&verdict, &question.rubric)
        .derived
        .unwrap_or(FailureTag::None);
    verdict
}

fn met(text: &str, answer: &BTreeMap<String, usize>) -> Met {
    let words = tokens(text);
    let there = words
        .iter()
        .filter(|word| answer.contains_key(*word))
        .count();
    match there {
        there if there == words.len() && !words.is_empty() => Met::Met,
        there if (there as f64) > SOME * words.len() as f64 => Met::Unclear,
        _ => Met::Missed,
    }
}

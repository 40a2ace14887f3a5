//! The rules that an idea must pass to become an inspiration. What breaks one is refused by its name.

use crate::{
    data::{CallId, Inspiration, InspirationId, InspirationType, Transcript},
    text::{
        likeness::jaccard,
        words::{han_count, is_chinese, terms, word_count},
    },
};

use super::{Idea, Numbered};

/// Summaries above this likeness say the same.
const ALIKE: f64 = 0.7;
/// Longest summary, in words or Han characters (the paper allows 300 words).
const LONGEST: usize = 300;
/// Terms that a summary shares with its quotes; one that shares fewer says something else.
const LEAST_TERMS: usize = 2;
/// Mean recogniser confidence below which words are no evidence.
const LEAST_CONFIDENCE: f64 = 0.3;

/// An inspiration, or the rule that refused it and what broke it.
pub fn inspiration(
    transcript: &Transcript,
    numbered: &Numbered,
    kind: InspirationType,
    idea: Idea,
    kept: &[(Inspiration, CallId)],
) -> Result<Inspiration, (&'static str, String)> {
    let mut numbers = idea.sentences.clone();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.is_empty() || !numbers.iter().all(|n| numbered.has(*n)) {
        return Err(("no_evidence", format!("sentences {:?}: {}", idea.sentences, idea.text)));
    }
    let mut traits = idea.traits.clone();
    traits.sort_unstable();
    traits.dedup();
    if traits.len() < 2 {
        return Err(("fewer_than_two_traits", idea.text));
    }
    let text = idea.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if word_count(&text) + han_count(&text) < 5 {
        return Err(("empty_summary", text));
    }
    if word_count(&text) + han_count(&text) > LONGEST {
        return Err(("summary_too_long", text));
    }
    if is_chinese(&text) != transcript.language.starts_with("zh") {
        return Err(("wrong_language", text));
    }
    let evidence: Vec<_> = runs(&numbers).into_iter().map(|(first, last)| numbered.evidence(first, last)).collect();
    if evidence.iter().any(|e| transcript.segments[e.segment].confidence < LEAST_CONFIDENCE) {
        return Err(("unclear_speech", text));
    }
    let quoted = evidence.iter().map(|e| e.quote.as_str()).collect::<Vec<_>>().join("\n");
    if terms(&text).intersection(&terms(&quoted)).count() < LEAST_TERMS {
        return Err(("not_in_the_quotes", text));
    }
    if kept.iter().any(|(other, _)| other.evidence == evidence || jaccard(&other.text, &text) >= ALIKE) {
        return Err(("duplicate", text));
    }
    let spans: Vec<String> = evidence.iter().map(|e| format!("{}-{}", e.start_char, e.end_char)).collect();
    let id = InspirationId::of(&[transcript.id.as_str(), kind.word(), &spans.join(","), &text]);
    let (seminar, transcript) = (transcript.seminar.clone(), transcript.id.clone());
    Ok(Inspiration { id, seminar, transcript, kind, traits, text, evidence })
}

/// Consecutive numbers become one span.
fn runs(numbers: &[usize]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_sentences_are_one_span() {
        assert_eq!(runs(&[2, 3, 5]), [(2, 3), (5, 5)]);
    }
}

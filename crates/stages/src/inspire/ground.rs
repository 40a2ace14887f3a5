//! The rules that an idea must pass to become an inspiration. What breaks one is refused by its
//! name.

use crate::{
    data::{Evidence, Inspiration, InspirationId, InspirationType, Shown, Trait, Transcript},
    text::{
        boilerplate::says_nothing,
        prompt_injection::gives_orders,
        words::{is_chinese, length, one_line, terms},
    },
};

use super::{Barred, Examples, Idea, Numbered, Style};

/// Longest summary, in words or Han characters (DeepResearch Arena, inspiration agent).
const LONGEST: usize = 300;
/// Shortest summary.
const SHORTEST: usize = 5;
/// Shortest quote, in words or Han characters.
const SHORTEST_QUOTE: usize = 5;
/// Quotes of one inspiration.
pub const MOST_QUOTES: usize = 3;
/// Traits that an inspiration shows at least (as above).
const LEAST_TRAITS: usize = 2;
/// Terms that a summary shares with its quotes; one that shares fewer says something else.
const LEAST_TERMS: usize = 2;

/// A rule's name, and what broke it.
pub type Refusal = (&'static str, String);

/// What an idea is held against.
#[derive(Clone, Copy)]
pub struct Heard<'a> {
    /// The talk.
    pub transcript: &'a Transcript,
    /// Its sentences.
    pub numbered: &'a Numbered,
    /// The form that was asked for.
    pub style: Style,
    /// The ideas that the prompt shows.
    pub examples: &'a Examples,
}

/// An inspiration, or the rule that refused it. `asked` is the type that was asked for, where only
/// one was.
pub fn inspiration(
    heard: Heard<'_>,
    asked: Option<InspirationType>,
    idea: Idea,
) -> Result<Inspiration, Refusal> {
    let Heard {
        transcript,
        numbered,
        style,
        examples,
    } = heard;
    let kind = kind(asked, &idea)?;
    let traits = traits(kind, &idea)?;
    let text = one_line(&idea.text);
    summary(&text, &transcript.language)?;
    style.check_summary(&text)?;
    let evidence = evidence(numbered, &idea)?;
    if !style.takes_together(numbered, &evidence) {
        return Err(("passages_too_far_apart", text));
    }
    // The model obeyed a line of the talk: its content stands nowhere else.
    if numbered.only_in_orders(&text) {
        return Err(("obeys_the_transcript", text));
    }
    let quoted = evidence
        .iter()
        .map(|e| e.quote.as_str())
        .collect::<Vec<_>>()
        .join("\n");
    if says_nothing(&quoted) {
        return Err(("empty_summary", text));
    }
    if terms(&text).intersection(&terms(&quoted)).count() < LEAST_TERMS {
        return Err(("not_in_the_quotes", text));
    }
    let words = &terms(&text) | &terms(&quoted);
    if let Some(foreign) = traits
        .iter()
        .find(|shown| examples.explain(&shown.reason, &words))
    {
        let detail = format!("`{}`: {text}", foreign.reason);
        return Err(("reason_not_of_this_idea", detail));
    }
    Ok(sealed(transcript, kind, traits, text, evidence))
}

/// An inspiration under the id of what it says: its seminar, type, words and quotes. Where in the
/// text they stand is no part of it, so that a slip mended elsewhere in a transcript leaves reviews
/// and tasks what they are.
pub fn sealed(
    transcript: &Transcript,
    kind: InspirationType,
    traits: Vec<Shown>,
    text: String,
    evidence: Vec<Evidence>,
) -> Inspiration {
    let mut parts = vec![transcript.seminar.as_str(), kind.word(), &text];
    parts.extend(evidence.iter().map(|e| e.quote.as_str()));
    let id = InspirationId::from_parts(&parts);
    let (seminar, transcript) = (transcript.seminar.clone(), transcript.id.clone());
    Inspiration {
        id,
        seminar,
        transcript,
        kind,
        traits,
        text,
        evidence,
        reviews: Vec::new(),
    }
}

/// The one type of an idea: what was asked for, and what the model says, must be one of the four
/// and the same.
fn kind(asked: Option<InspirationType>, idea: &Idea) -> Result<InspirationType, Refusal> {
    let word = idea.kind.as_ref().map(|word| word.trim().to_lowercase());
    let named = word
        .as_ref()
        .map(|word| InspirationType::ALL.into_iter().find(|kind| kind.is(word)));
    match (asked, named) {
        (Some(asked), None) => Ok(asked),
        (None, Some(Some(named))) => Ok(named),
        (Some(asked), Some(Some(named))) if asked == named => Ok(asked),
        _ => Err((
            "wrong_type",
            format!("`{}`: {}", word.unwrap_or_default(), idea.text),
        )),
    }
}

/// The different traits that come with a reason of their own, among them those of the type.
fn traits(kind: InspirationType, idea: &Idea) -> Result<Vec<Shown>, Refusal> {
    let mut traits: Vec<Shown> = Vec::new();
    for claimed in &idea.traits {
        let word = claimed.which.trim().to_lowercase();
        let reason = one_line(&claimed.reason);
        let Some(which) = Trait::ALL.into_iter().find(|which| which.word() == word) else {
            continue;
        };
        // The same reason for two traits is no reason for either.
        let copied = traits
            .iter()
            .any(|other| other.which == which || other.reason == reason);
        if length(&reason) > 0 && !copied {
            traits.push(Shown { which, reason });
        }
    }
    if traits.len() < LEAST_TRAITS {
        return Err(("fewer_than_two_traits", idea.text.clone()));
    }
    for required in kind.required_traits() {
        if traits.iter().all(|shown| shown.which != required) {
            let detail = format!("no {}: {}", required.word(), idea.text);
            return Err(("trait_of_its_type_missing", detail));
        }
    }
    traits.sort_by_key(|shown| shown.which);
    Ok(traits)
}

fn summary(text: &str, language: &str) -> Result<(), Refusal> {
    let broken = if length(text) < SHORTEST || says_nothing(text) {
        "empty_summary"
    } else if length(text) > LONGEST {
        "summary_too_long"
    } else if is_chinese(text) != language.starts_with("zh") {
        "wrong_language"
    } else if gives_orders(text) {
        "obeys_the_transcript"
    } else {
        return Ok(());
    };
    Err((broken, text.to_owned()))
}

/// One to three passages of the transcript: the sentences that were named, and the quotes where
/// they were said.
fn evidence(numbered: &Numbered, idea: &Idea) -> Result<Vec<Evidence>, Refusal> {
    let mut numbers = idea.sentences.clone();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers
        .iter()
        .any(|number| !(1..=numbered.count()).contains(number))
    {
        return Err((
            "no_evidence",
            format!("sentences {:?}: {}", idea.sentences, idea.text),
        ));
    }
    let mut evidence: Vec<Evidence> = runs(&numbers)
        .into_iter()
        .map(|(first, last)| numbered.evidence(first, last))
        .collect();
    for quote in &idea.quotes {
        if length(quote) < SHORTEST_QUOTE {
            return Err(("quote_too_short", quote.clone()));
        }
        evidence.push(
            numbered
                .quoted(quote)
                .ok_or_else(|| ("invented_quote", quote.clone()))?,
        );
    }
    evidence.sort_by_key(|e| (e.start_char, e.end_char));
    evidence.dedup_by(|next, before| next.start_char < before.end_char);
    evidence.truncate(MOST_QUOTES);
    if evidence.is_empty() {
        return Err(("no_evidence", idea.text.clone()));
    }
    for e in &evidence {
        match numbered.barred(e.start_char..e.end_char) {
            Some(Barred::Unclear) => return Err(("unclear_speech", e.quote.clone())),
            Some(Barred::Orders) => return Err(("obeys_the_transcript", e.quote.clone())),
            None => {}
        }
    }
    Ok(evidence)
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

//! What the model is asked about a part of a talk, and the shape of its answer. A large model reads
//! the whole part and looks for all types at once; a small one is shown the few lines that may carry
//! an idea of one type, and chooses one of them: the idea is in the words of the talk.

use std::{cmp::Reverse, collections::BTreeSet, ops::RangeInclusive};

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Numbered, Options, kinds::Kinds, offer, passage::passage};
use crate::{
    context::Context,
    data::{Cause, InspirationType, Trait, Unscored},
    llm::{Answer, Answered, Ask, object},
    text::claim::tidy,
};

/// Ideas that a large model is asked for in one part.
const MOST_IDEAS: usize = 10;
/// Ideas of one part of a talk for which a small model is asked at least, where it has sentences.
const SMALL_IDEAS: usize = 4;
/// Ideas of one part of a talk at most where sentences are of a type by their meaning.
const IDEAS_BY_MEANING: usize = 5;
/// Sentences from which it chooses by cues. By meaning code chooses: its best sentence is better than
/// the model's choice among several.
const OFFERED: usize = 2;
/// Tokens of one idea with its quotes and reasons.
const TOKENS: u32 = 320;

/// The model's reply. An empty list says that there is nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Found {
    pub items: Vec<Idea>,
}

/// One idea as the model gives it. Words stand where only some are allowed, so that one wrong word
/// costs one idea and not the whole reply.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Idea {
    /// Limitation, methodology, transdisciplinary or hypothesis.
    #[serde(rename = "type", default)]
    pub kind: Option<String>,
    /// The idea in a few sentences.
    pub text: String,
    /// Numbers of the sentences that carry it.
    #[serde(default)]
    pub sentences: Vec<usize>,
    /// The words of the talk that carry it.
    #[serde(default)]
    pub quotes: Vec<String>,
    /// The traits that it shows.
    pub traits: Vec<Claimed>,
}

/// A trait and why the idea shows it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claimed {
    /// Novelty, explorability, challenge or verifiability.
    #[serde(rename = "trait")]
    pub which: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

impl Answer for Found {}

/// A small model's reply: numbers of sentences.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chosen {
    /// The sentence that carries the idea.
    pub sentence: usize,
    /// For each trait that the type requires, a sentence that shows it.
    pub shown_by: Vec<usize>,
}

impl Answer for Chosen {}

/// One question.
#[derive(Clone)]
pub struct Question<'a> {
    language: &'a str,
    numbered: &'a Numbered,
    /// The one type that is asked for; none asks for all.
    pub kind: Option<InspirationType>,
    /// Numbers of the sentences that are shown.
    pub offered: Vec<usize>,
    /// Ideas asked for.
    most: usize,
}

/// The prompt that a model is asked with.
pub fn prompt(small: bool) -> &'static str {
    if small {
        "inspire/sentence"
    } else {
        "inspire/ideas"
    }
}

/// The question to a large model about one part of a talk.
pub fn large<'a>(
    language: &'a str,
    numbered: &'a Numbered,
    window: RangeInclusive<usize>,
    options: &Options,
) -> Question<'a> {
    let most = match options.per_window {
        0 => MOST_IDEAS,
        most => most,
    };
    Question {
        language,
        numbered,
        kind: None,
        offered: window.collect(),
        most,
    }
}

/// The questions to a small model about one part of a talk. With `kinds` one about the best sentence
/// of each type, and about the best of the rest. By cues one for each type that the part has
/// sentences of, and more of these types where that makes fewer than four. Without cues it is shown
/// the same long sentences for each type.
pub fn small<'a>(
    language: &'a str,
    numbered: &'a Numbered,
    kinds: Option<&Kinds>,
    window: RangeInclusive<usize>,
    with_cues: bool,
) -> Vec<Question<'a>> {
    let question = |kind, offered: &[usize]| {
        let mut offered = offered.to_vec();
        offered.sort_unstable();
        Question {
            language,
            numbered,
            kind: Some(kind),
            offered,
            most: 1,
        }
    };
    if !with_cues {
        let longest = offer::longest(numbered, window);
        return InspirationType::ALL
            .map(|kind| question(kind, &longest))
            .to_vec();
    }
    let ranked = InspirationType::ALL
        .map(|kind| (kind, offer::ranked(numbered, kinds, window.clone(), kind)));
    if kinds.is_some() {
        return best(&ranked)
            .map(|(kind, number)| question(kind, &[number]))
            .collect();
    }
    let mut questions = Vec::new();
    for round in 0..SMALL_IDEAS {
        for (kind, ranked) in &ranked {
            // Each further question about a type begins behind what the ones before it chose from.
            let rest = ranked.get(round * OFFERED..).unwrap_or_default();
            if !rest.is_empty() && (round == 0 || questions.len() < SMALL_IDEAS) {
                questions.push(question(*kind, &offer::nearly_best(rest, OFFERED)));
            }
        }
    }
    questions
}

/// The best sentence of each type, and the best of the rest, each once.
fn best(
    ranked: &[(InspirationType, Vec<(i32, usize)>)],
) -> impl Iterator<Item = (InspirationType, usize)> + use<> {
    let of_types = ranked.iter().flat_map(|(kind, marked)| {
        let places = marked.iter().enumerate();
        places.map(|(place, (mark, number))| (place > 0, Reverse(*mark), *number, *kind))
    });
    let mut all: Vec<_> = of_types.collect();
    all.sort_by_key(|(later, mark, number, _)| (*later, *mark, *number));
    let mut chosen = BTreeSet::new();
    all.retain(|(_, _, number, _)| chosen.insert(*number));
    all.truncate(IDEAS_BY_MEANING);
    all.into_iter().map(|(_, _, number, kind)| (kind, number))
}

impl Question<'_> {
    /// For messages: the type, and the numbers of the first and the last sentence.
    pub fn name(&self) -> String {
        let (first, last) = (
            self.offered.first().copied().unwrap_or(0),
            self.offered.last().copied().unwrap_or(0),
        );
        format!(
            "{}, sentences {first}–{last}",
            self.kind.map_or("all types", InspirationType::word)
        )
    }

    /// Asks.
    pub async fn ask(&self, ctx: &Context) -> Result<Answered<Found>> {
        if let Some(kind) = self.kind {
            return self.ask_for_a_sentence(ctx, kind).await;
        }
        let vars = json!({
            "language": self.language,
            "lines": self.numbered.lines(&self.offered),
            "most": self.most,
        });
        let ask = Ask::<Found> {
            role: "inspire",
            prompt: prompt(false),
            vars: &vars,
            schema: Some(self.schema()),
            max_tokens: TOKENS * self.most as u32 + 80,
            check: &|found| self.check(found),
            ..Ask::default()
        };
        Ok(ctx.llm.ask(ask).await?)
    }

    /// Asks a small model to choose.
    async fn ask_for_a_sentence(
        &self,
        ctx: &Context,
        kind: InspirationType,
    ) -> Result<Answered<Found>> {
        let traits = kind.required_traits();
        let vars = json!({
            "language": self.language,
            "lines": self.numbered.lines(&self.offered),
            "kind": kind.word(),
        });
        let ask = Ask::<Chosen> {
            role: "inspire",
            prompt: prompt(true),
            vars: &vars,
            schema: Some(self.small_schema(traits.len())),
            max_tokens: 60,
            check: &|chosen| self.check_chosen(chosen, traits.len()),
            ..Ask::default()
        };
        let answered = ctx.llm.ask(ask).await?;
        Ok(answered.map(|chosen| Found {
            items: vec![self.idea(&chosen, &traits)],
        }))
    }

    /// The idea in the words of the talk. The reason for a trait is a sentence, too: the one that was
    /// chosen for it, or the next one where it gives the reason for another trait already.
    fn idea(&self, chosen: &Chosen, traits: &[Trait]) -> Idea {
        let mut reasons: Vec<usize> = Vec::new();
        for &number in &chosen.shown_by {
            let last = self.numbered.count();
            let mut nearest = (number..=last).chain((1..number).rev());
            let free = nearest
                .find(|number| !reasons.contains(number) && self.numbered.may_be_named(*number));
            reasons.extend(free);
        }
        let claimed = traits.iter().zip(reasons).map(|(which, number)| Claimed {
            which: which.word().to_owned(),
            reason: tidy(&self.numbered.text(number)),
        });
        let quoted = self.kind.map_or(chosen.sentence..=chosen.sentence, |kind| {
            passage(self.numbered, chosen.sentence, kind)
        });
        Idea {
            kind: None,
            text: tidy(&self.numbered.joined(&quoted)),
            sentences: quoted.collect(),
            quotes: Vec::new(),
            traits: claimed.collect(),
        }
    }

    /// A large model copies words; they are looked up in the transcript.
    pub(super) fn schema(&self) -> Value {
        let kinds: Vec<&str> = InspirationType::ALL
            .into_iter()
            .map(InspirationType::word)
            .collect();
        let item = object(&json!({
            "type": { "type": "string", "enum": kinds },
            "quotes": {
                "type": "array", "minItems": 1, "maxItems": 3,
                "items": { "type": "string", "minLength": 10, "maxLength": 600 }
            },
            "text": { "type": "string", "minLength": 20, "maxLength": 2000 },
            "traits": { "type": "array", "minItems": 2, "maxItems": 4, "items": shown() },
        }));
        object(&json!({
            "items": { "type": "array", "minItems": 0, "maxItems": self.most, "items": item }
        }))
    }

    /// A small model chooses numbers: a constrained decoder cannot invent one.
    fn small_schema(&self, traits: usize) -> Value {
        let number = json!({ "type": "integer", "enum": self.offered });
        object(&json!({
            "sentence": number,
            "shown_by": { "type": "array", "minItems": traits, "maxItems": traits, "items": number },
        }))
    }

    fn check_chosen(&self, chosen: &Chosen, traits: usize) -> Result<(), Unscored> {
        if chosen.shown_by.len() != traits {
            let given = chosen.shown_by.len();
            return Err(Unscored {
                cause: Cause::OutOfRange,
                reason: format!("{traits} sentences show the traits, {given} came"),
            });
        }
        let mut numbers = std::iter::once(&chosen.sentence).chain(&chosen.shown_by);
        match numbers.find(|number| !self.offered.contains(number)) {
            Some(number) => Err(Unscored {
                cause: Cause::UnknownReference,
                reason: format!("sentence {number} was not offered"),
            }),
            None => Ok(()),
        }
    }

    /// What serde cannot say: no more items than asked, and only sentences that were shown.
    pub(super) fn check(&self, found: &Found) -> Result<(), Unscored> {
        if found.items.len() > self.most {
            let reason = format!(
                "at most {} items were asked for, {} came",
                self.most,
                found.items.len()
            );
            return Err(Unscored {
                cause: Cause::OutOfRange,
                reason,
            });
        }
        for number in found.items.iter().flat_map(|item| &item.sentences) {
            if !self.offered.contains(number) {
                let reason = format!("sentence {number} was not offered");
                return Err(Unscored {
                    cause: Cause::UnknownReference,
                    reason,
                });
            }
        }
        Ok(())
    }
}

/// A trait with its reason.
fn shown() -> Value {
    let words: Vec<&str> = Trait::ALL.iter().map(|which| which.word()).collect();
    object(&json!({
        "trait": { "type": "string", "enum": words },
        "reason": { "type": "string", "minLength": 8, "maxLength": 300 }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspire::testing::transcript;

    #[test]
    fn a_small_models_idea_is_in_the_words_of_the_talk() {
        let numbered = Numbered::new(&transcript(&[
            "We count the cracks of glaciers in satellite images.",
            "But clouds hide the ice for half of the year.",
            "Radar sees through clouds, and nobody has tried it here.",
        ]));
        let question = Question {
            language: "en",
            numbered: &numbered,
            kind: Some(InspirationType::Limitation),
            offered: vec![1, 2, 3],
            most: 1,
        };
        let traits = InspirationType::Limitation.required_traits();
        let chosen = |sentence, shown_by: &[usize]| Chosen {
            sentence,
            shown_by: shown_by.to_vec(),
        };
        let idea = question.idea(&chosen(2, &[2, 2]), &traits);
        assert_eq!(idea.text, "Clouds hide the ice for half of the year.");
        let reasons: Vec<&str> = idea.traits.iter().map(|of| of.reason.as_str()).collect();
        assert_eq!(
            reasons,
            [
                "Clouds hide the ice for half of the year.",
                "Radar sees through clouds, and nobody has tried it here."
            ]
        );
        // Behind the last sentence there is only what came before.
        let idea = question.idea(&chosen(3, &[3, 3]), &traits);
        assert_eq!(idea.traits[1].reason, reasons[0]);
        assert_eq!(question.check_chosen(&chosen(2, &[2, 3]), 2), Ok(()));
        for wrong in [chosen(4, &[2, 3]), chosen(2, &[2, 4]), chosen(2, &[2])] {
            assert!(question.check_chosen(&wrong, 2).is_err(), "{wrong:?}");
        }
    }
}

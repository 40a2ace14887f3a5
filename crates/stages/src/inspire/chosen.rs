//! The ideas that code finds: the best sentences of a part of a talk, in their own words. Each
//! stands alone, or does together with the one or two before it.

use std::{cmp::Reverse, ops::RangeInclusive};

use super::{
    Numbered,
    question::{Claimed, Idea},
    readings::{ENOUGH, Readings},
};
use crate::{
    data::InspirationType,
    text::{
        claim::{has_room, shortened, states, tidy},
        key_terms::{misheard_words, terms_of},
        words::fold,
    },
};

/// What counts for a sentence and against it: points for certainty that one can start from it.
const OF_CERTAINTY: f64 = 40.0;
const OF_A_SENTENCE_BEFORE: i32 = -6;
const OF_A_MISHEARD_WORD: i32 = -4;
const OF_A_TERM: i32 = 2;
const MOST_TERMS: usize = 3;

/// Ideas of one part of a talk, if it has so many.
const LEAST_IDEAS: usize = 3;
const MOST_IDEAS: usize = 4;

/// A sentence that may carry an idea.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Its type.
    pub kind: InspirationType,
    /// Its number.
    number: usize,
    /// The numbers of the sentences that are quoted for it.
    quoted: RangeInclusive<usize>,
    /// How probable it is that it carries an idea from which one can start.
    probability: f64,
    /// How well it would do, with what else counts.
    mark: i32,
}

/// The choices of a part of a talk: the best sentence of each type, then the best of the rest.
/// Those that are hardly probable are taken only where there would be fewer than three.
pub fn choices(
    numbered: &Numbered,
    readings: &Readings,
    window: &RangeInclusive<usize>,
) -> Vec<Choice> {
    let talk = fold(&numbered.talk());
    let of_types = InspirationType::ALL.map(|kind| ranked(numbered, readings, window, kind, &talk));
    let places = of_types
        .into_iter()
        .flat_map(|ranked| ranked.into_iter().enumerate());
    let mut all: Vec<(usize, Choice)> = places.collect();
    let is_hardly = |choice: &Choice| choice.probability < ENOUGH;
    all.sort_by_key(|(place, choice)| (is_hardly(choice), *place > 0, choice.rank()));
    let mut taken: Vec<Choice> = Vec::new();
    for (_, choice) in all {
        let most = if is_hardly(&choice) {
            LEAST_IDEAS
        } else {
            MOST_IDEAS
        };
        if taken.len() < most && !taken.iter().any(|other| other.overlaps(&choice)) {
            taken.push(choice);
        }
    }
    taken
}

/// The window's sentences that may carry an idea of `kind`, the best first. `talk` is folded.
fn ranked(
    numbered: &Numbered,
    readings: &Readings,
    window: &RangeInclusive<usize>,
    kind: InspirationType,
    talk: &str,
) -> Vec<Choice> {
    let candidates = window
        .clone()
        .filter(|&number| numbered.may_be_named(number));
    let mut ranked: Vec<Choice> = candidates
        .filter_map(|number| choice(numbered, readings, number, kind, talk))
        .collect();
    ranked.sort_by_key(Choice::rank);
    ranked
}

/// A sentence as a choice for a type; none where it is no choice. `talk` is folded.
fn choice(
    numbered: &Numbered,
    readings: &Readings,
    number: usize,
    kind: InspirationType,
    talk: &str,
) -> Option<Choice> {
    let (probability, quoted) = readings.quotable(number, kind)?;
    if !states(&numbered.text(number)) {
        return None;
    }
    let claim = shortened(&tidy(&numbered.joined(&quoted)));
    if !has_room(&claim) {
        return None;
    }
    let before = (number - quoted.start()) as i32;
    let misheard = misheard_words(&claim, talk) as i32;
    let terms = terms_of(&claim).len().min(MOST_TERMS) as i32;
    Some(Choice {
        kind,
        number,
        quoted,
        probability,
        mark: (OF_CERTAINTY * probability) as i32
            + before * OF_A_SENTENCE_BEFORE
            + misheard * OF_A_MISHEARD_WORD
            + terms * OF_A_TERM,
    })
}

impl Choice {
    /// The best first; of equals the one said first.
    fn rank(&self) -> (Reverse<i32>, usize) {
        (Reverse(self.mark), self.number)
    }

    /// The probability, in percent.
    pub fn percent(&self) -> u8 {
        (self.probability * 100.0) as u8
    }

    /// Whether both quote a sentence.
    fn overlaps(&self, other: &Self) -> bool {
        self.quoted.start() <= other.quoted.end() && other.quoted.start() <= self.quoted.end()
    }

    /// The idea in the words of the talk. What shows a trait is a sentence, too: its own, and for
    /// the next trait the next one.
    pub fn idea(&self, numbered: &Numbered) -> Idea {
        let following = (self.number..=numbered.count()).chain((1..self.number).rev());
        let reasons = following.filter(|number| numbered.may_be_named(*number));
        let traits = self.kind.required_traits();
        let claimed = traits.iter().zip(reasons).map(|(which, number)| Claimed {
            which: which.word().to_owned(),
            reason: tidy(&numbered.text(number)),
        });
        Idea {
            kind: None,
            text: tidy(&numbered.joined(&self.quoted)),
            sentences: self.quoted.clone().collect(),
            quotes: Vec::new(),
            traits: claimed.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspire::testing::transcript;

    const LINK: InspirationType = InspirationType::Transdisciplinary;

    /// The numbers of the choices for a type, in the order of the talk.
    fn offered(talk: &[&str], kind: InspirationType) -> Vec<usize> {
        let numbered = Numbered::new(&transcript(talk));
        let readings = Readings::new(None, &numbered);
        let ranked = ranked(
            &numbered,
            &readings,
            &(1..=numbered.count()),
            kind,
            &fold(&numbered.talk()),
        );
        let mut numbers: Vec<usize> = ranked.iter().map(|choice| choice.number).collect();
        numbers.sort_unstable();
        numbers
    }

    const TALK: [&str; 6] = [
        "Nobody has enough labels for the old remarks, and nobody can read the faded ink on thin paper.",
        "My guess is that the yield of a voyage depends on what the captains expect of the wind.",
        "We walked along the harbour on a very pleasant afternoon in May.",
        "There is still no way to tell a clerk's copy of a logbook from the captain's own hand.",
        "Our approach is to photograph each page under three lamps and to measure how far the ink has faded.",
        "No study has compared what two watches on one ship wrote down about the same night.",
    ];

    #[test]
    fn a_sentence_is_offered_for_its_type_alone() {
        use InspirationType::{Hypothesis, Limitation, Methodology};
        assert_eq!(offered(&TALK, Hypothesis), [2]);
        assert_eq!(offered(&TALK, Limitation), [1, 4, 6]);
        assert_eq!(offered(&TALK, Methodology), [5]);
        assert!(offered(&TALK, LINK).is_empty());
    }

    #[test]
    fn of_a_part_the_best_of_each_type_come_first() {
        use InspirationType::{Hypothesis, Limitation, Methodology};
        let numbered = Numbered::new(&transcript(&TALK));
        let choices = choices(&numbered, &Readings::new(None, &numbered), &(1..=6));
        let kinds: Vec<InspirationType> = choices.iter().map(|choice| choice.kind).collect();
        assert_eq!(choices.len(), MOST_IDEAS);
        for kind in [Hypothesis, Limitation, Methodology] {
            assert!(kinds[..3].contains(&kind), "{kinds:?}");
        }
        let idea = choices[0].idea(&numbered);
        assert_eq!(idea.traits.len(), choices[0].kind.required_traits().len());
        assert_eq!(idea.traits[0].reason, idea.text);
    }
}

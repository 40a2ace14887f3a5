//! The sentences that a small model may choose from: those of a type, by their meaning or by its
//! cues, that stand alone, or that do together with the one or two before them. Where there is
//! none, it is not asked.

use std::{cmp::Reverse, ops::RangeInclusive};

use super::{
    Numbered,
    cues::{ENOUGH, strength},
    kinds::Kinds,
    passage::{comes_from_elsewhere, passage},
};
use crate::{
    data::InspirationType,
    text::{
        claim::{has_room, leans, leans_far, states, tidy},
        key_terms::{misheard_words, terms_of},
        words::fold,
    },
};

/// Share of the best mark below which a sentence is no choice: a small model would take it, too.
const NEAR_THE_BEST: (i32, i32) = (3, 4);
/// Where none has a cue, a model is offered so many at most, the longest: a hundred lines it
/// neither follows nor reads in a bearable time.
const MOST_WITHOUT: usize = 24;
/// What counts for a sentence and against it: points for the weight of a cue, or for certainty that
/// it is of a type and understood.
const OF_A_CUE: i32 = 4;
const OF_CERTAINTY: f64 = 40.0;
const OF_A_SENTENCE_BEFORE: i32 = -6;
const OF_A_MISHEARD_WORD: i32 = -4;
const OF_A_TERM: i32 = 2;
const MOST_TERMS: usize = 3;
/// The window's sentences that may carry an idea of `kind`, each with its mark, the best first.
/// Where nothing is known of their meaning, cues decide.
pub fn ranked(
    numbered: &Numbered,
    kinds: Option<&Kinds>,
    window: RangeInclusive<usize>,
    kind: InspirationType,
) -> Vec<(i32, usize)> {
    let talk = fold(&numbered.talk());
    let candidates = window.filter(|&number| numbered.may_be_named(number));
    let mut marked: Vec<(i32, usize)> = candidates
        .filter_map(|number| Some((mark(numbered, kinds, number, kind, &talk)?, number)))
        .collect();
    marked.sort_by_key(|(mark, number)| (Reverse(*mark), *number));
    marked
}

/// The first of ranked sentences, `most` of them at most, that are nearly as good as the best.
pub fn nearly_best(ranked: &[(i32, usize)], most: usize) -> Vec<usize> {
    let (share, of) = NEAR_THE_BEST;
    let best = ranked.first().map_or(0, |(mark, _)| *mark);
    let near = ranked.iter().filter(|(mark, _)| mark * of >= best * share);
    near.take(most).map(|(_, number)| *number).collect()
}

/// How well a sentence would carry an idea of a type; none where it does not. `talk` is folded.
fn mark(
    numbered: &Numbered,
    kinds: Option<&Kinds>,
    number: usize,
    kind: InspirationType,
    talk: &str,
) -> Option<i32> {
    let sentence = numbered.text(number);
    if !states(&sentence) {
        return None;
    }
    let passage = passage(numbered, number, kind);
    let claim = tidy(&numbered.joined(&passage));
    let own = match kinds {
        Some(kinds) if has_room(&claim) => by_meaning(kinds.probability(number, kind)?),
        Some(_) => return None,
        None => OF_A_CUE * of_cues(&sentence, &claim, kind)?,
    };
    let before = (number - passage.start()) as i32;
    let misheard = misheard_words(&claim, talk) as i32;
    let terms = terms_of(&claim).len().min(MOST_TERMS) as i32;
    Some(own + before * OF_A_SENTENCE_BEFORE + misheard * OF_A_MISHEARD_WORD + terms * OF_A_TERM)
}

/// A probability as a mark: cues reach about as much.
fn by_meaning(probability: f64) -> i32 {
    (OF_CERTAINTY * probability) as i32
}

/// How strongly a sentence has the cues of a type; none where it has too few, or more of another,
/// or where its claim leans on what is not quoted with it.
fn of_cues(sentence: &str, claim: &str, kind: InspirationType) -> Option<i32> {
    let hangs = leans(claim) && !comes_from_elsewhere(claim);
    if hangs || leans_far(claim) {
        return None;
    }
    // Where a link comes from is often said a sentence before.
    let is_link = kind == InspirationType::Transdisciplinary;
    let read = if is_link { claim } else { sentence };
    let own = strength(read, kind);
    let mut others = InspirationType::ALL.into_iter();
    let is_another = !is_link && others.any(|other| strength(read, other) > own);
    (own >= ENOUGH && !is_another).then_some(own)
}

/// The numbers of the longest sentences of a window, in order, for a talk without any cue.
pub fn longest(numbered: &Numbered, window: RangeInclusive<usize>) -> Vec<usize> {
    let (stating, others): (Vec<usize>, Vec<usize>) = window
        .filter(|&number| numbered.may_be_named(number))
        .partition(|&number| states(&numbered.text(number)));
    let mut numbers = if stating.is_empty() { others } else { stating };
    numbers.sort_by_key(|&number| (Reverse(numbered.length(number)), number));
    numbers.truncate(MOST_WITHOUT);
    numbers.sort_unstable();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspire::testing::transcript;

    const LIMITATION: InspirationType = InspirationType::Limitation;
    const LINK: InspirationType = InspirationType::Transdisciplinary;

    fn numbers(numbered: &Numbered, kind: InspirationType) -> Vec<usize> {
        let ranked = ranked(numbered, None, 1..=numbered.count(), kind);
        ranked.into_iter().map(|(_, number)| number).collect()
    }

    #[test]
    fn a_line_is_offered_for_the_type_that_it_has_most_cues_of() {
        let talk = [
            "My hypothesis is that the yield depends on what the captains expect.",
            "The problem is that nobody has enough labels for the old remarks.",
            "The bottleneck is that we cannot read faded ink on thin paper.",
            "We walked along the harbour on a very pleasant afternoon in May.",
        ];
        let numbered = Numbered::new(&transcript(&talk));
        let mut offered = numbers(&numbered, LIMITATION);
        offered.sort_unstable();
        assert_eq!(offered, [2, 3]);
        assert_eq!(nearly_best(&[(20, 7), (16, 3), (15, 4), (9, 1)], 2), [7, 3]);
        assert_eq!(nearly_best(&[(20, 7), (14, 3)], 2), [7]);
    }

    #[test]
    fn a_sentence_that_leans_is_quoted_with_the_one_before() {
        let talk = [
            "Insurance records list the losses by date, and logbooks list the winds by date.",
            "No one has linked those two archives in any country so far.",
        ];
        let numbered = Numbered::new(&transcript(&talk));
        assert_eq!(passage(&numbered, 2, LIMITATION), 1..=2);
        assert_eq!(passage(&numbered, 1, LIMITATION), 1..=1);
        assert_eq!(numbers(&numbered, LIMITATION), [2]);
    }

    #[test]
    fn one_that_leans_on_nothing_quotable_is_not_offered() {
        let alone = "Nobody has measured the gravel under the ice of the fjord.";
        let leaning = "Nobody has solved that problem of theirs, and it has no name.";
        let numbered = Numbered::new(&transcript(&[leaning, alone]));
        assert_eq!(numbers(&numbered, LIMITATION), [2]);
    }

    #[test]
    fn a_link_says_where_it_comes_from() {
        let talk = [
            "Have you ever considered methods from seismology?",
            "They have been separating small earthquakes from traffic for decades with arrays of sensors.",
        ];
        let numbered = Numbered::new(&transcript(&talk));
        assert_eq!(numbers(&numbered, LINK), [2]);
        assert_eq!(passage(&numbered, 2, LINK), 1..=2);
        let plain =
            ["We count the cracks of the glacier in images, and they get longer every week."];
        let numbered = Numbered::new(&transcript(&plain));
        assert!(numbers(&numbered, LINK).is_empty());
    }

    #[test]
    fn without_cues_the_longest_sentences_are_offered_in_order() {
        let short = "We stood on the old bridge and looked around.";
        let long = "Gravel rolls along the river bed in every single winter flood.";
        let mut talk = vec![short; 3 * MOST_WITHOUT];
        for at in [70, 5, 33] {
            talk[at - 1] = long;
        }
        let numbered = Numbered::new(&transcript(&talk));
        let offered = longest(&numbered, 1..=talk.len());
        assert_eq!(offered.len(), MOST_WITHOUT);
        assert!([5, 33, 70].iter().all(|number| offered.contains(number)) && offered.is_sorted());
    }
}

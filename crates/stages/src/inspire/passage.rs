//! What is quoted for a sentence: it, and what stands beside it where it says too little alone.

use std::ops::RangeInclusive;

use super::Numbered;
use crate::{
    data::InspirationType,
    text::{
        claim::{has_room, is_courtesy, leans, states, tidy},
        words::{is_chinese, length},
    },
};

/// Sentences before one that are quoted with it at most.
const MOST_BEFORE: usize = 2;
/// Words of a link below which the sentence behind it is quoted with it: it says how.
const SHORT_LINK: usize = 20;
const SHORT_LINK_HAN: usize = 45;
/// Words of one who brings something along, and who leans on nobody.
const FROM_ELSEWHERE: [&str; 4] = ["come from", "my field", "我是做", "我们这个领域"];

/// The sentences that are quoted for one: it, those before it on which it leans, and behind a short
/// link the one that says more, as far as there is room.
pub fn passage(numbered: &Numbered, number: usize, kind: InspirationType) -> RangeInclusive<usize> {
    let mut passage = number..=number;
    while number - passage.start() < MOST_BEFORE {
        let claim = tidy(&numbered.joined(&passage));
        let longer = passage.start().saturating_sub(1)..=number;
        if !leans(&claim)
            || comes_from_elsewhere(&claim)
            || !fits(numbered, &longer, *longer.start())
        {
            break;
        }
        passage = longer;
    }
    let longer = *passage.start()..=number + 1;
    let said = numbered.joined(&passage);
    let short = if is_chinese(&said) {
        SHORT_LINK_HAN
    } else {
        SHORT_LINK
    };
    let is_short = length(&said) < short;
    if kind == InspirationType::Transdisciplinary
        && is_short
        && fits(numbered, &longer, number + 1)
        && states(&numbered.text(number + 1))
        && !leans(&tidy(&numbered.text(number + 1)))
    {
        return longer;
    }
    passage
}

/// Whether a passage may have this sentence more.
fn fits(numbered: &Numbered, passage: &RangeInclusive<usize>, more: usize) -> bool {
    (1..=numbered.count()).contains(&more)
        && numbered.may_be_named(more)
        && !is_courtesy(&numbered.text(more))
        && has_room(&tidy(&numbered.joined(passage)))
}

/// Whether a claim is of one who brings something along, and leans on nobody.
fn comes_from_elsewhere(claim: &str) -> bool {
    let folded = claim.to_lowercase();
    FROM_ELSEWHERE.iter().any(|words| folded.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspire::testing::transcript;

    #[test]
    fn a_sentence_that_leans_is_quoted_with_the_one_before() {
        let talk = [
            "Insurance records list the losses by date, and logbooks list the winds by date.",
            "No one has linked those two archives in any country so far.",
        ];
        let numbered = Numbered::new(&transcript(&talk));
        assert_eq!(passage(&numbered, 2, InspirationType::Limitation), 1..=2);
        assert_eq!(passage(&numbered, 1, InspirationType::Limitation), 1..=1);
    }

    #[test]
    fn a_link_is_quoted_with_where_it_comes_from() {
        let talk = [
            "Have you ever considered methods from seismology?",
            "They have been separating small earthquakes from traffic for decades with arrays of sensors.",
        ];
        let numbered = Numbered::new(&transcript(&talk));
        assert_eq!(
            passage(&numbered, 2, InspirationType::Transdisciplinary),
            1..=2
        );
    }
}

//! Merging of the inspirations of all windows: duplicates are one inspiration, and of more than ten
//! the best are kept, spread over the talk and the types.

use std::{cmp::Reverse, collections::BTreeMap};

use super::ground::{self, Heard};
use crate::{
    data::{CallId, Inspiration, InspirationType, Ms},
    similarity::shared_tokens,
};

/// At most so many inspirations are kept of one transcript (DeepResearch Arena, inspiration agent).
pub const MOST: usize = 10;
/// Least similarity of the summaries of duplicates.
const ALIKE: f64 = 0.7;
/// Parts of a talk that get their turn.
const PARTS: u64 = 4;

/// An inspiration on its way.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What was found.
    pub inspiration: Inspiration,
    /// The call that found it, if a model was asked.
    pub call: Option<CallId>,
    /// How good a start for research: a reviewer's mark from 1 to 5; none without a review.
    pub mark: Option<u8>,
    /// How certain code is of it, in percent; 0 where a model found it.
    pub certainty: u8,
}

/// Adds a candidate, unless it is a duplicate: the same passages, or nearly the same words. Then
/// the older one takes the new passages in, as far as there is room and they may carry one idea,
/// and the words of the new one come back.
pub fn add(heard: Heard<'_>, kept: &mut Vec<Candidate>, new: Candidate) -> Result<(), String> {
    let same = |old: &Inspiration| {
        covers(&old.evidence, &new.inspiration.evidence)
            || shared_tokens(&old.text, &new.inspiration.text) >= ALIKE
    };
    let Some(old) = kept.iter_mut().find(|old| same(&old.inspiration)) else {
        kept.push(new);
        return Ok(());
    };
    let mut evidence = std::mem::take(&mut old.inspiration.evidence);
    for passage in new.inspiration.evidence {
        let apart = evidence
            .iter()
            .all(|e| passage.end_char <= e.start_char || e.end_char <= passage.start_char);
        if apart && evidence.len() < ground::MOST_QUOTES {
            evidence.push(passage);
            if !heard.style.takes_together(heard.numbered, &evidence) {
                evidence.pop();
            }
        }
    }
    evidence.sort_by_key(|e| e.start_char);
    let Inspiration {
        kind, traits, text, ..
    } = old.inspiration.clone();
    // Sealed again: the id covers the evidence, which has grown.
    old.inspiration = ground::sealed(heard.transcript, kind, traits, text, evidence);
    Err(new.inspiration.text)
}

/// Whether each new passage overlaps an old one.
fn covers(old: &[crate::data::Evidence], new: &[crate::data::Evidence]) -> bool {
    new.iter().all(|n| {
        old.iter()
            .any(|o| n.start_char < o.end_char && o.start_char < n.end_char)
    })
}

/// Picks at most `most` of the candidates, best first: in turn from each part of the talk, of each
/// type in turn, and of those the most valuable. Returns the picked ones in the order of the talk,
/// and the others.
pub fn choose(
    mut candidates: Vec<Candidate>,
    most: usize,
    duration: Ms,
) -> (Vec<Candidate>, Vec<Candidate>) {
    let mut of_part = BTreeMap::<u64, usize>::new();
    let mut of_kind = BTreeMap::<InspirationType, usize>::new();
    let mut picked = Vec::new();
    while picked.len() < most && !candidates.is_empty() {
        let best = (0..candidates.len())
            // Least picked part first, then least picked type, then value: spread before quality.
            .min_by_key(|&at| {
                let candidate = &candidates[at];
                let inspiration = &candidate.inspiration;
                let picked_of_part = of_part.get(&part(inspiration, duration)).copied();
                let picked_of_kind = of_kind.get(&inspiration.kind).copied();
                (
                    picked_of_part.unwrap_or(0),
                    picked_of_kind.unwrap_or(0),
                    Reverse(value(candidate)),
                    start(candidate),
                )
            })
            .unwrap_or(0);
        let best = candidates.remove(best);
        *of_part
            .entry(part(&best.inspiration, duration))
            .or_default() += 1;
        *of_kind.entry(best.inspiration.kind).or_default() += 1;
        picked.push(best);
    }
    picked.sort_by_key(start);
    (picked, candidates)
}

/// The mark, and where that does not decide, how certain code is and the number of traits. What
/// nobody has marked comes after what is there.
fn value(candidate: &Candidate) -> (Option<u8>, u8, usize) {
    let traits = candidate.inspiration.traits.len();
    (candidate.mark, candidate.certainty, traits)
}

/// The part of the talk in which an inspiration's first quote stands.
fn part(inspiration: &Inspiration, duration: Ms) -> u64 {
    let start = inspiration.evidence.first().map_or(0, |e| e.start.0);
    (start * PARTS / duration.0.max(1)).min(PARTS - 1)
}

fn start(candidate: &Candidate) -> (Ms, InspirationType) {
    let inspiration = &candidate.inspiration;
    (
        inspiration.evidence.first().map_or(Ms(0), |e| e.start),
        inspiration.kind,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspire::{Examples, Numbered, Style, testing::transcript};

    const TALK: [&str; 4] = [
        "Nobody has measured how gravel moves under river ice.",
        "We bury optical fibres in the gravel and count the pulses.",
        "If the pitch falls then the bed will move within an hour.",
        "Drum makers know how skins sound before they tear apart.",
    ];

    fn candidate(
        kind: InspirationType,
        number: usize,
        text: &str,
        mark: impl Into<Option<u8>>,
    ) -> Candidate {
        let transcript = transcript(&TALK);
        let evidence = vec![Numbered::new(&transcript).evidence(number, number)];
        let inspiration = ground::sealed(&transcript, kind, vec![], text.to_owned(), evidence);
        Candidate {
            inspiration,
            call: Some(CallId::from_parts(&[text])),
            certainty: 0,
            mark: mark.into(),
        }
    }

    #[test]
    fn what_says_the_same_is_one_with_both_passages() {
        let transcript = transcript(&TALK);
        let heard = Heard {
            transcript: &transcript,
            numbered: &Numbered::new(&transcript),
            style: Style::Brief,
            examples: &Examples::default(),
        };
        let kind = InspirationType::Limitation;
        let mut kept = vec![candidate(
            kind,
            1,
            "Gravel under river ice was never measured.",
            2,
        )];
        let same_words = candidate(
            kind,
            2,
            "Gravel under river ice was never really measured.",
            2,
        );
        assert!(add(heard, &mut kept, same_words).is_err());
        assert_eq!(kept[0].inspiration.evidence.len(), 2);
        let same_passage = candidate(
            InspirationType::Hypothesis,
            1,
            "Something quite different is said of it.",
            2,
        );
        assert!(add(heard, &mut kept, same_passage).is_err());
        assert!(
            add(
                heard,
                &mut kept,
                candidate(kind, 3, "The pitch falls before the bed moves.", 2)
            )
            .is_ok()
        );
        assert_eq!(kept.len(), 2);
    }

    #[test]
    fn parts_of_the_talk_take_turns_then_types_then_value() {
        use InspirationType::{Hypothesis, Limitation};
        let candidates = vec![
            candidate(Limitation, 1, "a", 2),
            candidate(Limitation, 1, "b", 4),
            candidate(Hypothesis, 1, "c", 2),
            candidate(Limitation, 4, "d", 2),
        ];
        let duration = transcript(&TALK).duration;
        let (picked, left) = choose(candidates.clone(), 2, duration);
        let texts = |of: &[Candidate]| {
            of.iter()
                .map(|c| c.inspiration.text.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(texts(&picked), ["b", "d"]);
        assert_eq!(left.len(), 2);
        let (picked, _) = choose(candidates, 3, duration);
        assert_eq!(texts(&picked), ["b", "c", "d"]);
    }

    #[test]
    fn what_no_reviewer_has_marked_comes_after_what_one_has() {
        let kind = InspirationType::Limitation;
        let candidates = vec![
            candidate(kind, 1, "a", None),
            candidate(kind, 1, "b", 1),
            candidate(kind, 1, "c", None),
        ];
        let (picked, _) = choose(candidates, 1, transcript(&TALK).duration);
        assert_eq!(picked[0].inspiration.text, "b");
    }
}

//! Verdicts on two answers: five ordered labels, and what both answers lack. A verdict that could
//! not be read and a judge who abstains are neither ties nor losses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::{Side, Unscored};

/// Which of two answers is better, and how clearly; in order from A to B.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DuelLabel {
    /// A has no factual error and is far better.
    AMuchBetter,
    /// A is better.
    ABetter,
    /// Neither.
    Tie,
    /// B is better.
    BBetter,
    /// B has no factual error and is far better.
    BMuchBetter,
}

impl DuelLabel {
    /// All five, from A to B.
    pub const ALL: [Self; 5] = [
        Self::AMuchBetter,
        Self::ABetter,
        Self::Tie,
        Self::BBetter,
        Self::BMuchBetter,
    ];

    /// The word that is stored, the same as in the benchmark's files but for the tie's case.
    pub fn word(self) -> &'static str {
        match self {
            Self::AMuchBetter => "A_MUCH_BETTER",
            Self::ABetter => "A_BETTER",
            Self::Tie => "TIE",
            Self::BBetter => "B_BETTER",
            Self::BMuchBetter => "B_MUCH_BETTER",
        }
    }

    /// The winner; none of a tie.
    pub fn winner(self) -> Option<Side> {
        match self {
            Self::AMuchBetter | Self::ABetter => Some(Side::A),
            Self::Tie => None,
            Self::BBetter | Self::BMuchBetter => Some(Side::B),
        }
    }

    /// The winner's points: 2 for a clear win, 1 for another, 0 for a tie (DR-Arena).
    pub fn points(self) -> u32 {
        match self {
            Self::AMuchBetter | Self::BMuchBetter => 2,
            Self::ABetter | Self::BBetter => 1,
            Self::Tie => 0,
        }
    }

    /// The label with the seats changed.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::AMuchBetter => Self::BMuchBetter,
            Self::ABetter => Self::BBetter,
            Self::Tie => Self::Tie,
            Self::BBetter => Self::ABetter,
            Self::BMuchBetter => Self::AMuchBetter,
        }
    }
}

/// The quality of a tie.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TieQuality {
    /// Both answers are good.
    High,
    /// Both miss what was asked about, or make things up.
    Low,
}

/// What the loser lacks, or both answers of a tie.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FailureTag {
    /// It misses which thing was asked about, or the reasoning to it.
    Deep,
    /// It misses attributes.
    Wide,
    /// Both.
    Both,
    /// Neither: it is worse in another way.
    None,
}

impl FailureTag {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Deep, Self::Wide, Self::Both, Self::None];

    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Deep => "DEEP",
            Self::Wide => "WIDE",
            Self::Both => "BOTH",
            Self::None => "NONE",
        }
    }
}

/// Whether an answer meets an item of the rubric.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Met {
    /// It does.
    Met,
    /// It does not.
    Missed,
    /// It cannot be told.
    Unclear,
}

/// The mark of an item of the rubric for both answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ItemMark {
    /// The item's number, from 1.
    pub item: u32,
    /// Whether answer A meets it.
    pub a: Met,
    /// Whether answer B meets it.
    pub b: Met,
}

/// A judge's verdict on two answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DuelVerdict {
    /// Each item of the rubric, marked before the verdict.
    #[schemars(length(max = 20))]
    pub items: Vec<ItemMark>,
    /// Which answer is better.
    pub verdict: DuelLabel,
    /// The quality of a tie; null where there is a winner.
    pub tie_quality: Option<TieQuality>,
    /// What the loser lacks, or both answers of a tie.
    pub failure: FailureTag,
    /// The reason.
    #[schemars(length(max = 4000))]
    pub reason: String,
}

/// Why a verdict says nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerdictFault {
    /// A tie without its quality, or a winner with one.
    #[error("tie_quality is for a TIE and null for all else, but the verdict is `{0}`")]
    TieQuality(&'static str),
    /// An item that was not shown.
    #[error("there is no item {0} in the rubric")]
    UnknownItem(u32),
    /// An item without a mark.
    #[error("item {0} has no mark")]
    UnmarkedItem(u32),
    /// An item with two marks.
    #[error("item {0} is marked twice")]
    RepeatedItem(u32),
}

impl DuelVerdict {
    /// What types cannot say: a tie has a quality and nothing else has, and each of `items` is
    /// marked once.
    pub fn validate(&self, items: usize) -> Result<(), VerdictFault> {
        if (self.verdict == DuelLabel::Tie) != self.tie_quality.is_some() {
            return Err(VerdictFault::TieQuality(self.verdict.word()));
        }
        let mut marked = vec![false; items];
        for mark in &self.items {
            let at = (mark.item as usize).checked_sub(1);
            let Some(seen) = at.and_then(|at| marked.get_mut(at)) else {
                return Err(VerdictFault::UnknownItem(mark.item));
            };
            if std::mem::replace(seen, true) {
                return Err(VerdictFault::RepeatedItem(mark.item));
            }
        }
        match marked.iter().position(|seen| !seen) {
            Some(at) => Err(VerdictFault::UnmarkedItem(at as u32 + 1)),
            None => Ok(()),
        }
    }

    /// The verdict with the seats changed.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let marks = self.items.iter().map(|mark| ItemMark {
            item: mark.item,
            a: mark.b,
            b: mark.a,
        });
        Self {
            items: marks.collect(),
            verdict: self.verdict.mirrored(),
            ..self.clone()
        }
    }
}

/// The end of an attempt to judge a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum RoundOutcome {
    /// There is a verdict.
    Judged(DuelVerdict),
    /// The judge says that it cannot tell, and why.
    Abstained {
        /// In the judge's words.
        reason: String,
    },
    /// There is no verdict, with a cause.
    Invalid(Unscored),
}

impl RoundOutcome {
    /// The outcome with the seats changed.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        match self {
            Self::Judged(verdict) => Self::Judged(verdict.mirrored()),
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(label: DuelLabel, tie_quality: Option<TieQuality>, items: &[u32]) -> DuelVerdict {
        DuelVerdict {
            items: items
                .iter()
                .map(|item| ItemMark {
                    item: *item,
                    a: Met::Met,
                    b: Met::Missed,
                })
                .collect(),
            verdict: label,
            tie_quality,
            failure: FailureTag::Wide,
            reason: String::new(),
        }
    }

    #[test]
    fn labels_mirror_and_keep_their_points() {
        for (at, label) in DuelLabel::ALL.into_iter().enumerate() {
            assert_eq!(label.mirrored(), DuelLabel::ALL[4 - at]);
            assert_eq!(label.points(), label.mirrored().points());
            let json = serde_json::to_value(label).unwrap();
            assert_eq!(json, label.word());
        }
        for tag in FailureTag::ALL {
            assert_eq!(serde_json::to_value(tag).unwrap(), tag.word());
        }
    }

    #[test]
    fn a_tie_alone_has_a_quality() {
        let check = |label, quality| verdict(label, quality, &[]).validate(0).is_ok();
        assert!(check(DuelLabel::Tie, Some(TieQuality::Low)));
        assert!(check(DuelLabel::ABetter, None));
        assert!(!check(DuelLabel::Tie, None), "no tie is high by default");
        assert!(!check(DuelLabel::BBetter, Some(TieQuality::High)));
    }

    #[test]
    fn each_item_is_marked_once() {
        let check = |items: &[u32]| verdict(DuelLabel::ABetter, None, items).validate(2);
        assert_eq!(check(&[2, 1]), Ok(()));
        assert_eq!(check(&[1]), Err(VerdictFault::UnmarkedItem(2)));
        assert_eq!(check(&[1, 1]), Err(VerdictFault::RepeatedItem(1)));
        assert_eq!(check(&[0, 1]), Err(VerdictFault::UnknownItem(0)));
        assert_eq!(check(&[1, 2, 3]), Err(VerdictFault::UnknownItem(3)));
    }

    #[test]
    fn mirroring_twice_changes_nothing() {
        let before = verdict(DuelLabel::AMuchBetter, None, &[1, 2]);
        assert_ne!(before.mirrored(), before);
        assert_eq!(before.mirrored().mirrored(), before);
    }
}

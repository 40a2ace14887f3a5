//! The moves of the original loop: which levels and widths may follow a verdict. A move that may
//! not is an anomaly of the file, such as a page that was looked up by its address and found
//! elsewhere.

use std::fmt;

use crate::data::arena::{DuelLabel, FailureTag, TieQuality};

/// Least pages that a question asks about.
const LEAST_WIDTH: i64 = 2;

/// What the original loop makes of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    /// Both are bad: back.
    Low,
    /// Both are good: on. A tie without a quality counts as one, too.
    High,
    /// The loser misses which thing it is.
    Deep,
    /// It misses attributes.
    Wide,
    /// Both.
    Both,
    /// Neither.
    None,
}

impl Signal {
    /// All six.
    pub const ALL: [Self; 6] = [
        Self::Low,
        Self::High,
        Self::Deep,
        Self::Wide,
        Self::Both,
        Self::None,
    ];

    /// The signal of a verdict.
    pub fn of(label: DuelLabel, tie: Option<TieQuality>, tag: FailureTag) -> Self {
        match (label, tie, tag) {
            (DuelLabel::Tie, Some(TieQuality::Low), _) => Self::Low,
            (DuelLabel::Tie, _, _) => Self::High,
            (_, _, FailureTag::Deep) => Self::Deep,
            (_, _, FailureTag::Wide) => Self::Wide,
            (_, _, FailureTag::Both) => Self::Both,
            (_, _, FailureTag::None) => Self::None,
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Low => "LOW",
            Self::High => "HIGH",
            Self::Deep => "DEEP",
            Self::Wide => "WIDE",
            Self::Both => "BOTH",
            Self::None => "NONE",
        })
    }
}

/// The place of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Level of the page, 1 for the root.
    pub level: i64,
    /// Pages that it is to ask about.
    pub width: i64,
}

/// Levels and pages that a move adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// Levels.
    pub levels: i64,
    /// Pages.
    pub pages: i64,
}

impl Step {
    /// The move from one place to another.
    pub fn between(from: Place, to: Place) -> Self {
        Self {
            levels: to.level - from.level,
            pages: to.width - from.width,
        }
    }
}

/// The moves that the original loop may make after a verdict: the intended one, and the one where
/// that is impossible.
pub fn allowed(from: Place, signal: Signal) -> Vec<Step> {
    let step = |levels, pages| Step { levels, pages };
    match signal {
        Signal::Low if from.level <= 1 => vec![step(0, LEAST_WIDTH - from.width)],
        Signal::Low => vec![step(-1, (from.width - 1).max(LEAST_WIDTH) - from.width)],
        Signal::Deep => vec![step(1, 0), step(0, 1)],
        Signal::Wide => vec![step(0, 1)],
        Signal::High | Signal::Both | Signal::None => vec![step(1, 1), step(0, 1)],
    }
}

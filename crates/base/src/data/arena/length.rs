//! The length of answers: one formula for who answers and for who judges.

use serde::{Deserialize, Serialize};

/// The words that an answer may have. Both agents are told these bounds and the judge is told the
/// same: nothing that a model writes back about length is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AnswerLength {
    /// The least words.
    pub least: u32,
    /// The most words.
    pub most: u32,
}

impl AnswerLength {
    /// The bounds of a question over `width` pages at a level, where the root is level 1:
    /// `least = min(100 + 30 · width + 20 · level, 300)`, `most = min(least + 100, 400)`
    /// (DR-Arena, word limits of its evolving loop).
    pub fn at(width: u32, level: u32) -> Self {
        let words = width
            .saturating_mul(30)
            .saturating_add(level.saturating_mul(20));
        let least = words.saturating_add(100).min(300);
        Self {
            least,
            most: (least + 100).min(400),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_grow_with_width_and_level_until_they_are_full() {
        let check = |width, level, least, most| {
            assert_eq!(AnswerLength::at(width, level), AnswerLength { least, most });
        };
        check(2, 1, 180, 280);
        check(2, 2, 200, 300);
        check(3, 2, 230, 330);
        check(6, 2, 300, 400);
        check(5, 1, 270, 370);
        check(u32::MAX, u32::MAX, 300, 400);
    }
}

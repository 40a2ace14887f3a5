//! Verdicts on two in five grades, and what they say in fewer.

use serde::{Deserialize, Serialize};

use super::bradley_terry::Game;

/// A verdict on two: which is better, and whether by much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// The second is much better: −2.
    SecondMuchBetter,
    /// The second is better: −1.
    SecondBetter,
    /// Neither is better: 0.
    Tie,
    /// The first is better: 1.
    FirstBetter,
    /// The first is much better: 2.
    FirstMuchBetter,
}

/// A graded verdict on two items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GradedGame {
    /// The item in the first seat.
    pub first: u32,
    /// The item in the second seat.
    pub second: u32,
    /// The verdict.
    pub grade: Grade,
}

impl Grade {
    /// All grades, from the second's greatest lead to the first's.
    pub const ALL: [Self; 5] = [
        Self::SecondMuchBetter,
        Self::SecondBetter,
        Self::Tie,
        Self::FirstBetter,
        Self::FirstMuchBetter,
    ];

    /// The first's lead in points, −2 to 2.
    pub fn lead(self) -> i32 {
        self as i32 - 2
    }

    /// The grade of a lead; none unless it is −2 to 2.
    pub fn from_lead(lead: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|grade| grade.lead() == lead)
    }

    /// The same verdict with the seats exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self::ALL[4 - self as usize]
    }

    /// The first's score: 1 for a win, 0 for a loss, 0.5 for a tie, whatever the margin.
    pub fn score(self) -> f64 {
        f64::from(self.lead().signum() + 1) / 2.0
    }
}

impl GradedGame {
    /// The same verdict with the seats exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            first: self.second,
            second: self.first,
            grade: self.grade.swapped(),
        }
    }

    /// The verdict without its margin, as data for a Bradley–Terry fit with one judge.
    pub fn game(self) -> Game {
        Game {
            first: self.first,
            second: self.second,
            judge: 0,
            score: self.grade.score(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_are_leads_and_swap_their_sign() {
        for (at, grade) in Grade::ALL.into_iter().enumerate() {
            assert_eq!(grade.lead(), at as i32 - 2);
            assert_eq!(Grade::from_lead(grade.lead()), Some(grade));
            assert_eq!(grade.swapped().lead(), -grade.lead());
            assert_eq!(grade.swapped().swapped(), grade);
        }
        let half_points = Grade::ALL.map(|grade| (2.0 * grade.score()) as u32);
        assert_eq!(half_points, [0, 0, 1, 2, 2]);
        assert_eq!((Grade::from_lead(3), Grade::from_lead(-3)), (None, None));
        assert_eq!(
            serde_json::to_string(&Grade::SecondMuchBetter).unwrap(),
            "\"second_much_better\""
        );
    }
}

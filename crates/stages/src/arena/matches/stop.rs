//! When a match ends, and who has won: by a lead in points as published, or by a sequential test
//! with bounds on its errors. Hides the weights of grades.
//!
//! The test is Wald's sequential probability ratio test ("Sequential tests of statistical
//! hypotheses", Ann. Math. Stat. 16, 1945, section 3) of "the first wins a decisive round with
//! probability p" against "the second does". After each round the logarithm of the likelihood ratio
//! is compared with ln((1 − β) / α) and ln(β / (1 − α)).
//!
//! Where only winners count, each decisive round moves it by ± ln(p / (1 − p)), so that the test is
//! a lead in wins too: a lead of m names the worse of two with probability 1 / (1 + (p / (1 −
//! p))^m), the gambler's ruin. Where margins count, grade g weighs ln(P(g | δ) / P(g | −δ)) under
//! the proportional-odds model of [`ratings::Thresholds`], at the difference δ that gives decisive
//! rounds the probability p. With the shares of grades that were published, much better weighs 1.6
//! times as much as better.
//!
//! So the published lead of two points, much better counting twice, is nearly such a test, with
//! errors that nobody chose: in simulations it names the worse of two in 34 % of matches where p is
//! 0.6, in 21 % where it is 0.7 and in 11 % where it is 0.8. A test with as many errors takes as
//! many rounds; one with a bound of 0.1 takes nearly three times as many, and errs in 6 % where p
//! is 0.7.
//!
//! A test that has not ended after the last round says so: undecided, never a guess.

use serde::{Deserialize, Serialize};

use crate::{
    data::{
        Side,
        arena::{DuelLabel, EndCause, MatchRules, Stop},
    },
    stats::pairwise::{Grade, ratings},
};

/// The result of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchResult {
    /// The first seat has won.
    First,
    /// The second seat has won.
    Second,
    /// Both have the same points.
    Tie,
    /// The test did not end within the rounds that were allowed.
    Undecided,
}

impl MatchResult {
    /// The first seat's score: 1, 0, or one half where nobody has won. A match that was not decided
    /// says that the two are close; leaving it out would make every rating more extreme.
    pub fn score(self) -> f64 {
        match self {
            Self::First => 1.0,
            Self::Second => 0.0,
            Self::Tie | Self::Undecided => 0.5,
        }
    }

    /// The seat that has won.
    pub fn winner(self) -> Option<Side> {
        match self {
            Self::First => Some(Side::A),
            Self::Second => Some(Side::B),
            Self::Tie | Self::Undecided => None,
        }
    }

    /// The same result with the seats exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            same => same,
        }
    }
}

/// What ended a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopCause {
    /// The lead in points.
    Lead,
    /// A verdict of much better, where that ends a match.
    MuchBetter,
    /// The sequential test.
    Evidence,
    /// The largest number of rounds.
    RoundLimit,
}

impl From<StopCause> for EndCause {
    fn from(cause: StopCause) -> Self {
        match cause {
            StopCause::Lead | StopCause::MuchBetter => Self::Margin,
            StopCause::Evidence => Self::Evidence,
            StopCause::RoundLimit => Self::RoundLimit,
        }
    }
}

/// The grade of a verdict, seat A first.
pub fn grade(label: DuelLabel) -> Grade {
    match label {
        DuelLabel::AMuchBetter => Grade::FirstMuchBetter,
        DuelLabel::ABetter => Grade::FirstBetter,
        DuelLabel::Tie => Grade::Tie,
        DuelLabel::BBetter => Grade::SecondBetter,
        DuelLabel::BMuchBetter => Grade::SecondMuchBetter,
    }
}

/// The end of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// What ended it.
    pub cause: StopCause,
    /// Its result.
    pub result: MatchResult,
}

/// When a match ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopRule {
    /// At a lead in points.
    Margin(Margin),
    /// By a sequential test.
    Sprt(Sprt),
}

impl Default for StopRule {
    /// The published rule.
    fn default() -> Self {
        Self::Margin(Margin::default())
    }
}

/// The published rule: better counts 1, much better 2, and a match ends at a lead of 2 (DR-Arena,
/// section on the evolvement loop).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Margin {
    /// Points by which one must lead.
    pub lead: u32,
    /// Rounds before which no match ends.
    pub least_rounds: u32,
    /// Rounds after which every match ends: the one with more points has won.
    pub most_rounds: u32,
    /// Whether a verdict of much better ends a match whatever the points, as the paper's text has
    /// it and its program does not.
    pub much_better_ends: bool,
}

impl Default for Margin {
    fn default() -> Self {
        Self {
            lead: 2,
            least_rounds: 1,
            most_rounds: 10,
            much_better_ends: false,
        }
    }
}

/// A sequential probability ratio test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// What counts.
    pub evidence: Evidence,
    /// Probability that the better of two wins a decisive round, between one half and 1: the
    /// smallest superiority that the error bounds are for.
    pub superiority: f64,
    /// Bound on the probability that the first is named although the second is as superior.
    pub alpha: f64,
    /// The same of naming the second. Where it differs from α, seats are not alike.
    pub beta: f64,
    /// Rounds after which a match is undecided.
    pub most_rounds: u32,
}

/// What a round tells the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// Who has won it; ties tell nothing.
    Wins,
    /// Its grade, with the differences from which on a verdict is better, and much better, in
    /// logits.
    Grades {
        /// From a tie to better.
        better: f64,
        /// From better to much better.
        much_better: f64,
    },
}

impl Evidence {
    /// Grades with the thresholds of agents that are alike in the published rounds: 29.8 % ties and
    /// 22.7 % much better.
    pub fn published_grades() -> Self {
        Self::Grades {
            better: 0.615,
            much_better: 2.056,
        }
    }
}

impl Default for Sprt {
    /// One error in ten where the better wins seven decisive rounds of ten.
    fn default() -> Self {
        Self {
            evidence: Evidence::published_grades(),
            superiority: 0.7,
            alpha: 0.1,
            beta: 0.1,
            most_rounds: 20,
        }
    }
}

/// The rounds of a match so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Rounds of each grade, from the second's greatest lead to the first's.
    grades: [u32; 5],
    /// Rounds without a verdict.
    pub failed: u32,
    last: Option<Grade>,
}

impl Tally {
    /// Takes one more round; none for one that ended without a verdict.
    pub fn add(&mut self, round: Option<Grade>) {
        match round {
            Some(grade) => self.grades[grade as usize] += 1,
            None => self.failed += 1,
        }
        self.last = round;
    }

    /// Rounds with and without a verdict.
    pub fn rounds(&self) -> u32 {
        self.grades.iter().sum::<u32>() + self.failed
    }

    /// Points of the first seat and of the second: better counts 1, much better 2.
    pub fn points(&self) -> (u32, u32) {
        let [second_much, second, _, first, first_much] = self.grades;
        (2 * first_much + first, 2 * second_much + second)
    }

    /// The same with the seats exchanged.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let mut grades = self.grades;
        grades.reverse();
        Self {
            grades,
            failed: self.failed,
            last: self.last.map(Grade::swapped),
        }
    }

    fn leader(&self) -> MatchResult {
        let (first, second) = self.points();
        match first.cmp(&second) {
            std::cmp::Ordering::Greater => MatchResult::First,
            std::cmp::Ordering::Less => MatchResult::Second,
            std::cmp::Ordering::Equal => MatchResult::Tie,
        }
    }
}

impl StopRule {
    /// The rule of a match with these bounds.
    pub fn of(rules: &MatchRules) -> Self {
        match rules.stop {
            Stop::Margin(lead) => Self::Margin(Margin {
                lead,
                most_rounds: rules.most_rounds,
                ..Margin::default()
            }),
            Stop::Test(test) => {
                let error = f64::from(test.error) / 1000.0;
                Self::Sprt(Sprt {
                    superiority: f64::from(test.superiority) / 1000.0,
                    alpha: error,
                    beta: error,
                    most_rounds: rules.most_rounds,
                    ..Sprt::default()
                })
            }
        }
    }

    /// The result where a match ends after these rounds, whatever ends it: by points, or what the
    /// test knows by then.
    pub fn result(&self, tally: &Tally) -> MatchResult {
        match self {
            Self::Margin(_) => tally.leader(),
            Self::Sprt(_) => {
                let ending = self.ending(tally);
                ending.map_or(MatchResult::Undecided, |ending| ending.result)
            }
        }
    }

    /// What is wrong with the rule's numbers, with a hint.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Margin(margin) => margin.check(),
            Self::Sprt(sprt) => sprt.check(),
        }
    }

    /// How a match ends after these rounds; none while it goes on. A round without a verdict is
    /// used up and tells nothing.
    pub fn ending(&self, tally: &Tally) -> Option<Ending> {
        match self {
            Self::Margin(margin) => margin.ending(tally),
            Self::Sprt(sprt) => sprt.ending(tally),
        }
    }

    /// Plays rounds until the match ends, or none are left. Asks for no round more than it needs.
    pub fn play(&self, rounds: impl IntoIterator<Item = Option<Grade>>) -> (Tally, Option<Ending>) {
        let mut tally = Tally::default();
        for round in rounds {
            tally.add(round);
            if let Some(ending) = self.ending(&tally) {
                return (tally, Some(ending));
            }
        }
        (tally, None)
    }
}

impl Margin {
    fn check(&self) -> Result<(), String> {
        if self.lead == 0 {
            return Err("a lead of 0 points ends no match\nhint: the published lead is 2".into());
        }
        if self.most_rounds == 0 || self.least_rounds > self.most_rounds {
            return Err(format!(
                "no number of rounds is at least {} and at most {}\nhint: published are 1 and 10",
                self.least_rounds, self.most_rounds
            ));
        }
        Ok(())
    }

    fn ending(&self, tally: &Tally) -> Option<Ending> {
        let rounds = tally.rounds();
        let (first, second) = tally.points();
        let much = [Grade::FirstMuchBetter, Grade::SecondMuchBetter].map(Some);
        let cause = if rounds < self.least_rounds.max(1) {
            return None;
        } else if first.abs_diff(second) >= self.lead {
            StopCause::Lead
        } else if self.much_better_ends && much.contains(&tally.last) {
            let result = match tally.last {
                Some(Grade::FirstMuchBetter) => MatchResult::First,
                _ => MatchResult::Second,
            };
            let cause = StopCause::MuchBetter;
            return Some(Ending { cause, result });
        } else if rounds >= self.most_rounds {
            StopCause::RoundLimit
        } else {
            return None;
        };
        let result = tally.leader();
        Some(Ending { cause, result })
    }
}

impl Sprt {
    fn check(&self) -> Result<(), String> {
        if !(self.superiority > 0.5 && self.superiority < 1.0) {
            return Err(format!(
                "not the probability of the better one: `{}`\n\
                 hint: it is between 0.5 and 1, such as 0.7",
                self.superiority
            ));
        }
        for bound in [self.alpha, self.beta] {
            if !(bound > 0.0 && bound < 0.5) {
                return Err(format!(
                    "not a bound on errors: `{bound}`\nhint: it is between 0 and 0.5, such as 0.1"
                ));
            }
        }
        if self.most_rounds == 0 {
            return Err("a match needs a round\nhint: allow 20".into());
        }
        match self.evidence {
            Evidence::Grades {
                better,
                much_better,
            } if !(better > 0.0 && much_better > better && much_better.is_finite()) => {
                Err(format!(
                    "not thresholds of grades: `{better}` and `{much_better}`\n\
                     hint: both are above 0, \
                     the second is the larger one"
                ))
            }
            _ => Ok(()),
        }
    }

    /// The logarithm of the likelihood ratio that each grade adds, from the second's greatest lead
    /// to the first's.
    pub fn weights(&self) -> [f64; 5] {
        match self.evidence {
            Evidence::Wins => {
                let step = (self.superiority / (1.0 - self.superiority)).ln();
                [-step, -step, 0.0, step, step]
            }
            Evidence::Grades {
                better,
                much_better,
            } => {
                let delta = difference(self.superiority, better, much_better);
                let ahead = ratings::probabilities(delta, better, much_better);
                let at = |grade: Grade| ahead[grade as usize].1;
                // Symmetric thresholds: P(g | −δ) is the probability of the swapped grade at δ.
                Grade::ALL.map(|grade| (at(grade) / at(grade.swapped())).ln())
            }
        }
    }

    /// Below the first bound the second is named, above the second one the first.
    pub fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }

    fn ending(&self, tally: &Tally) -> Option<Ending> {
        let (low, high) = self.bounds();
        let weights = self.weights();
        // Each grade against its mirror image, so that exchanged seats give the same number with
        // the other sign to the last bit.
        let ratio = [3, 4]
            .map(|at| {
                let lead = f64::from(tally.grades[at]) - f64::from(tally.grades[4 - at]);
                weights[at] * lead
            })
            .iter()
            .sum::<f64>();
        let (cause, result) = if ratio >= high {
            (StopCause::Evidence, MatchResult::First)
        } else if ratio <= low {
            (StopCause::Evidence, MatchResult::Second)
        } else if tally.rounds() >= self.most_rounds {
            (StopCause::RoundLimit, MatchResult::Undecided)
        } else {
            return None;
        };
        Some(Ending { cause, result })
    }
}

/// The difference in logits at which decisive rounds are won with probability `superiority`.
pub fn difference(superiority: f64, better: f64, much_better: f64) -> f64 {
    // Halving: the share grows with the difference, and nobody asks for it in a loop.
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if decisive_share(middle, better, much_better) < superiority {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The share of decisive rounds that the first wins at a difference in logits.
pub fn decisive_share(difference: f64, better: f64, much_better: f64) -> f64 {
    let [(_, b), (_, a), _, (_, c), (_, d)] =
        ratings::probabilities(difference, better, much_better);
    (c + d) / (a + b + c + d)
}

#[cfg(test)]
#[path = "stop_tests.rs"]
mod tests;

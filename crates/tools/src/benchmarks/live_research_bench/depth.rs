//! Depth comparisons in both orders: totals of five dimensions, the tie rule, and two ways to count
//! decisions. Nothing decisive has no win rate, rather than a win rate of zero.

use serde::{Deserialize, Serialize};

/// Lowest and highest score of a dimension.
pub const DIMENSION_RANGE: (f64, f64) = (0.0, 5.0);

/// Totals that differ by no more are a tie.
pub const TIE_MARGIN: f64 = 1.0;

/// Slack for sums of fractions, which floating point rounds: a difference of exactly 1 is a tie.
const ROUNDING: f64 = 1e-9;

/// Scores of one report on the five dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dimensions {
    /// How finely the reasoning is broken down.
    pub granularity: f64,
    /// Implications and trade-offs.
    pub insight: f64,
    /// Assumptions questioned, alternatives weighed.
    pub critique: f64,
    /// How evidence serves the argument.
    pub evidence: f64,
    /// Analysis against filler.
    pub density: f64,
}

impl Dimensions {
    /// The five scores in the order of the fields.
    pub fn scores(self) -> [f64; 5] {
        [
            self.granularity,
            self.insight,
            self.critique,
            self.evidence,
            self.density,
        ]
    }

    /// Sum of the five, 0–25.
    pub fn total(self) -> f64 {
        self.scores().iter().sum()
    }

    /// Whether each score lies in [`DIMENSION_RANGE`].
    pub fn in_range(self) -> bool {
        let (low, high) = DIMENSION_RANGE;
        self.scores().iter().all(|s| (low..=high).contains(s))
    }
}

/// Outcome of a comparison for the evaluated model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The evaluated model's report is deeper.
    Win,
    /// The reference report is deeper.
    Loss,
    /// Neither is.
    Tie,
}

impl Decision {
    /// Decision by two totals: the tie rule.
    pub fn of_totals(evaluated: f64, reference: f64) -> Self {
        let difference = evaluated - reference;
        if difference.abs() <= TIE_MARGIN + ROUNDING {
            Self::Tie
        } else if difference > 0.0 {
            Self::Win
        } else {
            Self::Loss
        }
    }

    /// The word that is shown.
    pub fn word(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Loss => "loss",
            Self::Tie => "tie",
        }
    }
}

/// Totals of one comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// Total of the evaluated model's report.
    pub evaluated: f64,
    /// Total of the reference report.
    pub reference: f64,
}

impl Totals {
    /// Decision by the tie rule.
    pub fn decision(self) -> Decision {
        Decision::of_totals(self.evaluated, self.reference)
    }
}

/// A report compared with the reference in both orders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The evaluated model's report stood first.
    pub first: Totals,
    /// The reference report stood first.
    pub second: Totals,
}

impl Pair {
    /// The two decisions, one an order.
    pub fn decisions(self) -> [Decision; 2] {
        [self.first.decision(), self.second.decision()]
    }

    /// One decision by the totals of both orders, averaged.
    pub fn mean_decision(self) -> Decision {
        Decision::of_totals(
            f64::midpoint(self.first.evaluated, self.second.evaluated),
            f64::midpoint(self.first.reference, self.second.reference),
        )
    }
}

/// How decisions of pairs are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    /// Each order's decision counts apart: what the benchmark's published numbers do.
    #[default]
    CountBoth,
    /// The totals of both orders are averaged, and the tie rule decides once a pair.
    MeanTotal,
}

/// Decisions, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Games {
    /// Decisions for the evaluated model.
    pub wins: u64,
    /// Decisions for the reference.
    pub losses: u64,
    /// Decisions for neither.
    pub ties: u64,
}

impl Games {
    /// Counts of a list of decisions.
    pub fn of(decisions: impl IntoIterator<Item = Decision>) -> Self {
        let mut games = Self::default();
        for decision in decisions {
            match decision {
                Decision::Win => games.wins += 1,
                Decision::Loss => games.losses += 1,
                Decision::Tie => games.ties += 1,
            }
        }
        games
    }

    /// All decisions.
    pub fn total(self) -> u64 {
        self.decisive().saturating_add(self.ties)
    }

    /// Decisions that are no tie. Counts come out of strangers' files, so the sum saturates.
    pub fn decisive(self) -> u64 {
        self.wins.saturating_add(self.losses)
    }

    /// Win rate in percent: wins of wins and losses, none when nothing is decisive.
    pub fn win_rate(self) -> Option<f64> {
        let decisive = self.decisive();
        (decisive > 0).then(|| 100.0 * self.wins as f64 / decisive as f64)
    }
}

/// Games of pairs under a way of counting.
pub fn count(pairs: &[Pair], counting: Counting) -> Games {
    match counting {
        Counting::CountBoth => Games::of(pairs.iter().flat_map(|pair| pair.decisions())),
        Counting::MeanTotal => Games::of(pairs.iter().map(|pair| pair.mean_decision())),
    }
}

/// Consistency of a judge: the share of pairs on which both orders agree, none without a pair.
pub fn consistency(pairs: &[[Decision; 2]]) -> Option<f64> {
    let agreeing = pairs.iter().filter(|[first, second]| first == second);
    (!pairs.is_empty()).then(|| agreeing.count() as f64 / pairs.len() as f64)
}

//! Profiles of agents out of judged rounds: how often each fails and in which way, whether longer
//! answers or more references win, and what a point costs. Every share says how many rounds it
//! rests on. Rounds of a match are alike, so that intervals of shares are a little too narrow.

use std::collections::BTreeMap;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::stats::{
    binomial::{Share, fair_coin_p, wilson},
    bootstrap::{self, Estimate},
    pairwise::Grade,
};

/// How the loser of a round has failed, as the examiner says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum FailureKind {
    /// It did not find the entity.
    #[serde(alias = "DEPTH")]
    Deep,
    /// It missed attributes.
    #[serde(alias = "WIDTH")]
    Wide,
    /// Both.
    Both,
    /// Neither.
    None,
}

impl FailureKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Deep, Self::Wide, Self::Both, Self::None];
}

/// A round with a verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedRound {
    /// The agent in the first seat.
    pub first: String,
    /// The agent in the second seat.
    pub second: String,
    /// The verdict.
    pub grade: Grade,
    /// How the loser has failed, or both in a tie; none if the examiner did not say.
    pub kind: Option<FailureKind>,
    /// Words of the first answer and of the second; none if they were not counted.
    pub words: Option<(u64, u64)>,
    /// References of both; none if they were not counted.
    pub references: Option<(u64, u64)>,
}

impl JudgedRound {
    /// The same round with the seats exchanged.
    #[must_use]
    pub fn swapped(&self) -> Self {
        let swap = |of: Option<(u64, u64)>| of.map(|(first, second)| (second, first));
        Self {
            first: self.second.clone(),
            second: self.first.clone(),
            grade: self.grade.swapped(),
            kind: self.kind,
            words: swap(self.words),
            references: swap(self.references),
        }
    }
}

/// How often an agent fails, and how.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FailureProfile {
    /// The agent.
    pub agent: String,
    /// Its rounds with a verdict.
    pub rounds: u64,
    /// Rounds lost.
    pub lost: u64,
    /// Rounds tied.
    pub tied: u64,
    /// Failure rate: rounds lost or tied as a share of all (DR-Arena, analysis of failures), with
    /// Wilson's interval.
    pub failures: Option<Share>,
    /// Rounds lost or tied, by kind, each as a share of all rounds.
    pub kinds: Vec<KindShare>,
    /// Rounds lost or tied of which the examiner did not say how.
    pub untagged: u64,
}

/// A kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KindShare {
    /// The kind.
    pub kind: FailureKind,
    /// Rounds.
    pub rounds: u64,
    /// Their share of the agent's rounds, with Wilson's interval.
    pub share: Option<Share>,
}

#[derive(Default)]
struct Counts {
    rounds: u64,
    lost: u64,
    tied: u64,
    kinds: BTreeMap<FailureKind, u64>,
    untagged: u64,
}

impl Counts {
    /// Counts a round by the agent's lead.
    fn add(&mut self, lead: i32, kind: Option<FailureKind>) {
        self.rounds += 1;
        if lead > 0 {
            return;
        }
        if lead < 0 {
            self.lost += 1;
        } else {
            self.tied += 1;
        }
        match kind {
            Some(kind) => *self.kinds.entry(kind).or_default() += 1,
            None => self.untagged += 1,
        }
    }

    fn profile(&self, agent: &str) -> FailureProfile {
        let share = |kind: FailureKind| {
            let rounds = self.kinds.get(&kind).copied().unwrap_or_default();
            KindShare {
                kind,
                rounds,
                share: wilson(rounds as f64, self.rounds),
            }
        };
        FailureProfile {
            agent: agent.to_owned(),
            rounds: self.rounds,
            lost: self.lost,
            tied: self.tied,
            failures: wilson((self.lost + self.tied) as f64, self.rounds),
            kinds: FailureKind::ALL.map(share).to_vec(),
            untagged: self.untagged,
        }
    }
}

/// The failures of each agent, in the order of names. In a tie both have failed.
pub fn failure_profiles(rounds: &[JudgedRound]) -> Vec<FailureProfile> {
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    for round in rounds {
        let lead = round.grade.lead();
        counts
            .entry(&round.first)
            .or_default()
            .add(lead, round.kind);
        counts
            .entry(&round.second)
            .or_default()
            .add(-lead, round.kind);
    }
    counts
        .iter()
        .map(|(agent, counts)| counts.profile(agent))
        .collect()
}

/// Whether the answer with more of something wins.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AnswerBias {
    /// Decisive rounds whose answers differ in it.
    pub n: u64,
    /// Decisive rounds whose answers are equal in it.
    pub equal: u64,
    /// Decisive rounds in which it was not counted.
    pub unknown: u64,
    /// Share of the `n` that the answer with more of it wins, with Wilson's interval.
    pub share: Option<Share>,
    /// Two-sided p-value of one half: the exact sign test. Better answers may be longer too, so
    /// that a small one is a question, and no proof of a bias.
    pub p: f64,
}

/// Share of decisive rounds that the longer answer wins.
pub fn length_bias(rounds: &[JudgedRound]) -> AnswerBias {
    bias(rounds.iter().map(|round| (round.grade, round.words)))
}

/// Share of decisive rounds that the answer with more references wins.
pub fn reference_bias(rounds: &[JudgedRound]) -> AnswerBias {
    bias(rounds.iter().map(|round| (round.grade, round.references)))
}

fn bias(rounds: impl Iterator<Item = (Grade, Option<(u64, u64)>)>) -> AnswerBias {
    let (mut won, mut n, mut equal, mut unknown) = (0, 0, 0, 0);
    for (grade, counts) in rounds.filter(|(grade, _)| *grade != Grade::Tie) {
        match counts {
            None => unknown += 1,
            Some((first, second)) if first == second => equal += 1,
            Some((first, second)) => {
                n += 1;
                won += u64::from((first > second) == (grade.lead() > 0));
            }
        }
    }
    AnswerBias {
        n,
        equal,
        unknown,
        share: wilson(won as f64, n),
        p: fair_coin_p(won, n),
    }
}

/// An agent's part in a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchCost {
    /// The agent.
    pub agent: String,
    /// Its score: 1, 0 or one half.
    pub score: f64,
    /// What its answers cost, in dollars; none if that is not known.
    pub cost_usd: Option<f64>,
}

/// What an agent's points cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueForMoney {
    /// The agent.
    pub agent: String,
    /// Matches whose cost is known.
    pub matches: u64,
    /// Matches whose cost is not known; they do not count.
    pub unknown: u64,
    /// What the matches cost, in dollars.
    pub cost_usd: f64,
    /// Points for a dollar, with an interval by resampling matches; none where nothing was paid.
    pub points_per_usd: Option<Estimate>,
}

/// Points for a dollar of each agent, in the order of names. Both parts of a match are resampled
/// together.
pub fn value_for_money(
    matches: &[[MatchCost; 2]],
    resamples: usize,
    rng: &mut impl Rng,
) -> Vec<ValueForMoney> {
    let mut rows: BTreeMap<&str, ValueForMoney> = BTreeMap::new();
    for part in matches.iter().flatten() {
        let row = rows.entry(&part.agent).or_insert_with(|| ValueForMoney {
            agent: part.agent.clone(),
            matches: 0,
            unknown: 0,
            cost_usd: 0.0,
            points_per_usd: None,
        });
        match part.cost_usd {
            Some(cost) => {
                row.matches += 1;
                row.cost_usd += cost;
            }
            None => row.unknown += 1,
        }
    }
    let columns: BTreeMap<&str, usize> = rows.keys().copied().zip(0..).collect();
    let clusters: Vec<Vec<(f64, f64)>> = matches
        .iter()
        .map(|parts| {
            let mut row = vec![(0.0, 0.0); columns.len()];
            for part in parts {
                if let (Some(column), Some(cost)) =
                    (columns.get(part.agent.as_str()), part.cost_usd)
                {
                    row[*column] = (part.score, cost);
                }
            }
            row
        })
        .collect();
    let ratios = bootstrap::ratios(&clusters, resamples, rng);
    let mut found: Vec<ValueForMoney> = rows.into_values().collect();
    for (column, row) in found.iter_mut().enumerate() {
        row.points_per_usd = ratios.estimate(column);
    }
    found
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;

//! The plan of a Swiss tournament: its rounds so far, from its events, and what is to be played.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt as _, seq::SliceRandom as _};
use serde::Serialize;

use super::{
    Event, MatchKey, Options, Phase, StandingsRow, TournamentError, generator, pairing::pair,
};
use crate::{
    arena::matches::stop::MatchResult,
    stats::pairwise::bradley_terry::{Game, Model, Preference, fit},
};

/// Variance of the prior of strengths by which agents are ranked between rounds, in squared logits:
/// with one round behind them an unbeaten agent must be finite.
const PRIOR: f64 = 9.0;

/// A tournament as far as it is played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Rounds that are played, and the one that is being played.
    pub rounds: Vec<Round>,
    /// Matches that are to be played now, in any order.
    pub to_play: Vec<MatchKey>,
    /// Whether every match of every round is settled.
    pub finished: bool,
    /// The agents, the one with the highest strength first.
    pub standings: Vec<StandingsRow>,
}

/// A round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Round {
    /// Its number, from 1.
    pub round: u32,
    /// Who meets whom.
    pub pairings: Vec<Pairing>,
    /// The agent without an opponent.
    pub bye: Option<String>,
}

/// Two agents that meet in a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pairing {
    /// The agent that has the first seat on the first tree.
    pub opener: String,
    /// The other one.
    pub other: String,
    /// Whether they have met before.
    pub rematch: bool,
    /// Their matches, one a tree; seats are exchanged from tree to tree.
    pub matches: Vec<MatchKey>,
}

/// Plans a tournament from its beginning: the same agents (in any order), seed, options and events
/// (in any order) give the same plan.
///
/// A round opens once every match before it is settled: ended, or failed in every attempt. Takes a
/// time that grows with the fourth power of the agents at least.
pub fn plan(
    agents: &[String],
    seed: u64,
    options: &Options,
    events: &[Event],
) -> Result<Plan, TournamentError> {
    let names = names(agents)?;
    let trees = trees(options)?;
    let mut by_round: BTreeMap<u32, Vec<&Event>> = BTreeMap::new();
    for event in events.iter().filter(|of| of.key().phase == Phase::Swiss) {
        by_round.entry(event.key().round).or_default().push(event);
    }
    let mut history = History::new(&names, seed);
    let mut rounds = Vec::new();
    let mut to_play = Vec::new();
    for number in 1..=options.rounds {
        let round = history.open(number, seed, &trees, options);
        let events = by_round.remove(&number).unwrap_or_default();
        let settled = settle(&round, &events, options.attempts)?;
        history.close(&round, &settled);
        to_play = still_open(&round, &settled);
        rounds.push(round);
        if !to_play.is_empty() {
            break;
        }
    }
    let open = rounds.last().map_or(0, |round| round.round);
    if let Some(event) = by_round.into_values().flatten().next() {
        let round = event.key().round;
        return Err(if to_play.is_empty() || round <= open {
            TournamentError::UnknownMatch(event.key().clone())
        } else {
            TournamentError::NotOpen { round, open }
        });
    }
    Ok(Plan {
        finished: to_play.is_empty(),
        standings: history.standings(),
        rounds,
        to_play,
    })
}

/// The agents in the order of their names, so that it does not matter how they were listed.
fn names(agents: &[String]) -> Result<Vec<String>, TournamentError> {
    let mut names = agents.to_vec();
    names.sort();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(TournamentError::TwiceNamed(twice[0].clone()));
    }
    if names.len() < 2 {
        return Err(TournamentError::FewAgents(names.len()));
    }
    Ok(names)
}

fn trees(options: &Options) -> Result<Vec<String>, TournamentError> {
    let trees: BTreeSet<String> = options.trees.iter().cloned().collect();
    for (what, number) in [
        ("rounds", options.rounds),
        ("trees a pairing", options.trees_per_pairing),
        ("attempts", options.attempts),
    ] {
        if number == 0 {
            return Err(TournamentError::Nothing { what });
        }
    }
    if trees.len() < options.trees_per_pairing as usize {
        return Err(TournamentError::FewTrees {
            wanted: options.trees_per_pairing,
            found: trees.len(),
        });
    }
    Ok(trees.into_iter().collect())
}

/// What is known of a match.
#[derive(Clone, Debug, Default, PartialEq)]
struct Settled {
    result: Option<MatchResult>,
    /// Causes of failed attempts.
    failures: Vec<String>,
    attempts: u32,
}

impl Settled {
    fn is_open(&self) -> bool {
        self.result.is_none() && self.failures.len() < self.attempts as usize
    }
}

/// Folds the events of a round; their order plays no part.
fn settle<'a>(
    round: &'a Round,
    events: &[&Event],
    attempts: u32,
) -> Result<BTreeMap<&'a MatchKey, Settled>, TournamentError> {
    let matches = round.pairings.iter().flat_map(|pairing| &pairing.matches);
    let mut settled: BTreeMap<&MatchKey, Settled> = matches
        .map(|key| {
            let nothing = Settled {
                attempts,
                ..Settled::default()
            };
            (key, nothing)
        })
        .collect();
    for event in events {
        let Some(of) = settled.get_mut(event.key()) else {
            return Err(TournamentError::UnknownMatch(event.key().clone()));
        };
        let again = match event {
            Event::Ended { result, .. } => of.result.replace(*result).is_some(),
            Event::Failed { cause, .. } => {
                of.failures.push(cause.clone());
                false
            }
        };
        let tried = of.failures.len() + usize::from(of.result.is_some());
        if again || tried > attempts as usize {
            return Err(TournamentError::Settled(event.key().clone()));
        }
    }
    Ok(settled)
}

fn still_open(round: &Round, settled: &BTreeMap<&MatchKey, Settled>) -> Vec<MatchKey> {
    let matches = round.pairings.iter().flat_map(|pairing| &pairing.matches);
    matches
        .filter(|key| settled.get(key).is_some_and(Settled::is_open))
        .cloned()
        .collect()
}

/// What the rounds so far have told, agent by agent in the order of names.
struct History<'a> {
    names: &'a [String],
    rows: Vec<StandingsRow>,
    /// Pairings of two agents so far.
    meetings: Vec<Vec<u32>>,
    /// Matches of one agent against another with the first seat its own.
    first_seats: Vec<Vec<u32>>,
    games: Vec<Game>,
    /// The order of the first round, which also decides between equals later.
    seeding: Vec<usize>,
}

impl<'a> History<'a> {
    fn new(names: &'a [String], seed: u64) -> Self {
        let n = names.len();
        let mut seeding: Vec<usize> = (0..n).collect();
        seeding.shuffle(&mut generator(seed, 0));
        let row = |name: &String| StandingsRow {
            agent: name.clone(),
            ..StandingsRow::default()
        };
        Self {
            names,
            rows: names.iter().map(row).collect(),
            meetings: vec![vec![0; n]; n],
            first_seats: vec![vec![0; n]; n],
            games: Vec::new(),
            seeding,
        }
    }

    /// The agents by strength, the best first; equals in the order of the seeding.
    fn ranking(&self) -> Vec<usize> {
        let verdicts: Vec<Preference> = self.games.iter().copied().map(Preference::Pair).collect();
        let fit = fit(self.names.len(), &verdicts, &Model::plain(1, PRIOR), None);
        let mut ranking = self.seeding.clone();
        // In millionths of a logit, so that rounding does not decide between equals.
        ranking.sort_by_key(|agent| -(fit.strength[*agent] * 1e6).round() as i64);
        ranking
    }

    fn open(&self, number: u32, seed: u64, trees: &[String], options: &Options) -> Round {
        let ranking = if number == 1 {
            self.seeding.clone()
        } else {
            self.ranking()
        };
        let found = pair(
            &ranking,
            |one, other| self.meetings[one][other],
            |agent| self.rows[agent].byes,
        );
        let mut rng = generator(seed, u64::from(number));
        let mut drawn = trees.to_vec();
        drawn.shuffle(&mut rng);
        // The same trees for all pairings of a round: they are then alike for all.
        drawn.truncate(options.trees_per_pairing as usize);
        let pairings = found.pairs.into_iter().map(|(one, other)| {
            let (opener, other) = self.openers(one, other, rng.random());
            Pairing {
                matches: self.matches(number, opener, other, &drawn),
                opener: self.names[opener].clone(),
                other: self.names[other].clone(),
                rematch: self.meetings[opener][other] > 0,
            }
        });
        Round {
            round: number,
            pairings: pairings.collect(),
            bye: found.bye.map(|agent| self.names[agent].clone()),
        }
    }

    /// Of two agents the one first that has had the first seat less often: against the other, else
    /// at all, else by a coin.
    fn openers(&self, one: usize, other: usize, coin: bool) -> (usize, usize) {
        let lead = |agent: usize| {
            let row = &self.rows[agent];
            2 * i64::from(row.first_seats) - i64::from(row.matches)
        };
        let pair = self.first_seats[one][other].cmp(&self.first_seats[other][one]);
        match pair.then(lead(one).cmp(&lead(other))) {
            std::cmp::Ordering::Less => (one, other),
            std::cmp::Ordering::Equal if coin => (one, other),
            std::cmp::Ordering::Equal | std::cmp::Ordering::Greater => (other, one),
        }
    }

    fn matches(&self, round: u32, opener: usize, other: usize, trees: &[String]) -> Vec<MatchKey> {
        let key = |(at, tree): (usize, &String)| {
            let key = MatchKey {
                phase: Phase::Swiss,
                round,
                first: self.names[opener].clone(),
                second: self.names[other].clone(),
                tree: tree.clone(),
            };
            if at % 2 == 0 { key } else { key.swapped() }
        };
        trees.iter().enumerate().map(key).collect()
    }

    fn close(&mut self, round: &Round, settled: &BTreeMap<&MatchKey, Settled>) {
        for pairing in &round.pairings {
            let (Some(one), Some(other)) =
                (self.number(&pairing.opener), self.number(&pairing.other))
            else {
                continue;
            };
            self.meetings[one][other] += 1;
            self.meetings[other][one] += 1;
            for key in &pairing.matches {
                let Some(of) = settled.get(key) else { continue };
                let (first, second) = if key.first == pairing.opener {
                    (one, other)
                } else {
                    (other, one)
                };
                self.count(first, second, of);
            }
        }
        if let Some(agent) = round.bye.as_ref().and_then(|name| self.number(name)) {
            self.rows[agent].byes += 1;
        }
    }

    fn count(&mut self, first: usize, second: usize, of: &Settled) {
        if let Some(result) = of.result {
            self.rows[first].add(result, true);
            self.rows[second].add(result, false);
            self.first_seats[first][second] += 1;
            self.games.push(Game {
                first: first as u32,
                second: second as u32,
                judge: 0,
                score: result.score(),
            });
        }
        let without_result = of.result.is_none() && !of.is_open();
        for agent in [first, second] {
            self.rows[agent].add_failures(&of.failures, without_result);
        }
    }

    fn number(&self, name: &String) -> Option<usize> {
        self.names.binary_search(name).ok()
    }

    fn standings(&self) -> Vec<StandingsRow> {
        let ranking = self.ranking();
        ranking
            .iter()
            .map(|agent| self.rows[*agent].clone())
            .collect()
    }
}

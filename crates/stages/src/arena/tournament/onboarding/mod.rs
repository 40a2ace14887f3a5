//! Rating an agent that is new to a board: whom should it meet next, and when is it enough? Hides
//! the posterior of its strength.
//!
//! The next opponent is the one whose match is expected to tell most about the newcomer's strength
//! for its price: the mutual information of result and strength (Lindley, "On a measure of the
//! information provided by an experiment", Ann. Math. Stat. 27, 1956), divided by what a match
//! costs. An opponent's own uncertainty is shared by all its matches, so that meeting the same one
//! again and again tells less and less.

mod posterior;

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt as _, seq::SliceRandom as _};
use serde::{Deserialize, Serialize};

use super::{Event, MatchKey, Phase, TournamentError, generator};
pub(super) use posterior::Posterior;

/// An agent with a rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Known {
    /// The agent.
    pub agent: String,
    /// Its strength in logits.
    pub strength: f64,
    /// The standard deviation of its strength, in logits.
    pub deviation: f64,
    /// What a match of the newcomer against it is expected to cost, in dollars.
    pub cost_usd: f64,
}

/// How a new agent is rated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnboardingOptions {
    /// Names of the trees that there are.
    pub trees: Vec<String>,
    /// Matches of a step, each on another tree, seats exchanged from one to the next.
    pub trees_per_step: u32,
    /// How often a match is tried before it stays without a result.
    pub attempts: u32,
    /// Dollars that all matches may cost; a step that could cost more is not begun.
    pub cost_cap_usd: f64,
    /// Enough once the strength's standard deviation is at most so many logits.
    pub target_deviation: f64,
    /// Standard deviation of the strength before the first match, around the board's mean.
    pub prior_deviation: f64,
}

/// What is known of the newcomer, and what it should play.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Onboarding {
    /// Mean of its strength, in logits.
    pub strength: f64,
    /// Standard deviation of its strength, in logits.
    pub deviation: f64,
    /// Matches with a result.
    pub matches: u32,
    /// Matches that stay without a result.
    pub without_result: u32,
    /// Dollars that its matches have cost; a match of unknown cost counts as expected.
    pub spent_usd: f64,
    /// Steps that were begun.
    pub steps: u32,
    /// What is next.
    pub next: NextStep,
}

/// What a newcomer does next.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NextStep {
    /// It plays these matches, in any order.
    Play(Vec<MatchKey>),
    /// It is rated as precisely as was asked for.
    PreciseEnough,
    /// One more step could cost more than is left.
    CostCap,
}

/// Plans the onboarding of `newcomer` from its beginning. The same board, seed, options and events,
/// in any order, give the same plan. Takes a time that grows with steps × agents.
pub fn onboard(
    newcomer: &str,
    board: &[Known],
    seed: u64,
    options: &OnboardingOptions,
    events: &[Event],
) -> Result<Onboarding, TournamentError> {
    let board = checked(newcomer, board, options)?;
    let trees: BTreeSet<&String> = options.trees.iter().collect();
    let trees: Vec<&String> = trees.into_iter().collect();
    let mut left = Results::new(newcomer, events);
    let mut known = Posterior::new(&board, options.prior_deviation);
    let mut planned = Onboarding {
        strength: 0.0,
        deviation: options.prior_deviation,
        matches: 0,
        without_result: 0,
        spent_usd: 0.0,
        steps: 0,
        next: NextStep::PreciseEnough,
    };
    loop {
        (planned.strength, planned.deviation) = known.moments();
        if planned.deviation <= options.target_deviation {
            planned.next = NextStep::PreciseEnough;
            break;
        }
        let affordable = |of: &Known| {
            let most = of.cost_usd * f64::from(options.trees_per_step);
            planned.spent_usd + most <= options.cost_cap_usd
        };
        let Some(opponent) = known.choose(&board, affordable) else {
            planned.next = NextStep::CostCap;
            break;
        };
        planned.steps += 1;
        let matches = step(
            newcomer,
            &board[opponent].agent,
            planned.steps,
            seed,
            &trees,
            options,
        );
        let mut open = Vec::new();
        for key in matches {
            let Some(of) = left.take(&key, options.attempts)? else {
                open.push(key);
                continue;
            };
            planned.spent_usd += of.cost(board[opponent].cost_usd);
            match of.score {
                Some(score) => {
                    planned.matches += 1;
                    let own = if key.first == newcomer {
                        score
                    } else {
                        1.0 - score
                    };
                    known.add(opponent, own);
                }
                None => planned.without_result += 1,
            }
        }
        if !open.is_empty() {
            planned.next = NextStep::Play(open);
            (planned.strength, planned.deviation) = known.moments();
            break;
        }
    }
    left.none_left()?;
    Ok(planned)
}

fn checked(
    newcomer: &str,
    board: &[Known],
    options: &OnboardingOptions,
) -> Result<Vec<Known>, TournamentError> {
    let mut board = board.to_vec();
    board.sort_by(|a, b| a.agent.cmp(&b.agent));
    if board.is_empty() {
        return Err(TournamentError::FewAgents(1));
    }
    let names = board.windows(2).find(|pair| pair[0].agent == pair[1].agent);
    let twice = names.map(|pair| pair[0].agent.clone());
    let known = board.iter().find(|of| of.agent == newcomer);
    if let Some(twice) = twice.or_else(|| known.map(|of| of.agent.clone())) {
        return Err(TournamentError::TwiceNamed(twice));
    }
    let wanted = options.trees_per_step;
    let trees: BTreeSet<&String> = options.trees.iter().collect();
    for (what, number) in [("trees a step", wanted), ("attempts", options.attempts)] {
        if number == 0 {
            return Err(TournamentError::Nothing { what });
        }
    }
    if trees.len() < wanted as usize {
        let found = trees.len();
        return Err(TournamentError::FewTrees { wanted, found });
    }
    positive(
        "the cost cap",
        options.cost_cap_usd,
        "give it in dollars, such as 20",
    )?;
    positive(
        "the target deviation",
        options.target_deviation,
        "0.3 logits are 52 points",
    )?;
    positive(
        "the prior deviation",
        options.prior_deviation,
        "1.5 logits are 260 points",
    )?;
    for of in &board {
        positive(
            "the cost of a match",
            of.cost_usd,
            "estimate it from matches so far",
        )?;
        let finite = of.strength.is_finite() && of.deviation.is_finite();
        if !finite || of.deviation < 0.0 {
            return Err(TournamentError::NotPositive {
                what: "a rating of the board",
                value: format!("{} ± {}", of.strength, of.deviation),
                hint: "leave out agents without a rating",
            });
        }
    }
    Ok(board)
}

fn positive(what: &'static str, value: f64, hint: &'static str) -> Result<(), TournamentError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    let value = value.to_string();
    Err(TournamentError::NotPositive { what, value, hint })
}

/// The matches of a step: the newcomer begins in a seat that is drawn.
fn step(
    newcomer: &str,
    opponent: &str,
    step: u32,
    seed: u64,
    trees: &[&String],
    options: &OnboardingOptions,
) -> Vec<MatchKey> {
    let mut rng = generator(seed, u64::from(step));
    let mut trees = trees.to_vec();
    trees.shuffle(&mut rng);
    let begins = usize::from(rng.random::<bool>());
    let drawn = trees
        .iter()
        .take(options.trees_per_step as usize)
        .enumerate();
    let key = |(at, tree): (usize, &&String)| {
        let key = MatchKey {
            phase: Phase::Onboarding,
            round: step,
            first: newcomer.to_owned(),
            second: opponent.to_owned(),
            tree: (*tree).clone(),
        };
        if (at + begins) % 2 == 0 {
            key
        } else {
            key.swapped()
        }
    };
    drawn.map(key).collect()
}

/// A match that is settled.
struct SettledMatch {
    score: Option<f64>,
    known_cost: f64,
    unknown_costs: u32,
}

impl SettledMatch {
    fn cost(&self, expected: f64) -> f64 {
        self.known_cost + f64::from(self.unknown_costs) * expected
    }
}

/// The newcomer's events, by match.
struct Results<'a> {
    events: BTreeMap<&'a MatchKey, Vec<&'a Event>>,
}

impl<'a> Results<'a> {
    fn new(newcomer: &str, events: &'a [Event]) -> Self {
        let mut by_match: BTreeMap<&MatchKey, Vec<&Event>> = BTreeMap::new();
        for event in events {
            let key = event.key();
            let own = key.first == newcomer || key.second == newcomer;
            if key.phase == Phase::Onboarding && own {
                by_match.entry(key).or_default().push(event);
            }
        }
        Self { events: by_match }
    }

    /// What is settled of a match; none while it is to be played, or played again.
    fn take(
        &mut self,
        key: &MatchKey,
        attempts: u32,
    ) -> Result<Option<SettledMatch>, TournamentError> {
        let events = self.events.remove(key).unwrap_or_default();
        let ended = events.iter().filter_map(|event| match event {
            Event::Ended { result, .. } => Some(result.score()),
            Event::Failed { .. } => None,
        });
        let scores: Vec<f64> = ended.collect();
        if scores.len() > 1 || events.len() > attempts as usize {
            return Err(TournamentError::Settled(key.clone()));
        }
        if scores.is_empty() && events.len() < attempts as usize {
            return Ok(None);
        }
        // Summed in the order of size, so that the order of events plays no part.
        let mut costs: Vec<f64> = events.iter().filter_map(|event| event.cost_usd()).collect();
        costs.sort_by(f64::total_cmp);
        Ok(Some(SettledMatch {
            score: scores.first().copied(),
            known_cost: costs.iter().sum(),
            unknown_costs: (events.len() - costs.len()) as u32,
        }))
    }

    fn none_left(&self) -> Result<(), TournamentError> {
        let left = self.events.keys().next();
        left.map_or(Ok(()), |key| {
            Err(TournamentError::UnknownMatch((*key).clone()))
        })
    }
}

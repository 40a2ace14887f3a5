//! Strengths of agents from all their games, by Bradley–Terry: against one reference most systems
//! win nothing, and nothing tells them apart. A tie is half a win for either; judges may prefer the
//! report that is shown first.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use anyhow::Result;
use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Serialize;

use super::{
    COMPARISON,
    fold::{game, opponent, outcome, won},
};
use crate::{
    benchmarks::live_research_bench::depth::Decision,
    data::ReportHead,
    judging::compare::ShownFirst,
    stats::{
        bootstrap::{self, Estimate},
        pairwise::bradley_terry::{self, Game, Model, Preference},
    },
    store::Store,
};

/// Variance of the prior of strengths, in squared logits: an agent that wins all its games has a
/// finite strength.
const VARIANCE: f64 = 4.0;

/// What intervals and shares of resamples are drawn with.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    /// Resamples.
    pub resamples: usize,
    /// Of all that is drawn.
    pub seed: u64,
    /// The size of the top.
    pub top: u32,
}

/// The strengths of all agents with games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratings {
    /// Agents with a game on every task first, best first; the others below them.
    pub agents: Vec<AgentRating>,
    /// Tasks with games.
    pub tasks: u64,
    /// Share of the games that the report which is shown first wins, ties apart.
    pub first_wins: Option<f64>,
}

/// The strength of an agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentRating {
    /// Its name.
    pub agent: String,
    /// 1 for the strongest of those with a game on every task; none of the others. Equals share it.
    pub rank: Option<u32>,
    /// Share of the resamples in which it is among the first [`Options::top`] of those with a rank.
    ///
    /// [`Options::top`]: crate::evaluate::leaderboard::Options::top
    pub p_top_k: Option<f64>,
    /// Tasks that it has a game on.
    pub tasks: u64,
    /// Its strength in logits, 0 being the mean of the agents, with its interval over tasks.
    pub strength: Estimate,
    /// Its games; a comparison in both orders is two.
    pub games: u64,
    /// Those that it won, tied and lost.
    pub outcomes: [u64; 3],
}

/// A game between two agents.
#[derive(Clone, Copy, Debug)]
struct Played {
    first: u32,
    second: u32,
    judge: u32,
    outcome: Decision,
}

/// The strengths by all games of these reports; none without games.
pub fn ratings(store: &Store, reports: &[ReportHead], drawn: Drawn) -> Result<Option<Ratings>> {
    let evaluation = store.last_evaluation()?.unwrap_or_default();
    let judgements = store.panel_judgements(&evaluation)?;
    let agents: BTreeSet<&str> = reports.iter().map(|report| report.agent.as_str()).collect();
    let agents: Vec<&str> = agents.into_iter().collect();
    let number = |agent: &str| agents.binary_search(&agent).ok().map(|at| at as u32);
    let known: BTreeSet<&str> = reports.iter().map(|report| report.id.as_str()).collect();
    let mut judges: Vec<String> = Vec::new();
    let mut by_task: BTreeMap<&str, Vec<Played>> = BTreeMap::new();
    for report in reports {
        for judgement in judgements.read_bare(COMPARISON, report.id.as_str(), game)? {
            // The other report may be gone, or replaced by another one.
            if !known.contains(opponent(&judgement)) {
                continue;
            }
            let Ok(game) = judgement.outcome else {
                continue;
            };
            let sides = (number(&report.agent), number(&game.opponent));
            // Each game is known to both sides, and is counted where its report was shown first.
            let (ShownFirst::Subject, (Some(first), Some(second))) = (game.shown, sides) else {
                continue;
            };
            let place = judges.iter().position(|judge| *judge == judgement.judge);
            let judge = place.unwrap_or_else(|| {
                judges.push(judgement.judge.clone());
                judges.len() - 1
            });
            by_task
                .entry(report.task.as_str())
                .or_default()
                .push(Played {
                    first,
                    second,
                    judge: judge as u32,
                    outcome: outcome(game.difference),
                });
        }
    }
    if by_task.is_empty() {
        return Ok(None);
    }
    let clusters: Vec<Vec<Played>> = by_task.into_values().collect();
    Ok(Some(fitted(&agents, judges.len(), &clusters, drawn)))
}

fn fitted(agents: &[&str], judges: usize, clusters: &[Vec<Played>], drawn: Drawn) -> Ratings {
    let tasks_of = |agent: usize| clusters.iter().filter(|games| plays(games, agent)).count();
    let ranked: Vec<usize> = (0..agents.len())
        .filter(|agent| tasks_of(*agent) == clusters.len())
        .collect();
    let tops = RefCell::new(Tops::new(agents.len()));
    let model = Model::plain(judges, VARIANCE);
    let strengths = |games: &[&Played]| {
        let verdicts: Vec<Preference> = games.iter().map(|game| game.preference()).collect();
        let fit = bradley_terry::fit(agents.len(), &verdicts, &model, None);
        let strengths = centred(&fit.strength, games);
        tops.borrow_mut().add(&strengths, &ranked, drawn.top);
        strengths
    };
    let mut rng = ChaCha8Rng::seed_from_u64(drawn.seed);
    let strengths = bootstrap::statistics(clusters, drawn.resamples, &mut rng, strengths);
    let played = || clusters.iter().flatten();
    let mut rated: Vec<AgentRating> = agents
        .iter()
        .zip(strengths)
        .zip(0..)
        .filter_map(|((agent, strength), number)| {
            let outcomes = outcomes(played(), number);
            Some(AgentRating {
                agent: (*agent).to_owned(),
                rank: None,
                p_top_k: tops.borrow().share(number as usize),
                tasks: tasks_of(number as usize) as u64,
                strength: strength?,
                games: outcomes.iter().sum(),
                outcomes,
            })
        })
        .collect();
    let all = clusters.len() as u64;
    rated.sort_by(|a, b| {
        (a.tasks < all)
            .cmp(&(b.tasks < all))
            .then(b.strength.value.total_cmp(&a.strength.value))
            .then(a.agent.cmp(&b.agent))
    });
    let complete = rated.iter().filter(|of| of.tasks == all);
    let complete: Vec<f64> = complete.map(|of| of.strength.value).collect();
    for of in rated.iter_mut().filter(|of| of.tasks == all) {
        let above = complete.iter().filter(|other| **other > of.strength.value);
        of.rank = Some(1 + above.count() as u32);
    }
    let decisive = played().filter(|game| game.outcome != Decision::Tie);
    let n = decisive.clone().count();
    let first = decisive
        .filter(|game| game.outcome == Decision::Win)
        .count();
    Ratings {
        agents: rated,
        tasks: clusters.len() as u64,
        first_wins: (n > 0).then(|| first as f64 / n as f64),
    }
}

fn plays(games: &[Played], agent: usize) -> bool {
    let agent = agent as u32;
    games
        .iter()
        .any(|game| game.first == agent || game.second == agent)
}

/// How often each agent is among the first in a resample.
struct Tops {
    /// Fits so far; the first is of all data.
    fits: u32,
    sums: Vec<f64>,
}

impl Tops {
    fn new(agents: usize) -> Self {
        Self {
            fits: 0,
            sums: vec![f64::NAN; agents],
        }
    }

    fn add(&mut self, strengths: &[Option<f64>], ranked: &[usize], top: u32) {
        self.fits += 1;
        for &agent in ranked {
            let Some(own) = strengths[agent] else {
                continue;
            };
            let above = ranked.iter().filter(|other| strengths[**other] > Some(own));
            let is_top = f64::from(u8::from((above.count() as u32) < top));
            let sum = &mut self.sums[agent];
            *sum = if self.fits == 1 { 0.0 } else { *sum + is_top };
        }
    }

    fn share(&self, agent: usize) -> Option<f64> {
        let share = self.sums[agent] / f64::from(self.fits.saturating_sub(1));
        Some(share).filter(|share| share.is_finite())
    }
}

/// Strengths with mean 0 over the agents with games; the others have none.
fn centred(strengths: &[f64], games: &[&Played]) -> Vec<Option<f64>> {
    let mut plays = vec![false; strengths.len()];
    for game in games {
        plays[game.first as usize] = true;
        plays[game.second as usize] = true;
    }
    let known = || strengths.iter().zip(&plays).filter(|(_, plays)| **plays);
    let mean = known().map(|(strength, _)| strength).sum::<f64>() / known().count() as f64;
    let all = strengths.iter().zip(&plays);
    all.map(|(strength, plays)| plays.then_some(strength - mean))
        .collect()
}

impl Played {
    fn preference(&self) -> Preference {
        Preference::Pair(Game {
            first: self.first,
            second: self.second,
            judge: self.judge,
            score: won(self.outcome),
        })
    }
}

/// Games that an agent won, tied and lost.
fn outcomes<'g>(games: impl Iterator<Item = &'g Played>, agent: u32) -> [u64; 3] {
    let mut counts = [0; 3];
    for game in games {
        let place = match (game.outcome, game.first == agent, game.second == agent) {
            (_, false, false) => continue,
            (Decision::Tie, ..) => 1,
            (Decision::Win, true, _) | (Decision::Loss, false, _) => 0,
            _ => 2,
        };
        counts[place] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten tasks on which `a` beats `b`, `b` beats `c`, and `c` and `d` tie; the second half of the
    /// tasks is the same with the sides exchanged.
    #[test]
    fn the_order_of_strengths_is_found_with_intervals() {
        let game = |first, second, outcome| Played {
            first,
            second,
            judge: 0,
            outcome,
        };
        let one = vec![
            game(0, 1, Decision::Win),
            game(1, 0, Decision::Tie),
            game(1, 2, Decision::Win),
            game(2, 1, Decision::Loss),
            game(2, 3, Decision::Tie),
            game(3, 2, Decision::Tie),
        ];
        let other: Vec<Played> = one
            .iter()
            .map(|played| Played {
                outcome: match played.outcome {
                    Decision::Tie if played.first < 2 => Decision::Loss,
                    outcome => outcome,
                },
                ..*played
            })
            .collect();
        let clusters: Vec<Vec<Played>> = (0..10)
            .map(|at| {
                if at % 2 == 0 {
                    one.clone()
                } else {
                    other.clone()
                }
            })
            .collect();
        let drawn = Drawn {
            resamples: 200,
            seed: 7,
            top: 1,
        };
        let rated = fitted(&["a", "b", "c", "d"], 1, &clusters, drawn);
        let names: Vec<&str> = rated.agents.iter().map(|of| of.agent.as_str()).collect();
        // Of the last two, who tie, one has lost to the second as well.
        assert_eq!(names, ["a", "b", "d", "c"]);
        let of = |at: usize| rated.agents[at].strength.value;
        assert!(of(0) > of(1) + 0.5 && of(1) > of(2) + 0.5, "{rated:?}");
        assert!((of(2) - of(3)).abs() < 0.5, "{rated:?}");
        assert_eq!(rated.agents[0].outcomes, [15, 5, 0]);
        assert!(rated.agents[0].strength.interval.is_some());
        let sum: f64 = (0..4).map(of).sum();
        assert!(sum.abs() < 1e-9, "the mean is 0");
        assert_eq!(rated, fitted(&["a", "b", "c", "d"], 1, &clusters, drawn));
        let tops = rated.agents.iter().map(|of| of.p_top_k.expect("a share"));
        let tops: Vec<f64> = tops.collect();
        assert!(tops[0] > 0.95 && tops[2] < 0.05, "{tops:?}");
        // The strongest has no game on one of the tasks: it stands below, without a rank.
        let mut gap = clusters;
        gap[9].retain(|game| game.first != 0 && game.second != 0);
        let rated = fitted(&["a", "b", "c", "d"], 1, &gap, drawn);
        let ranks: Vec<_> = rated
            .agents
            .iter()
            .map(|of| (&*of.agent, of.rank))
            .collect();
        let expected = [("b", Some(1)), ("d", Some(2)), ("c", Some(3)), ("a", None)];
        assert_eq!(ranks, expected);
        assert_eq!((rated.agents[3].tasks, rated.agents[3].p_top_k), (9, None));
    }
}

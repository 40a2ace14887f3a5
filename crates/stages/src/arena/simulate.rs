//! Simulated arenas: agents of known strength, verdicts drawn from the proportional-odds model, and
//! the real stop rules, tournaments and ratings. Here is a design: how often is it wrong, and what
//! does it cost?

use rand::{Rng, RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use serde::Serialize;

use super::{
    matches::stop::{Ending, MatchResult, StopRule, difference},
    tournament::{Event, MatchKey, Options, Phase, TournamentError, plan},
};
use crate::stats::{
    binomial::{Share, wilson},
    pairwise::{
        Grade, GradedGame,
        bradley_terry::Game,
        ratings::{Thresholds, probabilities},
    },
};

/// How verdicts come about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Examiner {
    /// From which difference on a verdict names a winner, in logits.
    pub thresholds: Thresholds,
    /// What the first seat is worth, in logits.
    pub seat: f64,
}

impl Default for Examiner {
    /// The shares of grades and of wins by the first seat that were published: 29.8 % ties, 22.7 %
    /// much better, 54 % of decisive rounds.
    fn default() -> Self {
        Self {
            thresholds: Thresholds {
                better: 0.615,
                much_better: 2.056,
            },
            seat: 0.15,
        }
    }
}

impl Examiner {
    /// A verdict where the first is better by so many logits.
    pub fn grade(&self, difference: f64, rng: &mut impl Rng) -> Grade {
        let Thresholds {
            better,
            much_better,
        } = self.thresholds;
        let mut left: f64 = rng.random();
        for (grade, p) in probabilities(difference + self.seat, better, much_better) {
            left -= p;
            if left < 0.0 {
                return grade;
            }
        }
        // Rounding may leave a remainder behind the last grade.
        Grade::FirstMuchBetter
    }

    /// The grades of a match under a stop rule, and how it ended.
    pub fn play(
        &self,
        rule: &StopRule,
        difference: f64,
        rng: &mut impl Rng,
    ) -> (Vec<Grade>, Option<Ending>) {
        let mut grades = Vec::new();
        let rounds = std::iter::from_fn(|| {
            let grade = self.grade(difference, rng);
            grades.push(grade);
            Some(Some(grade))
        });
        let (_, ending) = rule.play(rounds);
        (grades, ending)
    }
}

/// How well a stop rule does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RuleFigures {
    /// Share of matches that name the worse of two.
    pub wrong: Share,
    /// Share of matches that name nobody.
    pub nobody: Share,
    /// Rounds of a match on average.
    pub rounds: f64,
}

/// Plays matches of two, of which the better one wins decisive rounds with probability
/// `superiority`, sits in either seat by turns, and finds no favour for a seat. None without
/// matches.
pub fn rule_figures(
    rule: &StopRule,
    superiority: f64,
    matches: u64,
    rng: &mut impl Rng,
) -> Option<RuleFigures> {
    let examiner = Examiner {
        seat: 0.0,
        ..Examiner::default()
    };
    let Thresholds {
        better,
        much_better,
    } = examiner.thresholds;
    let ahead = difference(superiority, better, much_better);
    let (mut wrong, mut nobody, mut rounds) = (0_u64, 0_u64, 0);
    for number in 0..matches {
        let (difference, worse) = if number % 2 == 0 {
            (ahead, MatchResult::Second)
        } else {
            (-ahead, MatchResult::First)
        };
        let (grades, ending) = examiner.play(rule, difference, rng);
        rounds += grades.len();
        match ending.map(|ending| ending.result) {
            None | Some(MatchResult::Tie | MatchResult::Undecided) => nobody += 1,
            Some(result) => wrong += u64::from(result == worse),
        }
    }
    Some(RuleFigures {
        wrong: wilson(wrong as f64, matches)?,
        nobody: wilson(nobody as f64, matches)?,
        rounds: rounds as f64 / matches as f64,
    })
}

/// Who meets whom in a simulated tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// The Swiss tournament, as it is.
    Swiss,
    /// Random pairs in every round, rematches allowed, with as many matches.
    Random,
}

/// The matches of a simulated tournament, agents by their number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Played {
    /// The results.
    pub matches: Vec<Game>,
    /// The verdicts of the rounds, match by match.
    pub rounds: Vec<Vec<GradedGame>>,
}

/// Plays a tournament of agents with these strengths, in logits. `result` makes a match out of the
/// first's lead over the second.
pub fn tournament(
    strength: &[f64],
    schedule: Schedule,
    options: &Options,
    seed: u64,
    mut result: impl FnMut(f64, &mut ChaCha8Rng) -> (Vec<Grade>, MatchResult),
) -> Result<Played, TournamentError> {
    let names: Vec<String> = (0..strength.len()).map(|at| format!("{at:06}")).collect();
    let number = |name: &str| names.binary_search_by(|of| of.as_str().cmp(name)).ok();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut played, mut events) = (Played::default(), Vec::new());
    for round in 1..=options.rounds {
        let keys = match schedule {
            Schedule::Swiss => plan(&names, seed, options, &events)?.to_play,
            Schedule::Random => random_round(&names, round, options, &mut rng),
        };
        for key in keys {
            let (Some(first), Some(second)) = (number(&key.first), number(&key.second)) else {
                continue;
            };
            let (grades, result) = result(strength[first] - strength[second], &mut rng);
            played.add(first as u32, second as u32, &grades, result);
            events.push(Event::Ended {
                key,
                result,
                grades,
                cost_usd: None,
            });
        }
    }
    Ok(played)
}

impl Played {
    fn add(&mut self, first: u32, second: u32, grades: &[Grade], result: MatchResult) {
        self.matches.push(Game {
            first,
            second,
            judge: 0,
            score: result.score(),
        });
        let round = |grade: &Grade| GradedGame {
            first,
            second,
            grade: *grade,
        };
        self.rounds.push(grades.iter().map(round).collect());
    }
}

fn random_round(
    names: &[String],
    round: u32,
    options: &Options,
    rng: &mut ChaCha8Rng,
) -> Vec<MatchKey> {
    let mut names = names.to_vec();
    names.shuffle(rng);
    let mut keys = Vec::new();
    for pair in names.chunks_exact(2) {
        for (at, tree) in options.trees.iter().enumerate() {
            if at >= options.trees_per_pairing as usize {
                break;
            }
            let key = MatchKey {
                phase: Phase::Swiss,
                round,
                first: pair[0].clone(),
                second: pair[1].clone(),
                tree: tree.clone(),
            };
            keys.push(if at % 2 == 0 { key } else { key.swapped() });
        }
    }
    keys
}

#[cfg(test)]
#[path = "simulate_tests.rs"]
mod tests;

//! Which of the tasks are best? Pairwise judgements, folded into strengths or, the paper's way
//! (RankEval), Elo ratings. Hides the pairing, the judge and the folds. Verdicts are stored;
//! ratings are computed from them on each read.

mod ask;
pub mod audit;
pub mod card;
mod duels;
mod fold;
pub mod halving;
pub mod import;
mod index;
mod judge;
pub mod pairing;
pub mod quota;
mod record;
mod roster;
mod rounds;
pub mod select;
pub mod simulate;

use std::time::Instant;

use anyhow::Result;
use serde::{Deserialize, Serialize};

pub use fold::{Estimate, Rated, Standing, counts, fold};
pub use pairing::Pair;

use crate::{
    context::{Context, Notice, StageReport},
    data::Task,
};

/// Judgements of each task, where nobody said how many in all.
const GAMES_EACH: u64 = 8;

/// Longer lists are not read with care.
const LIST_SIZES: std::ops::RangeInclusive<usize> = 3..=12;

/// A verdict takes some 200 bytes while strengths are fitted: so many take a gigabyte.
const MOST_CALLS: u64 = 5_000_000;
/// All rounds are drawn before the first question: so many of ten thousand tasks take a gigabyte.
/// The paper has 20.
const MOST_ROUNDS: u32 = 1000;

/// How the pairs are found and folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Sequential halving: pairs where they matter, Bradley–Terry strengths
    Halving,
    /// The same, but lists of several tasks in one call until the last stage
    Listwise,
    /// The paper's way: rounds of random pairs, Elo ratings
    Elo,
}

/// How to rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// How the pairs are found and folded.
    pub method: Method,
    /// How many of the best are to be found (not Elo).
    pub top: usize,
    /// Judgements at most (not Elo); 0 is four for each task, or as many lists as show each task
    /// eight times.
    pub budget_calls: u64,
    /// Ends earlier when so large a share of the best is expected to be found (not Elo); 1 never
    /// does.
    pub target_recall: f64,
    /// Share of the judgements that is asked a second time, to see how far the judge can be
    /// believed (not Elo).
    pub audit: f64,
    /// Tasks in a list (listwise).
    pub list_size: usize,
    /// Rounds; in each, every task meets one other (Elo).
    pub rounds: u32,
    /// The Elo factor K.
    pub elo_k: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::Halving,
            top: 100,
            budget_calls: 0,
            target_recall: 0.95,
            audit: 0.03,
            list_size: 8,
            rounds: 20,
            elo_k: 32.0,
        }
    }
}

impl Options {
    /// Judgements at most of so many tasks.
    fn calls(&self, tasks: usize) -> u64 {
        match self.method {
            _ if self.budget_calls > 0 => self.budget_calls,
            // A list is read for what four duels take.
            Method::Listwise => tasks as u64 * GAMES_EACH / self.list_size as u64,
            _ => tasks as u64 * GAMES_EACH / 2,
        }
    }

    /// Tasks that are shown at a time until the last stage.
    fn group(&self) -> usize {
        if self.method == Method::Listwise {
            self.list_size
        } else {
            2
        }
    }

    /// What is wrong with the values.
    pub fn check(&self) -> Result<(), String> {
        let share = |name: &str, value: f64, range: std::ops::RangeInclusive<f64>| {
            let (low, high) = (range.start(), range.end());
            let problem = || format!("rank.{name} must be between {low} and {high}: `{value}`");
            if range.contains(&value) {
                Ok(())
            } else {
                Err(problem())
            }
        };
        share("target_recall", self.target_recall, 0.0..=1.0)?;
        share("audit", self.audit, 0.0..=0.5)?;
        if self.budget_calls > MOST_CALLS {
            return Err(format!(
                "rank.budget_calls must be at most {MOST_CALLS}: `{}`",
                self.budget_calls
            ));
        }
        if self.rounds > MOST_ROUNDS {
            return Err(format!(
                "rank.rounds must be at most {MOST_ROUNDS}: `{}`",
                self.rounds
            ));
        }
        if !LIST_SIZES.contains(&self.list_size) {
            let (low, high) = (LIST_SIZES.start(), LIST_SIZES.end());
            return Err(format!(
                "rank.list_size must be between {low} and {high}: `{}`",
                self.list_size
            ));
        }
        if self.rounds == 0 {
            return Err("rank.rounds must be at least 1: `0`".into());
        }
        if self.top == 0 {
            return Err("rank.top must be at least 1: `0`".into());
        }
        if !self.elo_k.is_finite() || self.elo_k <= 0.0 {
            return Err(format!("rank.elo_k must be above 0: `{}`", self.elo_k));
        }
        Ok(())
    }
}

/// A judge whose verdicts have nothing to do with the tasks, as far as can be told: ranking goes no
/// further.
#[derive(Debug, thiserror::Error)]
#[error(
    "the judge `{judge}` cannot be told from chance after {n} verdicts (z = {z:.1}, {expected:.1} is usual)\nhint: look at `taskgen calls --role judge`, use another judge or prompt; the verdicts are kept"
)]
pub struct NoBetterThanChance {
    judge: String,
    n: u64,
    z: f64,
    expected: f64,
}

/// Asks for the verdicts that are missing, saves each at once, and notes the ranking's question.
pub async fn run(ctx: &Context, tasks: &[Task], options: &Options) -> Result<StageReport> {
    let started = Instant::now();
    let mut report = StageReport::new("rank");
    let done = match options.method {
        Method::Elo => rounds::run(ctx, tasks, options, &mut report).await,
        Method::Halving | Method::Listwise => duels::run(ctx, tasks, options, &mut report).await,
    };
    (ctx.notify)(Notice::End);
    done?;
    if tasks.len() == 1 {
        report
            .notes
            .push("one task cannot be ranked against another".into());
    }
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

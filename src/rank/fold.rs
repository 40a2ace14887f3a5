//! Verdicts into ratings: Elo in the order of rounds and pairs, whatever the order in which the verdicts arrived.
//! A missing or failed verdict moves nothing and is counted.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use super::{Options, pairing};
use crate::{
    data::TaskId,
    stats::elo,
    store::{Ranking, Store},
};

/// A task's place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rated {
    /// The task.
    pub task: TaskId,
    /// Its Elo rating.
    pub elo: f64,
    /// Games that counted.
    pub games: u32,
}

/// The tasks of a ranking, best first, and how much it rests on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Standing {
    /// Best first; equal ratings by id.
    pub rated: Vec<Rated>,
    /// Comparisons of the schedule.
    pub n_total: u64,
    /// Those with a verdict.
    pub n_scored: u64,
    /// The others by cause; `missing` ones were not asked yet.
    pub n_failed: BTreeMap<String, u64>,
}

/// Folds what the store has into the standing of `ranking`.
pub fn fold(store: &Store, ranking: &Ranking) -> Result<Standing> {
    let options: Options = serde_json::from_value(ranking.parameters.clone())?;
    let verdicts = store.comparisons(&ranking.panel)?;
    let mut rating: BTreeMap<TaskId, (f64, u32)> =
        ranking.items.iter().map(|id| (id.clone(), (elo::START, 0))).collect();
    let mut standing = Standing::default();
    for pair in pairing::schedule(&ranking.items, options.rounds, ranking.seed).into_iter().flatten() {
        standing.n_total += 1;
        let cause = match verdicts.get(&(pair.a.clone(), pair.b.clone(), 0)).map(|c| &c.outcome) {
            Some(Ok(verdict)) => {
                standing.n_scored += 1;
                let (a, b) = (rating[&pair.a].0, rating[&pair.b].0);
                let gain = elo::gain(a, b, verdict.score_a(), options.elo_k);
                for (id, change) in [(&pair.a, gain), (&pair.b, -gain)] {
                    if let Some((elo, games)) = rating.get_mut(id) {
                        *elo += change;
                        *games += 1;
                    }
                }
                continue;
            }
            Some(Err(unscored)) => unscored.cause.word(),
            None => "missing",
        };
        *standing.n_failed.entry(cause.to_owned()).or_default() += 1;
    }
    standing.rated = rating.into_iter().map(|(task, (elo, games))| Rated { task, elo, games }).collect();
    standing.rated.sort_by(|x, y| y.elo.total_cmp(&x.elo).then_with(|| x.task.cmp(&y.task)));
    Ok(standing)
}

//! Verdicts into ratings: Elo in the order of rounds and pairs, whatever the order in which the verdicts arrived.
//! A missing or failed verdict moves nothing and is counted.

use std::collections::{BTreeMap, BTreeSet};

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
    /// Comparisons of the schedule, once for each member of the panel.
    pub n_total: u64,
    /// Those with a verdict.
    pub n_scored: u64,
    /// The others by cause; `missing` ones were not asked yet.
    pub n_failed: BTreeMap<String, u64>,
}

/// Folds what the store has into the standing of `ranking`.
pub fn fold(store: &Store, ranking: &Ranking) -> Result<Standing> {
    let options: Options = serde_json::from_value(ranking.parameters.clone())?;
    let comparisons = store.comparisons(&ranking.panel)?;
    let members: BTreeSet<&str> = ranking.panel.iter().map(|judge| judge.model_asked.as_str()).collect();
    let mut rating: BTreeMap<TaskId, (f64, u32)> =
        ranking.items.iter().map(|id| (id.clone(), (elo::START, 0))).collect();
    let mut standing = Standing::default();
    for pair in pairing::schedule(&ranking.items, options.rounds, ranking.seed).into_iter().flatten() {
        let by_member = comparisons.get(&(pair.a.clone(), pair.b.clone()));
        let mut scores = Vec::new();
        for member in &members {
            standing.n_total += 1;
            let cause = match by_member.and_then(|of| of.get(*member)).map(|comparison| &comparison.outcome) {
                Some(Ok(verdict)) => {
                    scores.push(verdict.score_a());
                    continue;
                }
                Some(Err(unscored)) => unscored.cause.word(),
                None => "missing",
            };
            *standing.n_failed.entry(cause.to_owned()).or_default() += 1;
        }
        standing.n_scored += scores.len() as u64;
        if scores.is_empty() {
            continue;
        }
        // A panel's outcome is the mean of those of its members who decided.
        let outcome = scores.iter().sum::<f64>() / scores.len() as f64;
        let gain = elo::gain(rating[&pair.a].0, rating[&pair.b].0, outcome, options.elo_k);
        for (id, change) in [(&pair.a, gain), (&pair.b, -gain)] {
            if let Some((elo, games)) = rating.get_mut(id) {
                *elo += change;
                *games += 1;
            }
        }
    }
    standing.rated = rating.into_iter().map(|(task, (elo, games))| Rated { task, elo, games }).collect();
    standing.rated.sort_by(|x, y| y.elo.total_cmp(&x.elo).then_with(|| x.task.cmp(&y.task)));
    Ok(standing)
}

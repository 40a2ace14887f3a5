//! What a summary says of its run beside the stages: which run it was, which models were asked and
//! answered, and the scores that it led to.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::{evaluate::leaderboard::Leaderboard, llm::Counts};

/// The models of a role.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct RoleModels {
    /// As configured: a name, a list of names, or a name with parameters.
    pub requested: serde_json::Value,
    /// The models that the servers say answered in this run, those of calls on record too.
    pub returned: BTreeSet<String>,
}

/// The models by role: those that are configured, and those that answered.
pub fn models(
    requested: serde_json::Map<String, serde_json::Value>,
    counts: &Counts,
) -> BTreeMap<String, RoleModels> {
    let mut models: BTreeMap<String, RoleModels> = BTreeMap::new();
    for (role, requested) in requested {
        models.entry(role).or_default().requested = requested;
    }
    for (role, names) in &counts.returned {
        let of_role = models.entry(role.clone()).or_default();
        of_role.returned.clone_from(names);
    }
    models
}

/// An agent's score by a measure.
#[derive(Debug, PartialEq, Serialize)]
pub struct ScoreLine {
    /// The measure.
    name: &'static str,
    /// The agent.
    agent: String,
    /// None where it cannot be computed.
    value: Option<f64>,
    /// Lower end of its 95 % interval.
    ci_low: Option<f64>,
    /// Upper end.
    ci_high: Option<f64>,
    /// Tasks.
    n_total: u64,
    /// Those with a value.
    n_scored: u64,
    /// The others, by cause.
    n_failed: BTreeMap<String, u64>,
}

/// The scores of a leaderboard, of measures with a value of any agent.
pub fn scores(board: &Leaderboard) -> Vec<ScoreLine> {
    let rows = || board.whole.agents.iter();
    let mut lines = Vec::new();
    for row in rows() {
        for (name, found) in &row.measures {
            if rows().all(|row| row.value(name).is_none()) {
                continue;
            }
            lines.push(ScoreLine {
                name,
                agent: row.agent.clone(),
                value: found.value,
                ci_low: found.low,
                ci_high: found.high,
                n_total: found.of,
                n_scored: found.n,
                n_failed: found.missing.clone(),
            });
        }
    }
    lines
}

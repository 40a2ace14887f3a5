//! Judges of the newest evaluation that failed their hidden probes, and went on because they were
//! accepted.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::{
    data::{HIDDEN_RATING, HIDDEN_RELATION},
    judging::hidden::{ProbeResult, results_of},
    store::Store,
};

/// The results of judges whose verdicts count on a leaderboard although they failed their probes.
pub fn failed_judges(store: &Store) -> Result<Vec<ProbeResult>> {
    let evaluation = store.last_evaluation()?;
    let panels: BTreeSet<(String, String)> = evaluation
        .into_iter()
        .flat_map(|evaluation| evaluation.instruments)
        .flat_map(|instrument| instrument.panel)
        .collect();
    let mut failed = Vec::new();
    for instrument in [HIDDEN_RATING, HIDDEN_RELATION] {
        let answers = store.hidden_answers(instrument)?;
        let results = results_of(&answers, |judge| {
            panels.contains(&(judge.model_asked.clone(), judge.prompt_hash.clone()))
        });
        failed.extend(results.into_values().filter(|of| of.test.has_failed()));
    }
    Ok(failed)
}

//! Reports with their scores, as they are exported.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::{
    data::{ReportHead, ReportRecord, State, Task, TaskId},
    evaluate::{self, scorecard::ReportScores},
    store::Store,
};

/// The reports on tasks with what the newest evaluation scored, in the order of tasks, agents and
/// attempts.
pub fn on(store: &Store, tasks: &[Task]) -> Result<Vec<ReportRecord>> {
    let heads = store.report_heads()?;
    let scored = evaluate::scored(store, tasks, &heads)?;
    let scored: BTreeMap<&str, &ReportScores> =
        scored.iter().map(|of| (of.report.as_str(), of)).collect();
    let mut by_task = BTreeMap::<&TaskId, Vec<&ReportHead>>::new();
    for head in &heads {
        by_task.entry(&head.task).or_default().push(head);
    }
    let mut records = Vec::new();
    for task in tasks {
        let mut of_task = by_task.remove(&task.id).unwrap_or_default();
        of_task.sort_by(|a, b| (&a.agent, a.attempt).cmp(&(&b.agent, b.attempt)));
        for head in of_task {
            let text = match head.state {
                State::Ok => store.report_text(&head.id)?,
                _ => String::new(),
            };
            let mut record = ReportRecord {
                id: head.id.clone(),
                task: task.id.clone(),
                agent: head.agent.clone(),
                attempt: head.attempt,
                state: head.state,
                text,
                scores: BTreeMap::new(),
                unscored: BTreeMap::new(),
                trajectory: store.trajectory(&head.id)?,
            };
            if let Some(found) = scored.get(head.id.as_str()) {
                add_scores(&mut record, found);
            }
            records.push(record);
        }
    }
    Ok(records)
}

fn add_scores(record: &mut ReportRecord, found: &ReportScores) {
    for measure in evaluate::measures() {
        let key = measure.key.to_owned();
        match found.score(measure.key).map(|score| &score.outcome) {
            Some(Ok(fraction)) => {
                record.scores.insert(key, fraction.value());
            }
            Some(Err(cause)) => {
                record.unscored.insert(key, cause.to_string());
            }
            // An evaluator that was not used says nothing.
            None => {}
        }
    }
}

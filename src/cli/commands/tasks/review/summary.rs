//! The summary of a review of tasks: decisions so far, what they come to, and how people agree.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Decisions, on};
use crate::{
    cli::{
        commands::people::{self, Pair},
        ui::output::in_brackets,
    },
    data::{Curated, Standing, Task, TaskDecision, TaskFault},
};

/// The end of a session.
#[derive(Serialize)]
pub struct Summary {
    reviewer: String,
    accepted: u64,
    pinned: u64,
    /// Rejected ones by fault.
    rejected: BTreeMap<String, u64>,
    /// Those that this reviewer has not judged.
    left: usize,
    /// Current tasks by what people's decisions come to.
    standings: BTreeMap<Standing, u64>,
    /// Of each two people who judged the same.
    people: Vec<Pair>,
}

/// The summary of `reviewer` over the current tasks.
pub fn summarize(reviewer: &str, tasks: &[Task], decisions: &Decisions) -> Summary {
    let mut summary = Summary {
        reviewer: reviewer.to_owned(),
        accepted: 0,
        pinned: 0,
        rejected: BTreeMap::new(),
        left: 0,
        standings: BTreeMap::new(),
        people: Vec::new(),
    };
    let mut all_votes = Vec::new();
    for task in tasks {
        let (votes, standing) = on(decisions, &task.id);
        *summary.standings.entry(standing).or_default() += 1;
        all_votes.push(votes);
        let mut own = decisions.get(&task.id).into_iter().flatten();
        match own.find(|of| of.by == reviewer) {
            None => summary.left += 1,
            Some(own) => summary.count(own),
        }
    }
    summary.people = people::agreement(all_votes.iter());
    summary
}

impl Summary {
    fn count(&mut self, decision: &TaskDecision) {
        match decision.verdict {
            Curated::Accepted => self.accepted += 1,
            Curated::Pinned => self.pinned += 1,
            Curated::Rejected => {
                let fault = decision.fault.map_or("no reason", TaskFault::word);
                *self.rejected.entry(fault.to_owned()).or_default() += 1;
            }
        }
    }
}

/// The summary for people.
pub fn text(of: &Summary) -> String {
    let rejected: u64 = of.rejected.values().sum();
    let faults = in_brackets(&of.rejected);
    let mut out = format!(
        "{}: {} accepted, {} pinned, {rejected} rejected{faults}, {} left",
        of.reviewer, of.accepted, of.pinned, of.left
    );
    let standings = of.standings.iter();
    let standings: Vec<String> = standings
        .map(|(standing, n)| format!("{n} {}", standing.word()))
        .collect();
    out.push_str(&format!("\nall people together: {}", standings.join(", ")));
    out.push_str(&people::agreement_text(&of.people));
    if of.standings.contains_key(&Standing::Disputed) {
        out.push_str(
            "\nhint: `taskgen tasks review --disputed` settles them; until then `tasks select` leaves them out",
        );
    }
    out
}

//! From stored verdicts on citations to errors of a report.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{ACCURACY, CITATION, E1, E2, E3, ERRORS, PLANNED, gone::Gone, plan::Plan};
use crate::{
    data::{Cause, Judgement, Score, Scores, Task},
    evaluate::{
        decide,
        evaluator::{Fold, Folded, Record, Reported, about},
    },
    evidence::citation::Citing,
    store::{Evaluation, StoredJudgement},
};

/// Scores reports by what became of their citations.
pub struct AccuracyFold {
    is_in_force: bool,
}

impl AccuracyFold {
    pub fn new(evaluation: &Evaluation) -> Self {
        Self {
            is_in_force: !evaluation.in_force(CITATION).panel.is_empty(),
        }
    }
}

impl Fold for AccuracyFold {
    fn score(&self, record: &Record<'_>, _task: &Task, report: Reported<'_>) -> Result<Folded> {
        let mut folded = Folded::default();
        if !self.is_in_force {
            return Ok(folded);
        }
        let id = report.id.as_str();
        let plans = record.judgements.read_bare(PLANNED, id, plan)?;
        let Some(plan) = plans.into_iter().find_map(|of| of.outcome.ok()) else {
            let keys = [ACCURACY, ERRORS, E1, E2, E3];
            folded.scores = Scores::from(keys.map(|key| (key, Score::missing("unscored"))));
            return Ok(folded);
        };
        let verdicts = record.judgements.read_bare(CITATION, id, citing)?;
        let found = Found::of(plan, &verdicts);
        folded.scores = found.scores();
        folded.unscored = found.unscored;
        Ok(folded)
    }
}

fn plan(stored: &StoredJudgement<'_>) -> Result<Plan> {
    stored.payload()
}

fn citing(stored: &StoredJudgement<'_>) -> Result<Citing> {
    stored.label()
}

/// What became of the citations of a report.
struct Found {
    supported: u64,
    irrelevant: u64,
    unsupported: u64,
    gone: BTreeMap<Gone, u64>,
    /// Those in none of these, by cause.
    unscored: BTreeMap<String, u64>,
}

impl Found {
    fn of(plan: Plan, verdicts: &[Judgement<Citing, Cause>]) -> Self {
        let mut found = Self {
            supported: 0,
            irrelevant: 0,
            unsupported: 0,
            gone: plan.gone,
            unscored: BTreeMap::new(),
        };
        // What the plan does not name was asked about another page or other words.
        for id in &plan.citations {
            let said = about(verdicts, id)
                .iter()
                .map(|judgement| judgement.outcome);
            match decide(said) {
                Ok(Citing::Supported) => found.supported += 1,
                Ok(Citing::Irrelevant) => found.irrelevant += 1,
                Ok(Citing::Unsupported) => found.unsupported += 1,
                Err(cause) => *found.unscored.entry(cause).or_default() += 1,
            }
        }
        for (cause, n) in plan.unread {
            *found.unscored.entry(format!("page {cause}")).or_default() += n;
        }
        if plan.over_limit > 0 {
            found
                .unscored
                .insert("over_limit".to_owned(), plan.over_limit);
        }
        found
    }

    /// The errors, and the share of right citations; a citation whose page could not be read, or
    /// that nobody could judge, is in none.
    fn scores(&self) -> Scores {
        let e1: u64 = self.gone.values().sum();
        let errors = e1 + self.irrelevant + self.unsupported;
        let decided = self.supported + errors;
        let unscored = self.unscored.values().sum();
        let with = |score: Score| Score { unscored, ..score };
        let count = |n: u64| match (decided, unscored) {
            // Nothing could be checked: no errors were found, and none were looked for.
            (0, 1..) => with(Score::missing("unscored")),
            _ => with(Score::ratio(n as f64, 1.0)),
        };
        let share = match (decided, unscored) {
            (0, 0) => Score::missing("no citations"),
            (0, _) => Score::missing("unscored"),
            _ => Score::ratio(self.supported as f64, decided as f64),
        };
        let mut scores = Scores::from([
            (ACCURACY, with(share)),
            (ERRORS, count(errors)),
            (E1, count(e1)),
            (E2, count(self.irrelevant)),
            (E3, count(self.unsupported)),
        ]);
        for gone in Gone::ALL {
            let n = self.gone.get(&gone).copied().unwrap_or_default();
            scores.insert(gone.key(), count(n));
        }
        scores
    }
}

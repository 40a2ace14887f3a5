//! What probes found of tasks: judgements whose subject is a task.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::json;

use super::{
    Judge, Store, from_word,
    judgements::{Decided, Fact, Instrument},
    to_word,
};
use crate::data::{CallId, Finding, Outcome, Probe, TaskId, Unscored, id};

const CLOSED_BOOK: Instrument = Instrument {
    id: "probe.closed_book",
    family: "probe",
    criterion: "closed_book",
    scale: "needs_research, partly_known, known",
};
const DELIVERABLE: Instrument = Instrument {
    id: "probe.deliverable",
    family: "probe",
    criterion: "deliverable",
    scale: "judgeable, vague, several, missing",
};

fn instrument(probe: Probe) -> Instrument {
    match probe {
        Probe::ClosedBook => CLOSED_BOOK,
        Probe::Deliverable => DELIVERABLE,
    }
}

impl Store {
    /// Keeps what a probe found of a task (the outcome and why), or why there is no answer.
    pub fn save_finding(
        &self,
        task: &TaskId,
        probe: Probe,
        found: &Result<(Outcome, String), Unscored>,
        judge: &Judge,
        call: &CallId,
    ) -> Result<()> {
        let instrument = instrument(probe);
        let note = match found {
            Ok((_, note)) => note,
            Err(unscored) => &unscored.reason,
        };
        self.put(&Fact {
            instrument,
            id: id::text(
                'f',
                &[instrument.id, task.as_str(), &judge.id(), call.as_str()],
            ),
            subject: task.as_str(),
            other: None,
            judge,
            sample: 0,
            decided: found.as_ref().map(|(outcome, _)| Decided {
                value: None,
                label: to_word(outcome),
                confidence: None,
            }),
            payload: json!({ "reason": note }),
            call,
        })?;
        Ok(())
    }

    /// The newest findings of each task, by probe.
    pub fn findings(&self) -> Result<BTreeMap<TaskId, Vec<Finding>>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT j.subject, j.label, coalesce(json_extract(j.payload, '$.reason'), ''), coalesce(who.model_asked, '')
             FROM judgement j JOIN judge who ON who.id = j.judge
             WHERE j.instrument = ?1 AND j.state = 'scored' ORDER BY j.run, j.rowid",
        )?;
        let mut all = BTreeMap::<TaskId, Vec<Finding>>::new();
        for probe in Probe::ALL {
            let rows = statement.query_map([instrument(probe).id], |row| {
                let outcome = from_word(1, &row.get::<_, String>(1)?)?;
                let finding = Finding {
                    probe,
                    outcome,
                    note: row.get(2)?,
                    by: row.get(3)?,
                };
                Ok((TaskId::from_stored(row.get(0)?), finding))
            })?;
            // A later one takes the place of an earlier one.
            let newest: BTreeMap<TaskId, Finding> = rows.collect::<rusqlite::Result<_>>()?;
            for (task, finding) in newest {
                all.entry(task).or_default().push(finding);
            }
        }
        Ok(all)
    }
}

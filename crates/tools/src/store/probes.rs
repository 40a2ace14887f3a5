//! What probes found of tasks: judgements whose subject is a task.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{Store, from_word};
use crate::data::{Finding, Probe, TaskId};

impl Store {
    /// The newest findings of each task, by probe.
    pub fn findings(&self) -> Result<BTreeMap<TaskId, Vec<Finding>>> {
        self.read_findings(None)
    }

    /// The newest findings of a task, by probe.
    pub fn findings_on(&self, task: &TaskId) -> Result<Vec<Finding>> {
        let mut found = self.read_findings(Some(task))?;
        Ok(found.remove(task).unwrap_or_default())
    }

    fn read_findings(&self, only: Option<&TaskId>) -> Result<BTreeMap<TaskId, Vec<Finding>>> {
        // Two statements: with a condition that may be none, the index is not used.
        let of_task = only.map_or("?2 IS NULL", |_| "j.subject = ?2");
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT j.subject, j.label, coalesce(json_extract(j.payload, '$.reason'), ''), coalesce(who.model_asked, '')
                 FROM judgement j JOIN judge who ON who.id = j.judge
                 WHERE j.instrument = ?1 AND j.state = 'scored' AND {of_task} ORDER BY j.run, j.rowid"
            ))?;
            let mut all = BTreeMap::<TaskId, Vec<Finding>>::new();
            for probe in Probe::ALL {
                let values = (probe.instrument().id, only.map(TaskId::as_str));
                let rows = statement.query_map(values, |row| {
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
        })
    }
}

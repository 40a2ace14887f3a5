//! Reports of research agents. Their text never changes; a later one for the same attempt is another report.

use std::collections::BTreeMap;

use anyhow::Result;
use rusqlite::{OptionalExtension as _, Row, params};

use super::{Store, from_json, from_word, runs::add_event};
use crate::data::{AgentReport, ReportId, Spent, TaskId, id};

impl Store {
    /// Keeps a report, and returns whether it is a new one.
    pub fn save_report(&self, report: &AgentReport) -> Result<bool> {
        let (run, stream) = (self.run, self.stream());
        let agent = id::text('a', &[&report.agent]);
        let spent = serde_json::to_string(&report.spent)?;
        // What no machine can have written is only in the payload.
        let count = |n: Option<u64>| n.and_then(|n| i64::try_from(n).ok());
        self.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO agent (id, name, config_hash, version, run) VALUES (?1, ?2, '', '', ?3)",
                params![agent, report.agent, run],
            )?;
            let known = tx
                .query_row("SELECT 1 FROM document WHERE id = ?1", [report.id.as_str()], |_| Ok(()))
                .optional()?
                .is_some();
            // Handed in again, it is the newest of its attempt again.
            add_event(tx, "reports", "handed_in", &format!("\"{}\"", report.id))?;
            if known {
                return Ok(false);
            }
            tx.execute(
                "INSERT INTO document
                    (id, kind, task, agent, attempt, state, text, input_tokens, output_tokens, cost_micro, ms, payload, run)
                 VALUES (?1, 'report', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                params![
                    report.id.as_str(),
                    report.task.as_str(),
                    agent,
                    report.attempt,
                    report.state.word(),
                    report.text,
                    count(report.spent.input_tokens),
                    count(report.spent.output_tokens.or(report.spent.tokens)),
                    report.spent.cost_usd.map(|usd| (usd * 1e6).round() as i64),
                    report.spent.seconds.map(|seconds| (seconds * 1e3).round() as i64),
                    spent,
                    run
                ],
            )?;
            add_event(tx, &stream, "report", report.id.as_str())?;
            Ok(true)
        })
    }

    /// The newest report of each agent, task and attempt, by task, agent and attempt.
    pub fn reports(&self) -> Result<Vec<AgentReport>> {
        let connection = self.connection();
        let mut events =
            connection.prepare_cached("SELECT payload, seq FROM event WHERE stream = 'reports' ORDER BY seq")?;
        let handed_in = events.query_map([], |row| Ok((from_json(0, &row.get::<_, String>(0)?)?, row.get(1)?)))?;
        let handed_in: BTreeMap<String, i64> = handed_in.collect::<rusqlite::Result<_>>()?;
        let mut statement = connection.prepare_cached(
            "SELECT document.id, task, name, attempt, state, text, document.payload
             FROM document JOIN agent ON agent.id = document.agent WHERE document.kind = 'report'",
        )?;
        let mut newest: BTreeMap<(TaskId, String, u32), (i64, AgentReport)> = BTreeMap::new();
        for report in statement.query_map([], read)? {
            let report = report?;
            let seq = handed_in.get(report.id.as_str()).copied().unwrap_or_default();
            let key = (report.task.clone(), report.agent.clone(), report.attempt);
            if newest.get(&key).is_none_or(|(known, _)| *known < seq) {
                newest.insert(key, (seq, report));
            }
        }
        Ok(newest.into_values().map(|(_, report)| report).collect())
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<AgentReport> {
    let spent: Spent = from_json(6, &row.get::<_, String>(6)?)?;
    Ok(AgentReport {
        id: ReportId::from_stored(row.get(0)?),
        task: TaskId::from_stored(row.get(1)?),
        agent: row.get(2)?,
        attempt: row.get(3)?,
        state: from_word(4, &row.get::<_, String>(4)?)?,
        text: row.get(5)?,
        spent,
    })
}

//! Reports of research agents. Their text never changes; a later one for the same attempt is
//! another report.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use anyhow::Result;
use rusqlite::{OptionalExtension as _, Row, params};

use super::{Store, Tx, from_json, from_word, runs::add_event, seal, trajectories};
use crate::data::{
    AgentReport, AttemptCost, Citation, ReadReport, Reading, ReportHead, ReportId, Statement,
    StatementId, TaskId, Trajectory, id,
};

/// Kind of the event with which making reports again begins.
const BEGUN: &str = "begun";

/// The stream of events about making an agent's reports again.
fn fresh(agent: &str) -> String {
    format!("fresh:{agent}")
}

impl Store {
    /// Keeps a report, and returns whether it is a new one. `maker` tells what the agent was when
    /// it made it; none where that is not known here.
    pub fn save_report(&self, report: &AgentReport, maker: Option<&str>) -> Result<bool> {
        self.save_answer(report, maker, None)
    }

    /// The same with what the agent did on its way to the report.
    pub fn save_answer(
        &self,
        report: &AgentReport,
        maker: Option<&str>,
        trajectory: Option<&Trajectory>,
    ) -> Result<bool> {
        let (run, stream) = (self.run, self.stream());
        let agent = id::text('a', &[&report.agent]);
        let mut payload = serde_json::to_value(report.spent)?;
        payload["seal"] = seal::seal([report.text.as_str()]).into();
        if let Some(maker) = maker {
            payload["maker"] = maker.into();
        }
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
                // The same words, and nobody's before: the agent that says them now is their maker.
                if let Some(maker) = maker {
                    // The text is never written again; what was read out of it is a conclusion and
                    // may be replaced.
                    let sql = "UPDATE document SET payload = json_set(payload, '$.maker', ?2) WHERE id = ?1";
                    tx.execute(sql, params![report.id.as_str(), maker])?;
                }
                if let Some(trajectory) = trajectory {
                    trajectories::save(tx, &report.id, trajectory, run)?;
                }
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
                    payload.to_string(),
                    run
                ],
            )?;
            if let Some(trajectory) = trajectory {
                trajectories::save(tx, &report.id, trajectory, run)?;
            }
            add_event(tx, &stream, "report", report.id.as_str())?;
            Ok(true)
        })
    }

    /// The newest report of each agent, task and attempt, by task, agent and attempt.
    pub fn reports(&self) -> Result<Vec<AgentReport>> {
        let reports = self.newest("document.text", sealed_text)?;
        self.read(|_| reports.into_iter().map(intact).collect())
    }

    /// The same without their texts, which may be long.
    pub fn report_heads(&self) -> Result<Vec<ReportHead>> {
        self.newest("NULL", |_| Ok(()))
    }

    /// All reports as they are stored, those too that a later one of the same attempt has replaced, by
    /// id. A text that another program changed is among them: it must be possible to remove it.
    pub fn all_reports(&self) -> Result<Vec<AgentReport>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&select_reports("document.text"))?;
            let rows = statement.query_map([], |row| read_report(row, |row| row.get(6)))?;
            let mut reports: Vec<AgentReport> = rows.collect::<rusqlite::Result<_>>()?;
            reports.sort_by(|a, b| a.id.cmp(&b.id));
            Ok(reports)
        })
    }

    /// Removes reports. What was judged of them stays: handed in again, they have their scores.
    pub fn remove_reports(&self, reports: &[&ReportId]) -> Result<()> {
        let stream = self.stream();
        self.write(|tx| {
            for report in reports {
                tx.execute("DELETE FROM document WHERE id = ?1", [report.as_str()])?;
                add_event(tx, &stream, "report_removed", report.as_str())?;
            }
            // Last: each looks for citations of its own, of which few are left by now.
            for report in reports {
                tx.execute("DELETE FROM statement WHERE source = ?1", [report.as_str()])?;
            }
            Ok(())
        })
    }

    fn newest<T>(
        &self,
        text: &str,
        read_text: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<AgentReport<T>>> {
        self.read(|connection| {
            let mut events = connection.prepare_cached(
                "SELECT payload, seq FROM event WHERE stream = 'reports' ORDER BY seq",
            )?;
            let handed_in = events.query_map([], |row| {
                Ok((from_json(0, row.get_ref(0)?.as_str()?)?, row.get(1)?))
            })?;
            let handed_in: BTreeMap<String, i64> = handed_in.collect::<rusqlite::Result<_>>()?;
            let mut statement = connection.prepare_cached(&select_reports(text))?;
            let mut newest: BTreeMap<(TaskId, String, u32), (i64, AgentReport<T>)> =
                BTreeMap::new();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let report = read_report(row, &read_text)?;
                let seq = handed_in
                    .get(report.id.as_str())
                    .copied()
                    .unwrap_or_default();
                let key = (report.task.clone(), report.agent.clone(), report.attempt);
                if newest.get(&key).is_none_or(|(known, _)| *known < seq) {
                    newest.insert(key, (seq, report));
                }
            }
            Ok(newest.into_values().map(|(_, report)| report).collect())
        })
    }

    /// What an agent was when it made each of its reports, where that is known.
    pub fn makers(&self, agent: &str) -> Result<BTreeMap<ReportId, String>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT document.id, document.payload ->> '$.maker' FROM document JOIN agent ON agent.id = document.agent
                 WHERE agent.name = ?1 AND document.kind = 'report' AND document.payload ->> '$.maker' IS NOT NULL",
            )?;
            let rows = statement.query_map([agent], |row| {
                Ok((ReportId::from_stored(row.get(0)?), row.get(1)?))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Begins to make an agent's reports again, or goes on where that was stopped: the attempts
    /// that were made since it began.
    pub fn begin_fresh(&self, agent: &str) -> Result<BTreeSet<(TaskId, u32)>> {
        let stream = fresh(agent);
        let begun = self.write(|tx| {
            let last: Option<(String, i64)> = tx
                .query_row(
                    "SELECT kind, CAST(payload AS INTEGER) FROM event WHERE stream = ?1 ORDER BY seq DESC LIMIT 1",
                    [&stream],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            if let Some((kind, begun)) = last
                && kind == BEGUN
            {
                return Ok(begun);
            }
            let now: i64 = tx.query_row(
                "SELECT coalesce(max(seq), 0) FROM event WHERE stream = 'reports'",
                [],
                |row| row.get(0),
            )?;
            add_event(tx, &stream, BEGUN, &now.to_string())?;
            Ok(now)
        })?;
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT document.task, document.attempt FROM event
                 JOIN document ON document.id = event.payload ->> '$'
                 JOIN agent ON agent.id = document.agent
                 WHERE event.stream = 'reports' AND event.seq > ?1 AND agent.name = ?2",
            )?;
            let rows = statement.query_map(params![begun, agent], |row| {
                Ok((TaskId::from_stored(row.get(0)?), row.get(1)?))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Notes that all of an agent's reports were made again.
    pub fn end_fresh(&self, agent: &str) -> Result<()> {
        self.write(|tx| add_event(tx, &fresh(agent), "ended", "0"))
    }

    /// The report of an id without its text, whether or not a later one of its attempt has replaced
    /// it.
    pub fn report_head(&self, id: &ReportId) -> Result<Option<ReportHead>> {
        self.read(|connection| {
            let sql = format!("{} AND document.id = ?1", select_reports("NULL"));
            let mut statement = connection.prepare_cached(&sql)?;
            let head = statement.query_row([id.as_str()], |row| read_report(row, |_| Ok(())));
            Ok(head.optional()?)
        })
    }

    /// The text of a report.
    pub fn report_text(&self, report: &ReportId) -> Result<String> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT text, payload ->> '$.seal' FROM document WHERE id = ?1")?;
            let (text, sealed): (String, Option<String>) =
                statement.query_row([report.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
            seal::check(
                "report",
                report.as_str(),
                sealed.as_deref(),
                [text.as_str()],
            )?;
            Ok(text)
        })
    }

    /// What one of these versions of the reader read out of a report, if that is on record; what
    /// others read may have other fields.
    pub fn reading(
        &self,
        report: &ReportId,
        versions: RangeInclusive<u32>,
    ) -> Result<Option<Reading>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT payload -> '$.reading' FROM document WHERE id = ?1 AND payload ->> '$.reading.version' BETWEEN ?2 AND ?3",
            )?;
            let mut rows =
                statement.query(params![report.as_str(), versions.start(), versions.end()])?;
            let Some(row) = rows.next()? else {
                return Ok(None);
            };
            Ok(from_json(0, row.get_ref(0)?.as_str()?)?)
        })
    }

    /// Keeps what was read out of reports.
    pub fn save_readings(&self, read: &[(&ReportId, ReadReport)]) -> Result<()> {
        self.write(|tx| {
            let sql = "UPDATE document SET payload = json_set(payload, '$.reading', json(?2)) WHERE id = ?1";
            for (report, read) in read {
                let version = read.reading.version.to_string();
                save_statements(tx, report.as_str(), &version, read, self.run)?;
                let reading = serde_json::json!(read.reading).to_string();
                tx.execute(sql, params![report.as_str(), reading])?;
            }
            Ok(())
        })
    }

    /// What this version of the reader found cited in a report, in order.
    pub fn citations(&self, report: &ReportId, version: u32) -> Result<Vec<Citation>> {
        let statements: BTreeMap<String, usize> = self
            .statement_rows(report, version)?
            .into_iter()
            .enumerate()
            .map(|(place, (id, _))| (id, place))
            .collect();
        self.read(|connection| {
            let mut query = connection.prepare_cached(
                "SELECT label, url, start_char, end_char, statement, diagnosis FROM citation
                 WHERE document = ?1 AND extractor = ?2 AND version = ?3 ORDER BY seq",
            )?;
            let key = params![report.as_str(), READER, version.to_string()];
            let rows = query.query_map(key, |row| citation(row, &statements))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The statements of a report that carry its citations, by this version of the reader, in
    /// order.
    pub fn statements(&self, report: &ReportId, version: u32) -> Result<Vec<Statement>> {
        let rows = self.statement_rows(report, version)?;
        Ok(rows.into_iter().map(|(_, statement)| statement).collect())
    }

    fn statement_rows(&self, report: &ReportId, version: u32) -> Result<Vec<(String, Statement)>> {
        self.read(|connection| {
            let mut query = connection.prepare_cached(
                "SELECT id, start_char, end_char, text FROM statement
                 WHERE source = ?1 AND extractor = ?2 AND version = ?3 ORDER BY start_char",
            )?;
            let key = params![report.as_str(), READER, version.to_string()];
            let rows = query.query_map(key, |row| {
                let statement = Statement {
                    start: row.get(1)?,
                    end: row.get(2)?,
                    text: row.get(3)?,
                };
                Ok((row.get(0)?, statement))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// What reads reports, as statements and citations name it.
const READER: &str = "reader";

fn save_statements(
    tx: &Tx<'_>,
    report: &str,
    version: &str,
    read: &ReadReport,
    run: i64,
) -> rusqlite::Result<()> {
    let id = |statement: &Statement| {
        StatementId::from_parts(&[report, READER, version, &statement.start.to_string()])
    };
    let ids: Vec<StatementId> = read.statements.iter().map(id).collect();
    for (id, statement) in ids.iter().zip(&read.statements) {
        tx.execute(
            "INSERT OR IGNORE INTO statement (id, source, start_char, end_char, text, extractor, version, run)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![id.as_str(), report, statement.start, statement.end, statement.text, READER, version, run],
        )?;
    }
    for (seq, citation) in read.citations.iter().enumerate() {
        let diagnosis = (!citation.diagnosis.is_empty())
            .then(|| serde_json::json!(citation.diagnosis).to_string());
        tx.execute(
            "INSERT OR IGNORE INTO citation
                (document, seq, label, url, start_char, end_char, statement, diagnosis, extractor, version, run)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                report,
                seq,
                citation.label,
                citation.url,
                citation.start,
                citation.end,
                citation.statement.map(|place| ids[place].as_str()),
                diagnosis,
                READER,
                version,
                run
            ],
        )?;
    }
    Ok(())
}

fn select_reports(text: &str) -> String {
    format!(
        "SELECT document.id, task, name, attempt, state, document.payload, {text}, document.payload ->> '$.seal'
         FROM document JOIN agent ON agent.id = document.agent WHERE document.kind = 'report'"
    )
}

/// A text with the hash under which it was stored.
type Sealed = (String, Option<String>);

fn sealed_text(row: &Row<'_>) -> rusqlite::Result<Sealed> {
    Ok((row.get(6)?, row.get(7)?))
}

/// A report whose text is the one that was stored.
fn intact(report: AgentReport<Sealed>) -> Result<AgentReport> {
    let (text, sealed) = &report.text;
    seal::check(
        "report",
        report.id.as_str(),
        sealed.as_deref(),
        [text.as_str()],
    )?;
    Ok(report.map_text(|(text, _)| text))
}

fn read_report<T>(
    row: &Row<'_>,
    read_text: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<AgentReport<T>> {
    Ok(AgentReport {
        id: ReportId::from_stored(row.get(0)?),
        task: TaskId::from_stored(row.get(1)?),
        agent: row.get(2)?,
        attempt: row.get(3)?,
        state: from_word(4, row.get_ref(4)?.as_str()?)?,
        text: read_text(row)?,
        spent: from_json::<AttemptCost>(5, row.get_ref(5)?.as_str()?)?,
    })
}

/// `statements` are the places of the report's statements by their ids.
fn citation(row: &Row<'_>, statements: &BTreeMap<String, usize>) -> rusqlite::Result<Citation> {
    let statement: Option<String> = row.get(4)?;
    let diagnosis: Option<String> = row.get(5)?;
    Ok(Citation {
        label: row.get(0)?,
        url: row.get(1)?,
        start: row.get(2)?,
        end: row.get(3)?,
        statement: statement.and_then(|id| statements.get(&id).copied()),
        diagnosis: diagnosis.map_or(Ok(Vec::new()), |words| from_json(5, &words))?,
    })
}

//! How much of everything there is.

use anyhow::Result;
use serde::Serialize;

use super::Store;

/// Facts by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FactCounts {
    /// Recordings with a transcript.
    pub seminars: u64,
    /// Current inspirations, those that were rejected included.
    pub inspirations: u64,
    /// Current tasks.
    pub tasks: u64,
    /// Verdicts on pairs and lists, failed ones included.
    pub comparisons: u64,
    /// Attempts of agents, however they ended.
    pub reports: u64,
    /// Judgements of every kind, comparisons and failed ones included.
    pub judgements: u64,
    /// Decisions of people: reviews, scores and duels.
    pub decisions: u64,
    /// Matches of agents.
    pub matches: u64,
    /// Calls to models.
    pub calls: u64,
}

impl Store {
    /// Counts the facts.
    pub fn fact_counts(&self) -> Result<FactCounts> {
        let sql = "SELECT
            (SELECT count(DISTINCT seminar) FROM transcript WHERE seminar NOT IN (SELECT seminar FROM forgotten)),
            (SELECT count(*) FROM inspiration WHERE superseded = 0
                AND transcript IN (SELECT t.id FROM transcript t WHERE t.seq = (SELECT max(seq) FROM transcript WHERE seminar = t.seminar))),
            (SELECT count(*) FROM task WHERE superseded = 0 AND payload ->> '$.translation_of' IS NULL
                AND id NOT IN (SELECT payload ->> '$.edited.task' FROM task WHERE superseded = 0 AND payload ->> '$.edited' IS NOT NULL)),
            (SELECT count(*) FROM judgement WHERE instrument GLOB 'rankeval/*'),
            (SELECT count(*) FROM (SELECT DISTINCT task, agent, attempt FROM document WHERE kind = 'report')),
            (SELECT count(*) FROM judgement),
            (SELECT count(*) FROM judgement WHERE (instrument GLOB 'person/*' OR instrument GLOB 'rank*/overall/*')
                AND judge IN (SELECT id FROM judge WHERE kind = 'person'))
              + (SELECT count(*) FROM inspiration, json_each(coalesce(review, '[]')) WHERE value ->> '$.by' = 'person'),
            (SELECT count(*) FROM duel),
            (SELECT count(*) FROM call)";
        self.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement.query_row([], |row| {
                Ok(FactCounts {
                    seminars: row.get(0)?,
                    inspirations: row.get(1)?,
                    tasks: row.get(2)?,
                    comparisons: row.get(3)?,
                    reports: row.get(4)?,
                    judgements: row.get(5)?,
                    decisions: row.get(6)?,
                    matches: row.get(7)?,
                    calls: row.get(8)?,
                })
            })?)
        })
    }
}

//! Forgetting a recording: all that the project knows of it goes, and only its id stays, so that
//! the same bytes are not taken in again. Hides which rows belong to a recording (`family`,
//! `marks`, `words`), the order in which they go (`removal`), and how the file is rewritten without
//! them.

mod family;
mod marks;
mod removal;
mod sets;
mod words;

use std::collections::BTreeSet;

use anyhow::Result;
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Serialize;

use super::{Store, explain, from_json, open_shared};
use crate::data::SeminarId;

pub use family::FormerPath;
pub use sets::SetChange;
pub use words::ByWords;

/// The version of the schema with which forgetting came.
const SINCE: usize = 4;

/// A recording that was forgotten, or is being.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Forgotten {
    /// The recording.
    pub id: SeminarId,
    /// When that began, RFC 3339 UTC.
    pub forgotten: String,
    /// Whether all of it is done.
    pub finished: bool,
}

/// A recording that the project knows.
#[derive(Clone, Debug, Serialize)]
pub struct KnownSeminar {
    /// The recording.
    pub id: SeminarId,
    /// Its paths under the seminars folder; none of one whose file was replaced.
    pub paths: Vec<String>,
    /// Title.
    pub title: String,
    /// BCP 47.
    pub language: String,
    /// Length in seconds.
    pub seconds: f64,
    /// Licence; `unknown` where the side file names none.
    pub licence: String,
    /// What the side file says of consent.
    pub consent: Option<String>,
    /// Who speaks, as far as the side file says.
    pub speakers: Vec<String>,
    /// Its current inspirations.
    pub inspirations: u64,
    /// The current tasks that rest on it.
    pub tasks: u64,
}

/// How much of what a recording has in the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ForgetCounts {
    /// Versions of its transcript.
    pub transcripts: u64,
    /// Inspirations, superseded ones too.
    pub inspirations: u64,
    /// Tasks that rest on them, superseded ones, translations and edited ones too.
    pub tasks: u64,
    /// Reports and gold articles on these tasks.
    pub reports: u64,
    /// Statements of these reports.
    pub statements: u64,
    /// Key points of these tasks.
    pub key_points: u64,
    /// Checklists and sets of key points.
    pub references: u64,
    /// Judgements of all of these.
    pub judgements: u64,
    /// Comparisons that stay without reason and call, because ratings of others rest on them.
    pub comparisons_kept: u64,
    /// Calls to models.
    pub calls: u64,
    /// Visits of pages that only these reports cite.
    pub pages: u64,
    /// Refusals.
    pub refusals: u64,
}

impl ForgetCounts {
    /// How much of what goes, with its noun.
    pub fn going(&self) -> [(u64, &'static str); 11] {
        [
            (self.transcripts, "transcript version"),
            (self.inspirations, "inspiration"),
            (self.tasks, "task"),
            (self.reports, "report"),
            (self.statements, "statement"),
            (self.key_points, "key point"),
            (self.references, "checklist"),
            (self.judgements, "judgement"),
            (self.calls, "call"),
            (self.pages, "page visit"),
            (self.refusals, "refusal"),
        ]
    }
}

impl Store {
    /// All recordings that are on record, by path; those too whose file was replaced by another.
    pub fn known_seminars(&self) -> Result<Vec<KnownSeminar>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT s.id, s.title, s.language, s.duration_ms, s.licence, s.payload ->> '$.consent',
                    coalesce(s.payload -> '$.speakers', '[]'),
                    (SELECT count(*) FROM inspiration i WHERE i.seminar = s.id AND i.superseded = 0),
                    (SELECT count(*) FROM task t WHERE t.superseded = 0 AND (t.seminar = s.id OR EXISTS (
                        SELECT 1 FROM task_source f JOIN inspiration i ON i.id = f.inspiration
                        WHERE f.task = t.id AND i.seminar = s.id)))
                 FROM seminar s
                 ORDER BY (SELECT min(path) FROM seminar_path p WHERE p.seminar = s.id) NULLS LAST, s.id",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(KnownSeminar {
                    id: SeminarId::from_stored(row.get(0)?),
                    paths: Vec::new(),
                    title: row.get(1)?,
                    language: row.get(2)?,
                    seconds: row.get::<_, i64>(3)? as f64 / 1000.0,
                    licence: row.get(4)?,
                    consent: row.get(5)?,
                    speakers: from_json(6, row.get_ref(6)?.as_str()?)?,
                    inspirations: row.get(7)?,
                    tasks: row.get(8)?,
                })
            })?;
            let mut seminars: Vec<KnownSeminar> = rows.collect::<rusqlite::Result<_>>()?;
            for seminar in &mut seminars {
                seminar.paths = paths_of(connection, &seminar.id)?;
            }
            Ok(seminars)
        })
    }

    /// The recordings that were forgotten, oldest first.
    pub fn forgotten(&self) -> Result<Vec<Forgotten>> {
        self.read(|connection| Ok(forgotten(connection)?))
    }

    /// The same of the database at `path`; none where there is none, or it is from before.
    pub fn forgotten_at(path: &std::path::Path) -> Result<Vec<Forgotten>> {
        if !path.exists() {
            return Ok(Vec::new());
        }
        let flags =
            rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if let Ok((_, version)) = open_shared(path, flags)
            && version < SINCE
        {
            return Ok(Vec::new());
        }
        let store = Self::open_read_only(path)?;
        store.map_or(Ok(Vec::new()), |store| store.forgotten())
    }

    /// Notes that recordings are being forgotten: from now on they are not taken in.
    pub fn begin_forgetting(&self, seminars: &BTreeSet<SeminarId>, now: &str) -> Result<()> {
        let run = self.run;
        self.write(|tx| {
            for seminar in seminars {
                tx.execute(
                    "INSERT INTO forgotten (seminar, forgotten, run) VALUES (?1, ?2, ?3)
                     ON CONFLICT (seminar) DO NOTHING",
                    params![seminar.as_str(), now, run],
                )?;
            }
            Ok(())
        })
    }

    /// Lets a recording in again. Whether it had been forgotten.
    pub fn lift_forgetting(&self, seminar: &SeminarId) -> Result<bool> {
        self.write(|tx| {
            let lifted = tx.execute(
                "DELETE FROM forgotten WHERE seminar = ?1",
                [seminar.as_str()],
            )?;
            Ok(lifted > 0)
        })
    }

    /// Rewrites the database without what was deleted: neither free pages nor the files beside it
    /// hold it then. Can be done again.
    pub fn finish_forgetting(&self) -> Result<()> {
        self.merge_changes()?;
        self.execute("VACUUM")?;
        self.merge_changes()?;
        self.write(|tx| {
            tx.execute(
                "UPDATE forgotten SET finished = 1 WHERE seminar NOT IN (SELECT id FROM seminar)",
                [],
            )
            .map(|_| ())
        })
    }

    /// Moves all changes from the file beside the database into it, and empties that file.
    fn merge_changes(&self) -> Result<()> {
        let is_busy: bool = self
            .connection()
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
            .map_err(|error| explain(&self.path, error))?;
        anyhow::ensure!(
            !is_busy,
            "another program reads the database, and its old pages cannot go: `{}`\nhint: end it (a `taskgen` that shows or exports something?), and run the same command again",
            self.path.display()
        );
        Ok(())
    }
}

fn forgotten(connection: &Connection) -> rusqlite::Result<Vec<Forgotten>> {
    let mut statement = connection.prepare_cached(
        "SELECT seminar, forgotten, finished FROM forgotten ORDER BY forgotten, seminar",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Forgotten {
            id: SeminarId::from_stored(row.get(0)?),
            forgotten: row.get(1)?,
            finished: row.get(2)?,
        })
    })?;
    rows.collect()
}

/// Whether a recording was forgotten, or is being.
pub(super) fn is_forgotten(connection: &Connection, seminar: &SeminarId) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM forgotten WHERE seminar = ?1")?;
    Ok(statement
        .query_row([seminar.as_str()], |_| Ok(()))
        .optional()?
        .is_some())
}

fn paths_of(connection: &Connection, seminar: &SeminarId) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection
        .prepare_cached("SELECT path FROM seminar_path WHERE seminar = ?1 ORDER BY path")?;
    let rows = statement.query_map([seminar.as_str()], |row| row.get(0))?;
    rows.collect()
}

/// All that the project knows of the recordings that are forgotten, marked and not removed yet.
pub struct Forgetting<'s> {
    store: &'s Store,
}

//! Which recordings had a path before another one has it now. Only the paths of today are stored;
//! what the paths were follows from the steps of runs.

use std::collections::BTreeSet;

use anyhow::Result;
use rusqlite::Connection;

use super::paths_of;
use crate::{data::SeminarId, store::Store};

/// A path that a recording had before its file was replaced by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerPath {
    /// The recording, which has no path any more.
    pub seminar: SeminarId,
    /// The path under the seminars folder.
    pub path: String,
    /// Whether it cannot have been another one.
    pub is_certain: bool,
}

/// Recordings without a path, and the paths that were taken in with their transcripts. Certain
/// where one such recording and one path that is another's by now belong together in a run.
const FORMER_PATHS: &str = "
    WITH gone AS (
        SELECT DISTINCT seminar, run FROM transcript WHERE seminar NOT IN (SELECT seminar FROM seminar_path)
    ), taken_in AS (
        SELECT DISTINCT stream, payload AS path FROM event WHERE kind = 'transcript'
    )
    SELECT gone.seminar, taken_in.path, count(*) OVER (PARTITION BY gone.run) = 1
    FROM gone JOIN taken_in ON taken_in.stream = 'run:' || gone.run
    WHERE NOT EXISTS (SELECT 1 FROM seminar_path p JOIN transcript t ON t.seminar = p.seminar
        WHERE p.path = taken_in.path AND t.run = gone.run)";

impl Store {
    /// The paths that recordings had whose files were replaced.
    pub fn former_paths(&self) -> Result<Vec<FormerPath>> {
        self.read(|connection| Ok(former_paths(connection)?))
    }

    /// A recording with all that have or had one of its paths.
    pub fn same_paths(&self, seminar: &SeminarId) -> Result<BTreeSet<SeminarId>> {
        self.read(|connection| {
            let mut former = former_paths(connection)?;
            former.retain(|of| of.is_certain);
            let mut paths: BTreeSet<String> = paths_of(connection, seminar)?.into_iter().collect();
            let own = former.iter().filter(|of| of.seminar == *seminar);
            paths.extend(own.map(|of| of.path.clone()));
            let mut found = BTreeSet::from([seminar.clone()]);
            let earlier = former.into_iter().filter(|of| paths.contains(&of.path));
            found.extend(earlier.map(|of| of.seminar));
            for path in &paths {
                let mut statement = connection
                    .prepare_cached("SELECT seminar FROM seminar_path WHERE path = ?1")?;
                let rows = statement.query_map([path], |row| row.get(0))?;
                for id in rows {
                    found.insert(SeminarId::from_stored(id?));
                }
            }
            Ok(found)
        })
    }
}

fn former_paths(connection: &Connection) -> rusqlite::Result<Vec<FormerPath>> {
    let mut statement = connection.prepare_cached(FORMER_PATHS)?;
    let rows = statement.query_map([], |row| {
        Ok(FormerPath {
            seminar: SeminarId::from_stored(row.get(0)?),
            path: row.get(1)?,
            is_certain: row.get(2)?,
        })
    })?;
    rows.collect()
}

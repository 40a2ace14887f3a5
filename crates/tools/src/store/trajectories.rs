//! Trajectories: what agents did on their way to reports. Each goes with its report.

use std::collections::BTreeMap;

use anyhow::Result;
use rusqlite::{OptionalExtension as _, Row, params};

use super::{Store, Tx, from_json, from_word};
use crate::data::{ReportId, Step, Teller, Trajectory, TrajectoryCounts};

impl Store {
    /// What the agent did on its way to a report, where that is told.
    pub fn trajectory(&self, report: &ReportId) -> Result<Option<Trajectory>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT told_by, steps, left_out, unreadable FROM trajectory WHERE document = ?1",
            )?;
            Ok(statement.query_row([report.as_str()], read).optional()?)
        })
    }

    /// How much agents did on their way to reports, where that is told.
    pub fn trajectory_counts(&self) -> Result<BTreeMap<ReportId, TrajectoryCounts>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT document, searches, visits, json_array_length(steps), left_out, unreadable FROM trajectory",
            )?;
            let rows = statement.query_map([], |row| {
                let counts = TrajectoryCounts {
                    searches: row.get(1)?,
                    visits: row.get(2)?,
                    steps: row.get(3)?,
                    left_out: row.get(4)?,
                    unreadable: row.get(5)?,
                };
                Ok((ReportId::from_stored(row.get(0)?), counts))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// Keeps the trajectory of a report. The same report handed in again has its newest one.
pub(super) fn save(
    tx: &Tx<'_>,
    report: &ReportId,
    trajectory: &Trajectory,
    run: i64,
) -> rusqlite::Result<()> {
    let counts = trajectory.counts();
    let steps = serde_json::json!(trajectory.steps).to_string();
    tx.execute(
        "INSERT INTO trajectory (document, told_by, searches, visits, steps, left_out, unreadable, run)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (document) DO UPDATE SET told_by = ?2, searches = ?3, visits = ?4, steps = ?5,
            left_out = ?6, unreadable = ?7, run = ?8",
        params![
            report.as_str(),
            trajectory.told_by.word(),
            counts.searches,
            counts.visits,
            steps,
            counts.left_out,
            counts.unreadable,
            run
        ],
    )
    .map(|_| ())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Trajectory> {
    let told_by: Teller = from_word(0, row.get_ref(0)?.as_str()?)?;
    let steps: Vec<Step> = from_json(1, row.get_ref(1)?.as_str()?)?;
    let mut trajectory = Trajectory::new(told_by);
    trajectory.steps = steps;
    trajectory.left_out = row.get(2)?;
    trajectory.unreadable = row.get(3)?;
    Ok(trajectory)
}

//! Recordings and the versions of their transcripts.

use anyhow::Result;
use rusqlite::{OptionalExtension as _, Row, params};
use serde::Serialize;
use serde_json::Value;

use super::{Store, Tx, forget::is_forgotten, from_json, runs::add_event};
use crate::data::{
    ModelRef, Ms, Segment, SeminarId, Transcript, TranscriptId, transcript::SCHEMA_VERSION,
};

/// The licence of a recording without a stated licence.
pub const UNKNOWN_LICENCE: &str = "unknown";

/// What is known of a recording beside its text.
#[derive(Clone, Debug, Serialize)]
pub struct SeminarInfo {
    /// The recording.
    pub id: SeminarId,
    /// Path under the seminars folder; the first by name where the same bytes have several.
    pub path: String,
    /// From the side file, else the file's name.
    pub title: String,
    /// BCP 47.
    pub language: String,
    /// From the side file.
    pub discipline: Option<String>,
    /// From the side file, else [`UNKNOWN_LICENCE`].
    pub licence: String,
    /// What else the side file says: speakers, date, source, consent.
    pub details: Value,
    /// Length of the recording.
    pub duration: Ms,
    /// The current version of its text.
    pub transcript: TranscriptId,
}

impl SeminarInfo {
    /// Full names of those who spoke, as far as the side file names them.
    pub fn people(&self) -> Vec<String> {
        let speakers = self.details["speakers"].as_array();
        speakers
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect()
    }
}

const SELECT: &str =
    "SELECT s.id, coalesce((SELECT min(path) FROM seminar_path p WHERE p.seminar = s.id), ''), s.title,
        s.language, s.discipline, s.licence, s.duration_ms, t.id, s.payload
     FROM seminar s JOIN transcript t ON t.seq = (SELECT max(seq) FROM transcript WHERE seminar = s.id)
     WHERE EXISTS (SELECT 1 FROM seminar_path p WHERE p.seminar = s.id)
       AND s.id NOT IN (SELECT seminar FROM forgotten)";

impl Store {
    /// Stores a transcript as the current one of its seminar; does nothing if it is already. That
    /// of a recording that was forgotten is refused.
    pub fn save_transcript(&self, info: &SeminarInfo, transcript: &Transcript) -> Result<()> {
        let (run, stream) = (self.run, self.stream());
        anyhow::ensure!(
            !self.read(|connection| Ok(is_forgotten(connection, &info.id)?))?,
            "a forgotten recording is not taken in: `{}`",
            info.path
        );
        self.write(|tx| {
            tx.execute(
                "INSERT INTO seminar (id, media_sha256, duration_ms, title, language, discipline, licence, payload, run)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                 ON CONFLICT (id) DO UPDATE SET duration_ms = ?3, title = ?4, language = ?5, discipline = ?6, licence = ?7,
                    payload = ?8",
                params![
                    info.id.as_str(),
                    transcript.media_sha256,
                    info.duration.0 as i64,
                    info.title,
                    info.language,
                    info.discipline,
                    info.licence,
                    info.details.to_string(),
                    run
                ],
            )?;
            tx.execute(
                "INSERT INTO seminar_path (path, seminar) VALUES (?1, ?2) ON CONFLICT (path) DO UPDATE SET seminar = ?2",
                params![info.path, info.id.as_str()],
            )?;
            let newest: Option<String> = tx
                .query_row(
                    "SELECT id FROM transcript WHERE seminar = ?1 ORDER BY seq DESC LIMIT 1",
                    [info.id.as_str()],
                    |row| row.get(0),
                )
                .optional()?;
            if newest.as_deref() == Some(transcript.id.as_str()) {
                return Ok(());
            }
            // A version that was current before becomes current again under a new number.
            let known = tx.execute(
                "UPDATE transcript SET seq = (SELECT max(seq) + 1 FROM transcript) WHERE id = ?1",
                [transcript.id.as_str()],
            )?;
            if known == 0 {
                insert_transcript(tx, transcript, run)?;
            }
            add_event(tx, &stream, "transcript", &info.path)
        })
    }

    /// The seminar whose recording is at `path` under the seminars folder.
    pub fn seminar_at(&self, path: &str) -> Result<Option<SeminarId>> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT seminar FROM seminar_path WHERE path = ?1")?;
            Ok(statement
                .query_row([path], |row| Ok(SeminarId::from_stored(row.get(0)?)))
                .optional()?)
        })
    }

    /// All recordings with a transcript, by path. One that was replaced under its path is gone, and
    /// so is one that is being forgotten.
    pub fn seminars(&self) -> Result<Vec<SeminarInfo>> {
        self.read(|connection| {
            let mut statement = connection.prepare(&format!("{SELECT} ORDER BY 2, 1"))?;
            let rows = statement.query_map([], read_seminar)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// A stored version of a transcript.
    pub fn transcript(&self, id: &TranscriptId) -> Result<Option<Transcript>> {
        self.read(|connection| {
            let found = connection
                .query_row(
                    "SELECT t.seminar, t.model, t.model_sha256, t.parameters, t.language, s.media_sha256, s.duration_ms,
                            coalesce((SELECT min(path) FROM seminar_path p WHERE p.seminar = s.id), '')
                     FROM transcript t JOIN seminar s ON s.id = t.seminar WHERE t.id = ?1",
                    [id.as_str()],
                    |row| {
                        Ok(Transcript {
                            schema_version: SCHEMA_VERSION,
                            id: id.clone(),
                            seminar: SeminarId::from_stored(row.get(0)?),
                            path: row.get(7)?,
                            media_sha256: row.get(5)?,
                            duration: Ms(row.get(6)?),
                            language: row.get(4)?,
                            model: ModelRef { name: row.get(1)?, sha256: row.get(2)? },
                            parameters: from_json(3, &row.get::<_, String>(3)?)?,
                            segments: Vec::new(),
                        })
                    },
                )
                .optional()?;
            let Some(mut transcript) = found else {
                return Ok(None);
            };
            let mut statement = connection.prepare_cached(
                "SELECT start_ms, end_ms, text, confidence, speaker FROM segment WHERE transcript = ?1 ORDER BY seq",
            )?;
            let rows = statement.query_map([id.as_str()], |row| {
                Ok(Segment {
                    start: Ms(row.get(0)?),
                    end: Ms(row.get(1)?),
                    text: row.get(2)?,
                    confidence: row.get(3)?,
                    speaker: row.get(4)?,
                    // Only the file has them.
                    words: Vec::new(),
                })
            })?;
            transcript.segments = rows.collect::<rusqlite::Result<_>>()?;
            Ok(Some(transcript))
        })
    }
}

fn insert_transcript(tx: &Tx<'_>, transcript: &Transcript, run: i64) -> rusqlite::Result<()> {
    tx.execute(
        "INSERT INTO transcript (seq, id, seminar, model, model_sha256, parameters, language, run)
         VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM transcript), ?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            transcript.id.as_str(),
            transcript.seminar.as_str(),
            transcript.model.name,
            transcript.model.sha256,
            transcript.parameters.to_string(),
            transcript.language,
            run
        ],
    )?;
    let mut statement = tx.prepare_cached(
        "INSERT INTO segment (transcript, seq, start_ms, end_ms, text, confidence, speaker)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for (seq, segment) in transcript.segments.iter().enumerate() {
        statement.execute(params![
            transcript.id.as_str(),
            seq as i64,
            segment.start.0 as i64,
            segment.end.0 as i64,
            segment.text,
            segment.confidence,
            segment.speaker
        ])?;
    }
    Ok(())
}

fn read_seminar(row: &Row<'_>) -> rusqlite::Result<SeminarInfo> {
    Ok(SeminarInfo {
        id: SeminarId::from_stored(row.get(0)?),
        path: row.get(1)?,
        title: row.get(2)?,
        language: row.get(3)?,
        discipline: row.get(4)?,
        licence: row.get(5)?,
        duration: Ms(row.get(6)?),
        transcript: TranscriptId::from_stored(row.get(7)?),
        details: from_json(8, &row.get::<_, String>(8)?)?,
    })
}

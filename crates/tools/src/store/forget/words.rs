//! Which rows hold words of a recording, though nothing else ties them to it. What words those are,
//! the caller knows.

use std::collections::BTreeSet;

use anyhow::Result;
use rusqlite::Connection;
use serde::Serialize;

use super::{
    Forgetting,
    marks::{mark_what_follows, marked, put},
    sets::mark_lines,
};
use crate::data::SeminarId;

/// What such calls left elsewhere: refusals of tasks across seminars, and judgements of reports
/// that were taken out of the project before.
const OF_CALLS: [&str; 2] = [
    "INSERT OR IGNORE INTO going SELECT 'refusal', stage || '/' || seminar || '/' || seq FROM rejection
        WHERE call IN (SELECT id FROM going WHERE kind = 'call')",
    "INSERT OR IGNORE INTO going SELECT 'judgement', id FROM judgement
        WHERE call IN (SELECT id FROM going WHERE kind = 'call')
          AND id NOT IN (SELECT id FROM going WHERE kind = 'comparison')
          AND subject NOT IN (SELECT id FROM task UNION ALL SELECT id FROM document)",
];

/// What was written down of what is said.
const TEXTS_OF_TALK: [&str; 2] = [
    "SELECT text FROM inspiration WHERE id IN (SELECT id FROM going WHERE kind = 'inspiration')",
    "SELECT quote || char(10) || coalesce(wording, '') FROM evidence
        WHERE inspiration IN (SELECT id FROM going WHERE kind = 'inspiration')",
];

/// The same of other talks, with their tasks. What is said there belongs to them, too; a recording
/// that seems to be of the same talk is no other one.
const TEXTS_OF_OTHER_TALKS: [&str; 3] = [
    "SELECT text FROM inspiration WHERE id NOT IN (SELECT id FROM going WHERE kind = 'inspiration')
        AND seminar NOT IN (SELECT id FROM alike)",
    "SELECT quote || char(10) || coalesce(wording, '') FROM evidence
        WHERE inspiration NOT IN (SELECT id FROM going WHERE kind = 'inspiration')
        AND inspiration NOT IN (SELECT id FROM inspiration WHERE seminar IN (SELECT id FROM alike))",
    "SELECT text FROM task WHERE origin = 'seminar' AND id NOT IN (SELECT id FROM going WHERE kind = 'task')
        AND coalesce(seminar, '') NOT IN (SELECT id FROM alike)
        AND id NOT IN (SELECT f.task FROM task_source f JOIN inspiration i ON i.id = f.inspiration
            WHERE i.seminar IN (SELECT id FROM alike))",
];

/// What was written from the talk.
const TEXTS_WRITTEN: [&str; 6] = [
    "SELECT text FROM task WHERE id IN (SELECT id FROM going WHERE kind = 'task')",
    "SELECT text FROM document WHERE text IS NOT NULL AND id IN (SELECT id FROM going WHERE kind = 'document')",
    "SELECT payload FROM document WHERE kind = 'gold' AND id IN (SELECT id FROM going WHERE kind = 'document')",
    "SELECT text FROM statement WHERE id IN (SELECT id FROM going WHERE kind = 'statement')",
    "SELECT text FROM key_point WHERE id IN (SELECT id FROM going WHERE kind = 'key_point')",
    "SELECT members FROM checklist WHERE id IN (SELECT id FROM going WHERE kind = 'reference')",
];

/// The same of all that stays: models write the same sentences in many reports.
const TEXTS_OF_OTHERS: [&str; 6] = [
    "SELECT text FROM task WHERE id NOT IN (SELECT id FROM going WHERE kind = 'task')",
    "SELECT text FROM document WHERE text IS NOT NULL AND id NOT IN (SELECT id FROM going WHERE kind = 'document')",
    "SELECT payload FROM document WHERE kind = 'gold' AND id NOT IN (SELECT id FROM going WHERE kind = 'document')",
    "SELECT text FROM statement WHERE id NOT IN (SELECT id FROM going WHERE kind = 'statement')",
    "SELECT text FROM key_point WHERE id NOT IN (SELECT id FROM going WHERE kind = 'key_point')",
    "SELECT members FROM checklist WHERE id NOT IN (SELECT id FROM going WHERE kind = 'reference')",
];

/// What may quote the talk though it was written for others. Statements of pages are as public as
/// the pages.
const QUOTING: [&str; 7] = [
    "SELECT 'task', id, text FROM task WHERE origin <> 'seminar'",
    "SELECT 'document', id, text FROM document WHERE text IS NOT NULL",
    "SELECT 'document', document, steps FROM trajectory",
    "SELECT 'document', id, payload FROM document WHERE kind = 'gold'",
    "SELECT 'statement', id, text FROM statement WHERE source NOT IN (SELECT sha256 FROM content)",
    "SELECT 'key_point', id, text FROM key_point",
    "SELECT 'reference', id, members FROM checklist",
];

/// A row that goes for its words alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ByWords {
    /// What it is: `task`, `document`, `statement`, `key_point`, or `reference`.
    pub kind: String,
    /// Its id.
    pub id: String,
}

/// Marks a long text in the request or the reply of a call.
const BLOB: &str = "blob:";
/// Digits of the hash behind it.
const DIGITS: usize = 64;

impl Forgetting<'_> {
    /// Hands over what is said in the recordings, each transcript as a whole.
    pub fn each_transcript(&self, mut each: impl FnMut(&str)) -> Result<()> {
        let own = "t.id IN (SELECT id FROM going WHERE kind = 'transcript')";
        self.store
            .read(|connection| Ok(each_transcript(connection, own, |_, text| each(text))?))
    }

    /// Hands over what is said in other recordings, with the recording.
    pub fn each_other_transcript(&self, each: impl FnMut(&SeminarId, &str)) -> Result<()> {
        let others = "t.id NOT IN (SELECT id FROM going WHERE kind = 'transcript')";
        self.store
            .read(|connection| Ok(each_transcript(connection, others, each)?))
    }

    /// Marks recordings that seem to be of the same talk: what they hold is no text of others.
    pub fn set_alike(&self, seminars: &BTreeSet<SeminarId>) -> Result<()> {
        self.store.read(|connection| {
            for seminar in seminars {
                connection.execute(
                    "INSERT OR IGNORE INTO alike VALUES (?1)",
                    [seminar.as_str()],
                )?;
            }
            Ok(())
        })
    }

    /// Hands over each text of the talk: what is said, and the inspirations with their quotes.
    pub fn each_text_of_talk(&self, mut each: impl FnMut(&str)) -> Result<()> {
        self.each_transcript(&mut each)?;
        self.each_of(&TEXTS_OF_TALK, each)
    }

    /// Hands over each text of other talks, with their tasks.
    pub fn each_text_of_other_talks(&self, mut each: impl FnMut(&str)) -> Result<()> {
        let others = "t.id NOT IN (SELECT id FROM going WHERE kind = 'transcript')
            AND t.seminar NOT IN (SELECT id FROM alike)";
        self.store
            .read(|connection| Ok(each_transcript(connection, others, |_, text| each(text))?))?;
        self.each_of(&TEXTS_OF_OTHER_TALKS, each)
    }

    /// Hands over each text that was written from the talk.
    pub fn each_text_written(&self, each: impl FnMut(&str)) -> Result<()> {
        self.each_of(&TEXTS_WRITTEN, each)
    }

    /// Hands over each text of the same kinds that stays.
    pub fn each_text_of_others(&self, each: impl FnMut(&str)) -> Result<()> {
        self.each_of(&TEXTS_OF_OTHERS, each)
    }

    fn each_of(&self, texts: &[&str], mut each: impl FnMut(&str)) -> Result<()> {
        self.store.read(|connection| {
            for sql in texts {
                each_row(connection, sql, &mut each)?;
            }
            Ok(())
        })
    }

    /// Marks what was written for others and holds words of the talk, with what rests on it:
    /// reports and what was taken from them, imported questions. Returns what was not marked
    /// before.
    pub fn mark_quoting(&self, holds: impl Fn(&str) -> bool) -> Result<Vec<ByWords>> {
        self.store.read(|connection| {
            let mut found = BTreeSet::new();
            for sql in QUOTING {
                found.extend(mark_rows(connection, sql, &holds)?);
            }
            mark_what_follows(connection)?;
            Ok(found.into_iter().collect())
        })
    }

    /// Marks what else holds words of the recording: calls, refusals, judges' reasons, frozen
    /// tasks.
    pub fn mark_by_words(&self, holds: impl Fn(&str) -> bool) -> Result<()> {
        self.store.read(|connection| {
            mark_calls(connection, &holds)?;
            for sql in OF_CALLS {
                connection.execute(sql, [])?;
            }
            mark_rows(
                connection,
                "SELECT 'refusal', stage || '/' || seminar || '/' || seq, detail FROM rejection",
                &holds,
            )?;
            mark_rows(
                connection,
                "SELECT CASE WHEN i.family IN ('rankeval', 'rank-reports') THEN 'comparison' ELSE 'judgement' END,
                    j.id, j.payload FROM judgement j JOIN instrument i ON i.id = j.instrument
                 WHERE j.id NOT IN (SELECT id FROM going WHERE kind IN ('judgement', 'comparison'))",
                &holds,
            )?;
            mark_lines(connection, &holds)?;
            Ok(mark_used_texts(connection)?)
        })
    }
}

/// Hands over each transcript as a whole: what is said may begin in one segment and end in the
/// next.
fn each_transcript(
    connection: &Connection,
    which: &str,
    mut each: impl FnMut(&SeminarId, &str),
) -> rusqlite::Result<()> {
    let sql = format!("SELECT t.id, t.seminar FROM transcript t WHERE {which} ORDER BY t.seq");
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let transcripts: Vec<(String, String)> = rows.collect::<rusqlite::Result<_>>()?;
    let mut segments =
        connection.prepare("SELECT text FROM segment WHERE transcript = ?1 ORDER BY seq")?;
    for (transcript, seminar) in transcripts {
        let mut text = String::new();
        let mut rows = segments.query([transcript])?;
        while let Some(row) = rows.next()? {
            text.push_str(row.get_ref(0)?.as_str()?);
            text.push('\n');
        }
        each(&SeminarId::from_stored(seminar), &text);
    }
    Ok(())
}

fn each_row(
    connection: &Connection,
    sql: &str,
    each: &mut impl FnMut(&str),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        each(row.get_ref(0)?.as_str()?);
    }
    Ok(())
}

/// Marks the rows whose text holds words; a row is its kind, its id and its text. Returns those
/// that were not marked before.
fn mark_rows(
    connection: &Connection,
    sql: &str,
    holds: &impl Fn(&str) -> bool,
) -> rusqlite::Result<Vec<ByWords>> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if holds(row.get_ref(2)?.as_str()?) {
            found.push(ByWords {
                kind: row.get(0)?,
                id: row.get(1)?,
            });
        }
    }
    // Only now: a statement must not see what it brings about.
    let mut new = Vec::new();
    for row in found {
        if put(connection, &row.kind, &row.id)? {
            new.push(row);
        }
    }
    Ok(new)
}

/// Marks the calls whose request, reply or error holds words. Each long text is read once, however
/// many calls have it.
fn mark_calls(connection: &Connection, holds: &impl Fn(&str) -> bool) -> rusqlite::Result<()> {
    mark_rows(connection, "SELECT 'text', sha256, text FROM blob", holds)?;
    let texts = marked(connection, "text")?;
    let mut found = Vec::new();
    each_call(connection, |id, parts| {
        let has_text = |part: &str| named_texts(part).any(|hash| texts.contains(hash));
        if parts.iter().any(|part| has_text(part) || holds(part)) {
            found.push(id.to_owned());
        }
    })?;
    for id in &found {
        put(connection, "call", id)?;
    }
    Ok(())
}

/// Hands over the id and the texts of each call.
fn each_call(
    connection: &Connection,
    mut each: impl FnMut(&str, [&str; 4]),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(
        "SELECT id, request, payload, coalesce('blob:' || reply, ''), coalesce(error, '') FROM call",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let part = |column: usize| -> rusqlite::Result<&str> { Ok(row.get_ref(column)?.as_str()?) };
        each(part(0)?, [part(1)?, part(2)?, part(3)?, part(4)?]);
    }
    Ok(())
}

/// The hashes of the long texts that a part of a call names.
fn named_texts(part: &str) -> impl Iterator<Item = &str> {
    part.match_indices(BLOB).filter_map(|(at, _)| {
        let hash = part.get(at + BLOB.len()..)?.get(..DIGITS)?;
        hash.bytes()
            .all(|byte| byte.is_ascii_hexdigit())
            .then_some(hash)
    })
}

/// Marks the long texts that calls have which stay.
fn mark_used_texts(connection: &Connection) -> rusqlite::Result<()> {
    let going = marked(connection, "call")?;
    let mut used = BTreeSet::new();
    each_call(connection, |id, parts| {
        if !going.contains(id) {
            used.extend(
                parts
                    .iter()
                    .flat_map(|part| named_texts(part))
                    .map(str::to_owned),
            );
        }
    })?;
    for hash in &used {
        put(connection, "used_text", hash)?;
    }
    Ok(())
}

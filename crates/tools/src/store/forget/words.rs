//! Which rows hold words of a recording, though nothing else ties them to it. What words those are,
//! the caller knows.

use std::collections::BTreeSet;

use anyhow::Result;
use rusqlite::Connection;

use super::{
    Forgetting,
    marks::{marked, put},
    sets::mark_lines,
};

/// What such calls left elsewhere: refusals of tasks across seminars, and judgements of reports that
/// were taken out of the project before.
const OF_CALLS: [&str; 2] = [
    "INSERT OR IGNORE INTO going SELECT 'refusal', stage || '/' || seminar || '/' || seq FROM rejection
        WHERE call IN (SELECT id FROM going WHERE kind = 'call')",
    "INSERT OR IGNORE INTO going SELECT 'judgement', id FROM judgement
        WHERE call IN (SELECT id FROM going WHERE kind = 'call')
          AND id NOT IN (SELECT id FROM going WHERE kind = 'comparison')
          AND subject NOT IN (SELECT id FROM task UNION ALL SELECT id FROM document)",
];

/// Texts of the recording: what is said in it, and what was written from that.
const TEXTS: [&str; 8] = [
    "SELECT text FROM inspiration WHERE id IN (SELECT id FROM going WHERE kind = 'inspiration')",
    "SELECT quote || char(10) || coalesce(wording, '') FROM evidence
        WHERE inspiration IN (SELECT id FROM going WHERE kind = 'inspiration')",
    "SELECT text FROM task WHERE id IN (SELECT id FROM going WHERE kind = 'task')",
    "SELECT text FROM document WHERE text IS NOT NULL AND id IN (SELECT id FROM going WHERE kind = 'document')",
    "SELECT payload FROM document WHERE kind = 'gold' AND id IN (SELECT id FROM going WHERE kind = 'document')",
    "SELECT text FROM statement WHERE id IN (SELECT id FROM going WHERE kind = 'statement')",
    "SELECT text FROM key_point WHERE id IN (SELECT id FROM going WHERE kind = 'key_point')",
    "SELECT members FROM checklist WHERE id IN (SELECT id FROM going WHERE kind = 'reference')",
];

/// The same of all others.
const TEXTS_OF_OTHERS: [&str; 8] = [
    "SELECT text FROM inspiration WHERE id NOT IN (SELECT id FROM going WHERE kind = 'inspiration')",
    "SELECT quote || char(10) || coalesce(wording, '') FROM evidence
        WHERE inspiration NOT IN (SELECT id FROM going WHERE kind = 'inspiration')",
    "SELECT text FROM task WHERE id NOT IN (SELECT id FROM going WHERE kind = 'task')",
    "SELECT text FROM document WHERE text IS NOT NULL AND id NOT IN (SELECT id FROM going WHERE kind = 'document')",
    "SELECT payload FROM document WHERE kind = 'gold' AND id NOT IN (SELECT id FROM going WHERE kind = 'document')",
    "SELECT text FROM statement WHERE id NOT IN (SELECT id FROM going WHERE kind = 'statement')",
    "SELECT text FROM key_point WHERE id NOT IN (SELECT id FROM going WHERE kind = 'key_point')",
    "SELECT members FROM checklist WHERE id NOT IN (SELECT id FROM going WHERE kind = 'reference')",
];

/// Marks a long text in the request or the reply of a call.
const BLOB: &str = "blob:";
/// Digits of the hash behind it.
const DIGITS: usize = 64;

impl Forgetting<'_> {
    /// Hands over each text of the recording, and of what was written from it.
    pub fn each_text(&self, mut each: impl FnMut(&str)) -> Result<()> {
        self.store.read(|connection| {
            each_transcript(connection, "IN", &mut each)?;
            for sql in TEXTS {
                each_row(connection, sql, &mut each)?;
            }
            Ok(())
        })
    }

    /// Hands over each text of others.
    pub fn each_text_of_others(&self, mut each: impl FnMut(&str)) -> Result<()> {
        self.store.read(|connection| {
            each_transcript(connection, "NOT IN", &mut each)?;
            for sql in TEXTS_OF_OTHERS {
                each_row(connection, sql, &mut each)?;
            }
            Ok(())
        })
    }

    /// Marks what else holds words of the recording: calls, refusals, judges' reasons, frozen tasks.
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
            mark_lines(connection, &self.seminar, &holds)?;
            Ok(mark_used_texts(connection)?)
        })
    }
}

/// Hands over each transcript as a whole: what is said may begin in one segment and end in the next.
fn each_transcript(
    connection: &Connection,
    which: &str,
    each: &mut impl FnMut(&str),
) -> rusqlite::Result<()> {
    let sql = format!(
        "SELECT transcript, text FROM segment
         WHERE transcript {which} (SELECT id FROM going WHERE kind = 'transcript') ORDER BY transcript, seq"
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let (mut current, mut text) = (String::new(), String::new());
    while let Some(row) = rows.next()? {
        let transcript = row.get_ref(0)?.as_str()?;
        if transcript != current {
            each(&text);
            text.clear();
            transcript.clone_into(&mut current);
        }
        text.push_str(row.get_ref(1)?.as_str()?);
        text.push('\n');
    }
    each(&text);
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

/// Marks the rows whose text holds words; a row is its kind, its id and its text.
fn mark_rows(
    connection: &Connection,
    sql: &str,
    holds: &impl Fn(&str) -> bool,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if holds(row.get_ref(2)?.as_str()?) {
            found.push((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
        }
    }
    // Only now: a statement must not see what it brings about.
    found
        .iter()
        .try_for_each(|(kind, id)| put(connection, kind, id))
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
    found.iter().try_for_each(|id| put(connection, "call", id))
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
    used.iter()
        .try_for_each(|hash| put(connection, "used_text", hash))
}

//! Inspirations with their evidence, and what the stages looked at and did not keep.

use anyhow::Result;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::Serialize;

use super::{SeminarInfo, Store, Tx, from_json, from_word, runs::add_event, seal, to_word};
use crate::data::{
    CallId, Evidence, Id, Inspiration, InspirationId, Ms, Review, Reviewer, SeminarId, TranscriptId,
};

/// Something that a stage refused, and by which rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rejection {
    /// The rule's name, such as `too_short`.
    pub rule: String,
    /// What broke it, for people.
    pub detail: String,
    /// The call that it came from, if a model was asked.
    pub call: Option<CallId>,
}

/// The stages that refuse things.
pub const STAGES: [&str; 4] = ["inspire", "weave", "weave across", "translate"];

impl Store {
    /// Makes `found` the current inspirations of a seminar. Earlier ones that are not among them
    /// stay, superseded. Whether the current ones are others than before.
    pub fn save_inspirations(
        &self,
        seminar: &SeminarId,
        found: &[(Inspiration, Option<CallId>)],
        rejected: &[Rejection],
    ) -> Result<bool> {
        let (run, stream) = (self.run, self.stream());
        self.write(|tx| {
            let before = current_ids(tx, seminar)?;
            tx.execute(
                "UPDATE inspiration SET superseded = 1 WHERE seminar = ?1",
                [seminar.as_str()],
            )?;
            let mut changed = found.len() != before.len();
            for (inspiration, call) in found {
                upsert(tx, inspiration, call.as_ref(), run)?;
                if !before.iter().any(|id| id == inspiration.id.as_str()) {
                    changed = true;
                    add_event(tx, &stream, "inspiration", inspiration.id.as_str())?;
                }
            }
            save_rejections(tx, "inspire", seminar, rejected, run)?;
            Ok(changed)
        })
    }

    /// The current inspirations, of one seminar or of all, by id.
    pub fn inspirations(&self, seminar: Option<&SeminarId>) -> Result<Vec<Inspiration>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, seminar, transcript, type, traits, text, review, payload ->> '$.seal' FROM inspiration
                 WHERE superseded = 0 AND (?1 IS NULL OR seminar = ?1) ORDER BY id",
            )?;
            let rows = statement.query_map([seminar.map(SeminarId::as_str)], read_inspiration)?;
            rows.map(|row| whole(connection, row?)).collect()
        })
    }

    /// Those of a seminar that rest on the current version of its text, by id.
    pub fn inspirations_of(&self, seminar: &SeminarInfo) -> Result<Vec<Inspiration>> {
        let mut found = self.inspirations(Some(&seminar.id))?;
        found.retain(|inspiration| inspiration.transcript == seminar.transcript);
        Ok(found)
    }

    /// One inspiration, superseded or not.
    pub fn inspiration(&self, id: &InspirationId) -> Result<Option<Inspiration>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, seminar, transcript, type, traits, text, review, payload ->> '$.seal' FROM inspiration WHERE id = ?1",
            )?;
            let found = statement
                .query_row([id.as_str()], read_inspiration)
                .optional()?;
            found.map(|found| whole(connection, found)).transpose()
        })
    }

    /// Adds what a person said of an inspiration; false if it is gone.
    pub fn save_review(&self, id: &InspirationId, review: &Review) -> Result<bool> {
        self.change_reviews(id, |reviews| {
            let last = reviews.iter().rfind(|of| of.is_of_person(&review.name));
            // A button that was pressed twice decides once.
            if last != Some(review) {
                reviews.push(review.clone());
            }
        })
    }

    /// Takes back what the person `name` said last of an inspiration.
    pub fn withdraw_review(&self, id: &InspirationId, name: &str) -> Result<bool> {
        self.change_reviews(id, |reviews| {
            if let Some(last) = reviews.iter().rposition(|review| review.is_of_person(name)) {
                reviews.remove(last);
            }
        })
    }

    fn change_reviews(
        &self,
        id: &InspirationId,
        change: impl FnOnce(&mut Vec<Review>),
    ) -> Result<bool> {
        let stream = self.stream();
        self.write(|tx| {
            let mut reviews = reviews_of(tx, id)?;
            change(&mut reviews);
            let json = serde_json::to_string(&reviews).unwrap_or_default();
            let changed = tx.execute(
                "UPDATE inspiration SET review = ?2 WHERE id = ?1",
                params![id.as_str(), json],
            )?;
            if changed == 0 {
                // It was forgotten while it was shown.
                return Ok(false);
            }
            add_event(tx, &stream, "review", id.as_str())?;
            Ok(true)
        })
    }

    /// What `stage` refused for a seminar, in order.
    pub fn rejections(&self, stage: &str, seminar: &SeminarId) -> Result<Vec<Rejection>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT rule, detail, call FROM rejection WHERE stage = ?1 AND seminar = ?2 ORDER BY seq",
            )?;
            let rows = statement.query_map(params![stage, seminar.as_str()], |row| {
                let call: Option<String> = row.get(2)?;
                Ok(Rejection {
                    rule: row.get(0)?,
                    detail: row.get(1)?,
                    call: call.map(CallId::from_stored),
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn current_ids(tx: &Tx<'_>, seminar: &SeminarId) -> rusqlite::Result<Vec<String>> {
    let mut statement =
        tx.prepare_cached("SELECT id FROM inspiration WHERE seminar = ?1 AND superseded = 0")?;
    let rows = statement.query_map([seminar.as_str()], |row| row.get(0))?;
    rows.collect()
}

pub(super) fn save_rejections(
    tx: &Tx<'_>,
    stage: &str,
    seminar: &SeminarId,
    rejected: &[Rejection],
    run: i64,
) -> rusqlite::Result<()> {
    tx.execute(
        "DELETE FROM rejection WHERE stage = ?1 AND seminar = ?2",
        params![stage, seminar.as_str()],
    )?;
    for (seq, rejection) in rejected.iter().enumerate() {
        tx.execute(
            "INSERT INTO rejection (stage, seminar, seq, rule, detail, call, run) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                stage,
                seminar.as_str(),
                seq as i64,
                rejection.rule,
                rejection.detail,
                rejection.call.as_ref().map(CallId::as_str),
                run
            ],
        )?;
    }
    Ok(())
}

fn upsert(
    tx: &Tx<'_>,
    inspiration: &Inspiration,
    call: Option<&CallId>,
    run: i64,
) -> rusqlite::Result<()> {
    // What people said stays; what models said is said anew.
    let mut reviews = inspiration.reviews.clone();
    reviews.extend(
        reviews_of(tx, &inspiration.id)?
            .into_iter()
            .filter(|review| review.by == Reviewer::Person),
    );
    tx.execute(
        "INSERT INTO inspiration (id, seminar, transcript, type, traits, text, call, run, review, payload)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, json_object('seal', ?10))
         ON CONFLICT (id) DO UPDATE SET superseded = 0, transcript = ?3, traits = ?5, text = ?6, call = ?7, review = ?9,
            payload = json_set(payload, '$.seal', ?10)",
        params![
            inspiration.id.as_str(),
            inspiration.seminar.as_str(),
            inspiration.transcript.as_str(),
            to_word(&inspiration.kind),
            serde_json::to_string(&inspiration.traits).unwrap_or_default(),
            inspiration.text,
            call.map(Id::as_str),
            run,
            serde_json::to_string(&reviews).unwrap_or_default(),
            seal::seal(texts(inspiration))
        ],
    )?;
    tx.execute(
        "DELETE FROM evidence WHERE inspiration = ?1",
        [inspiration.id.as_str()],
    )?;
    for (seq, evidence) in inspiration.evidence.iter().enumerate() {
        tx.execute(
            "INSERT INTO evidence (inspiration, seq, segment, start_char, end_char, start_ms, end_ms, quote, wording,
                                   similarity)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                inspiration.id.as_str(),
                seq as i64,
                evidence.segment as i64,
                evidence.start_char as i64,
                evidence.end_char as i64,
                evidence.start.0 as i64,
                evidence.end.0 as i64,
                evidence.quote,
                evidence.wording,
                evidence.similarity
            ],
        )?;
    }
    Ok(())
}

/// Whether an inspiration is current and tasks may be woven from it.
pub(super) fn stands(connection: &Connection, id: &InspirationId) -> rusqlite::Result<bool> {
    let mut statement =
        connection.prepare_cached("SELECT 1 FROM inspiration WHERE id = ?1 AND superseded = 0")?;
    Ok(statement.exists([id.as_str()])? && Review::let_stand(&reviews_of(connection, id)?))
}

fn reviews_of(connection: &Connection, id: &InspirationId) -> rusqlite::Result<Vec<Review>> {
    let mut statement =
        connection.prepare_cached("SELECT review FROM inspiration WHERE id = ?1")?;
    let stored: Option<Option<String>> = statement
        .query_row([id.as_str()], |row| row.get(0))
        .optional()?;
    stored
        .flatten()
        .map_or(Ok(Vec::new()), |reviews| from_json(0, &reviews))
}

/// What must not change of an inspiration: its words and its quotes.
fn texts(inspiration: &Inspiration) -> impl Iterator<Item = &str> {
    let quotes = inspiration.evidence.iter().map(|of| of.quote.as_str());
    std::iter::once(inspiration.text.as_str()).chain(quotes)
}

/// An inspiration with its evidence, checked against its seal.
fn whole(
    connection: &Connection,
    (mut inspiration, sealed): (Inspiration, Option<String>),
) -> Result<Inspiration> {
    inspiration.evidence = evidence_of(connection, &inspiration.id)?;
    let id = inspiration.id.as_str();
    seal::check("inspiration", id, sealed.as_deref(), texts(&inspiration))?;
    Ok(inspiration)
}

/// An inspiration without its evidence, and its seal.
fn read_inspiration(row: &Row<'_>) -> rusqlite::Result<(Inspiration, Option<String>)> {
    let inspiration = Inspiration {
        id: InspirationId::from_stored(row.get(0)?),
        seminar: SeminarId::from_stored(row.get(1)?),
        transcript: TranscriptId::from_stored(row.get(2)?),
        kind: from_word(3, &row.get::<_, String>(3)?)?,
        traits: from_json(4, &row.get::<_, String>(4)?)?,
        text: row.get(5)?,
        evidence: Vec::new(),
        reviews: row
            .get::<_, Option<String>>(6)?
            .map_or(Ok(Vec::new()), |reviews| from_json(6, &reviews))?,
    };
    Ok((inspiration, row.get(7)?))
}

fn evidence_of(connection: &Connection, id: &InspirationId) -> rusqlite::Result<Vec<Evidence>> {
    let mut statement = connection.prepare_cached(
        "SELECT e.segment, e.start_char, e.end_char, e.start_ms, e.end_ms, e.quote, s.speaker,
                nullif(e.wording, i.text), e.similarity
         FROM evidence e JOIN inspiration i ON i.id = e.inspiration
         LEFT JOIN segment s ON s.transcript = i.transcript AND s.seq = e.segment
         WHERE e.inspiration = ?1 ORDER BY e.seq",
    )?;
    let rows = statement.query_map([id.as_str()], |row| {
        Ok(Evidence {
            segment: row.get(0)?,
            start_char: row.get(1)?,
            end_char: row.get(2)?,
            start: Ms(row.get(3)?),
            end: Ms(row.get(4)?),
            quote: row.get(5)?,
            speaker: row.get(6)?,
            wording: row.get(7)?,
            similarity: row.get(8)?,
        })
    })?;
    rows.collect()
}

//! Tasks as they are exported, each with the way back to the seconds of its recordings.

use std::collections::{BTreeMap, btree_map::Entry};

use anyhow::{Context as _, Result};

use crate::{
    data::{
        Difficulty, Inspiration, Origin, Phase, SeminarId, Task, TaskId, TaskRecord, TaskType,
        Transcript, TranscriptId,
        record::{
            Categories, FromTalk, InspirationRecord, Provenance, Quote, Recognised, Recording,
            RecordingPath, Strength, TASK_SCHEMA, thousandths,
        },
    },
    report::listing::{Listed, Listing},
    store::{Line, SeminarInfo, Store, UNKNOWN_LICENCE},
    text::invisible::escaped_in_json,
    weave::disciplines::Disciplines,
};

/// The records of a listing, in its order; each task is followed by its translations. Fails if a
/// quote is not what its span of the transcript says.
pub fn of_listing(
    store: &Store,
    listing: &Listing,
    disciplines: &Disciplines,
) -> Result<Vec<TaskRecord>> {
    let translations = translations(store)?;
    let mut recordings = Recordings {
        seminars: &listing.seminars,
        transcripts: BTreeMap::new(),
    };
    let mut records = Vec::new();
    for listed in &listing.tasks {
        for inspiration in &listed.sources {
            let transcript = recordings.transcript(store, &inspiration.transcript)?;
            check_quotes(listed, inspiration, transcript)?;
        }
        let translated = translations.get(&listed.task.id).into_iter().flatten();
        for task in std::iter::once(&listed.task).chain(translated) {
            records.push(record(listed, task, &recordings, disciplines)?);
        }
    }
    Ok(records)
}

/// What is known of the recordings.
struct Recordings<'a> {
    seminars: &'a BTreeMap<SeminarId, SeminarInfo>,
    transcripts: BTreeMap<TranscriptId, Transcript>,
}

impl Recordings<'_> {
    /// A transcript. It is read once: several tasks rest on the same talk.
    fn transcript(&mut self, store: &Store, id: &TranscriptId) -> Result<&Transcript> {
        Ok(match self.transcripts.entry(id.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                new.insert(store.transcript(id)?.context("the transcript is gone")?)
            }
        })
    }
}

/// The record of an imported task that was not ranked yet.
pub fn of_imported(task: &Task, disciplines: &Disciplines) -> Result<TaskRecord> {
    record(
        &Listed::unranked(task.clone()),
        task,
        &Recordings {
            seminars: &BTreeMap::new(),
            transcripts: BTreeMap::new(),
        },
        disciplines,
    )
}

/// The line of a record. A terminal obeys some characters: files and what is printed have them as
/// escapes.
pub fn line(record: &TaskRecord) -> Result<Line> {
    Ok(Line {
        task: record.id.clone(),
        json: escaped_in_json(&serde_json::to_string(record)?),
    })
}

/// The translations of each task.
fn translations(store: &Store) -> Result<BTreeMap<TaskId, Vec<Task>>> {
    let mut translations = BTreeMap::<TaskId, Vec<Task>>::new();
    for task in store.translations()? {
        let original = task.translation_of().unwrap_or(&task.id).clone();
        translations.entry(original).or_default().push(task);
    }
    Ok(translations)
}

/// A task, or a translation of it, with the place and the sources of `listed`. It holds no clock,
/// host or run, so that the same seed gives the same bytes.
fn record(
    listed: &Listed,
    task: &Task,
    recordings: &Recordings<'_>,
    disciplines: &Disciplines,
) -> Result<TaskRecord> {
    let facets = &task.facets;
    let discipline = facets.discipline.as_ref();
    let (provenance, others) = match &task.origin {
        Origin::Seminar(_) => (from_talk(listed, recordings)?, None),
        Origin::Imported(from) => {
            let imported = from.clone();
            (
                Provenance::Imported { imported },
                Some(facets.others.clone()),
            )
        }
    };
    Ok(TaskRecord {
        id: task.id.clone(),
        schema_version: TASK_SCHEMA,
        phase: facets.phase.map(Phase::label).map(str::to_owned),
        task_type: facets.task_type.map(TaskType::label).map(str::to_owned),
        difficulty: facets.difficulty.map(Difficulty::label).map(str::to_owned),
        text: task.text.clone(),
        inspiration_ids: task.inspirations().to_vec(),
        language: task.language.clone(),
        translation_of: task.translation_of().cloned(),
        discipline: discipline.cloned(),
        categories: discipline
            .and_then(|name| disciplines.get(name))
            .map(|of| Categories {
                wiki_live_challenge: of.wiki_live.clone(),
                live_research_bench: of.live_research.clone(),
            }),
        rank: listed.rank,
        elo: listed.elo.map(thousandths),
        elo_games: listed.elo_games,
        estimate: listed.estimate.map(|e| Strength {
            strength: thousandths(e.strength),
            low: thousandths(e.low),
            high: thousandths(e.high),
            p_top: thousandths(e.membership),
            games: listed.games,
        }),
        probes: listed.probes.clone(),
        decisions: listed.decisions.clone(),
        as_of: others.as_ref().and(task.as_of.clone()),
        facets: others,
        edited: task.edited.clone(),
        provenance,
    })
}

/// The way back to the seconds of the recordings.
fn from_talk(listed: &Listed, recordings: &Recordings<'_>) -> Result<Provenance> {
    let id = &listed.task.id;
    let (Some(first), Some(source)) = (listed.sources.first(), &listed.source) else {
        anyhow::bail!("`{id}` has no source");
    };
    let transcript = &recordings.transcripts[&first.transcript];
    let inspirations = listed.sources.iter();
    Ok(Provenance::Talk(Box::new(FromTalk {
        seminar: Recording {
            id: source.id.clone(),
            path: source.path.clone(),
            title: source.title.clone(),
            licence: source.licence.clone(),
            media_sha256: transcript.media_sha256.clone(),
            duration_s: source.duration,
        },
        transcript: Recognised {
            id: transcript.id.clone(),
            asr_model: transcript.model.clone(),
        },
        inspirations: inspirations
            .map(|of| inspiration_record(of, recordings))
            .collect(),
    })))
}

fn inspiration_record(of: &Inspiration, recordings: &Recordings<'_>) -> InspirationRecord {
    let seminar = recordings.seminars.get(&of.seminar);
    let evidence = of.evidence.iter();
    InspirationRecord {
        id: of.id.clone(),
        seminar: RecordingPath {
            id: of.seminar.clone(),
            path: recordings.transcripts[&of.transcript].path.clone(),
            licence: seminar.map_or(UNKNOWN_LICENCE, |of| &of.licence).to_owned(),
        },
        kind: of.kind.label().to_owned(),
        traits: of.traits.clone(),
        text: of.text.clone(),
        evidence: evidence.map(|e| Quote::of(e, &of.transcript)).collect(),
        reviews: of.reviews.clone(),
    }
}

/// Every quote is compared with its span of the stored transcript: what is exported leads back to
/// what was said.
fn check_quotes(listed: &Listed, inspiration: &Inspiration, transcript: &Transcript) -> Result<()> {
    let text: Vec<char> = transcript.text().chars().collect();
    anyhow::ensure!(
        !inspiration.evidence.is_empty(),
        "an inspiration of `{}` has no quote",
        listed.task.id
    );
    for evidence in &inspiration.evidence {
        let span = text
            .get(evidence.start_char..evidence.end_char)
            .map(String::from_iter);
        anyhow::ensure!(
            // Compared at every export: a database edited by hand must not export an invented
            // quote.
            span.as_deref() == Some(&evidence.quote) && evidence.end <= transcript.duration,
            "a quote of `{}` is not in the transcript of `{}`: `{}`\nhint: `taskgen run` finds the inspirations again",
            listed.task.id,
            transcript.path,
            evidence.quote
        );
    }
    Ok(())
}

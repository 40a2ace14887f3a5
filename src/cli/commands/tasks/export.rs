//! `taskgen tasks export`: the tasks as JSONL, best first, each with the way back to its source.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    cli::{
        project::Project,
        ui::{
            exit::{self, Usage},
            output::Printer,
        },
    },
    data::{
        Difficulty, Inspiration, Origin, Phase, Task, TaskId, TaskType, Transcript, TranscriptId,
    },
    files,
    report::listing::{Listed, Listing},
    store::{Store, UNKNOWN_LICENCE},
    text::invisible::escaped_in_json,
    weave::disciplines::Disciplines,
};

/// Version of the exported record's shape.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Exported {
    tasks: usize,
    /// Lines beside these: the same tasks in other languages.
    translations: usize,
    file: PathBuf,
    unknown_licence: usize,
}

/// Runs the command. `require_licence` refuses tasks that nobody said may be passed on.
pub fn run(
    project: &Project,
    store: &Store,
    listing: &Listing,
    output: Option<PathBuf>,
    require_licence: bool,
    printer: &Printer,
) -> Result<u8> {
    let unlicensed = Unlicensed::in_listing(listing);
    if require_licence {
        unlicensed.refuse()?;
    }
    let unknown_licence = unlicensed.tasks;
    let path = output.unwrap_or_else(|| project.tasks().join("tasks.jsonl"));
    let lines = Lines::read(project, store, listing)?;
    // JSON lines with --json and without.
    if path.as_os_str() == "-" {
        if !lines.text.is_empty() {
            printer.data(lines.text.trim_end())?;
        }
        return Ok(exit::DONE);
    }
    write(&path, &lines.text)?;
    let meta = json!({
        "schema_version": SCHEMA_VERSION,
        "created": jiff::Timestamp::now().to_string(),
        "tool_version": env!("CARGO_PKG_VERSION"),
        "ranking": listing.ranking,
        "standing": listing.ratings,
        "tasks": listing.tasks.len(),
        "translations": lines.translations,
    });
    write(&path.with_extension("meta.json"), &format!("{meta:#}\n"))?;
    let exported = Exported {
        tasks: listing.tasks.len(),
        translations: lines.translations,
        file: path,
        unknown_licence,
    };
    printer.show(&exported, text_of)?;
    Ok(exit::DONE)
}

fn text_of(exported: &Exported) -> String {
    let licence = match exported.unknown_licence {
        0 => String::new(),
        n => format!(
            "\n{n} are of unknown licence: a `NAME.toml` beside a recording can name it, or `tasks import --licence`"
        ),
    };
    let translations = match exported.translations {
        0 => String::new(),
        n => format!(" and {n} translations"),
    };
    format!(
        "{} tasks{translations} written to `{}`{licence}",
        exported.tasks,
        exported.file.display()
    )
}

/// The lines of the export.
struct Lines {
    text: String,
    /// Those of them that are the same tasks in other languages.
    translations: usize,
}

impl Lines {
    fn read(project: &Project, store: &Store, listing: &Listing) -> Result<Self> {
        let mut lines = Self {
            text: String::new(),
            translations: 0,
        };
        let translations = translations(store)?;
        let disciplines = Disciplines::load(&project.root)?;
        let mut transcripts = BTreeMap::new();
        for listed in &listing.tasks {
            for inspiration in &listed.sources {
                let transcript = &inspiration.transcript;
                // Read once: several tasks rest on the same talk.
                if !transcripts.contains_key(transcript) {
                    let found = store.transcript(transcript)?;
                    let found = found.context("the transcript is gone")?;
                    transcripts.insert(transcript.clone(), found);
                }
                check_quotes(listed, inspiration, &transcripts[transcript])?;
            }
            let translated = translations
                .get(&listed.task.id)
                .map_or(&[][..], Vec::as_slice);
            lines.translations += translated.len();
            for task in std::iter::once(&listed.task).chain(translated) {
                let record = record(listed, task, &transcripts, &disciplines)?;
                // A terminal obeys some characters: the file and what is printed have them as
                // escapes.
                lines.text.push_str(&escaped_in_json(&record.to_string()));
                lines.text.push('\n');
            }
        }
        Ok(lines)
    }
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

/// Tasks without a known licence.
struct Unlicensed {
    tasks: usize,
    /// Their sources: paths of recordings, and names of benchmarks.
    recordings: BTreeSet<String>,
    benchmarks: BTreeSet<String>,
}

impl Unlicensed {
    fn in_listing(listing: &Listing) -> Self {
        let mut unlicensed = Self {
            tasks: 0,
            recordings: BTreeSet::new(),
            benchmarks: BTreeSet::new(),
        };
        for listed in &listing.tasks {
            let recordings: Vec<String> = listed
                .sources
                .iter()
                .filter_map(|inspiration| listing.seminars.get(&inspiration.seminar))
                .filter(|seminar| seminar.licence == UNKNOWN_LICENCE)
                .map(|seminar| seminar.path.clone())
                .collect();
            let benchmark = match &listed.task.origin {
                Origin::Imported(from) if from.licence == UNKNOWN_LICENCE => Some(&from.benchmark),
                _ => None,
            };
            unlicensed.tasks += usize::from(!recordings.is_empty() || benchmark.is_some());
            unlicensed.recordings.extend(recordings);
            unlicensed.benchmarks.extend(benchmark.cloned());
        }
        unlicensed
    }

    fn refuse(&self) -> Result<()> {
        let (kind, names, hint) = if let Some(first) = self.recordings.first() {
            let side = Path::new(first).with_extension("toml");
            let hint = format!(
                "name it in `{}` beside the recording, then `taskgen inspire`",
                side.display()
            );
            ("recordings", &self.recordings, hint)
        } else {
            let hint = "`taskgen tasks import FILE --licence NAME` once more".to_owned();
            ("benchmarks", &self.benchmarks, hint)
        };
        let Some(first) = names.first() else {
            return Ok(());
        };
        let more = match names.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let tasks = self.tasks;
        Err(Usage(format!(
            "{tasks} tasks come from {kind} of unknown licence: `{first}`{more}\nhint: {hint}"
        ))
        .into())
    }
}

/// One line of the export. It holds no clock, host or run, so that the same seed gives the same
/// bytes.
fn record(
    listed: &Listed,
    task: &Task,
    transcripts: &BTreeMap<TranscriptId, Transcript>,
    disciplines: &Disciplines,
) -> Result<Value> {
    let facets = &task.facets;
    let mut record = json!({
        "id": task.id,
        "schema_version": SCHEMA_VERSION,
        "phase": facets.phase.map(Phase::label),
        "task_type": facets.task_type.map(TaskType::label),
        "difficulty": facets.difficulty.map(Difficulty::label),
        "task": task.text,
        "inspiration_ids": task.inspirations(),
        "language": task.language,
        "translation_of": task.translation_of(),
        "discipline": facets.discipline,
        "categories": facets.discipline.as_ref().and_then(|name| disciplines.get(name)).map(|of| json!({
            "wiki_live_challenge": of.wiki_live, "live_research_bench": of.live_research,
        })),
        "rank": listed.rank,
        "elo": listed.elo.map(thousandths),
        "elo_games": listed.elo_games,
        "estimate": listed.estimate.map(|e| json!({
            "strength": thousandths(e.strength), "low": thousandths(e.low), "high": thousandths(e.high),
            "p_top": thousandths(e.membership), "games": listed.games,
        })),
        "probes": listed.probes,
    });
    let provenance = match &task.origin {
        Origin::Seminar(_) => from_seminar(listed, transcripts)?,
        Origin::Imported(from) => {
            record["as_of"] = json!(task.as_of);
            record["facets"] = json!(facets.others);
            json!({ "imported": from })
        }
    };
    record["provenance"] = provenance;
    Ok(record)
}

/// The way back to the seconds of the recordings.
fn from_seminar(
    listed: &Listed,
    transcripts: &BTreeMap<TranscriptId, Transcript>,
) -> Result<Value> {
    let id = &listed.task.id;
    let (Some(first), Some(source)) = (listed.sources.first(), &listed.source) else {
        anyhow::bail!("`{id}` has no source");
    };
    let transcript = &transcripts[&first.transcript];
    let mut inspirations = Vec::new();
    for inspiration in &listed.sources {
        let evidence: Vec<Value> = inspiration
            .evidence
            .iter()
            .map(|e| {
                json!({
                    "segment_id": format!("{}/{}", inspiration.transcript, e.segment),
                    "start_s": e.start, "end_s": e.end,
                    "start_char": e.start_char, "end_char": e.end_char,
                    "quote": e.quote,
                    "speaker": e.speaker,
                    "similarity": thousandths(e.similarity),
                })
            })
            .collect();
        inspirations.push(json!({
            "id": inspiration.id,
            "seminar": { "id": inspiration.seminar, "path": transcripts[&inspiration.transcript].path },
            "type": inspiration.kind.label(),
            "traits": inspiration.traits,
            "text": inspiration.text,
            "evidence": evidence,
            "reviews": inspiration.reviews,
        }));
    }
    Ok(json!({
        "seminar": {
            "id": source.id, "path": source.path, "title": source.title,
            "licence": source.licence, "media_sha256": transcript.media_sha256,
            "duration_s": source.duration,
        },
        "transcript": { "id": transcript.id, "asr_model": transcript.model },
        "inspirations": inspirations,
    }))
}

fn thousandths(x: f64) -> f64 {
    (x * 1000.0).round() / 1000.0
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

fn write(path: &Path, text: &str) -> Result<()> {
    files::write_whole(path, text.as_bytes())
        .context("cannot write the export\nhint: choose another place with --output")
}

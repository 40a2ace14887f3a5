//! `taskgen tasks list|show|export`: the tasks, best first, and the way back to the second of the
//! recording.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde_json::{Value, json};

use super::select;
use crate::{
    cli::{
        args::{Global, Tasks},
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, in_brackets, table},
        },
    },
    data::{Finding, Inspiration, SeminarId, Task, TaskId, Transcript, TranscriptId},
    files,
    report::listing::{self, Listed, Listing},
    store::{Store, UNKNOWN_LICENCE},
    text::words::one_line,
    weave::disciplines::Disciplines,
};

/// Version of the exported record's shape.
const SCHEMA_VERSION: u32 = 1;

/// Runs one of the commands.
pub fn tasks(global: &Global, command: Tasks, printer: &Printer) -> Result<u8> {
    let read = || {
        let project = Project::find(global)?;
        let store = project.read_or_hint()?;
        let listing = listing::read(&store)?;
        anyhow::Ok((project, store, listing))
    };
    match command {
        Tasks::List { top, flagged } => list(read()?.2, top, flagged, printer),
        Tasks::Show { id } => {
            let (_, store, listing) = read()?;
            show(&store, listing, &id, printer)
        }
        Tasks::Select(args) => select::run(global, &args, printer),
        Tasks::Diversity { similarity, .. } => super::diversity::run(global, similarity, printer),
        Tasks::Export {
            output,
            top,
            require_licence,
        } => {
            let (project, store, mut listing) = read()?;
            listing.keep(top);
            let unlicensed = Unlicensed::of(&store, &listing)?;
            if require_licence {
                unlicensed.refuse()?;
            }
            export(
                &project,
                &store,
                &listing,
                output,
                unlicensed.tasks,
                printer,
            )
        }
    }
}

fn list(mut listing: Listing, top: Option<u64>, flagged: bool, printer: &Printer) -> Result<u8> {
    listing
        .tasks
        .retain(|listed| !flagged || listed.is_flagged());
    listing.keep(top);
    printer.show(&listing.tasks, |tasks| match tasks.as_slice() {
        [] if flagged => "no task is flagged\nhint: `taskgen probe` looks for reasons".to_owned(),
        tasks => text_list(tasks),
    })?;
    if !printer.json {
        about(&listing, printer);
    }
    Ok(exit::DONE)
}

/// The table of tasks: place, task, and where it comes from.
pub fn text_list(tasks: &[Listed]) -> String {
    if tasks.is_empty() {
        return "no tasks yet\nhint: `taskgen run`, and `taskgen status` says what is missing"
            .to_owned();
    }
    let by_duels = tasks.iter().any(|listed| listed.estimate.is_some());
    let rating = if by_duels { "strength, P(top)" } else { "elo" };
    let mut table = table(&["#", rating, "phase, family", "task", "seminar, time, quote"]);
    for listed in tasks {
        let place = listed
            .rank
            .map_or_else(|| "–".to_owned(), |rank| rank.to_string());
        let task = &listed.task;
        table.add_row(vec![
            place,
            rating_of(listed),
            format!(
                "{}\n{}\n{}",
                task.phase.label(),
                task.task_type.label(),
                task.id
            ),
            text_with_flags(listed),
            source(listed),
        ]);
    }
    table.to_string()
}

fn text_with_flags(listed: &Listed) -> String {
    let flags = listed
        .probes
        .iter()
        .filter(|finding| finding.outcome.flags());
    let flags = flags.map(|finding| {
        format!(
            "\n⚑ {}: {}",
            finding.outcome.label(),
            one_line(&finding.note)
        )
    });
    format!("{}{}", listed.task.task, flags.collect::<String>())
}

fn rating_of(listed: &Listed) -> String {
    match (&listed.estimate, listed.elo) {
        (Some(e), _) => format!(
            "{:+.2}\n[{:+.1}, {:+.1}]\n{:.2}",
            e.strength, e.low, e.high, e.membership
        ),
        (None, Some(elo)) => format!("{elo:.0}"),
        (None, None) => "–".to_owned(),
    }
}

fn source(listed: &Listed) -> String {
    let quote = listed
        .sources
        .first()
        .and_then(|inspiration| inspiration.evidence.first());
    match quote {
        Some(evidence) => format!(
            "{} {}\n“{}”",
            listed.source.path,
            evidence.start,
            one_line(&evidence.quote)
        ),
        None => listed.source.path.clone(),
    }
}

fn about(listing: &Listing, printer: &Printer) {
    if let Some(ratings) = &listing.ratings {
        let failed = in_brackets(&ratings.n_failed);
        printer.note(&format!(
            "ratings rest on {} of {} comparisons{failed}",
            ratings.n_scored, ratings.n_total
        ));
        if let (Some(top), Some(recall)) = (ratings.top, ratings.expected_recall) {
            printer.note(&format!(
                "of the truly best {top}, the first {top} are expected to hold {:.0} %; `taskgen rank report` says how far the judge can be believed",
                recall * 100.0
            ));
        }
    }
    let judges = listing
        .ranking
        .iter()
        .flat_map(|ranking| &ranking.panel)
        .map(|judge| judge.model_asked.as_str());
    if let Some(judge) = judges.into_iter().find(|judge| judge.starts_with("local/")) {
        printer.note(&format!(
            "the judge was the built-in model {judge}: good for trying things out, not for results"
        ));
    }
}

/// One task and where it comes from.
#[derive(Serialize)]
struct Traced<'a> {
    #[serde(flatten)]
    listed: &'a Listed,
    /// For each inspiration, the sentences of the transcript around its first quote.
    context: Vec<String>,
    /// The same task in other languages.
    translations: Vec<Task>,
}

fn show(store: &Store, listing: Listing, id: &str, printer: &Printer) -> Result<u8> {
    let mut translations = store.translations()?;
    let begins = |task: &Task| task.id.as_str().starts_with(id);
    let said = |original: &Task| {
        translations
            .iter()
            .any(|t| t.translation_of.as_ref() == Some(&original.id) && begins(t))
    };
    // A translation is shown with its original.
    let matching: Vec<&Listed> = listing
        .tasks
        .iter()
        .filter(|of| begins(&of.task) || said(&of.task))
        .collect();
    let listed = match matching.as_slice() {
        [one] => *one,
        [] => {
            return Err(Usage(format!(
                "no such task: `{id}`\nhint: `taskgen tasks list` shows the ids"
            ))
            .into());
        }
        many => {
            const SHOWN: usize = 10;
            let ids: Vec<&str> = many
                .iter()
                .take(SHOWN)
                .map(|t| t.task.id.as_str())
                .collect();
            let more = if many.len() > SHOWN {
                format!(", and {} more", many.len() - SHOWN)
            } else {
                String::new()
            };
            let ids = ids.join(", ");
            return Err(Usage(format!(
                "several tasks begin with `{id}`\nhint: one of {ids}{more}"
            ))
            .into());
        }
    };
    let mut context = Vec::new();
    for inspiration in &listed.sources {
        // The version in which it was found: the current one may be newer.
        let transcript = store
            .transcript(&inspiration.transcript)?
            .context("the transcript is gone")?;
        context.push(around(
            &transcript.text().chars().collect::<Vec<_>>(),
            inspiration,
        ));
    }
    translations.retain(|task| task.translation_of.as_ref() == Some(&listed.task.id));
    let traced = Traced {
        listed,
        context,
        translations,
    };
    printer.show(&traced, text_show)?;
    Ok(exit::DONE)
}

/// The transcript around an inspiration's first quote, which stands in brackets.
fn around(text: &[char], inspiration: &Inspiration) -> String {
    const BEFORE_AND_AFTER: usize = 120;
    let Some(evidence) = inspiration.evidence.first() else {
        return String::new();
    };
    let (start, end) = (
        evidence.start_char.min(text.len()),
        evidence.end_char.min(text.len()),
    );
    let before: String = text[start.saturating_sub(BEFORE_AND_AFTER)..start]
        .iter()
        .collect();
    let after: String = text[end..(end + BEFORE_AND_AFTER).min(text.len())]
        .iter()
        .collect();
    one_line(&format!("…{before}[{}]{after}…", evidence.quote))
}

fn text_show(traced: &Traced<'_>) -> String {
    let Listed { task, source, .. } = traced.listed;
    let Listed {
        rank,
        elo,
        estimate,
        games,
        ..
    } = traced.listed;
    let games = games.unwrap_or(0);
    let place = match (rank, elo, estimate) {
        (Some(rank), Some(elo), _) => format!("place {rank}, Elo {elo:.1} after {games} games"),
        (Some(rank), _, Some(e)) => format!(
            "place {rank}, strength {:+.2} [{:+.2}, {:+.2}] after {games} games, among the best with probability {:.2}",
            e.strength, e.low, e.high, e.membership
        ),
        _ => "not ranked yet".to_owned(),
    };
    let mut out = format!(
        "{}\n{} · {} · {} · {} · {}\n{place}\n\n{}\n\nfrom  {}  “{}”  {}",
        task.id,
        task.phase.label(),
        task.task_type.label(),
        task.difficulty.label(),
        task.language,
        task.discipline,
        task.task,
        source.path,
        source.title,
        source.duration,
    );
    for Task {
        id, language, task, ..
    } in &traced.translations
    {
        out.push_str(&format!("\n\nin {language}, {id}\n{task}"));
    }
    for Finding {
        probe,
        outcome,
        note,
        by,
    } in &traced.listed.probes
    {
        let flag = if outcome.flags() { "⚑ " } else { "" };
        out.push_str(&format!(
            "\n{flag}{}: {} ({by}): {}",
            probe.label(),
            outcome.label(),
            one_line(note)
        ));
    }
    for (inspiration, context) in traced.listed.sources.iter().zip(&traced.context) {
        let traits: Vec<&str> = inspiration
            .traits
            .iter()
            .map(|shown| shown.which.word())
            .collect();
        out.push_str(&format!(
            "\n\n{}  {}  ({})\n  {}",
            inspiration.id,
            inspiration.kind.label(),
            traits.join(", "),
            inspiration.text
        ));
        for shown in inspiration
            .traits
            .iter()
            .filter(|shown| !shown.reason.is_empty())
        {
            out.push_str(&format!("\n  {}: {}", shown.which.word(), shown.reason));
        }
        for evidence in &inspiration.evidence {
            out.push_str(&format!(
                "\n  {}–{}  characters {}–{}\n  “{}”",
                evidence.start,
                evidence.end,
                evidence.start_char,
                evidence.end_char,
                one_line(&evidence.quote)
            ));
        }
        out.push_str(&format!("\n  in context: {context}"));
    }
    out
}

#[derive(Serialize)]
struct Exported {
    tasks: usize,
    /// Lines beside these: the same tasks in other languages.
    translations: usize,
    file: PathBuf,
    unknown_licence: usize,
}

fn export(
    project: &Project,
    store: &Store,
    listing: &Listing,
    output: Option<PathBuf>,
    unknown_licence: usize,
    printer: &Printer,
) -> Result<u8> {
    let path = output.unwrap_or_else(|| project.tasks().join("tasks.jsonl"));
    let chosen = &listing.tasks;
    let mut translations = BTreeMap::<TaskId, Vec<Task>>::new();
    for task in store.translations()? {
        translations
            .entry(
                task.translation_of
                    .clone()
                    .unwrap_or_else(|| task.id.clone()),
            )
            .or_default()
            .push(task);
    }
    let (mut transcripts, mut said_again) = (BTreeMap::new(), 0);
    let disciplines = Disciplines::load(&project.root)?;
    let mut text = String::new();
    for listed in chosen {
        for inspiration in &listed.sources {
            if !transcripts.contains_key(&inspiration.transcript) {
                let found = store
                    .transcript(&inspiration.transcript)?
                    .context("the transcript is gone")?;
                transcripts.insert(inspiration.transcript.clone(), found);
            }
            check_quotes(listed, inspiration, &transcripts[&inspiration.transcript])?;
        }
        let again = translations
            .get(&listed.task.id)
            .map_or(&[][..], Vec::as_slice);
        said_again += again.len();
        for task in std::iter::once(&listed.task).chain(again) {
            text.push_str(&record(listed, task, &transcripts, &disciplines)?.to_string());
            text.push('\n');
        }
    }
    // JSON lines with --json and without.
    if path.as_os_str() == "-" {
        if !text.is_empty() {
            printer.data(text.trim_end())?;
        }
        return Ok(exit::DONE);
    }
    write(&path, &text)?;
    let meta = json!({
        "schema_version": SCHEMA_VERSION,
        "created": jiff::Timestamp::now().to_string(),
        "tool_version": env!("CARGO_PKG_VERSION"),
        "ranking": listing.ranking,
        "standing": listing.ratings,
        "tasks": chosen.len(),
        "translations": said_again,
    });
    write(&path.with_extension("meta.json"), &format!("{meta:#}\n"))?;
    printer.show(
        &Exported { tasks: chosen.len(), translations: said_again, file: path, unknown_licence },
        |exported| {
            let licence = match exported.unknown_licence {
                0 => String::new(),
                n => format!(
                    "\n{n} come from recordings of unknown licence: a `NAME.toml` beside a recording can name it"
                ),
            };
            let again = match exported.translations {
                0 => String::new(),
                n => format!(" and {n} translations"),
            };
            format!("{} tasks{again} written to `{}`{licence}", exported.tasks, exported.file.display())
        },
    )?;
    Ok(exit::DONE)
}

/// What comes from recordings of which nobody said whether they may be passed on.
struct Unlicensed {
    tasks: usize,
    recordings: BTreeSet<String>,
}

impl Unlicensed {
    fn of(store: &Store, listing: &Listing) -> Result<Self> {
        let seminars = store
            .seminars()?
            .into_iter()
            .filter(|seminar| seminar.licence == UNKNOWN_LICENCE);
        let unknown: BTreeMap<SeminarId, String> =
            seminars.map(|seminar| (seminar.id, seminar.path)).collect();
        let paths = |listed: &Listed| -> BTreeSet<String> {
            listed
                .sources
                .iter()
                .filter_map(|inspiration| unknown.get(&inspiration.seminar).cloned())
                .collect()
        };
        let each: Vec<BTreeSet<String>> = listing
            .tasks
            .iter()
            .map(paths)
            .filter(|of| !of.is_empty())
            .collect();
        Ok(Self {
            tasks: each.len(),
            recordings: each.into_iter().flatten().collect(),
        })
    }

    fn refuse(&self) -> Result<()> {
        let Self { tasks, recordings } = self;
        let Some(first) = recordings.first() else {
            return Ok(());
        };
        let more = if recordings.len() > 1 {
            format!(" and {} more", recordings.len() - 1)
        } else {
            String::new()
        };
        let side = Path::new(first).with_extension("toml");
        let hint = format!(
            "name it in `{}` beside the recording, then `taskgen inspire`",
            side.display()
        );
        Err(Usage(format!(
            "{tasks} tasks come from recordings of unknown licence: `{first}`{more}\nhint: {hint}"
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
    let first = listed
        .sources
        .first()
        .with_context(|| format!("`{}` has no source", listed.task.id))?;
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
        "id": task.id,
        "schema_version": SCHEMA_VERSION,
        "phase": task.phase.label(),
        "task_type": task.task_type.label(),
        "difficulty": task.difficulty.label(),
        "task": task.task,
        "inspiration_ids": task.inspirations,
        "language": task.language,
        "translation_of": task.translation_of,
        "discipline": task.discipline,
        "categories": disciplines.get(&task.discipline).map(|of| json!({
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
        "provenance": {
            "seminar": {
                "id": listed.source.id, "path": listed.source.path, "title": listed.source.title,
                "licence": listed.source.licence, "media_sha256": transcript.media_sha256,
                "duration_s": listed.source.duration,
            },
            "transcript": { "id": transcript.id, "asr_model": transcript.model },
            "inspirations": inspirations,
        }
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

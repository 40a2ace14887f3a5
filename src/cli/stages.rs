//! `taskgen run` and its four stages: what a stage did is shown in the end, and turns the exit code.

use std::{path::PathBuf, sync::Arc, time::Instant};

use anyhow::Result;
use serde::Serialize;

use super::{
    args::{self, Global},
    config::Config,
    exit::{self, Usage},
    listing,
    output::{Printer, seconds, table},
    progress,
    project::{self, Project},
    resolve,
};
use crate::{
    context::{Context, Notice, Notify, StageReport},
    data::{Transcript, Usage as Tokens},
    inspire, rank,
    store::{SeminarInfo, Store},
    transcribe::{self, Discovered, Engine, Recording, Standing, formats::Format},
    weave,
};

/// What a command did.
#[derive(Serialize)]
struct Summary {
    schema_version: u32,
    seed: u64,
    models: serde_json::Value,
    stages: Vec<StageReport>,
    usage: Option<Calls>,
    tasks: Option<usize>,
    seconds: f64,
}

/// What was asked of models.
#[derive(Serialize)]
struct Calls {
    made: u64,
    cached: u64,
    #[serde(flatten)]
    tokens: Tokens,
}

/// `taskgen run`
pub fn run(global: &Global, args: &args::Run, printer: &Printer) -> Result<u8> {
    let started = Instant::now();
    resolve::stop_on_signals(*printer)?;
    let mut project = Project::find(global)?;
    project.apply_sound(&args.sound);
    project.apply_rank(&args.rank)?;
    let notify = progress::notify(global.quiet || global.json);
    let store = Arc::new(project.write(global)?);
    printer.note(&format!("seed {} (change it with --seed)", project.loaded.config.seed));
    let found = discover(&project, &args.paths)?;
    let heard =
        hear(global, &project.loaded.config, &project.seminars(), &project.transcripts(), &found, false, &notify)?;
    let stop = heard.unusable();
    let mut stages = vec![take_in(&project, &store, heard)?];
    if stop {
        return end(&project, &store, stages, None, started, args.rank.max_unscored, printer);
    }
    let seminars = chosen(&store, &found)?;
    let ctx = resolve::context(global, &project, &store, &notify, printer, &["inspire", "weave", "judge"])?;
    let config = &project.loaded.config;
    let work = async {
        let inspired = inspire::run(&ctx, &seminars, &config.inspire).await?;
        let woven = weave::run(&ctx, &seminars, &config.weave).await?;
        let ranked = rank::run(&ctx, &ctx.store.tasks()?, &config.rank).await?;
        Ok(vec![inspired, woven, ranked])
    };
    stages.extend(resolve::block_on(work)?);
    end(&project, &store, stages, Some(&ctx), started, args.rank.max_unscored, printer)
}

/// `taskgen transcribe`
pub fn transcribe(global: &Global, args: &args::Transcribe, printer: &Printer) -> Result<u8> {
    let started = Instant::now();
    resolve::stop_on_signals(*printer)?;
    let forms = forms(&args.format)?;
    let notify = progress::notify(global.quiet || global.json);
    let report = match Project::find_if_any(global)? {
        Some(mut project) => {
            project.apply_sound(&args.sound);
            let found = discover(&project, &args.paths)?;
            let (seminars, transcripts) = (project.seminars(), project.transcripts());
            let heard = hear(global, &project.loaded.config, &seminars, &transcripts, &found, args.force, &notify)?;
            write_forms(&heard, &transcripts, &forms)?;
            heard.report
        }
        None => beside(global, args, &forms, &notify)?,
    };
    let summary = Summary {
        schema_version: 1,
        seed: 0,
        models: serde_json::Value::Null,
        stages: vec![report],
        usage: None,
        tasks: None,
        seconds: started.elapsed().as_secs_f64(),
    };
    show(&summary, printer)
}

/// Without a project, each transcript goes beside its recording.
fn beside(global: &Global, args: &args::Transcribe, forms: &[Format], notify: &Notify) -> Result<StageReport> {
    if args.paths.is_empty() {
        return Err(Usage(
            "no recording named, and no project here or above\nhint: name a recording, or `taskgen init`".into(),
        )
        .into());
    }
    let mut loaded = super::config::load(None)?;
    project::apply_sound(&mut loaded, &args.sound);
    let mut report = StageReport::new("transcribe");
    for path in &args.paths {
        let folder = if path.is_dir() { path.clone() } else { path.parent().map_or_else(PathBuf::new, PathBuf::from) };
        let found = transcribe::discover(&folder, std::slice::from_ref(path)).map_err(|e| Usage(format!("{e:#}")))?;
        let heard = hear(global, &loaded.config, &folder, &folder, &found, args.force, notify)?;
        write_forms(&heard, &folder, forms)?;
        report.done += heard.report.done;
        report.skipped += heard.report.skipped;
        report.seconds += heard.report.seconds;
        report.failed.extend(heard.report.failed);
        report.notes.extend(heard.report.notes);
    }
    Ok(report)
}

/// `taskgen inspire`
pub fn inspire(global: &Global, args: &args::Select, printer: &Printer) -> Result<u8> {
    one_stage(
        global,
        printer,
        "inspire",
        1.0,
        async |ctx, config, store| {
            let seminars = inspire::select(store.seminars()?, &args.seminar).map_err(|e| Usage(format!("{e:#}")))?;
            inspire::run(ctx, &seminars, &config.inspire).await
        },
        |_| Ok(()),
    )
}

/// `taskgen weave`
pub fn weave(global: &Global, args: &args::Select, printer: &Printer) -> Result<u8> {
    one_stage(
        global,
        printer,
        "weave",
        1.0,
        async |ctx, config, store| {
            let seminars = inspire::select(store.seminars()?, &args.seminar).map_err(|e| Usage(format!("{e:#}")))?;
            weave::run(ctx, &seminars, &config.weave).await
        },
        |_| Ok(()),
    )
}

/// `taskgen rank`
pub fn rank(global: &Global, args: &args::Rank, printer: &Printer) -> Result<u8> {
    one_stage(
        global,
        printer,
        "judge",
        args.max_unscored,
        async |ctx, config, store| rank::run(ctx, &store.tasks()?, &config.rank).await,
        |project| project.apply_rank(args),
    )
}

fn one_stage(
    global: &Global,
    printer: &Printer,
    role: &'static str,
    max_unscored: f64,
    work: impl AsyncFnOnce(&Context, &Config, &Store) -> Result<StageReport>,
    adapt: impl FnOnce(&mut Project) -> Result<()>,
) -> Result<u8> {
    let started = Instant::now();
    resolve::stop_on_signals(*printer)?;
    let mut project = Project::find(global)?;
    adapt(&mut project)?;
    let notify = progress::notify(global.quiet || global.json);
    let store = Arc::new(project.write(global)?);
    take_in_saved(&project, &store)?;
    if store.seminars()?.is_empty() {
        return Err(
            Usage("no transcripts yet\nhint: `taskgen transcribe`, or `taskgen run` for all stages".into()).into()
        );
    }
    let ctx = resolve::context(global, &project, &store, &notify, printer, &[role])?;
    let report = resolve::block_on(work(&ctx, &project.loaded.config, &store))?;
    end(&project, &store, vec![report], Some(&ctx), started, max_unscored, printer)
}

/// The transcripts of a run, and what could not be transcribed.
struct Heard {
    report: StageReport,
    transcripts: Vec<(Recording, Transcript)>,
}

impl Heard {
    /// Whether there is nothing to go on with.
    fn unusable(&self) -> bool {
        self.transcripts.is_empty()
    }
}

fn discover(project: &Project, paths: &[PathBuf]) -> Result<Discovered> {
    let root = project.seminars();
    let found = transcribe::discover(&root, paths)
        .map_err(|e| Usage(format!("{e:#}\nhint: recordings belong into `{}`", root.display())))?;
    if found.recordings.is_empty() {
        return Err(Usage(format!(
            "no recordings found in `{}`\nhint: put m4a, mp4, mp3, flac, wav, ogg, opus or webm files there",
            root.display()
        ))
        .into());
    }
    Ok(found)
}

/// Transcribes what is not done yet. A recording that cannot be used is listed, and the others go on.
fn hear(
    global: &Global,
    config: &Config,
    seminars: &std::path::Path,
    transcripts: &std::path::Path,
    found: &Discovered,
    force: bool,
    notify: &Notify,
) -> Result<Heard> {
    let started = Instant::now();
    let options = resolve::transcribe_options(&config.transcribe)?;
    let engine = Engine::new(resolve::whisper(global, notify));
    let mut heard = Heard { report: StageReport::new("transcribe"), transcripts: Vec::new() };
    tracing::debug!(from = %seminars.display(), recordings = found.recordings.len(), "discovered");
    transcribe::check_writable(transcripts).map_err(|e| {
        let hint = e.hint();
        anyhow::Error::new(e)
            .context(format!("transcripts cannot be written to `{}`\nhint: {hint}", transcripts.display()))
    })?;
    notify(Notice::Start { stage: "transcribe", total: found.recordings.len() as u64 * 100 });
    for recording in &found.recordings {
        notify(Notice::Working(&recording.name));
        let standing = if force {
            Ok(Standing::Todo("--force"))
        } else {
            transcribe::standing(transcripts, recording, &options, &resolve::pinned)
        };
        let shown = std::sync::atomic::AtomicU64::new(0);
        let advance = |share: f64| {
            let now = (share * 100.0) as u64;
            let before = shown.fetch_max(now, std::sync::atomic::Ordering::Relaxed);
            if now > before {
                notify(Notice::Advance(now - before));
            }
        };
        let result = standing.and_then(|standing| match standing {
            Standing::Done(transcript) => Ok((*transcript, false)),
            Standing::Todo(reason) => {
                tracing::info!(recording = %recording.name, reason, "transcribing");
                transcribe::transcribe_file(&engine, recording, transcripts, &options, &advance)
                    .map(|done| (done.transcript, true))
            }
        });
        advance(1.0);
        match result {
            Ok((transcript, fresh)) => {
                if fresh {
                    heard.report.done += 1;
                } else {
                    heard.report.skipped += 1;
                }
                heard.transcripts.push((recording.clone(), transcript));
            }
            Err(error) if error.is_about_the_model() || error.is_fatal() => {
                notify(Notice::End);
                let hint = error.hint();
                return Err(
                    anyhow::Error::new(error).context(format!("transcribe: `{}`\nhint: {hint}", recording.name))
                );
            }
            Err(error) => {
                let message = format!("{error}\nhint: {}", error.hint());
                heard.report.fail(&recording.name, error.cause(), message);
            }
        }
    }
    notify(Notice::End);
    if !found.skipped.is_empty() {
        heard.report.notes.push(format!("{} hidden, temporary or growing files were left out", found.skipped.len()));
    }
    heard.report.seconds = started.elapsed().as_secs_f64();
    Ok(heard)
}

fn write_forms(heard: &Heard, transcripts: &std::path::Path, forms: &[Format]) -> Result<()> {
    for (recording, transcript) in &heard.transcripts {
        for form in forms {
            let path = transcripts.join(format!("{}.{}", recording.name, form.extension()));
            transcribe::write_whole(&path, form.render(transcript).as_bytes())?;
        }
    }
    Ok(())
}

/// The forms besides JSON, which is always written.
fn forms(words: &[String]) -> Result<Vec<Format>> {
    let mut forms = Vec::new();
    for word in words.iter().filter(|word| *word != "json") {
        let form = Format::ALL.into_iter().find(|form| form.extension() == word);
        forms.push(form.ok_or_else(|| Usage(format!("no such form: `{word}`\nhint: json, srt, vtt, txt")))?);
    }
    Ok(forms)
}

/// Makes the transcripts of this run the current ones in the database.
fn take_in(project: &Project, store: &Store, heard: Heard) -> Result<StageReport> {
    for (recording, transcript) in &heard.transcripts {
        let side = super::status::side_file(&project.seminars(), &recording.name)?;
        store.save_transcript(&side.info(transcript), transcript)?;
    }
    Ok(heard.report)
}

/// Takes in every transcript of the project's folder, hand edits included.
fn take_in_saved(project: &Project, store: &Store) -> Result<()> {
    let found = transcribe::discover(&project.seminars(), &[]).unwrap_or_default();
    for recording in &found.recordings {
        if let Some(transcript) = transcribe::load(&transcribe::transcript_path(&project.transcripts(), recording)) {
            let side = super::status::side_file(&project.seminars(), &recording.name)?;
            store.save_transcript(&side.info(&transcript), &transcript)?;
        }
    }
    Ok(())
}

/// The seminars of the recordings that were named.
fn chosen(store: &Store, found: &Discovered) -> Result<Vec<SeminarInfo>> {
    let seminars = store.seminars()?;
    let named = |s: &SeminarInfo| found.recordings.iter().any(|r| r.name == s.path);
    Ok(seminars.into_iter().filter(named).collect())
}

fn end(
    project: &Project,
    store: &Store,
    stages: Vec<StageReport>,
    ctx: Option<&Context>,
    started: Instant,
    max_unscored: f64,
    printer: &Printer,
) -> Result<u8> {
    let usage = ctx.map(|ctx| {
        let counts = ctx.llm.counts();
        Calls { made: counts.made, cached: counts.cached, tokens: counts.usage }
    });
    let listing = listing::read(store)?;
    let summary = Summary {
        schema_version: 1,
        seed: project.loaded.config.seed,
        models: serde_json::to_value(&project.loaded.config.roles)?,
        stages,
        usage,
        tasks: Some(listing.tasks.len()),
        seconds: started.elapsed().as_secs_f64(),
    };
    let mut code = show(&summary, printer)?;
    if let Some(standing) = &listing.standing {
        let missing = standing.n_total - standing.n_scored;
        if standing.n_total > 0 && missing as f64 / standing.n_total as f64 > max_unscored {
            printer.error(&format!(
                "error: {missing} of {} comparisons have no verdict, more than --max-unscored {max_unscored} allows\nhint: run again with --retry-failed, or use another judge",
                standing.n_total
            ));
            code = exit::UNSCORED;
        }
    }
    store.end_run(&jiff::Timestamp::now().to_string(), code)?;
    if !printer.json && summary.stages.len() > 1 && !listing.tasks.is_empty() {
        printer.note("next: `taskgen tasks list`, `taskgen tasks show ID`, `taskgen tasks export`");
    }
    Ok(code)
}

fn show(summary: &Summary, printer: &Printer) -> Result<u8> {
    let failed = summary.stages.iter().any(|stage| !stage.failed.is_empty());
    if printer.json {
        printer.show(summary, |_| String::new())?;
    } else {
        for failure in summary.stages.iter().flat_map(|stage| &stage.failed) {
            printer.error(&format!("{}: {}", failure.item, failure.message));
        }
        printer.note(&text(summary));
    }
    Ok(if failed { exit::SOME_FAILED } else { exit::DONE })
}

fn text(summary: &Summary) -> String {
    let mut rows = table(&["stage", "done", "skipped", "failed", "refused by rule", "time"]);
    for stage in &summary.stages {
        let refused: Vec<String> = stage.rejected.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
        let mut causes = std::collections::BTreeMap::<&str, usize>::new();
        for failure in &stage.failed {
            *causes.entry(&failure.cause).or_default() += 1;
        }
        let failed: Vec<String> = causes.iter().map(|(cause, n)| format!("{cause} {n}")).collect();
        rows.add_row(vec![
            stage.stage.to_owned(),
            stage.done.to_string(),
            stage.skipped.to_string(),
            if failed.is_empty() { "0".to_owned() } else { failed.join(", ") },
            if refused.is_empty() { "–".to_owned() } else { refused.join(", ") },
            seconds(stage.seconds),
        ]);
    }
    let mut out = rows.to_string();
    for note in summary.stages.iter().flat_map(|stage| &stage.notes) {
        out.push_str(&format!("\n{note}"));
    }
    if let Some(usage) = &summary.usage {
        out.push_str(&format!(
            "\n{} model calls, {} more from the record; {} prompt tokens ({} read before), {} reply tokens",
            usage.made, usage.cached, usage.tokens.input, usage.tokens.cached, usage.tokens.output
        ));
    }
    let tasks = summary.tasks.map_or_else(String::new, |n| format!("{n} tasks, "));
    out.push_str(&format!("\n{tasks}{} in all", seconds(summary.seconds)));
    out
}

//! `taskgen transcribe`, and the same as the first stage of `run`. A recording that cannot be used is listed, and the
//! others go on.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use anyhow::Result;

use super::{
    args::{self, Global},
    config::{self, Config},
    exit::Usage,
    models,
    output::Printer,
    progress,
    project::{self, Project},
    resolve,
    side::Side,
    summary::Summary,
};
use crate::{
    context::{Notice, Notify, StageReport},
    data::Transcript,
    files,
    store::Store,
    transcribe::{self, Discovered, Engine, Notes, Options, Recording, Standing, formats::Format},
};

/// A recording's progress bar has this many steps.
const STEPS: f64 = 100.0;

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
            let _lock = project.lock(global)?;
            let transcripts = project.transcripts();
            let job = Job::new(global, &project.loaded.config, &transcripts, &notify)?;
            job.hear(&found, args.force, &|recording, transcript| {
                write_forms(recording, transcript, &transcripts, &forms)
            })?
        }
        None => beside(global, args, &forms, &notify)?,
    };
    Summary::of_transcription(report, started).show(printer)
}

/// Without a project, each transcript goes beside its recording.
fn beside(global: &Global, args: &args::Transcribe, forms: &[Format], notify: &Notify) -> Result<StageReport> {
    if args.paths.is_empty() {
        return Err(Usage(
            "no recording named, and no project here or above\nhint: name a recording, or `taskgen init`".into(),
        )
        .into());
    }
    let mut loaded = config::load(None)?;
    project::apply_sound(&mut loaded, &args.sound);
    let mut report = StageReport::new("transcribe");
    for path in &args.paths {
        let folder = if path.is_dir() { path.clone() } else { path.parent().map_or_else(PathBuf::new, PathBuf::from) };
        let found = transcribe::discover(&folder, std::slice::from_ref(path)).map_err(|e| Usage(format!("{e:#}")))?;
        let job = Job::new(global, &loaded.config, &folder, notify)?;
        let one =
            job.hear(&found, args.force, &|recording, transcript| write_forms(recording, transcript, &folder, forms))?;
        report.done += one.done;
        report.skipped += one.skipped;
        report.seconds += one.seconds;
        report.failed.extend(one.failed);
        report.notes.extend(one.notes);
    }
    Ok(report)
}

/// The recordings that `paths` name, or all of the project.
pub fn discover(project: &Project, paths: &[PathBuf]) -> Result<Discovered> {
    let root = project.seminars();
    let found = transcribe::discover(&root, paths).map_err(|e| Usage(format!("{e:#}")))?;
    if found.recordings.is_empty() {
        return Err(Usage(format!(
            "no recordings found in `{}`\nhint: put m4a, mp4, mp3, flac, wav, ogg, opus or webm files there",
            root.display()
        ))
        .into());
    }
    Ok(found)
}

/// What happens with each transcript, new or not.
type Keep<'a> = dyn Fn(&Recording, &Transcript) -> Result<()> + 'a;

/// Recordings into transcripts in one folder.
pub struct Job<'a> {
    transcripts: &'a Path,
    options: Options,
    engine: Engine,
    notify: &'a Notify,
}

impl<'a> Job<'a> {
    /// Nothing is read yet, and no model loaded.
    pub fn new(global: &Global, config: &Config, transcripts: &'a Path, notify: &'a Notify) -> Result<Self> {
        let options = resolve::transcribe_options(&config.transcribe)?;
        Ok(Self { transcripts, options, engine: Engine::new(resolve::whisper(global, notify)), notify })
    }

    /// Transcribes what is not done yet, all of it with `force`, and hands each transcript to `keep` at once.
    pub fn hear(&self, found: &Discovered, force: bool, keep: &Keep<'_>) -> Result<StageReport> {
        let started = Instant::now();
        let mut report = StageReport::new("transcribe");
        transcribe::check_writable(self.transcripts).map_err(|e| {
            let hint = e.hint();
            anyhow::Error::new(e)
                .context(format!("transcripts cannot be written to `{}`\nhint: {hint}", self.transcripts.display()))
        })?;
        let total = found.recordings.len() as u64 * STEPS as u64;
        (self.notify)(Notice::Start { stage: "transcribe", total });
        for recording in &found.recordings {
            (self.notify)(Notice::Working(&recording.name));
            self.one(recording, force, keep, &mut report).inspect_err(|_| (self.notify)(Notice::End))?;
        }
        (self.notify)(Notice::End);
        for folder in &found.unreadable {
            report.fail(
                &folder.display().to_string(),
                "unreadable",
                "the folder cannot be read\nhint: check its permissions",
            );
        }
        if !found.skipped.is_empty() {
            report.notes.push(format!("{} hidden, temporary or growing files were left out", found.skipped.len()));
        }
        report.seconds = started.elapsed().as_secs_f64();
        Ok(report)
    }

    fn one(&self, recording: &Recording, force: bool, keep: &Keep<'_>, report: &mut StageReport) -> Result<()> {
        let options = match Side::of(recording) {
            Ok(side) => side.options(&self.options),
            Err(error) => {
                report.fail(&recording.name, "side_file", format!("{error:#}"));
                return Ok(());
            }
        };
        let shown = AtomicU64::new(0);
        let advance = |share: f64| {
            let now = (share * STEPS) as u64;
            let before = shown.fetch_max(now, Ordering::Relaxed);
            if now > before {
                (self.notify)(Notice::Advance(now - before));
            }
        };
        let result = self.standing(recording, force, &options).and_then(|standing| match standing {
            Standing::Done(transcript) => {
                report.skipped += 1;
                Ok(*transcript)
            }
            Standing::Todo(reason) => {
                tracing::info!(recording = %recording.name, reason, "transcribing");
                let done = transcribe::transcribe_file(&self.engine, recording, self.transcripts, &options, &advance)?;
                report.done += 1;
                report.notes.extend(note(&recording.name, &done.notes));
                Ok(done.transcript)
            }
        });
        advance(1.0);
        match result {
            Ok(transcript) => keep(recording, &transcript)?,
            Err(error) if error.is_about_the_model() || error.is_fatal() => {
                let hint = error.hint();
                return Err(
                    anyhow::Error::new(error).context(format!("transcribe: `{}`\nhint: {hint}", recording.name))
                );
            }
            Err(error @ transcribe::TranscribeError::Growing { .. }) => {
                report.notes.push(format!("{} was left out: {error}; {}", recording.name, error.hint()));
            }
            Err(error) => {
                let message = format!("{error}\nhint: {}", error.hint());
                report.fail(&recording.name, error.cause(), message);
            }
        }
        Ok(())
    }

    fn standing(
        &self,
        recording: &Recording,
        force: bool,
        options: &Options,
    ) -> Result<Standing, transcribe::TranscribeError> {
        if force {
            return Ok(Standing::Todo("--force"));
        }
        transcribe::standing(self.transcripts, recording, options, &models::pinned)
    }
}

/// What a user should know of how a recording was heard.
fn note(name: &str, notes: &Notes) -> Option<String> {
    let mut said = Vec::new();
    if notes.unfinished {
        said.push("the file lacks its end: it may have been cut off".to_owned());
    }
    for (count, what) in [
        (notes.broken_packets, "broken packets were skipped"),
        (notes.dropped, "stretches of invented text were dropped"),
        (notes.loops, "loops of the recogniser were cut down"),
    ] {
        if count > 0 {
            said.push(format!("{count} {what}"));
        }
    }
    (!said.is_empty()).then(|| format!("{name}: {}", said.join("; ")))
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

fn write_forms(recording: &Recording, transcript: &Transcript, folder: &Path, forms: &[Format]) -> Result<()> {
    for form in forms {
        let path = folder.join(format!("{}.{}", recording.name, form.extension()));
        files::write_whole(&path, form.render(transcript).as_bytes())?;
    }
    Ok(())
}

/// Makes a transcript the current one of its recording in the database.
pub fn take_in(store: &Store, recording: &Recording, transcript: &Transcript) -> Result<()> {
    let side = Side::of(recording)?;
    store.save_transcript(&side.info(recording, transcript), transcript)
}

/// Takes in every transcript of the project's folder, hand edits included.
pub fn take_in_saved(project: &Project, store: &Store) -> Result<()> {
    let found = transcribe::discover(&project.seminars(), &[]).unwrap_or_default();
    for recording in &found.recordings {
        let path = transcribe::transcript_path(&project.transcripts(), recording);
        let saved = transcribe::load(&path).map_err(|e| Usage(format!("{e}\nhint: {}", e.hint())))?;
        if let Some(transcript) = saved {
            take_in(store, recording, &transcript)?;
        }
    }
    Ok(())
}

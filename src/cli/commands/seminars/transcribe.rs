//! `taskgen transcribe`, and the same as the first stage of `run`: finds the recordings, has them
//! transcribed, and writes other formats beside the transcripts.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Result;

use super::plan;
use crate::{
    cli::{
        args::{self, Global},
        commands::models,
        project::{
            self, Project,
            config::{self, Loaded},
            resolve,
        },
        ui::{
            exit::{self, Usage},
            output::Printer,
            progress,
            summary::Summary,
        },
    },
    context::{Notify, StageReport},
    data::{SeminarId, Transcript},
    files,
    store::{NoLocks, Store, WriteLock},
    transcribe::{
        self, Batch, BatchItem, Discovered, Recording, RecordingFolder, Sidecar, SidecarError,
        formats::Format,
    },
};

/// `taskgen transcribe`
pub fn transcribe(global: &Global, args: &args::Transcribe, printer: &Printer) -> Result<u8> {
    let started = Instant::now();
    resolve::stop_on_signals(*printer)?;
    let forms = forms(&args.format)?;
    let mut notify = progress::notify(global.quiet || global.json);
    let keep = |item: &BatchItem, transcript: &Transcript| write_forms(item, transcript, &forms);
    let mut forgotten = BTreeSet::new();
    let (loaded, mut folders, lock) = if let Some(mut project) = Project::find_if_any(global)? {
        project.apply_sound(&args.sound);
        notify = progress::notify_in(project.progress(), global.quiet || global.json);
        let found = discover(&project, &args.paths)?;
        let lock = lock(global, args, &project, printer)?;
        forgotten = project.forgotten()?;
        let transcripts = project.transcripts();
        (
            project.loaded,
            vec![RecordingFolder { found, transcripts }],
            lock,
        )
    } else {
        let mut loaded = config::load(None)?;
        project::apply_sound(&mut loaded, &args.sound);
        let folders = beside(&args.paths)?;
        if folders
            .iter()
            .all(|folder| folder.found.recordings.is_empty())
        {
            return Err(Usage(format!(
                "no recordings found\nhint: name files or folders with {} files",
                transcribe::FORMATS
            ))
            .into());
        }
        (loaded, folders, None)
    };
    keep_first(&mut folders, args.limit);
    // A plan fetches nothing.
    let global = &Global {
        offline: global.offline || args.plan,
        ..global.clone()
    };
    let batch = Batch {
        shard: args.shard,
        force: args.force,
        forgotten,
        ..batch(global, &loaded, &notify)?
    };
    if args.plan {
        return plan::show(&batch, &folders, printer);
    }
    let mut report = batch.run(&folders, &keep)?;
    report.notes.extend(batch.engine.notes());
    drop(lock);
    Summary::of_transcription(report, started).show(printer)
}

/// Machines that share a folder each write transcripts of their own; a plan writes nothing.
/// Nothing goes to the database here: without locks, the worst is that work is done twice.
fn lock(
    global: &Global,
    args: &args::Transcribe,
    project: &Project,
    printer: &Printer,
) -> Result<Option<WriteLock>> {
    let lock = match (args.plan, args.shard) {
        (true, _) => return Ok(None),
        (false, None) => project.lock(global),
        (false, Some(_)) => project.lock_beside(global),
    };
    match lock {
        Err(error) if error.is::<NoLocks>() => {
            printer.note("the file system has no locks: start nothing twice at the same time");
            Ok(None)
        }
        lock => lock.map(Some),
    }
}

/// `taskgen decode`: the process that decodes one recording for its parent.
pub fn decode(args: &args::Decode) -> Result<u8> {
    let out = &mut std::io::stdout().lock();
    if args.length {
        transcribe::serve_length(&args.path, out)?;
    } else {
        transcribe::serve_decoding(&args.path, args.channel, out)?;
    }
    Ok(exit::DONE)
}

/// `taskgen check-device`: the process that looks at a graphics card for its parent.
pub fn check_device(args: &args::CheckDevice) -> Result<u8> {
    transcribe::serve_device_check(args.card, &mut std::io::stdout().lock())?;
    Ok(exit::DONE)
}

/// Without a project, each transcript goes beside its recording.
fn beside(paths: &[PathBuf]) -> Result<Vec<RecordingFolder>> {
    if paths.is_empty() {
        return Err(Usage(
            "no recording named, and no project here or above\nhint: name a recording, or `taskgen init`".into(),
        )
        .into());
    }
    paths.iter().map(|path| folder_of(path)).collect()
}

/// Leaves the first `limit` recordings.
fn keep_first(folders: &mut [RecordingFolder], limit: Option<usize>) {
    let mut left = limit.unwrap_or(usize::MAX);
    for folder in folders {
        folder.found.recordings.truncate(left);
        left -= folder.found.recordings.len();
    }
}

/// A recording, or the recordings in a folder, with their transcripts in the same folder.
fn folder_of(path: &Path) -> Result<RecordingFolder> {
    let transcripts = if path.is_dir() {
        path.to_path_buf()
    } else {
        path.parent().map_or_else(PathBuf::new, PathBuf::from)
    };
    let found = transcribe::discover(&transcripts, &[path.to_path_buf()])
        .map_err(|e| Usage(format!("{e:#}")))?;
    Ok(RecordingFolder { found, transcripts })
}

/// The recordings that `paths` name, or all of the project.
pub fn discover(project: &Project, paths: &[PathBuf]) -> Result<Discovered> {
    let root = project.seminars();
    let found = transcribe::discover(&root, paths).map_err(|e| Usage(format!("{e:#}")))?;
    if found.recordings.is_empty() {
        let looked_at: Vec<String> = match paths {
            [] => vec![root.display().to_string()],
            paths => paths
                .iter()
                .map(|path| path.display().to_string())
                .collect(),
        };
        return Err(Usage(format!(
            "no recordings found in `{}`\nhint: put {} files there; for questions that come from elsewhere, `taskgen tasks import FILE`",
            looked_at.join("`, `"),
            transcribe::FORMATS
        ))
        .into());
    }
    Ok(found)
}

/// The transcription of recordings as configured. Nothing is read yet, and no model loaded, but
/// that a card's own model may be fetched.
pub fn batch<'a>(global: &Global, loaded: &Loaded, notify: &'a Notify) -> Result<Batch<'a>> {
    let config = &loaded.config.transcribe;
    let devices = resolve::devices(config)?;
    let model = resolve::speech_model(global, config, &devices, notify)?;
    Ok(Batch {
        options: resolve::transcribe_options(loaded, model)?,
        engine: resolve::engine_on(global, devices, config.jobs, notify)?,
        force: false,
        shard: None,
        forgotten: BTreeSet::new(),
        pinned: models::pinned,
        notify,
    })
}

/// The formats besides JSON, which is always written.
fn forms(words: &[String]) -> Result<Vec<Format>> {
    let mut forms = Vec::new();
    for word in words.iter().filter(|word| *word != "json") {
        let form = Format::ALL
            .into_iter()
            .find(|form| form.extension() == word);
        forms.push(form.ok_or_else(|| {
            Usage(format!(
                "no such format: `{word}`\nhint: the formats are json, srt, vtt and txt"
            ))
        })?);
    }
    Ok(forms)
}

fn write_forms(item: &BatchItem, transcript: &Transcript, forms: &[Format]) -> Result<()> {
    for form in forms {
        let path = item
            .transcripts
            .join(format!("{}.{}", item.recording.name, form.extension()));
        files::write_whole(&path, form.render(transcript).as_bytes())?;
    }
    Ok(())
}

/// Makes a transcript the current one of its recording in the database.
pub fn take_in(store: &Store, recording: &Recording, transcript: &Transcript) -> Result<()> {
    let sidecar = Sidecar::read(recording).map_err(|error| match error {
        SidecarError::Invalid(what) => anyhow::Error::new(Usage(what)),
        SidecarError::Io(error) => error.into(),
    })?;
    store.save_transcript(&sidecar.seminar_info(recording, transcript), transcript)
}

/// Takes in every transcript of the project's folder, hand edits included. What cannot be read is
/// returned as failed, and the others go on; a transcript of no recording is noted.
pub fn take_in_saved(project: &Project, store: &Store) -> Result<StageReport> {
    let mut report = StageReport::new("transcripts");
    let found = transcribe::discover(&project.seminars(), &[]).unwrap_or_default();
    let transcripts = project.transcripts();
    let forgotten: BTreeSet<SeminarId> = store.forgotten()?.into_iter().map(|of| of.id).collect();
    let mut known = BTreeSet::new();
    for recording in &found.recordings {
        let path = transcribe::transcript_path(&transcripts, recording);
        match transcribe::load(&path) {
            Ok(Some(transcript)) if forgotten.contains(&transcript.seminar) => {
                let note = transcribe::forgotten_note(&recording.name, &transcript.seminar);
                report.notes.push(note);
            }
            Ok(Some(transcript)) => take_in(store, recording, &transcript)?,
            Ok(None) => {}
            Err(error) => {
                let message = format!("{error}\nhint: {}", error.hint());
                report.fail(&recording.name, error.cause(), message);
            }
        }
        known.insert(path);
    }
    for path in transcribe::transcripts_in(&transcripts) {
        let name = path.with_extension("");
        let name = name.strip_prefix(&transcripts).unwrap_or(&name);
        // A recording that was read once may be gone.
        if !known.contains(&path) && store.seminar_at(&name.to_string_lossy())?.is_none() {
            report.notes.push(format!(
                "`{}` is not read: there is no recording `{}` in `seminars/`",
                path.strip_prefix(&project.root).unwrap_or(&path).display(),
                name.display()
            ));
        }
    }
    Ok(report)
}

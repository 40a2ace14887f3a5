//! `taskgen transcribe`, and the same as the first stage of `run`. A recording that cannot be used
//! is listed, and the others go on.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use anyhow::Result;

use super::plan;
use crate::{
    cli::{
        args::{self, Global},
        commands::{models, seminars::sidecar::Side},
        project::{self, Project, config, resolve, settings::Config},
        ui::{
            exit::{self, Usage},
            output::Printer,
            progress,
            summary::Summary,
        },
    },
    context::{Notice, Notify, StageReport},
    data::Transcript,
    files,
    store::Store,
    transcribe::{
        self, Diagnostics, Discovered, DoubtfulSpan, Engine, Options, QualityIssue, Recording,
        Shard, Standing, TranscribeError, Transcribed, formats::Format,
    },
};

/// A recording's progress bar has this many steps.
const STEPS: f64 = 100.0;

/// `taskgen transcribe`
pub fn transcribe(global: &Global, args: &args::Transcribe, printer: &Printer) -> Result<u8> {
    let started = Instant::now();
    resolve::stop_on_signals(*printer)?;
    let forms = forms(&args.format)?;
    let notify = progress::notify(global.quiet || global.json);
    let keep = |item: &Item, transcript: &Transcript| write_forms(item, transcript, &forms);
    let (config, places, lock) = if let Some(mut project) = Project::find_if_any(global)? {
        project.apply_sound(&args.sound);
        let found = discover(&project, &args.paths)?;
        // Machines that share a folder each write transcripts of their own; a plan writes nothing.
        let alone = args.shard.is_none() && !args.plan;
        let lock = alone.then(|| project.lock(global)).transpose()?;
        let transcripts = project.transcripts();
        (
            project.loaded.config,
            vec![Place { found, transcripts }],
            lock,
        )
    } else {
        let mut loaded = config::load(None)?;
        project::apply_sound(&mut loaded, &args.sound);
        (loaded.config, beside(&args.paths)?, None)
    };
    let job = Job {
        shard: args.shard,
        force: args.force,
        ..Job::new(global, &config, &notify)?
    };
    if args.plan {
        return plan::show(&job, &places, printer);
    }
    let report = job.hear(&places, &keep)?;
    drop(lock);
    Summary::of_transcription(report, started).show(printer)
}

/// `taskgen decode`: what a process does that decodes for another one.
pub fn decode(args: &args::Decode) -> Result<u8> {
    let out = &mut std::io::stdout().lock();
    if args.length {
        transcribe::serve_length(&args.path, out)?;
    } else {
        transcribe::serve_decoding(&args.path, args.channel, out)?;
    }
    Ok(exit::DONE)
}

/// Without a project, each transcript goes beside its recording.
fn beside(paths: &[PathBuf]) -> Result<Vec<Place>> {
    if paths.is_empty() {
        return Err(Usage(
            "no recording named, and no project here or above\nhint: name a recording, or `taskgen init`".into(),
        )
        .into());
    }
    let place = |path: &PathBuf| {
        let folder = if path.is_dir() {
            path.clone()
        } else {
            path.parent().map_or_else(PathBuf::new, PathBuf::from)
        };
        let found = transcribe::discover(&folder, std::slice::from_ref(path))
            .map_err(|e| Usage(format!("{e:#}")))?;
        Ok(Place {
            found,
            transcripts: folder,
        })
    };
    paths.iter().map(place).collect()
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

/// Recordings, and the folder for their transcripts.
pub struct Place {
    /// What was found.
    pub found: Discovered,
    /// Where the transcripts go.
    pub transcripts: PathBuf,
}

/// One recording, and the folder for its transcript.
pub struct Item<'a> {
    /// The recording.
    pub recording: &'a Recording,
    /// Where the transcript goes.
    pub transcripts: &'a Path,
}

/// The recordings of all places.
pub fn items(places: &[Place]) -> Vec<Item<'_>> {
    let of = |place| {
        let Place { found, transcripts }: &Place = place;
        found.recordings.iter().map(move |recording| Item {
            recording,
            transcripts,
        })
    };
    places.iter().flat_map(of).collect()
}

/// What happens with each transcript, new or not.
type Keep<'a> = dyn Fn(&Item, &Transcript) -> Result<()> + 'a;

/// What came of a recording.
enum Outcome {
    /// It was done before.
    Before(Transcript),
    /// It was transcribed.
    New(Transcribed),
    /// It has no transcript.
    Failed(TranscribeError),
    /// Its side file cannot be read.
    Unclear(anyhow::Error),
    /// Another machine's.
    Elsewhere,
}

/// Recordings into transcripts.
pub struct Job<'a> {
    /// How.
    pub options: Options,
    /// What hears them.
    pub engine: Engine,
    /// Also those that are done.
    pub force: bool,
    /// Only these.
    pub shard: Option<Shard>,
    notify: &'a Notify,
}

impl<'a> Job<'a> {
    /// Nothing is read yet, and no model loaded.
    pub fn new(global: &Global, config: &Config, notify: &'a Notify) -> Result<Self> {
        let options = resolve::transcribe_options(&config.transcribe)?;
        let engine = resolve::engine(global, &config.transcribe, notify)?;
        Ok(Self {
            options,
            engine,
            force: false,
            shard: None,
            notify,
        })
    }

    /// Transcribes what is not done yet, and hands each transcript to `keep` in order.
    pub fn hear(&self, places: &[Place], keep: &Keep<'_>) -> Result<StageReport> {
        let started = Instant::now();
        let mut report = StageReport::new("transcribe");
        places
            .iter()
            .try_for_each(|place| check_writable(&place.transcripts))?;
        let items = items(places);
        (self.notify)(Notice::Start {
            stage: "transcribe",
            total: items.len() as u64 * STEPS as u64,
        });
        // One is heard and others get ready, so that no worker waits.
        let mut elsewhere = 0;
        let at_once = self.engine.pool.size() + 1;
        let heard = transcribe::in_order(
            &items,
            at_once,
            |item| self.one(item),
            |item, outcome| {
                elsewhere += usize::from(matches!(outcome, Outcome::Elsewhere));
                told(item, outcome, keep, &mut report)
            },
        );
        (self.notify)(Notice::End);
        heard?;
        for Place { found, .. } in places {
            left_out(found, &mut report);
        }
        if let Some(shard) = self.shard {
            report.notes.push(format!(
                "shard {shard}: {elsewhere} recordings are in the other shards"
            ));
        }
        report.seconds = started.elapsed().as_secs_f64();
        Ok(report)
    }

    fn one(&self, item: &Item) -> Outcome {
        (self.notify)(Notice::Working(&item.recording.name));
        let shown = AtomicU64::new(0);
        let advance = |share: f64| {
            let now = (share * STEPS) as u64;
            let before = shown.fetch_max(now, Ordering::Relaxed);
            if now > before {
                (self.notify)(Notice::Advance(now - before));
            }
        };
        let outcome = match Side::of(item.recording) {
            Ok(side) => self
                .heard(item, &side.options(&self.options), &advance)
                .unwrap_or_else(Outcome::Failed),
            Err(error) => Outcome::Unclear(error),
        };
        advance(1.0);
        outcome
    }

    fn heard(
        &self,
        item: &Item,
        options: &Options,
        advance: &dyn Fn(f64),
    ) -> Result<Outcome, TranscribeError> {
        if let Some(shard) = self.shard
            && !shard.holds(&transcribe::content(item.transcripts, item.recording)?)
        {
            return Ok(Outcome::Elsewhere);
        }
        match self.standing(item, options)? {
            Standing::Done(transcript) => Ok(Outcome::Before(*transcript)),
            Standing::Todo(reason) => {
                tracing::info!(recording = %item.recording.name, reason, "transcribing");
                let done = transcribe::transcribe_file(
                    &self.engine,
                    item.recording,
                    item.transcripts,
                    options,
                    advance,
                )?;
                Ok(Outcome::New(done))
            }
        }
    }

    /// What is to be done with a recording.
    pub fn standing(&self, item: &Item, options: &Options) -> Result<Standing, TranscribeError> {
        if self.force {
            return Ok(Standing::Todo("--force"));
        }
        transcribe::standing(item.transcripts, item.recording, options, &models::pinned)
    }
}

fn check_writable(transcripts: &Path) -> Result<()> {
    transcribe::check_writable(transcripts).map_err(|e| {
        let hint = e.hint();
        anyhow::Error::new(e).context(format!(
            "transcripts cannot be written to `{}`\nhint: {hint}",
            transcripts.display()
        ))
    })
}

/// Enters what came of a recording into the report. An error that the others would meet, too, ends
/// the run.
fn told(item: &Item, outcome: Outcome, keep: &Keep<'_>, report: &mut StageReport) -> Result<()> {
    let name = &item.recording.name;
    match outcome {
        Outcome::Before(transcript) => {
            report.skipped += 1;
            keep(item, &transcript)?;
        }
        Outcome::New(done) => {
            report.done += 1;
            report.notes.extend(note(name, &done.notes));
            keep(item, &done.transcript)?;
        }
        Outcome::Elsewhere => {}
        Outcome::Unclear(error) => report.fail(name, "side_file", format!("{error:#}")),
        Outcome::Failed(error) if error.is_about_the_model() || error.is_fatal() => {
            let hint = error.hint();
            return Err(
                anyhow::Error::new(error).context(format!("transcribe: `{name}`\nhint: {hint}"))
            );
        }
        Outcome::Failed(
            error @ (TranscribeError::Growing { .. } | TranscribeError::Busy { .. }),
        ) => {
            report
                .notes
                .push(format!("{name} was left out: {error}; {}", error.hint()));
        }
        Outcome::Failed(error) => report.fail(
            name,
            error.cause(),
            format!("{error}\nhint: {}", error.hint()),
        ),
    }
    Ok(())
}

/// Lists what was not even looked at.
fn left_out(found: &Discovered, report: &mut StageReport) {
    for folder in &found.unreadable {
        let hint = "the folder cannot be read\nhint: check its permissions";
        report.fail(&folder.display().to_string(), "unreadable", hint);
    }
    if !found.skipped.is_empty() {
        report.notes.push(format!(
            "{} hidden, temporary or growing files were left out",
            found.skipped.len()
        ));
    }
}

/// What a user should know of how a recording was heard.
fn note(name: &str, notes: &Diagnostics) -> Option<String> {
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
    said.extend(doubts(&notes.doubtful));
    (!said.is_empty()).then(|| format!("{name}: {}", said.join("; ")))
}

/// What stayed doubtful, by reason.
fn doubts(doubtful: &[DoubtfulSpan]) -> Option<String> {
    let mut by_reason = BTreeMap::<QualityIssue, usize>::new();
    for reason in doubtful.iter().flat_map(|stretch| &stretch.reasons) {
        *by_reason.entry(*reason).or_default() += 1;
    }
    let reasons: Vec<String> = by_reason
        .iter()
        .map(|(reason, n)| format!("{n} {}", reason.words()))
        .collect();
    (!doubtful.is_empty()).then(|| {
        let n = doubtful.len();
        format!(
            "{n} stretches stayed doubtful and are kept ({}; the .meta.json beside has the times)",
            reasons.join(", ")
        )
    })
}

/// The forms besides JSON, which is always written.
fn forms(words: &[String]) -> Result<Vec<Format>> {
    let mut forms = Vec::new();
    for word in words.iter().filter(|word| *word != "json") {
        let form = Format::ALL
            .into_iter()
            .find(|form| form.extension() == word);
        forms.push(
            form.ok_or_else(|| {
                Usage(format!("no such form: `{word}`\nhint: json, srt, vtt, txt"))
            })?,
        );
    }
    Ok(forms)
}

fn write_forms(item: &Item, transcript: &Transcript, forms: &[Format]) -> Result<()> {
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
    let side = Side::of(recording)?;
    store.save_transcript(&side.info(recording, transcript), transcript)
}

/// Takes in every transcript of the project's folder, hand edits included.
pub fn take_in_saved(project: &Project, store: &Store) -> Result<()> {
    let found = transcribe::discover(&project.seminars(), &[]).unwrap_or_default();
    for recording in &found.recordings {
        let path = transcribe::transcript_path(&project.transcripts(), recording);
        let saved =
            transcribe::load(&path).map_err(|e| Usage(format!("{e}\nhint: {}", e.hint())))?;
        if let Some(transcript) = saved {
            take_in(store, recording, &transcript)?;
        }
    }
    Ok(())
}

//! Many recordings: those that are done before are skipped, one that cannot be used is listed, and
//! the others go on.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use anyhow::{Context as _, Result};

use super::{
    discover::{Discovered, Recording},
    error::TranscribeError,
    options::Options,
    output::{self, TranscriptStatus},
    parallel::for_each_in_order,
    quality::diagnostics::{Diagnostics, DoubtfulSpan, QualityIssue},
    recognition::engine::Engine,
    shard::Shard,
    sidecar::{Sidecar, SidecarError},
    survey::{self, Surveyed, Todo, longest_first},
    transcribe_file::transcribe_file,
};
use crate::{
    context::{Notice, Notify, SoundReport, StageReport},
    data::{Ms, SeminarId, Transcript, id::sha256_hex},
};

/// Recordings, and the folder for their transcripts.
pub struct RecordingFolder {
    /// The recordings.
    pub found: Discovered,
    /// The folder for their transcripts.
    pub transcripts: PathBuf,
}

impl RecordingFolder {
    /// The recordings of all folders.
    pub fn items(folders: &[Self]) -> Vec<BatchItem<'_>> {
        let mut items = Vec::new();
        for folder in folders {
            for recording in &folder.found.recordings {
                items.push(BatchItem {
                    recording,
                    transcripts: &folder.transcripts,
                });
            }
        }
        items
    }
}

/// One recording, and the folder for its transcript.
pub struct BatchItem<'a> {
    /// The recording.
    pub recording: &'a Recording,
    /// The folder for its transcript.
    pub transcripts: &'a Path,
}

/// Takes each transcript, new or not.
type Keep<'a> = dyn Fn(&BatchItem, &Transcript) -> Result<()> + 'a;

/// A recording, and what is to be done with it.
struct Work<'a> {
    item: &'a BatchItem<'a>,
    found: Mutex<Option<Surveyed>>,
}

/// The result of one recording.
enum Outcome {
    /// Its transcript was there.
    Before,
    /// It was transcribed.
    New(Diagnostics, SoundReport),
    /// It could not be transcribed.
    Failed(TranscribeError),
    /// Its sidecar cannot be used.
    BadSidecar(SidecarError),
    /// It belongs to another shard.
    OtherShard,
    /// It was forgotten, and is not taken in again.
    Forgotten(SeminarId),
}

/// The transcription of many recordings.
pub struct Batch<'a> {
    /// The options for all of them; a sidecar may add to them.
    pub options: Options,
    /// The decoder, models and workers.
    pub engine: Engine,
    /// Whether recordings that are done are transcribed again.
    pub force: bool,
    /// The only part of the recordings to transcribe.
    pub shard: Option<Shard>,
    /// Recordings that were forgotten: they are left out.
    pub forgotten: BTreeSet<SeminarId>,
    /// The hash of a model by its name, where it is known.
    pub pinned: fn(&str) -> Option<String>,
    /// Receives progress.
    pub notify: &'a Notify,
}

impl Batch<'_> {
    /// Transcribes what is not done yet, the longest first, and passes each transcript to `keep`, in
    /// order.
    pub fn run(&self, folders: &[RecordingFolder], keep: &Keep<'_>) -> Result<StageReport> {
        let started = Instant::now();
        let mut report = StageReport::new("transcribe");
        for folder in folders {
            check_writable(&folder.transcripts)?;
        }
        let items = RecordingFolder::items(folders);
        let found = self.survey(&items)?;
        let begin = longest_first(&found);
        let other_shards = found
            .iter()
            .filter(|found| matches!(found, Surveyed::OtherShard));
        let other_shards = other_shards.count();
        let seconds: f64 = found.iter().map(Surveyed::seconds).sum();
        (self.notify)(Notice::StartSound {
            stage: "transcribe",
            seconds: seconds.ceil() as u64,
        });
        let works: Vec<Work> = items
            .iter()
            .zip(found)
            .map(|(item, found)| Work {
                item,
                found: Mutex::new(Some(found)),
            })
            .collect();
        let ended = for_each_in_order(
            &works,
            &begin,
            // One more than there are workers: it is decoded while the others are recognised.
            self.engine.pool.size() + 1,
            |work| self.outcome(work),
            |outcome| matches!(outcome, Outcome::Failed(error) if ends_the_run(error)),
            |work, outcome| enter(work.item, outcome, keep, &mut report),
        );
        (self.notify)(Notice::End);
        ended?;
        for folder in folders {
            enter_skipped(&folder.found, &mut report);
        }
        if let Some(shard) = self.shard {
            report.notes.push(format!(
                "shard {shard}: {other_shards} recordings are in the other shards"
            ));
        }
        report.seconds = started.elapsed().as_secs_f64();
        report.notes.extend(throughput(&report));
        Ok(report)
    }

    /// Looks at each of the recordings.
    fn survey(&self, items: &[BatchItem<'_>]) -> Result<Vec<Surveyed>> {
        let begin: Vec<usize> = (0..items.len()).collect();
        let mut all = Vec::new();
        for_each_in_order(
            items,
            &begin,
            self.engine.pool.size() + 1,
            |item| self.look(item).unwrap_or_else(Surveyed::Failed),
            |_| false,
            |_, found| {
                all.push(found);
                Ok(())
            },
        )?;
        Ok(all)
    }

    fn look(&self, item: &BatchItem<'_>) -> Result<Surveyed, TranscribeError> {
        if !self.is_ours(item) {
            return Ok(Surveyed::OtherShard);
        }
        if let Some(seminar) = self.forgotten_id(item)? {
            return Ok(Surveyed::Forgotten(seminar));
        }
        let options = match Sidecar::read(item.recording) {
            Ok(sidecar) => sidecar.options(&self.options),
            Err(error) => return Ok(Surveyed::BadSidecar(error)),
        };
        let reason = match self.status(item, &options)? {
            TranscriptStatus::Current(_) => return Ok(Surveyed::Before),
            TranscriptStatus::Needed(reason) => reason,
        };
        let seconds = survey::seconds(&self.engine.decoder, &item.recording.path)?;
        Ok(Surveyed::Todo(Box::new(Todo {
            options,
            reason,
            seconds,
        })))
    }

    /// Whether a recording is of this shard. One that cannot be read is of one shard, too, which
    /// says so.
    fn is_ours(&self, item: &BatchItem<'_>) -> bool {
        let Some(shard) = self.shard else { return true };
        let sha256 = output::recording_sha256(item.transcripts, item.recording);
        shard.holds(&sha256.unwrap_or_else(|_| sha256_hex(item.recording.name.as_bytes())))
    }

    /// Transcribes a recording, where that is to be done.
    fn outcome(&self, work: &Work) -> Outcome {
        // Each is worked on once.
        let found = work
            .found
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let todo = match found {
            Some(Surveyed::Todo(todo)) => todo,
            Some(Surveyed::Forgotten(seminar)) => return Outcome::Forgotten(seminar),
            Some(Surveyed::Failed(error)) => return Outcome::Failed(error),
            Some(Surveyed::BadSidecar(error)) => return Outcome::BadSidecar(error),
            Some(Surveyed::Before) => return Outcome::Before,
            Some(Surveyed::OtherShard) | None => return Outcome::OtherShard,
        };
        let item = work.item;
        // Another machine may have done it since all were looked at.
        match self.status(item, &todo.options) {
            Ok(TranscriptStatus::Current(_)) => {
                self.advance(&AtomicU64::new(0), todo.seconds);
                return Outcome::Before;
            }
            Ok(TranscriptStatus::Needed(_)) => {}
            Err(error) => return Outcome::Failed(error),
        }
        (self.notify)(Notice::Working(&item.recording.name));
        let shown = AtomicU64::new(0);
        let advance = |share: f64| self.advance(&shown, share * todo.seconds);
        tracing::info!(recording = %item.recording.name, reason = todo.reason, "transcribing");
        let transcribed = transcribe_file(
            &self.engine,
            item.recording,
            item.transcripts,
            &todo.options,
            &advance,
        );
        advance(1.0);
        match transcribed {
            Ok(transcribed) => {
                let SoundReport {
                    windows,
                    recognised,
                    ..
                } = transcribed.sound;
                tracing::info!(recording = %item.recording.name, windows, recognised, "transcribed");
                // The transcript is read again when it is its turn: hundreds would fill the memory.
                Outcome::New(transcribed.diagnostics, transcribed.sound)
            }
            Err(error) => Outcome::Failed(error),
        }
    }

    /// Notifies of the seconds of a recording that were not `shown` before.
    fn advance(&self, shown: &AtomicU64, seconds: f64) {
        let now = seconds.round() as u64;
        let before = shown.fetch_max(now, Ordering::Relaxed);
        if now > before {
            (self.notify)(Notice::Advance(now - before));
        }
    }

    /// The id of a recording that was forgotten; none of others.
    pub fn forgotten_id(&self, item: &BatchItem) -> Result<Option<SeminarId>, TranscribeError> {
        // Where nothing was forgotten, no file is read for it.
        if self.forgotten.is_empty() {
            return Ok(None);
        }
        let sha256 = output::recording_sha256(item.transcripts, item.recording)?;
        let seminar = SeminarId::from_parts(&[&sha256]);
        Ok(self.forgotten.contains(&seminar).then_some(seminar))
    }

    /// Whether a recording must be transcribed.
    pub fn status(
        &self,
        item: &BatchItem,
        options: &Options,
    ) -> Result<TranscriptStatus, TranscribeError> {
        if self.force {
            return Ok(TranscriptStatus::Needed("--force"));
        }
        output::transcript_status(item.transcripts, item.recording, options, &self.pinned)
    }
}

fn check_writable(transcripts: &Path) -> Result<()> {
    output::check_writable(transcripts).map_err(|e| {
        let hint = e.hint();
        anyhow::Error::new(e).context(format!(
            "transcripts cannot be written to `{}`\nhint: {hint}",
            transcripts.display()
        ))
    })
}

/// What is said of a recording that was forgotten.
pub fn forgotten_note(name: &str, seminar: &SeminarId) -> String {
    format!(
        "`{name}` was forgotten and is not taken in\nhint: `taskgen seminars forget {seminar} --lift` lets it in again"
    )
}

/// Enters a recording's outcome into the report. An error that the others would have, too, ends the
/// run.
fn enter(
    item: &BatchItem,
    outcome: Outcome,
    keep: &Keep<'_>,
    report: &mut StageReport,
) -> Result<()> {
    let name = &item.recording.name;
    match outcome {
        Outcome::Before => {
            report.skipped += 1;
            keep_saved(item, keep)?;
        }
        Outcome::New(diagnostics, sound) => {
            report.done += 1;
            report.sound.get_or_insert_default().add(sound);
            report.notes.extend(note(name, &diagnostics));
            keep_saved(item, keep)?;
        }
        Outcome::OtherShard => {}
        Outcome::Forgotten(seminar) => {
            report.skipped += 1;
            report.notes.push(forgotten_note(name, &seminar));
        }
        Outcome::BadSidecar(error) => {
            let error = anyhow::Error::new(error);
            report.fail(name, "sidecar", format!("{error:#}"));
        }
        Outcome::Failed(error) if ends_the_run(&error) => {
            let hint = error.hint();
            return Err(
                anyhow::Error::new(error).context(format!("transcribe: `{name}`\nhint: {hint}"))
            );
        }
        // These solve themselves: the next run will do the recording.
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

/// Passes a recording's transcript on, as it is on the disk.
fn keep_saved(item: &BatchItem, keep: &Keep<'_>) -> Result<()> {
    let path = output::transcript_path(item.transcripts, item.recording);
    let transcript = output::load(&path)?
        .with_context(|| format!("the transcript is gone: `{}`", path.display()))?;
    keep(item, &transcript)
}

/// Whether the other recordings would have the error, too.
fn ends_the_run(error: &TranscribeError) -> bool {
    error.is_about_the_model() || error.is_fatal()
}

/// How fast it went; none where nothing was listened to. What an earlier run had recognised took no
/// time in this one.
fn throughput(report: &StageReport) -> Option<String> {
    let sound = report
        .sound
        .filter(|of| report.seconds > 0.0 && of.recognised > 0)?;
    let seconds = sound.seconds * sound.recognised as f64 / sound.windows as f64;
    Some(format!(
        "{} of sound in {}: {:.1} hours of sound an hour",
        Ms::from_seconds(seconds),
        Ms::from_seconds(report.seconds),
        seconds / report.seconds
    ))
}

/// Enters files and folders that were not even opened.
fn enter_skipped(found: &Discovered, report: &mut StageReport) {
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

/// What a user should know of a recording's transcription; none if nothing is unusual.
fn note(name: &str, diagnostics: &Diagnostics) -> Option<String> {
    let mut notes = Vec::new();
    if diagnostics.unfinished {
        notes.push("the file lacks its end: it may have been cut off".to_owned());
    }
    for (count, what) in [
        (diagnostics.broken_packets, "broken packets were skipped"),
        (
            diagnostics.dropped,
            "stretches of invented text were dropped",
        ),
        (diagnostics.loops, "loops of the recogniser were cut down"),
    ] {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    }
    notes.extend(doubt_note(&diagnostics.doubtful));
    if notes.is_empty() {
        return None;
    }
    Some(format!("{name}: {}", notes.join("; ")))
}

/// The number of doubtful stretches by reason.
fn doubt_note(doubtful: &[DoubtfulSpan]) -> Option<String> {
    if doubtful.is_empty() {
        return None;
    }
    let mut by_reason = BTreeMap::<QualityIssue, usize>::new();
    for reason in doubtful.iter().flat_map(|span| &span.reasons) {
        *by_reason.entry(*reason).or_default() += 1;
    }
    let reasons: Vec<String> = by_reason
        .iter()
        .map(|(reason, n)| format!("{n} {}", reason.words()))
        .collect();
    Some(format!(
        "{} stretches stayed doubtful and are kept ({}; the .meta.json beside has the times)",
        doubtful.len(),
        reasons.join(", ")
    ))
}

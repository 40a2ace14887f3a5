//! `taskgen transcribe --plan`: the recordings by content, with their lengths and what a run would
//! do.

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::ui::{
        exit,
        output::{Printer, seconds, table},
    },
    data::SeminarId,
    transcribe::{self, Batch, BatchItem, RecordingFolder, Sidecar, TranscriptStatus},
};

/// A recording, and the planned action.
#[derive(Debug, Serialize)]
struct Planned {
    path: String,
    /// SHA-256 of the bytes; none where they cannot be read.
    sha256: Option<String>,
    /// As its transcript or its container says; none where that would be a guess.
    seconds: Option<f64>,
    /// Whether a run would transcribe it, here.
    todo: bool,
    /// Why, or why not.
    reason: String,
}

/// Shows the plan.
pub fn show(batch: &Batch<'_>, folders: &[RecordingFolder], printer: &Printer) -> Result<u8> {
    let planned: Vec<Planned> = RecordingFolder::items(folders)
        .iter()
        .map(|item| plan(batch, item))
        .collect();
    printer.show(&planned, |planned| text(planned))?;
    Ok(exit::DONE)
}

fn plan(batch: &Batch<'_>, item: &BatchItem<'_>) -> Planned {
    let mut planned = Planned {
        path: item.recording.name.clone(),
        sha256: None,
        seconds: None,
        todo: false,
        reason: String::new(),
    };
    // The first error is the reason why nothing would be done.
    if let Err(reason) = fill(&mut planned, batch, item) {
        planned.reason = reason;
    }
    planned
}

fn fill(planned: &mut Planned, batch: &Batch<'_>, item: &BatchItem<'_>) -> Result<(), String> {
    let sha256 = transcribe::recording_sha256(item.transcripts, item.recording)
        .map_err(|error| error.to_string())?;
    planned.sha256 = Some(sha256.clone());
    if batch.forgotten.contains(&SeminarId::from_parts(&[&sha256])) {
        planned.reason = "forgotten".into();
        return Ok(());
    }
    let sidecar = Sidecar::read(item.recording)
        .map_err(|error| format!("{:#}", anyhow::Error::new(error)))?;
    let status = batch.status(item, &sidecar.options(&batch.options));
    let stated_seconds = || batch.engine.decoder.stated_seconds(&item.recording.path);
    if batch.shard.is_some_and(|shard| !shard.holds(&sha256)) {
        // A length that cannot be read is another machine's problem.
        planned.seconds = stated_seconds().ok().flatten();
        planned.reason = "another shard".into();
        return Ok(());
    }
    match status.map_err(|error| error.to_string())? {
        TranscriptStatus::Current(transcript) => {
            planned.seconds = Some(transcript.duration.seconds());
            planned.reason = "done".into();
        }
        TranscriptStatus::Needed(reason) => {
            planned.seconds = stated_seconds().map_err(|error| error.to_string())?;
            planned.todo = true;
            planned.reason = reason.into();
        }
    }
    Ok(())
}

fn text(planned: &[Planned]) -> String {
    let mut rows = table(&["recording", "content", "length", "action", "why"]);
    for item in planned {
        rows.add_row(vec![
            item.path.clone(),
            item.sha256
                .as_ref()
                .map_or_else(|| "–".to_owned(), |hash| hash[..12].to_owned()),
            item.seconds.map_or_else(|| "unknown".to_owned(), seconds),
            if item.todo { "transcribe" } else { "skip" }.to_owned(),
            item.reason.clone(),
        ]);
    }
    let todo: Vec<&Planned> = planned.iter().filter(|item| item.todo).collect();
    let known: f64 = todo.iter().filter_map(|item| item.seconds).sum();
    let unknown = todo.iter().filter(|item| item.seconds.is_none()).count();
    let more = if unknown > 0 {
        format!(" and {unknown} of unknown length")
    } else {
        String::new()
    };
    format!(
        "{rows}\n{} of {} to transcribe: {}{more}",
        todo.len(),
        planned.len(),
        seconds(known)
    )
}

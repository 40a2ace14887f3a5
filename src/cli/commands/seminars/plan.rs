//! `taskgen transcribe --plan`: which recordings there are, by content, how long they are, and what
//! a run would do.

use anyhow::Result;
use serde::Serialize;

use super::transcribe::{Item, Job, Place, items};
use crate::{
    cli::{
        commands::seminars::sidecar::Side,
        ui::{
            exit,
            output::{Printer, seconds, table},
        },
    },
    transcribe::{self, Standing},
};

/// A recording, and what would be done with it.
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
pub fn show(job: &Job<'_>, places: &[Place], printer: &Printer) -> Result<u8> {
    let planned: Vec<Planned> = items(places).iter().map(|item| plan(job, item)).collect();
    printer.show(&planned, |planned| text(planned))?;
    Ok(exit::DONE)
}

fn plan(job: &Job<'_>, item: &Item<'_>) -> Planned {
    let path = item.recording.name.clone();
    let no = |sha256, seconds, reason: String| Planned {
        path: path.clone(),
        sha256,
        seconds,
        todo: false,
        reason,
    };
    let sha256 = match transcribe::content(item.transcripts, item.recording) {
        Ok(sha256) => sha256,
        Err(error) => return no(None, None, error.to_string()),
    };
    let options = match Side::of(item.recording) {
        Ok(side) => side.options(&job.options),
        Err(error) => return no(Some(sha256), None, format!("{error:#}")),
    };
    let standing = job.standing(item, &options);
    let length = || job.engine.decoder.promised(&item.recording.path);
    match (job.shard, standing) {
        (Some(shard), _) if !shard.holds(&sha256) => no(
            Some(sha256),
            length().ok().flatten(),
            "another shard".into(),
        ),
        (_, Ok(Standing::Done(transcript))) => no(
            Some(sha256),
            Some(transcript.duration.seconds()),
            "done".into(),
        ),
        (_, Ok(Standing::Todo(reason))) => match length() {
            Ok(seconds) => Planned {
                path: path.clone(),
                sha256: Some(sha256),
                seconds,
                todo: true,
                reason: reason.into(),
            },
            Err(error) => no(Some(sha256), None, error.to_string()),
        },
        (_, Err(error)) => no(Some(sha256), None, error.to_string()),
    }
}

fn text(planned: &[Planned]) -> String {
    let mut rows = table(&["recording", "content", "length", "", "why"]);
    for item in planned {
        rows.add_row(vec![
            item.path.clone(),
            item.sha256
                .as_ref()
                .map_or_else(|| "–".to_owned(), |hash| hash[..12].to_owned()),
            item.seconds.map_or_else(|| "unknown".to_owned(), seconds),
            if item.todo { "transcribe" } else { "leave" }.to_owned(),
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

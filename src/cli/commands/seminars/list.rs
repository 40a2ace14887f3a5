//! `taskgen seminars list`: the recordings that the project knows, and those that were forgotten.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::{
        args::Global,
        project::Project,
        ui::{
            exit,
            output::{Printer, on_one_line, seconds, table},
        },
    },
    store::{Forgotten, KnownSeminar},
    transcribe::{self, Sidecar},
};

/// The recordings.
#[derive(Serialize)]
struct Listed {
    seminars: Vec<KnownSeminar>,
    /// Those that were forgotten, oldest first.
    forgotten: Vec<Forgotten>,
}

/// Runs the command.
pub fn list(global: &Global, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let mut listed = match project.read()? {
        Some(store) => Listed {
            seminars: store.known_seminars()?,
            forgotten: store.forgotten()?,
        },
        None => Listed {
            seminars: Vec::new(),
            forgotten: Vec::new(),
        },
    };
    add_consent(&project, &mut listed.seminars);
    printer.show(&listed, text)?;
    Ok(exit::DONE)
}

/// What the side files say now: consent may have changed since the talk was taken in.
fn add_consent(project: &Project, seminars: &mut [KnownSeminar]) {
    let found = transcribe::discover(&project.seminars(), &[]).unwrap_or_default();
    let mut now = BTreeMap::new();
    for recording in &found.recordings {
        // One that cannot be read is the transcription's to tell.
        if let Ok(sidecar) = Sidecar::read(recording) {
            now.insert(
                recording.name.as_str(),
                sidecar.consent().map(str::to_owned),
            );
        }
    }
    for seminar in seminars {
        if let Some(consent) = seminar.paths.iter().find_map(|path| now.get(path.as_str())) {
            seminar.consent.clone_from(consent);
        }
    }
}

fn text(listed: &Listed) -> String {
    if listed.seminars.is_empty() && listed.forgotten.is_empty() {
        return "no seminars yet\nhint: put recordings into `seminars/` and `taskgen run`"
            .to_owned();
    }
    let mut out = String::new();
    if !listed.seminars.is_empty() {
        out.push_str(&format!("{}\n", rows(&listed.seminars)));
    }
    for of in &listed.forgotten {
        out.push_str(&format!("{}\n", forgotten(of)));
    }
    out
}

fn rows(seminars: &[KnownSeminar]) -> comfy_table::Table {
    let mut rows = table(&[
        "seminar",
        "title",
        "language",
        "length",
        "licence",
        "consent",
        "inspirations",
        "tasks",
    ]);
    for seminar in seminars {
        let paths = match seminar.paths.as_slice() {
            [] => "(its file was replaced)".to_owned(),
            paths => paths.join("\n"),
        };
        let consent = seminar.consent.as_deref().unwrap_or("–");
        rows.add_row([
            format!("{paths}\n{}", seminar.id),
            on_one_line(&seminar.title),
            seminar.language.clone(),
            seconds(seminar.seconds),
            on_one_line(&seminar.licence),
            on_one_line(consent),
            seminar.inspirations.to_string(),
            seminar.tasks.to_string(),
        ]);
    }
    rows
}

/// The line of a forgotten recording.
fn forgotten(of: &Forgotten) -> String {
    let day = of.forgotten.get(..10).unwrap_or(&of.forgotten);
    if of.finished {
        return format!("{}: forgotten on {day}", of.id);
    }
    unfinished(of)
}

/// What is said of a forgetting that was interrupted.
pub fn unfinished(of: &Forgotten) -> String {
    format!(
        "{0}: being forgotten since {1}, and not finished\nhint: `taskgen seminars forget {0} --yes` finishes it",
        of.id,
        of.forgotten.get(..10).unwrap_or(&of.forgotten)
    )
}

//! `taskgen seminars forget`: takes a recording out of the project. Files go first, because what
//! they hold is known from the database; then the rows; then the database is rewritten. A run that
//! was killed is finished by the same command.

mod content;
mod files;
mod removed_reports;
mod target;
mod text;
mod words;

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::{Context as _, Result};
use serde::Serialize;

use self::{
    content::Wanted,
    files::{Found, Going, Left},
    removed_reports::RemovedReports,
    target::{Target, choose, take_in_unknown},
    words::{Related, Words, words},
};
use crate::{
    cli::{
        args::{self, Global},
        project::Project,
        ui::{
            exit::{self, Usage},
            log,
            output::Printer,
        },
    },
    data::SeminarId,
    files::{delete, sha256_of},
    store::{ByWords, ForgetCounts, Forgetting, Forgotten, KnownSeminar, SetChange, Store},
    transcribe::{self, EXTENSIONS},
};

/// What goes, or went.
#[derive(Serialize)]
struct Forgot {
    seminar: SeminarId,
    /// Recordings that go along: earlier ones of its path.
    along: Vec<SeminarId>,
    /// Whether it was done; otherwise nothing was changed.
    done: bool,
    /// Their paths under the seminars folder.
    paths: Vec<String>,
    counts: ForgetCounts,
    /// Reports on other tasks and imported questions that quote the talk, and what was taken from
    /// such reports.
    by_words: Vec<ByWords>,
    /// Files that go.
    files: Vec<Going>,
    /// Files that stay and should be looked at.
    left: Vec<Left>,
    /// Reports in `reports-removed.jsonl`.
    removed_reports: usize,
    /// Git repositories in the folder, whose history is not touched.
    repositories: Vec<String>,
    /// Versions of sets that withdraw tasks.
    sets: Vec<SetChange>,
    /// Recordings that stay and should be thought of.
    related: Vec<Related>,
    /// The recordings with their side files.
    recordings: Vec<String>,
    /// Whether these go, too.
    with_recording: bool,
}

/// What is to be done, with what does it.
struct Plan<'s> {
    forgot: Forgot,
    ids: BTreeSet<SeminarId>,
    forgetting: Forgetting<'s>,
    removed: RemovedReports,
    recordings: Vec<PathBuf>,
    /// What the recordings are called in commands.
    names: Vec<String>,
}

/// Runs the command.
pub fn run(global: &Global, args: &args::Forget, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    // Without --yes a copy is worked on, and no lock is taken.
    let global = &Global {
        dry_run: !args.yes,
        ..global.clone()
    };
    let store = project.write_alone(global)?;
    take_in_unknown(&project, &store);
    let code = match choose(&project, &store, &args.id)? {
        Target::Known(seminar) => known(&project, &store, &seminar, args, printer)?,
        Target::Gone(of) => gone(&store, &of, args, printer)?,
    };
    if args.yes {
        store.end_run(&jiff::Timestamp::now().to_string(), code)?;
    }
    Ok(code)
}

/// Forgets a recording that is on record.
fn known(
    project: &Project,
    store: &Store,
    seminar: &KnownSeminar,
    args: &args::Forget,
    printer: &Printer,
) -> Result<u8> {
    let plan = plan(project, store, seminar, args)?;
    if !args.yes {
        printer.show(&plan.forgot, text::plan)?;
        printer.note("nothing was changed\nhint: --yes does it");
        return Ok(exit::DONE);
    }
    let mut forgot = carry_out(store, plan, printer)?;
    forgot.done = true;
    printer.show(&forgot, text::plan)?;
    let is_unread = |left: &Left| left.reason.starts_with("cannot be read");
    if forgot.left.iter().any(is_unread) {
        return Ok(exit::SOME_FAILED);
    }
    Ok(exit::DONE)
}

fn plan<'s>(
    project: &Project,
    store: &'s Store,
    seminar: &KnownSeminar,
    args: &args::Forget,
) -> Result<Plan<'s>> {
    let Words {
        seminars,
        forgetting,
        traces,
        by_words,
        removed,
        related,
    } = words(project, store, seminar)?;
    let ids: BTreeSet<SeminarId> = seminars.iter().map(|of| of.id.clone()).collect();
    let names = names(&seminars);
    let paths: Vec<String> = seminars.iter().flat_map(|of| of.paths.clone()).collect();
    let known = store.known_seminars()?;
    let Found {
        going,
        left,
        repositories,
        ..
    } = files::find(
        project,
        &Wanted {
            traces: &traces,
            ids: &ids,
            paths: &paths,
            all_paths: &known
                .into_iter()
                .flat_map(|of| of.paths)
                .collect::<Vec<_>>(),
            names: &names,
            keep: &args.keep,
        },
    )?;
    let recordings = recordings(project, &seminars);
    let along = seminars.iter().filter(|of| of.id != seminar.id);
    let forgot = Forgot {
        seminar: seminar.id.clone(),
        along: along.map(|of| of.id.clone()).collect(),
        done: false,
        paths,
        counts: forgetting.counts()?,
        by_words,
        files: going,
        left,
        removed_reports: removed.going(),
        repositories,
        sets: forgetting.sets()?,
        related,
        recordings: recordings
            .iter()
            .map(|path| text::inside(project, path))
            .collect(),
        with_recording: args.with_recording,
    };
    Ok(Plan {
        forgot,
        ids,
        forgetting,
        removed,
        recordings,
        names,
    })
}

/// The recordings' files that are there, with their side files: the same bytes may have several
/// names, and under one of them there may be another recording by now.
fn recordings(project: &Project, seminars: &[KnownSeminar]) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    for seminar in seminars {
        for path in &seminar.paths {
            let recording = project.seminars().join(path);
            let is_same = sha256_of(&recording)
                .is_ok_and(|sha256| SeminarId::from_parts(&[&sha256]) == seminar.id);
            if is_same {
                found.insert(recording);
            }
        }
    }
    let mut side_files = BTreeSet::new();
    for recording in &found {
        // It tells of every recording with this stem.
        let of_others = EXTENSIONS
            .iter()
            .map(|ending| recording.with_extension(ending))
            .any(|other| other.exists() && !found.contains(&other));
        let side_file = recording.with_extension("toml");
        if !of_others && side_file.is_file() {
            side_files.insert(side_file);
        }
    }
    found.into_iter().chain(side_files).collect()
}

/// What the recordings are called where a command names them. A short word would be found
/// everywhere.
fn names(seminars: &[KnownSeminar]) -> Vec<String> {
    let mut names = Vec::new();
    for seminar in seminars {
        names.extend(seminar.paths.iter().cloned());
        names.push(seminar.title.clone());
        names.extend(seminar.speakers.iter().cloned());
    }
    names.retain(|name| name.chars().count() > 3);
    names
}

/// Does what was planned.
fn carry_out(store: &Store, plan: Plan<'_>, printer: &Printer) -> Result<Forgot> {
    let Plan {
        mut forgot,
        ids,
        forgetting,
        removed,
        recordings,
        names,
    } = plan;
    store.begin_forgetting(&ids, &jiff::Timestamp::now().to_string())?;
    printer.note("1 of 3: files");
    for file in &forgot.files {
        delete(&file.place).context(
            "a file that holds words of the talk cannot be deleted\nhint: nothing else was changed yet: see to it, and run the same command again",
        )?;
    }
    removed.carry_out()?;
    if forgot.with_recording {
        recordings.iter().try_for_each(|path| delete(path))?;
    }
    printer.note("2 of 3: rows of the database");
    log::discard();
    forgot.counts = forgetting.carry_out(&names)?;
    finish(store, printer)?;
    Ok(forgot)
}

fn finish(store: &Store, printer: &Printer) -> Result<()> {
    printer.note("3 of 3: the database is written anew");
    store.finish_forgetting()
}

/// A recording without rows: it was forgotten before, or all but the last step was done.
fn gone(store: &Store, of: &Forgotten, args: &args::Forget, printer: &Printer) -> Result<u8> {
    if args.yes {
        // This run may name it again, by its path.
        log::discard();
        if !of.id.as_str().starts_with(&args.id) {
            store.cut_commands(std::slice::from_ref(&args.id))?;
        }
    }
    if of.finished {
        printer.show(of, |of| {
            format!(
                "{} was forgotten already\nhint: --lift lets it in again",
                of.id
            )
        })?;
        return Ok(exit::DONE);
    }
    if !args.yes {
        printer.show(of, |of| {
            format!(
                "{}: its rows are gone, the database is to be written anew",
                of.id
            )
        })?;
        printer.note("nothing was changed\nhint: --yes does it");
        return Ok(exit::DONE);
    }
    finish(store, printer)?;
    let done = Forgotten {
        finished: true,
        ..of.clone()
    };
    printer.show(&done, |of| format!("{}: forgotten", of.id))?;
    Ok(exit::DONE)
}

/// Lets a forgotten recording in again.
pub fn lift(global: &Global, args: &args::Forget, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.write_alone(global)?;
    let is_known = |id: &SeminarId| -> Result<bool> {
        Ok(store.known_seminars()?.iter().any(|of| of.id == *id))
    };
    let forgotten = match choose(&project, &store, &args.id)? {
        Target::Known(seminar) => store
            .forgotten()?
            .into_iter()
            .find(|of| of.id == seminar.id),
        Target::Gone(of) => Some(of),
    };
    let Some(of) = forgotten else {
        return Err(Usage(format!(
            "not forgotten: `{}`\nhint: `taskgen seminars list` shows what was",
            args.id
        ))
        .into());
    };
    if !of.finished && !is_known(&of.id)? {
        return Err(Usage(format!(
            "not finished yet: `{0}`\nhint: `taskgen seminars forget {0} --yes` first",
            of.id
        ))
        .into());
    }
    store.lift_forgetting(&of.id)?;
    printer.show(&of, |of| {
        format!(
            "{} may be taken in again\nnext: `taskgen run`, or `taskgen transcribe`",
            of.id
        )
    })?;
    store.end_run(&jiff::Timestamp::now().to_string(), exit::DONE)?;
    Ok(exit::DONE)
}

/// The recording by its file, where the project does not know its path any more.
fn id_of_file(project: &Project, path: &str) -> Option<SeminarId> {
    let found = transcribe::discover(&project.seminars(), &[]).ok()?;
    let recording = found.recordings.iter().find(|of| of.name == path)?;
    let sha256 = sha256_of(&recording.path).ok()?;
    Some(SeminarId::from_parts(&[&sha256]))
}

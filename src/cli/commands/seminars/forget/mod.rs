//! `taskgen seminars forget`: takes a recording out of the project. Files go first, because what
//! they hold is known from the database; then the rows; then the database is rewritten. A run that
//! was killed is finished by the same command.

mod files;
mod removed_reports;
mod target;
mod text;

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde::Serialize;

use self::{
    files::{Found, Going, Left, Wanted},
    removed_reports::RemovedReports,
    target::{Target, choose, take_in_unknown},
};
use crate::{
    cli::{
        args::{self, Global},
        project::{Project, resolve},
        ui::{
            exit::{self, Usage},
            output::Printer,
        },
    },
    data::SeminarId,
    files::sha256_of,
    llm::Prompts,
    store::{ForgetCounts, Forgetting, Forgotten, KnownSeminar, SetChange, Store},
    text::traces::Traces,
    transcribe,
};

/// What goes, or went.
#[derive(Serialize)]
struct Forgot {
    seminar: SeminarId,
    /// Whether it was done; otherwise nothing was changed.
    done: bool,
    /// Its paths under the seminars folder.
    paths: Vec<String>,
    counts: ForgetCounts,
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
    /// The recordings with their side files.
    recordings: Vec<String>,
    /// Whether these go, too.
    with_recording: bool,
}

/// What is to be done, with what does it.
struct Plan<'s> {
    forgot: Forgot,
    forgetting: Forgetting<'s>,
    removed: RemovedReports,
    recordings: Vec<PathBuf>,
    /// What the recording is called in commands.
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
    let store = project.write(global)?;
    take_in_unknown(&project, &store);
    let code = match choose(&project, &store, &args.id)? {
        Target::Known(seminar) => known(&project, &store, &seminar, args, printer)?,
        Target::Gone(of) => gone(&store, &of, args.yes, printer)?,
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
    let forgetting = store.forgetting(&seminar.id)?;
    let mut traces = Traces::default();
    forgetting.each_text(|text| traces.add(text))?;
    let mut removed = RemovedReports::read(project, &forgetting.tasks()?, &mut traces)?;
    forgetting.each_text_of_others(|text| traces.forgive(text))?;
    forgive_prompts(project, &mut traces)?;
    forgetting.mark_by_words(|text| traces.are_in(text))?;
    removed.look_for(&traces);
    let known = store.known_seminars()?;
    let all_paths: Vec<String> = known.into_iter().flat_map(|of| of.paths).collect();
    let Found {
        going,
        left,
        repositories,
    } = files::find(
        project,
        &Wanted {
            traces: &traces,
            id: seminar.id.as_str(),
            paths: &seminar.paths,
            all_paths: &all_paths,
            keep: &args.keep,
        },
    )?;
    let recordings = recordings(project, seminar);
    let forgot = Forgot {
        seminar: seminar.id.clone(),
        done: false,
        paths: seminar.paths.clone(),
        counts: forgetting.counts()?,
        files: going,
        left,
        removed_reports: removed.going(),
        repositories,
        sets: forgetting.sets()?,
        recordings: recordings
            .iter()
            .map(|path| text::inside(project, path))
            .collect(),
        with_recording: args.with_recording,
    };
    Ok(Plan {
        forgot,
        forgetting,
        removed,
        recordings,
        names: names(seminar),
    })
}

/// The words of prompts are in many files, and a model's task may repeat some.
fn forgive_prompts(project: &Project, traces: &mut Traces) -> Result<()> {
    let own = resolve::prompts(project, "");
    let built_in = Prompts::new(None, "");
    for name in Prompts::names() {
        traces.forgive(&built_in.text(&name)?);
        // A copy that cannot be read is no reason to keep a talk.
        traces.forgive(&own.text(&name).unwrap_or_default());
    }
    Ok(())
}

/// The recording's files that are there, with their side files: the same bytes may have several
/// names, and under one of them there may be another recording by now.
fn recordings(project: &Project, seminar: &KnownSeminar) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in &seminar.paths {
        let recording = project.seminars().join(path);
        let is_same = sha256_of(&recording)
            .is_ok_and(|sha256| SeminarId::from_parts(&[&sha256]) == seminar.id);
        if is_same {
            let side_file = recording.with_extension("toml");
            found.push(recording);
            found.extend(Some(side_file).filter(|file| file.is_file()));
        }
    }
    found.dedup();
    found
}

/// What the recording is called where a command names it. A short word would be found everywhere.
fn names(seminar: &KnownSeminar) -> Vec<String> {
    let mut names = seminar.paths.clone();
    names.push(seminar.title.clone());
    names.extend(seminar.speakers.iter().cloned());
    names.retain(|name| name.chars().count() > 3);
    names
}

/// Does what was planned.
fn carry_out(store: &Store, plan: Plan<'_>, printer: &Printer) -> Result<Forgot> {
    let Plan {
        mut forgot,
        forgetting,
        removed,
        recordings,
        names,
    } = plan;
    let seminar = forgetting.seminar().clone();
    store.begin_forgetting(&seminar, &jiff::Timestamp::now().to_string())?;
    printer.note("1 of 3: files");
    for file in &forgot.files {
        files::delete(&file.place).context(
            "a file that holds words of the talk cannot be deleted\nhint: nothing else was changed yet: see to it, and run the same command again",
        )?;
    }
    removed.carry_out()?;
    if forgot.with_recording {
        recordings.iter().try_for_each(|path| files::delete(path))?;
    }
    printer.note("2 of 3: rows of the database");
    forgot.counts = forgetting.carry_out(&names)?;
    finish(store, &seminar, printer)?;
    Ok(forgot)
}

fn finish(store: &Store, seminar: &SeminarId, printer: &Printer) -> Result<()> {
    printer.note("3 of 3: the database is written anew");
    store.finish_forgetting(seminar)
}

/// A recording without rows: it was forgotten before, or all but the last step was done.
fn gone(store: &Store, of: &Forgotten, yes: bool, printer: &Printer) -> Result<u8> {
    if of.finished {
        printer.show(of, |of| {
            format!(
                "{} was forgotten already\nhint: --lift lets it in again",
                of.id
            )
        })?;
        return Ok(exit::DONE);
    }
    if !yes {
        printer.show(of, |of| {
            format!(
                "{}: its rows are gone, the database is to be written anew",
                of.id
            )
        })?;
        printer.note("nothing was changed\nhint: --yes does it");
        return Ok(exit::DONE);
    }
    finish(store, &of.id, printer)?;
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
    let store = project.write(global)?;
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

//! `taskgen tasks import`: questions from elsewhere as tasks of a named set.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    io::Read as _,
    path::{Path, PathBuf},
};

use anyhow::Result;
use jiff::{Zoned, civil::Date};
use serde::Serialize;

use crate::{
    benchmarks::{self, Format, Imported},
    cli::{
        args::{Global, TaskImport},
        commands::sets,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, count},
        },
    },
    data::{Task, TaskId},
    report::export::records,
    store::{Line, Store, UNKNOWN_LICENCE},
    weave::disciplines::Disciplines,
};

/// The most bytes of a file of questions; it is held in memory.
const MOST_BYTES: u64 = 200_000_000;
/// Refused lines that are listed; `--json` has all.
const SHOWN: usize = 20;

/// The outcome of the import.
#[derive(Serialize)]
struct Summary {
    file: PathBuf,
    set: String,
    version: u32,
    /// The day that time slots are filled for.
    as_of: String,
    /// Members of the set.
    tasks: usize,
    /// Those that the project did not have.
    new: usize,
    /// Members of the set's earlier version that are no longer current.
    superseded: u64,
    /// Tasks with text that depends on the day.
    with_slots: usize,
    /// Rows that say a task again.
    repeated: usize,
    languages: BTreeMap<String, usize>,
    /// Tasks with a guessed language, by language.
    guessed: BTreeMap<String, usize>,
    /// Ignored fields, with the number of rows that have them.
    ignored_fields: BTreeMap<String, usize>,
    /// Slots that nothing is known to fill.
    unknown_slots: BTreeSet<String>,
    refused: Vec<Refused>,
}

#[derive(Serialize)]
struct Refused {
    line: usize,
    problem: String,
}

/// Runs the command.
pub fn run(global: &Global, args: &TaskImport, printer: &Printer) -> Result<u8> {
    let file = &args.file;
    let bytes = bytes_of(file)?;
    let set = match &args.set {
        Some(name) => name.trim().to_owned(),
        None => stem(file),
    };
    sets::check_name(&set, "--set")?;
    let language = args
        .language
        .as_deref()
        .map(benchmarks::check_tag)
        .transpose()
        .map_err(Usage)?;
    let extension = file.extension().and_then(OsStr::to_str).unwrap_or_default();
    let project = Project::find(global)?;
    let store = project.write(global)?;
    let members = members(&store, &set)?;
    let as_of = args
        .as_of
        // The day of the first import: on another day the same questions would be other tasks.
        .or_else(|| day_of(&members))
        .unwrap_or_else(|| Zoned::now().date());
    let options = benchmarks::Options {
        benchmark: &set,
        as_of,
        is_static: args.is_static,
        language: language.as_deref(),
        licence: args.licence.as_deref().unwrap_or(UNKNOWN_LICENCE),
    };
    let imported = benchmarks::read(&bytes, Format::guess(extension, &bytes), options)
        .map_err(|why| Usage(format!("cannot read `{}`: {why}", file.display())))?;
    if imported.tasks.is_empty() {
        return Err(Usage(no_task(file, &imported)).into());
    }
    let known: BTreeSet<TaskId> = store
        .imported_tasks()?
        .into_iter()
        .map(|task| task.id)
        .collect();
    let (version, superseded) =
        store.save_imported(&set, &imported.tasks, &lines(&project, &imported.tasks)?)?;
    let summary = summary(file, set, as_of, &known, imported, (version, superseded));
    let code = if summary.refused.is_empty() {
        exit::DONE
    } else {
        exit::SOME_FAILED
    };
    printer.show(&summary, text)?;
    store.end_run(&jiff::Timestamp::now().to_string(), code)?;
    Ok(code)
}

fn read_at_most(most: u64, file: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs_err::File::open(file)?
        .take(most)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn bytes_of(file: &Path) -> Result<Vec<u8>> {
    let hint = "hint: a file of questions: JSONL, JSON, CSV, TSV, or one question a line";
    let bytes = read_at_most(MOST_BYTES + 1, file).map_err(|e| Usage(format!("{e}\n{hint}")))?;
    if bytes.len() as u64 > MOST_BYTES {
        let most = MOST_BYTES / 1_000_000;
        return Err(Usage(format!("`{}` is over {most} MB\n{hint}", file.display())).into());
    }
    Ok(bytes)
}

fn stem(file: &Path) -> String {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy());
    stem.unwrap_or_default().into_owned()
}

/// The lines of imported tasks, which a set freezes.
pub fn lines(project: &Project, tasks: &[Task]) -> Result<Vec<Line>> {
    let disciplines = Disciplines::load(&project.root)?;
    let line = |task| records::line(&records::of_imported(task, &disciplines)?);
    tasks.iter().map(line).collect()
}

/// The tasks of the set's newest version.
fn members(store: &Store, set: &str) -> Result<Vec<Task>> {
    let Some(set) = store.frozen_set(Some(set), None)? else {
        return Ok(Vec::new());
    };
    let tasks = store.tasks_of(&set)?;
    if let Some(woven) = tasks.iter().find(|task| task.from_seminar().is_some()) {
        let id = &woven.id;
        let hint = "hint: --set NAME names another one";
        return Err(Usage(format!(
            "the set `{}` was selected here, not imported: it holds `{id}`\n{hint}",
            set.name
        ))
        .into());
    }
    Ok(tasks)
}

/// The day for which the slots of a set were filled: once for all, so that a later import of the
/// same questions finds the same tasks.
fn day_of(members: &[Task]) -> Option<Date> {
    members
        .iter()
        .find_map(|task| task.as_of.as_ref()?.parse().ok())
}

fn no_task(file: &Path, imported: &Imported) -> String {
    let why = match imported.refused.first() {
        Some((line, why)) => format!("line {line}: {why}"),
        None => "it is empty".to_owned(),
    };
    let hint = "hint: the question stands in a field `task`, `question`, `prompt`, `query` or `text`, or alone on its line";
    format!("no task in `{}`: {why}\n{hint}", file.display())
}

fn summary(
    file: &Path,
    set: String,
    as_of: Date,
    known: &BTreeSet<TaskId>,
    imported: Imported,
    (version, superseded): (u32, u64),
) -> Summary {
    let Imported {
        tasks,
        refused,
        repeated,
        guessed,
        ignored,
        unknown_slots,
    } = imported;
    let mut languages = BTreeMap::new();
    for task in &tasks {
        *languages.entry(task.language.clone()).or_default() += 1;
    }
    Summary {
        file: file.to_owned(),
        set,
        version,
        as_of: as_of.to_string(),
        new: tasks
            .iter()
            .filter(|task| !known.contains(&task.id))
            .count(),
        superseded,
        with_slots: tasks.iter().filter(|task| task.has_slots()).count(),
        tasks: tasks.len(),
        repeated,
        languages,
        guessed,
        ignored_fields: ignored,
        unknown_slots,
        refused: refused
            .into_iter()
            .map(|(line, problem)| Refused { line, problem })
            .collect(),
    }
}

fn text(summary: &Summary) -> String {
    let Summary {
        set,
        version,
        tasks,
        new,
        ..
    } = summary;
    let mut out = format!(
        "{} in the set `{set}`, version {version}: {new} new",
        count(*tasks as u64, "task")
    );
    if summary.superseded > 0 {
        out.push_str(&format!(
            "\n{} tasks of its earlier version are not in the file: they are set aside with their reports\nhint: import that file again to have them back; --set NAME keeps two files apart",
            summary.superseded
        ));
    }
    if summary.with_slots > 0 {
        out.push_str(&format!(
            "\n{} ask about a day, which is {}\nhint: --as-of YYYY-MM-DD asks about another one",
            summary.with_slots, summary.as_of
        ));
    }
    if !summary.guessed.is_empty() {
        out.push_str(&format!(
            "\nlanguage guessed: {}\nhint: a field `language`, or --language TAG",
            counted(&summary.guessed)
        ));
    }
    if summary.repeated > 0 {
        out.push_str(&format!("\n{} rows repeat a task", summary.repeated));
    }
    if !summary.ignored_fields.is_empty() {
        out.push_str(&format!(
            "\nfields without use: {}",
            counted(&summary.ignored_fields)
        ));
    }
    if !summary.unknown_slots.is_empty() {
        let slots: Vec<&str> = summary.unknown_slots.iter().map(String::as_str).collect();
        out.push_str(&format!(
            "\nunknown time slots, left as they are: {}",
            slots.join(", ")
        ));
    }
    for Refused { line, problem } in summary.refused.iter().take(SHOWN) {
        out.push_str(&format!("\nline {line}: {problem}"));
    }
    match summary.refused.len() {
        0 => {}
        n if n > SHOWN => out.push_str(&format!("\nrefused: {n} lines (`--json` lists all)")),
        n => out.push_str(&format!("\nrefused: {}", count(n as u64, "line"))),
    }
    out + "\nnext: `taskgen answer --agent NAME`, or `taskgen reports import PATH`"
}

/// `en 3, zh 2`
fn counted(counts: &BTreeMap<String, usize>) -> String {
    let counts: Vec<String> = counts
        .iter()
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    counts.join(", ")
}

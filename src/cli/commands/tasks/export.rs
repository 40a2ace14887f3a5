//! `taskgen tasks export`: the tasks as JSONL, best first, each with the way back to its source;
//! the current ones, or a set as it was frozen.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    cli::{
        args::{Global, TaskExport},
        commands::sets,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, count},
        },
    },
    data::{
        TaskRecord,
        record::{Provenance, TASK_SCHEMA},
    },
    files,
    report::{
        export::{
            records,
            set_lines::{self, SetMeta},
        },
        listing,
    },
    store::{FrozenSet, Store, UNKNOWN_LICENCE},
    weave::disciplines::Disciplines,
};

#[derive(Serialize)]
struct Exported {
    /// The set as `name@version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<String>,
    tasks: usize,
    /// Lines beside these: the same tasks in other languages.
    translations: usize,
    /// Lines without a text: tasks whose speakers withdrew consent.
    withdrawn: usize,
    file: PathBuf,
    unknown_licence: usize,
}

/// What is exported.
struct Lines {
    lines: Vec<String>,
    /// Those that have a text.
    records: Vec<TaskRecord>,
    /// What is said of them beside them.
    meta: Value,
}

/// Runs the command.
pub fn run(global: &Global, args: &TaskExport, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let top = args.top.map_or(usize::MAX, |top| top as usize);
    let set = args.set.as_deref();
    let set = set
        .map(|name| sets::frozen(&store, Some(name)))
        .transpose()?;
    let exported = match &set {
        Some(set) => of_set(set, top)?,
        None => of_current(&project, &store, top)?,
    };
    let unlicensed = Unlicensed::among(&exported.records);
    if args.require_licence {
        unlicensed.refuse()?;
    }
    let file = match &set {
        Some(set) => format!("{}.jsonl", sets::file_name(set)),
        None => "tasks.jsonl".to_owned(),
    };
    let path = args
        .output
        .clone()
        .unwrap_or_else(|| project.tasks().join(file));
    let mut text = exported.lines.join("\n");
    // JSON lines with --json and without.
    if path.as_os_str() == "-" {
        if !text.is_empty() {
            printer.data(&text)?;
        }
        return Ok(exit::DONE);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    write(&path, &text)?;
    let meta = format!("{:#}\n", exported.meta);
    write(&path.with_extension("meta.json"), &meta)?;
    let translations = n_translations(&exported.records);
    let exported = Exported {
        set: set.map(|set| set.label()),
        tasks: exported.records.len() - translations,
        translations,
        withdrawn: exported.lines.len() - exported.records.len(),
        file: path,
        unknown_licence: unlicensed.tasks,
    };
    printer.show(&exported, text_of)?;
    Ok(exit::DONE)
}

/// The current tasks.
fn of_current(project: &Project, store: &Store, top: usize) -> Result<Lines> {
    let mut listing = listing::read(store)?;
    listing.tasks.truncate(top);
    let records = records::of_listing(store, &listing, &Disciplines::load(&project.root)?)?;
    let lines = records.iter().map(|of| Ok(records::line(of)?.json));
    let lines = lines.collect::<Result<Vec<_>>>()?;
    let translations = n_translations(&records);
    let meta = json!({
        "schema_version": TASK_SCHEMA,
        "created": jiff::Timestamp::now().to_string(),
        "tool_version": env!("CARGO_PKG_VERSION"),
        "ranking": listing.ranking,
        "standing": listing.ratings,
        "tasks": records.len() - translations,
        "translations": translations,
    });
    Ok(Lines {
        lines,
        records,
        meta,
    })
}

/// A set as it was frozen: no clock, and nothing that could have changed since.
fn of_set(set: &FrozenSet, top: usize) -> Result<Lines> {
    let mut record = set.record()?;
    record.tasks.truncate(set_lines::end_of(&record, top));
    let lines = set_lines::lines(set)?;
    let meta = SetMeta {
        schema_version: TASK_SCHEMA,
        set: set.name.clone(),
        version: set.version,
        canary: set.canary.clone(),
        sha256: set.sha256.clone(),
        lines: record.tasks.len(),
    };
    Ok(Lines {
        lines: lines.into_iter().take(record.tasks.len()).collect(),
        records: record.records().cloned().collect(),
        meta: serde_json::to_value(meta)?,
    })
}

fn n_translations(records: &[TaskRecord]) -> usize {
    let translated = records.iter().filter(|of| of.translation_of.is_some());
    translated.count()
}

fn text_of(exported: &Exported) -> String {
    let of = match &exported.set {
        Some(set) => format!(" of the set `{set}`"),
        None => String::new(),
    };
    let translations = match exported.translations {
        0 => String::new(),
        n => format!(" and {}", count(n as u64, "translation")),
    };
    let mut text = format!(
        "{}{translations}{of} written to `{}`",
        count(exported.tasks as u64, "task"),
        exported.file.display()
    );
    if exported.withdrawn > 0 {
        text.push_str(&format!(
            "\n{} withdrawn: their lines have no text",
            count(exported.withdrawn as u64, "line")
        ));
    }
    if exported.unknown_licence > 0 {
        text.push_str(&format!(
            "\n{} are of unknown licence: a `NAME.toml` beside a recording can name it, or `tasks import --licence`",
            exported.unknown_licence
        ));
    }
    text
}

/// Tasks without a known licence.
struct Unlicensed {
    tasks: usize,
    /// Their sources: paths of recordings, and names of benchmarks.
    recordings: BTreeSet<String>,
    benchmarks: BTreeSet<String>,
}

impl Unlicensed {
    fn among(records: &[TaskRecord]) -> Self {
        let mut unlicensed = Self {
            tasks: 0,
            recordings: BTreeSet::new(),
            benchmarks: BTreeSet::new(),
        };
        for record in records.iter().filter(|of| of.translation_of.is_none()) {
            let unknown = record.recordings().into_iter();
            let unknown: Vec<String> = unknown
                .filter(|recording| recording.licence == UNKNOWN_LICENCE)
                .map(|recording| recording.path.clone())
                .collect();
            let benchmark = match &record.provenance {
                Provenance::Imported { imported } if imported.licence == UNKNOWN_LICENCE => {
                    Some(imported.benchmark.clone())
                }
                _ => None,
            };
            unlicensed.tasks += usize::from(!unknown.is_empty() || benchmark.is_some());
            unlicensed.recordings.extend(unknown);
            unlicensed.benchmarks.extend(benchmark);
        }
        unlicensed
    }

    fn refuse(&self) -> Result<()> {
        let (kind, names, hint) = if let Some(first) = self.recordings.first() {
            let side = Path::new(first).with_extension("toml");
            let hint = format!(
                "name it in `{}` beside the recording, then `taskgen inspire`",
                side.display()
            );
            ("recordings", &self.recordings, hint)
        } else {
            let hint = "`taskgen tasks import FILE --licence NAME` once more".to_owned();
            ("benchmarks", &self.benchmarks, hint)
        };
        let Some(first) = names.first() else {
            return Ok(());
        };
        let more = match names.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let tasks = self.tasks;
        Err(Usage(format!(
            "{tasks} tasks come from {kind} of unknown licence: `{first}`{more}\nhint: {hint}"
        ))
        .into())
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    files::write_whole(path, text.as_bytes())
        .context("cannot write the export\nhint: choose another place with --output")
}

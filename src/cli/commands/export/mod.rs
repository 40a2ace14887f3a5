//! `taskgen export`: sets, reports and scores in the layouts of others' tools.

mod live_research_bench;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::{
    cli::{
        args::{DataSet, Export, ForScoring, Global, Placed},
        commands::{
            folder::{WrittenFolder, told_of_others},
            sets,
        },
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, count},
        },
    },
    data::{ReportRecord, SetRecord},
    report::export::{
        ExportFile,
        data_set::{Card, croissant, hugging_face, lineage},
        deepresearch_bench,
        inspect::{self, LogOptions},
        reports, schemas,
        scoring::{Agents, Sheet, argilla, label_studio},
    },
    store::{FrozenSet, Store},
};

/// A set with the reports on its tasks.
struct Opened {
    store: Store,
    set: FrozenSet,
    record: SetRecord,
    reports: Vec<ReportRecord>,
}

impl Opened {
    /// How many reports have a text.
    fn with_text(&self) -> usize {
        Sheet::new(&self.record, &self.reports).rows.len()
    }
}

/// What was written.
#[derive(Serialize)]
struct Written {
    folder: PathBuf,
    /// The set as `name@version`.
    set: String,
    tasks: usize,
    /// The same tasks in other languages, which are rows of their own.
    translations: usize,
    /// Tasks without a text, because their speakers withdrew consent.
    withdrawn: usize,
    /// Reports that are in the export.
    reports: usize,
    /// Reports that are not: attempts that ended without one.
    left_out: usize,
    files: usize,
    /// Files that were there with other contents.
    replaced: usize,
    /// Other files that lie in the folder.
    others: usize,
    /// What to do with it.
    next: String,
}

/// Runs the command.
pub fn run(global: &Global, command: &Export, printer: &Printer) -> Result<u8> {
    match command {
        Export::HuggingFace(args) => hugging_face(global, args, printer),
        Export::Croissant(args) => croissant(global, args, printer),
        Export::RoCrate(args) => ro_crate(global, args, printer),
        Export::Inspect(args) => inspect(global, args, printer),
        Export::DeepresearchBench(args) => deepresearch_bench(global, args, printer),
        Export::Argilla(args) => for_scoring(global, args, Tool::Argilla, printer),
        Export::LabelStudio(args) => for_scoring(global, args, Tool::LabelStudio, printer),
        Export::Schemas { folder } => schemas(folder, printer),
        Export::LiveResearchBench { folder, set } => {
            live_research_bench::run(global, folder, set.as_deref(), printer)
        }
    }
}

fn opened(global: &Global, args: &Placed) -> Result<Opened> {
    let store = Project::find(global)?.read_or_hint()?;
    let set = sets::frozen(&store, args.set.as_deref())?;
    let record = set.record()?;
    if record.records().next().is_none() {
        return Err(Usage(format!(
            "the set `{}` has no task any more: all were withdrawn\nhint: --set NAME names another one",
            set.label()
        ))
        .into());
    }
    let reports = reports::on(&store, &store.tasks_of(&set)?)?;
    Ok(Opened {
        store,
        set,
        record,
        reports,
    })
}

fn schemas(folder: &Path, printer: &Printer) -> Result<u8> {
    let written = WrittenFolder::new(folder);
    let mut paths = Vec::new();
    for file in schemas::files() {
        let path = written.join(&file.path);
        written.write_bytes(&path, &file.bytes)?;
        paths.push(path);
    }
    printer.show(&paths, |paths| {
        let folder = folder.display();
        format!(
            "{} written to `{folder}`",
            count(paths.len() as u64, "schema")
        )
    })?;
    Ok(exit::DONE)
}

fn card(of: &FrozenSet, args: &DataSet) -> Card {
    let day = of.frozen_at.as_deref().and_then(|time| time.get(..10));
    Card {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        day: day.unwrap_or_default().to_owned(),
        publisher: args.publisher.clone(),
        licence: args.licence.clone(),
        address: args.address.clone(),
    }
}

fn hugging_face(global: &Global, args: &DataSet, printer: &Printer) -> Result<u8> {
    let of = opened(global, &args.placed)?;
    let card = card(&of.set, args);
    let mut files = hugging_face::files(&of.record, &card)?;
    files.extend(croissant::files(&of.record, &card)?);
    files.extend(lineage::files(&of.record, &of.reports, &card)?);
    let next = format!(
        "read `{}`, then upload the folder; `datasets.load_dataset(FOLDER)` opens it",
        args.placed.folder.join("README.md").display()
    );
    written(&of, &args.placed, files, of.with_text(), next, printer)
}

fn croissant(global: &Global, args: &DataSet, printer: &Printer) -> Result<u8> {
    let of = opened(global, &args.placed)?;
    let files = croissant::files(&of.record, &card(&of.set, args))?;
    let next = "`mlcroissant validate --jsonld FOLDER/croissant.json` checks it".to_owned();
    written(&of, &args.placed, files, 0, next, printer)
}

fn ro_crate(global: &Global, args: &DataSet, printer: &Printer) -> Result<u8> {
    let of = opened(global, &args.placed)?;
    let files = lineage::files(&of.record, &of.reports, &card(&of.set, args))?;
    let next = "`ro-crate-metadata.json` says what each task was made from".to_owned();
    written(&of, &args.placed, files, of.with_text(), next, printer)
}

fn inspect(global: &Global, args: &Placed, printer: &Printer) -> Result<u8> {
    let of = opened(global, args)?;
    let mut files = inspect::task_package(&of.record)?;
    let agents: BTreeSet<&str> = of.reports.iter().map(|report| &*report.agent).collect();
    if !agents.is_empty() {
        let judged = of.store.last_judged()?;
        // Where nothing was judged, the log is as old as the set.
        let judged = judged.or_else(|| of.set.frozen_at.clone());
        let judged = judged.unwrap_or_default().parse();
        let judged = judged.context("the database has no time of the set")?;
        for agent in agents {
            let options = LogOptions { agent, judged };
            let mut log = inspect::eval_log(&of.record, &of.reports, options)?;
            log.path = PathBuf::from("logs").join(log.path);
            files.push(log);
        }
    }
    let logs = args.folder.join("logs");
    let next = if of.reports.is_empty() {
        "the package's README says how to run the tasks".to_owned()
    } else {
        let logs = logs.display();
        format!(
            "`inspect view --log-dir {logs}` shows the scores; the package's README says how to run the tasks"
        )
    };
    written(&of, args, files, of.with_text(), next, printer)
}

fn deepresearch_bench(global: &Global, args: &Placed, printer: &Printer) -> Result<u8> {
    let of = opened(global, args)?;
    let files = deepresearch_bench::files(&of.record, &of.reports)?;
    let next = "`taskgen tasks import` and `taskgen reports import` read such files".to_owned();
    written(&of, args, files, of.with_text(), next, printer)
}

#[derive(Clone, Copy)]
enum Tool {
    Argilla,
    LabelStudio,
}

fn for_scoring(global: &Global, args: &ForScoring, tool: Tool, printer: &Printer) -> Result<u8> {
    let of = opened(global, &args.placed)?;
    let sheet = Sheet::new(&of.record, &of.reports);
    if sheet.rows.is_empty() {
        let hint = "`taskgen answer` or `taskgen reports import` brings reports";
        return Err(Usage(format!(
            "there is no report on `{}` to score\nhint: {hint}",
            of.set.label()
        ))
        .into());
    }
    let agents = if args.named {
        Agents::Named
    } else {
        Agents::Hidden
    };
    let files = match tool {
        Tool::Argilla => argilla::files,
        Tool::LabelStudio => label_studio::files,
    };
    let files = files(&of.record, &of.reports, &args.criterion, agents);
    let files = files.map_err(|why| Usage(format!("{why:#}")))?;
    let next = "`taskgen audit agreement FILE` reads the scores that come back".to_owned();
    written(&of, &args.placed, files, sheet.rows.len(), next, printer)
}

/// Writes the files, those with one path once, and says what was written.
fn written(
    of: &Opened,
    args: &Placed,
    files: Vec<ExportFile>,
    reports: usize,
    next: String,
    printer: &Printer,
) -> Result<u8> {
    let folder = WrittenFolder::new(&args.folder);
    let mut paths = BTreeSet::new();
    let mut replaced = 0;
    for file in files {
        if paths.insert(file.path.clone()) {
            let before = std::fs::read(folder.join(&file.path));
            replaced += usize::from(before.is_ok_and(|before| before != file.bytes));
            folder.write_bytes(&folder.join(&file.path), &file.bytes)?;
        }
    }
    let (translations, tasks): (Vec<_>, Vec<_>) = of
        .record
        .records()
        .partition(|of| of.translation_of.is_some());
    let written = Written {
        folder: args.folder.clone(),
        set: of.set.label(),
        tasks: tasks.len(),
        translations: translations.len(),
        withdrawn: of
            .record
            .tasks
            .iter()
            .filter(|of| of.record.is_none())
            .count(),
        reports,
        left_out: if reports == 0 {
            0
        } else {
            of.reports.len() - reports
        },
        files: paths.len(),
        replaced,
        others: folder.others()?,
        next,
    };
    printer.show(&written, text)?;
    Ok(exit::DONE)
}

fn text(of: &Written) -> String {
    let translations = match of.translations {
        0 => String::new(),
        n => format!(", {}", count(n as u64, "translation")),
    };
    let reports = match of.reports {
        0 => String::new(),
        n => format!(" and {}", count(n as u64, "report")),
    };
    let mut out = format!(
        "{}{translations}{reports} of the set `{}` written to `{}`: {}\n",
        count(of.tasks as u64, "task"),
        of.set,
        of.folder.display(),
        count(of.files as u64, "file")
    );
    if of.withdrawn > 0 {
        out.push_str(&format!("withdrawn, and not in it: {}\n", of.withdrawn));
    }
    if of.left_out > 0 {
        out.push_str(&format!("without a text, and not in it: {}\n", of.left_out));
    }
    if of.replaced > 0 {
        out.push_str(&format!("files replaced: {}\n", of.replaced));
    }
    out.push_str(&told_of_others(of.others));
    out.push_str(&format!("next: {}", of.next));
    out
}

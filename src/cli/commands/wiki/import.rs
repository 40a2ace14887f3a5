//! `taskgen wiki import`: tasks, gold articles and reports of a benchmark's folder.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use jiff::Zoned;
use serde::Serialize;
use serde_json::json;

use super::bench::{Bench, BenchTask, NUMBER};
use crate::{
    benchmarks::{
        self, Format,
        wiki_live_challenge::{
            files::{TaskRow, TaskTable},
            layout::stem_of,
        },
    },
    cli::{
        args::Global,
        commands::{sets, tasks::lines},
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, Problem, counted, listed, on_one_line},
        },
    },
    data::{AgentReport, AttemptCost, GoldArticle, State, Task, report::check_agent_name},
    store::{Store, UNKNOWN_LICENCE},
};

/// The licence of Wikipedia's texts.
const LICENCE: &str = "CC BY-SA 4.0";
/// Problems that are listed; `--json` has all.
const SHOWN: usize = 20;

/// The outcome.
#[derive(Serialize)]
struct Imported {
    folder: PathBuf,
    set: String,
    version: u32,
    tasks: usize,
    gold_articles: usize,
    /// Gold articles that are new.
    new_gold: usize,
    /// Statements of gold articles.
    statements: usize,
    /// Reports by agency.
    reports: BTreeMap<String, u64>,
    /// Reports that were there already.
    known: u64,
    /// Agencies that the register switches off.
    disabled: Vec<String>,
    /// Articles of no task.
    without_task: u64,
    problems: Vec<Problem>,
}

/// Runs the command.
pub fn run(global: &Global, folder: &Path, set: Option<&str>, printer: &Printer) -> Result<u8> {
    let mut bench = Bench::open(folder)?;
    let listed = bench.tasks()?;
    if listed.is_empty() {
        bail!(Usage(
            "there is no task in the folder\nhint: `wiki_data/ga_….json` lists them".to_owned()
        ));
    }
    let set = set.map_or_else(|| name_of(folder), |name| name.trim().to_owned());
    sets::check_name(&set, "--set")?;
    let table = bench.table()?;
    let read = tasks_of(&listed, table.as_ref(), &set)?;
    let project = Project::find(global)?;
    let store = project.write(global)?;
    let (version, _) = store.save_imported(&set, &read.tasks, &lines(&project, &read.tasks)?)?;
    let tasks: BTreeMap<&str, &Task> = read
        .tasks
        .iter()
        .filter_map(|task| Some((task.file_id()?, task)))
        .collect();
    let gold = gold(&mut bench, &listed, table.as_ref(), &tasks)?;
    let mut imported = Imported {
        folder: folder.to_owned(),
        set,
        version,
        tasks: read.tasks.len(),
        gold_articles: gold.len(),
        new_gold: store.save_gold(&gold)?,
        statements: gold.iter().map(|article| article.statements.len()).sum(),
        reports: BTreeMap::new(),
        known: 0,
        disabled: Vec::new(),
        without_task: 0,
        problems: Vec::new(),
    };
    reports(&mut bench, &store, &tasks, &mut imported)?;
    for (line, why) in read.refused {
        bench.problems.push(Problem {
            place: format!("task {line}"),
            problem: why,
        });
    }
    imported.problems.append(&mut bench.problems);
    let code = if imported.problems.is_empty() {
        exit::DONE
    } else {
        exit::SOME_FAILED
    };
    printer.show(&imported, text)?;
    store.end_run(&jiff::Timestamp::now().to_string(), code)?;
    Ok(code)
}

fn name_of(folder: &Path) -> String {
    let whole = fs_err::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let name = whole
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "wiki".to_owned())
}

/// The tasks as rows of questions, so that they are read as all others are.
fn tasks_of(
    tasks: &[BenchTask],
    table: Option<&TaskTable>,
    set: &str,
) -> Result<benchmarks::Imported> {
    let mut rows = String::new();
    for task in tasks {
        let mut row = json!({ "id": task.stem, "prompt": task.question });
        let facets = table.and_then(|table| row_of(table, task));
        for (facet, column) in [("category", "category"), ("topic", "ga_topic_keyword")] {
            let value = facets.and_then(|row| row.get(column));
            if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
                row[facet] = json!(value);
            }
        }
        rows.push_str(&format!("{row}\n"));
    }
    let options = benchmarks::Options {
        benchmark: set,
        as_of: Zoned::now().date(),
        is_static: false,
        language: None,
        licence: UNKNOWN_LICENCE,
    };
    let read = benchmarks::read(rows.as_bytes(), Format::Json, options);
    read.map_err(|why| Usage(why).into())
}

fn gold(
    bench: &mut Bench,
    listed: &[BenchTask],
    table: Option<&TaskTable>,
    tasks: &BTreeMap<&str, &Task>,
) -> Result<Vec<GoldArticle>> {
    let mut articles = Vec::new();
    for of in listed {
        let Some(task) = tasks.get(of.stem.as_str()) else {
            continue;
        };
        match bench.gold(&of.stem)? {
            Some((text, statements)) => articles.push(GoldArticle {
                task: task.id.clone(),
                title: of.title.clone(),
                url: (!of.url.is_empty()).then(|| of.url.clone()),
                text,
                statements,
                attributes: attributes(table, of),
            }),
            None => bench.problems.push(Problem {
                place: of.stem.clone(),
                problem: "no gold article; `wiki_data/cleaned_data/article/` has none".to_owned(),
            }),
        }
    }
    Ok(articles)
}

/// What the table says of a page, and the number of its task. Its title and address stand elsewhere.
fn attributes(table: Option<&TaskTable>, of: &BenchTask) -> BTreeMap<String, String> {
    let columns = table.map(|table| table.columns.as_slice());
    let row = table.and_then(|table| row_of(table, of));
    let cells = columns.unwrap_or_default().iter().filter_map(|column| {
        let is_own = !["title", "url"].contains(&column.as_str());
        let value = row?.get(column).filter(|value| !value.is_empty())?;
        is_own.then(|| (column.clone(), value.to_owned()))
    });
    let number = (!of.number.is_empty()).then(|| (NUMBER.to_owned(), of.number.clone()));
    cells.chain(number).collect()
}

fn row_of<'a>(table: &'a TaskTable, of: &BenchTask) -> Option<TaskRow<'a>> {
    table.tasks().find(|row| stem_of(row.title()) == of.stem)
}

fn reports(
    bench: &mut Bench,
    store: &Store,
    tasks: &BTreeMap<&str, &Task>,
    imported: &mut Imported,
) -> Result<()> {
    let register = bench.register()?;
    let is_off = |agency: &str| {
        let agencies = register
            .as_ref()
            .and_then(|register| register.agencies.get());
        let entry = agencies.and_then(|agencies| agencies.iter().find(|(name, _)| *name == agency));
        entry.is_some_and(|(_, entry)| entry.enabled.get() == Some(&false))
    };
    for (agency, files) in bench.layout.agencies.clone() {
        if is_off(&agency) {
            imported.disabled.push(agency);
            continue;
        }
        if let Err(why) = check_agent_name(&agency) {
            bench.problems.push(Problem {
                place: agency,
                problem: why,
            });
            continue;
        }
        for stem in files.keys() {
            let Some(task) = tasks.get(stem.as_str()) else {
                imported.without_task += 1;
                continue;
            };
            let Some(text) = bench.report(&agency, stem)? else {
                continue;
            };
            let state = if text.trim().is_empty() {
                State::Empty
            } else {
                State::Ok
            };
            let cost = AttemptCost::default();
            let report = AgentReport::new(&task.id, &agency, 1, state, &text, cost);
            *imported.reports.entry(agency.clone()).or_default() += 1;
            if !store.save_report(&report, None)? {
                imported.known += 1;
            }
        }
    }
    Ok(())
}

fn text(of: &Imported) -> String {
    let shown = &of.problems[..of.problems.len().min(SHOWN)];
    let mut out = listed(shown);
    if of.problems.len() > SHOWN {
        out.push_str(&format!("and {} more\n", of.problems.len() - SHOWN));
    }
    out.push_str(&format!(
        "{} tasks in the set `{}` (version {}), {} gold articles ({} new) with {} statements\n",
        of.tasks, of.set, of.version, of.gold_articles, of.new_gold, of.statements
    ));
    let reports: u64 = of.reports.values().sum();
    out.push_str(&format!(
        "{reports} reports, {} known already: {}\n",
        of.known,
        counted(&of.reports, "none")
    ));
    if !of.disabled.is_empty() {
        let names = on_one_line(&of.disabled.join(", "));
        out.push_str(&format!("switched off in the register: {names}\n"));
    }
    if of.without_task > 0 {
        out.push_str(&format!("articles of no task: {}\n", of.without_task));
    }
    out.push_str(&format!(
        "gold articles are Wikipedia's, {LICENCE}\nnext: `taskgen evaluate --metric writing,facts`"
    ));
    out
}

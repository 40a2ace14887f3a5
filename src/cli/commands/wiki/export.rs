//! `taskgen wiki export`: tasks, gold articles, reports and verdicts in the benchmark's layout.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde::Serialize;

use super::bench::NUMBER;
use crate::{
    benchmarks::wiki_live_challenge::{
        aggregate::{self, Counting},
        files::{
            AgenciesFile, Agency, COLUMNS, Content, Field, GoldStatement, JsonFile, Named,
            Task as BenchTask, TaskTable, VerifiabilityFile, WritingFile,
        },
    },
    cli::{
        args::Global,
        commands::folder::{WrittenFolder, told_of_others},
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, on_one_line},
        },
    },
    data::{GoldArticle, Task, TaskId},
    evaluate::{
        file_names::{as_name, distinct},
        wiki_facts::ReportStatements,
        wiki_files::{self, JudgeResults, Placed},
    },
    store::Store,
};

/// What was written.
#[derive(Serialize)]
struct Exported {
    folder: PathBuf,
    tasks: usize,
    agents: usize,
    reports: usize,
    /// Tasks without a gold article, which the benchmark has no place for.
    without_gold: usize,
    /// The folder of each judge's verdicts.
    judges: Vec<PathBuf>,
    /// Other files that lie in the folder.
    others: usize,
}

/// Runs the command.
pub fn run(global: &Global, folder: &Path, set: Option<&str>, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let all = super::tasks(&store, set)?;
    let gold = store.gold()?;
    let mut tasks: Vec<Task> = all
        .iter()
        .filter(|task| gold.contains_key(&task.id))
        .cloned()
        .collect();
    // The order of the benchmark, where a task has a number there.
    tasks.sort_by_cached_key(|task| {
        let number = gold[&task.id].attributes.get(NUMBER);
        number.map_or(u64::MAX, |number| number.parse().unwrap_or(u64::MAX))
    });
    if tasks.is_empty() {
        let hint = "`taskgen wiki import FOLDER` brings tasks with gold articles";
        return Err(Usage(format!("no task has a gold article\nhint: {hint}")).into());
    }
    let heads = store.report_heads()?;
    let placed = wiki_files::placed(&tasks, &heads, &gold);
    let written = WrittenFolder::new(folder);
    write_tasks(&written, &tasks, &gold)?;
    write_reports(&store, &written, &placed)?;
    let mut judges = Vec::new();
    let found = wiki_files::judges(&store, &placed)?;
    let names = found
        .iter()
        .map(|of| (&of.judge, as_name(&of.judge.replace('/', "__"))));
    let names = distinct(names);
    for judge in &found {
        judges.push(write_judge(&written, &placed, judge, &names[&judge.judge])?);
    }
    let agents: BTreeSet<&str> = placed.iter().map(|of| of.folder.as_str()).collect();
    let exported = Exported {
        folder: folder.to_owned(),
        tasks: tasks.len(),
        agents: agents.len(),
        reports: placed.len(),
        without_gold: all.len() - tasks.len(),
        judges,
        others: written.others()?,
    };
    printer.show(&exported, text)?;
    Ok(exit::DONE)
}

fn text(of: &Exported) -> String {
    let folder = of.folder.display();
    let mut out = format!(
        "{} tasks with gold articles and {} reports of {} agents written to `{folder}`\n",
        of.tasks, of.reports, of.agents
    );
    if of.without_gold > 0 {
        out.push_str(&format!(
            "{} tasks are left out: they have no gold article\n",
            of.without_gold
        ));
    }
    for judge in &of.judges {
        out.push_str(&format!(
            "verdicts: `{}`\n",
            on_one_line(&judge.display().to_string())
        ));
    }
    if of.judges.is_empty() {
        out.push_str("no verdicts: `taskgen evaluate --metric writing,facts`\n");
    }
    out.push_str(&told_of_others(of.others));
    out.push_str(&format!(
        "gold articles are Wikipedia's, CC BY-SA 4.0: name them where you pass them on\n\
         next: taskgen wiki doctor {folder}"
    ));
    out
}

/// Writes the tasks and their gold articles, in the order of the set.
fn write_tasks(
    folder: &WrittenFolder,
    tasks: &[Task],
    gold: &BTreeMap<TaskId, GoldArticle>,
) -> Result<()> {
    let stems = wiki_files::stems(gold);
    let data = folder.join("wiki_data");
    let (mut listed, mut rows) = (Vec::new(), Vec::new());
    // Two benchmarks have the same numbers.
    let numbers = tasks
        .iter()
        .filter_map(|task| gold[&task.id].attributes.get(NUMBER));
    let has_numbers = numbers.collect::<BTreeSet<_>>().len() == tasks.len();
    for (number, task) in (1_u64..).zip(tasks) {
        let article = &gold[&task.id];
        let stem = &stems[&task.id];
        // Readers look for the files of a title under this name.
        let title = stem.clone();
        let url = article.url.clone();
        let own = article.attributes.get(NUMBER).filter(|_| has_numbers);
        let own = own.and_then(|number| serde_json::from_str(number).ok());
        listed.push(Field::Read(Box::new(BenchTask {
            id: own
                .unwrap_or_else(|| serde_json::Value::from(number))
                .into(),
            title: title.clone().into(),
            url: url.clone().into(),
            question: task.text.clone().into(),
            ..BenchTask::default()
        })));
        rows.push(COLUMNS.map(|column| match column {
            "title" => title.clone(),
            "url" => url.clone().unwrap_or_default(),
            column => article.attributes.get(column).cloned().unwrap_or_default(),
        }));
        let cleaned = data.join("cleaned_data");
        let markdown = cleaned.join("article").join(format!("{stem}.md"));
        folder.write(&markdown, &article.text)?;
        if !article.statements.is_empty() {
            let statements = article.statements.iter();
            let statements: Vec<Field<GoldStatement>> = statements
                .map(|text| GoldStatement::new(text).into())
                .collect();
            let path = cleaned
                .join("statement")
                .join(format!("{stem}_statements.json"));
            write_json(folder, &path, statements)?;
        }
    }
    let name = format!("ga_{}", tasks.len());
    write_json(folder, &data.join(format!("{name}.json")), listed)?;
    let table = TaskTable::new(rows).write();
    folder.write(&data.join(format!("{name}.csv")), &table)
}

/// Writes the reports as Markdown and as JSON, and the register of their agents.
fn write_reports(store: &Store, folder: &WrittenFolder, placed: &[Placed<'_>]) -> Result<()> {
    let data = folder.join("test_data");
    let evaluation = store.last_evaluation()?.unwrap_or_default();
    let judgements = store.panel_judgements(&evaluation)?;
    let own = ReportStatements::new(&evaluation, &judgements);
    let mut cites: BTreeMap<(&str, &str), bool> = BTreeMap::new();
    for of in placed {
        let text = store.report_text(&of.head.id)?;
        let place = data.join(&of.folder);
        let markdown = place.join("md_data").join(format!("{}.md", of.stem));
        folder.write(&markdown, &text)?;
        let article = wiki_files::article(of, &text, &own)?;
        let page = article.page().map(|(_, page)| page);
        let urls = page.and_then(|page| page.citation_urls.get());
        let known = cites.entry((&of.folder, &of.head.agent)).or_default();
        *known |= urls.is_some_and(|urls| urls.iter().next().is_some());
        let json = place.join("json_data").join(format!("{}.json", of.stem));
        write_json(folder, &json, article)?;
    }
    let agencies = cites.into_iter().map(|((folder, agent), cites)| {
        let agency = Agency {
            name: agent.to_owned().into(),
            description: String::new().into(),
            has_citations: cites.into(),
            enabled: true.into(),
            ..Agency::default()
        };
        (folder.to_owned(), Field::Read(agency))
    });
    let register = AgenciesFile {
        description: "Agents and their articles".to_owned().into(),
        version: "1.0".to_owned().into(),
        agencies: Named(agencies.collect()).into(),
        ..AgenciesFile::default()
    };
    write_json(folder, &data.join("agencies.json"), register)
}

/// Results of an agent under one kind of question.
#[derive(Default)]
struct AgentResults<'a> {
    writing: Vec<&'a WritingFile>,
    facts: Vec<&'a VerifiabilityFile>,
}

/// Writes the verdicts of a judge with a summary for each agent, and returns their folder: one
/// folder for each order in which articles were shown.
fn write_judge(
    folder: &WrittenFolder,
    placed: &[Placed<'_>],
    judge: &JudgeResults,
    name: &str,
) -> Result<PathBuf> {
    let place = folder.join("results").join(name);
    let mut by_folder: BTreeMap<PathBuf, AgentResults<'_>> = BTreeMap::new();
    for (at, results) in &judge.articles {
        let of = &placed[*at];
        for (order, file) in ["report_first", "gold_first"].iter().zip(&results.writing) {
            let Some(file) = file else { continue };
            let own = place.join(&of.folder).join("writing").join(order);
            let path = own.join(format!("{}_writing.json", of.stem));
            write_json(folder, &path, file.clone())?;
            by_folder.entry(own).or_default().writing.push(file);
        }
        if let Some(file) = &results.facts {
            let own = place.join(&of.folder).join("verifiability");
            let path = own.join(format!("{}_verifiability.json", of.stem));
            write_json(folder, &path, file.clone())?;
            by_folder.entry(own).or_default().facts.push(file);
        }
    }
    for (own, results) in by_folder {
        let path = own.join("_summary.json");
        if results.facts.is_empty() {
            let figures: Vec<_> = results
                .writing
                .iter()
                .map(|file| aggregate::writing::writing(file, Counting::Strict))
                .collect();
            write_json(folder, &path, aggregate::writing::summary(&figures).1)?;
        } else {
            let figures: Vec<_> = results
                .facts
                .iter()
                .map(|file| aggregate::verifiability::verifiability(file, Counting::Strict))
                .collect();
            write_json(folder, &path, aggregate::verifiability::summary(&figures))?;
        }
    }
    Ok(place)
}

fn write_json<T: Content>(folder: &WrittenFolder, path: &Path, content: T) -> Result<()> {
    folder.write(path, &JsonFile::from(content).write())
}

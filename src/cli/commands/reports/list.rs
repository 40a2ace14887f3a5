//! `taskgen reports`: import of reports in common layouts, and the list of all reports.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;
use serde::Serialize;

use super::{check, remove, show};
use crate::{
    answer::layouts::{self, Incoming, Target},
    cli::{
        args::{Global, Reports},
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, Problem, counted, listed, table},
        },
    },
    data::{
        AgentReport, AttemptCost, MeasureDef, Task, Trajectory, TrajectoryCounts, Unit,
        report::check_agent_name,
    },
    evaluate::{self, measure, measures, scorecard::ReportScores},
    store::Store,
};

/// Runs the command.
pub fn reports(global: &Global, command: &Reports, printer: &Printer) -> Result<u8> {
    match command {
        Reports::Import { path, agent } => import(global, path, agent.as_deref(), printer),
        Reports::List => list(global, printer),
        Reports::Show { report } => show::run(global, report, printer),
        Reports::Check { reports } => check::run(global, reports, printer),
        Reports::Remove(args) => remove::run(global, args, printer),
    }
}

/// The outcome of an import.
#[derive(Serialize)]
struct Imported {
    layout: &'static str,
    taken: u64,
    /// Reports that were there already.
    known: u64,
    /// The same report twice in the files.
    repeated: u64,
    /// Hidden and temporary files.
    hidden: u64,
    agents: BTreeMap<String, u64>,
    problems: Vec<Problem>,
}

impl Imported {
    /// Before any report is taken in.
    fn of(read: &layouts::Read) -> Self {
        let problems = read.problems.iter().map(|found| Problem {
            place: found.source.clone(),
            problem: found.message.clone(),
        });
        Self {
            layout: read.layout.shape(),
            taken: 0,
            known: 0,
            repeated: read.repeated as u64,
            hidden: read.skipped_hidden as u64,
            agents: BTreeMap::new(),
            problems: problems.collect(),
        }
    }

    fn take(
        &mut self,
        store: &Store,
        report: &AgentReport,
        trajectory: Option<&Trajectory>,
    ) -> Result<()> {
        *self.agents.entry(report.agent.clone()).or_default() += 1;
        if store.save_answer(report, None, trajectory)? {
            self.taken += 1;
        } else {
            self.known += 1;
        }
        Ok(())
    }
}

fn import(global: &Global, path: &Path, agent: Option<&str>, printer: &Printer) -> Result<u8> {
    let read = layouts::read(path, agent).map_err(|e| Usage(format!("{e:#}")))?;
    let project = Project::find(global)?;
    let store = project.write(global)?;
    let tasks = tasks_in_all_languages(&store)?;
    if tasks.is_empty() {
        return Err(Usage(
            "there are no tasks that a report could answer\nhint: `taskgen run`, or `taskgen tasks import FILE`".into(),
        )
        .into());
    }
    let mut imported = Imported::of(&read);
    let targets: Vec<Target<'_>> = tasks.iter().map(target).collect();
    let matches = layouts::match_tasks(&read.reports, &targets);
    for (report, task) in matches.matched {
        let incoming = &read.reports[report];
        match handed_in(incoming, &tasks[task], agent) {
            Ok(report) => imported.take(&store, &report, trajectory(incoming).as_ref())?,
            Err(why) => imported.problems.push(problem(incoming, &why)),
        }
    }
    for (report, why) in matches.unmatched {
        imported.problems.push(problem(&read.reports[report], &why));
    }
    for (report, candidates) in matches.ambiguous {
        let ids: Vec<&str> = candidates
            .iter()
            .map(|task| tasks[*task].id.as_str())
            .collect();
        let why = format!("several tasks fit: {}", ids.join(", "));
        imported.problems.push(problem(&read.reports[report], &why));
    }
    imported.problems.sort_by(|a, b| a.place.cmp(&b.place));
    let code = if imported.problems.is_empty() {
        exit::DONE
    } else {
        exit::SOME_FAILED
    };
    printer.show(&imported, text)?;
    store.end_run(&jiff::Timestamp::now().to_string(), code)?;
    Ok(code)
}

fn target(task: &Task) -> Target<'_> {
    Target {
        id: task.id.as_str(),
        file_id: task.file_id(),
        text: &task.text,
    }
}

fn problem(incoming: &Incoming, what: &str) -> Problem {
    Problem {
        place: incoming.source.clone(),
        problem: what.to_owned(),
    }
}

/// The report, or why it cannot be taken in.
fn handed_in(of: &Incoming, task: &Task, agent: Option<&str>) -> Result<AgentReport, String> {
    let agent = of.agent.as_deref().or(agent);
    let agent = agent.ok_or("it names no agent; --agent NAME does")?;
    let report = AgentReport::new(&task.id, agent, of.attempt, of.state, &of.text, of.spent);
    // A name from a file may hold control characters.
    check_agent_name(&report.agent)?;
    Ok(report)
}

/// What `reports remove` wrote of the agent's way; what another layout calls so is none.
fn trajectory(of: &Incoming) -> Option<Trajectory> {
    let told: Trajectory = serde_json::from_value(of.more.get("trajectory")?.clone()).ok()?;
    Some(told.within_limits())
}

fn text(imported: &Imported) -> String {
    let mut out = listed(&imported.problems);
    out.push_str(&format!(
        "{} reports imported, {} known already, {} repeated, {} not used; layout: {}",
        imported.taken,
        imported.known,
        imported.repeated,
        imported.problems.len(),
        imported.layout
    ));
    if !imported.agents.is_empty() {
        out.push_str(&format!(
            "\nof {}\nnext: `taskgen evaluate`",
            counted(&imported.agents, "")
        ));
    }
    out
}

/// The current tasks with their translations: an agent may have answered either.
fn tasks_in_all_languages(store: &Store) -> Result<Vec<Task>> {
    let mut tasks = store.tasks()?;
    tasks.extend(store.translations()?);
    Ok(tasks)
}

/// A report in the list.
#[derive(Serialize)]
struct Listed<'a> {
    report: &'a str,
    task: &'a str,
    agent: &'a str,
    attempt: u32,
    state: &'static str,
    characters: usize,
    spent: AttemptCost,
    /// How much its agent did on the way, where that is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    trajectory: Option<TrajectoryCounts>,
    /// Its scores by the last evaluation, if its task is current.
    scores: Option<&'a ReportScores>,
}

fn list(global: &Global, printer: &Printer) -> Result<u8> {
    let store: Store = Project::find(global)?.read_or_hint()?;
    let reports = store.reports()?;
    let counts = store.trajectory_counts()?;
    let scored = evaluate::scored(&store, &tasks_in_all_languages(&store)?, &reports)?;
    let by_report: BTreeMap<&str, &ReportScores> = scored
        .iter()
        .map(|scored| (scored.report.as_str(), scored))
        .collect();
    let listed: Vec<Listed<'_>> = reports
        .iter()
        .map(|report| Listed {
            report: report.id.as_str(),
            task: report.task.as_str(),
            agent: &report.agent,
            attempt: report.attempt,
            state: report.state.word(),
            characters: report.text.chars().count(),
            spent: report.spent,
            trajectory: counts.get(&report.id).copied(),
            scores: by_report.get(report.id.as_str()).copied(),
        })
        .collect();
    printer.show(&listed, |listed| {
        if listed.is_empty() {
            return "no reports yet\nnext: `taskgen answer --agent NAME`, or `taskgen reports import PATH --agent NAME`"
                .to_owned();
        }
        let shown = shown_measures(listed);
        let mut header = vec!["report", "task", "agent", "attempt", "state"];
        let has_way = listed.iter().any(|of| of.trajectory.is_some());
        header.extend(WAY.iter().filter(|_| has_way));
        header.extend(shown.iter().map(|measure| measure.label));
        let mut rows = table(&header);
        for of in listed {
            let mut cells = vec![
                of.report.to_owned(),
                of.task.to_owned(),
                of.agent.to_owned(),
                of.attempt.to_string(),
                of.state.to_owned(),
            ];
            if has_way {
                cells.extend(way(of.trajectory));
            }
            cells.extend(shown.iter().map(|measure| score(measure, of.scores)));
            rows.add_row(cells);
        }
        rows.to_string()
    })?;
    Ok(exit::DONE)
}

/// The columns of what agents did on the way, where that is told of any report.
const WAY: [&str; 2] = ["searches", "pages"];

fn way(counts: Option<TrajectoryCounts>) -> [String; 2] {
    match counts {
        Some(counts) => [counts.searches.to_string(), counts.visits.to_string()],
        None => ["–".to_owned(), "–".to_owned()],
    }
}

/// The columns of a list of reports: words, references, and the measures that agents are compared
/// on, if any report has them.
fn shown_measures(listed: &[Listed<'_>]) -> Vec<&'static MeasureDef> {
    let facts = ["words", "references"].into_iter().filter_map(measure);
    let compared = measures().filter(|measure| measure.role.compares());
    let has = |measure: &MeasureDef| {
        let mut scores = listed.iter().filter_map(|of| of.scores);
        scores.any(|scores| scores.value(measure.key).is_some())
    };
    facts
        .chain(compared.filter(|measure| has(measure)))
        .collect()
}

/// A score with its denominator, where it is a share.
fn score(measure: &MeasureDef, scores: Option<&ReportScores>) -> String {
    let found = scores.and_then(|scores| scores.score(measure.key));
    let Some(Ok(fraction)) = found.map(|score| &score.outcome) else {
        return "–".to_owned();
    };
    let value = measure.print(Some(fraction.value()));
    match measure.unit {
        Unit::Share => format!("{value} % of {}", fraction.denominator),
        Unit::Count(_) => format!("{}", fraction.value()),
        _ => value,
    }
}

//! `taskgen export live-research-bench`: reports and their grades in that layout.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;

use crate::{
    benchmarks::live_research_bench::{
        Criterion,
        averages::average,
        files::{Incremental, ReportsFile},
    },
    cli::{
        args::Global,
        commands::{
            folder::{WrittenFolder, told_of_others},
            reports::answer,
            sets,
        },
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, on_one_line},
        },
    },
    evaluate::{
        file_names::{as_name, distinct},
        live_research_bench_files::{self, JudgeFiles, Placed},
    },
    store::Store,
};

/// Folder of the reports in the export.
const REPORTS: &str = "reports";
/// Stands where no judgement has a time.
const UNTIMED: &str = "ungraded";

/// What was written.
#[derive(Serialize)]
struct Exported {
    folder: PathBuf,
    reports: usize,
    agents: usize,
    /// Reports that the layout has no place for: further attempts.
    further_attempts: usize,
    /// The folder of each judge's grades.
    judges: Vec<PathBuf>,
    /// The averages; of two judges alone.
    averages: Option<PathBuf>,
    /// Other files that lie in the folder.
    others: usize,
}

/// Runs the command.
pub fn run(global: &Global, folder: &Path, set: Option<&str>, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let tasks = sets::tasks(&store, set)?;
    let heads = answer::report_heads(&store)?;
    let placed = live_research_bench_files::placed(&tasks, &heads);
    if placed.is_empty() {
        let hint = "`taskgen answer` or `taskgen reports import` brings reports";
        return Err(Usage(format!("there is no report to export\nhint: {hint}")).into());
    }
    let ok = heads.iter().filter(|head| {
        head.state == crate::data::State::Ok && tasks.iter().any(|task| task.id == head.task)
    });
    let further_attempts = ok.count() - placed.len();
    let written = WrittenFolder::new(folder);
    write_reports(&store, &written, &placed)?;
    let stamp = store
        .last_judged()?
        .map_or_else(|| UNTIMED.to_owned(), |time| as_stamp(&time));
    let mut judges = live_research_bench_files::judges(&store, &placed, REPORTS)?;
    let mut folders = Vec::new();
    let names = distinct(judges.iter().map(folder_name).enumerate());
    for (at, judge) in judges.iter_mut().enumerate() {
        folders.push(write_judge((&written, folder), &names[&at], &stamp, judge)?);
    }
    let averages = write_averages(&written, &stamp, &judges)?;
    let agents = placed.iter().map(|of| &of.head.agent);
    let exported = Exported {
        folder: folder.to_owned(),
        reports: placed.len(),
        agents: agents.collect::<std::collections::BTreeSet<_>>().len(),
        further_attempts,
        judges: folders,
        averages,
        others: written.others()?,
    };
    printer.show(&exported, text)?;
    Ok(exit::DONE)
}

fn text(of: &Exported) -> String {
    let mut out = format!(
        "{} reports of {} agents written to `{}`\n",
        of.reports,
        of.agents,
        of.folder.display()
    );
    if of.further_attempts > 0 {
        out.push_str(&format!(
            "{} further attempts are left out: the layout has one report for an agent and a task\n",
            of.further_attempts
        ));
    }
    for judge in &of.judges {
        out.push_str(&format!(
            "grades: `{}`\n",
            on_one_line(&judge.display().to_string())
        ));
    }
    if of.judges.is_empty() {
        out.push_str(
            "no grades: `taskgen evaluate --metric presentation,coverage,consistency,association`\n",
        );
    }
    if of.judges.len() > 2 {
        out.push_str("no averages: the layout has them for two judges, and these are more\n");
    }
    out.push_str(&told_of_others(of.others));
    out.push_str(&format!(
        "next: taskgen audit results {}",
        of.folder.display()
    ));
    out
}

fn write_reports(store: &Store, folder: &WrittenFolder, placed: &[Placed<'_>]) -> Result<()> {
    for of in placed {
        let text = store.report_text(&of.head.id)?;
        folder.write(&folder.join(REPORTS).join(&of.path), &text)?;
    }
    Ok(())
}

/// What the folder of a judge's files is called.
fn folder_name(of: &JudgeFiles) -> String {
    let judge = &of.judge;
    let model = judge.model.replace('/', "__");
    as_name(&format!("reports_graded_{}_{model}", judge.provider))
}

/// Writes a judge's files, and returns their folder.
fn write_judge(
    (written, folder): (&WrittenFolder, &Path),
    name: &str,
    stamp: &str,
    of: &mut JudgeFiles,
) -> Result<PathBuf> {
    let place = folder.join("results").join(name);
    for criterion in Criterion::ALL {
        let lines = Incremental::of_reports(criterion, &of.reports);
        if !lines.lines.is_empty() {
            let file = format!("{}_results.jsonl", criterion.word());
            written.write(&place.join("incremental").join(file), &lines.write())?;
        }
    }
    let detailed: &ReportsFile = &of.reports;
    written.write(
        &place.join(format!("detailed_results_{stamp}.json")),
        &detailed.write(),
    )?;
    let summary = place.join(format!("summary_{stamp}.json"));
    written.write(&summary, &of.summary.write())?;
    of.means.name.file = place
        .strip_prefix(folder)
        .map(|place| place.join(format!("summary_{stamp}.json")))
        .unwrap_or(summary)
        .to_string_lossy()
        .into_owned();
    Ok(place)
}

fn write_averages(
    folder: &WrittenFolder,
    stamp: &str,
    judges: &[JudgeFiles],
) -> Result<Option<PathBuf>> {
    let means: Vec<_> = judges.iter().map(|of| of.means.clone()).collect();
    let Some(file) = average(&means).to_file() else {
        return Ok(None);
    };
    let path = folder
        .join("results")
        .join(format!("averaged_results_{stamp}.json"));
    folder.write(&path, &file.write())?;
    Ok(Some(path))
}

/// `2026-11-25T22:12:00Z` as a part of a file's name.
fn as_stamp(time: &str) -> String {
    let seconds = time.split('.').next().unwrap_or(time);
    seconds.trim_end_matches('Z').replace(':', "-")
}

//! `taskgen status`: the content of the project and the next steps.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::{
        args::Global,
        project::Project,
        ui::{
            exit,
            output::{Printer, count, counted, table},
        },
    },
    data::{Origin, Phase, SubjectKind},
    store::{CallTotals, Forgotten, STAGES, Store},
    transcribe,
};

#[derive(Serialize)]
struct Status {
    recordings: usize,
    /// Recordings with a transcript in the project's folder.
    transcribed: usize,
    seminars: Vec<SeminarStatus>,
    /// Imported tasks by benchmark.
    benchmarks: BTreeMap<String, usize>,
    calls: Vec<CallTotals>,
    /// Replies that their providers are still making.
    pending_replies: u64,
    comparisons: Option<Comparisons>,
    reports: usize,
    /// Recordings whose forgetting was interrupted.
    unfinished: Vec<Forgotten>,
    /// What to do next.
    next: &'static str,
}

#[derive(Serialize)]
struct SeminarStatus {
    path: String,
    id: String,
    language: String,
    inspirations: usize,
    tasks: BTreeMap<&'static str, usize>,
    refused: BTreeMap<String, usize>,
}

#[derive(Serialize)]
struct Comparisons {
    n_total: u64,
    n_scored: u64,
    n_failed: BTreeMap<String, u64>,
}

/// `taskgen status`
pub fn status(global: &Global, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let found = transcribe::discover(&project.seminars(), &[]).unwrap_or_default();
    let recordings = found.recordings.len();
    let transcripts = found.recordings.iter().filter(|recording| {
        transcribe::transcript_path(&project.transcripts(), recording).exists()
    });
    let transcribed = transcripts.count();
    let status = match project.read()? {
        Some(store) => read(&store, recordings, transcribed)?,
        None => Status {
            recordings,
            transcribed,
            seminars: Vec::new(),
            benchmarks: BTreeMap::new(),
            calls: Vec::new(),
            pending_replies: 0,
            comparisons: None,
            reports: 0,
            unfinished: Vec::new(),
            next: next(recordings, &[], 0, false, 0),
        },
    };
    printer.show(&status, text)?;
    Ok(exit::DONE)
}

fn read(store: &Store, recordings: usize, transcribed: usize) -> Result<Status> {
    let tasks = store.tasks()?;
    let mut seminars = Vec::new();
    for seminar in store.seminars()? {
        let mut refused: BTreeMap<String, usize> = BTreeMap::new();
        for stage in STAGES {
            for rejection in store.rejections(stage, &seminar.id)? {
                *refused
                    .entry(format!("{stage}: {}", rejection.rule))
                    .or_default() += 1;
            }
        }
        seminars.push(SeminarStatus {
            inspirations: store
                .inspirations_of(&seminar)?
                .iter()
                .filter(|found| found.stands())
                .count(),
            tasks: Phase::ALL
                .iter()
                .map(|phase| {
                    let of_phase = tasks.iter().filter(|task| {
                        task.seminar() == Some(&seminar.id) && task.facets.phase == Some(*phase)
                    });
                    (phase.label(), of_phase.count())
                })
                .collect(),
            refused,
            id: seminar.id.to_string(),
            path: seminar.path,
            language: seminar.language,
        });
    }
    let comparisons = match store.last_ranking(SubjectKind::Task)? {
        Some(ranking) => {
            let standing = crate::rank::verdict_counts(store, &ranking)?;
            Some(Comparisons {
                n_total: standing.n_total,
                n_scored: standing.n_scored,
                n_failed: standing.n_failed,
            })
        }
        None => None,
    };
    let mut benchmarks = BTreeMap::new();
    for task in &tasks {
        if let Origin::Imported(from) = &task.origin {
            *benchmarks.entry(from.benchmark.clone()).or_default() += 1;
        }
    }
    let reports = store.report_heads()?.len();
    let next = next(
        recordings,
        &seminars,
        tasks.len(),
        comparisons.is_some(),
        reports,
    );
    Ok(Status {
        recordings,
        transcribed,
        seminars,
        benchmarks,
        calls: store.call_totals()?,
        pending_replies: store.background_replies()?,
        comparisons,
        reports,
        unfinished: unfinished(store)?,
        next,
    })
}

fn unfinished(store: &Store) -> Result<Vec<Forgotten>> {
    let mut forgotten = store.forgotten()?;
    forgotten.retain(|of| !of.finished);
    Ok(forgotten)
}

/// The next step on the way from recordings, or from imported tasks, to a leaderboard.
fn next(
    recordings: usize,
    seminars: &[SeminarStatus],
    tasks: usize,
    is_ranked: bool,
    reports: usize,
) -> &'static str {
    if recordings + tasks == 0 {
        return "put recordings into `seminars/` and `taskgen run`, or `taskgen tasks import FILE`";
    }
    if recordings > seminars.len() || (!is_ranked && !seminars.is_empty()) {
        return "`taskgen run`";
    }
    if reports == 0 {
        return "`taskgen tasks list`, and `taskgen answer --agent NAME` to have the tasks answered";
    }
    "`taskgen evaluate`, then `taskgen leaderboard`"
}

fn text(status: &Status) -> String {
    let mut out = format!(
        "{}, {} transcribed\n",
        count(status.recordings as u64, "recording"),
        status.transcribed
    );
    if !status.seminars.is_empty() {
        let mut rows = table(&[
            "seminar",
            "language",
            "inspirations",
            "tasks by phase",
            "refused by rule",
        ]);
        for seminar in &status.seminars {
            let refused: Vec<String> = seminar
                .refused
                .iter()
                .map(|(rule, n)| format!("{rule} {n}"))
                .collect();
            rows.add_row(vec![
                format!("{}\n{}", seminar.path, seminar.id),
                seminar.language.clone(),
                seminar.inspirations.to_string(),
                counted(&seminar.tasks, "–"),
                if refused.is_empty() {
                    "–".to_owned()
                } else {
                    refused.join("\n")
                },
            ]);
        }
        out.push_str(&format!("{rows}\n"));
    }
    for (name, n) in &status.benchmarks {
        out.push_str(&format!(
            "{} imported from `{name}`\n",
            count(*n as u64, "task")
        ));
    }
    if !status.calls.is_empty() {
        out.push_str(&format!("{}\n", super::calls::totals(&status.calls)));
    }
    if let Some(line) = super::calls::pending_replies(status.pending_replies) {
        out.push_str(&format!("{line}\n"));
    }
    match &status.comparisons {
        Some(c) => out.push_str(&format!(
            "{} of {} comparisons have a verdict",
            c.n_scored, c.n_total
        )),
        None => out.push_str("nothing is ranked yet"),
    }
    if status.reports > 0 {
        out.push_str(&format!(
            "\n{} of agents",
            count(status.reports as u64, "report")
        ));
    }
    for of in &status.unfinished {
        out.push_str(&format!("\n{}", super::seminars::list::unfinished(of)));
    }
    out.push_str(&format!("\nnext: {}", status.next));
    out
}

//! `taskgen reports show`: one report with what it took and what its agent did on the way.

use std::fmt::Write as _;

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::{
        args::Global,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, count, on_one_line},
        },
    },
    data::{AgentReport, AttemptCost, Step, StepKind, Trajectory},
};

/// Results of a search that are shown in text.
const SHOWN: usize = 5;

/// A report.
#[derive(Serialize)]
struct Shown<'a> {
    report: &'a str,
    task: &'a str,
    agent: &'a str,
    attempt: u32,
    state: &'static str,
    spent: AttemptCost,
    /// What the agent did on its way, where that is told.
    trajectory: Option<&'a Trajectory>,
    text: &'a str,
}

/// Runs the command.
pub fn run(global: &Global, id: &str, printer: &Printer) -> Result<u8> {
    let store = Project::find(global)?.read_or_hint()?;
    let reports = store.all_reports()?;
    let report = named(&reports, id)?;
    let trajectory = store.trajectory(&report.id)?;
    let shown = Shown {
        report: report.id.as_str(),
        task: report.task.as_str(),
        agent: &report.agent,
        attempt: report.attempt,
        state: report.state.word(),
        spent: report.spent,
        trajectory: trajectory.as_ref(),
        text: &report.text,
    };
    printer.show(&shown, text)?;
    Ok(exit::DONE)
}

/// The report whose id begins so.
fn named<'a>(reports: &'a [AgentReport], id: &str) -> Result<&'a AgentReport> {
    let mut begun = reports
        .iter()
        .filter(|report| report.id.as_str().starts_with(id));
    let hint = "hint: `taskgen reports list` shows the ids";
    match (begun.next(), begun.next()) {
        (Some(report), None) => Ok(report),
        (None, _) => Err(Usage(format!("no such report: `{id}`\n{hint}")).into()),
        _ => Err(Usage(format!("several reports begin with `{id}`\n{hint}")).into()),
    }
}

fn text(shown: &Shown<'_>) -> String {
    let mut out = format!(
        "{} by {}, attempt {}, on {}: {}\n",
        shown.report,
        on_one_line(shown.agent),
        shown.attempt,
        shown.task,
        shown.state
    );
    if let Some(spent) = spent(&shown.spent) {
        let _ = writeln!(out, "{spent}");
    }
    match shown.trajectory {
        Some(trajectory) => out.push_str(&way(trajectory)),
        None => out.push_str("what its agent did on the way is not told\n"),
    }
    if !shown.text.is_empty() {
        let _ = write!(out, "\n{}", shown.text);
    }
    out
}

/// What is known of the cost, on one line.
fn spent(spent: &AttemptCost) -> Option<String> {
    let tokens = |n: Option<u64>, of: &str| n.map(|n| format!("{n} {of} tokens"));
    let parts = [
        tokens(spent.input_tokens, "prompt"),
        tokens(spent.output_tokens, "reply"),
        tokens(spent.tokens, "prompt and reply"),
        spent.cost_usd.map(|usd| format!("${usd:.4}")),
        spent.seconds.map(|seconds| format!("{seconds:.1} s")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn way(trajectory: &Trajectory) -> String {
    let counts = trajectory.counts();
    let searches = match counts.searches {
        1 => "1 search".to_owned(),
        n => format!("{n} searches"),
    };
    let mut out = format!(
        "{searches}, {} opened, told by its {}\n",
        count(counts.visits, "page"),
        trajectory.told_by.word()
    );
    for step in &trajectory.steps {
        out.push_str(&line(step));
    }
    if counts.left_out > 0 {
        let _ = writeln!(
            out,
            "  and {} that are not kept",
            count(counts.left_out, "step")
        );
    }
    if counts.unreadable > 0 {
        let lines = count(counts.unreadable, "line");
        let _ = writeln!(out, "  and {lines} that cannot be read");
    }
    out
}

fn line(step: &Step) -> String {
    let mut words: Vec<String> = step
        .queries
        .iter()
        .map(|query| format!("“{query}”"))
        .collect();
    words.extend(step.text.clone());
    words.extend(step.title.clone());
    words.extend(step.url.as_ref().map(|url| format!("<{url}>")));
    let tokens = [
        (step.input_tokens, "prompt tokens"),
        (step.output_tokens, "reply tokens"),
        (step.reasoning_tokens, "of thoughts"),
    ];
    let tokens = tokens.into_iter();
    words.extend(tokens.filter_map(|(n, of)| n.map(|n| format!("{n} {of}"))));
    words.extend(step.seconds.map(|seconds| format!("{seconds:.1} s")));
    if step.failed {
        words.push("(failed)".to_owned());
    }
    let words = on_one_line(&words.join(", "));
    let mut out = format!("  {}: {words}\n", step.kind.word());
    if step.kind == StepKind::Search {
        for page in step.found.iter().take(SHOWN) {
            let page = on_one_line(&format!("{} <{}>", page.title, page.url));
            let _ = writeln!(out, "    {}", page.trim_start());
        }
        if step.found.len() > SHOWN {
            let more = step.found.len() - SHOWN;
            let _ = writeln!(out, "    and {more} more: --json has all");
        }
    }
    out
}

//! `taskgen reports remove`: takes reports out of the project, into a file that `reports import`
//! reads.

use std::{collections::BTreeSet, fmt::Write as _, path::PathBuf};

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    answer::layouts,
    cli::{
        args::{Global, RemoveReports},
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, count},
        },
    },
    data::AgentReport,
    files,
    store::Store,
};

/// The removed reports.
#[derive(Serialize)]
struct Removed {
    removed: Vec<Value>,
    /// Where they are now.
    file: PathBuf,
    /// Reports of the same attempts that were handed in earlier and count again.
    back_in_force: usize,
}

/// Runs the command.
pub fn run(global: &Global, args: &RemoveReports, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.write_alone(global)?;
    let all = store.all_reports()?;
    let mut chosen = chosen(args, &all)?;
    let current: BTreeSet<_> = store
        .report_heads()?
        .into_iter()
        .map(|head| head.id)
        .collect();
    // Those that count come last in the file, so that they count again where it is imported.
    chosen.sort_by_key(|report| current.contains(&report.id));
    let of_current = chosen
        .iter()
        .filter(|report| current.contains(&report.id))
        .count();
    let file = project.tasks().join("reports-removed.jsonl");
    // The file comes first: what is killed between the two has lost nothing.
    append(&file, &chosen, &store)?;
    let ids: Vec<_> = chosen.iter().map(|report| &report.id).collect();
    store.remove_reports(&ids)?;
    let removed = Removed {
        removed: chosen.iter().map(|report| summary(report)).collect(),
        file,
        back_in_force: (store.report_heads()?.len() + of_current).saturating_sub(current.len()),
    };
    printer.show(&removed, text)?;
    store.end_run(&jiff::Timestamp::now().to_string(), exit::DONE)?;
    Ok(exit::DONE)
}

/// The reports that the ids and the agent name; each id must begin exactly one.
fn chosen<'a>(args: &RemoveReports, all: &'a [AgentReport]) -> Result<Vec<&'a AgentReport>> {
    let hint = "hint: `taskgen reports list` shows the ids";
    let of_agent = |report: &&AgentReport| {
        args.agent
            .as_deref()
            .is_none_or(|name| name == report.agent)
    };
    let mine: Vec<&AgentReport> = all.iter().filter(of_agent).collect();
    if let Some(name) = args.agent.as_deref().filter(|_| mine.is_empty()) {
        return Err(Usage(format!("no report of the agent `{name}`\n{hint}")).into());
    }
    if args.ids.is_empty() {
        return Ok(mine);
    }
    let mut chosen: Vec<&AgentReport> = Vec::new();
    for id in &args.ids {
        let begun: Vec<&AgentReport> = mine
            .iter()
            .copied()
            .filter(|report| report.id.as_str().starts_with(id.as_str()))
            .collect();
        match begun.as_slice() {
            [report] => chosen.push(report),
            [] => return Err(Usage(format!("no such report: `{id}`\n{hint}")).into()),
            _ => return Err(Usage(format!("several reports begin with `{id}`\n{hint}")).into()),
        }
    }
    chosen.sort_by(|a, b| a.id.cmp(&b.id));
    // Two beginnings may name the same report.
    chosen.dedup_by(|a, b| a.id == b.id);
    Ok(chosen)
}

/// Adds the reports to the file, in the layout that is our own.
fn append(file: &std::path::Path, reports: &[&AgentReport], store: &Store) -> Result<()> {
    // What a link leads to is not ours to copy.
    files::refuse_link(file)?;
    let mut text = match fs_err::read_to_string(file) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(e.into()),
    };
    for report in reports {
        let mut record = record(report);
        if let Some(trajectory) = store.trajectory(&report.id)? {
            record["trajectory"] = json!(trajectory);
        }
        writeln!(text, "{record}")?;
    }
    files::write_whole(file, text.as_bytes()).context("cannot keep what is removed")
}

fn record(report: &AgentReport) -> Value {
    let spent = &report.spent;
    let tokens = match (spent.input_tokens, spent.output_tokens) {
        (None, None) => json!(spent.tokens),
        (input, output) => json!({ "input": input, "output": output }),
    };
    json!({
        "task": report.task, "agent": report.agent, "attempt": report.attempt, "state": report.state,
        "text": report.text, "tokens": tokens, "cost_usd": spent.cost_usd, "seconds": spent.seconds,
        // Of several such lines for an attempt the later one counts; import takes them all.
        layouts::REMOVED: true,
    })
}

fn summary(report: &AgentReport) -> Value {
    json!({ "report": report.id, "task": report.task, "agent": report.agent, "attempt": report.attempt })
}

fn text(removed: &Removed) -> String {
    let mut out = format!(
        "{} removed, and written to `{}`\ntheir judgements stay on record: imported again, they are not paid for twice",
        count(removed.removed.len() as u64, "report"),
        removed.file.display()
    );
    if removed.back_in_force > 0 {
        out.push_str(&format!(
            "\n{} of the same attempts, replaced before, {} again",
            count(removed.back_in_force as u64, "report"),
            if removed.back_in_force == 1 {
                "counts"
            } else {
                "count"
            }
        ));
    }
    out
}

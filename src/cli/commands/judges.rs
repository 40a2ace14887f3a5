//! `taskgen audit judges`: how far the judges of a panel agree, and what they dispute most.

use anyhow::Result;

use super::{reports::answer, sets};
use crate::{
    audit::{
        agreement::Coefficient,
        judges::{self, Disputed, Judges, PanelAgreement},
    },
    cli::{
        args::Global,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, on_one_line, table},
        },
    },
    data::{ReportHead, TaskId},
    evaluate,
};

/// Disputed questions that are listed; `--json` has all.
const SHOWN: usize = 20;
/// Columns of a judge's reason.
const REASON: usize = 160;

/// Runs the command.
pub fn run(global: &Global, set: Option<&str>, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let tasks = sets::tasks(&store, set)?;
    let mut reports: Vec<ReportHead> = answer::report_heads(&store)?;
    reports.retain(|report| tasks.iter().any(|task| task.id == report.task));
    let evaluation = store.last_evaluation()?.unwrap_or_default();
    let seed = project.loaded.config.seed;
    let item_text = |instrument: &str, id: &TaskId, about: &str| {
        let task = tasks.iter().find(|task| task.id == *id);
        task.map_or(Ok(None), |task| {
            evaluate::item_text(&store, task, instrument, about)
        })
    };
    let found = judges::compare(&store, &evaluation, &reports, &item_text, seed)?;
    if found.agreement.is_empty() {
        return Err(Usage(
            "no panel has judged: each question was put to one judge\n\
             hint: `--model-role rate=a/x,b/y` with `taskgen evaluate` asks two models"
                .to_owned(),
        )
        .into());
    }
    printer.show(&found, text)?;
    Ok(exit::DONE)
}

fn text(found: &Judges) -> String {
    let mut rows = table(&[
        "instrument",
        "questions",
        "same verdict",
        "Krippendorff α",
        "fewer than two judges",
    ]);
    for of in &found.agreement {
        rows.add_row(agreement(of));
    }
    let mut out = format!("{rows}\n");
    if found.disputed.is_empty() {
        out.push_str("no question is disputed\n");
    } else {
        out.push_str(&format!(
            "{} questions are disputed, the widest apart first:\n",
            found.disputed.len()
        ));
    }
    for of in found.disputed.iter().take(SHOWN) {
        out.push_str(&disputed(of));
    }
    if found.disputed.len() > SHOWN {
        let more = found.disputed.len() - SHOWN;
        out.push_str(&format!("and {more} more: --json has all\n"));
    }
    out.push_str(
        "α is nominal for words and interval for numbers; intervals: 95 %, by resampling tasks",
    );
    out
}

fn agreement(of: &PanelAgreement) -> Vec<String> {
    let mut cells = vec![of.instrument.clone(), of.n.to_string()];
    cells.extend(of.coefficients.iter().map(coefficient));
    cells.push(of.without.to_string());
    cells
}

fn coefficient(of: &Coefficient) -> String {
    let Some(value) = of.value else {
        return "–".to_owned();
    };
    match (of.ci_low, of.ci_high) {
        (Some(low), Some(high)) => format!("{value:.2} [{low:.2}, {high:.2}]"),
        _ => format!("{value:.2}"),
    }
}

fn disputed(of: &Disputed) -> String {
    let about = if let Some(item) = &of.item {
        format!(": {item}")
    } else if of.about.is_empty() {
        String::new()
    } else {
        format!(", {}", of.about)
    };
    let head = format!(
        "{} of {} by {} on {}{about}",
        of.instrument, of.report, of.agent, of.task
    );
    let mut out = format!("{}\n", on_one_line(&head));
    for verdict in &of.verdicts {
        let reason: String = verdict.reason.chars().take(REASON).collect();
        let line = format!("{}: {}. {reason}", verdict.judge, verdict.verdict);
        out.push_str(&format!("  {}\n", on_one_line(line.trim_end())));
    }
    out
}

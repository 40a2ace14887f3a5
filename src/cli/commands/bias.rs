//! `taskgen audit bias`: whether judges prefer their own family, long reports, or many references.

use anyhow::Result;
use serde::Serialize;

use super::{effects, reports::answer, sets};
use crate::{
    audit::bias::{self, AgentScores, Bias, Finding, ScoredReport},
    cli::{
        args::Global,
        project::Project,
        ui::{
            exit,
            output::{Printer, on_one_line, table},
        },
    },
    evaluate::{self, scorecard::ReportScores},
};

/// What is shown.
#[derive(Serialize)]
struct Shown {
    measure: &'static str,
    label: &'static str,
    #[serde(flatten)]
    bias: Bias,
}

/// Runs the command.
pub fn run(global: &Global, key: &str, set: Option<&str>, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let tasks = sets::tasks(&store, set)?;
    let reports = answer::report_heads(&store)?;
    answer::check_on_tasks(&reports, &tasks, printer)?;
    let scored = evaluate::scored(&store, &tasks, &reports)?;
    let measure = effects::known(key, &scored)?;
    let config = &project.loaded.config;
    let with_score: Vec<ScoredReport> = scored
        .iter()
        .filter_map(|report| of_report(report, key))
        .collect();
    let shown = Shown {
        measure: measure.key,
        label: measure.label,
        bias: bias::bias(&with_score, &config.families, config.seed),
    };
    printer.show(&shown, text)?;
    Ok(exit::DONE)
}

fn of_report(report: &ReportScores, key: &str) -> Option<ScoredReport> {
    Some(ScoredReport {
        task: report.task.clone(),
        agent: report.agent.clone(),
        score: report.value(key)?,
        by_judge: report.by_judge.get(key).cloned().unwrap_or_default(),
        words: report.value("words"),
        references: report.value("references"),
    })
}

fn text(of: &Shown) -> String {
    let found = &of.bias;
    let mut out = format!("{} of {} reports\n", of.label, found.reports);
    let mut rows = table(&["what goes with the score", "points", "p", "corrected p", ""]);
    let effects = [
        ("judge and agent of one family", found.self_preference),
        ("twice the words", found.words),
        ("twice the references", found.references),
    ];
    for (name, effect) in effects {
        rows.add_row(row(name, effect));
    }
    out.push_str(&format!("\n{rows}\n"));
    if let Some(why) = &found.no_self_preference {
        out.push_str(&format!(
            "whether judges prefer their own cannot be told: {why}\n"
        ));
    }
    if found.without_facts > 0 {
        out.push_str(&format!(
            "{} reports of unknown length or references are left out of both\n",
            found.without_facts
        ));
    }
    let families = found.judges.iter().map(|(judge, family)| {
        let family = family.as_deref().unwrap_or("of unknown family");
        format!("{judge} ({family})")
    });
    let families: Vec<String> = families.collect();
    if !families.is_empty() {
        out.push_str(&format!("judges: {}\n", on_one_line(&families.join(", "))));
    }
    let mut rows = table(&[
        "agent",
        "family",
        "reports",
        "raw",
        "adjusted",
        "words",
        "references",
    ]);
    for agent in &found.agents {
        rows.add_row(agent_row(agent));
    }
    out.push_str(&format!("\n{rows}\n"));
    out.push_str(
        "adjusted: as if each report had the mean length and number of references; it stands beside \
         the raw score, and no leaderboard uses it\nintervals: 95 %, by resampling tasks; a finding \
         has a corrected p below .01",
    );
    out
}

fn row(name: &str, effect: Option<Finding>) -> Vec<String> {
    let Some(effect) = effect else {
        let mut cells = vec![name.to_owned()];
        cells.extend(["–"; 3].map(str::to_owned));
        cells.push("cannot be told".to_owned());
        return cells;
    };
    let verdict = if effect.found {
        "⚠ found"
    } else {
        "not found"
    };
    vec![
        name.to_owned(),
        effects::with_interval(Some(effect.estimate), 2),
        effects::p_value(Some(effect.p)),
        effects::p_value(Some(effect.adjusted)),
        verdict.to_owned(),
    ]
}

fn agent_row(of: &AgentScores) -> Vec<String> {
    let number = |value: Option<f64>, decimals: usize| {
        value.map_or_else(|| "–".to_owned(), |value| format!("{value:.decimals$}"))
    };
    vec![
        on_one_line(&of.agent),
        of.family
            .as_deref()
            .map_or_else(|| "–".to_owned(), on_one_line),
        of.reports.to_string(),
        number(Some(of.raw), 3),
        number(of.adjusted, 3),
        number(of.words, 0),
        number(of.references, 1),
    ]
}

//! `taskgen audit drift`: whether a judge changes in the course of its judging.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use super::effects::p_value;
use crate::{
    audit::drift::{self, Beside, Level, Series},
    cli::{
        args::Global,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, on_one_line, table},
        },
    },
    data::{HIDDEN_PAIR, HIDDEN_RATING, HIDDEN_RELATION, Judge, SubjectKind},
    store::{OrderedVerdict, Store, pair_instrument},
};

/// What is shown.
#[derive(Serialize)]
struct Shown {
    series: Vec<Series>,
}

/// Runs the command.
pub fn run(global: &Global, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let (probes, levels) = (probes(&store)?, levels(&store)?);
    let series = drift::drift(&probes, &levels, project.loaded.config.seed);
    if series.is_empty() {
        return Err(Usage(
            "no model has judged anything yet\nhint: `taskgen rank` or `taskgen evaluate`"
                .to_owned(),
        )
        .into());
    }
    printer.show(&Shown { series }, text)?;
    Ok(exit::DONE)
}

/// The answers to hidden probes that are right or wrong, by judge and instrument.
fn probes(store: &Store) -> Result<BTreeMap<(String, String), Vec<bool>>> {
    let mut found: BTreeMap<(String, String), Vec<bool>> = BTreeMap::new();
    for instrument in [HIDDEN_PAIR, HIDDEN_RELATION, HIDDEN_RATING] {
        for answer in store.hidden_answers(instrument)? {
            if let Some(right) = answer.right {
                let key = (name(&answer.judge), instrument.id.to_owned());
                found.entry(key).or_default().push(right);
            }
        }
    }
    Ok(found)
}

/// The verdicts of the newest ranking's judges and of the evaluation in force, by instrument.
fn levels(store: &Store) -> Result<BTreeMap<String, Vec<Level>>> {
    let mut levels = BTreeMap::new();
    let pairs = pair_instrument(SubjectKind::Task).id;
    let ranking = store.last_ranking(SubjectKind::Task)?;
    let panel = ranking.map(|ranking| ranking.panel).unwrap_or_default();
    let of_pairs: Vec<Level> = store
        .ordered_verdicts(pairs)?
        .into_iter()
        .filter(|verdict| panel.contains(&verdict.judge))
        .map(|verdict| {
            let question = question(&verdict);
            level(verdict, question.clone(), String::new(), question)
        })
        .collect();
    if !of_pairs.is_empty() {
        levels.insert(pairs.to_owned(), of_pairs);
    }
    let reports = store.report_heads()?;
    let reports: BTreeMap<&str, (&str, &str)> = reports
        .iter()
        .map(|of| (of.id.as_str(), (of.task.as_str(), of.agent.as_str())))
        .collect();
    for in_force in store.last_evaluation()?.unwrap_or_default().instruments {
        let is_asked = |judge: &Judge| {
            let asked = (judge.model_asked.clone(), judge.prompt_hash.clone());
            in_force.panel.contains(&asked)
        };
        let own: Vec<Level> = store
            .ordered_verdicts(&in_force.instrument)?
            .into_iter()
            .filter(|verdict| is_asked(&verdict.judge))
            .filter_map(|verdict| {
                let (task, agent) = reports.get(verdict.subject.as_str())?;
                let question = question(&verdict);
                Some(level(
                    verdict,
                    (*task).to_owned(),
                    (*agent).to_owned(),
                    question,
                ))
            })
            .collect();
        if !own.is_empty() {
            levels.insert(in_force.instrument, own);
        }
    }
    Ok(levels)
}

fn question(of: &OrderedVerdict) -> String {
    format!("{} {} {}", of.subject, of.other, of.sample)
}

fn level(verdict: OrderedVerdict, task: String, agent: String, question: String) -> Level {
    Level {
        judge: name(&verdict.judge),
        task,
        agent,
        question,
        value: verdict.value,
    }
}

/// The model asked, and the one that answered where that is another name.
fn name(judge: &Judge) -> String {
    let asked = judge.model_asked.split_once('/');
    if asked.is_some_and(|(_, model)| model == judge.model_returned) {
        return judge.model_asked.clone();
    }
    format!("{} as {}", judge.model_asked, judge.model_returned)
}

fn text(of: &Shown) -> String {
    let mut rows = table(&[
        "judge",
        "of",
        "beside",
        "n",
        "likeliest change",
        "p",
        "corrected p",
        "",
    ]);
    for series in &of.series {
        rows.add_row(row(series));
    }
    format!(
        "{rows}\nn: answers to hidden probes, pairs, or tasks, in the order in which they were judged; \
         p: how often the same numbers in a random order jump as far somewhere; a finding has a \
         corrected p below .01"
    )
}

fn row(of: &Series) -> Vec<String> {
    let beside = match of.beside {
        Beside::KnownAnswers => "known answers",
        Beside::OtherJudges => "other judges",
        Beside::OwnMean => "its own mean",
    };
    let (change, verdict) = match of.change {
        None => ("–".to_owned(), "too few, or all the same"),
        Some(change) => (
            format!(
                "after {}: {:.2} → {:.2}",
                change.after, change.before_mean, change.after_mean
            ),
            if of.found {
                "⚠ it changed"
            } else {
                "not found"
            },
        ),
    };
    vec![
        on_one_line(&of.judge),
        of.instrument.clone(),
        beside.to_owned(),
        of.n.to_string(),
        change,
        p_value(of.change.map(|change| change.p)),
        p_value(of.adjusted),
        verdict.to_owned(),
    ]
}

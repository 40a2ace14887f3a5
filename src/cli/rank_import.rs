//! `taskgen rank import`: judgements that people or other programs made, as a ranking of their own.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::{
    args::Global,
    exit::{self, Usage},
    output::Printer,
    project::Project,
};
use crate::{
    data::{CallId, Comparison, TaskId, Verdict},
    rank::import::{self, Line},
    store::{IMPORTED, Judge, Ranking, Store},
    text::words::one_line,
};

/// Who judged which two, in this order.
type Key = (String, TaskId, TaskId);

/// What came of the file.
#[derive(Serialize)]
struct Imported {
    judgements: usize,
    /// Same judge, same pair, same sides, as when several people share a name.
    repeated: usize,
    clamped: usize,
    failed: Vec<(usize, String)>,
    judges: Vec<String>,
}

/// Runs the command; `judge` is who decided where a line does not say so.
pub fn import(global: &Global, file: &Path, judge: &str, printer: &Printer) -> Result<u8> {
    let hint = "hint: JSONL or CSV in UTF-8, with a, b (or model_a, model_b) and winner on each line";
    let text = fs_err::read_to_string(file).map_err(|e| Usage(format!("{e}\n{hint}")))?;
    let (lines, mut failed) = import::read(&text).map_err(|e| Usage(format!("`{}`: {e:#}\n{hint}", file.display())))?;
    let project = Project::find(global)?;
    let store = project.write(global)?;
    let tasks: Vec<TaskId> = store.tasks()?.into_iter().map(|task| task.id).collect();
    let known: BTreeMap<(Key, u32), Verdict> = store
        .recorded(|_, prompt| prompt == IMPORTED)?
        .into_iter()
        .filter_map(|of| {
            let Comparison { a, b, sample, outcome, .. } = of.told;
            Some((((of.judge.model_returned, a, b), sample), outcome.ok()?))
        })
        .collect();
    let mut samples: BTreeMap<Key, u32> = BTreeMap::new();
    let mut imported = Imported { judgements: 0, repeated: 0, clamped: 0, failed: Vec::new(), judges: Vec::new() };
    let mut panel: Vec<Judge> = Vec::new();
    for line in lines {
        let sides = find(&tasks, &line.a).and_then(|a| Ok((a, find(&tasks, &line.b)?)));
        let (a, b) = match sides {
            Ok((a, b)) if a != b => (a, b),
            Ok((a, _)) => {
                failed.push((line.number, format!("both sides are the same: `{a}`")));
                continue;
            }
            Err(problem) => {
                failed.push((line.number, problem));
                continue;
            }
        };
        let who = one_line(line.judge.as_deref().unwrap_or(judge));
        let key = (who.clone(), a.clone(), b.clone());
        let sample = samples.entry(key.clone()).or_default();
        // What is there already is not overwritten by what another file says.
        while known.get(&(key.clone(), *sample)).is_some_and(|verdict| *verdict != line.verdict) {
            *sample += 1;
        }
        imported.judgements += 1;
        imported.repeated += usize::from(*sample > 0);
        imported.clamped += usize::from(line.clamped);
        panel.push(save(&store, a, b, *sample, &who, line)?);
        *sample += 1;
    }
    panel.sort();
    panel.dedup();
    failed.sort();
    imported.judges = panel.iter().map(|judge| judge.model_asked.clone()).collect();
    imported.failed = failed;
    if !panel.is_empty() {
        let parameters = serde_json::json!({ "top": project.loaded.config.rank.top, "imported": imported.judgements });
        let seed = project.loaded.config.seed;
        store.save_ranking(&Ranking { method: "imported".into(), parameters, seed, items: tasks, panel })?;
    }
    let code = if imported.failed.is_empty() { exit::DONE } else { exit::SOME_FAILED };
    printer.show(&imported, |imported| text_of(imported, file))?;
    store.end_run(&jiff::Timestamp::now().to_string(), code)?;
    Ok(code)
}

fn save(store: &Store, a: TaskId, b: TaskId, sample: u32, who: &str, line: Line) -> Result<Judge> {
    let judge = Judge {
        model_asked: format!("imported/{who}"),
        model_returned: who.to_owned(),
        prompt_hash: IMPORTED.to_owned(),
    };
    let comparison = Comparison { a, b, sample, outcome: Ok(line.verdict), call: CallId::from_stored(String::new()) };
    store.save_comparison(&comparison, &judge, line.number as u32).context("cannot keep a judgement")?;
    Ok(judge)
}

/// The one task with this id or start of an id.
fn find(tasks: &[TaskId], id: &str) -> Result<TaskId, String> {
    let mut matching = tasks.iter().filter(|task| task.as_str().starts_with(id));
    match (matching.next(), matching.next()) {
        (Some(task), None) => Ok(task.clone()),
        (None, _) => Err(format!("no such task: `{id}`")),
        (Some(_), Some(_)) => Err(format!("several tasks begin with `{id}`")),
    }
}

fn text_of(imported: &Imported, file: &Path) -> String {
    let mut out = String::new();
    for (number, problem) in &imported.failed {
        out.push_str(&format!("{}:{number}: {problem}\n", file.display()));
    }
    out.push_str(&format!(
        "{} judgements of {} judges ({} repeat a question, {} confidences clamped), {} lines not used",
        imported.judgements,
        imported.judges.len(),
        imported.repeated,
        imported.clamped,
        imported.failed.len()
    ));
    if imported.judgements > 0 {
        out.push_str("\nnext: `taskgen tasks list`, `taskgen rank report`");
    }
    out
}

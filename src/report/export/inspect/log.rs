//! Our own scores for an agent as an eval log of Inspect AI, in its JSON form.
//!
//! A measure without a score is written as Inspect writes it: NaN, with the cause. Such a log is no
//! strict JSON; Python reads it, and Inspect's own files have the same.

use std::{collections::BTreeMap, io};

use anyhow::{Result, bail};
use jiff::Timestamp;
use serde::Serialize as _;
use serde_json::{Map, Serializer, Value, json, ser::Formatter};

use super::{metadata, slug};
use crate::{
    data::{ReportRecord, SetRecord, State, TaskId, TaskRecord, id::sha256_hex},
    report::export::ExportFile,
    text::invisible::escaped_in_json,
};

/// Name of the task in the log.
const TASK: &str = "research";

/// What a log says beside reports and scores.
#[derive(Clone, Copy, Debug)]
pub struct LogOptions<'a> {
    /// The agent whose reports it holds.
    pub agent: &'a str,
    /// When the last of its judgements was made. A log has times, and an export has no clock.
    pub judged: Timestamp,
}

/// A sample of the log: a task, and an attempt at it.
struct Sample<'a> {
    task: &'a TaskRecord,
    report: &'a ReportRecord,
}

/// The log of an agent: a sample for each of its attempts at the set's tasks, whose epoch is the
/// attempt, and a score for each measure.
pub fn eval_log(
    set: &SetRecord,
    reports: &[ReportRecord],
    options: LogOptions<'_>,
) -> Result<ExportFile> {
    let samples = samples(set, reports, options.agent);
    if samples.is_empty() {
        bail!("the set has no reports of the agent `{}`", options.agent);
    }
    let names: Vec<&str> = names(&samples);
    // Inspect's ids are 22 characters; these follow from the reports and their scores alone.
    let hash = content_hash(set, &samples, options);
    let id = |what: &str| sha256_hex(format!("{what} {hash}").as_bytes())[..22].to_owned();
    let at = options.judged.to_string().replace('Z', "+00:00");
    let task_id = id("task");
    let log = json!({
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": id("eval"),
            "run_id": id("run"),
            "task_id": task_id,
            "created": at,
            "task": TASK,
            "task_version": set.version,
            "task_display_name": set.label(),
            "task_attribs": {},
            "task_args": {},
            "dataset": dataset(set),
            "model": options.agent,
            "model_generate_config": {},
            "model_args": {},
            "config": { "epochs": epochs(&samples), "epochs_reducer": ["mean"] },
            "packages": {},
            "metadata": { "set": set.label(), "canary": set.canary, "sha256": set.sha256 },
            // Reports are strangers' texts: the viewer shows them as plain text.
            "viewer": { "trust_content": false },
            "scorers": names.iter().map(|name| scorer(name)).collect::<Vec<_>>(),
        },
        "plan": {
            "name": "plan",
            "steps": [{ "solver": "reports_made_elsewhere", "params": {} }],
            "config": {},
        },
        "results": {
            "total_samples": samples.len(),
            "completed_samples": samples.iter().filter(|of| !has_failed(of)).count(),
            "scores": names.iter().map(|name| result(name, &samples)).collect::<Vec<_>>(),
        },
        "stats": { "started_at": at, "completed_at": at, "model_usage": {} },
        "samples": samples.iter().map(|of| sample(set, of)).collect::<Vec<_>>(),
    });
    // Logs are found by names that begin with a time. Their parts are told apart by underscores.
    let task = slug(set).replace('_', "-");
    let name = format!("{}_{task}_{task_id}.json", at.replace(':', "-"));
    Ok(ExportFile::text(name, with_nan(&log)?))
}

fn samples<'a>(set: &'a SetRecord, reports: &'a [ReportRecord], agent: &str) -> Vec<Sample<'a>> {
    let mut by_task: BTreeMap<&TaskId, Vec<&ReportRecord>> = BTreeMap::new();
    for report in reports.iter().filter(|report| report.agent == agent) {
        by_task.entry(&report.task).or_default().push(report);
    }
    let mut samples = Vec::new();
    for task in set.records() {
        let mut attempts = by_task.remove(&task.id).unwrap_or_default();
        attempts.sort_by_key(|report| report.attempt);
        samples.extend(attempts.into_iter().map(|report| Sample { task, report }));
    }
    samples
}

/// The measures that any report has or lacks, in the order of their names.
fn names<'a>(samples: &[Sample<'a>]) -> Vec<&'a str> {
    let names = samples.iter().flat_map(|of| {
        let scored = of.report.scores.keys();
        scored.chain(of.report.unscored.keys()).map(String::as_str)
    });
    names
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect()
}

fn content_hash(set: &SetRecord, samples: &[Sample<'_>], options: LogOptions<'_>) -> String {
    let mut text = format!("{}\n{}\n{}\n", set.label(), options.agent, options.judged);
    for Sample { report, .. } in samples {
        text.push_str(&format!(
            "{} {:?} {:?}\n",
            report.id, report.scores, report.unscored
        ));
    }
    sha256_hex(text.as_bytes())
}

fn dataset(set: &SetRecord) -> Value {
    let ids: Vec<&TaskId> = set.records().map(|task| &task.id).collect();
    json!({ "name": set.label(), "samples": ids.len(), "sample_ids": ids, "shuffled": false })
}

fn epochs(samples: &[Sample<'_>]) -> u32 {
    let attempts = samples.iter().map(|of| of.report.attempt);
    attempts.max().unwrap_or(1)
}

fn scorer(name: &str) -> Value {
    json!({ "name": name, "metrics": [{ "name": "mean" }, { "name": "n" }] })
}

/// A measure over all samples: the mean over tasks of each task's mean over attempts, with the
/// number of tasks that it rests on; no mean where that is none.
fn result(name: &str, samples: &[Sample<'_>]) -> Value {
    let mut by_task: BTreeMap<&TaskId, Vec<f64>> = BTreeMap::new();
    for Sample { task, report } in samples {
        let scores = by_task.entry(&task.id).or_default();
        scores.extend(report.scores.get(name).filter(|score| score.is_finite()));
    }
    let means: Vec<f64> = by_task.values().filter_map(|scores| mean(scores)).collect();
    let mut metrics = Map::new();
    let mut put = |name: &str, value: Value| {
        metrics.insert(
            name.to_owned(),
            json!({ "name": name, "value": value, "params": {} }),
        );
    };
    if let Some(mean) = mean(&means) {
        put("mean", mean.into());
    }
    put("n", means.len().into());
    json!({
        "name": name,
        "scorer": name,
        "reducer": "mean",
        "scored_samples": means.len(),
        "unscored_samples": by_task.len() - means.len(),
        "params": {},
        "metrics": metrics,
    })
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn has_failed(of: &Sample<'_>) -> bool {
    matches!(of.report.state, State::Timeout | State::Error)
}

fn sample(set: &SetRecord, of: &Sample<'_>) -> Value {
    let Sample { task, report } = *of;
    let mut metadata = metadata(set, task);
    metadata.insert("report".to_owned(), report.id.as_str().into());
    metadata.insert("state".to_owned(), report.state.word().into());
    if let Some(trajectory) = &report.trajectory {
        metadata.insert("trajectory".to_owned(), json!(trajectory));
    }
    let answer = json!({ "role": "assistant", "content": report.text, "source": "generate" });
    let mut sample = json!({
        "id": task.id,
        "epoch": report.attempt,
        "input": task.text,
        "target": "",
        "messages": [{ "role": "user", "content": task.text, "source": "input" }, answer],
        "output": {
            "model": report.agent,
            "choices": [{ "message": answer, "stop_reason": "stop" }],
            "completion": report.text,
        },
        "scores": scores(report),
        "metadata": metadata,
        "store": {},
        "events": [],
        "model_usage": {},
        "uuid": sha256_hex(report.id.as_str().as_bytes())[..22],
        "attachments": {},
    });
    if has_failed(of) {
        let message = format!(
            "the attempt ended without a report: {}",
            report.state.word()
        );
        sample["error"] = json!({ "message": message, "traceback": "", "traceback_ansi": "" });
    }
    sample
}

fn scores(report: &ReportRecord) -> Map<String, Value> {
    let mut scores = Map::new();
    for (name, cause) in &report.unscored {
        scores.insert(name.clone(), unscored(cause));
    }
    for (name, score) in &report.scores {
        let score = if score.is_finite() {
            json!({ "value": score })
        } else {
            unscored("its score is not a number")
        };
        scores.insert(name.clone(), score);
    }
    scores
}

/// The value is written as NaN.
fn unscored(cause: &str) -> Value {
    json!({ "value": null, "explanation": cause, "reason": "scoring_failed" })
}

/// JSON in which null is NaN: a log holds null nowhere else.
fn with_nan(log: &Value) -> Result<String> {
    struct NullIsNan;
    impl Formatter for NullIsNan {
        fn write_null<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
            writer.write_all(b"NaN")
        }
    }
    let mut bytes = Vec::new();
    log.serialize(&mut Serializer::with_formatter(&mut bytes, NullIsNan))?;
    Ok(escaped_in_json(&String::from_utf8(bytes)?) + "\n")
}

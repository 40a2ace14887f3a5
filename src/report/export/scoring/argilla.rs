//! Reports for scoring in Argilla: a data set in the folder that `rg.Dataset.from_disk` reads.
//!
//! A report is a stranger's text. Its field is plain text and not Markdown: Argilla renders
//! Markdown with the HTML in it, so that a report could load pictures and embed pages in the
//! browsers of those who score.

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::{Agents, Row, SCALE, Sheet, check_criteria};
use crate::{
    audit::people::argilla::{OVERALL, REMARKS, question},
    data::{ReportRecord, SetRecord, id::sha256_hex},
    report::export::{ExportFile, lines::json},
};

/// A data set's folder: `.argilla/settings.json`, `.argilla/dataset.json` and `records.json`, a
/// record for each report with a text.
pub fn files(
    set: &SetRecord,
    reports: &[ReportRecord],
    criteria: &[String],
    agents: Agents,
) -> Result<Vec<ExportFile>> {
    check_criteria(criteria, &[])?;
    let sheet = Sheet::new(set, reports);
    let records: Vec<Value> = sheet
        .rows
        .iter()
        .map(|row| record(set, row, agents))
        .collect();
    let hash = sha256_hex(set.label().as_bytes());
    let dataset = json!({
        // Names there are of few letters, and a set's may be of any.
        "name": format!("taskgen-{}", &hash[..12]),
        "status": "draft",
        "allow_extra_metadata": false,
    });
    Ok(vec![
        ExportFile::text(
            ".argilla/settings.json",
            json(&settings(criteria, agents)?)?,
        ),
        ExportFile::text(".argilla/dataset.json", json(&dataset)?),
        ExportFile::text("records.json", json(&records)?),
    ])
}

fn record(set: &SetRecord, row: &Row<'_>, agents: Agents) -> Value {
    let mut metadata = Map::new();
    let mut put = |name: &str, value: Value| metadata.insert(name.to_owned(), value);
    put("report_id", row.report.id.as_str().into());
    put("task_id", row.task.id.as_str().into());
    put("set", set.label().into());
    put("canary", set.canary.as_str().into());
    if agents == Agents::Named {
        put("agent", row.report.agent.as_str().into());
        put("attempt", row.report.attempt.into());
    }
    json!({
        "id": row.report.id,
        "fields": { "task": row.task.text, "report": row.report.text },
        "metadata": metadata,
        "suggestions": {},
        "responses": {},
        "vectors": {},
    })
}

fn settings(criteria: &[String], agents: Agents) -> Result<Value> {
    let (low, high) = SCALE;
    let options: Vec<Value> = (low..=high)
        .map(|value| json!({ "value": value }))
        .collect();
    let rating = |name: &str, title: &str, required: bool| {
        json!({
            "name": name,
            "title": title,
            "description": format!("{low} is worst, {high} is best"),
            "required": required,
            "settings": { "type": "rating", "options": options },
        })
    };
    let mut questions = vec![rating(OVERALL, "The whole report", true)];
    for criterion in criteria {
        questions.push(rating(&question(criterion)?, criterion, false));
    }
    questions.push(json!({
        "name": REMARKS,
        "title": "Remarks",
        "required": false,
        "settings": { "type": "text", "use_markdown": false },
    }));
    let field = |name: &str, title: &str| {
        json!({
            "name": name,
            "title": title,
            "required": true,
            "settings": { "type": "text", "use_markdown": false },
        })
    };
    let mut metadata: Vec<Value> = ["report_id", "task_id", "set", "canary"]
        .map(property)
        .into();
    if agents == Agents::Named {
        metadata.push(property("agent"));
        let mut attempt = property("attempt");
        attempt["settings"]["type"] = "integer".into();
        metadata.push(attempt);
    }
    Ok(json!({
        "guidelines": "Read the task, then the report. Score the whole report and each criterion \
            from 0 to 10. Discard a report that you cannot judge; it counts as not scored.",
        "questions": questions,
        "fields": [field("task", "Task"), field("report", "Report")],
        "vectors": [],
        "metadata": metadata,
        "allow_extra_metadata": false,
        "distribution": { "strategy": "overlap", "min_submitted": 1 },
        "mapping": null,
    }))
}

/// A property of records that is not shown to those who score.
fn property(name: &str) -> Value {
    json!({
        "name": name,
        "title": name,
        "visible_for_annotators": false,
        "settings": { "type": "terms", "visible_for_annotators": false },
    })
}

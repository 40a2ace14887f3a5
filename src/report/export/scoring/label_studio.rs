//! Reports for scoring in Label Studio: the labeling configuration, and a task for each report.
//!
//! A report is a stranger's text. It is shown with a `Text` tag, which escapes what it shows; a
//! `HyperText` tag would run it as HTML in the browsers of those who score, and its pictures would
//! tell a stranger who reads when.

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::{Agents, Row, SCALE, Sheet, check_criteria};
use crate::{
    audit::people::LABEL_STUDIO_REMARKS as REMARKS,
    data::{ReportRecord, SetRecord},
    report::export::{ExportFile, lines::json},
};

/// Name of the tag for the whole report, as `audit agreement` knows it.
const OVERALL: &str = "score";
/// Names that are no criteria: those of other tags, and what counts as the whole report.
const TAKEN: [&str; 5] = [OVERALL, REMARKS, "rating", "task", "report"];

/// `config.xml` and `tasks.json`: a task for each report with a text, which is scored as a whole
/// and by criterion.
pub fn files(
    set: &SetRecord,
    reports: &[ReportRecord],
    criteria: &[String],
    agents: Agents,
) -> Result<Vec<ExportFile>> {
    check_criteria(criteria, &TAKEN)?;
    let sheet = Sheet::new(set, reports);
    let tasks: Vec<Value> = sheet
        .rows
        .iter()
        .map(|row| json!({ "data": data(set, row, agents) }))
        .collect();
    Ok(vec![
        ExportFile::text("config.xml", config(criteria)),
        ExportFile::text("tasks.json", json(&tasks)?),
    ])
}

/// What the tags show, and what names the report when its scores come back.
fn data(set: &SetRecord, row: &Row<'_>, agents: Agents) -> Map<String, Value> {
    let mut data = Map::new();
    let mut put = |name: &str, value: Value| data.insert(name.to_owned(), value);
    put("report", row.report.id.as_str().into());
    put("task", row.task.id.as_str().into());
    put("set", set.label().into());
    put("canary", set.canary.as_str().into());
    if agents == Agents::Named {
        put("agent", row.report.agent.as_str().into());
        put("attempt", row.report.attempt.into());
    }
    put("task_text", row.task.text.as_str().into());
    put("report_text", row.report.text.as_str().into());
    data
}

fn config(criteria: &[String]) -> String {
    let (low, high) = SCALE;
    let mut xml = String::from(
        "<View>\n  <Style>.htx-text{white-space:pre-wrap}</Style>\n  \
         <Header value=\"Task\"/>\n  \
         <Text name=\"task\" value=\"$task_text\" valueType=\"text\" \
         selectionEnabled=\"false\"/>\n  \
         <Header value=\"Report\"/>\n  \
         <Text name=\"report\" value=\"$report_text\" valueType=\"text\" \
         selectionEnabled=\"false\"/>\n",
    );
    let whole = (OVERALL, "The whole report", " required=\"true\"");
    let parts = criteria
        .iter()
        .map(|name| (name.as_str(), name.as_str(), ""));
    for (name, title, required) in std::iter::once(whole).chain(parts) {
        xml.push_str(&format!(
            "  <Header value=\"{title}, {low} to {high}\"/>\n  \
             <Number name=\"{name}\" toName=\"report\" min=\"{low}\" max=\"{high}\" \
             step=\"1\"{required}/>\n",
            title = heading(title),
            name = attribute(name),
        ));
    }
    xml.push_str(&format!(
        "  <Header value=\"Remarks\"/>\n  \
         <TextArea name=\"{REMARKS}\" toName=\"report\" rows=\"4\" maxSubmissions=\"1\"/>\n</View>\n"
    ));
    xml
}

fn attribute(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// A heading. Label Studio fills in `$name` there from the task's data, so the sign is another one.
fn heading(text: &str) -> String {
    attribute(&text.replace('$', "＄"))
}

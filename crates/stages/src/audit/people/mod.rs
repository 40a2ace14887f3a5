//! Readers for people's scores: the file of a scoring page, CSV, exports of Label Studio and Argilla;
//! and how people agree. Hides the formats; an entry that cannot be read is listed with its place,
//! and the rest is taken.

mod agreement;
pub mod argilla;

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use serde::Deserialize;
use serde_json::Value;

pub use agreement::{Pair, Votes, WithOthers, agreement, with_others};

/// The best score.
pub const BEST: f64 = 10.0;

/// The content of a file.
#[derive(Debug, Default, PartialEq)]
pub struct Read {
    /// The scores, in their order.
    pub scores: Vec<RaterScore>,
    /// Entries that cannot be used: where, and why.
    pub problems: Vec<(String, String)>,
    /// People's answers on a report that were saved and not submitted.
    pub drafts: u64,
    /// People's answers on a report that they discarded or skipped.
    pub discarded: u64,
    /// People's answers on a report that were left, because the file does not say whether they were
    /// submitted.
    pub unstated: u64,
    /// Remarks in words; they are no scores.
    pub remarks: u64,
}

/// A score as a rater gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct RaterScore {
    /// The line or the entry, for messages.
    pub place: String,
    /// The report.
    pub report: ReportName,
    /// A criterion of the task's checklist; none is the whole report.
    pub criterion: Option<String>,
    /// Who gave it.
    pub rater: String,
    /// 0 to 10.
    pub value: f64,
}

/// A report by the name that people give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportName {
    /// By its id or the start of it.
    Report(String),
    /// By its task (or the start of its id), its agent and the attempt.
    Attempt {
        /// The task.
        task: String,
        /// The agent.
        agent: String,
        /// From 1.
        attempt: u32,
    },
}

const HINT: &str = "hint: needed is what a page of `taskgen report scoring` saved, a CSV in UTF-8, or the JSON of Label Studio or Argilla";

/// Name of Label Studio's tag for remarks.
pub const LABEL_STUDIO_REMARKS: &str = "remarks";

/// Reads a file of scores; the shape is told by the content. An error is a file of another kind.
pub fn read(path: &Path) -> Result<Read> {
    let bytes = fs_err::read(path).map_err(|error| anyhow!("{error}\n{HINT}"))?;
    let text = String::from_utf8(bytes)
        .with_context(|| format!("`{}` is not UTF-8\n{HINT}", path.display()))?;
    let read = parse(text.trim_start_matches('\u{feff}'))
        .with_context(|| format!("`{}`", path.display()))?;
    let left = read.drafts + read.discarded + read.unstated;
    if read.scores.is_empty() && read.problems.is_empty() && left == 0 {
        bail!("`{}` holds no scores", path.display());
    }
    Ok(read)
}

fn parse(text: &str) -> Result<Read> {
    match text.trim_start().chars().next() {
        Some('{') => sheet(text),
        Some('[') => {
            let entries: Vec<Value> =
                serde_json::from_str(text).context("not a list of labelled entries")?;
            Ok(if argilla::are_records(&entries) {
                argilla::read(&entries)
            } else {
                label_studio(&entries)
            })
        }
        _ => table(text),
    }
}

/// The file of a scoring page.
#[derive(Deserialize)]
struct Sheet {
    rater: String,
    scores: Vec<SheetScore>,
}

#[derive(Deserialize)]
struct SheetScore {
    report: String,
    #[serde(default)]
    criterion: Option<String>,
    score: f64,
}

fn sheet(text: &str) -> Result<Read> {
    let sheet: Sheet = serde_json::from_str(text).context("not the file of a scoring page")?;
    let mut read = Read::default();
    for (at, score) in sheet.scores.into_iter().enumerate() {
        let report = ReportName::Report(score.report);
        read.take(
            format!("score {}", at + 1),
            report,
            score.criterion,
            &sheet.rater,
            score.score,
        );
    }
    Ok(read)
}

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    report: Option<String>,
    #[serde(default)]
    task: Option<String>,
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    attempt: Option<u32>,
    #[serde(default)]
    criterion: Option<String>,
    rater: String,
    score: f64,
}

/// CSV with a header: `rater`, `score`, and `report`, or `task` and `agent`; `attempt` and
/// `criterion` if there are any.
fn table(text: &str) -> Result<Read> {
    let mut lines = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    // Checked once: without the columns every line would be the same problem.
    let headers = lines.headers()?.clone();
    let has = |name: &str| headers.iter().any(|header| header == name);
    if !(has("rater") && has("score") && (has("report") || has("task") && has("agent"))) {
        let columns: Vec<&str> = headers.iter().collect();
        let found = if columns.is_empty() {
            "it is empty".to_owned()
        } else {
            format!("the columns are `{}`", columns.join("`, `"))
        };
        bail!(
            "no table of scores: {found}\nhint: it takes `rater`, `score`, and `report`, or `task` and `agent`"
        );
    }
    let mut read = Read::default();
    for record in lines.records() {
        let row = record.and_then(|record| {
            let line = record.position().map_or(0, csv::Position::line);
            record
                .deserialize::<Row>(Some(&headers))
                .map(|row| (line, row))
        });
        match row {
            Ok((line, row)) => read.take_row(format!("line {line}"), row),
            Err(problem) => {
                let line = problem.position().map_or(0, csv::Position::line);
                read.problems
                    .push((format!("line {line}"), problem.to_string()));
            }
        }
    }
    Ok(read)
}

/// Label Studio's JSON export: the labelled item names its report in `data`, as a column of the
/// table would; a rating or a number is the score, the name of its tag the criterion, unless that
/// is `score` or `rating`.
fn label_studio(entries: &[Value]) -> Read {
    let mut read = Read::default();
    for (at, entry) in entries.iter().enumerate() {
        let data = &entry["data"];
        let word = |key: &str| data[key].as_str().map(str::to_owned);
        let attempt = data["attempt"]
            .as_u64()
            .or_else(|| data["attempt"].as_str()?.trim().parse().ok());
        let attempt = attempt.and_then(|n| u32::try_from(n).ok());
        if !entry.is_object() || !entry["annotations"].is_array() {
            read.problems
                .push((format!("entry {}", at + 1), "it has no annotations".into()));
        }
        read.drafts += entry["drafts"].as_array().map_or(0, Vec::len) as u64;
        for annotation in entry["annotations"].as_array().into_iter().flatten() {
            // A skipped item is no score.
            if annotation["was_cancelled"] == true {
                read.discarded += 1;
                continue;
            }
            let rater = rater(&annotation["completed_by"]);
            for result in annotation["result"].as_array().into_iter().flatten() {
                if result["from_name"] == LABEL_STUDIO_REMARKS {
                    read.remarks += 1;
                    continue;
                }
                let value = &result["value"];
                let Some(score) = value["number"]
                    .as_f64()
                    .or_else(|| value["rating"].as_f64())
                else {
                    let what = result["from_name"].as_str().unwrap_or("a result");
                    read.problems.push((
                        format!("entry {}", at + 1),
                        format!("`{what}` is neither a number nor a rating"),
                    ));
                    continue;
                };
                let criterion = result["from_name"]
                    .as_str()
                    // Label Studio's own names for the tag stand for the whole report.
                    .filter(|name| !["score", "rating"].contains(name));
                read.take_row(
                    format!("entry {}", at + 1),
                    Row {
                        report: word("report"),
                        task: word("task"),
                        agent: word("agent"),
                        attempt,
                        criterion: criterion.map(str::to_owned),
                        rater: rater.clone(),
                        score,
                    },
                );
            }
        }
    }
    read
}

/// Label Studio names who labelled by number, by address, or by both.
fn rater(by: &Value) -> String {
    if let Some(name) = by["email"].as_str().or_else(|| by.as_str()) {
        return name.to_owned();
    }
    let number = by["id"].as_u64().or_else(|| by.as_u64());
    number.map_or_else(String::new, |id| format!("annotator {id}"))
}

impl Read {
    fn take_row(&mut self, place: String, row: Row) {
        let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
        let report = match (filled(row.report), filled(row.task), filled(row.agent)) {
            (Some(report), _, _) => ReportName::Report(report),
            (None, Some(task), Some(agent)) => ReportName::Attempt {
                task,
                agent,
                attempt: row.attempt.unwrap_or(1),
            },
            _ => {
                return self.problems.push((
                    place,
                    "it names neither a report nor a task and its agent".into(),
                ));
            }
        };
        self.take(place, report, filled(row.criterion), &row.rater, row.score);
    }

    fn take(
        &mut self,
        place: String,
        report: ReportName,
        criterion: Option<String>,
        rater: &str,
        value: f64,
    ) {
        let rater = rater.trim().to_owned();
        if !(0.0..=BEST).contains(&value) {
            self.problems.push((
                place,
                format!("a score of {value} is not between 0 and {BEST}"),
            ));
        } else if rater.is_empty() {
            self.problems.push((place, "it names no rater".into()));
        } else {
            self.scores.push(RaterScore {
                place,
                report,
                criterion,
                rater,
                value,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(read: &Read) -> Vec<(&ReportName, Option<&str>, &str, f64)> {
        read.scores
            .iter()
            .map(|s| (&s.report, s.criterion.as_deref(), s.rater.as_str(), s.value))
            .collect()
    }

    #[test]
    fn the_three_shapes_say_the_same() {
        let sheet = r#"{"rater":"ann","scores":[{"report":"d_1","score":7},{"report":"d_1","criterion":"z/0","score":10}]}"#;
        let table = "rater,report,criterion,score\nann,d_1,,7\nann,d_1,z/0,10\n";
        let studio = r#"[{"data":{"report":"d_1"},"annotations":[{"completed_by":{"email":"ann"},"result":[
            {"from_name":"score","type":"number","value":{"number":7}},
            {"from_name":"z/0","type":"rating","value":{"rating":10}}]},
            {"was_cancelled":true,"completed_by":2,"result":[{"value":{"number":1}}]}]}]"#;
        let report = ReportName::Report("d_1".into());
        for text in [sheet, table, studio] {
            let read = parse(text).expect("scores");
            assert_eq!(
                short(&read),
                [
                    (&report, None, "ann", 7.0),
                    (&report, Some("z/0"), "ann", 10.0)
                ],
                "{text}"
            );
            assert!(read.problems.is_empty());
        }
    }

    #[test]
    fn a_bad_line_is_a_problem_and_the_rest_is_taken() {
        let read = parse("task,agent,rater,score,attempt\nt_1,a,ann,4.5,2\nt_1,a,ann,eleven,1\nt_1,a,ann,11,1\n,,ann,3,\nt_2,b,,3,\n")
            .expect("a table");
        let answer = ReportName::Attempt {
            task: "t_1".into(),
            agent: "a".into(),
            attempt: 2,
        };
        assert_eq!(short(&read), [(&answer, None, "ann", 4.5)]);
        let places: Vec<&str> = read
            .problems
            .iter()
            .map(|(place, _)| place.as_str())
            .collect();
        assert_eq!(
            places,
            ["line 3", "line 4", "line 5", "line 6"],
            "{:?}",
            read.problems
        );
    }

    #[test]
    fn another_file_is_refused_with_a_hint() {
        for text in ["", "a,b\n1,2\n", "{\"x\":1}", "[1", "rater,score\na,1\n"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn who_labelled_is_named_one_way_or_another() {
        let names = ["7", "\"ann\"", "{\"id\":3}", "{\"id\":3,\"email\":\"a@b\"}"];
        let names = names.map(|by| rater(&serde_json::from_str(by).expect("JSON")));
        assert_eq!(names, ["annotator 7", "ann", "annotator 3", "a@b"]);
    }
}

//! Import of judgements made elsewhere, line by line: JSONL or CSV, with the common column names.
//! Hides the formats; nothing is guessed, and an unreadable line has its reason.

use anyhow::{Context as _, Result};
use serde_json::{Map, Value};

use crate::data::{Side, Verdict};

/// A judgement as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The task shown first: an id or the start of one.
    pub a: String,
    /// The task shown second.
    pub b: String,
    /// Who decided, if the line says so.
    pub judge: Option<String>,
    /// What was decided.
    pub verdict: Verdict,
    /// Whether a confidence out of range was moved to its end.
    pub clamped: bool,
}

/// A line's number and why it cannot be read.
pub type Problem = (usize, String);

/// Reads the judgements of a file: CSV where the first line is no JSON object, else JSONL. What
/// cannot be read is returned as its line's number and a reason.
pub fn read(text: &str) -> Result<(Vec<Line>, Vec<Problem>)> {
    // Spreadsheets write a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    anyhow::ensure!(
        !text.trim_start().starts_with('['),
        "a JSON list is not JSONL: one object a line is needed"
    );
    let rows = if text.trim_start().starts_with('{') {
        jsonl(text)
    } else {
        table(text)?
    };
    let (mut lines, mut problems) = (Vec::new(), Vec::new());
    for (number, row) in rows {
        match row.and_then(|row| line(number, &row)) {
            Ok(line) => lines.push(line),
            Err(problem) => problems.push((number, problem)),
        }
    }
    anyhow::ensure!(
        !lines.is_empty() || !problems.is_empty(),
        "no judgement is in it"
    );
    Ok((lines, problems))
}

type Rows = Vec<(usize, Result<Map<String, Value>, String>)>;

fn jsonl(text: &str) -> Rows {
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            (
                at + 1,
                serde_json::from_str(line).map_err(|e| format!("not a JSON object: {e}")),
            )
        })
        .collect()
}

fn table(text: &str) -> Result<Rows> {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let names = reader
        .headers()
        .context("the first line names no columns")?
        .clone();
    anyhow::ensure!(
        names.iter().any(|name| name == "winner"),
        "the first line names no column `winner`"
    );
    let mut rows = Rows::new();
    for record in reader.records() {
        match record {
            Ok(record) => {
                let number = record.position().map_or(0, |at| at.line() as usize);
                let cells = names
                    .iter()
                    .zip(&record)
                    .map(|(name, cell)| (name.to_owned(), Value::from(cell)));
                rows.push((number, Ok(cells.filter(|(_, cell)| cell != "").collect())));
            }
            Err(e) => rows.push((
                e.position().map_or(0, |at| at.line() as usize),
                Err(e.to_string()),
            )),
        }
    }
    Ok(rows)
}

fn line(number: usize, row: &Map<String, Value>) -> Result<Line, String> {
    let text = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| row.get(*name)?.as_str().map(str::to_owned))
    };
    let need = |names: &[&str]| text(names).ok_or_else(|| format!("no `{}`", names.join("` or `")));
    let (a, b) = (
        need(&["a", "model_a", "first"])?,
        need(&["b", "model_b", "second"])?,
    );
    if a == b {
        return Err(format!("both sides are the same: `{a}`"));
    }
    let winner = need(&["winner"])?;
    let side = match winner.to_lowercase().as_str() {
        "a" | "model_a" | "first" => Some(Side::A),
        "b" | "model_b" | "second" => Some(Side::B),
        _ if winner == a => Some(Side::A),
        _ if winner == b => Some(Side::B),
        "tie" | "both" | "bothbad" | "tie (bothbad)" | "both_bad" => None,
        _ => return Err(format!("the winner is neither side nor a tie: `{winner}`")),
    };
    let stated = confidence(row)?;
    if side.is_some() && stated < 0.5 {
        return Err(format!("a winner with a confidence below 0.5: `{stated}`"));
    }
    let confidence = stated.clamp(0.5, 1.0);
    let verdict = Verdict {
        // A tie is stored as a verdict with confidence one half: half a win for each.
        winner: side.unwrap_or(Side::A),
        confidence: if side.is_some() { confidence } else { 0.5 },
        reason: text(&["reason"]),
        scores: None,
    };
    let clamped = stated.to_bits() != confidence.to_bits();
    Ok(Line {
        number,
        a,
        b,
        judge: judge(row)?,
        verdict,
        clamped,
    })
}

/// The judge, if the line names one; people may have numbers.
fn judge(row: &Map<String, Value>) -> Result<Option<String>, String> {
    match row.get("judge") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) if !name.trim().is_empty() => Ok(Some(name.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(other) => Err(format!("the judge has no name: `{other}`")),
    }
}

/// The stated confidence; 1 where none is stated.
fn confidence(row: &Map<String, Value>) -> Result<f64, String> {
    let Some(value) = row.get("confidence").filter(|value| !value.is_null()) else {
        return Ok(1.0);
    };
    let number = value.as_f64().or_else(|| value.as_str()?.parse().ok());
    number
        .filter(|number| number.is_finite())
        .ok_or_else(|| format!("the confidence is not a number: `{value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Line {
        read(text).expect("a table").0.remove(0)
    }

    #[test]
    fn json_and_the_arenas_tables_say_the_same() {
        let json = one(r#"{"a":"t_1","b":"t_2","winner":"b","confidence":0.8,"judge":"Ada"}"#);
        let table = one("model_a,model_b,winner,confidence,judge\nt_1,t_2,model_b,0.8,Ada\n");
        assert_eq!(Line { number: 1, ..table }, json);
        assert_eq!(
            (json.verdict.winner, json.verdict.points_a().to_bits()),
            (Side::B, 0f64.to_bits())
        );
        assert_eq!(one("a,b,winner\nt_1,t_2,t_1\n").verdict.winner, Side::A);
    }

    #[test]
    fn ties_are_halves_and_confidences_are_clamped_with_a_count() {
        let tie = one(r#"{"a":"x","b":"y","winner":"tie (bothbad)"}"#);
        assert!((tie.verdict.points_a() - 0.5).abs() < 1e-12 && !tie.clamped);
        let sure = one(r#"{"a":"x","b":"y","winner":"a","confidence":85}"#);
        assert!(sure.clamped && (sure.verdict.confidence - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_read_says_why_and_the_rest_goes_on() {
        let text = "{\"a\":\"x\",\"b\":\"y\",\"winner\":\"a\"}\nnonsense\n{\"a\":\"x\",\"b\":\"x\",\"winner\":\"a\"}\n{\"a\":\"x\",\"b\":\"y\",\"winner\":\"c\"}\n{\"a\":\"x\",\"winner\":\"a\"}\n";
        let (lines, problems) = read(text).expect("JSONL");
        assert_eq!(lines.len(), 1);
        assert_eq!(
            problems
                .iter()
                .map(|(number, _)| *number)
                .collect::<Vec<_>>(),
            [2, 3, 4, 5]
        );
        assert!(problems[2].1.contains("`c`") && problems[3].1.contains("`b`"));
    }

    #[test]
    fn a_winner_is_surer_than_a_coin_and_a_judge_has_a_name() {
        let with = |more: &str| {
            read(&format!(r#"{{"a":"x","b":"y","winner":"a",{more}}}"#)).expect("JSONL")
        };
        for more in [
            r#""confidence":-0.5"#,
            r#""confidence":0.4"#,
            r#""judge":" ""#,
            r#""judge":[7]"#,
        ] {
            let (lines, problems) = with(more);
            assert_eq!((lines.len(), problems.len()), (0, 1), "{more}");
        }
        assert_eq!(with(r#""judge":7"#).0[0].judge.as_deref(), Some("7"));
        assert_eq!(with(r#""judge":null"#).0[0].judge, None);
    }
}

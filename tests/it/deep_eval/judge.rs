//! A judge for reports about gauge stations that does what its prompts say and sees nothing else.
//! A statement is `Station K-01 reads 12 millimetres`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::small_web;

/// The reply to a request about the prompt of this name.
pub fn reply(asked: &str, request: &Value) -> Value {
    let question = question(request);
    let texts = fenced(&question);
    match asked {
        "evaluate_consistency" => consistency(&texts),
        "evaluate_association" => association(&texts),
        "evaluate_presentation" => presentation(&question, &texts),
        "evaluate_coverage" => coverage(&texts),
        "evaluate_depth" => depth(&texts),
        "evidence_citation" => citations(&question, &texts),
        name => panic!("no prompt of DeepEval: `{name}`"),
    }
}

fn question(request: &Value) -> String {
    let messages = request["messages"].as_array().expect("messages");
    let user = messages.iter().find(|message| message["role"] == "user");
    let text = user.and_then(|user| user["content"].as_str());
    text.expect("a question").to_owned()
}

/// The texts in the fences of a message, in their order.
pub fn fenced(mut rest: &str) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some(at) = rest.find('[') {
        let opened = &rest[at..];
        rest = match small_web::judge::fenced(opened) {
            Some((text, after)) => {
                texts.push(text.to_owned());
                after
            }
            None => &opened[1..],
        };
    }
    texts
}

/// The numbered lines of a report: it is the fence of which each line begins with a number.
fn lines(texts: &[String]) -> Vec<(usize, &str)> {
    let numbered = |line: &str| -> Option<(usize, usize)> {
        let number = line.split(' ').next()?;
        Some((number.parse().ok()?, number.len() + 1))
    };
    let report = texts
        .iter()
        .find(|text| text.lines().all(|line| numbered(line).is_some()))
        .expect("a report in numbered lines");
    let read = |line| {
        let (number, from) = numbered(line).expect("a number");
        (number, line.get(from..).unwrap_or_default())
    };
    report.lines().map(read).collect()
}

/// The station and the reading of a statement, with its words.
fn statement(text: &str) -> Option<(&str, u32, &str)> {
    let from = text.find("Station ")?;
    let (name, rest) = text[from + 8..].split_once(" reads ")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let end = from + 8 + name.len() + 7 + digits.len();
    Some((name, digits.parse().ok()?, &text[from..end]))
}

fn consistency(texts: &[String]) -> Value {
    let mut known: BTreeMap<&str, (usize, u32)> = BTreeMap::new();
    let mut issues = Vec::new();
    for (number, line) in lines(texts) {
        let Some((name, value, quote)) = statement(line) else {
            continue;
        };
        match known.get(name) {
            Some((first, other)) if *other != value => issues.push(json!({
                "line": number, "quote": quote, "other_line": first,
                "reason": format!("{name} read {other} before"),
            })),
            Some(_) => {}
            None => _ = known.insert(name, (number, value)),
        }
    }
    json!({ "issues": issues })
}

fn association(texts: &[String]) -> Value {
    let lines = lines(texts).into_iter();
    let issues: Vec<Value> = lines
        .filter(|(_, line)| !line.contains('['))
        .filter_map(|(number, line)| {
            let (name, _, quote) = statement(line)?;
            Some(json!({ "line": number, "quote": quote, "reason": format!("{name} has no source") }))
        })
        .collect();
    json!({ "issues": issues })
}

/// The order of its headings decides about the structure; what a program marked decides about the
/// language.
fn presentation(question: &str, texts: &[String]) -> Value {
    let lines = lines(texts);
    let place = |heading: &str| {
        lines
            .iter()
            .find(|(_, line)| *line == heading)
            .map(|of| of.0)
    };
    let places = ["## Answer", "## Readings", "## Limits"].map(place);
    let in_order = places.is_sorted() && places.iter().all(Option::is_some);
    let asked = question
        .split("The questions:\n")
        .nth(1)
        .expect("questions");
    let items: Vec<Value> = fenced(asked)
        .iter()
        .filter(|text| text.ends_with('?') || text.ends_with("passes."))
        .zip(1..)
        .map(|(text, number)| {
            let passes = if text.contains("structure") {
                in_order
            } else if text.contains("spelling") {
                !asked.contains("A program marked")
            } else {
                true
            };
            json!({ "number": number, "reason": "by rule", "line": 0, "passes": passes })
        })
        .collect();
    json!({ "items": items })
}

/// An item names a station, whose reading must be there.
fn coverage(texts: &[String]) -> Value {
    let lines = lines(texts);
    let report = texts
        .iter()
        .position(|text| text.starts_with("1 "))
        .expect("a report");
    let items: Vec<Value> = texts[report + 1..]
        .iter()
        .zip(1..)
        .map(|(item, number)| {
            let wanted = item
                .split(' ')
                .find(|word| word.starts_with("K-"))
                .expect("a station");
            let line = lines.iter().find(|(_, line)| {
                statement(line).is_some_and(|(name, ..)| name == wanted.trim_end_matches('.'))
            });
            let line = line.map_or(0, |(number, _)| *number);
            json!({ "number": number, "reason": wanted, "line": line, "passes": line > 0 })
        })
        .collect();
    json!({ "items": items })
}

/// A report goes as deep as it has stations, up to five, in each dimension.
fn depth(texts: &[String]) -> Value {
    let rated = |report: &str| {
        let mut names: Vec<&str> = report
            .lines()
            .filter_map(|line| Some(statement(line)?.0))
            .collect();
        names.sort_unstable();
        names.dedup();
        let rating = names.len().min(5);
        json!({
            "detail": rating, "insight": rating, "critique": rating, "evidence": rating,
            "density": rating
        })
    };
    json!({
        "reason": "by rule", "weaknesses_a": [], "weaknesses_b": ["few stations"],
        "a": rated(&texts[1]), "b": rated(&texts[2])
    })
}

/// A page is relevant that names the station, and supports a statement that it makes.
fn citations(question: &str, texts: &[String]) -> Value {
    let shown = question.matches("Passage ").count();
    let (passages, statements) = texts.split_at(shown);
    let verdicts: Vec<Value> = statements
        .iter()
        .zip(1..)
        .map(|(text, number)| {
            let (name, value, _) = statement(text).expect("a statement of ours");
            let about = |text: &str| -> Option<(u32, String)> {
                let at = text.find(&format!("Station {name} reads"))?;
                let (_, value, quote) = statement(&text[at..])?;
                Some((value, quote.to_owned()))
            };
            let found = passages
                .iter()
                .zip(1..)
                .find_map(|(text, at)| Some((about(text)?, at)));
            let (relevant, supported, passage, quote) = match found {
                Some(((said, quote), at)) => (true, said == value, at, quote),
                None => (false, false, 0, String::new()),
            };
            json!({
                "number": number, "reason": name, "relevant": relevant, "supported": supported,
                "passage": passage, "quote": quote
            })
        })
        .collect();
    json!({ "verdicts": verdicts })
}

//! A judge that does what its prompt says and knows the sentences of the graded reports by heart.
//! It sees only its prompt: a sentence that the program does not show is omitted.

use serde_json::{Value, json};

use super::{Point, TASKS};
use crate::small_web;

/// What a sentence says of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Right,
    Partly,
    False,
}

/// The reply to a request in the format of `OpenAI`, about the prompt of this name.
pub fn reply(asked: &str, request: &Value) -> Value {
    let texts = fenced(request);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    match asked {
        "evaluate_key_points" | "evaluate_key_points_strict" => points(texts[texts.len() - 1]),
        "evaluate_importance" => importance(&texts[1..]),
        "evaluate_same_claim" => same_claim(&texts),
        "evaluate_relation" => relation(texts[1], texts[2]),
        "evaluate_relations" => relations(texts[1], &texts[2..]),
        "evidence_support" => support(request, &texts),
        "evaluate_checklist" | "evaluate_checklist_strict" => checklist(),
        "evaluate_rating" | "evaluate_rating_strict" | "evaluate_rating_with_evidence" => {
            rating(texts[1], texts[texts.len() - 1])
        }
        name => panic!("no prompt of an evaluation: `{name}`"),
    }
}

/// The texts in the fences of the user's first message.
pub fn fenced(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().expect("messages");
    let user = messages.iter().find(|message| message["role"] == "user");
    let text = user.and_then(|user| user["content"].as_str());
    let mut rest = text.expect("a question");
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

fn all_points() -> impl Iterator<Item = &'static Point> {
    TASKS.iter().flat_map(|task| &task.points)
}

fn point(claim: &str) -> &'static Point {
    all_points()
        .find(|point| point.claim == claim.trim())
        .unwrap_or_else(|| panic!("no point of ours: {claim}"))
}

/// Without its stop, behind which a mark may stand.
fn bare(sentence: &str) -> &str {
    sentence.trim_end_matches(['.', '。'])
}

/// What a text says of a point, if it has one of its sentences.
fn says(text: &str, point: &Point) -> Option<Says> {
    let has = |sentence: &str| text.contains(bare(sentence));
    if has(&point.overclaimed) || has(&point.contradicted) {
        Some(Says::False)
    } else if has(&point.right) {
        Some(Says::Right)
    } else if has(&point.partly) {
        Some(Says::Partly)
    } else {
        None
    }
}

fn points(page: &str) -> Value {
    let found = all_points().filter(|point| page.contains(&point.quote));
    let points = found.zip(1..).map(|(point, number)| {
        json!({ "point_number": number, "point_content": point.claim, "spans": [point.quote] })
    });
    json!({ "points": points.collect::<Vec<_>>() })
}

fn importance(claims: &[&str]) -> Value {
    let points = claims.iter().zip(1..).map(|(claim, number)| {
        json!({ "number": number, "reason": "planted", "importance": point(claim).importance })
    });
    json!({ "points": points.collect::<Vec<_>>() })
}

/// Pairs, one text after the other; the planted points are all different.
fn same_claim(texts: &[&str]) -> Value {
    let pairs = texts.chunks(2).zip(1..).map(|(pair, number)| {
        json!({ "number": number, "reason": "planted", "same": pair[0] == pair[1] })
    });
    json!({ "pairs": pairs.collect::<Vec<_>>() })
}

/// The paper's words: a part is enough.
fn relation(report: &str, claim: &str) -> Value {
    let word = match says(report, point(claim)) {
        Some(Says::Right | Says::Partly) => "SUPPORTS",
        Some(Says::False) => "CONTRADICTS",
        None => "OMITS",
    };
    json!({ "relationship": word, "confidence": 0.9, "reasoning": "planted", "key_aspects": [] })
}

fn relations(report: &str, claims: &[&str]) -> Value {
    let one = |(claim, number): (&&str, usize)| {
        let of = point(claim);
        let (word, sentence) = match report
            .lines()
            .find_map(|line| Some((line, says(line, of)?)))
        {
            Some((line, Says::Right)) => ("SUPPORTS", numbered(line)),
            Some((line, Says::Partly)) => ("PARTLY", numbered(line)),
            Some((line, Says::False)) => ("CONTRADICTS", numbered(line)),
            None => ("OMITS", 0),
        };
        json!({
            "number": number, "reasoning": "planted", "sentence": sentence,
            "relationship": word, "confidence": 0.9
        })
    };
    json!({ "relations": claims.iter().zip(1..).map(one).collect::<Vec<_>>() })
}

fn numbered(line: &str) -> usize {
    let number = line
        .split(' ')
        .next()
        .and_then(|number| number.parse().ok());
    number.unwrap_or_else(|| panic!("a line without a number: {line}"))
}

/// The claims stand behind the passages, of which each has a heading.
fn support(request: &Value, texts: &[&str]) -> Value {
    let shown = request["messages"].to_string().matches("Passage ").count();
    let (passages, claims) = texts.split_at(shown);
    let one = |(claim, number): (&&str, usize)| {
        let said = all_points().find_map(|point| Some((point, says(claim, point)?)));
        let found = said.and_then(|(point, said)| {
            let at = passages
                .iter()
                .position(|text| text.contains(&point.quote))?;
            Some((said, at + 1, point.quote.as_str()))
        });
        let (stance, passage, quote) = match found {
            Some((Says::False, at, quote)) => ("contradicts", at, quote),
            Some((_, at, quote)) => ("supports", at, quote),
            None => ("silent", 0, ""),
        };
        json!({
            "number": number, "reason": "planted", "stance": stance, "passage": passage, "quote": quote
        })
    };
    json!({ "verdicts": claims.iter().zip(1..).map(one).collect::<Vec<_>>() })
}

const CRITERIA: [(&str, f64); 3] = [("Coverage", 0.5), ("Accuracy", 0.3), ("Brevity", 0.2)];

fn checklist() -> Value {
    let criteria = CRITERIA.map(|(title, weight)| {
        json!({ "title": title, "weight": weight, "description": format!("{title} of what is asked.") })
    });
    json!({ "evaluation_criteria": criteria })
}

/// Coverage counts what is right, accuracy what is false, brevity what says nothing.
fn rating(report: &str, criterion: &str) -> Value {
    let said: Vec<Says> = all_points()
        .filter_map(|point| says(report, point))
        .collect();
    let n = |of: Says| said.iter().filter(|says| **says == of).count();
    let padding = TASKS.iter().flat_map(|task| &task.padding);
    let padding = padding.filter(|text| report.contains(bare(text))).count();
    let rating = if criterion.starts_with("Coverage") {
        (n(Says::Right) * 10 + n(Says::Partly) * 5) / 12
    } else if criterion.starts_with("Accuracy") {
        10_usize.saturating_sub(2 * n(Says::False))
    } else {
        10_usize.saturating_sub(padding)
    };
    json!({ "rating": rating, "justification": "planted" })
}

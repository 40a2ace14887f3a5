//! What a small model is asked instead. It copies badly, says things anew worse, and loses its way in a long text; but it can
//! give a number, and compare a few sentences with one. So it chooses key points among the numbered sentences of a page,
//! each of which is then one in its own words; and of a report it sees what is nearest to a key point.

use std::collections::BTreeSet;

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    points::{self, FEWEST_WORDS, LONGEST},
    relate,
    reply::{check_confidence, relations, tenths},
};
use crate::{
    context::Context,
    data::{Cause, Related, Relation, Task, Unscored},
    llm::{Answer, Answered, Ask, object},
    text::{agree::numbers, citations, sentences, words},
};

pub(super) const POINTS: &str = "evaluate/key-points-short";
pub(super) const RELATION: &str = "evaluate/relation-short";
/// Sentences that may be chosen from one part: a small model that may name many names all.
const MOST: usize = 4;
/// Words of the longest heading.
const HEADING: usize = 8;
/// Sentences of a report that are shown.
const NEAREST: usize = 5;
/// Characters of the longest piece of a report that is shown as one.
const PIECE: usize = 400;
/// Characters of the shortest line that may have been wrapped.
const WRAPPED: usize = 40;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Chosen {
    lines: Vec<usize>,
}

impl Answer for Chosen {
    fn validate(&self) -> Result<(), Unscored> {
        Ok(())
    }
}

/// The sentences of a part of a page that matter for a task, at most `most`; nobody is asked where there is none to choose.
pub(super) async fn choose<'a>(
    ctx: &Context,
    task: &Task,
    part: &'a str,
    most: usize,
) -> Result<Option<Answered<Vec<&'a str>>>> {
    let lines = lines(part);
    if lines.is_empty() {
        return Ok(None);
    }
    let most = most.min(MOST).min(lines.len());
    let numbered: Vec<Value> =
        lines.iter().enumerate().map(|(at, text)| json!({ "number": at + 1, "text": words::one_line(text) })).collect();
    let vars = json!({ "task": task.task, "lines": numbered, "most": most });
    let among = |reply: &Chosen| {
        let known = |line: &usize| (1..=lines.len()).contains(line);
        if reply.lines.len() <= most && reply.lines.iter().all(known) {
            return Ok(());
        }
        let reason = format!("lines {:?} where at most {most} of {} were to be named", reply.lines, lines.len());
        Err(Unscored { cause: Cause::OutOfRange, reason })
    };
    let ask = Ask {
        role: points::ROLE,
        prompt: POINTS,
        vars: &vars,
        schema: Some(schema(lines.len(), most)),
        check: &among,
        max_tokens: 60,
        ..Ask::default()
    };
    let answer = ctx.llm.ask::<Chosen>(ask).await?;
    // Named twice is chosen once.
    let once = |reply: Chosen| reply.lines.into_iter().collect::<BTreeSet<usize>>();
    Ok(Some(answer.map(|reply| once(reply).into_iter().map(|line| lines[line - 1]).collect())))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Compared {
    relationship: Relation,
    confidence: f64,
}

impl Answer for Compared {
    fn validate(&self) -> Result<(), Unscored> {
        check_confidence(self.confidence)
    }
}

/// How a report relates to a key point, as a member of the panel says; without a reason, which it would make up.
pub(super) async fn relate(ctx: &Context, member: usize, report: &str, point: &str) -> Result<Answered<Related>> {
    let vars = json!({ "report": nearest(report, point).join("\n"), "point": point });
    let ask = Ask {
        role: relate::ROLE,
        member,
        prompt: RELATION,
        vars: &vars,
        schema: Some(object(&json!({ "relationship": relations(), "confidence": tenths() }))),
        max_tokens: 60,
        ..Ask::default()
    };
    Ok(ctx.llm.ask::<Compared>(ask).await?.map(|reply| Related {
        relation: reply.relationship,
        confidence: reply.confidence,
        reasoning: String::new(),
        key_aspects: Vec::new(),
    }))
}

/// The sentences of a report that share most terms and numbers with a key point, in the report's order.
fn nearest<'a>(report: &'a str, point: &str) -> Vec<&'a str> {
    let of = |text: &str| words::terms(text).into_iter().chain(numbers(text)).collect::<BTreeSet<String>>();
    let (all, wanted) = (passages(report), of(point));
    let shared: Vec<usize> = all.iter().map(|passage| of(passage).intersection(&wanted).count()).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(shared[at]));
    let shown: BTreeSet<usize> = order.into_iter().take(NEAREST).collect();
    shown.into_iter().map(|at| all[at]).collect()
}

/// Sentences of a page that can say something, each once.
fn lines(text: &str) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let tells = |of: &&str| words::length(of) >= FEWEST_WORDS && of.chars().count() <= LONGEST && !is_heading(of);
    sentences(text).into_iter().filter(tells).filter(|of| seen.insert(*of)).collect()
}

/// Few words without an end are a heading or an entry of a menu.
fn is_heading(text: &str) -> bool {
    let ends =
        |c: char| matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '"' | '”' | '」' | ')' | '）' | ';' | '；' | ']');
    words::length(text) <= HEADING && !text.ends_with(ends)
}

/// All that a report says, in sentences and pieces of what has no end; without headings and references.
fn passages(report: &str) -> Vec<&str> {
    let said = sentences(citations::body(report)).into_iter().filter(|of| !of.starts_with('#'));
    said.flat_map(|of| pieces(of, PIECE)).filter(|of| of.chars().any(char::is_alphabetic)).collect()
}

/// The text in pieces of about so many characters, cut at white space.
fn pieces(text: &str, size: usize) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((end, _)) = rest.char_indices().nth(size) {
        let cut = rest[..end].rfind(char::is_whitespace).filter(|at| *at > 0).unwrap_or(end);
        found.push(rest[..cut].trim());
        rest = &rest[cut..];
    }
    found.push(rest.trim());
    found.retain(|piece| !piece.is_empty());
    found
}

/// Sentences, each within one paragraph: a line that stops before its sentence does goes on in the next one.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for paragraph in paragraphs(text) {
        let bytes: Vec<usize> = paragraph.char_indices().map(|(at, _)| at).chain([paragraph.len()]).collect();
        let ranges = sentences::split(paragraph).into_iter();
        found.extend(ranges.map(|range| &paragraph[bytes[range.start]..bytes[range.end]]));
    }
    found
}

/// Lines, those together that were only wrapped: long, without an end, and the next begins with a small letter.
fn paragraphs(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut end) = (0, 0);
    for line in text.split_inclusive('\n') {
        let before = text[start..end].trim_end();
        let last = before.rsplit('\n').next().unwrap_or_default();
        let goes_on = last.chars().count() >= WRAPPED
            && last.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '，' | '-'))
            && line.starts_with(char::is_lowercase);
        if !goes_on {
            found.push(before);
            start = end;
        }
        end += line.len();
    }
    found.push(&text[start..]);
    found
}

fn schema(lines: usize, most: usize) -> Value {
    let numbers: Vec<usize> = (1..=lines).collect();
    object(&json!({ "lines": { "type": "array", "items": { "type": "integer", "enum": numbers }, "maxItems": most } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_chosen_is_a_sentence_of_one_line_in_its_own_words() {
        let page = "Menu\nHow gauges drift in winter\nGauges  drift in the cold. Heating helps them a lot!\n\n河流每年移动很多沙石。岸边有树。\nHome page\n";
        assert_eq!(
            lines(page),
            ["Gauges  drift in the cold.", "Heating helps them a lot!", "河流每年移动很多沙石。", "岸边有树。"]
        );
        assert!(lines(&"word ".repeat(400)).is_empty(), "what is longer than a key point is none");
    }

    #[test]
    fn of_a_report_the_nearest_sentences_are_shown_in_its_order() {
        let filler = "The boats were painted again this summer. ".repeat(9);
        let report = format!(
            "# Gauges drift by 3 millimetres in the cold\n\n[Smith](https://example.org) heats gauges.\n\n{filler}\n\n- Drift: 3 \
             millimetres\n\nGauges drift in the cold.[2]\n\n## References\n\n[2] In the cold gauges drift by 3 millimetres. 2019."
        );
        let shown = nearest(&report, "In the cold gauges drift by 3 millimetres.");
        assert_eq!((shown.len(), shown[0]), (NEAREST, "[Smith](https://example.org) heats gauges."));
        assert_eq!(shown[NEAREST - 2..], ["- Drift: 3 millimetres", "Gauges drift in the cold.[2]"]);
        assert_eq!(nearest("", "Gauges drift."), [""; 0]);
    }

    #[test]
    fn nothing_long_is_left_out() {
        let long = "drift ".repeat(300);
        assert_eq!(passages(&long).iter().map(|piece| piece.split(' ').count()).sum::<usize>(), 300);
        assert!(passages(&long).iter().all(|piece| piece.len() <= PIECE));
        assert_eq!(pieces("河流移动沙石", 4), ["河流移动", "沙石"]);
    }

    #[test]
    fn wrapped_lines_are_one_sentence() {
        let text = "Gauges in rivers drift when the water is cold,\nwhich nobody expected. Heat helps.\nIce on gauges\nIce blocks pipes.";
        let found = sentences(text);
        assert_eq!(found[0], "Gauges in rivers drift when the water is cold,\nwhich nobody expected.");
        assert_eq!(found[1..], ["Heat helps.", "Ice on gauges", "Ice blocks pipes."]);
    }
}

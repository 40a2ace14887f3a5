//! Extractive key points for small models. They copy badly and paraphrase worse, but they can give
//! a number: the model chooses among the numbered sentences of a page, and each chosen sentence is
//! a key point.

use std::collections::BTreeSet;

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::limits::{FEWEST_WORDS, LONGEST, ROLE};
use crate::{
    context::Context,
    data::{Cause, Task, Unscored},
    llm::{Answer, Answered, Ask, object},
    text::{sentences, words},
};

pub const PROMPT: &str = "evaluate/key-points-short";
/// Sentences that may be chosen from one part: a small model that may name many names all.
const MOST: usize = 4;
/// Words of the longest heading.
const HEADING: usize = 8;
/// Characters of the shortest line that may have been wrapped.
const WRAPPED: usize = 40;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Chosen {
    lines: Vec<usize>,
}

impl Answer for Chosen {}

/// The sentences of a part of a page that matter for a task, at most `most`; without any sentence
/// no model is asked.
pub async fn choose<'a>(
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
    let numbered: Vec<Value> = lines
        .iter()
        .enumerate()
        .map(|(at, text)| json!({ "number": at + 1, "text": words::one_line(text) }))
        .collect();
    let vars = json!({ "task": task.text, "lines": numbered, "most": most });
    let ask = Ask {
        role: ROLE,
        prompt: PROMPT,
        vars: &vars,
        schema: Some(schema(lines.len(), most)),
        check: &|reply: &Chosen| check(reply, lines.len(), most),
        max_tokens: 60,
        ..Ask::default()
    };
    let answer = ctx.llm.ask::<Chosen>(ask).await?;
    // Named twice is chosen once.
    let once = |reply: Chosen| reply.lines.into_iter().collect::<BTreeSet<usize>>();
    Ok(Some(answer.map(|reply| {
        once(reply)
            .into_iter()
            .map(|line| lines[line - 1])
            .collect()
    })))
}

/// That at most `most` lines are named, all of them shown.
fn check(reply: &Chosen, lines: usize, most: usize) -> Result<(), Unscored> {
    let known = |line: &usize| (1..=lines).contains(line);
    if reply.lines.len() <= most && reply.lines.iter().all(known) {
        return Ok(());
    }
    Err(Unscored {
        cause: Cause::OutOfRange,
        reason: format!(
            "lines {:?} where at most {most} of {lines} were to be named",
            reply.lines
        ),
    })
}

/// Sentences of a page that can say something, each once.
fn lines(text: &str) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let tells = |of: &&str| {
        words::length(of) >= FEWEST_WORDS && of.chars().count() <= LONGEST && !is_heading(of)
    };
    sentences(text)
        .into_iter()
        .filter(tells)
        .filter(|of| seen.insert(*of))
        .collect()
}

/// Whether a line is a heading or an entry of a menu: few words without a full stop.
fn is_heading(text: &str) -> bool {
    words::length(text) <= HEADING && !text.ends_with(ends_sentence)
}

fn ends_sentence(c: char) -> bool {
    matches!(
        c,
        '.' | '!' | '?' | '。' | '！' | '？' | '"' | '”' | '」' | ')' | '）' | ';' | '；' | ']'
    )
}

/// Sentences, each within one paragraph: a line that stops before its sentence does goes on in the
/// next one.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for paragraph in paragraphs(text) {
        let bytes: Vec<usize> = paragraph
            .char_indices()
            .map(|(at, _)| at)
            .chain([paragraph.len()])
            .collect();
        let ranges = sentences::split(paragraph).into_iter();
        found.extend(ranges.map(|range| &paragraph[bytes[range.start]..bytes[range.end]]));
    }
    found
}

/// Lines, those together that were only wrapped: long, without an end, and the next begins with a
/// small letter.
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
    object(
        &json!({ "lines": { "type": "array", "items": { "type": "integer", "enum": numbers }, "maxItems": most } }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_chosen_is_a_sentence_of_one_line_in_its_own_words() {
        let page = "Menu\nHow gauges drift in winter\nGauges  drift in the cold. Heating helps them a lot!\n\n河流每年移动很多沙石。岸边有树。\nHome page\n";
        assert_eq!(
            lines(page),
            [
                "Gauges  drift in the cold.",
                "Heating helps them a lot!",
                "河流每年移动很多沙石。",
                "岸边有树。"
            ]
        );
        assert!(
            lines(&"word ".repeat(400)).is_empty(),
            "what is longer than a key point is none"
        );
    }

    #[test]
    fn wrapped_lines_are_one_sentence() {
        let text = "Gauges in rivers drift when the water is cold,\nwhich nobody expected. Heat helps.\nIce on gauges\nIce blocks pipes.";
        let found = sentences(text);
        assert_eq!(
            found[0],
            "Gauges in rivers drift when the water is cold,\nwhich nobody expected."
        );
        assert_eq!(
            found[1..],
            ["Heat helps.", "Ice on gauges", "Ice blocks pipes."]
        );
    }
}

//! Key points that a small model chooses. It copies badly and says things anew worse, but it can give a number: each chosen
//! sentence of the page is a key point in its own words.

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::points::{FEWEST_WORDS, LONGEST, ROLE};
use crate::{
    context::Context,
    data::{CallId, Cause, Task, Unscored},
    llm::{Answer, Ask, object},
    text::{sentences, words},
};

pub(super) const PROMPT: &str = "evaluate/key-points-short";
/// Sentences that may be chosen from one part: a small model that may name many names all.
const MOST: usize = 4;
/// Words of the longest heading.
const HEADING: usize = 8;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Chosen {
    lines: Vec<usize>,
}

impl Answer for Chosen {
    fn validate(&self) -> Result<(), Unscored> {
        if (1..self.lines.len()).any(|at| self.lines[..at].contains(&self.lines[at])) {
            let reason = format!("a line is named twice: {:?}", self.lines);
            return Err(Unscored { cause: Cause::Inconsistent, reason });
        }
        Ok(())
    }
}

/// The sentences of a part of a page that matter for a task, at most `most`; with the call, and whether it was known.
pub(super) async fn choose<'a>(
    ctx: &Context,
    task: &Task,
    part: &'a str,
    most: usize,
) -> Result<(Result<Vec<&'a str>, Unscored>, CallId, bool)> {
    let lines = lines(part);
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
        role: ROLE,
        prompt: PROMPT,
        vars: &vars,
        schema: Some(schema(lines.len(), most)),
        check: &among,
        max_tokens: 60,
        ..Ask::default()
    };
    let answer = ctx.llm.ask::<Chosen>(ask).await?;
    let chosen = answer.value.map(|reply| reply.lines.iter().map(|line| lines[line - 1]).collect());
    Ok((chosen, answer.call, answer.cached))
}

/// Sentences that can say something, each in one line of the text.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let of_line = |line: &'_ str| -> Vec<(usize, usize)> {
        let bytes: Vec<usize> = line.char_indices().map(|(at, _)| at).chain([line.len()]).collect();
        sentences::split(line).into_iter().map(|range| (bytes[range.start], bytes[range.end])).collect()
    };
    let all = text.lines().flat_map(|line| of_line(line).into_iter().map(move |(from, to)| &line[from..to]));
    let tells = |of: &&str| words::length(of) >= FEWEST_WORDS && of.chars().count() <= LONGEST && !is_heading(of);
    all.filter(tells).collect()
}

/// Few words without an end are a heading or an entry of a menu.
fn is_heading(text: &str) -> bool {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '"' | '”' | '」' | ')' | '）' | ';' | '；');
    words::length(text) <= HEADING && !text.ends_with(ends)
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
    fn a_line_counts_once() {
        assert!(Chosen { lines: vec![2, 1] }.validate().is_ok() && Chosen { lines: vec![] }.validate().is_ok());
        assert_eq!(Chosen { lines: vec![2, 1, 2] }.validate().unwrap_err().cause, Cause::Inconsistent);
    }
}

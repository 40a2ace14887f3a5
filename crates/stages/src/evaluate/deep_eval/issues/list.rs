//! The question for issues, and where each issue stands in the report.

use std::collections::BTreeSet;

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Protocol, ROLE};
use crate::{
    context::{Context, StageReport},
    data::{Cause, Decision, Unscored},
    evaluate::{evaluator::Work, numbered::NumberedReport},
    judging::{self, About, Judged, Verdict, batch},
    lint::consistency,
    llm::{Answer, Ask, object},
    store::StoredJudgement,
    text::words,
};

/// Places that a program marks for a judge.
const MOST_MARKED: usize = 12;
/// Issues that a judge may name; the rubric's lowest band begins at 18.
const MOST: usize = 24;
/// Fewest words of a quote: a cell of a table may have one.
const FEWEST_WORDS: usize = 1;
/// One quote in so many may be lost; it is not counted, and the summary says so.
const LOST: usize = 4;
/// Longest quote and longest reason in characters.
const LONGEST_QUOTE: usize = 200;
const LONGEST_REASON: usize = 240;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    issues: Vec<Issue>,
}

/// A place that a judge objects to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Issue {
    /// Number of the line.
    line: usize,
    /// Words of it.
    quote: String,
    /// Number of the line that contradicts it, where an issue is a pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    other_line: Option<usize>,
    /// What is wrong.
    reason: String,
}

impl Answer for Reply {
    fn validate(&self) -> Result<(), Unscored> {
        let short = |issue: &&Issue| words::length(&issue.quote) < FEWEST_WORDS;
        if let Some(issue) = self.issues.iter().find(short) {
            return Err(Unscored {
                cause: Cause::OutOfRange,
                reason: format!(
                    "the quote `{}` has fewer than {FEWEST_WORDS} words",
                    issue.quote
                ),
            });
        }
        let n = self.issues.len();
        if n <= MOST {
            return Ok(());
        }
        Err(Unscored {
            cause: Cause::OutOfRange,
            reason: format!("{n} issues where at most {MOST} were asked for"),
        })
    }
}

/// The issues of a reply, looked up in the report.
#[derive(Debug, Serialize)]
struct Located {
    /// Those whose quotes stand in the report, each place once.
    issues: Vec<Issue>,
    /// Those whose quotes do not: they are not counted.
    not_found: Vec<Issue>,
    /// Those that name a place again.
    repeated: usize,
}

impl Verdict for Located {
    fn decision(&self) -> Decision {
        Decision {
            value: Some(self.issues.len() as f64),
            ..Decision::default()
        }
    }

    fn payload(&self) -> Value {
        json!(self)
    }
}

/// A report, for one judge.
struct Asked<'a> {
    report: NumberedReport<'a>,
    member: usize,
}

/// Asks each judge for the issues of each report.
pub async fn issues(work: &Work<'_>, protocol: &Protocol) -> Result<StageReport> {
    let ctx = work.ctx;
    let members = ctx.llm.members(ROLE);
    let questions: Vec<Asked<'_>> = work
        .judged
        .iter()
        .flat_map(|case| (0..members).map(|member| (NumberedReport::in_markdown(*case), member)))
        .map(|(report, member)| Asked { report, member })
        .collect();
    let mut report = StageReport::new(protocol.key);
    let ask = async |asked| ask(ctx, protocol, asked).await;
    let judged = ctx
        .each(protocol.key, &questions, ctx.llm.parallel(ROLE), ask)
        .await?;
    for (asked, judged) in judged {
        judged.count(asked.report.case.report.id.as_str(), &mut report);
        for _ in judged.reply.iter().flat_map(|located| &located.not_found) {
            report.reject("not_in_the_report");
        }
    }
    Ok(report)
}

async fn ask(ctx: &Context, protocol: &Protocol, asked: &Asked<'_>) -> Result<Judged<Located>> {
    let case = asked.report.case;
    let mut vars = asked.report.vars();
    vars["day"] = json!(case.task.as_of);
    vars["most"] = json!(MOST);
    if protocol.is_pair {
        vars["marked"] = json!(conflicts(&case.report.text));
    }
    let lines = asked.report.lines().len();
    let ask = Ask {
        role: ROLE,
        member: asked.member,
        prompt: protocol.prompt,
        vars: &vars,
        schema: Some(schema(protocol.is_pair)),
        max_tokens: batch::tokens(MOST, LONGEST_QUOTE + LONGEST_REASON),
        check: &|reply: &Reply| {
            let known = |line: usize| (1..=lines).contains(&line);
            let places = reply.issues.iter();
            let mut named = places
                .flat_map(|issue| [Some(issue.line), issue.other_line])
                .flatten();
            if let Some(line) = named.find(|line| !known(*line)) {
                return Err(Unscored {
                    cause: Cause::UnknownReference,
                    reason: format!("there is no line {line}, they are numbered 1 to {lines}"),
                });
            }
            check_quotes(reply, &asked.report)
        },
        ..Ask::default()
    };
    let about = About {
        instrument: protocol.instrument,
        subject: case.report.id.as_str(),
        other: None,
        sample: 0,
        evidence: judging::seen(&vars),
        keep: json!({}),
    };
    let (answer, judge) = judging::ask(ctx, ask).await?;
    let answer = answer.map(|reply| located(reply, &asked.report));
    let judgement = judging::judgement(about, answer.value.as_ref(), &judge, &answer.call);
    let kept = ctx.store.save_judgement(&judgement)?;
    Ok(Judged {
        reply: answer.value,
        judge,
        call: Some(answer.call),
        cached: answer.cached,
        kept,
    })
}

/// An error where more than a quarter of the quotes cannot be found: a judge that misquotes would
/// otherwise give the best score.
fn check_quotes(reply: &Reply, report: &NumberedReport<'_>) -> Result<(), Unscored> {
    let lost = |issue: &&Issue| report.line_of(issue.line, &issue.quote).is_none();
    let n = reply.issues.iter().filter(lost).count();
    if n * LOST <= reply.issues.len() {
        return Ok(());
    }
    Err(Unscored {
        cause: Cause::UnknownReference,
        reason: format!(
            "{n} of {} quotes do not stand in the lines that are named: copy them letter by letter",
            reply.issues.len()
        ),
    })
}

/// Looks each issue up in the report.
fn located(reply: Reply, report: &NumberedReport<'_>) -> Located {
    let mut located = Located {
        issues: Vec::new(),
        not_found: Vec::new(),
        repeated: 0,
    };
    let mut places = BTreeSet::new();
    for issue in reply.issues {
        match report.line_of(issue.line, &issue.quote) {
            None => located.not_found.push(issue),
            Some(line) if places.insert((line, words::one_line(&issue.quote))) => {
                located.issues.push(Issue { line, ..issue });
            }
            Some(_) => located.repeated += 1,
        }
    }
    located
}

/// The issues of a stored list that count, a sentence each.
pub fn sentences(stored: &StoredJudgement<'_>) -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Payload {
        issues: Vec<Issue>,
    }
    let payload: Payload = stored.payload()?;
    let sentence = |issue: &Issue| {
        let lines = match issue.other_line {
            Some(other) => format!("lines {} and {other}", issue.line),
            None => format!("line {}", issue.line),
        };
        format!("{lines}: \"{}\": {}", issue.quote, issue.reason)
    };
    Ok(payload.issues.iter().map(sentence).collect())
}

/// Pairs of places that a program found to disagree, a line each; none where there are none.
fn conflicts(report: &str) -> Option<String> {
    let found = consistency::check(report).into_iter().take(MOST_MARKED);
    let lines: Vec<String> = found.map(|conflict| conflict.what).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn schema(is_pair: bool) -> Value {
    let line = json!({ "type": "integer" });
    let quote = json!({ "type": "string", "maxLength": LONGEST_QUOTE });
    let reason = json!({ "type": "string", "maxLength": LONGEST_REASON });
    let issue = if is_pair {
        object(&json!({ "line": line, "quote": quote, "other_line": line, "reason": reason }))
    } else {
        object(&json!({ "line": line, "quote": quote, "reason": reason }))
    };
    object(&json!({
        "issues": { "type": "array", "items": issue, "maxItems": MOST }
    }))
}

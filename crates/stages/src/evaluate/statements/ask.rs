//! The question for the statements of a chunk. A reply that is cut off or cannot be read is asked
//! for again in halves.

use std::ops::Range;

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Bounds, Extraction, ROLE,
    check::{Known, Written},
    cut::{Sentences, halves},
    prompt,
    record::{Checked, Record, collected},
};
use crate::{
    context::{Context, StageReport},
    data::{Cause, Instrument, ReportId, Unscored},
    judging::{self, About},
    llm::{Answer, Ask, object, tokens_of},
};

const STAGE: &str = "statements";
/// Statements of a sentence, on average, at most.
const EACH: usize = 4;
/// Statements of a chunk at most, however few sentences it has: a row of a table may say many things.
const LEAST: usize = 12;
/// Longest statement in characters.
const LONGEST: usize = 400;
/// Tokens of the longest reply.
const MOST_TOKENS: usize = 8_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    statements: Vec<Written>,
}

impl Answer for Reply {}

/// A report, read once, with what is on record of it.
struct Asked<'a> {
    id: &'a ReportId,
    sentences: Sentences,
    record: Record,
}

/// How a chunk or a part of it ended.
struct Ended {
    chunk: Range<usize>,
    cached: bool,
    failed: Option<Unscored>,
}

/// Asks for the statements of each report, and saves each reply at once. What is on record is not
/// asked for again.
pub async fn extract(
    ctx: &Context,
    instrument: Instrument,
    bounds: Bounds,
    reports: &[(&ReportId, &str)],
) -> Result<(Vec<Extraction>, StageReport)> {
    let panel = judging::by_panel(instrument, judging::panel(ctx, ROLE, prompt(ctx)?)?);
    let of = |id| Record::of(&ctx.store.panel_judgements(&panel)?, instrument, id);
    let asked = reports.iter().map(|(id, text)| {
        Ok(Asked {
            id,
            sentences: Sentences::read(text),
            record: of(id)?,
        })
    });
    let asked: Vec<Asked<'_>> = asked.collect::<Result<_>>()?;
    let chunks: Vec<(usize, Range<usize>)> = (0..)
        .zip(&asked)
        .flat_map(|(at, of)| {
            of.sentences
                .chunks(bounds)
                .into_iter()
                .map(move |c| (at, c))
        })
        .collect();
    let mut report = StageReport::new(STAGE);
    let work =
        async |(at, chunk): &(usize, Range<usize>)| ask(ctx, instrument, &asked[*at], chunk).await;
    let parallel = ctx.llm.parallel(ROLE);
    let mut predicted = vec![false; asked.len()];
    for ((at, _), ended) in ctx.each(STAGE, &chunks, parallel, work).await? {
        for part in ended {
            report.count(part.cached);
            let Some(unscored) = part.failed else {
                continue;
            };
            predicted[*at] |= unscored.cause == Cause::NotAsked;
            let Range { start, end } = part.chunk;
            let item = format!("{}, sentences {} to {end}", asked[*at].id, start + 1);
            report.fail_unscored(&item, &unscored);
        }
    }
    let mut extractions = Vec::new();
    for (of_report, is_predicted) in asked.iter().zip(predicted) {
        let record = of(of_report.id)?;
        extractions.push(Extraction {
            is_predicted,
            ..collected(&of_report.sentences, bounds, &record)
        });
    }
    Ok((extractions, report))
}

/// Asks about a chunk, and about its halves where the reply cannot be read.
async fn ask(
    ctx: &Context,
    instrument: Instrument,
    of: &Asked<'_>,
    chunk: &Range<usize>,
) -> Result<Vec<Ended>> {
    let (mut ended, mut open) = (Vec::new(), vec![chunk.clone()]);
    while let Some(chunk) = open.pop() {
        if let Some(settled) = settled(ctx, of, &chunk) {
            ended.push(settled);
            continue;
        }
        let part = ask_once(ctx, instrument, of, chunk).await?;
        match part.failed {
            // A way to the model that is closed is closed to halves, too.
            Some(unscored) if part.chunk.len() > 1 && !unscored.cause.is_transient() => {
                let [first, second] = halves(&part.chunk);
                open.extend([second, first]);
            }
            _ => ended.push(part),
        }
    }
    Ok(ended)
}

/// A chunk that is not asked about again: it, or each of its parts, has a reply, or it is a single
/// sentence whose reply could not be read. As everywhere, `--retry-failed` asks once more.
fn settled(ctx: &Context, of: &Asked<'_>, chunk: &Range<usize>) -> Option<Ended> {
    let failed = match of.record.get(&of.sentences, chunk) {
        _ if of.record.is_read(&of.sentences, chunk) => None,
        Some(Err(cause)) if is_final(ctx, *cause, chunk) => Some(Unscored {
            cause: *cause,
            reason: "on record".to_owned(),
        }),
        _ => return None,
    };
    Some(Ended {
        chunk: chunk.clone(),
        cached: true,
        failed,
    })
}

fn is_final(ctx: &Context, cause: Cause, chunk: &Range<usize>) -> bool {
    chunk.len() == 1 && !cause.is_transient() && !ctx.llm.retries_failed()
}

/// Asks about a chunk. What its reply says, or why a chunk without halves has none, is saved.
async fn ask_once(
    ctx: &Context,
    instrument: Instrument,
    of: &Asked<'_>,
    chunk: Range<usize>,
) -> Result<Ended> {
    let shown = of.sentences.shown(&chunk);
    let vars = json!({ "before": shown.before, "lines": shown.lines });
    let most = (EACH * chunk.len()).max(LEAST);
    let ask = Ask {
        role: ROLE,
        prompt: prompt(ctx)?,
        vars: &vars,
        schema: Some(if ctx.llm.is_builtin(ROLE, 0)? {
            narrow_schema(chunk.len(), most)
        } else {
            schema(&json!({ "type": "integer" }), most)
        }),
        max_tokens: tokens(&shown.lines, chunk.len()),
        check: &|reply: &Reply| check(reply, most),
        ..Ask::default()
    };
    let (answer, judge) = judging::ask(ctx, ask).await?;
    let texts = of.sentences.texts(&chunk).chain(shown.before.as_deref());
    let known = Known::new(chunk.len(), texts);
    let answer = answer.map(|reply| Checked::new(reply.statements, &known));
    let id = shown.id();
    let about = About {
        instrument,
        subject: of.id.as_str(),
        other: Some(&id),
        sample: 0,
        evidence: judging::seen(&vars),
        keep: json!({ "first": chunk.start + 1, "of": chunk.len() }),
    };
    let is_halved = |unscored: &Unscored| chunk.len() > 1 && !unscored.cause.is_transient();
    if !answer.value.as_ref().is_err_and(is_halved) {
        let judgement = judging::judgement(about, answer.value.as_ref(), &judge, &answer.call);
        ctx.store.save_judgement(&judgement)?;
    }
    Ok(Ended {
        chunk,
        cached: answer.cached,
        failed: answer.value.err(),
    })
}

fn check(reply: &Reply, most: usize) -> Result<(), Unscored> {
    let n = reply.statements.len();
    if n <= most {
        return Ok(());
    }
    Err(Unscored {
        cause: Cause::OutOfRange,
        reason: format!("{n} statements where at most {most} were asked for"),
    })
}

/// Tokens of the longest reply about lines: statements name what pronouns stand for, and each has
/// its numbers around it.
fn tokens(lines: &str, sentences: usize) -> u32 {
    let most = 3 * tokens_of(lines) + 60 * sentences + 100;
    most.min(MOST_TOKENS) as u32
}

/// The schema of a small model: it names a sentence that there is, and does not end before it
/// begins.
fn narrow_schema(sentences: usize, most: usize) -> Value {
    let numbers: Vec<usize> = (1..=sentences).collect();
    let mut schema = schema(&json!({ "type": "integer", "enum": numbers }), most);
    let statements = &mut schema["properties"]["statements"];
    statements["minItems"] = json!(1);
    let named = &mut statements["items"]["properties"]["sentences"];
    named["minItems"] = json!(1);
    named["maxItems"] = json!(2);
    schema
}

/// The schema of a reply. What names no sentence is refused later, alone, and not with its reply.
fn schema(number: &Value, most: usize) -> Value {
    let statement = object(&json!({
        "sentences": { "type": "array", "items": number },
        "text": { "type": "string", "maxLength": LONGEST }
    }));
    object(&json!({
        "statements": { "type": "array", "items": statement, "maxItems": most }
    }))
}

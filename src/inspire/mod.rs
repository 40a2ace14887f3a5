//! Here is a transcript: what in it could research start from? Each inspiration names the sentences that carry it.
//! Hides windows, the questions to the model (one per type) and the rules that an answer must pass.
//! Method: DeepResearch Arena, inspiration agent. Sentences are numbered and the model answers with numbers, so that
//! every quote is the transcript's own by construction.

mod cues;
mod ground;
mod numbered;

use std::{ops::Range, time::Instant};

use anyhow::{Context as _, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    context::{Context, Notice, StageReport},
    data::{CallId, Cause, Inspiration, InspirationType, Trait, Transcript, Unscored},
    llm::{Answer, Ask},
    store::{Rejection, SeminarInfo},
};
use numbered::Numbered;

/// At most so many inspirations are kept of one transcript (the paper's limit).
const MOST: usize = 10;
/// Questions to a small model for one idea.
const SMALL_TRIES: usize = 3;

/// How to read transcripts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Inspirations asked for at once, per type and window; 0 lets the model's size decide.
    pub per_type: usize,
    /// Sentences in one window.
    pub window: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { per_type: 0, window: 60 }
    }
}

/// The model's reply: ideas of the one type that was asked for. An empty list says that there is none.
#[derive(Debug, Deserialize, JsonSchema)]
struct Found {
    items: Vec<Idea>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Idea {
    /// Numbers of the sentences that carry the idea.
    sentences: Vec<usize>,
    /// The idea in one or two sentences.
    text: String,
    /// The traits that it shows.
    traits: Vec<Trait>,
}

impl Answer for Found {}

/// Extracts inspirations from the current transcripts of `seminars`, and saves those of a seminar together.
pub async fn run(ctx: &Context, seminars: &[SeminarInfo], options: &Options) -> Result<StageReport> {
    let started = Instant::now();
    let mut report = StageReport::new("inspire");
    (ctx.notify)(Notice::Start { stage: "inspire", total: seminars.len() as u64 * InspirationType::ALL.len() as u64 });
    for seminar in seminars {
        (ctx.notify)(Notice::Working(&seminar.path));
        let calls_before = ctx.llm.counts().made;
        extract(ctx, seminar, options, &mut report).await.with_context(|| format!("inspire: `{}`", seminar.path))?;
        if ctx.llm.counts().made > calls_before { report.done += 1 } else { report.skipped += 1 }
    }
    (ctx.notify)(Notice::End);
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

async fn extract(ctx: &Context, seminar: &SeminarInfo, options: &Options, report: &mut StageReport) -> Result<()> {
    let transcript = ctx.store.transcript(&seminar.transcript)?.context("the transcript is not in the database")?;
    let numbered = Numbered::new(&transcript);
    let mut kept: Vec<(Inspiration, CallId)> = Vec::new();
    let mut rejected: Vec<Rejection> = Vec::new();
    for window in numbered.windows(options.window) {
        for kind in InspirationType::ALL {
            let question = Question::new(ctx, &transcript, &numbered, window.clone(), kind, options)?;
            ask_until_grounded(ctx, &question, seminar, &mut kept, &mut rejected, report).await?;
            (ctx.notify)(Notice::Advance(1));
        }
    }
    keep_best(&mut kept, &mut rejected, report);
    ctx.store.save_inspirations(&seminar.id, &kept, &rejected)?;
    if kept.is_empty() {
        report.fail(
            &seminar.path,
            "no_inspiration",
            "nothing in the talk passed the rules\nhint: see `taskgen status`",
        );
    }
    Ok(())
}

/// One question: the ideas of one type in one window.
struct Question<'a> {
    transcript: &'a Transcript,
    numbered: &'a Numbered,
    window: Range<usize>,
    kind: InspirationType,
    /// Sentences that may be named.
    offered: Vec<usize>,
    most: usize,
    small: bool,
}

impl<'a> Question<'a> {
    fn new(
        ctx: &Context,
        transcript: &'a Transcript,
        numbered: &'a Numbered,
        window: Range<usize>,
        kind: InspirationType,
        options: &Options,
    ) -> Result<Self> {
        let small = ctx.llm.is_trial("inspire", 0)?;
        let most = match (options.per_type, small) {
            (0, true) => 1,
            (0, false) => 3,
            (n, _) => n,
        };
        // A small model loses its way among many sentences: it is shown those with a cue of the type, if there are any.
        let all = numbered.numbers(window.clone());
        let offered = if small { cues::offered(numbered, window.clone(), kind) } else { all };
        Ok(Self { transcript, numbered, window, kind, offered, most, small })
    }

    fn vars(&self, offered: &[usize]) -> Value {
        let lines =
            if self.small { self.numbered.some_lines(offered) } else { self.numbered.lines(self.window.clone()) };
        json!({
            "language": self.transcript.language,
            "lines": lines,
            "kind": self.kind.word(),
            "most": self.most,
        })
    }
}

/// Asks, and lets what comes pass the rules. A small model whose answer broke a rule is asked again without the
/// sentence that it chose, a few times; a large one has said what there is.
async fn ask_until_grounded(
    ctx: &Context,
    question: &Question<'_>,
    seminar: &SeminarInfo,
    kept: &mut Vec<(Inspiration, CallId)>,
    rejected: &mut Vec<Rejection>,
    report: &mut StageReport,
) -> Result<()> {
    let mut offered = question.offered.clone();
    let tries = if question.small { SMALL_TRIES } else { 1 };
    for _ in 0..tries {
        let before = kept.len();
        let (found, call) = ask(ctx, question, &offered).await?;
        let ideas = match found {
            Ok(found) => found.items,
            Err(unscored) => {
                report.fail_unscored(&format!("{} ({})", seminar.path, question.kind.word()), &unscored);
                return Ok(());
            }
        };
        for idea in ideas {
            offered.retain(|number| !idea.sentences.contains(number));
            match ground::inspiration(question.transcript, question.numbered, question.kind, idea, kept) {
                Ok(inspiration) => kept.push((inspiration, call.clone())),
                Err((rule, detail)) => {
                    report.reject(rule);
                    rejected.push(Rejection { rule: rule.to_owned(), detail, call: Some(call.clone()) });
                }
            }
        }
        if kept.len() > before || offered.is_empty() {
            break;
        }
    }
    Ok(())
}

async fn ask(ctx: &Context, question: &Question<'_>, offered: &[usize]) -> Result<(Result<Found, Unscored>, CallId)> {
    let vars = question.vars(offered);
    let answer = ctx
        .llm
        .ask::<Found>(Ask {
            role: "inspire",
            prompt: if question.small { "inspire/idea-short" } else { "inspire/ideas" },
            vars: &vars,
            schema: Some(schema(offered, question.most, question.small)),
            max_tokens: 220 * question.most as u32 + 60,
            check: &|found| check(found, offered, question.most),
            ..Ask::default()
        })
        .await?;
    Ok((answer.value, answer.call))
}

/// The reply's schema with the sentence numbers as an enum, so that a constrained decoder cannot invent one.
fn schema(offered: &[usize], most: usize, small: bool) -> Value {
    json!({
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                // Offered an empty list, a small model takes it; what it then finds must pass the rules all the same.
                "minItems": usize::from(small),
                "maxItems": most,
                "items": {
                    "type": "object",
                    "properties": {
                        "sentences": {
                            "type": "array", "minItems": 1, "maxItems": if small { 1 } else { 3 },
                            "items": { "type": "integer", "enum": offered }
                        },
                        "text": { "type": "string", "minLength": 20, "maxLength": if small { 260 } else { 900 } },
                        "traits": {
                            "type": "array", "minItems": if small { 2 } else { 0 }, "maxItems": 4,
                            "items": { "type": "string", "enum": ["novelty", "explorability", "challenge", "verifiability"] }
                        }
                    },
                    "required": ["sentences", "text", "traits"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["items"],
        "additionalProperties": false
    })
}

/// What serde cannot say: no more items than asked, and only sentences that were shown.
fn check(found: &Found, offered: &[usize], most: usize) -> Result<(), Unscored> {
    if found.items.len() > most {
        let reason = format!("at most {most} items were asked for, {} came", found.items.len());
        return Err(Unscored { cause: Cause::OutOfRange, reason });
    }
    for number in found.items.iter().flat_map(|item| &item.sentences) {
        if !offered.contains(number) {
            return Err(Unscored {
                cause: Cause::UnknownReference,
                reason: format!("sentence {number} was not offered"),
            });
        }
    }
    Ok(())
}

/// Above the limit, the first of each type in turn are kept, so that no type crowds out another.
fn keep_best(kept: &mut Vec<(Inspiration, CallId)>, rejected: &mut Vec<Rejection>, report: &mut StageReport) {
    if kept.len() <= MOST {
        return;
    }
    let mut seen = std::collections::BTreeMap::<InspirationType, usize>::new();
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (index, (inspiration, _)) in kept.iter().enumerate() {
        let turn = seen.entry(inspiration.kind).or_default();
        order.push((*turn, index));
        *turn += 1;
    }
    order.sort_unstable();
    let mut chosen: Vec<usize> = order.iter().take(MOST).map(|(_, index)| *index).collect();
    chosen.sort_unstable();
    for (index, (inspiration, call)) in kept.iter().enumerate() {
        if !chosen.contains(&index) {
            report.reject("more_than_ten");
            let detail = inspiration.text.clone();
            rejected.push(Rejection { rule: "more_than_ten".into(), detail, call: Some(call.clone()) });
        }
    }
    *kept = chosen.into_iter().map(|index| kept[index].clone()).collect();
}

/// The seminars that are asked for by id prefix or path; all when `names` is empty.
pub fn select(seminars: Vec<SeminarInfo>, names: &[String]) -> Result<Vec<SeminarInfo>> {
    if names.is_empty() {
        return Ok(seminars);
    }
    let matches = |name: &str, s: &SeminarInfo| s.path == name || s.id.as_str().starts_with(name);
    for name in names {
        anyhow::ensure!(
            seminars.iter().any(|s| matches(name, s)),
            "no such seminar: `{name}`\nhint: `taskgen status` lists them"
        );
    }
    Ok(seminars.into_iter().filter(|s| names.iter().any(|name| matches(name, s))).collect())
}

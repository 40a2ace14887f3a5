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
    context::{self, Context, Notice, StageReport},
    data::{CallId, Cause, Inspiration, InspirationType, Trait, Transcript, Unscored},
    llm::{Answer, Answered, Ask},
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
#[serde(deny_unknown_fields)]
struct Found {
    items: Vec<Idea>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
    let mut talks = Vec::new();
    for seminar in seminars {
        let transcript = ctx.store.transcript(&seminar.transcript)?.context("the transcript is not in the database")?;
        let numbered = Numbered::new(&transcript);
        talks.push(Talk { seminar, transcript, numbered });
    }
    let windows: usize = talks.iter().map(|talk| talk.numbered.windows(options.window).len()).sum();
    (ctx.notify)(Notice::Start { stage: "inspire", total: (windows * InspirationType::ALL.len()) as u64 });
    // As many talks at once as the model takes questions.
    for of_talk in context::all(&talks, ctx.llm.parallel("inspire"), |talk| extract(ctx, talk, options)).await? {
        report.absorb(of_talk);
    }
    (ctx.notify)(Notice::End);
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// A seminar's text, read.
struct Talk<'a> {
    seminar: &'a SeminarInfo,
    transcript: Transcript,
    numbered: Numbered,
}

/// What one talk has given so far.
struct Harvest {
    kept: Vec<(Inspiration, CallId)>,
    rejected: Vec<Rejection>,
    report: StageReport,
    /// Whether a model had to be asked.
    asked: bool,
    /// Whether an answer is missing that another run may get.
    lost: bool,
}

impl Harvest {
    fn refuse(&mut self, rule: &str, detail: String, call: &CallId) {
        self.report.reject(rule);
        self.rejected.push(Rejection { rule: rule.to_owned(), detail, call: Some(call.clone()) });
    }
}

async fn extract(ctx: &Context, talk: &Talk<'_>, options: &Options) -> Result<StageReport> {
    let path = &talk.seminar.path;
    (ctx.notify)(Notice::Working(path));
    let report = StageReport::new("inspire");
    let mut harvest = Harvest { kept: Vec::new(), rejected: Vec::new(), report, asked: false, lost: false };
    for window in talk.numbered.windows(options.window) {
        for kind in InspirationType::ALL {
            let question = Question::new(ctx, talk, window.clone(), kind, options)?;
            let asked = ask_until_grounded(ctx, &question, &mut harvest).await;
            asked.with_context(|| format!("inspire: `{path}`"))?;
            (ctx.notify)(Notice::Advance(1));
        }
    }
    if harvest.lost {
        // What is on record stays in force: the next run asks what is missing, and then has the whole.
        return Ok(harvest.report);
    }
    keep_best(&mut harvest);
    let Harvest { kept, rejected, mut report, asked, .. } = harvest;
    ctx.store.save_inspirations(&talk.seminar.id, &kept, &rejected)?;
    if kept.is_empty() {
        report.fail(path, "no_inspiration", "nothing in the talk passed the rules\nhint: see `taskgen status`");
    }
    *(if asked { &mut report.done } else { &mut report.skipped }) += 1;
    Ok(report)
}

/// One question: the ideas of one type in one window.
struct Question<'a> {
    talk: &'a Talk<'a>,
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
        talk: &'a Talk<'a>,
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
        let numbered = &talk.numbered;
        let all = numbered.numbers(window.clone());
        let offered = if small { cues::offered(numbered, window.clone(), kind) } else { all };
        Ok(Self { talk, window, kind, offered, most, small })
    }

    fn vars(&self, offered: &[usize]) -> Value {
        let numbered = &self.talk.numbered;
        let lines = if self.small { numbered.some_lines(offered) } else { numbered.lines(self.window.clone()) };
        json!({
            "language": self.talk.transcript.language,
            "lines": lines,
            "kind": self.kind.word(),
            "most": self.most,
        })
    }
}

/// Asks, and lets what comes pass the rules. A small model whose answer broke a rule is asked again without the
/// sentence that it chose, a few times; a large one has said what there is.
async fn ask_until_grounded(ctx: &Context, question: &Question<'_>, harvest: &mut Harvest) -> Result<()> {
    let talk = question.talk;
    let mut offered = question.offered.clone();
    let tries = if question.small { SMALL_TRIES } else { 1 };
    for _ in 0..tries {
        let before = harvest.kept.len();
        let answer = ask(ctx, question, &offered).await?;
        harvest.asked |= !answer.cached;
        let ideas = match answer.value {
            Ok(found) => found.items,
            Err(unscored) => {
                harvest.lost |= unscored.cause.is_transient();
                harvest.report.fail_unscored(&format!("{} ({})", talk.seminar.path, question.kind.word()), &unscored);
                return Ok(());
            }
        };
        for idea in ideas {
            offered.retain(|number| !idea.sentences.contains(number));
            match ground::inspiration(&talk.transcript, &talk.numbered, question.kind, idea, &harvest.kept) {
                Ok(inspiration) => harvest.kept.push((inspiration, answer.call.clone())),
                Err((rule, detail)) => harvest.refuse(rule, detail, &answer.call),
            }
        }
        if harvest.kept.len() > before || offered.is_empty() {
            break;
        }
    }
    Ok(())
}

async fn ask(ctx: &Context, question: &Question<'_>, offered: &[usize]) -> Result<Answered<Found>> {
    let vars = question.vars(offered);
    Ok(ctx
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
        .await?)
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
fn keep_best(harvest: &mut Harvest) {
    let kept = std::mem::take(&mut harvest.kept);
    if kept.len() <= MOST {
        harvest.kept = kept;
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
    let chosen: Vec<usize> = order.iter().take(MOST).map(|(_, index)| *index).collect();
    for (index, (inspiration, call)) in kept.into_iter().enumerate() {
        if chosen.contains(&index) {
            harvest.kept.push((inspiration, call));
        } else {
            harvest.refuse("more_than_ten", inspiration.text, &call);
        }
    }
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

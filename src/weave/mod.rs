//! Here are the inspirations of a seminar: what should a researcher do about them? Five to eight tasks, every phase.
//! Hides the plan (which family for which inspiration), the questions to the model, and the rules a task must pass.
//! Method: DeepResearch Arena, task weaver. One narrow question per task; a broken rule goes back once, then counts.

mod plan;
pub mod rules;

use std::{collections::BTreeMap, time::Instant};

use anyhow::{Context as _, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    context::{self, Context, Notice, StageReport},
    data::{CallId, Cause, Difficulty, Inspiration, Phase, Task, TaskId, Unscored},
    llm::{Answer, Answered, Ask},
    store::{Rejection, SeminarInfo},
    text::words::key_words,
};
use plan::Slot;
use rules::Broken;

/// A seminar with fewer tasks falls short (the paper asks for five to eight).
pub const FEWEST: usize = 5;
/// Tries at one task.
const TRIES: u64 = 2;
/// Key words of an inspiration that a frame offers.
const KEY_WORDS: usize = 14;

/// How many tasks to weave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Tasks per seminar, 5 to 8.
    pub per_seminar: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { per_seminar: 6 }
    }
}

/// The model's reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Woven {
    /// What the researcher is asked to do, with the deliverable.
    task: String,
    /// Basic: public data and at most three hours. Advanced: new data, tools or reasoning.
    difficulty: Difficulty,
}

impl Answer for Woven {}

/// Weaves the current inspirations of `seminars` into tasks, and saves those of a seminar together.
pub async fn run(ctx: &Context, seminars: &[SeminarInfo], options: &Options) -> Result<StageReport> {
    let started = Instant::now();
    let mut report = StageReport::new("weave");
    (ctx.notify)(Notice::Start { stage: "weave", total: (seminars.len() * options.per_seminar) as u64 });
    // As many seminars at once as the model takes questions.
    for woven in context::all(seminars, ctx.llm.parallel("weave"), |seminar| weave(ctx, seminar, options)).await? {
        report.absorb(woven);
    }
    (ctx.notify)(Notice::End);
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// What one seminar has given so far.
struct Loom {
    kept: Vec<(Task, CallId)>,
    rejected: Vec<Rejection>,
    report: StageReport,
    /// Whether a model had to be asked.
    asked: bool,
}

impl Loom {
    fn refuse(&mut self, rule: &str, detail: String, call: CallId) {
        self.report.reject(rule);
        self.rejected.push(Rejection { rule: rule.to_owned(), detail, call: Some(call) });
    }
}

async fn weave(ctx: &Context, seminar: &SeminarInfo, options: &Options) -> Result<StageReport> {
    (ctx.notify)(Notice::Working(&seminar.path));
    let mut inspirations = ctx.store.inspirations(Some(&seminar.id))?;
    // Those of an earlier version of the text would lead back to what is no longer there.
    inspirations.retain(|inspiration| inspiration.transcript == seminar.transcript);
    if inspirations.is_empty() {
        let mut report = StageReport::new("weave");
        report.fail(
            &seminar.path,
            "no_inspirations",
            "the transcript has no inspirations\nhint: `taskgen inspire` finds them",
        );
        return Ok(report);
    }
    let mut plan = plan::Plan::new(&inspirations);
    let mut loom = Loom { kept: Vec::new(), rejected: Vec::new(), report: StageReport::new("weave"), asked: false };
    let mut predicted = 0;
    while loom.kept.len() + predicted < options.per_seminar {
        let chosen: Vec<&Task> = loom.kept.iter().map(|(task, _)| task).collect();
        let Some(slot) = plan.next(&chosen, options.per_seminar) else { break };
        let attempt = attempt(ctx, seminar, &slot, &mut loom).await;
        match attempt.with_context(|| format!("weave: `{}`", seminar.path))? {
            Attempt::Woven(task, call) => {
                loom.kept.push((*task, call));
                (ctx.notify)(Notice::Advance(1));
            }
            // The question stays asked, so that the next best one comes next.
            Attempt::Refused => {}
            Attempt::NotAsked => predicted += 1,
            // What is on record stays in force: the next run asks again, and then has the whole.
            Attempt::Lost(unscored) => {
                loom.report.fail_unscored(&seminar.path, &unscored);
                return Ok(loom.report);
            }
        }
    }
    let Loom { kept, rejected, mut report, asked } = loom;
    ctx.store.save_tasks(&seminar.id, &kept, &rejected)?;
    fall_short(seminar, &kept, &rejected, &mut report);
    *(if asked { &mut report.done } else { &mut report.skipped }) += 1;
    Ok(report)
}

/// What came of one question.
enum Attempt {
    Woven(Box<Task>, CallId),
    Refused,
    NotAsked,
    /// No answer now; another run may get one.
    Lost(Unscored),
}

/// Asks for one task, a few times at most: what breaks a rule goes back with the exact reason. A small model, which an
/// explanation only confuses, draws again instead, from a seed of its own for each try.
async fn attempt(ctx: &Context, seminar: &SeminarInfo, slot: &Slot<'_>, loom: &mut Loom) -> Result<Attempt> {
    let small = ctx.llm.is_trial("weave", 0)?;
    let mut broken: Option<(Broken, String)> = None;
    for number in 0..TRIES {
        let question = Question { small, number, broken: broken.as_ref() };
        let answer = ask(ctx, seminar, slot, &question).await?;
        loom.asked |= !answer.cached;
        let woven = match answer.value {
            Ok(woven) => woven,
            Err(unscored) if unscored.cause == Cause::NotAsked => return Ok(Attempt::NotAsked),
            Err(unscored) if unscored.cause.is_transient() => return Ok(Attempt::Lost(unscored)),
            Err(unscored) => {
                loom.refuse(unscored.cause.word(), unscored.reason, answer.call);
                // The same question has the same answer; only a small model is asked another one.
                if small {
                    continue;
                }
                return Ok(Attempt::Refused);
            }
        };
        let task = task(seminar, slot, woven);
        let others: Vec<&Task> = loom.kept.iter().map(|(task, _)| task).collect();
        match rules::check(&task, slot.inspiration, &others) {
            Ok(()) => return Ok(Attempt::Woven(Box::new(task), answer.call)),
            Err(rule) => {
                loom.refuse(rule.name(), task.task.clone(), answer.call);
                broken = Some((rule, task.task));
            }
        }
    }
    Ok(Attempt::Refused)
}

/// How a task is asked for.
struct Question<'a> {
    small: bool,
    /// 0 for the first try.
    number: u64,
    /// What was wrong with the last one.
    broken: Option<&'a (Broken, String)>,
}

async fn ask(
    ctx: &Context,
    seminar: &SeminarInfo,
    slot: &Slot<'_>,
    question: &Question<'_>,
) -> Result<Answered<Woven>> {
    let chinese = seminar.language.starts_with("zh");
    let quotes: Vec<String> = slot.inspiration.evidence.iter().map(|e| e.quote.replace('\n', " ")).collect();
    let vars = json!({
        "language": seminar.language,
        "idea": slot.inspiration.text,
        "quotes": quotes,
        "family": plan::describe(slot.task_type, chinese),
        "opening": plan::frame(slot.task_type, chinese).0,
        "deliverable": plan::deliverable(slot.task_type, chinese),
        "broken": question.broken.map(|(rule, text)| json!({ "text": text, "reason": rule.reason(chinese) })),
    });
    let again = question.small && question.number > 0;
    Ok(ctx
        .llm
        .ask::<Woven>(Ask {
            role: "weave",
            prompt: if question.small { "weave/task-short" } else { "weave/task" },
            vars: &vars,
            schema: Some(schema(slot, chinese, question.small)),
            max_tokens: 260,
            temperature: if again { 0.7 } else { 0.0 },
            seed: if again { ctx.seed.wrapping_add(question.number) } else { 0 },
            ..Ask::default()
        })
        .await?)
}

/// The reply's schema. A large model has room; a small one fills in a frame, so that the task is whole sentences,
/// begins as its family does, speaks of its inspiration and names what is handed in.
fn schema(slot: &Slot<'_>, chinese: bool, small: bool) -> Value {
    let text = match (small, chinese) {
        (true, _) => json!({ "type": "string", "pattern": frame(slot, chinese) }),
        (false, false) => json!({ "type": "string", "minLength": 120, "maxLength": 700 }),
        (false, true) => json!({ "type": "string", "minLength": 30, "maxLength": 180 }),
    };
    json!({
        "type": "object",
        "properties": { "task": text, "difficulty": { "type": "string", "enum": ["basic", "advanced"] } },
        "required": ["task", "difficulty"],
        "additionalProperties": false
    })
}

/// The frame as a regular expression: two statements with a key word of the inspiration each, then the deliverable.
fn frame(slot: &Slot<'_>, chinese: bool) -> String {
    let (opening, next) = plan::frame(slot.task_type, chinese);
    let deliverable = plan::deliverable(slot.task_type, chinese);
    let key = format!("({})", key_words(&slot.inspiration.text, KEY_WORDS).join("|"));
    if chinese {
        let han = "[\u{4e00}-\u{9fff}]";
        return format!(
            "^{opening}{han}{{0,12}}{key}{han}{{2,16}}，{next}{han}{{0,14}}{key}{han}{{2,20}}，最后交{deliverable}。$"
        );
    }
    let last = "([a-zA-Z][a-zA-Z'-]{0,16}|[0-9]{1,4}(\\.[0-9]{1,2})?)";
    let word = format!("{last},?");
    format!(
        "^{opening} ({word} ){{0,8}}{key} ({word} ){{1,12}}{last}\\. {next} ({word} ){{0,12}}{key} ({word} ){{2,16}}{last}\\. Hand in {deliverable}\\.$"
    )
}

fn task(seminar: &SeminarInfo, slot: &Slot<'_>, woven: Woven) -> Task {
    let text = woven.task.split_whitespace().collect::<Vec<_>>().join(" ");
    let inspirations = vec![slot.inspiration.id.clone()];
    let kind = slot.task_type.label();
    Task {
        id: TaskId::of(&[slot.inspiration.id.as_str(), kind, &text]),
        seminar: seminar.id.clone(),
        phase: slot.task_type.phase(),
        task_type: slot.task_type,
        difficulty: woven.difficulty,
        language: seminar.language.clone(),
        discipline: seminar.discipline.clone().unwrap_or_else(|| "other".to_owned()),
        task: text,
        inspirations,
    }
}

/// Lists a seminar with too few tasks or a phase missing, with the rules that refused the rest.
fn fall_short(seminar: &SeminarInfo, kept: &[(Task, CallId)], rejected: &[Rejection], report: &mut StageReport) {
    let missing: Vec<&str> = Phase::ALL
        .iter()
        .filter(|phase| !kept.iter().any(|(task, _)| task.phase == **phase))
        .map(|phase| phase.label())
        .collect();
    if kept.len() >= FEWEST && missing.is_empty() {
        return;
    }
    let mut by_rule: BTreeMap<&str, usize> = BTreeMap::new();
    for rejection in rejected {
        *by_rule.entry(&rejection.rule).or_default() += 1;
    }
    let rules: Vec<String> = by_rule.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
    let missing = if missing.is_empty() { String::new() } else { format!(", no task of {}", missing.join(", ")) };
    report.fail(
        &seminar.path,
        "too_few_tasks",
        format!(
            "{} of at least {FEWEST} tasks{missing}; refused by rule: {}\nhint: a larger model for the role `weave` breaks fewer rules",
            kept.len(),
            if rules.is_empty() { "none".to_owned() } else { rules.join(", ") }
        ),
    );
}

/// What the rules see of an inspiration.
pub(crate) fn words_of(inspiration: &Inspiration) -> String {
    let mut words = inspiration.text.clone();
    for evidence in &inspiration.evidence {
        words.push('\n');
        words.push_str(&evidence.quote);
    }
    words
}

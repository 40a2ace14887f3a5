//! Here are the inspirations of a seminar: what should a researcher do about them? Five to eight
//! tasks, every phase. Hides the plan (which family for which inspirations), the questions to the
//! model, and the rules a task must pass. Method: DeepResearch Arena, task weaver. One narrow
//! question per task; a broken rule goes back once, then counts.

mod across;
mod ask;
pub mod disciplines;
mod edit;
#[cfg(test)]
mod good_replies;
mod plan;
pub mod rules;
mod sentences;
mod subject;
mod translate;
mod wording;

use std::{collections::BTreeMap, time::Instant};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::{
    context::{self, Context, Harvest, Notice, StageReport},
    data::{
        CallId, Cause, Facets, FromSeminar, Id, Inspiration, Origin, Phase, SeminarId, Task,
        TaskId, Unscored, is_read, other_language, primary_language,
    },
    store::{Rejection, SeminarInfo, Weaving},
    text::words::one_line,
};
pub use across::across;
use ask::{Question, Woven};
use disciplines::Disciplines;
pub use edit::edited;
use plan::{Plan, Slot};
use rules::{Broken, Material};
use subject::Subject;
pub use translate::translate;

/// The code that can fill the role `weave`.
pub const CODE: &str = "code/sentences";

/// Tries at one task.
const TRIES: u64 = 2;

/// Which tasks to weave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Tasks per seminar, 5 to 8.
    pub per_seminar: usize,
    /// Language of the tasks: `talk`, or a tag such as `en`.
    pub language: String,
    /// Tasks that join two seminars; none, in a file 0, leaves those that there are, and a 0 that
    /// is asked for removes them.
    #[serde(with = "none_is_zero")]
    pub across: Option<usize>,
    /// Languages into which each task is translated.
    pub translate: Vec<String>,
}

mod none_is_zero {
    use serde::{Deserialize as _, Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "what serde asks for")]
    pub fn serialize<S: Serializer>(value: &Option<usize>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(value.unwrap_or(0) as u64)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
        Ok(Some(usize::deserialize(from)?).filter(|n| *n > 0))
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            per_seminar: 6,
            language: TALK.to_owned(),
            across: None,
            translate: Vec::new(),
        }
    }
}

impl Options {
    /// What the types cannot say.
    pub fn check(&self) -> Result<(), String> {
        if !(rules::FEWEST..=rules::MOST).contains(&self.per_seminar) {
            return Err(format!(
                "weave.per_seminar must be {} to {}: `{}`",
                rules::FEWEST,
                rules::MOST,
                self.per_seminar
            ));
        }
        let own = (self.language != TALK).then_some(&self.language);
        let mut primary: Vec<&str> = self
            .translate
            .iter()
            .map(|tag| primary_language(tag))
            .collect();
        primary.sort_unstable();
        if primary.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(format!(
                "a language is named twice: `{}`",
                self.translate.join(",")
            ));
        }
        match own
            .into_iter()
            .chain(&self.translate)
            .find(|tag| !is_read(tag))
        {
            Some(other) => Err(format!(
                "tasks cannot be written in `{other}`\nhint: en or zh; the rules that check tasks read no other language"
            )),
            None => Ok(()),
        }
    }
}

/// The tasks are in the language of their talk.
pub const TALK: &str = "talk";

/// Weaves the current inspirations of `seminars` into tasks, and saves those of a seminar together.
pub async fn run(
    ctx: &Context,
    seminars: &[SeminarInfo],
    options: &Options,
    disciplines: &Disciplines,
) -> Result<StageReport> {
    let started = Instant::now();
    let mut report = StageReport::new("weave");
    (ctx.notify)(Notice::Start {
        stage: "weave",
        total: (seminars.len() * options.per_seminar) as u64,
    });
    let weave = |seminar| weave(ctx, seminar, options, disciplines);
    // As many seminars at once as the model takes questions.
    for woven in context::all(seminars, ctx.llm.parallel("weave"), weave).await? {
        report.absorb(woven);
    }
    (ctx.notify)(Notice::End);
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

fn by_id(seminars: &[SeminarInfo]) -> BTreeMap<&SeminarId, &SeminarInfo> {
    seminars
        .iter()
        .map(|seminar| (&seminar.id, seminar))
        .collect()
}

/// The tasks of a seminar while they are woven: what is kept and refused so far.
struct Loom<'a> {
    seminar: &'a SeminarInfo,
    language: &'a str,
    people: Vec<String>,
    disciplines: &'a Disciplines,
    /// Tasks of others that must not be repeated.
    others: Vec<Task>,
    kept: Vec<(Task, Option<CallId>)>,
    rejected: Vec<Rejection>,
    report: StageReport,
    harvest: Harvest,
    /// Whether a model had to be asked.
    asked: bool,
    /// Replies that could not be read.
    unreadable: u64,
}

impl<'a> Loom<'a> {
    fn new(
        seminar: &'a SeminarInfo,
        people: Vec<String>,
        options: &'a Options,
        disciplines: &'a Disciplines,
    ) -> Self {
        let language = if options.language == TALK {
            &seminar.language
        } else {
            &options.language
        };
        let harvest = Harvest {
            item: seminar.path.clone(),
            ..Harvest::default()
        };
        Self {
            seminar,
            language,
            people,
            disciplines,
            others: Vec::new(),
            kept: Vec::new(),
            rejected: Vec::new(),
            report: StageReport::new("weave"),
            harvest,
            asked: false,
            unreadable: 0,
        }
    }

    fn refuse(&mut self, rule: &str, detail: String, call: Option<CallId>) {
        self.report.reject(rule);
        *self.harvest.rejected.entry(rule.to_owned()).or_default() += 1;
        self.rejected.push(Rejection {
            rule: rule.to_owned(),
            detail,
            call,
        });
    }

    fn kept(&self) -> Vec<&Task> {
        self.kept.iter().map(|(task, _)| task).collect()
    }

    fn keep(&mut self, task: Task, call: Option<CallId>) {
        self.harvest.sound += 1;
        self.kept.push((task, call));
    }

    /// Whether a task from these inspirations keeps the rules that hold whoever wrote it.
    fn passes(&self, task: &Task, sources: &[&Inspiration]) -> Result<(), Broken> {
        let words: Vec<String> = sources.iter().map(|source| source.words()).collect();
        let material = Material {
            words: &words.join("\n"),
            people: &self.people,
        };
        rules::check(task, material, &self.kept())?;
        rules::new_beside(task, &self.others)
    }

    /// The texts of this seminar's tasks that rest on an inspiration of the slot. The others are
    /// not shown to the model, so that a task does not change with tasks that it has nothing to do
    /// with.
    fn written_from(&self, slot: &Slot<'_>) -> Vec<String> {
        let of_the_same = self.kept.iter().filter(|(task, _)| {
            let mut sources = slot.sources.iter();
            sources.any(|source| task.inspirations().contains(&source.id))
        });
        of_the_same.map(|(task, _)| task.text.clone()).collect()
    }

    /// The task that a reply is, from these inspirations.
    fn task(&self, slot: &Slot<'_>, sources: &[&Inspiration], woven: Woven) -> Task {
        let text = one_line(&woven.task);
        let family = woven.task_type.unwrap_or(slot.families[0]);
        let inspirations: Vec<_> = sources
            .iter()
            .map(|inspiration| inspiration.id.clone())
            .collect();
        let mut parts: Vec<&str> = inspirations.iter().map(Id::as_str).collect();
        parts.extend([family.label(), &text]);
        let chosen = woven
            .discipline
            .filter(|chosen| self.disciplines.ids().contains(&chosen.as_str()));
        let of_talk = self
            .seminar
            .discipline
            .as_deref()
            .map(|called| self.disciplines.resolve(called));
        Task {
            id: TaskId::from_parts(&parts),
            text,
            language: self.language.to_owned(),
            as_of: None,
            edited: None,
            facets: Facets::of_family(
                family,
                woven.difficulty,
                of_talk
                    .or(chosen)
                    .unwrap_or_else(|| disciplines::OTHER.to_owned()),
            ),
            origin: Origin::Seminar(FromSeminar {
                seminar: slot.sources[0].seminar.clone(),
                inspirations,
                translation_of: None,
            }),
        }
    }
}

async fn weave(
    ctx: &Context,
    seminar: &SeminarInfo,
    options: &Options,
    disciplines: &Disciplines,
) -> Result<StageReport> {
    let started = Instant::now();
    (ctx.notify)(Notice::Working(&seminar.path));
    let by_code = ctx.llm.is_code("weave", 0)?;
    if let Some(message) = wrong_language(seminar, options, by_code) {
        return Ok(failed(seminar, "other_language", &message));
    }
    // Those of an earlier version of the text would lead back to what is no longer there.
    let mut inspirations = ctx.store.inspirations_of(seminar)?;
    let found = inspirations.len();
    if found == 0 && !ctx.store.inspirations(Some(&seminar.id))?.is_empty() {
        let message = "its text has changed since inspirations were found; its tasks stay\nhint: `taskgen inspire`";
        return Ok(failed(seminar, "not_read_yet", message));
    }
    inspirations.retain(Inspiration::stands);
    if inspirations.is_empty() {
        return without_inspirations(ctx, seminar, found);
    }
    let mut loom = Loom::new(seminar, seminar.people(), options, disciplines);
    if by_code {
        let transcript = ctx.store.transcript(&seminar.transcript)?;
        let talk = transcript.map_or_else(String::new, |transcript| transcript.text());
        let subject = Subject::new(seminar, &talk);
        compose_all(ctx, &inspirations, &subject, &mut loom, options.per_seminar);
        return save(ctx, loom, started);
    }
    let plan = Plan::new(&inspirations, true);
    let lost = attempt_all(ctx, plan, &mut loom, options.per_seminar)
        .await
        .with_context(|| format!("weave: `{}`", seminar.path))?;
    if let Some(unscored) = lost {
        loom.report.fail_unscored(&seminar.path, &unscored);
        return Ok(loom.report);
    }
    save(ctx, loom, started)
}

/// Why no tasks of the seminar can be written in the language that was asked for, if so.
fn wrong_language(seminar: &SeminarInfo, options: &Options, by_code: bool) -> Option<String> {
    let language = options.language.as_str();
    if language == TALK {
        return (!is_read(&seminar.language)).then(|| other_language(&seminar.language));
    }
    (by_code && primary_language(language) != primary_language(&seminar.language)).then(|| {
        "code writes tasks in the language of the talk only, in its words; the tasks that were there stay\nhint: `--language talk`, or `--model-role weave=PROVIDER/MODEL`".to_owned()
    })
}

/// Puts sentences of the talk into the program's own, until there are enough tasks or the plan has
/// no more.
fn compose_all(
    ctx: &Context,
    inspirations: &[Inspiration],
    subject: &Subject,
    loom: &mut Loom<'_>,
    most: usize,
) {
    let mut plan = Plan::new(inspirations, false);
    while loom.kept.len() < most {
        let Some(slot) = plan.next(&loom.kept(), most) else {
            break;
        };
        if compose(&slot, subject, loom) {
            (ctx.notify)(Notice::Advance(1));
        }
    }
}

/// Composes a task from the first sentence of the idea with which it passes the rules. Whether
/// there is one.
fn compose(slot: &Slot<'_>, subject: &Subject, loom: &mut Loom<'_>) -> bool {
    let (inspiration, family) = (slot.sources[0], slot.families[0]);
    for claim in sentences::claims(inspiration) {
        let woven = Woven {
            also: Vec::new(),
            task_type: Some(family),
            task: sentences::text(family, inspiration.kind, &claim, subject),
            difficulty: sentences::difficulty(family),
            discipline: None,
        };
        loom.harvest.found += 1;
        let task = loom.task(slot, &slot.sources, woven);
        match loom.passes(&task, &slot.sources) {
            Ok(()) => {
                loom.keep(task, None);
                return true;
            }
            Err(rule) => loom.refuse(rule.name(), task.text, None),
        }
    }
    false
}

/// Asks for tasks until there are enough of them or the plan has no more questions; returns why an
/// answer is missing that another run may get. What is on record stays in force: that run asks what
/// is missing, and then has the whole.
async fn attempt_all(
    ctx: &Context,
    mut plan: Plan<'_>,
    loom: &mut Loom<'_>,
    most: usize,
) -> Result<Option<Unscored>> {
    let mut predicted = 0;
    while loom.kept.len() + predicted < most {
        let Some(slot) = plan.next(&loom.kept(), most) else {
            break;
        };
        match attempt(ctx, &slot, loom).await? {
            Attempt::Woven => (ctx.notify)(Notice::Advance(1)),
            // The question stays asked, so that the next best one comes next.
            Attempt::Refused => {}
            Attempt::NotAsked => predicted += 1,
            Attempt::Lost(unscored) => return Ok(Some(unscored)),
        }
    }
    Ok(None)
}

/// Saves the tasks of a seminar in place of those that were there, unless unreadable replies would
/// make them fewer.
fn save(ctx: &Context, mut loom: Loom<'_>, started: Instant) -> Result<StageReport> {
    let seminar = loom.seminar;
    let standing = ctx.store.count_tasks(Weaving::Seminar(&seminar.id))?;
    if loom.unreadable > 0 && loom.kept.len() < rules::FEWEST.min(standing) {
        let message = format!(
            "{} replies could not be read; the tasks that were there stay\nhint: `taskgen calls --failed` shows them",
            loom.unreadable
        );
        loom.report
            .fail(&seminar.path, "unreadable_replies", message);
        return Ok(loom.report);
    }
    let missing = missing(&loom);
    let Loom {
        kept,
        rejected,
        mut report,
        mut harvest,
        asked,
        ..
    } = loom;
    let changed = ctx.store.save_tasks(
        Weaving::Seminar(&seminar.id),
        &kept,
        &by_seminar(&seminar.id, rejected),
    )?;
    if let Some(message) = missing {
        report.fail(&seminar.path, "too_few_tasks", message);
    }
    harvest.kept = kept.len() as u64;
    harvest.seconds = started.elapsed().as_secs_f64();
    report.harvests.push(harvest);
    report.count(!(asked || changed));
    Ok(report)
}

/// The outcome for a seminar all of whose inspirations are rejected: its tasks go with them.
fn without_inspirations(ctx: &Context, seminar: &SeminarInfo, found: usize) -> Result<StageReport> {
    ctx.store.save_tasks(
        Weaving::Seminar(&seminar.id),
        &[],
        &by_seminar(&seminar.id, Vec::new()),
    )?;
    if found == 0 {
        let message = "no inspirations were found in it\nhint: `taskgen inspire` if it has not run yet; a talk without any has no tasks";
        return Ok(failed(seminar, "no_inspirations", message));
    }
    let hint = "`taskgen inspirations list` says by whom, `taskgen inspirations review --again` decides anew";
    Ok(failed(
        seminar,
        "all_rejected",
        &format!("all {found} inspirations are rejected\nhint: {hint}"),
    ))
}

/// A seminar without tasks, and why.
fn failed(seminar: &SeminarInfo, cause: &str, message: &str) -> StageReport {
    let mut report = StageReport::new("weave");
    report.fail(&seminar.path, cause, message);
    report
}

fn by_seminar(
    seminar: &SeminarId,
    rejected: Vec<Rejection>,
) -> BTreeMap<SeminarId, Vec<Rejection>> {
    BTreeMap::from([(seminar.clone(), rejected)])
}

/// The outcome of one question.
enum Attempt {
    Woven,
    Refused,
    NotAsked,
    /// No answer now; another run may get one.
    Lost(Unscored),
}

/// Asks for one task, a few times at most: what breaks a rule goes back with the exact reason.
async fn attempt(ctx: &Context, slot: &Slot<'_>, loom: &mut Loom<'_>) -> Result<Attempt> {
    let ids = loom.disciplines.ids();
    let choose = loom.seminar.discipline.is_none();
    let examples = ask::examples(ctx.llm.examples(ask::PROMPT)?);
    let of_the_same = loom.written_from(slot);
    let written: Vec<&str> = of_the_same.iter().map(String::as_str).collect();
    let mut broken: Option<(Broken, String)> = None;
    for _ in 0..TRIES {
        let question = Question {
            slot,
            language: loom.language,
            disciplines: choose.then_some(ids.as_slice()),
            written: &written,
            broken: broken.as_ref(),
        };
        let answer = question.ask(ctx).await?;
        loom.asked |= !answer.cached;
        loom.harvest.count(answer.usage, answer.value.is_ok());
        let woven = match answer.value {
            Ok(woven) => woven,
            Err(unscored) if unscored.cause == Cause::NotAsked => return Ok(Attempt::NotAsked),
            Err(unscored) if unscored.cause.is_transient() => return Ok(Attempt::Lost(unscored)),
            Err(unscored) => {
                loom.unreadable += 1;
                loom.refuse(unscored.cause.word(), unscored.reason, Some(answer.call));
                return Ok(Attempt::Refused);
            }
        };
        loom.harvest.found += 1;
        let others = slot.others(&woven.also);
        let sources = [slot.sources.as_slice(), others.as_slice()].concat();
        let task = loom.task(slot, &sources, woven);
        match loom
            .passes(&task, &sources)
            .and_then(|()| rules::draws_on(&task, &others))
            .and_then(|()| rules::not_an_example(&task, &examples))
        {
            Ok(()) => {
                loom.keep(task, Some(answer.call));
                return Ok(Attempt::Woven);
            }
            Err(rule) => {
                loom.refuse(rule.name(), task.text.clone(), Some(answer.call));
                broken = Some((rule, task.text));
            }
        }
    }
    Ok(Attempt::Refused)
}

/// What a seminar lacks, with the rules that refused the rest.
fn missing(loom: &Loom<'_>) -> Option<String> {
    let missing: Vec<&str> = rules::missing_phases(&loom.kept())
        .into_iter()
        .map(Phase::label)
        .collect();
    if loom.kept.len() >= rules::FEWEST && missing.is_empty() {
        return None;
    }
    let missing = if missing.is_empty() {
        String::new()
    } else {
        format!(", no task of {}", missing.join(", "))
    };
    let rules: Vec<String> = loom
        .harvest
        .rejected
        .iter()
        .map(|(rule, n)| format!("{rule} {n}"))
        .collect();
    Some(format!(
        "{} of at least {} tasks{missing}; refused by rule: {}\nhint: `taskgen report tasks` shows what was refused; another model for the role `weave` may break fewer rules",
        loom.kept.len(),
        rules::FEWEST,
        if rules.is_empty() {
            "none".to_owned()
        } else {
            rules.join(", ")
        }
    ))
}

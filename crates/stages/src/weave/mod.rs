//! Here are the inspirations of a seminar: what should a researcher do about them? Five to eight
//! tasks, every phase; by a large model up to sixty, in batches of that size. Hides the plan (which
//! family for which inspirations), the questions to the model, and the rules a task must pass.
//! Method: DeepResearch Arena, task weaver. One narrow question per task, or the paper's one for a
//! batch; a broken rule goes back once, then counts.

mod across;
mod array;
mod ask;
pub mod disciplines;
mod edit;
#[cfg(test)]
mod good_replies;
mod loom;
mod plan;
mod pool;
pub mod rules;
mod sentences;
mod single;
mod subject;
mod translate;
mod wording;

use std::{collections::BTreeMap, time::Instant};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::{
    context::{self, Context, Notice, StageReport},
    data::{Inspiration, Phase, SeminarId, is_read, other_language, primary_language},
    store::{Rejection, SeminarInfo, Weaving},
};
pub use across::across;
use disciplines::Disciplines;
pub use edit::{Refusal, change};
use loom::{Draft, Loom};
use plan::{Plan, Slot};
pub use pool::{MOST, Style};
use subject::Subject;
pub use translate::translate;

/// The code that can fill the role `weave`.
pub const CODE: &str = "code/sentences";

/// Which tasks to weave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Tasks per seminar, 5 to 60; code and built-in models write at most 8.
    pub per_seminar: usize,
    /// How a model is asked for them; code and built-in models know one way.
    pub style: Style,
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
            style: Style::Single,
            language: TALK.to_owned(),
            across: None,
            translate: Vec::new(),
        }
    }
}

impl Options {
    /// What the types cannot say.
    pub fn check(&self) -> Result<(), String> {
        if !(rules::FEWEST..=MOST).contains(&self.per_seminar) {
            return Err(format!(
                "weave.per_seminar must be {} to {}: `{}`",
                rules::FEWEST,
                MOST,
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
    let fitted = fitted(ctx, options, &mut report)?;
    let options = &fitted;
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

/// The options as far as who writes can follow them; a note says what is left out. A pool and the
/// paper's array take a model that reads and writes several thousand tokens at once.
fn fitted(ctx: &Context, options: &Options, report: &mut StageReport) -> Result<Options> {
    let mut fitted = options.clone();
    let who = match (
        ctx.llm.is_code("weave", 0)?,
        ctx.llm.is_builtin("weave", 0)?,
    ) {
        (true, _) => "code writes",
        (false, true) => "a built-in model writes",
        (false, false) => return Ok(fitted),
    };
    const HINT: &str = "hint: `--model-role weave=PROVIDER/MODEL`";
    if options.per_seminar > rules::MOST {
        fitted.per_seminar = rules::MOST;
        report.notes.push(format!(
            "{who} at most {} tasks of a talk, not {}\n{HINT}",
            rules::MOST,
            options.per_seminar
        ));
    }
    if options.style == Style::Array {
        fitted.style = Style::Single;
        report.notes.push(format!(
            "{who} one task at a time: `[weave] style = \"array\"` is for large models\n{HINT}"
        ));
    }
    Ok(fitted)
}

fn by_id(seminars: &[SeminarInfo]) -> BTreeMap<&SeminarId, &SeminarInfo> {
    seminars
        .iter()
        .map(|seminar| (&seminar.id, seminar))
        .collect()
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
        return save(ctx, loom, options, started);
    }
    let wanted = options.per_seminar;
    let lost = pool::weave(ctx, &inspirations, &mut loom, options, wanted)
        .await
        .with_context(|| format!("weave: `{}`", seminar.path))?;
    if let Some(unscored) = lost {
        loom.report.fail_unscored(&seminar.path, &unscored);
        return Ok(loom.report);
    }
    save(ctx, loom, options, started)
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
        loom.harvest.found += 1;
        let task = loom.task(Draft {
            sources: &slot.sources,
            family,
            text: &sentences::text(family, inspiration.kind, &claim, subject),
            difficulty: sentences::difficulty(family),
            discipline: None,
        });
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

/// Saves the tasks of a seminar in place of those that were there, unless unreadable replies would
/// make them fewer.
fn save(
    ctx: &Context,
    mut loom: Loom<'_>,
    options: &Options,
    started: Instant,
) -> Result<StageReport> {
    let seminar = loom.seminar;
    let standing = ctx.store.count_tasks(Weaving::Seminar(&seminar.id))?;
    let enough = match options.per_seminar {
        few if few <= rules::MOST => rules::FEWEST,
        pool => pool,
    };
    if loom.unreadable > 0 && loom.kept.len() < enough.min(standing) {
        let message = format!(
            "{} replies could not be read; the tasks that were there stay\nhint: `taskgen calls --failed` shows them",
            loom.unreadable
        );
        loom.report
            .fail(&seminar.path, "unreadable_replies", message);
        return Ok(loom.report);
    }
    let missing = missing(&loom);
    let short = short_of(&loom, options.per_seminar);
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
    } else {
        report.notes.extend(short);
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

/// What a pool has fewer than were wanted, with the rules that refused the rest.
fn short_of(loom: &Loom<'_>, wanted: usize) -> Option<String> {
    (wanted > rules::MOST && loom.count() < wanted).then(|| {
        format!(
            "{}: {} of {wanted} tasks; refused by rule: {}",
            loom.seminar.path,
            loom.kept.len(),
            refused_by_rule(loom)
        )
    })
}

fn refused_by_rule(loom: &Loom<'_>) -> String {
    let rules: Vec<String> = loom
        .harvest
        .rejected
        .iter()
        .map(|(rule, n)| format!("{rule} {n}"))
        .collect();
    if rules.is_empty() {
        return "none".to_owned();
    }
    rules.join(", ")
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
    Some(format!(
        "{} of at least {} tasks{missing}; refused by rule: {}\nhint: `taskgen report tasks` shows what was refused; another model for the role `weave` may break fewer rules",
        loom.kept.len(),
        rules::FEWEST,
        refused_by_rule(loom)
    ))
}

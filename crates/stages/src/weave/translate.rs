//! The same task in another language, so that a language can be told from the difficulty of its
//! tasks. A translation passes the rules of its original, and keeps its numbers.

use std::{collections::BTreeMap, time::Instant};

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    by_id,
    rules::{self, Broken, Material},
};
use crate::{
    context::{self, Context, Harvest, Notice, StageReport},
    data::{CallId, Origin, SeminarId, Task, TaskId, Unscored, primary_language},
    llm::{Answer, Ask},
    store::{Rejection, SeminarInfo, Weaving},
    text::words::one_line,
};

/// Tries at one translation.
const TRIES: usize = 2;

/// The model's reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Translated {
    /// The task in the other language.
    task: String,
}

impl Answer for Translated {}

/// Translates the current tasks into each of `languages` that is not their own, and saves the
/// translations together.
pub async fn translate(
    ctx: &Context,
    seminars: &[SeminarInfo],
    languages: &[String],
) -> Result<StageReport> {
    let started = Instant::now();
    let mut report = StageReport::new("translate");
    let of = by_id(seminars);
    let mut tasks = ctx.store.tasks()?;
    // A benchmark of others asks in the languages that it asks in.
    tasks.retain(|task| task.from_seminar().is_some());
    let wanted: Vec<(&Task, &String)> = tasks
        .iter()
        .flat_map(|task| languages.iter().map(move |language| (task, language)))
        .filter(|(task, language)| primary_language(&task.language) != primary_language(language))
        .collect();
    (ctx.notify)(Notice::Start {
        stage: "translate",
        total: wanted.len() as u64,
    });
    let done = context::all(
        &wanted,
        ctx.llm.parallel("translate"),
        |(task, language)| {
            let of = &of;
            async move {
                let people = people(ctx, task, of)?;
                let one = one(ctx, task, language, &people).await;
                (ctx.notify)(Notice::Advance(1));
                one
            }
        },
    )
    .await?;
    (ctx.notify)(Notice::End);
    let mut translations = Translations::default();
    for (one, (task, language)) in done.into_iter().zip(&wanted) {
        translations.take(one, task, language, &mut report);
    }
    if translations.woven.len() < wanted.len() {
        report.notes.push(format!(
            "{} of {} translations were kept",
            translations.woven.len(),
            wanted.len()
        ));
    }
    report.seconds = started.elapsed().as_secs_f64();
    report.harvests.push(translations.harvest(report.seconds));
    translations.save(ctx, languages)?;
    Ok(report)
}

/// What became of all translations.
#[derive(Default)]
struct Translations {
    woven: Vec<(Task, Option<CallId>)>,
    rejected: BTreeMap<SeminarId, Vec<Rejection>>,
    /// Whether a question was left without an answer that a later run may get.
    lost: bool,
    /// Replies that could not be read.
    unreadable: usize,
    harvest: Harvest,
}

impl Translations {
    fn take(&mut self, one: One, task: &Task, language: &str, report: &mut StageReport) {
        report.count(!one.asked);
        self.harvest.absorb(&one.harvest);
        self.harvest.found += one.harvest.parsed;
        let item = format!("{} in {language}", task.id);
        if let Some(unscored) = one.failed {
            self.lost |= unscored.cause.is_transient();
            self.unreadable += usize::from(!unscored.cause.is_transient());
            report.fail_unscored(&item, &unscored);
        } else if let Some(last) = one.refused.last().filter(|_| one.kept.is_none()) {
            let message = format!(
                "no translation passed the rules\nhint: it says: {}",
                last.detail
            );
            report.fail(&item, &last.rule, message);
        }
        for rejection in one.refused {
            report.reject(&rejection.rule);
            let refused = self.harvest.rejected.entry(rejection.rule.clone());
            *refused.or_default() += 1;
            if let Some(seminar) = task.seminar() {
                let rejected = self.rejected.entry(seminar.clone()).or_default();
                rejected.push(rejection);
            }
        }
        self.woven.extend(one.kept);
    }

    fn harvest(&self, seconds: f64) -> Harvest {
        Harvest {
            item: "translations".to_owned(),
            sound: self.woven.len() as u64,
            kept: self.woven.len() as u64,
            seconds,
            ..self.harvest.clone()
        }
    }

    /// Saves the translations together. What was there is worth more than what cannot be read.
    fn save(self, ctx: &Context, languages: &[String]) -> Result<()> {
        let weaving = Weaving::Translation(languages);
        let fewer = self.unreadable > 0 && self.woven.len() < ctx.store.count_tasks(weaving)?;
        if !self.lost && !fewer {
            ctx.store.save_tasks(weaving, &self.woven, &self.rejected)?;
        }
        Ok(())
    }
}

/// Who spoke at the talks that a task comes from: none of them is to be named.
fn people(
    ctx: &Context,
    task: &Task,
    of: &BTreeMap<&SeminarId, &SeminarInfo>,
) -> Result<Vec<String>> {
    let mut people = Vec::new();
    for id in task.inspirations() {
        let seminar = ctx
            .store
            .inspiration(id)?
            .map(|inspiration| inspiration.seminar);
        people.extend(
            seminar
                .and_then(|id| of.get(&id).copied())
                .into_iter()
                .flat_map(SeminarInfo::people),
        );
    }
    Ok(people)
}

/// The outcome of one task in one language.
#[derive(Default)]
struct One {
    kept: Option<(Task, Option<CallId>)>,
    refused: Vec<Rejection>,
    failed: Option<Unscored>,
    harvest: Harvest,
    asked: bool,
}

fn translated_origin(original: &Task) -> Origin {
    let mut origin = original.origin.clone();
    if let Origin::Seminar(from) = &mut origin {
        from.translation_of = Some(original.id.clone());
    }
    origin
}

async fn one(ctx: &Context, task: &Task, language: &str, people: &[String]) -> Result<One> {
    let chinese = language.starts_with("zh");
    let mut one = One::default();
    let mut broken: Option<(Broken, String)> = None;
    for _ in 0..TRIES {
        let vars = json!({
            "language": language,
            "task": task.text,
            "broken": broken.as_ref().map(|(rule, draft)| rule.of_draft(draft, chinese)),
        });
        let ask = Ask {
            role: "translate",
            prompt: "weave/translation",
            vars: &vars,
            max_tokens: 600,
            ..Ask::default()
        };
        let answer = ctx.llm.ask::<Translated>(ask).await?;
        one.asked |= !answer.cached;
        one.harvest.count(answer.usage, answer.value.is_ok());
        let translated = match answer.value {
            Ok(translated) => one_line(&translated.task),
            Err(unscored) => {
                one.failed = Some(unscored);
                return Ok(one);
            }
        };
        let made = Task {
            id: TaskId::from_parts(&[task.id.as_str(), language, &translated]),
            text: translated,
            language: language.to_owned(),
            origin: translated_origin(task),
            ..task.clone()
        };
        match rules::translation(&made, task, Material { words: "", people }) {
            Ok(()) => {
                one.kept = Some((made, Some(answer.call)));
                return Ok(one);
            }
            Err(rule) => {
                let detail = made.text.clone();
                one.refused.push(Rejection {
                    rule: rule.name().to_owned(),
                    detail,
                    call: Some(answer.call),
                });
                broken = Some((rule, made.text));
            }
        }
    }
    Ok(one)
}

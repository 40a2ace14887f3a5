//! The paper's way of weaving: one question for a batch of tasks, about all inspirations of the
//! talk at once (DeepResearch Arena, section on the task weaver). Differs from the paper in that a
//! task names the inspirations that it rests on, so that code can look for their words in it. What
//! breaks a rule goes back once, all of a batch together.

use std::collections::BTreeSet;

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    ask::unknown,
    loom::{Draft, Loom, Reply},
    plan::MOST_OF_A_FAMILY,
    rules::{self, Broken},
};
use crate::{
    context::{Context, Notice},
    data::{CallId, Cause, Difficulty, Inspiration, Phase, TaskType, Unscored},
    llm::{Answer, Ask, object},
};

/// The prompt that a model is asked with.
const PROMPT: &str = "weave/tasks";
/// Questions for one batch: the first one, and one about what was refused.
const ROUNDS: usize = 2;
/// Inspirations that one task may rest on.
const MOST_IDEAS: usize = 3;
/// Tokens of one task with its labels, and of what stands around them.
const TOKENS: u32 = 400;
const TOKENS_AROUND: u32 = 200;

/// The model's reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Batch {
    /// The tasks.
    tasks: Vec<Item>,
}

/// One task of the reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    /// Numbers of the ideas that it rests on, the most important one first.
    ideas: Vec<usize>,
    /// Its phase.
    phase: Phase,
    /// Its family.
    task_type: TaskType,
    /// What the researcher is asked to do, with the deliverable.
    task: String,
    /// Basic or advanced.
    difficulty: Difficulty,
    /// The discipline, where it was asked for.
    #[serde(default)]
    discipline: Option<String>,
}

impl Answer for Batch {}

/// A draft that was refused, and the rule that it broke.
type Refused = (Broken, String);

/// Asks for a batch of at most `most` tasks, and once more for those that were refused; returns why
/// an answer is missing that another run may get.
pub async fn fill(
    ctx: &Context,
    inspirations: &[Inspiration],
    loom: &mut Loom<'_>,
    most: usize,
) -> Result<Option<Unscored>> {
    let mut refused: Vec<Refused> = Vec::new();
    for round in 0..ROUNDS {
        let wanted = most - loom.batch().len();
        if wanted == 0 || (round > 0 && refused.is_empty()) {
            break;
        }
        let question = Question {
            inspirations,
            wanted,
            refused: &refused,
        };
        match question.ask(ctx, loom).await? {
            Reply::Read(batch, call) => {
                refused = take(&batch, inspirations, &call, loom);
                (ctx.notify)(Notice::Advance((wanted - refused.len().min(wanted)) as u64));
            }
            Reply::Unreadable => break,
            Reply::NotAsked => {
                loom.predicted += wanted;
                break;
            }
            Reply::Lost(unscored) => return Ok(Some(unscored)),
        }
    }
    Ok(None)
}

/// Keeps the drafts that pass, and returns the others.
fn take(
    batch: &Batch,
    inspirations: &[Inspiration],
    call: &CallId,
    loom: &mut Loom<'_>,
) -> Vec<Refused> {
    let mut refused = Vec::new();
    for item in &batch.tasks {
        loom.harvest.found += 1;
        let sources: Vec<&Inspiration> = item
            .ideas
            .iter()
            .filter_map(|number| inspirations.get(number.checked_sub(1)?))
            .collect();
        let task = loom.task(Draft {
            sources: &sources,
            family: item.task_type,
            text: &item.task,
            difficulty: item.difficulty,
            discipline: item.discipline.clone(),
        });
        let passed = of_its_phase(item)
            .and_then(|()| loom.passes(&task, &sources))
            .and_then(|()| rules::draws_on(&task, &sources));
        match passed {
            Ok(()) => loom.keep(task, Some(call.clone())),
            Err(rule) => {
                loom.refuse(rule.name(), task.text.clone(), Some(call.clone()));
                refused.push((rule, task.text));
            }
        }
    }
    refused
}

fn of_its_phase(item: &Item) -> Result<(), Broken> {
    if item.phase == item.task_type.phase() {
        return Ok(());
    }
    Err(Broken::WrongPhase)
}

/// One question.
struct Question<'a> {
    inspirations: &'a [Inspiration],
    /// Tasks that are asked for.
    wanted: usize,
    /// Drafts of this batch that were refused.
    refused: &'a [Refused],
}

impl Question<'_> {
    async fn ask(&self, ctx: &Context, loom: &mut Loom<'_>) -> Result<Reply<Batch>> {
        let ids = loom.disciplines.ids();
        let choose = loom.seminar.discipline.is_none();
        let disciplines = choose.then_some(ids.as_slice());
        let vars = self.vars(loom, disciplines);
        let ask = Ask::<Batch> {
            role: "weave",
            prompt: PROMPT,
            vars: &vars,
            schema: Some(self.schema(loom.language, disciplines)),
            max_tokens: TOKENS * self.wanted as u32 + TOKENS_AROUND,
            check: &|batch| self.check(batch),
            ..Ask::default()
        };
        Ok(loom.read(ctx.llm.ask(ask).await?))
    }

    fn vars(&self, loom: &Loom<'_>, disciplines: Option<&[&str]>) -> Value {
        let chinese = loom.language.starts_with("zh");
        let batch = loom.batch();
        let texts: Vec<&str> = batch.iter().map(|task| task.text.as_str()).collect();
        let has_family = |family: &TaskType| {
            let of = batch
                .iter()
                .filter(|of| of.facets.task_type == Some(*family));
            of.count() >= MOST_OF_A_FAMILY
        };
        let full: Vec<TaskType> = TaskType::ALL.into_iter().filter(has_family).collect();
        let refused: Vec<Value> = self
            .refused
            .iter()
            .map(|(rule, draft)| rule.of_draft(draft, chinese))
            .collect();
        json!({
            "language": loom.language,
            "ideas": self.ideas(),
            "wanted": self.wanted,
            "earlier": loom.earlier_texts(),
            "written": texts,
            "missing": rules::missing_phases(&batch),
            "full": full,
            "refused": refused,
            "disciplines": disciplines,
        })
    }

    /// The whole array, numbered from 1.
    fn ideas(&self) -> Vec<Value> {
        let numbered = self.inspirations.iter().zip(1..);
        numbered
            .map(
                |(of, number)| json!({ "number": number, "kind": of.kind.word(), "text": of.text }),
            )
            .collect()
    }

    fn schema(&self, language: &str, disciplines: Option<&[&str]>) -> Value {
        let (least, most) = if language.starts_with("zh") {
            (40, 300)
        } else {
            (120, 1000)
        };
        let mut properties = json!({
            "ideas": {
                "type": "array", "minItems": 1, "maxItems": MOST_IDEAS,
                "items": { "type": "integer", "minimum": 1, "maximum": self.inspirations.len() }
            },
            "phase": { "type": "string", "enum": Phase::ALL },
            "task_type": { "type": "string", "enum": TaskType::ALL },
            "difficulty": { "type": "string", "enum": ["basic", "advanced"] },
            "task": { "type": "string", "minLength": least, "maxLength": most },
        });
        if let Some(disciplines) = disciplines {
            properties["discipline"] = json!({ "type": "string", "enum": disciplines });
        }
        object(&json!({
            "tasks": {
                "type": "array", "minItems": 1, "maxItems": self.wanted, "items": object(&properties)
            }
        }))
    }

    /// Whether there are no more tasks than were asked for, and each names ideas that were shown.
    fn check(&self, batch: &Batch) -> Result<(), Unscored> {
        if batch.tasks.is_empty() || batch.tasks.len() > self.wanted {
            return Err(Unscored {
                cause: Cause::OutOfRange,
                reason: format!(
                    "1 to {} tasks were asked for, {} came",
                    self.wanted,
                    batch.tasks.len()
                ),
            });
        }
        batch
            .tasks
            .iter()
            .try_for_each(|item| self.check_ideas(item))
    }

    fn check_ideas(&self, item: &Item) -> Result<(), Unscored> {
        let distinct: BTreeSet<&usize> = item.ideas.iter().collect();
        if item.ideas.is_empty()
            || item.ideas.len() > MOST_IDEAS
            || distinct.len() < item.ideas.len()
        {
            return Err(unknown(format!(
                "a task rests on one to {MOST_IDEAS} ideas, each named once: {:?}",
                item.ideas
            )));
        }
        let shown = 1..=self.inspirations.len();
        match item.ideas.iter().find(|number| !shown.contains(*number)) {
            Some(number) => Err(unknown(format!("there is no idea {number}"))),
            None => Ok(()),
        }
    }
}

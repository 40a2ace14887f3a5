//! One question for each task: the plan says which, and what breaks a rule goes back once with the
//! exact reason.

use anyhow::Result;

use super::{
    ask::{self, Question},
    loom::{Draft, Loom, Reply},
    plan::{Plan, Slot},
    rules::{self, Broken},
};
use crate::{
    context::{Context, Notice},
    data::Unscored,
};

/// Tries at one task.
const TRIES: u64 = 2;

/// The outcome of one question.
pub enum Attempt {
    /// A task was kept.
    Woven,
    /// No draft passed.
    Refused,
    /// A dry run asks nobody.
    NotAsked,
    /// No answer now; another run may get one.
    Lost(Unscored),
}

/// Asks for tasks of a batch until there are enough of them or the plan has no more questions;
/// returns why an answer is missing that another run may get. What is on record stays in force:
/// that run asks what is missing, and then has the whole.
pub async fn fill(
    ctx: &Context,
    mut plan: Plan<'_>,
    loom: &mut Loom<'_>,
    most: usize,
) -> Result<Option<Unscored>> {
    let enough = loom.count() + most;
    while loom.count() < enough {
        let Some(slot) = plan.next(&loom.batch(), most) else {
            break;
        };
        match attempt(ctx, &slot, loom).await? {
            Attempt::Woven => (ctx.notify)(Notice::Advance(1)),
            // The question stays asked, so that the next best one comes next.
            Attempt::Refused => {}
            Attempt::NotAsked => loom.predicted += 1,
            Attempt::Lost(unscored) => return Ok(Some(unscored)),
        }
    }
    Ok(None)
}

/// Asks for one task, a few times at most: what breaks a rule goes back with the exact reason.
pub async fn attempt(ctx: &Context, slot: &Slot<'_>, loom: &mut Loom<'_>) -> Result<Attempt> {
    let ids = loom.disciplines.ids();
    let choose = loom.seminar.discipline.is_none();
    let examples = ask::examples(ctx.llm.examples(ask::PROMPT)?);
    let [earlier, written] = [loom.earlier_texts(), loom.written_from(&slot.sources)];
    let [earlier, written] =
        [&earlier, &written].map(|texts| texts.iter().map(String::as_str).collect::<Vec<_>>());
    let mut broken: Option<(Broken, String)> = None;
    for _ in 0..TRIES {
        let question = Question {
            slot,
            language: loom.language,
            disciplines: choose.then_some(ids.as_slice()),
            earlier: &earlier,
            written: &written,
            broken: broken.as_ref(),
        };
        let (woven, call) = match loom.read(question.ask(ctx).await?) {
            Reply::Read(woven, call) => (woven, call),
            Reply::Unreadable => return Ok(Attempt::Refused),
            Reply::NotAsked => return Ok(Attempt::NotAsked),
            Reply::Lost(unscored) => return Ok(Attempt::Lost(unscored)),
        };
        loom.harvest.found += 1;
        let others = slot.others(&woven.also);
        let sources = [slot.sources.as_slice(), others.as_slice()].concat();
        let task = loom.task(Draft {
            sources: &sources,
            family: woven.task_type.unwrap_or(slot.families[0]),
            text: &woven.task,
            difficulty: woven.difficulty,
            discipline: woven.discipline,
        });
        match loom
            .passes(&task, &sources)
            .and_then(|()| rules::draws_on(&task, &others))
            .and_then(|()| rules::not_an_example(&task, &examples))
        {
            Ok(()) => {
                loom.keep(task, Some(call));
                return Ok(Attempt::Woven);
            }
            Err(rule) => {
                loom.refuse(rule.name(), task.text.clone(), Some(call));
                broken = Some((rule, task.text));
            }
        }
    }
    Ok(Attempt::Refused)
}

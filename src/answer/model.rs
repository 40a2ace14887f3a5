//! An agent that is a model: one question, whose answer in Markdown is the report. With its
//! provider's own search it is a research agent; without, it writes from memory. Hides what becomes
//! of refusals, silence and sources beside the text.

use anyhow::Result;
use serde_json::json;

use super::{
    attempt::{Attempt, text_of},
    sources,
};
use crate::{
    context::Context,
    data::{Call, Cause, Spent, State, Task, Unscored},
    llm::{Ask, Text},
};

/// The role of the model that answers.
pub const ROLE: &str = "answer";
/// A report is cut at this many tokens, where nobody says otherwise.
const LONGEST: u32 = 8192;
/// The same for a built-in model, whose context is small and whose words are slow.
const LONGEST_OF_BUILTIN: u32 = 1500;

/// A model that answers tasks.
#[derive(Clone, Copy, Debug)]
pub struct ModelAgent {
    /// Whether it searches the web with what its provider has for that.
    pub search: bool,
}

/// One attempt; none where nothing was asked, because the command only predicts.
pub async fn ask(
    ctx: &Context,
    agent: &ModelAgent,
    task: &Task,
    attempt: u32,
) -> Result<Option<Attempt>> {
    let vars = json!({ "task": task.task, "language": task.language, "search": agent.search });
    let longest = if ctx.llm.is_builtin(ROLE, 0)? {
        LONGEST_OF_BUILTIN
    } else {
        LONGEST
    };
    let answered = ctx
        .llm
        .write(Ask {
            role: ROLE,
            prompt: "answer/report",
            vars: &vars,
            max_tokens: longest,
            seed: ctx.seed,
            sample: attempt,
            search: agent.search,
            ..Ask::default()
        })
        .await?;
    let call = ctx.store.call(&answered.call)?;
    Ok(call.map(|call| Attempt {
        spent: spent(&call),
        ..ended(answered.value, &call, &task.language)
    }))
}

/// How the attempt ended; what it took is not yet in it.
fn ended(value: Result<Text, Unscored>, call: &Call, language: &str) -> Attempt {
    let attempt = |state: State, text: String, cause, message| Attempt {
        state,
        text,
        spent: Spent::default(),
        cause,
        message,
        passes: false,
    };
    let Unscored { cause, reason } = match value {
        Ok(said) => {
            return match text_of(sources::listed(&said.text, &said.sources, language).as_bytes()) {
                Ok(report) => attempt(State::Ok, report, State::Ok.word(), String::new()),
                Err(why) => attempt(
                    State::Error,
                    String::new(),
                    "not_text",
                    format!("what it said is no text: {why}"),
                ),
            };
        }
        Err(unscored) => unscored,
    };
    let none = String::new;
    match cause {
        Cause::Empty => attempt(State::Empty, none(), cause.word(), reason),
        Cause::Timeout => attempt(State::Timeout, none(), cause.word(), reason),
        // A server that refuses the request itself says nothing of the task.
        Cause::Refused if call.reply.is_none() => attempt(
            State::Error,
            none(),
            cause.word(),
            with_hint(cause, &reason),
        ),
        Cause::Refused | Cause::ContentFilter => attempt(
            State::Refused,
            call.reply.clone().unwrap_or_default(),
            cause.word(),
            reason,
        ),
        _ => Attempt {
            passes: cause.is_transient(),
            ..attempt(
                State::Error,
                none(),
                cause.word(),
                with_hint(cause, &reason),
            )
        },
    }
}

fn with_hint(cause: Cause, reason: &str) -> String {
    let hint = match cause {
        Cause::Truncated => "`max_tokens` of the agent gives the report more room",
        Cause::Refused => "where the model cannot search the web, say `web_search = false`",
        cause if cause.is_transient() => "the same command asks again",
        _ => "--retry-failed asks again",
    };
    format!("{reason}\nhint: {hint}")
}

/// What the call took, as far as it was counted.
fn spent(call: &Call) -> Spent {
    let counted = call.usage.input + call.usage.output > 0;
    Spent {
        input_tokens: counted.then_some(call.usage.input),
        output_tokens: counted.then_some(call.usage.output),
        tokens: None,
        cost_usd: call.cost_micro.map(|micro| micro as f64 / 1e6),
        seconds: Some(call.ms as f64 / 1e3),
    }
}

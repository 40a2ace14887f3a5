//! An agent that is a model: one request, answered in Markdown. With its provider's own search it is
//! a research agent; without, it writes from memory. Hides what becomes of refusals, empty replies
//! and sources beside the text.

use anyhow::Result;
use async_trait::async_trait;
use serde_json::json;

use super::{Agent, Attempt, Query, report_text, sources};
use crate::{
    context::Context,
    data::{AttemptCost, Call, Cause, State, Unscored},
    llm::{Ask, Text},
};

/// Tokens at which an answer is cut, unless the agent's settings say otherwise.
const MAX_TOKENS: u32 = 8192;
/// The same for a built-in model: its context is small and it writes slowly.
const MAX_TOKENS_OF_BUILTIN: u32 = 1500;

/// A model that answers questions. How long its server may take is part of the role's settings,
/// because a request that is cut here would still be charged.
#[derive(Clone)]
pub struct ModelAgent {
    /// The models, the record of calls and the seed.
    pub ctx: Context,
    /// Role of the model.
    pub role: &'static str,
    /// Which of the role's models, from 0.
    pub member: usize,
    /// Name of the prompt. It is filled with `task`, `language`, `search` and `max_words`, the last
    /// of which may be null.
    pub prompt: &'static str,
    /// Whether the model searches the web with its provider's search.
    pub search: bool,
}

#[async_trait]
impl Agent for ModelAgent {
    async fn answer(&self, query: &Query<'_>) -> Result<Option<Attempt>> {
        let vars = json!({
            "task": query.text,
            "language": query.language,
            "search": self.search,
            "max_words": query.max_words,
        });
        let llm = &self.ctx.llm;
        let max_tokens = if llm.is_builtin(self.role, self.member)? {
            MAX_TOKENS_OF_BUILTIN
        } else {
            MAX_TOKENS
        };
        let ask = Ask {
            role: self.role,
            member: self.member,
            prompt: self.prompt,
            vars: &vars,
            history: query.history,
            max_tokens,
            seed: self.ctx.seed,
            sample: query.attempt,
            search: self.search,
            ..Ask::default()
        };
        let answered = llm.write(ask).await?;
        // A dry run leaves no call on record, because nothing was asked.
        let Some(call) = self.ctx.store.call(&answered.call)? else {
            return Ok(None);
        };
        let attempt = match answered.value {
            Ok(text) => with_answer(&text, query.language),
            Err(unscored) => without_answer(unscored, &call),
        };
        let attempt = Attempt {
            cost: cost_of(&call),
            trajectory: call.trajectory.clone(),
            ..attempt
        };
        Ok(Some(attempt.within(query.max_words)))
    }
}

/// The attempt of a model with an answer.
fn with_answer(text: &Text, language: &str) -> Attempt {
    let whole = sources::append_uncited(&text.text, &text.sources, language);
    match report_text::from_bytes(whole.as_bytes()) {
        Ok(report) => Attempt::new(State::Ok, report),
        Err(why) => Attempt::failed(
            State::Error,
            "not_text",
            format!("its reply is not text: {why}"),
        ),
    }
}

/// The attempt of a model that gave no answer.
fn without_answer(Unscored { cause, reason }: Unscored, call: &Call) -> Attempt {
    match cause {
        Cause::Empty => Attempt::failed(State::Empty, cause.word(), reason),
        Cause::Timeout => Attempt::failed(State::Timeout, cause.word(), reason),
        // A server that refuses the request itself says nothing about the question.
        Cause::Refused if call.reply.is_none() => {
            Attempt::failed(State::Error, cause.word(), with_hint(cause, &reason))
        }
        Cause::Refused | Cause::ContentFilter => Attempt {
            cause: cause.word(),
            message: reason,
            ..Attempt::new(State::Refused, call.reply.clone().unwrap_or_default())
        },
        _ => Attempt {
            is_transient: cause.is_transient(),
            ..Attempt::failed(State::Error, cause.word(), with_hint(cause, &reason))
        },
    }
}

fn with_hint(cause: Cause, reason: &str) -> String {
    let hint = match cause {
        Cause::Lost | Cause::Cancelled => "--retry-failed asks anew, which is charged anew",
        Cause::Truncated => "`max_tokens` of the agent gives the report more room",
        Cause::Refused => "where the model cannot search the web, say `web_search = false`",
        cause if cause.is_transient() => "the same command asks again",
        _ => "--retry-failed asks again",
    };
    format!("{reason}\nhint: {hint}")
}

/// The cost of the call. A server that counts nothing leaves the tokens unknown, not zero.
fn cost_of(call: &Call) -> AttemptCost {
    let is_counted = call.usage.input + call.usage.output > 0;
    // It took too long, and nobody counted: it may be in the making, and be charged.
    let is_open = call.cause == Some(Cause::Timeout) && !is_counted;
    AttemptCost {
        input_tokens: is_counted.then_some(call.usage.input),
        output_tokens: is_counted.then_some(call.usage.output),
        tokens: None,
        cost_usd: call
            .cost_micro
            .filter(|_| !is_open)
            .map(|micro| micro as f64 / 1e6),
        seconds: Some(call.ms as f64 / 1e3),
    }
}

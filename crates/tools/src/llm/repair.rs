//! The turns of one call: the question, what was wrong with the reply, and the question afresh,
//! within the budget. Hides what is noted of each turn, and when a failure must stop the run.

use std::time::Instant;

use serde_json::Value;

use super::{
    Answer, AskError, ChatModel, ChatReply, ChatRequest, Finish, Llm, ModelError, Purse,
    background::OnRecord,
    parse::{beginning, parse},
    remote::LONGEST_PAUSE,
};
use crate::data::{Call, Cause, Unscored};

/// Turns that a model behind a server has for a reply that can be used. The second one quotes what
/// was wrong; the others are the question as it was, because such a model does not say the same
/// thing each time.
const TURNS: usize = 6;
/// Questions in a row that a model may leave without an answer, each after all its attempts. A
/// server that serves nobody would hold up a run for a minute a question.
const MOST_FAILED_IN_A_ROW: u32 = 5;
/// What becomes of a call's reply: the answer, or why there is none.
pub(super) type Read<'a, T> = dyn Fn(&Call) -> Result<T, Unscored> + Sync + 'a;

/// Turns of a model that says the same thing each time: the question, and what was wrong with the
/// reply.
const TURNS_OF_THE_SAME: usize = 2;

impl Llm {
    /// Sends the question, and once more with what was wrong when the reply cannot be used. Another
    /// model than one of our own, whose replies do not repeat, is then asked afresh a few times.
    /// Returns what must stop.
    pub(super) async fn make<T>(
        &self,
        model: &dyn ChatModel,
        question: &ChatRequest,
        call: &mut Call,
        read: &Read<'_, T>,
    ) -> Option<AskError> {
        let started = Instant::now();
        let turns = match model.base_url() {
            // A text or log-probabilities are taken as they come: they are what the model has to
            // say, and no shape is to be mended.
            _ if !question.has_schema() => 1,
            Some(_) => TURNS,
            None => TURNS_OF_THE_SAME,
        };
        let (mut stop, mut repairing) = (None, None);
        for turn in 1..=turns {
            // Every reply is on record, also those that could not be used.
            call.earlier.extend(call.reply.take());
            if let Err(error) = self
                .turn(model, repairing.as_ref().unwrap_or(question), call)
                .await
            {
                stop = error;
                break;
            }
            let Err(unscored) = read(call) else { break };
            call.cause = Some(unscored.cause);
            call.error = Some(unscored.reason.clone());
            // What was cut once may have been talkative; what is cut twice needs more room.
            let cut_again = unscored.cause == Cause::Truncated && turn > 1;
            if turns == TURNS_OF_THE_SAME && ended(unscored.cause) || cut_again {
                break;
            }
            repairing = (turn == 1 && !ended(unscored.cause))
                .then(|| self.repair(model, question, &unscored));
        }
        call.ms = started.elapsed().as_millis() as u64;
        stop
    }

    /// One turn of a question. The error is what must stop the run, if anything.
    async fn turn(
        &self,
        model: &dyn ChatModel,
        request: &ChatRequest,
        call: &mut Call,
    ) -> Result<(), Option<AskError>> {
        let began = Instant::now();
        let already_stopped = self.state().stopped.get(model.name()).cloned();
        let reply = match already_stopped {
            Some(error) => Err(error),
            None => match self.within_budget(model, request, call).await {
                Ok(reply) => reply,
                Err(stop) => {
                    // What was asked so far stays on record, to be asked again.
                    call.reply = None;
                    call.cause = Some(Cause::NotAsked);
                    call.error = Some(stop.to_string());
                    return Err(Some(stop));
                }
            },
        };
        match reply {
            Ok(reply) => {
                note_reply(call, reply);
                self.note_answered(model);
                Ok(())
            }
            Err(error) => {
                note_error(call, &error);
                let stop = self.must_stop(model, &error, began);
                Err(stop.then(|| AskError::Model {
                    model: model.name().to_owned(),
                    error,
                }))
            }
        }
    }

    /// Asks within the budget, and notes what that took.
    async fn within_budget(
        &self,
        model: &dyn ChatModel,
        request: &ChatRequest,
        call: &mut Call,
    ) -> Result<Result<ChatReply, ModelError>, AskError> {
        let price = self.options.prices.find_for(model.name(), request.search);
        if price.is_none() && self.options.budget.limits_money() {
            return Err(AskError::Unpriced(model.name().to_owned()));
        }
        let purse = Purse::new(&self.options.budget, price);
        let reply = if request.is_text() {
            let pending = OnRecord {
                store: &self.options.store,
                call: &call.id,
            };
            model.chat_pending(request, &purse, &pending).await
        } else {
            model.chat(request, &purse).await
        };
        call.usage += purse.counted();
        call.cost_micro = call
            .cost_micro
            .zip(purse.micro())
            .map(|(before, more)| before.saturating_add(more));
        match (&reply, purse.refused()) {
            (Err(error), Some(spent)) => {
                call.attempts += error.attempts;
                Err(AskError::Budget(spent))
            }
            _ => Ok(reply),
        }
    }

    /// The question with what was wrong with the reply. The reply itself is left out, and the
    /// reason, which may quote it, is fenced: it may repeat what a stranger's text says.
    fn repair(
        &self,
        model: &dyn ChatModel,
        question: &ChatRequest,
        unscored: &Unscored,
    ) -> ChatRequest {
        let mut request = question.clone();
        if let Some(last) = request.messages.last_mut() {
            last.content.push_str(&format!(
                "\n\nAn earlier reply could not be used: {}. What a program says of it:\n{}\nAnswer with exactly one JSON value of the asked shape and nothing else.",
                unscored.cause,
                self.prompts_for(model).quote(&unscored.reason)
            ));
        }
        request
    }

    fn note_answered(&self, model: &dyn ChatModel) {
        let mut state = self.state();
        state
            .silence
            .insert(model.name().to_owned(), (Some(Instant::now()), 0));
        if !state.answered.iter().any(|name| name == model.name()) {
            state.answered.push(model.name().to_owned());
        }
    }

    /// A model that refuses us, that nobody ever reached, or that leaves one question after the other
    /// without an answer ends the run; one that was lost for a moment does not.
    fn must_stop(&self, model: &dyn ChatModel, error: &ModelError, began: Instant) -> bool {
        let mut state = self.state();
        let reached = state.answered.iter().any(|name| name == model.name());
        // A server that wants hours of silence serves nobody now: what is left stays open, to be
        // asked by the next run.
        let closed =
            error.retry_after.is_some_and(|wait| wait > LONGEST_PAUSE) && error.is_transient();
        // A question that was asked while others had answers says nothing about the server: most of
        // its time must have been without any.
        let (answered, failed) = state.silence.entry(model.name().to_owned()).or_default();
        let since_then = answered.is_none_or(|answered| answered.elapsed() * 2 >= began.elapsed());
        *failed += u32::from(error.is_transient() && since_then);
        let gone = *failed >= MOST_FAILED_IN_A_ROW;
        let unreached = error.cause == Cause::Connection && !reached;
        let stop = error.is_terminal() || closed || unreached || gone;
        if stop {
            state
                .stopped
                .entry(model.name().to_owned())
                .or_insert_with(|| error.clone());
        }
        stop
    }
}

fn note_reply(call: &mut Call, reply: ChatReply) {
    call.attempts += reply.attempts;
    call.asked_as = reply.asked_as;
    call.model_returned = reply.model_returned.or(call.model_returned.take());
    call.reply = Some(reply.text);
    call.sources = reply.sources;
    call.trajectory = reply.trajectory;
    // What the first reply lacked stays in `error` as a note when the second one is good.
    call.cause = match reply.finish {
        Finish::Stop => None,
        Finish::Length => Some(Cause::Truncated),
        Finish::Refused => Some(Cause::Refused),
        Finish::Filtered => Some(Cause::ContentFilter),
    };
}

/// Whether a reply did not end normally, so that there is nothing in it to mend.
fn ended(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::Truncated | Cause::Refused | Cause::ContentFilter
    )
}

fn note_error(call: &mut Call, error: &ModelError) {
    call.attempts += error.attempts;
    // A later turn that came to nothing leaves the call to be made again.
    call.reply = None;
    call.cause = Some(error.cause);
    call.error = Some(error.message.clone());
}

/// The value of a call, or why there is none.
pub(super) fn read<T: Answer>(
    call: &Call,
    schema: &Value,
    check: &(dyn Fn(&T) -> Result<(), Unscored> + Sync),
) -> Result<T, Unscored> {
    parse(reply_of(call)?, schema, check)
}

/// The reply of a call that ended normally, or why there is none.
pub(super) fn reply_of(call: &Call) -> Result<&str, Unscored> {
    let reason = || call.error.clone().unwrap_or_default();
    match (&call.reply, call.cause) {
        (Some(_), Some(Cause::Truncated)) => Err(Unscored {
            cause: Cause::Truncated,
            reason: "the reply was cut at its largest length".into(),
        }),
        (Some(said), Some(Cause::Refused)) => Err(Unscored {
            cause: Cause::Refused,
            reason: format!("the model declined: {}", beginning(said)),
        }),
        (Some(_), Some(Cause::ContentFilter)) => Err(Unscored {
            cause: Cause::ContentFilter,
            reason: "the provider's filter withheld the reply".into(),
        }),
        (Some(reply), _) => Ok(reply),
        (None, Some(cause)) => Err(Unscored {
            cause,
            reason: reason(),
        }),
        (None, None) => Err(Unscored {
            cause: Cause::NotJson,
            reason: "no reply is on record".into(),
        }),
    }
}

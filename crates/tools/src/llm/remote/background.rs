//! Replies that a provider makes in the background: asked for by their id until they are finished.
//! Hides the pauses between two looks, and that a look may fail where the reply does not.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use reqwest::Method;

use super::{Failed, Remote, Sent, failure, settle};
use crate::{
    data::Cause,
    http::Again,
    llm::{ChatReply, ChatRequest},
};

/// The longest pause between two looks at a reply.
const LONGEST_LOOK: Duration = Duration::from_secs(30);
/// A look that takes longer is cut; it costs nothing.
const LOOK_TIMEOUT: Duration = Duration::from_mins(1);
/// Looks in a row that may fail before the reply is left for the next run.
const MOST_FAILED_LOOKS: usize = 8;

/// What a look at a reply gave.
enum Look {
    Finished(Box<ChatReply>),
    Unfinished,
    /// The reply may be well; the look failed.
    Failed(Failed),
    /// There will be no reply.
    Over(Failed),
}

impl Remote {
    /// Goes on with a reply that an earlier run began.
    pub(super) async fn go_on(
        &self,
        id: &str,
        request: &ChatRequest,
        sent: &Sent<'_>,
    ) -> Result<ChatReply, Failed> {
        let _pass = self
            .gate
            .enter(|wait| self.tell_of(wait, "its server asked for a pause"))
            .await
            .map_err(|closed| failure::closed(&self.shown_url, closed))?;
        let capabilities = self.known().capabilities;
        let hold = self.hold(request, capabilities, sent).await?;
        let outcome = self.await_reply(id, request, sent).await;
        settle(hold, &outcome);
        outcome
    }

    /// Looks at a reply until it is finished, at growing intervals. What stops this leaves the
    /// reply to be looked at by the next run, unless there will be none.
    pub(super) async fn await_reply(
        &self,
        id: &str,
        request: &ChatRequest,
        sent: &Sent<'_>,
    ) -> Result<ChatReply, Failed> {
        let began = Instant::now();
        let mut pause = self.options.pause;
        let mut failed_looks = 0;
        loop {
            let wait = match self.look(id, request, sent).await {
                Look::Finished(reply) => return Ok(*reply),
                Look::Over(failed) => {
                    sent.pending.end();
                    return Err(failed);
                }
                Look::Unfinished => {
                    failed_looks = 0;
                    pause
                }
                Look::Failed(failed) => {
                    failed_looks += 1;
                    let asked = match failed.again {
                        Again::After(asked) if asked <= super::LONGEST_PAUSE => asked,
                        Again::Later => Duration::ZERO,
                        _ => return Err(left(failed)),
                    };
                    if failed_looks >= MOST_FAILED_LOOKS {
                        return Err(left(failed));
                    }
                    let wait = asked.max(pause);
                    self.tell_of(wait, &failed.error.message);
                    wait
                }
            };
            // The last pause ends with the limit, so that all of it is waited for.
            let remaining = self.options.timeout.saturating_sub(began.elapsed());
            if remaining.is_zero() {
                return Err(self.too_slow());
            }
            tokio::time::sleep(wait.min(remaining)).await;
            pause = (pause * 3 / 2).min(LONGEST_LOOK);
        }
    }

    async fn look(&self, id: &str, request: &ChatRequest, sent: &Sent<'_>) -> Look {
        let place = |base: &str| self.dialect.url_of_reply(base, &self.options.model, id);
        let get = match self.request(Method::GET, place, LOOK_TIMEOUT) {
            Ok(get) => get,
            Err(failed) => return Look::Failed(failed),
        };
        sent.requests.fetch_add(1, Ordering::Relaxed);
        let response = match get.send().await {
            Ok(response) => response,
            Err(error) => return Look::Failed(failure::lost(&error)),
        };
        let status = response.status().as_u16();
        let value = match self.body_of(response).await {
            Ok(value) => value,
            Err(failed) if [404, 410].contains(&status) => return Look::Over(lost(&failed)),
            Err(failed) => return Look::Failed(failed),
        };
        // Its id is known: the body need not say it again.
        if self.dialect.is_in_the_making(&value) {
            return Look::Unfinished;
        }
        match self.dialect.reply(&value, request) {
            Ok(reply) => Look::Finished(Box::new(reply)),
            // An answer without a status is one of something in between.
            Err(failed) if value["status"].as_str().is_none() => Look::Failed(failed),
            Err(failed) => Look::Over(Failed {
                again: Again::Never,
                ..failed
            }),
        }
    }

    fn too_slow(&self) -> Failed {
        let message = format!(
            "{} still makes the reply after {} s\nhint: it goes on there: --retry-failed waits for the same reply, and a larger `time_limit` waits longer",
            self.shown_url,
            self.options.timeout.as_secs()
        );
        left(Failed::new(Cause::Timeout, message, Again::Never))
    }
}

/// A failure after which the reply can be asked for again.
fn left(failed: Failed) -> Failed {
    Failed {
        pending: true,
        again: Again::Never,
        ..failed
    }
}

/// The provider does not know the reply any more, which may have been charged.
fn lost(failed: &Failed) -> Failed {
    let message = format!(
        "the reply that was being made in the background is gone: {}",
        failed.error.message
    );
    Failed::new(Cause::Lost, message, Again::Never).charged()
}

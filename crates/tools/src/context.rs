//! The context of a stage: its tools, and the channel for its progress.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::Result;
use futures_util::StreamExt as _;
use serde::Serialize;

use crate::{
    data::{Unscored, Usage},
    llm::Llm,
    store::Store,
};

/// What the stages share.
#[derive(Clone)]
pub struct Context {
    /// The project's facts.
    pub store: Arc<Store>,
    /// The models that answer.
    pub llm: Arc<Llm>,
    /// Seed of every random choice.
    pub seed: u64,
    /// Where progress goes.
    pub notify: Notify,
    /// How judges are tested while they judge.
    pub probing: Probing,
}

/// How judges are tested while they judge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Probing {
    /// Hidden probes for each question to a judge, 0 to 0.5; 0 for none.
    pub share: f64,
    /// Whether a judge that fails them goes on.
    pub accept: bool,
}

impl Context {
    /// Works on the units of a stage, so many at once, and returns each with its result, in
    /// their order.
    pub async fn each<I: Copy, T>(
        &self,
        stage: &'static str,
        units: impl IntoIterator<Item = I, IntoIter: ExactSizeIterator>,
        at_once: usize,
        work: impl AsyncFn(I) -> Result<T>,
    ) -> Result<Vec<(I, T)>> {
        let (units, work) = (units.into_iter(), &work);
        (self.notify)(Notice::Start {
            stage,
            total: units.len() as u64,
        });
        let worked = all(units, at_once, |unit| async move {
            let worked = work(unit).await;
            (self.notify)(Notice::Advance(1));
            Ok((unit, worked?))
        })
        .await?;
        (self.notify)(Notice::End);
        Ok(worked)
    }
}

/// Works on two things at once.
pub async fn together<A, B>(a: impl Future<Output = A>, b: impl Future<Output = B>) -> (A, B) {
    futures_util::future::join(a, b).await
}

/// Receives progress; called from any thread.
pub type Notify = Arc<dyn Fn(Notice<'_>) + Send + Sync>;

/// A notice of progress.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// A stage begins with so many units of work.
    Start {
        /// Its name.
        stage: &'static str,
        /// Its units.
        total: u64,
    },
    /// A stage begins whose units are seconds of sound.
    StartSound {
        /// Its name.
        stage: &'static str,
        /// Seconds of sound, as far as they are known before.
        seconds: u64,
    },
    /// The unit in hand.
    Working(&'a str),
    /// Units were finished.
    Advance(u64),
    /// A line for the user.
    Say(&'a str),
    /// The stage is over.
    End,
}

/// Works on `items`, so many at once, and returns their results, in their order. After an error
/// nothing new is begun, but what is in flight is finished, because it may be paid for already;
/// then the first error is returned.
pub async fn all<I, T, F: Future<Output = Result<T>>>(
    items: impl IntoIterator<Item = I>,
    at_once: usize,
    work: impl Fn(I) -> F,
) -> Result<Vec<T>> {
    let failed = AtomicBool::new(false);
    let (failed, work) = (&failed, &work);
    let begun = items
        .into_iter()
        .enumerate()
        .map(|(index, item)| async move {
            if failed.load(Ordering::Relaxed) {
                return None;
            }
            let result = work(item).await;
            if result.is_err() {
                failed.store(true, Ordering::Relaxed);
            }
            Some((index, result))
        });
    let mut ended: Vec<_> = futures_util::stream::iter(begun)
        .buffer_unordered(at_once.max(1))
        .collect()
        .await;
    let mut first = None;
    let mut done = Vec::new();
    for (index, result) in ended.drain(..).flatten() {
        match result {
            Ok(value) => done.push((index, value)),
            Err(error) => first = first.or(Some(error)),
        }
    }
    if let Some(error) = first {
        return Err(error);
    }
    done.sort_by_key(|(index, _)| *index);
    Ok(done.into_iter().map(|(_, value)| value).collect())
}

/// What a stage did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StageReport {
    /// Its name.
    pub stage: &'static str,
    /// Units that were worked on.
    pub done: u64,
    /// Units that were done before.
    pub skipped: u64,
    /// Items that failed, with the reason.
    pub failed: Vec<Failure>,
    /// What was looked at and refused, by rule.
    pub rejected: BTreeMap<String, u64>,
    /// The outcomes of the questions about each item, where a stage counts them.
    pub harvests: Vec<Harvest>,
    /// The sound that was listened to, where a stage listens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sound: Option<SoundReport>,
    /// Sentences for the user.
    pub notes: Vec<String>,
    /// Wall time.
    pub seconds: f64,
}

/// Sound that was listened to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SoundReport {
    /// Length of the recordings.
    pub seconds: f64,
    /// Their windows.
    pub windows: u64,
    /// Windows that were recognised now; an earlier run, which was stopped, left the others.
    pub recognised: u64,
}

impl SoundReport {
    /// Adds another recording.
    pub fn add(&mut self, other: Self) {
        self.seconds += other.seconds;
        self.windows += other.windows;
        self.recognised += other.recognised;
    }
}

/// The outcomes of the questions about one item, from question to what is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Harvest {
    /// Which one.
    pub item: String,
    /// Questions, those on record included.
    pub asked: u64,
    /// Replies that could be read.
    pub parsed: u64,
    /// Ideas or tasks in them.
    pub found: u64,
    /// Those that passed the rules of their own.
    pub sound: u64,
    /// Those that are kept in the end.
    pub kept: u64,
    /// Those that are not, by rule.
    pub rejected: BTreeMap<String, u64>,
    /// Tokens of prompts and replies, those on record included.
    pub tokens: u64,
    /// Wall time.
    pub seconds: f64,
}

impl Harvest {
    /// Adds the outcomes of another item.
    pub fn absorb(&mut self, other: &Self) {
        self.asked += other.asked;
        self.parsed += other.parsed;
        self.found += other.found;
        self.sound += other.sound;
        self.kept += other.kept;
        self.tokens += other.tokens;
        self.seconds += other.seconds;
        for (rule, n) in &other.rejected {
            *self.rejected.entry(rule.clone()).or_default() += n;
        }
    }

    /// Counts a question and whether its reply could be read.
    pub fn count(&mut self, usage: Usage, parsed: bool) {
        self.asked += 1;
        self.parsed += u64::from(parsed);
        self.tokens += usage.input + usage.output;
    }
}

/// An item that failed.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// Which one.
    pub item: String,
    /// The kind of failure, one word.
    pub cause: String,
    /// What happened, with a hint on a second line where there is one.
    pub message: String,
}

impl StageReport {
    /// An empty report of `stage`.
    pub fn new(stage: &'static str) -> Self {
        Self {
            stage,
            ..Self::default()
        }
    }

    /// Adds what was done to another item of the same stage.
    pub fn absorb(&mut self, other: Self) {
        self.done += other.done;
        self.skipped += other.skipped;
        self.failed.extend(other.failed);
        for (rule, n) in other.rejected {
            *self.rejected.entry(rule).or_default() += n;
        }
        self.harvests.extend(other.harvests);
        self.notes.extend(other.notes);
    }

    /// Counts a unit: one that needed no work was done before.
    pub fn count(&mut self, cached: bool) {
        *(if cached {
            &mut self.skipped
        } else {
            &mut self.done
        }) += 1;
    }

    /// Counts a refusal.
    pub fn reject(&mut self, rule: &str) {
        *self.rejected.entry(rule.to_owned()).or_default() += 1;
    }

    /// Lists a failure.
    pub fn fail(&mut self, item: &str, cause: &str, message: impl Into<String>) {
        self.failed.push(Failure {
            item: item.to_owned(),
            cause: cause.to_owned(),
            message: message.into(),
        });
    }

    /// Lists a model's failure to answer.
    pub fn fail_unscored(&mut self, item: &str, unscored: &Unscored) {
        self.fail(item, unscored.cause.word(), unscored.reason.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_in_flight_is_finished_after_an_error_and_nothing_new_begins() {
        let finished = std::sync::Mutex::new(Vec::new());
        let work = |n: u64| {
            let finished = &finished;
            async move {
                tokio::task::yield_now().await;
                anyhow::ensure!(n != 1, "one");
                tokio::task::yield_now().await;
                finished.lock().expect("no panic").push(n);
                Ok(n)
            }
        };
        assert_eq!(
            all([5, 3, 4], 3, work).await.expect("none fails"),
            [5, 3, 4]
        );
        finished.lock().expect("no panic").clear();
        let error = all([0, 1, 2, 3, 4, 5], 3, work)
            .await
            .expect_err("one fails");
        assert_eq!(error.to_string(), "one");
        assert_eq!(*finished.lock().expect("no panic"), [0, 2]);
    }
}

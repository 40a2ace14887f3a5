//! The tools that a stage is handed, and the way in which it tells how far it is.

use std::{collections::BTreeMap, sync::Arc};

use serde::Serialize;

use crate::{data::Unscored, llm::Llm, store::Store};

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
}

/// Receives progress; called from any thread.
pub type Notify = Arc<dyn Fn(Notice<'_>) + Send + Sync>;

/// What a stage tells while it works.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// A stage begins with so many units of work.
    Start {
        /// Its name.
        stage: &'static str,
        /// Its units.
        total: u64,
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
    /// Sentences for the user.
    pub notes: Vec<String>,
    /// Wall time.
    pub seconds: f64,
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
        Self { stage, ..Self::default() }
    }

    /// Counts a refusal.
    pub fn reject(&mut self, rule: &str) {
        *self.rejected.entry(rule.to_owned()).or_default() += 1;
    }

    /// Lists a failure.
    pub fn fail(&mut self, item: &str, cause: &str, message: impl Into<String>) {
        self.failed.push(Failure { item: item.to_owned(), cause: cause.to_owned(), message: message.into() });
    }

    /// Lists a model's failure to answer.
    pub fn fail_unscored(&mut self, item: &str, unscored: &Unscored) {
        self.fail(item, unscored.cause.word(), unscored.reason.clone());
    }
}

//! The items of a ranking, with the values that a judge sees. Only this module knows what an item
//! is: everything else works with ids.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::data::{ItemId, SubjectKind, Task};

/// Names of the prompts that show a kind of items to a judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JudgePrompts {
    /// Two items, for a large judge: scores, a reason and a verdict.
    pub pair: &'static str,
    /// Two items, for a built-in model: only the verdict.
    pub pair_short: &'static str,
    /// Two items, for a judge that answers with one of two offered tokens.
    pub weigh: &'static str,
    /// Several items, with a reason.
    pub list: &'static str,
    /// Several items, without one.
    pub list_short: &'static str,
}

const TASK_PROMPTS: JudgePrompts = JudgePrompts {
    pair: "rank/judge",
    pair_short: "rank/judge-short",
    weigh: "rank/weigh",
    list: "rank/list",
    list_short: "rank/list-short",
};

/// Items of one kind, each with the values that a judge sees.
#[derive(Clone, Debug)]
pub struct Items {
    /// The kind of the items.
    pub kind: SubjectKind,
    pub(super) prompts: JudgePrompts,
    shown: BTreeMap<ItemId, Value>,
}

impl Items {
    /// Research tasks. The judge sees nothing but text and difficulty, so that neither origin nor
    /// rank leak.
    pub fn from_tasks(tasks: &[Task]) -> Self {
        let shown = tasks
            .iter()
            .map(|task| {
                let seen =
                    json!({ "text": task.text, "difficulty": task.facets.difficulty_label() });
                (ItemId::from(&task.id), seen)
            })
            .collect();
        Self {
            kind: SubjectKind::Task,
            prompts: TASK_PROMPTS,
            shown,
        }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.shown.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// The ids, sorted.
    pub(super) fn ids(&self) -> Vec<ItemId> {
        self.shown.keys().cloned().collect()
    }

    /// Whether an item has this text.
    pub(super) fn is_text(&self, text: &str) -> bool {
        self.shown.values().any(|shown| shown["text"] == text)
    }

    /// The values that a prompt shows of an item.
    pub(super) fn shown(&self, id: &ItemId) -> Result<&Value> {
        self.shown
            .get(id)
            .context("a scheduled item is not in the list")
    }
}

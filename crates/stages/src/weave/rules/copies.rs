//! Whether two tasks are one, from what is read of each of them once: a talk of sixty tasks has
//! some two thousand pairs.

use std::collections::BTreeSet;

use crate::{
    data::{InspirationId, Task, TaskType},
    similarity::jaccard,
    text::words::{terms, tokens},
};

/// Tasks of a seminar above this likeness are the same task.
pub(super) const ALIKE: f64 = 0.6;
/// Share of terms above which two tasks of one family and from the same inspirations are one. Of
/// the planted sets, those that are lie at .26 to .48, and those that are not at .15.
const TWINS_ALIKE: f64 = 0.2;

/// What a task is compared by.
#[derive(Clone, Debug)]
pub struct Compared {
    tokens: BTreeSet<String>,
    terms: BTreeSet<String>,
    sources: BTreeSet<InspirationId>,
    family: Option<TaskType>,
}

impl Compared {
    /// Reads a task.
    pub fn new(task: &Task) -> Self {
        Self {
            tokens: tokens(&task.text).into_iter().collect(),
            terms: terms(&task.text),
            sources: task.inspirations().iter().cloned().collect(),
            family: task.facets.task_type,
        }
    }

    /// Whether the two are one task: nearly the same words, or the same family asked of the same
    /// inspirations in similar ones. It does not matter which of them comes first.
    pub fn is_copy_of(&self, other: &Self) -> bool {
        let twins = self.family == other.family && self.sources == other.sources;
        jaccard(&self.tokens, &other.tokens) >= ALIKE
            || (twins && jaccard(&self.terms, &other.terms) >= TWINS_ALIKE)
    }
}

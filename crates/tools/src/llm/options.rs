//! What asking takes: the record, the templates, who answers, and what may be spent.

use std::{collections::BTreeMap, sync::Arc};

use super::{ChatModel, Prompts, budget::Budget, prices::Prices};
use crate::store::Store;

/// What asking takes.
pub struct LlmOptions {
    /// Where calls are on record.
    pub store: Arc<Store>,
    /// The templates.
    pub prompts: Prompts,
    /// The same for built-in models, with fences that are the same in every project: the same talk
    /// has the same tasks on every machine.
    pub prompts_of_builtin: Prompts,
    /// Which models answer for a role.
    pub roles: BTreeMap<String, Vec<Arc<dyn ChatModel>>>,
    /// Whether calls on record whose reply could not be used are made again.
    pub retry_failed: bool,
    /// Whether only what is on record counts, and nothing is sent.
    pub replay: bool,
    /// Whether calls that are not on record are only predicted.
    pub dry_run: bool,
    /// Which sample of all answers is meant, from 0: each has a record of its own.
    pub resample: u32,
    /// What calls cost.
    pub prices: Prices,
    /// What may be spent.
    pub budget: Budget,
    /// What the members of a role do in another way than the stage asks for.
    pub parameters: BTreeMap<(String, usize), Parameters>,
}

/// What a user may set for a member of a role.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Instead of the stage's, 0 to 2.
    pub temperature: Option<f64>,
    /// Instead of the stage's.
    pub max_tokens: Option<u32>,
}

impl LlmOptions {
    /// Nothing is limited, no price known, and every question that is not on record is asked.
    pub fn new(
        store: Arc<Store>,
        prompts: Prompts,
        prompts_of_builtin: Prompts,
        roles: BTreeMap<String, Vec<Arc<dyn ChatModel>>>,
    ) -> Self {
        Self {
            store,
            prompts,
            prompts_of_builtin,
            roles,
            retry_failed: false,
            replay: false,
            dry_run: false,
            resample: 0,
            prices: Prices::default(),
            budget: Budget::default(),
            parameters: BTreeMap::new(),
        }
    }
}

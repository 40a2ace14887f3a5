//! Roots of trees that nobody named: a topic is drawn from a taxonomy, a query is made of it, a
//! search finds pages, one of them is chosen, and what it links to becomes a tree (DR-Arena,
//! section "Tree construction"). Hides how each step is done by a model or by code, and that
//! nothing which was answered, fetched or decided is asked for again.

mod address;
mod choice;
mod drawing;
mod grow;
mod prospect;
mod query;
mod taxonomy;

use serde::{Deserialize, Serialize};

pub use grow::{Ended, GrowOptions, Grower, Grown};
pub use prospect::Prospect;
pub use taxonomy::{LARGEST_FILE, Taxonomy, TaxonomyFault, Topic};

use crate::data::Cause;

/// A draw: a topic, and how far it came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draw {
    /// Names from a top category down to the topic.
    pub topic: Vec<String>,
    /// What was searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The chosen address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Why it was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: DrawOutcome,
}

/// The end of a draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum DrawOutcome {
    /// A tree.
    Tree {
        /// Its name.
        name: String,
        /// Its pages.
        pages: u64,
    },
    /// The model gave no usable query.
    NoQuery {
        /// Why.
        cause: Cause,
        /// The same, for people.
        reason: String,
    },
    /// The search was not answered. Not kept: the next run searches again.
    NoAnswer {
        /// One word.
        cause: String,
        /// The same, for people.
        reason: String,
    },
    /// The search found nothing.
    NoResults,
    /// All that was found is the root of a tree already.
    Known,
    /// None of the results will do.
    NoneChosen {
        /// Why.
        reason: String,
    },
    /// The model gave no usable choice.
    NoChoice {
        /// Why.
        cause: Cause,
        /// The same, for people.
        reason: String,
    },
    /// The root could not be fetched.
    RootFailed {
        /// One word.
        cause: String,
        /// Whether that may pass.
        passing: bool,
    },
    /// The tree breaks rules, and is no tree of the set.
    Invalid {
        /// Each broken rule, for people.
        reasons: Vec<String>,
        /// Whether it lacks pages that the next run may have.
        passing: bool,
    },
}

impl DrawOutcome {
    /// The word that is counted.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Tree { .. } => "tree",
            Self::NoQuery { .. } => "no_query",
            Self::NoAnswer { .. } => "no_answer",
            Self::NoResults => "no_results",
            Self::Known => "known",
            Self::NoneChosen { .. } => "none_chosen",
            Self::NoChoice { .. } => "no_choice",
            Self::RootFailed { .. } => "root_failed",
            Self::Invalid { .. } => "invalid",
        }
    }

    /// Whether it became a tree.
    pub fn is_tree(&self) -> bool {
        matches!(self, Self::Tree { .. })
    }

    /// Whether it is a failure of the search or of the model: a few in a row end a run.
    pub fn is_failure(&self) -> bool {
        matches!(
            self,
            Self::NoQuery { .. } | Self::NoAnswer { .. } | Self::NoChoice { .. }
        )
    }

    /// Whether it stays: a failure that passes is no end of a draw, and comes to another one later.
    pub fn is_kept(&self) -> bool {
        match self {
            Self::NoAnswer { .. } => false,
            Self::NoQuery { cause, .. } | Self::NoChoice { cause, .. } => !cause.is_transient(),
            Self::RootFailed { passing, .. } | Self::Invalid { passing, .. } => !passing,
            _ => true,
        }
    }

    /// What happened, for people; empty where the word says it all.
    pub fn reason(&self) -> String {
        match self {
            Self::Tree { name, .. } => name.clone(),
            Self::NoQuery { reason, .. }
            | Self::NoAnswer { reason, .. }
            | Self::NoneChosen { reason }
            | Self::NoChoice { reason, .. } => reason.clone(),
            Self::RootFailed { cause, .. } => cause.clone(),
            Self::Invalid { reasons, .. } => reasons.join("; "),
            Self::NoResults | Self::Known => String::new(),
        }
    }
}

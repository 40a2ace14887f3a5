//! Wiki Live Challenge: how close does a report come to the article that people wrote on the same
//! subject? Each measure is an evaluator of its own; all need the gold articles that
//! `taskgen wiki import` brings.

mod criteria;
pub mod facts;
pub mod result_files;
mod writing;

use crate::evaluate::Misconfigured;

pub use facts::Facts;
pub use writing::Writing;

/// The error where no task of a run has a gold article.
fn no_gold() -> Misconfigured {
    Misconfigured(
        "none of these tasks has a gold article\nhint: `taskgen wiki import FOLDER` brings them"
            .to_owned(),
    )
}

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

/// The criteria of writing by the names of their categories.
pub fn writing_criteria() -> Vec<(String, Vec<String>)> {
    let all = criteria::built_in();
    let parts = all.categories.iter().map(|category| {
        let texts = all.of(category.id).map(|criterion| criterion.text.clone());
        (category.name.clone(), texts.collect())
    });
    parts.collect()
}

/// The error where no task of a run has a gold article.
fn no_gold() -> Misconfigured {
    Misconfigured(
        "none of these tasks has a gold article\nhint: `taskgen wiki import FOLDER` brings them"
            .to_owned(),
    )
}

//! Inspirations for the commands that show them.

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::{args::Select, commands::stages},
    data::Inspiration,
    store::Store,
};

/// An inspiration and its recording.
#[derive(Serialize)]
pub struct Found {
    /// The inspiration.
    #[serde(flatten)]
    pub inspiration: Inspiration,
    /// Path of the recording under the seminars folder.
    pub path: String,
    /// Whether tasks may be woven from it.
    pub stands: bool,
}

impl Found {
    /// Where it is said first.
    pub fn place(&self) -> String {
        match self.inspiration.evidence.first() {
            Some(evidence) => format!("{} {}", self.path, evidence.start),
            None => self.path.clone(),
        }
    }
}

/// The inspirations that `weave` may use, in the order of the talks. Those of an earlier version of
/// a text are none.
pub fn read(store: &Store, select: &Select) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for seminar in stages::chosen_by_name(store, select)? {
        let mut inspirations = store.inspirations_of(&seminar)?;
        inspirations.sort_by_key(|inspiration| {
            inspiration
                .evidence
                .first()
                .map(|evidence| evidence.start_char)
        });
        for inspiration in inspirations {
            let stands = inspiration.stands();
            found.push(Found {
                inspiration,
                path: seminar.path.clone(),
                stands,
            });
        }
    }
    Ok(found)
}

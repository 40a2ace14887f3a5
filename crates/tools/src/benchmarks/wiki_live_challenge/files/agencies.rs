//! The register of agencies, `agencies.json`.

use serde_json::Value;

use super::{Content, Fault, Field, FieldPath, Named, Object, Shape};
use crate::benchmarks::fields::record;

record! {
    /// Register of agencies.
    AgenciesFile {
        /// What the file is.
        description: String,
        /// Version of its format.
        version: String,
        /// The agencies by the names of their folders.
        agencies: Named<Agency>,
    }
}

impl Content for AgenciesFile {
    const NEEDED: &'static [&'static str] = &["agencies"];
}

record! {
    /// Registered agency: an agent that writes articles.
    Agency {
        /// Name for people.
        name: String,
        /// What it is.
        description: String,
        /// Whether its articles cite pages.
        has_citations: bool,
        /// Whether it takes part.
        enabled: bool,
    }
}

impl AgenciesFile {
    /// Folders of the agencies, in the order of the file.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.agencies
            .get()
            .into_iter()
            .flat_map(|named| named.iter().map(|(folder, _)| folder))
    }
}

//! The taxonomy of disciplines: an open list that a project may replace, with the names of other
//! benchmarks.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

/// What is in none of the disciplines.
pub const OTHER: &str = "other";
/// A project's own list.
pub const FILE: &str = "disciplines.toml";

/// The list, in the order of its file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disciplines {
    discipline: Vec<Discipline>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Discipline {
    /// The word that is stored.
    pub id: String,
    /// Other words for it, in any language.
    #[serde(default)]
    pub names: Vec<String>,
    /// Its category in Wiki Live Challenge.
    #[serde(default)]
    pub wiki_live: Option<String>,
    /// Its domain in `LiveResearchBench`.
    #[serde(default)]
    pub live_research: Option<String>,
}

impl Disciplines {
    /// The list of the project at `root`, or the built-in one.
    pub fn load(root: &Path) -> Result<Self> {
        let own = root.join(FILE);
        let text = if own.is_file() {
            fs_err::read_to_string(&own)?
        } else {
            include_str!("disciplines.toml").to_owned()
        };
        toml::from_str(&text).with_context(|| {
            format!(
                "cannot read `{}`\nhint: delete it to use the built-in list",
                own.display()
            )
        })
    }

    /// The words that are stored, `other` last.
    pub fn ids(&self) -> Vec<&str> {
        self.discipline
            .iter()
            .map(|of| of.id.as_str())
            .chain([OTHER])
            .collect()
    }

    /// The stored word for a discipline's name; what the list does not have stays as
    /// it is.
    pub fn resolve(&self, called: &str) -> String {
        let word = called.trim().to_lowercase();
        let found = self
            .discipline
            .iter()
            .find(|of| of.id == word || of.names.contains(&word));
        found.map_or(word, |of| of.id.clone())
    }

    /// The discipline with this id.
    pub fn get(&self, id: &str) -> Option<&Discipline> {
        self.discipline.iter().find(|of| of.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_list_has_twelve_and_resolves_names() {
        let list = Disciplines::load(Path::new("no such folder")).expect("the built-in list");
        assert_eq!(list.ids().len(), 13);
        assert_eq!(list.resolve(" Linguistics "), "language-arts");
        assert_eq!(list.resolve("语音"), "computing");
        assert_eq!(list.resolve("Pottery"), "pottery");
        assert!(
            list.discipline
                .iter()
                .all(|of| of.wiki_live.is_some() && of.live_research.is_some())
        );
    }

    #[test]
    fn a_projects_own_list_wins_and_a_broken_one_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(
            folder.path().join(FILE),
            "[[discipline]]\nid = \"pottery\"\n",
        )
        .expect("writable");
        assert_eq!(
            Disciplines::load(folder.path()).expect("reads").ids(),
            ["pottery", "other"]
        );
        std::fs::write(folder.path().join(FILE), "[[discipline]]\nname = 1\n").expect("writable");
        let error = format!(
            "{:#}",
            Disciplines::load(folder.path()).expect_err("broken")
        );
        assert!(error.contains(FILE) && error.contains("hint"), "{error}");
    }
}

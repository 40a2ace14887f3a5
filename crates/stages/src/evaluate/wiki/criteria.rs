//! The 39 criteria on writing of Wiki Live Challenge, by its ids and numbers, in words of this
//! project. Hides the file they stand in, and what makes a list of criteria a whole one.

use std::{collections::BTreeSet, sync::LazyLock};

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::benchmarks::wiki_live_challenge::aggregate::writing::CATEGORIES;

/// Most characters of a criterion: a judge reads up to 21 at once.
const LONGEST: usize = 400;

/// A category; a judge is asked about one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Sentences, the lead, and words that an encyclopedia does without.
    WellWritten,
    /// The whole of the subject, and nothing else.
    BroadCoverage,
    /// No taking sides.
    Neutral,
}

impl Category {
    /// All categories in order.
    pub const ALL: [Self; 3] = [Self::WellWritten, Self::BroadCoverage, Self::Neutral];
}

/// A part of the category on writing; the others have no parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// Clear and concise prose.
    ClearConcise,
    /// The lead section.
    LeadSection,
    /// Words to watch.
    WordsToWatch,
}

/// A category as a judge is told about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CategoryText {
    /// Which one it is.
    pub id: Category,
    /// Its name for people.
    pub name: String,
    /// What it is about, in a sentence.
    pub description: String,
}

/// A criterion by which two articles are compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// The protocol's number, from 0.
    pub index: usize,
    /// The protocol's id: `ww_cc_1`.
    pub id: String,
    /// The category it belongs to.
    pub category: Category,
    /// Its part of the category.
    pub group: Option<Group>,
    /// What the better article does, in one or two sentences.
    pub text: String,
}

/// A whole list of criteria.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criteria {
    /// The list's name for people.
    pub name: String,
    /// To be raised with every changed text: verdicts by other texts are no verdicts by these.
    pub version: String,
    /// In the order of [`Category::ALL`].
    #[serde(rename = "category")]
    pub categories: Vec<CategoryText>,
    /// By their numbers.
    #[serde(rename = "criterion")]
    pub criteria: Vec<Criterion>,
}

impl Criteria {
    /// The criteria of a category in order.
    pub fn of(&self, category: Category) -> impl Iterator<Item = &Criterion> {
        let belongs = move |criterion: &&Criterion| criterion.category == category;
        self.criteria.iter().filter(belongs)
    }

    /// The criterion with an id.
    pub fn by_id(&self, id: &str) -> Option<&Criterion> {
        self.criteria.iter().find(|criterion| criterion.id == id)
    }
}

#[expect(
    clippy::unwrap_used,
    reason = "the list is part of the program, and a test reads it"
)]
static BUILT_IN: LazyLock<Criteria> =
    LazyLock::new(|| parse(include_str!("criteria.toml")).unwrap());

/// The criteria of this program.
pub fn built_in() -> &'static Criteria {
    &BUILT_IN
}

/// Reads a list of criteria and checks that it is a whole one.
pub fn parse(text: &str) -> Result<Criteria> {
    let list: Criteria = toml::from_str(text).context("no list of criteria")?;
    check(&list)?;
    Ok(list)
}

fn check(list: &Criteria) -> Result<()> {
    let categories: Vec<Category> = list.categories.iter().map(|of| of.id).collect();
    ensure!(
        categories == Category::ALL,
        "the categories are not the three in order"
    );
    for (category, of) in Category::ALL.into_iter().zip(CATEGORIES) {
        let (found, count) = (list.of(category).count(), of.criteria);
        ensure!(
            found == count,
            "{category:?} has {found} criteria instead of {count}"
        );
    }
    let mut ids = BTreeSet::new();
    for (at, criterion) in list.criteria.iter().enumerate() {
        let id = criterion.id.as_str();
        ensure!(
            criterion.index == at,
            "`{id}` has the number {} at place {at}",
            criterion.index
        );
        ensure!(ids.insert(id), "two criteria have the id `{id}`");
        let (category, group) = place(id).with_context(|| format!("no id: `{id}`"))?;
        ensure!(
            (criterion.category, criterion.group) == (category, group),
            "`{id}` stands in the wrong category or group"
        );
        let length = criterion.text.chars().count();
        ensure!(
            (1..=LONGEST).contains(&length),
            "`{id}` has a text of {length} characters"
        );
    }
    Ok(())
}

/// The category and the group that an id names.
fn place(id: &str) -> Option<(Category, Option<Group>)> {
    let (name, number) = id.rsplit_once('_')?;
    number.parse::<usize>().ok()?;
    Some(match name {
        "ww_cc" => (Category::WellWritten, Some(Group::ClearConcise)),
        "ww_ls" => (Category::WellWritten, Some(Group::LeadSection)),
        "ww_wtw" => (Category::WellWritten, Some(Group::WordsToWatch)),
        "bc" => (Category::BroadCoverage, None),
        "n" => (Category::Neutral, None),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = include_str!("criteria.toml");

    #[test]
    fn the_built_in_list_has_the_protocols_ids_in_order() {
        let list = built_in();
        let mut expect = Vec::new();
        for (name, count) in [
            ("ww_cc", 3),
            ("ww_ls", 7),
            ("ww_wtw", 11),
            ("bc", 8),
            ("n", 10),
        ] {
            expect.extend((1..=count).map(|number| format!("{name}_{number}")));
        }
        let ids: Vec<&str> = list.criteria.iter().map(|of| of.id.as_str()).collect();
        assert_eq!(ids, expect);
        assert_eq!(list.by_id("bc_1").map(|of| of.index), Some(21));
        assert_eq!(
            list.of(Category::Neutral).next().map(|of| of.index),
            Some(29)
        );
    }

    /// A judge compares two articles by them: a criterion has one or two sentences, and no two say
    /// the same.
    #[test]
    fn texts_are_short_and_differ() {
        let list = built_in();
        let mut texts = BTreeSet::new();
        for criterion in &list.criteria {
            let sentences = criterion.text.matches(['.', '?']).count();
            assert!(
                (1..=2).contains(&sentences),
                "{}: {sentences}",
                criterion.id
            );
            assert!(criterion.text.ends_with('.'), "{}", criterion.id);
            assert!(texts.insert(criterion.text.as_str()), "{}", criterion.id);
        }
    }

    #[test]
    fn a_list_with_a_fault_is_refused() {
        let refused = |from: &str, to: &str| {
            assert!(TEXT.contains(from), "{from}");
            parse(&TEXT.replacen(from, to, 1))
                .map_err(|error| format!("{error:#}"))
                .expect_err(to)
        };
        let error = refused("index = 7\n", "index = 8\n");
        assert_eq!(error, "`ww_ls_5` has the number 8 at place 7");
        let error = refused("id = \"n_2\"", "id = \"n_1\"");
        assert_eq!(error, "two criteria have the id `n_1`");
        let error = refused("category = \"neutral\"", "category = \"broad_coverage\"");
        assert_eq!(error, "BroadCoverage has 9 criteria instead of 8");
        let error = refused("group = \"lead_section\"", "group = \"clear_concise\"");
        assert_eq!(error, "`ww_ls_1` stands in the wrong category or group");
        let error = refused("id = \"bc_8\"", "id = \"scope\"");
        assert_eq!(error, "no id: `scope`");
        assert!(refused("version", "edition").starts_with("no list of criteria"));
        let error = refused("id = \"neutral\"", "id = \"well_written\"");
        assert_eq!(error, "the categories are not the three in order");
    }
}

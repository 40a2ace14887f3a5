//! The questions on a report's presentation that code can answer, of the ten that
//! `LiveResearchBench` asks a model. Hides what counts where a report has nothing to check.
//!
//! A report without the material of a question passes it, and the outcome says so:
//!
//! | item | nothing to check |
//! |---|---|
//! | p3 | there is no entry in any list of references |
//! | p4 | no number, footnote or author is cited, and no link or address that a list should have |
//! | p5 | there is no list, no heading of one, and no citation that needs one |
//! | p6 | nothing is cited |
//! | p8 | there is neither a table nor a figure |
//! | p9 | there is neither a heading nor a table |
//! | p10 | there is no entry in any list of references |
//!
//! Numbers, footnotes and authors need a list; a link and a bare address are their own entry.

mod form;
mod lists;
mod material;
mod numbering;
mod sources;
mod styles;
mod visuals;

use serde::Serialize;

use self::material::Material;
use super::{Finding, Rule};

/// A question of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Item {
    /// Every entry of the references is cited.
    P3,
    /// Every citation has an entry.
    P4,
    /// There is one list of references, in one order.
    P5,
    /// Citations are of one style.
    P6,
    /// Tables and figures are complete.
    P8,
    /// Headings and tables are Markdown's.
    P9,
    /// Numbers and addresses of entries are unique, and no number is missing.
    P10,
}

impl Item {
    /// All items in order.
    pub const ALL: [Self; 7] = [
        Self::P3,
        Self::P4,
        Self::P5,
        Self::P6,
        Self::P8,
        Self::P9,
        Self::P10,
    ];

    /// The protocol's name: `p3`.
    pub fn key(self) -> &'static str {
        match self {
            Self::P3 => "p3",
            Self::P4 => "p4",
            Self::P5 => "p5",
            Self::P6 => "p6",
            Self::P8 => "p8",
            Self::P9 => "p9",
            Self::P10 => "p10",
        }
    }

    /// The question in one clause.
    pub fn question(self) -> &'static str {
        match self {
            Self::P3 => "is every listed reference cited in the text?",
            Self::P4 => "does every citation in the text lead to a listed reference?",
            Self::P5 => "is there exactly one list of references, in one order?",
            Self::P6 => "does the text cite in one style from beginning to end?",
            Self::P8 => "are all tables and figures complete, without gaps or placeholders?",
            Self::P9 => "are headings real ones in steps of one level, and tables valid Markdown?",
            Self::P10 => "are references numbered without gaps, each number and address once?",
        }
    }

    fn outcome(self, material: &Material) -> Outcome {
        match self {
            Self::P3 => sources::entries_are_cited(material),
            Self::P4 => sources::citations_have_entries(material),
            Self::P5 => lists::one_ordered_list(material),
            Self::P6 => styles::one_style(material),
            Self::P8 => visuals::complete(material),
            Self::P9 => form::markdown(material),
            Self::P10 => numbering::gapless(material),
        }
    }
}

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "findings")]
pub enum Outcome {
    /// It was checked, and no fault was found.
    Passed,
    /// The report has nothing that the question asks about, and passes.
    NothingToCheck,
    /// The faults in the order of the report, at least one.
    Failed(Vec<Finding>),
}

impl Outcome {
    /// Whether the report passes.
    pub fn passes(&self) -> bool {
        !matches!(self, Self::Failed(_))
    }

    /// The faults; none where the report passes.
    pub fn findings(&self) -> &[Finding] {
        match self {
            Self::Failed(findings) => findings,
            Self::Passed | Self::NothingToCheck => &[],
        }
    }

    /// The outcome of a check that had something to look at, or had not.
    fn of(checked: bool, mut findings: Vec<Finding>) -> Self {
        findings.sort_by_key(|finding| (finding.start, finding.end, finding.rule));
        match (findings.is_empty(), checked) {
            (false, _) => Self::Failed(findings),
            (true, true) => Self::Passed,
            (true, false) => Self::NothingToCheck,
        }
    }
}

/// The answers to all questions that code decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Presentation {
    /// In the order of [`Item::ALL`].
    pub items: Vec<(Item, Outcome)>,
}

impl Presentation {
    /// The answer to one question.
    pub fn outcome(&self, item: Item) -> &Outcome {
        &self.items[item as usize].1
    }

    /// The questions that the report fails.
    pub fn failed(&self) -> impl Iterator<Item = Item> {
        self.items
            .iter()
            .filter(|(_, outcome)| !outcome.passes())
            .map(|(item, _)| *item)
    }
}

/// Checks a report in Markdown; it is parsed once.
pub fn check(report: &str) -> Presentation {
    material::read(report, |material| Presentation {
        items: Item::ALL
            .into_iter()
            .map(|item| (item, item.outcome(material)))
            .collect(),
    })
}

#[cfg(test)]
mod tests;

//! p6: one citation style throughout. Hides which marks look alike, and which address or name in
//! the text is only mentioned beside a citation.

use std::collections::{BTreeMap, BTreeSet};

use super::{Outcome, Rule, material::Material};
use crate::{
    citations::{Citation, Style},
    lint::{lines::line_of, tables::Cell},
};

/// What a citation looks like to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Look {
    /// `[1]`, with a link behind it or without.
    Bracketed,
    /// `【1】`
    Lenticular,
    /// `¹`, `<sup>1</sup>`
    Raised,
    /// `[^1]`
    Footnote,
    /// `(Smith, 2020)`
    AuthorYear,
    /// `[text](address)`
    Link,
    /// `https://…`
    Bare,
}

impl Look {
    fn told(self) -> &'static str {
        match self {
            Self::Bracketed => "a number in square brackets",
            Self::Lenticular => "a number in full-width brackets",
            Self::Raised => "a raised number",
            Self::Footnote => "a footnote",
            Self::AuthorYear => "an author with a year",
            Self::Link => "a link",
            Self::Bare => "a bare address",
        }
    }
}

/// The look that most citations of a report have; of two the one that comes first.
pub(super) fn main(material: &Material) -> Option<Look> {
    let mut counts: BTreeMap<Look, usize> = BTreeMap::new();
    let mut first = Vec::new();
    for look in material.cited().map(|citation| look(material, citation)) {
        let count = counts.entry(look).or_default();
        *count += 1;
        if *count == 1 {
            first.push(look);
        }
    }
    let most = counts.values().max()?;
    first.into_iter().find(|look| counts[look] == *most)
}

/// p6.
pub(super) fn one_style(material: &Material) -> Outcome {
    let Some(main) = main(material) else {
        return Outcome::NothingToCheck;
    };
    let line = |citation: &Citation| line_of(&material.lines, citation.start);
    let beside: BTreeSet<(usize, usize)> = material
        .cited()
        .filter(|citation| look(material, citation) == main)
        .filter_map(|citation| Some((line(citation), citation.entry?)))
        .collect();
    let addresses = cells_of_addresses(material);
    let mut findings = Vec::new();
    let mut before = None;
    for citation in material.cited() {
        let other = look(material, citation);
        // `Smith (2020) shows it [3]`, `https://… [3]`: the source is named, and cited once.
        let named = matches!(other, Look::Bare | Look::AuthorYear)
            && citation
                .entry
                .is_some_and(|entry| beside.contains(&(line(citation), entry)));
        // A column of addresses is what the table is about.
        let listed = other == Look::Bare && is_within(&addresses, citation.start);
        let again = before.replace(citation.start) == Some(citation.start);
        if other != main && !named && !listed && !again {
            findings.push(material.finding(
                Rule::MixedStyle,
                (citation.start, citation.end),
                format!("{} where most citations are {}", other.told(), main.told()),
            ));
        }
    }
    Outcome::of(true, findings)
}

/// The places of the cells that hold nothing but addresses, in order.
fn cells_of_addresses(material: &Material) -> Vec<(usize, usize)> {
    let only = |cell: &&Cell| {
        let mut words = cell
            .text
            .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '，' | '；' | '、'))
            .filter(|word| word.contains(char::is_alphanumeric));
        words.all(|word| {
            word.trim_start_matches(['<', '(', '（'])
                .starts_with("http")
        })
    };
    let tables = &material.tables.tables;
    let rows = tables.iter().flat_map(|table| &table.rows);
    let cells = rows.flat_map(|row| &row.cells).filter(only);
    cells.map(|cell| (cell.start, cell.end)).collect()
}

fn is_within(cells: &[(usize, usize)], place: usize) -> bool {
    let after = cells.partition_point(|(start, _)| *start <= place);
    after.checked_sub(1).is_some_and(|at| place < cells[at].1)
}

fn look(material: &Material, citation: &Citation) -> Look {
    match citation.style {
        Style::Numbered => shape(material, citation),
        Style::Link if is_number(citation) => Look::Bracketed,
        Style::Link => Look::Link,
        Style::Footnote => Look::Footnote,
        Style::AuthorYear => Look::AuthorYear,
        Style::Bare | Style::ReferenceOnly => Look::Bare,
    }
}

/// `[1](https://…)` looks like `[1]`.
fn is_number(citation: &Citation) -> bool {
    let label = citation.label.as_deref().unwrap_or_default();
    !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit())
}

fn shape(material: &Material, citation: &Citation) -> Look {
    match material.first_char(citation.start) {
        Some('[' | '\\') => Look::Bracketed,
        Some('【' | '［') => Look::Lenticular,
        _ => Look::Raised,
    }
}

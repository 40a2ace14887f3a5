//! Faults of the lead, the title and the sections. Hides what counts as a lead, and how much text a
//! section has before it should cite something.

use std::ops::Range;

use super::{
    Finding, Kind, Outcome, Reason, figures,
    page::{Page, Role},
};
use crate::text::words;

/// Most words of a lead. Leads of good articles have 250 to 400.
const LONGEST_LEAD: usize = 500;
/// Most paragraphs of a lead.
const MOST_PARAGRAPHS: usize = 6;
/// Words of a section's own text from which on it should cite something.
const WORTH_CITING: usize = 40;
/// Letters of a name in a title; `AC/DC` is one name.
const LEAST_NAME: usize = 3;

/// Looks for one kind of fault.
pub(super) fn check(page: &Page, kind: Kind) -> Outcome {
    match kind {
        Kind::DividedLead => divided_lead(page),
        Kind::UnsourcedLead => unsourced_lead(page),
        Kind::OnlyInLead => with_lead(page, |lead| figures::only_in_lead(page, lead)),
        Kind::LongLead => with_lead(page, |lead| {
            Outcome::Checked(long_lead(page, lead).into_iter().collect())
        }),
        Kind::CombinedTitle => combined_title(page),
        _ => uncited_sections(page),
    }
}

fn with_lead(page: &Page, look: impl FnOnce(usize) -> Outcome) -> Outcome {
    page.lead()
        .map_or(Outcome::NotChecked(Reason::NoLead), look)
}

fn divided_lead(page: &Page) -> Outcome {
    let Some(first) = page.sections.get(1) else {
        return Outcome::NotChecked(Reason::NoSections);
    };
    let mut own = page
        .blocks
        .iter()
        .take_while(|block| block.section == 0)
        .peekable();
    let row = page
        .rows
        .first()
        .filter(|row| row.start < first.heading.start);
    let found = if own.peek().is_none() {
        let more = "the text begins below a heading";
        Some(page.finding(Kind::DividedLead, first.heading.clone(), more))
    } else if let Some(item) = own.find(|block| block.item) {
        let more = "a list is in it";
        Some(page.finding(Kind::DividedLead, item.range.clone(), more))
    } else {
        let more = "a table is in it";
        row.map(|row| page.finding(Kind::DividedLead, row.clone(), more))
    };
    Outcome::Checked(found.into_iter().collect())
}

/// The section's own part of the article.
fn own(page: &Page, section: usize) -> Range<usize> {
    let start = page.sections[section].heading.end;
    let next = page.sections.get(section + 1);
    start..next.map_or(page.chars.len(), |next| next.heading.start)
}

fn cites(page: &Page, part: &Range<usize>) -> bool {
    let at = page.cited.partition_point(|start| *start < part.start);
    page.cited.get(at).is_some_and(|start| *start < part.end)
}

fn unsourced_lead(page: &Page) -> Outcome {
    if page.cited.is_empty() {
        return Outcome::NotChecked(Reason::NoCitations);
    }
    with_lead(page, |lead| {
        let first = page.blocks.iter().find(|block| block.section == lead);
        let first = first.filter(|_| !cites(page, &own(page, lead)));
        let found = first.map(|block| page.finding(Kind::UnsourcedLead, block.range.clone(), ""));
        Outcome::Checked(found.into_iter().collect())
    })
}

fn long_lead(page: &Page, lead: usize) -> Option<Finding> {
    let blocks: Vec<_> = page
        .blocks
        .iter()
        .filter(|block| block.section == lead)
        .collect();
    let length = |range: &Range<usize>| words::length(&page.text(range.clone()));
    let words: usize = blocks.iter().map(|block| length(&block.range)).sum();
    let paragraphs = blocks.iter().filter(|block| !block.item).count();
    if words <= LONGEST_LEAD && paragraphs <= MOST_PARAGRAPHS {
        return None;
    }
    let whole = blocks.first()?.range.start..blocks.last()?.range.end;
    let more = format!("{words} words in {paragraphs} paragraphs");
    Some(page.finding(Kind::LongLead, whole, &more))
}

fn uncited_sections(page: &Page) -> Outcome {
    if page.sections.len() < 2 {
        return Outcome::NotChecked(Reason::NoSections);
    }
    if page.cited.is_empty() {
        return Outcome::NotChecked(Reason::NoCitations);
    }
    let mut words = vec![0; page.sections.len()];
    for block in &page.blocks {
        words[block.section] += words::length(&page.text(block.range.clone()));
    }
    let sections = page.sections.iter().enumerate().skip(1);
    let uncited = sections.filter(|(at, section)| {
        section.role == Role::Body && words[*at] >= WORTH_CITING && !cites(page, &own(page, *at))
    });
    let found =
        uncited.map(|(_, section)| page.finding(Kind::UncitedSection, section.heading.clone(), ""));
    Outcome::Checked(found.collect())
}

fn combined_title(page: &Page) -> Outcome {
    let Some(title) = page.title.clone() else {
        return Outcome::NotChecked(Reason::NoTitle);
    };
    let text = page.text(title.clone());
    let text = text.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, ')' | '）'));
    let joined = is_two_names(text) || names_another(text);
    let found = joined.then(|| page.finding(Kind::CombinedTitle, title, ""));
    Outcome::Checked(found.into_iter().collect())
}

/// `Derry / Londonderry`. Without blanks it may be one name, as of a film.
fn is_two_names(title: &str) -> bool {
    let is_name = |part: &str| part.chars().filter(|c| c.is_alphabetic()).count() >= LEAST_NAME;
    [" / ", " aka ", " a.k.a. ", " AKA ", "／"]
        .iter()
        .any(|mark| {
            let parts = title.split_once(mark);
            parts.is_some_and(|(one, other)| is_name(one) && is_name(other))
        })
}

/// `Orrin (also known as Orren)`; other words in brackets tell namesakes apart.
fn names_another(title: &str) -> bool {
    const OPENINGS: &[&str] = &[
        "a.k.a",
        "aka ",
        "also ",
        "alias ",
        "commonly ",
        "formerly ",
        "or ",
        "previously ",
        "又名",
        "又称",
        "原名",
        "亦称",
    ];
    let brackets = title.split(['(', '（']).skip(1);
    brackets
        .map(str::to_lowercase)
        .any(|inner| OPENINGS.iter().any(|opening| inner.starts_with(opening)))
}

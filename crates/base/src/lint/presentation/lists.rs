//! p5: exactly one list of references, in one order. Hides lists in subsections, lists without a
//! heading, and which orders there are.

use std::collections::BTreeMap;

use super::{
    Finding, Outcome, Rule,
    material::{Entry, Material, name, number},
};
use crate::{
    citations::{Section, Style},
    lint::lines::line_of,
    text::words::is_han,
};

/// Lines between two entries of one list without a heading.
const MOST_BETWEEN: usize = 2;

/// One list of references, by its parts: subsections are in an order of their own.
struct List {
    /// Where it begins: its heading, else its first entry.
    start: usize,
    parts: Vec<Vec<Entry>>,
}

/// p5.
pub(super) fn one_ordered_list(material: &Material) -> Outcome {
    let lists = lists(material);
    let mut findings = empty(material, &lists);
    for list in lists.iter().skip(1) {
        let line = &material.lines[line_of(&material.lines, list.start)];
        findings.push(line.finding(Rule::SecondReferences, "a further list of references"));
    }
    findings.extend(lists.iter().filter_map(|list| unordered(material, list)));
    if lists.is_empty() && findings.is_empty() {
        findings.extend(missing(material));
    }
    Outcome::of(!lists.is_empty(), findings)
}

/// The lists with entries. Footnotes are drawn as one list, and are one where there is no other.
fn lists(material: &Material) -> Vec<List> {
    let mut lists = sectioned(material);
    let loose = |footnote: bool| {
        let entries = material.entries.iter();
        entries.filter(move |entry| entry.section.is_none() && entry.footnote == footnote)
    };
    let mut last_line = None;
    for entry in loose(false) {
        let reference = material.reference(entry);
        let line = line_of(&material.lines, reference.start);
        let goes_on = last_line.is_some_and(|last| line <= last + MOST_BETWEEN);
        last_line = Some(line_of(&material.lines, reference.end.saturating_sub(1)));
        match lists.last_mut().filter(|_| goes_on) {
            Some(list) => list.parts[0].push(*entry),
            None => lists.push(List {
                start: reference.start,
                parts: vec![vec![*entry]],
            }),
        }
    }
    let footnotes: Vec<Entry> = loose(true).copied().collect();
    if let Some(first) = footnotes.first().filter(|_| lists.is_empty()) {
        lists.push(List {
            start: material.reference(first).start,
            parts: vec![footnotes],
        });
    }
    lists.sort_by_key(|list| list.start);
    lists
}

/// The lists under headings of their own; those of subsections are parts.
fn sectioned(material: &Material) -> Vec<List> {
    let mut parts: Vec<Vec<Entry>> = vec![Vec::new(); material.sections.len()];
    for entry in &material.entries {
        if let Some(section) = entry.section {
            parts[section].push(*entry);
        }
    }
    let mut lists: Vec<List> = Vec::new();
    let mut before: Option<Section> = None;
    for (section, part) in material.sections.iter().zip(parts) {
        let within = before.is_some_and(|before| {
            section.start == before.end && section.level > before.level && before.level < 7
        });
        match lists.last_mut().filter(|_| within) {
            Some(list) => list.parts.push(part),
            None => lists.push(List {
                start: section.start,
                parts: vec![part],
            }),
        }
        before = Some(Section {
            level: before
                .filter(|_| within)
                .map_or(section.level, |it| it.level),
            ..*section
        });
    }
    lists.retain(|list| list.parts.iter().any(|part| !part.is_empty()));
    lists
}

/// Headings of references with nothing below them, where no other list is. With prose below it, a
/// heading such as `Readings` is a section of the report.
fn empty(material: &Material, lists: &[List]) -> Vec<Finding> {
    if !lists.is_empty() {
        return Vec::new();
    }
    let is_empty = |section: &&Section| {
        let first = line_of(&material.lines, section.start);
        let below = &material.lines[first + 1..];
        !below
            .iter()
            .take_while(|line| line.start < section.end)
            .any(|line| !line.is_blank())
    };
    let sections = material.sections.iter().filter(is_empty);
    sections
        .map(|section| {
            let line = &material.lines[line_of(&material.lines, section.start)];
            line.finding(Rule::EmptyReferences, "no reference is below this heading")
        })
        .collect()
}

/// The first citation that needs a list.
fn missing(material: &Material) -> Option<Finding> {
    let needs = [Style::Numbered, Style::Footnote, Style::AuthorYear];
    let first = material
        .cited()
        .find(|citation| needs.contains(&citation.style))?;
    Some(material.finding(
        Rule::NoReferences,
        (first.start, first.end),
        "the text cites, and there is no list of references",
    ))
}

/// The first entry out of order, where a part of a list is in none.
fn unordered(material: &Material, list: &List) -> Option<Finding> {
    let first_cited = first_cited(material);
    let entry = list.parts.iter().find_map(|part| {
        let numbers: Option<Vec<u32>> = part
            .iter()
            .map(|entry| number(material.reference(entry)))
            .collect();
        let cited = || first_break(part, |entry| first_cited.get(&entry.at).copied());
        let ascending = match numbers {
            Some(_) => first_break(part, |entry| number(material.reference(entry))),
            None => first_break(part, |entry| letters(&material.reference(entry).text)),
        };
        ascending.filter(|_| cited().is_some())
    })?;
    let reference = material.reference(&entry);
    Some(material.finding(
        Rule::UnorderedEntry,
        (reference.start, reference.end),
        format!(
            "entry {} breaks the order: by number, by name or by first citation",
            name(reference)
        ),
    ))
}

/// Where each entry is cited first.
fn first_cited(material: &Material) -> BTreeMap<usize, usize> {
    let mut first = BTreeMap::new();
    for citation in material.cited() {
        if let Some(entry) = citation.entry {
            first.entry(entry).or_insert(citation.start);
        }
    }
    first
}

/// The first entry with a lower key than the one before; entries without a key are passed over.
fn first_break<K: PartialOrd>(part: &[Entry], key: impl Fn(&Entry) -> Option<K>) -> Option<Entry> {
    let mut before: Option<K> = None;
    for entry in part {
        let Some(key) = key(entry) else { continue };
        if before.as_ref().is_some_and(|before| key < *before) {
            return Some(*entry);
        }
        before = Some(key);
    }
    None
}

/// The first word of an entry in capital letters. None for Chinese, which is ordered by sound, and
/// for articles and particles, which some count and others do not.
fn letters(text: &str) -> Option<String> {
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let word: String = start
        .chars()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-'))
        .filter(|c| c.is_alphanumeric())
        .collect();
    let counts = word.starts_with(|c: char| !is_han(c) && !c.is_lowercase())
        && !matches!(word.as_str(), "The" | "A" | "An");
    counts.then(|| plain(&word))
}

/// Capital letters without accents.
fn plain(word: &str) -> String {
    use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};
    let bare = word.nfd().filter(|c| !is_combining_mark(*c));
    bare.collect::<String>().to_uppercase()
}

//! p3 and p4: entries that nothing cites, and citations that lead to no entry.

use std::collections::BTreeSet;

use super::{
    Outcome, Rule,
    material::{Entry, Material, name, number},
    styles::{self, Look},
};
use crate::citations::{Citation, Diagnosis, Style};

/// Least number that is a year in brackets where no list is that long.
const YEARS: u32 = 1000;

/// p3. A link or an address in the text cites the entry that has it.
pub(super) fn entries_are_cited(material: &Material) -> Outcome {
    let ambiguous = material.ambiguously_cited();
    let names = |entry: &Entry| {
        let reference = material.reference(entry);
        let label = reference.label.as_ref();
        let name = label.map(|label| label.to_lowercase());
        // Entries without a number are told apart by their addresses alone.
        name.or_else(|| reference.url.clone())
            .map(|name| (entry.footnote, name))
    };
    let is_uncited = |entry: &&Entry| {
        let diagnosis = &material.reference(entry).diagnosis;
        diagnosis.contains(&Diagnosis::UncitedEntry) && !ambiguous.contains(&entry.at)
    };
    let cited: BTreeSet<(bool, String)> = material
        .entries
        .iter()
        .filter(|entry| !is_uncited(entry))
        .filter_map(names)
        .collect();
    // Of two entries with one number a mark means both: that is a fault of the numbers.
    let uncited = |entry: &&Entry| {
        is_uncited(entry) && !names(entry).is_some_and(|name| cited.contains(&name))
    };
    let findings = material.entries.iter().filter(uncited).map(|entry| {
        let reference = material.reference(entry);
        material.finding(
            Rule::UncitedEntry,
            (reference.start, reference.end),
            format!("entry {} is not cited in the text", name(reference)),
        )
    });
    Outcome::of(!material.entries.is_empty(), findings.collect())
}

/// p4. A link or an address needs an entry only in a report that mostly cites like that and has a
/// list with addresses.
pub(super) fn citations_have_entries(material: &Material) -> Outcome {
    let longest = material.entries.iter();
    let longest = longest.filter_map(|entry| number(material.reference(entry)));
    let longest = longest.max().unwrap_or_default();
    let main = styles::main(material).filter(|_| lists_addresses(material));
    let (links, bare) = (main == Some(Look::Link), main == Some(Look::Bare));
    let needs_entry = |citation: &Citation| match citation.style {
        Style::Numbered | Style::Footnote | Style::AuthorYear => true,
        Style::Link => links,
        Style::Bare => bare,
        Style::ReferenceOnly => false,
    };
    let (mut checked, mut findings) = (false, Vec::new());
    for citation in material.cited() {
        checked |= needs_entry(citation);
        if needs_entry(citation) && is_dangling(citation, longest) {
            findings.push(material.finding(
                Rule::DanglingCitation,
                (citation.start, citation.end),
                format!("citation {} has no entry", told(citation)),
            ));
        }
    }
    Outcome::of(checked, findings)
}

fn is_dangling(citation: &Citation, longest: u32) -> bool {
    // Several works fit: that is a fault, but there is an entry.
    if citation.entry.is_some() || citation.diagnosis.contains(&Diagnosis::AmbiguousAuthorYear) {
        return false;
    }
    // `[2020]` in a quotation is a year.
    let number: Option<u32> = citation.label.as_ref().and_then(|label| label.parse().ok());
    let by_address = matches!(citation.style, Style::Link | Style::Bare);
    by_address || number.is_none_or(|number| number < YEARS || longest >= YEARS)
}

/// Whether there is a list with addresses, which those of the text may be in.
fn lists_addresses(material: &Material) -> bool {
    let mut entries = material.entries.iter();
    entries.any(|entry| material.reference(entry).url.is_some() && !entry.footnote)
}

fn told(citation: &Citation) -> String {
    let label = citation.label.as_deref();
    let label = label.or(citation.raw_url.as_deref()).unwrap_or_default();
    match citation.style {
        Style::Numbered => format!("[{label}]"),
        Style::Footnote => format!("[^{label}]"),
        _ => format!("“{}”", label.chars().take(60).collect::<String>()),
    }
}

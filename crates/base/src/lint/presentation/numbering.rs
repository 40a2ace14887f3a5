//! p10: numbers of entries without gaps, each number once and each address once.

use std::collections::BTreeSet;

use super::{
    Finding, Outcome, Rule,
    material::{Entry, Material, name, number},
};
use crate::citations::Diagnosis;

/// p10. Footnotes are numbered apart from entries of lists.
pub(super) fn gapless(material: &Material) -> Outcome {
    let (footnotes, listed): (Vec<Entry>, Vec<Entry>) =
        material.entries.iter().partition(|entry| entry.footnote);
    let mut findings = Vec::new();
    for entries in [&listed, &footnotes] {
        gaps(material, entries, &mut findings);
        repeated_numbers(material, entries, &mut findings);
    }
    repeated_addresses(material, &mut findings);
    Outcome::of(!material.entries.is_empty(), findings)
}

/// Numbers between the first and the last that no entry has; lists begin at 1, a few at 0.
fn gaps(material: &Material, entries: &[Entry], findings: &mut Vec<Finding>) {
    let mut numbered: Vec<(u32, &Entry)> = entries
        .iter()
        .filter_map(|entry| Some((number(material.reference(entry))?, entry)))
        .collect();
    numbered.sort_by_key(|(number, _)| *number);
    let mut before = 0;
    for (number, entry) in numbered {
        if number > before + 1 {
            let missing = before + 1..=number - 1;
            let what = if missing.start() == missing.end() {
                format!(
                    "number {before} is followed by {number}: {} is missing",
                    missing.start()
                )
            } else {
                format!(
                    "number {before} is followed by {number}: {} to {} are missing",
                    missing.start(),
                    missing.end()
                )
            };
            let reference = material.reference(entry);
            findings.push(material.finding(
                Rule::NumberGap,
                (reference.start, reference.end),
                what,
            ));
        }
        before = number;
    }
}

fn repeated_numbers(material: &Material, entries: &[Entry], findings: &mut Vec<Finding>) {
    let mut seen = BTreeSet::new();
    for entry in entries {
        let reference = material.reference(entry);
        let again = reference
            .label
            .as_ref()
            .is_some_and(|label| !seen.insert(label.to_lowercase()));
        if again {
            findings.push(material.finding(
                Rule::DuplicateNumber,
                (reference.start, reference.end),
                format!("an earlier entry is {}, too", name(reference)),
            ));
        }
    }
}

fn repeated_addresses(material: &Material, findings: &mut Vec<Finding>) {
    let twice = |entry: &&Entry| {
        let diagnosis = &material.reference(entry).diagnosis;
        diagnosis.contains(&Diagnosis::DuplicateUrl)
    };
    for entry in material.entries.iter().filter(twice) {
        let reference = material.reference(entry);
        findings.push(material.finding(
            Rule::DuplicateUrl,
            (reference.start, reference.end),
            format!("an earlier entry has the address of {}", name(reference)),
        ));
    }
}

//! Reports as agents write them: each notation by hand, whole reports, and hostile ones.

mod cases;
mod hostile;
mod lists;
mod reports;

use super::{Citation, Citations, Diagnosis, Reference, Style, parse, sections, steps};

/// What is between two places of a report.
fn cut(report: &str, start: usize, end: usize) -> String {
    report.chars().skip(start).take(end - start).collect()
}

/// A name as it is serialised.
fn name(value: impl serde::Serialize) -> String {
    serde_json::to_value(value)
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

/// `style label #entry url diagnosis…`; what is missing is left away.
fn told(citation: &Citation) -> String {
    let Citation {
        label,
        url,
        style,
        entry,
        diagnosis,
        ..
    } = citation;
    let mut parts = vec![name(style)];
    parts.extend(label.clone());
    parts.extend(entry.map(|entry| format!("#{entry}")));
    parts.extend(url.clone());
    parts.extend(diagnosis.iter().map(name));
    parts.join(" ")
}

fn check(report: &str, expect: &[&str]) {
    let found: Vec<String> = parse(report).citations.iter().map(told).collect();
    assert_eq!(found, expect, "\n{report}\n");
}

/// The same with a list of two references, one at a.org, one at b.org; what is only listed is left
/// away.
fn check_listed(text: &str, expect: &[&str]) {
    let report = format!(
        "{text}\n\n## References\n\n1. Ash, A. (2019). Winds. https://a.org/1\n2. Birch, B. (2021). Sails. https://b.org/2\n"
    );
    let found: Vec<String> = parse(&report)
        .citations
        .iter()
        .filter(|citation| citation.style != Style::ReferenceOnly)
        .map(told)
        .collect();
    assert_eq!(found, expect, "\n{report}\n");
}

//! What code finds wrong with the form of real reports, for reading beside them:
//! `TASKGEN_LRB=FOLDER cargo test --test it lrb -- --nocapture`, with a folder of
//! `…_report.md`. Without the variable the test says that it was skipped.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
    path::PathBuf,
};

use taskgen::{
    citations::{self, Style},
    lint::{Rule, presentation},
};

#[test]
fn faults_of_form_are_listed() {
    let mut out = std::io::stderr();
    let Some(folder) = std::env::var_os("TASKGEN_LRB").map(PathBuf::from) else {
        writeln!(out, "skipped: TASKGEN_LRB names no folder of reports").unwrap();
        return;
    };
    let mut paths: Vec<PathBuf> = fs_err::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with("_report.md"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "the folder has reports");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in &paths {
        let report = fs_err::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        let found = presentation::check(&report);
        let lines: Vec<&str> = report.lines().collect();
        let mut kinds: BTreeSet<String> = others(&report).into_iter().map(str::to_owned).collect();
        for (item, outcome) in &found.items {
            let key = item.key();
            if !outcome.passes() {
                kinds.insert(format!("failing {key}"));
            }
            for finding in outcome.findings() {
                let chars = report.chars().skip(finding.start);
                let text: String = chars.take((finding.end - finding.start).min(90)).collect();
                let line: String = lines[finding.line - 1].chars().take(110).collect();
                let (at, what) = (finding.line, &finding.what);
                writeln!(out, "{name}:{at} {key} {what}\n    {text:?}\n    {line}").unwrap();
                kinds.insert(told(finding.rule));
            }
        }
        for kind in kinds {
            *counts.entry(kind).or_default() += 1;
        }
    }
    writeln!(out, "\nof {} reports:", paths.len()).unwrap();
    for (kind, count) in counts {
        writeln!(out, "{count:4} {kind}").unwrap();
    }
}

fn told(rule: Rule) -> String {
    let word = serde_json::to_value(rule).unwrap();
    format!("with {}", word.as_str().unwrap())
}

/// What a report has besides faults.
fn others(report: &str) -> Vec<&'static str> {
    let found = citations::parse(report);
    let cited = |style: fn(Style) -> bool| found.citations.iter().any(|it| style(it.style));
    let lines: Vec<&str> = report.lines().collect();
    let delimiter = |line: &str| line.contains("--") && line.chars().all(|c| "|-: ".contains(c));
    let table = lines
        .windows(2)
        .any(|two| two[0].starts_with('|') && delimiter(two[1]));
    [
        (table, "with a table"),
        (
            !cited(|style| style != Style::ReferenceOnly),
            "without any citation in the text",
        ),
        (
            !cited(|style| style == Style::Numbered),
            "without any number in the text",
        ),
    ]
    .into_iter()
    .filter(|(is, _)| *is)
    .map(|(_, what)| what)
    .collect()
}

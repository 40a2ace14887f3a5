//! The benchmark's own data, by path: `TASKGEN_WLC=FOLDER cargo nextest run -E 'test(wiki::real)'
//! --no-capture`, with a folder in which `data/<name>/` and `results/` lie.

use std::{io::Write as _, path::PathBuf};

use serde_json::Value;

use super::nobody;
use crate::support::Project;

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("TASKGEN_WLC").map(PathBuf::from);
    if folder.is_none() {
        writeln!(
            std::io::stdout(),
            "skipped: TASKGEN_WLC names no folder of Wiki Live Challenge"
        )
        .unwrap();
    }
    folder
}

/// The stored figures follow from the stored verdicts, each file is written as it was read, and each
/// agency's counts are printed.
#[test]
fn stored_results_follow_and_files_survive() {
    let Some(folder) = folder() else { return };
    let project = Project::new(&nobody().url);
    let output = project.output(&["wiki", "doctor", folder.to_str().expect("a path"), "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = project.output(&["wiki", "doctor", folder.to_str().expect("a path")]);
    println!("{}", String::from_utf8_lossy(&text.stdout));
    let results = found["results"].as_array().expect("results");
    assert!(
        !results.is_empty() && results.iter().all(|of| of["follows"] == true),
        "{results:?}"
    );
    let verdicts: u64 = results
        .iter()
        .filter_map(|of| of["verdicts"].as_u64())
        .sum();
    println!("{verdicts} stored verdicts");
    assert_eq!(found["round_trip"]["files"], found["round_trip"]["equal"]);
}

/// Everything is imported; each report and gold article keeps its text.
#[test]
fn the_benchmark_is_imported() {
    let Some(folder) = folder() else { return };
    let project = Project::new(&nobody().url);
    let data = std::fs::read_dir(folder.join("data")).expect("data");
    for bench in data {
        let bench = bench.expect("an entry").path();
        let output = project.output(&["wiki", "import", bench.to_str().expect("a path"), "--json"]);
        let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        println!("{said}");
        assert_eq!(said["tasks"], said["gold_articles"], "{said}");
        let cost = project.json(&["--dry-run", "evaluate", "--metric", "writing"]);
        println!("{cost}");
    }
}

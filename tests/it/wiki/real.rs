//! The benchmark's own data, by path: `TASKGEN_WLC=FOLDER cargo nextest run -E 'test(wiki::real)'
//! --no-capture`, with a folder in which `data/<name>/` and `results/` lie.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use serde_json::Value;
use taskgen::{
    benchmarks::wiki_live_challenge::compat::text::split_sentences,
    embed::Encoder,
    evidence::retrieval::{self, Index},
};

use super::nobody;
use crate::support::Project;

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("TASKGEN_WLC").map(PathBuf::from);
    if folder.is_none() {
        let mut out = std::io::stdout();
        writeln!(
            out,
            "skipped: TASKGEN_WLC names no folder of Wiki Live Challenge"
        )
        .unwrap();
    }
    folder
}

/// The stored figures follow from the stored verdicts, each file is written as it was read, and
/// each agency's counts are printed.
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

/// How many of the five nearest sentences that the benchmark stored are among ours: by words, and
/// by words and meaning. The words of TF-IDF find .36 of them.
#[test]
fn real_retrieval_beside_the_stored_lists() {
    let Some(folder) = folder() else { return };
    let encoder = Encoder::load(&crate::embed::model().path).expect("it loads");
    let results = std::fs::read_dir(folder.join("results")).expect("results");
    let files =
        results.flat_map(|of| std::fs::read_dir(of.expect("an entry").path()).expect("a folder"));
    let (mut found, mut of_all) = ([[0_usize; 2]; 2], 0);
    for file in files.map(|file| file.expect("an entry").path()) {
        if !file.to_string_lossy().ends_with("_verifiability.json") {
            continue;
        }
        let stored: Value =
            serde_json::from_slice(&std::fs::read(file).expect("a file")).expect("JSON");
        let texts = |list: &str, key: &str| -> Vec<String> {
            let all = stored[list].as_array().expect("a list").iter();
            all.map(|of| of[key].as_str().expect("a text").to_owned())
                .collect()
        };
        let sides = [
            texts("alignments", "gen_sentence"),
            texts("coverage_alignments", "gt_sentence"),
        ];
        let vectors = sides.each_ref().map(|texts| {
            texts
                .iter()
                .map(|text| encoder.encode(text))
                .collect::<Vec<_>>()
        });
        for (at, list) in ["alignments", "coverage_alignments"]
            .into_iter()
            .enumerate()
        {
            let (asked, other) = (&sides[at], &sides[1 - at]);
            let shown: Vec<&str> = other.iter().map(String::as_str).collect();
            let index = Index::new(&shown, Some(vectors[1 - at].clone()));
            for (n, question) in asked.iter().enumerate() {
                let candidates = stored[list][n]["candidates"]
                    .as_array()
                    .expect("candidates");
                let wanted: Vec<&str> = candidates.iter().filter_map(Value::as_str).collect();
                of_all += wanted.len();
                for (how, vector) in [None, Some(vectors[at][n].as_slice())]
                    .into_iter()
                    .enumerate()
                {
                    for (depth, most) in [5, 10].into_iter().enumerate() {
                        let best = index.best(question, vector, most).best;
                        found[how][depth] += best
                            .iter()
                            .filter(|place| wanted.contains(&shown[**place]))
                            .count();
                    }
                }
            }
        }
    }
    let recall = found.map(|depths| depths.map(|n| n as f64 / of_all as f64));
    println!(
        "recall of the stored five, at 5 and at 10: by words {:.3?}, by words and meaning {:.3?}, of {of_all}",
        recall[0], recall[1]
    );
    assert!(recall[1][0] > 0.36, "no better than TF-IDF");
}

/// The first result on verifiability in a folder: the article that it is on, and what is stored.
fn stored_result(folder: &Path) -> (String, Value) {
    let file = std::fs::read_dir(folder).expect("results").next();
    let file = file.expect("a result").expect("an entry").path();
    let name = file.file_name().expect("a name").to_string_lossy();
    let stem = name.strip_suffix("_verifiability.json");
    let stored = serde_json::from_slice(&std::fs::read(&file).expect("a file")).expect("JSON");
    (stem.expect("on verifiability").to_owned(), stored)
}

/// The sentences that the benchmark's splitter stored, out of the articles that it split.
#[test]
fn stored_sentences_come_out_of_the_splitter() {
    let Some(folder) = folder() else { return };
    let (stem, stored) = stored_result(&folder.join("results/test_verifiability"));
    let data = folder.join("data/2025_Mar_Nov");
    for (list, key, article) in [
        (
            "alignments",
            "gen_sentence",
            data.join(format!("test_data/gemini_2.5_pro/md_data/{stem}.md")),
        ),
        (
            "coverage_alignments",
            "gt_sentence",
            data.join(format!("wiki_data/cleaned_data/article/{stem}.md")),
        ),
    ] {
        let expected = stored[list].as_array().expect("a list").iter();
        let expected: Vec<&str> = expected.filter_map(|of| of[key].as_str()).collect();
        let split = split_sentences(&std::fs::read_to_string(article).expect("an article"));
        let same = split.iter().zip(&expected).filter(|(a, b)| a == b).count();
        println!("{list}: {same} of {} stored sentences", expected.len());
        assert_eq!(split, expected);
    }
}

/// Whether the three passages that `facts` shows of the other article have a sentence that the
/// benchmark's judge saw and called consistent: by words, and by words and meaning.
#[test]
fn real_passages_beside_the_stored_lists() {
    let Some(folder) = folder() else { return };
    let encoder = Encoder::load(&crate::embed::model().path).expect("it loads");
    let (stem, stored) = stored_result(&folder.join("results/test_verifiability2"));
    // The gold article alone: statements of the report were extracted, and stand in it otherwise.
    let article = folder.join(format!(
        "data/2025_Mar_Nov/wiki_data/cleaned_data/article/{stem}.md"
    ));
    let text = std::fs::read_to_string(article).expect("an article");
    let passages = retrieval::passages("gold", &text);
    let texts: Vec<&str> = passages.iter().map(|of| of.text.as_str()).collect();
    let vectors = texts.iter().map(|text| encoder.encode(text)).collect();
    let index = Index::new(&texts, Some(vectors));
    let (mut found, mut all) = ([0_usize; 2], 0);
    for of in stored["alignments"].as_array().expect("a list") {
        if of["verify"]["verdict"] != "consistent" {
            continue;
        }
        let statement = of["gen_sentence"].as_str().expect("a text");
        // The nearest of the five: which of them decided is not stored.
        let nearest = of["candidates"][0].as_str().expect("a text");
        let words = taskgen::text::words::tokens(nearest);
        let has = |text: &str| {
            let known: std::collections::BTreeSet<String> =
                taskgen::text::words::tokens(text).into_iter().collect();
            let shared = words.iter().filter(|word| known.contains(*word)).count();
            shared * 10 >= words.len() * 8
        };
        let holding: Vec<usize> = (0..texts.len()).filter(|at| has(texts[*at])).collect();
        // A statement of the article may be worded otherwise than its sentence.
        if holding.is_empty() {
            continue;
        }
        all += 1;
        let vector = encoder.encode(statement);
        for (how, vector) in [None, Some(vector.as_slice())].into_iter().enumerate() {
            let best = index.best(statement, vector, 3).best;
            found[how] += usize::from(best.iter().any(|at| holding.contains(at)));
        }
    }
    println!(
        "of {all} consistent statements the three passages of {} have the nearest sentence: by \
         words {}, by words and meaning {}",
        texts.len(),
        found[0],
        found[1]
    );
    assert!(all > 0);
}

//! The embedded model, or the one in `TASKGEN_JUDGE`, beside the verdicts that Wiki Live Challenge
//! stored: statements with the sentences that its judge saw, and citations with their pages. By
//! path: `TASKGEN_WLC=FOLDER scripts/accept.sh wiki_judge`; `TASKGEN_ITEMS` is how many of each kind
//! are asked about. What agrees is printed and not held against a small model.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Instant,
};

use serde_json::Value;
use taskgen::{data::id::sha256_hex, stats::agreement};

use crate::support::{ModelServer, Project, llm::Play};

/// A statement with what its judge saw, and what it said.
struct Item {
    statement: String,
    seen: String,
    label: &'static str,
}

fn items() -> usize {
    let said = std::env::var("TASKGEN_ITEMS").ok();
    said.and_then(|n| n.parse().ok()).unwrap_or(60)
}

fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn label(word: &str) -> &'static str {
    match word {
        "consistent" | "support" => "supports",
        "inconsistent" | "conflict" => "contradicts",
        _ => "silent",
    }
}

/// Statements beside sentences of the other article.
fn statements(folder: &Path) -> Vec<Item> {
    let mut items = Vec::new();
    for path in files(&folder.join("results"), "_verifiability.json") {
        let file = read(&path);
        for (list, key) in [
            ("alignments", "gen_sentence"),
            ("coverage_alignments", "gt_sentence"),
        ] {
            for of in file[list].as_array().into_iter().flatten() {
                let seen = of["candidates"].as_array().into_iter().flatten();
                let seen: Vec<&str> = seen.filter_map(Value::as_str).collect();
                items.push(Item {
                    statement: text(of, key).to_owned(),
                    seen: seen.join("\n\n"),
                    label: label(text(&of["verify"], "verdict")),
                });
            }
        }
    }
    items
}

/// Statements beside the pages that they cite.
fn citations(folder: &Path) -> Vec<Item> {
    let mut items = Vec::new();
    for path in files(&folder.join("results"), "_citation.json") {
        let file = read(&path);
        let name = path.file_name().expect("a name").to_string_lossy();
        let stem = name.trim_end_matches("_citation.json");
        let articles = files(&folder.join("data"), &format!("json_data/{stem}.json"));
        let pages: BTreeMap<String, String> = articles
            .iter()
            .flat_map(|path| {
                let file = read(path);
                let pages = file["query"]["pages"].as_object().cloned();
                let page = pages.and_then(|pages| pages.into_iter().next());
                let contents = page.map(|(_, page)| page["citation_contents"].clone());
                let contents = contents.as_ref().and_then(Value::as_object).cloned();
                let contents = contents.unwrap_or_default().into_iter();
                contents
                    .map(|(_, of)| (text(&of, "url").to_owned(), text(&of, "content").to_owned()))
                    .collect::<Vec<_>>()
            })
            .collect();
        for of in file["results"].as_array().into_iter().flatten() {
            if let Some(page) = pages.get(text(of, "citation_url")) {
                items.push(Item {
                    statement: text(of, "statement").to_owned(),
                    seen: page.clone(),
                    label: label(text(of, "verdict")),
                });
            }
        }
    }
    items
}

/// So many of the items, by chance that follows from their words.
fn drawn(mut items: Vec<Item>, most: usize) -> Vec<Item> {
    items.sort_by_cached_key(|item| sha256_hex(item.statement.as_bytes()));
    items.truncate(most);
    items
}

/// Asks about each item as `facts` does: a gold article of one statement, a report that is what the
/// stored judge saw.
fn judged(items: &[Item], batch: usize) -> Vec<(&'static str, String)> {
    let model =
        std::env::var("TASKGEN_JUDGE").unwrap_or_else(|_| "local/qwen2.5-coder-0.5b".to_owned());
    let nobody = ModelServer::openai().plays(|_| Play::Decline);
    let project = Project::new(&nobody.url).config(&format!("[evaluate]\nbatch = {batch}\n"));
    let folder = project.path("bench");
    let put = |path: String, text: String| {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(path, text).expect("writable");
    };
    let mut tasks = Vec::new();
    for (n, item) in items.iter().enumerate() {
        let stem = format!("Item_{n}");
        tasks.push(serde_json::json!({
            "id": n + 1, "title": stem, "url": "", "question": format!("Item {n}?")
        }));
        put(
            format!("wiki_data/cleaned_data/article/{stem}.md"),
            item.statement.clone(),
        );
        let statements = serde_json::json!([{ "statement": item.statement }]);
        put(
            format!("wiki_data/cleaned_data/statement/{stem}_statements.json"),
            statements.to_string(),
        );
        put(
            format!("test_data/seen/md_data/{stem}.md"),
            item.seen.clone(),
        );
    }
    put(
        "wiki_data/ga_1.json".to_owned(),
        Value::from(tasks).to_string(),
    );
    project.output(&["wiki", "import", "bench"]);
    let role = format!("relate={model}");
    project.output(&[
        "evaluate",
        "--metric",
        "facts",
        "--model-role",
        &role,
        "--max-unscored",
        "1",
    ]);
    let said: BTreeMap<usize, String> = project
        .json(&["reports", "list"])
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|row| {
            let measures = &row["scores"]["measures"];
            let share = |key: &str| measures[key]["value"].as_f64();
            let word = match (share("facts_covered")?, share("facts_denied")?) {
                (said, _) if said > 0.5 => "supports",
                (_, denied) if denied > 0.5 => "contradicts",
                _ => "silent",
            };
            let task = project.json(&["tasks", "show", row["task"].as_str()?]);
            let n = text(&task, "file_id").strip_prefix("Item_")?.parse().ok()?;
            Some((n, word.to_owned()))
        })
        .collect();
    let said = said.into_iter();
    said.map(|(n, word)| (items[n].label, word)).collect()
}

#[test]
fn wiki_judge_beside_the_stored_verdicts() {
    let Some(folder) = std::env::var_os("TASKGEN_WLC").map(PathBuf::from) else {
        println!("skipped: TASKGEN_WLC names no folder of Wiki Live Challenge");
        return;
    };
    for (kind, all) in [
        ("statements", statements(&folder)),
        ("citations", citations(&folder)),
    ] {
        let started = Instant::now();
        let (n, items) = (all.len(), drawn(all, items()));
        let pairs = judged(&items, 1);
        let mut confusion: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (stored, said) in &pairs {
            *confusion.entry((stored, said)).or_default() += 1;
        }
        let words: BTreeSet<&str> = confusion.keys().flat_map(|(a, b)| [*a, *b]).collect();
        let place = |word: &str| words.iter().position(|of| *of == word).expect("known") as f64;
        let coded: Vec<[Option<f64>; 2]> = pairs
            .iter()
            .map(|(a, b)| [Some(place(a)), Some(place(b))])
            .collect();
        println!(
            "{kind}: {} of {} drawn from {n} have a verdict; stored, ours: {confusion:?}",
            pairs.len(),
            items.len()
        );
        let same = pairs.iter().filter(|(a, b)| a == b).count();
        println!(
            "{kind}: {same} the same, κ {:?}; {} s",
            agreement::cohen(&coded, [0, 1], agreement::Weights::Identity),
            started.elapsed().as_secs()
        );
        assert!(!items.is_empty(), "no stored verdicts in the folder");
        assert!(
            pairs.len() * 4 >= items.len(),
            "hardly any verdict: {} of {}",
            pairs.len(),
            items.len()
        );
    }
}

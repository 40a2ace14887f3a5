//! A project as a benchmark's folder: what was imported comes out as it was, and the figures that
//! follow from the exported verdicts are those of the leaderboard.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{
    answer, asked, bench,
    bench::{AGENCIES, TASKS},
    imported, near, nobody, reply, value,
};
use crate::support::{ModelServer, Project, llm::Play};

/// Answers both kinds of questions.
fn fake() -> ModelServer {
    ModelServer::openai().plays(|request| Play::Say(answer(&request.body).to_string()))
}

/// The bytes of all files below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(at).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below it").to_owned();
                found.insert(name, std::fs::read(path).expect("a file"));
            }
        }
    }
    found
}

fn as_json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

#[test]
fn what_was_imported_comes_out_again() {
    let nobody = nobody();
    let project = imported(&nobody);
    let said = project.json(&["wiki", "export", "out"]);
    assert_eq!(
        (&said["tasks"], &said["reports"], &said["agents"]),
        (&json!(4), &json!(12), &json!(3)),
        "{said}"
    );
    let (made, out) = (files(&project.path("made")), files(&project.path("out")));
    let mut compared = 0;
    for (path, bytes) in &made {
        let name = path.to_string_lossy().replace("ga_100", "ga_4");
        if name.contains("asleep") {
            continue;
        }
        let written = out.get(Path::new(&name));
        let written = written.unwrap_or_else(|| panic!("{name} is missing"));
        if name.ends_with("agencies.json") {
            let (made, written) = (as_json(bytes), as_json(written));
            for (agency, _) in AGENCIES {
                let [made, written] = [&made, &written].map(|of| &of["agencies"][agency]);
                assert_eq!(made["has_citations"], written["has_citations"], "{agency}");
            }
            assert!(written["agencies"]["asleep"].is_null());
        } else if path.extension().is_some_and(|of| of == "json") {
            assert_eq!(as_json(bytes), as_json(written), "{name}");
        } else {
            assert_eq!(
                String::from_utf8_lossy(bytes),
                String::from_utf8_lossy(written),
                "{name}"
            );
        }
        compared += 1;
    }
    // Tasks, their table, the register; of each task two files of the gold article, three reports.
    assert_eq!(compared, 3 + 4 * 5);

    // Statements in the JSON of an article cite by number.
    let path = format!("test_data/middle/json_data/{}.json", TASKS[0]);
    let article = as_json(&out[Path::new(&path)]);
    let pages = article["query"]["pages"].as_object().expect("pages");
    let page = pages.values().next().expect("a page");
    assert_eq!(
        page["citation_urls"],
        json!({
            "1": format!("https://example.org/{}", TASKS[0]),
            // Addresses are canonical: a part of a page is no other page.
            "2": format!("https://en.m.wikipedia.org/wiki/{}", TASKS[0]),
        })
    );
    let facts = page["statements"].as_array().expect("statements");
    let cited = facts.iter().filter(|of| !of["ref_idx"].is_null()).count();
    assert_eq!(cited, 2, "{facts:?}");
    let text = page["extract"].as_str().expect("a text");
    assert!(
        !text.contains("[1]") && !text.contains("example.org"),
        "{text}"
    );

    // What an earlier export left is told of.
    assert_eq!(said["others"], 0);
    let stranger = project.path("out/test_data/gone/md_data/Alder_Bridge.md");
    std::fs::create_dir_all(stranger.parent().expect("a folder")).expect("writable");
    std::fs::write(&stranger, "# Alder Bridge\n").expect("writable");
    assert_eq!(project.json(&["wiki", "export", "out"])["others"], 1);
    let told = project.ok(&["wiki", "export", "out"]);
    assert!(told.contains("other files in the folder: 1;"), "{told}");
    std::fs::remove_dir_all(project.path("out/test_data/gone")).expect("a folder");

    // Into another project and out again: the same bytes.
    let other = Project::new(&nobody.url);
    let folder = project.path("out");
    other.ok(&["wiki", "import", folder.to_str().expect("a path")]);
    other.ok(&["wiki", "export", "again"]);
    assert_eq!(files(&other.path("again")), out);
}

#[test]
fn exported_verdicts_give_the_leaderboard() {
    let fake = fake();
    let project = imported(&fake);
    project.ok(&["evaluate", "--metric", "writing,facts"]);
    let board = project.json(&["leaderboard"]);
    let said = project.json(&["wiki", "export", "out"]);
    assert_eq!(said["judges"].as_array().map(Vec::len), Some(1), "{said}");
    let out = files(&project.path("out"));
    let results: Vec<(&Path, Value)> = out
        .iter()
        .filter(|(path, _)| path.starts_with("results"))
        .map(|(path, bytes)| (path.as_path(), as_json(bytes)))
        .collect();
    // Two orders and the facts of twelve reports; three summaries of each agent.
    assert_eq!(results.len(), 12 * 3 + 3 * 3);
    for (agent, _) in AGENCIES {
        let of = |end: &str| {
            let own = results.iter().filter(|(path, _)| {
                let path = path.to_string_lossy();
                path.contains(&format!("/{agent}/")) && path.ends_with(end)
            });
            own.map(|(_, value)| value).collect::<Vec<_>>()
        };
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let number = |of: &Value| of.as_f64().expect("a number");
        let rates = of("_writing.json");
        let rates = rates
            .iter()
            .map(|of| number(&of["aggregate"]["overall"]["gen_win_rate"]));
        near(
            value(&board, agent, "writing"),
            mean(rates.collect()),
            agent,
        );
        let facts = of("_verifiability.json");
        for (key, ratio) in [
            ("facts_covered", "wiki_covered_by_gen_ratio"),
            ("facts_denied", "wiki_conflict_with_gen_ratio"),
            ("facts_borne_out", "gen_supported_by_wiki_ratio"),
            ("facts_conflict", "gen_conflict_with_wiki_ratio"),
        ] {
            let ratios = facts.iter().map(|of| number(&of[ratio]));
            near(value(&board, agent, key), mean(ratios.collect()), key);
        }
        // The words that decide stand beside each statement.
        let first = &facts[0]["alignments"];
        let decided = first.as_array().expect("alignments").iter();
        let decided = decided.filter(|of| of["verify"]["verdict"] != "not_support");
        assert!(decided.clone().count() > 0);
        for of in decided {
            assert!(
                of["candidates"][0]
                    .as_str()
                    .is_some_and(|words| words.contains("Pillar"))
            );
        }
    }
    // The doctor computes the figures again, and finds them.
    let output = project.output(&["wiki", "doctor", "out", "--json"]);
    let found = as_json(&output.stdout);
    let checked = found["results"].as_array().expect("results");
    assert_eq!(checked.len(), 36);
    assert!(
        checked.iter().all(|of| of["follows"] == true),
        "{checked:?}"
    );
    assert_eq!(found["round_trip"]["files"], found["round_trip"]["equal"]);
    // A changed figure does not follow.
    let path = project.path("out").join(
        results
            .iter()
            .find(|(path, _)| path.to_string_lossy().ends_with("_verifiability.json"))
            .expect("a result")
            .0,
    );
    let text = std::fs::read_to_string(&path).expect("a file");
    let changed = text.replacen("\"wiki_covered_by_gen\": ", "\"wiki_covered_by_gen\": 1", 1);
    assert_ne!(text, changed);
    std::fs::write(&path, changed).expect("writable");
    let output = project.output(&["wiki", "doctor", "out", "--json"]);
    let found = as_json(&output.stdout);
    let checked = found["results"].as_array().expect("results").iter();
    assert_eq!(checked.filter(|of| of["follows"] == false).count(), 1);
}

/// What has no verdict is in no file, and the figures follow all the same.
#[test]
fn what_has_no_verdict_is_left_out_of_the_export() {
    let fake = ModelServer::openai().plays(|request| {
        if asked(&request.body).iter().any(|id| id.starts_with("n_")) {
            return Play::Say("There is no winner.".to_owned());
        }
        Play::Say(reply(&request.body).to_string())
    });
    let project = imported(&fake);
    project.output(&["evaluate", "--metric", "writing", "--max-unscored", "1"]);
    project.ok(&["wiki", "export", "out"]);
    let out = files(&project.path("out"));
    let writing = out
        .iter()
        .filter(|(path, _)| path.to_string_lossy().ends_with("_writing.json"));
    for (path, bytes) in writing {
        let file = as_json(bytes);
        assert_eq!(file["details"]["Neutral"], json!([]), "{}", path.display());
        let overall = &file["aggregate"]["overall"];
        assert_eq!(
            (&overall["ties"], &overall["unscored"]),
            (&json!(0), &json!({ "missing": 10 })),
            "{overall}"
        );
    }
    let output = project.output(&["wiki", "doctor", "out", "--json"]);
    let found = as_json(&output.stdout);
    let checked = found["results"].as_array().expect("results");
    assert!(
        checked.iter().all(|of| of["follows"] == true),
        "{checked:?}"
    );
}

#[test]
fn without_gold_articles_there_is_nothing_to_export() {
    let nobody = nobody();
    let project = Project::new(&nobody.url);
    let folder = project.path("made");
    bench::write(&folder);
    std::fs::remove_dir_all(folder.join("wiki_data/cleaned_data")).expect("a folder");
    project.output(&["wiki", "import", "made"]);
    let said = project.fails(&["wiki", "export", "out"], 2);
    assert!(said.contains("no task has a gold article"), "{said}");
    assert!(!project.path("out").exists());
}

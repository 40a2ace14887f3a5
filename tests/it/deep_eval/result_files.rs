//! A project's grades as LiveResearchBench's result files: they say what the leaderboard says, an
//! audit finds nothing wrong in them, and finds what somebody changes.

use std::path::{Path, PathBuf};

use super::*;

const RATE: &str = "rate = [\"fake/m\", \"fake/strict\"]";
const FIVE: &str = "presentation,coverage,consistency,association,depth";
const REFERENCE: &str = "[evaluate.settings.depth]\nreference = \"four\"\nall = true\n";

/// Three agents, judged by two judges; the second passes no item of a checklist.
fn judged_twice() -> (ModelServer, Project) {
    let fake = ModelServer::openai().plays(|request| {
        let mut reply = judge::reply(request.prompt(), &request.body);
        if request.body["model"] == "strict" && request.prompt() == "evaluate_coverage" {
            for item in reply["items"].as_array_mut().expect("items") {
                item["passes"] = json!(false);
            }
        }
        Play::Say(reply.to_string())
    });
    let project = project(&fake.url);
    project.reconfigure("rate = \"fake/m\"", RATE);
    project.configure(&(project.configuration() + REFERENCE));
    let web = serve();
    let reports: Vec<(&str, String)> = [("six", 6), ("four", 4), ("two", 2)]
        .map(|(agent, n)| (agent, Report::new(&web, &SIX[..n]).text()))
        .into();
    import(&project, &reports);
    project.ok(&["evaluate", "--metric", FIVE]);
    (fake, project)
}

/// The files below a folder whose names begin so, by path.
fn files(folder: &Path, begin: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.starts_with(begin) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Standard output and standard error, whatever the exit code.
fn printed(project: &Project, args: &[&str]) -> (String, String) {
    let output = project.output(args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// What an audit of the whole export says, whatever its exit code.
fn audited_all(project: &Project) -> Value {
    let (out, _) = printed(project, &["--json", "audit", "results", "lrb"]);
    serde_json::from_str(&out).expect("JSON")
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

#[test]
fn an_export_says_what_the_leaderboard_says_and_an_audit_finds_nothing() {
    let (_fake, project) = judged_twice();
    let board = project.json(&["leaderboard"]);
    let exported = project.json(&["export", "live-research-bench", "lrb"]);
    assert_eq!(
        (&exported["reports"], &exported["agents"]),
        (&json!(3), &json!(3))
    );
    let folder = project.path("lrb");
    let audited = project.json(&["audit", "results", "lrb"]);
    for file in audited["files"].as_array().expect("files") {
        assert_eq!(
            (&file["findings"], &file["problems"]),
            (&json!([]), &json!([])),
            "{file}"
        );
    }
    let [detailed, other] = files(&folder, "detailed_results_")
        .try_into()
        .expect("two judges");
    assert_eq!(files(&folder, "summary_").len(), 2);
    assert_eq!(files(&folder, "averaged_results_").len(), 1);
    // Five criteria of two judges.
    assert_eq!(
        files(&folder, "")
            .iter()
            .filter(|f| f.extension().is_some_and(|e| e == "jsonl"))
            .count(),
        10
    );
    assert!(
        detailed.to_string_lossy().contains("graded_fake_m")
            && other.to_string_lossy().contains("graded_fake_strict")
    );

    // The averages of both judges are the leaderboard's values.
    for row in board["agents"].as_array().expect("agents") {
        let agent = row["agent"].as_str().expect("a name");
        let averages = &audited["averages"]["models"][agent];
        for (criterion, measure) in [
            ("presentation", "presentation"),
            ("coverage", "coverage"),
            ("consistency", "consistency"),
            ("citation", "association"),
        ] {
            let ours = row["measures"][measure]["value"].as_f64().expect("a value") * 100.0;
            let theirs = averages[criterion]["mean"].as_f64().expect("a mean");
            assert!(
                (ours - theirs).abs() < 1e-9,
                "{agent} {criterion}: {ours} and {theirs}"
            );
        }
        if agent != "four" {
            let ours = row["measures"]["depth_win_rate"]["value"]
                .as_f64()
                .expect("a rate")
                * 100.0;
            let theirs = averages["depth"]["mean"].as_f64().expect("a rate");
            assert!((ours - theirs).abs() < 1e-9, "{agent}: {ours} and {theirs}");
        }
    }
    // The same export, byte for byte, whenever it is made.
    let before: Vec<Vec<u8>> = files(&folder, "")
        .iter()
        .map(|f| std::fs::read(f).expect("a file"))
        .collect();
    project.ok(&["export", "live-research-bench", "lrb"]);
    let after: Vec<Vec<u8>> = files(&folder, "")
        .iter()
        .map(|f| std::fs::read(f).expect("a file"))
        .collect();
    assert!(before == after, "the export changed");

    // The reports are the ones that were imported, and can be imported again.
    let again = project.json(&["reports", "import", "lrb/reports"]);
    assert_eq!(
        again["known"].as_u64().or(again["unchanged"].as_u64()),
        Some(3),
        "{again}"
    );
}

#[test]
fn an_audit_of_an_export_finds_what_was_changed() {
    let (_fake, project) = judged_twice();
    project.ok(&["export", "live-research-bench", "lrb"]);
    let folder = project.path("lrb");
    let detailed = &files(&folder, "detailed_results_")[0];
    let summary = &files(&folder, "summary_")[0];
    let averaged = &files(&folder, "averaged_results_")[0];
    let kinds = |found: &Value| -> BTreeMap<String, usize> {
        let mut kinds = BTreeMap::new();
        let files = found["files"].as_array().expect("files").iter();
        for finding in files.flat_map(|file| file["findings"].as_array().expect("findings")) {
            let kind = finding["finding"].as_str().expect("a kind").to_owned();
            *kinds.entry(kind).or_default() += 1;
        }
        kinds
    };
    let change = |path: &Path, change: &dyn Fn(&mut Value)| {
        let whole = std::fs::read(path).expect("a file");
        let mut value = read(path);
        change(&mut value);
        std::fs::write(path, value.to_string()).expect("writable");
        let found = audited_all(&project);
        std::fs::write(path, whole).expect("writable");
        kinds(&found)
    };
    // A mean that the grades do not give.
    let found = change(summary, &|value| {
        value["results_by_model"]["six"]["coverage"]["mean"] = json!(99);
    });
    println!("another mean: {found:?}");
    assert_eq!(found.keys().collect::<Vec<_>>(), ["mean_off_facts"]);
    // An average that is not the judges'.
    let found = change(averaged, &|value| {
        value["results_by_model"]["six"]["coverage"]["mean"] = json!(99);
    });
    println!("another average: {found:?}");
    assert_eq!(found.keys().collect::<Vec<_>>(), ["mean_off_judges"]);
    // A score of the judge's own.
    let found = change(detailed, &|value| {
        value["reports"][0]["consistency_grading_results"]["score"] = json!(70);
    });
    println!("another score: {found:?}");
    assert!(found.contains_key("score_off_rubric"), "{found:?}");
}

#[test]
fn a_judges_files_are_joined_and_strangers_files_end_nothing() {
    let (_fake, project) = judged_twice();
    project.ok(&["export", "live-research-bench", "lrb"]);
    let folder = project.path("lrb");
    let detailed = &files(&folder, "detailed_results_")[0];
    // A file that is none of the benchmark's ends nothing.
    std::fs::write(folder.join("package.json"), "{}").expect("writable");
    let found = audited_all(&project);
    assert_eq!(found["unread"].as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found["judges"].as_array().map(Vec::len), Some(2));
    std::fs::remove_file(folder.join("package.json")).expect("a file");
    // A judge's grades in two files are one judge's.
    let mut first = read(detailed);
    let mut second = first.clone();
    for report in first["reports"].as_array_mut().expect("reports") {
        report
            .as_object_mut()
            .expect("a report")
            .remove("coverage_grading_results");
    }
    for report in second["reports"].as_array_mut().expect("reports") {
        report
            .as_object_mut()
            .expect("a report")
            .retain(|name, _| !name.ends_with("_results") || name.starts_with("coverage"));
    }
    let whole = std::fs::read(detailed).expect("a file");
    std::fs::write(detailed, first.to_string()).expect("writable");
    let later = detailed.with_file_name("detailed_results_later.json");
    std::fs::write(&later, second.to_string()).expect("writable");
    let found = audited_all(&project);
    assert_eq!(found["judges"].as_array().map(Vec::len), Some(2), "{found}");
    let averages = &found["averages"]["models"]["six"];
    assert!(
        averages["coverage"]["basis"] == "all_judges"
            && averages["presentation"]["basis"] == "all_judges",
        "{averages}"
    );
    std::fs::remove_file(later).expect("a file");
    std::fs::write(detailed, whole).expect("writable");
    // Without the detailed file the lines of the criteria are the judge's grades.
    std::fs::remove_file(detailed).expect("a file");
    let joined = project.json(&["audit", "results", "lrb"]);
    let averages = &joined["averages"]["models"]["six"];
    assert!(
        averages["coverage"]["mean"].is_number() && averages["presentation"]["mean"].is_number(),
        "{joined}"
    );
    assert_eq!(joined["judges"].as_array().expect("judges").len(), 2);
}

#[test]
fn judges_that_differ_are_found_item_by_item() {
    let (_fake, project) = judged_twice();
    let found = project.json(&["audit", "judges"]);
    let of = |instrument: &str| -> &Value {
        let all = found["agreement"].as_array().expect("agreement");
        all.iter()
            .find(|of| of["instrument"] == instrument)
            .expect("an instrument")
    };
    // Of 15 items the obedient judge passes 5, 4 and 2, the strict one none: they differ on 11.
    let coverage = of("coverage/item/1");
    assert_eq!(coverage["n"], 15);
    let same = coverage["coefficients"][0]["value"]
        .as_f64()
        .expect("a share");
    assert!((same - 4.0 / 15.0).abs() < 1e-9, "{coverage}");
    assert_eq!(of("consistency/issues/1")["coefficients"][0]["value"], 1.0);
    // Three pairs in two orders: a game is one question, though both reports know it.
    assert_eq!(of("depth/comparison/1")["n"], 6);
    let disputed = found["disputed"].as_array().expect("a queue");
    assert_eq!(disputed.len(), 11, "{found}");
    let first = &disputed[0];
    assert_eq!(
        (&first["instrument"], &first["distance"]),
        (&json!("coverage/item/1"), &json!(1.0))
    );
    assert_eq!(
        first["item"]
            .as_str()
            .map(|item| item.starts_with("Gives the reading")),
        Some(true),
        "{first}"
    );
    let verdicts = first["verdicts"].as_array().expect("verdicts");
    let words: Vec<_> = verdicts
        .iter()
        .map(|v| (v["judge"].as_str(), v["verdict"].as_str()))
        .collect();
    assert_eq!(
        words,
        [
            (Some("fake/m"), Some("passed")),
            (Some("fake/strict"), Some("failed"))
        ]
    );
    let shown = project.ok(&["audit", "judges"]);
    assert!(shown.contains("11 questions are disputed"), "{shown}");
}

/// Families are averaged over their agents, on the page, too; and a facet has a map.
#[test]
fn families_and_maps_are_on_the_page() {
    let (_fake, project) = judged_twice();
    project.configure(
        &(project.configuration()
            + "[families]\nlarge = [\"six\", \"four\"]\nsmall = [\"two\", \"nobody\"]\n"),
    );
    let board = project.json(&["leaderboard", "--by", "domain,language"]);
    let value = |rows: &Value, name: &str| -> f64 {
        let rows = rows.as_array().expect("rows");
        let row = rows.iter().find(|row| row["agent"] == name).expect("a row");
        row["measures"]["coverage"]["value"]
            .as_f64()
            .expect("a value")
    };
    let (six, four) = (
        value(&board["agents"], "six"),
        value(&board["agents"], "four"),
    );
    let large = value(&board["families"]["agents"], "large");
    assert!((large - f64::midpoint(six, four)).abs() < 1e-9, "{large}");
    let facets: Vec<_> = board["groups"]
        .as_array()
        .expect("groups")
        .iter()
        .map(|group| group["facet"].as_str())
        .collect();
    assert_eq!(facets, [Some("domain"), Some("language")]);
    let args = [
        "leaderboard",
        "--by",
        "domain,language",
        "--html",
        "board.html",
    ];
    let (out, note) = printed(&project, &args);
    assert!(
        note.contains("agents of the family `small` without a report: nobody"),
        "{note}"
    );
    assert!(out.contains("families of agents"), "{out}");
    let page = std::fs::read_to_string(project.path("board.html")).expect("a page");
    for part in [
        "Families of agents",
        "coverage by agent and domain",
        "coverage by agent and language",
        "fill-opacity",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let shown = project.ok(&["leaderboard", "--table", "live-research-bench"]);
    assert!(
        shown.contains("family") && shown.contains("large"),
        "{shown}"
    );
}

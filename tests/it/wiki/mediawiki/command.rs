//! `taskgen wiki collect` as a user runs it: an edition that can be imported at once.

use serde_json::{Value, json};

use super::{MediaWiki, five};
use crate::{support::Project, wiki::nobody};

fn arguments<'a>(api: &'a str, contact: &'a str, folder: &'a str) -> Vec<&'a str> {
    vec![
        "wiki",
        "collect",
        "--since",
        "2026-03-01",
        "--until",
        "2026-04-01",
        "--as-of",
        "2026-04-10T00:00:00Z",
        "--pause-ms",
        "0",
        "--api",
        api,
        "--contact",
        contact,
        folder,
    ]
}

#[test]
fn an_edition_is_collected_imported_and_compared() {
    let wiki = MediaWiki::start(five());
    let nobody = nobody();
    let project = Project::new(&nobody.url);
    let api = wiki.api();
    let contact = "keeper@lantern.example";
    let told = project.ok(&arguments(&api, contact, "edition"));
    println!("{told}");
    assert!(told.contains("5 articles of"), "{told}");
    assert!(told.contains("taskgen wiki import edition"), "{told}");
    let found = project.json(&arguments(&api, contact, "edition"));
    assert_eq!(
        (&found["requests"], &found["report"]["skipped"]),
        (&json!(0), &json!(5))
    );
    let titles: Vec<&Value> = found["manifest"]["articles"]
        .as_array()
        .expect("articles")
        .iter()
        .map(|article| &article["title"])
        .collect();
    assert_eq!(titles[0], "Skerry 1", "most references");

    let imported = project.json(&["wiki", "import", "edition"]);
    assert_eq!(
        (
            &imported["tasks"],
            &imported["gold_articles"],
            &imported["problems"]
        ),
        (&json!(5), &json!(5), &json!([])),
        "{imported}"
    );
    let tasks = project.json(&["tasks", "list"]);
    let id = tasks[0]["id"].as_str().expect("an id");
    let task = project.json(&["tasks", "show", id]);
    let text = task["task"].as_str().unwrap_or_else(|| panic!("{task}"));
    assert!(text.contains("Skerry") && text.contains("\n39. "), "{text}");

    let same = project.json(&["wiki", "diff", "edition", "edition"]);
    assert_eq!(
        same["unchanged"].as_array().map(Vec::len),
        Some(5),
        "{same}"
    );
    assert_eq!(same["new"], json!([]));
}

#[test]
fn what_cannot_be_collected_has_one_clear_message() {
    let wiki = MediaWiki::start(five());
    let nobody = nobody();
    let project = Project::new(&nobody.url);
    let api = wiki.api();
    let told = project.fails(&arguments(&api, "nobody", "edition"), 2);
    assert!(
        told.contains("is no contact") && told.contains("hint"),
        "{told}"
    );
    let told = project.fails(&arguments("not an address", "a@b.example", "edition"), 2);
    assert!(told.contains("no address of an API"), "{told}");
    let mut backwards = arguments(&api, "a@b.example", "edition");
    backwards[3] = "2026-05-01";
    let told = project.fails(&backwards, 2);
    assert!(told.contains("--since is before --until"), "{told}");
    let mut early = arguments(&api, "a@b.example", "edition");
    (early[5], early[7]) = ("2999-01-01", "2999-02-01T00:00:00Z");
    let told = project.fails(&early, 2);
    assert!(told.contains("still to come"), "{told}");
    // A folder of somebody else's, and one of which nothing was asked yet.
    std::fs::create_dir_all(project.path("theirs/wiki_data")).expect("writable");
    let told = project.fails(&arguments(&api, "a@b.example", "theirs"), 1);
    assert!(told.contains("no collection of ours"), "{told}");
    let mut offline = arguments("https://wiki.invalid/w/api.php", "a@b.example", "edition");
    offline.push("--offline");
    let told = project.fails(&offline, 1);
    assert!(told.contains("--offline forbids"), "{told}");
    project.fails(&offline, 1);
    let told = project.fails(&["wiki", "diff", "edition", "nowhere"], 2);
    assert!(told.contains("wiki collect"), "{told}");
    assert!(wiki.take_asked().is_empty(), "nothing was asked");
    // The failed run bound the folder to nothing.
    project.ok(&arguments(&api, "a@b.example", "edition"));
    // A lost file comes back.
    let lost = project.path("edition/wiki_data/ga_5.csv");
    let before = std::fs::read(&lost).expect("a table");
    std::fs::remove_file(&lost).expect("a table");
    project.ok(&arguments(&api, "a@b.example", "edition"));
    assert_eq!(std::fs::read(&lost).expect("a table"), before);
}

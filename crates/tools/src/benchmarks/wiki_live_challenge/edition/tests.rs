//! Tests of editions, with made-up lighthouses.

use std::fmt::Write as _;

use serde_json::json;

use super::*;
use crate::benchmarks::wiki_live_challenge::{
    files::{COLUMNS, JsonFile, MarkdownFile, RawWiki, TaskTable, Tasks, round_trip},
    layout::{FileKind, Layout, known},
};

fn gold(page_id: u64, title: &str, references: u64) -> Gold {
    let section = |level: u64, line: &str| {
        json!({"toclevel": level, "level": "2", "line": line, "number": "1", "index": "1",
               "fromtitle": title, "anchor": line, "linkAnchor": line})
    };
    Gold {
        title: title.to_owned(),
        page_id,
        created: "2026-03-04T05:06:07Z".to_owned(),
        added: "2026-03-20T00:00:00Z".to_owned(),
        revision: page_id * 10,
        revised: "2026-04-01T00:00:00Z".to_owned(),
        bytes: Some(4_321),
        references,
        external_links: references + 2,
        sections: vec![section(1, "Early life"), section(2, "Harbour")],
        text: format!("{title} is a lighthouse.\n\n## Early life\n| a | b |"),
        prose: format!("{title} is a lighthouse."),
        revisions: json!({"batchcomplete": true}),
    }
}

fn head(most: usize) -> Head {
    Head {
        name: Head::usual_name("2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"),
        since: "2026-03-01T00:00:00Z".to_owned(),
        until: "2026-04-01T00:00:00Z".to_owned(),
        as_of: "2026-04-15T00:00:00Z".to_owned(),
        category: "Category:Good articles".to_owned(),
        reading: "text 1".to_owned(),
        most,
    }
}

fn wiki() -> Wiki {
    let text = str::to_owned;
    Wiki {
        api: text("https://wiki.example/w/api.php"),
        name: text("Lantern Wiki"),
        server: text("https://wiki.example"),
        script: text("/w/index.php"),
        article_path: text("/wiki/$1"),
        licence: text("Creative Commons Attribution-ShareAlike 4.0"),
        licence_url: text("https://creativecommons.org/licenses/by-sa/4.0/"),
    }
}

fn rubric() -> Vec<RubricPart> {
    let part = |name: &str, texts: &[&str]| RubricPart {
        name: name.to_owned(),
        criteria: texts.iter().map(ToString::to_string).collect(),
    };
    vec![
        part("Prose", &["The lead stands\n alone.", "No clichés."]),
        part("Scope", &["All main aspects."]),
    ]
}

fn made(most: usize, gold: &[Gold]) -> Edition {
    let left_out = vec![LeftOut::new(7, "Old harbour", "redirect")];
    edition(&head(most), &wiki(), gold, left_out, 3, &rubric())
}

fn file<'a>(edition: &'a Edition, path: &str) -> &'a str {
    let found = edition.files.iter().find(|file| file.path == path);
    &found.unwrap_or_else(|| panic!("no `{path}`")).text
}

#[test]
fn the_files_are_the_benchmarks() {
    let articles = [gold(11, "Skerry light/house", 4), gold(12, "灯塔", 9)];
    let made = made(100, &articles);
    let paths = made.files.iter().map(|file| file.path.as_str());
    let layout = Layout::of(paths);
    assert_eq!(layout.task_table.as_deref(), Some("wiki_data/ga_2.csv"));
    assert_eq!(layout.unknown, ["ATTRIBUTION.md"]);
    assert_eq!(layout.gold.len(), 2);
    for file in &made.files {
        let Some(kind) = known(&file.path) else {
            continue;
        };
        let trip = round_trip(kind.kind, &file.path, file.text.as_bytes()).expect("readable");
        assert!(
            trip.problems.is_empty() && trip.differences.is_empty(),
            "{}",
            file.path
        );
    }
    let table = file(&made, "wiki_data/ga_2.csv");
    let expect = "灯塔,https://wiki.example/wiki/灯塔,20260304050607,4321,,,,11,2026-03-20,,\n\
                  Skerry_light_house,https://wiki.example/wiki/Skerry_light/house,20260304050607,4321,,,,6,2026-03-20,,\n";
    assert_eq!(table, format!("{}\n{expect}", COLUMNS.join(",")));
    let read = TaskTable::read("t", table.as_bytes()).expect("a table");
    assert!(read.problems.is_empty());

    let tasks = file(&made, "wiki_data/ga_2.json");
    let tasks = JsonFile::<Tasks>::read("t", tasks.as_bytes()).expect("tasks");
    let titles: Vec<&str> = tasks
        .value
        .content
        .iter()
        .filter_map(|task| task.get()?.title.get().map(String::as_str))
        .collect();
    assert_eq!(titles, ["灯塔", "Skerry_light_house"]);

    let raw = file(&made, "wiki_data/raw_wiki/Skerry_light_house.json");
    let raw = JsonFile::<RawWiki>::read("t", raw.as_bytes()).expect("a page");
    assert_eq!(raw.value.content.sections().count(), 2);
    let article = raw.value.content.article("x").expect("an article");
    assert_eq!(article.text, articles[0].text);

    let path = "wiki_data/cleaned_data/article/Skerry_light_house.md";
    let text = file(&made, path);
    let markdown = MarkdownFile::read(path, text.as_bytes()).expect("a text");
    assert_eq!(markdown.article("x").title, "Skerry light/house");
    assert_eq!(
        known(path).map(|known| known.kind),
        Some(FileKind::GoldArticle)
    );
}

#[test]
fn a_manifest_says_where_each_text_is_from() {
    let articles = [gold(11, "Skerry light", 4), gold(12, "Skerry bell", 9)];
    let manifest = made(1, &articles).manifest;
    let [entry] = &manifest.articles[..] else {
        panic!("one article: {manifest:?}")
    };
    assert_eq!(
        (entry.place, entry.title.as_str(), entry.revision),
        (1, "Skerry bell", 120)
    );
    assert_eq!(entry.sha256, sha256_hex(articles[1].text.as_bytes()));
    assert_eq!(
        entry.permanent_link,
        "https://wiki.example/w/index.php?oldid=120"
    );
    for part in [
        "“Skerry bell”",
        "Lantern Wiki",
        "curid=12&action=history",
        "CC BY-SA 4.0",
        "oldid=120",
    ] {
        assert!(
            entry.attribution.contains(part),
            "{part}: {}",
            entry.attribution
        );
    }
    assert_eq!(manifest.name, "2026-03-01_2026-04-01");
    let counts: Vec<(&str, u64)> = manifest
        .left_out
        .iter()
        .map(|(why, n)| (why.as_str(), *n))
        .collect();
    assert_eq!(
        counts,
        [("before_window", 3), ("below_most", 1), ("redirect", 1)]
    );
    assert_eq!(
        Manifest::read("m", manifest.write().as_bytes()).expect("a manifest"),
        manifest
    );
}

#[test]
fn a_manifest_of_a_later_version_is_refused() {
    let text = made(1, &[gold(11, "A", 1)]).manifest.write();
    let later = text.replace("\"format\": 1", "\"format\": 2");
    let error = Manifest::read("m", later.as_bytes()).expect_err("too late");
    assert!(error.to_string().contains("format 2") && error.to_string().contains("hint: "));
    let error = Manifest::read("m", b"{}").expect_err("no manifest");
    assert!(error.to_string().contains("hint: "));
}

#[test]
fn titles_that_cannot_name_a_file_of_their_own_are_left_out() {
    let long = "塔".repeat(80);
    let articles = [
        gold(1, "Skerry A/B", 9),
        gold(2, "Skerry A b", 8),
        gold(3, &long, 7),
        gold(4, "Bell\0", 6),
        gold(5, "..", 5),
    ];
    let made = made(100, &articles);
    let kept: Vec<&str> = made
        .manifest
        .articles
        .iter()
        .map(|entry| entry.stem.as_str())
        .collect();
    assert_eq!(kept, ["Skerry_A_B"]);
    assert_eq!(made.manifest.left_out["name_of_file"], 4);
    let escapes = |path: &str| path.split('/').any(|part| part == "..");
    assert!(!made.files.iter().any(|file| escapes(&file.path)));
}

#[test]
fn a_licence_is_the_one_that_the_wiki_states() {
    assert_eq!(wiki().licence().name, "CC BY-SA 4.0");
    let other = Wiki {
        licence: "GFDL".to_owned(),
        licence_url: "https://gnu.example/fdl".to_owned(),
        ..wiki()
    };
    assert_eq!(other.licence().name, "GFDL");
    let none = Wiki {
        licence: String::new(),
        licence_url: String::new(),
        ..wiki()
    };
    assert_eq!(none.licence().name, "not stated by the wiki");
}

#[test]
fn addresses_hold_no_query_of_a_title() {
    assert_eq!(
        wiki().article("Who? 100% #1 (film)"),
        "https://wiki.example/wiki/Who%3F_100%25_%231_(film)"
    );
}

#[test]
fn a_question_has_the_rules_and_all_criteria() {
    let text = question(
        "Skerry bell",
        "2026-04-15",
        "Wikipedia",
        "https://w.example/Skerry_bell",
        &rubric(),
    );
    for part in [
        "“Skerry bell”",
        "Today is 2026-04-15",
        "1. The lead stands alone.\n2. No clichés.",
        "Scope\n3. All main aspects.",
        "must not be read or cited: https://w.example/Skerry_bell",
        "[2][3]",
        "full address",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn editions_differ_by_page_and_revision() {
    let earlier = [
        gold(1, "Ash", 5),
        gold(2, "Birch", 5),
        gold(3, "Cedar", 5),
        gold(4, "Dogwood", 5),
    ];
    let mut later = [
        gold(2, "White birch", 5),
        gold(3, "Cedar", 5),
        gold(4, "Dogwood", 5),
        gold(5, "Elm", 5),
    ];
    later[0].revision = 21;
    later[2].text.write_str(" More.").expect("a text");
    let (earlier, mut later) = (made(9, &earlier).manifest, made(9, &later).manifest);
    let found = difference(&earlier, &later);
    assert_eq!(
        (found.new, found.gone, found.unchanged),
        (
            vec!["Elm".to_owned()],
            vec!["Ash".to_owned()],
            vec!["Cedar".to_owned()],
        )
    );
    let changed = |title: &str, earlier: Option<&str>, from, to| ChangedArticle {
        title: title.to_owned(),
        earlier_title: earlier.map(str::to_owned),
        from,
        to,
    };
    assert_eq!(
        found.changed,
        [
            changed("White birch", Some("Birch"), 20, 21),
            changed("Dogwood", None, 40, 40),
        ]
    );
    later.api = "https://other.example/api.php".to_owned();
    let found = difference(&earlier, &later);
    assert_eq!((found.new.len(), found.gone.len()), (4, 4));
}

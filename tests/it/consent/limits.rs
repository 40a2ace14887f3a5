//! What is told apart: sentences of two talks, files that stay, links, wrong names, a running
//! stage.

use std::{
    collections::{BTreeMap, BTreeSet},
    os::unix::fs::symlink,
    process::Stdio,
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    CANARY,
    planted::{copy, holding, id_of, ranking, tasks_on, texts_of, write},
    two_talks,
};
use crate::support::{ModelServer, Project, TALK};

#[test]
fn a_sentence_of_two_talks_stays_with_the_other() {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url)
        .seminar("rivers.wav", "en", TALK)
        .seminar(
            "brooks.wav",
            "en",
            &[
                "Thank you for having me, I will speak of brooks in the mountains above the lake.",
                CANARY,
                "In brooks the stones are smaller, and what we tried there was a rope of wool.",
            ],
        )
        .woven();
    project.ok(&["rank"]);
    write(&project, "notes/shared.txt", CANARY);
    write(&project, "notes/own.txt", TALK[3]);
    let (rivers, brooks) = (id_of(&project, "rivers.wav"), id_of(&project, "brooks.wav"));
    let gone = tasks_on(&project, &rivers);
    let before = (ranking(&project, &gone), tasks_on(&project, &brooks));
    assert!(!before.1.is_empty());
    project.ok(&["seminars", "forget", &rivers, "--yes"]);
    assert_eq!(
        before,
        (ranking(&project, &gone), tasks_on(&project, &brooks))
    );
    assert!(project.path("notes/shared.txt").exists() && !project.path("notes/own.txt").exists());
    assert!(project.path("transcripts/brooks.wav.json").exists());
    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    assert_eq!(tasks_on(&project, &brooks), before.1);
}

#[test]
fn links_are_not_followed_and_files_can_be_kept() {
    let (_, project) = two_talks();
    let outside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("theirs.txt"), CANARY).expect("writable");
    write(&project, "notes/kept.txt", CANARY);
    symlink(
        outside.path().join("theirs.txt"),
        project.path("notes/link.txt"),
    )
    .expect("a link");
    symlink(outside.path(), project.path("notes/folder")).expect("a link");
    std::fs::create_dir_all(project.path(".git")).expect("writable");
    write(&project, ".git/packed", CANARY);
    write(&project, "packed.gz", "\u{1f}");
    std::fs::write(project.path("packed.gz"), b"\x1f\x8b\x08\x00").expect("writable");
    let forget = [
        "seminars",
        "forget",
        "rivers.wav",
        "--keep",
        "notes/kept.txt",
        "--with-recording",
        "--yes",
    ];
    let done = project.json(&forget);
    let left: BTreeMap<&str, &str> = done["left"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|left| {
            let text = |key: &str| left[key].as_str().expect("a text");
            (text("path"), text("reason"))
        })
        .collect();
    for (path, reason) in [
        ("notes/kept.txt", "--keep"),
        ("notes/link.txt", "a link"),
        ("notes/folder", "a link"),
        ("packed.gz", "packed"),
    ] {
        assert!(left[path].contains(reason), "{path}: {left:?}");
    }
    assert_eq!(done["repositories"], json!([""]));
    assert_eq!(
        done["recordings"],
        json!(["seminars/rivers.wav", "seminars/rivers.toml"])
    );
    assert!(!project.path("seminars/rivers.wav").exists());
    assert!(!project.path("seminars/rivers.toml").exists());
    assert!(project.path("seminars/heliu.wav").exists() && project.path(".git/packed").exists());
    assert!(outside.path().join("theirs.txt").exists() && project.path("notes/kept.txt").exists());
}

/// The project's own folders may lie on another disk.
#[test]
fn own_folders_that_are_links_are_looked_through() {
    let (_, project) = two_talks();
    let outside = tempfile::tempdir().expect("a folder");
    for (name, place) in [
        ("transcripts", outside.path().join("elsewhere")),
        ("tasks", project.path("kept/here")),
    ] {
        copy(&project.path(name), &place);
        std::fs::remove_dir_all(project.path(name)).expect("it is there");
        symlink(place, project.path(name)).expect("a link");
    }
    project.ok(&["tasks", "export"]);
    let texts = texts_of(&project, "rivers.wav", TALK);
    let done = project.json(&["seminars", "forget", "rivers.wav", "--yes"]);
    let paths: Vec<&Value> = done["files"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|file| &file["path"])
        .collect();
    assert!(
        paths.contains(&&json!("transcripts/rivers.wav.json")),
        "{paths:?}"
    );
    assert!(paths.contains(&&json!("tasks/tasks.jsonl")), "{paths:?}");
    for folder in [project.folder.path(), outside.path()] {
        assert_eq!(holding(folder, &texts), Vec::<String>::new());
    }
    assert!(outside.path().join("elsewhere/heliu.wav.json").exists());
}

#[test]
fn a_talk_that_was_only_transcribed_can_be_forgotten() {
    let (_, project) = two_talks();
    let talk = [
        "Only I know that the old mill at the third bridge hides a barrel of salted eels.",
        "Please do not tell it.",
    ];
    project.add_transcript("eels.wav", "en", &talk);
    write(&project, "notes/eels.txt", talk[0]);
    let planned = project.json(&["seminars", "forget", "seminars/eels.wav"]);
    assert_eq!(planned["counts"]["transcripts"], 1);
    project.ok(&["seminars", "forget", "eels.wav", "--yes"]);
    let texts = BTreeSet::from([talk[0].to_owned()]);
    assert_eq!(holding(project.folder.path(), &texts), Vec::<String>::new());
    assert_eq!(
        project.json(&["seminars", "list"])["seminars"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

#[test]
fn what_is_meant_must_be_clear() {
    let (_, project) = two_talks();
    for wrong in ["nobody.wav", "s_zzzz", ""] {
        let said = project.fails(&["seminars", "forget", wrong, "--yes"], 2);
        assert!(
            said.contains("no such seminar") && said.contains("hint: "),
            "{said}"
        );
    }
    let said = project.fails(&["seminars", "forget", "s_", "--yes"], 2);
    assert!(said.contains("2 seminars begin with `s_`"), "{said}");
    let said = project.fails(&["seminars", "forget", "rivers.wav", "--lift"], 2);
    assert!(said.contains("not forgotten"), "{said}");
    assert_eq!(project.count("SELECT count(*) FROM seminar"), 2);
    insta::assert_snapshot!(project.told(&["seminars", "list"]), @"
    $ taskgen seminars list
    exit 0
    --- out
    ───
     seminar              title                 language   length   licence   consent              inspirations   tasks
    ───
     heliu.wav            heliu                 zh         [time]   unknown   –                    4              12
     s_[id]
    ───
     rivers.wav           The sound of gravel   en         [time]   unknown   withdrawn on 3 May   4              13
     s_[id]
    ───
    ");
    insta::assert_snapshot!(project.told(&["seminars", "forget", "rivers.wav"]), @"
    $ taskgen seminars forget rivers.wav
    exit 0
    --- out
    to be forgotten: rivers.wav s_[id]
    goes: 1 transcript version, 4 inspirations, 14 tasks, 39 calls
    2 files:
      tasks/logs/[log] (a log that names it)
      transcripts/rivers.wav.json (made of the recording)
    19 comparisons stay without reasons: the ratings of other tasks rest on them
    the recording is yours to delete: seminars/rivers.wav, seminars/rivers.toml
    --- err
    nothing was changed
    hint: --yes does it
    ");
}

#[test]
fn a_running_stage_is_not_disturbed() {
    let fake = ModelServer::openai()
        .delay(Duration::from_millis(100))
        .pipeline();
    let project = Project::new(&fake.url).two_talks().woven();
    let mut ranking = project
        .command(&["rank"])
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let holder = || std::fs::read_to_string(project.path("tasks/taskgen.lock")).unwrap_or_default();
    while !holder().contains(" rank") {
        std::thread::sleep(Duration::from_millis(5));
    }
    let said = project.fails(&["seminars", "forget", "rivers.wav", "--yes"], 2);
    assert!(
        said.contains("another taskgen is writing") && said.contains(" rank`"),
        "{said}"
    );
    project.ok(&["seminars", "forget", "rivers.wav"]);
    assert!(ranking.wait().expect("a child").success());
    project.ok(&["seminars", "forget", "rivers.wav", "--yes"]);
}

/// Whatever the method, ratings rest on verdicts that stay.
#[test]
fn strengths_of_others_do_not_move() {
    for method in ["halving", "listwise"] {
        let (_, project) = two_talks();
        project.ok(&["rank", "--method", method]);
        let rivers = id_of(&project, "rivers.wav");
        let gone = tasks_on(&project, &rivers);
        let before = ranking(&project, &gone);
        assert!(
            before.iter().any(|(_, rating)| rating.contains("strength")),
            "{before:?}"
        );
        project.ok(&["seminars", "forget", &rivers, "--yes"]);
        assert_eq!(ranking(&project, &gone), before, "{method}");
        let kept = "SELECT count(*) FROM judgement WHERE payload LIKE '%reason%' AND id IN (
            SELECT j.id FROM judgement j JOIN event e ON e.payload = j.id)
            AND (subject NOT IN (SELECT id FROM task) OR other NOT IN (SELECT id FROM task))";
        assert_eq!(project.count(kept), 0, "reasons about tasks that are gone");
    }
}

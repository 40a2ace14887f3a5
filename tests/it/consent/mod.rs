//! `taskgen seminars forget`: nothing of a forgotten talk is in any byte of the project, what
//! others have does not change, and a run that was killed is finished by the same command.

mod limits;
mod others;
mod planted;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use serde_json::{Value, json};

use self::planted::{
    copy, files, holding, id_of, plant, ranking, state, tasks_on, texts_of, write,
};
use crate::{
    small_web::world::World,
    support::{ModelServer, Project, TALK, TALK_ZH},
};

/// What is said in the talk, and nowhere else.
const CANARY: &str = TALK[1];

/// Steps of `forget --yes`, as it says them.
const STEPS: [&str; 3] = ["1 of 3", "2 of 3", "3 of 3"];

/// A project of two talks with ranked tasks, joined ones too.
fn two_talks() -> (ModelServer, Project) {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url);
    add_talks(&project);
    (fake, project)
}

fn add_talks(project: &Project) {
    project.add_transcript("rivers.wav", "en", TALK);
    project.add_transcript("heliu.wav", "zh", TALK_ZH);
    std::fs::write(
        project.path("seminars/rivers.toml"),
        "title = \"The sound of gravel\"\nconsent = \"withdrawn on 3 May\"\n",
    )
    .expect("writable");
    project.ok(&["inspire"]);
    project.ok(&["weave", "--translate", "en,zh"]);
    join(project);
    project.ok(&["rank"]);
}

/// Makes a task of the other talk one that rests on both.
fn join(project: &Project) {
    let task = "(SELECT min(id) FROM task WHERE payload ->> '$.translation_of' IS NULL AND seminar = (SELECT seminar FROM seminar_path WHERE path = 'heliu.wav'))";
    project.sql(&format!(
        "UPDATE task SET payload = json_set(payload, '$.kind', 'across') WHERE id = {task}"
    ));
    project.sql(&format!(
        "INSERT INTO task_source (task, seq, inspiration) SELECT {task}, 9, min(id) FROM inspiration
         WHERE seminar = (SELECT seminar FROM seminar_path WHERE path = 'rivers.wav')"
    ));
}

/// Files that hold words of the talk, or are named after it.
const GOING: [&str; 12] = [
    "transcripts/rivers.wav.json",
    "transcripts/rivers.wav.srt",
    "transcripts/rivers.wav.journal",
    "tasks/tasks.jsonl",
    "tasks/best@1.jsonl",
    "tasks/tasks.html",
    "tasks/logs/2020-01-01T00-00-00.000Z.log",
    "tasks/taskgen.schema-3.db",
    "tasks/vectors.bin",
    "notes/copy.html",
    "notes/twice.json",
    "writer.jsonl",
];

/// Files that hold none.
const STAYING: [&str; 6] = [
    "notes/harmless.txt",
    "tasks/others.jsonl",
    "transcripts/heliu.wav.json",
    "small-web.jsonl",
    "seminars/rivers.wav",
    "seminars/rivers.toml",
];

fn select(project: &Project, top: &str) {
    let name = ["tasks", "select", "--name", "best", "--similarity", "2"];
    project.ok(&[&name[..], &["--top", top]].concat());
}

/// What others have: their tasks with their ratings, best first, the leaderboard of their reports,
/// and their exported tasks but for the place, which is counted anew.
fn of_others(project: &Project, gone: &BTreeSet<String>) -> Value {
    let exported = project.ok(&["tasks", "export", "-o", "-"]);
    let mut tasks: Vec<Value> = exported
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    tasks.retain(|task| !gone.contains(task["id"].as_str().expect("an id")));
    for task in &mut tasks {
        task["rank"] = Value::Null;
    }
    json!([
        ranking(project, gone),
        project.json(&["leaderboard", "--set", "small-web"]),
        tasks
    ])
}

#[test]
fn nothing_of_a_forgotten_talk_is_left_and_others_do_not_change() {
    let world = World::evaluated();
    let project = &world.project;
    add_talks(project);
    select(project, "100");
    select(project, "9");
    let (rivers, heliu) = (id_of(project, "rivers.wav"), id_of(project, "heliu.wav"));
    plant(project, &rivers);
    project.ok(&["tasks", "export"]);
    project.ok(&["tasks", "export", "--set", "best@1"]);
    project.ok(&["report", "tasks"]);
    let gone = tasks_on(project, &rivers);
    let joined = tasks_on(project, &heliu).intersection(&gone).count();
    assert_eq!(joined, 2, "a task of both talks, and its translation");
    let others = of_others(project, &gone);
    assert!(others[0].as_array().expect("a list").len() > 8);
    write(project, "tasks/others.jsonl", &others[2].to_string());
    let texts = texts_of(project, "rivers.wav", TALK);
    assert!(holding(project.folder.path(), &texts).len() > 20);
    a_dry_run_changes_nothing(project, &rivers, gone.len());

    let told = project.ok(&["seminars", "forget", "rivers.wav", "--yes"]);
    assert!(
        told.contains("the recording is yours to delete: seminars/rivers.wav"),
        "{told}"
    );
    assert_eq!(holding(project.folder.path(), &texts), Vec::<String>::new());
    assert_eq!(of_others(project, &gone), others);
    for nothing in [
        "SELECT count(*) FROM pragma_foreign_key_check",
        "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
        "SELECT count(*) FROM content WHERE sha256 = 'c0'",
        "SELECT count(*) FROM run WHERE command LIKE '%rivers%'",
    ] {
        assert_eq!(project.count(nothing), 0, "{nothing}");
    }
    for path in STAYING {
        assert!(project.path(path).exists(), "{path}");
    }
    sets_are_withdrawn(project, &gone);
    let listed = project.json(&["seminars", "list"]);
    assert_eq!(listed["forgotten"][0]["id"], rivers.as_str());
    assert_eq!(listed["forgotten"][0]["finished"], true);
    let again = project.ok(&["seminars", "forget", "rivers.wav", "--yes"]);
    assert!(again.contains("forgotten already"), "{again}");
    it_is_not_taken_in_again(project, &rivers);
}

/// It tells what would go, and not a byte is another afterwards.
fn a_dry_run_changes_nothing(project: &Project, id: &str, tasks: usize) {
    let bytes = || {
        let mut files = files(project.folder.path());
        // What readers share.
        files.retain(|path, _| !path.to_string_lossy().contains("taskgen.db-"));
        files
    };
    let untouched = bytes();
    let planned = project.json(&["seminars", "forget", "rivers.wav"]);
    let told = project.output(&["seminars", "forget", &id[..9]]);
    let said = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(
        told.status.success() && said.contains("--yes does it"),
        "{said}"
    );
    assert!(bytes() == untouched, "a dry run changes nothing");
    assert_eq!(planned["done"], false);
    assert_eq!(planned["counts"]["tasks"], tasks);
    let listed = planned["files"].as_array().expect("a list");
    let paths: BTreeSet<&str> = listed
        .iter()
        .map(|file| file["path"].as_str().expect("a path"))
        .collect();
    for path in GOING {
        assert!(paths.contains(path), "{path}: {paths:?}");
    }
    for path in STAYING {
        assert!(!paths.contains(path), "{path}");
    }
}

/// Old versions have the places of withdrawn tasks, and the newest has the others.
fn sets_are_withdrawn(project: &Project, gone: &BTreeSet<String>) {
    let sets = project.json(&["tasks", "sets"]);
    let of = |version: u64| {
        let sets = sets.as_array().expect("a list").iter();
        let mut found = sets.filter(|set| set["name"] == "best" && set["version"] == version);
        found.next().expect("a version").clone()
    };
    assert!(of(1)["withdrawn"].as_u64() > Some(0) && of(2)["withdrawn"].as_u64() > Some(0));
    assert_eq!(
        (&of(3)["withdrawn"], &of(3)["newest"]),
        (&json!(0), &json!(true))
    );
    let exported = |set: &str| project.ok(&["tasks", "export", "--set", set, "-o", "-"]);
    let left: String = exported("best@2")
        .replace("best@2", "best@3")
        .lines()
        .filter(|line| !line.contains("\"withdrawn\":true"))
        .map(|line| line.to_owned() + "\n")
        .collect();
    assert!(!left.is_empty());
    assert_eq!(
        exported("best@3"),
        left,
        "the others are as they were frozen"
    );
    let lines = exported("best@1");
    let withdrawn: BTreeSet<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|line| line["withdrawn"] == true)
        .map(|line| line["id"].as_str().expect("an id").to_owned())
        .collect();
    assert_eq!(&withdrawn, gone);
}

/// Neither from its transcript nor by transcribing, until that is lifted.
fn it_is_not_taken_in_again(project: &Project, id: &str) {
    let seminars = "SELECT count(*) FROM seminar";
    let known = project.count(seminars);
    project.add_transcript("rivers.wav", "en", TALK);
    project.add_transcript("same.wav", "en", TALK_ZH);
    std::fs::remove_file(project.path("seminars/same.wav")).expect("it is there");
    let output = project.output(&["inspire"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("was forgotten and is not taken in"), "{said}");
    let output = project.output(&["transcribe", "seminars/rivers.wav"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && said.contains("was forgotten and is not taken in"),
        "{said}"
    );
    assert_eq!(project.count(seminars), known);
    project.ok(&["seminars", "forget", id, "--lift"]);
    project.ok(&["inspire"]);
    assert_eq!(project.count(seminars), known + 1);
    assert_eq!(project.json(&["seminars", "list"])["forgotten"], json!([]));
}

#[test]
fn killed_at_any_step_it_ends_the_same() {
    let (fake, original) = two_talks();
    select(&original, "6");
    let rivers = id_of(&original, "rivers.wav");
    plant(&original, &rivers);
    let texts = texts_of(&original, "rivers.wav", TALK);
    let another = || {
        let project = Project::new(&fake.url);
        copy(original.folder.path(), project.folder.path());
        project
    };
    let undisturbed = another();
    undisturbed.ok(&["seminars", "forget", &rivers, "--yes"]);
    let end = state(&undisturbed);
    assert_eq!(end["finished"], true);
    for step in STEPS {
        let project = another();
        let mut child = project
            .command(&["seminars", "forget", "rivers.wav", "--yes"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let said = BufReader::new(child.stderr.take().expect("a pipe"));
        let reached = said
            .lines()
            .map_while(Result::ok)
            .any(|line| line.starts_with(step));
        child.kill().expect("SIGKILL");
        child.wait().expect("a child");
        assert!(reached, "{step}");
        let listed = project.json(&["seminars", "list"]);
        if listed["forgotten"][0]["finished"] == false {
            let told = project.ok(&["status"]);
            assert!(told.contains("not finished"), "{told}");
        }
        project.ok(&["seminars", "forget", &rivers, "--yes"]);
        assert_eq!(
            holding(project.folder.path(), &texts),
            Vec::<String>::new(),
            "{step}"
        );
        assert_eq!(state(&project), end, "{step}");
    }
}

/// Before anything leaves the machine, it is said which texts do: those that prompts really hold.
#[test]
fn what_leaves_the_machine_is_said_as_it_is() {
    let (fake, project) = two_talks();
    project.ok(&["probe"]);
    let mut quoting: BTreeMap<String, bool> = BTreeMap::new();
    for request in fake.seen() {
        let body = request.body["messages"].to_string();
        let quotes = [TALK, TALK_ZH]
            .concat()
            .iter()
            .any(|said| body.contains(*said));
        *quoting.entry(request.prompt().to_owned()).or_default() |= quotes;
    }
    let with_quotes = ["inspire_ideas", "inspire_review", "weave_task"];
    assert!(quoting.len() >= 6, "{quoting:?}");
    for (prompt, quotes) in &quoting {
        assert_eq!(*quotes, with_quotes.contains(&prompt.as_str()), "{prompt}");
    }
    project.reconfigure(&fake.url, "https://hosts.invalid/v1");
    let project = project.config("[privacy]\nremote = \"never\"\n");
    let said = |stage: &str| project.fails(&[stage], 2);
    let inspire = said("inspire");
    for line in [
        "inspire: transcripts go to https://hosts.invalid/v1",
        "review: inspirations with their quotes and the lines around them go to",
    ] {
        assert!(inspire.contains(line), "{inspire}");
    }
    assert!(said("weave").contains("weave: inspirations with their quotes, and tasks go to"));
    let probe = said("probe");
    for line in [
        "probe: tasks go to",
        "review: tasks and attempts at them go to",
    ] {
        assert!(probe.contains(line), "{probe}");
    }
    assert!(said("rank").contains("judge: tasks go to"));
}

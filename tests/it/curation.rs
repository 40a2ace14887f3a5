//! `taskgen tasks review` and `tasks edit`: what people decide on tasks is saved at once and beside
//! a running command, is counted, and is what `tasks select` goes by.

use std::{
    collections::BTreeSet,
    io::Write as _,
    process::{Child, Output, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::{ModelServer, Project};

fn project(delay: Duration) -> (ModelServer, Project) {
    let fake = ModelServer::openai().delay(delay).pipeline();
    let project = Project::new(&fake.url).two_talks().woven();
    (fake, project)
}

fn start(project: &Project, args: &[&str], keys: &str) -> Child {
    let mut child = project
        .command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let lines: String = keys.split(' ').flat_map(|key| [key, "\n"]).collect();
    // A review that has ended reads no more.
    let _ = child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(lines.as_bytes());
    child
}

fn ended(child: Child) -> Output {
    let output = child.wait_with_output().expect("a child");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// What a review says at its end, as JSON.
fn reviewed(project: &Project, flags: &[&str], keys: &str) -> Value {
    let args = [&["tasks", "review", "--json"], flags].concat();
    serde_json::from_slice(&ended(start(project, &args, keys)).stdout).expect("a summary")
}

fn tasks(project: &Project) -> Vec<Value> {
    let listed = project.json(&["tasks", "list"]);
    listed.as_array().expect("a list").clone()
}

fn verdicts(task: &Value) -> Vec<&str> {
    let decisions = task["decisions"].as_array();
    let decisions = decisions.into_iter().flatten();
    decisions.filter_map(|of| of["verdict"].as_str()).collect()
}

/// Two people review all tasks while a ranking asks a slow judge. Nothing is refused or lost. ana
/// accepts the first nine that she is shown and rejects the others; ben sees them in the same
/// order, accepts the first six and rejects the others. So they agree on 9 of 12, κ = (.75 − .5) /
/// (1 − .5).
#[test]
fn two_people_review_while_a_ranking_runs() {
    let (fake, project) = project(Duration::from_millis(30));
    assert_eq!(tasks(&project).len(), 12);
    let ranking = start(&project, &["rank"], "");
    while project.count("SELECT count(*) FROM run WHERE command LIKE '%rank%'") == 0 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let review = |name: &str, keys: &str| {
        let args = ["tasks", "review", "--json", "--reviewer", name];
        start(&project, &args, keys)
    };
    let ana = review("ana", "a a a a a a a a a 1 2 3");
    let ben = review("ben", "a a a a a a 4 5 6 7 1 2");
    for child in [ana, ben] {
        ended(child);
    }
    assert_eq!(
        project.count("SELECT count(*) FROM run WHERE command LIKE '%rank%' AND ended IS NOT NULL"),
        0,
        "the ranking ran all the time"
    );
    ended(ranking);
    assert_eq!(
        project.count("SELECT count(*) FROM judgement WHERE instrument = 'person/task/1'"),
        24
    );
    fake.take();
    project.ok(&["rank"]);
    assert_eq!(fake.take(), 0, "the ranking lost nothing either");
    let summary = reviewed(&project, &["--reviewer", "eva"], "q");
    let pair = &summary["people"][0];
    assert_eq!(
        (&pair["people"], &pair["n"]),
        (&json!(["ana", "ben"]), &json!(12))
    );
    let near =
        |key: &str, by_hand: f64| (pair[key].as_f64().expect("a number") - by_hand).abs() < 1e-9;
    assert!(near("share", 0.75) && near("kappa", 0.5), "{pair}");
    assert_eq!(
        summary["standings"],
        json!({ "accepted": 6, "rejected": 3, "disputed": 3 })
    );
    assert_eq!(summary["left"], 12, "eva has decided nothing");
}

#[test]
fn a_selection_goes_by_what_people_decided() {
    let (_fake, project) = project(Duration::ZERO);
    project.ok(&["rank"]);
    let all = tasks(&project);
    let last = all[11]["id"].as_str().expect("an id").to_owned();
    // Everything is open: the best are chosen.
    let chosen = |flags: &[&str]| -> BTreeSet<String> {
        let args = [&["tasks", "select", "--top", "6"], flags].concat();
        let selected = project.json(&args);
        let chosen = selected["chosen"].as_array().expect("a list").iter();
        chosen
            .map(|of| of["id"].as_str().expect("an id").to_owned())
            .collect()
    };
    assert!(!chosen(&[]).contains(&last));
    // ana pins what is last; whatever else she is shown she rejects.
    let order = shown(&project);
    let keys: Vec<&str> = order
        .iter()
        .map(|id| if *id == last { "p" } else { "2" })
        .collect();
    reviewed(&project, &["--reviewer", "ana"], &keys.join(" "));
    assert_eq!(chosen(&[]), BTreeSet::from([last.clone()]));
    // ben accepts three of them: those are disputed, and wait.
    let others: Vec<&String> = order.iter().filter(|id| **id != last).take(3).collect();
    let keys: Vec<&str> = order
        .iter()
        .map(|id| if others.contains(&id) { "a" } else { "s" })
        .collect();
    let summary = reviewed(&project, &["--reviewer", "ben"], &keys.join(" "));
    assert_eq!(summary["standings"]["disputed"], 3);
    let selected = project.json(&["tasks", "select", "--top", "6"]);
    assert_eq!(selected["disputed"].as_array().map(Vec::len), Some(3));
    assert_eq!(selected["rejected"].as_array().map(Vec::len), Some(8));
    // eva settles two for and one against, and takes the last back: it is disputed still.
    let summary = reviewed(&project, &["--reviewer", "eva", "--disputed"], "a a 3 u q");
    assert_eq!(summary["standings"]["disputed"], 1);
    assert_eq!(chosen(&[]).len(), 3);
    let summary = reviewed(&project, &["--reviewer", "eva", "--disputed"], "3");
    assert_eq!(summary["standings"].get("disputed"), None);
    insta::assert_snapshot!(project.told(&["tasks", "select", "--top", "6"]), @"
    $ taskgen tasks select --top 6
    exit 0
    --- out
    ───
     #   task                 P(top)   strength               standing
    ───
     1   t_[id]   0.16     [strength]   out
    ───
     2   t_[id]   0.14     [strength]   out
    ───
     3   t_[id]   0.15     [strength]   out, pinned
    ───
    left out: 9 that people rejected (`taskgen tasks list` shows it)
    WARNING: the judge fake/m is not shown to be better than chance yet: more verdicts are needed
    pinned among the chosen: 1
    3 tasks in set `selected`, version 3, expected recall 0.15
    --- err
    6 were asked for, and there are 3 tasks
    ");
}

/// The ids of the open tasks in the order in which a reviewer is shown them.
fn shown(project: &Project) -> Vec<String> {
    let all = tasks(project).len();
    let keys = vec!["a"; all].join(" ");
    let args = ["tasks", "review", "--reviewer", "scout", "--top", "6"];
    let child = start(project, &args, &keys);
    let said = String::from_utf8(ended(child).stderr).expect("UTF-8");
    project.sql(
        "DELETE FROM judgement WHERE judge = (SELECT id FROM judge WHERE payload LIKE '%scout%')",
    );
    let ids = said
        .lines()
        .filter_map(|line| line.strip_prefix("accepted: "));
    let ids: Vec<String> = ids.map(str::to_owned).collect();
    assert_eq!(ids.len(), all);
    ids
}

#[test]
fn a_reviewer_of_tasks_is_blind_and_the_unsure_come_first() {
    let (_fake, project) = project(Duration::ZERO);
    project.ok(&["rank", "--method", "halving"]);
    // Memberships of the best six, as the review has them.
    let selected = project.json(&["tasks", "select", "--top", "6"]);
    let borderline = selected["borderline"].as_array().expect("a list");
    let order = shown(&project);
    let is_unsure = |id: &String| borderline.iter().any(|of| of["id"] == *id);
    let unsure: Vec<bool> = order.iter().map(is_unsure).collect();
    let first_sure = unsure.iter().position(|unsure| !unsure).unwrap_or(12);
    assert!(first_sure > 0, "some are unsure: {unsure:?}");
    assert!(!unsure[first_sure..].contains(&true), "{unsure:?}");
    let args = ["tasks", "review", "--reviewer", "ana"];
    let said = String::from_utf8(ended(start(&project, &args, "? x u q")).stderr).expect("UTF-8");
    for hidden in [".wav", "fake/m", "place", "strength"] {
        assert!(!said.contains(hidden), "{hidden}: {said}");
    }
    assert!(
        said.contains("said") && said.contains("no such key here: `x`"),
        "{said}"
    );
    // Nothing is second before somebody was first.
    let second = ["tasks", "review", "--reviewer", "ana", "--second"];
    let said = ended(start(&project, &second, "q")).stderr;
    assert!(String::from_utf8_lossy(&said).contains("nothing that another has judged"));
    reviewed(&project, &["--reviewer", "ben"], "a 1 q");
    let said = ended(start(&project, &second, "q")).stderr;
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("1 of 2"), "{said}");
    assert!(!said.contains("needs no research"), "still blind: {said}");
}

#[test]
fn an_edited_task_takes_the_place_of_what_it_was() {
    let (_fake, project) = project(Duration::ZERO);
    let before = tasks(&project);
    let task = before
        .iter()
        .find(|task| task["language"] == "en")
        .expect("a task");
    let id = task["id"].as_str().expect("an id");
    let text = task["task"].as_str().expect("a text");
    let write = |text: &str| std::fs::write(project.path("new.txt"), text).expect("a file");
    let edit = ["tasks", "edit", id, "--by", "ana", "--text", "new.txt"];

    write("Write about gravel.");
    let refused = project.fails(&edit, 2);
    assert!(refused.contains("breaks the rule too_short"), "{refused}");
    write(text);
    assert!(project.fails(&edit, 2).contains("the same as before"));
    assert_eq!(tasks(&project), before, "nothing was changed");

    let new = format!("{} State all assumptions.", text.trim_end());
    write(&new);
    let kept = project.json(&edit);
    let changed = kept["task"]["id"].as_str().expect("an id");
    assert_ne!(changed, id);
    let after = tasks(&project);
    assert_eq!(after.len(), before.len());
    let found = after
        .iter()
        .find(|task| task["id"] == changed)
        .expect("the task");
    assert_eq!(found["edited"], json!({ "task": id, "by": "ana" }));
    assert_eq!(
        found["inspirations"], task["inspirations"],
        "the way back is the same"
    );
    assert!(!after.iter().any(|task| task["id"] == id));
    // The export leads back to the quotes of the changed task, too.
    assert!(
        project
            .export()
            .contains(&format!("\"edited\":{{\"task\":\"{id}\",\"by\":\"ana\"}}"))
    );

    let is_there = |id: &str| tasks(&project).iter().any(|task| task["id"] == id);
    // What was changed is not changed again, and its own words are an undo.
    let again = project.fails(&edit, 2);
    assert!(again.contains(&format!("it is `{changed}` now")), "{again}");
    write(text);
    let back = ["tasks", "edit", changed, "--by", "ben", "--text", "new.txt"];
    assert!(project.fails(&back, 2).contains("--undo"));

    // It outlives another weaving, and falls with its inspiration.
    project.ok(&["weave", "--per-seminar", "5"]);
    assert!(is_there(changed));
    let inspiration = task["inspirations"][0].as_str().expect("an id");
    let superseded = |now: u8| {
        project.sql(&format!(
            "UPDATE inspiration SET superseded = {now} WHERE id = '{inspiration}'"
        ));
    };
    superseded(1);
    assert!(!is_there(changed), "it falls with its inspiration");
    superseded(0);
    project.ok(&["tasks", "edit", changed, "--undo"]);
    assert!(!is_there(changed));
    assert!(is_there(id), "the task as it was is current again");
    assert!(
        project
            .fails(&["tasks", "edit", "t_", "--undo"], 2)
            .contains("several tasks begin")
    );
    assert!(
        project
            .fails(&["tasks", "edit", "t_none", "--undo"], 2)
            .contains("no such task")
    );
}

/// The editor is a program of the user's; what it leaves is the new text, and the session goes on.
#[test]
fn a_task_is_edited_in_the_middle_of_a_review() {
    let (_fake, project) = project(Duration::ZERO);
    let editor = project.path("editor.sh");
    std::fs::write(
        &editor,
        "sed -i 's/[.。]$/, with all assumptions stated./' \"$1\"\n",
    )
    .expect("a file");
    let review = |editor: &str, keys: &str| {
        let mut command = project.command(&["tasks", "review", "--reviewer", "ana"]);
        let mut child = command
            .env("EDITOR", editor)
            .env_remove("VISUAL")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let keys: String = keys.split(' ').flat_map(|key| [key, "\n"]).collect();
        let _ = child
            .stdin
            .take()
            .expect("a pipe")
            .write_all(keys.as_bytes());
        String::from_utf8(ended(child).stderr).expect("UTF-8")
    };
    let said = review("false", "e q");
    assert!(said.contains("the editor failed: `false`"), "{said}");
    let said = review("true", "e q");
    assert!(said.contains("the same as before"), "{said}");
    let script = format!("sh {}", editor.display());
    let said = review(&script, "e a e a q");
    assert_eq!(said.matches("waits for a decision").count(), 2, "{said}");
    let edited = tasks(&project);
    let edited: Vec<&Value> = edited
        .iter()
        .filter(|task| task["edited"].is_object())
        .collect();
    assert_eq!(edited.len(), 2);
    assert!(edited.iter().all(|task| verdicts(task) == ["accepted"]));
}

/// The same for inspirations: a second reviewer who sees nothing of the first, and who settles it.
#[test]
fn two_reviewers_of_an_inspiration_and_a_third_who_settles() {
    let (_fake, project) = project(Duration::ZERO);
    let review = |flags: &[&str], keys: &str| -> Value {
        let args = [&["inspirations", "review", "--json"], flags].concat();
        serde_json::from_slice(&ended(start(&project, &args, keys)).stdout).expect("a summary")
    };
    let standing = || -> usize {
        let found = project.json(&["inspirations", "list"]);
        let found = found.as_array().expect("a list").iter();
        found.filter(|of| of["stands"] == true).count()
    };
    assert_eq!(standing(), 8);
    review(&["--reviewer", "ana"], "a a 1 1 q");
    assert_eq!(standing(), 6);
    let summary = review(&["--reviewer", "ben", "--second"], "a 1 1 a");
    assert_eq!(summary["disputed"], 2);
    assert_eq!(
        summary["people"],
        json!([{ "people": ["ana", "ben"], "n": 4, "share": 0.5, "kappa": 0.0 }])
    );
    assert_eq!(standing(), 5, "what is disputed waits");
    let summary = review(&["--reviewer", "eva", "--disputed"], "a 2");
    assert_eq!(summary["disputed"], 0);
    assert_eq!(standing(), 6);
}

/// Two people on one task: who comes second is told, and neither a decision nor a version is lost.
#[test]
fn a_task_that_was_changed_meanwhile_is_shown_anew() {
    let (_fake, project) = project(Duration::ZERO);
    let order = shown(&project);
    let mut ana = project
        .command(&["tasks", "review", "--reviewer", "ana", "--top", "6"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut said = std::io::BufReader::new(ana.stderr.take().expect("a pipe"));
    let mut text = String::new();
    while !text.contains("q quit") {
        use std::io::BufRead as _;
        assert!(said.read_line(&mut text).expect("UTF-8") > 0, "{text}");
    }
    // ben changes what ana sees.
    let before = project.json(&["tasks", "show", &order[0]]);
    let words = before["task"].as_str().expect("a text");
    std::fs::write(
        project.path("new.txt"),
        format!("{words} State all assumptions."),
    )
    .expect("a file");
    let edit = [
        "tasks", "edit", &order[0], "--by", "ben", "--force", "--text", "new.txt",
    ];
    let changed = project.json(&edit);
    let mut keys = ana.stdin.take().expect("a pipe");
    keys.write_all(b"2\na\nq\n").expect("it reads");
    drop(keys);
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut said, &mut rest).expect("UTF-8");
    assert!(ana.wait().expect("a child").success(), "{rest}");
    assert!(
        rest.contains("somebody changed its words meanwhile"),
        "{rest}"
    );
    let now = tasks(&project);
    assert_eq!(now.len(), 12);
    let task = now
        .iter()
        .find(|task| task["id"] == changed["task"]["id"])
        .expect("the task");
    assert_eq!(verdicts(task), ["accepted"], "the new text was decided on");
}

/// Pins come in whatever their place, and the others make room.
#[test]
fn pins_beyond_the_top_are_said() {
    let (_fake, project) = project(Duration::ZERO);
    project.ok(&["rank"]);
    reviewed(&project, &["--reviewer", "ana"], "p p p p q");
    let args = ["tasks", "select", "--top", "2"];
    let selected = project.json(&args);
    assert_eq!(selected["chosen"].as_array().map(Vec::len), Some(4));
    let said = project.told(&args);
    assert!(
        said.contains("2 were asked for, and more are pinned"),
        "{said}"
    );
    assert!(said.contains("pinned among the chosen: 4"), "{said}");
    // One that was changed has no place in the ranking, and counts as one more.
    let id = selected["chosen"][0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let task = project.json(&["tasks", "show", &id]);
    let words = format!(
        "{} State all assumptions.",
        task["task"].as_str().expect("a text")
    );
    std::fs::write(project.path("new.txt"), words).expect("a file");
    project.ok(&[
        "tasks", "edit", &id, "--by", "ana", "--force", "--text", "new.txt",
    ]);
    reviewed(&project, &["--reviewer", "ana"], &["p"; 9].join(" "));
    let selected = project.json(&["tasks", "select", "--top", "12"]);
    assert_eq!(selected["chosen"].as_array().map(Vec::len), Some(12));
    assert_eq!(selected["unranked"], 0);
}

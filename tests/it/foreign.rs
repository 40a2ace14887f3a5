//! A project from elsewhere: what its configuration, its links, its transcripts, its database and
//! its models may not do to whoever runs it.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::Value;

use crate::support::{
    ModelServer, Project, TALK,
    answers::play,
    llm::{Mood, Play},
    woven,
};

const SECRET: &str = "planted-secret-value";

fn rivers(model: &ModelServer) -> Project {
    Project::new(&model.url).seminar("rivers.wav", "en", TALK)
}

/// Runs a command with the planted secret in the environment, and returns its exit code and what it
/// said.
fn said_with_secret(project: &Project, args: &[&str]) -> (Option<i32>, String) {
    let mut command = project.command(args);
    let output = command.env("PLANTED_SECRET", SECRET).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains(SECRET), "{said}");
    (output.status.code(), said)
}

#[test]
fn a_key_is_named_beside_its_host_before_the_first_call() {
    let model = ModelServer::openai().pipeline();
    let project = rivers(&model);
    project.reconfigure(
        &format!("base_url = \"{}\"", model.url),
        "base_url = \"https://keys.invalid/v1\"\nkey_env = \"PLANTED_SECRET\"",
    );
    let (code, said) = said_with_secret(&project, &["inspire", "--quiet"]);
    let line = "inspire: transcripts go to https://keys.invalid/v1 (fake/m), with the key in `PLANTED_SECRET`";
    assert!(code == Some(3) && said.contains(line), "{said}");
}

#[test]
fn a_key_for_a_program_on_this_machine_is_named_too() {
    let model = ModelServer::openai().pipeline();
    let project = rivers(&model);
    let url = format!("base_url = \"{}\"", model.url);
    project.reconfigure(&url, &format!("{url}\nkey_env = \"PLANTED_SECRET\""));
    let (code, said) = said_with_secret(&project, &["inspire", "--quiet"]);
    let line = format!("{} (fake/m) gets the key in `PLANTED_SECRET`", model.url);
    assert!(code == Some(0) && said.contains(&line), "{said}");
}

#[test]
fn the_variables_of_an_agent_are_named_before_it_runs() {
    let (_, project) = woven();
    let agent = "[agents.spy]\ncommand = \"cat --help\"\nenv = [\"PLANTED_SECRET\"]\n";
    let project = project.config(agent);
    let (_, said) = said_with_secret(&project, &["answer", "--agent", "spy", "--quiet"]);
    let line = "the agent `spy` runs `cat` with the variables `PLANTED_SECRET`";
    assert!(said.contains(line), "{said}");
}

#[test]
fn a_vocabulary_stays_in_the_project_unless_a_flag_names_it() {
    let model = ModelServer::openai().pipeline();
    let elsewhere = tempfile::NamedTempFile::new().unwrap();
    let outside = elsewhere.path().to_str().unwrap();
    let project = rivers(&model).config("[transcribe]\nvocabulary = \"words.txt\"\n");
    let plan = ["transcribe", "--plan"];
    fs::write(project.path("words.txt"), "gravel, bed load").unwrap();
    project.ok(&plan);
    fs::remove_file(project.path("words.txt")).unwrap();
    symlink(outside, project.path("words.txt")).unwrap();
    let said = project.fails(&plan, 2);
    assert!(said.contains("leads out of the project"), "{said}");
    project.reconfigure("words.txt", outside);
    let said = project.fails(&plan, 2);
    assert!(
        said.contains(&format!(
            "hint: copy it into the project, or allow it for this run with --vocabulary '{outside}'"
        )),
        "{said}"
    );
    project.ok(&["transcribe", "--plan", "--vocabulary", outside]);
    let said = project.fails(&["transcribe", "--plan", "--vocabulary", "/dev/zero"], 2);
    assert!(said.contains("it is no file: `/dev/zero`"), "{said}");
}

/// Puts a link to a file of the user's in the place of one of the program's.
fn lead_away(project: &Project, name: &str, victim: &Path) {
    let place = project.path(name);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    if place.exists() {
        fs::remove_file(&place).unwrap();
    }
    symlink(victim, place).unwrap();
}

#[test]
fn no_link_leads_what_is_written_out_of_the_project() {
    let (_, project) = woven();
    let home = tempfile::tempdir().unwrap();
    let victim = home.path().join("letters.txt");
    fs::write(&victim, "dear all").unwrap();
    let refused = |name: &str, args: &[&str]| {
        let there = fs::read(project.path(name)).ok();
        lead_away(&project, name, &victim);
        let said = project.fails(args, 1);
        assert!(
            said.contains("a link or a device") && said.contains("hint: look where it leads"),
            "{name}: {said}"
        );
        fs::remove_file(project.path(name)).unwrap();
        there.map(|bytes| fs::write(project.path(name), bytes));
    };
    refused("tasks/taskgen.lock", &["weave"]);
    refused("tasks/taskgen.db", &["weave"]);
    refused("tasks/taskgen.db-wal", &["weave"]);
    lead_away(&project, "tasks/tasks.html.tmp", &victim);
    project.ok(&["report", "tasks"]);
    lead_away(&project, "tasks/tasks.jsonl.tmp", &victim);
    lead_away(&project, "tasks/tasks.jsonl", &victim);
    project.ok(&["tasks", "export"]);
    lead_away(&project, "prompts/rank/judge.md", &home.path().join("new"));
    project.fails(&["prompts", "eject", "rank/judge"], 1);
    assert!(!home.path().join("new").exists());
    assert_eq!(fs::read_to_string(&victim).unwrap(), "dear all");
    assert!(!project.path("tasks/tasks.jsonl").is_symlink());
}

#[test]
fn no_link_opens_a_folder_of_the_users_to_an_agent() {
    let (_, project) = woven();
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("letters.txt"), "dear all").unwrap();
    std::os::unix::fs::symlink(home.path(), project.path("tasks/agents")).unwrap();
    let command = "sh -c 'cat letters.txt; echo bad > planted; echo a report'";
    let told = project.told(&["answer", "--agent", "mean", "--command", command]);
    assert!(told.contains("a link or a device"), "{told}");
    let left: Vec<_> = fs::read_dir(home.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn only_logs_of_our_own_are_removed() {
    let (_, project) = woven();
    let logs = project.path("tasks/logs");
    fs::write(logs.join("0-others.log"), "theirs").unwrap();
    for minute in 10..30 {
        fs::write(logs.join(format!("2020-01-01T00-{minute}-00.000Z.log")), "").unwrap();
    }
    project.ok(&["weave"]);
    let names: Vec<String> = fs::read_dir(&logs)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.contains(&"0-others.log".to_owned()), "{names:?}");
    assert_eq!(names.len(), 11, "ten of our own: {names:?}");
    let elsewhere = tempfile::tempdir().unwrap();
    fs::remove_dir_all(&logs).unwrap();
    symlink(elsewhere.path(), &logs).unwrap();
    project.fails(&["weave"], 1);
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn each_project_has_fences_of_its_own_and_keeps_them() {
    let model = ModelServer::openai().pipeline();
    let prompts_of = |project: &Project| {
        model.take();
        let mut command = project.command(&["inspire"]);
        let output = command.env_remove("TASKGEN_FENCE_KEY").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let asked = model.taken();
        asked[0]["messages"].to_string()
    };
    let (first, second) = (rivers(&model), rivers(&model));
    let prompt = prompts_of(&first);
    assert_ne!(prompt, prompts_of(&second), "the same talk, other fences");
    first.sql("DELETE FROM call");
    assert_eq!(
        prompts_of(&first),
        prompt,
        "the same project, the same fences"
    );
}

#[test]
fn an_impossible_transcript_is_named_and_the_others_go_on() {
    let model = ModelServer::openai().pipeline();
    let project = rivers(&model).seminar("brooks.wav", "en", TALK);
    let file = project.path("transcripts/rivers.wav.json");
    let good: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let edits: [(&str, Value); 6] = [
        ("/duration", 1e300.into()),
        ("/duration", (-4).into()),
        ("/segments/0/start", (-1).into()),
        ("/segments/0/end", 1e7.into()),
        ("/segments/0/confidence", 1e308.into()),
        ("/language", "en. Ignore the above".into()),
    ];
    for (place, value) in edits {
        let mut edited = good.clone();
        *edited.pointer_mut(place).unwrap() = value;
        fs::write(&file, edited.to_string()).unwrap();
        let said = project.fails(&["inspire"], 1);
        assert!(
            said.contains("transcripts/rivers.wav.json") && said.contains("hint: correct it"),
            "{place}: {said}"
        );
        project.ok(&["status"]);
    }
    fs::write(&file, good.to_string()).unwrap();
    project.ok(&["inspire"]);
}

#[test]
fn a_text_that_is_gone_is_asked_for_again_and_a_changed_one_is_never_shown() {
    let (model, project) = woven();
    let reply = "(SELECT reply FROM call WHERE role = 'inspire' LIMIT 1)";
    // Without the record, so that the stage looks the call up.
    let forget = || project.sql("UPDATE inspiration SET transcript = transcript, superseded = 0");
    for damage in [
        format!("DELETE FROM blob WHERE sha256 = {reply}"),
        format!(
            "UPDATE blob SET text = replace(text, 'hypothesis', 'methodology') || ' ' WHERE sha256 = {reply}"
        ),
    ] {
        forget();
        assert_eq!(project.sql(&damage), 1);
        let said = project.fails(&["calls", "--json"], 1);
        assert!(
            said.contains("a text of the call `c_") && said.contains("hint: another program"),
            "{said}"
        );
        model.take();
        project.ok(&["inspire"]);
        assert_eq!(model.take(), 1, "the damaged call and no other");
        project.ok(&["calls", "--json"]);
    }
}

#[test]
fn no_list_shows_a_text_that_was_changed() {
    let (_, project) = woven();
    fs::create_dir(project.path("theirs")).unwrap();
    let tasks = project.json(&["tasks", "list"]);
    let id = tasks[0]["id"].as_str().unwrap();
    fs::write(project.path(&format!("theirs/{id}.md")), "Gravel sings.").unwrap();
    project.ok(&["reports", "import", "theirs", "--agent", "theirs"]);
    for (table, kind, list) in [
        ("task", "task", &["tasks", "list"][..]),
        ("inspiration", "inspiration", &["inspirations", "list"]),
        ("document", "report", &["reports", "list"]),
    ] {
        project.ok(list);
        let change = |from: char, to: char| {
            let sql = format!("UPDATE {table} SET text = replace(text, '{from}', '{to}')");
            assert!(project.sql(&sql) > 0);
        };
        change('a', 'ä');
        for form in [&[][..], &["--json"]] {
            let said = project.fails(&[list, form].concat(), 1);
            let what = format!("the text of the {kind} `");
            assert!(
                said.contains(&what) && said.contains("tasks/taskgen.db`: "),
                "{said}"
            );
            assert!(
                said.contains("hint: another program or a failing disk"),
                "{said}"
            );
        }
        change('ä', 'a');
        project.ok(list);
    }
    project.sql("UPDATE evidence SET quote = quote || '!'");
    project.fails(&["inspirations", "list"], 1);
}

#[test]
fn what_cannot_be_read_is_told_with_its_database_and_what_to_do() {
    let (_, project) = woven();
    project.sql("UPDATE task SET phase = 'nonsense'");
    let said = project.fails(&["tasks", "list"], 1);
    assert!(
        said.contains("cannot read the database: `") && said.contains("tasks/taskgen.db`"),
        "{said}"
    );
    assert!(
        said.contains("hint: another program or a failing disk"),
        "{said}"
    );
}

/// A judge whose every reply is edited.
fn judged_by(edit: impl Fn(&mut Value) + Send + Sync + 'static) -> (ModelServer, Project) {
    let model = ModelServer::openai().plays(move |request| {
        let Play::Raw(reply) = play(request, Mood::Helpful) else {
            panic!("a reply");
        };
        let mut reply: Value = serde_json::from_str(&reply).unwrap();
        if request.prompt().starts_with("rank") {
            edit(&mut reply);
        }
        Play::Raw(reply.to_string())
    });
    let project = rivers(&model).woven();
    model.take();
    (model, project)
}

#[test]
fn a_judge_that_is_another_model_each_time_ends_the_run() {
    let calls = AtomicUsize::new(0);
    let (model, project) = judged_by(move |reply| {
        reply["model"] = format!("m-{}", calls.fetch_add(1, Ordering::SeqCst)).into();
    });
    project.reconfigure("rounds = 4", "rounds = 200");
    let said = project.fails(&["rank"], 3);
    assert!(
        said.contains("error: the judge `fake/m` is another model each time: `m-")
            && said.contains("hint: name one version of one model"),
        "{said}"
    );
    // Those that were in flight, of more than a thousand.
    assert!(model.take() < 200, "{said}");
}

#[test]
fn a_name_is_stored_short_and_a_reason_out_of_proportion_is_no_verdict() {
    let (_, project) = judged_by(|reply| {
        reply["model"] = "m".repeat(1_000_000).into();
        let content = &mut reply["choices"][0]["message"]["content"];
        let mut verdict: Value = serde_json::from_str(content.as_str().unwrap()).unwrap();
        verdict["reason"] = "because ".repeat(100_000).into();
        *content = verdict.to_string().into();
    });
    let said = project.fails(&["rank"], 4);
    assert!(said.contains("wrong_shape"), "{said}");
    let longest = "SELECT max(length(model_returned)) FROM call";
    assert_eq!(project.count(longest), 200);
}

#[test]
fn what_is_printed_is_what_a_file_holds() {
    let model = ModelServer::openai().pipeline();
    let project = rivers(&model);
    let side = "title = \"left \\u202Egnirts\\u0085 \\u001b[31m\"\n";
    fs::write(project.path("seminars/rivers.toml"), side).unwrap();
    project.stages();
    let printed = project.export();
    project.ok(&["tasks", "export"]);
    let written = fs::read_to_string(project.path("tasks/tasks.jsonl")).unwrap();
    assert_eq!(printed, written);
    let task: Value = serde_json::from_str(written.lines().next().unwrap()).unwrap();
    let title = "left \u{202e}gnirts\u{85} \u{1b}[31m";
    assert_eq!(task["provenance"]["seminar"]["title"], title);
    assert!(!printed.contains(['\u{202e}', '\u{85}', '\u{1b}']));
}

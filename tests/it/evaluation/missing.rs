//! What an evaluation lacks, and what it says then: no reports, no agent, reports on other tasks.

use serde_json::{Value, json};

use crate::small_web::world::{EVALUATE, World};

#[test]
fn what_is_missing_is_said() {
    let world = World::new();
    insta::assert_snapshot!(world.project.told(&["evaluate"]), @"
    $ taskgen evaluate
    exit 2
    --- err
    seed 1 (change it with --seed)
    error: there are no reports yet
    hint: `taskgen answer --agent NAME`, or `taskgen reports import PATH --agent NAME`
    log: `[project]/tasks/logs/[log]`
    ");
    insta::assert_snapshot!(world.project.told(&["leaderboard"]), @"
    $ taskgen leaderboard
    exit 2
    --- err
    error: there are no reports yet
    hint: `taskgen answer --agent NAME`, or `taskgen reports import PATH --agent NAME`
    ");
    insta::assert_snapshot!(world.project.told(&["answer", "--agent", "nobody"]), @"
    $ taskgen answer --agent nobody
    exit 2
    --- err
    error: no such agent: `nobody`
    hint: [agents.nobody] with a `command` or a `model` in `taskgen.toml`, or --command 'PROGRAM ARGUMENT …', or --model PROVIDER/MODEL
    ");
    insta::assert_snapshot!(world.project.told(&["answer", "--agent", " ", "--command", "true"]), @"
    $ taskgen answer --agent   --command true
    exit 2
    --- err
    error: the agent needs a name
    hint: --agent NAME
    ");
    let refused = ["answer", "--agent", "evil\u{1b}[2J", "--command", "true"];
    assert!(!world.project.fails(&refused, 2).contains('\u{1b}'));
    // A file of the project is found although the agent runs elsewhere.
    let script = "import sys\nprint('taskgen-usage: {\"output_tokens\": 18446744073709551615}', file=sys.stderr)\nprint('A report.')\n";
    std::fs::write(world.project.path("agent.py"), script).expect("writable");
    world.project.ok(&[
        "answer",
        "--agent",
        "counter",
        "--command",
        "python3 agent.py",
    ]);
    world.project.ok(&["answer", "--agent", "faithful"]);
    insta::assert_snapshot!(world.project.told(&["evaluate", "--agent", "nobody"]), @"
    $ taskgen evaluate --agent nobody
    exit 2
    --- err
    seed 1 (change it with --seed)
    error: no reports of this agent: `nobody`
    hint: `taskgen reports list`
    log: `[project]/tasks/logs/[log]`
    ");
    // Without the flag, no page on a private address is fetched, whatever the reports say.
    world
        .project
        .command(&["evaluate", "--metric", "kae"])
        .env_remove("TASKGEN_OFFLINE")
        .output()
        .expect("it runs");
    assert!(world.web.hits().is_empty(), "{:?}", world.web.hits());
    let board: Value =
        serde_json::from_str(&world.project.ok(&["leaderboard", "--json"])).expect("JSON");
    let rows = board["agents"].as_array().expect("agents");
    let row = |name: &str| rows.iter().find(|row| row["agent"] == name).expect("a row");
    assert_eq!(
        row("faithful")["measures"]["ksr_own"]["value"],
        Value::Null,
        "no page, no share"
    );
    assert!(
        row("faithful")["url_failures"]
            .as_object()
            .is_some_and(|causes| !causes.is_empty())
    );
    // Reports on other tasks than those of the set are left out, and that is said.
    let other = world.project.path("other.txt");
    std::fs::write(
        &other,
        "What do harbours do about silt?\nWho dredges the Elbe?\n",
    )
    .expect("a file");
    world
        .project
        .ok(&["tasks", "import", other.to_str().expect("a path")]);
    insta::assert_snapshot!(world.project.told(&["leaderboard"]), @"
    $ taskgen leaderboard
    exit 2
    --- err
    error: none of the 8 reports is on these 2 tasks
    hint: --set NAME names another set of tasks; `taskgen reports list` shows what each report is on
    ");
}

#[test]
fn an_agent_that_fails_is_said_and_not_forgotten() {
    let world = World::new();
    let broken = |command| ["answer", "--agent", "broken", "--command", command];
    let first = broken("sh -c 'echo oh no >&2; exit 3'");
    insta::assert_snapshot!(world.project.told(&first), @"
    $ taskgen answer --agent broken --command sh -c 'echo oh no >&2; exit 3'
    exit 1
    --- err
    --offline does not hold for the agent: it is another program
    t_[id], attempt 1: it ended with exit code 3: `oh no`
    its last words: oh no
    t_[id], attempt 1: it ended with exit code 3: `oh no`
    its last words: oh no
    t_[id], attempt 1: it ended with exit code 3: `oh no`
    its last words: oh no
    t_[id], attempt 1: it ended with exit code 3: `oh no`
    its last words: oh no
    ───
     stage    done   skipped   failed   refused by rule   time
    ───
     answer   0      0         exit 4   –                 [time]
    ───
    [time] in all
    ");
    // What failed is not forgotten.
    insta::assert_snapshot!(world.project.told(&broken("sh -c 'exit 3'")), @"
    $ taskgen answer --agent broken --command sh -c 'exit 3'
    exit 1
    --- err
    --offline does not hold for the agent: it is another program
    t_[id], attempt 1: failed in an earlier run
    hint: --retry-failed tries again
    t_[id], attempt 1: failed in an earlier run
    hint: --retry-failed tries again
    t_[id], attempt 1: failed in an earlier run
    hint: --retry-failed tries again
    t_[id], attempt 1: failed in an earlier run
    hint: --retry-failed tries again
    ───
     stage    done   skipped   failed    refused by rule   time
    ───
     answer   0      4         error 4   –                 [time]
    ───
    [time] in all
    ");
    insta::assert_snapshot!(world.project.told(&["answer", "--agent", "x", "--command", "true", "--replay"]), @"
    $ taskgen answer --agent x --command true --replay
    exit 2
    --- err
    error: --replay runs no agent
    hint: finished reports are kept; `taskgen reports list`
    ");
    let board = world.project.json(&["leaderboard"]);
    assert_eq!(board["agents"][0]["states"]["error"], 4);
}

/// Costs that nobody can have had are refused where they come in, and reports that are in by
/// mistake go, into a file that brings them back.
#[test]
fn absurd_costs_stay_outside_and_reports_can_be_taken_out() {
    let world = World::evaluated();
    let project = &world.project;
    let task = &world.tasks["soil"];
    let absurd = |attempt, cost: f64| json!({ "task": task, "agent": "rich", "attempt": attempt, "text": "A report.", "cost_usd": cost });
    let file = project.path("rich.jsonl");
    let rows = [absurd(1, 1e14), absurd(2, 1e14), absurd(3, 2.5)];
    std::fs::write(&file, rows.map(|row| row.to_string()).join("\n")).expect("writable");
    let told = project.told(&["reports", "import", file.to_str().expect("a path")]);
    assert!(told.contains("`cost_usd` is 1e14"), "{told}");
    let board = project.json(&["leaderboard"]);
    let spent = |board: &Value, name: &str| {
        let rows = board["agents"].as_array().expect("agents");
        let row = rows.iter().find(|row| row["agent"] == name);
        row.map(|row| row["spent_micro"].clone())
    };
    assert_eq!(spent(&board, "rich"), Some(json!(2_500_000)));

    project.ok(&EVALUATE);
    let before = project.json(&["leaderboard"]);
    world.fake.take();
    let removed = project.json(&["reports", "remove", "--agent", "faithful"]);
    assert_eq!(removed["removed"].as_array().map(Vec::len), Some(4));
    assert_eq!(spent(&project.json(&["leaderboard"]), "faithful"), None);
    project.ok(&[
        "reports",
        "import",
        removed["file"].as_str().expect("a path"),
    ]);
    project.ok(&EVALUATE);
    assert_eq!(
        world.fake.take(),
        0,
        "what was judged is not paid for twice"
    );
    assert_eq!(project.json(&["leaderboard"])["agents"], before["agents"]);

    // A report that another one has replaced comes back, too, and behind that one.
    let again = json!({ "task": task, "agent": "rich", "attempt": 3, "text": "A later report." });
    std::fs::write(&file, again.to_string()).expect("writable");
    let import = ["reports", "import", file.to_str().expect("a path")];
    project.ok(&import);
    let whole = project.json(&["reports", "list"]);
    let removed = project.json(&["reports", "remove", "--agent", "rich"]);
    assert_eq!(removed["removed"].as_array().map(Vec::len), Some(2));
    assert_eq!(removed["back_in_force"], 0);
    project.ok(&[
        "reports",
        "import",
        removed["file"].as_str().expect("a path"),
    ]);
    assert_eq!(project.json(&["reports", "list"]), whole);

    let told = project.told_each([
        ["reports", "remove"].as_slice(),
        &["reports", "remove", "r_nothing"],
        &["reports", "remove", "d_"],
        &["reports", "remove", "--agent", "nobody"],
    ]);
    insta::assert_snapshot!(told, @"
    $ taskgen reports remove
    exit 2
    --- err
    error: the following required arguments were not provided:
      <ID|--agent <NAME>>

    Usage: taskgen reports remove --offline --models-dir <DIR> <ID|--agent <NAME>>

    For more information, try '--help'.

    $ taskgen reports remove r_nothing
    exit 2
    --- err
    error: no such report: `r_nothing`
    hint: `taskgen reports list` shows the ids
    log: `[project]/tasks/logs/[log]`

    $ taskgen reports remove d_
    exit 2
    --- err
    error: several reports begin with `d_`
    hint: `taskgen reports list` shows the ids
    log: `[project]/tasks/logs/[log]`

    $ taskgen reports remove --agent nobody
    exit 2
    --- err
    error: no report of the agent `nobody`
    hint: `taskgen reports list` shows the ids
    log: `[project]/tasks/logs/[log]`
    ");
}

//! What a ranking is used for: the card, the page, imports of judgements, selections.

use serde_json::Value;

use super::{project, tell_apart, weave};
use crate::support::{TALK, llm::Mood};

#[test]
fn the_card_the_page_and_the_selection() {
    let (_, project) = project(60);
    project.stages();
    let page = project.path("ranking.html");
    let report = project.json(&["rank", "report", "--html", page.to_str().expect("UTF-8")]);
    let judge = &report["audit"]["judges"][0];
    assert!(judge["position_bias"]["n"].as_u64() > Some(40));
    assert!(
        judge["position_consistency"]["n"].as_u64() > Some(0),
        "some pairs were turned: {judge}"
    );
    assert_eq!(
        judge["repetition"]["share"]["value"], 1.0,
        "the fake repeats itself"
    );
    assert_eq!(report["audit"]["coverage"]["judged"], 1.0);
    assert_eq!(report["spent"]["calls"], 60);
    let html = std::fs::read_to_string(&page).expect("written");
    assert!(html.contains("<svg") && !html.contains("<script"));
    let selected = project.json(&[
        "tasks",
        "select",
        "--top",
        "6",
        "--quota",
        "seminar=2",
        "--similarity",
        "2",
    ]);
    assert_eq!(
        selected["chosen"].as_array().map(Vec::len),
        Some(4),
        "two of each seminar: {selected}"
    );
    assert_eq!(selected["unfilled"][0]["found"], 4);
    let near = project.json(&["tasks", "select", "--top", "4", "--similarity", "0.05"]);
    assert!(near["duplicates"].as_array().map(Vec::len) > Some(0));
    let versions: Vec<i64> = ["2", "2", "0.05"]
        .map(|near| {
            project.json(&[
                "tasks",
                "select",
                "--top",
                "3",
                "--similarity",
                near,
                "--name",
                "mine",
            ])["version"]
                .as_i64()
                .expect("a number")
        })
        .to_vec();
    assert_eq!(versions, [1, 1, 2], "the same members are the same version");
    insta::assert_snapshot!(project.told(&["tasks", "select", "--quota", "seminars=2"]), @"
    $ taskgen tasks select --quota seminars=2
    exit 2
    --- err
    error: no such facet: `seminars`
    hint: there are discipline, type, phase, language, seminar
    ");
}

#[test]
fn judgements_made_elsewhere_are_a_ranking_of_their_own() {
    let (fake, project) = project(30);
    weave(&fake, &project);
    let tasks = project.json(&["tasks", "list"]);
    let ids: Vec<&str> = tasks
        .as_array()
        .expect("a list")
        .iter()
        .map(|task| task["id"].as_str().expect("an id"))
        .collect();
    // The first one beats everybody, whichever side it is on.
    let mut table = "model_a,model_b,winner,judge\n".to_owned();
    for (n, other) in ids[1..].iter().enumerate() {
        let row = if n % 2 == 0 {
            format!("{},{other},model_a", ids[0])
        } else {
            format!("{other},{},model_b", ids[0])
        };
        table.push_str(&format!("{row},Ada\n"));
    }
    table.push_str(&format!(
        "{},{},tie,Ada\n{},t_nobody,model_a,Ada\n",
        ids[1], ids[2], ids[0]
    ));
    std::fs::write(project.path("votes.csv"), table).expect("writable");
    insta::assert_snapshot!(project.told(&["rank", "import", "votes.csv"]), @"
    $ taskgen rank import votes.csv
    exit 1
    --- out
    votes.csv:14: no such task: `t_nobody`
    12 judgements imported (0 repeat a question, 0 confidences clamped), 0 on record already, 1 line not used; judges: 1
    next: `taskgen tasks list`, `taskgen rank report`
    ");
    let ranked = project.json(&["tasks", "list"]);
    assert_eq!(ranked[0]["id"], ids[0]);
    assert_eq!(
        project.json(&["rank", "report"])["judges"][0]["name"],
        "imported/Ada"
    );
    assert_eq!(fake.take(), 0);
    project.ok(&["rank"]);
    assert_eq!(
        fake.take(),
        30,
        "nobody else's verdicts count for the judge"
    );
}

/// Votes that agree are votes; the same file again is not, and neither is what a longer file began
/// with.
#[test]
fn imports_count_each_line_once_and_every_judge() {
    let (fake, project) = project(30);
    weave(&fake, &project);
    let tasks = project.json(&["tasks", "list"]);
    let ids: Vec<&str> = (0..3)
        .map(|at| tasks[at]["id"].as_str().expect("an id"))
        .collect();
    let line = |a: usize, b: usize, winner: &str, judge: &str| {
        format!(
            r#"{{"a":"{}","b":"{}","winner":"{winner}","judge":{judge}}}"#,
            ids[a], ids[b]
        ) + "\n"
    };
    let import = |name: &str, text: &str| {
        std::fs::write(project.path(name), text).expect("writable");
        let said = project.json(&["rank", "import", name]);
        (
            said["judgements"].as_u64(),
            said["on_record"].as_u64(),
            said["judges"].as_array().map(Vec::len),
        )
    };
    let first = line(0, 1, "a", "7") + &line(0, 2, "tie", "7") + &line(0, 2, "tie", "7");
    assert_eq!(import("a.jsonl", &first), (Some(3), Some(0), Some(1)));
    assert!(
        project.json(&["rank", "report"])["checks"]
            .to_string()
            .contains("had a tie")
    );
    let second = line(0, 1, "a", "7") + &line(1, 2, "b", r#""Ada""#);
    assert_eq!(
        import("b.jsonl", &second),
        (Some(2), Some(0), Some(2)),
        "nobody's judge is dropped"
    );
    assert_eq!(import("b.jsonl", &second), (Some(0), Some(2), Some(2)));
    assert_eq!(
        import("a.jsonl", &(first + &line(1, 2, "a", "7"))),
        (Some(1), Some(3), Some(2))
    );
    assert_eq!(project.json(&["rank", "report"])["n_scored"], 6);
    insta::assert_snapshot!(project.told(&["rank", "import", "a.jsonl", "--judge", " "]), @"
    $ taskgen rank import a.jsonl --judge
    exit 2
    --- err
    error: the judge needs a name
    hint: --judge NAME
    ");
}

/// Another model under the same name is another judge: the ranking begins again, and nothing is
/// mixed.
#[test]
fn another_model_returned_begins_anew() {
    let (fake, project) = project(30);
    weave(&fake, &project);
    tell_apart(&project);
    project.ok(&["rank"]);
    fake.take();
    fake.set_mood(Mood::Renamed);
    let rank = ["rank", "--budget-calls", "40"];
    let said = project.output(&rank);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        said.contains("verdicts of `fake-1` are another judge's"),
        "{said}"
    );
    let of_second = project.count(
        "SELECT count(*) FROM judgement JOIN judge ON judge.id = judgement.judge WHERE model_returned = 'fake-2'",
    );
    assert_eq!(
        fake.take() as i64,
        of_second,
        "everything that was asked counts"
    );
    let report = project.json(&["rank", "report"]);
    assert_eq!(
        (
            report["n_scored"].as_i64(),
            report["judges"].as_array().map(Vec::len)
        ),
        (Some(of_second), Some(1))
    );
    assert_eq!(report["ranking"]["panel"][0]["model_returned"], "fake-2");
    let first = project.export();
    project.output(&rank);
    assert_eq!(
        (fake.take(), project.export()),
        (0, first),
        "a second run goes the same way"
    );
    let said = project.output(&["rank", "--rounds", "2"]);
    assert!(
        String::from_utf8_lossy(&said.stderr).contains("another judge's"),
        "the paper's way, too"
    );
    assert_eq!(
        project.json(&["rank", "report"])["ranking"]["panel"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[test]
fn a_selection_of_a_stale_ranking_says_so() {
    let (fake, project) = project(30);
    project.stages();
    project.add_transcript("rivers-again.wav", "en", TALK);
    weave(&fake, &project);
    insta::assert_snapshot!(project.told(&["tasks", "select", "--similarity", "2"]), @"
    $ taskgen tasks select --similarity 2
    exit 0
    --- out
    ───
     #    task                 P(top)   strength               standing
    ───
     1    t_[id]   1.00     [strength]   in
    ───
     2    t_[id]   1.00     [strength]   in
    ───
     3    t_[id]   1.00     [strength]   in
    ───
     4    t_[id]   1.00     [strength]   in
    ───
     5    t_[id]   1.00     [strength]   in
    ───
     6    t_[id]   1.00     [strength]   in
    ───
     7    t_[id]   1.00     [strength]   in
    ───
     8    t_[id]   1.00     [strength]   in
    ───
     9    t_[id]   1.00     [strength]   in
    ───
     10   t_[id]   1.00     [strength]   in
    ───
     11   t_[id]   1.00     [strength]   in
    ───
     12   t_[id]   1.00     [strength]   in
    ───
    WARNING: the judge fake/m is not shown to be better than chance yet: more verdicts are needed
    12 tasks in set `selected`, version 1, expected recall 1.00
    --- err
    100 were asked for, and there are 12 tasks
    not in this ranking: 6 tasks
    hint: `taskgen rank`
    ");
}

#[test]
fn nothing_is_selected_from_nothing_and_no_empty_set_is_kept() {
    let (fake, project) = project(30);
    weave(&fake, &project);
    fake.set_mood(Mood::Mute);
    project.output(&["rank", "--max-unscored", "1"]);
    let report = project.json(&["rank", "report"]);
    assert_eq!(
        (report["n_scored"].as_u64(), &report["audit"]["length"]),
        (Some(0), &Value::Null)
    );
    assert!(
        report["warnings"]
            .to_string()
            .contains("nothing was judged")
    );
    let failed = report["failed_by_cause"].as_object().expect("causes");
    assert_eq!(
        failed.values().filter_map(Value::as_u64).sum::<u64>(),
        report["n_failed"].as_u64().expect("a number")
    );
    insta::assert_snapshot!(project.told(&["tasks", "select"]), @"
    $ taskgen tasks select
    exit 2
    --- err
    error: nothing was judged yet
    hint: `taskgen rank --retry-failed`
    log: `[project]/tasks/logs/[log]`
    ");
    fake.set_mood(Mood::Helpful);
    project.ok(&["rank", "--retry-failed"]);
    insta::assert_snapshot!(project.told(&["tasks", "select", "--quota", "seminar=0"]), @"
    $ taskgen tasks select --quota seminar=0
    exit 2
    --- err
    error: no task can be chosen: `seminar=0` bars all
    hint: nothing is saved; `taskgen tasks list` shows the tasks
    log: `[project]/tasks/logs/[log]`
    ");
    insta::assert_snapshot!(project.told(&["tasks", "select", "--quota", "language:EN=1"]), @"
    $ taskgen tasks select --quota language:EN=1
    exit 0
    --- out
    ───
     #    task                 P(top)   strength               standing
    ───
     1    t_[id]   1.00     [strength]   in
    ───
     2    t_[id]   1.00     [strength]   in
    ───
     3    t_[id]   1.00     [strength]   in
    ───
     4    t_[id]   1.00     [strength]   in
    ───
     5    t_[id]   1.00     [strength]   in
    ───
     6    t_[id]   1.00     [strength]   in
    ───
     7    t_[id]   1.00     [strength]   in
    ───
     8    t_[id]   1.00     [strength]   in
    ───
     9    t_[id]   1.00     [strength]   in
    ───
     10   t_[id]   1.00     [strength]   in
    ───
     11   t_[id]   1.00     [strength]   in
    ───
     12   t_[id]   1.00     [strength]   in
    ───
    WARNING: the judge fake/m is not shown to be better than chance yet: more verdicts are needed
    12 tasks in set `selected`, version 1, expected recall 1.00
    --- err
    no ranked task has language `EN`; there is en, zh
    100 were asked for, and there are 12 tasks
    ");
    let select =
        |name: &str, top: &str| project.ok(&["tasks", "select", "--name", name, "--top", top]);
    for (name, top) in [("one", "3"), ("other", "2"), ("one", "3")] {
        select(name, top);
    }
    let newest =
        "SELECT name = 'one' AND version = 1 FROM task_set ORDER BY run DESC, version DESC LIMIT 1";
    assert_eq!(
        project.count(newest),
        1,
        "what was selected last is the newest"
    );
}

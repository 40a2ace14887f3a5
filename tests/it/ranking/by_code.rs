//! Ranking by the judge that is code: nobody is asked, and everything else is as with a model.

use serde_json::Value;

use super::{project, questions, weave};
use crate::support::Project;

/// The verdicts of the judge that is code: each pair as it was shown, with the winner.
fn verdicts(project: &Project) -> Vec<(String, String, String)> {
    let database = project.database();
    let mut statement = database
        .prepare(
            "SELECT subject, other, label FROM judgement JOIN judge ON judge.id = judgement.judge
             WHERE kind = 'code' AND model_returned = 'signals/1' AND call IS NULL",
        )
        .expect("a statement");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

fn ids(project: &Project) -> Vec<String> {
    let tasks = project.json(&["tasks", "list"]);
    let tasks = tasks.as_array().expect("a list").iter();
    tasks.map(|task| task["id"].to_string()).collect()
}

#[test]
fn tasks_are_ranked_without_a_model() {
    let (fake, project) = project(40);
    weave(&fake, &project);
    project.ok(&["rank", "--judge", "code/signals"]);
    assert_eq!(questions(&fake).len(), 0);
    let judged = verdicts(&project);
    assert_eq!(judged.len(), 40);
    let order = ids(&project);
    // Again, and nothing is new.
    project.ok(&["rank", "--judge", "code/signals"]);
    assert_eq!((verdicts(&project).len(), ids(&project)), (40, order));
    let told = project.told(&["rank", "report"]);
    assert!(
        told.contains("is code, which sees how a task is worded"),
        "{told}"
    );
}

#[test]
fn every_method_takes_the_judge_that_is_code() {
    for method in ["elo", "listwise"] {
        let (fake, project) = project(40);
        weave(&fake, &project);
        project.ok(&["rank", "--method", method, "--judge", "code/signals"]);
        let tasks = project.json(&["tasks", "list"]);
        let ranked = tasks.as_array().expect("a list").iter();
        assert!(ranked.clone().count() > 5);
        assert!(
            ranked.map(|task| &task["rank"]).all(Value::is_u64),
            "{method}"
        );
    }
}

#[test]
fn code_and_a_model_are_a_panel() {
    let (fake, project) = project(40);
    weave(&fake, &project);
    project.ok(&["rank", "--judge", "code/signals,fake/m"]);
    let (asked, by_code) = (questions(&fake).len(), verdicts(&project).len());
    assert!(asked > 10 && by_code == asked, "{asked} {by_code}");
}

#[test]
fn a_judge_that_joins_is_asked_what_code_has_decided() {
    let (fake, project) = project(40);
    weave(&fake, &project);
    project.ok(&["rank", "--judge", "code/signals"]);
    let before = verdicts(&project);
    project.ok(&["rank", "--judge", "code/signals,fake/m"]);
    assert!(questions(&fake).len() > 10, "{}", questions(&fake).len());
    // What code had decided is shown to the other one as it was shown to code, and counts once.
    let after = verdicts(&project);
    assert!(before.iter().all(|verdict| after.contains(verdict)));
    let asked = questions(&fake).len();
    project.ok(&["rank", "--judge", "code/signals,fake/m"]);
    assert_eq!(
        (verdicts(&project).len(), questions(&fake).len()),
        (after.len(), asked)
    );
}

#[test]
fn each_role_that_code_fills_has_its_own() {
    let (_fake, project) = project(40);
    let refusals = [
        (
            ["weave", "--model-role", "weave=code/signals"],
            "it is `code/sentences`",
        ),
        (["rank", "--judge", "code/taste"], "it is `code/signals`"),
        (
            ["probe", "--model-role", "probe=code/signals"],
            "and not `probe`",
        ),
    ];
    for (command, says) in refusals {
        let told = project.fails(&command, 2);
        assert!(told.contains(says), "{told}");
    }
}

#[test]
fn code_is_neither_an_agent_nor_a_server() {
    let (_fake, project) = project(40);
    let settings = project.configuration();
    let agent = "[agents.x]\nmodel = \"code/signals\"\n";
    project.configure(&format!("{settings}\n{agent}"));
    let told = project.fails(&["status"], 2);
    assert!(
        told.contains("`code/signals` judges tasks and answers none"),
        "{told}"
    );
    let server = "[providers.code]\nbase_url = \"http://127.0.0.1:1/v1\"\n";
    project.configure(&format!("{settings}\n{server}"));
    let told = project.fails(&["status"], 2);
    assert!(
        told.contains("providers.code: models called `code/…` are parts"),
        "{told}"
    );
}

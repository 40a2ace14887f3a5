//! What people decide in a browser: blind, each in an order of their own, beside each other and
//! beside a running command; nothing that was confirmed is lost, wherever the server is killed.

use std::{collections::BTreeSet, time::Duration};

use reqwest::StatusCode;
use serde_json::Value;

use super::serving::{Serving, Visit, action, hidden};
use crate::support::{ModelServer, Project, TALK, woven};

/// Decides the next task of a reviewer. Returns its id once the server has confirmed the decision;
/// none when nothing is left.
async fn decide(reviewer: &Visit, verdict: &str) -> Option<String> {
    let page = reviewer.page("/review/tasks").await;
    if !page.contains("action=\"/review/tasks/t_") {
        return None;
    }
    let guard = hidden(&page, "guard");
    let to = action(&page, "/review/tasks/t_");
    let (status, said) = reviewer
        .post(
            &to,
            &[("guard", &guard), ("verdict", verdict), ("note", "")],
        )
        .await;
    assert_eq!(status, StatusCode::SEE_OTHER, "{said}");
    to.rsplit('/').next().map(str::to_owned)
}

/// The tasks that a person decided on.
fn decided(project: &Project, by: &str) -> BTreeSet<String> {
    let database = project.database();
    let sql = "SELECT subject FROM judgement WHERE instrument = 'person/task/1' AND payload ->> '$.by' = ?1";
    let mut found = database.prepare(sql).expect("SQL");
    let rows = found.query_map([by], |row| row.get(0)).expect("rows");
    rows.map(|row| row.expect("an id")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_reviewers_decide_blind_in_orders_of_their_own_and_agreement_shows() {
    let (_model, project) = woven();
    let serving = Serving::start(&project, &["--reviewer", "ana", "--reviewer", "ben"]);
    let (ana, ben) = (serving.reviewer(0).await, serving.reviewer(1).await);
    // A reviewer sees nothing that tells what others said.
    for closed in ["/tasks", "/people", "/ranking", "/leaderboard", "/reports"] {
        assert_eq!(
            ana.get(closed).await.status(),
            StatusCode::FORBIDDEN,
            "{closed}"
        );
    }
    // And a visitor decides nothing.
    let visitor = serving.visitor();
    let (status, _) = visitor
        .post("/review/tasks/t_x", &[("verdict", "accepted")])
        .await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let (mut order_of_ana, mut order_of_ben) = (Vec::new(), Vec::new());
    while let Some(task) = decide(&ana, "accepted").await {
        order_of_ana.push(task);
    }
    while let Some(task) = decide(&ben, "accepted").await {
        let page = ben.page("/review/tasks").await;
        let mut words = page.split(|c: char| !c.is_alphanumeric());
        assert!(
            words.all(|word| word != "ana"),
            "ben is told nothing of ana"
        );
        order_of_ben.push(task);
    }
    let tasks = project
        .json(&["tasks", "list"])
        .as_array()
        .expect("tasks")
        .len();
    assert_eq!((order_of_ana.len(), order_of_ben.len()), (tasks, tasks));
    assert_ne!(order_of_ana, order_of_ben, "each has an order of their own");
    assert_eq!(
        decided(&project, "ana"),
        order_of_ana.iter().cloned().collect()
    );
    // The same facts as those of the terminal: it finds nothing left to review, and a third reviewer
    // in the browser neither, for each task has two.
    let (_, said) = {
        let output = project.output(&["tasks", "review", "--reviewer", "ana"]);
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    assert!(said.contains("ana has judged all of them"), "{said}");
    let people = visitor.json("/people.json").await;
    assert!(people.to_string().contains("\"ana\""), "{people}");
    let page = visitor.page("/people").await;
    assert!(page.contains("ana") && page.contains("ben"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_without_its_guard_changes_nothing_and_undo_takes_one_back() {
    let (_model, project) = woven();
    let serving = Serving::start(&project, &["--reviewer", "ana", "--reviewer", "ben"]);
    let (ana, ben) = (serving.reviewer(0).await, serving.reviewer(1).await);
    let page = ana.page("/review/tasks").await;
    let to = action(&page, "/review/tasks/t_");
    let of_ben = hidden(&ben.page("/review/tasks").await, "guard");
    for guard in ["", "x", of_ben.as_str()] {
        let (status, _) = ana
            .post(&to, &[("guard", guard), ("verdict", "accepted")])
            .await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{guard}");
    }
    let guard = hidden(&page, "guard");
    let (status, _) = ana
        .post(&to, &[("guard", &guard), ("verdict", "nonsense")])
        .await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(decided(&project, "ana").is_empty());
    let task = decide(&ana, "pinned").await.expect("a task");
    assert_eq!(decided(&project, "ana").len(), 1);
    let page = ana.page("/review/tasks?again=1").await;
    assert!(page.contains("You have decided: pinned"), "{page}");
    let (status, _) = ana
        .post("/review/tasks/undo", &[("guard", &guard), ("id", &task)])
        .await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    assert!(decided(&project, "ana").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_task_is_a_new_version_with_its_author() {
    let (_model, project) = woven();
    let serving = Serving::start(&project, &["--reviewer", "ana"]);
    let ana = serving.reviewer(0).await;
    let page = ana.page("/review/tasks").await;
    let task = action(&page, "/review/tasks/t_");
    let edit = ana.page(&format!("{task}/edit")).await;
    let guard = hidden(&edit, "guard");
    // Empty: refused, and what was there stays.
    let (status, said) = ana
        .post(&format!("{task}/edit"), &[("guard", &guard), ("text", " ")])
        .await;
    assert!(
        status == StatusCode::OK || status == StatusCode::BAD_REQUEST,
        "{status}: {said}"
    );
    let text = "Compare at least four public studies of how river gauges drift in cold water, and hand in a table with a row for each study. A good answer says where they disagree.";
    let fields = [("guard", guard.as_str()), ("text", text), ("force", "1")];
    let (status, to) = ana.post(&format!("{task}/edit"), &fields).await;
    assert_eq!(status, StatusCode::SEE_OTHER, "{to}");
    let tasks = project.json(&["tasks", "list"]);
    let edited = tasks
        .as_array()
        .expect("tasks")
        .iter()
        .find(|of| of["task"] == text);
    let edited = edited.unwrap_or_else(|| panic!("{tasks}"));
    assert_eq!(edited["edited"]["by"], "ana");
    assert_eq!(
        Some(edited["edited"]["task"].as_str().expect("an id")),
        task.rsplit('/').next()
    );
    let page = serving
        .visitor()
        .page(&format!("/tasks/{}", edited["id"].as_str().expect("an id")))
        .await;
    assert!(page.contains("What it was before"), "the old words stay");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_reviewers_beside_a_running_ranking_lose_nothing() {
    let model = ModelServer::openai()
        .delay(Duration::from_millis(40))
        .pipeline();
    let project = Project::new(&model.url).two_talks();
    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    let serving = Serving::start(&project, &["--reviewer", "ana", "--reviewer", "ben"]);
    let (ana, ben) = (serving.reviewer(0).await, serving.reviewer(1).await);
    let mut rank = project
        .command(&["rank"])
        .spawn()
        .expect("the program starts");
    let both = |reviewer: Visit, verdict: &'static str| async move {
        let mut confirmed = BTreeSet::new();
        while let Some(task) = decide(&reviewer, verdict).await {
            confirmed.insert(task);
        }
        confirmed
    };
    let (of_ana, of_ben) = tokio::join!(both(ana, "accepted"), both(ben, "unclear"));
    let still_ran = rank.try_wait().expect("a child").is_none();
    println!(
        "{} and {} decisions; the ranking still ran: {still_ran}",
        of_ana.len(),
        of_ben.len()
    );
    assert!(rank.wait().expect("it ends").success());
    assert_eq!(
        (decided(&project, "ana"), decided(&project, "ben")),
        (of_ana.clone(), of_ben)
    );
    // One for, one against: all of them wait to be settled.
    let people = serving.visitor().json("/people.json").await.to_string();
    assert!(people.contains("disputed"), "{people}");
    assert!(!of_ana.is_empty());
}

/// Killed at `TASKGEN_KILLS` moments (3) while two people decide as fast as they can.
#[tokio::test(flavor = "multi_thread")]
async fn no_confirmed_decision_is_lost_when_the_server_is_killed() {
    let kills: u64 = std::env::var("TASKGEN_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(3);
    let talks: Vec<String> = (0..4).map(|n| format!("talk{n}.wav")).collect();
    let model = ModelServer::openai().pipeline();
    let mut project = Project::new(&model.url);
    for name in &talks {
        project = project.seminar(name, "en", TALK);
    }
    let project = project.woven();
    let (mut confirmed, mut answered) = ([BTreeSet::new(), BTreeSet::new()], 0);
    for kill in 0..kills {
        project.sql("DELETE FROM judgement WHERE instrument = 'person/task/1'");
        confirmed.iter_mut().for_each(BTreeSet::clear);
        let mut serving = Serving::start(&project, &["--reviewer", "ana", "--reviewer", "ben"]);
        let mut people = Vec::new();
        for number in 0..2 {
            let reviewer = serving.reviewer(number).await;
            people.push(tokio::spawn(until_it_dies(reviewer)));
        }
        tokio::time::sleep(Duration::from_millis(20 + 35 * (kill % 10))).await;
        serving.kill();
        for (of, person) in confirmed.iter_mut().zip(people) {
            *of = person.await.expect("a person");
        }
        for (of, name) in confirmed.iter().zip(["ana", "ben"]) {
            let stored = decided(&project, name);
            assert!(
                of.is_subset(&stored),
                "kill {kill}, {name}: {of:?} and {stored:?}"
            );
            // At most one was stored whose confirmation did not arrive.
            assert!(stored.len() <= of.len() + 1);
            answered += of.len();
        }
    }
    println!("{kills} kills, {answered} decisions confirmed, none lost");
    assert!(answered > 0);
}

/// Decides until nobody answers any more. Returns what was confirmed.
async fn until_it_dies(reviewer: Visit) -> BTreeSet<String> {
    let mut confirmed = BTreeSet::new();
    loop {
        let request = reviewer
            .request(reqwest::Method::GET, "/review/tasks")
            .send();
        let Ok(response) = request.await else {
            return confirmed;
        };
        let Ok(page) = response.text().await else {
            return confirmed;
        };
        if !page.contains("action=\"/review/tasks/t_") {
            return confirmed;
        }
        let (guard, to) = (hidden(&page, "guard"), action(&page, "/review/tasks/t_"));
        let form = [("guard", guard.as_str()), ("verdict", "accepted")];
        let Ok(answer) = reviewer.cross_origin(&to, &form).send().await else {
            return confirmed;
        };
        if answer.status() == StatusCode::SEE_OTHER {
            confirmed.extend(to.rsplit('/').next().map(str::to_owned));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn duels_of_people_are_judgements_of_the_judges_instrument() {
    let (_model, project) = woven();
    project.ok(&["rank"]);
    let before: Value = project.json(&["tasks", "list"]);
    let serving = Serving::start(&project, &["--reviewer", "ana"]);
    let ana = serving.reviewer(0).await;
    let mut decided = 0;
    for _ in 0..5 {
        let page = ana.page("/review/duels/tasks").await;
        let Some((_, rest)) = page.split_once("action=\"/review/duels/tasks/t_") else {
            break;
        };
        let to = format!(
            "/review/duels/tasks/t_{}",
            rest.split('"').next().expect("an address")
        );
        let mut fields = vec![("guard".to_owned(), hidden(&page, "guard"))];
        fields.extend(hidden_fields(rest));
        fields.push(("verdict".to_owned(), "left".to_owned()));
        let fields: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let (status, said) = ana.post(&to, &fields).await;
        assert_eq!(status, StatusCode::SEE_OTHER, "{said}");
        decided += 1;
    }
    assert_eq!(decided, 5);
    let stored = project.count("SELECT count(*) FROM judgement j JOIN judge w ON w.id = j.judge WHERE j.instrument = 'rankeval/overall/1' AND w.kind = 'person'");
    assert_eq!(stored, 5);
    let people = serving.visitor().page("/people").await;
    assert!(people.contains("ana"), "{people}");
    assert_eq!(
        project.json(&["tasks", "list"]),
        before,
        "people's duels change no ranking by themselves"
    );
}

/// The hidden fields of the form that `rest` stands in.
fn hidden_fields(rest: &str) -> Vec<(String, String)> {
    let form = rest.split("</form>").next().unwrap_or_default();
    let inputs = form.split("type=\"hidden\" name=\"").skip(1);
    let pair = |input: &str| {
        let (name, rest) = input.split_once('"')?;
        let (_, value) = rest.split_once("value=\"")?;
        Some((name.to_owned(), value.split('"').next()?.to_owned()))
    };
    inputs
        .filter_map(pair)
        .filter(|(name, _)| name != "guard")
        .collect()
}

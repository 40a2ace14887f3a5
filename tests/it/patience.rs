//! How long a run bears a server that does not answer: not for ever, and not in silence.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use taskgen::{data::Cause, llm::AskError};

use crate::{
    llm::{Bench, GOOD, busy_until, pick, remote, say, script, status},
    support::{ModelServer, Project},
};

/// A server that is there and serves nobody is given up after a few questions, not after all.
#[tokio::test]
async fn a_server_that_always_refuses_stops_the_run() {
    let server = ModelServer::openai().plays(|_| status(503, "busy"));
    let bench = Bench::new();
    let llm = bench.llm(remote(&server.url), false);
    for question in ["one", "two", "three", "four"] {
        let answered = pick(&llm, question).await.expect("the run goes on");
        assert_eq!(answered.value.map_err(|u| u.cause), Err(Cause::Overloaded));
    }
    let error = pick(&llm, "five").await.expect_err("that is enough");
    let told = error.to_string();
    assert!(
        told.contains("hint: run the same command again later"),
        "{told}"
    );
    let sent = server.seen().len();
    assert_eq!(sent, 5 * 4, "each question has its attempts");
    pick(&llm, "six")
        .await
        .expect_err("nobody is asked any more");
    assert_eq!(server.seen().len(), sent);
}

/// An answer in between begins the count anew.
#[tokio::test]
async fn a_server_that_refuses_now_and_then_does_not() {
    let refusals = AtomicUsize::new(0);
    let server = ModelServer::openai().plays(move |_| {
        // Four questions of four attempts are refused, the fifth is answered.
        match refusals.fetch_add(1, Ordering::Relaxed) % 17 {
            16 => say(GOOD),
            _ => status(503, "busy"),
        }
    });
    let bench = Bench::new();
    let llm = bench.llm(remote(&server.url), false);
    for question in 0..15 {
        let answered = pick(&llm, &question.to_string()).await;
        assert_eq!(
            answered.expect("the run goes on").value.is_ok(),
            question % 5 == 4
        );
    }
}

/// Questions that were open when the last answer came are questions all the same.
#[tokio::test]
async fn a_server_that_dies_during_a_run_stops_it() {
    let answers = AtomicUsize::new(0);
    let server =
        ModelServer::openai().plays(move |_| match answers.fetch_add(1, Ordering::Relaxed) {
            0..3 => say(GOOD),
            _ => status(503, "gone"),
        });
    let bench = Bench::new();
    let llm = bench.llm(remote(&server.url), false);
    let names: Vec<String> = (0..12).map(|n| n.to_string()).collect();
    let ended = join_all(names.iter().map(|name| pick(&llm, name))).await;
    let answered = ended.iter().flatten().filter(|a| a.value.is_ok()).count();
    let stopped = ended.iter().filter(|ended| ended.is_err()).count();
    assert_eq!((answered, stopped > 0), (3, true));
}

/// A pause that no clock can hold is long, and not none: the server is given up at once.
#[tokio::test]
async fn an_endless_pause_is_not_waited_for() {
    let server = script(&[busy_until("1e23")]);
    let bench = Bench::new();
    let llm = bench.llm(remote(&server.url), false);
    let error = pick(&llm, "one").await.expect_err("it asks for silence");
    assert!(matches!(error, AskError::Model { .. }), "{error}");
    assert_eq!(server.seen().len(), 1);
}

/// A project with two tasks to be compared by the model at `url`.
fn two_tasks(url: &str) -> Project {
    let project = Project::new(url).config_instead("rounds = 4", "rounds = 1");
    let questions = "How do gravel rivers move?\nWhy do swifts avoid renovated towers?\n";
    std::fs::write(project.path("q.txt"), questions).expect("writable");
    project.ok(&["tasks", "import", "q.txt"]);
    project
}

const VERDICT: &str = r#"{"scores_a":{"clarity":4,"actionability":4,"novelty":4,"depth_fit":4,"consistency":4},
"scores_b":{"clarity":3,"actionability":3,"novelty":3,"depth_fit":3,"consistency":3},"reason":"It is clearer.","winner":"A","confidence":0.8}"#;

/// What the user reads of a server that makes the run wait, of one that closes for an hour, and of one
/// that is not there.
#[test]
fn the_user_reads_what_a_run_waits_for_and_why_it_ends() {
    let requests = AtomicUsize::new(0);
    let slow =
        ModelServer::openai().plays(move |_| match requests.fetch_add(1, Ordering::Relaxed) {
            0 => busy_until("5"),
            _ => say(VERDICT),
        });
    let told = two_tasks(&slow.url).told(&["rank"]);
    // How often progress is told depends on the time.
    let mut lines = told.lines().filter(|line| !line.contains(" left"));
    let until_the_table: Vec<&str> = lines
        .by_ref()
        .take_while(|line| !line.contains("──"))
        .collect();
    insta::assert_snapshot!(until_the_table.join("\n"), @"
    $ taskgen rank
    exit 0
    --- err
    seed 1 (change it with --seed)
    waiting [time] for fake/m: [server] says 429 Too Many Requests: slow down
    ");
    let closed = ModelServer::openai().plays(|_| busy_until("3600"));
    insta::assert_snapshot!(two_tasks(&closed.url).told(&["rank"]), @"
    $ taskgen rank
    exit 3
    --- err
    seed 1 (change it with --seed)
    until here: [usage]
    error: the model `fake/m` cannot be asked: [server] says 429 Too Many Requests: slow down
    hint: run the same command again later: what was answered is kept
    log: `[project]/tasks/logs/[log]`
    ");
    insta::assert_snapshot!(two_tasks("http://127.0.0.1:9/v1").told(&["rank"]), @"
    $ taskgen rank
    exit 3
    --- err
    seed 1 (change it with --seed)
    until here: [usage]
    error: the model `fake/m` cannot be asked: no connection: `http://127.0.0.1:9`: Connection refused (os error 111)
    hint: check that the server runs and that its base URL is right
    log: `[project]/tasks/logs/[log]`
    ");
}

//! The limiter's real thing: real requests in real time to servers with limits of their own.
//! `TASKGEN_RATES_SECONDS=180` is the proof (what is reached after 30 seconds, and how many are
//! refused); without it, the limiter grows until it meets the server's limit and is cut, however
//! long that takes on this machine.

use std::{
    pin::pin,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use futures_util::future;
use taskgen::llm::{ChatModel as _, Purse, RateReason, Remote, RemoteOptions};
use tokio::sync::Notify;

use crate::support::{
    ModelServer,
    llm::{Play, any_question},
};

/// Longer than any machine needs to meet a limit of 25 at once.
const PATIENCE: u64 = 120;
/// Seconds of the proof, and those of them in which the limiter may look for its way.
const PROOF: u64 = 180;
const FINDING: u64 = 30;

fn cut(model: &Remote) -> bool {
    model
        .rates()
        .iter()
        .any(|change| change.why == RateReason::Cut)
}

#[expect(clippy::print_stdout, reason = "the numbers of the proof")]
async fn check(name: &str, server: ModelServer, possible: f64) {
    let proof: Option<u64> = std::env::var("TASKGEN_RATES_SECONDS")
        .ok()
        .and_then(|s| s.parse().ok());
    let seconds = proof.unwrap_or(PATIENCE);
    // As many connections and attempts as a configuration that says nothing.
    let defaults = RemoteOptions::default();
    let model = Remote::new(RemoteOptions {
        timeout: defaults.timeout,
        pause: defaults.pause,
        ..server.options()
    });
    let request = any_question();
    let (began, over, enough) = (Instant::now(), AtomicBool::new(false), Notify::new());
    let crowd = future::join_all((0..model.parallel()).map(|_| async {
        while !over.load(Ordering::SeqCst) {
            model.chat(&request, &Purse::default()).await.unwrap();
            if proof.is_none() && cut(&model) {
                over.store(true, Ordering::SeqCst);
                enough.notify_one();
            }
        }
    }));
    let bell = async {
        let _ = tokio::time::timeout(Duration::from_secs(seconds), enough.notified()).await;
        over.store(true, Ordering::SeqCst);
    };
    // What is still waiting then is dropped, as on Ctrl-C.
    future::select(pin!(crowd), pin!(bell)).await;
    let answered = server.answered();
    let took = began.elapsed();
    let after = Duration::from_secs(if proof.is_some() { FINDING } else { 0 });
    let settled = answered.iter().filter(|at| **at - began >= after).count();
    let reached = settled as f64 / took.saturating_sub(after).as_secs_f64() / possible;
    let refused = server.refused() as f64;
    let share = refused / (refused + answered.len() as f64);
    println!(
        "{name}: {:.1} % of the possible, {:.2} % refused, {took:.1?}",
        reached * 100.0,
        share * 100.0
    );
    for change in model.rates() {
        println!(
            "  {:>7} ms  {:>6.2}  {:?}",
            change.ms, change.limit, change.why
        );
    }
    assert!(!answered.is_empty() && cut(&model));
    if proof.is_some_and(|seconds| seconds >= PROOF) {
        assert!(reached >= 0.9 && share < 0.02, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rates_of_a_server_that_allows_25_at_once() {
    let server = ModelServer::openai()
        .delay(Duration::from_secs(1))
        .at_once(25)
        .plays(|_| Play::Say("{}".into()));
    check("25 at once, 1 s each", server, 25.0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rates_of_a_server_that_allows_40_a_second() {
    let server = ModelServer::openai()
        .delay(Duration::from_millis(100))
        .a_second(40)
        .plays(|_| Play::Say("{}".into()));
    check("40 a second, 0.1 s each", server, 40.0).await;
}

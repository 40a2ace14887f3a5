//! The limiter's real thing: real requests in real time to servers with limits of their own.
//! `TASKGEN_RATES_SECONDS=180` is the proof (what is reached after 30 seconds, and how many are
//! refused); without it, the limiter grows until it meets the server's limit and is cut, however
//! long that takes on this machine.

use std::{
    collections::VecDeque,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{Json, Router, extract::State, http::StatusCode, response::IntoResponse, routing::post};
use futures_util::future;
use serde_json::json;
use taskgen::{
    http::{Http, HttpOptions},
    llm::{ChatModel as _, Purse, RateReason, Remote, RemoteOptions},
};
use tokio::sync::Notify;

use crate::fake_providers::any_question;

/// Longer than any machine needs to meet a limit of 25 at once.
const PATIENCE: u64 = 120;
/// Seconds of the proof, and those of them in which the limiter may look for its way.
const PROOF: u64 = 180;
const FINDING: u64 = 30;

/// A server that counts.
#[derive(Default)]
struct Limited {
    latency: Duration,
    at_once: usize,
    a_second: usize,
    busy: AtomicUsize,
    accepted: Mutex<VecDeque<Instant>>,
    answered: Mutex<Vec<Instant>>,
    refused: AtomicUsize,
}

impl Limited {
    fn accepts(&self) -> bool {
        let mut accepted = self.accepted.lock().unwrap();
        while accepted
            .front()
            .is_some_and(|at| at.elapsed() >= Duration::from_secs(1))
        {
            accepted.pop_front();
        }
        let accepts =
            self.busy.load(Ordering::SeqCst) < self.at_once && accepted.len() < self.a_second;
        if accepts {
            self.busy.fetch_add(1, Ordering::SeqCst);
            accepted.push_back(Instant::now());
        }
        accepts
    }
}

async fn answer(State(server): State<Arc<Limited>>) -> impl IntoResponse {
    if !server.accepts() {
        server.refused.fetch_add(1, Ordering::SeqCst);
        return (StatusCode::TOO_MANY_REQUESTS, Json(json!({})));
    }
    tokio::time::sleep(server.latency).await;
    server.busy.fetch_sub(1, Ordering::SeqCst);
    server.answered.lock().unwrap().push(Instant::now());
    let message = json!({ "message": { "content": "{}" }, "finish_reason": "stop" });
    (StatusCode::OK, Json(json!({ "choices": [message] })))
}

fn cut(model: &Remote) -> bool {
    model
        .rates()
        .iter()
        .any(|change| change.why == RateReason::Cut)
}

#[expect(clippy::print_stdout, reason = "the numbers of the proof")]
async fn check(name: &str, server: Limited, possible: f64) {
    let proof: Option<u64> = std::env::var("TASKGEN_RATES_SECONDS")
        .ok()
        .and_then(|s| s.parse().ok());
    let seconds = proof.unwrap_or(PATIENCE);
    let server = Arc::new(server);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let app = Router::new()
        .route("/v1/chat/completions", post(answer))
        .with_state(Arc::clone(&server));
    tokio::spawn(async move { axum::serve(listener, app).await });
    let http = Some(Http::new(HttpOptions::default()).unwrap());
    let model = Remote::new(RemoteOptions {
        base_url,
        http,
        model: "m".into(),
        ..RemoteOptions::default()
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
    let answered = server.answered.lock().unwrap().clone();
    let took = began.elapsed();
    let after = Duration::from_secs(if proof.is_some() { FINDING } else { 0 });
    let settled = answered.iter().filter(|at| **at - began >= after).count();
    let reached = settled as f64 / took.saturating_sub(after).as_secs_f64() / possible;
    let refused = server.refused.load(Ordering::SeqCst) as f64;
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
    let server = Limited {
        latency: Duration::from_secs(1),
        at_once: 25,
        a_second: usize::MAX,
        ..Limited::default()
    };
    check("25 at once, 1 s each", server, 25.0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rates_of_a_server_that_allows_40_a_second() {
    let server = Limited {
        latency: Duration::from_millis(100),
        at_once: usize::MAX,
        a_second: 40,
        ..Limited::default()
    };
    check("40 a second, 0.1 s each", server, 40.0).await;
}

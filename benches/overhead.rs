//! What a typed, recorded call costs us beside what the model costs: calls a second against a
//! server on loopback that answers at once, with 64 in flight, next to the same loop on Python's
//! `openai` client and asyncio, in one run.
//!
//! Both sides render a prompt, hash the request, send it with a schema, check the reply's shape and
//! range, and commit it to SQLite before the call counts. The rounds alternate; the medians and
//! their ratio are printed. `make bench` runs it.
#![expect(clippy::print_stdout, reason = "the table is what it is for")]

mod measure;

use std::{
    collections::BTreeMap,
    path::Path,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use axum::{Router, routing::post};
use futures_util::{StreamExt as _, stream};
use serde::Deserialize;
use serde_json::{Value, json};
use taskgen::{
    data::{Cause, Unscored},
    http::{Http, HttpOptions},
    llm::{Answer, Ask, ChatModel, Llm, LlmOptions, Prompts, Remote, RemoteOptions},
    store::{RunInfo, Store, WriteLock},
};

use measure::{median, peak_memory};

const IN_FLIGHT: usize = 64;
const ROUNDS: usize = 3;
/// Calls of ours in a round, and those of the peer, which takes longer for each.
const CALLS: u64 = 20_000;
const CALLS_OF_THE_PEER: u64 = 2_000;
/// Calls of the run whose memory is measured.
const CALLS_FOR_MEMORY: u64 = 100_000;
const PROMPT: &str = "{% block system %}You compare two research tasks.{% endblock %}\
    {% block user %}Which is better? {{ quote(a) }} {{ quote(b) }}{% endblock %}";

/// Which of two is better.
#[derive(Deserialize, schemars::JsonSchema)]
struct Pick {
    /// `A` or `B`.
    winner: String,
    /// From one half to one.
    confidence: f64,
}

impl Answer for Pick {
    fn validate(&self) -> Result<(), Unscored> {
        let fine =
            (0.5..=1.0).contains(&self.confidence) && ["A", "B"].contains(&self.winner.as_str());
        if fine {
            Ok(())
        } else {
            Err(Unscored {
                cause: Cause::OutOfRange,
                reason: self.confidence.to_string(),
            })
        }
    }
}

fn main() -> Result<()> {
    let url = serve()?;
    let (mut ours, mut peers) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        ours.push(rate(CALLS, our_loop(&url, CALLS)?));
        peers.push(rate(
            CALLS_OF_THE_PEER,
            peers_loop(&url, CALLS_OF_THE_PEER)?,
        ));
        println!(
            "round {round}: taskgen {:.0} calls/s, openai for Python {:.0} calls/s",
            ours[round - 1],
            peers[round - 1]
        );
    }
    let (ours, peers) = (median(ours), median(peers));
    println!(
        "median: taskgen {ours:.0} calls/s, openai for Python {peers:.0} calls/s: {:.1} times as many",
        ours / peers
    );
    let seconds = our_loop(&url, CALLS_FOR_MEMORY)?;
    let rate = rate(CALLS_FOR_MEMORY, seconds);
    let megabytes = peak_memory()?;
    println!(
        "{CALLS_FOR_MEMORY} calls: {rate:.0} calls/s, at most {megabytes} MB of memory, the server's included"
    );
    ensure!(
        ours > 3.0 * peers && megabytes < 200,
        "less than three times as many calls, or 200 MB and more"
    );
    Ok(())
}

/// A server that has one answer. It runs in a thread of this process and shares the machine with
/// whoever asks it.
fn serve() -> Result<String> {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
            send.send(listener.local_addr()?)?;
            let answer = || async { ([("content-type", "application/json")], ANSWER) };
            Ok(axum::serve(
                listener,
                Router::new().route("/v1/chat/completions", post(answer)),
            )
            .await?)
        })
    });
    Ok(format!("http://{}/v1", receive.recv()?))
}

const ANSWER: &str = r#"{"id":"c","object":"chat.completion","created":1,"model":"fast-1","choices":[{"index":0,
"message":{"role":"assistant","content":"{\"winner\":\"A\",\"confidence\":0.8}"},"finish_reason":"stop"}],
"usage":{"prompt_tokens":50,"completion_tokens":7,"total_tokens":57}}"#;

/// Seconds that `calls` take through the model layer, into a new database.
fn our_loop(url: &str, calls: u64) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let llm = llm(folder.path(), url)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let began = Instant::now();
    runtime.block_on(async {
        let mut answers = stream::iter(0..calls)
            .map(|number| ask(&llm, number))
            .buffer_unordered(IN_FLIGHT);
        while let Some(answer) = answers.next().await {
            answer?;
        }
        anyhow::Ok(())
    })?;
    let seconds = began.elapsed().as_secs_f64();
    ensure!(
        llm.counts().made == calls && llm.counts().failed.is_empty(),
        "{:?}",
        llm.counts()
    );
    Ok(seconds)
}

async fn ask(llm: &Llm, number: u64) -> Result<()> {
    let vars =
        json!({ "a": format!("Survey river {number}."), "b": "Measure the pitch of gravel." });
    let ask = Ask {
        role: "judge",
        prompt: "rank/pick",
        vars: &vars,
        max_tokens: 60,
        ..Ask::default()
    };
    let answered = llm.ask::<Pick>(ask).await?;
    ensure!(
        !answered.cached && answered.value.is_ok_and(|pick| pick.winner == "A"),
        "call {number}"
    );
    Ok(())
}

fn llm(folder: &Path, url: &str) -> Result<Llm> {
    let prompts = folder.join("prompts");
    std::fs::create_dir_all(prompts.join("rank"))?;
    std::fs::write(prompts.join("rank/pick.md"), PROMPT)?;
    let lock = WriteLock::take(&folder.join("lock"), "bench", true)?;
    let info = RunInfo {
        command: "bench".into(),
        config_hash: String::new(),
        seed: 0,
        started: "2026-01-01T00:00:00Z".into(),
    };
    let store = Arc::new(Store::open(&folder.join("taskgen.db"), lock, &info)?);
    let model = Remote::new(RemoteOptions {
        name: "bench/fast".into(),
        model: "fast".into(),
        base_url: url.to_owned(),
        http: Some(Http::new(HttpOptions::default())?),
        start: IN_FLIGHT,
        most: IN_FLIGHT,
        timeout: Duration::from_secs(30),
        ..RemoteOptions::default()
    });
    let roles = BTreeMap::from([(
        "judge".to_owned(),
        vec![Arc::new(model) as Arc<dyn ChatModel>],
    )]);
    Ok(Llm::new(LlmOptions::new(
        store,
        Prompts::new(Some(prompts.clone()), "key"),
        Prompts::new(Some(prompts), "key"),
        roles,
    )))
}

/// The same with Python, timed by itself without its start.
fn peers_loop(url: &str, calls: u64) -> Result<f64> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/overhead.py");
    let output = Command::new("python3")
        .arg(script)
        .args([url, &calls.to_string(), &IN_FLIGHT.to_string()])
        .output()
        .context("cannot run python3")?;
    ensure!(
        output.status.success(),
        "the peer failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let said: Value = serde_json::from_slice(&output.stdout)?;
    ensure!(said["scored"] == calls, "the peer says: {said}");
    said["seconds"].as_f64().context("the peer says no time")
}

fn rate(calls: u64, seconds: f64) -> f64 {
    calls as f64 / seconds
}

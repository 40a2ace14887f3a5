//! What holds a caller back: refusals, headers, budgets, and counts that are none.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures_util::future;
use serde_json::json;
use taskgen::llm::{AskError, Budget, ChatModel as _, Limits, Provider, Purse, RateReason};

use super::{GOOD, say};
use crate::{
    llm::{Bench, good, pick},
    support::{
        ModelServer,
        llm::{Play, any_question, error},
    },
};

#[tokio::test]
async fn a_refusal_shrinks_the_limit_and_an_error_of_the_server_does_not() {
    let count = AtomicUsize::new(0);
    let server = ModelServer::openai().plays(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0..3 => Play::Status(503, Vec::new(), String::new()),
        3 => Play::Status(429, vec![("retry-after-ms", "5".into())], String::new()),
        _ => say(),
    });
    let model = server.model();
    assert_eq!(model.parallel(), 256);
    let request = any_question();
    assert_eq!(
        model
            .chat(&request, &Purse::default())
            .await
            .unwrap()
            .attempts,
        5
    );
    let reasons: Vec<_> = model.rates().into_iter().map(|change| change.why).collect();
    assert_eq!(reasons, [RateReason::Start, RateReason::Cut]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_in_line_learns_what_others_found_out() {
    let server = ModelServer::openai().plays(|request| {
        let refused = request.body.get("response_format").is_some();
        if refused {
            error(
                Provider::OpenAi,
                400,
                "x",
                "response_format is not supported",
            )
        } else {
            say()
        }
    });
    let bench = Bench::new();
    let llm = bench.llm(server.model(), false);
    let questions: Vec<String> = (0..200)
        .map(|number| format!("question {number}"))
        .collect();
    for answered in future::join_all(questions.iter().map(|question| pick(&llm, question))).await {
        assert_eq!(answered.unwrap().value, Ok(good()));
    }
    // Those that were in flight at first, and nobody after them.
    assert!(
        server.seen().len() <= 200 + 2 * server.options().start,
        "{} requests",
        server.seen().len()
    );
}

#[tokio::test]
async fn a_server_that_counts_nonsense_does_not_count() {
    let reply = |count: &str, reason: &str| {
        let good = GOOD.replace('"', "\\\"");
        Play::Raw(format!(
            "{{\"choices\":[{{\"message\":{{\"content\":\"{good}\"}},\"finish_reason\":{reason}}}],\"usage\":{{\"prompt_tokens\":{count},\"completion_tokens\":{count}}}}}"
        ))
    };
    for count in ["9223372036854775808", "18446744073709551615", "-1", "1e300"] {
        let server = ModelServer::openai().plays(move |_| reply(count, "\"stop\""));
        let bench = Bench::new();
        let (llm, store) = bench.llm_and_store(server.model(), false);
        assert_eq!(
            pick(&llm, "one").await.unwrap().value,
            Ok(good()),
            "{count}"
        );
        assert_eq!(store.call_totals().unwrap()[0].usage.input, 0, "{count}");
    }
    // A reply that did not end as replies end is none.
    for reason in ["null", "\"error\"", "\"whatever\""] {
        let asked = AtomicUsize::new(0);
        let server = ModelServer::openai().plays(move |_| {
            let first = asked.fetch_add(1, Ordering::SeqCst) == 0;
            reply("5", if first { reason } else { "\"stop\"" })
        });
        let bench = Bench::new();
        let (llm, _) = bench.llm_and_store(server.model(), false);
        assert_eq!(pick(&llm, "one").await.unwrap().value, Ok(good()));
        assert_eq!(server.seen().len(), 2, "{reason}");
    }
}

/// A model that thinks: cut before its first word where it has little room, long where it has some.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_holds_against_thoughts_and_failures() {
    let reply = |content: &str, reason: &str, output: u64| {
        let usage = json!({ "prompt_tokens": 50, "completion_tokens": output });
        Play::Raw(
            json!({ "choices": [{ "message": { "content": content }, "finish_reason": reason }], "usage": usage })
                .to_string(),
        )
    };
    let paid = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&paid);
    let server = ModelServer::openai().plays(move |request| {
        let room = request.body["max_tokens"].as_u64().unwrap_or(0);
        let (answer, tokens) = match (room, counter.load(Ordering::SeqCst) % 7) {
            (0..1000, _) => (reply("", "length", room), room),
            (_, 0) => (Play::Cut, 8000),
            _ => (reply(GOOD, "stop", 8000), 8000),
        };
        counter.fetch_add(50 + tokens as usize, Ordering::SeqCst);
        answer
    });
    let bench = Bench::new();
    let most = 100_000;
    let budget = Budget::new(Limits {
        tokens: Some(most),
        micro: None,
    });
    let llm = bench
        .llm_with(server.model(), |options| options.budget = budget)
        .0;
    let questions: Vec<String> = (0..60).map(|number| format!("question {number}")).collect();
    let answers = future::join_all(questions.iter().map(|question| pick(&llm, question))).await;
    assert!(
        answers
            .iter()
            .any(|answer| matches!(answer, Err(AskError::Budget(_))))
    );
    let (answered, paid) = (
        answers.iter().flatten().count(),
        paid.load(Ordering::SeqCst) as u64,
    );
    assert!(
        answered >= 5 && paid <= most,
        "{answered} answered, {paid} tokens paid of {most}"
    );
}

#[tokio::test]
async fn headers_are_heeded_before_a_refusal() {
    let count = AtomicUsize::new(0);
    let server = ModelServer::openai().plays(move |_| {
        let left = 1usize.saturating_sub(count.fetch_add(1, Ordering::SeqCst));
        let headers = vec![
            ("x-ratelimit-limit-requests", "2".to_owned()),
            ("x-ratelimit-remaining-requests", left.to_string()),
            ("x-ratelimit-reset-requests", "200ms".to_owned()),
        ];
        let body =
            json!({ "choices": [{ "message": { "content": GOOD }, "finish_reason": "stop" }] });
        Play::Status(200, headers, body.to_string())
    });
    let bench = Bench::new();
    let llm = bench.llm(server.model(), false);
    let began = std::time::Instant::now();
    for item in ["one", "two", "three"] {
        assert_eq!(pick(&llm, item).await.unwrap().value, Ok(good()));
    }
    assert!(
        began.elapsed().as_millis() >= 190,
        "the third one waits for the count to begin again"
    );
}

//! A run of judgements against servers that fail in eleven ways: nothing is lost, nothing is
//! invented, nothing is paid twice. `TASKGEN_HOSTILE_ITEMS` sets the number of judgements; 2,000 is
//! the size of the proof.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Instant,
};

use futures_util::{StreamExt as _, future, stream};
use serde::Deserialize;
use serde_json::{Value, json};
use taskgen::{
    data::{Cause, Unscored},
    llm::{Answer, Answered, Ask, AskError, Llm, Provider},
};

use crate::{
    faults::{self, FAULTS, Fault, Words, draw},
    llm::Bench,
    support::{
        ModelServer,
        llm::{ALL, Play, Request, no_money},
    },
};

/// Judgements of a run in `make test`: enough for every fault to have an item that is bad for ever.
const ITEMS: usize = 400;
/// Options that each judgement chooses from.
const OPTIONS: u64 = 3;

/// Which option is best.
#[derive(Debug, PartialEq, Deserialize, schemars::JsonSchema)]
struct Choice {
    /// The number of the best option.
    option: u64,
    /// How good it is.
    score: f64,
}

impl Answer for Choice {
    fn validate(&self) -> Result<(), Unscored> {
        let fine = (0.0..=1.0).contains(&self.score);
        if fine {
            Ok(())
        } else {
            Err(Unscored {
                cause: Cause::OutOfRange,
                reason: self.score.to_string(),
            })
        }
    }
}

/// What the server knows, and what it saw.
struct World {
    disturbed: bool,
    /// Requests for each item.
    requests: Mutex<BTreeMap<u64, u64>>,
}

impl World {
    /// The fault of an item that is bad for ever: 3 in 100, every fault in turn.
    fn bad(item: u64) -> Option<(Fault, Cause)> {
        let place = [17, 50, 83].iter().position(|place| item % 100 == *place)?;
        Some(FAULTS[(item as usize / 100 * 3 + place) % FAULTS.len()])
    }

    fn fault(&self, item: u64, attempt: u64) -> Option<Fault> {
        let of_item = || {
            Self::bad(item)
                .map(|(fault, _)| fault)
                .or_else(|| faults::passing(item, attempt))
        };
        self.disturbed.then(of_item).flatten()
    }

    fn play(&self, provider: Provider, request: &Request) -> Play {
        let item = item_of(&request.body);
        let attempt = {
            let mut requests = self.requests.lock().unwrap();
            let count = requests.entry(item).or_default();
            *count += 1;
            *count
        };
        let words = Words {
            good: format!(
                "{{\"option\":{},\"score\":{}}}",
                item % OPTIONS,
                score(item)
            ),
            other: "{\"option\":9,\"score\":0.5}".into(),
            not_a_number: "{\"option\":0,\"score\":NaN}".into(),
            unknown: "{\"option\":7,\"score\":0.5}".into(),
        };
        faults::play(provider, self.fault(item, attempt), words)
    }
}

fn score(item: u64) -> f64 {
    (draw(&[item, 5]) * 1000.0).floor() / 1000.0
}

fn item_of(body: &Value) -> u64 {
    let text = body.to_string();
    let (_, after) = text.split_once("item-").unwrap();
    after[..6].parse().unwrap()
}

async fn judge(llm: &Llm, item: u64) -> (u64, Result<Answered<Choice>, AskError>) {
    let vars = json!({ "a": format!("item-{item:06}"), "b": "the others" });
    let check = |choice: &Choice| match choice.option {
        0..OPTIONS => Ok(()),
        other => Err(Unscored {
            cause: Cause::UnknownReference,
            reason: format!("option {other}"),
        }),
    };
    let ask = Ask {
        role: "judge",
        prompt: "rank/pick",
        vars: &vars,
        max_tokens: 60,
        check: &check,
        ..Ask::default()
    };
    (item, llm.ask(ask).await)
}

fn items() -> u64 {
    std::env::var("TASKGEN_HOSTILE_ITEMS")
        .ok()
        .and_then(|items| items.parse().ok())
        .unwrap_or(ITEMS as u64)
}

/// A run's outcome.
struct Outcome {
    values: BTreeMap<u64, Result<Choice, Unscored>>,
    /// Requests on record for each item.
    attempts: BTreeMap<u64, u64>,
    requests: BTreeMap<u64, u64>,
    seconds: f64,
}

async fn run(provider: Provider, disturbed: bool) -> Outcome {
    let world = Arc::new(World {
        disturbed,
        requests: Mutex::default(),
    });
    let server = {
        let world = Arc::clone(&world);
        ModelServer::speaking(provider).plays(move |request| world.play(provider, request))
    };
    let bench = Bench::new();
    let (llm, store) = bench.llm_and_store(server.model(), false);
    let began = Instant::now();
    let parallel = llm.parallel("judge");
    let all: Vec<_> = stream::iter(0..items())
        .map(|item| judge(&llm, item))
        .buffer_unordered(parallel)
        .collect()
        .await;
    let (mut values, mut attempts) = (BTreeMap::new(), BTreeMap::new());
    for (item, answered) in all {
        let answered = answered.unwrap();
        let call = store.call(&answered.call).unwrap().unwrap();
        attempts.insert(item, u64::from(call.attempts));
        values.insert(item, answered.value);
    }
    let requests = world.requests.lock().unwrap().clone();
    Outcome {
        values,
        attempts,
        requests,
        seconds: began.elapsed().as_secs_f64(),
    }
}

/// The mean over the items that `which` keeps, in their order.
fn mean(outcome: &Outcome, which: impl Fn(u64) -> bool) -> f64 {
    let scores: Vec<f64> = outcome
        .values
        .iter()
        .filter(|(item, _)| which(**item))
        .filter_map(|(_, v)| Some(v.as_ref().ok()?.score))
        .collect();
    scores.iter().sum::<f64>() / scores.len() as f64
}

#[expect(clippy::print_stdout, reason = "the numbers of the proof")]
async fn survives(provider: Provider) {
    let (quiet, hostile) = (run(provider, false).await, run(provider, true).await);
    let unscored: BTreeMap<u64, Cause> = hostile
        .values
        .iter()
        .filter_map(|(item, value)| Some((*item, value.as_ref().err()?.cause)))
        .collect();
    // Gemini's models have no word for declining: the provider's filter speaks for them.
    let as_said = |(fault, cause): (Fault, Cause)| match (provider, fault) {
        (Provider::Gemini, Fault::Refusal) => Cause::ContentFilter,
        _ => cause,
    };
    let planted: BTreeMap<u64, Cause> = (0..items())
        .filter_map(|item| Some((item, as_said(World::bad(item)?))))
        .collect();
    let sent: u64 = hostile.requests.values().sum();
    println!(
        "{provider:?}: {} judgements, {} unscored, {sent} requests, {:.1} s (undisturbed {:.1} s)",
        items(),
        unscored.len(),
        hostile.seconds,
        quiet.seconds
    );
    assert!(
        planted.len() >= FAULTS.len(),
        "every fault has an item that is bad for ever"
    );
    assert_eq!(
        unscored, planted,
        "exactly the bad ones are unscored, each with its cause"
    );
    let scored = |item: u64| hostile.values[&item].is_ok();
    assert_eq!(
        mean(&hostile, |_| true).to_bits(),
        mean(&quiet, scored).to_bits(),
        "the means are equal"
    );
    for (item, seen) in &hostile.requests {
        assert!(
            *seen <= hostile.attempts[item],
            "item {item}: {seen} requests, on record {}",
            hostile.attempts[item]
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hostile_server_speaking_as_openai() {
    survives(Provider::OpenAi).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hostile_server_speaking_as_anthropic() {
    survives(Provider::Anthropic).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hostile_server_speaking_as_gemini() {
    survives(Provider::Gemini).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_money_ends_the_run_within_one_round_trip() {
    for provider in ALL {
        let server = ModelServer::speaking(provider)
            .delay(std::time::Duration::from_millis(50))
            .plays(move |_| no_money(provider));
        let bench = Bench::new();
        let llm = bench.llm(server.model(), false);
        let all = future::join_all((0..200).map(|item| judge(&llm, item))).await;
        for (_, answered) in all {
            match answered {
                Err(AskError::Model { error, .. }) => assert_eq!(error.cause, Cause::Quota),
                other => panic!("{other:?}"),
            }
        }
        // Those that were in flight already; nobody who waited sends.
        assert_eq!(server.seen().len(), server.options().start, "{provider:?}");
    }
}

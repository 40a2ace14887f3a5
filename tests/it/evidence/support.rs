//! A claim and its passages before a judge behind a server: what is saved, and that a quote that
//! nobody wrote is no verdict.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};
use taskgen::{
    context::{Context, Probing, StageReport},
    data::{Instrument, SubjectKind},
    evidence::{
        retrieval::Passage,
        support::{self, ClaimBatch, ROLE},
    },
    llm::{ChatModel, Llm, LlmOptions, Prompts},
    store::{RunInfo, Store, WriteLock},
};

use crate::support::{ModelServer, llm::Play};

const INSTRUMENT: Instrument = Instrument {
    id: "test/support/1",
    family: "test",
    criterion: "support",
    scale: "supports, contradicts or silent",
    subject: SubjectKind::Report,
    letter: 'm',
};
const PASSAGES: [&str; 2] = [
    "Roots keep the soil together on a slope.",
    "The gauge drifts by four millimetres a year.",
];

fn reply(stance: &str, passage: usize, quote: &str) -> String {
    json!({ "verdicts": [verdict(1, stance, passage, quote)] }).to_string()
}

fn verdict(number: usize, stance: &str, passage: usize, quote: &str) -> Value {
    json!({
        "number": number, "reason": "it says so", "stance": stance, "passage": passage, "quote": quote
    })
}

fn claims(n: usize) -> ClaimBatch {
    let texts = [
        "Gauges drift by four millimetres a year.",
        "Roots hold slopes together.",
    ];
    let texts = texts.into_iter().take(n).zip(1..);
    ClaimBatch {
        subject: "d_report".to_owned(),
        claims: texts
            .map(|(text, at)| (format!("n_{at}"), text.to_owned()))
            .collect(),
        passages: PASSAGES
            .map(|text| Passage {
                source: "page".to_owned(),
                span: 0..text.len(),
                text: text.to_owned(),
            })
            .to_vec(),
    }
}

/// Asks twice of a server that replies so about so many claims; how the first time ended, how many
/// requests it took, and the saved rows.
async fn asked(n: usize, replies: &[String], then: &str) -> (StageReport, usize, Vec<Value>) {
    let steps = replies.iter().cloned().map(Play::Say).collect();
    let server = ModelServer::openai().script(steps, then);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("taskgen.db");
    let lock = WriteLock::take(&folder.path().join("lock"), "test", true).expect("a lock");
    let info = RunInfo {
        command: "test".into(),
        config_hash: String::new(),
        seed: 1,
        started: "2026-01-01T00:00:00Z".into(),
    };
    let store = Arc::new(Store::open(&path, lock, &info).expect("a store"));
    let model = Arc::new(server.model()) as Arc<dyn ChatModel>;
    let roles = BTreeMap::from([(ROLE.to_owned(), vec![model])]);
    let prompts = || Prompts::new(None, "key");
    let options = LlmOptions::new(Arc::clone(&store), prompts(), prompts(), roles);
    let ctx = Context {
        store,
        llm: Arc::new(Llm::new(options)),
        seed: 1,
        notify: Arc::new(|_| {}),
        probing: Probing::default(),
    };
    let ask = async |claims| {
        support::support(&ctx, "claims", INSTRUMENT, 8, vec![claims])
            .await
            .expect("asked")
    };
    let without_passages = ClaimBatch {
        passages: Vec::new(),
        ..claims(n)
    };
    ask(without_passages).await;
    assert_eq!(server.take(), 0, "there is nothing to judge by");
    let first = ask(claims(n)).await;
    let requests = server.take();
    ask(claims(n)).await;
    assert_eq!(
        server.take(),
        0,
        "a judgement on record is not asked for again"
    );
    let database = rusqlite::Connection::open(&path).expect("a database");
    let mut rows = database
        .prepare(
            "SELECT json_object('subject', subject, 'other', other, 'state', state, 'label', label, 'cause', cause,
                'saw', length(evidence_hash), 'payload', json(payload)) FROM judgement ORDER BY other",
        )
        .expect("SQL");
    let rows = rows.query_map([], |row| row.get::<_, String>(0));
    let rows = rows.expect("rows").map(|row| row.expect("a row"));
    let rows = rows.map(|row| serde_json::from_str(&row).expect("JSON"));
    (first, requests, rows.collect())
}

#[tokio::test]
async fn a_verdict_names_the_passage_and_its_words() {
    let good = reply("supports", 2, "the gauge drifts by four millimetres");
    let (ended, requests, rows) = asked(1, &[], &good).await;
    assert_eq!((ended.done, requests), (1, 1));
    let expected = json!({
        "subject": "d_report", "other": "n_1", "state": "scored", "label": "supports", "cause": null, "saw": 64,
        "payload": {
            "reason": "it says so", "passage": 2, "quote": "the gauge drifts by four millimetres",
            "pages": ["page", "page"], "place": 1, "of": 1, "late": false
        }
    });
    assert_eq!(rows, [expected]);
}

#[tokio::test]
async fn a_quote_that_nobody_wrote_is_asked_for_again_and_then_no_verdict() {
    let made_up = reply("contradicts", 2, "the gauge never drifts at all");
    let elsewhere = reply("supports", 1, "The gauge drifts by four millimetres");
    let good = reply("supports", 2, "drifts by four millimetres a year");
    let (_, requests, rows) = asked(1, &[made_up.clone(), elsewhere], &good).await;
    assert_eq!((requests, &rows[0]["label"]), (3, &json!("supports")));

    let (ended, _, rows) = asked(1, &[], &made_up).await;
    assert_eq!(ended.failed.len(), 1);
    let row = &rows[0];
    assert_eq!(
        (&row["state"], &row["label"]),
        (&json!("unscored"), &Value::Null)
    );
    assert_eq!(row["cause"], "unknown_reference");
}

#[tokio::test]
async fn silence_needs_no_quote() {
    let (_, requests, rows) = asked(1, &[], &reply("silent", 0, "")).await;
    assert_eq!((requests, &rows[0]["label"]), (1, &json!("silent")));
    assert_eq!(rows[0]["payload"]["quote"], Value::Null);
}

#[tokio::test]
async fn a_reply_about_one_of_two_claims_is_asked_for_in_halves() {
    let one = reply("silent", 0, "");
    let (_, requests, rows) = asked(2, &[], &one).await;
    let labels: Vec<&Value> = rows.iter().map(|row| &row["label"]).collect();
    assert_eq!(labels, ["silent", "silent"]);
    assert!(
        requests > 3,
        "both together some times, then each: {requests}"
    );
}

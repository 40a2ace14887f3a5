//! A claim and its passages before a judge behind a server: what is saved, and that a quote that
//! nobody wrote is no verdict.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};
use taskgen::{
    context::Context,
    data::{Cause, Instrument, SubjectKind},
    evidence::support::{self, Claim, ROLE, Stance, Support},
    judging::Judged,
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
    json!({ "reason": "it says so", "stance": stance, "passage": passage, "quote": quote })
        .to_string()
}

/// Asks twice of a server that replies so; the first judgement, how many requests it took, and the
/// saved row.
async fn asked(replies: &[String], then: &str) -> (Judged<Support>, usize, Value) {
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
    };
    let claim = Claim {
        instrument: INSTRUMENT,
        subject: "d_report",
        other: Some("n_statement"),
        text: "Gauges drift by four millimetres a year.",
        member: 0,
    };
    assert!(
        support::support(&ctx, claim, &[])
            .await
            .expect("nothing")
            .is_none()
    );
    let ask = async || {
        support::support(&ctx, claim, &PASSAGES)
            .await
            .expect("asked")
            .expect("judged")
    };
    let first = ask().await;
    let requests = server.take();
    ask().await;
    assert_eq!(
        server.take(),
        0,
        "a judgement on record is not asked for again"
    );
    let database = rusqlite::Connection::open(&path).expect("a database");
    let row = database.query_row(
        "SELECT json_object('subject', subject, 'other', other, 'state', state, 'label', label, 'cause', cause,
            'saw', length(evidence_hash), 'payload', json(payload)) FROM judgement",
        [],
        |row| row.get::<_, String>(0),
    );
    let row = serde_json::from_str(&row.expect("one judgement")).expect("JSON");
    (first, requests, row)
}

#[tokio::test]
async fn a_verdict_names_the_passage_and_its_words() {
    let good = reply("supports", 2, "the gauge drifts by four millimetres");
    let (judged, requests, row) = asked(&[], &good).await;
    let found = judged.reply.expect("a verdict");
    assert_eq!((found.stance, requests), (Stance::Supports, 1));
    let (at, place) = found.place(&PASSAGES).expect("a place");
    assert_eq!(&PASSAGES[at][place], "The gauge drifts by four millimetres");
    let expected = json!({
        "subject": "d_report", "other": "n_statement", "state": "scored", "label": "supports", "cause": null, "saw": 64,
        "payload": {
            "reason": "it says so", "passage": 2, "quote": "the gauge drifts by four millimetres", "late": false
        }
    });
    assert_eq!(row, expected);
}

#[tokio::test]
async fn a_quote_that_nobody_wrote_is_asked_for_again_and_then_no_verdict() {
    let made_up = reply("contradicts", 2, "the gauge never drifts at all");
    let elsewhere = reply("supports", 1, "The gauge drifts by four millimetres");
    let good = reply("supports", 2, "drifts by four millimetres a year");
    let (judged, requests, row) = asked(&[made_up.clone(), elsewhere], &good).await;
    assert_eq!(judged.reply.expect("a verdict").stance, Stance::Supports);
    assert_eq!((requests, &row["label"]), (3, &json!("supports")));

    let (judged, _, row) = asked(&[], &made_up).await;
    assert_eq!(
        judged.reply.expect_err("no verdict").cause,
        Cause::UnknownReference
    );
    assert_eq!(
        (&row["state"], &row["label"]),
        (&json!("unscored"), &Value::Null)
    );
    assert_eq!(row["cause"], "unknown_reference");
}

#[tokio::test]
async fn silence_needs_no_quote() {
    let (judged, requests, row) = asked(&[], &reply("silent", 0, "")).await;
    let found = judged.reply.expect("a verdict");
    assert_eq!(
        (found.stance, found.place(&PASSAGES), requests),
        (Stance::Silent, None, 1)
    );
    assert_eq!(row["label"], "silent");
    assert_eq!(
        row["payload"],
        json!({ "reason": "it says so", "late": false })
    );
}

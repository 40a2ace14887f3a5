//! Ranking by a judge of log-probabilities: both orders of each pair, no word written, nothing
//! asked twice, and no number where a server gives none.

use serde_json::{Value, json};

use super::{tell_apart, weave};
use crate::support::{
    ModelServer, Project, answers,
    llm::{Mood, Play, Request, weighed},
};

const BY_LOGPROBS: [&str; 3] = ["rank", "--read", "logprobs"];
/// How much the judge prefers the side shown first, as a logarithm: more than any two tasks differ.
const SIDE: f64 = 12.0;

/// A project of two talks with a budget of 40 judgements, whose model answers every prompt, and
/// does `plan` where it is asked for log-probabilities.
fn project(plan: impl Fn(&Request) -> Play + Send + Sync + 'static) -> (ModelServer, Project) {
    let fake = ModelServer::openai().plays(move |request| {
        if request.body["logprobs"] == true {
            plan(request)
        } else {
            answers::play(request, Mood::Helpful)
        }
    });
    let by_duels = "budget_calls = 40\ntarget_recall = 1.0";
    let project = Project::new(&fake.url)
        .config_instead("method = \"elo\"\nrounds = 4", by_duels)
        .two_talks();
    weave(&fake, &project);
    tell_apart(&project);
    (fake, project)
}

/// What a task is worth, by the id in its text: its first letters, as a number below 10.
fn worth(id: &str) -> f64 {
    let number = id
        .bytes()
        .take(4)
        .fold(0, |sum, byte| sum * 32 + u32::from(byte % 32));
    f64::from(number) * 10.0 / f64::from(1_u32 << 20)
}

/// A judge with sense that prefers the side shown first to any difference.
fn sensible(request: &Request) -> Play {
    let prompt = request.body["messages"].to_string();
    let ids: Vec<&str> = prompt
        .split("(t_")
        .skip(1)
        .filter_map(|after| after.split(')').next())
        .collect();
    let preference = worth(ids[0]) - worth(ids[1]) + SIDE;
    let first = -(1.0 + (-preference).exp()).ln();
    weighed(&[
        ("1", first - 0.01),
        ("2", first - 0.01 - preference),
        ("The", -5.0),
    ])
}

/// The stored verdicts: what was shown, the winner's letter, the confidence and the payload.
fn verdicts(project: &Project) -> Vec<(String, String, String, f64, Value)> {
    let database = project.database();
    let mut statement = database
        .prepare(
            "SELECT subject, other, label, confidence, payload FROM judgement
             WHERE json_extract(payload, '$.orders') IS NOT NULL AND state = 'scored'",
        )
        .expect("a statement");
    let rows = statement.query_map([], |row| {
        let payload: String = row.get(4)?;
        let payload = serde_json::from_str(&payload).expect("JSON");
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, payload))
    });
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

/// A request of one token and its neighbours, and nothing else.
fn assert_asks_for_logprobs(request: &Value) {
    let wanted =
        json!({ "logprobs": true, "top_logprobs": 20, "max_tokens": 1, "temperature": 0.0 });
    for (field, value) in wanted.as_object().expect("fields") {
        assert_eq!(&request[field], value, "{field}: {request}");
    }
    assert_eq!(request.get("response_format"), None);
}

#[test]
fn both_orders_are_asked_and_the_side_drops_out() {
    let (fake, project) = project(sensible);
    project.ok(&BY_LOGPROBS);
    let asked = fake.taken();
    assert_eq!(asked.len(), 80, "two for each of 40 judgements");
    asked.iter().for_each(assert_asks_for_logprobs);
    let stored = verdicts(&project);
    assert_eq!(stored.len(), 40);
    for (first, second, label, confidence, payload) in &stored {
        let [first, second] = [first, second].map(|id| worth(id.trim_start_matches("t_")));
        assert_eq!(label == "A", first >= second, "{first} {second}");
        let expected = 1.0 / (1.0 + f64::exp(-(first - second).abs()));
        assert!(
            (confidence - expected).abs() < 1e-9,
            "{confidence} {expected}"
        );
        let preferences = [0, 1].map(|order| {
            let logprobs = &payload["orders"][order]["logprobs"];
            assert!(payload["orders"][order]["call"].is_string());
            logprobs[0].as_f64().expect("a number") - logprobs[1].as_f64().expect("a number")
        });
        let side = f64::midpoint(preferences[0], preferences[1]);
        assert!(
            (side - SIDE).abs() < 1e-9,
            "what the judge has for a side is on record: {side}"
        );
    }
    let order = project.export();
    project.ok(&BY_LOGPROBS);
    assert_eq!(
        (fake.take(), project.export()),
        (0, order),
        "all is on record"
    );
}

/// Both orders are in each verdict: a share of one half, or the same winner each time, would be no
/// result. Verdicts in words are another judge's.
#[test]
fn the_card_says_nothing_of_sides_and_verdicts_in_words_do_not_mix() {
    let (fake, project) = project(sensible);
    project.ok(&BY_LOGPROBS);
    let report = project.json(&["rank", "report"]);
    assert_eq!(
        report["spent"]["calls"], 80,
        "both calls of each judgement count"
    );
    assert_eq!(report["n_scored"], 40);
    let sides = &report["judges"][0]["side_preference"];
    let mean = sides["mean"].as_f64().expect("a mean");
    assert!((mean - SIDE).abs() < 1e-9 && sides["n"] == 40, "{sides}");
    let judge = &report["audit"]["judges"][0];
    for check in ["position_bias", "position_consistency"] {
        assert_eq!(judge[check], Value::Null, "{check}");
    }
    assert!(
        !judge["repetition"].is_null(),
        "what was asked again is no other order"
    );
    let told = project.told(&["rank", "report"]);
    assert_eq!(
        told.matches("not measured: each verdict is").count(),
        1,
        "{told}"
    );
    fake.take();
    // At chance, and soon found out: what counts is that nothing is known to it.
    let words = project.output(&["rank"]);
    let said = String::from_utf8_lossy(&words.stderr).into_owned();
    assert!(!said.contains("were known"), "{said}");
    let asked = fake.taken();
    assert!(
        asked.len() >= 40
            && asked
                .iter()
                .all(|request| request.get("logprobs").is_none())
    );
    let report = project.json(&["rank", "report"]);
    assert_eq!(report["n_scored"], 40);
    assert_eq!(report["judges"][0].get("side_preference"), None);
}

#[test]
fn a_dry_run_counts_both_orders_and_sends_none() {
    let (fake, project) = project(sensible);
    let predicted = project.json(&[
        "rank",
        "--read",
        "logprobs",
        "--dry-run",
        "--budget-calls",
        "6",
    ]);
    assert_eq!(
        predicted["calls"]["judge: fake/m"]["calls"], 12,
        "{predicted}"
    );
    assert_eq!(fake.take(), 0);
}

#[test]
fn without_log_probabilities_there_is_a_cause_and_no_number() {
    let none = Play::Raw(
        json!({
            "model": "fake-1",
            "choices": [{ "message": { "content": "1" }, "finish_reason": "length" }],
            "usage": { "prompt_tokens": 50, "completion_tokens": 1 }
        })
        .to_string(),
    );
    let refusal = json!({ "error": { "message": "`logprobs` is not supported by this model" } });
    for (play, says) in [
        (
            weighed(&[("1", -0.1), ("The", -3.0)]),
            "`2` is not among the likeliest first tokens",
        ),
        (none, "the server gives no log-probabilities"),
        (
            Play::Status(400, Vec::new(), refusal.to_string()),
            "is not supported by this model",
        ),
    ] {
        let (fake, project) = project(move |_| play.clone());
        let output = project.output(&[&BY_LOGPROBS[..], &["--max-unscored", "1"]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("unweighed") && said.contains(says), "{said}");
        assert!(said.contains("set read = \"words\" in [rank]"), "{said}");
        assert_eq!(verdicts(&project).len(), 0);
        let unweighed =
            "SELECT count(*) FROM judgement WHERE cause = 'unweighed' AND value IS NULL";
        let judged = project.count(unweighed);
        assert!(judged >= 30, "{judged}");
        assert_eq!(
            fake.take() as i64,
            judged,
            "without the first order none asks for the second"
        );
        project.output(&[&BY_LOGPROBS[..], &["--max-unscored", "1"]].concat());
        assert_eq!(
            fake.take(),
            0,
            "what has no verdict is settled until --retry-failed"
        );
    }
}

#[test]
fn judges_that_give_none_are_refused_when_the_configuration_is_read() {
    let (fake, project) = project(sensible);
    for (judge, why) in [
        ("code/signals", "code has none"),
        ("anthropic/m", "Anthropic's protocol has none"),
        ("gemini/m", "Gemini's protocol is not read"),
        ("fake/m,code/signals", "`code/signals` gives none"),
    ] {
        let said = project.fails(&[&BY_LOGPROBS[..], &["--judge", judge]].concat(), 2);
        assert!(
            said.contains(why) && said.contains("hint: read = \"words\""),
            "{said}"
        );
    }
    let said = project.fails(&[&BY_LOGPROBS[..], &["--method", "listwise"]].concat(), 2);
    assert!(said.contains("asks for orders"), "{said}");
    project.reconfigure("budget_calls = 40", "read = \"logprobs\"");
    project.ok(&["status"]);
    project.reconfigure("judge = \"fake/m\"", "judge = \"code/signals\"");
    let said = project.fails(&["status"], 2);
    assert!(said.contains("code has none"), "{said}");
    // A flag names another judge than the file does.
    project.ok(&["status", "--model-role", "judge=fake/m"]);
    let kind = format!("base_url = \"{}\"\nkind = \"anthropic\"", fake.url);
    project.reconfigure(&format!("base_url = \"{}\"", fake.url), &kind);
    let said = project.fails(&["status", "--model-role", "judge=fake/m"], 2);
    assert!(said.contains("Anthropic's protocol has none"), "{said}");
    assert_eq!(fake.take(), 0);
}

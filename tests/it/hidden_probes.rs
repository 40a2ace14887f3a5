//! Hidden probes through the whole program: they are right for a judge that reads, change no score
//! and no order, stop a run whose judge fails them, and are not asked twice.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Value, json};

use crate::{
    small_web::{
        judge::fenced,
        world::{EVALUATE, World},
    },
    support::{
        ModelServer, Project, TALK, answers,
        llm::{Mood, Play, Request},
    },
};

/// The texts of the tasks, which a judge that reads knows from spoiled ones.
type Known = Arc<Mutex<BTreeSet<String>>>;

/// What a judge of pairs goes by.
#[derive(Clone, Copy, PartialEq)]
enum Taste {
    /// A text that makes sense; of two such texts the longer one.
    Sense,
    /// The shorter text, whatever it says.
    Brevity,
}

/// The two texts of a pair, in the order in which they are shown.
fn shown(request: &Request) -> Vec<String> {
    let user = request.body["messages"][1]["content"]
        .as_str()
        .expect("a text");
    let mut texts = Vec::new();
    let mut rest = user;
    while let Some(at) = rest.find('[') {
        rest = &rest[at..];
        if let Some((text, after)) = fenced(rest) {
            texts.push(text.to_owned());
            rest = after;
        } else {
            rest = &rest[1..];
        }
    }
    texts
}

fn compared(request: &Request, taste: Taste, known: &Known) -> Play {
    let texts = shown(request);
    let worth = |text: &String| {
        let has_sense = known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(text);
        let length = text.chars().count() as i64;
        match taste {
            Taste::Sense => (has_sense, length),
            Taste::Brevity => (false, -length),
        }
    };
    let (a, b) = if worth(&texts[0]) >= worth(&texts[1]) {
        (4, 3)
    } else {
        (3, 4)
    };
    let scores = |n: i32| json!({ "clarity": n, "actionability": n, "novelty": n, "depth_fit": n, "consistency": n });
    let content = json!({
        "scores_a": scores(a), "scores_b": scores(b), "reason": "it is",
        "winner": if a > b { "A" } else { "B" }, "confidence": 0.8
    });
    let completion = json!({
        "model": "fake-1",
        "choices": [{ "message": { "role": "assistant", "content": content.to_string() }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 10 }
    });
    Play::Raw(completion.to_string())
}

const RANK: &str = "method = \"halving\"\nbudget_calls = 120\ntarget_recall = 1.0\naudit = 0.0\n[judge]\nprobes = ";

/// A project with some forty tasks, and a judge of this taste; so many probes a question.
fn project(taste: Taste, probes: &str) -> (ModelServer, Project) {
    let known = Known::default();
    let texts = Arc::clone(&known);
    let fake = ModelServer::openai().plays(move |request| match request.prompt() {
        "rank_judge" => compared(request, taste, &texts),
        _ => answers::play(request, Mood::Helpful),
    });
    let project = Project::new(&fake.url)
        .config_instead(
            "method = \"elo\"\nrounds = 4\n[judge]\nprobes = 0",
            &format!("{RANK}{probes}"),
        )
        .two_talks();
    for n in 0..4 {
        project.add_transcript(&format!("talk{n}.wav"), "en", TALK);
    }
    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    project.sql(
        "UPDATE task SET text = text || ' (' || id || ')', payload = json_remove(payload, '$.seal')
         WHERE text NOT LIKE '%(t_%'",
    );
    let database = project.database();
    let mut statement = database
        .prepare("SELECT text FROM task")
        .expect("a statement");
    let rows = statement
        .query_map([], |row| row.get::<_, String>(0))
        .expect("rows");
    known
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .extend(rows.map(|row| row.expect("a text")));
    drop(statement);
    fake.take();
    (fake, project)
}

fn probes_of(project: &Project) -> Value {
    let report = project.json(&["rank", "report"]);
    report["judges"][0]["probes"].clone()
}

#[test]
fn a_judge_that_reads_passes_its_probes_and_they_change_nothing() {
    let (fake, probed) = project(Taste::Sense, "0.2");
    let (other, plain) = project(Taste::Sense, "0");
    let calls = |project: &Project| {
        let said = project.json(&["rank", "--dry-run"]);
        said["calls"]["judge: fake/m"]["calls"]
            .as_u64()
            .expect("a number")
    };
    assert!(calls(&probed) > calls(&plain), "a dry run counts them");
    let summary = probed.output(&["rank"]);
    let said = String::from_utf8_lossy(&summary.stderr).into_owned();
    assert!(summary.status.success(), "{said}");
    assert!(
        said.contains("hidden probes: `fake/m` had 24 of 24 right"),
        "{said}"
    );
    plain.ok(&["rank"]);
    // A fifth of 120 judgements more, none twice; the order is the same.
    assert!(fake.repeats().values().all(|n| *n == 1));
    assert_eq!((fake.take(), other.take()), (144, 120));
    assert_eq!(probed.export(), plain.export());
    let counted = "SELECT count(*) FROM judgement WHERE instrument = ";
    assert_eq!(probed.count(&format!("{counted}'rankeval/overall/1'")), 120);
    assert_eq!(probed.count(&format!("{counted}'hidden/pair/1'")), 24);
    let found = probes_of(&probed);
    assert_eq!(
        (&found["n"], &found["right"]),
        (&json!(24), &json!(24)),
        "{found}"
    );
    assert_eq!(found["failed_after"], Value::Null);
    assert_eq!(probes_of(&plain), Value::Null);
    let shown = probed.ok(&["rank", "report"]);
    assert!(shown.contains("hidden probes, fake/m"), "{shown}");
    let drift = probed.json(&["audit", "drift"]);
    let of_probes = &drift["series"][0];
    assert_eq!(
        (&of_probes["beside"], &of_probes["n"]),
        (&json!("known_answers"), &json!(24))
    );
    probed.ok(&["rank"]);
    assert_eq!(fake.take(), 0, "nothing is asked twice");
}

#[test]
fn a_judge_that_fails_its_probes_stops_the_run_and_goes_on_only_deliberately() {
    let (fake, project) = project(Taste::Brevity, "0.2");
    let said = project.fails(&["rank", "--max-connections", "1"], 6);
    assert!(
        said.contains("the judge `fake/m` failed its hidden probes"),
        "{said}"
    );
    assert!(
        said.contains("hint: ") && said.contains("--accept-judge"),
        "{said}"
    );
    let mut asked = fake.taken();
    let verdicts = "SELECT count(*) FROM judgement WHERE instrument = 'rankeval/overall/1'";
    let kept = project.count(verdicts);
    assert!(kept > 0 && kept < 120, "{kept} verdicts are kept");
    let hidden = "SELECT count(*) FROM judgement WHERE instrument = 'hidden/pair/1'";
    assert_eq!(
        kept + project.count(hidden),
        asked.len() as i64,
        "every reply is kept"
    );
    let report = project.ok(&["rank", "report"]);
    assert!(report.contains("failed its hidden probes"), "{report}");
    // It has failed, and is not asked anything more.
    project.fails(&["rank"], 6);
    assert_eq!(fake.take(), 0);
    // Other tests of it, or other items: it is the judge that has failed.
    project.fails(&["rank", "--top", "3"], 6);
    assert_eq!(fake.take(), 0);
    let went_on = project.output(&["rank", "--accept-judge"]);
    let said = String::from_utf8_lossy(&went_on.stderr).into_owned();
    assert!(went_on.status.success(), "{said}");
    assert!(said.contains("went on because of --accept-judge"), "{said}");
    assert_eq!(project.count(verdicts), 120);
    asked.extend(fake.taken());
    let questions: BTreeSet<String> = asked
        .iter()
        .map(|request| request["messages"].to_string())
        .collect();
    assert_eq!(
        (asked.len(), questions.len()),
        (144, 144),
        "nothing is asked twice"
    );
}

#[test]
fn a_ranking_with_probes_that_its_budget_stops_goes_on_where_it_was() {
    let (other, undisturbed) = project(Taste::Sense, "0.1");
    undisturbed.ok(&["rank"]);
    let (fake, project) = project(Taste::Sense, "0.1");
    let args = ["rank", "--budget-tokens", "5500", "--max-connections", "1"];
    let mut stopped = 0;
    while project.output(&args).status.code() == Some(5) {
        stopped += 1;
        assert!(stopped < 40, "it comes to an end");
    }
    assert!(stopped > 0);
    assert!(fake.repeats().values().all(|n| *n == 1));
    assert_eq!(fake.take(), other.take());
    assert_eq!(project.export(), undisturbed.export());
    assert_eq!(probes_of(&project)["n"], probes_of(&undisturbed)["n"]);
}

#[test]
fn scores_are_what_was_planted_with_probes_among_the_questions() {
    let world = World::new();
    world.project.reconfigure("probes = 0", "probes = 0.5");
    world.answer();
    let done = world.project.output(&EVALUATE);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{said}");
    assert_eq!(said.matches("hidden probes: ").count(), 2, "{said}");
    world.check(&[]);
    for instrument in ["hidden/relation/1", "hidden/rating/1"] {
        let n = world.project.count(&format!(
            "SELECT count(*) FROM judgement WHERE instrument = '{instrument}' AND state = 'scored'"
        ));
        assert!(n >= 10, "{n} under {instrument}: {said}");
    }
    assert!(
        world.fake.repeats().values().all(|n| *n == 1),
        "a question came twice"
    );
    world.fake.take();
    world.project.ok(&EVALUATE);
    assert_eq!(world.fake.take(), 0, "nothing is asked twice");

    // A rater that draws its ratings is another judge. It is stopped, and what it said is kept.
    world
        .project
        .reconfigure("rate = \"fake/m\"", "rate = \"fake/chance-1\"");
    let said = world.project.fails(&EVALUATE, 6);
    assert!(
        said.contains("the judge `fake/chance-1` failed its hidden probes"),
        "{said}"
    );
    assert!(world.fake.take() > 0);
    let ratings = "SELECT count(*) FROM judgement j JOIN judge w ON w.id = j.judge
        WHERE w.model_asked = 'fake/chance-1' AND instrument = 'ace/rating/1'";
    assert!(world.project.count(ratings) > 0);
    world.check(&[]);
    world.project.fails(&EVALUATE, 6);
    assert_eq!(world.fake.take(), 0, "it is not asked anything more");
    world
        .project
        .ok(&[&EVALUATE[..], &["--accept-judge"]].concat());
    let told = world.project.told(&["leaderboard"]);
    assert!(
        told.contains("hidden probes: `fake/chance-1` had") && told.contains("it has failed"),
        "{told}"
    );
    assert!(
        world.fake.repeats().values().all(|n| *n == 1),
        "a question came twice"
    );
    let rated = "SELECT count(*) FROM judgement WHERE instrument = 'ace/rating/1'";
    assert_eq!(world.project.count(rated), 2 * world.project.count(ratings));
}

/// In the strict form probes are questions of their own before each quarter of the reports.
#[test]
fn probes_of_the_strict_form_change_no_score_and_are_not_asked_twice() {
    let world = World::new();
    world.project.reconfigure("probes = 0", "probes = 0.2");
    let strict = "[evaluate]\nform = \"strict\"\nbatch = 5\n";
    let config = world.project.configuration();
    world.project.configure(&format!("{config}\n{strict}"));
    world.answer();
    let kae = [&EVALUATE[..], &["--metric", "kae"]].concat();
    let done = world.project.output(&kae);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(
        done.status.success() && said.contains("hidden probes: "),
        "{said}"
    );
    let n = world.project.count(
        "SELECT count(*) FROM judgement WHERE instrument = 'hidden/relation/1' AND state = 'scored'",
    );
    assert!(n >= 5, "{n}: {said}");
    assert!(
        world.fake.repeats().values().all(|n| *n == 1),
        "a question came twice"
    );
    world.fake.take();
    world.project.ok(&EVALUATE);
    world.check(&[]);
    let asked = world.fake.take();
    assert!(asked > 0, "the ratings were missing");
    world.project.ok(&EVALUATE);
    assert_eq!(world.fake.take(), 0, "nothing is asked twice");
}

#[test]
fn biases_and_drift_are_shown_and_a_plan_needs_no_project() {
    let world = World::evaluated();
    let project = &world.project;
    project.reconfigure("rate = \"fake/m\"", "rate = [\"fake/m\", \"fake/gpt-5\"]");
    project.ok(&EVALUATE);
    let bias = project.json(&["audit", "bias"]);
    assert_eq!(bias["measure"], "ace");
    assert_eq!(bias["judges"]["fake/gpt-5"], "OpenAI");
    let reports = bias["reports"].as_u64().expect("a number");
    assert!(reports >= 8 && bias["words"]["value"].is_number(), "{bias}");
    let planted: Vec<f64> = world
        .planted()
        .into_iter()
        .filter(|(agent, ..)| agent == "faithful")
        .map(|(.., ace)| ace)
        .collect();
    let agents = bias["agents"].as_array().expect("agents");
    let faithful = agents
        .iter()
        .find(|of| of["agent"] == "faithful")
        .expect("a row");
    let mean = planted.iter().sum::<f64>() / planted.len() as f64;
    assert!(
        (faithful["raw"].as_f64().expect("a number") - mean).abs() < 1e-9,
        "{faithful}"
    );
    let shown = project.ok(&["audit", "bias"]);
    assert!(
        shown.contains("adjusted") && shown.contains("cannot be told"),
        "{shown}"
    );
    let drift = project.json(&["audit", "drift"]);
    let series = drift["series"].as_array().expect("a list");
    assert!(
        series.iter().any(|of| of["beside"] == "other_judges"),
        "{drift}"
    );
    project.ok(&["audit", "drift"]);
    let said = project.fails(&["audit", "bias", "--measure", "nonsense"], 2);
    assert!(said.contains("hint: "), "{said}");

    let plan = project.json(&[
        "audit",
        "plan",
        "--kappa",
        "0.6",
        "--difference",
        "0.5",
        "--deviation",
        "1",
    ]);
    assert_eq!(
        (&plan[0]["n"], &plan[0]["judgements"]),
        (&json!(246), &json!(492))
    );
    assert_eq!(plan[1]["n"], 34);
    for wrong in [
        &["audit", "plan"][..],
        &["audit", "plan", "--kappa", "1"],
        &["audit", "plan", "--preference", "0.5"],
    ] {
        let said = project.fails(wrong, 2);
        assert!(said.contains("hint: "), "{wrong:?}: {said}");
    }
}

#[test]
fn a_share_of_probes_out_of_range_is_refused() {
    let (_, project) = crate::support::woven();
    project.reconfigure("probes = 0", "probes = 0.9");
    let said = project.fails(&["rank"], 2);
    assert!(
        said.contains("judge.probes must be between 0 and 0.5"),
        "{said}"
    );
}

//! Wiki Live Challenge: a made-up benchmark with known wins is imported and judged by a fake that
//! reads only its prompt; and by path, the real one: `TASKGEN_WLC=FOLDER`.
#![allow(clippy::float_cmp, reason = "counts, and shares that are exact")]

mod analysis;
pub mod bench;
mod export;
mod extracted;
mod mediawiki;
mod real;
mod robust;

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};
use taskgen::benchmarks::wiki_live_challenge::compat::text as compat;

use crate::{
    deep_eval::fenced,
    pipeline::kill_when,
    support::{ModelServer, Project, llm::Play},
};
use bench::{AGENCIES, TASKS, by_category, criteria, mean_wins};

const EVALUATE: [&str; 3] = ["evaluate", "--metric", "writing"];

/// The criteria that a request asks about, by their ids in order.
fn asked(body: &Value) -> Vec<String> {
    let known: BTreeMap<String, String> = criteria()
        .into_iter()
        .map(|(id, text)| (text, id))
        .collect();
    let texts = fenced(&question(body)).into_iter();
    texts.filter_map(|text| known.get(&text).cloned()).collect()
}

fn question(body: &Value) -> String {
    let messages = body["messages"].as_array().expect("messages");
    let user = messages.iter().find(|message| message["role"] == "user");
    user.and_then(|user| user["content"].as_str())
        .expect("a question")
        .to_owned()
}

/// What an article says of itself by a criterion.
fn quality(article: &str, id: &str) -> usize {
    let said = format!("By {id} is ");
    let at = article.find(&said).expect("its quality") + said.len();
    article[at..]
        .chars()
        .next()
        .and_then(|c| c.to_digit(10))
        .expect("a figure") as usize
}

/// Who is better by each criterion, by what the articles say of themselves.
fn reply(body: &Value) -> Value {
    let texts = fenced(&question(body));
    let articles: Vec<&String> = texts.iter().filter(|text| text.starts_with("# ")).collect();
    let [a, b] = articles[..] else {
        panic!("two articles: {texts:?}")
    };
    // The lists of references and the marks are gone.
    assert!(
        !a.contains("[1]") && !b.contains("[1]") && !a.contains("example.org"),
        "{a}{b}"
    );
    let items = asked(body).into_iter().zip(1..).map(|(id, number)| {
        let winner = if quality(a, &id) > quality(b, &id) {
            "A"
        } else {
            "B"
        };
        json!({ "number": number, "reason": "It says so.", "winner": winner })
    });
    json!({ "items": items.collect::<Vec<_>>() })
}

/// A server that nobody should ask.
fn nobody() -> ModelServer {
    ModelServer::openai().plays(|_| Play::Decline)
}

fn imported(fake: &ModelServer) -> Project {
    let project = Project::new(&fake.url);
    bench::write(&project.path("made"));
    let said = project.json(&["wiki", "import", "made"]);
    let reports = json!({ "strong": 4, "middle": 4, "weak": 4 });
    assert_eq!(
        (&said["tasks"], &said["gold_articles"], &said["reports"]),
        (&json!(4), &json!(4), &reports),
        "{said}"
    );
    assert_eq!(
        (&said["disabled"], &said["problems"]),
        (&json!(["asleep"]), &json!([]))
    );
    project
}

fn row<'a>(board: &'a Value, agent: &str) -> &'a Value {
    let rows = board["agents"].as_array().expect("agents");
    rows.iter()
        .find(|row| row["agent"] == agent)
        .expect("a row")
}

fn value(board: &Value, agent: &str, measure: &str) -> Option<f64> {
    row(board, agent)["measures"][measure]["value"].as_f64()
}

fn near(found: Option<f64>, expected: f64, what: &str) {
    assert!(
        found.is_some_and(|found| (found - expected).abs() < 1e-9),
        "{what}: {found:?}, expected {expected}"
    );
}

#[test]
fn planted_wins_come_out_as_planted() {
    let fake = ModelServer::openai().plays(|request| Play::Say(reply(&request.body).to_string()));
    let project = imported(&fake);
    project.ok(&EVALUATE);
    // Three categories, two orders, twelve reports.
    assert_eq!(fake.take(), 72);
    let board = project.json(&["leaderboard", "--by", "category"]);
    for (agent, wins) in AGENCIES {
        let mean = mean_wins(&wins);
        near(value(&board, agent, "writing"), mean, agent);
        near(value(&board, agent, "writing_wins"), mean, agent);
        near(value(&board, agent, "writing_agreement"), 1.0, agent);
        near(value(&board, agent, "writing_first"), 0.5, agent);
        for key in [
            "writing_well_written",
            "writing_broad_coverage",
            "writing_neutral",
        ] {
            let mean = wins.iter().map(|wins| by_category(*wins)[key]).sum::<f64>() / 4.0;
            near(value(&board, agent, key), mean, key);
        }
    }
    let groups = board["groups"].as_array().expect("groups");
    let names: Vec<_> = groups.iter().map(|group| group["value"].as_str()).collect();
    assert_eq!(names, [Some("Engineering"), Some("History")]);
    // Again: nothing is imported or asked twice.
    let again = project.json(&["wiki", "import", "made"]);
    assert_eq!(
        (&again["new_gold"], &again["known"]),
        (&json!(0), &json!(12)),
        "{again}"
    );
    project.ok(&EVALUATE);
    assert_eq!(fake.take(), 0);
}

/// What passages say of claims on pillars: the same measure, another one, or nothing.
fn stances(body: &Value) -> Value {
    let question = question(body);
    let (passages, claims) = question.split_once("The claims:").expect("claims");
    let [passages, claims] = [passages, claims].map(fenced);
    let measure = |text: &str| -> Option<(String, String)> {
        let (pillar, feet) = text.split_once(" measures ")?;
        let pillar = &pillar[pillar.rfind("Pillar ")?..];
        Some((pillar.to_owned(), feet.split(' ').next()?.to_owned()))
    };
    let said = passages.iter().zip(1..).flat_map(|(passage, number)| {
        let sentences = passage.split_inclusive(" feet.");
        sentences.filter_map(move |sentence| {
            Some((measure(sentence)?, number, sentence.trim().to_owned()))
        })
    });
    let said: Vec<_> = said.collect();
    let verdicts = claims.iter().zip(1..).map(|(claim, number)| {
        let found = measure(claim).and_then(|(pillar, feet)| {
            let same = said.iter().find(|((known, _), ..)| *known == pillar)?;
            let stance = if same.0.1 == feet { "supports" } else { "contradicts" };
            let quote = &same.2[same.2.find("Pillar ")?..];
            Some(json!({ "number": number, "reason": "It measures.", "stance": stance, "passage": same.1, "quote": quote }))
        });
        found.unwrap_or_else(|| {
            json!({ "number": number, "reason": "It does not measure.", "stance": "silent", "passage": 0, "quote": "" })
        })
    });
    json!({ "verdicts": verdicts.collect::<Vec<_>>() })
}

/// The reply to a question of either kind.
fn answer(body: &Value) -> Value {
    if asked(body).is_empty() {
        stances(body)
    } else {
        reply(body)
    }
}

#[test]
fn planted_facts_conflicts_and_leaks_come_out_as_planted() {
    let fake = ModelServer::openai().plays(|request| Play::Say(stances(&request.body).to_string()));
    let project = imported(&fake);
    let said = project.json(&["--dry-run", "evaluate", "--metric", "facts"]);
    project.ok(&["evaluate", "--metric", "facts"]);
    println!("{} questions; {}", fake.take(), said["calls"]);
    let board = project.json(&["leaderboard"]);
    for (agent, _) in AGENCIES {
        let (right, wrong, leaks) = bench::pillars(agent);
        let (right, wrong, leaks) = (right as f64, wrong as f64, f64::from(u8::from(leaks)));
        let pillars = bench::PILLARS as f64;
        near(
            value(&board, agent, "facts_covered"),
            right / pillars,
            agent,
        );
        near(value(&board, agent, "facts_denied"), wrong / pillars, agent);
        // The river, 39 items, and the pillars.
        let statements = 40.0 + right + wrong;
        near(
            value(&board, agent, "facts_borne_out"),
            right / statements,
            agent,
        );
        near(
            value(&board, agent, "facts_conflict"),
            wrong / statements,
            agent,
        );
        near(
            value(&board, agent, "facts_leaked"),
            leaks / (statements + leaks),
            agent,
        );
        let copied = value(&board, agent, "facts_copied").expect("a share");
        assert!(copied > 0.0 && copied < 1.0, "{agent}: {copied}");
    }
    project.ok(&["evaluate", "--metric", "facts"]);
    assert_eq!(fake.take(), 0, "nothing is asked twice");
    // Verdicts on an earlier gold article do not count.
    let path = project.path(&format!(
        "made/wiki_data/cleaned_data/article/{}.md",
        TASKS[0]
    ));
    let text = std::fs::read_to_string(&path).expect("a file");
    std::fs::write(&path, text.replace("Esk", "Doe")).expect("writable");
    project.ok(&["wiki", "import", "made"]);
    let board = project.json(&["leaderboard"]);
    let held = &row(&board, "strong")["measures"]["facts_conflict"];
    assert_eq!((&held["n"], &held["of"]), (&json!(3), &json!(4)), "{held}");
}

/// Replies with quotes that stand nowhere: each statement is unscored, and none is silent.
#[test]
fn an_invented_quote_is_no_verdict() {
    let fake = ModelServer::openai().plays(|request| {
        let mut reply = stances(&request.body);
        for verdict in reply["verdicts"].as_array_mut().expect("verdicts") {
            if verdict["stance"] != "silent" {
                verdict["quote"] = json!("words that stand in no passage at all");
            }
        }
        Play::Say(reply.to_string())
    });
    let project = imported(&fake);
    project.output(&["evaluate", "--metric", "facts", "--max-unscored", "1"]);
    let board = project.json(&["leaderboard"]);
    for (agent, _) in AGENCIES {
        let (right, wrong, _) = bench::pillars(agent);
        // What the report says or denies has no verdict; on the others it is silent.
        near(value(&board, agent, "facts_covered"), 0.0, agent);
        let unscored = row(&board, agent)["unscored"]
            .as_object()
            .expect("causes")
            .values();
        let unscored: u64 = unscored.filter_map(Value::as_u64).sum();
        assert_eq!(unscored as usize, 4 * 2 * (right + wrong), "{agent}");
    }
}

/// The benchmark's own reader cuts other statements, and leaves out none that cite the gold article;
/// both ways have figures of their own.
#[test]
fn the_benchmark_s_own_reader_counts_its_own_sentences() {
    let fake = ModelServer::openai().plays(|request| Play::Say(stances(&request.body).to_string()));
    let project = imported(&fake);
    let usual = project.configuration();
    let facts = ["evaluate", "--metric", "facts"];
    project.ok(&facts);
    let before = project.json(&["leaderboard"]);
    project.configure(&format!(
        "{usual}[evaluate.settings.facts]\nreader = \"compat\"\n"
    ));
    let told = project.told(&facts);
    assert!(told.contains("own reader"), "{told}");
    let board = project.json(&["leaderboard"]);
    for (agent, _) in AGENCIES {
        let (_, wrong, _) = bench::pillars(agent);
        let sentences: Vec<usize> = TASKS
            .iter()
            .map(|stem| {
                let path = format!("made/test_data/{agent}/md_data/{stem}.md");
                let text = std::fs::read_to_string(project.path(&path)).expect("an article");
                let bare = compat::strip_citations(&compat::strip_references(&text));
                compat::split_sentences(&bare).len()
            })
            .collect();
        let shares = sentences.iter().map(|n| wrong as f64 / *n as f64);
        let mean = shares.sum::<f64>() / TASKS.len() as f64;
        near(value(&board, agent, "facts_conflict"), mean, agent);
        assert_eq!(value(&board, agent, "facts_leaked"), None, "nobody looked");
    }
    assert_eq!(project.json(&["wiki", "facts"])["reader"], "compat");
    // Back again: everything is on record.
    fake.take();
    project.configure(&usual);
    project.ok(&facts);
    assert_eq!(fake.take(), 0);
    assert_eq!(project.json(&["leaderboard"])["agents"], before["agents"]);
    project.configure(&format!(
        "{usual}[evaluate.settings.facts]\nreader = \"theirs\"\n"
    ));
    let said = project.fails(&facts, 2);
    assert!(said.contains("evaluate.settings.facts"), "{said}");
}

/// Another gold article, or another rule on ties, has verdicts of its own.
#[test]
fn what_a_verdict_rests_on_is_judged_anew_when_it_changes() {
    let fake = ModelServer::openai().plays(|request| Play::Say(reply(&request.body).to_string()));
    let project = imported(&fake);
    project.ok(&EVALUATE);
    assert_eq!(fake.take(), 72);
    let gold = project.path(&format!(
        "made/wiki_data/cleaned_data/article/{}.md",
        TASKS[0]
    ));
    let text = std::fs::read_to_string(&gold).expect("a file");
    std::fs::write(&gold, text.replace(" is 4.", " is 9.")).expect("writable");
    assert_eq!(project.json(&["wiki", "import", "made"])["new_gold"], 1);
    project.ok(&EVALUATE);
    // Three reports on one task.
    assert_eq!(fake.take(), 18);
    let board = project.json(&["leaderboard"]);
    let [_, wins @ ..] = AGENCIES[0].1;
    let mean = wins.iter().map(|wins| *wins as f64 / 39.0).sum::<f64>() / 4.0;
    near(
        value(&board, "strong", "writing"),
        mean,
        "the new article is better by all",
    );
    // Back to the first one: its verdicts are on record.
    std::fs::write(&gold, text).expect("writable");
    project.ok(&["wiki", "import", "made"]);
    project.ok(&EVALUATE);
    assert_eq!(fake.take(), 0);
    let mean = mean_wins(&AGENCIES[0].1);
    near(
        value(&project.json(&["leaderboard"]), "strong", "writing"),
        mean,
        "strong",
    );
    project.configure(&(project.configuration() + "[evaluate.settings.writing]\nties = true\n"));
    project.ok(&EVALUATE);
    assert_eq!(fake.take(), 72);
}

/// A judge that always prefers the first article: half of the verdicts, and the leaderboard says
/// why.
#[test]
fn a_preference_for_a_side_is_measured_and_changes_no_score() {
    let fake = ModelServer::openai().plays(|request| {
        let mut reply = reply(&request.body);
        for item in reply["items"].as_array_mut().expect("items") {
            item["winner"] = json!("A");
        }
        Play::Say(reply.to_string())
    });
    let project = imported(&fake);
    project.ok(&EVALUATE);
    let board = project.json(&["leaderboard"]);
    for (agent, _) in AGENCIES {
        near(value(&board, agent, "writing"), 0.5, agent);
        near(value(&board, agent, "writing_first"), 1.0, agent);
        near(value(&board, agent, "writing_agreement"), 0.0, agent);
    }
}

/// Replies about neutrality that cannot be read: those criteria are unscored, the others are as
/// planted, and nothing is a tie.
#[test]
fn a_broken_reply_is_unscored_and_no_tie() {
    let fake = ModelServer::openai().plays(|request| {
        if asked(&request.body).iter().any(|id| id.starts_with("n_")) {
            return Play::Say("There is no winner.".to_owned());
        }
        Play::Say(reply(&request.body).to_string())
    });
    let project = imported(&fake);
    project.output(&[&EVALUATE[..], &["--max-unscored", "1"]].concat());
    let board = project.json(&["leaderboard"]);
    for (agent, wins) in AGENCIES {
        let mean = wins
            .iter()
            .map(|wins| *wins.min(&29) as f64 / 29.0)
            .sum::<f64>()
            / 4.0;
        near(value(&board, agent, "writing"), mean, agent);
        assert_eq!(value(&board, agent, "writing_neutral"), None);
        let unscored: u64 = row(&board, agent)["unscored"]
            .as_object()
            .expect("causes")
            .values()
            .filter_map(Value::as_u64)
            .sum();
        // Ten criteria in two orders on four tasks.
        assert_eq!(unscored, 80, "{}", row(&board, agent)["unscored"]);
    }
}

/// Killed at twenty moments, it asks for what is missing, and ends as if undisturbed.
#[test]
fn killed_again_and_again_it_ends_as_planted() {
    let fake = ModelServer::openai()
        .delay(std::time::Duration::from_millis(15))
        .at_once(2)
        .plays(|request| Play::Say(answer(&request.body).to_string()));
    let both = ["evaluate", "--metric", "writing,facts"];
    let project = imported(&fake);
    let mut killed = 0;
    for n in 0..20 {
        killed += usize::from(kill_when(
            &project,
            &both,
            "SELECT count(*) FROM call",
            1 + 6 * n,
        ));
    }
    let asked = AtomicUsize::new(fake.repeats().values().sum::<usize>());
    let committed = project.count("SELECT count(*) FROM call");
    project.ok(&both);
    let missing = project.count("SELECT count(*) FROM call") - committed;
    let asked_then = fake.repeats().values().sum::<usize>() - asked.load(Ordering::SeqCst);
    println!("{killed} of 20 kills found it running; {asked_then} questions were left");
    assert!(killed >= 10, "{killed}");
    assert_eq!(asked_then as i64, missing);
    let board = project.json(&["leaderboard"]);
    near(value(&board, "weak", "writing"), 4.0 / 39.0 / 4.0, "weak");
    near(value(&board, "weak", "facts_covered"), 0.2, "weak");
}

#[test]
fn the_doctor_finds_what_is_wrong() {
    let nobody = nobody();
    let project = Project::new(&nobody.url);
    let folder = project.path("made");
    bench::write(&folder);
    // An empty article, one that was never written, a copy of the gold article, and a table that
    // breaks.
    let of = |name: &str| folder.join(format!("test_data/weak/md_data/{name}.md"));
    std::fs::write(of(TASKS[0]), "").expect("writable");
    std::fs::remove_file(of(TASKS[1])).expect("a file");
    let gold = folder.join(format!("wiki_data/cleaned_data/article/{}.md", TASKS[2]));
    std::fs::copy(gold, of(TASKS[2])).expect("a copy");
    let output = project.output(&["wiki", "doctor", "made", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let of_kind = |kind: &str, stem: &str| {
        let findings = found["findings"].as_array().expect("findings");
        findings.iter().any(|of| {
            of["finding"] == kind && of["place"]["stem"] == stem && of["place"]["agency"] == "weak"
        })
    };
    assert!(of_kind("empty_article", TASKS[0]), "{found}");
    assert!(of_kind("missing_file", TASKS[1]), "{found}");
    let weak = &found["agencies"]["weak"];
    assert!(
        weak["most_copied"]
            .as_f64()
            .is_some_and(|share| share > 0.99),
        "{weak}"
    );
    let (files, equal) = (&found["round_trip"]["files"], &found["round_trip"]["equal"]);
    assert_eq!(files, equal, "{}", found["round_trip"]);
    let said = project.fails(&["wiki", "doctor", "nowhere"], 2);
    assert!(said.contains("hint"), "{said}");
    std::fs::create_dir(project.path("empty")).expect("writable");
    let said = project.fails(&["wiki", "import", "empty"], 2);
    assert!(said.contains("no files of Wiki Live Challenge"), "{said}");
}

#[test]
fn without_a_gold_article_it_says_so() {
    let nobody = nobody();
    let project = Project::new(&nobody.url);
    let folder = project.path("made");
    bench::write(&folder);
    std::fs::remove_dir_all(folder.join("wiki_data/cleaned_data")).expect("a folder");
    let output = project.output(&["wiki", "import", "made"]);
    assert_eq!(output.status.code(), Some(1), "gold articles are missing");
    let said = project.fails(&EVALUATE, 2);
    assert!(
        said.contains("none of these tasks has a gold article"),
        "{said}"
    );
    assert_eq!(nobody.take(), 0);
}

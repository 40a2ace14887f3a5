//! The paper's own form, switch by switch: what each changes, and that docs/paper.md names settings
//! that there are.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::{
    ModelServer, Project, TALK,
    llm::{Play, Request},
};

const PAGE: &str = include_str!("../../docs/paper.md");

/// A talk whose second half is far from its first.
fn far_talk() -> Vec<String> {
    let filler = "In between we walked along the bank and looked at the gauges for a good while.";
    let mut talk: Vec<String> = TALK.iter().map(|line| (*line).to_owned()).collect();
    talk.extend(std::iter::repeat_n(filler.to_owned(), 12));
    talk.push("Nobody has a sensor in the gravel bed that tells what a winter flood does.".into());
    talk
}

/// Three ideas: in a sentence, in four, and in four about passages that lie far apart.
fn ideas() -> Value {
    let talk = far_talk();
    let of_cable = "A fibre cable was buried under the gravel bed. It measures what moves above it. Nothing that is put into the water stays there. So the cable lies below.";
    let of_pitch = "The pitch of gravel may fall before the river bed moves. A third is what is expected. Every sensor in a winter flood is lost so far. Whether the pitch tells it in time is open.";
    let idea = |kind: &str, first: &str, text: &str, quotes: &[&str]| {
        json!({
            "type": kind, "text": text, "quotes": quotes,
            "traits": [
                { "trait": first, "reason": format!("{kind} in a flood is what nobody can measure.") },
                { "trait": "explorability", "reason": format!("Other rivers can be tried for this {kind}.") },
            ]
        })
    };
    json!({ "items": [
        idea("limitation", "challenge", "A gravel river destroys every sensor in a winter flood.", &[&talk[1]]),
        idea("methodology", "novelty", of_cable, &[&talk[2]]),
        idea("hypothesis", "verifiability", of_pitch, &[&talk[4], &talk[18]]),
    ] })
}

fn read_by(settings: &str) -> (ModelServer, Project, Value) {
    let model = ModelServer::openai().plays(|request| match request.prompt() {
        "inspire_ideas" | "inspire_ideas_paper" => Play::Say(ideas().to_string()),
        _ => Play::Say(json!({ "note": "It is sound.", "fault": "none", "value": 3 }).to_string()),
    });
    let talk = far_talk();
    let lines: Vec<&str> = talk.iter().map(String::as_str).collect();
    let project = Project::new(&model.url)
        .seminar("rivers.wav", "en", &lines)
        .config(settings);
    let summary = project.json(&["inspire"]);
    (model, project, summary)
}

#[test]
fn inspire_style_paper_wants_four_or_five_sentences_about_one_place() {
    let (model, project, summary) = read_by("");
    assert_eq!(
        project.count("SELECT count(*) FROM inspiration"),
        3,
        "{summary}"
    );
    assert_eq!(model.seen()[0].prompt(), "inspire_ideas");
    let (model, project, summary) = read_by("[inspire]\nstyle = \"paper\"\n");
    assert_eq!(model.seen()[0].prompt(), "inspire_ideas_paper");
    assert_eq!(
        project.count("SELECT count(*) FROM inspiration"),
        1,
        "{summary}"
    );
    let rejected = &summary["stages"][0]["rejected"];
    assert_eq!(
        rejected,
        &json!({ "not_four_or_five_sentences": 1, "passages_too_far_apart": 1 })
    );
    let kept = project.json(&["inspirations", "list"]);
    let text = kept[0]["text"].as_str().expect("a text");
    assert_eq!(text.matches(". ").count() + 1, 4, "{text}");
}

#[test]
fn inspire_style_paper_is_for_models() {
    let (_, project, _) = read_by("[inspire]\nstyle = \"paper\"\n");
    let summary = project.json(&["inspire", "--model-role", "inspire=code/sentences"]);
    let notes = summary["stages"][0]["notes"].to_string();
    assert!(
        notes.contains("code chooses sentences as they are"),
        "{notes}"
    );
}

#[test]
fn inspire_review_never_asks_nobody_a_second_time() {
    let reviews = |settings: &str| {
        let (model, ..) = read_by(settings);
        let seen = model.seen();
        let of_review = seen.iter().filter(|of| of.prompt() == "inspire_review");
        of_review.count()
    };
    assert_eq!(reviews("[inspire]\nreview = \"never\"\n"), 0);
    assert_eq!(reviews(""), 3);
}

#[test]
fn inspire_window_has_the_whole_talk_read_at_once() {
    let windows = |settings: &str| {
        let (model, ..) = read_by(settings);
        let seen = model.seen();
        seen.iter()
            .filter(|of| of.prompt() == "inspire_ideas")
            .count()
    };
    assert_eq!(windows("[inspire]\nwindow = 1000000\n"), 1);
    assert!(windows("[inspire]\nwindow = 60\n") > 2);
}

/// A judge who likes what it is shown first, and half of the time changes its mind when asked
/// again.
fn moody_judge() -> ModelServer {
    let times = std::sync::Mutex::new(BTreeMap::<String, usize>::new());
    let pipeline = crate::support::answers::play;
    ModelServer::openai().plays(move |request| {
        if request.prompt() != "rank_judge" {
            return pipeline(request, crate::support::llm::Mood::Helpful);
        }
        let mut times = times.lock().unwrap();
        let asked = times.entry(request.body["messages"].to_string()).or_default();
        *asked += 1;
        let winner = if asked.is_multiple_of(2) { "B" } else { "A" };
        let scores = |n: usize| json!({ "clarity": n, "actionability": n, "novelty": n, "depth_fit": n, "consistency": n });
        let (a, b) = if winner == "A" { (4, 3) } else { (3, 4) };
        let verdict = json!({
            "scores_a": scores(a), "scores_b": scores(b), "reason": "clearer", "winner": winner, "confidence": 0.8
        });
        Play::Say(verdict.to_string())
    })
}

#[test]
fn rank_repeated_pairs_ask_asks_again_about_a_pair_that_comes_up_again() {
    let ranked = |setting: &str| {
        let model = moody_judge();
        let project = Project::new(&model.url)
            .seminar("rivers.wav", "en", TALK)
            .config_instead("rounds = 4", &format!("rounds = 24\n{setting}"))
            .woven();
        model.take();
        let summary = project.json(&["rank"]);
        let asked = model.take();
        let notes = summary["stages"][0]["notes"].to_string();
        let before = project.export();
        project.ok(&["rank"]);
        assert_eq!((model.take(), project.export()), (0, before.clone()));
        let tasks: Vec<Value> = before
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let sum: f64 = tasks
            .iter()
            .map(|task| task["elo"].as_f64().expect("Elo"))
            .sum();
        assert!((sum - 1200.0 * tasks.len() as f64).abs() < 0.01, "{sum}");
        let games: u64 = tasks
            .iter()
            .map(|task| task["elo_games"].as_u64().expect("games"))
            .sum();
        assert_eq!(
            games,
            24 * (tasks.len() as u64 / 2) * 2,
            "each pair of each round counts"
        );
        (tasks.len(), asked, notes, before)
    };
    let (tasks, asked, notes, reused) = ranked("");
    assert!(asked <= tasks * (tasks - 1), "each ordered pair once");
    assert!(
        notes.contains("the stored verdict was used again"),
        "{notes}"
    );
    let (tasks, asked_again, notes, again) = ranked("repeated_pairs = \"ask\"");
    assert_eq!(asked_again, 24 * (tasks / 2), "each pair of each round");
    assert!(notes.contains("they were asked again"), "{notes}");
    assert!(asked_again > asked);
    assert_ne!(reused, again, "another verdict moves the ratings otherwise");
}

/// A model that knows every text by heart and talks on behind its end.
fn talker(tasks: Vec<String>) -> ModelServer {
    ModelServer::openai().plays(move |request: &Request| {
        let shown = request.body["messages"].to_string();
        let known = tasks.iter().find_map(|task| {
            let beginning: String = task.chars().take(task.chars().count() / 4).collect();
            shown.contains(&beginning).then(|| task.clone())
        });
        let rest = known.map_or_else(String::new, |task| {
            let half = task.find(", ").or(task.find("; ")).unwrap_or(0);
            format!(
                "{} {}",
                &task[half..],
                "And much more was said of other things. ".repeat(12)
            )
        });
        if request.body["response_format"].is_null() {
            return Play::Say(if rest.is_empty() { "No.".into() } else { rest });
        }
        Play::Say(json!({ "continuation": rest }).to_string())
    })
}

#[test]
fn leakage_plain_and_whole_is_the_papers_probe() {
    let probed = |settings: &str| {
        let (_, project) = crate::support::woven();
        let tasks: Vec<String> = project
            .export()
            .lines()
            .map(|line| {
                serde_json::from_str::<Value>(line).expect("JSON")["task"]
                    .as_str()
                    .expect("text")
                    .to_owned()
            })
            .collect();
        let model = talker(tasks);
        let url = project.configuration();
        let url = url
            .split("base_url = \"")
            .nth(1)
            .and_then(|of| of.split('"').next())
            .expect("a URL");
        let project = project.config_instead(url, &model.url).config(settings);
        let output = project.output(&["audit", "leakage", "--json", "--max-unscored", "1"]);
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let seen = model.seen();
        (found[0]["tasks"].clone(), seen)
    };
    let (ours, seen) = probed("");
    assert!(
        seen.iter()
            .all(|request| request.prompt() == "audit_continue")
    );
    let (plain, seen) = probed("[leakage]\nprompt = \"plain\"\n");
    for request in &seen {
        assert!(
            request.body["response_format"].is_null(),
            "{}",
            request.body
        );
        assert!(!request.body["messages"].to_string().contains("JSON"));
        assert_eq!(request.body["temperature"], json!(0.1));
    }
    assert_eq!(plain["n_scored"], ours["n_scored"]);
    let (whole, _) = probed("[leakage]\nprompt = \"plain\"\ncompare = \"whole\"\n");
    let composite = |of: &Value| of["composite"].as_f64().unwrap_or_else(|| panic!("{of}"));
    assert!(
        composite(&whole) < composite(&plain),
        "what is said behind the end counts: {whole} {plain}"
    );
    assert_eq!(whole["n_scored"], plain["n_scored"]);
}

/// The rows of the page's table, each as its cells.
fn rows() -> Vec<Vec<&'static str>> {
    let rows = PAGE.lines().filter(|line| line.starts_with("| "));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect()
}

/// What stands in the last column as `key = value`.
fn switches() -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for row in rows() {
        let last = row.last().expect("cells");
        for code in last.split('`').skip(1).step_by(2) {
            if let Some((key, value)) = code.split_once(" = ") {
                found.insert((key.to_owned(), value.to_owned()));
            }
        }
    }
    found
}

#[test]
fn every_row_says_what_differs_why_and_how_to_have_the_papers_form() {
    let rows = rows();
    assert!(rows.len() > 40, "{} rows", rows.len());
    for row in rows {
        assert_eq!(row.len(), 4, "{row:?}");
        assert!(row.iter().all(|cell| !cell.is_empty()), "{row:?}");
    }
}

#[test]
fn every_switch_of_the_page_is_a_setting_and_all_of_them_fit_together() {
    let switches = switches();
    assert!(switches.len() >= 12, "{switches:?}");
    let project = Project::new("http://127.0.0.1:9/v1");
    let lines: Vec<String> = switches
        .iter()
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    project.configure(&lines.join("\n"));
    let shown = project.json(&["config", "show"]);
    for (key, value) in &switches {
        let of = shown
            .as_array()
            .expect("a list")
            .iter()
            .find(|of| of["key"] == json!(key));
        let of = of.unwrap_or_else(|| panic!("no setting `{key}`"));
        let expect: toml::Value =
            toml::from_str::<toml::Table>(&format!("v = {value}")).expect("a value")["v"].clone();
        assert_eq!(of["value"].to_string(), json!(expect).to_string(), "{key}");
    }
    // The block of the page that has them all is these and no others.
    let block = PAGE
        .split("```toml\n")
        .nth(1)
        .and_then(|of| of.split("```").next())
        .expect("a block");
    project.configure(block);
    let of_block = project.json(&["config", "show"]);
    assert_eq!(values(&of_block), values(&shown));
}

fn values(shown: &Value) -> BTreeMap<String, String> {
    let settings = shown.as_array().expect("a list").iter();
    settings
        .map(|of| (of["key"].to_string(), of["value"].to_string()))
        .collect()
}

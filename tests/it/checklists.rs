//! Checklists that two models write, look at and merge; and judges who are asked once more for
//! other draws than those on record. The model behind them goes by what it is shown.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use serde_json::{Value, json};

use crate::{
    small_web::judge::fenced,
    support::{
        ModelServer, Project, answers,
        llm::{Mood, Play, Request},
    },
};

const FIRST: [(&str, f64); 3] = [("Figures", 0.5), ("Method", 0.3), ("Limits", 0.2)];
/// Asks for the figures in other words, and for something that no rating is about.
const SECOND: [(&str, f64); 3] = [("Numbers", 0.4), ("Style", 0.3), ("Costs", 0.3)];

fn said(request: &Request, content: &Value) -> Play {
    let completion = json!({
        "model": request.body["model"],
        "choices": [{ "message": { "role": "assistant", "content": content.to_string() }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 10 }
    });
    Play::Raw(completion.to_string())
}

fn checklist(request: &Request) -> Value {
    let criteria = if request.body["model"] == "m" {
        FIRST
    } else {
        SECOND
    };
    let criteria = criteria.map(|(title, weight)| {
        json!({ "title": title, "weight": weight, "description": format!("{title} are shown.") })
    });
    json!({ "evaluation_criteria": criteria })
}

/// The titles of the proposals, in the order in which they are shown.
fn proposed(request: &Request) -> Vec<String> {
    let user = request.body["messages"][1]["content"]
        .as_str()
        .expect("a text");
    let mut rest = user.split_once("The proposals:").expect("proposals").1;
    let mut titles = Vec::new();
    while let Some(at) = rest.find('[') {
        rest = &rest[at..];
        match fenced(rest) {
            Some((text, after)) => {
                titles.push(text.to_owned());
                rest = after;
            }
            None => rest = &rest[1..],
        }
    }
    titles.into_iter().step_by(2).collect()
}

/// Figures and numbers are the same, and style is form.
fn review(request: &Request) -> Value {
    let titles = proposed(request);
    let is_figures = |title: &String| ["Figures", "Numbers"].contains(&title.as_str());
    let first = titles.iter().position(is_figures).expect("shown");
    let one = |(at, title): (usize, &String)| {
        let same = is_figures(title) && at > first;
        json!({
            "number": at + 1, "reason": "it is so",
            "fault": if title == "Style" { "form" } else { "none" },
            "same_as": if same { first + 1 } else { 0 },
        })
    };
    json!({ "proposals": titles.iter().enumerate().map(one).collect::<Vec<_>>() })
}

/// A project with a task and a report, whose checklists two models write. The second one's look at
/// them fails for as long as `is_broken`; each rating of a question is worse than the one before.
fn project() -> (ModelServer, Project, Arc<AtomicBool>) {
    let broken = Arc::new(AtomicBool::new(false));
    let is_broken = Arc::clone(&broken);
    let draws = crate::support::llm::Attempts::default();
    let fake = ModelServer::openai().plays(move |request| match request.prompt() {
        "evaluate_checklist" | "evaluate_checklist_strict" => said(request, &checklist(request)),
        "evaluate_checklist_review" if is_broken.load(Relaxed) && request.body["model"] == "n" => {
            said(request, &json!({ "proposals": [] }))
        }
        "evaluate_checklist_review" => said(request, &review(request)),
        "evaluate_rating" | "evaluate_rating_strict" => {
            let (_, attempt) = draws.of(&request.body);
            said(
                request,
                &json!({ "rating": 10 - 2 * attempt, "justification": "drawn" }),
            )
        }
        _ => answers::play(request, Mood::Helpful),
    });
    let project = Project::new(&fake.url).config_instead(
        "checklist = \"fake/m\"",
        "checklist = [\"fake/m\", \"fake/n\"]",
    );
    let tasks: Vec<String> = (0..4)
        .map(|n| json!({ "id": format!("q{n}"), "prompt": format!("What do the gauges of valley {n} read?"), "language": "en" }).to_string())
        .collect();
    std::fs::write(project.path("tasks.jsonl"), tasks.join("\n")).expect("writable");
    project.ok(&["tasks", "import", "tasks.jsonl"]);
    let report = json!({ "id": "q0", "prompt": "What do the gauges of valley 0 read?", "article": "They read 7 m. It was measured." });
    std::fs::write(project.path("one.jsonl"), report.to_string()).expect("writable");
    project.ok(&["reports", "import", "one.jsonl", "--agent", "one"]);
    (fake, project, broken)
}

fn asked(fake: &ModelServer, prompt: &str) -> Vec<String> {
    let seen = fake.seen();
    let of = seen.iter().filter(|request| request.prompt() == prompt);
    of.map(|request| request.body["model"].as_str().unwrap_or("").to_owned())
        .collect()
}

#[test]
fn two_models_write_a_checklist_and_both_look_at_it() {
    let (fake, project, broken) = project();
    broken.store(true, Relaxed);
    let told = project.told(&["evaluate", "--metric", "ace", "--max-unscored", "1"]);
    assert!(
        told.contains("checklists   1      0         1") && told.contains("wrong shape 1")
            || told.contains("wrong_shape 1"),
        "{told}"
    );
    assert_eq!(project.count("SELECT count(*) FROM checklist"), 0);
    let written =
        asked(&fake, "evaluate_checklist_strict").len() + asked(&fake, "evaluate_checklist").len();
    assert_eq!(written, 2, "each writes one");

    // Mended, it goes on: nothing that was answered is asked again.
    broken.store(false, Relaxed);
    fake.take();
    let told = project.told(&["evaluate", "--metric", "ace", "--retry-failed"]);
    assert!(
        told.contains("by 2 models, who agree on 45 % of the weight: 4 criteria; refused: form 1; beyond the six heaviest: 0"),
        "{told}"
    );
    assert_eq!(asked(&fake, "evaluate_checklist_review"), ["n"]);
    let members: String = project
        .database()
        .query_row("SELECT members FROM checklist", [], |row| row.get(0))
        .expect("a checklist");
    let members: Vec<Value> = serde_json::from_str(&members).expect("JSON");
    let found: Vec<(&str, f64)> = members
        .iter()
        .map(|of| {
            let weight = of["weight"].as_f64().expect("a weight");
            (
                of["title"].as_str().expect("a title"),
                (weight * 1000.0).round(),
            )
        })
        .collect();
    // .45, .15, .15 and .1 of the .85 that is left.
    assert_eq!(found[0], ("Figures", 529.0));
    assert_eq!(found[3], ("Limits", 118.0));
    let mut middle = [found[1], found[2]];
    middle.sort_by_key(|(title, _)| *title);
    assert_eq!(middle, [("Costs", 176.0), ("Method", 176.0)]);

    // A dry run of a new task counts what two write.
    fake.take();
    assert_eq!(asked(&fake, "evaluate_checklist_review").len(), 0);
    project.ok(&["evaluate", "--metric", "ace"]);
    assert_eq!(fake.take(), 0);
}

fn ace(project: &Project) -> f64 {
    let board = project.json(&["leaderboard"]);
    board["agents"][0]["measures"]["ace"]["value"]
        .as_f64()
        .expect("a value")
}

#[test]
fn another_draw_is_judged_beside_the_first_and_nothing_is_asked_twice() {
    let (fake, project, _) = project();
    project.ok(&["evaluate", "--metric", "ace"]);
    assert!((ace(&project) - 8.0).abs() < 1e-9);
    fake.take();
    let moved = project.json(&["rescore", "--metric", "ace", "--resample", "1"]);
    assert!(
        moved["changes"].is_array() || moved["changes"].is_object(),
        "{moved}"
    );
    assert_eq!(
        fake.take(),
        4,
        "one rating a criterion, and no other checklist"
    );
    assert!((ace(&project) - 6.0).abs() < 1e-9);
    project.ok(&["evaluate", "--metric", "ace", "--resample", "1"]);
    assert_eq!(fake.take(), 0, "the draw is on record");
    project.ok(&["evaluate", "--metric", "ace"]);
    assert_eq!(fake.take(), 0, "and so is the first");
    assert!((ace(&project) - 8.0).abs() < 1e-9);
}

#[test]
fn a_ranking_can_be_drawn_again_and_of_fewer_tasks() {
    let (fake, project, _) = project();
    let items = |project: &Project| {
        let report = project.json(&["rank", "report"]);
        report["rated"].as_array().map_or(0, Vec::len)
    };
    project.ok(&["rank", "--limit", "3"]);
    assert_eq!(items(&project), 3);
    let asked = fake.take();
    assert!(asked > 0);
    project.ok(&["rank", "--limit", "3", "--resample", "2"]);
    assert_eq!(fake.take(), asked, "each comparison once more");
    project.ok(&["rank", "--limit", "3"]);
    assert_eq!(fake.take(), 0);
    project.ok(&["rank"]);
    assert_eq!(items(&project), 4);
    let told = project.fails(&["rank", "--judge", "code/signals", "--resample", "1"], 2);
    assert!(
        told.contains("--resample is for models that write their verdicts"),
        "{told}"
    );
}

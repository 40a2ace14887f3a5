//! An evaluation of 8 agents, 100 tasks and 10 pages each, judged by a server that takes so many
//! questions at once, 20 ms each, and refuses more: how much of what it allows is used.
//! `TASKGEN_SCALE_TASKS` sets another number of tasks. And the leaderboard of a million stored
//! judgements.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::{Path, State},
    response::Html,
    routing::get,
};
use serde_json::{Value, json};

use crate::support::{
    ModelServer, Project, TALK,
    llm::{Play, Request},
    web,
};

const AGENTS: usize = 8;
/// Of each task; two findings each.
const PAGES: usize = 10;
const AT_ONCE: usize = 8;
const LATENCY: Duration = Duration::from_millis(20);

/// The pages, and how often one was fetched.
fn pages() -> (Arc<AtomicUsize>, String) {
    let fetched = Arc::<AtomicUsize>::default();
    let app = Router::new()
        .route("/pages/{name}", get(page))
        .with_state(Arc::clone(&fetched));
    (fetched, web::serve(app))
}

/// Two findings a page, each of its own.
async fn page(State(fetched): State<Arc<AtomicUsize>>, Path(name): Path<String>) -> Html<String> {
    fetched.fetch_add(1, Ordering::SeqCst);
    let finding = |n: u32| {
        format!(
            "<p>Finding {name}-{n} of the survey is that gauge {name}{n} drifts in cold water.</p>"
        )
    };
    let more =
        "<p>The survey walked along the river for a whole winter and wrote down what the gauges said.</p>".repeat(4);
    Html(format!(
        "<html><head><title>{name}</title></head><body>{}{}{more}</body></html>",
        finding(1),
        finding(2)
    ))
}

fn judge() -> ModelServer {
    ModelServer::openai()
        .delay(LATENCY)
        .at_once(AT_ONCE)
        .plays(|request| Play::Say(reply(request).to_string()))
}

fn reply(request: &Request) -> Value {
    match request.prompt() {
        "evaluate_key_points" => points(request),
        "evaluate_relation" => json!({
            "relationship": "SUPPORTS", "confidence": 0.9, "reasoning": "It says so.", "key_aspects": []
        }),
        "evaluate_checklist" => criteria(),
        "evaluate_rating" => json!({ "rating": 7, "justification": "It is sound." }),
        name => panic!("no prompt of an evaluation: `{name}`"),
    }
}

/// Every finding of the page is a key point.
fn points(request: &Request) -> Value {
    const END: &str = " in cold water.";
    let prompt = request.body["messages"][1]["content"]
        .as_str()
        .unwrap_or_default();
    let found: BTreeSet<&str> = prompt
        .match_indices("Finding ")
        .filter_map(|(at, _)| Some(&prompt[at..at + prompt[at..].find(END)? + END.len()]))
        .collect();
    let points = (1..)
        .zip(found)
        .map(|(n, text)| json!({ "point_number": n, "point_content": text, "spans": [text] }));
    json!({ "points": points.collect::<Vec<_>>() })
}

fn criteria() -> Value {
    let criteria = [("Depth", 0.5), ("Sources", 0.3), ("Clarity", 0.2)].map(|(title, weight)| {
        json!({ "title": title, "weight": weight, "description": format!("{title} of the report.") })
    });
    json!({ "evaluation_criteria": criteria })
}

/// A project with so many tasks, and a file of reports for each agent that cites so many pages in
/// each.
fn project(judge: &ModelServer, url: &str, tasks: usize, pages: usize) -> Project {
    let pipeline = ModelServer::openai().pipeline();
    let project = Project::new(&pipeline.url)
        .seminar("rivers.wav", "en", TALK)
        .woven()
        .config_instead(&pipeline.url, &judge.url)
        .config("[web]\npause_ms = 0\nper_host = 8\nrobots = false\n");
    let columns =
        "seminar, origin, phase, type, difficulty, discipline, language, call, run, payload";
    // The hash beside a text is of the text that it was stored with.
    let unsealed = columns.replace("payload", "json_remove(payload, '$.seal')");
    for n in 0..tasks {
        let text = format!(
            "Survey how gauge number {n} drifts in cold rivers, and hand in a table of what was found."
        );
        project.sql(&format!(
            "INSERT INTO task (id, text, {columns}) SELECT 't_scale{n:05}', '{text}', {unsealed} FROM task WHERE id LIKE 't_%' AND id NOT LIKE 't_scale%' LIMIT 1"
        ));
        project.sql(&format!(
            "INSERT INTO task_source (task, seq, inspiration) SELECT 't_scale{n:05}', 0, id FROM inspiration LIMIT 1"
        ));
    }
    project.sql("UPDATE task SET superseded = 1 WHERE id NOT LIKE 't_scale%'");
    for agent in 0..AGENTS {
        let mut lines = String::new();
        for n in 0..tasks {
            let cited: Vec<String> = (0..pages)
                .map(|page| format!("- [page {page}]({url}/pages/t{n}p{page})"))
                .collect();
            let article = format!(
                "# Gauges, by agent {agent}\n\nThey drift in cold water.\n\n## References\n\n{}\n",
                cited.join("\n")
            );
            lines.push_str(
                &json!({ "id": format!("t_scale{n:05}"), "article": article }).to_string(),
            );
            lines.push('\n');
        }
        let file = project.path(&format!("agent{agent}.jsonl"));
        std::fs::write(&file, lines).expect("writable");
        project.ok(&[
            "reports",
            "import",
            file.to_str().expect("UTF-8"),
            "--agent",
            &format!("agent{agent}"),
        ]);
    }
    project
}

#[test]
fn evaluation_scale_uses_what_the_server_allows() {
    let tasks: usize = std::env::var("TASKGEN_SCALE_TASKS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(100);
    let (judge, (fetched, url)) = (judge(), pages());
    let project = project(&judge, &url, tasks, PAGES);
    let begun = Instant::now();
    project.ok(&["evaluate", "--allow-private-network"]);
    let took = begun.elapsed();
    let answered = judge.answered();
    let asking = answered
        .last()
        .zip(answered.first())
        .map_or(Duration::ZERO, |(last, first)| *last - *first);
    let allowed = AT_ONCE as f64 / LATENCY.as_secs_f64();
    let reached = answered.len() as f64 / asking.as_secs_f64() / allowed;
    println!(
        "{AGENTS} agents × {tasks} tasks × {PAGES} pages: {} pages and {} answers in {took:.1?}, of which asking {asking:.1?}: {:.0} % of {allowed} a second; {} refused",
        fetched.load(Ordering::SeqCst),
        answered.len(),
        reached * 100.0,
        judge.refused()
    );
    // Points of each page, a checklist for each task, each report with each point and each
    // criterion.
    let expected = tasks * PAGES + tasks + AGENTS * tasks * (2 * PAGES + 3);
    assert_eq!(
        (fetched.load(Ordering::SeqCst), answered.len()),
        (tasks * PAGES, expected)
    );
    let begun = Instant::now();
    let board: Value = serde_json::from_str(&project.ok(&["leaderboard", "--json"])).expect("JSON");
    println!("leaderboard: {:.1?}", begun.elapsed());
    let full = |row: &Value| {
        row["measures"]["ksr_independent"]["value"] == 1.0 && row["measures"]["ace"]["value"] == 7.0
    };
    assert!(
        board["agents"]
            .as_array()
            .is_some_and(|agents| agents.len() == AGENTS && agents.iter().all(full)),
        "{board}"
    );
}

/// One evaluation of 20 tasks, and 499 copies of it under other ids: 8 agents, 10,000 tasks, 10
/// points and 3 criteria.
pub fn a_million_judgements() -> (ModelServer, Project) {
    let (judge, (_, url)) = (judge(), pages());
    let project = project(&judge, &url, 20, 5);
    project.ok(&["evaluate", "--allow-private-network"]);
    let before = std::fs::metadata(project.path("tasks/taskgen.db"))
        .expect("a file")
        .len();
    let begun = Instant::now();
    for statement in COPIES {
        project.sql(&format!("{NUMBERS} {statement}"));
    }
    let judgements =
        project.count("SELECT COUNT(*) FROM judgement WHERE subject IN (SELECT id FROM document)");
    let after = std::fs::metadata(project.path("tasks/taskgen.db"))
        .expect("a file")
        .len();
    println!(
        "{judgements} judgements, {} MB, copied in {:.0?}",
        (after - before) >> 20,
        begun.elapsed()
    );
    assert_eq!(judgements, 8 * 10_000 * 13);
    (judge, project)
}

#[test]
fn evaluation_scale_of_a_million_judgements() {
    let (_judge, project) = a_million_judgements();
    let mut took = Vec::new();
    for _ in 0..3 {
        let begun = Instant::now();
        let board: Value =
            serde_json::from_str(&project.ok(&["leaderboard", "--json"])).expect("JSON");
        took.push(begun.elapsed());
        let full = |row: &Value| {
            row["measures"]["ksr_independent"]["value"] == 1.0
                && row["measures"]["ace"]["value"] == 7.0
                && row["measures"]["ksr_independent"]["counts"]["numerator"] == 100_000.0
        };
        assert!(
            board["agents"]
                .as_array()
                .is_some_and(|agents| agents.len() == AGENTS && agents.iter().all(full)),
            "{}",
            board["agents"]
        );
    }
    took.sort();
    println!(
        "leaderboard, 1,000 resamples of 10,000 tasks: {:.1?} (median of three)",
        took[1]
    );
}

const NUMBERS: &str =
    "WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < 499)";
/// A copy's ids are those of the original with its number behind; copy after copy, as evaluations
/// come in.
const COPIES: [&str; 6] = [
    "INSERT INTO task SELECT id || '_' || n, origin, seminar, phase, type, difficulty, discipline, language, template,
        text, as_of, superseded, payload, call, run FROM copy CROSS JOIN task WHERE id LIKE 't_scale%'",
    "INSERT INTO task_source SELECT task || '_' || n, seq, inspiration
        FROM copy CROSS JOIN task_source WHERE task LIKE 't_scale%'",
    "INSERT INTO document SELECT id || '_' || n, kind, task || '_' || n, agent, attempt, state, text, input_tokens,
        output_tokens, cost_micro, ms, payload, run FROM copy CROSS JOIN document",
    "INSERT INTO checklist SELECT id || '_' || n, task || '_' || n, version, frozen, members, call, run
        FROM copy CROSS JOIN checklist",
    "INSERT INTO reference_set SELECT id || '_' || n, task || '_' || n, iif(name LIKE 'own/%', name || '_' || n, name),
        version, frozen, members, run FROM copy CROSS JOIN reference_set",
    "INSERT INTO judgement SELECT id || '_' || n, instrument, subject || '_' || n,
        iif(other LIKE 'z_%', replace(other, '/', '_' || n || '/'), other), judge, sample, evidence_hash, state, value,
        label, confidence, cause, payload, call, run FROM copy CROSS JOIN judgement",
];

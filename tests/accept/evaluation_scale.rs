//! An evaluation of 8 agents, 100 tasks and 10 pages each, judged by a server that takes so many
//! questions at once, 20 ms each, and refuses more: how much of what it allows is used.
//! `TASKGEN_SCALE_TASKS` sets another number of tasks. And the leaderboard of a million stored
//! judgements.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    Json, Router,
    extract::{Path, State},
    http::StatusCode,
    response::{Html, IntoResponse},
    routing::{get, post},
};
use serde_json::{Value, json};

use crate::support::{Fake, Project, TALK};

const AGENTS: usize = 8;
/// Of each task; two findings each.
const PAGES: usize = 10;
const AT_ONCE: usize = 8;
const LATENCY: Duration = Duration::from_millis(20);

#[derive(Default)]
struct Server {
    busy: AtomicUsize,
    refused: AtomicUsize,
    answered: Mutex<Vec<Instant>>,
    fetched: AtomicUsize,
}

fn start() -> (Arc<Server>, String) {
    let server = Arc::new(Server::default());
    let state = Arc::clone(&server);
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async move {
            let app = Router::new()
                .route("/v1/chat/completions", post(judge))
                .route("/pages/{name}", get(page))
                .with_state(state);
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
                .await
                .expect("a free port");
            send.send(listener.local_addr().expect("an address"))
                .expect("the test waits");
            axum::serve(listener, app).await.expect("serves");
        });
    });
    (
        server,
        format!("http://{}", receive.recv().expect("the server starts")),
    )
}

/// Two findings a page, each of its own.
async fn page(State(server): State<Arc<Server>>, Path(name): Path<String>) -> Html<String> {
    server.fetched.fetch_add(1, Ordering::SeqCst);
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

async fn judge(State(server): State<Arc<Server>>, Json(request): Json<Value>) -> impl IntoResponse {
    if server.busy.fetch_add(1, Ordering::SeqCst) >= AT_ONCE {
        server.busy.fetch_sub(1, Ordering::SeqCst);
        server.refused.fetch_add(1, Ordering::SeqCst);
        return (StatusCode::TOO_MANY_REQUESTS, Json(json!({})));
    }
    tokio::time::sleep(LATENCY).await;
    server.busy.fetch_sub(1, Ordering::SeqCst);
    server
        .answered
        .lock()
        .expect("no panic")
        .push(Instant::now());
    let message =
        json!({ "message": { "content": reply(&request).to_string() }, "finish_reason": "stop" });
    (
        StatusCode::OK,
        Json(
            json!({ "model": "m", "choices": [message], "usage": { "prompt_tokens": 9, "completion_tokens": 9 } }),
        ),
    )
}

fn reply(request: &Value) -> Value {
    let schema = &request["response_format"]["json_schema"]["schema"]["properties"];
    let has = |name: &str| schema.get(name).is_some();
    if has("points") {
        let prompt = request["messages"][1]["content"]
            .as_str()
            .unwrap_or_default();
        let ends = |text: &str| {
            text.find(" in cold water.")
                .map(|at| at + " in cold water.".len())
        };
        let found: BTreeSet<&str> = prompt
            .match_indices("Finding ")
            .filter_map(|(at, _)| Some(&prompt[at..at + ends(&prompt[at..])?]))
            .collect();
        let points = found.iter().enumerate();
        let point = |(n, text): (usize, &&str)| json!({ "point_number": n + 1, "point_content": text, "spans": [text] });
        return json!({ "points": points.map(point).collect::<Vec<_>>() });
    }
    if has("relationship") {
        return json!({ "relationship": "SUPPORTS", "confidence": 0.9, "reasoning": "It says so.", "key_aspects": [] });
    }
    if has("evaluation_criteria") {
        let criterion = |(title, weight): (&str, f64)| json!({ "title": title, "weight": weight, "description": format!("{title} of the report.") });
        let criteria = [("Depth", 0.5), ("Sources", 0.3), ("Clarity", 0.2)].map(criterion);
        return json!({ "evaluation_criteria": criteria });
    }
    json!({ "rating": 7, "justification": "It is sound." })
}

/// A project with so many tasks, and a file of reports for each agent that cites so many pages in
/// each.
fn project(url: &str, tasks: usize, pages: usize) -> Project {
    let (_, pipeline) = Fake::start(Duration::ZERO);
    let project = Project::new(&pipeline);
    project.add_transcript("rivers.wav", "en", TALK);
    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    let columns =
        "seminar, origin, phase, type, difficulty, discipline, language, call, run, payload";
    for n in 0..tasks {
        let text = format!(
            "Survey how gauge number {n} drifts in cold rivers, and hand in a table of what was found."
        );
        project.sql(&format!(
            "INSERT INTO task (id, text, {columns}) SELECT 't_scale{n:05}', '{text}', {columns} FROM task WHERE id LIKE 't_%' AND id NOT LIKE 't_scale%' LIMIT 1"
        ));
        project.sql(&format!(
            "INSERT INTO task_source (task, seq, inspiration) SELECT 't_scale{n:05}', 0, id FROM inspiration LIMIT 1"
        ));
    }
    project.sql("UPDATE task SET superseded = 1 WHERE id NOT LIKE 't_scale%'");
    let config = std::fs::read_to_string(project.path("taskgen.toml"))
        .expect("readable")
        .replace(&pipeline, url);
    std::fs::write(
        project.path("taskgen.toml"),
        format!("{config}[web]\npause_ms = 0\nper_host = 8\nrobots = false\n"),
    )
    .expect("writable");
    for agent in 0..AGENTS {
        let mut lines = String::new();
        for n in 0..tasks {
            let links: String = (0..pages)
                .map(|page| format!("- [page {page}]({url}/pages/t{n}p{page})\n"))
                .collect();
            let article = format!(
                "# Gauges, by agent {agent}\n\nThey drift in cold water.\n\n## References\n\n{links}"
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
    let (server, url) = start();
    let project = project(&url, tasks, PAGES);
    let begun = Instant::now();
    project.ok(&["evaluate", "--allow-private-network"]);
    let took = begun.elapsed();
    let answered = server.answered.lock().expect("no panic").clone();
    let asking = answered
        .last()
        .zip(answered.first())
        .map_or(Duration::ZERO, |(last, first)| *last - *first);
    let allowed = AT_ONCE as f64 / LATENCY.as_secs_f64();
    let reached = answered.len() as f64 / asking.as_secs_f64() / allowed;
    println!(
        "{AGENTS} agents × {tasks} tasks × {PAGES} pages: {} pages and {} answers in {took:.1?}, of which asking {asking:.1?}: {:.0} % of {allowed} a second; {} refused",
        server.fetched.load(Ordering::SeqCst),
        answered.len(),
        reached * 100.0,
        server.refused.load(Ordering::SeqCst)
    );
    // Points of each page, a checklist for each task, each report with each point and each
    // criterion.
    let expected = tasks * PAGES + tasks + AGENTS * tasks * (2 * PAGES + 3);
    assert_eq!(
        (server.fetched.load(Ordering::SeqCst), answered.len()),
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
#[test]
fn evaluation_scale_of_a_million_judgements() {
    let (_, url) = start();
    let project = project(&url, 20, 5);
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

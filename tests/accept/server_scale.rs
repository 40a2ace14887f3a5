//! The server of a large project: 10,000 tasks, 80,000 reports, a million judgements. How long pages
//! take, how much memory that needs, and fifty clients at once.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::StatusCode;

use crate::{
    evaluation_scale::a_million_judgements,
    serving::{Serving, Visit},
};

/// Clients at once, and the pages that each opens.
const CLIENTS: usize = 50;
const PAGES_EACH: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn server_scale_of_a_million_judgements() {
    let (_judge, project) = a_million_judgements();
    let serving = Serving::start(&project, &["--reviewer", "ana"]);
    let visitor = serving.visitor();
    let begun = Instant::now();
    visitor.page("/").await;
    println!("first page after the start: {:.0?}", begun.elapsed());
    let tasks = visitor.json("/tasks.json").await;
    assert_eq!(tasks.as_array().expect("tasks").len(), 10_000);
    let task = tasks[5000]["id"].as_str().expect("an id").to_owned();
    drop(tasks);
    let report = project.text(&format!(
        "SELECT id FROM document WHERE task = '{task}' LIMIT 1"
    ));
    let pages = [
        "/".to_owned(),
        "/tasks".to_owned(),
        "/tasks?page=150".to_owned(),
        "/tasks?q=gauge+17+drifts".to_owned(),
        "/inspirations?q=river".to_owned(),
        "/seminars".to_owned(),
        format!("/tasks/{task}"),
        "/reports".to_owned(),
        "/reports?q=agent3".to_owned(),
        format!("/reports/{report}"),
        format!("/compare?task={task}"),
        "/leaderboard".to_owned(),
        format!("/leaderboard/tasks/{task}"),
        "/calls".to_owned(),
        "/people".to_owned(),
    ];
    for page in &pages {
        time(&serving, &visitor, page).await;
    }
    let ana = serving.reviewer(0).await;
    for page in [
        "/review",
        "/review/tasks",
        "/review/reports",
        "/review/duels/tasks",
        "/review/duels/reports",
    ] {
        time(&serving, &ana, page).await;
    }
    let begun = Instant::now();
    let clients = (0..CLIENTS).map(|client| {
        let (visitor, pages) = (serving.visitor(), pages.clone());
        async move {
            let mut slowest = Duration::ZERO;
            for n in 0..PAGES_EACH {
                let begun = Instant::now();
                let page = &pages[(client + n) % pages.len()];
                assert_eq!(visitor.get(page).await.status(), StatusCode::OK, "{page}");
                slowest = slowest.max(begun.elapsed());
            }
            slowest
        }
    });
    let slowest = join_all(clients).await.into_iter().max();
    let took = begun.elapsed();
    println!(
        "{CLIENTS} clients × {PAGES_EACH} pages: {took:.1?}, {:.0} a second, the slowest {slowest:.1?}; none failed; most memory {} MB",
        (CLIENTS * PAGES_EACH) as f64 / took.as_secs_f64(),
        memory(serving.pid(), "VmHWM:")
    );
}

/// Prints how long a page takes.
async fn time(serving: &Serving, person: &Visit, page: &str) {
    let (mut took, mut size) = (Vec::new(), 0);
    for _ in 0..11 {
        let begun = Instant::now();
        size = person.page(page).await.len();
        took.push(begun.elapsed());
    }
    let first = took.remove(0);
    took.sort();
    println!(
        "{page}: {:.0?} (median of ten), first {first:.0?}, {} kB; memory {} MB",
        took[5],
        size / 1000,
        memory(serving.pid(), "VmRSS:")
    );
}

/// A figure of a process, in megabytes.
fn memory(pid: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let figure = line.expect("the figure").trim().trim_end_matches(" kB");
    figure.parse::<u64>().expect("kilobytes") / 1000
}

//! The server's pages in a real browser: each opens without a complaint and without a request that
//! leaves the machine, in light and dark, wide and narrow; axe-core finds no serious violation; a
//! click on a quote is heard at its second; ten things are reviewed by keys; what strangers wrote
//! runs nowhere.

use std::{collections::BTreeSet, path::PathBuf};

use serde_json::{Value, json};

use crate::{
    browser::Browser,
    serving::Serving,
    support::{ModelServer, Project, TALK, TALK_ZH},
};

/// A project with two of the sample recordings, tasks, a ranking, and reports of two agents. Their
/// transcripts are made up.
fn project(hostile: Option<&str>) -> (ModelServer, Project) {
    let model = ModelServer::openai().pipeline();
    let project = Project::new(&model.url);
    for (sample, name, language, talk) in [
        ("soil.mp3", "soil & co #1.mp3", "en", TALK),
        ("minnan.opus", "minnan.opus", "zh", TALK_ZH),
    ] {
        let sample = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("seminars")
            .join(sample);
        let sample = std::fs::read(sample).expect("a sample");
        project.add_recording(name, &sample, language, talk);
    }
    project.stages();
    let tasks: Value = project.json(&["tasks", "list"]);
    for agent in ["kea", "owl"] {
        let mut lines = String::new();
        for task in tasks.as_array().expect("tasks").iter().take(6) {
            let text = hostile.unwrap_or("# Rivers\n\nThey **drift** [a](https://a.example/b).\n\n| gauge | drift |\n|---|---|\n| 1 | 2 |\n");
            let line = json!({ "id": task["id"], "article": format!("{text}\n\nBy {agent}.") });
            lines += &format!("{line}\n");
        }
        let file = project.path(&format!("{agent}.jsonl"));
        std::fs::write(&file, lines).expect("writable");
        let file = file.to_str().expect("UTF-8").to_owned();
        project.ok(&["reports", "import", &file, "--agent", agent]);
    }
    (model, project)
}

/// The addresses of a visitor's pages: those of the menu, and one of each kind behind them.
fn addresses(project: &Project) -> Vec<String> {
    let id = |sql: &str| project.text(sql);
    let seminar = id("SELECT seminar FROM seminar_path ORDER BY path DESC LIMIT 1");
    let chinese = id("SELECT seminar FROM seminar_path ORDER BY path LIMIT 1");
    let task = id("SELECT task FROM document WHERE task IS NOT NULL LIMIT 1");
    let report = id("SELECT id FROM document LIMIT 1");
    let call = id("SELECT id FROM call LIMIT 1");
    let menu = [
        "/",
        "/seminars",
        "/inspirations",
        "/tasks",
        "/ranking",
        "/reports",
        "/leaderboard",
        "/matches",
        "/people",
        "/calls",
        "/tasks?q=no-such-word",
        "/nowhere",
    ];
    let behind = [
        format!("/seminars/{seminar}"),
        format!("/seminars/{chinese}"),
        format!("/tasks/{task}"),
        format!("/reports/{report}"),
        format!("/compare?task={task}"),
        format!("/leaderboard/tasks/{task}"),
        format!("/calls/{call}"),
    ];
    menu.map(str::to_owned).into_iter().chain(behind).collect()
}

const REVIEWS: [&str; 6] = [
    "/review",
    "/review/inspirations",
    "/review/tasks",
    "/review/reports",
    "/review/duels/tasks",
    "/review/duels/reports",
];

/// axe-core, which scripts/browser.sh fetches beside the browser.
fn axe() -> String {
    let file = std::env::var_os("AXE").expect("AXE names axe.min.js: `make accept` fetches it");
    std::fs::read_to_string(file).expect("a script")
}

/// Serious and critical violations on the page that is open.
fn violations(browser: &mut Browser, axe: &str) -> Vec<String> {
    browser.ask(&format!("{axe}; 0"));
    let found = browser.ask(
        "axe.run(document, { resultTypes: ['violations'] }).then((of) => of.violations
            .filter((v) => ['serious', 'critical'].includes(v.impact))
            .map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join(', ')}`))",
    );
    let found = found.as_array().expect("a list").iter();
    found
        .map(|of| of.as_str().unwrap_or_default().to_owned())
        .collect()
}

/// Where `TASKGEN_PICTURES` names a folder, each page is kept there as a picture, to be looked at.
fn picture(browser: &mut Browser, name: &str) {
    if let Some(folder) = std::env::var_os("TASKGEN_PICTURES") {
        let plain: String = name
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '_' })
            .collect();
        browser.picture(&PathBuf::from(folder).join(format!("{plain}.png")));
    }
}

#[test]
fn server_pages_open_without_a_complaint_and_are_accessible() {
    let (_model, project) = project(None);
    let serving = Serving::start(&project, &["--reviewer", "ana"]);
    let axe = axe();
    let mut browser = Browser::start();
    let mut found = BTreeSet::new();
    let host = serving.host().to_owned();
    let visited = addresses(&project);
    let entered = serving.links[0].replace("http://", "").replace(&host, "");
    let all = visited
        .iter()
        .map(String::as_str)
        .chain([entered.as_str()])
        .chain(REVIEWS);
    let mut pages = 0;
    for address in all {
        for (scheme, width) in [("light", 1200), ("dark", 1200), ("light", 390)] {
            browser.size(width, 900);
            browser.scheme(scheme);
            let took = browser.visit(&format!("http://{host}{address}"));
            for violation in violations(&mut browser, &axe) {
                found.insert(format!("{address} {scheme} {width}: {violation}"));
            }
            let wide = browser.ask("document.documentElement.scrollWidth > innerWidth + 1");
            assert_eq!(wide, Value::Bool(false), "{address} is wider than {width}");
            if !address.starts_with("/enter") {
                picture(&mut browser, &format!("{address} {scheme} {width}"));
            }
            println!("{address} {scheme} {width}: {took:.0?}");
            pages += 1;
        }
    }
    println!("{pages} pages; axe-core: {found:?}");
    assert!(found.is_empty(), "{found:#?}");
    // A page that is not there is answered with 404, which the browser notes.
    let mut complaints = browser.complaints().to_vec();
    complaints.retain(|said| !said.contains("404"));
    let requests = browser.close();
    assert_eq!(complaints, [""; 0]);
    assert!(requests.outside().is_empty(), "{:?}", requests.outside());
}

#[test]
fn server_pages_play_a_quote_at_its_second_and_the_transcript_follows() {
    let (_model, project) = project(None);
    let serving = Serving::start(&project, &[]);
    let mut browser = Browser::start();
    let seminar = project.text("SELECT seminar FROM seminar_path ORDER BY path DESC LIMIT 1");
    browser.visit(&format!("http://{}/seminars/{seminar}", serving.host()));
    browser.until("document.querySelector('audio').readyState >= 1");
    let times = browser.ask("[...new Set([...document.querySelectorAll('blockquote [data-at]')].map((of) => of.dataset.at))]");
    let times: Vec<String> = serde_json::from_value(times).expect("times");
    assert!(times.len() >= 3, "{times:?}");
    for time in &times {
        browser.ask("document.querySelector('audio').pause()");
        browser.ask("window.seeked = null; document.querySelector('audio').addEventListener('seeked', (event) => (window.seeked = event.target.currentTime), { once: true }); 0");
        browser.click(&format!("blockquote [data-at='{time}']"));
        browser.until("window.seeked !== null");
        let heard = browser.ask("window.seeked").as_f64().expect("seconds");
        let asked: f64 = time.parse().expect("seconds");
        println!("asked for {asked} s, heard at {heard:.3} s");
        assert!((heard - asked).abs() <= 0.1, "{heard} instead of {asked}");
        let now = browser.ask("Number(document.querySelector('.transcript .now').dataset.from)");
        assert!(now.as_f64().expect("seconds") <= asked + 0.1, "{now}");
    }
    browser.until("!document.querySelector('audio').paused");
    // A link to a second opens there.
    browser.visit(&format!(
        "http://{}/seminars/{seminar}?at={}",
        serving.host(),
        times[1]
    ));
    browser.until(&format!(
        "Math.abs(document.querySelector('audio').currentTime - {}) <= 0.1",
        times[1]
    ));
    assert_eq!(browser.complaints(), [""; 0]);
    assert!(browser.close().outside().is_empty());
}

#[test]
fn server_pages_review_ten_things_by_keys() {
    let (_model, project) = project(None);
    let serving = Serving::start(&project, &["--reviewer", "ana"]);
    let mut browser = Browser::start();
    browser.visit(&serving.links[0]);
    browser.until("location.pathname === '/review'");
    for kind in ["tasks", "inspirations"] {
        browser.visit(&format!("http://{}/review/{kind}", serving.host()));
        for n in 0..5 {
            let key = ["a", "1", "2"][n % 3];
            let before = browser.ask("document.querySelector('main').innerText");
            browser.press(key, key);
            browser.until(&format!(
                "document.readyState === 'complete' && document.querySelector('main') !== null && document.querySelector('main').innerText !== {before}"
            ));
        }
    }
    let tasks = project.count("SELECT count(*) FROM judgement WHERE instrument = 'person/task/1'");
    let inspirations =
        project.count("SELECT count(*) FROM inspiration WHERE review LIKE '%\"ana\"%'");
    assert_eq!((tasks, inspirations), (5, 5), "each key decided one thing");
    assert_eq!(browser.complaints(), [""; 0]);
    assert!(browser.close().outside().is_empty());
}

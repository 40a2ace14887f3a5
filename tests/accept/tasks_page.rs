//! The page of tasks in a real browser: a click on a quote moves the player to its second and
//! plays, keys and boxes work, nothing leaves the machine, and without a script the page is still
//! read.

use std::{path::PathBuf, time::Instant};

use serde_json::{Value, json};

use crate::{
    browser::Browser,
    support::{ModelServer, Project, TALK, TALK_ZH},
};

/// A project with two of the sample recordings, whose page is written. Their transcripts are made
/// up.
fn project() -> (Project, PathBuf, Value) {
    let model = ModelServer::openai().pipeline();
    let project = Project::new(&model.url);
    for (sample, name, language, talk) in [
        ("soil.mp3", "soil & co #1.mp3", "en", TALK),
        ("minnan.opus", "minnan.opus", "zh", TALK_ZH),
    ] {
        let sample = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("seminars")
            .join(sample);
        project.add_recording(
            name,
            &std::fs::read(sample).expect("a sample"),
            language,
            talk,
        );
    }
    project.stages();
    project.ok(&["report", "tasks"]);
    let tasks = serde_json::from_str(&project.ok(&["tasks", "list", "--json"])).expect("JSON");
    let page = project.path("tasks/tasks.html");
    (project, page, tasks)
}

/// State of the player of the seminar that the element which fits is in.
fn player(browser: &mut Browser, selector: &str) -> (f64, bool) {
    let state = browser.ask(&format!(
        "(() => {{ const a = document.querySelector({}).closest('.seminar').querySelector('audio');
         if (a.error) throw new Error(a.error.message); return [a.currentTime, a.paused]; }})()",
        json!(selector)
    ));
    (
        state[0].as_f64().expect("seconds"),
        state[1].as_bool().expect("a state"),
    )
}

/// Clicks, and waits until the player is at the quote's second and goes on from there; before, it
/// stood elsewhere.
fn plays_from(browser: &mut Browser, selector: &str, seconds: f64) {
    browser.ask(
        "document.querySelectorAll('audio').forEach((a) => { a.pause(); if (a.readyState > 0) a.currentTime = 60; })",
    );
    browser.click(selector);
    let playing = format!(
        "(() => {{ const a = document.querySelector({}).closest('.seminar').querySelector('audio');
         return a.readyState >= 3 && !a.paused && a.currentTime > {seconds}; }})()",
        json!(selector)
    );
    browser.until(&playing);
    let (at, _) = player(browser, selector);
    println!("{selector}: asked for {seconds} s, heard at {at:.2} s");
    assert!(
        (seconds..seconds + 3.0).contains(&at),
        "{at} instead of {seconds}"
    );
}

#[test]
fn tasks_page_plays_quotes_at_their_second_and_nothing_leaves() {
    let (_project, page, tasks) = project();
    let mut browser = Browser::start();
    browser.open(&page);
    let mut heard = 0;
    for task in tasks.as_array().expect("tasks") {
        let source = &task["sources"][0];
        let seconds = source["evidence"][0]["start"].as_f64().expect("seconds");
        if heard < 4 {
            // By its task, by its inspiration, and by its place on the strip; each from another
            // one's second.
            let time = format!("[data-at='{seconds:?}']");
            plays_from(
                &mut browser,
                &format!("#{} button{time}", task["id"].as_str().expect("an id")),
                seconds,
            );
            plays_from(
                &mut browser,
                &format!("#{} button{time}", source["id"].as_str().expect("an id")),
                seconds,
            );
        }
        heard += 1;
    }
    assert!(heard >= 10);
    let marks = browser.ask(
        "[...document.querySelectorAll('rect[data-at]')].map((mark) => Number(mark.dataset.at))",
    );
    let mark = marks
        .as_array()
        .expect("marks")
        .iter()
        .filter_map(Value::as_f64)
        .fold(0.0, f64::max);
    plays_from(&mut browser, &format!("rect[data-at='{mark:?}']"), mark);
    assert_eq!(
        browser.ask("[...document.querySelectorAll('audio')].filter((a) => !a.paused).length"),
        1,
        "one at a time"
    );
    let complaints = browser.complaints().to_vec();
    let requests = browser.close();
    assert_eq!(
        complaints, [""; 0],
        "the page's policy allows what the page does"
    );
    assert!(requests.outside().is_empty(), "{requests:?}");
    assert!(
        requests.network.is_empty(),
        "a page of files needs no network: {requests:?}"
    );
    let recordings = requests
        .page
        .iter()
        .filter(|url| url.contains("/seminars/"))
        .count();
    assert!(recordings >= 2, "{requests:?}");
    println!(
        "{} requests of the page, 0 that leave it",
        requests.page.len()
    );
}

#[test]
fn tasks_page_is_worked_by_keys() {
    let (_project, page, _) = project();
    let mut browser = Browser::start();
    browser.open(&page);
    browser.ask("document.querySelector('.seminar button.at').focus()");
    let focused = "document.activeElement";
    browser.press("Enter", "\r");
    let plays = |on: bool| {
        format!("[...document.querySelectorAll('audio')].some((a) => !a.paused) === {on}")
    };
    browser.until(&plays(true));
    // Space on the time that is being played pauses and goes on, and does not jump back.
    let seconds = browser
        .ask(&format!("Number({focused}.dataset.at)"))
        .as_f64()
        .expect("seconds");
    browser.until(&format!(
        "{focused}.closest('.seminar').querySelector('audio').currentTime > {}",
        seconds + 0.5
    ));
    browser.press(" ", " ");
    browser.until(&plays(false));
    browser.press(" ", " ");
    browser.until(&plays(true));
    assert!(player(&mut browser, "button.at.now").0 > seconds + 0.4);
    browser.ask(&format!("{focused}.blur()"));
    browser.press(" ", " ");
    browser.until(&plays(false));
    browser.press("Tab", "");
    let outline = browser.ask(&format!("getComputedStyle({focused}).outlineStyle"));
    assert_eq!(outline, "solid", "the focus is seen");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn tasks_page_shows_what_boxes_ask_for() {
    let (_project, page, tasks) = project();
    let tasks = tasks.as_array().expect("tasks");
    let mut browser = Browser::start();
    browser.open(&page);
    let shown = "[...document.querySelectorAll('.seminar li[id^=t_]')].filter((li) => li.checkVisibility()).length";
    assert_eq!(browser.ask(shown), tasks.len());
    let choose = |label: &str, value: &str| {
        format!(
            "(() => {{ const box = [...document.querySelectorAll('#filter label')].find((of) => of.textContent.startsWith('{label}')).querySelector('select');
             box.value = [...box.options].find((of) => of.textContent === '{value}').value;
             box.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
        )
    };
    let count = |fits: &dyn Fn(&Value) -> bool| tasks.iter().filter(|task| fits(task)).count();
    browser.ask(&choose("Phase", "Design"));
    let design = count(&|task| task["phase"] == "design");
    assert_eq!(browser.ask(shown), design);
    browser.ask(&choose("Language", "zh"));
    let zh = count(&|task| task["phase"] == "design" && task["language"] == "zh");
    assert!(0 < zh && zh < design && design < tasks.len());
    assert_eq!(browser.ask(shown), zh);
    assert_eq!(
        browser.ask("[...document.querySelectorAll('.seminar')].filter((of) => !of.hidden).length"),
        1
    );
    // A link to what is hidden shows it.
    let english = tasks
        .iter()
        .find(|task| task["language"] == "en")
        .and_then(|task| task["id"].as_str())
        .expect("one");
    browser.ask(&format!("location.hash = '{english}'"));
    browser.until(&format!(
        "document.getElementById('{english}').checkVisibility()"
    ));
    browser.click("#filter button");
    assert_eq!(browser.ask(shown), tasks.len());
    browser.click("#filter input");
    browser.type_text("LITERATURE table");
    let found = count(&|task| {
        task["task"]
            .as_str()
            .is_some_and(|text| text.to_lowercase().contains("literature table"))
    });
    assert_eq!(browser.ask(shown), found);
    browser.ask("document.querySelector('#filter input').value = ''");
    browser.ask(&choose("Type", "Limitation"));
    let limited = count(&|task| {
        task["sources"]
            .as_array()
            .expect("a list")
            .iter()
            .any(|of| of["kind"] == "limitation")
    });
    assert!(0 < limited && limited < tasks.len());
    assert_eq!(browser.ask(shown), limited);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn tasks_page_says_what_cannot_be_played() {
    let (project, page, _) = project();
    std::fs::write(project.path("seminars/minnan.opus"), "no sound at all").expect("writable");
    let mut browser = Browser::start();
    browser.open(&page);
    let said =
        "[...document.querySelectorAll('.player .bad')].map((said) => said.checkVisibility())";
    assert_eq!(browser.ask(said), json!([false, false]));
    browser.click(".seminar:has(audio[src*=minnan]) button.at");
    browser.until(&format!("JSON.stringify({said}) === '[true,false]'"));
}

#[test]
fn tasks_page_is_read_without_a_script() {
    let (_project, page, tasks) = project();
    let mut browser = Browser::start();
    browser.scripts(false);
    browser.open(&page);
    assert_eq!(
        browser.ask(
            "[...document.querySelectorAll('button')].filter((of) => of.checkVisibility()).length"
        ),
        0
    );
    let time = browser.ask("document.querySelector('blockquote span[data-at]').textContent");
    assert!(
        time.as_str().is_some_and(|time| time.contains(':')),
        "{time}"
    );
    let read = "[...document.querySelectorAll('.seminar li[id^=t_] p[dir]')].filter((p) => p.checkVisibility()).map((p) => p.textContent)";
    let read = browser.ask(read);
    let read: Vec<&str> = read
        .as_array()
        .expect("texts")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut texts: Vec<&str> = tasks
        .as_array()
        .expect("tasks")
        .iter()
        .filter_map(|task| task["task"].as_str())
        .collect();
    assert_eq!(read.len(), texts.len());
    texts.retain(|text| !read.contains(text));
    assert_eq!(texts, [""; 0], "not to be read");
    assert_eq!(
        browser
            .complaints()
            .iter()
            .filter(|said| !said.contains("script"))
            .count(),
        0
    );
}

/// Ten thousand tasks more, of the same two seminars.
#[test]
fn tasks_page_of_ten_thousand_opens() {
    let (project, page, tasks) = project();
    project.sql(
        "INSERT INTO task (id, seminar, phase, type, difficulty, discipline, language, text, run)
         WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10000),
              old AS (SELECT *, row_number() OVER (ORDER BY id) - 1 AS at, count(*) OVER () AS of FROM task)
         SELECT printf('t_planted%09d', n), seminar, phase, type, difficulty, discipline, language, text || ' planted ' || n, run
         FROM number JOIN old ON at = n % of",
    );
    project.sql(
        "INSERT INTO task_source (task, seq, inspiration)
         SELECT planted.id, 0, (SELECT min(id) FROM inspiration WHERE seminar = planted.seminar AND superseded = 0)
         FROM task AS planted WHERE planted.id LIKE 't_planted%'",
    );
    let begun = Instant::now();
    project.ok(&["report", "tasks"]);
    let written = begun.elapsed();
    let bytes = std::fs::metadata(&page).expect("a page").len();
    let mut browser = Browser::start();
    let opened = browser.open(&page);
    let begun = Instant::now();
    browser.click("#filter input");
    browser.type_text("planted 9999");
    browser.until("[...document.querySelectorAll('.seminar li')].filter((li) => li.checkVisibility()).length === 1");
    println!(
        "{bytes} bytes, written in {written:.1?}, open after {opened:.1?}, searched in {:.1?}",
        begun.elapsed()
    );
    assert_eq!(
        browser.ask("document.querySelectorAll('.seminar li[id^=t_]').length"),
        10_000 + tasks.as_array().map_or(0, Vec::len)
    );
    assert!(bytes < 10_000_000, "{bytes}");
}

//! The pages of an evaluation in a real browser: the leaderboard leads down to the span of a stored
//! page, people score with the keyboard and save a file that is taken in, and nothing leaves the
//! machine.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{browser::Browser, small_web::world::World};

fn number(value: &Value) -> u64 {
    value.as_f64().expect("a number") as u64
}

#[test]
fn leaderboard_page_leads_down_to_the_span() {
    let world = World::evaluated();
    let file = world.project.path("board.html");
    world
        .project
        .ok(&["leaderboard", "--html", file.to_str().expect("UTF-8")]);
    let mut browser = Browser::start();
    browser.open(&file);
    assert_eq!(
        number(&browser.ask("document.querySelectorAll('#board tbody tr').length")),
        3,
        "three agents"
    );
    browser.click("a[href$='.html']");
    browser
        .until("document.readyState === 'complete' && location.pathname.includes('/board-tasks/')");
    let points = number(&browser.ask("document.querySelectorAll('.points li').length"));
    assert!(points > 0);
    // From what a report says of a key point to the words in the stored page.
    let quote = browser.ask("document.querySelector('.points p a[href^=\"#\"]').textContent");
    // By the keyboard: the middle of words over several lines may be beside them.
    browser.ask("document.querySelector(\".points p a[href^='#']\").focus()");
    browser.press("Enter", "\r");
    browser.until("location.hash.length > 1");
    let target = browser.ask("document.getElementById(location.hash.slice(1)).textContent");
    let (quote, target) = (
        quote.as_str().expect("a text"),
        target.as_str().expect("a text"),
    );
    assert!(target.contains(quote), "`{quote}` leads to `{target}`");
    browser.until("document.getElementById(location.hash.slice(1)).checkVisibility()");
    browser.click("p a[href^='../']");
    browser
        .until("document.readyState === 'complete' && location.pathname.endsWith('/board.html')");
    let complaints = browser.complaints().to_vec();
    let requests = browser.close();
    assert_eq!(complaints, [""; 0], "the pages' policy allows what they do");
    assert!(
        requests.outside().is_empty() && requests.network.is_empty(),
        "{requests:?}"
    );
    println!(
        "{} requests of the pages, 0 that leave them",
        requests.page.len()
    );
}

#[test]
fn scoring_page_is_worked_by_keys_and_saves_what_is_taken_in() {
    let world = World::evaluated();
    world.project.ok(&["report", "scoring"]);
    let page = world.project.path("tasks/scoring.html");
    let saved = tempfile::tempdir().expect("a folder");
    let mut browser = Browser::start();
    browser.saves_into(saved.path());
    browser.open(&page);
    let status = "document.querySelector('#who output').textContent";
    browser.press("s", "s");
    browser.until(&format!("{status}.includes('name is missing')"));
    browser.until("document.activeElement.name === 'rater'");
    browser.type_text("ana");
    browser.ask("document.activeElement.blur()");
    let rows =
        number(&browser.ask("document.querySelectorAll('.report:not([hidden]) .row').length"));
    assert!(rows >= 4, "criteria, and the whole: {rows}");
    for _ in 0..rows {
        browser.press("7", "7");
    }
    browser.press("ArrowRight", "");
    browser.press("x", "x");
    browser.press("3", "3");
    browser.press("Backspace", "");
    // The third row was current: what it had not is not taken away from another one.
    browser.until(&format!("{status}.startsWith('{} of ')", rows + 2));
    // What was scored is there when the page is opened again.
    browser.open(&page);
    browser.until(&format!("{status}.startsWith('{} of ')", rows + 2));
    assert_eq!(
        browser.ask("document.querySelector('#who input').value"),
        "ana"
    );
    browser.press("s", "s");
    let file = saved.path().join("scores-ana.json");
    let begun = Instant::now();
    while !file.exists() {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "no file is saved: {}",
            browser.ask(status)
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let found: Value = serde_json::from_str(&world.project.ok(&[
        "audit",
        "agreement",
        file.to_str().expect("UTF-8"),
        "--json",
    ]))
    .expect("JSON");
    assert_eq!(
        (number(&found["taken"]), number(&found["reports"])),
        (rows + 2, 2),
        "{found}"
    );
    let complaints = browser.complaints().to_vec();
    let requests = browser.close();
    assert_eq!(complaints, [""; 0], "the page's policy allows what it does");
    assert!(
        requests.outside().is_empty() && requests.network.is_empty(),
        "{requests:?}"
    );
}

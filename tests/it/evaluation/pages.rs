//! Whether stored bytes are a page is decided again by another version, without fetching: by an
//! older project's causes, and by an earlier detection of stubs.

use crate::small_web::world::{EVALUATE, World};

/// Visits with bytes that were taken for no page.
const STUBS: &str = "SELECT count(*) FROM page_visit WHERE content IS NOT NULL AND payload ->> '$.decision.cause' IS NOT NULL";
/// Visits with bytes that were decided by some version.
const DECIDED: &str = "SELECT count(*) FROM page_visit WHERE content IS NOT NULL AND payload ->> '$.decision.by' IS NOT NULL";

fn board(world: &World) -> String {
    world.project.ok(&["leaderboard", "--json"])
}

/// Evaluates again, and nobody is asked for anything.
fn evaluate_from_the_record(world: &World) {
    let fetched = world.web.hits();
    world.fake.take();
    world.project.ok(&EVALUATE);
    assert_eq!((world.web.hits(), world.fake.take()), (fetched, 0));
}

#[test]
fn what_a_page_is_follows_from_its_bytes() {
    let world = World::evaluated();
    let before = board(&world);
    let (stubs, decided) = (world.project.count(STUBS), world.project.count(DECIDED));
    assert!(stubs > 0 && decided > stubs, "{stubs} of {decided}");
    let causes = "SELECT count(*) FROM page_visit WHERE content IS NOT NULL AND cause IS NOT NULL";
    assert_eq!(world.project.count(causes), 0, "a decision is no fact");

    // An earlier detection took every page for a wall, and every wall for a page.
    world.project.sql(
        "UPDATE page_visit SET payload = json_set(payload, '$.decision', json_object('by', 'stubs 0',
            'cause', iif(payload ->> '$.decision.cause' IS NULL, 'wall', NULL))) WHERE content IS NOT NULL",
    );
    assert_ne!(board(&world), before, "readers see what is on record");
    evaluate_from_the_record(&world);
    assert_eq!(world.project.count(STUBS), stubs);
    assert_eq!(board(&world), before);
}

#[test]
fn a_project_whose_causes_were_stored_is_looked_at_again() {
    let world = World::evaluated();
    let before = board(&world);
    let (stubs, decided) = (world.project.count(STUBS), world.project.count(DECIDED));
    // As an older program left it, with a page among them that it took for a wall.
    world.project.sql(
        "UPDATE page_visit SET cause = payload ->> '$.decision.cause', payload = json_remove(payload, '$.decision')
         WHERE content IS NOT NULL",
    );
    assert_eq!(board(&world), before);
    world.project.sql(
        "UPDATE page_visit SET cause = 'wall' WHERE id = (SELECT min(id) FROM page_visit WHERE content IS NOT NULL AND cause IS NULL)",
    );
    let kept = "SELECT count(*) FROM page_visit WHERE content IS NULL AND cause = 'http_status'";
    let failed = world.project.count(kept);
    assert!(failed > 0);
    assert_ne!(board(&world), before);
    evaluate_from_the_record(&world);
    assert_eq!(board(&world), before);
    assert_eq!(
        (world.project.count(STUBS), world.project.count(DECIDED)),
        (stubs, decided)
    );
    assert_eq!(world.project.count(kept), failed, "nothing to look at");
}

#[test]
fn pages_that_are_gone_from_the_database_are_fetched_again() {
    let world = World::evaluated();
    let (before, fetched) = (board(&world), world.web.hits());
    let gone = "PRAGMA foreign_keys = OFF; DELETE FROM extract; DELETE FROM content;";
    world
        .project
        .database()
        .execute_batch(gone)
        .expect("a batch");
    world.project.ok(&EVALUATE);
    assert!(world.web.hits() > fetched);
    assert_eq!(board(&world), before);
}

/// A report with a hundred and fifty addresses costs as much as its first ones.
#[test]
fn of_a_report_only_so_many_pages_are_fetched() {
    let world = World::new();
    let config = world.project.configuration();
    world
        .project
        .configure(&format!("{config}[evaluate]\nmost_urls = 2\n"));
    let links: Vec<String> = (0..150)
        .map(|n| format!("Figure {n} is [there]({}/missing/{n}).", world.web.url))
        .collect();
    let report = serde_json::json!({
        "task": world.tasks["soil"], "agent": "linker", "text": links.join("\n\n"),
    });
    let file = world.project.path("linker.jsonl");
    std::fs::write(&file, report.to_string()).expect("writable");
    let file = file.to_str().expect("a path");
    world.project.ok(&["reports", "import", file]);
    world.project.ok(&EVALUATE);
    let asked = world.project.count("SELECT count(*) FROM page_visit");
    assert_eq!(asked, 2);
    let listed = world.project.json(&["reports", "list"]);
    let failures = &listed[0]["scores"]["url_failures"];
    assert_eq!(failures["over_limit"], 148, "{failures}");
    assert_eq!(failures["http_status"], 2, "{failures}");
}

/// A host that refuses everybody is left alone after a few refusals, and asked again by the next
/// run.
#[test]
fn a_host_that_refuses_everybody_is_given_up() {
    let world = World::new();
    // Nobody listens on this port.
    let links: Vec<String> = (0..60)
        .map(|n| format!("Figure {n} is [there](http://127.0.0.1:1/{n})."))
        .collect();
    let report = serde_json::json!({
        "task": world.tasks["soil"], "agent": "linker", "text": links.join("\n\n"),
    });
    let file = world.project.path("linker.jsonl");
    std::fs::write(&file, report.to_string()).expect("writable");
    let file = file.to_str().expect("a path");
    world.project.ok(&["reports", "import", file]);
    let told = world.project.told(&EVALUATE);
    assert!(told.contains("host_given_up"), "{told}");
    let visits = "SELECT count(*) FROM page_visit";
    let asked = world.project.count(visits);
    assert!((5..40).contains(&asked), "{asked} of 60");
    world.project.told(&EVALUATE);
    assert!(world.project.count(visits) > asked);
}

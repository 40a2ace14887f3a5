//! What reports say where they cite is on record: each statement is the report's text at its span,
//! and a reading of an earlier version is made again without asking anybody.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::small_web::world::{EVALUATE, World};

/// A statement or a citation, whichever it is, in the words of the database.
type Row = (String, usize, usize, Option<String>, Option<String>);

fn rows(world: &World, sql: &str) -> Vec<Row> {
    let database = world.project.database();
    let mut query = database.prepare(sql).expect("SQL");
    let rows = query.query_map([], |row| {
        Ok((
            row.get(0)?,
            row.get(1)?,
            row.get(2)?,
            row.get(3)?,
            row.get(4)?,
        ))
    });
    rows.expect("rows")
        .collect::<rusqlite::Result<_>>()
        .expect("rows")
}

fn statements(world: &World) -> Vec<Row> {
    let sql = "SELECT source, start_char, end_char, id, text FROM statement ORDER BY 1, 2";
    rows(world, sql)
}

fn citations(world: &World) -> Vec<Row> {
    let sql = "SELECT document, start_char, end_char, statement, url FROM citation ORDER BY document, seq";
    rows(world, sql)
}

#[test]
fn a_statement_is_its_report_s_text_and_carries_its_citations() {
    let world = World::evaluated();
    let reports: BTreeMap<String, (Vec<char>, Value)> = rows(
        &world,
        "SELECT id, 0, 0, text, payload ->> '$.reading.urls' FROM document WHERE kind = 'report' AND state = 'ok'",
    )
    .into_iter()
    .map(|(id, _, _, text, urls)| {
        let text = text.expect("a text").chars().collect();
        (id, (text, serde_json::from_str(&urls.expect("read")).expect("JSON")))
    })
    .collect();
    let mut spans = BTreeMap::new();
    for (report, start, end, id, text) in statements(&world) {
        let cut: String = reports[&report].0[start..end].iter().collect();
        assert_eq!(Some(cut), text);
        spans.insert(id, (report, start, end));
    }
    let (mut carrying, mut urls) = (BTreeSet::new(), BTreeMap::<_, BTreeSet<_>>::new());
    for (report, start, end, statement, url) in citations(&world) {
        urls.entry(report.clone()).or_default().extend(url);
        if statement.is_some() {
            let (of, from, to) = &spans[&statement];
            assert!(*of == report && *from <= start && end <= *to);
            carrying.insert(statement);
        }
    }
    assert!(carrying.len() > 20, "{} statements", carrying.len());
    assert_eq!(carrying.len(), spans.len(), "each carries a citation");
    for (report, (_, known)) in &reports {
        let known: BTreeSet<String> = serde_json::from_value(known.clone()).expect("URLs");
        assert_eq!(urls.get(report).cloned().unwrap_or_default(), known);
    }
    // What is taken out leaves none of its text behind.
    world
        .project
        .ok(&["reports", "remove", "--agent", "faithful"]);
    let orphans = "SELECT count(*) FROM statement WHERE source NOT IN (SELECT id FROM document)";
    assert_eq!(world.project.count(orphans), 0);
    assert!(statements(&world).len() < spans.len() && !citations(&world).is_empty());
}

#[test]
fn a_reading_of_an_earlier_version_is_made_again() {
    let world = World::evaluated();
    let board = world.project.ok(&["leaderboard", "--json"]);
    let before = (statements(&world), citations(&world));
    world.fake.take();
    world.project.ok(&EVALUATE);
    assert_eq!((statements(&world), citations(&world)), before, "once");
    let earlier = [
        // Of a reader that counted otherwise: what it read is not believed.
        r#"'$.reading', json('{"version":0,"words":1,"urls":[]}')"#,
        // Words and URLs are the same in version 1; statements and citations were not kept.
        "'$.reading.version', 1",
    ];
    for reading in earlier {
        world.project.sql(&format!(
            "UPDATE document SET payload = json_set(payload, {reading})"
        ));
        world.project.sql("DELETE FROM citation");
        world.project.sql("DELETE FROM statement");
        assert_eq!(world.project.ok(&["leaderboard", "--json"]), board);
        assert!(statements(&world).is_empty(), "a reader writes nothing");
        world.project.ok(&EVALUATE);
        assert_eq!((statements(&world), citations(&world)), before);
        assert_eq!(world.project.ok(&["leaderboard", "--json"]), board);
    }
    assert_eq!(world.fake.take(), 0);
}

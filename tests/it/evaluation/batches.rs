//! Several key points in one question: the same scores for fewer tokens, whatever goes wrong.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};

use super::{EVALUATE, World, judge, kill_when};
use crate::support::{ModelServer, llm::Play};

/// A world whose judges are asked in the strict form about so many key points at once.
fn world(batch: usize) -> World {
    with_batches(World::new(), batch)
}

fn with_batches(world: World, batch: usize) -> World {
    let settings = world.project.configuration();
    let form = format!("[evaluate]\nform = \"strict\"\nbatch = {batch}\n");
    world.project.configure(&format!("{settings}\n{form}"));
    world.answer();
    world
}

/// The questions about relations that came, and the characters of their prompts.
fn asked(server: &ModelServer) -> (usize, usize) {
    let about_relations: Vec<Value> = server
        .taken()
        .into_iter()
        .filter(|request| request.to_string().contains("evaluate_relation"))
        .collect();
    let lengths = about_relations
        .iter()
        .map(|request| request["messages"].to_string().len());
    (about_relations.len(), lengths.sum())
}

#[test]
fn the_same_scores_come_out_for_fewer_tokens() {
    let taken: BTreeMap<usize, (usize, usize)> = [1, 5, 8]
        .into_iter()
        .map(|batch| {
            let world = world(batch);
            world.fake.take();
            world.project.ok(&EVALUATE);
            world.check(&[]);
            let first = asked(&world.fake);
            assert!(world.fake.repeats().values().all(|n| *n == 1));
            world.project.ok(&EVALUATE);
            assert_eq!(asked(&world.fake), (0, 0), "nothing is asked twice");
            (batch, first)
        })
        .collect();
    println!("batch: (questions, characters): {taken:?}");
    let [alone, five, eight] = [1, 5, 8].map(|batch| taken[&batch]);
    assert!(five.0 * 4 <= alone.0 && eight.0 * 5 <= alone.0);
    assert!(eight.1 < five.1 && five.1 * 2 < alone.1);
}

#[test]
fn a_reply_that_cannot_be_read_is_asked_for_in_halves() {
    let world = world(8);
    // It leaves one out wherever it is asked about more than two.
    let server = ModelServer::openai().plays(|request| {
        let mut reply = judge::reply(request.prompt(), &request.body);
        let relations = reply.get_mut("relations").and_then(Value::as_array_mut);
        if let Some(relations) = relations.filter(|of| of.len() > 2) {
            relations.pop();
        }
        Play::Say(reply.to_string())
    });
    world.project.reconfigure(&world.fake.url, &server.url);
    world.project.ok(&EVALUATE);
    world.check(&[]);
    server.taken();
    world.project.ok(&EVALUATE);
    assert_eq!(asked(&server), (0, 0));
}

#[test]
fn batches_that_were_killed_go_on() {
    for moment in [3, 9, 20] {
        let world = with_batches(World::with_delay(Duration::from_millis(20)), 8);
        let judged = "SELECT count(*) FROM judgement WHERE instrument = 'kae/relation/2'";
        kill_when(&world.project, &EVALUATE, judged, moment);
        let counted = || {
            let asked: usize = world.fake.repeats().values().sum();
            (
                asked as i64,
                world.project.count("SELECT count(*) FROM call"),
            )
        };
        let (asked, committed) = counted();
        world.project.ok(&EVALUATE);
        world.check(&[]);
        let (asked_in_all, committed_in_all) = counted();
        assert_eq!(
            asked_in_all - asked,
            committed_in_all - committed,
            "just what was missing is asked"
        );
    }
}

#[test]
fn the_strict_form_is_another_way_of_scoring() {
    let world = World::evaluated();
    world.fake.take();
    let found: Value = serde_json::from_str(
        &world
            .project
            .ok(&["rescore", "--form", "strict", "--metric", "kae", "--json"]),
    )
    .expect("JSON");
    let (questions, _) = asked(&world.fake);
    assert!((20..60).contains(&questions), "{questions}");
    let changes = found["changes"].as_array().expect("a list");
    assert!(!changes.is_empty());
    assert!(
        changes
            .iter()
            .all(|change| change["difference"] == json!(0.0))
    );
}

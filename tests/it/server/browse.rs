//! What there is to see: each page of a project with talks, tasks and a ranking, as a page and as
//! data; search, parts, sound in pieces, and progress while a command runs.

use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use reqwest::{Method, StatusCode};
use serde_json::Value;

use super::serving::Serving;
use crate::{
    small_web::world::World,
    support::{ModelServer, Project, TALK, TALK_ZH, woven},
};

#[tokio::test(flavor = "multi_thread")]
async fn every_page_of_the_menu_opens_and_says_what_there_is() {
    let (_model, project) = woven();
    project.ok(&["rank"]);
    let serving = Serving::start(&project, &[]);
    let visitor = serving.visitor();
    let overview = visitor.page("/").await;
    let mut opened = 0;
    for link in overview.split("<a href=\"").skip(1) {
        let address = link.split('"').next().expect("an address");
        if address.starts_with('/') {
            let page = visitor.page(address).await;
            assert!(
                page.trim_start().starts_with("<!DOCTYPE html>") || address.contains(".json"),
                "{address}"
            );
            opened += 1;
        }
    }
    assert!(opened >= 10, "{opened}");
    let counts = visitor.json("/overview.json").await;
    let tasks: Vec<Value> =
        serde_json::from_value(visitor.json("/tasks.json").await).expect("rows");
    assert_eq!(counts["counts"]["tasks"], tasks.len());
    let listed: Value =
        serde_json::from_str(&project.ok(&["tasks", "list", "--json"])).expect("JSON");
    let ids = |of: &[Value]| of.iter().map(|task| task["id"].clone()).collect::<Vec<_>>();
    assert_eq!(
        ids(&tasks),
        ids(listed.as_array().expect("tasks")),
        "in the ranking's order"
    );
    // A task leads back to the words of the talk.
    let id = tasks[0]["id"].as_str().expect("an id");
    let page = visitor.page(&format!("/tasks/{id}")).await;
    let quote = listed[0]["sources"][0]["evidence"][0]["quote"]
        .as_str()
        .expect("a quote");
    assert!(page.contains(&quote.replace('\'', "&#x27;")), "{quote}");
    let csv = visitor.page("/tasks.csv").await;
    assert_eq!(
        csv.lines().next(),
        Some("rank,id,phase,type,difficulty,discipline,language,source,standing,flagged,task")
    );
    let (code, said) = serving.interrupt();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("stopped: every decision is saved"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_are_found_by_words_and_by_boxes() {
    let (_model, project) = woven();
    let serving = Serving::start(&project, &[]);
    let visitor = serving.visitor();
    let all = visitor.json("/tasks.json").await;
    let all = all.as_array().expect("tasks");
    let word = all[0]["task"].as_str().expect("a text");
    let word: String = word
        .split_whitespace()
        .nth(2)
        .expect("a word")
        .to_uppercase();
    let found = visitor.json(&format!("/tasks.json?q={word}")).await;
    let expect = all.iter().filter(|of| {
        of["task"]
            .as_str()
            .expect("a text")
            .to_uppercase()
            .contains(&word)
    });
    assert_eq!(found.as_array().expect("tasks").len(), expect.count());
    let phase = visitor.json("/tasks.json?phase=Design").await;
    let expect = all.iter().filter(|of| of["phase"] == "design").count();
    assert_eq!(phase.as_array().expect("tasks").len(), expect);
    assert!(expect > 0 && expect < all.len());
    assert_eq!(
        visitor.json("/tasks.json?q=no-such-word-anywhere").await,
        Value::Array(Vec::new())
    );
    let page = visitor.page("/tasks?q=no-such-word-anywhere").await;
    assert!(
        page.contains(&format!("0 of {} tasks", all.len())),
        "{page}"
    );
    for none in [
        "/tasks/t_nothing",
        "/seminars/s_nothing",
        "/seminars/s_nothing/sound",
        "/nowhere",
    ] {
        assert_eq!(
            visitor.get(none).await.status(),
            StatusCode::NOT_FOUND,
            "{none}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_listed_by_role_and_cause() {
    let (_model, project) = woven();
    let serving = Serving::start(&project, &[]);
    let visitor = serving.visitor();
    let count = |sql: &str| project.count(&format!("SELECT count(*) FROM call WHERE {sql}"));
    let all = count("1");
    let weave = count("role = 'weave'");
    assert!(weave > 0 && weave < all);
    let found = visitor.json("/calls.json?role=weave").await;
    let calls = found["calls"].as_array().expect("calls");
    assert!(calls.iter().all(|of| of["role"] == "weave"));
    assert_eq!(calls.len() as i64, weave.min(50));
    let page = visitor.page("/calls?role=weave").await;
    assert!(page.contains(&format!("{weave} of {all} calls")), "{page}");
    let none = visitor.json("/calls.json?cause=no_such_cause").await;
    assert_eq!(none["calls"], Value::Array(Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_reports_stand_side_by_side_with_their_scores() {
    let world = World::evaluated();
    let task = world.project.text("SELECT task FROM document LIMIT 1");
    let serving = Serving::start(&world.project, &[]);
    let visitor = serving.visitor();
    let page = visitor.page(&format!("/compare?task={task}")).await;
    let data = page.split("href=\"").find(|of| of.contains("compare.json"));
    let data = data.and_then(|of| of.split('"').next()).expect("a link");
    let data = data.replace("&amp;", "&").replace("&#x2f;", "/");
    let both = visitor.json(&data).await;
    let sides = both["sides"].as_array().expect("sides");
    assert_eq!(
        (sides.len(), &both["task"]["id"]),
        (2, &task.as_str().into())
    );
    let other = sides[1]["id"].as_str().expect("an id");
    let turned = format!("/compare.json?task={task}&left={other}");
    assert_eq!(visitor.json(&turned).await["sides"][0]["id"], other);
    let lines = both["scores"].as_array().expect("scores");
    assert!(lines.len() > 3, "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sound_comes_in_the_pieces_that_a_player_asks_for() {
    let project = Project::new("http://127.0.0.1:9");
    let sound: Vec<u8> = (0..100_000_u32).map(|n| n as u8).collect();
    project.add_recording("a & b #1.wav", &sound, "en", TALK);
    project.add_recording("heliu.wav", &sound[..50_000], "zh", TALK_ZH);
    project.ok(&["inspire", "--help"]);
    let model = ModelServer::openai().pipeline();
    project.reconfigure("http://127.0.0.1:9", &model.url);
    project.ok(&["inspire"]);
    let serving = Serving::start(&project, &[]);
    let visitor = serving.visitor();
    let seminars = visitor.json("/seminars.json").await;
    let rows = seminars.as_array().expect("seminars");
    let of = |name: &str| {
        let row = rows
            .iter()
            .find(|of| of["path"] == name)
            .expect("the seminar");
        row["id"].as_str().expect("an id").to_owned()
    };
    let address = format!("/seminars/{}/sound", of("a & b #1.wav"));
    let whole = visitor.get(&address).await;
    assert_eq!(whole.headers()["content-type"], "audio/wav");
    assert_eq!(whole.bytes().await.expect("bytes"), sound);
    let part = visitor
        .request(Method::GET, &address)
        .header("range", "bytes=1000-1999");
    let part = part.send().await.expect("an answer");
    assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
    assert_eq!(part.headers()["content-range"], "bytes 1000-1999/100000");
    assert_eq!(part.bytes().await.expect("bytes"), sound[1000..2000]);
    let page = visitor
        .page(&format!("/seminars/{}", of("heliu.wav")))
        .await;
    assert!(
        page.contains(TALK_ZH[0]) && page.contains("lang=\"zh\""),
        "the transcript is there"
    );
    assert!(
        page.contains("<mark>"),
        "quotes are marked in the transcript"
    );
    // A recording that is gone is said, and the page stays.
    std::fs::remove_file(project.path("seminars/heliu.wav")).expect("a file");
    let page = visitor
        .page(&format!("/seminars/{}", of("heliu.wav")))
        .await;
    assert!(page.contains("The recording is not here"));
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_comes_while_a_command_runs() {
    let model = ModelServer::openai()
        .delay(Duration::from_millis(800))
        .pipeline();
    let project = Project::new(&model.url).two_talks();
    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    let serving = Serving::start(&project, &[]);
    let events = serving.visitor().get("/events").await;
    assert_eq!(events.headers()["content-type"], "text/event-stream");
    let mut events = events.bytes_stream();
    let mut child = project
        .command(&["rank"])
        .spawn()
        .expect("the program starts");
    let (begun, mut text) = (Instant::now(), String::new());
    let seen = loop {
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "nothing was told: {text}"
        );
        let bytes = events.next().await.expect("an event").expect("bytes");
        text += std::str::from_utf8(&bytes).expect("UTF-8");
        let told = text.lines().filter_map(|line| line.strip_prefix("data: "));
        let told = told.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let running = told.filter_map(|now| now["running"].get(0).cloned());
        let found = running
            .into_iter()
            .find(|of| of["done"].as_u64().is_some_and(|done| done > 0));
        if let Some(found) = found {
            break found;
        }
    };
    println!("told after {:?}: {seen}", begun.elapsed());
    assert_eq!(seen["stage"], "rank");
    assert!(seen["total"].as_u64() >= seen["done"].as_u64() && seen["seconds_left"].is_number());
    assert!(
        child.wait().expect("it ends").success(),
        "reading did not disturb it"
    );
    let left = std::fs::read_dir(project.path("tasks/progress")).expect("a folder");
    assert_eq!(left.count(), 0, "what has ended says nothing any more");
}

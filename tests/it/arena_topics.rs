//! Trees from topics and a search of the web, through the whole program: a search engine and a
//! small site on loopback. Stopped anywhere, nothing is searched, asked or fetched twice; what
//! comes to no tree is counted by its cause; a key is found nowhere.

mod servers;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::{Command, Output, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::Duration,
};

use serde_json::{Value, json};

use self::servers::{counted, engine, site};
use crate::support::{ModelServer, Project, answers, llm, llm::Mood, llm::Play};

/// The address of a server that nobody asks.
const NOBODY: &str = "http://127.0.0.1:9/v1";
const KEY: &str = "planted-search-key";
/// Topics: of the second no page is found, the page of the third is no tree, and the last one has
/// the page of the first.
const TOPICS: [&str; 6] = [
    "Alpine Streams",
    "Desert Wadis",
    "Peat Bogs",
    "Lowland Canals",
    "Tidal Estuaries",
    "Salt Marshes",
];

/// A project with topics, and a search by this provider at this server.
fn project(provider: &str, server: &str) -> Project {
    let more = if provider == "google" {
        "engine_id = \"0:x\"\n"
    } else {
        ""
    };
    let project = Project::new(NOBODY).config(&format!(
        "[web]\npause_ms = 0\nper_host = 8\n[search]\nprovider = \"{provider}\"\nbase_url = \"{server}\"\nkey_env = \"SEARCH_KEY\"\n{more}"
    ));
    let topics: Vec<Value> = TOPICS
        .iter()
        .map(|name| json!({ "name": name, "id": 7 }))
        .collect();
    let all = json!({ "name": "All", "id": 0, "children": [{ "name": "Waters", "id": 1, "children": topics }] });
    std::fs::write(project.path("topics.json"), all.to_string()).expect("writable");
    project
}

fn command(project: &Project, count: &str, more: &[&str]) -> Command {
    let build = [
        "arena",
        "trees",
        "build",
        "--topics",
        "topics.json",
        "--count",
        count,
    ];
    let shape = [
        "--depth",
        "2",
        "--width",
        "2",
        "--allow-private-network",
        "--json",
    ];
    let mut command = project.command(&[&build[..], &shape[..], more].concat());
    command.env("SEARCH_KEY", KEY);
    command
}

fn built(output: &Output, code: i32) -> Value {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{told}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {told}"))
}

fn run(project: &Project, count: &str, more: &[&str], code: i32) -> Value {
    built(
        &command(project, count, more).output().expect("it starts"),
        code,
    )
}

/// Draws by number, in order.
fn draws(built: &Value) -> Vec<Value> {
    let draws = built["draws"].as_object().expect("draws");
    (1..=draws.len())
        .map(|number| draws[&number.to_string()].clone())
        .collect()
}

/// No file of the project holds the key.
fn assert_no_key(folder: &Path) {
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).expect("a file");
            let mut parts = bytes.windows(KEY.len());
            assert!(
                !parts.any(|part| part == KEY.as_bytes()),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn draws_end_by_their_causes_and_nothing_is_asked_twice() {
    let (site, pages) = site();
    let (server, searches) = engine(&site, |_| None);
    let project = project("serpapi", &server);
    let dry = run(&project, "20", &["--dry-run"], 0);
    assert_eq!(
        (&dry["draws"], &dry["searches"], &dry["calls"]),
        (&json!(60), &json!(6), &json!(0)),
        "{dry}"
    );
    assert!(counted(&searches).is_empty() && counted(&pages).is_empty());
    let first = run(&project, "20", &[], 1);
    let mut roots = BTreeSet::new();
    for draw in draws(&first) {
        let topic = draw["topic"][1].as_str().expect("a topic");
        let expect = match topic {
            "Desert Wadis" => "no_results",
            "Peat Bogs" => "invalid",
            "Salt Marshes" | "Alpine Streams" if roots.insert("alpine".to_owned()) => "tree",
            other
                if !["Salt Marshes", "Alpine Streams"].contains(&other)
                    && roots.insert(other.to_owned()) =>
            {
                "tree"
            }
            // Where the topic's page is a root, only what code refuses is left.
            _ => "none_chosen",
        };
        assert_eq!(draw["outcome"], expect, "{draw}");
        if expect == "invalid" {
            assert!(
                draw["reasons"]
                    .to_string()
                    .contains("0 levels below the root"),
                "{draw}"
            );
        }
    }
    assert_eq!(first["ended"]["cause"], "draws_used_up");
    assert_eq!(
        (&first["trees"], &first["outcomes"]["tree"]),
        (&json!(3), &json!(3))
    );
    assert_eq!(first["searches"], json!({ "sent": 6, "on_record": 54 }));
    let (asked, fetched) = (counted(&searches), counted(&pages));
    assert!(
        asked.contains_key(&format!("Peat Bogs Waters ({KEY})")),
        "{asked:?}"
    );
    assert!(
        asked.len() == 6 && asked.values().all(|n| *n == 1),
        "{asked:?}"
    );
    // Three trees of seven pages, and one page that is none.
    assert!(
        fetched.len() == 22 && fetched.values().all(|n| *n == 1),
        "{fetched:?}"
    );
    let trees = project.json(&["arena", "trees", "list"]);
    for tree in trees.as_array().expect("trees") {
        let (name, source) = (
            tree["name"].as_str().expect("a name"),
            tree["source"].as_str().expect("a text"),
        );
        let (slug, number) = name.rsplit_once('-').expect("topic and number");
        let draw = &first["draws"][number];
        let topic = draw["topic"][1].as_str().expect("a topic");
        assert_eq!(slug, topic.to_lowercase().replace(' ', "-"));
        for part in [
            topic,
            draw["query"].as_str().expect("a query"),
            draw["root"].as_str().expect("a root"),
        ] {
            assert!(source.contains(part), "{source}");
        }
    }
    // The same again, and with fewer trees: it is all there.
    let again = run(&project, "20", &[], 1);
    assert_eq!(
        (&again["draws"], &again["searches"]["sent"]),
        (&first["draws"], &json!(0))
    );
    assert_eq!(run(&project, "2", &[], 0)["ended"]["cause"], "enough");
    let dry = run(&project, "2", &["--dry-run"], 0);
    assert_eq!((&dry["trees"], &dry["searches"]), (&json!(0), &json!(0)));
    assert_eq!((counted(&searches), counted(&pages)), (asked, fetched));
    assert_no_key(project.folder.path());
}

#[test]
fn killed_at_many_moments_it_ends_as_if_it_had_not_been() {
    let (site, pages) = site();
    let (server, searches) = engine(&site, |_| None);
    let whole = project("brave", &server);
    let expect = run(&whole, "20", &[], 1);
    let (asked, fetched) = (counted(&searches), counted(&pages));
    let killed = project("brave", &server);
    let mut kills = 0;
    for wait in 0..12 {
        let mut child = command(&killed, "20", &["--quiet"])
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(Duration::from_millis(80 + 90 * wait));
        if child.try_wait().expect("a process").is_none() {
            kills += 1;
            child.kill().expect("it can be killed");
        }
        child.wait().expect("it ends");
    }
    assert!(kills > 0, "it was never killed");
    let end = run(&killed, "20", &[], 1);
    for what in ["draws", "trees", "ended", "outcomes"] {
        assert_eq!(end[what], expect[what], "{what} after {kills} kills");
    }
    let list = |project: &Project| project.json(&["arena", "trees", "list"]);
    assert_eq!(list(&killed), list(&whole));
    // Only what was in flight when it was killed is asked again: one thing a kill.
    let twice = |now: &BTreeMap<String, usize>, before: &BTreeMap<String, usize>| -> usize {
        now.iter().map(|(what, n)| n - before[what] - 1).sum()
    };
    let again = twice(&counted(&searches), &asked) + twice(&counted(&pages), &fetched);
    assert!(again <= kills, "{again} after {kills} kills");
}

#[test]
fn an_account_that_is_used_up_ends_it_and_it_goes_on_later() {
    let (site, _) = site();
    let full = Arc::new(AtomicBool::new(false));
    let filled = Arc::clone(&full);
    let (server, searches) = engine(&site, move |number| {
        let refuses = number >= 2 && !filled.load(SeqCst);
        refuses.then(|| {
            (
                429,
                format!("{{\"error\":\"{KEY}: Your account has run out of searches.\"}}"),
            )
        })
    });
    let project = project("serpapi", &server);
    let output = command(&project, "20", &[]).output().expect("it starts");
    let (first, told) = (
        built(&output, 3),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert_eq!(
        (&first["ended"]["cause"], &first["ended"]["why"]),
        (&json!("search_stopped"), &json!("quota"))
    );
    assert!(
        told.contains("no searches left") && told.contains("[key]") && !told.contains(KEY),
        "{told}"
    );
    let said = first.to_string();
    assert!(!said.contains(KEY), "{said}");
    // The refused one was sent once: a used-up account is not asked again at once.
    assert_eq!(counted(&searches).values().sum::<usize>(), 3);
    full.store(true, SeqCst);
    let second = run(&project, "20", &[], 1);
    let before = draws(&first);
    assert_eq!(draws(&second)[..before.len()], before[..]);
    assert_eq!(
        (&second["trees"], &second["searches"]["sent"]),
        (&json!(3), &json!(4))
    );
    assert_eq!(counted(&searches).values().sum::<usize>(), 7);
    assert_no_key(project.folder.path());
}

#[test]
fn three_failures_in_a_row_end_it_and_nothing_of_them_is_kept() {
    let (site, _) = site();
    let broken = Arc::new(AtomicBool::new(true));
    let is_broken = Arc::clone(&broken);
    let (server, searches) = engine(&site, move |number| {
        let page = "<html>try later</html>".to_owned();
        is_broken
            .load(SeqCst)
            .then_some((if number == 0 { 200 } else { 503 }, page))
    });
    let project = project("tavily", &server);
    let first = run(&project, "20", &[], 1);
    assert_eq!(first["ended"]["cause"], "failures_in_a_row", "{first}");
    assert_eq!(first["outcomes"], json!({ "no_answer": 3 }));
    // Three attempts at each.
    assert_eq!(counted(&searches).values().sum::<usize>(), 9);
    assert_eq!(project.count("SELECT count(*) FROM topic_draw"), 0);
    assert_eq!(project.count("SELECT count(*) FROM search"), 0);
    broken.store(false, SeqCst);
    let second = run(&project, "20", &[], 1);
    assert_eq!(
        (&second["trees"], &second["outcomes"]["no_answer"]),
        (&json!(3), &Value::Null)
    );
    assert_no_key(project.folder.path());
}

/// What a model says to the prompts of this command: the first of each is refused and asked again.
fn play(request: &llm::Request, first: &[AtomicBool; 2]) -> Play {
    let said = request.body["messages"].to_string();
    let said = match request.prompt() {
        "arena_query" if first[0].swap(false, SeqCst) => json!({ "query": "waters" }),
        "arena_query" => {
            let topic = TOPICS
                .iter()
                .find(|topic| said.contains(*topic))
                .expect("a topic");
            json!({ "query": format!("{topic} and their history") })
        }
        "arena_root" if first[1].swap(false, SeqCst) => {
            json!({ "reason": "the ninth", "choice": 9 })
        }
        "arena_root"
            if !["/alpine", "/lowland", "/tidal"]
                .iter()
                .any(|page| said.contains(page)) =>
        {
            json!({ "reason": "it says little", "choice": null })
        }
        "arena_root" => {
            let last = (1..=10)
                .rev()
                .find(|number| said.contains(&format!("\\n{number}.\\n")));
            json!({ "reason": "an article of a station", "choice": last })
        }
        _ => return answers::play(request, Mood::Helpful),
    };
    let completion = json!({
        "model": "fake-1",
        "choices": [{ "message": { "role": "assistant", "content": said.to_string() }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 10 }
    });
    Play::Raw(completion.to_string())
}

#[test]
fn a_model_writes_the_query_and_chooses_the_root() {
    let (site, _) = site();
    let (server, searches) = engine(&site, |_| None);
    let first = [AtomicBool::new(true), AtomicBool::new(true)];
    let fake = ModelServer::openai().plays(move |request| play(request, &first));
    let project = project("google", &server);
    let config = project.configuration().replace(NOBODY, &fake.url);
    project.configure(&config.replace("[roles]\n", "[roles]\nexamine = \"fake/m\"\n"));
    let dry = run(&project, "3", &["--dry-run"], 0);
    assert_eq!(
        (&dry["draws"], &dry["searches"], &dry["calls"]),
        (&json!(9), &json!(9), &json!(18)),
        "{dry}"
    );
    assert_eq!(fake.take(), 0);
    let grown = command(&project, "3", &[]).output().expect("it starts");
    let grown: Value = serde_json::from_slice(&grown.stdout).expect("JSON");
    assert_eq!(grown["outcomes"]["no_query"], Value::Null, "{grown}");
    for draw in draws(&grown) {
        let query = draw["query"].as_str().expect("a query");
        assert!(query.ends_with("and their history"), "{draw}");
        if draw["outcome"] == "tree" {
            assert_eq!(draw["why"], "an article of a station");
        } else if draw["topic"][1] == "Peat Bogs" {
            assert_eq!(
                (&draw["outcome"], &draw["reason"]),
                (&json!("none_chosen"), &json!("it says little"))
            );
        }
    }
    assert!(grown["outcomes"]["tree"].as_u64() > Some(0), "{grown}");
    let (calls, sent) = (fake.take(), counted(&searches));
    // Two were asked again.
    assert_eq!(
        calls as u64,
        grown["calls"]["sent"].as_u64().expect("a number") + 2
    );
    assert!(sent.values().all(|n| *n == 1), "{sent:?}");
    let again = command(&project, "3", &[]).output().expect("it starts");
    let again: Value = serde_json::from_slice(&again.stdout).expect("JSON");
    // What may pass is not kept, and made again only where trees are missing.
    let mut kept = grown["draws"].as_object().expect("draws").clone();
    kept.retain(|_, draw| draw["passing"] != true);
    assert_eq!(again["draws"], json!(kept));
    assert_eq!((fake.take(), counted(&searches)), (0, sent));
}

#[test]
fn what_cannot_work_is_one_message() {
    let project = project("brave", NOBODY);
    let build = |file: &str| {
        ["arena", "trees", "build", "--topics", file, "--count", "1"].map(str::to_owned)
    };
    let fails = |args: &[String], code: i32| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        project.fails(&args, code)
    };
    let told = fails(&build("topics.json"), 3);
    assert!(
        told.contains("the variable `SEARCH_KEY` is not set") && told.contains("hint:"),
        "{told}"
    );
    assert!(fails(&build("nowhere.json"), 2).contains("hint: a JSON file of topics"));
    for (text, expect) in [
        ("[".repeat(200_000), "not JSON"),
        (
            "{\"name\":\"\\u001b[31mA\",\"children\":[{}]}".to_owned(),
            "a topic without a `name`",
        ),
        ("\u{0}".to_owned(), "not JSON"),
    ] {
        std::fs::write(project.path("bad.json"), text).expect("writable");
        let told = fails(&build("bad.json"), 2);
        assert!(
            told.contains(expect) && told.contains("bad.json") && !told.contains('\u{1b}'),
            "{told}"
        );
    }
    fails(
        &[
            &build("topics.json")[..],
            &["https://a.example/".to_owned()],
        ]
        .concat(),
        2,
    );
    project.fails(&["arena", "trees", "build", "--topics", "topics.json"], 2);
    project.fails(&["arena", "trees", "build"], 2);
    project.reconfigure("[search]\nprovider = \"brave\"\n", "[search]\n");
    assert!(fails(&build("topics.json"), 2).contains("search needs a `provider`"));
    let config = project.configuration();
    let at = config.find("[search]").expect("a section");
    project.configure(&config[..at]);
    assert!(fails(&build("topics.json"), 2).contains("no search of the web is configured"));
    // A file on this machine is a search, too, without a key and a network.
    let (site, pages) = site();
    let line = json!({ "url": format!("{site}/alpine"), "title": "Alpine streams", "snippet": "Waters of all kinds: canals, bogs, marshes, wadis, estuaries." });
    std::fs::write(project.path("pages.jsonl"), line.to_string()).expect("writable");
    project.configure(
        &(config[..at].to_owned() + "[search]\nprovider = \"local\"\nfile = \"pages.jsonl\"\n"),
    );
    assert_eq!(run(&project, "1", &[], 0)["trees"], 1);
    assert_eq!(counted(&pages).len(), 7);
}

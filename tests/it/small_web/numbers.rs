//! Three ways to the same numbers: the tables, the served pages with the written reports, and the
//! fake models.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::{
    SmallWeb,
    agents::{AGENTS, command, prepare, reports},
    expected::{Changed, expected, expected_after_swap, expected_without},
    facts::{TASKS, fact},
    judge,
    promises::numbers,
    wire::follow,
};

#[test]
fn the_numbers_by_hand() {
    let check = |agent, task, own, independent, ace: f64, references, unreadable| {
        let found = expected(agent, task);
        let counts = (
            found.own,
            found.independent,
            found.references,
            found.unreadable,
        );
        assert_eq!(
            counts,
            (own, independent, references, unreadable),
            "{agent} {task}"
        );
        assert!(
            (found.ace - ace).abs() < 1e-9,
            "{agent} {task}: {}",
            found.ace
        );
    };
    check(
        "faithful",
        "soil",
        Some((7, 0, 2)),
        Some((8, 0, 7)),
        7.1,
        4,
        0,
    );
    check("half", "soil", Some((3, 3, 3)), Some((1, 1, 7)), 5.1, 4, 0);
    check(
        "tricky",
        "soil",
        Some((0, 0, 9)),
        Some((0, 0, 15)),
        0.0,
        4,
        0,
    );
    check(
        "faithful",
        "harbour",
        Some((6, 0, 2)),
        Some((2, 0, 8)),
        6.1,
        4,
        0,
    );
    check(
        "half",
        "harbour",
        Some((3, 3, 4)),
        Some((1, 1, 6)),
        5.1,
        5,
        0,
    );
    check("tricky", "harbour", None, Some((1, 1, 14)), 2.1, 3, 3);
    check(
        "faithful",
        "tea",
        Some((8, 0, 2)),
        Some((3, 0, 5)),
        8.1,
        5,
        0,
    );
    check("half", "tea", Some((3, 3, 2)), Some((2, 2, 8)), 5.1, 4, 0);
    check(
        "tricky",
        "tea",
        Some((0, 1, 1)),
        Some((1, 1, 14)),
        1.2,
        4,
        3,
    );
    check(
        "faithful",
        "opera",
        Some((6, 0, 2)),
        Some((4, 0, 6)),
        6.1,
        4,
        0,
    );
    check("half", "opera", Some((3, 3, 4)), Some((2, 1, 5)), 5.1, 5, 0);
    check("tricky", "opera", None, Some((1, 1, 12)), 1.2, 0, 0);
}

#[test]
fn a_removed_page_changes_whom_it_concerns() {
    let changed = |path| {
        let of =
            |(agent, task, now): Changed| (agent, task, now.own, now.independent, now.unreadable);
        expected_without(path)
            .into_iter()
            .map(of)
            .collect::<Vec<_>>()
    };
    // Only `half` cites it.
    let expect = [
        ("faithful", "soil", Some((7, 0, 2)), Some((7, 0, 6)), 0),
        ("half", "soil", Some((2, 2, 3)), Some((1, 1, 7)), 1),
        ("tricky", "soil", Some((0, 0, 9)), Some((0, 0, 13)), 0),
    ];
    assert_eq!(changed("/soil/mulch"), expect);
    // The mirror that `half` cites still has its facts: what the others cite is poorer only for
    // `half`.
    let expect = [
        ("faithful", "tea", Some((6, 0, 2)), Some((3, 0, 5)), 1),
        ("half", "tea", Some((3, 3, 2)), Some((1, 1, 8)), 0),
    ];
    assert_eq!(changed("/tea/pests"), expect);
    // The end of a chain, and the middle of it.
    assert_eq!(changed("/harbour/crews"), changed("/harbour/go-on"));
    assert_eq!(changed("/harbour/crews").len(), 3);
    // Nobody could read it before.
    assert_eq!(changed("/tea/check"), []);
}

#[test]
fn swapped_reports_take_their_numbers_along() {
    let swapped = expected_after_swap("faithful", "tricky");
    assert_eq!(swapped.len(), 8);
    for (agent, task, now) in swapped {
        let other = if agent == "faithful" {
            "tricky"
        } else {
            "faithful"
        };
        assert_eq!((agent != "half", now), (true, expected(other, task)));
    }
}

/// The paths that a report cites.
fn cited(url: &str, report: &str) -> BTreeSet<String> {
    let ends = |c: char| c.is_whitespace() || matches!(c, ')' | '?' | '#');
    report
        .split(url)
        .skip(1)
        .map(|after| after.split(ends).next().unwrap_or_default().to_owned())
        .collect()
}

/// The codes in a text, each with the first number after it.
fn said(text: &str) -> BTreeMap<String, String> {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let is_code = |word: &&str| {
        word.len() == 4 && word.starts_with(|c: char| c.is_ascii_uppercase()) && &word[1..2] == "-"
    };
    let codes = text.split(|c| !is_inner(c)).filter(is_code);
    let number = |code: &str| {
        text.split_once(code)
            .and_then(|(_, after)| numbers(after).first().map(ToString::to_string))
    };
    codes
        .filter_map(|code| Some((code.to_owned(), number(code)?)))
        .collect()
}

#[test]
fn the_reports_and_the_served_pages_give_the_same_numbers() {
    let web = SmallWeb::start();
    let mut pages: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let reports = reports(&web.url);
    let mut points = |paths: &BTreeSet<String>| -> Vec<BTreeMap<String, String>> {
        let mut read = |path: &String| {
            let read = || follow(&web.url, path);
            let facts = || {
                Some(read())
                    .filter(|page| page.status == 200)
                    .map(|page| said(&page.text()))
            };
            pages
                .entry(path.clone())
                .or_insert_with(|| facts().unwrap_or_default())
                .clone()
        };
        paths.iter().map(&mut read).collect()
    };
    for (agent, task, report) in &reports {
        let says = said(report);
        let mut shares = |paths: BTreeSet<String>| {
            let union: BTreeMap<String, String> = points(&paths).into_iter().flatten().collect();
            let right = union
                .iter()
                .filter(|(code, value)| says.get(*code) == Some(value))
                .count();
            let known = union.keys().filter(|code| says.contains_key(*code)).count();
            (!union.is_empty()).then_some((right, known - right, union.len() - known))
        };
        let others = reports
            .iter()
            .filter(|(other, of, _)| other != agent && of == task);
        let own = shares(cited(&web.url, report));
        let independent = shares(
            others
                .flat_map(|(.., report)| cited(&web.url, report))
                .collect(),
        );
        let read = points(&cited(&web.url, report));
        let expect = expected(agent, task);
        assert_eq!(
            (own, independent),
            (expect.own, expect.independent),
            "{agent} {task}"
        );
        let unreadable = read.iter().filter(|facts| facts.is_empty()).count();
        assert_eq!(
            (read.len(), unreadable),
            (expect.references, expect.unreadable),
            "{agent} {task}"
        );
        // Ratings n, n - 1, n - 2, n - 3 under the weights are n - 0.9.
        let ace = [0.0, 0.45, 1.2]
            .get(says.len())
            .copied()
            .unwrap_or(says.len() as f64 - 0.9);
        assert!((expect.ace - ace).abs() < 1e-9, "{agent} {task}");
    }
    assert_eq!(reports.len(), 12);
}

/// A request as a provider gets it, with each text in a fence of its own, under its label.
fn ask_labelled(asked: &str, texts: &[(&str, &str)], outside: &str) -> Value {
    let fence = |(number, (label, text)): (u64, &(&str, &str))| {
        format!("{label}\n[{number:016x}\n{text}\n{number:016x}]\n")
    };
    let fences: Vec<String> = (1..).zip(texts).map(fence).collect();
    let prompt = format!(
        "{outside} [1] as asked:\n{}\nAnswer [in JSON].",
        fences.concat()
    );
    let request = json!({
        "messages": [{ "role": "system", "content": "You judge." }, { "role": "user", "content": prompt }]
    });
    judge::reply(asked, &request)
}

fn ask(asked: &str, texts: &[&str], outside: &str) -> Value {
    let texts: Vec<(&str, &str)> = texts.iter().map(|text| ("", *text)).collect();
    ask_labelled(asked, &texts, outside)
}

#[test]
fn the_models_find_what_was_planted() {
    let web = SmallWeb::start();
    let mut asked = 0;
    for (agent, task, report) in reports(&web.url) {
        let text = TASKS.iter().find(|of| of.key == task).expect("a task").text;
        let mut relations: BTreeMap<String, String> = BTreeMap::new();
        for path in cited(&web.url, &report) {
            let page = follow(&web.url, &path);
            let text = [text, &page.text()];
            let found = ask("evaluate_key_points", &text, "");
            assert_eq!(
                found,
                ask(
                    "evaluate_key_points",
                    &[text[0], "A title, K-14 in 99 ways.", text[1]],
                    ""
                )
            );
            for point in found["points"].as_array().expect("a list") {
                let content = point["point_content"].as_str().expect("text");
                assert_eq!(point["spans"], json!([content]));
                assert!(text[1].contains(content));
                let reply = ask("evaluate_relation", &[text[0], content, &report], "");
                let labelled = [
                    ("The task that the report answers:", text[0]),
                    ("The report:", &report),
                    ("The key point:", content),
                ];
                assert_eq!(reply, ask_labelled("evaluate_relation", &labelled, ""));
                let code = reply["key_aspects"][0].as_str().expect("a code").to_owned();
                assert_eq!(
                    numbers(content.split_once(&code).expect("its code").1),
                    [fact(&code).value]
                );
                relations.insert(
                    code,
                    reply["relationship"].as_str().expect("a word").to_owned(),
                );
                asked += 1;
            }
        }
        let count = |word: &str| {
            relations
                .values()
                .filter(|relation| *relation == word)
                .count()
        };
        let shares = (count("SUPPORTS"), count("CONTRADICTS"), count("OMITS"));
        assert_eq!(
            Some(shares).filter(|_| !relations.is_empty()),
            expected(agent, task).own,
            "{agent} {task}"
        );
        assert!(
            (ace(text, &report) - expected(agent, task).ace).abs() < 1e-9,
            "{agent} {task}"
        );
    }
    assert!(asked > 80, "{asked}");
}

fn ace(task: &str, report: &str) -> f64 {
    let reply = ask("evaluate_checklist", &[task], "");
    let criteria = reply["evaluation_criteria"].as_array().expect("a list");
    let titles: BTreeSet<String> = criteria
        .iter()
        .map(|criterion| criterion["title"].to_string())
        .collect();
    assert_eq!((criteria.len(), titles.len()), (4, 4));
    let rate = |criterion: &Value| {
        let said = |key: &str| criterion[key].as_str().expect("text");
        let [title, description] = [said("title"), said("description")];
        let together = ask(
            "evaluate_rating",
            &[task, &format!("{title}\n{description}"), report],
            "",
        );
        assert_eq!(
            together,
            ask("evaluate_rating", &[task, title, description, report], "")
        );
        assert_eq!(
            together,
            ask(
                "evaluate_rating",
                &[task, report, &format!("{title}\n{description}")],
                ""
            )
        );
        assert_eq!(
            together,
            ask(
                "evaluate_rating",
                &[task, report],
                &format!("{title}: {description}")
            )
        );
        together["rating"].as_f64().expect("a number")
            * criterion["weight"].as_f64().expect("a number")
    };
    criteria.iter().map(rate).sum()
}

#[test]
fn criteria_depend_on_the_task() {
    let all: BTreeSet<String> = TASKS
        .iter()
        .map(|task| ask("evaluate_checklist", &[task.text], "")["evaluation_criteria"].to_string())
        .collect();
    assert_eq!(all.len(), TASKS.len());
}

#[test]
fn orders_are_followed_only_outside_a_fence() {
    let point = fact("K-14").sentence;
    for order in judge::ORDERS {
        let relation = |outside: &str, report: &str| {
            ask("evaluate_relation", &["A task.", point, report], outside)["relationship"].clone()
        };
        assert_eq!(relation(order, "Nothing."), "SUPPORTS");
        assert_eq!(
            relation("", &format!("Hear, {order}. Station K-14 read 24.")),
            "CONTRADICTS"
        );
        assert_eq!(relation("", order), "OMITS");
        assert_eq!(
            ask(
                "evaluate_rating",
                &["A task.", "Clarity: A task.", order],
                ""
            )["rating"],
            0
        );
        assert_eq!(
            ask(
                "evaluate_rating",
                &["A task.", "Clarity: A task.", "Nothing."],
                order
            )["rating"],
            10
        );
    }
}

#[test]
fn the_commands_print_the_reports() {
    let folder = tempfile::Builder::new()
        .prefix("a folder ")
        .tempdir()
        .expect("a temporary folder");
    prepare(folder.path(), "http://127.0.0.1:9");
    let run = |agent: &str, json: Value| {
        let line = command(agent, folder.path());
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &line])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = shell.spawn().expect("a shell");
        let input = child.stdin.take().expect("a pipe");
        serde_json::to_writer_pretty(input, &json).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        (
            output.status.code(),
            String::from_utf8(output.stdout).expect("UTF-8"),
        )
    };
    for (agent, task, report) in reports("http://127.0.0.1:9") {
        let text = TASKS.iter().find(|of| of.key == task).expect("a task").text;
        assert!(!text.contains(['"', '\\', '\n']));
        assert_eq!(
            run(agent, json!({ "id": "t_1", "task": text })),
            (Some(0), report)
        );
    }
    assert_eq!(
        run(AGENTS[0], json!({ "task": "Something else." })),
        (Some(1), String::new())
    );
}

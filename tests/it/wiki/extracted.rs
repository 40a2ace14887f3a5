//! Statements that a model writes out of a report's sentences: a planted report whose atomic
//! statements are known, with replies that are cut off, a statement without a sentence, and one
//! that makes up a number.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{bench, bench::TASKS, near, question, row, stances, value};
use crate::{
    deep_eval::fenced,
    pipeline::kill_when,
    support::{
        ModelServer, Project,
        llm::{Play, Request},
    },
};

const FACTS: [&str; 3] = ["evaluate", "--metric", "facts"];
const AGENT: &str = "strong";
const TITLE: &str = "Alder Bridge";

/// Three sections, each a chunk: sixteen sentences on pillars and lamps, sixteen on steps with a
/// transition, and four with a leak, a sentence whose reply is always cut, and one in Chinese.
fn report() -> String {
    let mut text = format!("# {TITLE}\n\n");
    for n in 1..=5 {
        let (first, second) = (2 * n - 1, 2 * n);
        // The gold article says ten feet for each number.
        let more = if n == 5 { 7 } else { 0 };
        let feet = [10 * first + more, 10 * second + more];
        let sentence = format!(
            "Pillars {first} and {second} of it measure {} and {} feet [1].",
            feet[0], feet[1]
        );
        writeln!(text, "{sentence}").expect("a text");
    }
    for n in 1..=11 {
        writeln!(text, "Lamp {n} of it is red.").expect("a text");
    }
    text.push_str("\n## Steps\n\nMore on this follows below.\n\n");
    for n in 1..=15 {
        writeln!(text, "- Step {n} of it is dry.[1]").expect("a text");
    }
    text.push_str(
        "\n## Odds\n\nIt has a toll house [2]. Rail 1 of it is iron. Unspeakable is this. 它的栏杆是铁的。\n",
    );
    let stem = TASKS[0];
    write!(
        text,
        "\n## References\n\n[1] https://example.org/{stem}\n[2] https://en.m.wikipedia.org/wiki/{stem}#History\n"
    )
    .expect("a text");
    text
}

/// The statements of a sentence.
fn atoms(sentence: &str) -> Vec<String> {
    if let Some(rest) = sentence.strip_prefix("Pillars ") {
        let words: Vec<&str> = rest.split(' ').collect();
        let [first, _, second, _, _, _, feet, _, other, ..] = words[..] else {
            panic!("{sentence}")
        };
        let atom = |pillar, feet| format!("Pillar {pillar} of {TITLE} measures {feet} feet.");
        return vec![atom(first, feet), atom(second, other)];
    }
    if sentence.contains(" of it is ") {
        return vec![sentence.replace(" it ", &format!(" {TITLE} "))];
    }
    match sentence {
        "It has a toll house." => vec![format!("{TITLE} has a toll house.")],
        "它的栏杆是铁的。" => vec!["桤木桥的栏杆是铁的。".to_owned()],
        "More on this follows below." => Vec::new(),
        other => panic!("{other}"),
    }
}

/// The numbered sentences that a request shows.
fn shown(request: &Request) -> Vec<(i64, String)> {
    let texts = fenced(&question(&request.body));
    let lines = texts.last().expect("lines").lines();
    let sentences = lines.filter(|line| !line.starts_with("# "));
    sentences
        .map(|line| {
            let (number, text) = line.split_once(' ').expect("a number");
            (number.parse().expect("a number"), text.to_owned())
        })
        .collect()
}

fn extracts(request: &Request) -> Play {
    let sentences = shown(request);
    assert!(
        sentences
            .iter()
            .all(|(_, text)| !text.contains("http") && !text.contains("[1]")),
        "{sentences:?}"
    );
    let is_of = |word: &str| sentences.iter().any(|(_, text)| text.starts_with(word));
    let mut statements = Vec::new();
    for (number, text) in &sentences {
        if text.starts_with("Unspeakable") {
            return Play::Long("{\"statements\":[".to_owned());
        }
        let atoms = atoms(text).into_iter();
        statements.extend(atoms.map(|text| json!({ "sentences": [number], "text": text })));
    }
    if is_of("Step") {
        if sentences.len() == 16 {
            return Play::Long(json!({ "statements": statements }).to_string());
        }
        if is_of("More on this") {
            statements.push(json!({ "sentences": [], "text": format!("{TITLE} is fine.") }));
            let made_up = format!("Step 4 of {TITLE} has 77 nails.");
            statements.push(json!({ "sentences": [5], "text": made_up }));
        }
    }
    Play::Say(json!({ "statements": statements }).to_string())
}

fn play(request: &Request) -> Play {
    match request.prompt() {
        "evaluate_statements" => extracts(request),
        _ => Play::Say(stances(&request.body).to_string()),
    }
}

/// One report on one task, and the setting.
fn imported(fake: &ModelServer) -> Project {
    let project =
        Project::new(&fake.url).config_instead("[roles]\n", "[roles]\nextract = \"fake/m\"\n");
    let folder = project.path("made");
    bench::write(&folder);
    let data = folder.join("test_data");
    for agency in ["middle", "weak"] {
        std::fs::remove_dir_all(data.join(agency)).expect("a folder");
    }
    for stem in TASKS {
        std::fs::remove_file(data.join(format!("{AGENT}/md_data/{stem}.md"))).expect("a file");
    }
    let path = data.join(format!("{AGENT}/md_data/{}.md", TASKS[0]));
    std::fs::write(path, report()).expect("writable");
    project.output(&["wiki", "import", "made"]);
    let setting = "[evaluate.settings.facts]\nstatements = \"model\"\n";
    project.config(setting)
}

/// What was planted.
fn expected() -> Value {
    json!({
        // Ten pillars, eleven lamps, fifteen steps, and three odds.
        "statements": 39,
        "repeated": 0,
        "refused": { "no_sentence": 1, "unknown_number": 1 },
        "sentences": 36,
        "represented": 34,
        "unread": { "truncated": 1 },
        // One whole, two halves, a half and two sentences.
        "chunks": 6,
        "chunks_without_reply": 1,
    })
}

fn check_board(project: &Project) {
    let board = project.json(&["leaderboard"]);
    near(value(&board, AGENT, "facts_borne_out"), 8.0 / 38.0, "right");
    near(value(&board, AGENT, "facts_conflict"), 2.0 / 38.0, "wrong");
    near(value(&board, AGENT, "facts_leaked"), 1.0 / 39.0, "leaked");
    near(
        value(&board, AGENT, "facts_represented"),
        34.0 / 35.0,
        "represented",
    );
    assert_eq!(
        row(&board, AGENT)["unscored"],
        json!({ "no statements: truncated": 1 })
    );
}

#[test]
fn planted_statements_come_out_as_planted() {
    let fake = ModelServer::openai().plays(play);
    let project = imported(&fake);
    let said = project.json(&["--dry-run", "evaluate", "--metric", "facts"]);
    let calls = said["calls"].as_object().expect("calls");
    let of = |role: &str| -> u64 {
        let of_role = calls.iter().filter(|(name, _)| name.starts_with(role));
        of_role.filter_map(|(_, of)| of["calls"].as_u64()).sum()
    };
    // 10 gold statements and 35 sentences that do not leak, eight at once.
    assert_eq!((of("extract: "), of("relate: ")), (3, 2 + 5), "{said}");
    assert_eq!(fake.take(), 0);

    let output = project.output(&[&FACTS[..], &["--json", "--max-unscored", "1"]].concat());
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let stage = &said["stages"][0];
    assert_eq!(stage["stage"], "statements", "{said}");
    assert_eq!(stage["rejected"], expected()["refused"]);
    let failed: Vec<&Value> = stage["failed"].as_array().expect("a list").iter().collect();
    assert_eq!(failed.len(), 1, "{stage}");
    assert_eq!(failed[0]["cause"], "truncated");
    let item = failed[0]["item"].as_str().expect("an item");
    assert!(item.ends_with("sentences 35 to 35"), "{item}");
    let note = "39 statements rest on 34 of 35 sentences (97.1 %); without a reply: 1 of 6 chunks, with 1 \
                sentences (truncated 1); refused: no_sentence 1, unknown_number 1";
    assert_eq!(stage["notes"], json!([note]));
    // A cut reply is asked for twice before its halves are: one, two and two halves, and of the
    // last chunk two, one, two, two and one.
    let asked = fake.taken();
    let extracting = asked
        .iter()
        .filter(|body| body["response_format"]["json_schema"]["name"] == "evaluate_statements");
    assert_eq!(extracting.count(), 1 + 4 + 8);
    check_board(&project);

    let facts = project.json(&["wiki", "facts"]);
    assert_eq!(facts["reader"], "model");
    assert_eq!(facts["statements"], json!({ AGENT: expected() }));
    let conflicts = facts["conflicts"].as_array().expect("a list");
    let mut texts: Vec<&str> = conflicts
        .iter()
        .filter_map(|of| of["in_report"].as_str())
        .collect();
    texts.sort_unstable();
    let wrong = [
        "Pillar 10 of Alder Bridge measures 107 feet.",
        "Pillar 9 of Alder Bridge measures 97 feet.",
    ];
    assert_eq!(texts, wrong, "{facts}");
    let told = project.ok(&["wiki", "facts"]);
    assert!(told.contains(&format!("{AGENT}: {note}")), "{told}");

    check_export(&project);

    // Again: nothing is asked.
    project.output(&FACTS);
    assert_eq!(fake.take(), 0);
    check_board(&project);
}

/// The statements of the model come out in the benchmark's layout, with the addresses of their
/// sentences.
fn check_export(project: &Project) {
    project.ok(&["wiki", "export", "out"]);
    let stem = TASKS[0];
    let path = project.path(&format!("out/test_data/{AGENT}/json_data/{stem}.json"));
    let text = std::fs::read_to_string(path).expect("a file");
    let article: Value = serde_json::from_str(&text).expect("JSON");
    let pages = article["query"]["pages"].as_object().expect("pages");
    let page = pages.values().next().expect("a page");
    let statements = page["statements"].as_array().expect("statements");
    assert_eq!(statements.len(), 39);
    let first = json!({
        "fact": "Pillar 1 of Alder Bridge measures 10 feet.",
        "ref_idx": "1",
        "url": format!("https://example.org/{stem}"),
    });
    assert_eq!(statements[0], first);
    let cited = statements
        .iter()
        .filter(|of| !of["ref_idx"].is_null())
        .count();
    assert_eq!(cited, 10 + 15 + 1);
    let results = project.path("out/results");
    let found = walk(&results).into_iter();
    let found = found.filter(|path| path.ends_with(format!("{stem}_verifiability.json")));
    let found: Vec<_> = found.collect();
    assert_eq!(found.len(), 1);
    let text = std::fs::read_to_string(&found[0]).expect("a file");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(file["num_gen_sentences"], 38, "{file}");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                walk(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Killed at several moments, it ends as if undisturbed, and asks no committed question again.
#[test]
fn killed_while_it_extracts_it_ends_as_planted() {
    let fake = ModelServer::openai()
        .delay(std::time::Duration::from_millis(30))
        .at_once(2)
        .plays(play);
    let project = imported(&fake);
    let mut killed = 0;
    for calls in [1, 2, 4, 6, 9] {
        killed += usize::from(kill_when(
            &project,
            &FACTS,
            "SELECT count(*) FROM call",
            calls,
        ));
    }
    assert!(killed >= 2, "{killed}");
    let before = fake.repeats();
    let committed = project.count("SELECT count(*) FROM call");
    project.output(&FACTS);
    let missing = project.count("SELECT count(*) FROM call") - committed;
    let after = fake.repeats();
    let sum = |of: &std::collections::BTreeMap<String, usize>| of.values().sum::<usize>();
    // Calls whose reply is cut have two requests: at most the cut ones of both chunks.
    let asked = (sum(&after) - sum(&before)) as i64;
    assert!(
        (missing..=missing + 4).contains(&asked),
        "{asked} for {missing}"
    );
    check_board(&project);
    assert_eq!(
        project.json(&["wiki", "facts"])["statements"][AGENT],
        expected()
    );
}

#[test]
fn a_model_s_statements_are_a_choice_of_their_own() {
    let fake = ModelServer::openai().plays(play);
    let project = imported(&fake);
    let with_model = project.configuration();
    let without = with_model.replace("[evaluate.settings.facts]\nstatements = \"model\"\n", "");
    project.configure(&without);
    project.ok(&FACTS);
    let usual = project.json(&["leaderboard"]);
    assert_eq!(value(&usual, AGENT, "facts_represented"), None);
    assert!(project.json(&["wiki", "facts"])["statements"].is_null());
    project.configure(&with_model);
    project.output(&[&FACTS[..], &["--max-unscored", "1"]].concat());
    check_board(&project);
    // Back again: everything is on record, with the same figures.
    fake.take();
    project.configure(&without.replace(
        "[roles]\n",
        "[evaluate.settings.facts]\nstatements = \"sentences\"\n[roles]\n",
    ));
    project.ok(&FACTS);
    assert_eq!(fake.take(), 0);
    assert_eq!(project.json(&["leaderboard"])["agents"], usual["agents"]);
    // Both readers at once are refused.
    project.configure(&with_model.replace(
        "statements = \"model\"",
        "statements = \"model\"\nreader = \"compat\"",
    ));
    let said = project.fails(&FACTS, 2);
    assert!(
        said.contains("`statements = \"model\"` takes our own sentences")
            && said.contains("hint: leave out one of the two"),
        "{said}"
    );
}

//! One task, three pages and two reports, judged by the embedded model as it is: what it finds, and
//! how often it says what a careful reader says. `TASKGEN_JUDGE` names another one, e.g.
//! `local/qwen2.5-coder-1.5b`.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use axum::{Router, response::Html, routing::get};
use serde_json::{Value, json};
use taskgen::stats::agreement;

use crate::support::{Project, web, woven};

const TASK: &str = "Compare how river gauges fail in cold water, and propose a protocol that keeps winter readings usable.";

/// Pages, a sentence each line. What is about the task is marked with `+`; what the report that
/// goes astray contradicts with `!` in its place (it omits the others, and the faithful one
/// supports all); the rest is what pages have besides.
const PAGES: [(&str, &str, &[&str]); 3] = [
    (
        "ice",
        "Ice on gauges",
        &[
            "!Frazil ice blocked the intake pipe of 14 of 32 gauges in the winter of 2019.",
            "!A blocked intake reads a level that stays constant for hours while the river rises.",
            "+Heating the intake with 40 watts kept it open at air temperatures down to minus 25 degrees.",
            "Our institute was founded in 1962 and has a small museum that is open on Sundays.",
            "Subscribe to the newsletter to hear about open days and school visits.",
        ],
    ),
    (
        "drift",
        "Drift of pressure sensors",
        &[
            "!Pressure sensors drifted by 3 millimetres for each degree below four degrees of water temperature.",
            "+The drift came back to zero within two days after the water had warmed up.",
            "+A second sensor in air does not correct this drift, because it is not in the cold water.",
            "The author thanks the rangers for coffee and for digging out the van twice.",
        ],
    ),
    (
        "protocol",
        "Checking readings in winter",
        &[
            "!Operators who compared each gauge with a staff reading once a week found faults nine days earlier.",
            "+Readings should be flagged when the level stays the same for six hours and the air is below zero.",
            "+Weekly visits cost about 90 euros a gauge, which is half of what a telemetry alarm costs.",
            "This page was last changed by the web team, and comments are closed.",
        ],
    ),
];

/// A report that says what the pages say, and one that says the opposite or something else.
const REPORTS: [(&str, &str); 2] = [
    (
        "faithful",
        "In cold water gauges fail in two ways. Frazil ice blocks intake pipes: in the winter of 2019 it happened to 14 of 32 \
         gauges, and a blocked intake shows a constant level for hours although the river rises. Heating with 40 watts keeps \
         an intake open down to minus 25 degrees of air temperature. Pressure sensors drift by 3 millimetres for each degree \
         below four degrees, and the drift is gone two days after the water has warmed up; a second sensor in air cannot \
         correct it. The protocol: compare each gauge with a staff reading every week, which finds faults nine days earlier \
         and costs about 90 euros a gauge, half of a telemetry alarm; flag readings that stay the same for six hours while \
         the air is below zero.",
    ),
    (
        "astray",
        "Gauges hardly fail in cold water. Frazil ice blocked none of 32 gauges in the winter of 2019, and a blocked intake \
         would show a falling level at once. Pressure sensors do not drift in cold water. Staff readings are not worth their \
         cost. What matters is that bridges are painted every ten years, that boats are kept away from the banks in summer, \
         and that the public is told about floods by radio. The protocol is to replace every gauge each spring.",
    ),
];

/// Starts the server of the pages.
fn serve() -> String {
    web::serve(
        PAGES
            .iter()
            .fold(Router::new(), |app, (name, title, lines)| {
                let page = page(title, lines);
                app.route(&format!("/{name}"), get(async move || Html(page)))
            }),
    )
}

fn page(title: &str, lines: &[&str]) -> String {
    let body: Vec<&str> = lines.iter().map(|line| plain(line)).collect();
    let body = body.join("</p><p>");
    format!(
        "<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{body}</p></body></html>"
    )
}

/// The project of one task, with the reports of both agents.
fn project() -> Project {
    let (_, project) = woven();
    project.sql(&format!(
        "UPDATE task SET text = '{TASK}', superseded = id <> (SELECT min(id) FROM task), language = 'en',
            payload = json_remove(payload, '$.seal')"
    ));
    let task: Value =
        serde_json::from_str(project.export().lines().next().expect("a task")).expect("JSON");
    let url = serve();
    project.configure("[web]\npause_ms = 0\nrobots = false\n[similarity]\nmodel = \"none\"\n");
    let links: Vec<String> = PAGES
        .iter()
        .map(|(name, title, _)| format!("- [{title}]({url}/{name})"))
        .collect();
    let links = links.join("\n");
    for (agent, text) in REPORTS {
        let file = project.path(&format!("{agent}.jsonl"));
        let article = format!("# Gauges in winter\n\n{text}\n\n## References\n\n{links}");
        let line = json!({ "id": task["id"], "article": article });
        std::fs::write(&file, line.to_string()).expect("writable");
        let file = file.to_str().expect("UTF-8");
        project.ok(&["reports", "import", file, "--agent", agent]);
    }
    project
}

/// Runs `evaluate` with the judge and returns its exit code and its summary.
fn evaluate(project: &Project, model: &str) -> (Option<i32>, Value) {
    let mut arguments = ["evaluate", "--allow-private-network", "--json"]
        .map(str::to_owned)
        .to_vec();
    for role in ["keypoints", "judge", "checklist", "rate"] {
        arguments.extend(["--model-role".to_owned(), format!("{role}={model}")]);
    }
    let done = project.output(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let summary = serde_json::from_slice(&done.stdout)
        .unwrap_or_else(|e| panic!("no summary: {e}: {}", String::from_utf8_lossy(&done.stderr)));
    (done.status.code(), summary)
}

/// A small model judges badly, and that is not held against it here. What must hold for any judge:
/// the run ends, each report has a verdict or a cause for each key point, quotes are the pages'
/// own, and nothing is asked twice.
#[test]
fn evaluation_by_the_local_model() {
    let model =
        std::env::var("TASKGEN_JUDGE").unwrap_or_else(|_| "local/qwen2.5-coder-0.5b".to_owned());
    let project = project();
    let begun = Instant::now();
    let (code, summary) = evaluate(&project, &model);
    println!(
        "{model}, {:.0} s, exit {code:?}",
        begun.elapsed().as_secs_f64()
    );
    for stage in summary["stages"].as_array().expect("stages") {
        println!(
            "{:<12} done {} failed {} rejected {}",
            stage["stage"], stage["done"], stage["failed"], stage["rejected"]
        );
    }
    assert!(
        matches!(code, Some(0 | 1 | 4)),
        "done, or with some unscored: {code:?}, {summary}"
    );
    board(&project);
    points(&project);
    relations(&project);

    let known = project.count("SELECT count(*) FROM call");
    let (again, summary) = evaluate(&project, &model);
    assert_eq!(
        (again, project.count("SELECT count(*) FROM call")),
        (code, known),
        "a second run asks nothing and ends as the first: {summary}"
    );
}

/// Both agents are there, and what has a score is within its range.
fn board(project: &Project) {
    let board = project.json(&["leaderboard"]);
    let rows = board["agents"].as_array().expect("agents");
    let mut agents = BTreeSet::new();
    for row in rows {
        println!(
            "{:<9} ACE {} own {} unscored {}",
            row["agent"].as_str().unwrap_or_default(),
            row["measures"]["ace"]["value"],
            row["measures"]["ksr_own"]["counts"],
            row["unscored"]
        );
        agents.insert(row["agent"].as_str().expect("a name"));
        let ace = row["ace"]["value"].as_f64();
        assert!(ace.is_none_or(|ace| (0.0..=10.0).contains(&ace)), "{row}");
    }
    assert_eq!(agents, REPORTS.iter().map(|(agent, _)| *agent).collect());
}

fn is_about(line: &str) -> bool {
    line.starts_with(['+', '!'])
}

fn plain(line: &str) -> &str {
    line.trim_start_matches(['+', '!'])
}

fn lines() -> impl Iterator<Item = &'static str> {
    PAGES.iter().flat_map(|(_, _, lines)| lines.iter().copied())
}

/// The lines of the pages that are among the spans.
fn rests_on(spans: &str) -> impl Iterator<Item = &'static str> {
    lines().filter(move |line| spans.contains(plain(line).trim_end_matches('.')))
}

/// Of the key points that were found: how many rest on a line about the task, and how many of these
/// lines were found.
fn points(project: &Project) {
    let of: Vec<(String, String)> = rows(
        project,
        "SELECT text, spans FROM key_point WHERE verified = 1 ORDER BY source, id",
    );
    let mut hit = BTreeSet::new();
    for (text, spans) in &of {
        println!("  {text}\n    {spans}");
        let lines: Vec<&str> = rests_on(spans).collect();
        assert!(!lines.is_empty(), "no line of a page is quoted: {spans}");
        hit.extend(lines);
    }
    let about = lines().filter(|line| is_about(line)).count();
    let found = hit.iter().filter(|line| is_about(line)).count();
    println!(
        "{} key points; {found} of {about} lines about the task, {} others",
        of.len(),
        hit.len() - found
    );
    assert!(found >= 6, "{found} of {about} lines about the task");
}

/// What was said of the two reports, and how often a careful reader says the same of the lines
/// about the task.
fn relations(project: &Project) {
    let said = "SELECT a.name, coalesce(j.label, j.cause) || '|' || coalesce(k.spans, '') FROM judgement j
        JOIN document d ON d.id = j.subject JOIN agent a ON a.id = d.agent JOIN key_point k ON k.id = j.other
        WHERE j.instrument LIKE 'kae/%'";
    let mut counts = BTreeMap::<(String, &str, String), usize>::new();
    for (agent, said) in rows(project, said) {
        let (said, spans) = said.split_once('|').expect("both");
        let right = match rests_on(spans).next().filter(|line| is_about(line)) {
            Some(_) if agent == "faithful" => "SUPPORTS",
            Some(line) if line.starts_with('!') => "CONTRADICTS",
            _ => "OMITS",
        };
        *counts.entry((agent, right, said.to_owned())).or_default() += 1;
    }
    println!("agent     a reader says  the model says");
    for ((agent, right, said), n) in &counts {
        println!("{agent:<9} {right:<14} {said:<12} {n}");
    }
    let same: usize = counts
        .iter()
        .filter(|((_, right, said), _)| right == said)
        .map(|(_, n)| n)
        .sum();
    let all: usize = counts.values().sum();
    println!("the same: {same} of {all}");
    let of_agent = |name: &str| -> usize {
        counts
            .iter()
            .filter(|((agent, ..), _)| agent == name)
            .map(|(_, n)| n)
            .sum()
    };
    assert!(all > 0, "no verdicts");
    assert_eq!(
        REPORTS.map(|(agent, _)| of_agent(agent)),
        [all / 2; 2],
        "each report is compared with each key point"
    );
    assert!(same * 3 >= all, "worse than a guess among three verdicts");
}

/// In the strict form, asked about by one, by five and by eight: how often the model says the same
/// of a report and a point, and how often it says what a careful reader says. As above, it is
/// measured and not held against a small model; what must hold is that each pair has a verdict or a
/// cause.
#[test]
fn evaluation_by_the_local_model_in_batches() {
    let model =
        std::env::var("TASKGEN_JUDGE").unwrap_or_else(|_| "local/qwen2.5-coder-0.5b".to_owned());
    let runs: Vec<(usize, Said)> = [1, 5, 8]
        .map(|batch| {
            let project = project();
            let form = format!("[evaluate]\nform = \"strict\"\nbatch = {batch}\n");
            project.configure(&(project.configuration() + &form));
            let (code, summary) = evaluate(&project, &model);
            assert!(matches!(code, Some(0 | 1 | 4)), "{code:?}, {summary}");
            (batch, strict_relations(&project))
        })
        .into();
    let (_, alone) = &runs[0];
    assert!(!alone.is_empty(), "no verdicts");
    for (batch, said) in &runs {
        assert!(
            said.keys().eq(alone.keys()),
            "each pair has a verdict or a cause"
        );
        let read = said
            .values()
            .filter(|(label, _)| WORDS.contains(&label.as_str()));
        let right = read.clone().filter(|(label, right)| label == right).count();
        println!(
            "by {batch}: {right} of {} as a careful reader, {} readable",
            said.len(),
            read.count()
        );
    }
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let value = |label: &str| {
            let place = WORDS.iter().position(|word| *word == label)?;
            Some(place as f64)
        };
        let items: Vec<[Option<f64>; 2]> = alone
            .keys()
            .map(|pair| [one, other].map(|run| value(&runs[run].1[pair].0)))
            .collect();
        println!(
            "by {} and by {}: the same {:?}, kappa {:?}",
            runs[one].0,
            runs[other].0,
            agreement::percent(&items),
            agreement::fleiss(&items)
        );
    }
}

/// By agent and quoted words of a point: what the model says, and what a careful reader says.
type Said = BTreeMap<String, (String, &'static str)>;

const WORDS: [&str; 4] = ["SUPPORTS", "PARTLY", "OMITS", "CONTRADICTS"];

/// What was said of each agent's report and point, with what a careful reader says.
fn strict_relations(project: &Project) -> Said {
    let said = "SELECT a.name || '|' || k.spans, upper(coalesce(j.label, j.cause)) FROM judgement j
        JOIN document d ON d.id = j.subject JOIN agent a ON a.id = d.agent JOIN key_point k ON k.id = j.other
        WHERE j.instrument LIKE 'kae/relation/%'";
    let rows = rows(project, said).into_iter();
    rows.map(|(pair, said)| {
        let line = rests_on(&pair).next().filter(|line| is_about(line));
        let right = match line {
            Some(_) if pair.starts_with("faithful") => "SUPPORTS",
            Some(line) if line.starts_with('!') => "CONTRADICTS",
            _ => "OMITS",
        };
        (pair, (said, right))
    })
    .collect()
}

fn rows(project: &Project, sql: &str) -> Vec<(String, String)> {
    let database = project.database();
    let mut statement = database.prepare(sql).expect("a query");
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

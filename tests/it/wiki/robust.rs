//! Articles and their judge under strain: a server that fails in eleven ways, and long articles
//! with many statements in a question.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{Router, extract::Path, response::Html, routing::get};
use serde_json::{Value, json};
use taskgen::llm::Provider;

use super::{answer, bench, bench::AGENCIES, imported, near, stances, value};
use crate::{
    faults::{self, Words},
    support::{
        ModelServer, Project,
        llm::{Attempts, Play},
        web,
    },
};

/// What a server can say instead of a reply.
fn words(good: &Value) -> Words {
    let (list, key, unknown) = match good.get("items") {
        Some(_) => ("items", "winner", "C"),
        None => ("verdicts", "stance", "perhaps"),
    };
    let with = |value: &str| {
        let mut other = good.clone();
        other[list][0][key] = json!(value);
        other.to_string()
    };
    let mut fewer = good.clone();
    fewer[list].as_array_mut().expect("a list").pop();
    Words {
        good: good.to_string(),
        other: fewer.to_string(),
        not_a_number: good.to_string().replacen(':', ": NaN, \"x\":", 1),
        unknown: with(unknown),
    }
}

/// Three attempts in ten meet a fault. Each item has a verdict or a cause after every run, and in
/// the end every figure is what was planted.
#[test]
fn three_hostile_replies_in_ten_move_no_figure() {
    let (attempts, met) = (Attempts::default(), Arc::new(AtomicUsize::new(0)));
    let faults = Arc::clone(&met);
    let server = ModelServer::openai().plays(move |request| {
        let (item, attempt) = attempts.of(&request.body);
        let fault = faults::passing(item, attempt);
        faults.fetch_add(usize::from(fault.is_some()), Ordering::SeqCst);
        faults::play(Provider::OpenAi, fault, words(&answer(&request.body)))
    });
    let project = imported(&server);
    let mut runs = 0;
    loop {
        runs += 1;
        let output = project.output(&[
            "evaluate",
            "--metric",
            "writing,facts",
            "--retry-failed",
            "--max-unscored",
            "1",
        ]);
        // 39 criteria in two orders of twelve reports: each has a verdict or a cause.
        let typed = project.count(
            "SELECT count(DISTINCT subject || other) FROM judgement
             WHERE instrument LIKE 'writing/criterion/%' AND (state = 'scored' OR cause IS NOT NULL)",
        );
        assert_eq!(typed, 12 * 78);
        if output.status.success() {
            break;
        }
        assert!(runs < 6, "{}", String::from_utf8_lossy(&output.stderr));
    }
    println!(
        "{} faults in {} requests, {runs} runs",
        met.load(Ordering::SeqCst),
        server.seen().len()
    );
    assert!(met.load(Ordering::SeqCst) > 20);
    let board = project.json(&["leaderboard"]);
    for (agent, wins) in AGENCIES {
        let mean = bench::mean_wins(&wins);
        near(value(&board, agent, "writing"), mean, agent);
        let (right, wrong, _) = bench::pillars(agent);
        let (right, wrong) = (right as f64, wrong as f64);
        let (pillars, statements) = (bench::PILLARS as f64, 40.0 + right + wrong);
        near(
            value(&board, agent, "facts_covered"),
            right / pillars,
            agent,
        );
        near(
            value(&board, agent, "facts_conflict"),
            wrong / statements,
            agent,
        );
    }
}

/// Paragraphs that say nothing of pillars, in the words of those that do.
fn padded(text: &str, title: &str) -> String {
    let mut padded = String::new();
    let mut entries = 0;
    let mut ledger = || {
        let mut paragraph = String::new();
        for _ in 0..6 {
            entries += 1;
            write!(
                paragraph,
                "Entry {entries} of the ledger of {title} lists {entries} feet of oak and {} of \
                 rope for the pillar yard. ",
                entries * 3
            )
            .expect("a text");
        }
        paragraph
    };
    for (n, sentence) in text.split_inclusive(" feet.").enumerate() {
        padded.push_str(sentence);
        if sentence.contains("Pillar ") && n < 12 {
            write!(padded, "\n\n{}\n\n", ledger()).expect("a text");
        }
    }
    padded
}

/// The verdicts on statements, and what they took: questions and characters.
fn judged(batch: usize) -> (BTreeMap<String, String>, usize, usize) {
    let fake = ModelServer::openai().plays(|request| Play::Say(stances(&request.body).to_string()));
    let project = Project::new(&fake.url);
    bench::write(&project.path("made"));
    for stem in bench::TASKS {
        let title = stem.replace('_', " ");
        let mut paths = vec![format!("wiki_data/cleaned_data/article/{stem}.md")];
        paths.extend(AGENCIES.map(|(agent, _)| format!("test_data/{agent}/md_data/{stem}.md")));
        for path in paths {
            let path = project.path("made").join(path);
            let text = std::fs::read_to_string(&path).expect("an article");
            std::fs::write(path, padded(&text, &title)).expect("writable");
        }
    }
    project.ok(&["wiki", "import", "made"]);
    project.configure(&(project.configuration() + &format!("[evaluate]\nbatch = {batch}\n")));
    project.ok(&["evaluate", "--metric", "facts"]);
    let taken = fake.taken();
    let characters = taken.iter().map(|of| of["messages"].to_string().len());
    let database = project.database();
    let mut rows = database
        .prepare(
            "SELECT instrument || subject || other, label FROM judgement
             WHERE instrument LIKE 'facts/in-%'",
        )
        .expect("SQL");
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let verdicts = rows.expect("rows").map(|row| row.expect("a row"));
    (verdicts.collect(), taken.len(), characters.sum())
}

/// Many statements in a question share their passages: what is found alone is found together, for
/// less than half of the characters. A passage that is shown for a neighbour may decide, too.
#[test]
fn batches_of_statements_give_the_verdicts_of_single_questions() {
    let (single, calls, characters) = judged(1);
    for batch in [8, 16] {
        let (batched, fewer_calls, fewer) = judged(batch);
        assert_eq!(single.len(), batched.len());
        let same = single
            .iter()
            .filter(|(key, label)| batched[*key] == **label);
        println!(
            "by {batch}: {} of {} verdicts are those of single questions; {fewer_calls} instead of \
             {calls} questions, {:.1} % of the characters",
            same.clone().count(),
            single.len(),
            100.0 * fewer as f64 / characters as f64
        );
        assert!(same.count() * 100 >= single.len() * 99);
        let lost = single
            .iter()
            .filter(|(key, label)| *label != "silent" && batched[*key] != **label);
        assert_eq!(lost.count(), 0);
        let silent = batched.values().filter(|label| *label == "silent").count();
        assert!(silent > 0);
        let said = batched.values().filter(|label| *label != "silent").count();
        assert_eq!(said, 4 * 2 * (8 + 6 + 4), "what is planted is found");
        assert!(fewer * 2 <= characters, "{fewer} of {characters}");
    }
}

/// Reports whose pillars cite a page of ours: each measure of citations is what was planted, and what
/// a dead page takes is what was computed by hand.
#[test]
fn planted_citations_come_out_as_planted() {
    // The page of an article measures each pillar rightly.
    let pages = |title: &str| -> String {
        let pillars: Vec<String> = (1..=bench::PILLARS)
            .map(|n| bench::pillar(title, n, 10 * n))
            .collect();
        format!(
            "<!DOCTYPE html><html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{}</p>\
             <p>The county keeps the drawings of this structure, and lends them to schools.</p></main></body></html>",
            pillars.join(" ")
        )
    };
    let web = web::serve(Router::new().route(
        "/{stem}",
        get(move |Path(stem): Path<String>| async move { Html(pages(&stem.replace('_', " "))) }),
    ));
    let fake = ModelServer::openai().plays(|request| Play::Say(stances(&request.body).to_string()));
    let project = Project::new(&fake.url).config("[web]\npause_ms = 0\n");
    bench::write(&project.path("made"));
    for (agent, _) in AGENCIES {
        for (n, stem) in bench::TASKS.into_iter().enumerate() {
            let path = project
                .path("made")
                .join(format!("test_data/{agent}/md_data/{stem}.md"));
            let text = std::fs::read_to_string(&path).expect("an article");
            // The first article's page is gone.
            let page = if n == 0 { "gone/away" } else { stem };
            let text = text
                .replace(" feet.", " feet [3].")
                .replace(" [1].", ".")
                .replace("It has a toll house [2].", "");
            let (text, _) = text.split_once("\n## References").expect("references");
            let text = format!("{text}\n## References\n\n[3] {web}/{page}\n");
            std::fs::write(path, text).expect("writable");
        }
    }
    project.ok(&["wiki", "import", "made"]);
    project.ok(&["evaluate", "--allow-private-network", "--metric", "claims"]);
    let board = project.json(&["leaderboard"]);
    for (agent, _) in AGENCIES {
        let (right, wrong, _) = bench::pillars(agent);
        let (right, wrong) = (right as f64, wrong as f64);
        let (checked, all) = (3.0 * (right + wrong), 4.0 * (right + wrong));
        let supported = 3.0 * right;
        near(
            value(&board, agent, "claims_supported"),
            supported / checked,
            agent,
        );
        near(
            value(&board, agent, "claims_supported_of_all"),
            supported / all,
            agent,
        );
        near(
            value(&board, agent, "claims_contradicted"),
            3.0 * wrong / checked,
            agent,
        );
        near(
            value(&board, agent, "claims_contradicted_of_all"),
            3.0 * wrong / all,
            agent,
        );
    }
}

//! Facts by place, contradictions side by side, and what scores depend on, on the made-up benchmark.

use serde_json::{Value, json};

use super::{AGENCIES, EVALUATE, bench, imported, nobody, reply, stances};
use crate::support::{ModelServer, llm::Play};

fn rows<'a>(of: &'a Value, key: &str) -> &'a Vec<Value> {
    of[key].as_array().expect("a list")
}

#[test]
fn facts_stand_in_their_parts_and_contradictions_side_by_side() {
    let fake = ModelServer::openai().plays(|request| Play::Say(stances(&request.body).to_string()));
    let project = imported(&fake);
    let said = project.fails(&["wiki", "facts"], 2);
    assert!(said.contains("evaluate --metric facts"), "{said}");
    project.ok(&["evaluate", "--metric", "facts"]);
    fake.take();
    let found = project.json(&["wiki", "facts", "--html", "facts.html"]);
    assert_eq!(found["reports"], 12);
    for (agent, _) in AGENCIES {
        let (right, wrong, _) = bench::pillars(agent);
        let row = rows(&found, "agents")
            .iter()
            .find(|of| of["agent"] == agent);
        let row = row.expect("a row");
        assert_eq!(row["articles"], 4);
        // A statement of ten in each part, in each of four articles.
        for (n, part) in rows(row, "parts").iter().enumerate() {
            let covered = if n < right { 4 } else { 0 };
            assert_eq!(
                (&part["covered"], &part["decided"]),
                (&json!(covered), &json!(4)),
                "{agent}, part {n}"
            );
        }
        let kinds = &found["kinds"][agent];
        if wrong == 0 {
            assert!(kinds.is_null(), "{kinds}");
        } else {
            // Of each article, asked in both directions.
            assert_eq!(kinds, &json!({ "number": 4 * 2 * wrong }), "{agent}");
        }
    }
    let conflicts = rows(&found, "conflicts");
    // Agents by name; of a report its own statements come first.
    let first = &conflicts[0];
    let article = first["article"].as_str().expect("a title");
    assert_eq!(
        (&first["agent"], &first["in_report"], &first["in_gold"]),
        (
            &json!("middle"),
            &json!(bench::pillar(article, 6, 67)),
            &json!(bench::pillar(article, 6, 60)),
        ),
        "{first}"
    );
    assert_eq!(first["statement_of"], "report");
    let cut = |text: &Value, place: &Value| -> String {
        let at = |key: &str| place[key].as_u64().expect("a place") as usize;
        let chars = text.as_str().expect("a text").chars();
        chars
            .skip(at("start"))
            .take(at("end") - at("start"))
            .collect()
    };
    let difference = &first["differences"][0];
    let [report, gold] = [
        cut(&first["in_report"], &difference["first"]),
        cut(&first["in_gold"], &difference["second"]),
    ];
    assert!(report.contains("67") && gold.contains("60"), "{difference}");
    let page = std::fs::read_to_string(project.path("facts.html")).expect("a page");
    assert!(
        page.contains("<mark>67") && page.contains("<mark>60"),
        "{page}"
    );
    let text = project.ok(&["wiki", "facts"]);
    println!("{text}");
    assert!(text.contains("24 contradictions"), "{text}");
    assert_eq!(fake.take(), 0, "nothing is asked");
}

#[test]
fn what_scores_depend_on_comes_out() {
    let fake = ModelServer::openai().plays(|request| Play::Say(reply(&request.body).to_string()));
    let project = imported(&fake);
    let said = project.fails(&["audit", "effects", "--measure", "writing"], 2);
    assert!(said.contains("taskgen evaluate"), "{said}");
    project.ok(&EVALUATE);
    let found = project.json(&[
        "audit",
        "effects",
        "--measure",
        "writing",
        "--html",
        "e.html",
    ]);
    assert_eq!(
        (&found["by"], &found["tasks"]),
        (&json!("category"), &json!(4))
    );
    let mean = |wins: &[usize]| wins.iter().sum::<usize>() as f64 / 39.0 / wins.len() as f64;
    let number = |of: &Value| of.as_f64().expect("a number");
    // How far each agent is above the mean of all.
    let all: Vec<f64> = AGENCIES.iter().map(|(_, wins)| mean(wins)).collect();
    let middle = all.iter().sum::<f64>() / 3.0;
    for ((agent, _), mean) in AGENCIES.iter().zip(&all) {
        let row = rows(&found, "agents")
            .iter()
            .find(|of| of["agent"] == *agent);
        let effect = number(&row.expect("a row")["effect"]["value"]);
        assert!((effect - (mean - middle)).abs() < 1e-9, "{agent}: {effect}");
    }
    for (at, category) in ["Engineering", "History"].into_iter().enumerate() {
        let row = &rows(&found, "categories")[at];
        let tasks = 2 * at..2 * at + 2;
        let own: Vec<f64> = AGENCIES
            .iter()
            .map(|(_, wins)| mean(&wins[tasks.clone()]))
            .collect();
        assert_eq!(row["category"], category);
        assert!(
            (number(&row["mean"]) - own.iter().sum::<f64>() / 3.0).abs() < 1e-9,
            "{row}"
        );
    }
    let shares =
        ["agent", "category", "task", "rest"].map(|part| found["variance"][part]["share"].clone());
    let sum: f64 = shares.iter().filter_map(Value::as_f64).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{}", found["variance"]);
    // The views of the made-up pages grow from task to task, and scores fall.
    let views = rows(&found, "attributes")
        .iter()
        .find(|of| of["attribute"] == "page views");
    let views = views.expect("page views");
    assert_eq!(views["tasks"], 4);
    assert!(number(&views["spearman"]["value"]) < 0.0, "{views}");
    let page = std::fs::read_to_string(project.path("e.html")).expect("a page");
    assert!(page.contains("What goes with high and low scores"));
    println!(
        "{}",
        project.ok(&["audit", "effects", "--measure", "writing"])
    );
    for wrong in [
        &["audit", "effects", "--measure", "nothing"][..],
        &[
            "audit",
            "effects",
            "--measure",
            "writing",
            "--by",
            "nothing",
        ],
    ] {
        assert!(project.fails(wrong, 2).contains("hint"));
    }
    // Without reports there is nothing to take apart.
    let nobody = nobody();
    let empty = crate::support::Project::new(&nobody.url);
    empty.fails(&["audit", "effects", "--measure", "writing"], 2);
}

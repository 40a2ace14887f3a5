//! LiveResearchBench's measures by the embedded model as it is, on reports with one thing changed
//! each: what moves. `TASKGEN_JUDGE` names another model.

use std::{collections::BTreeMap, time::Instant};

use serde_json::Value;

use crate::{
    changed_reports::{changed, import, project, serve},
    support::{ModelServer, llm::Play},
};

const MEASURES: [&str; 5] = [
    "presentation",
    "coverage",
    "consistency",
    "association",
    "citation_accuracy",
];

/// It is measured and not held against a small model; what must hold is what code decides.
#[test]
fn changed_reports_by_the_local_model() {
    let started = Instant::now();
    let model =
        std::env::var("TASKGEN_JUDGE").unwrap_or_else(|_| "local/qwen2.5-coder-0.5b".to_owned());
    // The project is written for a server; the model is in the flags, and nothing asks it.
    let nobody = ModelServer::openai().plays(|_| Play::Decline);
    let project = project(&nobody.url);
    let reports = changed(&serve());
    let texts: Vec<(&str, String)> = reports
        .into_iter()
        .map(|(agent, of)| (agent, of.text()))
        .collect();
    import(&project, &texts);
    let roles = ["rate", "relate"].map(|role| format!("{role}={model}"));
    let output = project.output(&[
        "evaluate",
        "--allow-private-network",
        "--metric",
        "presentation,coverage,consistency,association,citation-accuracy",
        "--model-role",
        &roles[0],
        "--model-role",
        &roles[1],
        "--max-unscored",
        "1",
    ]);
    println!("{}", String::from_utf8_lossy(&output.stdout));
    let board = project.json(&["leaderboard"]);
    let rows = board["agents"].as_array().expect("agents");
    let values: BTreeMap<&str, [Option<f64>; 5]> = rows
        .iter()
        .map(|row| {
            let value = |key: &str| row["measures"][key]["value"].as_f64();
            (row["agent"].as_str().expect("a name"), MEASURES.map(value))
        })
        .collect();
    println!("report     {}", MEASURES.join("  "));
    for (agent, _) in &texts {
        let cells = values[agent].map(|value| match value {
            Some(value) => format!("{:>6.1}", value * 100.0),
            None => "     –".to_owned(),
        });
        println!("{agent:<10} {}", cells.join("       "));
    }
    println!("{} s", started.elapsed().as_secs());
    assert_eq!(nobody.take(), 0, "the server was asked");
    assert_eq!(values.len(), texts.len(), "a report has no row");
    // A page that is gone is seen by code.
    let dead = rows
        .iter()
        .find(|row| row["agent"] == "dead")
        .expect("a row");
    assert_eq!(
        dead["measures"]["citation_e1_dead"]["value"],
        Value::from(2.0)
    );
}

//! The sample seminars by the larger of the embedded models: tasks of every phase, from
//! inspirations of three types and more, in the language of each talk, by the rules. Prints what
//! came of the questions.

use serde_json::Value;

use crate::support::{SAMPLES, put_sample, spans_that_hold, taskgen};

const MODEL: &str = "local/qwen2.5-coder-1.5b";

#[test]
fn the_larger_model_makes_tasks_of_every_sample() {
    let project = tempfile::tempdir().expect("a folder");
    let folder = project.path();
    taskgen(folder, &["init", "."]);
    for (name, _) in SAMPLES {
        put_sample(folder, name, name);
    }
    let summary = |args: &[&str]| -> Value {
        let (code, out, said) = taskgen(folder, args);
        assert_eq!(code, Some(0), "{args:?}: {said}");
        serde_json::from_str(&out).expect("one JSON value")
    };
    summary(&["transcribe", "--offline", "--json"]);
    println!(
        "from                     asked readable found sound kept refused              tokens seconds"
    );
    for stage in ["inspire", "weave"] {
        let model = format!("{stage}={MODEL}");
        let done = summary(&[stage, "--offline", "--json", "--model-role", &model]);
        for of in done["stages"][0]["harvests"].as_array().expect("harvests") {
            let number = |key: &str| of[key].as_u64().unwrap_or(0);
            let (seconds, refused) = (of["seconds"].as_f64().unwrap_or(0.0), &of["rejected"]);
            let item = of["item"].as_str().unwrap_or_default();
            println!(
                "{:<24} {:>5} {:>8} {:>5} {:>5} {:>4} {refused} {:>6} {seconds:.0}",
                format!("{stage} {item}"),
                number("asked"),
                number("parsed"),
                number("found"),
                number("sound"),
                number("kept"),
                number("tokens"),
            );
            assert!(
                number("kept") >= if stage == "inspire" { 3 } else { 5 },
                "{item}"
            );
        }
    }
    let (_, exported, _) = taskgen(folder, &["tasks", "export", "-o", "-"]);
    let tasks: Vec<Value> = exported
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    for (path, language) in SAMPLES {
        let of: Vec<&Value> = tasks
            .iter()
            .filter(|task| task["provenance"]["seminar"]["path"] == path)
            .collect();
        assert!(
            of.iter().all(|task| task["language"] == language),
            "{path} speaks {language}"
        );
        for phase in ["Synthesize", "Design", "Evaluate"] {
            assert!(
                of.iter().any(|task| task["phase"] == phase),
                "{path} lacks {phase}"
            );
        }
    }
    let quotes: usize = tasks.iter().map(|task| spans_that_hold(folder, task)).sum();
    println!(
        "{} tasks, {quotes} quotes, each a span of its transcript",
        tasks.len()
    );
}

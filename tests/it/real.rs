//! The real thing: the sample seminars through the real Whisper and the real local model, as a user would run them.

use std::{fs, path::Path, process::Command, time::Instant};

use serde_json::Value;

const SAMPLES: [(&str, &str); 3] = [("logbooks.m4a", "en"), ("minnan.opus", "zh-Hans"), ("soil.mp3", "en")];

/// Runs the program in `folder` and returns its exit code and what it printed.
fn taskgen(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_taskgen"))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let (code, out, err) = taskgen(folder, args);
    assert_eq!(code, Some(0), "{args:?}: {err}\n{out}");
    serde_json::from_str(&out).expect("one JSON value")
}

#[test]
fn real_samples_become_ranked_tasks_that_lead_back_to_the_recording() {
    assert!(std::env::var_os("TASKGEN_MODELS").is_some(), "set TASKGEN_MODELS to the folder of the models");
    let project = tempfile::tempdir().expect("a folder");
    let folder = project.path();
    taskgen(folder, &["init", "."]);
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("seminars");
    for (name, _) in SAMPLES {
        fs::copy(samples.join(name), folder.join("seminars").join(name)).expect("a sample");
    }
    let begun = Instant::now();
    let summary = json(folder, &["run", "--rounds", "4", "--offline", "--json"]);
    println!("{} s, {}", begun.elapsed().as_secs(), summary["usage"]);

    let (_, exported, _) = taskgen(folder, &["tasks", "export", "-o", "-"]);
    let tasks: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(tasks.len() >= 15, "{} tasks", tasks.len());
    for (path, language) in SAMPLES {
        let of: Vec<&Value> = tasks.iter().filter(|t| t["provenance"]["seminar"]["path"] == path).collect();
        assert!(of.len() >= 5, "{path}: {} tasks", of.len());
        assert!(of.iter().all(|t| t["language"] == language), "{path} speaks {language}");
        for phase in ["Synthesize", "Design", "Evaluate"] {
            assert!(of.iter().any(|t| t["phase"] == phase), "{path} lacks {phase}");
        }
    }
    let spans: usize = tasks.iter().map(|task| spans_that_hold(folder, task)).sum();
    println!("{} tasks, {spans} quotes, each a span of its transcript", tasks.len());
    let elo: f64 = tasks.iter().map(|t| t["elo"].as_f64().expect("ranked")).sum();
    assert!((elo - 1200.0 * tasks.len() as f64).abs() < 0.01, "ratings are zero-sum: {elo}");

    // The second run asks nothing and opens no recording: it would not know the bytes if it did.
    for (name, _) in SAMPLES {
        let path = folder.join("seminars").join(name);
        let metadata = fs::metadata(&path).expect("a recording");
        fs::write(&path, vec![0; metadata.len() as usize]).expect("writable");
        let file = fs::File::options().write(true).open(&path).expect("writable");
        file.set_modified(metadata.modified().expect("a time")).expect("settable");
    }
    let again = json(folder, &["run", "--rounds", "4", "--offline", "--json"]);
    assert_eq!(again["usage"]["made"], 0, "{again}");
    assert_eq!(again["stages"][0]["done"], 0, "{again}");
    let (_, second, _) = taskgen(folder, &["tasks", "export", "-o", "-"]);
    assert_eq!(second, exported);
}

/// Counts a task's quotes, each compared with the stored transcript byte by byte through its offsets.
fn spans_that_hold(folder: &Path, task: &Value) -> usize {
    let path = task["provenance"]["seminar"]["path"].as_str().expect("a path");
    let file = fs::read_to_string(folder.join(format!("transcripts/{path}.json"))).expect("a transcript");
    let transcript: taskgen::data::Transcript = serde_json::from_str(&file).expect("a transcript");
    let text: Vec<char> = transcript.text().chars().collect();
    let mut spans = 0;
    for inspiration in task["provenance"]["inspirations"].as_array().expect("a list") {
        for evidence in inspiration["evidence"].as_array().expect("a list") {
            let at = |key: &str| evidence[key].as_u64().expect("an offset") as usize;
            let span: String = text[at("start_char")..at("end_char")].iter().collect();
            assert_eq!(evidence["quote"].as_str().expect("a quote").as_bytes(), span.as_bytes());
            let seconds = |key: &str| evidence[key].as_f64().expect("seconds");
            assert!(seconds("start_s") < seconds("end_s") && seconds("end_s") <= transcript.duration.seconds());
            spans += 1;
        }
    }
    assert!(spans > 0, "a task without a quote: {task}");
    spans
}

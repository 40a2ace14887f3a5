//! What the tests share, one builder each: a project on disk, the fake model server, and web servers
//! on loopback. The real program runs in real folders, and nothing leaves the machine.

pub mod answers;
pub mod llm;
pub mod project;
pub mod responses;
pub mod sound;
pub mod web;

use std::{path::Path, process::Command};

use serde_json::Value;
use taskgen::data::Transcript;

pub use self::{
    llm::ModelServer,
    project::{Project, TALK, TALK_ZH},
};

/// A project with the tasks of one talk, and the server that answered.
pub fn woven() -> (ModelServer, Project) {
    let model = ModelServer::openai().pipeline();
    let project = Project::new(&model.url)
        .seminar("rivers.wav", "en", TALK)
        .woven();
    model.take();
    (model, project)
}

/// The sample seminars and the languages that they are in.
pub const SAMPLES: [(&str, &str); 3] = [
    ("logbooks.m4a", "en"),
    ("minnan.opus", "zh-Hans"),
    ("soil.mp3", "en"),
];

/// Copies a sample into the project in `folder`, under another name that keeps its ending.
pub fn put_sample(folder: &Path, sample: &str, stem: &str) -> String {
    let from = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("seminars")
        .join(sample);
    let name = Path::new(stem).with_extension(from.extension().expect("an ending"));
    std::fs::copy(from, folder.join("seminars").join(&name)).expect("a sample");
    name.to_string_lossy().into_owned()
}

/// Runs the program in `folder` and returns its exit code and what it printed, results and messages
/// apart.
pub fn taskgen(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_taskgen"))
        .args(args)
        .current_dir(folder)
        .env("XDG_CONFIG_HOME", folder.join("no-settings"))
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Counts the quotes of an exported task, each compared with the stored transcript byte by byte
/// through its offsets, at a time that lies in the recording.
pub fn spans_that_hold(folder: &Path, task: &Value) -> usize {
    let mut spans = 0;
    for inspiration in task["provenance"]["inspirations"]
        .as_array()
        .expect("a list")
    {
        let path = inspiration["seminar"]["path"].as_str().expect("a path");
        let file = std::fs::read_to_string(folder.join(format!("transcripts/{path}.json")))
            .expect("a transcript");
        let transcript: Transcript = serde_json::from_str(&file).expect("a transcript");
        let text: Vec<char> = transcript.text().chars().collect();
        for evidence in inspiration["evidence"].as_array().expect("a list") {
            let at = |key: &str| evidence[key].as_u64().expect("an offset") as usize;
            let span: String = text[at("start_char")..at("end_char")].iter().collect();
            assert_eq!(
                evidence["quote"].as_str().expect("a quote").as_bytes(),
                span.as_bytes()
            );
            let seconds = |key: &str| evidence[key].as_f64().expect("seconds");
            assert!(
                seconds("start_s") < seconds("end_s")
                    && seconds("end_s") <= transcript.duration.seconds()
            );
            spans += 1;
        }
    }
    assert!(spans > 0, "a task without a quote: {task}");
    spans
}

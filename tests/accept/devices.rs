//! Graphics cards, by Mesa's lavapipe, which runs Vulkan on the processor: a program built for
//! Vulkan finds two devices, and hears on both what it hears on the processor. `TASKGEN_VULKAN`
//! names that program; `scripts/accept.sh` builds it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use serde_json::Value;
use taskgen::text::error_rate::{character_errors, word_errors};

/// Two devices of the one that lavapipe offers. ggml leaves out a processor that pretends to be a
/// card, unless it is named.
const TWICE: (&str, &str) = ("GGML_VK_VISIBLE_DEVICES", "0,0");
/// Words that may differ.
const MOST: f64 = 0.01;

fn program() -> PathBuf {
    let program = std::env::var_os("TASKGEN_VULKAN").map(PathBuf::from);
    program.expect("TASKGEN_VULKAN names a taskgen with the feature `vulkan` (scripts/accept.sh)")
}

fn run(folder: &Path, args: &[&str]) -> (String, String) {
    let output = Command::new(program())
        .args(args)
        .current_dir(folder)
        .env("XDG_CONFIG_HOME", folder.join("no-settings"))
        .env(TWICE.0, TWICE.1)
        .output()
        .expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stderr);
    assert!(
        matches!(output.status.code(), Some(0 | 3)),
        "{args:?}: {said}"
    );
    (text(&output.stdout), said)
}

/// The text of a talk as heard on these devices, and the seconds that it took.
fn heard(recording: &str, language: &str, device: &str) -> (String, f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(recording);
    let name = source.file_name().expect("a name").to_owned();
    fs::copy(&source, folder.path().join(&name)).expect("a copy");
    let name = name.to_string_lossy().into_owned();
    let model = if language == "en" { "tiny.en" } else { "base" };
    let begun = Instant::now();
    let (_, said) = run(
        folder.path(),
        &[
            "transcribe",
            &name,
            "--model",
            model,
            "--language",
            language,
            "--device",
            device,
            "--jobs",
            "2",
        ],
    );
    let seconds = begun.elapsed().as_secs_f64();
    let path = folder.path().join(format!("{name}.json"));
    let transcript = fs::read_to_string(path).unwrap_or_else(|_| panic!("{said}"));
    assert!(
        !transcript.contains("vulkan"),
        "a transcript names no device"
    );
    let transcript: Value = serde_json::from_str(&transcript).expect("a transcript");
    let segments = transcript["segments"].as_array().expect("sentences");
    let text: Vec<&str> = segments
        .iter()
        .filter_map(|segment| segment["text"].as_str())
        .collect();
    (text.join(" "), seconds)
}

#[test]
fn lavapipe_hears_what_the_processor_hears() {
    let folder = tempfile::tempdir().expect("a folder");
    let (listed, _) = run(folder.path(), &["doctor", "--json"]);
    let listed: Value = serde_json::from_str(&listed).expect("a list");
    let devices: Vec<&str> = listed
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|found| found["what"].as_str()?.strip_prefix("device "))
        .collect();
    assert_eq!(devices, ["cpu", "vulkan:0", "vulkan:1"]);
    for (recording, language) in [
        ("seminars/soil.mp3", "en"),
        ("seminars/logbooks.m4a", "en"),
        ("seminars/minnan.opus", "zh"),
    ] {
        let (on_cpu, cpu_seconds) = heard(recording, language, "cpu");
        let (on_cards, card_seconds) = heard(recording, language, "vulkan:0,vulkan:1");
        let errors = match language {
            "en" => word_errors(&on_cpu, &on_cards),
            _ => character_errors(&on_cpu, &on_cards),
        };
        println!(
            "{recording}: {:.2} % differ ({} edits); cpu {cpu_seconds:.0} s, vulkan:0,vulkan:1 {card_seconds:.0} s",
            100.0 * errors.rate(),
            errors.edits()
        );
        assert!(errors.rate() <= MOST, "{on_cpu}\n---\n{on_cards}");
    }
}

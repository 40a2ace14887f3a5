//! Graphics cards, by Mesa's lavapipe, which runs Vulkan on the processor: a program built for
//! Vulkan finds two devices, and hears on both what it hears on the processor. `TASKGEN_VULKAN`
//! names that program; `scripts/accept.sh` builds it. `TASKGEN_VULKAN_SECONDS` is how much of each
//! talk it hears: lavapipe takes minutes for a window.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use serde_json::Value;
use taskgen::text::error_rate::{character_errors, word_errors};

use crate::support::sound::{sample, wav};

/// Two devices of the one that lavapipe offers. ggml leaves out a processor that pretends to be a
/// card, unless it is named.
const TWICE: (&str, &str) = ("GGML_VK_VISIBLE_DEVICES", "0,0");
const NAME: &str = "talk.wav";
const RATE: usize = 16_000;
/// Share of words, or characters of Chinese, that may differ.
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

/// Seconds of each talk: two windows, one for each device.
fn seconds() -> usize {
    std::env::var("TASKGEN_VULKAN_SECONDS").map_or(32, |seconds| seconds.parse().unwrap())
}

/// The text of a talk's beginning as heard on these devices, and the seconds that it took.
fn heard(talk: &str, language: &str, device: &str) -> (String, f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let sound = sample(talk);
    let length = sound.len().min(seconds() * RATE);
    fs::write(folder.path().join(NAME), wav(1, &sound[..length])).expect("written");
    let model = if language == "en" { "tiny.en" } else { "base" };
    let begun = Instant::now();
    let (_, said) = run(
        folder.path(),
        &[
            "transcribe",
            NAME,
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
    assert!(
        !said.contains("it was left") && !said.contains("out of memory"),
        "a device did not work: {said}"
    );
    let path = folder.path().join(format!("{NAME}.json"));
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
    // A near tie may fall otherwise on a card, which adds in another order: all talks together count.
    let (mut edits, mut units) = (0, 0);
    for (talk, language) in [
        ("soil.mp3", "en"),
        ("logbooks.m4a", "en"),
        ("minnan.opus", "zh"),
    ] {
        let (on_cpu, cpu_seconds) = heard(talk, language, "cpu");
        let (on_cards, card_seconds) = heard(talk, language, "vulkan:0,vulkan:1");
        assert!(!on_cpu.is_empty(), "{talk}: nothing was said");
        let errors = match language {
            "en" => word_errors(&on_cpu, &on_cards),
            _ => character_errors(&on_cpu, &on_cards),
        };
        println!(
            "{talk}: {} of {} words or characters differ; cpu {cpu_seconds:.0} s, vulkan:0,vulkan:1 {card_seconds:.0} s",
            errors.edits(),
            errors.reference
        );
        if errors.edits() > 0 {
            println!("{on_cpu}\n{on_cards}");
        }
        edits += errors.edits();
        units += errors.reference;
    }
    let rate = edits as f64 / units as f64;
    assert!(rate <= MOST, "{edits} of {units} differ");
}

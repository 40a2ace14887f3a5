//! Many recordings: shards of one folder, a plan of what is to be done, and a talk that switches
//! its language.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::Value;
use taskgen::transcribe::{LanguageSpan, SAMPLE_RATE};

use crate::{media, support::taskgen, transcribe::reference, transcribe_long::transcript};

/// Recordings of one sentence each, of different content.
const TALKS: [&str; 6] = [
    "speech.wav",
    "speech.mp3",
    "speech.opus",
    "speech.m4a",
    "speech.flac",
    "late.mp4",
];
const EASY: [&str; 5] = ["--model", "tiny.en", "--language", "en", "--offline"];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in TALKS {
        std::fs::copy(media::media(name), folder.path().join(name)).expect("a copy");
    }
    folder
}

fn transcripts(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let json = TALKS
        .iter()
        .map(|name| folder.join(format!("{name}.json")))
        .filter(|path| path.is_file());
    json.map(|path| {
        (
            path.display()
                .to_string()
                .replace(&folder.display().to_string(), ""),
            std::fs::read(path),
        )
    })
    .map(|(name, bytes)| (name, bytes.expect("a transcript")))
    .collect()
}

fn run(folder: &Path, more: &[&str]) -> Value {
    let args = [&["transcribe", "."], &EASY[..], &["--json"], more].concat();
    let (code, out, err) = taskgen(folder, &args);
    assert_eq!(code, Some(0), "{args:?}: {err}");
    serde_json::from_str(&out).expect("one JSON value")
}

#[test]
fn real_shards_write_what_one_machine_writes() {
    let mut all = Vec::new();
    for of in [1, 3, 7] {
        let folder = folder();
        let mut done = 0;
        for shard in 1..=of {
            let report = run(folder.path(), &["--shard", &format!("{shard}/{of}")]);
            done += report["stages"][0]["done"].as_u64().expect("a number");
        }
        assert_eq!(done, TALKS.len() as u64, "each is done once by {of} shards");
        all.push(transcripts(folder.path()));
    }
    assert_eq!(all[0].len(), TALKS.len());
    assert!(
        all[0] == all[1] && all[1] == all[2],
        "1, 3 and 7 shards wrote different bytes"
    );
}

#[test]
fn a_plan_says_what_a_run_would_do_and_does_nothing() {
    let folder = folder();
    std::fs::write(folder.path().join("notes.mp3"), "minutes, and no sound").expect("written");
    let plan = run(folder.path(), &["--plan"]);
    let of = |name: &str| {
        plan.as_array()
            .expect("a list")
            .iter()
            .find(|item| item["path"] == name)
            .expect(name)
            .clone()
    };
    let wav = of("speech.wav");
    assert_eq!(
        (&wav["todo"], &wav["reason"]),
        (&true.into(), &"no transcript yet".into()),
        "{plan}"
    );
    assert!(
        (wav["seconds"].as_f64().expect("stated") - 3.6).abs() < 0.1,
        "{wav}"
    );
    let bytes = std::fs::read(media::media("speech.wav")).expect("a recording");
    assert_eq!(wav["sha256"], taskgen::data::id::sha256_hex(&bytes));
    assert_eq!(of("notes.mp3")["todo"], false);
    let entries = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(entries, TALKS.len() + 1, "a plan writes nothing");
    let parts: Vec<Value> = (1..=3)
        .map(|n| run(folder.path(), &["--plan", "--shard", &format!("{n}/3")]))
        .collect();
    let todo = |plan: &Value| {
        plan.as_array()
            .expect("a list")
            .iter()
            .filter(|item| item["todo"] == true)
            .count()
    };
    assert_eq!(parts.iter().map(todo).sum::<usize>(), TALKS.len());
}

#[test]
fn a_shard_counts_from_one() {
    let folder = folder();
    let (code, _, said) = taskgen(folder.path(), &["transcribe", ".", "--shard", "0/3"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("count from 1") && said.contains("SLURM_ARRAY_TASK_ID"),
        "{said}"
    );
}

#[test]
fn real_one_channel_may_be_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let sound = media::decode(&media::media("speech.wav")).expect("a recording");
    let stereo: Vec<i16> = sound
        .iter()
        .flat_map(|s| [0, (s * 32_767.0) as i16])
        .collect();
    std::fs::write(path("talk.wav"), media::wav(2, &stereo)).expect("written");
    std::fs::write(path("talk.toml"), "channel = 1\n").expect("written");
    let heard = |more: &[&str]| {
        taskgen(
            folder.path(),
            &[&["transcribe", "."], &EASY[..], more].concat(),
        )
    };
    let (code, _, said) = heard(&[]);
    assert!(
        code == Some(1) && said.contains("no speech"),
        "`talk.toml` asks for the silent one: {code:?} {said}"
    );
    let (code, _, said) = heard(&["--channel", "2"]);
    assert_eq!(code, Some(0), "what is asked for wins: {said}");
    let said = transcript(&path("talk.wav.json")).text().replace('\n', " ");
    assert_eq!(said, "Thank you. I want to start with a number.");
    let (code, _, said) = heard(&["--channel", "3"]);
    assert!(
        code == Some(1) && said.contains("no channel 3: the recording has 2"),
        "{code:?} {said}"
    );
    let (code, _, said) = taskgen(folder.path(), &["transcribe", ".", "--channel", "0"]);
    assert!(
        code == Some(2) && said.contains("--channel"),
        "{code:?} {said}"
    );
}

/// The turns of a sample that last four seconds or more, as sound.
fn turns(recording: &str) -> Vec<Vec<f32>> {
    let reference = reference(recording.split('.').next().expect("a name")).expect("turns");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("seminars")
        .join(recording);
    let sound = media::decode(&path).expect("a sample");
    let at = |seconds: f64| ((seconds * SAMPLE_RATE as f64) as usize).min(sound.len());
    let long = reference
        .turns
        .iter()
        .filter(|turn| turn.end - turn.start >= 4.0);
    long.map(|turn| sound[at(turn.start)..at(turn.end)].to_vec())
        .collect()
}

#[test]
fn real_a_talk_may_switch_its_language() {
    let (english, chinese) = (turns("logbooks.m4a"), turns("minnan.opus"));
    let mut talk = vec![0.0; SAMPLE_RATE];
    let mut spoken = Vec::new();
    for (en, zh) in english.iter().zip(&chinese) {
        for (language, turn) in [("en", en), ("zh-Hans", zh)] {
            spoken.push((language, talk.len()..talk.len() + turn.len()));
            talk.extend(turn);
            talk.extend(vec![0.0; SAMPLE_RATE * 3 / 5]);
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let samples: Vec<i16> = talk.iter().map(|s| (s * 32_767.0) as i16).collect();
    std::fs::write(folder.path().join("talk.wav"), media::wav(1, &samples)).expect("written");
    let (code, _, said) = taskgen(
        folder.path(),
        &["transcribe", "talk.wav", "--language", "en,zh", "--offline"],
    );
    assert_eq!(code, Some(0), "{said}");
    let meta =
        std::fs::read_to_string(folder.path().join("talk.wav.meta.json")).expect("a companion");
    let meta: Value = serde_json::from_str(&meta).expect("JSON");
    let told: Vec<LanguageSpan> =
        serde_json::from_value(meta["notes"]["languages"].clone()).expect("languages");
    let at = |sample: usize| {
        let seconds = sample as f64 / SAMPLE_RATE as f64;
        told.iter()
            .find(|run| (run.start.seconds()..run.end.seconds()).contains(&seconds))
            .map(|run| &run.language[..])
    };
    let (mut right, mut all) = (0, 0);
    for (language, range) in &spoken {
        let places = range.clone().step_by(SAMPLE_RATE / 10);
        all += places.len();
        right += places
            .filter(|place| at(*place).is_none_or(|told| told == *language))
            .count();
    }
    let (texts, path) = (spoken.len(), folder.path().join("talk.wav.json"));
    let transcript: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("a transcript")).expect("JSON");
    let segments = transcript["segments"].as_array().expect("segments");
    println!(
        "{texts} turns, {right} of {all} tenths of a second right, {} runs: {told:?}",
        told.len()
    );
    assert!(right * 100 >= all * 95, "{right} of {all}");
    // No turn is lost: each has words in it, and those are in its script.
    for (language, range) in &spoken {
        let seconds = (
            range.start as f64 / SAMPLE_RATE as f64,
            range.end as f64 / SAMPLE_RATE as f64,
        );
        let inside = |s: &&Value| {
            let middle = f64::midpoint(
                s["start"].as_f64().expect("a time"),
                s["end"].as_f64().expect("a time"),
            );
            seconds.0 <= middle && middle <= seconds.1
        };
        let text: String = segments
            .iter()
            .filter(inside)
            .filter_map(|s| s["text"].as_str())
            .collect();
        let han = text
            .chars()
            .filter(|c| ('\u{4e00}'..='\u{9fff}').contains(c))
            .count();
        let latin = text.chars().filter(char::is_ascii_alphabetic).count();
        assert!(
            if *language == "en" {
                latin > 20 * (han + 1)
            } else {
                han > 5 && han > latin
            },
            "{seconds:?}: {text}"
        );
    }
}

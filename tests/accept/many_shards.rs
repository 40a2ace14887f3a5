//! Two thousand recordings of a second each, in shards on four processes: none is lost, none is
//! transcribed twice, and what a file costs beside the recognition of its words.

use std::{
    collections::BTreeMap,
    path::Path,
    process::{Child, Command, Stdio},
    time::Instant,
};

use serde_json::Value;

use crate::support::{
    sound::{sample, wav},
    taskgen,
};

const PROCESSES: usize = 4;
const RATE: usize = 16_000;
const SETTINGS: [&str; 7] = [
    "--offline",
    "--json",
    "transcribe",
    "--model",
    "tiny.en",
    "--language",
    "en",
];

#[test]
fn of_two_thousand_recordings_none_is_lost_and_none_done_twice() {
    let files: usize = std::env::var("TASKGEN_FILES").map_or(2000, |n| n.parse().unwrap());
    let spoken = project(
        files,
        &[sample("logbooks.m4a"), sample("soil.mp3")].concat(),
    );
    let (seconds, reports) = shards(spoken.path(), files);

    let stages: Vec<&Value> = reports.iter().map(|report| &report["stages"][0]).collect();
    let sum = |key: &str| {
        stages
            .iter()
            .map(|stage| stage[key].as_u64().unwrap())
            .sum::<u64>()
    };
    let heard = |key: &str| {
        stages
            .iter()
            .map(|stage| stage["heard"][key].as_u64().unwrap())
            .sum::<u64>()
    };
    let mut times = BTreeMap::<String, usize>::new();
    let mut causes = BTreeMap::<String, usize>::new();
    for failed in stages
        .iter()
        .flat_map(|stage| stage["failed"].as_array().unwrap())
    {
        *times
            .entry(failed["item"].as_str().unwrap().to_owned())
            .or_default() += 1;
        *causes
            .entry(failed["cause"].as_str().unwrap().to_owned())
            .or_default() += 1;
    }
    for file in 0..files {
        let name = name(file);
        if spoken
            .path()
            .join(format!("transcripts/{name}.json"))
            .is_file()
        {
            *times.entry(name).or_default() += 1;
        }
    }
    assert_eq!(times.len(), files, "some were lost: {causes:?}");
    assert!(times.values().all(|n| *n == 1), "some are done, and failed");
    assert_eq!(
        sum("done") as usize + causes.values().sum::<usize>(),
        files,
        "some were done twice"
    );
    assert_eq!((sum("skipped"), heard("windows")), (0, heard("recognised")));
    // A second without a word is none that can be transcribed; nothing else may fail.
    assert!(
        causes.keys().all(|cause| cause == "no_speech"),
        "{causes:?}"
    );
    println!(
        "{files} recordings of 1 s by {PROCESSES} processes: {seconds:.1} s; {} done, without a word {:?}, windows {}",
        sum("done"),
        causes.get("no_speech"),
        heard("windows")
    );
    per_file("with recognition", seconds, files);

    let (seconds, again) = shards(spoken.path(), files);
    let done = |of: &Value| of["stages"][0]["done"].as_u64().unwrap();
    assert_eq!(
        again.iter().map(done).sum::<u64>(),
        0,
        "the second run does nothing"
    );
    per_file("again, when all is done", seconds, files);

    // Noise without a voice: everything but recognition.
    let hum: Vec<i16> = (0..400 * RATE)
        .map(|n| ((n * n) % 301) as i16 - 150)
        .collect();
    let silent = project(files, &hum);
    let (seconds, _) = shards(silent.path(), files);
    per_file("where nobody speaks", seconds, files);
}

fn per_file(what: &str, seconds: f64, files: usize) {
    let cores = std::thread::available_parallelism()
        .unwrap()
        .get()
        .min(PROCESSES);
    println!(
        "{what}: {:.1} ms a file, {:.1} ms of a core",
        seconds * 1000.0 / files as f64,
        seconds * 1000.0 * cores as f64 / files as f64
    );
}

fn name(file: usize) -> String {
    format!("{file:04}.wav")
}

/// A project with so many seconds of the sound, each from elsewhere.
fn project(files: usize, sound: &[i16]) -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    taskgen(project.path(), &["init", "."]);
    let step = (sound.len() - RATE) / files;
    for file in 0..files {
        let from = file * step;
        let bytes = wav(1, &sound[from..from + RATE]);
        std::fs::write(project.path().join("seminars").join(name(file)), bytes).unwrap();
    }
    project
}

/// Runs all shards at once: the seconds that it took, and their summaries.
fn shards(folder: &Path, files: usize) -> (f64, Vec<Value>) {
    let begun = Instant::now();
    let children: Vec<Child> = (1..=PROCESSES)
        .map(|shard| {
            Command::new(env!("CARGO_BIN_EXE_taskgen"))
                .args(SETTINGS)
                .args(["--jobs", "1", "--shard", &format!("{shard}/{PROCESSES}")])
                .current_dir(folder)
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let ended = children
        .into_iter()
        .map(|child| child.wait_with_output().unwrap());
    let reports: Vec<Value> = ended
        .map(|output| {
            assert!(
                matches!(output.status.code(), Some(0 | 1)),
                "{:?} of {files}",
                output.status
            );
            serde_json::from_slice(&output.stdout).unwrap()
        })
        .collect();
    (begun.elapsed().as_secs_f64(), reports)
}

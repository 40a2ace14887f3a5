//! Two thousand recordings of a second each, in shards on four processes: none is lost, none is
//! transcribed twice, and what a file costs beside the recognition of its words.

use std::{
    collections::BTreeMap,
    path::Path,
    process::{Child, Command, Stdio},
    time::Instant,
};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use serde_json::Value;

use crate::support::{
    sound::{sample, wav},
    taskgen,
};

const PROCESSES: usize = 4;
const RATE: usize = 16_000;
/// One in so many holds speech; the others faint noise, in which nothing is recognised.
const SPOKEN: usize = 10;
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
    let project = project(files);
    let first = Run::of_all_shards(project.path());
    first.show("the first run", files);

    // Each is either transcribed or listed as failed, by one shard.
    let mut ends = first.failed();
    for file in 0..files {
        let name = name(file);
        let transcript = project.path().join(format!("transcripts/{name}.json"));
        if transcript.is_file() {
            *ends.entry(name).or_default() += 1;
        }
    }
    assert_eq!(ends.len(), files, "some were lost");
    assert!(
        ends.values().all(|n| *n == 1),
        "some failed twice, or are done and failed"
    );
    assert_eq!(
        first.sum("done") + first.failed().len(),
        files,
        "some were done twice"
    );
    assert_eq!(first.sum("skipped"), 0);
    assert_eq!(first.windows("windows"), first.windows("recognised"));
    let spoken = files.div_ceil(SPOKEN);
    // Some seconds of a talk hold no word.
    assert!(first.sum("done") > spoken / 2 && first.sum("done") <= spoken);
    println!(
        "{} of {spoken} seconds of talks have words; {} windows",
        first.sum("done"),
        first.windows("windows")
    );

    // Now only what costs no recognition is left: hashing, decoding, looking for a voice.
    let again = Run::of_all_shards(project.path());
    again.show("the second run, which recognises nothing", files);
    assert_eq!(
        (again.sum("done"), again.sum("skipped")),
        (0, first.sum("done"))
    );
    assert_eq!(again.failed(), first.failed());
}

/// All shards at once: the seconds that it took, and the summary of each.
struct Run {
    seconds: f64,
    stages: Vec<Value>,
}

impl Run {
    fn of_all_shards(folder: &Path) -> Self {
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
        let stages = ended
            .map(|output| {
                assert!(
                    matches!(output.status.code(), Some(0 | 1)),
                    "{:?}",
                    output.status
                );
                let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
                summary["stages"][0].clone()
            })
            .collect();
        let seconds = begun.elapsed().as_secs_f64();
        Self { seconds, stages }
    }

    fn sum(&self, key: &str) -> usize {
        self.stages
            .iter()
            .map(|stage| stage[key].as_u64().unwrap() as usize)
            .sum()
    }

    fn windows(&self, key: &str) -> u64 {
        self.stages
            .iter()
            .map(|stage| stage["sound"][key].as_u64().unwrap_or(0))
            .sum()
    }

    /// How often each recording failed; none has a word in it.
    fn failed(&self) -> BTreeMap<String, usize> {
        let mut failed = BTreeMap::new();
        for failure in self
            .stages
            .iter()
            .flat_map(|stage| stage["failed"].as_array().unwrap())
        {
            assert_eq!(failure["cause"], "no_speech");
            let name = failure["item"].as_str().unwrap().to_owned();
            *failed.entry(name).or_default() += 1;
        }
        failed
    }

    fn show(&self, what: &str, files: usize) {
        println!(
            "{what}: {files} recordings by {PROCESSES} processes in {:.1} s, {:.1} ms a file",
            self.seconds,
            self.seconds * 1000.0 / files as f64
        );
    }
}

fn name(file: usize) -> String {
    format!("{file:04}.wav")
}

/// A project with so many recordings, each of other content.
fn project(files: usize) -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    taskgen(project.path(), &["init", "."]);
    let talks: Vec<i16> = [sample("logbooks.m4a"), sample("soil.mp3")].concat();
    let step = (talks.len() - RATE) / files;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for file in 0..files {
        let second: Vec<i16> = if file.is_multiple_of(SPOKEN) {
            talks[file * step..][..RATE].to_vec()
        } else {
            (0..RATE).map(|_| rng.random_range(-1..=1)).collect()
        };
        let path = project.path().join("seminars").join(name(file));
        std::fs::write(path, wav(1, &second)).unwrap();
    }
    project
}

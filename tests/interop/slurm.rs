//! A real Slurm, which `scripts/slurm.sh` starts: an array of shards in which one is killed, one is
//! asked to stop, some make room for a job that goes first, and a recording is broken. In the end
//! the transcripts are those of one machine, and no window was recognised twice.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use serde_json::Value;
use taskgen::{data::id::sha256_hex, transcribe::Shard};

use crate::support::{
    sound::{sample, wav},
    taskgen,
};

const SHARDS: u32 = 6;
/// Beside them there is a broken one.
const TALKS: usize = 11;
const BROKEN: &str = "minutes.mp3";
/// Talks that are long enough to be stopped in the middle, and the seconds of these and the others.
const LONG: usize = 2;
const LONG_SECONDS: usize = 180;
const SECONDS: usize = 30;
const RATE: usize = 16_000;
/// No step takes this long, on a busy machine either.
const PATIENCE: Duration = Duration::from_mins(15);
const SUBMIT: [&str; 9] = [
    "cluster",
    "slurm",
    "--shards",
    "6",
    "--partition",
    "main",
    "--cpus",
    "1",
    "--submit",
];
const SOUND: [&str; 4] = ["--model", "tiny.en", "--language", "en"];

/// A recording, its windows, and those that were recognised when it was transcribed.
type Heard = (String, u64, u64);

#[test]
fn shards_that_are_killed_and_stopped_make_what_one_machine_makes() {
    let whole = tempfile::tempdir().unwrap();
    // What a folder may be called must not matter to a script.
    let parts = tempfile::Builder::new()
        .prefix("it's a $lab ")
        .tempdir()
        .unwrap();
    let shards = talks(whole.path());
    talks(parts.path());

    let begun = Instant::now();
    let alone = [&["--offline", "--verbose", "transcribe"], &SOUND[..]].concat();
    let (code, _, said) = taskgen(whole.path(), &alone);
    assert_eq!(code, Some(1), "one is broken: {said}");
    let alone = heard(&said);
    println!(
        "one machine: {} recordings in {} s",
        alone.len(),
        begun.elapsed().as_secs()
    );

    let begun = Instant::now();
    let cluster = Cluster::submit(parts.path());
    cluster.kill(shards[0], "talk-00.wav");
    cluster.stop(shards[1], "talk-01.wav");
    for shard in &shards[..LONG] {
        let log = format!("shards-{shard}");
        until("another start", || {
            cluster.log(&log).contains("start number 2")
        });
    }
    cluster.make_room();
    let status = cluster.wait();
    println!(
        "six shards: {} s\n{}",
        begun.elapsed().as_secs(),
        cluster.told(&["cluster", "status"])
    );

    assert_eq!(transcripts(whole.path()).len(), TALKS);
    assert!(
        transcripts(whole.path()) == transcripts(parts.path()),
        "other transcripts"
    );
    let logs: String = (1..=SHARDS)
        .map(|shard| cluster.log(&format!("shards-{shard}")))
        .collect();
    let preempted = logs.matches("DUE TO PREEMPTION").count();
    println!("{preempted} shards made room for another job");
    assert!(preempted > 0, "{logs}");
    let together = heard(&logs);
    let windows = |heard: &[Heard]| -> BTreeMap<String, u64> {
        heard
            .iter()
            .map(|(name, windows, _)| (name.clone(), *windows))
            .collect()
    };
    assert_eq!(together.len(), TALKS, "each is finished once: {together:?}");
    assert_eq!(windows(&together), windows(&alone));
    let sum = |of: fn(&Heard) -> u64| together.iter().map(of).sum::<u64>();
    println!(
        "{} windows, {} of them recognised by a run that was ended before the recording was finished",
        sum(|of| of.1),
        sum(|of| of.1 - of.2)
    );
    for talk in ["talk-00.wav", "talk-01.wav"] {
        let of = together.iter().find(|of| of.0 == talk).unwrap();
        assert!(of.2 < of.1, "its journal was gone on with: {of:?}");
    }
    let collected = cluster.log("collect");
    assert!(
        heard(&collected).is_empty(),
        "nothing was left to do: {collected}"
    );
    assert!(
        collected.contains(BROKEN),
        "what failed is listed: {collected}"
    );
    for log in ["journal", "tmp"] {
        assert!(
            !files(&parts.path().join("transcripts"))
                .iter()
                .any(|name| name.ends_with(log))
        );
    }
    check(&status);

    let before = transcripts(parts.path());
    std::fs::write(
        parts.path().join("seminars/late.wav"),
        wav(1, &sample("soil.mp3")[..SECONDS * RATE]),
    )
    .unwrap();
    Cluster::submit(parts.path()).cancel();
    assert!(
        transcripts(parts.path()) == before,
        "what was cancelled is not done by the job after it"
    );
}

/// What the status says in the end.
fn check(status: &Value) {
    let steps = &status["steps"];
    assert_eq!(steps[0]["done"], 1, "{status}");
    // The shard of the broken recording ended with 1, and so did the job that lists it.
    assert_eq!(
        (&steps[1]["done"], &steps[1]["failed"]),
        (&(SHARDS - 1).into(), &1.into()),
        "{status}"
    );
    assert_eq!(steps[2]["failed"], 1, "{status}");
    assert_eq!(
        (&status["source"], &status["transcribed"]),
        (&"sacct".into(), &TALKS.into())
    );
    for failed in status["failed"].as_array().unwrap() {
        assert_eq!(
            (&failed["exit"], &failed["signal"]),
            (&1.into(), &Value::Null),
            "{status}"
        );
        assert!(
            failed["tail"].to_string().contains("transcribe"),
            "{status}"
        );
    }
}

/// Writes the recordings, and says in which shard each of the first ones is.
fn talks(folder: &Path) -> Vec<u32> {
    taskgen(folder, &["init", "."]);
    let sound: Vec<i16> = [sample("logbooks.m4a"), sample("soil.mp3")].concat();
    let mut shards: Vec<u32> = Vec::new();
    for talk in 0..TALKS {
        let seconds = if talk < LONG { LONG_SECONDS } else { SECONDS };
        let mut from = talk * 25 * RATE;
        let bytes = loop {
            let bytes = wav(1, &sound[from..from + seconds * RATE]);
            // The killed and the stopped one are not of one shard.
            let shard = shard_of(&bytes);
            if talk >= LONG || !shards.contains(&shard) {
                shards.push(shard);
                break bytes;
            }
            from += RATE;
        };
        std::fs::write(folder.join(format!("seminars/talk-{talk:02}.wav")), bytes).unwrap();
    }
    std::fs::write(
        folder.join("seminars").join(BROKEN),
        "minutes, and no sound",
    )
    .unwrap();
    shards
}

fn shard_of(bytes: &[u8]) -> u32 {
    let sha256 = sha256_hex(bytes);
    let holds = |shard: &u32| {
        format!("{shard}/{SHARDS}")
            .parse::<Shard>()
            .unwrap()
            .holds(&sha256)
    };
    (1..=SHARDS).find(holds).unwrap()
}

/// What a log says of finished recordings.
fn heard(log: &str) -> Vec<Heard> {
    let finished = log
        .lines()
        .filter_map(|line| line.split_once(" transcribed recording="));
    let of = |fields: &str| {
        let mut fields = fields.split([' ', '=']);
        let name = fields.next().unwrap().to_owned();
        let numbers: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
        (name, numbers[0], numbers[1])
    };
    finished.map(|(_, fields)| of(fields)).collect()
}

fn transcripts(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let folder = folder.join("transcripts");
    let names = files(&folder).into_iter();
    let is_transcript = |name: &String| {
        let is_json = Path::new(name).extension().is_some_and(|of| of == "json");
        is_json && !name.ends_with(".meta.json")
    };
    let names = names.filter(is_transcript);
    names
        .map(|name| (name.clone(), std::fs::read(folder.join(&name)).unwrap()))
        .collect()
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// A submitted project.
struct Cluster {
    folder: PathBuf,
    array: u64,
}

impl Cluster {
    fn submit(folder: &Path) -> Self {
        let submit = [&SUBMIT[..], &SOUND].concat();
        let (code, out, said) = taskgen(folder, &submit);
        assert_eq!(code, Some(0), "{said}");
        println!("{out}");
        let (code, _, said) = taskgen(folder, &submit);
        assert!(
            code == Some(2) && said.contains("jobs of this project not ended yet"),
            "{code:?} {said}"
        );
        let jobs = std::fs::read(folder.join("tasks/cluster/jobs.json")).unwrap();
        let jobs: Value = serde_json::from_slice(&jobs).unwrap();
        let (folder, array) = (folder.to_owned(), jobs["jobs"][1]["id"].as_u64().unwrap());
        Self { folder, array }
    }

    /// Ends the whole array, and waits until the job after it has said so.
    fn cancel(&self) {
        let asked = Command::new("scancel").arg(self.array.to_string()).status();
        assert!(asked.unwrap().success());
        until("a word on the cancelled shards", || {
            self.log("collect").contains("shards were cancelled")
        });
    }

    fn told(&self, args: &[&str]) -> String {
        taskgen(&self.folder, args).1
    }

    fn log(&self, name: &str) -> String {
        let path = self.folder.join(format!("tasks/cluster/log/{name}.out"));
        std::fs::read_to_string(path).unwrap_or_default()
    }

    /// Windows of a recording that are known while it is transcribed.
    fn known(&self, talk: &str) -> usize {
        let journal = self.folder.join(format!("transcripts/{talk}.journal"));
        let journal = std::fs::read(journal).unwrap_or_default();
        String::from_utf8_lossy(&journal)
            .matches('\n')
            .count()
            .saturating_sub(1)
    }

    /// Kills the program of a shard in the middle of a recording.
    fn kill(&self, shard: u32, talk: &str) {
        until("a window of the shard to be killed", || {
            self.known(talk) > 0
        });
        let pid = process_of(&self.folder, &format!("--shard\0{shard}/{SHARDS}\0")).unwrap();
        assert!(
            Command::new("kill")
                .args(["-9", &pid.to_string()])
                .status()
                .unwrap()
                .success()
        );
        let log = format!("shards-{shard}");
        until("the crash", || {
            self.log(&log).contains("crash number 1: exit code 137")
        });
        println!(
            "killed shard {shard} after {} windows of {talk}",
            self.known(talk)
        );
    }

    /// Has Slurm ask the job of a shard to stop, as it does before a job's time is up.
    fn stop(&self, shard: u32, talk: &str) {
        until("a window of the shard to be stopped", || {
            self.known(talk) > 0
        });
        let job = format!("{}_{shard}", self.array);
        let asked = Command::new("scancel")
            .args(["--signal=TERM", "--batch", &job])
            .status();
        assert!(asked.unwrap().success());
        let log = format!("shards-{shard}");
        until("the end", || self.log(&log).contains("stopped on request"));
        println!(
            "stopped shard {shard} after {} windows of {talk}",
            self.known(talk)
        );
    }

    /// Has a job that goes first take both nodes from whatever runs there.
    fn make_room(&self) {
        let urgent = [
            "--partition=urgent",
            "--nodes=2",
            "--exclusive",
            "--wait",
            "--output=/dev/null",
            "--wrap=sleep 2",
        ];
        assert!(
            Command::new("sbatch")
                .args(urgent)
                .current_dir(&self.folder)
                .status()
                .unwrap()
                .success()
        );
    }

    /// Waits for the end, and says what the status is then.
    fn wait(&self) -> Value {
        let mut status = Value::Null;
        until("the end of all jobs", || {
            status = serde_json::from_str(&self.told(&["cluster", "status", "--json"])).unwrap();
            let collect = &status["steps"][2];
            collect["done"] == 1 || collect["failed"] == 1
        });
        status
    }
}

/// A process that works in a project and has this in its command line.
fn process_of(folder: &Path, part: &str) -> Option<u32> {
    let folder = folder.to_str().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.find(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        line.contains(folder) && line.contains(part)
    })
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "it never came: {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

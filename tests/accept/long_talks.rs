//! Talks of two hours, made of short ones with a lot of small talk between them, read by code: they
//! go through in bounded memory, and what is kept comes from every quarter of the talk.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use serde_json::Value;

use crate::support::{project::put_transcript, taskgen};

/// Words of two hours of speech.
const WORDS: usize = 18_000;
/// Milliseconds of a word.
const WORD_MS: u64 = 400;
/// Short talks in a long one.
const PARTS: usize = 8;

#[test]
fn two_hours_are_read_to_the_end() {
    let talks = std::env::var("TASKGEN_LONG_TALKS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(5);
    println!("talk  sentences  kept  quotes by quarter  minutes of the quotes");
    let mut peak = 0;
    for seed in 1..=talks {
        let (minutes, quarters, sentences, kept, memory) = read(seed);
        println!("{seed:>4}  {sentences:>9}  {kept:>4}  {quarters:?}       {minutes:?}");
        assert!(
            quarters.iter().all(|n| *n > 0),
            "a quarter of talk {seed} gave nothing: {quarters:?}"
        );
        peak = peak.max(memory);
    }
    println!("largest memory: {peak} MiB");
    assert!(peak < 200, "{peak} MiB");
}

/// Reads a made-up talk. Minutes of the kept quotes, their number by quarter, sentences,
/// inspirations, peak MiB.
fn read(seed: u64) -> (Vec<u64>, [usize; 4], usize, usize, u64) {
    let folder = tempfile::tempdir().expect("a folder");
    taskgen(folder.path(), &["init", "."]);
    let sentences = talk(&mut ChaCha8Rng::seed_from_u64(seed));
    put(folder.path(), &sentences);
    let begun = Instant::now();
    let memory = run(folder.path());
    let database =
        rusqlite::Connection::open(folder.path().join("tasks/taskgen.db")).expect("a database");
    let sql = "SELECT e.start_ms FROM evidence e JOIN inspiration i ON i.id = e.inspiration WHERE i.superseded = 0";
    let mut statement = database.prepare(sql).expect("a query");
    let starts: Vec<u64> = statement
        .query_map([], |row| row.get(0))
        .expect("rows")
        .map(|row| row.expect("a time"))
        .collect();
    let kept = database.query_row(
        "SELECT count(*) FROM inspiration WHERE superseded = 0",
        [],
        |row| row.get(0),
    );
    let length = length(&sentences);
    let mut quarters = [0; 4];
    for start in &starts {
        quarters[(start * 4 / length).min(3) as usize] += 1;
    }
    let mut minutes: Vec<u64> = starts.iter().map(|start| start / 60_000).collect();
    minutes.sort_unstable();
    println!(
        "seed {seed}: {} minutes of talk, {} s",
        length / 60_000,
        begun.elapsed().as_secs()
    );
    (
        minutes,
        quarters,
        sentences.len(),
        kept.expect("a number"),
        memory,
    )
}

/// Runs `inspire` and looks at its memory while it does. Its peak in MiB.
fn run(folder: &Path) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_taskgen"))
        .args(["inspire", "--offline", "--quiet", "--project"])
        .arg(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut peak = 0;
    loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib: u64 = line
            .and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
            .unwrap_or(0);
        peak = peak.max(kib / 1024);
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(status.success(), "inspire ended with {status}");
            return peak;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Short talks in random order, and small talk between them.
fn talk(rng: &mut ChaCha8Rng) -> Vec<String> {
    let mut parts: Vec<Vec<String>> = short_talks();
    parts.shuffle(rng);
    parts.truncate(PARTS);
    let content: usize = parts
        .iter()
        .flatten()
        .map(|line| line.split_whitespace().count())
        .sum();
    let between = (WORDS - content) / (PARTS + 1);
    let mut sentences = small_talk(between, rng);
    for part in parts {
        sentences.extend(part);
        sentences.extend(small_talk(between, rng));
    }
    sentences
}

/// The English talks of the planted sets.
fn short_talks() -> Vec<Vec<String>> {
    let sets = [
        include_str!("../data/planted/first.jsonl"),
        include_str!("../data/planted/second.jsonl"),
    ];
    let cases = sets
        .iter()
        .flat_map(|set| set.lines())
        .map(|line| serde_json::from_str::<Value>(line).expect("a case"));
    let good = cases.filter(|case| {
        case["stage"] == "inspire" && case["fault"].is_null() && case["given"]["language"] == "en"
    });
    good.map(|case| {
        let lines = case["given"]["lines"].as_array().expect("lines").iter();
        lines
            .map(|line| line.as_str().expect("a line").to_owned())
            .collect()
    })
    .collect()
}

/// So many words about the way here and the weather.
fn small_talk(words: usize, rng: &mut ChaCha8Rng) -> Vec<String> {
    const WHO: [&str; 6] = [
        "my neighbour",
        "the bus driver",
        "our caretaker",
        "an old friend",
        "the baker",
        "my aunt",
    ];
    const DID: [&str; 6] = [
        "walked past",
        "painted",
        "talked about",
        "waited near",
        "took a picture of",
        "laughed at",
    ];
    const WHAT: [&str; 6] = [
        "the station clock",
        "a yellow bicycle",
        "the new bakery",
        "a wet umbrella",
        "the long queue",
        "some pigeons",
    ];
    const WHEN: [&str; 6] = [
        "on Monday morning",
        "after the rain",
        "before lunch",
        "on the way home",
        "late in autumn",
        "during the holidays",
    ];
    let mut sentences = Vec::new();
    let mut count = 0;
    while count < words {
        let mut pick = |from: [&'static str; 6]| from[rng.random_range(0..6)];
        let sentence = format!(
            "And {} {} {} {}, and that was that.",
            pick(WHO),
            pick(DID),
            pick(WHAT),
            pick(WHEN)
        );
        count += sentence.split_whitespace().count();
        sentences.push(sentence);
    }
    sentences
}

fn length(sentences: &[String]) -> u64 {
    sentences
        .iter()
        .map(|sentence| sentence.split_whitespace().count() as u64 * WORD_MS)
        .sum()
}

/// A recording that nobody will decode, with its transcript.
fn put(folder: &Path, sentences: &[String]) {
    let lines: Vec<&str> = sentences.iter().map(String::as_str).collect();
    put_transcript(folder, "long.wav", b"long", "en", &lines, |text| {
        text.split_whitespace().count() as u64 * WORD_MS
    });
}

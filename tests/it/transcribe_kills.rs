//! `kill -9` at random moments while a recording is heard: the transcript in the end is that of an
//! undisturbed run, what was heard is not heard again, and nothing is left over. `TASKGEN_KILLS`
//! says how often.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use crate::support::sound::{sample, wav};

const RECORDING: &str = "talk.wav";
/// No window takes this long.
const PATIENCE: Duration = Duration::from_mins(3);
/// Windows that a talk of two samples has, at least.
const WINDOWS: usize = 20;

#[test]
fn real_killed_at_any_moment_the_transcript_is_the_same() {
    let number = |name: &str, otherwise| {
        std::env::var(name)
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(otherwise)
    };
    let (kills, seed): (usize, u64) = (
        number("TASKGEN_KILLS", 3),
        number("TASKGEN_ACCEPT_SEED", 1) as u64,
    );
    let (undisturbed, disturbed) = (folder(kills), folder(kills));
    let begun = Instant::now();
    assert!(start(undisturbed.path()).wait().expect("a child").success());
    let took = begun.elapsed();

    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut heard, mut killed) = (0, Vec::new());
    while killed.len() < kills {
        let (windows, pause) = (rng.random_range(0..=1), rng.random_range(0..700));
        let now = kill_at(
            disturbed.path(),
            heard + windows,
            Duration::from_millis(pause),
        );
        assert!(now >= heard, "{heard} windows were known, now {now}");
        heard = now;
        killed.push(heard);
    }
    assert!(start(disturbed.path()).wait().expect("a child").success());
    println!(
        "seed {seed}, undisturbed {} s, windows known after each kill: {killed:?}",
        took.as_secs()
    );
    let files = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = entries
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let json = |folder: &Path| {
        std::fs::read(folder.join(format!("{RECORDING}.json"))).expect("a transcript")
    };
    assert!(
        json(disturbed.path()) == json(undisturbed.path()),
        "another transcript"
    );
    assert_eq!(
        files(disturbed.path()),
        [RECORDING, "talk.wav.json", "talk.wav.meta.json"],
        "something is left over"
    );
}

/// A folder with a talk that is long enough for so many kills.
fn folder(kills: usize) -> tempfile::TempDir {
    let samples = ["logbooks.m4a", "soil.mp3"].map(sample);
    let talk: Vec<i16> = samples
        .iter()
        .cycle()
        .take(2 * (1 + 2 * kills / WINDOWS))
        .flatten()
        .copied()
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(RECORDING), wav(1, &talk)).expect("written");
    folder
}

/// Kills a run so long after so many windows are known, and says how many are.
fn kill_at(folder: &Path, windows: usize, pause: Duration) -> usize {
    let mut child = start(folder);
    let deadline = Instant::now() + PATIENCE;
    while known(folder) < windows {
        let ended = child.try_wait().expect("a child");
        assert!(
            ended.is_none(),
            "it ended before window {windows}: {ended:?}"
        );
        assert!(Instant::now() < deadline, "window {windows} never came");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(pause);
    child.kill().expect("SIGKILL");
    assert_eq!(child.wait().expect("a child").code(), None, "it was killed");
    known(folder)
}

/// Windows that were written down.
fn known(folder: &Path) -> usize {
    let journal = std::fs::read(folder.join(format!("{RECORDING}.journal"))).unwrap_or_default();
    String::from_utf8_lossy(&journal)
        .matches('\n')
        .count()
        .saturating_sub(1)
}

fn start(folder: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_taskgen"))
        .args([
            "transcribe",
            RECORDING,
            "--model",
            "tiny.en",
            "--language",
            "en",
            "--offline",
        ])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

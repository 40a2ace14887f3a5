//! `kill -9` at ten moments of the main job, drawn from the run's own events: the end is that of an
//! undisturbed run.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use rusqlite::Connection;

use crate::support::{SAMPLES, put_sample, taskgen};

/// Moments beside the one of each stage.
const MORE_MOMENTS: usize = 6;
/// No step of the job takes this long.
const PATIENCE: Duration = Duration::from_mins(15);
const RUN: [&str; 4] = ["run", "--offline", "--rounds", "8"];

/// A committed step: kind and what it happened to.
type Step = (String, String);

#[test]
fn killed_at_ten_moments_it_ends_as_if_undisturbed() {
    let seed = std::env::var("TASKGEN_ACCEPT_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let begun = Instant::now();
    let undisturbed = project();
    let (code, _, said) = taskgen(undisturbed.path(), &RUN);
    assert_eq!(code, Some(0), "{said}");
    println!("undisturbed: {} s", begun.elapsed().as_secs());
    let steps = steps(undisturbed.path());
    let moments = draw(&steps, &mut ChaCha8Rng::seed_from_u64(seed));
    println!("seed {seed}, {} steps; moments: {moments:?}", steps.len());

    let begun = Instant::now();
    let disturbed = project();
    for moment in moments {
        let at = kill_at(disturbed.path(), &steps, moment);
        println!("killed after step {at} of {}: {:?}", steps.len(), steps[at]);
    }
    let (code, _, said) = taskgen(disturbed.path(), &RUN);
    assert_eq!(code, Some(0), "{said}");
    println!("killed ten times: {} s", begun.elapsed().as_secs());

    let export = |folder: &Path| taskgen(folder, &["tasks", "export", "-o", "-"]).1;
    let (expect, got) = (export(undisturbed.path()), export(disturbed.path()));
    assert!(!expect.is_empty());
    assert_eq!(got, expect, "tasks, quotes and ratings");
    assert_eq!(
        asked_again(disturbed.path()),
        0,
        "committed replies that were asked for again"
    );
}

/// A project with the samples, under other names.
fn project() -> tempfile::TempDir {
    let project = tempfile::tempdir().expect("a folder");
    taskgen(project.path(), &["init", "."]);
    for (number, (sample, _)) in SAMPLES.iter().enumerate() {
        put_sample(project.path(), sample, &format!("talk-{number}"));
    }
    project
}

/// One moment in each stage and some anywhere, in the order of the run.
fn draw(steps: &[Step], rng: &mut ChaCha8Rng) -> Vec<usize> {
    // The run's last step leaves nothing to kill.
    let open = &steps[..steps.len() - 1];
    let mut moments = Vec::new();
    for stage in ["transcript", "call:inspire", "call:weave", "call:judge"] {
        let of: Vec<usize> = (0..open.len()).filter(|&at| open[at].0 == stage).collect();
        moments.push(of[rng.random_range(0..of.len())]);
    }
    while moments.len() < 4 + MORE_MOMENTS {
        let at = rng.random_range(0..open.len());
        if !moments.contains(&at) {
            moments.push(at);
        }
    }
    moments.sort_unstable();
    moments
}

/// Runs until the step is committed, then kills; the step that it was. What was in flight at an
/// earlier kill may have been committed already: then it is the next one that is not.
fn kill_at(folder: &Path, steps: &[Step], moment: usize) -> usize {
    let is_open = |at: &usize| !is_committed(folder, &steps[*at]);
    let at = (moment..steps.len() - 1)
        .find(is_open)
        .expect("a step that is still to come");
    let mut child = start(folder);
    let deadline = Instant::now() + PATIENCE;
    while !is_committed(folder, &steps[at]) {
        let ended = child.try_wait().expect("a child");
        assert!(ended.is_none(), "it ended before step {at}: {ended:?}");
        assert!(
            Instant::now() < deadline,
            "step {at} never came: {:?}",
            steps[at]
        );
        std::thread::sleep(Duration::from_millis(3));
    }
    child.kill().expect("SIGKILL");
    assert_eq!(child.wait().expect("a child").code(), None, "it was killed");
    at
}

fn start(folder: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_taskgen"))
        .args(RUN)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

fn database(folder: &Path) -> Option<Connection> {
    let connection = Connection::open_with_flags(
        folder.join("tasks/taskgen.db"),
        rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY,
    )
    .ok()?;
    connection.busy_timeout(Duration::from_secs(5)).ok()?;
    Some(connection)
}

/// The steps of the project's only run, in the order in which they were committed.
fn steps(folder: &Path) -> Vec<Step> {
    let connection = database(folder).expect("a database");
    let mut statement = connection
        .prepare("SELECT kind, payload FROM event ORDER BY stream, seq")
        .expect("a table");
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("a query");
    rows.collect::<Result<_, _>>().expect("rows")
}

fn is_committed(folder: &Path, (kind, payload): &Step) -> bool {
    let Some(connection) = database(folder) else {
        return false;
    };
    let sql = "SELECT EXISTS (SELECT 1 FROM event WHERE kind = ?1 AND payload = ?2)";
    connection
        .query_row(sql, [kind, payload], |row| row.get(0))
        .unwrap_or(false)
}

/// Calls that were made although their reply was on record.
fn asked_again(folder: &Path) -> i64 {
    let connection = database(folder).expect("a database");
    let sql = "SELECT count(*) - count(DISTINCT payload) FROM event WHERE kind LIKE 'call:%'";
    connection
        .query_row(sql, [], |row| row.get(0))
        .expect("a number")
}

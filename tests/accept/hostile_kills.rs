//! `kill -9` at 50 moments of a ranking of some 2,000 judgements by a server that fails at three
//! attempts in ten: the same table of verdicts in the end, no committed reply asked for again, and
//! nothing paid twice but what was in flight.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::{Child, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use rusqlite::Connection;
use serde_json::{Value, json};
use taskgen::{data::Cause, llm::Provider};

use crate::{
    faults::{self, FAULTS, Fault, Words, draw},
    support::{
        ModelServer, Project, TALK,
        llm::{Play, Request},
    },
};

const KILLS: usize = 50;
const TALKS: usize = 18;
const RANK: [&str; 3] = ["rank", "--rounds", "40"];
/// No verdict takes this long.
const PATIENCE: Duration = Duration::from_mins(5);
/// Share of pairs that never get a verdict.
const BAD: f64 = 0.03;

/// A server that judges pairs of tasks, and what it saw.
#[derive(Default)]
struct World {
    /// By pair.
    seen: Mutex<BTreeMap<u64, Seen>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Seen {
    requests: u64,
    /// Right verdicts that it gave, to whoever was still there.
    verdicts: u64,
}

impl World {
    fn play(&self, request: &Request) -> Play {
        let pair = pair_of(&request.body.to_string());
        let mut seen = self.seen.lock().expect("no panic while locked");
        let seen = seen.entry(pair).or_default();
        seen.requests += 1;
        let fault = bad(pair)
            .map(|(fault, _)| fault)
            .or_else(|| faults::passing(pair, seen.requests));
        seen.verdicts += u64::from(fault.is_none());
        faults::play(Provider::OpenAi, fault, words(pair))
    }

    fn seen(&self) -> BTreeMap<u64, Seen> {
        self.seen.lock().expect("no panic while locked").clone()
    }
}

/// The fault of a pair that is bad for ever: any but 429. A server that refuses all that is left
/// makes the limiter wait for minutes between two requests, which proves nothing here.
fn bad(pair: u64) -> Option<(Fault, Cause)> {
    let lasting = FAULTS
        .iter()
        .filter(|(_, cause)| *cause != Cause::RateLimit)
        .collect::<Vec<_>>();
    let drawn = || *lasting[(draw(&[pair, 7]) * lasting.len() as f64) as usize];
    // A winner that was not shown is not among the words that the reply's shape knows.
    let said = |(fault, cause)| {
        if fault == Fault::Unknown {
            (fault, Cause::WrongShape)
        } else {
            (fault, cause)
        }
    };
    (draw(&[pair, 6]) < BAD).then(|| said(drawn()))
}

fn words(pair: u64) -> Words {
    let verdict = |first: u8, winner: &str, confidence: Value| {
        let scores = |n: u8| json!({ "clarity": n, "actionability": 3, "novelty": 3, "depth_fit": 3, "consistency": 3 });
        json!({ "scores_a": scores(first), "scores_b": scores(3), "reason": "clearer", "winner": winner, "confidence": confidence })
            .to_string()
    };
    let confidence = [0.6, 0.7, 0.8, 0.9][(draw(&[pair, 8]) * 4.0) as usize];
    let (first, winner, loser) = if draw(&[pair, 9]) < 0.5 {
        (4, "A", "B")
    } else {
        (2, "B", "A")
    };
    Words {
        good: verdict(first, winner, json!(confidence)),
        other: verdict(6 - first, loser, json!(confidence)),
        not_a_number: verdict(first, winner, json!(9)).replace(":9", ":NaN"),
        unknown: verdict(first, "C", json!(confidence)),
    }
}

/// The two rivers of a prompt, as one number.
fn pair_of(text: &str) -> u64 {
    let mut rivers = text
        .split("river-")
        .skip(1)
        .map(|after| after[..5].parse::<u64>().expect("a number"));
    let (a, b) = (
        rivers.next().expect("a first task"),
        rivers.next().expect("a second task"),
    );
    a * 100_000 + b
}

#[test]
fn killed_at_fifty_moments_among_faults_the_verdicts_are_the_same() {
    let seed = std::env::var("TASKGEN_ACCEPT_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let start = || {
        let world = Arc::new(World::default());
        let play = Arc::clone(&world);
        let server = ModelServer::openai().plays(move |request| play.play(request));
        (world, server.url)
    };
    let project = project();

    let begun = Instant::now();
    let (world, url) = start();
    let undisturbed = copy(&project, &url);
    let code = undisturbed.output(&RANK).status.code();
    let expect = verdicts(&undisturbed);
    let unscored = expect
        .iter()
        .filter(|row| !row[2].starts_with("scored"))
        .count();
    let requests: u64 = world.seen().values().map(|seen| seen.requests).sum();
    println!(
        "undisturbed: {} verdicts, {unscored} of them unscored, {requests} requests, {} s",
        expect.len(),
        begun.elapsed().as_secs()
    );
    assert!(expect.len() >= 1800 && unscored > 0);
    assert_eq!(
        causes(&undisturbed),
        planted(&undisturbed),
        "exactly the bad pairs are unscored, each with its cause"
    );

    let begun = Instant::now();
    let (world, url) = start();
    let disturbed = copy(&project, &url);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut moments: Vec<i64> = (0..KILLS)
        .map(|_| rng.random_range(1..(expect.len() - unscored) as i64 - 5))
        .collect();
    moments.sort_unstable();
    println!("seed {seed}, killed when so many replies were committed: {moments:?}");
    let (mut in_flight, mut committed) = (0, BTreeMap::new());
    for moment in moments {
        let before = world.seen();
        kill_at(&disturbed, moment);
        let (now, settled) = (world.seen(), settled(&disturbed));
        let asked = now
            .iter()
            .filter(|(pair, seen)| before.get(pair) != Some(seen));
        in_flight += asked.filter(|(pair, _)| !settled.contains(pair)).count() as u64;
        for pair in settled {
            committed.entry(pair).or_insert(now[&pair]);
        }
    }
    assert_eq!(disturbed.output(&RANK).status.code(), code);
    let questions = world.seen();
    let again = committed
        .iter()
        .filter(|(pair, then)| questions[pair] != **then)
        .count();
    let twice: u64 = questions
        .values()
        .map(|seen| seen.verdicts.saturating_sub(1))
        .sum();
    println!(
        "killed {KILLS} times: {again} of {} committed replies asked for again, {twice} verdicts given twice, {in_flight} questions in flight at the kills, {} s",
        committed.len(),
        begun.elapsed().as_secs()
    );
    assert_eq!(verdicts(&disturbed), expect, "the table of verdicts");
    assert_eq!(again, 0, "committed replies that were asked for again");
    assert!(
        twice <= in_flight,
        "{twice} verdicts given twice, {in_flight} questions in flight"
    );
}

/// A project with more than a hundred tasks, each of which names a river of its own.
fn project() -> Project {
    let model = ModelServer::openai().pipeline();
    let project = Project::new(&model.url);
    for talk in 0..TALKS {
        project.add_transcript(&format!("talk-{talk}.wav"), "en", TALK);
    }
    for stage in ["inspire", "weave"] {
        project.ok(&[stage]);
    }
    let tasks =
        project.sql("UPDATE task SET text = printf('Survey the gravel of river-%05d and hand in a table.', rowid), payload = json_remove(payload, '$.seal')");
    println!("{tasks} tasks");
    project
}

/// The same project with another judge.
fn copy(project: &Project, url: &str) -> Project {
    let copy = Project::new(url);
    for name in ["seminars", "transcripts", "tasks"] {
        for file in std::fs::read_dir(project.path(name))
            .expect("a folder")
            .flatten()
        {
            if file.file_type().is_ok_and(|kind| kind.is_file()) {
                std::fs::copy(file.path(), copy.path(name).join(file.file_name())).expect("a copy");
            }
        }
    }
    copy
}

/// Runs until so many replies are committed, then kills.
fn kill_at(project: &Project, moment: i64) {
    let mut child = start(project);
    let deadline = Instant::now() + PATIENCE;
    while count(&project.path("tasks/taskgen.db")) < moment {
        let ended = child.try_wait().expect("a child");
        assert!(
            ended.is_none(),
            "it ended before its moment {moment}: {ended:?}"
        );
        assert!(Instant::now() < deadline, "moment {moment} never came");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("SIGKILL");
    assert_eq!(child.wait().expect("a child").code(), None, "it was killed");
}

fn start(project: &Project) -> Child {
    project
        .command(&RANK)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

fn open(path: &Path) -> Connection {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = Connection::open_with_flags(path, flags).expect("a database");
    connection
        .busy_timeout(Duration::from_secs(5))
        .expect("a time-out");
    connection
}

/// Judgements whose reply is committed.
fn count(path: &Path) -> i64 {
    let sql = "SELECT count(*) FROM call WHERE role = 'judge' AND cause IS NULL";
    open(path)
        .query_row(sql, [], |row| row.get(0))
        .expect("a number")
}

fn rows<const N: usize>(project: &Project, sql: &str) -> BTreeSet<[String; N]> {
    let connection = open(&project.path("tasks/taskgen.db"));
    let mut statement = connection.prepare(sql).expect("a table");
    let read = |row: &rusqlite::Row<'_>| {
        let texts: Vec<String> = (0..N)
            .map(|at| row.get(at))
            .collect::<rusqlite::Result<_>>()?;
        Ok(<[String; N]>::try_from(texts).expect("N columns"))
    };
    statement
        .query_map([], read)
        .expect("a query")
        .collect::<rusqlite::Result<_>>()
        .expect("rows")
}

/// Who met whom, and what came of it.
fn verdicts(project: &Project) -> BTreeSet<[String; 3]> {
    let sql = "SELECT subject, other, state || coalesce(label || confidence, '') || coalesce(cause, '') FROM judgement";
    rows(project, sql)
}

/// The unscored pairs, each with its cause.
fn causes(project: &Project) -> BTreeMap<u64, String> {
    let unscored = pairs(project)
        .into_iter()
        .filter(|(_, cause)| !cause.is_empty());
    unscored.collect()
}

/// The pairs that are bad for ever, each with what it fails by.
fn planted(project: &Project) -> BTreeMap<u64, String> {
    let planted = |pair| Some((pair, bad(pair)?.1.word().to_owned()));
    pairs(project).into_keys().filter_map(planted).collect()
}

fn pairs(project: &Project) -> BTreeMap<u64, String> {
    let sql = "SELECT a.text || b.text, coalesce(j.cause, '') FROM judgement j
               JOIN task a ON a.id = j.subject JOIN task b ON b.id = j.other";
    rows::<2>(project, sql)
        .into_iter()
        .map(|[texts, cause]| (pair_of(&texts), cause))
        .collect()
}

/// The pairs whose call is committed and is not made again: all but those that failed for a reason
/// that passes.
fn settled(project: &Project) -> BTreeSet<u64> {
    let sql = "SELECT b.text FROM call c, json_each(c.request, '$.messages') m JOIN blob b ON b.sha256 = substr(m.value ->> 'content', 7)
               WHERE c.role = 'judge' AND coalesce(c.cause, '') NOT IN ('overloaded', 'connection', 'timeout', 'rate_limit') AND m.value ->> 'role' = 'user'";
    rows::<1>(project, sql)
        .iter()
        .map(|[text]| pair_of(text))
        .collect()
}

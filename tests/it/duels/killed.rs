//! Tournaments that are killed at many moments. `TASKGEN_KILLS=50` is the proof: eight agents on
//! ten trees; a few kills of a small one show that it works.

use std::{
    process::{Child, Stdio},
    time::Duration,
};

use super::project::{note_questions, noting, outcome, played, project_on};
use crate::support::Project;

const NAMES: [&str; 8] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight",
];
const JOBS: usize = 2;

/// Kills, agents and trees.
fn size() -> (usize, usize, usize) {
    let kills = std::env::var("TASKGEN_KILLS").ok();
    match kills.and_then(|kills| kills.parse().ok()) {
        Some(kills) => (kills, 8, 10),
        None => (8, 4, 2),
    }
}

fn events(project: &Project) -> usize {
    project.count("SELECT count(*) FROM duel_event") as usize
}

/// Kills it once there are so many events; false where it had ended before.
fn kill_at(project: &Project, child: &mut Child, moment: usize) -> bool {
    while child.try_wait().expect("a process").is_none() {
        let connection = rusqlite::Connection::open(project.path("tasks/taskgen.db"));
        let count = connection.and_then(|connection| {
            connection.query_row("SELECT count(*) FROM duel_event", [], |row| row.get(0))
        });
        // Busy, or not there yet: another look.
        if count.is_ok_and(|count: i64| count as usize >= moment) {
            child.kill().expect("it can be killed");
            child.wait().expect("it ends");
            return true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    false
}

#[test]
fn a_tournament_killed_at_many_moments_ends_as_if_it_had_not_been() {
    let (kills, agents, trees) = size();
    let names = &NAMES[..agents];
    let (all, jobs) = (names.join(","), JOBS.to_string());
    let tournament = [
        "arena",
        "tournament",
        "cup",
        "--agents",
        &all,
        "--jobs",
        &jobs,
    ];
    let whole = project_on(trees, &[]);
    note_questions(&whole, names);
    played(&whole, &tournament);
    let total = events(&whole);
    let killed = project_on(trees, &[]);
    note_questions(&killed, names);
    let mut done = 0;
    for n in 0..kills {
        let mut command = killed.command(&tournament);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let moment = total * (n + 1) / (kills + 1);
        done += usize::from(kill_at(&killed, &mut child, moment));
    }
    played(&killed, &tournament);
    assert_eq!(done, kills, "it had ended before it was killed");
    assert_eq!(outcome(&killed), outcome(&whole), "after {kills} kills");
    let mut again = 0;
    for name in names {
        let (mut asked, mut once) = (noting(&killed, name), noting(&whole, name));
        let number = asked.len();
        asked.sort();
        once.sort();
        asked.dedup();
        assert_eq!(asked, once, "{name}");
        again += number - asked.len();
    }
    // Only what was in flight when it was killed: two answers of each match that was played.
    assert!(again <= kills * JOBS * 2, "{again} questions again");
    let told = killed.fails(&["arena", "tournament", "cup", "--rounds", "3"], 2);
    assert!(
        told.contains("was begun with other bounds of a match"),
        "{told}"
    );
    let standings = played(&killed, &["arena", "tournament", "cup"]);
    assert_eq!(standings["finished"], true);
    assert_eq!(standings["standings"][0]["byes"], 0);
}

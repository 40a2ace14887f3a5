//! Battles: whoever won, whatever the order of the points.

use serde_json::{Value, json};

use super::made::read;
use crate::{
    benchmarks::dr_arena::{
        files::{Battles, FailureProfiles, History, Leaderboard, Pairwise},
        seats::{BattleFault, BattleFigures, Fought, Seats, of_battle, of_history},
    },
    data::{Side, arena::Score},
};

fn history(score_a: f64, score_b: f64, winner: &str) -> Result<Fought, BattleFault> {
    let line = json!({
        "gamekey": ["tree_0001", "one", "two"],
        "result": {"score_a": score_a, "score_b": score_b, "winner": winner, "rounds": 3},
    });
    let read = History::read("h.jsonl", line.to_string().as_bytes());
    assert_eq!(read.problems, []);
    of_history(&read.value.lines[0].1)
}

#[test]
fn the_winners_name_counts_and_the_points_follow_it() {
    let straight = history(2.0, 0.0, "Agent A (one)").unwrap();
    assert_eq!(
        (straight.winner, straight.seats),
        (Some(Side::A), Seats::AsNamed)
    );
    // `two` sat in seat A: by the sign of the points `one` would have won.
    let changed = history(3.0, 1.0, "Agent A (two)").unwrap();
    assert_eq!(
        (changed.winner, changed.seats),
        (Some(Side::B), Seats::Changed)
    );
    assert_eq!(changed.score, Score { a: 1, b: 3 });
    let tie = history(1.0, 1.0, "Tie").unwrap();
    assert_eq!((tie.winner, tie.seats), (None, Seats::Untold));
}

#[test]
fn what_contradicts_itself_is_no_result() {
    let check = |a, b, winner, expect| assert_eq!(history(a, b, winner), Err(expect), "{winner}");
    check(2.0, 0.0, "Agent A (three)", BattleFault::Winner);
    check(2.0, 0.0, "one", BattleFault::Winner);
    check(
        2.0,
        0.0,
        "Agent A (one) beats Agent B (two)",
        BattleFault::Winner,
    );
    check(2.0, 0.0, "tie", BattleFault::Winner);
    check(2.0, 0.0, "Tie", BattleFault::TiedUneven);
    check(1.0, 1.0, "Agent B (two)", BattleFault::WonEven);
    check(0.0, 2.0, "Agent A (one)", BattleFault::SeatLost);
    check(0.5, 0.0, "Agent A (one)", BattleFault::Points("score_a"));
    check(2.0, -1.0, "Agent A (one)", BattleFault::Points("score_b"));
    check(1e300, 0.0, "Agent A (one)", BattleFault::Points("score_a"));
}

fn battle(a: f64, b: f64, winner: &Value) -> Value {
    json!({
        "id": "b", "replay_id": null, "tree_id": "tree_0001", "model_a": "one", "model_b": "two",
        "score_a": a, "score_b": b, "winner": winner, "rounds": 2, "type": "onboarding",
    })
}

#[test]
fn the_trap_is_counted_in_a_list_of_battles() {
    let list = json!([
        battle(2.0, 0.0, &json!("one")),
        battle(2.0, 0.0, &json!("two")),
        battle(0.0, 3.0, &json!("one")),
        battle(1.0, 1.0, &json!(null)),
        battle(1.0, 0.0, &json!(null)),
        battle(1.0, 0.0, &json!(7)),
    ]);
    let battles: Battles = read(&list);
    let mut figures = BattleFigures::default();
    for battle in battles.iter().filter_map(|battle| battle.get()) {
        figures.add(&of_battle(battle));
    }
    assert_eq!((figures.battles, figures.ties, figures.trapped), (4, 1, 2));
    assert_eq!(figures.faults[&BattleFault::TiedUneven], 1);
    assert_eq!(figures.faults[&BattleFault::Winner], 1);
}

#[test]
fn a_broken_line_loses_no_other() {
    let good = json!({"gamekey": ["t", "a", "b"], "result": {"score_a": 2.0, "score_b": 0.0,
        "winner": "Agent A (a)", "rounds": 1}, "meta": {"type": "onboarding", "round": 1}});
    let text = format!("{good}\nnonsense\n{{\"gamekey\": 5}}\n\n{good}\n{{\"gamekey\": [\"t\"");
    let read = History::read("h.jsonl", text.as_bytes());
    assert_eq!(read.value.lines.len(), 3);
    assert_eq!(read.problems.len(), 3, "{:?}", read.problems);
    assert!(
        read.problems[0]
            .to_string()
            .starts_with("h.jsonl: line 2: ")
    );
    let broken = of_history(&read.value.lines[1].1);
    assert_eq!(broken, Err(BattleFault::Missing("gamekey")));
}

#[test]
fn the_dashboards_other_lists_are_read() {
    let board: Leaderboard = read(&json!([{"rank": 1, "model": "one", "elo": 1205.35,
        "matches": 4, "wins": 3, "losses": 1, "ties": 0}]));
    assert_eq!(board[0].get().unwrap().wins.get(), Some(&3));
    let pairs: Pairwise = read(
        &json!({"models": ["one", "two"], "matrix": [[null, 0.75], [0.25, null]], "counts": [[0, 4], [4, 0]]}),
    );
    assert_eq!(pairs.models.get().map(Vec::len), Some(2));
    let profiles: FailureProfiles = read(&json!({"models": {"one": {
        "counts": {"DEEP": 1, "WIDE": 2, "BOTH": 3, "NONE": 4}, "total": 10, "distribution": {}}},
        "population_average": {}, "coverage": {"logs_total": 1}}));
    let one = profiles.models.get().unwrap().get("one").unwrap();
    assert_eq!(one.counts.get().unwrap().both.get(), Some(&3));
}

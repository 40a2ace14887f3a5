//! Replays counted again.

use serde_json::json;

use super::made::{read, replay};
use crate::{
    benchmarks::dr_arena::{
        files::Verdicts,
        moves::{Place, Signal, Step, allowed},
        recount::{Kind, ReplayFigures, Stop, label},
    },
    data::arena::{DuelLabel, Score},
};

fn figures(value: &serde_json::Value) -> ReplayFigures {
    let mut figures = ReplayFigures::default();
    figures.add(&read(value));
    figures
}

const WALK: [(u64, u64, &str, &str, &str); 5] = [
    (2, 2, "A_BETTER", "N/A", "WIDE"),
    (2, 3, "B_BETTER", "N/A", "WIDE"),
    (2, 4, "A_BETTER", "N/A", "WIDE"),
    (2, 5, "B_MUCH_BETTER", "N/A", "WIDE"),
    (2, 6, "B_MUCH_BETTER", "N/A", "WIDE"),
];

#[test]
fn the_walk_through_follows_from_its_verdicts() {
    let figures = figures(&replay(&WALK));
    assert_eq!(figures.findings, []);
    assert_eq!(
        (figures.rounds, figures.all_moves(), figures.allowed),
        (5, 4, 4)
    );
    assert_eq!(figures.stops[&Stop::Margin], 1);
    assert_eq!((figures.limits, figures.instructions), ((5, 5), (5, 0)));
}

#[test]
fn ten_rounds_end_a_battle_and_a_log_that_ends_before_is_unclear() {
    let round = |at: u64| {
        let verdict = if at.is_multiple_of(2) {
            "A_BETTER"
        } else {
            "B_BETTER"
        };
        (2, 2 + at, verdict, "N/A", "WIDE")
    };
    let rounds: Vec<_> = (0..10).map(round).collect();
    assert_eq!(figures(&replay(&rounds)).stops[&Stop::RoundLimit], 1);
    assert_eq!(figures(&replay(&rounds[..5])).stops[&Stop::Unclear], 1);
}

#[test]
fn each_move_of_the_loop_is_allowed_and_others_are_not() {
    let check = |from: (i64, i64), signal, steps: &[(i64, i64)]| {
        let place = Place {
            level: from.0,
            width: from.1,
        };
        let expect: Vec<Step> = steps
            .iter()
            .map(|(levels, pages)| Step {
                levels: *levels,
                pages: *pages,
            })
            .collect();
        assert_eq!(allowed(place, signal), expect, "{from:?} {signal}");
    };
    check((1, 2), Signal::Low, &[(0, 0)]);
    check((1, 4), Signal::Low, &[(0, -2)]);
    check((3, 2), Signal::Low, &[(-1, 0)]);
    check((3, 4), Signal::Low, &[(-1, -1)]);
    check((2, 2), Signal::Deep, &[(1, 0), (0, 1)]);
    check((2, 2), Signal::Wide, &[(0, 1)]);
    for signal in [Signal::High, Signal::Both, Signal::None] {
        check((2, 2), signal, &[(1, 1), (0, 1)]);
    }
}

#[test]
fn a_jump_is_an_anomaly() {
    let jump = [
        (2, 2, "A_BETTER", "N/A", "WIDE"),
        (6, 3, "B_BETTER", "N/A", "DEEP"),
    ];
    let figures = figures(&replay(&jump));
    assert_eq!((figures.all_moves(), figures.allowed), (1, 0));
    assert!(matches!(
        figures.findings[0].kind,
        Kind::Move {
            signal: Signal::Wide,
            ..
        }
    ));
    assert_eq!(figures.findings[0].round, 1);
}

#[test]
fn what_does_not_follow_is_told() {
    let mut value = replay(&WALK);
    value["rounds"][1]["score_b"] = json!(2.0);
    value["rounds"][2]["judge_max_limit"] = json!(999);
    value["rounds"][3]["word_limit_instruction"] = json!("Keep it short.");
    value["rounds"][3]["failure_type"] = json!("SOME");
    let figures = figures(&value);
    let points = Kind::Points {
        stored: Score { a: 1, b: 2 },
        counted: Score { a: 1, b: 1 },
    };
    assert_eq!(figures.count(|kind| *kind == points), 1);
    assert_eq!(
        figures.count(|kind| matches!(kind, Kind::Limit { stored: 999, .. })),
        1
    );
    assert_eq!(figures.count(|kind| *kind == Kind::Tag("SOME".into())), 1);
    assert_eq!((figures.limits, figures.instructions), ((5, 4), (5, 1)));
}

/// Any text without a winner in it was a tie once, and a tie without a quality a good one.
#[test]
fn a_verdict_that_is_none_is_no_tie() {
    for written in [
        "UNKNOWN",
        "ERROR",
        "",
        "A_BETTER or B_BETTER",
        "a_better",
        "[[Tie",
    ] {
        let known = written == "[[Tie";
        assert_eq!(label(written).is_some(), known, "{written}");
    }
    assert_eq!(label("[[A_MUCH_BETTER]]"), Some(DuelLabel::AMuchBetter));
    let rounds = [
        (2, 2, "UNKNOWN", "N/A", "NONE"),
        (2, 3, "Tie", "N/A", "NONE"),
    ];
    let figures = figures(&replay(&rounds));
    assert_eq!(figures.verdicts.values().sum::<usize>(), 1);
    assert_eq!(figures.ties[&None], 1);
    assert_eq!(
        figures.count(|kind| *kind == Kind::Verdict("UNKNOWN".into())),
        1
    );
    assert_eq!(
        figures.count(|kind| *kind == Kind::TieQuality("N/A".into())),
        1
    );
    assert_eq!(
        figures.stops[&Stop::Unclear],
        1,
        "the points are not known any more"
    );
}

#[test]
fn a_battle_that_goes_on_behind_the_margin_is_told() {
    let rounds = [
        (2, 2, "A_MUCH_BETTER", "N/A", "WIDE"),
        (2, 3, "Tie", "LOW", "BOTH"),
    ];
    assert_eq!(
        figures(&replay(&rounds)).count(|kind| *kind == Kind::WentOn),
        1
    );
}

#[test]
fn verdicts_of_logs_are_read() {
    let verdicts: Verdicts = read(&json!([{"battle_id": "b", "source_group": "g",
        "tree_id": null, "model_a": "one", "model_b": "two", "rounds": [
            {"round": 1, "verdict": "Tie", "tie_quality": "LOW", "failure_type": null,
             "score_a": 0.0, "score_b": null}]}]));
    assert_eq!(
        verdicts[0].get().unwrap().rounds.get().map(Vec::len),
        Some(1)
    );
}

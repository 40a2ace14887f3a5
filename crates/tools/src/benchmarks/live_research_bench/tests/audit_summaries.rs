//! Each finding in a summary or an average, planted once, is found once and raises no other alarm.

use serde_json::{Value, json};

use super::{
    audit::{assert_only, summary_of},
    samples::{self, REFERENCE, plant},
};
use crate::benchmarks::live_research_bench::{
    audit::{audit_average_beside, audit_summary, audit_summary_beside},
    facts::Known,
    recompute::recompute,
};

#[test]
fn win_rates_of_a_summary() {
    let place = "model `wren`, criterion `depth`";
    let depth = |wins: u8, total: u8, rate: f64| {
        json!({
            "wins": wins, "losses": 0, "ties": 4 - wins, "total": total, "decisive_games": wins,
            "win_rate": rate, "reference_model": REFERENCE,
        })
    };
    let planted = |depth: Value| {
        let mut file = samples::summary();
        plant(&mut file, "/results_by_model/wren/depth", depth);
        audit_summary(&summary_of(&file))
    };
    assert_only(
        &planted(depth(0, 4, 0.0)),
        "undecided_as_zero",
        &format!("{place}: a win rate of 0 with no decisive game"),
    );
    assert_only(
        &planted(depth(2, 4, 50.0)),
        "rate_off_games",
        &format!("{place}: a win rate of 50 %, where the games give 100.0 %"),
    );
    assert_only(
        &planted(depth(2, 5, 100.0)),
        "games_miscounted",
        &format!("{place}, field `total`: 5 games counted, where the parts sum to 4"),
    );
    let mut none = depth(0, 4, 0.0);
    none["win_rate"] = json!(null);
    assert_eq!(planted(none), []);
}

#[test]
fn averages_of_one_judge() {
    let place = "model `wren`, criterion";
    let mut file = samples::averaged();
    let alone = json!({"mean": 45.0, "count": 2, "min": 10.0, "max": 90.0});
    plant(&mut file, "/results_by_model/wren/citation", alone);
    assert_only(
        &audit_summary(&summary_of(&file)),
        "one_judge_unmarked",
        &format!("{place} `citation`: one judge's value stands as an average"),
    );
    plant(
        &mut file,
        "/results_by_model/wren/citation/only_judge",
        json!("judge_a"),
    );
    assert_eq!(audit_summary(&summary_of(&file)), []);

    let mut file = samples::averaged();
    plant(
        &mut file,
        "/results_by_model/wren/citation/mean",
        json!(50.0),
    );
    assert_only(
        &audit_summary(&summary_of(&file)),
        "mean_off_judges",
        &format!("{place} `citation`: an average of 50, where the judges give 45.00"),
    );
}

#[test]
fn averages_of_depth() {
    let place = "model `wren`, criterion `depth`";
    let depth = "/results_by_model/wren/depth";
    let mut file = samples::averaged();
    let undecided =
        json!({"win_rate": 0.0, "wins": 0, "losses": 0, "ties": 4, "decisive_games": 0});
    plant(&mut file, &format!("{depth}/by_judge/judge_b"), undecided);
    // Whether the zero was averaged in or not.
    for average in [37.5, 75.0] {
        plant(&mut file, &format!("{depth}/win_rate"), json!(average));
        assert_only(
            &audit_summary(&summary_of(&file)),
            "undecided_as_zero",
            &format!("{place}, field `by_judge.judge_b`: a win rate of 0 with no decisive game"),
        );
    }
    let mut file = samples::averaged();
    for (name, games) in [("wins", 3), ("losses", 1), ("ties", 1)] {
        plant(&mut file, &format!("{depth}/{name}"), json!(games));
    }
    // As many games, but the first judge's.
    assert_only(
        &audit_summary(&summary_of(&file)),
        "counts_of_one_judge",
        &format!("{place}: a count of 5, which is one judge's; the other has 5"),
    );
    // Of two judges with the same games they are both's.
    let first = file["results_by_model"]["wren"]["depth"]["by_judge"]["judge_a"].clone();
    plant(&mut file, &format!("{depth}/by_judge/judge_b"), first);
    plant(&mut file, &format!("{depth}/win_rate"), json!(75.0));
    assert_eq!(audit_summary(&summary_of(&file)), []);
}

#[test]
fn counts_of_an_average_beside_its_summaries() {
    let a = samples::summary();
    let mut b = samples::summary();
    let averaged = summary_of(&samples::averaged());
    let found = |b: &Value| audit_average_beside(&averaged, &summary_of(&a), &summary_of(b));
    assert_eq!(found(&b), []);
    plant(&mut b, "/results_by_model/wren/citation/count", json!(1));
    assert_only(
        &found(&b),
        "counts_of_one_judge",
        "model `wren`, criterion `citation`, field `count`: \
         a count of 2, which is one judge's; the other has 1",
    );
}

#[test]
fn a_summary_beside_the_facts() {
    let recomputed = recompute(&samples::read(&samples::detailed()), &Known::default());
    let beside = |pointer: &str, value: Value| {
        let mut file = samples::summary();
        plant(&mut file, pointer, value);
        audit_summary_beside(&summary_of(&file), &recomputed)
    };
    assert_only(
        &beside("/results_by_model/wren/citation/mean", json!(25.0)),
        "mean_off_facts",
        "model `wren`, criterion `citation`, field `mean`: \
         a mean of 25, where the facts give 20.00",
    );
    assert_only(
        &beside("/results_by_model/wren/citation/count", json!(1)),
        "count_off_facts",
        "model `wren`, criterion `citation`, field `count`: a count of 1, where the facts give 2",
    );
    assert_only(
        &beside("/results_by_model/wren/depth/losses", json!(3)),
        "count_off_facts",
        "model `wren`, criterion `depth`: a count of 7, where the facts give 4",
    );
}

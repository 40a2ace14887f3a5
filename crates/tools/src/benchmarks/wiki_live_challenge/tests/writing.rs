//! Win rates: both ways of counting, each cause, summaries.

use serde_json::{Value, json};

use super::samples::{self, read_broken, verdict, writing, writing_value};
use crate::benchmarks::wiki_live_challenge::{
    aggregate::{
        Cause, Counting,
        writing::{
            CATEGORIES, Wins, WritingFigures, code_of, of_code, summary, writing as figures,
        },
    },
    files::{Winner, WritingFile},
};

fn both(value: &Value) -> (WritingFigures, WritingFigures) {
    let file: WritingFile = read_broken(value);
    (
        figures(&file, Counting::Compat),
        figures(&file, Counting::Strict),
    )
}

fn causes(wins: &Wins) -> Vec<(Cause, usize)> {
    wins.unscored
        .0
        .iter()
        .map(|(cause, count)| (*cause, *count))
        .collect()
}

#[test]
fn the_rubric_has_39_criteria() {
    assert_eq!(
        CATEGORIES
            .iter()
            .map(|category| category.criteria)
            .sum::<usize>(),
        39
    );
    for criterion in 0..39 {
        assert_eq!(
            CATEGORIES
                .iter()
                .filter(|category| category.has(criterion))
                .count(),
            1
        );
    }
    assert!(!CATEGORIES.iter().any(|category| category.has(39)));
}

#[test]
fn whole_files_count_the_same_in_both_ways() {
    for wins in [0, 5, 25, 39] {
        let (compat, strict) = both(&writing_value(wins));
        assert_eq!(compat, strict);
        assert_eq!(compat.overall.gen_wins as u64, wins);
        assert_eq!(compat.overall.total(), 39);
        let order: Vec<&str> = compat
            .categories
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(order, ["Neutral", "Broad in its coverage", "Well-written"]);
    }
    let rate = both(&writing_value(13)).0.overall.rate();
    assert_eq!(rate, Some(13.0 / 39.0));
}

/// A change to the first verdict, and how it counts strictly.
#[test]
fn each_cause_is_told_and_none_is_a_tie() {
    let changes: [(&str, Value, Cause); 7] = [
        ("winner", json!("both"), Cause::UnknownLabel),
        ("winner", json!(2), Cause::UnknownLabel),
        ("winner_code", json!("2"), Cause::UnknownLabel),
        ("winner_code", json!(7), Cause::UnknownLabel),
        ("winner_code", json!(1), Cause::Contradictory),
        ("winner", json!("gt"), Cause::Contradictory),
        ("criterion_index", json!("0"), Cause::Missing),
    ];
    for (field, value, cause) in changes {
        let mut file = writing_value(5);
        file["details"]["Well-written"][0][field] = value.clone();
        let (compat, strict) = both(&file);
        assert_eq!(causes(&strict.overall), [(cause, 1)], "{field} {value}");
        assert_eq!((strict.overall.scored(), strict.overall.total()), (38, 39));
        assert_eq!(strict.overall.rate(), Some(4.0 / 38.0), "{field} {value}");
        assert_eq!(compat.overall.total(), 39);
        assert_eq!(compat.overall.unscored.total(), 0);
    }
}

#[test]
fn a_tie_that_was_not_offered_is_a_reply_that_was_not_read() {
    let mut file = writing_value(5);
    file["details"]["Neutral"][0] = verdict(29, "tie", 0);
    let (compat, strict) = both(&file);
    assert_eq!(
        (compat.overall.ties, compat.overall.rate()),
        (1, Some(5.0 / 39.0))
    );
    assert_eq!(causes(&strict.overall), [(Cause::TieNotOffered, 1)]);
    file["allow_tie"] = json!(true);
    let (compat, strict) = both(&file);
    assert_eq!(compat, strict);
    assert_eq!(strict.overall.ties, 1);
}

#[test]
fn a_lost_category_shrinks_only_the_benchmarks_denominator() {
    let mut file = writing_value(5);
    file["details"]["Broad in its coverage"] = json!([]);
    file["details"]
        .as_object_mut()
        .unwrap()
        .shift_remove("Neutral");
    let (compat, strict) = both(&file);
    assert_eq!(compat.overall.total(), 21);
    assert_eq!(strict.overall.total(), 39);
    assert_eq!(causes(&strict.overall), [(Cause::Missing, 18)]);
    assert_eq!(strict.categories.last().unwrap().0, "Neutral");
    file["details"]["Well-written"] = json!("broken");
    let (compat, strict) = both(&file);
    assert_eq!((compat.overall.total(), compat.overall.rate()), (0, None));
    assert_eq!((strict.overall.total(), strict.overall.rate()), (39, None));
}

/// A verdict that is handed to a second criterion by its place carries the number of the first.
#[test]
fn a_criterion_counts_once() {
    let mut file = writing_value(5);
    file["details"]["Well-written"][1] = verdict(0, "gen", 2);
    let (compat, strict) = both(&file);
    assert_eq!(compat.overall.gen_wins, 5);
    assert_eq!(strict.overall.gen_wins, 4);
    assert_eq!(causes(&strict.overall), [(Cause::Missing, 1)]);
    file["details"]["Well-written"][1] = verdict(30, "gen", 2);
    assert_eq!(both(&file).1.overall.gen_wins, 4, "of another category");
    let own = json!({"details": {"Own": [verdict(90, "gen", 2), verdict(90, "gen", 2), 5]}});
    let strict = both(&own).1;
    let own = &strict.categories[0].1;
    assert_eq!(causes(own), [(Cause::Missing, 1), (Cause::Repeated, 1)]);
}

#[test]
fn a_word_or_a_code_alone_is_enough() {
    let mut file = writing_value(5);
    let verdict = file["details"]["Well-written"][0].as_object_mut().unwrap();
    verdict.shift_remove("winner");
    assert_eq!(both(&file), both(&writing_value(5)));
    let verdict = file["details"]["Well-written"][1].as_object_mut().unwrap();
    verdict.shift_remove("winner_code");
    assert_eq!(both(&file), both(&writing_value(5)));
    let verdict = file["details"]["Well-written"][0].as_object_mut().unwrap();
    verdict.shift_remove("winner_code");
    assert_eq!(causes(&both(&file).1.overall), [(Cause::Missing, 1)]);
}

#[test]
fn codes_name_the_seat() {
    for first in [Winner::Gen, Winner::Gt] {
        for winner in [Winner::Gen, Winner::Gt, Winner::Tie] {
            assert_eq!(of_code(code_of(winner, first), first), Some(winner));
        }
        assert_eq!(code_of(first, first), 1);
        assert_eq!(of_code(3, first), None);
    }
}

#[test]
fn stored_counts_have_the_fields_of_the_format() {
    let stored = figures(&writing(13), Counting::Compat).stored();
    let stored = serde_json::to_value(&stored).unwrap();
    let overall = json!({"gen_wins": 13, "gt_wins": 26, "ties": 0, "total": 39,
                         "gen_win_rate": 13.0 / 39.0});
    assert_eq!(stored["overall"], overall);
    let names: Vec<&String> = stored.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "Neutral",
            "Broad in its coverage",
            "Well-written",
            "overall"
        ]
    );
    let mut broken = writing_value(13);
    broken["details"]["Neutral"] = json!([]);
    let strict = serde_json::to_value(both(&broken).1.stored()).unwrap();
    assert_eq!(strict["Neutral"]["unscored"], json!({"missing": 10}));
    assert_eq!(strict["Neutral"]["total"], json!(10));
    assert_eq!(strict["overall"]["gen_win_rate"], json!(13.0 / 29.0));
}

#[test]
fn the_summary_is_over_criteria_and_not_over_articles() {
    let mut short: WritingFile = samples::writing(0);
    short.details = samples::read::<WritingFile>(&json!({"details": {
        "Neutral": [verdict(29, "gen", 2)],
    }}))
    .details;
    let articles = [writing(13), short].map(|file| figures(&file, Counting::Compat));
    let (wins, stored) = summary(&articles);
    assert_eq!(wins.rate(), Some(14.0 / 40.0));
    assert_eq!(
        serde_json::to_value(&stored).unwrap(),
        json!({"total_articles": 2, "total_gen_wins": 14, "total_gt_wins": 26, "total_ties": 0,
               "gen_win_rate": 0.35})
    );
    let (_, empty) = summary([]);
    assert_eq!(
        serde_json::to_value(&empty).unwrap()["gen_win_rate"],
        json!(0.0)
    );
}

//! The judge that is code, fitted and measured on planted pairs: half of them chose the words and
//! the weights, the other half was kept aside.

use std::collections::BTreeMap;

use super::*;
use crate::rank::planted::{Pair, halves};

/// The logistic regression without a constant (sides have no part in it), with a penalty of half
/// the square of each weight times its signal's spread, by Newton's method.
fn fitted(pairs: &[Pair]) -> [f64; SIGNALS] {
    let rows: Vec<[f64; SIGNALS]> = pairs
        .iter()
        .map(|pair| {
            let [good, bad] = [&pair.good, &pair.bad].map(|text| signals(text));
            std::array::from_fn(|i| good[i] - bad[i])
        })
        .collect();
    let spread: [f64; SIGNALS] = std::array::from_fn(|i| {
        let mean = rows.iter().map(|row| row[i]).sum::<f64>() / rows.len() as f64;
        let squares: f64 = rows.iter().map(|row| (row[i] - mean).powi(2)).sum();
        (squares / rows.len() as f64).sqrt()
    });
    let mut weights = [0.0; SIGNALS];
    for _ in 0..50 {
        let mut system = [[0.0; SIGNALS + 1]; SIGNALS];
        for i in 0..SIGNALS {
            system[i][i] = 1.0;
            system[i][SIGNALS] = -weights[i];
        }
        for row in &rows {
            let row: [f64; SIGNALS] = std::array::from_fn(|i| row[i] / spread[i]);
            let margin: f64 = (0..SIGNALS).map(|i| row[i] * weights[i]).sum();
            let lost = 1.0 / (1.0 + margin.exp());
            for i in 0..SIGNALS {
                system[i][SIGNALS] += row[i] * lost;
                for j in 0..SIGNALS {
                    system[i][j] += row[i] * row[j] * lost * (1.0 - lost);
                }
            }
        }
        let step = solved(system);
        weights = std::array::from_fn(|i| weights[i] + step[i]);
    }
    std::array::from_fn(|i| weights[i] / spread[i])
}

/// Gauss–Jordan; the matrix is positive definite.
fn solved(mut system: [[f64; SIGNALS + 1]; SIGNALS]) -> [f64; SIGNALS] {
    for i in 0..SIGNALS {
        let pivot = system[i].map(|cell| cell / system[i][i]);
        system[i] = pivot;
        for (j, row) in system.iter_mut().enumerate() {
            let factor = row[i];
            if j != i {
                *row = std::array::from_fn(|k| row[k] - factor * pivot[k]);
            }
        }
    }
    system.map(|row| row[SIGNALS])
}

#[test]
fn the_weights_are_those_of_the_fit() {
    let [tune, _] = halves();
    let fitted = fitted(&tune);
    let as_fitted = |i: usize| (WEIGHTS[i] - fitted[i]).abs() < 0.006;
    assert!((0..SIGNALS).all(as_fitted), "{fitted:.2?}");
}

/// How a half is judged.
#[derive(Debug)]
struct Measured<'a> {
    /// Share of right verdicts, ties half.
    right: f64,
    by_kind: BTreeMap<&'a str, f64>,
    /// Mean difference between stated confidence and share of right verdicts, over three classes of
    /// confidence.
    calibration_error: f64,
}

fn measured(pairs: &[Pair]) -> Measured<'_> {
    let mut by_kind: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut classes: BTreeMap<u8, Vec<(f64, f64)>> = BTreeMap::new();
    for pair in pairs {
        let verdict = compare(&pair.good, &pair.bad);
        let exchanged = compare(&pair.bad, &pair.good);
        let won = verdict.points_a();
        assert!(
            (won + exchanged.points_a() - 1.0).abs() < 1e-12,
            "{}",
            pair.id
        );
        by_kind.entry(&pair.kind).or_default().push(won);
        let class = u8::from(verdict.confidence > 0.7) + u8::from(verdict.confidence > 0.9);
        classes
            .entry(class)
            .or_default()
            .push((verdict.confidence, won));
    }
    let n = pairs.len() as f64;
    let off = |class: &Vec<(f64, f64)>| class.iter().map(|(stated, won)| stated - won).sum::<f64>();
    Measured {
        right: by_kind.values().flatten().sum::<f64>() / n,
        calibration_error: classes.values().map(|class| off(class).abs()).sum::<f64>() / n,
        by_kind: by_kind
            .into_iter()
            .map(|(kind, won)| (kind, won.iter().sum::<f64>() / won.len() as f64))
            .collect(),
    }
}

#[test]
fn most_pairs_kept_aside_are_judged_right() {
    let [_, held] = halves();
    let measured = measured(&held);
    let percents = measured
        .by_kind
        .values()
        .map(|share| (share * 100.0).round());
    // In the order of the kinds' names. docs/ranking.md has these figures.
    assert_eq!(percents.collect::<Vec<_>>(), [66.0, 80.0, 92.0, 100.0]);
    assert!(
        measured.right >= 0.84 && measured.calibration_error <= 0.03,
        "{measured:?}"
    );
}

#[test]
fn a_short_question_is_no_better_than_a_task() {
    let task = "Compare rainfall at twelve stations of the Met Office with the logbooks of ships nearby, \
        from 1890 to 1910. Hand in a table with one row for each station. A good answer says which \
        stations disagree, by how much, and which of them moved.";
    for question in [
        "Submit 3.",
        "Ok.",
        "Who won Wimbledon in 1990?",
        "What is ten plus ten?",
    ] {
        assert_eq!(compare(question, task).winner, Side::B, "{question}");
    }
}

/// A change that these verdicts show is a change for those on record, too.
#[test]
fn a_version_keeps_its_verdicts() {
    let [tune, _] = halves();
    let verdicts: Vec<(Side, f64)> = tune
        .windows(2)
        .map(|pair| compare(&pair[0].good, &pair[1].bad))
        .map(|verdict| (verdict.winner, verdict.confidence))
        .collect();
    let seen = sha256_hex(format!("{verdicts:?}").as_bytes());
    assert_eq!(
        (VERSION, &seen[..16]),
        ("signals/1", "466549915c8e9ca9"),
        "then it is the next version"
    );
}

#[test]
fn equal_texts_are_a_tie_and_reasons_name_signals() {
    let text = "Hand in a table of twelve gauges.";
    assert!((compare(text, text).points_a() - 0.5).abs() < 1e-12);
    let verdict = compare("Look twelve gauges up.", text);
    assert_eq!(verdict.winner, Side::B);
    let reason = verdict.reason.expect("a reason");
    assert!(reason.contains("something to hand in"), "{reason}");
}

#[test]
fn a_list_is_ordered_as_its_pairs_are() {
    let texts = [
        "Think about various gauges, and consider several aspects.",
        "Hand in a table of twelve gauges of the Met Office, 1890 to 1910.",
        "Hand in a table of gauges.",
    ];
    let places = order(&texts).places;
    assert_eq!(places, [2, 0, 1]);
    for a in 0..3 {
        for b in 0..3 {
            let first = compare(texts[a], texts[b]).points_a();
            assert!(a == b || (first > 0.5) == (places[a] < places[b]));
        }
    }
}

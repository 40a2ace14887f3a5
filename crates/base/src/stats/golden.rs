//! Golden tests: every statistic against the values of well-known packages, stored in
//! `tests/data/statistics.json`. The script of the same name makes the file and documents how.

use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Deserialize;

use super::{
    agreement::{self, Level, Weights},
    binomial, correlation, paired,
};

#[derive(Deserialize)]
struct Golden {
    agreement: Vec<Agreement>,
    correlation: Vec<Correlation>,
    sign_flip: Vec<SignFlip>,
    holm: Vec<Holm>,
    wilson: Vec<Wilson>,
    detectable: Vec<Detectable>,
}

#[derive(Deserialize)]
struct Agreement {
    scale: Vec<f64>,
    items: Vec<Vec<Option<f64>>>,
    percent: Option<f64>,
    constant: Option<f64>,
    cohen: [Option<f64>; 3],
    fleiss: Option<f64>,
    krippendorff: [Option<f64>; 3],
    gwet: [Option<f64>; 3],
}

#[derive(Deserialize)]
struct Correlation {
    x: Vec<f64>,
    y: Vec<f64>,
    pearson: Option<f64>,
    interval: Option<(f64, f64)>,
    spearman: Option<f64>,
    tau_a: Option<f64>,
    tau_b: Option<f64>,
}

#[derive(Deserialize)]
struct SignFlip {
    differences: Vec<f64>,
    p: f64,
}

#[derive(Deserialize)]
struct Holm {
    p: Vec<f64>,
    adjusted: Vec<f64>,
}

#[derive(Deserialize)]
struct Wilson {
    successes: f64,
    n: u64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct Detectable {
    deviation: f64,
    n: u64,
    value: f64,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../../../../tests/data/statistics.json")).unwrap()
}

fn same(what: &str, ours: Option<f64>, theirs: Option<f64>) {
    let close = match (ours, theirs) {
        (Some(ours), Some(theirs)) => (ours - theirs).abs() < 1e-9,
        (ours, theirs) => ours == theirs,
    };
    assert!(close, "{what}: {ours:?} and not {theirs:?}");
}

#[test]
fn coefficients_of_agreement() {
    let sets = golden().agreement;
    assert!(sets.len() > 20);
    for (i, set) in sets.iter().enumerate() {
        same(
            &format!("percent {i}"),
            agreement::percent(&set.items),
            set.percent,
        );
        same(
            &format!("constant {i}"),
            agreement::constant(&set.items),
            set.constant,
        );
        same(
            &format!("Fleiss {i}"),
            agreement::fleiss(&set.items),
            set.fleiss,
        );
        for (j, weights) in [Weights::Identity, Weights::Linear, Weights::Quadratic]
            .into_iter()
            .enumerate()
        {
            same(
                &format!("Cohen {i} {weights:?}"),
                agreement::cohen(&set.items, [0, 1], weights),
                set.cohen[j],
            );
            same(
                &format!("Gwet {i} {weights:?}"),
                agreement::gwet(&set.items, weights, &set.scale),
                set.gwet[j],
            );
        }
        for (j, level) in [Level::Nominal, Level::Ordinal, Level::Interval]
            .into_iter()
            .enumerate()
        {
            same(
                &format!("α {i} {level:?}"),
                agreement::krippendorff(&set.items, level),
                set.krippendorff[j],
            );
        }
    }
}

#[test]
fn correlations() {
    let sets = golden().correlation;
    assert!(sets.len() > 20);
    for (i, set) in sets.iter().enumerate() {
        let r = correlation::pearson(&set.x, &set.y);
        same(&format!("r {i}"), r.map(|r| r.value), set.pearson);
        let ends = r.and_then(|r| r.interval);
        same(
            &format!("lower end {i}"),
            ends.map(|ends| ends.0),
            set.interval.map(|ends| ends.0),
        );
        same(
            &format!("upper end {i}"),
            ends.map(|ends| ends.1),
            set.interval.map(|ends| ends.1),
        );
        same(
            &format!("ρ {i}"),
            correlation::spearman(&set.x, &set.y).map(|rho| rho.value),
            set.spearman,
        );
        same(
            &format!("τ-a {i}"),
            correlation::kendall_a(&set.x, &set.y),
            set.tau_a,
        );
        same(
            &format!("τ-b {i}"),
            correlation::kendall(&set.x, &set.y),
            set.tau_b,
        );
    }
}

#[test]
fn tests_of_differences() {
    let golden = golden();
    assert!(golden.sign_flip.len() > 20 && golden.holm.len() > 20);
    for (i, set) in golden.sign_flip.iter().enumerate() {
        let column = set.differences.iter().copied().map(Some).collect();
        let p = paired::sign_flip(&[column], &mut ChaCha8Rng::seed_from_u64(1));
        same(&format!("sign flips {i}"), Some(p[0]), Some(set.p));
    }
    for (i, set) in golden.holm.iter().enumerate() {
        for (ours, theirs) in paired::holm(&set.p).into_iter().zip(&set.adjusted) {
            same(&format!("Holm {i}"), Some(ours), Some(*theirs));
        }
    }
    for set in golden.detectable {
        let what = format!("detectable {} {}", set.deviation, set.n);
        same(
            &what,
            paired::detectable(set.deviation, set.n),
            Some(set.value),
        );
    }
}

#[test]
fn intervals_of_shares() {
    for set in golden().wilson {
        let share = binomial::wilson(set.successes, set.n);
        same(
            &format!("lower end {} {}", set.successes, set.n),
            share.map(|share| share.low),
            Some(set.low),
        );
        same(
            &format!("upper end {} {}", set.successes, set.n),
            share.map(|share| share.high),
            Some(set.high),
        );
    }
}

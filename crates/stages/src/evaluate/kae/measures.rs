//! The measures of KAE: three shares and the efficiency, on two sets of key points, pooled over
//! tasks as in the paper and as means over tasks.

use std::sync::LazyLock;

use super::weighted;
use crate::{
    data::{Average, InTable, MeasureDef, Relation, Role, Score, Scores, ShareOf, Undecided, Unit},
    evaluate::{
        evaluator::SHARE,
        scorecard::{ReportScores, mean_denominator},
    },
};

/// Key points of one set by what a report says of them. A point without a verdict is in none of the
/// three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Supported by the report.
    pub supported: u64,
    /// Contradicted by it.
    pub contradicted: u64,
    /// Not mentioned, or only in part.
    pub omitted: u64,
    /// No verdict could be had.
    pub unscored: u64,
}

impl Counts {
    /// Points with a verdict.
    pub fn total(self) -> u64 {
        self.supported + self.contradicted + self.omitted
    }

    /// Adds a point.
    pub fn add(&mut self, relation: Relation) {
        match relation {
            Relation::Supports => self.supported += 1,
            Relation::Contradicts => self.contradicted += 1,
            // The paper has no such answer: a main claim that is left open is not supported.
            Relation::Omits | Relation::Partly => self.omitted += 1,
        }
    }
}

/// The keys of one set's measures.
#[derive(Clone, Copy)]
pub struct SetKeys {
    ksr: [&'static str; 2],
    kcr: [&'static str; 2],
    kor: [&'static str; 2],
    efficiency: [&'static str; 2],
}

/// Key points of the pages that the report itself cites: the paper's set.
pub const OWN: SetKeys = SetKeys {
    ksr: ["ksr_own", "ksr_own_mean"],
    kcr: ["kcr_own", "kcr_own_mean"],
    kor: ["kor_own", "kor_own_mean"],
    efficiency: ["efficiency_own", "efficiency_own_mean"],
};

/// Key points of the pages that other agents cite.
pub const INDEPENDENT: SetKeys = SetKeys {
    ksr: ["ksr_independent", "ksr_independent_mean"],
    kcr: ["kcr_independent", "kcr_independent_mean"],
    kor: ["kor_independent", "kor_independent_mean"],
    efficiency: ["efficiency_independent", "efficiency_independent_mean"],
};

/// The scores on one set. None of the set, or one without a single verdict, is no zero.
pub fn scores(keys: SetKeys, counts: Option<Counts>) -> Scores {
    let counts = counts.unwrap_or_default();
    let all = [keys.ksr, keys.kcr, keys.kor, keys.efficiency];
    // Without a verdict there is no share: a score of zero would say that all was omitted.
    if counts.total() == 0 {
        let cause = if counts.unscored > 0 {
            "unscored"
        } else {
            "no key points"
        };
        let missing = Score {
            unscored: counts.unscored,
            ..Score::missing(cause)
        };
        let keys = all.into_iter().flatten();
        return keys.map(|key| (key, missing.clone())).collect();
    }
    let number = |n: u64| n as f64;
    let rates = rates(
        keys,
        number(counts.supported),
        number(counts.contradicted),
        number(counts.omitted),
    );
    let unscored = counts.unscored;
    rates
        .into_iter()
        .map(|(key, score)| (key, Score { unscored, ..score }))
        .collect()
}

/// The scores on a set that nobody was asked about, which is not the same as an empty one.
pub fn not_asked(keys: SetKeys) -> Scores {
    let all = [keys.ksr, keys.kcr, keys.kor, keys.efficiency];
    let keys = all.into_iter().flatten();
    keys.map(|key| (key, Score::missing("unscored"))).collect()
}

/// The four rates, each as a pooled fraction and as one of the task alone.
fn rates(keys: SetKeys, supported: f64, contradicted: f64, omitted: f64) -> Scores {
    let others = contradicted + omitted;
    let total = supported + others;
    Scores::from([
        (keys.ksr[0], Score::ratio(supported, total)),
        (keys.ksr[1], Score::ratio(supported, total)),
        (keys.kcr[0], Score::ratio(contradicted, total)),
        (keys.kcr[1], Score::ratio(contradicted, total)),
        (keys.kor[0], Score::ratio(omitted, total)),
        (keys.kor[1], Score::ratio(omitted, total)),
        // Numerator and denominator stay apart, so that tasks are pooled by sums, as in the paper.
        (keys.efficiency[0], Score::ratio(supported, others)),
        (
            keys.efficiency[1],
            Score::ratio(supported / total, others / total),
        ),
    ])
}

/// A failed report omits as many key points as the task's other reports have on average.
pub fn failed(others: &[&ReportScores]) -> Scores {
    let mut scores = Scores::default();
    let size = |key| mean_denominator(others, key);
    for (keys, weighted_keys) in [(INDEPENDENT, weighted::INDEPENDENT), (OWN, weighted::OWN)] {
        if let Some(size) = size(keys.ksr[0]) {
            scores.extend(rates(keys, 0.0, 0.0, size));
        }
        let [weight, points] = weighted_keys.sizes().map(size);
        scores.extend(weighted::of_nothing(weighted_keys, weight, points));
    }
    scores
}

const OWN_POINTS: &str = "Key points of the report's own pages";
const INDEPENDENT_POINTS: &str = "Key points of other agents' pages";

/// A share of key points; one without a verdict would have been one more.
const POINTS: MeasureDef = MeasureDef {
    undecided: Undecided::OneMore,
    ..SHARE
};

/// A share as a mean over tasks, each counting the same.
const MEAN: MeasureDef = MeasureDef {
    average: Average::PerTask,
    in_table: InTable::Hidden,
    ..POINTS
};

/// KSR / (KCR + KOR), from 0 without end (Fig. 4 of the paper, which divides rounded shares). That
/// of mean rates is a quotient of two sums over tasks, too.
const EFFICIENCY: MeasureDef = MeasureDef {
    column: "efficiency",
    unit: Unit::Ratio,
    most: None,
    higher_is_better: Some(true),
    in_table: InTable::Hidden,
    ..SHARE
};

/// All of them: the paper's, then those of the strict form.
pub static MEASURES: LazyLock<Vec<MeasureDef>> =
    LazyLock::new(|| PAPER.into_iter().chain(weighted::MEASURES).collect());

/// The paper's; the independent set comes first, because no agent chooses it.
const PAPER: [MeasureDef; 16] = [
    MeasureDef {
        key: INDEPENDENT.ksr[0],
        whole: Some((INDEPENDENT_POINTS, ShareOf::Supported)),
        label: "KSR independent",
        column: "KSR independent",
        meaning: "share of the key points of other agents' pages that the report supports",
        higher_is_better: Some(true),
        role: Role::Ranks,
        in_table: InTable::WithInterval,
        ..POINTS
    },
    MeasureDef {
        key: INDEPENDENT.kcr[0],
        whole: Some((INDEPENDENT_POINTS, ShareOf::Contradicted)),
        label: "KCR independent",
        column: "KCR",
        meaning: "share of the same points that it contradicts",
        ..POINTS
    },
    MeasureDef {
        key: INDEPENDENT.kor[0],
        whole: Some((INDEPENDENT_POINTS, ShareOf::Omitted)),
        label: "KOR independent",
        column: "KOR",
        meaning: "share of the same points that it omits",
        ..POINTS
    },
    MeasureDef {
        key: OWN.ksr[0],
        whole: Some((OWN_POINTS, ShareOf::Supported)),
        label: "KSR own",
        column: "KSR own",
        meaning: "share of the key points of the report's own pages that it supports (the paper's set)",
        higher_is_better: Some(true),
        role: Role::Compares,
        in_table: InTable::WithInterval,
        ..POINTS
    },
    MeasureDef {
        key: OWN.kcr[0],
        whole: Some((OWN_POINTS, ShareOf::Contradicted)),
        label: "KCR own",
        column: "KCR",
        meaning: "share of the same points that it contradicts",
        ..POINTS
    },
    MeasureDef {
        key: OWN.kor[0],
        whole: Some((OWN_POINTS, ShareOf::Omitted)),
        label: "KOR own",
        column: "KOR",
        meaning: "share of the same points that it omits",
        ..POINTS
    },
    MeasureDef {
        key: INDEPENDENT.efficiency[0],
        whole: Some((INDEPENDENT_POINTS, ShareOf::Efficiency)),
        label: "efficiency independent",
        meaning: "KSR / (KCR + KOR) on the independent points",
        ..EFFICIENCY
    },
    MeasureDef {
        key: OWN.efficiency[0],
        whole: Some((OWN_POINTS, ShareOf::Efficiency)),
        label: "efficiency own",
        meaning: "KSR / (KCR + KOR) on the report's own points",
        ..EFFICIENCY
    },
    MeasureDef {
        key: INDEPENDENT.ksr[1],
        label: "KSR independent, mean of tasks",
        meaning: "supported share of the independent points, each task counting the same",
        higher_is_better: Some(true),
        ..MEAN
    },
    MeasureDef {
        key: INDEPENDENT.kcr[1],
        label: "KCR independent, mean of tasks",
        meaning: "contradicted share of the independent points, each task counting the same",
        ..MEAN
    },
    MeasureDef {
        key: INDEPENDENT.kor[1],
        label: "KOR independent, mean of tasks",
        meaning: "omitted share of the independent points, each task counting the same",
        ..MEAN
    },
    MeasureDef {
        key: INDEPENDENT.efficiency[1],
        label: "efficiency independent, mean of tasks",
        meaning: "KSR / (KCR + KOR) of the mean shares on the independent points",
        ..EFFICIENCY
    },
    MeasureDef {
        key: OWN.ksr[1],
        label: "KSR own, mean of tasks",
        meaning: "supported share of the report's own points, each task counting the same",
        higher_is_better: Some(true),
        ..MEAN
    },
    MeasureDef {
        key: OWN.kcr[1],
        label: "KCR own, mean of tasks",
        meaning: "contradicted share of the report's own points, each task counting the same",
        ..MEAN
    },
    MeasureDef {
        key: OWN.kor[1],
        label: "KOR own, mean of tasks",
        meaning: "omitted share of the report's own points, each task counting the same",
        ..MEAN
    },
    MeasureDef {
        key: OWN.efficiency[1],
        label: "efficiency own, mean of tasks",
        meaning: "KSR / (KCR + KOR) of the mean shares on the report's own points",
        ..EFFICIENCY
    },
];

//! The measures of the strict form, beside the paper's: shares weighted by the importance of the
//! key points, and how far KSR moves if what is said in part counts.

use crate::{
    data::{InTable, MeasureDef, Relation, Score, Scores, Undecided},
    evaluate::evaluator::SHARE,
};

/// A key point with what a report says of it.
#[derive(Clone, Copy, Debug)]
pub struct WeightedPoint {
    /// What it says.
    pub relation: Relation,
    /// The number of the sentence that decides.
    pub sentence: Option<usize>,
    /// How much the point matters, 0 to 3; none where that is not known.
    pub importance: Option<u8>,
    /// Whether another point of the set makes the same claim and counts for both.
    pub is_repeated: bool,
}

/// The keys of one set's measures.
#[derive(Clone, Copy)]
pub struct Keys {
    supported: &'static str,
    contradicted: &'static str,
    omitted: &'static str,
    lenient: &'static str,
}

/// On the key points of the pages that the report itself cites.
pub const OWN: Keys = Keys {
    supported: "ksr_own_weighted",
    contradicted: "kcr_own_weighted",
    omitted: "kor_own_weighted",
    lenient: "ksr_own_lenient",
};

/// On those of the pages that other agents cite.
pub const INDEPENDENT: Keys = Keys {
    supported: "ksr_independent_weighted",
    contradicted: "kcr_independent_weighted",
    omitted: "kor_independent_weighted",
    lenient: "ksr_independent_lenient",
};

/// The scores on one set.
///
/// A point counts as often as its importance says, and not at all where it is trivial or says what
/// another one says. What a report says
/// in part counts half as supported and half as omitted. A sentence contradicts one point: of
/// several that it speaks against, the one that matters most is contradicted and the others are
/// omitted. Points of unknown importance, and the `undecided` ones, are left out and counted as
/// unscored.
pub fn scores(keys: Keys, points: &[WeightedPoint], undecided: u64) -> Scores {
    let known: Vec<(WeightedPoint, f64)> = points
        .iter()
        .filter_map(|point| Some((*point, f64::from(point.importance?))))
        .collect();
    let unscored = undecided + (points.len() - known.len()) as u64;
    let counted = known.into_iter().filter(|(point, _)| !point.is_repeated);
    let known: Vec<(WeightedPoint, f64)> = counted.collect();
    let total: f64 = known.iter().map(|(_, weight)| weight).sum();
    let (supported, contradicted) = sums(known);
    let share = |weight: f64| {
        let score = if total > 0.0 {
            Score::ratio(weight, total)
        } else if unscored > 0 {
            Score::missing("unscored")
        } else {
            Score::missing("no key points that matter")
        };
        Score { unscored, ..score }
    };
    let or_partly =
        |point: &&WeightedPoint| matches!(point.relation, Relation::Supports | Relation::Partly);
    let lenient = points.iter().filter(or_partly).count() as f64;
    let lenient = match (points.len(), undecided) {
        (0, 0) => Score::missing("no key points"),
        (0, _) => Score::missing("unscored"),
        (n, _) => Score::ratio(lenient, n as f64),
    };
    let lenient = Score {
        unscored: undecided,
        ..lenient
    };
    Scores::from([
        (keys.supported, share(supported)),
        (keys.contradicted, share(contradicted)),
        (keys.omitted, share(total - supported - contradicted)),
        (keys.lenient, lenient),
    ])
}

/// The scores of a failed report that omits points of this weight and number.
pub fn of_nothing(keys: Keys, weight: Option<f64>, points: Option<f64>) -> Scores {
    let mut scores = Scores::default();
    if let Some(weight) = weight {
        scores.insert(keys.supported, Score::ratio(0.0, weight));
        scores.insert(keys.contradicted, Score::ratio(0.0, weight));
        scores.insert(keys.omitted, Score::ratio(weight, weight));
    }
    if let Some(points) = points {
        scores.insert(keys.lenient, Score::ratio(0.0, points));
    }
    scores
}

impl Keys {
    /// A measure of the weights, and one of the number of points.
    pub fn sizes(self) -> [&'static str; 2] {
        [self.supported, self.lenient]
    }
}

/// The weights of what is supported and of what is contradicted.
fn sums(mut points: Vec<(WeightedPoint, f64)>) -> (f64, f64) {
    points.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let (mut supported, mut contradicted) = (0.0, 0.0);
    let mut counted = Vec::new();
    for (point, weight) in points {
        match (point.relation, point.sentence) {
            (Relation::Supports, _) => supported += weight,
            (Relation::Partly, _) => supported += weight / 2.0,
            (Relation::Contradicts, Some(sentence)) if counted.contains(&sentence) => {}
            (Relation::Contradicts, sentence) => {
                contradicted += weight;
                counted.extend(sentence);
            }
            (Relation::Omits, _) => {}
        }
    }
    (supported, contradicted)
}

const HIDDEN: MeasureDef = MeasureDef {
    in_table: InTable::Hidden,
    ..SHARE
};

/// All of them.
pub const MEASURES: [MeasureDef; 8] = [
    MeasureDef {
        key: INDEPENDENT.supported,
        label: "KSR independent, weighted",
        column: "KSR weighted",
        meaning: "KSR on the independent points, each counted by its importance; in part is half",
        higher_is_better: Some(true),
        in_table: InTable::WithInterval,
        ..SHARE
    },
    MeasureDef {
        key: INDEPENDENT.contradicted,
        label: "KCR independent, weighted",
        column: "KCR weighted",
        meaning: "KCR on the independent points by importance; a sentence contradicts one point",
        ..HIDDEN
    },
    MeasureDef {
        key: INDEPENDENT.omitted,
        label: "KOR independent, weighted",
        meaning: "the rest of the independent points by importance",
        ..HIDDEN
    },
    MeasureDef {
        key: INDEPENDENT.lenient,
        label: "KSR independent, lenient",
        meaning: "KSR on the independent points if what is said in part counts as supported",
        higher_is_better: Some(true),
        undecided: Undecided::OneMore,
        ..HIDDEN
    },
    MeasureDef {
        key: OWN.supported,
        label: "KSR own, weighted",
        meaning: "KSR on the report's own points, each counted by its importance; in part is half",
        higher_is_better: Some(true),
        ..HIDDEN
    },
    MeasureDef {
        key: OWN.contradicted,
        label: "KCR own, weighted",
        meaning: "KCR on the report's own points by importance; a sentence contradicts one point",
        ..HIDDEN
    },
    MeasureDef {
        key: OWN.omitted,
        label: "KOR own, weighted",
        meaning: "the rest of the report's own points by importance",
        ..HIDDEN
    },
    MeasureDef {
        key: OWN.lenient,
        label: "KSR own, lenient",
        meaning: "KSR on the report's own points if what is said in part counts as supported",
        higher_is_better: Some(true),
        undecided: Undecided::OneMore,
        ..HIDDEN
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn point(relation: Relation, sentence: usize, importance: u8) -> WeightedPoint {
        WeightedPoint {
            relation,
            sentence: Some(sentence),
            importance: Some(importance),
            is_repeated: false,
        }
    }

    fn values(points: &[WeightedPoint]) -> [Option<f64>; 4] {
        let scores = scores(OWN, points, 0);
        [OWN.supported, OWN.contradicted, OWN.omitted, OWN.lenient]
            .map(|key| scores.get(key).and_then(Score::value))
    }

    #[test]
    fn points_count_by_importance_and_a_false_sentence_once() {
        use Relation::{Contradicts, Omits, Partly, Supports};
        let points = [
            point(Supports, 1, 3),
            point(Partly, 2, 2),
            point(Contradicts, 3, 1),
            // The same sentence: the point that matters more is the contradicted one.
            point(Contradicts, 3, 3),
            point(Omits, 0, 1),
            point(Supports, 4, 0),
        ];
        let [supported, contradicted, omitted, lenient] = values(&points);
        assert_eq!(supported, Some(4.0 / 10.0));
        assert_eq!(contradicted, Some(3.0 / 10.0));
        assert_eq!(omitted, Some(3.0 / 10.0));
        assert_eq!(lenient, Some(3.0 / 6.0));
    }

    #[test]
    fn a_repeated_claim_counts_in_no_weight() {
        let repeated = WeightedPoint {
            is_repeated: true,
            ..point(Relation::Omits, 0, 3)
        };
        let points = [
            point(Relation::Supports, 1, 3),
            point(Relation::Omits, 0, 1),
            repeated,
        ];
        let [supported, _, _, lenient] = values(&points);
        assert_eq!((supported, lenient), (Some(3.0 / 4.0), Some(1.0 / 3.0)));
    }

    #[test]
    fn what_is_not_known_is_no_zero() {
        let unknown = WeightedPoint {
            importance: None,
            ..point(Relation::Supports, 1, 0)
        };
        let scores = scores(OWN, &[unknown, point(Relation::Omits, 0, 2)], 2);
        let score = scores.get(OWN.supported).expect("a score");
        assert_eq!((score.value(), score.unscored), (Some(0.0), 3));
        let scores = super::scores(OWN, &[unknown], 0);
        let missing = scores.get(OWN.supported).expect("a score").outcome.clone();
        assert_eq!(missing.expect_err("no number"), "unscored");
        assert_eq!(values(&[])[0], None);
        assert_eq!(values(&[point(Relation::Supports, 1, 0)])[0], None);
    }
}

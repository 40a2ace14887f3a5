//! Verifiability: both ways of counting, each cause, means to the last digit.

use serde_json::{Value, json};

use super::samples::{alignment, read_broken, verifiability, verifiability_value};
use crate::benchmarks::wiki_live_challenge::{
    aggregate::{
        Cause, Counting,
        verifiability::{VerifiabilityFigures, means, summary, verifiability as figures},
    },
    files::VerifiabilityFile,
};

const GENERATED: [&str; 5] = [
    "consistent",
    "consistent",
    "inconsistent",
    "not_support",
    "not_support",
];
const WIKI: [&str; 4] = ["consistent", "not_support", "not_support", "inconsistent"];

fn both(value: &Value) -> (VerifiabilityFigures, VerifiabilityFigures) {
    let file: VerifiabilityFile = read_broken(value);
    (
        figures(&file, Counting::Compat),
        figures(&file, Counting::Strict),
    )
}

#[test]
fn figures_of_whole_files() {
    let (compat, strict) = both(&verifiability_value(&GENERATED, &WIKI));
    assert_eq!(compat, strict);
    let generated = &compat.generated;
    assert_eq!(
        (
            generated.supported,
            generated.not_supported,
            generated.conflict
        ),
        (2, 2, 1)
    );
    assert_eq!(generated.supported_share(), Some(0.4));
    assert_eq!(compat.wiki.supported_share(), Some(0.25));
    assert_eq!(compat.wiki.conflict_share(), Some(0.25));
    assert_eq!(
        (compat.avg_top1_sim, compat.with_similarity),
        (Some(0.5), 5)
    );
}

#[test]
fn each_cause_is_told_and_none_is_no_support() {
    let changes: [(&str, Value, Cause); 6] = [
        (
            "/alignments/0/verify/verdict",
            json!("supported"),
            Cause::UnknownLabel,
        ),
        (
            "/alignments/0/verify/verdict",
            json!(1),
            Cause::UnknownLabel,
        ),
        ("/alignments/0/verify/verdict", json!(null), Cause::Missing),
        ("/alignments/0/verify", json!(null), Cause::Missing),
        ("/alignments/0", json!("lost"), Cause::Missing),
        (
            "/alignments/0/verify/is_supported",
            json!(false),
            Cause::Contradictory,
        ),
    ];
    for (place, value, cause) in changes {
        let mut file = verifiability_value(&GENERATED, &WIKI);
        *file.pointer_mut(place).unwrap() = value;
        let (compat, strict) = both(&file);
        assert_eq!(strict.generated.unscored.0.get(&cause), Some(&1), "{place}");
        assert_eq!(
            (strict.generated.scored(), strict.generated.total()),
            (4, 5)
        );
        assert_eq!(strict.generated.supported_share(), Some(0.25));
        assert_eq!(compat.generated.total(), 5, "{place}");
        assert_eq!(strict.wiki, compat.wiki);
    }
}

#[test]
fn statements_that_were_lost_on_the_way_are_missing() {
    let mut file = verifiability_value(&GENERATED, &WIKI);
    file["num_gen_sentences"] = json!(9);
    let (compat, strict) = both(&file);
    assert_eq!(compat.generated.not_supported, 6);
    assert_eq!(strict.generated.unscored.0.get(&Cause::Missing), Some(&4));
    assert_eq!(strict.generated.supported_share(), Some(0.4));
    file["num_gen_sentences"] = json!(3);
    assert_eq!(
        both(&file).1.generated.total(),
        5,
        "a count below the list is wrong"
    );
}

/// Exchanging the articles exchanges support and coverage.
#[test]
fn the_directions_are_alike() {
    let there = figures(&verifiability(&GENERATED, &WIKI), Counting::Strict);
    let back = figures(&verifiability(&WIKI, &GENERATED), Counting::Strict);
    assert_eq!((there.generated, there.wiki), (back.wiki, back.generated));
}

/// Means by NumPy 2.4 of the first numbers of a sequence; from 8 numbers on, the sum from the first
/// to the last ends in another digit.
#[test]
fn means_are_numpys() {
    let of = |scores: &[f64]| {
        let listed: Vec<Value> = scores
            .iter()
            .map(|score| alignment("consistent", *score))
            .collect();
        let mut file = verifiability_value(&[], &[]);
        file["alignments"] = listed.into();
        both(&file).0.avg_top1_sim
    };
    let sequence = |length: u32| -> Vec<f64> {
        (0..length)
            .map(|at| f64::from(at * 7919 % 1009) / 1009.0)
            .collect()
    };
    for (length, mean) in [
        (1, 0.0),
        (7, 0.402_237_009_769_22),
        (8, 0.469_276_511_397_423_2),
        (9, 0.504_569_981_279_594_8),
        (20, 0.459_464_816_650_148_66),
        (128, 0.503_972_063_924_678),
        (129, 0.504_644_248_277_133_7),
        (137, 0.506_319_041_039_404_5),
        (1000, 0.500_176_412_289_395_5),
        (3001, 0.499_425_530_109_058_44),
    ] {
        assert_eq!(of(&sequence(length)), Some(mean), "{length}");
    }
    let plain = sequence(1000).iter().sum::<f64>() / 1000.0;
    assert_ne!(Some(plain), of(&sequence(1000)));
    assert_eq!(of(&[]), None);
}

#[test]
fn stored_figures_have_the_fields_of_the_format() {
    let mut file = verifiability(&GENERATED, &WIKI);
    figures(&file, Counting::Compat).store(&mut file);
    let stored = serde_json::to_value(&file).unwrap();
    for (field, value) in [
        ("num_gen_sentences", json!(5)),
        ("num_gt_sentences", json!(4)),
        ("gen_supported_by_wiki", json!(2)),
        ("gen_supported_by_wiki_ratio", json!(0.4)),
        ("gen_not_supported_by_wiki", json!(2)),
        ("gen_not_supported_by_wiki_ratio", json!(0.4)),
        ("gen_conflict_with_wiki", json!(1)),
        ("gen_conflict_with_wiki_ratio", json!(0.2)),
        ("wiki_covered_by_gen", json!(1)),
        ("wiki_covered_by_gen_ratio", json!(0.25)),
        ("wiki_not_covered_by_gen", json!(2)),
        ("wiki_not_covered_by_gen_ratio", json!(0.5)),
        ("wiki_conflict_with_gen", json!(1)),
        ("wiki_conflict_with_gen_ratio", json!(0.25)),
        ("avg_top1_sim", json!(0.5)),
    ] {
        assert_eq!(stored[field], value, "{field}");
    }
    assert_eq!(stored.get("gen_unscored"), None);
    let mut broken = verifiability(&["supported", "consistent"], &[]);
    figures(&broken, Counting::Strict).store(&mut broken);
    let stored = serde_json::to_value(&broken).unwrap();
    assert_eq!(stored["gen_unscored"], json!({"unknown_label": 1}));
    assert_eq!(stored["num_gen_sentences"], json!(2));
    assert_eq!(stored["gen_supported_by_wiki_ratio"], json!(1.0));
}

#[test]
fn means_are_over_articles_and_say_over_how_many() {
    let articles = [
        figures(&verifiability(&GENERATED, &WIKI), Counting::Strict),
        figures(&verifiability(&["consistent"], &[]), Counting::Strict),
    ];
    let ours = means(&articles);
    assert_eq!(ours.gen_supported, (Some(0.7), 2));
    assert_eq!(ours.wiki_covered, (Some(0.25), 1));
    let stored = serde_json::to_value(summary(&articles)).unwrap();
    assert_eq!(
        stored,
        json!({"total_articles": 2, "avg_gen_supported_by_wiki": 0.7,
               "avg_gen_conflict_with_wiki": 0.1, "avg_wiki_covered_by_gen": 0.125})
    );
}

//! Profiles by hand, and with the seats exchanged.

use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert_eq, proptest};
use rand::{SeedableRng as _, rngs::ChaCha8Rng};

use super::*;

fn round(first: &str, second: &str, lead: i32, kind: Option<FailureKind>) -> JudgedRound {
    JudgedRound {
        first: first.to_owned(),
        second: second.to_owned(),
        grade: Grade::from_lead(lead).unwrap(),
        kind,
        words: None,
        references: None,
    }
}

#[test]
fn losses_and_ties_are_failures_by_kind() {
    use FailureKind::{Both, Deep, Wide};
    let rounds = [
        round("x", "y", 2, Some(Deep)),
        round("y", "x", -1, Some(Wide)),
        round("x", "y", 0, Some(Both)),
        round("x", "z", -1, None),
        round("z", "y", 1, Some(Deep)),
    ];
    let found = failure_profiles(&rounds);
    let counts = |at: usize| {
        let of: &FailureProfile = &found[at];
        let kinds: Vec<u64> = of.kinds.iter().map(|kind| kind.rounds).collect();
        (
            of.agent.as_str(),
            of.rounds,
            of.lost,
            of.tied,
            kinds,
            of.untagged,
        )
    };
    assert_eq!(counts(0), ("x", 4, 1, 1, vec![0, 0, 1, 0], 1));
    assert_eq!(counts(1), ("y", 4, 3, 1, vec![2, 1, 1, 0], 0));
    assert_eq!(counts(2), ("z", 2, 0, 0, vec![0; 4], 0));
    assert_eq!(found[1].failures, wilson(4.0, 4));
    assert_eq!(found[1].kinds[0].share, wilson(2.0, 4));
    assert!(failure_profiles(&[]).is_empty());
    let kind: FailureKind = serde_json::from_str("\"DEPTH\"").unwrap();
    assert_eq!(kind, Deep, "the second version of the paper");
}

/// Six decisive rounds: one uncounted, one equal, and the longer answer wins three of four.
#[test]
fn longer_answers_are_counted_where_they_differ() {
    let with = |lead, words| JudgedRound {
        words,
        ..round("x", "y", lead, None)
    };
    let rounds = [
        with(1, Some((300, 200))),
        with(-2, Some((100, 200))),
        with(-1, Some((1, 2))),
        with(1, Some((100, 200))),
        with(1, Some((5, 5))),
        with(1, None),
        with(0, Some((9, 1))),
    ];
    let found = length_bias(&rounds);
    assert_eq!((found.n, found.equal, found.unknown), (4, 1, 1));
    assert_eq!((found.share, found.p), (wilson(3.0, 4), 0.625));
    let none = reference_bias(&rounds);
    assert_eq!((none.n, none.unknown, none.share), (0, 6, None));
}

#[test]
fn points_for_a_dollar() {
    let part = |agent: &str, score, cost_usd| MatchCost {
        agent: agent.to_owned(),
        score,
        cost_usd,
    };
    let mut matches = Vec::new();
    for _ in 0..20 {
        matches.push([part("cheap", 0.0, Some(0.1)), part("dear", 1.0, Some(2.0))]);
        matches.push([part("dear", 0.5, Some(2.0)), part("cheap", 0.5, Some(0.1))]);
    }
    matches.push([part("cheap", 1.0, None), part("free", 0.0, Some(0.0))]);
    let found = value_for_money(&matches, 200, &mut ChaCha8Rng::seed_from_u64(1));
    let names: Vec<&str> = found.iter().map(|of| of.agent.as_str()).collect();
    assert_eq!(names, ["cheap", "dear", "free"]);
    assert_eq!((found[0].matches, found[0].unknown), (40, 1));
    let (cheap, dear) = (
        found[0].points_per_usd.unwrap(),
        found[1].points_per_usd.unwrap(),
    );
    assert!((cheap.value - 2.5).abs() < 1e-9 && (dear.value - 0.375).abs() < 1e-9);
    let (low, high) = dear.interval.unwrap();
    assert!(low < 0.375 && 0.375 < high && low > 0.3);
    assert_eq!(found[2].points_per_usd, None, "nothing was paid");
}

fn any_round() -> impl Strategy<Value = JudgedRound> {
    let count = || proptest::option::of((0..4_u64, 0..4_u64));
    (any::<bool>(), -2..3_i32, 0..5_usize, count(), count()).prop_map(
        |(swap, lead, kind, words, references)| {
            let kind = FailureKind::ALL.get(kind).copied();
            let round = JudgedRound {
                words,
                references,
                ..round("x", "y", lead, kind)
            };
            if swap { round.swapped() } else { round }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn exchanged_seats_change_no_profile(rounds in proptest::collection::vec(any_round(), 0..40)) {
        let swapped: Vec<JudgedRound> = rounds.iter().map(JudgedRound::swapped).collect();
        prop_assert_eq!(failure_profiles(&rounds), failure_profiles(&swapped));
        prop_assert_eq!(length_bias(&rounds), length_bias(&swapped));
        prop_assert_eq!(reference_bias(&rounds), reference_bias(&swapped));
    }
}

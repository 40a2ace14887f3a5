//! Depth: the tie rule, both ways of counting, and what stays none.

use proptest::prelude::*;

use crate::benchmarks::live_research_bench::depth::{
    Counting, Decision, Dimensions, Games, Pair, Totals, consistency, count,
};

fn pair(first: (f64, f64), second: (f64, f64)) -> Pair {
    let totals = |(evaluated, reference)| Totals {
        evaluated,
        reference,
    };
    Pair {
        first: totals(first),
        second: totals(second),
    }
}

#[test]
fn totals_that_differ_by_one_are_a_tie() {
    assert_eq!(Decision::of_totals(18.0, 17.0), Decision::Tie);
    assert_eq!(Decision::of_totals(17.0, 18.0), Decision::Tie);
    assert_eq!(Decision::of_totals(18.0, 16.0), Decision::Win);
    assert_eq!(Decision::of_totals(16.0, 18.0), Decision::Loss);
    assert_eq!(Decision::of_totals(18.5, 17.0), Decision::Win);
    // Sums of tenths are off by rounding alone.
    let evaluated = Dimensions {
        granularity: 3.1,
        insight: 3.1,
        critique: 3.1,
        evidence: 3.1,
        density: 3.1,
    };
    let reference = Dimensions {
        granularity: 2.9,
        insight: 2.9,
        critique: 2.9,
        evidence: 2.9,
        density: 2.9,
    };
    let decision = Decision::of_totals(evaluated.total(), reference.total());
    assert_eq!(decision, Decision::Tie);
}

#[test]
fn dimensions_lie_from_zero_to_five() {
    let five = Dimensions {
        granularity: 5.0,
        ..Dimensions::default()
    };
    assert!(five.in_range());
    let out = [5.5, -1.0, f64::NAN, f64::INFINITY];
    for score in out {
        let dimensions = Dimensions {
            density: score,
            ..five
        };
        assert!(!dimensions.in_range(), "{score}");
    }
}

#[test]
fn a_win_and_a_tie_are_all_of_the_decisive() {
    let pairs = [pair((20.0, 15.0), (17.0, 17.0))];
    let games = count(&pairs, Counting::CountBoth);
    let expected = Games {
        wins: 1,
        losses: 0,
        ties: 1,
    };
    assert_eq!(games, expected);
    assert_eq!(games.win_rate(), Some(100.0));
    assert_eq!(consistency(&pairs.map(Pair::decisions)), Some(0.0));
}

#[test]
fn nothing_decisive_has_no_win_rate() {
    let games = count(&[pair((15.0, 15.0), (15.0, 16.0))], Counting::CountBoth);
    assert_eq!(games.ties, 2);
    assert_eq!(games.win_rate(), None);
    assert_eq!(Games::default().win_rate(), None);
    assert_eq!(consistency(&[]), None);
}

#[test]
fn the_two_ways_of_counting_differ() {
    // A judge that prefers the first seat: a win and a loss apart, a tie on average.
    let biased = pair((18.0, 15.0), (15.0, 18.0));
    let both = count(&[biased], Counting::CountBoth);
    assert_eq!((both.wins, both.losses, both.ties), (1, 1, 0));
    let mean = count(&[biased], Counting::MeanTotal);
    assert_eq!((mean.wins, mean.losses, mean.ties), (0, 0, 1));
    // Means that differ by exactly 1 are a tie, by 1.5 they are not.
    let close = pair((16.0, 16.0), (18.0, 16.0));
    assert_eq!(close.mean_decision(), Decision::Tie);
    let clear = pair((17.0, 16.0), (18.0, 16.0));
    assert_eq!(clear.mean_decision(), Decision::Win);
}

#[test]
fn both_orders_agree_or_not() {
    use Decision::{Loss, Tie, Win};
    let pairs = [[Win, Win], [Win, Loss], [Tie, Tie], [Loss, Tie]];
    assert_eq!(consistency(&pairs), Some(0.5));
}

#[test]
fn counts_of_strangers_do_not_overflow() {
    let games = Games {
        wins: u64::MAX,
        losses: u64::MAX,
        ties: u64::MAX,
    };
    assert_eq!(games.total(), u64::MAX);
    assert!(games.win_rate().is_some());
}

fn totals() -> impl Strategy<Value = Totals> {
    (0_u8..=25, 0_u8..=25).prop_map(|(evaluated, reference)| Totals {
        evaluated: evaluated.into(),
        reference: reference.into(),
    })
}

proptest! {
    /// Exchanging the reports exchanges wins and losses and nothing else; exchanging the orders
    /// changes nothing at all.
    #[test]
    fn seats_and_roles_are_symmetric(pairs in prop::collection::vec((totals(), totals()), 0..20)) {
        let pairs: Vec<Pair> =
            pairs.into_iter().map(|(first, second)| Pair { first, second }).collect();
        let other = |t: Totals| Totals { evaluated: t.reference, reference: t.evaluated };
        let roles: Vec<Pair> = pairs
            .iter()
            .map(|p| Pair { first: other(p.first), second: other(p.second) })
            .collect();
        let orders: Vec<Pair> =
            pairs.iter().map(|p| Pair { first: p.second, second: p.first }).collect();
        for counting in [Counting::CountBoth, Counting::MeanTotal] {
            let games = count(&pairs, counting);
            let exchanged = count(&roles, counting);
            prop_assert_eq!(count(&orders, counting), games);
            prop_assert_eq!(
                (exchanged.wins, exchanged.losses, exchanged.ties),
                (games.losses, games.wins, games.ties)
            );
        }
    }
}

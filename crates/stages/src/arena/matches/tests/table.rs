//! Every verdict with every tag and quality of a tie, at every kind of place.

use super::game::{Game, closed, open_ended, poor_tie, verdict, won};
use crate::{
    arena::trees::made::tree,
    data::{
        Side,
        arena::{
            DuelLabel, EndCause, FailureTag, InfoTree, MatchRules, Score, SequentialTest, Stop,
            TieQuality, Wanted,
        },
    },
};

/// Levels and pages that a verdict adds; or the match is over.
#[derive(Clone, Copy, Debug, PartialEq)]
enum To {
    By(i64, i64),
    Over,
}
use To::{By, Over};

/// What a verdict is to the loop.
#[derive(Clone, Copy, Debug)]
enum Class {
    PoorTie,
    GoodTie,
    Won(FailureTag),
}

const CLASSES: [Class; 6] = [
    Class::PoorTie,
    Class::GoodTie,
    Class::Won(FailureTag::Deep),
    Class::Won(FailureTag::Wide),
    Class::Won(FailureTag::Both),
    Class::Won(FailureTag::None),
];

/// All verdicts of a class.
fn verdicts(class: Class) -> Vec<crate::data::arena::RoundOutcome> {
    let winners = DuelLabel::ALL
        .into_iter()
        .filter(|label| *label != DuelLabel::Tie);
    let tie = |quality| {
        let tags = FailureTag::ALL.into_iter();
        tags.map(move |tag| verdict(DuelLabel::Tie, Some(quality), tag))
            .collect()
    };
    match class {
        Class::PoorTie => tie(TieQuality::Low),
        Class::GoodTie => tie(TieQuality::High),
        Class::Won(tag) => winners.map(|label| won(label, tag)).collect(),
    }
}

/// Checks the six classes at one kind of place; `before` are the verdicts that lead there.
fn check(
    what: &str,
    tree: &InfoTree,
    rules: MatchRules,
    before: &[crate::data::arena::RoundOutcome],
    expect: [To; 6],
) {
    for (class, expect) in CLASSES.into_iter().zip(expect) {
        for outcome in verdicts(class) {
            let mut game = Game::new(what, tree, rules);
            for outcome in before {
                game.round(outcome);
            }
            let (level, width) = game.place();
            game.round(&outcome);
            let (to_level, to_width) = game.place();
            let to = if game.state.is_over() {
                Over
            } else {
                By(to_level - level, to_width - width)
            };
            assert_eq!(to, expect, "{what}: {class:?}");
        }
    }
}

#[test]
fn below_the_root_with_pages_beside_and_below() {
    let tree = tree(&[4, 4, 4]);
    let inner = [By(-1, 0), By(1, 1), By(1, 0), By(0, 1), By(1, 1), By(1, 1)];
    check("inner", &tree, closed(), &[], inner);
    // The same one level deeper and one page wider: a poor tie takes the page off again.
    let down = [won(DuelLabel::ABetter, FailureTag::Both)];
    let wide = [By(-1, -1), By(1, 1), By(1, 0), By(0, 1), By(1, 1), By(1, 1)];
    check("wide", &tree, closed(), &down, wide);
}

#[test]
fn at_the_root() {
    let at_root = [By(0, 0), By(1, 1), By(1, 0), By(0, 1), By(1, 1), By(1, 1)];
    check("root", &tree(&[4, 4]), closed(), &[poor_tie()], at_root);
    // Wider at the root, a poor tie falls back to two pages.
    let wide = [
        poor_tie(),
        won(DuelLabel::ABetter, FailureTag::Wide),
        won(DuelLabel::BBetter, FailureTag::Wide),
    ];
    let back = [By(0, -2), By(1, 1), By(1, 0), By(0, 1), By(1, 1), By(1, 1)];
    check("wide root", &tree(&[4, 4]), closed(), &wide, back);
}

#[test]
fn at_a_leaf_the_match_grows_wider_instead_of_deeper() {
    let leaf = [By(-1, 0), By(0, 1), By(0, 1), By(0, 1), By(0, 1), By(0, 1)];
    check("leaf", &tree(&[4]), closed(), &[], leaf);
}

#[test]
fn where_nothing_is_left_to_widen_the_match_goes_deeper() {
    let narrow = [By(-1, 0), By(1, 1), By(1, 0), By(1, 0), By(1, 1), By(1, 1)];
    check("narrow", &tree(&[2, 3]), closed(), &[], narrow);
}

#[test]
fn where_nothing_is_left_at_all_the_match_goes_elsewhere_or_ends() {
    let elsewhere = [By(-1, 0), By(0, 0), By(0, 0), By(0, 0), By(0, 0), By(0, 0)];
    check("stuck", &tree(&[2]), closed(), &[], elsewhere);
    let over = [By(-1, 0), Over, Over, Over, Over, Over];
    check("lone", &tree(&[1]), closed(), &[], over);
}

#[test]
fn with_a_web_beyond_the_tree_a_leaf_has_pages_below_it() {
    for (class, expect) in
        CLASSES
            .into_iter()
            .zip([By(-1, 0), By(1, 1), By(1, 0), By(0, 1), By(1, 1), By(1, 1)])
    {
        for outcome in verdicts(class) {
            let tree = tree(&[4]);
            let mut game = Game::on("web", &tree, open_ended(), 5);
            let (level, width) = game.place();
            game.round(&outcome);
            let (to_level, to_width) = game.place();
            assert_eq!(By(to_level - level, to_width - width), expect, "{class:?}");
            // The level has as many pages as the match is wide, fetched where the tree had fewer.
            assert_eq!(game.targets().len() as i64, to_width, "{class:?}");
        }
    }
}

/// The published walk-through (handheld consoles): 2 : 5 after five rounds, at level 2, with two to
/// six pages.
#[test]
fn the_walk_through() {
    let tree = tree(&[8]);
    let mut game = Game::new("walk", &tree, MatchRules::default());
    let labels = [
        DuelLabel::ABetter,
        DuelLabel::BBetter,
        DuelLabel::ABetter,
        DuelLabel::BMuchBetter,
        DuelLabel::BMuchBetter,
    ];
    let mut seen = Vec::new();
    for label in labels {
        seen.push((game.place(), game.targets().len()));
        game.round(&won(label, FailureTag::Wide));
    }
    let expect: Vec<((i64, i64), usize)> = (2..=6).map(|w| ((2, w as i64), w)).collect();
    assert_eq!(seen, expect);
    let end = Wanted::End {
        cause: EndCause::Margin,
        score: Score { a: 2, b: 5 },
        winner: Some(Side::B),
    };
    assert_eq!(game.wanted, end);
}

/// A clear win of the one who is behind ends nothing: the margin does.
#[test]
fn the_margin_ends_a_match_and_ten_rounds_do() {
    let tree = tree(&[12, 4]);
    let mut game = Game::new("margin", &tree, MatchRules::default());
    game.round(&won(DuelLabel::ABetter, FailureTag::Wide));
    game.round(&won(DuelLabel::BMuchBetter, FailureTag::Wide));
    assert!(!game.state.is_over(), "1 : 2");
    for _ in 0..4 {
        game.round(&won(DuelLabel::ABetter, FailureTag::Wide));
        game.round(&won(DuelLabel::BBetter, FailureTag::Wide));
    }
    let end = Wanted::End {
        cause: EndCause::RoundLimit,
        score: Score { a: 5, b: 6 },
        winner: Some(Side::B),
    };
    assert_eq!(game.wanted, end);
    assert_eq!(game.state.rounds, 10);
    let mut game = Game::new("clear", &tree, MatchRules::default());
    game.round(&won(DuelLabel::AMuchBetter, FailureTag::Wide));
    assert!(game.state.is_over(), "2 : 0 after one round");
}

/// A test goes on where a lead of two would have ended the match, and ends when it knows; one that
/// does not know by the last round names nobody, whoever has more points.
#[test]
fn a_sequential_test_ends_a_match_by_evidence_or_names_nobody() {
    let tree = tree(&[12, 4]);
    let rules = |error, most_rounds| MatchRules {
        stop: Stop::Test(SequentialTest {
            error,
            ..SequentialTest::default()
        }),
        most_rounds,
        ..MatchRules::default()
    };
    let rounds = |rules: MatchRules, labels: &mut dyn Iterator<Item = DuelLabel>| {
        let mut game = Game::new("test", &tree, rules);
        while !game.state.is_over() {
            let label = labels.next().expect("endless");
            game.round(&won(label, FailureTag::Wide));
        }
        let Wanted::End { cause, winner, .. } = game.wanted else {
            panic!("an end");
        };
        (game.state.rounds, cause, winner)
    };
    let all = |label| std::iter::repeat(label);
    let (loose, usual, strict) = (rules(300, 20), rules(100, 20), rules(10, 20));
    let found = [loose, usual, strict].map(|rules| rounds(rules, &mut all(DuelLabel::BBetter)));
    let by_evidence = |n| (n, EndCause::Evidence, Some(Side::B));
    assert_eq!(found, [by_evidence(2), by_evidence(4), by_evidence(7)]);
    // Much better is more evidence.
    let much = rounds(strict, &mut all(DuelLabel::BMuchBetter));
    assert!(much.0 < 7 && much.2 == Some(Side::B), "{much:?}");
    // 0 : 2 points are a win by the margin, and nobody's by the test.
    let short = rounds(rules(10, 2), &mut all(DuelLabel::BBetter));
    assert_eq!(short, (2, EndCause::RoundLimit, None));
}

//! Loops, failures and histories: what must not go on for ever, and what both agents remember.

use super::game::{Game, closed, open_ended, poor_tie, why, won};
use crate::{
    arena::{
        matches::transition::{Input, advance},
        trees::made::{page, tree},
    },
    data::{
        Side,
        arena::{
            DuelLabel, EndCause, Failure, FailureTag, InfoTree, MatchRules, Node, Page,
            RoundOutcome, Wanted,
        },
    },
};

fn history(game: &Game<'_>) -> Vec<u32> {
    match &game.wanted {
        Wanted::Question { history, .. } => history.clone(),
        other => panic!("no question is wanted: {other:?}"),
    }
}

#[test]
fn poor_ties_lead_through_all_places_and_then_end_the_match() {
    let rules = MatchRules {
        most_rounds: 1_000,
        ..closed()
    };
    let tree = tree(&[4, 2]);
    let mut game = Game::new("poor", &tree, rules);
    let mut starts = Vec::new();
    while !game.state.is_over() {
        if game.state.level() == 2 {
            starts.push(game.state.path[1].clone());
        }
        game.round(&poor_tie());
        assert!(game.state.rounds < 100, "the match goes round in circles");
    }
    // Each start, then twice the root: the first tie there stays, the second goes elsewhere.
    assert_eq!(game.state.rounds, 4 * 3);
    let count = starts.len();
    starts.sort();
    starts.dedup();
    assert_eq!((starts.len(), count), (4, 4), "no place twice");
    assert!(matches!(
        game.wanted,
        Wanted::End {
            cause: EndCause::TreeExhausted,
            winner: None,
            ..
        }
    ));
}

#[test]
fn a_question_at_the_root_asks_about_as_many_pages_as_elsewhere() {
    let tree = tree(&[4, 2]);
    let mut game = Game::new("root", &tree, closed());
    game.round(&poor_tie());
    let Wanted::Question {
        chain,
        targets,
        length,
        ..
    } = &game.wanted
    else {
        panic!("a question");
    };
    assert!(chain.is_empty() && game.state.is_at_root());
    assert_eq!((targets.len(), &targets[0]), (2, &tree.root().id));
    assert_eq!((length.least, length.most), (180, 280));
}

#[test]
fn the_chain_is_the_two_pages_above() {
    let tree = tree(&[2, 2, 2, 2]);
    let mut game = Game::new("chain", &tree, closed());
    for level in 2..=5 {
        let Wanted::Question {
            chain,
            path,
            targets,
            ..
        } = &game.wanted
        else {
            panic!("a question");
        };
        assert_eq!(path.len(), level);
        assert_eq!(&path[..level - 1][level.saturating_sub(3)..], chain);
        assert_eq!(targets[0], path[level - 1]);
        if level < 5 {
            game.round(&won(DuelLabel::ABetter, FailureTag::Deep));
        }
    }
}

#[test]
fn histories_are_cut_to_where_the_match_was() {
    let tree = tree(&[4, 4, 4]);
    let mut game = Game::new("history", &tree, closed());
    game.round(&won(DuelLabel::ABetter, FailureTag::Wide));
    game.round(&won(DuelLabel::BBetter, FailureTag::Deep));
    assert_eq!(history(&game), [1, 2]);
    game.round(&won(DuelLabel::ABetter, FailureTag::Wide));
    assert_eq!(history(&game), [1, 2, 3]);
    game.round(&poor_tie());
    assert_eq!(history(&game), [1, 2], "as it was before the page below");
    assert_eq!(game.state.level(), 2);
    game.round(&poor_tie());
    assert_eq!(history(&game), [] as [u32; 0], "the root");
    game.round(&poor_tie());
    assert_eq!(
        history(&game),
        [6],
        "a poor tie at the root was a round, too"
    );
    game.round(&poor_tie());
    assert_eq!(history(&game), [] as [u32; 0], "elsewhere");
    assert_eq!(game.state.rounds, 7, "every verdict counts");
}

#[test]
fn a_failure_is_no_round_and_nobodys_loss() {
    let tree = tree(&[4, 4]);
    let mut game = Game::new("failures", &tree, MatchRules::default());
    game.round(&won(DuelLabel::ABetter, FailureTag::Wide));
    let (state, place) = (game.state.clone(), game.place());
    game.fail(&Failure::Answer {
        side: Side::A,
        why: why(),
    });
    game.fail(&Failure::Answers { a: why(), b: why() });
    game.round(&RoundOutcome::Invalid(why()));
    game.round(&RoundOutcome::Abstained {
        reason: "both are in a language that I do not read".into(),
    });
    assert_eq!(game.place(), place);
    assert_eq!(game.state.tally, state.tally);
    assert_eq!(game.state.rounds, state.rounds);
    assert_eq!(history(&game), [1]);
    let counts = game.state.failures;
    assert_eq!((counts.answer_a, counts.answer_b), (1, 0));
    assert_eq!(
        (counts.both_answers, counts.invalid, counts.abstained),
        (1, 1, 1)
    );
    let Wanted::Question { round, .. } = game.wanted else {
        panic!("a question");
    };
    assert_eq!(round, 2);
}

#[test]
fn a_place_without_a_question_is_left_and_too_many_failures_end_the_match() {
    let tree = tree(&[3]);
    let mut game = Game::new("no question", &tree, open_ended());
    let first = game.state.path.clone();
    let refused = Failure::Refused {
        reasons: vec!["it names a target".into()],
    };
    game.fail(&refused);
    assert_eq!(game.state.path, first, "once more here");
    game.fail(&Failure::Question(why()));
    assert_ne!(game.state.path, first, "then elsewhere");
    let mut failures = 2;
    while !game.state.is_over() {
        game.fail(&refused);
        failures += 1;
        assert!(failures <= 10, "failures go on for ever");
    }
    assert_eq!(failures, 10);
    assert!(matches!(
        game.wanted,
        Wanted::End {
            cause: EndCause::Failures,
            winner: None,
            ..
        }
    ));
}

#[test]
fn expansions_are_limited_and_a_page_that_brings_nothing_is_not_asked_twice() {
    let tree = tree(&[1]);
    let rules = MatchRules {
        most_rounds: 100,
        ..open_ended()
    };
    // Each page has one link, so that every step down needs an expansion.
    let mut game = Game::on("limited", &tree, rules, 1);
    while !game.state.is_over() {
        game.round(&won(DuelLabel::ABetter, FailureTag::Deep));
    }
    assert_eq!(game.state.expansions, rules.most_expansions);
    // Nothing behind any link: one expansion below the page, one beside it.
    let mut game = Game::on("nothing", &tree, rules, 0);
    game.round(&won(DuelLabel::ABetter, FailureTag::Deep));
    assert!(game.state.is_over());
    assert_eq!(game.state.expansions, 1, "the root's links are all used");
    assert_eq!(game.state.exhausted.len(), 1);
}

#[test]
fn a_match_begins_at_the_shallowest_level_with_something_to_ask() {
    let root = Node::root(page("https://r.test/", "Root", "too short"));
    let blank = Node::child(&root.id, None, Page::unvisited("https://r.test/a"));
    let other = Node::child(&root.id, None, page("https://r.test/b", "B", "short"));
    let long = "A text that says enough to ask about.";
    let deep = |url, below: &Node| Node::child(&below.id, None, page(url, url, long));
    let (one, two) = (
        deep("https://r.test/1", &blank),
        deep("https://r.test/2", &other),
    );
    let ids = [one.id.clone(), two.id.clone()];
    let tree = InfoTree::new(vec![root, blank, other, one, two]).unwrap();
    let mut seen = Vec::new();
    for name in 0..20 {
        let mut game = Game::new(&name.to_string(), &tree, closed());
        assert_eq!(game.state.level(), 3);
        assert!(ids.contains(&game.state.path[2]));
        seen.push(game.state.path[2].clone());
        // The pages above have nothing to ask about: a poor tie leads elsewhere.
        game.round(&poor_tie());
        assert_eq!(game.state.level(), 3);
        game.round(&poor_tie());
        assert!(game.state.is_over());
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 2, "the match's id decides where it begins");
}

#[test]
fn a_tree_without_anything_to_ask_about_ends_at_once() {
    let tree = InfoTree::new(vec![Node::root(page("https://r.test/", "R", "short"))]).unwrap();
    let game = Game::on("empty", &tree, MatchRules::default(), 0);
    assert!(game.state.is_over());
    assert_eq!(game.state.expansions, 1, "the web was looked at once");
    let game = Game::on("found", &tree, MatchRules::default(), 3);
    assert_eq!((game.state.level(), game.targets().len()), (2, 2));
}

#[test]
fn an_input_out_of_turn_is_refused() {
    let tree = tree(&[4]);
    let mut game = Game::new("turn", &tree, MatchRules::default());
    let state = game.state.clone();
    let again = advance(&game.id, state, Input::Begin, &game.view).unwrap_err();
    assert_eq!(
        again.to_string(),
        "a match that waits for a round was given a beginning"
    );
    game.round(&won(DuelLabel::AMuchBetter, FailureTag::None));
    let failure = Failure::Question(why());
    let after = advance(&game.id, game.state, Input::Failed(&failure), &game.view);
    assert!(after.is_err(), "after its end");
}

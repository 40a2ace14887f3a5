//! Whatever happens: a match ends, seats mirror, and its events tell it again.

use proptest::prelude::*;
use rand::{Rng, SeedableRng as _, rngs::ChaCha8Rng};

use super::game::{Game, verdict, why};
use crate::{
    arena::{
        matches::replay::{ReplayFault, read_events, replay},
        trees::made::tree,
    },
    data::{
        Side,
        arena::{
            DuelLabel, Failure, FailureTag, MatchEvent, MatchRules, RoundOutcome, SequentialTest,
            Stop, TieQuality, Wanted,
        },
    },
};

/// What may happen in a round.
#[derive(Clone, Debug)]
enum Happens {
    Judged(RoundOutcome),
    Failed(Failure),
}

impl Happens {
    fn mirrored(&self) -> Self {
        match self {
            Self::Judged(outcome) => Self::Judged(outcome.mirrored()),
            Self::Failed(failure) => Self::Failed(failure.mirrored()),
        }
    }
}

fn happens(rng: &mut impl Rng) -> Happens {
    let label = DuelLabel::ALL[rng.random_range(0..5)];
    let tag = FailureTag::ALL[rng.random_range(0..4)];
    let quality = [TieQuality::High, TieQuality::Low][rng.random_range(0..2)];
    let tie = (label == DuelLabel::Tie).then_some(quality);
    match rng.random_range(0..12) {
        0 => Happens::Failed(Failure::Question(why())),
        1 => Happens::Failed(Failure::Answer {
            side: [Side::A, Side::B][rng.random_range(0..2)],
            why: why(),
        }),
        2 => Happens::Failed(Failure::Answers { a: why(), b: why() }),
        3 => Happens::Judged(RoundOutcome::Abstained {
            reason: "no".into(),
        }),
        4 => Happens::Judged(RoundOutcome::Invalid(why())),
        _ => Happens::Judged(verdict(label, tie, tag)),
    }
}

/// A random tree, the rules, and what happens.
fn drawn(seed: u64) -> (Vec<usize>, MatchRules, usize, Vec<Happens>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let levels = rng.random_range(0..4);
    let widths = (0..levels).map(|_| rng.random_range(1..5)).collect();
    let rules = MatchRules {
        stop: match rng.random_range(0..3) {
            0 => Stop::Margin(2),
            1 => Stop::Test(SequentialTest::default()),
            _ => Stop::Margin(u32::MAX),
        },
        most_expansions: rng.random_range(0..9),
        ..MatchRules::default()
    };
    let web = rng.random_range(0..4);
    let rounds = (0..40).map(|_| happens(&mut rng)).collect();
    (widths, rules, web, rounds)
}

fn play(game: &mut Game<'_>, happens: &[Happens]) {
    for next in happens {
        if game.state.is_over() {
            return;
        }
        match next {
            Happens::Judged(outcome) => game.round(outcome),
            Happens::Failed(failure) => game.fail(failure),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn every_match_ends(seed in any::<u64>()) {
        let (widths, rules, web, happens) = drawn(seed);
        let tree = tree(&widths);
        let mut game = Game::on("ends", &tree, rules, web);
        play(&mut game, &happens);
        prop_assert!(game.state.is_over());
        let used = game.state.rounds + game.state.expansions + game.state.failures.total();
        prop_assert_eq!(game.state.steps, used + 1);
        prop_assert!(game.state.expansions <= rules.most_expansions);
        for event in &game.events {
            if let MatchEvent::Wanted(Wanted::Question { targets, chain, history, .. }) = event {
                prop_assert!(!targets.is_empty() && chain.len() <= 2);
                prop_assert!(targets.iter().all(|id| game.view.node(id).is_some()));
                prop_assert!(history.is_sorted());
                let mut once = targets.clone();
                once.sort();
                once.dedup();
                prop_assert_eq!(once.len(), targets.len());
            }
        }
    }

    #[test]
    fn seats_mirror_exactly(seed in any::<u64>()) {
        let (widths, rules, web, happens) = drawn(seed);
        let mirrored: Vec<Happens> = happens.iter().map(Happens::mirrored).collect();
        let tree = tree(&widths);
        let mut game = Game::on("mirror", &tree, rules, web);
        let mut other = Game::on("mirror", &tree, rules, web);
        play(&mut game, &happens);
        play(&mut other, &mirrored);
        prop_assert_eq!(&other.state.mirrored(), &game.state);
        prop_assert_eq!(&other.wanted.clone().mirrored(), &game.wanted);
        let wanted = |game: &Game<'_>| -> Vec<Wanted> {
            let events = game.events.iter();
            let wanted = events.filter_map(|event| match event {
                MatchEvent::Wanted(wanted) => Some(wanted.clone()),
                _ => None,
            });
            wanted.filter(|wanted| !matches!(wanted, Wanted::End { .. })).collect()
        };
        prop_assert_eq!(wanted(&game), wanted(&other));
    }

    #[test]
    fn events_tell_the_match_again(seed in any::<u64>(), stop in 0_usize..200) {
        let (widths, rules, web, happens) = drawn(seed);
        let tree = tree(&widths);
        let mut game = Game::on("told", &tree, rules, web);
        play(&mut game, &happens);
        let lines: String = game
            .events
            .iter()
            .map(|event| serde_json::to_string(event).unwrap() + "\n")
            .collect();
        let read = read_events(&lines).unwrap();
        let told = replay(&read.events, &tree).unwrap();
        prop_assert_eq!(&told.state, &game.state);
        prop_assert_eq!(&told.wanted, &game.wanted);
        prop_assert_eq!(told.view.added(), game.view.added());
        // A match that was stopped anywhere goes on from its events.
        let stop = 1 + stop % read.events.len();
        prop_assert!(replay(&read.events[..stop], &tree).is_ok());
    }
}

#[test]
fn what_is_recorded_otherwise_than_it_comes_out_is_found() {
    let tree = tree(&[4, 3]);
    let mut game = Game::on("tampered", &tree, MatchRules::default(), 2);
    game.round(&verdict(DuelLabel::ABetter, None, FailureTag::Wide));
    game.round(&verdict(DuelLabel::AMuchBetter, None, FailureTag::Wide));
    assert!(game.state.is_over() && replay(&game.events, &tree).is_ok());
    let last = game.events.len();
    let tampered = |change: &dyn Fn(&mut Vec<MatchEvent>)| {
        let mut events = game.events.clone();
        change(&mut events);
        replay(&events, &tree).unwrap_err()
    };
    let score = tampered(&|events| {
        let Some(MatchEvent::Wanted(Wanted::End { score, .. })) = events.last_mut() else {
            panic!("an end");
        };
        score.b += 1;
    });
    assert_eq!(score, ReplayFault::Differs(last));
    let verdict = tampered(&|events| {
        for event in events {
            if let MatchEvent::Judged(outcome) = event {
                *outcome = outcome.mirrored();
            }
        }
    });
    assert_eq!(verdict, ReplayFault::Differs(last));
    let unanswered = tampered(&|events| {
        events.retain(|event| !matches!(event, MatchEvent::Answered { side: Side::B, .. }));
    });
    assert!(matches!(unanswered, ReplayFault::NotAsked(_)));
    let pages = tampered(&|events| {
        for event in events {
            if let MatchEvent::Asked(question) = event {
                question.targets.reverse();
            }
        }
    });
    assert!(matches!(pages, ReplayFault::OtherQuestion(_)));
    assert_eq!(tampered(&Vec::clear), ReplayFault::NoStart);
    let other = crate::arena::trees::made::tree(&[3, 3]);
    let fault = replay(&game.events, &other).unwrap_err();
    assert!(matches!(fault, ReplayFault::OtherTree { .. }));
}

#[test]
fn a_line_that_was_cut_is_left_out_and_another_is_told() {
    let tree = tree(&[2]);
    let game = Game::new("cut", &tree, MatchRules::default());
    let lines: Vec<String> = game
        .events
        .iter()
        .map(|event| serde_json::to_string(event).unwrap())
        .collect();
    let read = read_events(&format!("{}\n{}", lines[0], &lines[1][..20])).unwrap();
    assert_eq!((read.events.len(), read.cut), (1, true));
    let (line, _) = read_events(&format!("{}\nnonsense\n", lines[0])).unwrap_err();
    assert_eq!(line, 2);
}

/// The id alone decides what is drawn.
#[test]
fn two_matches_with_one_id_are_one_and_others_differ() {
    let tree = tree(&[6, 4]);
    let targets = |name: &str| {
        Game::new(name, &tree, MatchRules::default())
            .targets()
            .to_vec()
    };
    assert_eq!(targets("a"), targets("a"));
    let mut seen: Vec<_> = (0..40).map(|name| targets(&name.to_string())).collect();
    seen.sort();
    seen.dedup();
    assert!(seen.len() > 10, "{}", seen.len());
}

//! New agents that are rated against a board.

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use super::{
    super::{
        Event, MatchKey, Phase,
        onboarding::{Known, NextStep, Onboarding, OnboardingOptions, Posterior, onboard},
    },
    ended, names,
};
use crate::arena::matches::stop::MatchResult;

fn board(number: usize, cost_usd: f64) -> Vec<Known> {
    let known = |(at, agent): (usize, String)| Known {
        agent,
        strength: 1.5 - at as f64 * 0.3,
        deviation: 0.2,
        cost_usd,
    };
    names(number, "a")
        .into_iter()
        .enumerate()
        .map(known)
        .collect()
}

fn onboarding(cost_cap_usd: f64, target_deviation: f64) -> OnboardingOptions {
    OnboardingOptions {
        trees: names(10, "tree"),
        trees_per_step: 2,
        attempts: 1,
        cost_cap_usd,
        target_deviation,
        prior_deviation: 1.5,
    }
}

/// A newcomer of strength `truth` is onboarded to the end.
fn newcomer(truth: f64, options: &OnboardingOptions, seed: u64) -> (Onboarding, Vec<Event>) {
    let (board, mut events) = (board(11, 1.0), Vec::new());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    loop {
        let now = onboard("new", &board, seed, options, &events).unwrap();
        let NextStep::Play(keys) = &now.next else {
            return (now, events);
        };
        for key in keys {
            let strength = |name: &str| {
                board
                    .iter()
                    .find(|of| of.agent == name)
                    .map_or(truth, |of| of.strength)
            };
            let logit: f64 = strength(&key.first) - strength(&key.second);
            let first = rng.random::<f64>() < 1.0 / (1.0 + (-logit).exp());
            events.push(ended(
                key,
                if first {
                    MatchResult::First
                } else {
                    MatchResult::Second
                },
            ));
        }
    }
}

#[test]
fn a_newcomer_is_rated_by_opponents_that_are_near() {
    let options = onboarding(1000.0, 0.35);
    let mut off = 0.0;
    for (at, truth) in [1.4, 0.0, -1.4, 0.7].into_iter().enumerate() {
        let (end, events) = newcomer(truth, &options, at as u64);
        assert_eq!(end.next, NextStep::PreciseEnough);
        assert!(
            end.deviation <= 0.35 && (20..80).contains(&end.matches),
            "{end:?}"
        );
        off += (end.strength - truth).abs() / 4.0;
        // Those at the far end of the board tell little, and are seldom met.
        let far = if truth > 0.0 { "a10" } else { "a00" };
        let met = events
            .iter()
            .filter(|of| of.key().first == far || of.key().second == far);
        assert!(truth == 0.0 || met.count() * 6 < events.len(), "{truth}");
        let mut shuffled = events.clone();
        shuffled.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
        assert_eq!(
            onboard("new", &board(11, 1.0), at as u64, &options, &shuffled).unwrap(),
            end
        );
    }
    assert!(off < 0.5, "{off}");
}

/// As many matches against opponents that are drawn: the posterior is wider.
#[test]
fn opponents_by_information_tell_more_than_opponents_by_chance() {
    let (mut chosen, mut drawn) = (0.0, 0.0);
    for seed in 0..12 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let truth = rng.random_range(-1.8..1.8);
        let (end, events) = newcomer(truth, &onboarding(1000.0, 0.4), seed);
        chosen += end.deviation / 12.0;
        let board = board(11, 1.0);
        let mut known = Posterior::new(&board, 1.5);
        for _ in &events {
            let opponent = rng.random_range(0..board.len());
            let logit: f64 = truth - board[opponent].strength;
            let won = rng.random::<f64>() < 1.0 / (1.0 + (-logit).exp());
            known.add(opponent, f64::from(u8::from(won)));
        }
        drawn += known.moments().1 / 12.0;
    }
    let told = format!("deviation {chosen:.3} by information, {drawn:.3} by chance\n");
    let _ = std::io::Write::write_all(&mut std::io::stderr(), told.as_bytes());
    assert!(chosen < drawn, "{told}");
}

#[test]
fn a_cost_cap_holds() {
    let (end, events) = newcomer(0.3, &onboarding(3.1, 0.01), 1);
    // A step may cost two dollars, and a match has cost a quarter: 0, .5, 1 are spent, then no
    // more.
    assert_eq!((end.next, events.len()), (NextStep::CostCap, 6));
    assert!((end.spent_usd - 1.5).abs() < 1e-12);
}

/// The same information at a tenth of the price is taken first.
#[test]
fn a_cheaper_opponent_comes_first() {
    let mut board = board(5, 1.0);
    board[0].cost_usd = 0.1;
    let now = onboard("new", &board, 1, &onboarding(50.0, 0.3), &[]).unwrap();
    let NextStep::Play(keys) = now.next else {
        panic!("{now:?}")
    };
    assert!(
        keys.iter()
            .all(|key| key.first == "a00" || key.second == "a00")
    );
    assert!(keys[0].first != keys[1].first, "seats are exchanged");
}

#[test]
fn what_is_no_onboarding_has_one_clear_message() {
    let good = onboarding(5.0, 0.3);
    let tried = |name: &str, board: &[Known], options: &OnboardingOptions, events: &[Event]| {
        onboard(name, board, 1, options, events)
            .unwrap_err()
            .to_string()
    };
    let strange = MatchKey {
        phase: Phase::Onboarding,
        round: 1,
        first: "new".into(),
        second: "nobody\u{7}".into(),
        tree: "tree00".into(),
    };
    let mut broken = board(2, 1.0);
    broken[1].strength = f64::NAN;
    let messages = [
        (
            tried("a01", &board(3, 1.0), &good, &[]),
            "an agent plays twice",
        ),
        (tried("new", &[], &good, &[]), "a tournament needs two"),
        (tried("new", &broken, &good, &[]), "a rating of the board"),
        (
            tried("new", &board(3, 0.0), &good, &[]),
            "the cost of a match",
        ),
        (
            tried("new", &board(3, 1.0), &onboarding(-1.0, 0.3), &[]),
            "the cost cap",
        ),
        (
            tried(
                "new",
                &board(3, 1.0),
                &good,
                &[ended(&strange, MatchResult::Tie)],
            ),
            "no such match in this tournament: `round 1, new against nobody\\u{7} on tree00`",
        ),
    ];
    for (message, begins) in messages {
        assert!(
            message.starts_with(begins) && message.contains("\nhint: "),
            "{message}"
        );
    }
}

//! Tournaments that are played out: nobody is dropped, nothing depends on the order of events.

use std::collections::BTreeMap;

use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use super::*;
use crate::{arena::matches::stop::MatchResult, stats::pairwise::Grade};

mod onboarding;

fn names(number: usize, prefix: &str) -> Vec<String> {
    (0..number).map(|at| format!("{prefix}{at:02}")).collect()
}

fn options(rounds: u32, trees: u32) -> Options {
    Options {
        rounds,
        trees: names(12, "tree"),
        trees_per_pairing: trees,
        attempts: 2,
    }
}

fn ended(key: &MatchKey, result: MatchResult) -> Event {
    Event::Ended {
        key: key.clone(),
        result,
        grades: vec![Grade::FirstBetter, Grade::Tie],
        cost_usd: Some(0.25),
    }
}

fn failed(key: &MatchKey, cause: &str) -> Event {
    Event::Failed {
        key: key.clone(),
        cause: cause.to_owned(),
        cost_usd: None,
    }
}

/// A result that follows the names: `a00` is the strongest.
fn outcome(key: &MatchKey, rng: &mut ChaCha8Rng) -> Event {
    if rng.random_bool(0.05) {
        return failed(key, "agent_timeout");
    }
    let strength = |name: &str| -> f64 { name[1..].parse::<f64>().unwrap() * -0.3 };
    let logit = strength(&key.first) - strength(&key.second) + 0.1;
    let result = match rng.random::<f64>() {
        draw if draw < 0.1 => MatchResult::Undecided,
        draw if draw < 0.1 + 0.9 / (1.0 + (-logit).exp()) => MatchResult::First,
        _ => MatchResult::Second,
    };
    ended(key, result)
}

/// Plays until the end. Returns the events in the order in which they came.
fn play(agents: &[String], seed: u64, options: &Options) -> (Plan, Vec<Event>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut events = Vec::new();
    loop {
        let now = plan(agents, seed, options, &events).unwrap();
        if now.finished {
            return (now, events);
        }
        events.extend(now.to_play.iter().map(|key| outcome(key, &mut rng)));
    }
}

fn json(plan: &Plan) -> String {
    serde_json::to_string(plan).unwrap()
}

#[test]
fn the_published_shape_is_played_to_its_end() {
    let agents = names(6, "a");
    let shape = Options {
        trees: names(30, "tree"),
        ..Options::published(Vec::new())
    };
    let (plan, events) = play(&agents, 3, &shape);
    assert_eq!(plan.rounds.len(), 4);
    assert_eq!(recommended_rounds(6), 3);
    assert!(events.len() >= 4 * 3 * 30);
    for round in &plan.rounds {
        assert_eq!((round.pairings.len(), &round.bye), (3, &None));
        for pairing in &round.pairings {
            // Thirty trees, each once, with the opener in the first seat on fifteen.
            let first = pairing
                .matches
                .iter()
                .filter(|of| of.first == pairing.opener);
            assert_eq!((pairing.matches.len(), first.count()), (30, 15));
        }
    }
    assert_eq!(plan.standings[0].agent, "a00");
    let tried: u32 = plan
        .standings
        .iter()
        .map(|row| row.matches + row.without_result)
        .sum();
    assert_eq!(tried, 2 * 4 * 3 * 30);
}

#[test]
fn recommended_rounds_are_the_logarithm() {
    let found = [2, 3, 4, 6, 8, 9, 16, 17].map(recommended_rounds);
    assert_eq!(found, [1, 2, 2, 3, 3, 4, 4, 5]);
}

/// With an odd number nobody is dropped, and nobody has a second bye before everyone has had one.
#[test]
fn byes_go_round() {
    for seed in 0..5 {
        let agents = names(7, "a");
        let (plan, _) = play(&agents, seed, &options(9, 2));
        let mut byes: BTreeMap<&str, u32> = agents.iter().map(|name| (name.as_str(), 0)).collect();
        for round in &plan.rounds {
            let mut present: Vec<&str> = round
                .pairings
                .iter()
                .flat_map(|of| [of.opener.as_str(), of.other.as_str()])
                .chain(round.bye.as_deref())
                .collect();
            present.sort_unstable();
            assert_eq!(present, agents);
            *byes.get_mut(round.bye.as_deref().unwrap()).unwrap() += 1;
            let (least, most) = (byes.values().min().unwrap(), byes.values().max().unwrap());
            assert!(most - least <= 1, "{byes:?}");
        }
        assert_eq!(plan.standings.iter().map(|row| row.byes).sum::<u32>(), 9);
    }
}

/// Three rounds of six can always be played without a rematch, though pairing from the top alone
/// may be stuck in the third.
#[test]
fn rematches_come_only_when_they_must() {
    for seed in 0..20 {
        let (plan, _) = play(&names(6, "a"), seed, &options(3, 2));
        let rematches = plan
            .rounds
            .iter()
            .flat_map(|of| &of.pairings)
            .filter(|of| of.rematch);
        assert_eq!(rematches.count(), 0, "three rounds of six never need one");
    }
    let (plan, _) = play(&names(4, "a"), 1, &options(6, 2));
    let rematches: Vec<bool> = plan
        .rounds
        .iter()
        .flat_map(|of| of.pairings.iter().map(|of| of.rematch))
        .collect();
    // Three rounds of four are everyone against everyone; then all is played again, evenly.
    assert_eq!(rematches, [[false; 6], [true; 6]].concat());
    let mut met: BTreeMap<[&str; 2], u32> = BTreeMap::new();
    for pairing in plan.rounds.iter().flat_map(|of| &of.pairings) {
        let mut pair = [pairing.opener.as_str(), pairing.other.as_str()];
        pair.sort_unstable();
        *met.entry(pair).or_default() += 1;
    }
    assert!(
        met.len() == 6 && met.values().all(|number| *number == 2),
        "{met:?}"
    );
}

/// An odd number of trees leaves each pairing uneven by one: a rematch evens it out, and no agent
/// is far from one half.
#[test]
fn seats_are_balanced() {
    for seed in 0..10 {
        let agents = names(9, "a");
        let (plan, _) = play(&agents, seed, &options(12, 3));
        let mut lead: BTreeMap<(String, String), i32> = BTreeMap::new();
        for key in plan
            .rounds
            .iter()
            .flat_map(|of| &of.pairings)
            .flat_map(|of| &of.matches)
        {
            *lead
                .entry((key.first.clone(), key.second.clone()))
                .or_default() += 1;
            *lead
                .entry((key.second.clone(), key.first.clone()))
                .or_default() -= 1;
        }
        assert!(lead.values().all(|lead| lead.abs() <= 2), "{lead:?}");
        for row in &plan.standings {
            let off = 2 * i64::from(row.first_seats) - i64::from(row.matches);
            assert!(off.abs() <= 4, "{row:?}");
        }
    }
}

/// Each prefix of the events, in any order, from files or not: the same plan byte by byte.
#[test]
fn a_replay_gives_the_same_bytes() {
    let agents = names(7, "a");
    let shape = options(4, 3);
    let (end, events) = play(&agents, 11, &shape);
    let read = from_lines(&to_lines(&events).unwrap()).unwrap();
    assert_eq!(read, events);
    let mut shuffled = read;
    shuffled.shuffle(&mut ChaCha8Rng::seed_from_u64(5));
    let mut listed = agents.clone();
    listed.reverse();
    assert_eq!(
        json(&plan(&listed, 11, &shape, &shuffled).unwrap()),
        json(&end)
    );
    let other = plan(&agents, 12, &shape, &[]).unwrap();
    assert_ne!(other.rounds, end.rounds[..1], "another seed, another draw");
    // Killed after any event, it goes on to the same end.
    for kept in [0, 1, 8, 20, events.len() - 1] {
        let mut again = events[..kept].to_vec();
        while let Some(key) = plan(&agents, 11, &shape, &again).unwrap().to_play.first() {
            let next = |event: &&Event| {
                event.key() == key && (again.iter().filter(|of| of == event).count() == 0)
            };
            let event = events.iter().find(next).unwrap_or_else(|| {
                // The second attempt failed as the first did: two equal events.
                events.iter().rfind(|event| event.key() == key).unwrap()
            });
            let event = event.clone();
            again.push(event);
        }
        assert_eq!(
            json(&plan(&agents, 11, &shape, &again).unwrap()),
            json(&end),
            "{kept}"
        );
    }
}

/// From the other seat the same result gives the same points.
#[test]
fn a_seat_swap_changes_no_points() {
    use MatchResult::{First, Second, Tie, Undecided};
    for result in [First, Second, Tie, Undecided] {
        let (mut before, mut after) = (StandingsRow::default(), StandingsRow::default());
        before.add(result, true);
        after.add(result.swapped(), false);
        assert_eq!((before.first_seats, after.first_seats), (1, 0));
        after.first_seats = 1;
        assert_eq!(before, after);
        assert!((f64::from(before.half_points) / 2.0 - result.score()).abs() < 1e-12);
    }
}

#[test]
fn a_failed_match_is_tried_again_and_then_counted() {
    let agents = names(2, "a");
    let shape = options(1, 2);
    let keys = plan(&agents, 1, &shape, &[]).unwrap().to_play;
    let mut events = vec![
        failed(&keys[0], "agent_timeout"),
        ended(&keys[1], MatchResult::First),
    ];
    let now = plan(&agents, 1, &shape, &events).unwrap();
    assert_eq!((now.to_play, now.finished), (vec![keys[0].clone()], false));
    events.push(failed(&keys[0], "judge_unscored"));
    let end = plan(&agents, 1, &shape, &events).unwrap();
    assert!(end.finished);
    for row in &end.standings {
        assert_eq!((row.matches, row.without_result), (1, 1));
        let causes: Vec<&str> = row.failures.keys().map(String::as_str).collect();
        assert_eq!(causes, ["agent_timeout", "judge_unscored"]);
    }
    assert_eq!(
        end.standings.iter().map(|row| row.half_points).sum::<u32>(),
        2
    );
}

#[test]
fn what_is_no_tournament_has_one_clear_message() {
    let agents = names(4, "a");
    let shape = options(2, 2);
    let keys = plan(&agents, 1, &shape, &[]).unwrap().to_play;
    let with = |events: &[Event]| plan(&agents, 1, &shape, events).unwrap_err().to_string();
    let first = ended(&keys[0], MatchResult::First);
    let later = Event::Ended {
        key: MatchKey {
            round: 2,
            ..keys[0].clone()
        },
        result: MatchResult::Tie,
        grades: Vec::new(),
        cost_usd: None,
    };
    let twice = |list: &[&str]| {
        list.iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let messages = [
        (
            with(&[first.clone(), first.clone()]),
            "this match is settled already",
        ),
        (
            with(&[failed(&keys[0], "a"), failed(&keys[0], "a"), first]),
            "this match is settled",
        ),
        (with(&[later]), "round 2 is not open"),
        (
            with(&[ended(&keys[0].swapped(), MatchResult::Tie)]),
            "no such match",
        ),
        (
            plan(&twice(&["x", "y", "x"]), 1, &shape, &[])
                .unwrap_err()
                .to_string(),
            "an agent plays",
        ),
        (
            plan(&twice(&["x"]), 1, &shape, &[])
                .unwrap_err()
                .to_string(),
            "a tournament needs two",
        ),
        (
            plan(&agents, 1, &options(0, 2), &[])
                .unwrap_err()
                .to_string(),
            "nothing to play",
        ),
        (
            plan(&agents, 1, &options(2, 13), &[])
                .unwrap_err()
                .to_string(),
            "13 trees a pairing",
        ),
        (
            from_lines("\n{\"event\":\"ended\"")
                .unwrap_err()
                .to_string(),
            "not an event in line 2",
        ),
    ];
    for (message, begins) in messages {
        assert!(
            message.starts_with(begins) && message.contains("\nhint: "),
            "{message}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the number of agents, every round has everybody once.
    #[test]
    fn nobody_is_dropped(number in 2..12_usize, seed in any::<u64>(), rounds in 1..6_u32) {
        let agents = names(number, "a");
        let (plan, _) = play(&agents, seed, &options(rounds, 1));
        prop_assert_eq!(plan.rounds.len(), rounds as usize);
        for round in &plan.rounds {
            prop_assert_eq!(round.pairings.len(), number / 2);
            prop_assert_eq!(round.bye.is_some(), number % 2 == 1);
        }
        // Below half of the agents as rounds there is always a pairing without a rematch.
        let rematch = plan.rounds.iter().flat_map(|of| &of.pairings).any(|of| of.rematch);
        prop_assert!(!rematch || rounds as usize * 2 > number, "{:?}", plan.rounds);
    }
}

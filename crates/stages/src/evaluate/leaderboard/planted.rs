//! Boards with planted gaps: what is missing is known to the test, and the bounds must hold it.

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use super::{
    sample::{Scored, counts, leaderboard, of, report},
    *,
};
use crate::evaluate::kae::measures::Counts;

/// The whole truth of a board, and what is on record of it.
struct Planted {
    truth: Vec<Scored>,
    known: Vec<Scored>,
}

/// What becomes of a report.
fn kept(whole: &Scored, failures: bool, rng: &mut ChaCha8Rng) -> (Scored, Option<Scored>) {
    match rng.random_range(0..12) {
        0 => (whole.clone(), None),
        1 if failures => {
            let failed = Scored {
                state: "timeout".into(),
                ..whole.clone()
            };
            (failed.clone(), Some(failed))
        }
        2 => (
            whole.clone(),
            Some(Scored {
                ace: None,
                ..whole.clone()
            }),
        ),
        3 | 4 => (
            whole.clone(),
            Some(Scored {
                own: whole.own.map(|all| undecided(all, rng)),
                independent: whole.independent.map(|all| undecided(all, rng)),
                ..whole.clone()
            }),
        ),
        _ => (whole.clone(), Some(whole.clone())),
    }
}

/// The counts without the verdicts on some of the points.
fn undecided(all: Counts, rng: &mut ChaCha8Rng) -> Counts {
    let mut left = |n: u64| rng.random_range(0..=n);
    let (supported, contradicted, omitted) = (
        left(all.supported),
        left(all.contradicted),
        left(all.omitted),
    );
    Counts {
        unscored: all.total() - supported - contradicted - omitted,
        ..counts(supported, contradicted, omitted)
    }
}

fn planted(seed: u64, failures: bool) -> Planted {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut truth, mut known) = (Vec::new(), Vec::new());
    for agent in ["a", "b", "c", "d"] {
        let level = rng.random_range(2.0..8.0);
        for task in 0..rng.random_range(5..6) {
            for attempt in 1..=rng.random_range(1..3) {
                let mut points = || {
                    Some(counts(
                        rng.random_range(0..9),
                        rng.random_range(0..4),
                        rng.random_range(1..6),
                    ))
                };
                let (own, independent) = (points(), points());
                let whole = Scored {
                    own,
                    independent,
                    ace: Some(level + rng.random_range(-2.0..2.0)),
                    ..report(agent, &format!("t{task}"), attempt)
                };
                let (is, has) = kept(&whole, failures, &mut rng);
                truth.push(is);
                known.extend(has);
            }
        }
    }
    Planted { truth, known }
}

fn board(scored: &[Scored], failed_as_zero: bool) -> Table {
    let options = Options {
        resamples: 2,
        failed_as_zero,
        set: (0..5)
            .map(|task| (format!("t{task}"), BTreeMap::new()))
            .collect(),
        ..Options::default()
    };
    leaderboard(scored, &options).whole
}

/// An agent all of whose attempts at a task are missing has none of it: the truth counts attempts
/// on record, and so a removed second attempt is no gap.
fn true_value(planted: &Planted, agent: &str, key: &str) -> Option<f64> {
    let attempts = |task: &str| {
        planted
            .known
            .iter()
            .any(|of| of.agent == agent && of.task == task)
    };
    let of_agent = planted.truth.iter().filter(|of| of.agent == agent);
    let whole: Vec<Scored> = of_agent
        .filter(|of| {
            let same = |other: &&Scored| other.report == of.report;
            !attempts(&of.task) || planted.known.iter().any(|other| same(&other))
        })
        .cloned()
        .collect();
    let others = planted.truth.iter().filter(|of| of.agent != agent);
    let all: Vec<Scored> = whole.iter().chain(others).cloned().collect();
    let table = board(&all, true);
    let row = table.agents.iter().find(|row| row.agent == agent)?;
    row.value(key)
}

/// The true value of each agent lies between its worst and its best, in all of 400 boards.
#[test]
fn the_truth_lies_between_worst_and_best() {
    const PER_TASK: [&str; 4] = [
        "ace",
        "ksr_own_mean",
        "kcr_own_mean",
        "kor_independent_mean",
    ];
    const POOLED: [&str; 3] = ["ksr_own", "kcr_independent", "kor_own"];
    let (mut checked, mut open, mut naive) = (0, 0, 0);
    for seed in 0..400 {
        // Of how many points a failed report omits, a pooled share's rule knows by the others' on
        // record; the truth of it is another number.
        let failures = seed % 2 == 0;
        let planted = planted(seed, failures);
        let table = board(&planted.known, false);
        for row in &table.agents {
            let pooled = if failures { &POOLED[..0] } else { &POOLED };
            for key in PER_TASK.iter().chain(pooled) {
                let measure = of(row, key);
                let (low, high) = measure.bounds().expect("bounds");
                let truth = true_value(&planted, &row.agent, key).expect("a value");
                assert!(
                    low - 1e-9 <= truth && truth <= high + 1e-9,
                    "seed {seed}, {} {key}: {truth} is not in [{low}, {high}]",
                    row.agent
                );
                checked += 1;
                open += usize::from(measure.is_open());
                naive += usize::from(
                    measure
                        .value
                        .is_none_or(|value| (value - truth).abs() > 0.1),
                );
            }
        }
    }
    // The bounds have something to do: much is open, and the mean of what is there is often wrong.
    assert!(
        open * 3 > checked && naive * 10 > checked,
        "{open} {naive} of {checked}"
    );
}

/// No agent with a gap stands above one without that it cannot reach, and every true rank is among
/// the possible ones; by the mean alone the first would happen.
#[test]
fn no_gap_leads() {
    let (mut by_mean, mut incomplete, mut complete) = (0, 0, 0);
    for seed in 0..400 {
        let planted = planted(seed, true);
        let table = board(&planted.known, false);
        let key = table.complete_by.expect("a measure");
        assert_eq!((key, table.tiers_by), ("ace", Some("ace")));
        for (at, row) in table.agents.iter().enumerate() {
            let found = of(row, key);
            assert!(!row.is_complete || found.is_complete());
            assert_eq!(row.rank.is_some(), row.is_complete);
            assert_eq!(row.tier.is_some(), row.is_complete);
            complete += usize::from(row.is_complete);
            if row.is_complete {
                continue;
            }
            incomplete += 1;
            let below = table.agents[at..].iter().filter(|other| other.is_complete);
            assert_eq!(below.count(), 0, "seed {seed}: {} stands apart", row.agent);
            let best = found.best.expect("bounds");
            by_mean += table
                .agents
                .iter()
                .filter(|other| other.is_complete && of(other, key).value > Some(best))
                .filter(|other| found.value > of(other, key).value)
                .count();
        }
        let agents: BTreeMap<&str, f64> = table
            .agents
            .iter()
            .map(|row| {
                (
                    &*row.agent,
                    true_value(&planted, &row.agent, key).expect("a value"),
                )
            })
            .collect();
        for row in &table.agents {
            let own = agents[&*row.agent];
            let rank = 1 + agents.values().filter(|other| **other > own + 1e-9).count() as u32;
            let (best, worst) = row.possible_ranks.expect("bounds");
            assert!(
                best <= rank && rank <= worst,
                "seed {seed}, {}: {rank} is not in {best} to {worst}",
                row.agent
            );
        }
    }
    assert!(
        by_mean > 20 && incomplete > 200 && complete > 200,
        "{by_mean} {incomplete} {complete}"
    );
}

/// One of three tasks, and a better mean than anybody: below the line all the same. What failed
/// counts by the rule of ACE, and a single missing report of a pooled share leaves all of it open.
#[test]
fn a_lucky_first_task_leads_nobody() {
    let ace = |agent: &str, task: &str, ace: f64| Scored {
        ace: Some(ace),
        own: Some(counts(3, 0, 1)),
        independent: Some(counts(1, 0, 1)),
        ..report(agent, task, 1)
    };
    let mut scored: Vec<Scored> = [("solid", 6.0), ("fair", 5.0)]
        .into_iter()
        .flat_map(|(agent, of)| ["t1", "t2", "t3"].map(|task| ace(agent, task, of)))
        .collect();
    scored.push(ace("lucky", "t1", 9.9));
    scored.push(ace("fragile", "t1", 9.0));
    for task in ["t2", "t3"] {
        scored.push(Scored {
            state: "timeout".into(),
            ..ace("fragile", task, 9.0)
        });
    }
    let table = leaderboard(&scored, &Options::default()).whole;
    let row = |name: &str| table.agents.iter().find(|row| row.agent == name).unwrap();
    let names: Vec<_> = table
        .agents
        .iter()
        .map(|row| (&*row.agent, row.rank))
        .collect();
    let expected = [
        ("solid", Some(1)),
        ("fair", Some(2)),
        ("lucky", None),
        ("fragile", None),
    ];
    assert_eq!(names, expected);
    let near = |found: Option<f64>, of: f64| found.is_some_and(|found| (found - of).abs() < 1e-12);
    let lucky = of(row("lucky"), "ace");
    assert!(
        near(lucky.worst, 3.3) && near(lucky.best, 29.9 / 3.0),
        "{lucky:?}"
    );
    assert_eq!(row("lucky").possible_ranks, Some((1, 3)));
    let fragile = of(row("fragile"), "ace");
    assert!(
        near(fragile.worst, 3.0) && near(fragile.best, 3.0),
        "{fragile:?}"
    );
    assert_eq!((fragile.failed_by_rule, fragile.n), (2, 1));
    assert_eq!(row("fragile").possible_ranks, Some((4, 4)));
    assert_eq!(row("solid").possible_ranks, Some((1, 2)));
    let own = of(row("lucky"), "ksr_own");
    assert_eq!((own.worst, own.best), (Some(0.0), Some(1.0)));
    // Of a measure of which less is better, the worst is the upper end.
    let kcr = of(row("lucky"), "kcr_own_mean");
    assert!(near(kcr.worst, 2.0 / 3.0) && near(kcr.best, 0.0), "{kcr:?}");
    let words = of(row("lucky"), "words");
    assert_eq!((words.worst, words.best), (None, None));
    assert!(words.no_bounds.is_some() && own.no_bounds.is_none());
    // With failures counted, the fragile one is complete, and last.
    let counted = Options {
        failed_as_zero: true,
        ..Options::default()
    };
    let table = leaderboard(&scored, &counted).whole;
    assert_eq!(table.agents[2].agent, "fragile");
    assert_eq!(
        (table.agents[2].rank, table.agents[3].rank),
        (Some(3), None)
    );
}

/// Where there was nothing to measure, nothing is missing; a key point without a verdict is.
#[test]
fn nothing_to_measure_is_no_gap() {
    let with = |agent: &str, task: &str, independent: Option<Counts>| Scored {
        independent,
        ..report(agent, task, 1)
    };
    let half = Some(Counts {
        unscored: 2,
        ..counts(1, 0, 1)
    });
    let scored = [
        with("a", "t1", Some(counts(1, 0, 1))),
        with("a", "t2", None),
        with("b", "t1", half),
        with("b", "t2", None),
    ];
    let table = leaderboard(&scored, &Options::default()).whole;
    assert_eq!(table.complete_by, Some("ksr_independent"));
    let [a, b] = &table.agents[..] else { panic!() };
    assert_eq!(
        (
            a.rank,
            a.is_complete,
            of(a, "ksr_independent").not_applicable
        ),
        (Some(1), true, 1)
    );
    let found = of(b, "ksr_independent");
    assert_eq!(
        (found.value, found.worst, found.best),
        (Some(0.5), Some(0.25), Some(0.75))
    );
    // Half of the scale is open, although each task has a value.
    assert!(found.is_complete() && !b.is_complete && b.rank.is_none());
}

/// Equal values share a rank, whatever the names; the top is shared, too.
#[test]
fn no_name_decides_on_a_rank() {
    let ace = |agent: &str, ace: f64| Scored {
        ace: Some(ace),
        ..report(agent, "t", 1)
    };
    let scored = [ace("a", 4.0), ace("b", 4.0), ace("c", 3.0)];
    let table = leaderboard(&scored, &Options::default()).whole;
    let ranks: Vec<_> = table
        .agents
        .iter()
        .map(|row| (row.rank, row.p_top_k))
        .collect();
    assert_eq!(
        ranks,
        [
            (Some(1), Some(0.5)),
            (Some(1), Some(0.5)),
            (Some(3), Some(0.0))
        ]
    );
}

/// A failed second attempt is no value, and no gap either: it counts by the rule, and who leaves it
/// out is not complete.
#[test]
fn a_failed_second_attempt_is_not_left_out() {
    let ace = |agent: &str, attempt: u32| Scored {
        ace: Some(8.0),
        ..report(agent, "t", attempt)
    };
    let failed = Scored {
        state: "timeout".into(),
        ..ace("twice", 2)
    };
    let scored = [ace("once", 1), ace("twice", 1), failed];
    let table = leaderboard(&scored, &Options::default()).whole;
    let [once, twice] = &table.agents[..] else {
        panic!("{:?}", table.agents)
    };
    assert_eq!((&*once.agent, once.rank), ("once", Some(1)));
    assert_eq!(
        (twice.is_complete, twice.possible_ranks),
        (false, Some((2, 2)))
    );
    let found = of(twice, "ace");
    assert_eq!(
        (found.value, found.worst, found.best),
        (Some(8.0), Some(4.0), Some(4.0))
    );
}

/// A failed attempt that is left out shows, although an unscored one leaves so much open that the
/// value could be right all the same.
#[test]
fn open_bounds_hide_no_failed_attempt() {
    let ace = |attempt: u32, ace: Option<f64>| Scored {
        ace,
        ..report("a", "t", attempt)
    };
    let failed = Scored {
        state: "timeout".into(),
        ..ace(2, None)
    };
    let scored = [ace(1, Some(4.0)), failed, ace(3, None)];
    let is_complete = |failed_as_zero| {
        let options = Options {
            resamples: 2,
            failed_as_zero,
            ..Options::default()
        };
        let table = leaderboard(&scored, &options).whole;
        let found = of(&table.agents[0], "ace");
        // 4 and 0, and anything from 0 to 10.
        assert!(
            found.worst < Some(4.0) && found.best > Some(4.0),
            "{found:?}"
        );
        found.is_complete()
    };
    assert!(!is_complete(false) && is_complete(true));
}

//! Simulated leaderboards of agents with known true scores.

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use rand_distr::{Beta, Distribution as _};

use super::{
    sample::{Scored, counts, leaderboard, of, report},
    *,
};

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A report with an ACE of `ace` ± 2, and a KSR around `ksr` on 3 to 29 points, more alike on one
/// task than on two.
fn drawn(agent: &str, task: usize, ksr: f64, ace: f64, rng: &mut ChaCha8Rng) -> Scored {
    let of = rng.random_range(3..30);
    let p = Beta::new(6.0 * ksr, 6.0 * (1.0 - ksr)).unwrap().sample(rng);
    let supported = (0..of).filter(|_| rng.random::<f64>() < p).count() as u64;
    let points = Some(counts(
        supported,
        (of - supported) / 2,
        (of - supported).div_ceil(2),
    ));
    let ace = ace + 4.0 * rng.random::<f64>() - 2.0;
    Scored {
        own: points,
        independent: points,
        ace: Some(ace),
        ..report(agent, &format!("{task:05}"), 1)
    }
}

/// How often the intervals of 300 simulated boards hold the truth: pooled and mean KSR of .6, ACE of 4.
fn coverage(tasks: usize) -> [f64; 3] {
    let mut rng = rng(tasks as u64);
    let mut held = [0_u32; 3];
    for seed in 0..300 {
        let scored: Vec<Scored> = (0..tasks)
            .map(|task| drawn("a", task, 0.6, 4.0, &mut rng))
            .collect();
        let table = leaderboard(
            &scored,
            &Options {
                resamples: 200,
                seed,
                ..Options::default()
            },
        )
        .whole;
        let row = &table.agents[0];
        let measures = [
            (of(row, "ksr_own"), 0.6),
            (of(row, "ksr_independent_mean"), 0.6),
            (of(row, "ace"), 4.0),
        ];
        for (held, (measure, truth)) in held.iter_mut().zip(measures) {
            *held += u32::from(measure.low.unwrap() <= truth && truth <= measure.high.unwrap());
        }
    }
    held.map(|held| f64::from(held) / 300.0)
}

#[test]
fn intervals_hold_the_truth() {
    for tasks in [20, 100] {
        let found = coverage(tasks);
        assert!(
            found.iter().all(|share| (0.90..=0.98).contains(share)),
            "{tasks} tasks: {found:?}"
        );
    }
}

/// The largest gap between the distribution of p-values and the uniform one.
fn gap(mut p: Vec<f64>) -> f64 {
    p.sort_by(f64::total_cmp);
    let n = p.len() as f64;
    let at = |(i, p): (usize, &f64)| (p - i as f64 / n).abs().max((p - (i + 1) as f64 / n).abs());
    p.iter().enumerate().map(at).fold(0.0, f64::max)
}

/// Reports of two agents, better and worse; the labels are then shuffled, task by task, 200 times.
#[test]
fn with_shuffled_labels_p_is_uniform() {
    let mut rng = rng(3);
    let one = |agent, task, ksr, ace, rng: &mut ChaCha8Rng| Scored {
        own: None,
        ..drawn(agent, task, ksr, ace, rng)
    };
    let both =
        |task, rng: &mut ChaCha8Rng| [one("a", task, 0.7, 5.0, rng), one("b", task, 0.5, 4.0, rng)];
    let mut scored: Vec<[Scored; 2]> = (0..30).map(|task| both(task, &mut rng)).collect();
    let mut p = [vec![], vec![]];
    for seed in 0..200 {
        for [a, b] in &mut scored {
            if rng.random() {
                std::mem::swap(&mut a.agent, &mut b.agent);
            }
        }
        let table = leaderboard(
            &scored.concat(),
            &Options {
                resamples: 2,
                seed,
                ..Options::default()
            },
        )
        .whole;
        let of = |measure| {
            table
                .differences
                .iter()
                .find(|pair| pair.measure == measure)
                .unwrap()
                .p
        };
        p[0].push(of("ace"));
        p[1].push(of("ksr_independent"));
    }
    // Kolmogorov's critical value at 1 % is 1.628 / √n.
    let gaps = p.map(gap);
    assert!(
        gaps.iter().all(|gap| *gap < 1.628 / 200_f64.sqrt()),
        "{gaps:?}"
    );
}

/// Sets of very different sizes, as own ones are: one agent cites little, the other much, and both
/// are as good.
#[test]
fn without_a_difference_few_are_significant() {
    let mut rng = rng(4);
    let mut significant = 0;
    for seed in 0..200 {
        let of = |task: usize, rng: &mut ChaCha8Rng| {
            let (few, much) = (
                drawn("a", task, 0.6, 4.0, rng),
                drawn("b", task, 0.6, 4.0, rng),
            );
            let own = much
                .own
                .map(|one| counts(8 * one.supported, 8 * one.contradicted, 8 * one.omitted));
            [few, Scored { own, ..much }].map(|one| Scored {
                ace: None,
                independent: None,
                ..one
            })
        };
        let scored: Vec<Scored> = (0..40).flat_map(|task| of(task, &mut rng)).collect();
        let table = leaderboard(
            &scored,
            &Options {
                resamples: 2,
                seed,
                ..Options::default()
            },
        )
        .whole;
        significant += table
            .differences
            .iter()
            .filter(|pair| pair.measure == "ksr_own" && pair.p < 0.05)
            .count();
    }
    // 10 of 200 are expected, ± 3.1.
    assert!((3..=19).contains(&significant), "{significant}");
}

/// A lead of .1 in KSR and of 1 in ACE: found on 100 tasks, with an interval that has it inside.
#[test]
fn a_planted_lead_is_found() {
    let mut rng = rng(5);
    let both = |task, rng: &mut ChaCha8Rng| {
        [
            drawn("a", task, 0.75, 4.0, rng),
            drawn("b", task, 0.55, 5.0, rng),
        ]
    };
    let scored: Vec<Scored> = (0..100).flat_map(|task| both(task, &mut rng)).collect();
    let table = leaderboard(&scored, &Options::default()).whole;
    assert_eq!(
        table.agents.iter().map(|row| row.tier).collect::<Vec<_>>(),
        [Some(1), Some(2)]
    );
    for (pair, truth) in table.differences.iter().zip([1.0, -0.2, -0.2]) {
        assert!(
            pair.significant && pair.low.unwrap() < truth && truth < pair.high.unwrap(),
            "{pair:?}"
        );
    }
}

/// Of 3,000 tasks, dealt into groups and tested by the normal distribution, the numbers are nearly
/// those of the first 2,000 scaled by what they have more.
#[test]
fn many_tasks_have_the_same_intervals() {
    let mut rng = rng(6);
    let scored: Vec<Scored> = (0..3000)
        .map(|task| drawn("a", task, 0.6, 4.0, &mut rng))
        .collect();
    let width = |tasks: usize| {
        let table = leaderboard(
            &scored[..tasks],
            &Options {
                resamples: 500,
                ..Options::default()
            },
        )
        .whole;
        ["ace", "ksr_own"]
            .map(|key| of(&table.agents[0], key))
            .map(|one| one.high.unwrap() - one.low.unwrap())
    };
    let (many, fewer) = (width(3000), width(2000));
    for (many, fewer) in many.iter().zip(fewer) {
        assert!(
            (many / fewer * 1.5_f64.sqrt() - 1.0).abs() < 0.15,
            "{many} {fewer}"
        );
    }
}

//! The fit against what can be worked out by hand, and the draws against the fit.

use proptest::prelude::{ProptestConfig, Strategy, proptest};
use rand::{
    RngExt as _, SeedableRng as _,
    rngs::ChaCha8Rng,
    seq::{IndexedRandom as _, SliceRandom as _},
};
use rand_distr::{Distribution as _, StandardNormal};

use super::*;
use crate::stats::{largest, normal};

fn game(first: u32, second: u32, score: f64) -> Game {
    Game {
        first,
        second,
        judge: 0,
        score,
    }
}

fn duels(games: &[Game]) -> Vec<Preference> {
    games.iter().copied().map(Preference::Pair).collect()
}

/// Items with strengths N(0, 1), and random pairs of them.
fn world(items: u32, games: usize, side: f64, seed: u64) -> (Vec<f64>, Vec<Game>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let strength: Vec<f64> = (0..items)
        .map(|_| StandardNormal.sample(&mut rng))
        .collect();
    let games = play(&strength, games, side, &mut rng);
    (strength, games)
}

fn play(strength: &[f64], games: usize, side: f64, rng: &mut ChaCha8Rng) -> Vec<Game> {
    let items = strength.len() as u32;
    let verdict = |_| {
        let a = rng.random_range(0..items);
        let b = (a + rng.random_range(1..items)) % items;
        let won = rng.random::<f64>() < sigma(strength[a as usize] - strength[b as usize] + side);
        game(a, b, f64::from(u8::from(won)))
    };
    (0..games).map(verdict).collect()
}

/// One win of one item over another: by symmetry θ₁ = −θ₂ = t, where t = s² (1 − σ(2t)).
#[test]
fn one_game_is_solved_by_hand() {
    let model = Model {
        intercepts: false,
        ..Model::plain(1, 2.0)
    };
    let fit = fit(2, &duels(&[game(0, 1, 1.0)]), &model, None);
    let t = fit.strength[0];
    assert!((t - 2.0 * (1.0 - sigma(2.0 * t))).abs() < 1e-6, "{t}");
    assert!((t + fit.strength[1]).abs() < 1e-9);
    assert!(fit.intercept[0].abs() < 1e-9);
}

/// Where sides alone decide, the intercept is the logarithm of the odds, held back a little by its
/// prior.
#[test]
fn a_preference_for_the_first_side_is_the_intercepts_not_the_items() {
    let games: Vec<Game> = (0..4000)
        .map(|n| {
            game(
                n % 50,
                (n * 7 + 1 + n % 50) % 50,
                f64::from(u8::from(n / 50 % 10 < 7)),
            )
        })
        .filter(|g| g.first != g.second)
        .collect();
    let fit = fit(50, &duels(&games), &Model::plain(1, 0.01), None);
    assert!(
        (fit.intercept[0] - (0.7f64 / 0.3).ln()).abs() < 0.05,
        "{}",
        fit.intercept[0]
    );
}

#[test]
fn no_win_and_no_game_stay_finite() {
    let games: Vec<Game> = (1..6)
        .flat_map(|n| [game(0, n, 0.0), game(n, 0, 1.0)])
        .collect();
    let fit = fit(7, &duels(&games), &Model::plain(1, 1.0), None);
    assert!(fit.strength.iter().all(|x| x.is_finite()) && fit.slope < 1e-6);
    assert!(fit.strength[0] < -1.0 && fit.strength[6].abs() < 1e-9);
    assert!((fit.variance[6] - 1.0).abs() < 1e-9 && fit.variance[0] < 0.6);
}

#[test]
fn neither_order_nor_the_start_matters() {
    let (strength, mut games) = world(200, 1500, 0.3, 1);
    let one = fit(200, &duels(&games), &Model::plain(1, 1.0), None);
    let mut chain = Posterior::new(200, 1, &duels(&games), true, 5);
    let draws = chain.summarize(20, 10, 20);
    games.shuffle(&mut ChaCha8Rng::seed_from_u64(9));
    assert_eq!(
        fit(200, &duels(&games), &Model::plain(1, 1.0), None),
        one,
        "to the last bit"
    );
    assert_eq!(
        Posterior::new(200, 1, &duels(&games), true, 5).summarize(20, 10, 20),
        draws,
        "to the last bit"
    );
    let mut answers = orders(&strength, 40, 5, 0.3, &mut ChaCha8Rng::seed_from_u64(2));
    answers.extend(duels(&games));
    let draws = Posterior::new(200, 1, &answers, true, 5).summarize(20, 5, 10);
    answers.shuffle(&mut ChaCha8Rng::seed_from_u64(9));
    assert_eq!(
        Posterior::new(200, 1, &answers, true, 5).summarize(20, 5, 10),
        draws,
        "of lists too"
    );
    let elsewhere = Fit {
        strength: vec![3.0; 200],
        intercept: vec![-2.0],
        ..one.clone()
    };
    let again = fit(200, &duels(&games), &Model::plain(1, 1.0), Some(&elsewhere));
    assert!(
        again
            .strength
            .iter()
            .zip(&one.strength)
            .all(|(a, b)| (a - b).abs() < 1e-5)
    );
}

#[test]
fn known_strengths_come_back() {
    let (strength, games) = world(100, 20_000, 0.4, 2);
    let fit = fit(100, &duels(&games), &Model::plain(1, 1.0), None);
    let mean = strength.iter().sum::<f64>() / 100.0;
    let error: f64 = fit
        .strength
        .iter()
        .zip(&strength)
        .map(|(a, b)| (a - b + mean).powi(2))
        .sum::<f64>()
        / 100.0;
    assert!(error.sqrt() < 0.2, "{error}");
    assert!((fit.intercept[0] - 0.4).abs() < 0.1);
}

/// Where verdicts are many the posterior is normal around the fit, and both agree; where they are
/// few only the draws know the variance.
#[test]
fn draws_cover_the_truth_and_find_the_variance() {
    for (games, worst) in [(2000, 0.35), (20_000, 0.12)] {
        let (strength, games) = world(400, games, 0.0, 3);
        let draws = Posterior::new(400, 1, &duels(&games), false, 1).summarize(40, 100, 300);
        let middle = strength.iter().sum::<f64>() / 400.0;
        let inside = draws
            .interval
            .iter()
            .zip(&strength)
            .filter(|((low, high), x)| (*low..=*high).contains(&(**x - middle)));
        let inside = inside.count() as f64 / 400.0;
        assert!((0.90..=0.98).contains(&inside), "{inside}");
        assert!(
            (draws.model.variance.sqrt() - 1.0).abs() < worst,
            "{}",
            draws.model.variance
        );
        let members: f64 = draws.membership.iter().sum();
        assert!((members - 40.0).abs() < 1e-6);
    }
}

#[test]
fn coin_tosses_and_a_careless_judge_are_found_out() {
    let (strength, mut games) = world(60, 12_000, 0.0, 4);
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for (n, game) in games.iter_mut().enumerate() {
        game.judge = (n % 2) as u32;
        // The second judge's verdicts follow the strengths a third as much.
        let (a, b) = (
            strength[game.first as usize],
            strength[game.second as usize],
        );
        if game.judge == 1 {
            game.score = f64::from(u8::from(rng.random::<f64>() < sigma((a - b) / 3.0)));
        }
    }
    let a = Posterior::new(60, 2, &duels(&games), false, 1)
        .summarize(6, 100, 200)
        .model
        .discrimination;
    assert!((a[1] / a[0] - 1.0 / 3.0).abs() < 0.08, "{a:?}");
    let (_, mut games) = world(60, 12_000, 0.0, 5);
    for game in &mut games {
        if rng.random::<f64>() < 0.3 {
            game.score = f64::from(u8::from(rng.random::<bool>()));
        }
    }
    let lapse_rate = Posterior::new(60, 1, &duels(&games), true, 1)
        .summarize(6, 200, 300)
        .model
        .lapse_rate;
    assert!((0.15..0.4).contains(&lapse_rate), "{lapse_rate}");
}

/// A judge that never contradicts itself leaves the scale open above: what is printed must not be
/// the luck of the draws.
#[test]
fn without_any_contradiction_the_scale_is_no_luck() {
    let pairs = (0..9u32).flat_map(|a| (a + 1..9).map(move |b| (a, b)));
    let games: Vec<Game> = pairs
        .map(|(a, b)| {
            if (a + b) % 2 == 0 {
                game(a, b, 0.0)
            } else {
                game(b, a, 1.0)
            }
        })
        .collect();
    let of = |seed| Posterior::new(9, 1, &duels(&games), true, seed).summarize(3, 100, 400);
    let drawn: Vec<PosteriorSummary> = (1..9).map(of).collect();
    for of in [
        |draws: &PosteriorSummary| draws.model.variance.sqrt(),
        |draws: &PosteriorSummary| draws.strength[8],
    ] {
        let (low, high) = drawn
            .iter()
            .map(of)
            .fold((f64::MAX, 0.0f64), |(low, high), x| {
                (low.min(x), high.max(x))
            });
        assert!(high / low < 1.5, "{low} to {high}");
    }
}

/// Where the best crowd together under a ceiling, a normal spread would take their noise for
/// differences.
#[test]
fn a_ceiling_is_seen() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let strength: Vec<f64> = (0..600)
        .map(|_| -1.5 * normal::draw(&mut rng).abs())
        .collect();
    let games = play(&strength, 12_000, 0.0, &mut rng);
    let draws = Posterior::new(600, 1, &duels(&games), false, 1).summarize(60, 200, 400);
    let best = largest(&strength, 60);
    let found = largest(&draws.membership, 60)
        .iter()
        .filter(|item| best.contains(item))
        .count() as f64
        / 60.0;
    assert!(
        (draws.expected_recall - found).abs() < 0.1,
        "{} expected, {found} found",
        draws.expected_recall
    );
    let middle = strength.iter().sum::<f64>() / 600.0;
    let inside = best.iter().filter(|item| {
        let (low, high) = draws.interval[**item];
        (low..=high).contains(&(strength[**item] - middle))
    });
    assert!(inside.count() >= 54, "of the best 60");
}

/// Lists of random items, ordered by Plackett and Luce's model with a preference for what is shown
/// early.
fn orders(
    strength: &[f64],
    lists: usize,
    each: usize,
    side: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<Preference> {
    let all: Vec<u32> = (0..strength.len() as u32).collect();
    let mut order = || {
        let shown: Vec<u32> = all.sample(rng, each).copied().collect();
        let early = |slot: usize| 0.5 - slot as f64 / (each - 1) as f64;
        let mut seems: Vec<(usize, f64)> = (0..each)
            .map(|slot| {
                let gumbel = -(-rng.random::<f64>().ln()).ln();
                (
                    slot,
                    strength[shown[slot] as usize] + side * early(slot) + gumbel,
                )
            })
            .collect();
        seems.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
        let mut places = vec![0; each];
        seems
            .iter()
            .enumerate()
            .for_each(|(place, (slot, _))| places[*slot] = place);
        Preference::List(RankedList {
            shown,
            places,
            judge: 0,
        })
    };
    (0..lists).map(|_| order()).collect()
}

/// The weighted pairs newton as the likelihood of the whole list does: each slope against a
/// difference quotient.
#[test]
fn slopes_of_a_list_are_plackett_and_luces() {
    let x = [-0.7, 1.5, 0.2, 0.4];
    let list = RankedList {
        shown: vec![2, 0, 1],
        places: vec![1, 2, 0],
        judge: 0,
    };
    for lapse_rate in [0.0, 0.3] {
        let model = Model {
            lapse_rate,
            discrimination: vec![0.8],
            ..Model::plain(1, 1.0)
        };
        let games = Games::new(3, 1, &[Preference::List(list.clone())]);
        let (_, slopes, _) = evaluate(&games, &model, &x);
        for at in 0..4 {
            let value = |by: f64| {
                let mut x = x;
                x[at] += by;
                evaluate(&games, &model, &x).0
            };
            let quotient = (value(1e-5) - value(-1e-5)) / 2e-5;
            assert!(
                (slopes[at] - quotient).abs() < 1e-6,
                "{at}: {} for {quotient}",
                slopes[at]
            );
        }
    }
}

/// A list of two is a duel.
#[test]
fn a_list_of_two_is_a_duel() {
    let (_, games) = world(30, 600, 0.5, 12);
    let list = |game: &Game| {
        let first = usize::from(game.score < 0.5);
        Preference::List(RankedList {
            shown: vec![game.first, game.second],
            places: vec![first, 1 - first],
            judge: 0,
        })
    };
    let lists: Vec<Preference> = games.iter().map(list).collect();
    for lapse_rate in [0.0, 0.1] {
        let model = Model {
            lapse_rate,
            ..Model::plain(1, 1.0)
        };
        let (one, other) = (
            fit(30, &duels(&games), &model, None),
            fit(30, &lists, &model, None),
        );
        assert!(
            one.strength
                .iter()
                .zip(&other.strength)
                .all(|(a, b)| (a - b).abs() < 1e-5)
        );
        assert!((one.intercept[0] - other.intercept[0]).abs() < 1e-5);
    }
}

/// Where pairs of a list are taken for less than they tell, the spread comes out too small, and
/// intervals too narrow.
#[test]
fn lists_cover_the_truth_and_find_the_variance() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    let strength: Vec<f64> = (0..300).map(|_| 1.5 * normal::draw(&mut rng)).collect();
    let draws = Posterior::new(300, 1, &orders(&strength, 150, 8, 0.6, &mut rng), false, 1)
        .summarize(30, 100, 300);
    let middle = strength.iter().sum::<f64>() / 300.0;
    let inside = draws
        .interval
        .iter()
        .zip(&strength)
        .filter(|((low, high), x)| (*low..=*high).contains(&(**x - middle)));
    let inside = inside.count() as f64 / 300.0;
    assert!((0.90..=0.985).contains(&inside), "{inside}");
    assert!(
        (draws.model.variance.sqrt() - 1.5).abs() < 0.25,
        "{}",
        draws.model.variance
    );
    assert!(
        (draws.intercept[0] - 0.6).abs() < 0.3,
        "{}",
        draws.intercept[0]
    );
}

fn any_game() -> impl Strategy<Value = Game> {
    (0..9_u32, 1..9_u32, 0..2_u32, 0..3_u8).prop_map(|(first, step, judge, half_points)| Game {
        first,
        second: (first + step) % 9,
        judge,
        score: f64::from(half_points) / 2.0,
    })
}

fn swap_sides(game: &Game) -> Game {
    Game {
        first: game.second,
        second: game.first,
        judge: game.judge,
        score: 1.0 - game.score,
    }
}

fn assert_close(x: &[f64], y: &[f64], sign: f64) {
    for (x, y) in x.iter().zip(y) {
        assert!((x - sign * y).abs() < 1e-5, "{x} and not {}", sign * y);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Swapped sides leave the strengths as they are and turn the position bias round.
    #[test]
    fn swapped_sides_mirror_the_intercepts_only(
        games in proptest::collection::vec(any_game(), 1..80),
        lapse_rate in 0.0..0.2_f64,
    ) {
        let model = Model { lapse_rate, ..Model::plain(2, 1.0) };
        let swapped: Vec<Game> = games.iter().map(swap_sides).collect();
        let before = fit(9, &duels(&games), &model, None);
        let after = fit(9, &duels(&swapped), &model, None);
        assert_close(&before.strength, &after.strength, 1.0);
        assert_close(&before.variance, &after.variance, 1.0);
        assert_close(&before.intercept, &after.intercept, -1.0);
    }
}

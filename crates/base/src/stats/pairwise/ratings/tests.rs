//! Ratings against the published iteration and table, and against agents of known strength.

use proptest::prelude::{ProptestConfig, Strategy, proptest};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use super::*;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn game(first: u32, second: u32, score: f64) -> Game {
    Game {
        first,
        second,
        judge: 0,
        score,
    }
}

fn rated(agents: usize, games: &[Game], options: &Options) -> Ratings {
    rate(agents, games, options, &mut rng(1))
}

fn elos(ratings: &Ratings) -> Vec<f64> {
    ratings.agents.iter().map(|of| of.elo.unwrap()).collect()
}

/// A draw of a graded verdict.
fn grade(difference: f64, rng: &mut ChaCha8Rng) -> Grade {
    let mut left: f64 = rng.random();
    for (grade, p) in probabilities(difference, 0.6, 2.0) {
        left -= p;
        if left < 0.0 {
            return grade;
        }
    }
    Grade::FirstMuchBetter
}

/// Rounds of random pairs, each a match of its own.
fn world(strength: &[f64], rounds: usize, seat: f64, rng: &mut ChaCha8Rng) -> Vec<GradedGame> {
    let agents = strength.len() as u32;
    let mut round = || {
        let first = rng.random_range(0..agents);
        let second = (first + rng.random_range(1..agents)) % agents;
        let difference = strength[first as usize] - strength[second as usize] + seat;
        GradedGame {
            first,
            second,
            grade: grade(difference, rng),
        }
    };
    (0..rounds).map(|_| round()).collect()
}

fn games(rounds: &[GradedGame]) -> Vec<Game> {
    rounds.iter().map(|round| round.game()).collect()
}

/// The published iteration: p ← W / Σ n / (pᵢ + pⱼ), a tie as one half to each, geometric mean 1.
fn minorise_and_maximise(agents: usize, games: &[Game]) -> Vec<f64> {
    let mut points = vec![0.0; agents];
    let mut met = vec![vec![0.0; agents]; agents];
    for game in games {
        let (i, j) = (game.first as usize, game.second as usize);
        points[i] += game.score;
        points[j] += 1.0 - game.score;
        met[i][j] += 1.0;
        met[j][i] += 1.0;
    }
    let mut p = vec![1.0_f64; agents];
    for _ in 0..20_000 {
        let next: Vec<f64> = (0..agents)
            .map(|i| {
                let sum: f64 = (0..agents).map(|j| met[i][j] / (p[i] + p[j])).sum();
                points[i] / sum
            })
            .collect();
        let mean = next.iter().map(|p| p.ln()).sum::<f64>() / agents as f64;
        p = next.iter().map(|p| p / mean.exp()).collect();
    }
    p.iter().map(|p| MEAN + 400.0 * p.log10()).collect()
}

#[test]
fn maximum_likelihood_is_the_published_iteration() {
    for seed in 0..5 {
        let mut rng = rng(seed);
        let strength: Vec<f64> = (0..15).map(|agent| f64::from(agent) * 0.2).collect();
        let games = games(&world(&strength, 1300, 0.1, &mut rng));
        let found = elos(&rated(15, &games, &Options::published()));
        for (own, other) in found.iter().zip(minorise_and_maximise(15, &games)) {
            assert!((own - other).abs() < 1e-6, "{own} {other}");
        }
        assert!((found.iter().sum::<f64>() / 15.0 - MEAN).abs() < 1e-9);
    }
}

/// One win in four between two: odds of three to one are 400 log₁₀ 3 points, half to each side.
#[test]
fn two_agents_by_hand() {
    let games = [
        game(0, 1, 1.0),
        game(1, 0, 0.0),
        game(0, 1, 0.5),
        game(1, 0, 0.5),
    ];
    let ratings = rated(2, &games, &Options::published());
    let half = 200.0 * 3.0_f64.log10();
    let found = elos(&ratings);
    assert!((found[0] - 1000.0 - half).abs() < 1e-6 && (found[1] - 1000.0 + half).abs() < 1e-6);
    // The information is 4 · 3/16, so that a difference has the deviation √(4/3) logits.
    let pair = ratings.differences[0];
    let deviation = (4.0_f64 / 3.0).sqrt() * POINTS_PER_LOGIT;
    let z = 2.0 * half / deviation;
    assert!((pair.p - 2.0 * crate::stats::normal::upper_tail(z)).abs() < 1e-6);
    let (low, high) = ratings.agents[0].interval.unwrap();
    assert!(((high - low) / 2.0 - 0.5 * 1.959_964 * deviation).abs() < 1e-3);
    assert_eq!((ratings.agents[0].wins, ratings.agents[0].ties), (2, 2));
    assert_eq!((ratings.agents[1].losses, pair.tasks), (2, 4));
    assert_eq!(
        (ratings.agents[0].tier, ratings.agents[1].tier),
        (Some(1), Some(1))
    );
}

#[test]
fn an_unbeaten_agent_has_a_rating_with_a_prior_only() {
    let mut games = vec![
        game(1, 2, 1.0),
        game(2, 1, 1.0),
        game(3, 4, 1.0),
        game(4, 3, 1.0),
    ];
    games.extend((0..30).map(|n| game(0, 1 + n % 2, 1.0)));
    let published = rated(6, &games, &Options::published());
    let states: Vec<RatingState> = published.agents.iter().map(|of| of.state).collect();
    assert_eq!(
        states,
        [
            RatingState::Unbounded,
            RatingState::Unbounded,
            RatingState::Unbounded,
            RatingState::Rated,
            RatingState::Rated,
            RatingState::Unplayed,
        ]
    );
    assert_eq!((published.agents[0].elo, published.components), (None, 2));
    let with_prior = rated(6, &games, &Options::default());
    let best = with_prior.agents[0];
    assert!(
        best.elo.is_some_and(|elo| (1300.0..2500.0).contains(&elo)),
        "{best:?}"
    );
    assert_eq!(with_prior.agents[5].elo, None);
}

#[test]
fn who_cannot_be_compared_is_said() {
    let mut games = Vec::new();
    for _ in 0..40 {
        games.extend([
            game(0, 1, 1.0),
            game(1, 0, 0.5),
            game(2, 3, 1.0),
            game(3, 2, 0.0),
        ]);
        games.extend([game(1, 0, 1.0), game(3, 2, 1.0)]);
    }
    let options = Options {
        seat: false,
        ..Options::default()
    };
    let ratings = rated(4, &games, &options);
    let groups: Vec<u32> = ratings.agents.iter().map(|of| of.component).collect();
    assert_eq!((ratings.components, groups), (2, vec![0, 0, 1, 1]));
    let pairs: Vec<(usize, usize)> = ratings
        .differences
        .iter()
        .map(|pair| (pair.first, pair.second))
        .collect();
    assert_eq!(pairs, [(0, 1), (2, 3)]);
    let found = elos(&ratings);
    assert!((found[0] + found[1] - 2000.0).abs() < 1e-6);
    assert!((found[2] + found[3] - 2000.0).abs() < 1e-6);
    let tiers: Vec<Option<u32>> = ratings.agents.iter().map(|of| of.tier).collect();
    assert_eq!(tiers, [Some(1), Some(1), Some(1), Some(2)]);
    assert!(
        rated(3, &[], &Options::default())
            .agents
            .iter()
            .all(|of| of.elo.is_none())
    );
}

/// Known strengths, the first seat worth a sixth of a logit: 54 % of even rounds.
#[test]
fn strengths_order_and_seat_come_back() {
    let strength: Vec<f64> = (0..15).map(|agent| 3.0 - f64::from(agent) * 0.4).collect();
    let rounds = world(&strength, 12_000, 0.16, &mut rng(7));
    let decided: Vec<Game> = games(&rounds)
        .into_iter()
        .filter(|of| of.score.fract() == 0.0)
        .collect();
    let matches: Vec<Vec<GradedGame>> = rounds.iter().map(|round| vec![*round]).collect();
    let by_rounds = rate_rounds(15, &matches, &Options::default(), &mut rng(1));
    for ratings in [rated(15, &decided, &Options::default()), by_rounds.clone()] {
        assert!(
            elos(&ratings).is_sorted_by(|a, b| a > b),
            "{:?}",
            elos(&ratings)
        );
        assert!(ratings.seat.unwrap().interval.unwrap().0 > 0.0);
    }
    let seat = by_rounds.seat.unwrap();
    let (low, high) = seat.interval.unwrap();
    let truth = 0.16 * POINTS_PER_LOGIT;
    assert!(low <= truth && truth <= high, "{seat:?}");
    let mean = strength.iter().sum::<f64>() / 15.0;
    for (rating, strength) in by_rounds.agents.iter().zip(&strength) {
        let truth = MEAN + POINTS_PER_LOGIT * (strength - mean);
        assert!(
            (rating.elo.unwrap() - truth).abs() < 25.0,
            "{rating:?} {truth}"
        );
    }
    let thresholds = by_rounds.thresholds.unwrap();
    assert!((thresholds.better - 0.6).abs() < 0.06 && (thresholds.much_better - 2.0).abs() < 0.1);
}

/// A grade that nobody ever gives leaves the fit finite, and so does an unbeaten agent.
#[test]
fn rounds_without_ties_or_losses_have_a_fit() {
    let round = |first, second, grade| GradedGame {
        first,
        second,
        grade,
    };
    let matches = vec![
        vec![round(0, 1, Grade::FirstMuchBetter); 9],
        vec![
            round(1, 2, Grade::FirstBetter),
            round(2, 1, Grade::FirstBetter),
        ],
    ];
    let ratings = rate_rounds(3, &matches, &Options::default(), &mut rng(1));
    let found = elos(&ratings);
    assert!(found.iter().all(|elo| elo.is_finite()) && found[0] > found[1] + 200.0);
    assert!(ratings.thresholds.unwrap().better < 1.0);
    let unbounded = rate_rounds(3, &matches, &Options::published(), &mut rng(1));
    assert_eq!(unbounded.agents[2].state, RatingState::Unbounded);
}

/// By the definition: cumulative shares at −2, −.5, .5 and 2, moved by the difference.
#[test]
fn probabilities_of_grades_by_hand() {
    let sigma = |x: f64| 1.0 / (1.0 + (-x).exp());
    let found = probabilities(0.3, 0.5, 2.0);
    let below = [0.0, sigma(-2.3), sigma(-0.8), sigma(0.2), sigma(1.7), 1.0];
    for (at, (grade, p)) in found.into_iter().enumerate() {
        assert_eq!(grade, Grade::ALL[at]);
        assert!((p - (below[at + 1] - below[at])).abs() < 1e-12);
    }
}

#[test]
fn the_online_variant_is_elos_update() {
    let games = [game(0, 1, 1.0), game(1, 2, 0.5), game(0, 2, 0.0)];
    let found = online(3, &games, ONLINE_START, ONLINE_K);
    assert!((found.iter().sum::<f64>() - 3000.0).abs() < 1e-9);
    // Evens: two points. 998 against 1000 and a tie: 4 (.5 − 1 / (1 + 10^(2/400))) points.
    let second = 4.0 * (0.5 - 1.0 / (1.0 + 10.0_f64.powf(2.0 / 400.0)));
    assert!((found[1] - (998.0 + second)).abs() < 1e-9, "{found:?}");
    let expected = 1.0 / (1.0 + 10.0_f64.powf((1000.0 - second - 1002.0) / 400.0));
    assert!(
        (found[0] - (1002.0 - 4.0 * expected)).abs() < 1e-9,
        "{found:?}"
    );
}

/// DR-Arena's table of six models: ratings of Search Arena and of DR-Arena.
#[test]
fn the_published_correlations_come_back() {
    let search = [1201.0, 1142.0, 1139.0, 1138.0, 1130.0, 1125.0];
    let arena = [1084.0, 1054.0, 1041.0, 958.0, 921.0, 942.0];
    let mut board: Vec<Option<f64>> = arena.map(Some).to_vec();
    let mut reference: Vec<Option<f64>> = search.map(Some).to_vec();
    board.extend([Some(900.0), None]);
    reference.extend([None, Some(f64::NAN)]);
    let found = agreement(&board, &reference);
    assert_eq!((found.agents, found.missing), (6, 1));
    let (r, rho) = (found.pearson.unwrap(), found.spearman.unwrap());
    assert!((r.value - 0.7365).abs() < 5e-5, "{r:?}");
    assert!((rho.value - 0.943).abs() < 5e-4, "{rho:?}");
    let tau = found.kendall.unwrap();
    assert!((tau.value - 13.0 / 15.0).abs() < 1e-12, "{tau:?}");
    // Six models say little: all three intervals are wide.
    for of in [r, rho, tau] {
        let (low, high) = of.interval.unwrap();
        assert!(
            low < of.value && of.value < high && high - low > 0.3,
            "{of:?}"
        );
    }
    assert!(r.interval.unwrap().0 < 0.0);
    assert!((arena.iter().sum::<f64>() / 6.0 - MEAN).abs() < 1e-9);
}

/// Games of random pairs by Bradley and Terry's model.
fn bradley_terry_games(
    strength: &[f64],
    number: usize,
    seat: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<Game> {
    let agents = strength.len() as u32;
    let mut play = || {
        let first = rng.random_range(0..agents);
        let second = (first + rng.random_range(1..agents)) % agents;
        let logit = strength[first as usize] - strength[second as usize] + seat;
        let won = rng.random::<f64>() < 1.0 / (1.0 + (-logit).exp());
        game(first, second, f64::from(u8::from(won)))
    };
    (0..number).map(|_| play()).collect()
}

/// Agents of known strength: the share of ratings whose interval holds the truth, the same of seat
/// terms, and the mean width in points.
fn coverage(games: usize, options: &Options) -> (f64, f64, f64) {
    let (mut inside, mut seats, mut width) = (0, 0, 0.0);
    for seed in 0..40 {
        let mut rng = rng(100 + seed);
        let strength: Vec<f64> = (0..8)
            .map(|_| crate::stats::normal::draw(&mut rng))
            .collect();
        let mean = strength.iter().sum::<f64>() / 8.0;
        let games = bradley_terry_games(&strength, games, 0.16, &mut rng);
        let ratings = rate(8, &games, options, &mut rng);
        for (rating, strength) in ratings.agents.iter().zip(&strength) {
            let truth = MEAN + POINTS_PER_LOGIT * (strength - mean);
            let (low, high) = rating.interval.unwrap_or((f64::NAN, f64::NAN));
            width += high - low;
            inside += u32::from(low <= truth && truth <= high);
        }
        let (low, high) = ratings.seat.unwrap().interval.unwrap();
        let truth = 0.16 * POINTS_PER_LOGIT;
        seats += u32::from(low <= truth && truth <= high);
    }
    (
        f64::from(inside) / 320.0,
        f64::from(seats) / 40.0,
        width / 320.0,
    )
}

/// Both kinds of intervals, with few games and with many.
#[test]
fn intervals_of_ratings_cover() {
    let mut told = String::new();
    for games in [60, 250] {
        for intervals in [Intervals::Curvature, Intervals::Resampling(200)] {
            let options = Options {
                intervals,
                ..Options::default()
            };
            let (ratings, seats, width) = coverage(games, &options);
            told += &format!(
                "{games} games, {intervals:?}: ratings {ratings:.3}, seats {seats:.3}, {width:.0} \
                 points wide\n"
            );
            // With seven games an agent the prior makes intervals a little too wide.
            let most = if games == 60 { 0.995 } else { 0.98 };
            assert!((0.9..=most).contains(&ratings) && seats >= 0.85, "{told}");
        }
    }
    // Shown with --no-capture.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), told.as_bytes());
}

#[test]
fn the_order_of_matches_plays_no_part() {
    let mut matches: Vec<Vec<GradedGame>> = world(&[0.4, 0.0, -0.4, 0.9], 120, 0.2, &mut rng(3))
        .chunks(3)
        .map(<[_]>::to_vec)
        .collect();
    let mut results = games(&matches.concat());
    let options = Options {
        intervals: Intervals::Resampling(30),
        ..Options::default()
    };
    let before = (
        rated(4, &results, &options),
        rate_rounds(4, &matches, &options, &mut rng(1)),
    );
    matches.shuffle(&mut rng(4));
    results.shuffle(&mut rng(5));
    let after = (
        rated(4, &results, &options),
        rate_rounds(4, &matches, &options, &mut rng(1)),
    );
    assert_eq!(before, after, "to the last bit");
}

fn any_round() -> impl Strategy<Value = GradedGame> {
    (0..6_u32, 1..6_u32, -2..3_i32).prop_map(|(first, step, lead)| GradedGame {
        first,
        second: (first + step) % 6,
        grade: Grade::from_lead(lead).unwrap(),
    })
}

fn assert_swapped(before: &Ratings, after: &Ratings) {
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-3, "{a} and not {b}");
    for (a, b) in before.agents.iter().zip(&after.agents) {
        assert_eq!(
            (a.state, a.component, a.tier),
            (b.state, b.component, b.tier)
        );
        assert_eq!(
            (a.games, a.wins, a.losses, a.ties),
            (b.games, b.wins, b.losses, b.ties)
        );
        if let (Some(a), Some(b)) = (a.interval, b.interval) {
            close(a.0, b.0);
            close(a.1, b.1);
        }
        assert_eq!(a.elo.is_some(), b.elo.is_some());
        close(a.elo.unwrap_or_default(), b.elo.unwrap_or_default());
    }
    close(
        before.seat.map_or(0.0, |of| of.elo),
        -after.seat.map_or(0.0, |of| of.elo),
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Exchanged seats and verdicts change nothing but the sign of the seat term.
    #[test]
    fn a_seat_swap_changes_no_rating(rounds in proptest::collection::vec(any_round(), 1..60)) {
        let swapped: Vec<GradedGame> = rounds.iter().map(|round| round.swapped()).collect();
        for options in [Options::default(), Options::published()] {
            assert_swapped(
                &rated(6, &games(&rounds), &options),
                &rated(6, &games(&swapped), &options),
            );
            let matches = |rounds: &[GradedGame]| rounds.chunks(2).map(<[_]>::to_vec).collect();
            let (before, after): (Vec<_>, Vec<_>) = (matches(&rounds), matches(&swapped));
            assert_swapped(
                &rate_rounds(6, &before, &options, &mut rng(1)),
                &rate_rounds(6, &after, &options, &mut rng(1)),
            );
        }
    }
}

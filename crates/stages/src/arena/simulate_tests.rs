//! Figures of the real rules on simulated agents; shown with `--no-capture`.

use std::io::Write as _;

use super::*;
use crate::{
    arena::matches::stop::{Evidence, Margin, Sprt},
    stats::{
        correlation::kendall,
        largest, normal,
        pairwise::ratings::{self, MEAN, POINTS_PER_LOGIT, rate, rate_rounds},
    },
};

fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn options(rounds: u32, trees: u32) -> Options {
    Options {
        rounds,
        trees: (0..trees).map(|at| format!("tree{at:02}")).collect(),
        trees_per_pairing: trees,
        attempts: 1,
    }
}

fn strengths(agents: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..agents).map(|_| normal::draw(rng)).collect()
}

/// A match that follows Bradley and Terry's model.
fn bradley_terry(lead: f64, rng: &mut ChaCha8Rng) -> (Vec<Grade>, MatchResult) {
    let first = rng.random::<f64>() < 1.0 / (1.0 + (-lead - 0.15).exp());
    let result = if first {
        MatchResult::First
    } else {
        MatchResult::Second
    };
    (Vec::new(), result)
}

/// A match of rounds under a rule.
fn rounds(rule: StopRule) -> impl FnMut(f64, &mut ChaCha8Rng) -> (Vec<Grade>, MatchResult) {
    move |lead, rng| {
        let (grades, ending) = Examiner::default().play(&rule, lead, rng);
        (
            grades,
            ending.map_or(MatchResult::Undecided, |of| of.result),
        )
    }
}

/// Of ratings, how many have the truth in their interval.
fn inside(found: &ratings::Ratings, strength: &[f64]) -> usize {
    let mean = strength.iter().sum::<f64>() / strength.len() as f64;
    let held = found
        .agents
        .iter()
        .zip(strength)
        .filter(|(rating, strength)| {
            let truth = MEAN + POINTS_PER_LOGIT * (*strength - mean);
            rating
                .interval
                .is_some_and(|(low, high)| low <= truth && truth <= high)
        });
    held.count()
}

/// Ten thousand matches of Swiss tournaments, whose pairings depend on results, and whose matches
/// end when one leads.
#[test]
fn ten_thousand_matches_are_rated_within_their_intervals() {
    const TOURNAMENTS: u64 = 25;
    let (mut by_matches, mut by_rounds, mut matches, mut played) = (0, 0, 0, 0);
    for seed in 0..TOURNAMENTS {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let strength = strengths(8, &mut rng);
        let shape = options(5, 20);
        let results = tournament(&strength, Schedule::Swiss, &shape, seed, bradley_terry).unwrap();
        matches += results.matches.len();
        let found = rate(8, &results.matches, &ratings::Options::default(), &mut rng);
        by_matches += inside(&found, &strength);
        let rule = rounds(StopRule::default());
        let results = tournament(&strength, Schedule::Swiss, &shape, seed, rule).unwrap();
        played += results.rounds.iter().map(Vec::len).sum::<usize>();
        let found = rate_rounds(8, &results.rounds, &ratings::Options::default(), &mut rng);
        by_rounds += inside(&found, &strength);
    }
    let share = |inside: usize| inside as f64 / (8.0 * TOURNAMENTS as f64);
    tell(&format!(
        "{matches} matches: {:.3} of the ratings within their intervals; {played} rounds of as \
         many matches that end at a lead of two: {:.3}",
        share(by_matches),
        share(by_rounds)
    ));
    assert_eq!(matches, 10_000);
    for share in [share(by_matches), share(by_rounds)] {
        assert!((0.9..=0.98).contains(&share), "{share}");
    }
}

fn sprt(evidence: Evidence, bound: f64, most_rounds: u32) -> StopRule {
    StopRule::Sprt(Sprt {
        evidence,
        superiority: 0.7,
        alpha: bound,
        beta: bound,
        most_rounds,
    })
}

fn margin(lead: u32, most_rounds: u32) -> StopRule {
    StopRule::Margin(Margin {
        lead,
        most_rounds,
        ..Margin::default()
    })
}

fn figures(rule: &StopRule, superiority: f64) -> RuleFigures {
    let mut rng = ChaCha8Rng::seed_from_u64(77);
    rule_figures(rule, superiority, 4_000, &mut rng).unwrap()
}

/// The bounds hold where the better one is as superior as they are for, and more so where it is
/// more superior; a limit of rounds makes no error of an open match.
#[test]
fn the_tests_errors_are_within_their_bounds() {
    for evidence in [Evidence::Wins, Evidence::published_grades()] {
        for bound in [0.05, 0.1, 0.2] {
            for most_rounds in [10, 20, 10_000] {
                for superiority in [0.7, 0.8] {
                    let rule = sprt(evidence, bound, most_rounds);
                    let found = figures(&rule, superiority);
                    let told = format!(
                        "{evidence:?}, bound {bound}, at most {most_rounds} rounds, superiority \
                         {superiority}: {:.1} % wrong, {:.1} % undecided, {:.2} rounds",
                        found.wrong.value * 100.0,
                        found.nobody.value * 100.0,
                        found.rounds
                    );
                    tell(&told);
                    assert!(found.wrong.low <= bound, "{told}");
                    if most_rounds == 10_000 {
                        assert!(found.nobody.value < 1e-9, "{told}");
                        // Not by being far more careful than was asked for.
                        assert!(
                            superiority > 0.75 || found.wrong.value > bound / 3.0,
                            "{told}"
                        );
                    }
                }
            }
        }
    }
}

/// The published rule beside tests. A lead of two saves nothing that a test with as many errors
/// would not save as well: what a test adds is that its errors are chosen.
#[test]
fn margins_beside_tests() {
    let grades = Evidence::published_grades();
    for superiority in [0.55, 0.6, 0.7, 0.8] {
        let rules = [
            ("margin 2, at most 10", margin(2, 10)),
            ("grades, bound .25", sprt(grades, 0.25, 1_000)),
            ("margin 4, at most 30", margin(4, 30)),
            ("grades, bound .1", sprt(grades, 0.1, 1_000)),
            ("wins, bound .05", sprt(Evidence::Wins, 0.05, 1_000)),
            ("grades, bound .05", sprt(grades, 0.05, 1_000)),
            ("grades, bound .1, at most 10", sprt(grades, 0.1, 10)),
            ("grades, bound .1, at most 20", sprt(grades, 0.1, 20)),
        ];
        let found = rules.map(|(name, rule)| {
            let found = figures(&rule, superiority);
            tell(&format!(
                "superiority {superiority}, {name}: {:.1} % wrong, {:.1} % nobody, {:.2} rounds",
                found.wrong.value * 100.0,
                found.nobody.value * 100.0,
                found.rounds
            ));
            found
        });
        let [two, like_two, four, like_four, wins, margins, short, long] = found;
        for (margin, test) in [(two, like_two), (four, like_four)] {
            assert!((margin.wrong.value - test.wrong.value).abs() < 0.025);
            assert!((margin.rounds / test.rounds - 1.0).abs() < 0.08);
        }
        assert!(short.nobody.value > long.nobody.value, "rounds decide");
        if superiority > 0.65 {
            assert!(like_four.wrong.value * 2.0 < two.wrong.value);
            // By as many errors, margins save one round in twelve beside winners alone.
            assert!((wins.wrong.value - margins.wrong.value).abs() < 0.01);
            assert!(margins.rounds < 0.95 * wins.rounds);
        }
        if superiority > 0.69 && superiority < 0.71 {
            assert!((0.18..0.25).contains(&two.wrong.value), "{two:?}");
        }
    }
}

/// What a schedule finds, on average.
#[derive(Clone, Copy, Debug, Default)]
struct Order {
    /// Kendall's tau of strengths and of ratings by matches.
    by_matches: f64,
    /// The same of ratings by rounds.
    by_rounds: f64,
    /// The same of ratings by matches, among the best four only.
    best_four: f64,
    /// How often the best agent is rated first.
    best: f64,
}

fn order(schedule: Schedule, agents: usize, shape: &Options) -> Order {
    const TOURNAMENTS: u64 = 60;
    let weight = 1.0 / TOURNAMENTS as f64;
    let mut order = Order::default();
    for seed in 0..TOURNAMENTS {
        let mut rng = ChaCha8Rng::seed_from_u64(1_000 + seed);
        let strength = strengths(agents, &mut rng);
        let rule = rounds(StopRule::default());
        let played = tournament(&strength, schedule, shape, seed, rule).unwrap();
        let options = ratings::Options::default();
        let elo = elos(&rate(agents, &played.matches, &options, &mut rng));
        let by_rounds = elos(&rate_rounds(agents, &played.rounds, &options, &mut rng));
        let top = largest(&strength, 4);
        let best = |values: &[f64]| top.iter().map(|at| values[*at]).collect::<Vec<_>>();
        order.by_matches += weight * kendall(&elo, &strength).unwrap();
        order.by_rounds += weight * kendall(&by_rounds, &strength).unwrap();
        order.best_four += weight * kendall(&best(&elo), &best(&strength)).unwrap();
        order.best += weight * f64::from(u8::from(largest(&elo, 1) == largest(&strength, 1)));
    }
    order
}

fn elos(found: &ratings::Ratings) -> Vec<f64> {
    found
        .agents
        .iter()
        .map(|of| of.elo.unwrap_or(MEAN))
        .collect()
}

/// Swiss against random pairs, as many matches each; and rounds with their margins against results
/// of matches, which are the same data.
#[test]
fn swiss_orders_better_than_random_pairs() {
    for (agents, rounds, trees) in [(6, 4, 30), (12, 4, 10), (12, 6, 4)] {
        let shape = options(rounds, trees);
        let [swiss, random] =
            [Schedule::Swiss, Schedule::Random].map(|schedule| order(schedule, agents, &shape));
        let told = format!(
            "{agents} agents, {rounds} rounds, {trees} trees: Swiss {swiss:.3?}, random \
             {random:.3?}"
        );
        tell(&told);
        assert!(swiss.by_matches > random.by_matches, "{told}");
        assert!(swiss.best_four > random.best_four, "{told}");
        assert!(swiss.by_rounds > swiss.by_matches, "{told}");
    }
}

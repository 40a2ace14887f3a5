//! From a fit to ratings: points around the mean of each group, intervals from the curvature,
//! Wald's test of every pair, tiers.

use super::{
    Fitted, Game, Groups, MEAN, Options, POINTS_PER_LOGIT, Rating, RatingState, Ratings, Seat,
    Thresholds,
};
use crate::stats::{
    Inverse,
    normal::{Z95, upper_tail},
    paired::{Difference, holm},
    tiers::tiers,
};

/// The ratings by a fit, with intervals from its curvature.
pub(super) fn ratings(
    agents: usize,
    games: &[Game],
    groups: &Groups,
    fitted: Option<&Fitted>,
    options: &Options,
) -> Ratings {
    let mut rated: Vec<Rating> = (0..agents)
        .map(|agent| Rating {
            state: RatingState::Unplayed,
            component: groups.component[agent],
            games: 0,
            wins: 0,
            losses: 0,
            ties: 0,
            elo: None,
            interval: None,
            tier: None,
        })
        .collect();
    for game in games {
        count(&mut rated[game.first as usize], game.score);
        count(&mut rated[game.second as usize], 1.0 - game.score);
    }
    for (agent, rating) in rated.iter_mut().enumerate() {
        rating.state = match rating.games {
            0 => RatingState::Unplayed,
            _ if groups.is_finite(agent as u32) => RatingState::Rated,
            _ => RatingState::Unbounded,
        };
    }
    let mut ratings = Ratings {
        components: played_components(&rated),
        agents: rated,
        seat: None,
        differences: Vec::new(),
        thresholds: None,
    };
    if let Some(fitted) = fitted {
        add_estimates(&mut ratings, games, fitted, options);
    }
    ratings
}

fn count(rating: &mut Rating, score: f64) {
    rating.games += 1;
    if score > 0.5 {
        rating.wins += 1;
    } else if score < 0.5 {
        rating.losses += 1;
    } else {
        rating.ties += 1;
    }
}

fn played_components(rated: &[Rating]) -> u32 {
    let played = rated.iter().filter(|rating| rating.games > 0);
    let mut components: Vec<u32> = played.map(|rating| rating.component).collect();
    components.sort_unstable();
    components.dedup();
    components.len() as u32
}

fn add_estimates(ratings: &mut Ratings, games: &[Game], fitted: &Fitted, options: &Options) {
    let agents = ratings.agents.len();
    let inverse = Inverse::of(fitted.information.clone());
    for (agent, elo) in elos(ratings, fitted).into_iter().enumerate() {
        ratings.agents[agent].elo = elo;
        if let Some(elo) = elo {
            let half = Z95 * deviation(&inverse, &from_the_mean(ratings, agent, &fitted.strength));
            ratings.agents[agent].interval = Some((elo - half, elo + half));
        }
    }
    if options.seat {
        let mut direction = vec![0.0; fitted.information.len()];
        direction[agents] = 1.0;
        let (elo, half) = (
            fitted.seat * POINTS_PER_LOGIT,
            Z95 * deviation(&inverse, &direction),
        );
        ratings.seat = Some(Seat {
            elo,
            interval: Some((elo - half, elo + half)),
        });
    }
    ratings.thresholds = fitted.steps.map(|[first, second]| Thresholds {
        better: first.exp(),
        much_better: first.exp() + second.exp(),
    });
    ratings.differences = differences(ratings, games, &inverse, fitted.information.len());
    add_tiers(ratings, options.alpha);
}

/// The standard deviation of a sum of unknowns, in points.
fn deviation(inverse: &Inverse, direction: &[f64]) -> f64 {
    // Rounding may leave a small negative number where nothing is uncertain.
    inverse.square(direction).max(0.0).sqrt() * POINTS_PER_LOGIT
}

/// An agent's strength minus the mean of those that it is compared with.
fn from_the_mean(ratings: &Ratings, agent: usize, strength: &[f64]) -> Vec<f64> {
    let group = ratings.agents[agent].component;
    let members = ratings.agents.iter().filter(|of| of.component == group);
    let share = 1.0 / members.count() as f64;
    let mut direction = vec![0.0; strength.len() + 1];
    for (other, rating) in ratings.agents.iter().enumerate() {
        direction[other] = if rating.component == group {
            -share
        } else {
            0.0
        };
    }
    direction[agent] += 1.0;
    direction
}

/// The points of each agent that has a rating.
fn elos(ratings: &Ratings, fitted: &Fitted) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0.0); ratings.agents.len()];
    for (rating, strength) in ratings.agents.iter().zip(&fitted.strength) {
        let (sum, members) = &mut sums[rating.component as usize];
        *sum += strength;
        *members += 1.0;
    }
    let elo = |(rating, strength): (&Rating, &f64)| {
        let (sum, members) = sums[rating.component as usize];
        (rating.state == RatingState::Rated)
            .then(|| MEAN + POINTS_PER_LOGIT * (strength - sum / members))
    };
    ratings
        .agents
        .iter()
        .zip(&fitted.strength)
        .map(elo)
        .collect()
}

fn differences(
    ratings: &Ratings,
    games: &[Game],
    inverse: &Inverse,
    unknowns: usize,
) -> Vec<Difference> {
    let rated = |agent: usize| Some((ratings.agents[agent].elo?, ratings.agents[agent].component));
    // One column at a time, once: a solution for each pair would take the fourth power of agents.
    let columns: Vec<Vec<f64>> = (0..ratings.agents.len())
        .map(|agent| {
            let mut unit = vec![0.0; unknowns];
            unit[agent] = 1.0;
            inverse.solve(&unit)
        })
        .collect();
    let mut differences = Vec::new();
    for first in 0..ratings.agents.len() {
        for second in first + 1..ratings.agents.len() {
            let (Some((elo, group)), Some((other, other_group))) = (rated(first), rated(second))
            else {
                continue;
            };
            if group != other_group {
                continue;
            }
            let variance =
                columns[first][first] + columns[second][second] - 2.0 * columns[first][second];
            let deviation = variance.max(0.0).sqrt() * POINTS_PER_LOGIT;
            let value = elo - other;
            differences.push(Difference {
                first,
                second,
                tasks: met(games, first, second),
                value,
                interval: Some((value - Z95 * deviation, value + Z95 * deviation)),
                p: wald_p(value, deviation),
                adjusted: 1.0,
                detectable: None,
            });
        }
    }
    let p: Vec<f64> = differences.iter().map(|difference| difference.p).collect();
    for (difference, adjusted) in differences.iter_mut().zip(holm(&p)) {
        difference.adjusted = adjusted;
    }
    differences
}

fn wald_p(value: f64, deviation: f64) -> f64 {
    if deviation > 0.0 {
        (2.0 * upper_tail(value.abs() / deviation)).min(1.0)
    } else {
        1.0
    }
}

fn met(games: &[Game], first: usize, second: usize) -> u64 {
    let pair = [(first, second), (second, first)];
    let between = |game: &&Game| pair.contains(&(game.first as usize, game.second as usize));
    games.iter().filter(between).count() as u64
}

/// Tiers within each group: nobody is worse than an agent that it cannot be compared with.
fn add_tiers(ratings: &mut Ratings, alpha: f64) {
    let mut groups: Vec<u32> = ratings.agents.iter().map(|of| of.component).collect();
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        let scores: Vec<Option<f64>> = ratings
            .agents
            .iter()
            .map(|rating| rating.elo.filter(|_| rating.component == group))
            .collect();
        let found = tiers(&scores, &ratings.differences, alpha);
        for (rating, tier) in ratings.agents.iter_mut().zip(found) {
            rating.tier = rating.tier.or(tier);
        }
    }
}

/// The numbers whose intervals resampling finds: points, then the seat's. None for all where the
/// resample has no fit.
pub(super) fn values(
    agents: usize,
    groups: &Groups,
    fitted: Option<&Fitted>,
    ratings: &Ratings,
) -> Vec<Option<f64>> {
    debug_assert_eq!(agents, groups.component.len());
    let Some(fitted) = fitted else {
        return vec![None; agents + 1];
    };
    let mut values = elos(ratings, fitted);
    values.push(ratings.seat.map(|_| fitted.seat * POINTS_PER_LOGIT));
    values
}

/// Puts resampled intervals in the place of those from the curvature.
pub(super) fn set_intervals(ratings: &mut Ratings, intervals: &[Option<(f64, f64)>]) {
    for (rating, interval) in ratings.agents.iter_mut().zip(intervals) {
        rating.interval = *interval;
    }
    if let (Some(seat), Some(interval)) = (&mut ratings.seat, intervals.last()) {
        seat.interval = *interval;
    }
}

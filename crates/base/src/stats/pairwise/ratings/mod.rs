//! Ratings of agents that meet in matches: Elo points with intervals and tiers, from the results
//! of matches ([`rate`]) or from the graded verdicts of their rounds ([`rate_rounds`]). Hides the
//! fits, which agents can be compared at all, and the resampling.
//!
//! Matches are rated by Bradley and Terry's model, a tie as one half to each side: by maximum
//! likelihood as DR-Arena does (DR-Arena, section on Elo ratings; the fixed point of Hunter, "MM
//! algorithms for generalized Bradley–Terry models", Ann. Stat. 32, 2004, section 3), or with a
//! weak prior, with which an unbeaten agent has a finite rating. Elo is 1000 + 400 `log₁₀` of the
//! strength, and 1000 is the mean of the agents that can be compared.

mod assemble;
mod fitted;
mod online;
mod ordinal;
mod reference;

use rand::Rng;
use serde::Serialize;

use super::{
    Grade, GradedGame,
    bradley_terry::Game,
    comparability::{components, have_finite_strengths},
};
use crate::stats::{bootstrap, paired::Difference};
use fitted::Fitted;
pub use online::{ONLINE_K, ONLINE_START, online};
pub use ordinal::probabilities;
pub use reference::{BoardAgreement, agreement};

/// Elo points of one logit: 400 / ln 10.
pub const POINTS_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// The mean of the ratings of agents that can be compared.
pub const MEAN: f64 = 1000.0;

/// How ratings are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Variance of the normal prior of strengths, in squared logits; none for maximum likelihood.
    pub prior_variance: Option<f64>,
    /// Whether a seat may be an advantage. Its prior is N(0, 1), in logits.
    pub seat: bool,
    /// How intervals are found.
    pub intervals: Intervals,
    /// Significance level of tiers, over all pairs of agents (Holm).
    pub alpha: f64,
}

/// How 95 % intervals are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intervals {
    /// From the curvature of the likelihood (Wald): fast.
    Curvature,
    /// By drawing whole matches again, so many times.
    Resampling(usize),
}

impl Default for Options {
    /// A prior of three logits (521 points), which moves a rating of thirty matches by about two
    /// points in a hundred of its distance from the mean; a seat term; intervals from the
    /// curvature.
    fn default() -> Self {
        Self {
            prior_variance: Some(9.0),
            seat: true,
            intervals: Intervals::Curvature,
            alpha: 0.05,
        }
    }
}

impl Options {
    /// The published setting: maximum likelihood, and no seat term.
    pub fn published() -> Self {
        Self {
            prior_variance: None,
            seat: false,
            ..Self::default()
        }
    }
}

/// Why an agent has a rating, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RatingState {
    /// It has one.
    Rated,
    /// It has not played.
    Unplayed,
    /// Of the agents that are compared with it some have no point against the others, so that no
    /// strength is the most likely one. A prior helps, and so do more matches.
    Unbounded,
}

/// The rating of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// Whether there is one.
    pub state: RatingState,
    /// The group of agents that it can be compared with, from 0. Ratings of two groups have no
    /// common scale.
    pub component: u32,
    /// Games: matches, or rounds where rounds were rated.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games lost.
    pub losses: u64,
    /// Games without a winner.
    pub ties: u64,
    /// Elo points.
    pub elo: Option<f64>,
    /// The 95 % interval of the points; none where resamples too often have no value.
    pub interval: Option<(f64, f64)>,
    /// The tier, 1 for the best of its component: see [`crate::stats::tiers`].
    pub tier: Option<u32>,
}

/// What the first seat is worth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Seat {
    /// Elo points by which the agent in the first seat plays above its rating.
    pub elo: f64,
    /// Their 95 % interval.
    pub interval: Option<(f64, f64)>,
}

/// Ratings of agents, by their number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratings {
    /// One an agent.
    pub agents: Vec<Rating>,
    /// Groups of agents that played, and that no chain of matches joins: ratings are comparable
    /// where this is 1.
    pub components: u32,
    /// The seat term, if it was asked for and there was a game to find it from.
    pub seat: Option<Seat>,
    /// Every pair of agents that can be compared: Elo points between them, and Wald's test. The
    /// field `tasks` counts their games against each other.
    pub differences: Vec<Difference>,
    /// Where rounds were rated, how far a lead must go for a verdict.
    pub thresholds: Option<Thresholds>,
}

/// From which difference on a verdict names a winner, as fitted to rounds, in logits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Thresholds {
    /// From a tie to better.
    pub better: f64,
    /// From better to much better.
    pub much_better: f64,
}

/// Rates agents by the results of matches, each a game whose score is 1, 0 or one half. The judge
/// of a game plays no part, and neither does the order of the games.
///
/// Games name agents below `agents`. Takes a time that grows with the third power of the agents,
/// and with resamples × games.
pub fn rate(agents: usize, matches: &[Game], options: &Options, rng: &mut impl Rng) -> Ratings {
    let clusters: Vec<Vec<Game>> = sorted(matches).into_iter().map(|game| vec![game]).collect();
    let fit = |games: &[Game], start: Option<&Fitted>| {
        Some(fitted::bradley_terry(agents, games, options, start))
    };
    rate_clusters(agents, &clusters, |game| *game, fit, options, rng)
}

/// Rates agents by the graded verdicts of the rounds of matches, so that winning by much counts
/// more: the proportional-odds model of [`Thresholds`]. Points are `400 log₁₀` of the odds of a
/// better verdict, which is not the scale of [`rate`].
///
/// Rounds of one match are resampled together. An unbeaten agent needs a prior here too.
pub fn rate_rounds(
    agents: usize,
    matches: &[Vec<GradedGame>],
    options: &Options,
    rng: &mut impl Rng,
) -> Ratings {
    let key = |round: &GradedGame| (round.first, round.second, round.grade);
    let mut clusters = matches.to_vec();
    clusters.sort_by(|a, b| a.iter().map(key).cmp(b.iter().map(key)));
    let fit = |rounds: &[GradedGame], start: Option<&Fitted>| {
        Some(ordinal::fit(agents, rounds, options, start))
    };
    rate_clusters(agents, &clusters, |round| round.game(), fit, options, rng)
}

/// In an order that does not depend on that of arrival, because resamples draw by place.
fn sorted(games: &[Game]) -> Vec<Game> {
    let mut games = games.to_vec();
    games.sort_unstable_by(|a, b| {
        let pair = |game: &Game| (game.first, game.second);
        pair(a).cmp(&pair(b)).then(a.score.total_cmp(&b.score))
    });
    games
}

/// The agents' groups, and whose ratings are finite.
#[derive(Clone, Debug)]
struct Groups {
    component: Vec<u32>,
    finite: Vec<bool>,
}

impl Groups {
    fn new(agents: usize, games: &[Game], with_prior: bool) -> Self {
        let component = components(agents, games.iter().map(|game| (game.first, game.second)));
        let number = component.iter().max().map_or(0, |last| *last as usize + 1);
        let finite = if with_prior {
            vec![true; number]
        } else {
            have_finite_strengths(&component, &points(games))
        };
        Self { component, finite }
    }

    fn is_finite(&self, agent: u32) -> bool {
        self.finite[self.component[agent as usize] as usize]
    }
}

/// Who has a point, or a part of one, against whom.
fn points(games: &[Game]) -> Vec<(u32, u32)> {
    let mut points = Vec::new();
    for game in games {
        if game.score > 0.0 {
            points.push((game.first, game.second));
        }
        if game.score < 1.0 {
            points.push((game.second, game.first));
        }
    }
    points
}

fn rate_clusters<T: Copy>(
    agents: usize,
    clusters: &[Vec<T>],
    game: impl Fn(&T) -> Game,
    fit: impl Fn(&[T], Option<&Fitted>) -> Option<Fitted>,
    options: &Options,
    rng: &mut impl Rng,
) -> Ratings {
    let games: Vec<Game> = clusters.iter().flatten().map(&game).collect();
    let with_prior = options.prior_variance.is_some();
    let groups = Groups::new(agents, &games, with_prior);
    // Games of a group without finite strengths would keep the fit from ending.
    let bounded: Vec<Vec<T>> = clusters
        .iter()
        .map(|items| {
            let keep = |item: &&T| groups.is_finite(game(item).first);
            items.iter().filter(keep).copied().collect::<Vec<T>>()
        })
        .filter(|items| !items.is_empty())
        .collect();
    let all: Vec<T> = bounded.iter().flatten().copied().collect();
    let whole = if all.is_empty() {
        None
    } else {
        fit(&all, None)
    };
    let mut ratings = assemble::ratings(agents, &games, &groups, whole.as_ref(), options);
    if let (Intervals::Resampling(resamples), Some(whole)) = (options.intervals, &whole) {
        let of = |items: &[&T]| {
            let items: Vec<T> = items.iter().map(|item| **item).collect();
            let drawn: Vec<Game> = items.iter().map(&game).collect();
            // Without a prior a resample has no value where it has no finite strengths.
            let fitted = (with_prior || still_bounded(agents, &drawn, &groups))
                .then(|| fit(&items, Some(whole)))
                .flatten();
            assemble::values(agents, &groups, fitted.as_ref(), &ratings)
        };
        let estimates = bootstrap::statistics(&bounded, resamples, rng, of);
        let intervals: Vec<_> = estimates
            .into_iter()
            .map(|estimate| estimate.and_then(|estimate| estimate.interval))
            .collect();
        assemble::set_intervals(&mut ratings, &intervals);
    }
    ratings
}

/// Whether a resample still joins the agents that all games join, and has finite strengths.
fn still_bounded(agents: usize, drawn: &[Game], groups: &Groups) -> bool {
    let now = Groups::new(agents, drawn, false);
    let joined = (0..agents).all(|agent| {
        let first = groups
            .component
            .iter()
            .position(|group| *group == groups.component[agent]);
        let unbounded = !groups.finite[groups.component[agent] as usize];
        unbounded || first.is_some_and(|first| now.component[first] == now.component[agent])
    });
    joined && now.finite.iter().all(|finite| *finite)
}

#[cfg(test)]
mod tests;

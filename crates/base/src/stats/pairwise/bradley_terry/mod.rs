//! Bradley–Terry strengths from pairwise verdicts: the most probable ones (here), and draws from
//! the posterior ([`Posterior`]). Hides the solver. Nothing depends on the order of the verdicts,
//! and an item without a win or a loss stays finite.
//!
//! The first of a pair wins with p = l/2 + (1 − l) σ(a (θ₁ − θ₂ + b)): Bradley and Terry, "Rank
//! analysis of incomplete block designs", Biometrika 39, 1952, equation (1), with an intercept b
//! for the side shown first, a discrimination a of each judge, and a lapse rate l, the share of
//! random verdicts. Orders of several are Plackett and Luce's ([`RankedList`]). Strengths
//! have the prior N(0, s²), intercepts N(0, 1).

mod plackett_luce;
mod polya_gamma;
mod population;
mod posterior;
mod system;

pub use plackett_luce::RankedList;
use plackett_luce::SortedList;
pub use posterior::{Posterior, PosteriorSummary};
use system::System;

/// A judge's verdict on some items, as data for a fit.
#[derive(Clone, Debug, PartialEq)]
pub enum Preference {
    /// The better one of two.
    Pair(Game),
    /// The order of several.
    List(RankedList),
}

impl Preference {
    /// The items that it is about.
    pub fn items(&self) -> Vec<u32> {
        match self {
            Self::Pair(game) => vec![game.first, game.second],
            Self::List(list) => list.shown.clone(),
        }
    }
}

/// A verdict on two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Game {
    /// The item shown first.
    pub first: u32,
    /// The other one.
    pub second: u32,
    /// The judge, from 0.
    pub judge: u32,
    /// Score of the item shown first, 0 to 1.
    pub score: f64,
}

/// Parameters that are held fixed when strengths are fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Variance s² of the strengths; its inverse is the ridge.
    pub variance: f64,
    /// Whether judges may prefer the side that is shown first.
    pub intercepts: bool,
    /// Lapse rate: share of random verdicts, below 1.
    pub lapse_rate: f64,
    /// Discrimination of each judge: how steeply its verdicts follow the strengths.
    pub discrimination: Vec<f64>,
}

impl Model {
    /// Judges that are alike and never random.
    pub fn plain(judges: usize, variance: f64) -> Self {
        Self {
            variance,
            intercepts: true,
            lapse_rate: 0.0,
            discrimination: vec![1.0; judges],
        }
    }

    /// The probability that the first of two wins, where `difference` is θ₁ − θ₂ + b.
    pub fn probability(&self, judge: usize, difference: f64) -> f64 {
        self.lapse_rate / 2.0
            + (1.0 - self.lapse_rate) * sigma(self.discrimination[judge] * difference)
    }
}

/// The most probable strengths.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Strength of each item, in logits; the prior's mean is 0.
    pub strength: Vec<f64>,
    /// Position bias of each judge: preference for the side shown first, in logits.
    pub intercept: Vec<f64>,
    /// Variance of each strength, roughly: opponents' uncertainty enters, correlations do not (as
    /// in Glicko).
    pub variance: Vec<f64>,
    /// Largest slope of the log posterior that is left.
    pub slope: f64,
}

/// Largest slope at which a fit counts as found.
const SLOPE: f64 = 1e-6;
const MOST_STEPS: usize = 60;

/// Fits the strengths of `items` by Newton's method, with conjugate gradients for its linear
/// systems; `start` is a fit to begin at and changes the time, not the result.
///
/// Verdicts name items below `items` and judges below the model's number of them.
pub fn fit(items: usize, verdicts: &[Preference], model: &Model, start: Option<&Fit>) -> Fit {
    fit_to(SLOPE, items, verdicts, model, start)
}

/// [`fit`] until no slope of the log posterior is larger than `slope`: for results that are
/// compared with those of other programs digit by digit.
pub fn fit_to(
    slope: f64,
    items: usize,
    verdicts: &[Preference],
    model: &Model,
    start: Option<&Fit>,
) -> Fit {
    let games = Games::new(items, model.discrimination.len(), verdicts);
    let mut x = start.map_or_else(Vec::new, |fit| {
        [&fit.strength[..], &fit.intercept[..]].concat()
    });
    x.resize(games.unknowns(), 0.0);
    let x = newton(&games, model, x, slope);
    let (_, slopes, system) = evaluate(&games, model, &x);
    Fit {
        strength: x[..items].to_vec(),
        intercept: x[items..].to_vec(),
        variance: system.variances(items),
        slope: slopes
            .iter()
            .fold(0.0, |most: f64, slope| most.max(slope.abs())),
    }
}

/// The verdicts as columns, sorted: games first, then the pairs of each list.
#[derive(Clone, Debug, Default)]
struct Games {
    items: usize,
    judges: usize,
    first: Vec<u32>,
    second: Vec<u32>,
    judge: Vec<u32>,
    score: Vec<f64>,
    /// How much earlier the first was shown: 1 in a pair.
    lead: Vec<f64>,
    pairs: usize,
    lists: Vec<SortedList>,
}

impl Games {
    fn new(items: usize, judges: usize, verdicts: &[Preference]) -> Self {
        let (mut pairs, mut lists) = (Vec::<Game>::new(), Vec::<&RankedList>::new());
        for verdict in verdicts {
            match verdict {
                Preference::Pair(game) => pairs.push(*game),
                Preference::List(list) => lists.push(list),
            }
        }
        // Sorted, so that the sums, and with them the fit, do not depend on the order of arrival.
        pairs.sort_unstable_by(|a, b| {
            let key = |game: &Game| (game.first, game.second, game.judge);
            key(a).cmp(&key(b)).then(a.score.total_cmp(&b.score))
        });
        lists.sort_unstable();
        let mut games = Self {
            items,
            judges,
            pairs: pairs.len(),
            ..Self::default()
        };
        for game in &pairs {
            games.push(game, 1.0);
        }
        for list in lists {
            let ranked = SortedList::new(list);
            for (first, second, lead) in ranked.pairs() {
                games.push(
                    &Game {
                        first,
                        second,
                        judge: list.judge,
                        score: 1.0,
                    },
                    lead,
                );
            }
            games.lists.push(ranked);
        }
        games
    }

    fn push(&mut self, game: &Game, lead: f64) {
        self.first.push(game.first);
        self.second.push(game.second);
        self.judge.push(game.judge);
        self.score.push(game.score);
        self.lead.push(lead);
    }

    fn len(&self) -> usize {
        self.score.len()
    }

    /// Strengths, then intercepts.
    fn unknowns(&self) -> usize {
        self.items + self.judges
    }

    /// Where a verdict's strengths and intercept stand.
    fn at(&self, game: usize) -> (usize, usize, usize) {
        (
            self.first[game] as usize,
            self.second[game] as usize,
            self.items + self.judge[game] as usize,
        )
    }

    /// a (θ₁ − θ₂ + b), where b counts by how much earlier the first was shown
    fn logit(&self, model: &Model, x: &[f64], game: usize) -> f64 {
        let (i, j, b) = self.at(game);
        model.discrimination[b - self.items] * (x[i] - x[j] + self.lead[game] * x[b])
    }
}

impl Model {
    /// The prior's precisions of strengths and intercepts. An intercept that may not be is held at
    /// 0.
    fn precisions(&self, games: &Games) -> Vec<f64> {
        let mut precision = vec![1.0 / self.variance; games.items];
        precision.resize(games.unknowns(), if self.intercepts { 1.0 } else { 1e12 });
        precision
    }
}

/// One verdict under the model, with respect to its logit.
struct Point {
    value: f64,
    slope: f64,
    information: f64,
}

fn sigma(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

fn point(logit: f64, score: f64, lapse_rate: f64) -> Point {
    let sigma = sigma(logit);
    let steep = sigma * (1.0 - sigma);
    if lapse_rate == 0.0 {
        return Point {
            value: log_likelihood(logit, score, lapse_rate),
            slope: score - sigma,
            information: steep,
        };
    }
    let p = lapse_rate / 2.0 + (1.0 - lapse_rate) * sigma;
    let (change, spread) = ((1.0 - lapse_rate) * steep, p * (1.0 - p));
    Point {
        value: log_likelihood(logit, score, lapse_rate),
        slope: (score - p) / spread * change,
        information: change * change / spread,
    }
}

fn log_likelihood(logit: f64, score: f64, lapse_rate: f64) -> f64 {
    if lapse_rate == 0.0 {
        // y ln σ + (1 − y) ln(1 − σ), without cancellation.
        return score * logit - logit.max(0.0) - (-logit.abs()).exp().ln_1p();
    }
    let p = lapse_rate / 2.0 + (1.0 - lapse_rate) * sigma(logit);
    score * p.ln() + (1.0 - score) * (1.0 - p).ln()
}

/// The likelihood that the first one got `score`: σ^y (1 − σ)^(1 − y).
fn likelihood(logit: f64, score: f64) -> f64 {
    let odds = (-logit.abs()).exp();
    let with_the_odds = if logit < 0.0 { 1.0 - score } else { score };
    let against = match with_the_odds {
        1.0 => 1.0,
        0.0 => odds,
        part => odds.powf(1.0 - part),
    };
    against / (1.0 + odds)
}

/// The logarithm of the likelihood of a list that may be random, and the probability that it is
/// not.
fn list_log_likelihood(list: &SortedList, model: &Model, x: &[f64]) -> (f64, f64) {
    let attentive = (1.0 - model.lapse_rate).ln() + list.log_likelihood(model, x);
    if model.lapse_rate == 0.0 {
        return (attentive, 1.0);
    }
    let random = model.lapse_rate.ln() + list.log_chance;
    (
        attentive.max(random) + (-(attentive - random).abs()).exp().ln_1p(),
        sigma(attentive - random),
    )
}

/// The log posterior (up to a constant), its slopes and its curvature.
fn evaluate<'a>(games: &'a Games, model: &Model, x: &[f64]) -> (f64, Vec<f64>, System<'a>) {
    let precision = model.precisions(games);
    let mut slopes: Vec<f64> = x
        .iter()
        .zip(&precision)
        .map(|(x, precision)| -x * precision)
        .collect();
    let mut value = x
        .iter()
        .zip(&slopes)
        .map(|(x, slope)| x * slope / 2.0)
        .sum();
    let mut information = Vec::with_capacity(games.len());
    let mut add_game = |game: usize, weight: f64, point: &Point| {
        let (first, second, side) = games.at(game);
        let steepness = model.discrimination[side - games.items];
        let slope = weight * steepness * point.slope;
        slopes[first] += slope;
        slopes[second] -= slope;
        slopes[side] += games.lead[game] * slope;
        information.push(weight * steepness * steepness * point.information);
    };
    for game in 0..games.pairs {
        let point = point(
            games.logit(model, x, game),
            games.score[game],
            model.lapse_rate,
        );
        value += point.value;
        add_game(game, 1.0, &point);
    }
    let (mut game, mut weights) = (games.pairs, Vec::new());
    for list in &games.lists {
        let (likelihood, attentive) = list_log_likelihood(list, model, x);
        value += likelihood;
        list.weights(model, x, &mut weights);
        for weight in weights.drain(..) {
            add_game(
                game,
                // A list counts as much as it is likely not to be random.
                attentive * weight,
                &point(games.logit(model, x, game), 1.0, 0.0),
            );
            game += 1;
        }
    }
    (value, slopes, System::new(games, information, precision))
}

/// Newton's method from `x` to the most probable strengths and intercepts, until no slope is
/// larger than `enough`.
fn newton(games: &Games, model: &Model, mut x: Vec<f64>, enough: f64) -> Vec<f64> {
    let (mut value, mut slopes, mut system) = evaluate(games, model, &x);
    for _ in 0..MOST_STEPS {
        let steepest = slopes
            .iter()
            .fold(0.0, |most: f64, slope| most.max(slope.abs()));
        if steepest <= enough {
            break;
        }
        // Far from the top a rough direction will do.
        let way = system.solve(&slopes, steepest.sqrt().clamp(1e-8, 0.05));
        let mut length = 1.0;
        loop {
            let there: Vec<f64> = x
                .iter()
                .zip(&way)
                .map(|(x, way)| x + length * way)
                .collect();
            let (better, new_slopes, new_system) = evaluate(games, model, &there);
            // Rounding may hide the last gains: the slope tells.
            if better >= value - 1e-9 * value.abs().max(1.0) || length < 1e-4 {
                (x, value, slopes, system) = (there, better, new_slopes, new_system);
                break;
            }
            length /= 2.0;
        }
    }
    x
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

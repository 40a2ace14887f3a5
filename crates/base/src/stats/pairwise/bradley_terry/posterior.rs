//! Draws from the posterior of strengths, intercepts, the strengths' variance, the lapse rate and
//! discriminations together, by Gibbs sampling with Pólya–Gamma variables (Polson, Scott and Windle,
//! "Bayesian inference for logistic models using Pólya–Gamma latent variables", JASA 108, 2013,
//! section 3). Hides the moves. A list is drawn by its weighted pairs ([`super::RankedList`]),
//! which is an approximation; what all items share is drawn with its own likelihood. A normal
//! approximation around the most probable strengths will not do here: with one to four verdicts an
//! item it takes the variance for a quarter of what it is.

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use rand_distr::{Beta, Distribution as _};

use super::polya_gamma;
use super::{
    Games, Model, Preference, SLOPE, System, likelihood, list_log_likelihood, log_likelihood,
    newton, population::Population, sigma,
};
use crate::stats::{largest, normal};

/// Prior of the lapse rate: beta, one in ten.
const LAPSES: f64 = 1.0;
const NO_LAPSES: f64 = 9.0;
const MOST_LAPSES: f64 = 0.5;
const LAPSE_STEP: f64 = 0.05;
/// Moves of the scale in a sweep, of each kind.
const STRETCHES: usize = 4;
/// Precision of the logarithm of a discrimination, next to the first judge's.
const DISCRIMINATION_PRECISION: f64 = 4.0;
const DISCRIMINATION_STEP: f64 = 0.1;
/// Exactness of a draw's linear system.
const EXACTNESS: f64 = 1e-3;

/// Of two numbers that are no smaller the product is no zero.
const TINY: f64 = 1e-150;

/// A chain of draws. The same verdicts (in any order) and seed give the same chain.
pub struct Posterior {
    games: Games,
    model: Model,
    population: Population,
    /// Whether verdicts may be random.
    lapses: bool,
    /// Strengths, then intercepts.
    x: Vec<f64>,
    rng: ChaCha8Rng,
    stretch: f64,
}

/// A summary of the draws for each item, and for the best `top`.
#[derive(Clone, Debug, PartialEq)]
pub struct PosteriorSummary {
    /// Median strength: where a judge never contradicts itself the scale has no upper end, and a
    /// mean would be luck.
    pub strength: Vec<f64>,
    /// The 2.5 % and 97.5 % quantiles of the strength.
    pub interval: Vec<(f64, f64)>,
    /// Probability to be among the best `top`.
    pub membership: Vec<f64>,
    /// Share of the truly best that the choice of the likeliest members is expected to hold.
    pub expected_recall: f64,
    /// The parameters that all items share: the median of the variance, the means of the rest.
    pub model: Model,
    /// Position bias of each judge: preference for the side shown first, in logits.
    pub intercept: Vec<f64>,
}

impl Posterior {
    /// A chain that starts at the most probable strengths. With `lapses`, some verdicts may be
    /// random.
    pub fn new(
        items: usize,
        judges: usize,
        verdicts: &[Preference],
        lapses: bool,
        seed: u64,
    ) -> Self {
        let games = Games::new(items, judges, verdicts);
        let mut model = Model::plain(judges, 1.0);
        model.lapse_rate = if lapses { 0.02 } else { 0.0 };
        // From the mode, so that the warm-up need not find the region first.
        let x = newton(&games, &model, vec![0.0; games.unknowns()], SLOPE);
        let (population, rng) = (Population::new(items), ChaCha8Rng::seed_from_u64(seed));
        let mut posterior = Self {
            games,
            model,
            population,
            lapses,
            x,
            rng,
            stretch: 0.0,
        };
        posterior.tune_step();
        posterior
    }

    /// The same chain, with these verdicts instead.
    pub fn set_verdicts(&mut self, verdicts: &[Preference]) {
        self.games = Games::new(self.games.items, self.games.judges, verdicts);
        self.tune_step();
    }

    /// The strengths of the latest draw.
    pub fn strengths(&self) -> &[f64] {
        &self.x[..self.games.items]
    }

    /// The parameters that all items share, in the latest draw.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Moves on to the next draw.
    pub fn sweep(&mut self) {
        // The order is part of what a seed gives: each step draws from the same stream.
        let (information, push) = self.augment();
        self.draw_strengths(information, push);
        // The strengths' prior follows the strengths that were just drawn; the scale is moved after
        // both.
        self.population
            .draw(&self.x[..self.games.items], &mut self.rng);
        self.rescale();
        self.model.variance = self.population.variance();
        (1..self.games.judges).for_each(|judge| self.draw_discrimination(judge));
    }

    /// Data augmentation: draws for each verdict whether it is random and, if not, its Pólya–Gamma
    /// variables; then the lapse rate. Returns each pair's information and the slopes that pull at
    /// strengths and intercepts.
    fn augment(&mut self) -> (Vec<f64>, Vec<f64>) {
        let mut push = vec![0.0; self.x.len()];
        let mut information = Vec::with_capacity(self.games.len());
        let mut random_verdicts = 0.0;
        for game in 0..self.games.pairs {
            let logit = self.games.logit(&self.model, &self.x, game);
            let attentive =
                (1.0 - self.model.lapse_rate) * likelihood(logit, self.games.score[game]);
            // A random verdict names either side with one half.
            let random = self.is_random(0.5 * self.model.lapse_rate, attentive);
            random_verdicts += f64::from(u8::from(random));
            information.push(self.draw_pair(game, if random { 0.0 } else { 1.0 }, &mut push));
        }
        let (mut game, mut weights) = (self.games.pairs, Vec::new());
        for list in 0..self.games.lists.len() {
            let (_, attentive) = list_log_likelihood(&self.games.lists[list], &self.model, &self.x);
            // A list counts as random as a whole: its order is one decision of the judge.
            let random = self.is_random(1.0 - attentive, attentive);
            random_verdicts += f64::from(u8::from(random));
            self.games.lists[list].weights(&self.model, &self.x, &mut weights);
            for weight in weights.drain(..) {
                information.push(self.draw_pair(
                    game,
                    if random { 0.0 } else { weight },
                    &mut push,
                ));
                game += 1;
            }
        }
        // A list of eight is one verdict here, whatever it weighs in pairs.
        let verdicts = (self.games.pairs + self.games.lists.len()) as f64;
        if self.lapses
            && let Ok(beta) = Beta::new(
                LAPSES + random_verdicts,
                NO_LAPSES + verdicts - random_verdicts,
            )
        {
            self.model.lapse_rate = beta.sample(&mut self.rng);
        }
        (information, push)
    }

    /// Draws whether a verdict is random, from its joint probability with either.
    fn is_random(&mut self, random: f64, attentive: f64) -> bool {
        self.lapses && self.rng.random::<f64>() * (random + attentive) < random
    }

    /// Draws a pair's Pólya–Gamma variable and adds its slope; returns its information. The weight of
    /// a random verdict is 0.
    fn draw_pair(&mut self, game: usize, weight: f64, push: &mut [f64]) -> f64 {
        // Nothing is drawn for it, not even in vain: a random verdict tells nothing of strengths.
        if weight == 0.0 {
            return 0.0;
        }
        let (i, j, b) = self.games.at(game);
        let a = self.model.discrimination[b - self.games.items];
        let logit = self.games.logit(&self.model, &self.x, game);
        let omega = if game < self.games.pairs {
            polya_gamma::draw(logit, &mut self.rng)
        } else {
            polya_gamma::draw_part(weight, logit, &mut self.rng)
        };
        // (y − ½) and the noise of variance ω: solved against the precision, they give one exact
        // draw.
        let slope = a * weight * (self.games.score[game] - 0.5)
            + a * omega.sqrt() * normal::draw(&mut self.rng);
        push[i] += slope;
        push[j] -= slope;
        push[b] += self.games.lead[game] * slope;
        a * a * omega
    }

    /// Strengths and intercepts together, correlations included: perturb, then solve (Papandreou
    /// and Yuille 2010).
    fn draw_strengths(&mut self, information: Vec<f64>, mut push: Vec<f64>) {
        let mut precision = self.model.precisions(&self.games);
        for (item, own) in precision[..self.games.items].iter_mut().enumerate() {
            let (mean, known) = self.population.prior(item);
            // The prior pulls each strength to the mean of its own part of the population.
            push[item] += mean * known;
            *own = known;
        }
        for (push, precision) in push.iter_mut().zip(&precision) {
            *push += precision.sqrt() * normal::draw(&mut self.rng);
        }
        self.x = System::new(&self.games, information, precision).solve(&push, EXACTNESS);
    }

    /// Metropolis moves that stretch all strengths and their spread together: alone, with the lapse
    /// rate, or with the discriminations of all judges but the first. Without them these hardly move
    /// where verdicts are few, or where a higher lapse rate, larger differences and lower
    /// discriminations explain the same (interweaving: Yu and Meng, "To center or not to center",
    /// JCGS 20, 2011).
    fn rescale(&mut self) {
        let items = self.games.items;
        let mut now = self.likelihood(&self.model, &self.x, None);
        // The three kinds by turns: each alone mixes slowly in a direction that another one opens.
        for turn in 0..STRETCHES * 3 {
            let (mut model, mut population, mut x) =
                (self.model.clone(), self.population.clone(), self.x.clone());
            let mut by = (self.stretch * normal::draw(&mut self.rng)).exp();
            let mut prior = 0.0;
            match turn % 3 {
                1 if self.lapses => {
                    model.lapse_rate =
                        (model.lapse_rate + LAPSE_STEP * normal::draw(&mut self.rng)).abs();
                    // Above one half a judge would be more at random than not, and the fit could
                    // explain all by that.
                    if model.lapse_rate > MOST_LAPSES {
                        continue;
                    }
                    // Fewer lapses mean clearer verdicts, hence larger differences: the two are
                    // moved along that line.
                    by = (1.0 - self.model.lapse_rate) / (1.0 - model.lapse_rate);
                }
                2 if self.games.judges > 1 => {
                    by = (DISCRIMINATION_STEP * normal::draw(&mut self.rng)).exp();
                    for judge in 1..self.games.judges {
                        let (old, preference) =
                            (model.discrimination[judge].ln(), x[items + judge]);
                        model.discrimination[judge] /= by;
                        x[items + judge] *= by;
                        prior +=
                            prior_of_discrimination(old - by.ln()) - prior_of_discrimination(old);
                        // The last term is the move's Jacobian, since the intercept is stretched
                        // with it.
                        prior += preference * preference * (1.0 - by * by) / 2.0 + by.ln();
                    }
                }
                _ => {}
            }
            x[..items].iter_mut().for_each(|x| *x *= by);
            population.stretch(by);
            prior += prior_of_lapses(&model) - prior_of_lapses(&self.model);
            prior += population.density_of_scale() - self.population.density_of_scale();
            let then = self.likelihood(&model, &x, None);
            // In logarithms: products of a hundred thousand likelihoods are zero in floating point.
            if self.rng.random::<f64>().ln() < then - now + prior {
                (self.model, self.population, self.x, now) = (model, population, x, then);
            }
        }
    }

    /// Strengths are in logits of the first judge: only the others' discriminations are drawn.
    fn draw_discrimination(&mut self, judge: usize) {
        let mut other = self.model.clone();
        let old = other.discrimination[judge].ln();
        let new = old + self.stretch * normal::draw(&mut self.rng);
        // Drawn on the logarithm, so that it stays above zero.
        other.discrimination[judge] = new.exp();
        let prior = prior_of_discrimination(new) - prior_of_discrimination(old);
        let gain = self.likelihood(&other, &self.x, Some(judge))
            - self.likelihood(&self.model, &self.x, Some(judge))
            + prior;
        if self.rng.random::<f64>().ln() < gain {
            self.model = other;
        }
    }

    /// The logarithm of the likelihood of the verdicts, of all judges or of one. A verdict is random
    /// or follows the strengths, as [`Self::augment`] draws it.
    fn likelihood(&self, model: &Model, x: &[f64], judge: Option<usize>) -> f64 {
        let counts = |of: usize| judge.is_none_or(|judge| of == judge);
        let pairs = (0..self.games.pairs).filter(|game| counts(self.games.judge[*game] as usize));
        let pairs = pairs.map(|game| (self.games.logit(model, x, game), self.games.score[game]));
        let pairs: f64 = if self.lapses {
            let attentive = 1.0 - model.lapse_rate;
            // One logarithm for many factors, instead of one for each.
            ln_of_product(pairs.map(|(logit, score)| {
                model.lapse_rate / 2.0 + attentive * likelihood(logit, score)
            }))
        } else {
            pairs
                .map(|(logit, score)| log_likelihood(logit, score, 0.0))
                .sum()
        };
        let lists = self.games.lists.iter().filter(|list| counts(list.judge));
        pairs
            + lists
                .map(|list| list_log_likelihood(list, model, x).0)
                .sum::<f64>()
    }

    /// Tunes the step of the scale: about as large as the verdicts leave open.
    fn tune_step(&mut self) {
        let mut weights = vec![1.0; self.games.pairs];
        self.games
            .lists
            .iter()
            .for_each(|list| list.weights(&self.model, &self.x, &mut weights));
        let known: f64 = weights
            .iter()
            .enumerate()
            .map(|(game, weight)| {
                let logit = self.games.logit(&self.model, &self.x, game);
                let sigma = sigma(logit);
                weight * sigma * (1.0 - sigma) * logit * logit
            })
            .sum();
        // Smaller with more verdicts, because the posterior is narrower; never above one.
        self.stretch = 2.0 / (4.0 + known).sqrt();
    }

    /// Draws `draws` times after `warm_up` sweeps, and summarises the draws.
    pub fn summarize(&mut self, top: usize, warm_up: usize, draws: usize) -> PosteriorSummary {
        (0..warm_up).for_each(|_| self.sweep());
        let items = self.games.items;
        // Asked for more than there are, all are among the best.
        let top = top.min(items);
        let mut seen: Vec<Vec<f32>> = vec![Vec::with_capacity(draws); items];
        let mut best = Vec::with_capacity(draws);
        let mut shared = Model {
            variance: 0.0,
            lapse_rate: 0.0,
            discrimination: vec![0.0; self.games.judges],
            ..self.model.clone()
        };
        let mut intercept = vec![0.0; self.games.judges];
        let mut variances = Vec::with_capacity(draws);
        for _ in 0..draws {
            self.sweep();
            intercept
                .iter_mut()
                .zip(&self.x[items..])
                .for_each(|(mean, b)| *mean += b / draws as f64);
            let middle = self.strengths().iter().sum::<f64>() / items as f64;
            seen.iter_mut()
                .zip(&self.x)
                .for_each(|(seen, x)| seen.push((*x - middle) as f32));
            best.push(largest(self.strengths(), top));
            let share = 1.0 / draws as f64;
            variances.push(self.model.variance);
            shared.lapse_rate += self.model.lapse_rate * share;
            shared
                .discrimination
                .iter_mut()
                .zip(&self.model.discrimination)
                .for_each(|(mean, a)| *mean += a * share);
        }
        let counts = count(&best, items);
        shared.variance = median(&mut variances);
        let (strength, interval) = seen.into_iter().map(middle_95).unzip();
        PosteriorSummary {
            strength,
            interval,
            membership: counts
                .iter()
                .map(|count| f64::from(*count) / draws.max(1) as f64)
                .collect(),
            expected_recall: expected_recall(&best, items, top),
            model: shared,
            intercept,
        }
    }
}

/// The logarithm of the product of probabilities. Most of a draw's time is here: one logarithm does
/// for hundreds of them.
fn ln_of_product(probabilities: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut product) = (0.0, 1.0);
    for p in probabilities {
        product *= p.max(TINY);
        if product < TINY {
            sum += product.ln();
            product = 1.0;
        }
    }
    sum + product.ln()
}

/// The logarithm of the prior of the logarithm of a discrimination.
fn prior_of_discrimination(ln: f64) -> f64 {
    -DISCRIMINATION_PRECISION * ln * ln / 2.0
}

/// The logarithm of the prior of the lapse rate.
fn prior_of_lapses(model: &Model) -> f64 {
    (NO_LAPSES - 1.0) * (1.0 - model.lapse_rate).ln()
}

fn count(best: &[Vec<usize>], items: usize) -> Vec<u32> {
    let mut counts = vec![0; items];
    best.iter().flatten().for_each(|item| counts[*item] += 1);
    counts
}

/// Expected recall by cross-validation: the best are chosen from one half of the draws and counted in
/// the other, both ways. Counted where it was chosen, a choice would flatter itself.
fn expected_recall(best: &[Vec<usize>], items: usize, top: usize) -> f64 {
    let (one, other) = best.split_at(best.len() / 2);
    f64::midpoint(
        recall_in(other, one, items, top),
        recall_in(one, other, items, top),
    )
}

/// The recall in some draws of those that others choose.
fn recall_in(check: &[Vec<usize>], choose: &[Vec<usize>], items: usize, top: usize) -> f64 {
    let likely: Vec<f64> = count(choose, items).into_iter().map(f64::from).collect();
    let counts = count(check, items);
    let sum: u32 = largest(&likely, top)
        .into_iter()
        .map(|item| counts[item])
        .sum();
    f64::from(sum) / (check.len() * top).max(1) as f64
}

fn median(draws: &mut [f64]) -> f64 {
    draws.sort_unstable_by(f64::total_cmp);
    draws.get(draws.len() / 2).copied().unwrap_or_default()
}

/// The median, and the ends of the middle 95 %.
fn middle_95(mut draws: Vec<f32>) -> (f64, (f64, f64)) {
    draws.sort_unstable_by(f32::total_cmp);
    let (low, high) = (quantile(&draws, 0.025), quantile(&draws, 0.975));
    (quantile(&draws, 0.5), (low, high))
}

fn quantile(sorted: &[f32], share: f64) -> f64 {
    sorted
        .get((share * sorted.len() as f64) as usize)
        .or(sorted.last())
        .map_or(0.0, |x| f64::from(*x))
}

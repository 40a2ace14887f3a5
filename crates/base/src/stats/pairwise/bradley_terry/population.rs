//! The distribution of strengths: normal where there are few items, a mixture of two normals where
//! there are many, so that a ceiling under which the best crowd together is seen as one. Hides who
//! belongs to which part.

use rand::{Rng, RngExt as _};
use rand_distr::{Distribution as _, Gamma};

use crate::stats::normal;

/// From so many items on their spread may take another shape than a normal one.
const MANY: usize = 400;
const PARTS: usize = 2;
/// Prior of the variance of a normal spread: inverse gamma, as if two items with a mean square of
/// 1/2 had been seen.
const VARIANCE_SHAPE: f64 = 1.0;
const VARIANCE_SCALE: f64 = 0.5;
/// Prior of a part's variance and mean.
const PART_SHAPE: f64 = 2.0;
const PART_SCALE: f64 = 0.3;
const MEAN_VARIANCE: f64 = 4.0;

/// A population of strengths.
#[derive(Clone, Debug)]
pub(super) struct Population {
    parts: Vec<Component>,
    /// The part of each item.
    member: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Component {
    share: f64,
    mean: f64,
    variance: f64,
}

impl Population {
    /// A population without data.
    pub fn new(items: usize) -> Self {
        let one = Component {
            share: 1.0,
            mean: 0.0,
            variance: 1.0,
        };
        let parts = if items < MANY {
            vec![one]
        } else {
            (0..PARTS)
                .map(|at| Component {
                    share: 1.0 / PARTS as f64,
                    // The parts begin apart: from the same place neither would ever be the upper
                    // one.
                    mean: at as f64 - 0.5,
                    variance: 0.8,
                })
                .collect()
        };
        let middle = (parts.len() / 2) as u8;
        Self {
            parts,
            member: vec![middle; items],
        }
    }

    /// What an item's strength is drawn to: the mean and the precision of its part.
    pub fn prior(&self, item: usize) -> (f64, f64) {
        let part = self.parts[usize::from(self.member[item])];
        (part.mean, 1.0 / part.variance)
    }

    /// Variance of the whole.
    pub fn variance(&self) -> f64 {
        let mean: f64 = self.parts.iter().map(|part| part.share * part.mean).sum();
        self.parts
            .iter()
            .map(|part| part.share * (part.variance + (part.mean - mean).powi(2)))
            .sum()
    }

    /// Draws which part each item belongs to, and then the parts.
    pub fn draw(&mut self, strengths: &[f64], rng: &mut impl Rng) {
        if self.parts.len() > 1 {
            self.draw_members(strengths, rng);
        }
        let mut sums = vec![(0.0, 0.0, 0.0); self.parts.len()];
        for (x, part) in strengths.iter().zip(&self.member) {
            let sum = &mut sums[usize::from(*part)];
            *sum = (sum.0 + 1.0, sum.1 + x, sum.2 + x * x);
        }
        let alone = self.parts.len() == 1;
        for (part, &(n, sum, squares)) in self.parts.iter_mut().zip(&sums) {
            if !alone {
                let precision = 1.0 / MEAN_VARIANCE + n / part.variance;
                part.mean = sum / part.variance / precision + normal::draw(rng) / precision.sqrt();
                // Gammas divided by their sum below are a draw from the Dirichlet distribution.
                part.share = gamma(1.0 + n, rng);
            }
            let (shape, scale) = part_prior(alone);
            let around = squares - 2.0 * part.mean * sum + n * part.mean * part.mean;
            part.variance = (scale + around / 2.0) / gamma(shape + n / 2.0, rng);
        }
        let all: f64 = self.parts.iter().map(|part| part.share).sum();
        self.parts.iter_mut().for_each(|part| part.share /= all);
    }

    fn draw_members(&mut self, strengths: &[f64], rng: &mut impl Rng) {
        let constants: Vec<f64> = self
            .parts
            .iter()
            .map(|part| part.share / part.variance.sqrt())
            .collect();
        let mut weights = vec![0.0; self.parts.len()];
        for (x, member) in strengths.iter().zip(&mut self.member) {
            let density =
                |part: &Component| (-(x - part.mean).powi(2) / (2.0 * part.variance)).exp();
            for ((weight, constant), part) in weights.iter_mut().zip(&constants).zip(&self.parts) {
                *weight = constant * density(part);
            }
            let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
            let chosen = weights.iter().position(|weight| {
                left -= weight;
                left < 0.0
            });
            // Far from all parts every density is 0: it stays where it is.
            *member = chosen.map_or(*member, |part| part as u8);
        }
    }

    /// Multiplies the whole scale by `by`.
    pub fn stretch(&mut self, by: f64) {
        for part in &mut self.parts {
            part.mean *= by;
            part.variance *= by * by;
        }
    }

    /// The logarithm of the prior's density of the logarithm of the scale, the parts' proportions
    /// held.
    pub fn density_of_scale(&self) -> f64 {
        let alone = self.parts.len() == 1;
        let (shape, scale) = part_prior(alone);
        let densities = self.parts.iter().map(|part| {
            // A mean that is stretched along brings the factor of the change of variables.
            let mean = if alone {
                0.0
            } else {
                part.variance.ln() / 2.0 - part.mean * part.mean / (2.0 * MEAN_VARIANCE)
            };
            mean - shape * part.variance.ln() - scale / part.variance
        });
        densities.sum()
    }
}

fn part_prior(alone: bool) -> (f64, f64) {
    if alone {
        (VARIANCE_SHAPE, VARIANCE_SCALE)
    } else {
        (PART_SHAPE, PART_SCALE)
    }
}

fn gamma(shape: f64, rng: &mut impl Rng) -> f64 {
    Gamma::new(shape, 1.0).map_or(shape, |gamma| gamma.sample(rng))
}

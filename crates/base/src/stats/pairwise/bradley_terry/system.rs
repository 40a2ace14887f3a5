//! The linear systems of Bradley–Terry: a graph of verdicts, each with its information, and the
//! prior's precisions. Hides conjugate gradients; no matrix is ever built.

use super::Games;

const MOST_ITERATIONS: usize = 500;

/// Precisions on the diagonal, and for each verdict its information times d dᵀ, where d is 1 at the
/// first item, −1 at the second, and at the intercept how much earlier the first was shown.
pub(super) struct System<'a> {
    games: &'a Games,
    information: Vec<f64>,
    precision: Vec<f64>,
    diagonal: Vec<f64>,
}

impl<'a> System<'a> {
    pub(super) fn new(games: &'a Games, information: Vec<f64>, precision: Vec<f64>) -> Self {
        let mut diagonal = precision.clone();
        for (game, h) in information.iter().enumerate() {
            let (i, j, b) = games.at(game);
            diagonal[i] += h;
            diagonal[j] += h;
            diagonal[b] += h * games.lead[game] * games.lead[game];
        }
        Self {
            games,
            information,
            precision,
            diagonal,
        }
    }

    fn times(&self, x: &[f64], product: &mut [f64]) {
        for ((product, x), precision) in product.iter_mut().zip(x).zip(&self.precision) {
            *product = x * precision;
        }
        for (game, h) in self.information.iter().enumerate() {
            let (i, j, b) = self.games.at(game);
            let lead = self.games.lead[game];
            let flow = h * (x[i] - x[j] + lead * x[b]);
            product[i] += flow;
            product[j] -= flow;
            product[b] += lead * flow;
        }
    }

    /// Each strength's variance, by three passes of v ← 1 / (1/s² + Σ h / (1 + h v′)) over the
    /// opponents' v′ (Glickman 1999).
    pub(super) fn variances(&self, items: usize) -> Vec<f64> {
        let mut variances: Vec<f64> = self.precision[..items]
            .iter()
            .map(|precision| 1.0 / precision)
            .collect();
        for _ in 0..3 {
            let mut precision = self.precision[..items].to_vec();
            for (game, h) in self.information.iter().enumerate() {
                let (i, j, _) = self.games.at(game);
                precision[i] += h / (1.0 + h * variances[j]);
                precision[j] += h / (1.0 + h * variances[i]);
            }
            variances
                .iter_mut()
                .zip(&precision)
                .for_each(|(variance, precision)| *variance = 1.0 / precision);
        }
        variances
    }

    /// Solves for `right`, by conjugate gradients with the diagonal as preconditioner, until the
    /// residual has shrunk to `exactness` of what it was.
    pub(super) fn solve(&self, right: &[f64], exactness: f64) -> Vec<f64> {
        let mut x = vec![0.0; right.len()];
        let mut residual = right.to_vec();
        let mut z: Vec<f64> = residual
            .iter()
            .zip(&self.diagonal)
            .map(|(r, d)| r / d)
            .collect();
        let mut way = z.clone();
        let mut product = vec![0.0; x.len()];
        let mut along = dot(&residual, &z);
        // A residual of zero is solved; without the minimum it would divide by zero.
        let enough = (along * exactness * exactness).max(f64::MIN_POSITIVE);
        for _ in 0..MOST_ITERATIONS {
            if along <= enough {
                break;
            }
            self.times(&way, &mut product);
            let length = along / dot(&way, &product);
            for at in 0..x.len() {
                x[at] += length * way[at];
                residual[at] -= length * product[at];
                z[at] = residual[at] / self.diagonal[at];
            }
            let next = dot(&residual, &z);
            let turn = next / along;
            for (way, z) in way.iter_mut().zip(&z) {
                *way = z + turn * *way;
            }
            along = next;
        }
        x
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

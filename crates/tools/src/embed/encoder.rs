//! The encoder from a text to its vector: each token beside its neighbours in three branches, the
//! mean of the tokens, three layers. The architecture is that of Yang et al. 2019, "Multilingual
//! Universal Sentence Encoder for Semantic Retrieval".

use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use super::{
    tokens::Tokens,
    weights::{self, BRANCH, FEATURES, HIDDEN, Matrix, Norm, ORDERS, PARTS, Weights},
};

pub use super::weights::WIDTH;

/// Tokens of a text that count. The model itself names no limit; a task has a hundred or two.
const MOST_TOKENS: usize = 512;
/// Keeps a norm from dividing by zero.
const SMALL: f32 = 1e-12;

/// A loaded model.
#[derive(Debug)]
pub struct Encoder {
    tokens: Tokens,
    weights: Weights,
}

impl Encoder {
    /// Loads the model's file.
    pub fn load(path: &Path) -> Result<Self> {
        Self::read(path)
            .with_context(|| format!("the encoder cannot be loaded: `{}`", path.display()))
    }

    fn read(path: &Path) -> Result<Self> {
        let (model, weights) = weights::read(path)?;
        let tokens = Tokens::parse(&model)?;
        let rows = weights.table[0].len() / WIDTH;
        ensure!(
            tokens.count() <= rows * PARTS,
            "its table is too short for its pieces"
        );
        Ok(Self { tokens, weights })
    }

    /// The numbers of a text's tokens.
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.tokens.ids(text, MOST_TOKENS)
    }

    /// The text's vector, of unit length. Of a long text the beginning counts.
    pub fn encode(&self, text: &str) -> Vec<f32> {
        let tokens = self.tokens(text);
        let features = self.features(&tokens);
        let mut sum = vec![0.0; FEATURES];
        for token in features.chunks_exact(FEATURES) {
            add(&mut sum, token);
        }
        self.deep(&sum, tokens.len() as f32)
    }

    /// Of each token its own numbers and those of the branches, normalised.
    fn features(&self, tokens: &[u32]) -> Vec<f32> {
        let w = &self.weights;
        let own: Vec<f32> = tokens
            .iter()
            .flat_map(|token| self.token(*token as usize))
            .collect();
        let mut entered = product(&own, &w.enter.matrix);
        for token in entered.chunks_exact_mut(3 * BRANCH) {
            add(token, &w.enter.bias);
            normalise(token, &w.entered);
        }
        let mut features = vec![0.0; tokens.len() * FEATURES];
        for (feature, own) in features
            .chunks_exact_mut(FEATURES)
            .zip(own.chunks_exact(WIDTH))
        {
            feature[..WIDTH].copy_from_slice(own);
        }
        for (branch, (order, before)) in ORDERS.into_iter().enumerate() {
            let own = entered
                .chunks_exact(3 * BRANCH)
                .flat_map(|token| &token[branch * BRANCH..(branch + 1) * BRANCH]);
            let mut own: Vec<f32> = own.copied().collect();
            for layer in &w.branches[branch] {
                let mut next = product(&neighbours(&own, order, before), &layer.matrix);
                for (token, own) in next.chunks_exact_mut(BRANCH).zip(own.chunks_exact(BRANCH)) {
                    add(token, &layer.bias);
                    rectify(token);
                    add(token, own);
                }
                own = next;
            }
            let at = WIDTH + branch * BRANCH;
            for (feature, own) in features
                .chunks_exact_mut(FEATURES)
                .zip(own.chunks_exact(BRANCH))
            {
                feature[at..at + BRANCH].copy_from_slice(own);
            }
        }
        features
            .chunks_exact_mut(FEATURES)
            .for_each(|token| normalise(token, &w.featured));
        features
    }

    /// A token's own numbers.
    fn token(&self, token: usize) -> impl Iterator<Item = f32> {
        let (part, row) = (token % PARTS, token / PARTS);
        let (scale, low) = (self.weights.scale[part], self.weights.low[part]);
        self.weights.table[part][row * WIDTH..(row + 1) * WIDTH]
            .iter()
            .map(move |byte| f32::from(*byte) * scale + low)
    }

    /// The last layers, from the sum of `tokens` tokens. The sum is divided by its root, not by the
    /// number.
    fn deep(&self, sum: &[f32], tokens: f32) -> Vec<f32> {
        let w = &self.weights;
        let mut mean = product(sum, &w.leave.matrix);
        for (number, bias) in mean.iter_mut().zip(&w.leave.bias) {
            // The sum over √n, not n, as the model was trained.
            *number = (*number + tokens * bias) / tokens.sqrt();
        }
        let [first, second, third, last] = &w.deep;
        let mut one = product(&mean, first);
        rectify(&mut one);
        let mut two = product(&mean, &w.past[0]);
        add(&mut two, &product(&one, second));
        rectify(&mut two);
        debug_assert_eq!(two.len(), HIDDEN);
        let mut three = product(&two, third);
        rectify(&mut three);
        let mut out = product(&two, &w.past[1]);
        add(&mut out, &product(&three, last));
        for number in &mut out {
            // Of libm, so that the result does not depend on the system's C library.
            *number = libm::tanhf(*number);
        }
        let length = out.iter().map(|x| x * x).sum::<f32>().max(SMALL).sqrt();
        for number in &mut out {
            *number /= length;
        }
        out
    }
}

/// Each token's numbers beside those of its neighbours; beyond the text's ends there are zeros.
fn neighbours(tokens: &[f32], order: usize, before: usize) -> Vec<f32> {
    let mut padded = vec![0.0; before * BRANCH];
    padded.extend_from_slice(tokens);
    padded.resize(tokens.len() + (order - 1) * BRANCH, 0.0);
    padded
        .windows(order * BRANCH)
        .step_by(BRANCH)
        .flatten()
        .copied()
        .collect()
}

/// Rows of numbers times a matrix. Plain loops took 3.5 times as long in a release build, and 12
/// times in the profile of demo and tests, which optimises dependencies only.
#[expect(
    unsafe_code,
    reason = "the crate takes pointers; their lengths are compared here"
)]
fn product(rows: &[f32], by: &Matrix) -> Vec<f32> {
    let Matrix {
        rows: inner,
        columns,
        values,
    } = by;
    let n = rows.len() / inner;
    let mut out = vec![0.0; n * columns];
    assert!(
        rows.len() == n * inner && values.len() == inner * columns,
        "the matrices fit"
    );
    let (inner_step, step) = (*inner as isize, *columns as isize);
    // SAFETY: the three slices hold n × inner, inner × columns and n × columns numbers, row by row.
    unsafe {
        matrixmultiply::sgemm(
            n,
            *inner,
            *columns,
            1.0,
            rows.as_ptr(),
            inner_step,
            1,
            values.as_ptr(),
            step,
            1,
            0.0,
            out.as_mut_ptr(),
            step,
            1,
        );
    }
    out
}

fn add(to: &mut [f32], what: &[f32]) {
    to.iter_mut().zip(what).for_each(|(x, y)| *x += y);
}

fn rectify(numbers: &mut [f32]) {
    for number in numbers {
        *number = number.max(0.0);
    }
}

/// Mean 0 and deviation 1, then the layer's factors and summands.
fn normalise(numbers: &mut [f32], norm: &Norm) {
    let n = numbers.len() as f32;
    let mean = numbers.iter().sum::<f32>() / n;
    let variance = numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / n;
    let factor = 1.0 / (variance + SMALL).sqrt();
    for ((number, gain), shift) in numbers.iter_mut().zip(&norm.gain).zip(&norm.shift) {
        *number = (*number - mean) * factor * gain + shift;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_times_a_matrix() {
        let by = Matrix {
            rows: 2,
            columns: 3,
            values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        };
        assert_eq!(
            product(&[1.0, 0.0, 1.0, 10.0], &by),
            [1.0, 2.0, 3.0, 41.0, 52.0, 63.0]
        );
    }

    #[test]
    fn beyond_the_ends_there_are_zeros() {
        let tokens: Vec<f32> = [1.0, 2.0].iter().flat_map(|x| vec![*x; BRANCH]).collect();
        let seen = |order, before| -> Vec<f32> {
            neighbours(&tokens, order, before)
                .into_iter()
                .step_by(BRANCH)
                .collect()
        };
        assert_eq!(seen(2, 0), [1.0, 2.0, 2.0, 0.0]);
        assert_eq!(seen(3, 1), [0.0, 1.0, 2.0, 1.0, 2.0, 0.0]);
        assert_eq!(
            seen(5, 2),
            [0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0]
        );
    }

    #[test]
    fn a_norm_has_mean_zero_and_deviation_one() {
        let mut numbers = [1.0, 2.0, 3.0, 6.0];
        normalise(
            &mut numbers,
            &Norm {
                gain: vec![1.0; 4],
                shift: vec![0.5; 4],
            },
        );
        let mean = numbers.iter().sum::<f32>() / 4.0;
        assert!(
            (mean - 0.5).abs() < 1e-6 && (numbers[3] - 0.5 - 3.0 / 3.5f32.sqrt()).abs() < 1e-6,
            "{numbers:?}"
        );
    }
}

//! Near-copies by meaning: texts with near vectors, unless numbers, names or key words differ.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;
use serde::Serialize;

use super::agreement::agree;
use crate::embed;

/// Least cosine of two copies, unless numbers or names differ: `docs/ranking.md` has the sweep.
pub const SAME: f64 = 0.7;
/// Vectors that are compared with each other while they are in the cache.
const BLOCK: usize = 64;
/// What rounding may take from a cosine.
const ROUNDING: f64 = 1e-6;

/// The vectors of texts, and the near-copies among them.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// A vector a text.
    pub vectors: Vec<Vec<f32>>,
    /// Near-copies, as numbers of texts.
    pub groups: Vec<Vec<usize>>,
    /// The model that they rest on.
    pub by: Encoding,
}

/// An embedding model and its threshold for near-copies.
#[derive(Clone, Debug, Serialize)]
pub struct Encoding {
    /// The model's name.
    pub model: String,
    /// Its hash.
    pub sha256: String,
    /// From this cosine on texts are copies.
    pub cosine: f64,
}

impl Encoding {
    /// That of a model, with the usual threshold.
    pub fn new(model: String, sha256: String) -> Self {
        Self {
            model,
            sha256,
            cosine: SAME,
        }
    }
}

impl Meaning {
    /// Compares texts, best first, by their vectors: known ones are in the file `known`, new ones
    /// are added to it. `weights` is the model's file; `progress` is told how many texts of all are
    /// done.
    pub fn of_texts(
        texts: &[&str],
        weights: &Path,
        by: Encoding,
        known: &Path,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Self> {
        let vectors = embed::vectors(weights, &by.sha256, texts, known, progress)?;
        let groups = near_copies(&vectors, by.cosine, |a, b| agree(texts[a], texts[b]));
        Ok(Self {
            vectors,
            groups,
            by,
        })
    }

    /// Cosine of two of the texts.
    pub fn cosine(&self, a: usize, b: usize) -> f64 {
        embed::cosine(&self.vectors[a], &self.vectors[b])
    }
}

/// Groups of vectors in which the first has a cosine of `threshold` (above 0) or more with each
/// other one, and `agree`s with it; who is best should come first. Nobody is in two groups, and who
/// is in one is the first of no other: with thousands of texts of one field, chains of near
/// neighbours would lead from anything to anything. Groups are in the order of their first members,
/// and members in ascending order. A vector without length or direction is like nothing, and so are
/// vectors of different dimensions.
fn near_copies(
    vectors: &[Vec<f32>],
    threshold: f64,
    agree: impl Fn(usize, usize) -> bool,
) -> Vec<Vec<usize>> {
    let units: Vec<Vec<f32>> = vectors.iter().map(|vector| unit(vector)).collect();
    // Equal texts must not miss a threshold of 1 by the last bit.
    let least = (threshold - ROUNDING) as f32;
    let near = |a: usize, b: usize| {
        units[a].len() == units[b].len() && dot(&units[a], &units[b]) >= least && agree(a, b)
    };
    let mut first: Vec<usize> = (0..units.len()).collect();
    for rows in (0..units.len()).step_by(BLOCK) {
        // Within the first block of columns, the block itself, it turns out who is the first of a
        // group.
        for columns in (rows..units.len()).step_by(BLOCK) {
            for a in rows..units.len().min(rows + BLOCK) {
                for b in columns.max(a + 1)..units.len().min(columns + BLOCK) {
                    if first[a] == a && first[b] == b && near(a, b) {
                        first[b] = a;
                    }
                }
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, first) in first.iter().enumerate() {
        groups.entry(*first).or_default().push(at);
    }
    groups
        .into_values()
        .filter(|group| group.len() > 1)
        .collect()
}

/// The vector at length 1; none where it has no length or is not finite.
fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector
        .iter()
        .map(|x| f64::from(*x).powi(2))
        .sum::<f64>()
        .sqrt();
    if !length.is_normal() {
        return Vec::new();
    }
    vector
        .iter()
        .map(|x| (f64::from(*x) / length) as f32)
        .collect()
}

/// Dot product in separate lanes, so that the compiler may add them at once.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (x, y) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;

    #[test]
    fn vectors_are_alike_by_their_angle() {
        let at = |degrees: f32| {
            vec![
                3.0 * degrees.to_radians().cos(),
                3.0 * degrees.to_radians().sin(),
            ]
        };
        let vectors = [
            at(0.0),
            at(90.0),
            at(20.0),
            at(40.0),
            vec![0.0, 0.0],
            vec![f32::NAN, 1.0],
            vec![1.0],
        ];
        let near = |vectors: &[Vec<f32>], threshold| near_copies(vectors, threshold, |_, _| true);
        assert_eq!(
            near(&vectors, 0.93),
            [vec![0, 2]],
            "40° is near 20°, which is a copy, and not near 0°"
        );
        assert_eq!(near(&vectors, 0.76), [vec![0, 2, 3]]);
        assert!(near(&vectors, 0.95).is_empty());
        assert_eq!(near(&[at(7.0), at(7.0)], 1.0), [vec![0, 1]]);
        assert!(near(&[], 0.9).is_empty());
        assert_eq!(
            near_copies(&vectors, 0.93, |a, b| (a, b) != (0, 2)),
            [vec![2, 3]]
        );
    }

    /// More than a block, and dimensions that no lane divides.
    #[test]
    fn planted_vectors_are_found_and_nothing_else() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut vectors: Vec<Vec<f32>> = (0..300)
            .map(|_| (0..50).map(|_| rng.random_range(-1.0..1.0)).collect())
            .collect();
        for at in (0..300).step_by(20) {
            let near = vectors[at]
                .iter()
                .map(|x| 2.0 * x + rng.random_range(-0.1..0.1))
                .collect();
            vectors.push(near);
        }
        let expect: Vec<Vec<usize>> = (0..15).map(|copy| vec![20 * copy, 300 + copy]).collect();
        assert_eq!(near_copies(&vectors, 0.95, |_, _| true), expect);
    }
}

//! Here is a text: give me its vector. Google's multilingual Universal Sentence Encoder, version 3,
//! in plain Rust: texts that mean the same lie near each other, in whichever of its sixteen
//! languages. Hides tokens, weights and the cache.

mod cache;
mod encoder;
mod tokens;
mod weights;

pub use cache::vectors;
pub use encoder::{Encoder, WIDTH};

/// The model's name in the manifest.
pub const MODEL: &str = "use-multilingual";

/// Cosine of the angle between two vectors of unit length, as the encoder makes them.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(x, y)| f64::from(*x) * f64::from(*y))
        .sum()
}

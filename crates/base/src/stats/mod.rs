//! Pure numbers. Deliberately absent: clocks, random sources (a generator is handed in), other
//! layers.

pub mod agreement;
pub mod anova;
mod beta;
pub mod binomial;
pub mod bootstrap;
mod categories;
pub mod correlation;
pub mod covariates;
mod design;
pub mod difficulty;
pub mod drift;
pub mod effects;
pub mod entropy;
#[cfg(test)]
mod golden;
mod largest;
pub mod normal;
pub mod paired;
pub mod pairwise;
pub mod rasch;
pub mod sample_size;
pub mod self_preference;
pub mod sequential;
mod sweep;
pub mod tiers;
pub mod weightings;

pub use largest::largest;
use sweep::Inverse;

/// The mean; none of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

//! Pure numbers. Deliberately absent: clocks, random sources (a generator is handed in), other
//! layers.

pub mod agreement;
pub mod anova;
mod beta;
pub mod binomial;
pub mod bootstrap;
mod categories;
pub mod correlation;
mod design;
pub mod difficulty;
pub mod effects;
pub mod entropy;
#[cfg(test)]
mod golden;
mod largest;
pub mod normal;
pub mod paired;
pub mod pairwise;
mod sweep;
pub mod tiers;

pub use largest::largest;

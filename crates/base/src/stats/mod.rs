//! Pure numbers. Deliberately absent: clocks, random sources (a generator is handed in), other
//! layers.

pub mod agreement;
pub mod anova;
mod beta;
pub mod binomial;
pub mod bootstrap;
mod categories;
pub mod correlation;
pub mod entropy;
#[cfg(test)]
mod golden;
mod largest;
pub mod normal;
pub mod paired;
pub mod pairwise;
pub mod tiers;

pub use largest::largest;

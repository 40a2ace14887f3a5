//! Pure numbers. Deliberately absent: clocks, random sources (a generator is handed in), the rest
//! of the crate.

pub mod agreement;
pub mod binomial;
pub mod bootstrap;
pub mod bradley_terry;
pub mod correlation;
pub mod elo;
pub mod entropy;
#[cfg(test)]
mod golden;
mod largest;
pub mod normal;
pub mod paired;
mod polya_gamma;
pub mod tiers;

pub use largest::largest;

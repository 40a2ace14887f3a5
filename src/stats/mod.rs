//! Pure numbers. Deliberately absent: clocks, random sources (a generator is handed in), the rest of the crate.

pub mod binomial;
pub mod bradley_terry;
pub mod correlation;
pub mod elo;
mod largest;
pub mod normal;
mod polya_gamma;

pub use largest::largest;

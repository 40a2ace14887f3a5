//! Pure numbers. Deliberately absent: clocks, random sources, the rest of the crate.

pub mod elo;

//! Commands beside `rank` itself: reports, imports and simulations of rankings.

pub mod import;
mod probes;
pub mod report;
pub mod simulate;

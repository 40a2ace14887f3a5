//! Commands beside `rank` itself: reports, imports and simulations of rankings.

mod checks;
pub mod import;
mod probes;
pub mod report;
pub mod simulate;

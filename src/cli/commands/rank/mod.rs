//! Commands beside `rank` itself: reports, imports and simulations of rankings.

pub mod import;
pub mod report;
pub mod simulate;

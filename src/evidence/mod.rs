//! Here are reports: what do they say and cite, and what stands behind it? Hides that each report
//! is parsed once and each page is fetched once, for all who ask.

pub mod pages;
pub mod reading;
mod statements;

//! Here are reports: what do they say and cite, what stands behind it, and does it bear them out?
//! Hides that each report is parsed once and each page is fetched once for all who ask, how
//! passages are found, and that a verdict's quote is looked up.

pub mod citation;
mod lines;
mod marks;
pub mod pages;
pub mod passages;
pub mod prose;
pub mod reading;
pub mod retrieval;
mod statements;
pub mod support;

//! Wiki Live Challenge's own reading of articles, faults included, so that its stored results can
//! be computed again. New results stand on this project's `citations` instead.
//!
//! - [`text`]: an article without its references and citations, and its sentences.
//! - [`citations`]: the addresses behind the numbers, the clean text, and which numbers have none.
//! - [`markdown`]: the tidying of downloaded articles.
//! - [`loss`]: what this reading loses of an article.
//!
//! Where the benchmark does not say how it decides and its stored articles do not show it, the
//! narrower reading is taken, and the function says so.

pub mod citations;
pub mod header;
pub mod loss;
pub mod markdown;
mod scan;
#[cfg(test)]
mod tests;
pub mod text;

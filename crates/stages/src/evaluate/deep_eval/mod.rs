//! `DeepEval`, the evaluation of LiveResearchBench (arXiv 2510.14240, section 4): six measures of a
//! report by four kinds of protocol, each an evaluator of its own. What code can decide, code
//! decides; no score is taken from a judge that can be computed from what it found.

mod citation_accuracy;
mod coverage;
mod depth;
mod issues;
mod items;
mod panel;
mod presentation;
pub mod result_files;

pub use self::{
    citation_accuracy::CitationAccuracy,
    coverage::Coverage,
    depth::{Depth, Drawn, Ratings, ratings},
    issues::{ASSOCIATION, CONSISTENCY},
    presentation::Presentation,
};

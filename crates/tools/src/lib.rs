//! The tools of the stages, each behind a small door: ask a model, read a page, keep a fact, judge,
//! look for evidence, run an agent.

// Every crate calls a layer by the same path, `crate::data`, wherever the layer stands.
use taskgen_base::{citations, data, files, isolation, stats, text};

pub mod agents;
pub mod benchmarks;
pub mod evidence;
pub mod judging;
pub mod similarity;

pub mod context;

pub mod embed;
pub mod http;
pub mod llm;
pub mod mediawiki;
pub mod models;
pub mod search;
pub mod store;
pub mod web;

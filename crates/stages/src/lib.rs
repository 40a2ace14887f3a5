//! The verbs: seminars become transcripts, transcripts become inspirations, inspirations become
//! tasks, tasks are probed and ranked, agents answer the best of them, their reports are evaluated,
//! and the results are audited. No stage knows another.

// Every crate calls a layer by the same path, `crate::data`, wherever the layer stands.
use taskgen_base::{citations, data, files, isolation, lint, stats, text};
use taskgen_tools::{
    agents, benchmarks, context, embed, evidence, judging, llm, mediawiki, models, search,
    similarity, store, web,
};

#[cfg(test)]
mod replies;

pub mod transcribe;

pub mod inspire;
pub mod weave;

pub mod probe;
pub mod rank;

pub mod answer;
pub mod evaluate;

pub mod arena;
pub mod audit;

pub mod collect;

//! Seminars become transcripts, transcripts become inspirations, inspirations become tasks, tasks
//! are ranked, agents answer the best of them, their reports are evaluated, and the results are
//! reported.
//!
//! Verbs are stages, nouns are tools; imports point down (`ARCHITECTURE.md` has the table, the
//! crates and a test enforce it).

pub mod cli;

pub mod server;

pub mod cluster;

pub mod report;

pub use taskgen_stages::{
    answer, arena, audit, collect, evaluate, inspire, probe, rank, transcribe, weave,
};

pub use taskgen_tools::{
    agents, benchmarks, context, embed, evidence, http, judging, llm, mediawiki, models, search,
    similarity, store, web,
};

pub use taskgen_base::{citations, data, files, isolation, lint, stats, text};

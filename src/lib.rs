//! Seminars become transcripts, transcripts become inspirations, inspirations become tasks, tasks
//! are ranked, agents answer the best of them, their reports are evaluated, and the results are
//! reported.
//!
//! Verbs are stages, nouns are tools; imports point down (`ARCHITECTURE.md` has the table, a test
//! enforces it).

pub mod cli;

pub mod report;

pub mod answer;
pub mod audit;
pub mod evaluate;
pub mod inspire;
pub mod probe;
pub mod rank;
pub mod transcribe;
pub mod weave;

pub mod agents;
pub mod benchmarks;
pub mod evidence;
pub mod judging;
pub mod similarity;

pub mod context;

pub mod embed;
pub mod http;
pub mod llm;
pub mod models;
pub mod store;
pub mod web;

pub mod citations;
pub mod data;
pub mod files;
pub mod isolation;
pub mod stats;
pub mod text;

//! The integration tests: the real program, in real folders, against loopback. One module for each
//! part, and one for the rules of the house.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "tests are named for what they show, and stop where they cannot go on"
)]

mod agents;
mod agents_at_once;
mod answer;
mod architecture;
mod arena;
mod arena_topics;
mod audit;
mod background;
mod by_code;
mod chance;
mod checklists;
mod classifier;
mod cli;
mod cluster;
mod compatibility;
mod consent;
mod curation;
mod deep_eval;
mod devices;
mod duels;
mod embed;
mod evaluation;
mod evidence;
mod faults;
mod foreign;
mod graded;
mod hidden_probes;
mod hostile;
mod hostile_agents;
mod imported;
mod injection;
mod installing;
mod limits;
mod llm;
mod lrb_consistency;
mod lrb_presentation;
mod media;
mod models;
mod paper;
mod patience;
mod pipeline;
#[allow(dead_code, reason = "each of those who share this uses a part")]
mod planted;
mod pool;
mod probe;
mod prompts;
mod providers;
mod ranking;
mod rates;
mod reader;
mod real;
mod real_llm;
mod real_predict;
mod real_weigh;
mod reference;
mod review;
mod server;
mod sets;
mod similarity;
mod small_web;
mod sounds;
mod source;
mod support;
mod tasks_page;
mod trajectory;
mod transcribe;
mod transcribe_kills;
mod transcribe_long;
mod transcribe_many;
mod transcribe_silence;
mod transcripts;
mod wiki;

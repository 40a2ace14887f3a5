//! The commands by noun. Each is one function in one file: it reads flags, calls a stage or a
//! report, and prints what comes back.

pub mod arena;
pub mod audit;
mod bias;
pub mod calls;
pub mod cluster;
pub mod completions;
pub mod config;
pub mod doctor;
mod drift;
mod effects;
pub mod evaluate;
pub mod export;
pub mod folder;
pub mod init;
pub mod inspirations;
mod judges;
pub mod man;
pub mod models;
pub mod people;
mod plan;
pub mod prompts;
pub mod rank;
pub mod report;
pub mod reports;
mod results;
pub mod seminars;
pub mod serve;
pub mod sets;
pub mod stages;
pub mod status;
pub mod tasks;
pub mod wiki;

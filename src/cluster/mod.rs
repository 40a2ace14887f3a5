//! A cluster with Slurm: here is what is to be done in shards: give me the scripts; here is what
//! Slurm says of its jobs: how far are they? Hides quoting, dependencies, what is tried again after
//! which exit code, and the forms in which Slurm answers.

mod jobs;
mod scripts;
pub mod shell;
pub mod slurm;
mod state;

pub use jobs::{Job, Submitted};
pub use scripts::{Plan, Resources, Script, ServerKind, scripts};
pub use slurm::SlurmError;
pub use state::{Accounts, JobState, Phase, StepName};

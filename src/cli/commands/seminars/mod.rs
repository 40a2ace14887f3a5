//! Commands on recordings: plan and transcribe them.

pub mod plan;
pub mod transcribe;

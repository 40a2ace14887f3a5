//! Files of LiveResearchBench: formulas, round trips, planted faults, figures from facts.

mod audit;
mod audit_summaries;
mod averages;
mod depth;
mod files;
mod published;
mod recompute;
mod rubric;
mod samples;

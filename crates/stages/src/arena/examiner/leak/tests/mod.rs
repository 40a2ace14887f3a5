//! The test of leaks: rules one by one, and planted questions beside clean ones.

mod planted;
mod planted_questions;
mod rules;

//! TOOL: pure text, without files, clocks or chance.

pub mod error_rate;
pub mod normalize;
mod numbers;

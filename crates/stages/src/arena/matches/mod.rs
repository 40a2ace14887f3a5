//! The loop of a match as pure functions: what was found out goes in, what is needed next comes
//! out. A match can be told from its events alone.

pub mod place;
pub mod replay;
pub mod state;
pub mod stop;
#[cfg(test)]
mod tests;
pub mod transition;

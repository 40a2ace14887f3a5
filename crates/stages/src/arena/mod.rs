//! The arena: search agents duel on trees of web pages, and are rated.

pub mod matches;
pub mod profile;
pub mod simulate;
pub mod tournament;

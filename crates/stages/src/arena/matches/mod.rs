//! Matches: two agents answer the same questions, round by round, until one leads clearly.

pub mod stop;

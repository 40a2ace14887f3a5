//! Here are two agents and a tree of pages: which is the better researcher? An examiner asks
//! questions whose sources the agents cannot see, and goes wider or deeper until one leads
//! (DR-Arena). Trees, the rules of a match, the examiner's checks, tournaments and profiles are
//! pure functions.

pub mod examiner;
pub mod matches;
pub mod profile;
pub mod simulate;
pub mod tournament;
pub mod trees;

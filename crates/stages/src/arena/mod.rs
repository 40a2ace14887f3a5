//! Here are two agents and a tree of pages: which is the better researcher? An examiner asks
//! questions whose sources the agents cannot see, and goes wider or deeper until one leads
//! (DR-Arena). Trees, the rules of a match, the examiner's checks, tournaments and profiles are
//! pure functions; `crawl`, `play`, `season` and `topics` fetch, ask and keep what happens.

pub mod crawl;
pub mod examiner;
pub mod matches;
pub mod pages;
pub mod play;
pub mod profile;
pub mod record;
pub mod season;
pub mod simulate;
pub mod topics;
pub mod tournament;
pub mod trees;

/// The examiner that is code: sentences of the pages with a gap.
pub const EXAMINER: &str = "code/cloze";
/// The judge of duels that is code: which words of the rubric an answer has.
pub const JUDGE: &str = "code/rubric";

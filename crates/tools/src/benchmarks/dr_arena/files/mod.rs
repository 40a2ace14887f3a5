//! DR-Arena's files, typed. Every field may be absent or of another kind; unknown ones are kept, so
//! that a file is written as it was read.

mod battles;
mod replays;
mod trees;

pub use self::{
    battles::{
        Battle, Battles, FailureCounts, FailureProfile, FailureProfiles, History, HistoryLine,
        HistoryResult, Leaderboard, LeaderboardRow, Pairwise,
    },
    replays::{Evolution, Replay, ReplayRound, RoundState, VerdictLog, VerdictRound, Verdicts},
    trees::{
        Category, LinkContext, Metadata, SearchResult, Summary, SummaryTree, Topology, TreeNode,
        TreeRecord, TreeStats,
    },
};
pub use crate::benchmarks::{
    fields::{Fault, Field, FieldPath, Named, Object, Shape},
    json::{Content, JsonFile},
    problem::{FileRead, Problem, Spot},
};

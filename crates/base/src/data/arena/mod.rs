//! The nouns of duels (DR-Arena): a tree of pages, questions with rubrics whose sources agents
//! cannot see, verdicts on pairs of answers, and the events of a match.

mod event;
mod length;
mod question;
mod tree;
mod verdict;

pub use event::{
    AnswerFacts, EndCause, Expansion, Failure, MatchEvent, MatchRules, Purpose, Score,
    SequentialTest, Stop, Wanted,
};
pub use length::AnswerLength;
pub use question::{DraftItem, DraftQuestion, Question, RubricItem, RubricKind};
pub use tree::{
    DEEPEST_TREE, Edge, InfoTree, LEAST_FETCHED, LEAST_MATERIAL, Link, MOST_NODES, Node, Page,
    PageState, Relation, TreeFault,
};
pub use verdict::{
    DuelLabel, DuelVerdict, FailureTag, ItemMark, Met, RoundOutcome, TieQuality, VerdictFault,
};

//! The nouns: plain serde types that every layer shares.
//! Deliberately absent: files, sockets, clocks, random sources and SQL.

pub mod arena;
pub mod call;
pub mod curation;
pub mod evidence;
pub mod gold;
pub mod hidden;
pub mod id;
pub mod inspiration;
pub mod judgement;
pub mod measure;
pub mod outcome;
pub mod probe;
pub mod record;
pub mod report;
pub mod score;
pub mod statement;
pub mod task;
pub mod time;
pub mod trajectory;
pub mod transcript;
pub mod verdict;

pub use call::{Call, Exchange, Message, Source, Usage};
pub use curation::{Curated, Standing, TaskDecision, TaskFault, Vote};
pub use evidence::{KeyPoint, Rating, Relation, RelationJudgement, Visit};
pub use gold::GoldArticle;
pub use hidden::{Expected, HIDDEN_PAIR, HIDDEN_RATING, HIDDEN_RELATION, HiddenAnswer};
pub use id::{
    CallId, Id, InfoTreeId, InspirationId, ItemId, KeyPointId, MatchId, NodeId, QuestionId,
    ReportId, SeminarId, StatementId, TaskId, TranscriptId,
};
pub use inspiration::{
    Evidence, Fault, Inspiration, InspirationType, Review, Reviewer, Shown, Trait,
};
pub use judgement::{
    DecidedBy, Decision, InForce, Instrument, Judge, Judgement, NewJudgement, SubjectKind,
    judgement_id,
};
pub use measure::{
    Average, Fraction, InTable, MeasureDef, Open, Role, Score, Scores, ShareOf, Undecided, Unit,
};
pub use outcome::{Cause, Unscored};
pub use probe::{Finding, Probe, ProbeLabel};
pub use record::{Member, ReportRecord, SetRecord, TaskRecord};
pub use report::{AgentReport, AttemptCost, Reading, ReportHead, State};
pub use score::PersonScore;
pub use statement::{Citation, ReadReport, Statement};
pub use task::{Difficulty, Edited, Facets, FromFile, FromSeminar, Origin, Phase, Task, TaskType};
pub use time::Ms;
pub use trajectory::{Step, StepKind, Teller, Trajectory, TrajectoryCounts};
pub use transcript::{ModelRef, Segment, Transcript, is_read, other_language, primary_language};
pub use verdict::{Comparison, Criteria, ListComparison, ListOrder, Side, Verdict};

//! A research task, as it is ranked, exported and given to agents.
//! Phases, families and difficulties follow DeepResearch Arena, section on the task weaver.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{InspirationId, SeminarId, TaskId};

/// The three phases of research work.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Gather and order what is known.
    Synthesize,
    /// Plan something new.
    Design,
    /// Test or judge something.
    Evaluate,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Self; 3] = [Self::Synthesize, Self::Design, Self::Evaluate];

    /// The paper's label, for exports and people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Synthesize => "Synthesize",
            Self::Design => "Design",
            Self::Evaluate => "Evaluate",
        }
    }
}

/// The ten families of tasks.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TaskType {
    /// What has been published.
    LiteratureSurvey,
    /// Where a field or market is going.
    TrendScan,
    /// What people need.
    RequirementsGathering,
    /// What could be true.
    HypothesisGeneration,
    /// How to find out.
    MethodBlueprint,
    /// What to build.
    PrototypeSpecification,
    /// How to measure.
    MetricDesign,
    /// Trying it with data or in simulation.
    EmpiricalTest,
    /// Whether a result holds.
    ReplicabilityReview,
    /// Which of several is better, and when.
    ComparativeAnalysis,
}

impl TaskType {
    /// All families in the paper's order.
    pub const ALL: [Self; 10] = [
        Self::LiteratureSurvey,
        Self::TrendScan,
        Self::RequirementsGathering,
        Self::HypothesisGeneration,
        Self::MethodBlueprint,
        Self::PrototypeSpecification,
        Self::MetricDesign,
        Self::EmpiricalTest,
        Self::ReplicabilityReview,
        Self::ComparativeAnalysis,
    ];

    /// The phase that the family belongs to.
    pub fn phase(self) -> Phase {
        match self {
            Self::LiteratureSurvey | Self::TrendScan | Self::RequirementsGathering => {
                Phase::Synthesize
            }
            Self::HypothesisGeneration
            | Self::MethodBlueprint
            | Self::PrototypeSpecification
            | Self::MetricDesign => Phase::Design,
            Self::EmpiricalTest | Self::ReplicabilityReview | Self::ComparativeAnalysis => {
                Phase::Evaluate
            }
        }
    }

    /// The paper's label, for exports and people.
    pub fn label(self) -> &'static str {
        match self {
            Self::LiteratureSurvey => "Literature Survey",
            Self::TrendScan => "Trend / Market Scan",
            Self::RequirementsGathering => "Requirements Gathering / Needs Analysis",
            Self::HypothesisGeneration => "Hypothesis Generation",
            Self::MethodBlueprint => "Method / Experiment Blueprint",
            Self::PrototypeSpecification => "Prototype / System Specification",
            Self::MetricDesign => "Evaluation Metric Design",
            Self::EmpiricalTest => "Empirical / Simulation Test",
            Self::ReplicabilityReview => "Replicability & Bias Review",
            Self::ComparativeAnalysis => "Comparative Analysis",
        }
    }
}

/// How much a task asks for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Difficulty {
    /// Public data, at most three hours.
    Basic,
    /// New data, tools or reasoning.
    Advanced,
}

impl Difficulty {
    /// The paper's label, for exports and people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Basic => "Basic",
            Self::Advanced => "Advanced",
        }
    }
}

/// One research task woven from a seminar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Hash of inspirations, family and text.
    pub id: TaskId,
    /// The recording that it comes from.
    pub seminar: SeminarId,
    /// Phase of its family.
    pub phase: Phase,
    /// Its family.
    pub task_type: TaskType,
    /// Its difficulty.
    pub difficulty: Difficulty,
    /// BCP 47 tag of its text.
    pub language: String,
    /// Discipline, from the recording's side file, or `other`.
    pub discipline: String,
    /// What an agent is asked to do.
    pub task: String,
    /// The inspirations that it rests on; at least one, of several recordings where it was woven
    /// across them.
    pub inspirations: Vec<InspirationId>,
    /// The task that this one says in another language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation_of: Option<TaskId>,
}

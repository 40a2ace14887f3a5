//! A research task, as it is ranked, exported and given to agents, whether it was woven from a
//! seminar or imported.
//! Phases, families and difficulties follow DeepResearch Arena, section on the task weaver.

use std::collections::BTreeMap;

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
    /// Both, the easier one first.
    pub const ALL: [Self; 2] = [Self::Basic, Self::Advanced];

    /// The paper's label, for exports and people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Basic => "Basic",
            Self::Advanced => "Advanced",
        }
    }
}

/// A research task: a question to agents, wherever it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Hash of the text and of what it rests on.
    pub id: TaskId,
    /// What an agent is asked to do. Time slots are filled.
    #[serde(rename = "task")]
    pub text: String,
    /// BCP 47 tag of the text.
    pub language: String,
    /// The day, as `YYYY-MM-DD`, that time slots were filled for; none for a task of a seminar,
    /// which asks about no day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// The task that a person changed into this one, and who did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Edited>,
    /// Its facets.
    #[serde(flatten)]
    pub facets: Facets,
    /// Where it comes from.
    #[serde(flatten)]
    pub origin: Origin,
}

/// A change of a task's words by a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Edited {
    /// The task as it was before.
    pub task: TaskId,
    /// The person.
    pub by: String,
}

impl Task {
    /// Its origin as a task of a seminar.
    pub fn from_seminar(&self) -> Option<&FromSeminar> {
        match &self.origin {
            Origin::Seminar(from) => Some(from),
            Origin::Imported(_) => None,
        }
    }

    /// Its id in the file that it was imported from.
    pub fn file_id(&self) -> Option<&str> {
        match &self.origin {
            Origin::Seminar(_) => None,
            Origin::Imported(from) => from.file_id.as_deref(),
        }
    }

    /// Whether its text depends on the day that it was imported for.
    pub fn has_slots(&self) -> bool {
        matches!(&self.origin, Origin::Imported(from) if from.template.is_some())
    }

    /// The recording that it comes from.
    pub fn seminar(&self) -> Option<&SeminarId> {
        self.from_seminar().map(|from| &from.seminar)
    }

    /// The inspirations that it rests on; none of an imported task.
    pub fn inspirations(&self) -> &[InspirationId] {
        self.from_seminar()
            .map_or(&[], |from| from.inspirations.as_slice())
    }

    /// The task that this one says in another language.
    pub fn translation_of(&self) -> Option<&TaskId> {
        self.from_seminar()?.translation_of.as_ref()
    }
}

/// The facets that tasks are grouped by. A task of a seminar has the first four; an imported one
/// has what its file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facets {
    /// Phase of its family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Its family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_type: Option<TaskType>,
    /// Its difficulty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<Difficulty>,
    /// Discipline, from the recording's side file, or `other`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discipline: Option<String>,
    /// Facets of other benchmarks by name, such as a topic or a category.
    #[serde(default, rename = "facets", skip_serializing_if = "BTreeMap::is_empty")]
    pub others: BTreeMap<String, String>,
}

impl Facets {
    /// The facets of a task of a seminar.
    pub fn of_family(task_type: TaskType, difficulty: Difficulty, discipline: String) -> Self {
        Self {
            phase: Some(task_type.phase()),
            task_type: Some(task_type),
            difficulty: Some(difficulty),
            discipline: Some(discipline),
            others: BTreeMap::new(),
        }
    }

    /// The label of the family; `research task` where none is known.
    pub fn family_label(&self) -> &'static str {
        self.task_type.map_or("research task", TaskType::label)
    }

    /// The discipline where it says something; a recording without one is in `other`.
    pub fn known_discipline(&self) -> Option<&str> {
        self.discipline.as_deref().filter(|name| *name != "other")
    }

    /// The label of the difficulty, in words that a prompt can show where none is known.
    pub fn difficulty_label(&self) -> &'static str {
        self.difficulty
            .map_or("difficulty not given", Difficulty::label)
    }

    /// All that are known, by name, with the papers' labels.
    pub fn labels(&self) -> BTreeMap<String, String> {
        let known = [
            ("phase", self.phase.map(Phase::label)),
            ("type", self.task_type.map(TaskType::label)),
            ("difficulty", self.difficulty.map(Difficulty::label)),
            ("discipline", self.discipline.as_deref()),
        ];
        let mut labels = self.others.clone();
        for (name, label) in known {
            if let Some(label) = label {
                labels.insert(name.to_owned(), label.to_owned());
            }
        }
        labels
    }
}

/// Where a task comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "origin", rename_all = "snake_case")]
pub enum Origin {
    /// It was woven from a seminar.
    Seminar(FromSeminar),
    /// It was read from a file.
    Imported(FromFile),
}

/// The origin of a task that was woven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FromSeminar {
    /// The recording that it comes from.
    pub seminar: SeminarId,
    /// The inspirations that it rests on; at least one, of several recordings where it was woven
    /// across them.
    pub inspirations: Vec<InspirationId>,
    /// The task that this one says in another language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation_of: Option<TaskId>,
}

/// The origin of a task that was imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FromFile {
    /// Name of the benchmark: the set that it was imported into first.
    pub benchmark: String,
    /// Its id in the file, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_id: Option<String>,
    /// Its text before time slots were filled, where it has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// What a report must deliver, as the file says it. Time slots are filled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checklist: Vec<String>,
    /// Licence of the file, as the user says; `unknown` if not.
    pub licence: String,
}

//! A task as it is exported: one line of `tasks.jsonl`, and what a frozen set keeps of each of its
//! tasks. It holds no clock, host or run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Difficulty, Edited, Evidence, Facets, Finding, FromFile, FromSeminar, InspirationId, ModelRef,
    Ms, Origin, Phase, ReportId, Review, SeminarId, Shown, State, Task, TaskDecision, TaskId,
    TaskType, Trajectory, TranscriptId,
};

/// Version of the record's shape.
pub const TASK_SCHEMA: u32 = 1;

/// A task with its facets, its place in the ranking and the way back to its source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskRecord {
    /// The task.
    pub id: TaskId,
    /// Version of this shape.
    pub schema_version: u32,
    /// The paper's label of the phase: Synthesize, Design or Evaluate.
    pub phase: Option<String>,
    /// The paper's label of the family, such as Literature Survey.
    pub task_type: Option<String>,
    /// Basic or Advanced.
    pub difficulty: Option<String>,
    /// What an agent is asked to do.
    #[serde(rename = "task")]
    pub text: String,
    /// The inspirations that it rests on; none of an imported task.
    pub inspiration_ids: Vec<InspirationId>,
    /// BCP 47 tag of the text.
    pub language: String,
    /// The task that this one says in another language.
    pub translation_of: Option<TaskId>,
    /// Discipline, or `other`.
    pub discipline: Option<String>,
    /// The discipline in the categories of other benchmarks.
    pub categories: Option<Categories>,
    /// Place in the ranking, from 1; none before the task was ranked.
    pub rank: Option<usize>,
    /// Elo rating, where the ranking is the paper's.
    pub elo: Option<f64>,
    /// Games that counted for the Elo rating.
    pub elo_games: Option<u32>,
    /// Strength, where the ranking is not the paper's.
    pub estimate: Option<Strength>,
    /// What probes found of it.
    pub probes: Vec<Finding>,
    /// What people decided on it, oldest first.
    #[serde(default)]
    pub decisions: Vec<TaskDecision>,
    /// The day, as `YYYY-MM-DD`, that an imported question asks about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// Facets of other benchmarks by name; of an imported task only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facets: Option<BTreeMap<String, String>>,
    /// The task that a person changed into this one, and who did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Edited>,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// A discipline in the categories of other benchmarks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Categories {
    /// In Wiki Live Challenge.
    pub wiki_live_challenge: Option<String>,
    /// In `LiveResearchBench`.
    pub live_research_bench: Option<String>,
}

/// A strength on the ranking's scale, with its 95 % interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Strength {
    /// Posterior median.
    pub strength: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Probability to be among the best, from 0 to 1.
    pub p_top: f64,
    /// Games that counted.
    pub games: Option<u32>,
}

/// Where a task comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Provenance {
    /// From a talk, or several.
    Talk(Box<FromTalk>),
    /// From a file.
    Imported {
        /// The benchmark, its id there, its licence.
        imported: FromFile,
    },
}

/// The way back to the seconds of the recordings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FromTalk {
    /// The recording of the first inspiration.
    pub seminar: Recording,
    /// Its transcript.
    pub transcript: Recognised,
    /// The inspirations in order.
    pub inspirations: Vec<InspirationRecord>,
}

/// A recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Recording {
    /// By the hash of its bytes.
    pub id: SeminarId,
    /// Path under the seminars folder.
    pub path: String,
    /// Title.
    pub title: String,
    /// Licence; `unknown` where nobody named one.
    pub licence: String,
    /// Hash of its bytes.
    pub media_sha256: String,
    /// Length in seconds.
    pub duration_s: Ms,
}

/// A transcript, and what wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recognised {
    /// The transcript.
    pub id: TranscriptId,
    /// The model of speech recognition, with the hash of its file.
    pub asr_model: ModelRef,
}

/// An inspiration with its quotes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InspirationRecord {
    /// The inspiration.
    pub id: InspirationId,
    /// Its recording.
    pub seminar: RecordingPath,
    /// The paper's label of its type, such as Limitation.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its traits, with reasons.
    pub traits: Vec<Shown>,
    /// Its summary, in the talk's language.
    pub text: String,
    /// Where the talk says so.
    pub evidence: Vec<Quote>,
    /// What reviewers said of it, oldest first.
    pub reviews: Vec<Review>,
}

/// A recording by its id, its path and its licence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordingPath {
    /// By the hash of its bytes.
    pub id: SeminarId,
    /// Path under the seminars folder.
    pub path: String,
    /// Licence; `unknown` where nobody named one.
    pub licence: String,
}

/// A quote as a span of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quote {
    /// The transcript's id and the number of the segment in which it begins.
    pub segment_id: String,
    /// When it is said, in seconds.
    pub start_s: Ms,
    /// When it ends, in seconds.
    pub end_s: Ms,
    /// First character in the transcript's text, in Unicode scalar values.
    pub start_char: usize,
    /// One past the last character.
    pub end_char: usize,
    /// The words themselves.
    pub quote: String,
    /// Who says them, where that is known.
    pub speaker: Option<String>,
    /// How near the model's own wording was, from 0 to 1.
    pub similarity: f64,
}

impl Quote {
    /// The quote of an evidence in a transcript.
    pub fn of(evidence: &Evidence, transcript: &TranscriptId) -> Self {
        Self {
            segment_id: format!("{transcript}/{}", evidence.segment),
            start_s: evidence.start,
            end_s: evidence.end,
            start_char: evidence.start_char,
            end_char: evidence.end_char,
            quote: evidence.quote.clone(),
            speaker: evidence.speaker.clone(),
            similarity: thousandths(evidence.similarity),
        }
    }
}

/// Rounded to three decimals.
pub fn thousandths(x: f64) -> f64 {
    (x * 1000.0).round() / 1000.0
}

/// A label that no phase, family or difficulty has.
#[derive(Debug, thiserror::Error)]
#[error("no such label: `{0}`")]
pub struct UnknownLabel(String);

/// What a label stands for.
fn labelled<T: Copy>(
    label: Option<&String>,
    all: &[T],
    label_of: fn(T) -> &'static str,
) -> Result<Option<T>, UnknownLabel> {
    let Some(label) = label else { return Ok(None) };
    let found = all.iter().find(|of| label_of(**of) == label);
    found
        .map(|of| Some(*of))
        .ok_or_else(|| UnknownLabel(label.clone()))
}

impl TaskRecord {
    /// The task again. Fails with the name of a label that is none.
    pub fn to_task(&self) -> Result<Task, UnknownLabel> {
        let facets = Facets {
            phase: labelled(self.phase.as_ref(), &Phase::ALL, Phase::label)?,
            task_type: labelled(self.task_type.as_ref(), &TaskType::ALL, TaskType::label)?,
            difficulty: labelled(
                self.difficulty.as_ref(),
                &Difficulty::ALL,
                Difficulty::label,
            )?,
            discipline: self.discipline.clone(),
            others: self.facets.clone().unwrap_or_default(),
        };
        let origin = match &self.provenance {
            Provenance::Talk(from) => Origin::Seminar(FromSeminar {
                seminar: from.seminar.id.clone(),
                inspirations: self.inspiration_ids.clone(),
                translation_of: self.translation_of.clone(),
            }),
            Provenance::Imported { imported } => Origin::Imported(imported.clone()),
        };
        Ok(Task {
            id: self.id.clone(),
            text: self.text.clone(),
            language: self.language.clone(),
            as_of: self.as_of.clone(),
            edited: self.edited.clone(),
            facets,
            origin,
        })
    }

    /// The recordings that it comes from, each once; none of an imported task.
    pub fn recordings(&self) -> Vec<&RecordingPath> {
        let Provenance::Talk(from) = &self.provenance else {
            return Vec::new();
        };
        let mut found: Vec<&RecordingPath> = Vec::new();
        for inspiration in &from.inspirations {
            if !found.iter().any(|of| of.id == inspiration.seminar.id) {
                found.push(&inspiration.seminar);
            }
        }
        found
    }

    /// Its licence: that of the first recording, or of the file; `unknown` where nobody named one.
    pub fn licence(&self) -> &str {
        match &self.provenance {
            Provenance::Talk(from) => &from.seminar.licence,
            Provenance::Imported { imported } => &imported.licence,
        }
    }
}

/// A set of tasks as it is exported: what every row and card says of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetRecord {
    /// The set's name.
    pub name: String,
    /// Its version, from 1.
    pub version: u32,
    /// Text that every exported row holds, so that a model that has read the set can be told. The
    /// same for all versions of a set.
    pub canary: String,
    /// SHA-256 over the frozen tasks as they were when they were chosen.
    pub sha256: String,
    /// The tasks in their order.
    pub tasks: Vec<Member>,
}

impl SetRecord {
    /// `name@version`.
    pub fn label(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// The tasks that were not withdrawn, in order.
    pub fn records(&self) -> impl Iterator<Item = &TaskRecord> {
        self.tasks
            .iter()
            .filter_map(|member| member.record.as_ref())
    }
}

/// A task's place in a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Member {
    /// The task.
    pub id: TaskId,
    /// The task as it was frozen; none where it was withdrawn.
    pub record: Option<TaskRecord>,
}

/// One line of a set's export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SetLine {
    /// A task of the set.
    Task(Box<TaskLine>),
    /// A task whose text is gone, because its speaker withdrew consent.
    Withdrawn(WithdrawnLine),
}

/// A task of a set, with the set's name and canary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskLine {
    /// The set as `name@version`.
    pub set: String,
    /// The set's canary.
    pub canary: String,
    /// The task.
    #[serde(flatten)]
    pub record: TaskRecord,
}

/// What is left of a withdrawn task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WithdrawnLine {
    /// The set as `name@version`.
    pub set: String,
    /// The set's canary.
    pub canary: String,
    /// The task.
    pub id: TaskId,
    /// Always true.
    pub withdrawn: bool,
}

/// A report with its scores, as it is exported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportRecord {
    /// The report.
    pub id: ReportId,
    /// The task that it answers.
    pub task: TaskId,
    /// The agent's name.
    pub agent: String,
    /// Which of the agent's attempts, from 1.
    pub attempt: u32,
    /// How the attempt ended: ok, refused, empty, timeout or error.
    pub state: State,
    /// The report in Markdown; empty where there is none.
    pub text: String,
    /// Scores by measure, as the leaderboard names them, on each measure's own scale.
    pub scores: BTreeMap<String, f64>,
    /// Measures that have no score for it, with the cause.
    pub unscored: BTreeMap<String, String>,
    /// What the agent did on its way, where that is told. Files for Inspect have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub trajectory: Option<Trajectory>,
}

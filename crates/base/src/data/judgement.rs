//! Judgements: what a judge (a model, code or a person) decided about a subject, on the scale of an
//! instrument. KAE's relations, ACE's ratings, verdicts on pairs, findings of probes and people's
//! scores are all judgements; what a value means belongs to the instrument.

use serde::{Deserialize, Serialize};

use super::{CallId, Unscored, id};

/// An instrument: a question with a scale, in a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instrument {
    /// Its id, such as `kae/relation/1`; judgements name it.
    pub id: &'static str,
    /// The method that it belongs to: `kae`, `ace`, `rankeval`, `probe`, `person` …
    pub family: &'static str,
    /// The criterion.
    pub criterion: &'static str,
    /// The possible answers, in words.
    pub scale: &'static str,
    /// The kind of subject.
    pub subject: SubjectKind,
    /// First letter of its judgements' ids: verdicts on pairs of tasks have had their own since
    /// before there were other judgements.
    pub letter: char,
}

/// The kind of thing that is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SubjectKind {
    /// A research task, or several that are shown together.
    Task,
    /// A report of an agent.
    Report,
}

impl SubjectKind {
    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Report => "report",
        }
    }
}

/// A judge of a panel, a model or code: another prompt, or another model returned by the server, is
/// another judge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Judge {
    /// `provider/model` as configured.
    pub model_asked: String,
    /// The model that the server says answered.
    pub model_returned: String,
    /// SHA-256 of the prompt's text.
    pub prompt_hash: String,
}

impl Judge {
    /// Content hash of the judge.
    pub fn id(&self) -> String {
        id::text(
            'j',
            &[&self.model_asked, &self.model_returned, &self.prompt_hash],
        )
    }
}

/// The judge: a model, a person or a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy<'a> {
    /// A model.
    Model(&'a Judge),
    /// A person, by name.
    Person(&'a str),
    /// A program, by name and version, such as `length/1`.
    Code(&'a str),
    /// A program that is a member of a panel, as models are.
    CodeOfPanel(&'a Judge),
}

impl DecidedBy<'_> {
    /// Content hash of the judge.
    pub fn id(self) -> String {
        match self {
            Self::Model(judge) | Self::CodeOfPanel(judge) => judge.id(),
            Self::Person(name) => id::text('j', &["person", name]),
            Self::Code(name) => id::text('j', &["code", name]),
        }
    }

    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Model(_) => "model",
            Self::Person(_) => "person",
            Self::Code(_) | Self::CodeOfPanel(_) => "code",
        }
    }
}

/// The decision of a judgement, in the fields that every instrument shares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// A number on the instrument's scale.
    pub value: Option<f64>,
    /// A word of it.
    pub label: String,
    /// How sure the judge is, 0 to 1.
    pub confidence: Option<f64>,
}

/// A judgement to be stored.
#[derive(Clone, Debug)]
pub struct NewJudgement<'a> {
    /// The question and its scale.
    pub instrument: Instrument,
    /// Hash of subject, judge and sample: a later judgement with the same id replaces it.
    pub id: String,
    /// Id of what is judged; of a pair, what was shown first.
    pub subject: &'a str,
    /// What it is judged against: a criterion, a key point, what was shown second.
    pub other: Option<&'a str>,
    /// Who decides.
    pub judge: DecidedBy<'a>,
    /// Repetition of the same question, from 0.
    pub sample: u32,
    /// The decision, or why there is none.
    pub decision: Result<Decision, &'a Unscored>,
    /// Everything else that is known: a JSON object.
    pub payload: serde_json::Value,
    /// The call with the reply; none where no model was asked.
    pub call: Option<&'a CallId>,
    /// SHA-256 of the evidence that the judge saw; none where that is not known.
    pub evidence: Option<String>,
}

/// The id of a judgement: one for each judge, subject, other item and sample.
pub fn judgement_id(
    instrument: Instrument,
    subject: &str,
    other: &str,
    sample: u32,
    judge: DecidedBy<'_>,
) -> String {
    if instrument.letter == 'l' {
        // Lists are not asked twice: their ids have had no sample from the beginning.
        return id::text('l', &[instrument.id, subject, &judge.id()]);
    }
    id::text(
        instrument.letter,
        &[
            instrument.id,
            subject,
            other,
            &sample.to_string(),
            &judge.id(),
        ],
    )
}

/// A judgement as a fold reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement<T, E = Unscored> {
    /// The id of the key point or criterion that the subject was judged by; empty for none.
    pub about: String,
    /// Repetition of the same question, from 0.
    pub sample: u32,
    /// The judge, as `provider/model`, a person's name or a program's.
    pub judge: String,
    /// The judgement, or why there is none.
    pub outcome: Result<T, E>,
}

/// The judges of one instrument in force, with their settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InForce {
    /// Id of the instrument.
    pub instrument: String,
    /// The panel, as (model asked, hash of the prompt); a program is (name, empty).
    pub panel: Vec<(String, String)>,
    /// What else decides which judgements count: a JSON object of the evaluator's own.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub settings: serde_json::Value,
}

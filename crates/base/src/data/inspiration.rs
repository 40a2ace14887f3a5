//! An inspiration: an idea in a talk that research could start from, tied to the words that carry
//! it. Types and traits follow DeepResearch Arena, section on the inspiration agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{InspirationId, Ms, SeminarId, Standing, TranscriptId, Vote};

/// The four types; an inspiration has exactly one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum InspirationType {
    /// Something unsolved, missing or in the way.
    Limitation,
    /// A new way of doing something.
    Methodology,
    /// An idea carried from one field to another.
    #[serde(alias = "transdisciplinarity")]
    Transdisciplinary,
    /// A claim that could be tested.
    Hypothesis,
}

impl InspirationType {
    /// All types, in the order in which they are asked for.
    pub const ALL: [Self; 4] = [
        Self::Limitation,
        Self::Methodology,
        Self::Transdisciplinary,
        Self::Hypothesis,
    ];

    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Limitation => "limitation",
            Self::Methodology => "methodology",
            Self::Transdisciplinary => "transdisciplinary",
            Self::Hypothesis => "hypothesis",
        }
    }

    /// The traits that the paper requires of this type.
    pub fn required_traits(self) -> [Trait; 2] {
        match self {
            Self::Limitation => [Trait::Challenge, Trait::Explorability],
            Self::Methodology | Self::Transdisciplinary => [Trait::Novelty, Trait::Explorability],
            Self::Hypothesis => [Trait::Verifiability, Trait::Explorability],
        }
    }

    /// Whether `word`, in lower case, names this type; the paper spells one of them in two ways.
    pub fn is(self, word: &str) -> bool {
        word == self.word() || (self == Self::Transdisciplinary && word == "transdisciplinarity")
    }

    /// The paper's label, for exports.
    pub fn label(self) -> &'static str {
        match self {
            Self::Limitation => "Limitation",
            Self::Methodology => "Methodology",
            Self::Transdisciplinary => "Transdisciplinary",
            Self::Hypothesis => "Hypothesis",
        }
    }
}

/// The four traits; an inspiration shows at least two.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Trait {
    /// It is new.
    Novelty,
    /// It opens a line of work.
    Explorability,
    /// It is hard.
    Challenge,
    /// It can be checked.
    Verifiability,
}

impl Trait {
    /// All traits in the paper's order.
    pub const ALL: [Self; 4] = [
        Self::Novelty,
        Self::Explorability,
        Self::Challenge,
        Self::Verifiability,
    ];

    /// The word that is stored and asked for.
    pub fn word(self) -> &'static str {
        match self {
            Self::Novelty => "novelty",
            Self::Explorability => "explorability",
            Self::Challenge => "challenge",
            Self::Verifiability => "verifiability",
        }
    }
}

/// A trait that an idea was judged to show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "ShownForm")]
#[schemars(!from)]
pub struct Shown {
    /// Which one.
    #[serde(rename = "trait")]
    pub which: Trait,
    /// Why, in the model's words; empty in records from before reasons were asked for.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ShownForm {
    Word(Trait),
    Judged {
        #[serde(rename = "trait")]
        which: Trait,
        reason: String,
    },
}

impl From<ShownForm> for Shown {
    fn from(form: ShownForm) -> Self {
        match form {
            ShownForm::Word(which) => Self {
                which,
                reason: String::new(),
            },
            ShownForm::Judged { which, reason } => Self { which, reason },
        }
    }
}

/// An idea in a talk, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inspiration {
    /// Hash of transcript, type and evidence.
    pub id: InspirationId,
    /// The recording.
    pub seminar: SeminarId,
    /// The transcript version that the evidence points into.
    pub transcript: TranscriptId,
    /// Its one type.
    pub kind: InspirationType,
    /// Its traits, at least two, sorted, each once.
    pub traits: Vec<Shown>,
    /// The model's summary, in the talk's language.
    pub text: String,
    /// Where the talk says so; one to three.
    pub evidence: Vec<Evidence>,
    /// What reviewers said of it, oldest first.
    pub reviews: Vec<Review>,
}

impl Inspiration {
    /// Whether tasks may be woven from it: what people's decisions come to, or else acceptance by
    /// every model.
    pub fn stands(&self) -> bool {
        Review::let_stand(&self.reviews)
    }

    /// Its words and those of its quotes.
    pub fn words(&self) -> String {
        let quotes = self.evidence.iter().map(|evidence| evidence.quote.as_str());
        std::iter::once(self.text.as_str())
            .chain(quotes)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// A reviewer's decision on an inspiration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Review {
    /// The kind of reviewer.
    pub by: Reviewer,
    /// The person's name, or the model as `provider/model`.
    pub name: String,
    /// Why it was rejected; none if it was accepted.
    pub fault: Option<Fault>,
    /// The reviewer's note.
    #[serde(default)]
    pub note: String,
    /// Whether it settles what others disagree on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settles: bool,
}

impl Review {
    /// Whether an inspiration with these reviews, oldest first, stands: what people's decisions
    /// come to, or else acceptance by every model.
    pub fn let_stand(reviews: &[Self]) -> bool {
        match Self::standing(reviews) {
            Standing::Open => reviews.iter().all(|review| review.fault.is_none()),
            standing => standing == Standing::Accepted,
        }
    }

    /// What people's decisions come to; the last of each person counts.
    pub fn standing(reviews: &[Self]) -> Standing {
        let of_people = |review: &&Self| review.by == Reviewer::Person;
        let mut last: Vec<&Self> = Vec::new();
        for review in reviews.iter().filter(of_people) {
            last.retain(|earlier| earlier.name != review.name);
            last.push(review);
        }
        let votes = last.iter().map(|review| Vote {
            accepts: review.fault.is_none(),
            settles: review.settles,
        });
        Standing::of(&votes.collect::<Vec<_>>())
    }

    /// Whether it is by the person `name`.
    pub fn is_of_person(&self, name: &str) -> bool {
        self.by == Reviewer::Person && self.name == name
    }
}

/// A kind of reviewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reviewer {
    /// A person at a keyboard.
    Person,
    /// The role `review`.
    Model,
}

/// Why an inspiration is rejected. The paper names the first two (DeepResearch Arena, expert
/// verification).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// No academic content: a greeting, an anecdote, organisation.
    NoContent,
    /// Not coherent, or a fragment.
    Incoherent,
    /// Neither the quotes nor the lines around them say it.
    NotInQuotes,
    /// It is of another type than it claims.
    WrongType,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::NoContent,
        Self::Incoherent,
        Self::NotInQuotes,
        Self::WrongType,
    ];

    /// The word that is stored and counted.
    pub fn word(self) -> &'static str {
        match self {
            Self::NoContent => "no_content",
            Self::Incoherent => "incoherent",
            Self::NotInQuotes => "not_in_quotes",
            Self::WrongType => "wrong_type",
        }
    }

    /// The same for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::NoContent => "no content",
            Self::Incoherent => "incoherent",
            Self::NotInQuotes => "not in the quotes",
            Self::WrongType => "wrong type",
        }
    }
}

/// A span of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Index of the segment in which it begins.
    pub segment: usize,
    /// First character in the transcript's text, counted in Unicode scalar values.
    pub start_char: usize,
    /// One past the last character.
    pub end_char: usize,
    /// When it is said.
    pub start: Ms,
    /// When it ends.
    pub end: Ms,
    /// The transcript's own characters between the offsets.
    pub quote: String,
    /// Who says it, where the transcript knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The model's wording, where it differs from the transcript's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wording: Option<String>,
    /// Similarity of the wording to the quote, 0 to 1; 1 where the model chose the sentence by its
    /// number.
    pub similarity: f64,
}

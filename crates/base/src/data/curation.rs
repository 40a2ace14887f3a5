//! What people decide about tasks and inspirations, and what several people's decisions come to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Instrument, SubjectKind, TaskId};

/// A person's decision on a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskDecision {
    /// The task.
    pub task: TaskId,
    /// The person.
    pub by: String,
    /// What was decided.
    pub verdict: Curated,
    /// Why it was rejected; none if it was not.
    pub fault: Option<TaskFault>,
    /// The person's note.
    pub note: String,
    /// Whether it settles what others disagree on.
    pub settles: bool,
}

impl TaskDecision {
    /// The instrument that decisions are judgements on.
    pub const INSTRUMENT: Instrument = Instrument {
        id: "person/task/1",
        family: "person",
        criterion: "task",
        scale: "accepted, pinned, rejected",
        subject: SubjectKind::Task,
        letter: 'm',
    };

    /// What it counts for.
    pub fn vote(&self) -> Vote {
        Vote {
            accepts: self.verdict != Curated::Rejected,
            settles: self.settles,
        }
    }

    /// What people's decisions on one task, oldest first, come to.
    pub fn standing(decisions: &[Self]) -> Standing {
        Standing::of(&decisions.iter().map(Self::vote).collect::<Vec<_>>())
    }

    /// For people: the word, with the reason.
    pub fn label(&self) -> String {
        match self.fault {
            Some(fault) => format!("{}, {}", self.verdict.word(), fault.label()),
            None => self.verdict.word().to_owned(),
        }
    }
}

/// A decision on a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Curated {
    /// It may be chosen.
    Accepted,
    /// It must be chosen.
    Pinned,
    /// It must not be chosen.
    Rejected,
}

impl Curated {
    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Pinned => "pinned",
            Self::Rejected => "rejected",
        }
    }
}

/// Why a task is rejected.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TaskFault {
    /// It needs no research.
    NoResearch,
    /// It is unclear, or leans on what its reader does not have.
    Unclear,
    /// Nobody could judge what is handed in.
    NotJudgeable,
    /// It rests on something that is false, or that the talk does not say.
    Untrue,
    /// It cannot be done with public means.
    Impossible,
    /// Another task asks the same.
    Duplicate,
    /// It is private, harmful or offensive.
    Unfit,
}

impl TaskFault {
    /// All of them, in the order of their keys.
    pub const ALL: [Self; 7] = [
        Self::NoResearch,
        Self::Unclear,
        Self::NotJudgeable,
        Self::Untrue,
        Self::Impossible,
        Self::Duplicate,
        Self::Unfit,
    ];

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Self::NoResearch => "needs no research",
            Self::Unclear => "unclear",
            Self::NotJudgeable => "cannot be judged",
            Self::Untrue => "rests on something untrue",
            Self::Impossible => "cannot be done",
            Self::Duplicate => "the same as another",
            Self::Unfit => "private or harmful",
        }
    }

    /// The word that is stored and counted.
    pub fn word(self) -> &'static str {
        match self {
            Self::NoResearch => "no_research",
            Self::Unclear => "unclear",
            Self::NotJudgeable => "not_judgeable",
            Self::Untrue => "untrue",
            Self::Impossible => "impossible",
            Self::Duplicate => "duplicate",
            Self::Unfit => "unfit",
        }
    }
}

/// A person's decision, for counting: the last of each person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vote {
    /// For or against.
    pub accepts: bool,
    /// Whether it settles what others disagree on.
    pub settles: bool,
}

/// What people's decisions on one thing come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nobody decided.
    Open,
    /// More are for it than against, or it was settled so.
    Accepted,
    /// More are against it than for it, or it was settled so.
    Rejected,
    /// As many are for it as against. It is not used until that is settled.
    Disputed,
}

impl Standing {
    /// The standing that votes come to, oldest first. The last one that settles decides alone.
    pub fn of(votes: &[Vote]) -> Self {
        if let Some(last) = votes.iter().rev().find(|vote| vote.settles) {
            return if last.accepts {
                Self::Accepted
            } else {
                Self::Rejected
            };
        }
        let accepting = votes.iter().filter(|vote| vote.accepts).count();
        match accepting.cmp(&(votes.len() - accepting)) {
            _ if votes.is_empty() => Self::Open,
            std::cmp::Ordering::Greater => Self::Accepted,
            std::cmp::Ordering::Less => Self::Rejected,
            std::cmp::Ordering::Equal => Self::Disputed,
        }
    }

    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Disputed => "disputed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_decides_and_a_tie_waits_for_who_settles_it() {
        let votes = |text: &str| -> Vec<Vote> {
            let vote = |c: char| Vote {
                accepts: c.eq_ignore_ascii_case(&'a'),
                settles: c.is_ascii_uppercase(),
            };
            text.chars().map(vote).collect()
        };
        for (text, standing) in [
            ("", Standing::Open),
            ("a", Standing::Accepted),
            ("r", Standing::Rejected),
            ("ar", Standing::Disputed),
            ("arr", Standing::Rejected),
            ("arA", Standing::Accepted),
            ("aaR", Standing::Rejected),
            ("RaA", Standing::Accepted),
            ("Arr", Standing::Accepted),
        ] {
            assert_eq!(Standing::of(&votes(text)), standing, "{text}");
        }
    }
}

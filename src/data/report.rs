//! The report of a research agent for a task, how the attempt ended, and its cost.

use serde::{Deserialize, Serialize};

use super::{ReportId, TaskId};

/// A report. Its text never changes. Without the text ([`ReportHead`]) it is small, and many of them
/// fit into memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentReport<Text = String> {
    /// Content hash.
    pub id: ReportId,
    /// The task that it answers.
    pub task: TaskId,
    /// The agent's name.
    pub agent: String,
    /// 1 for the agent's first answer to the task.
    pub attempt: u32,
    /// How the attempt ended.
    pub state: State,
    /// Markdown; empty where there is no report.
    pub text: Text,
    /// Tokens, money and time.
    pub spent: AttemptCost,
}

/// All of a report but its text.
pub type ReportHead = AgentReport<()>;

/// Words and citations of a report, as a version of the reader finds them in its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Version of the reader: another one may find something else.
    pub version: u32,
    /// Words (a Han character is a word).
    pub words: u64,
    /// The distinct URLs that are cited, canonical, in the order of their first mention.
    pub urls: Vec<String>,
}

impl AgentReport {
    /// A report with the id of its content.
    pub fn new(
        task: &TaskId,
        agent: &str,
        attempt: u32,
        state: State,
        text: &str,
        spent: AttemptCost,
    ) -> Self {
        Self {
            id: ReportId::of(&[
                task.as_str(),
                agent,
                &attempt.to_string(),
                state.word(),
                text,
            ]),
            task: task.clone(),
            agent: agent.to_owned(),
            attempt,
            state,
            text: text.to_owned(),
            spent,
        }
    }
}

impl ReportHead {
    /// The whole report.
    pub fn with(&self, text: String) -> AgentReport {
        let Self {
            id,
            task,
            agent,
            attempt,
            state,
            spent,
            ..
        } = self.clone();
        AgentReport {
            id,
            task,
            agent,
            attempt,
            state,
            text,
            spent,
        }
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// With a report.
    Ok,
    /// The agent declined.
    Refused,
    /// Without a text.
    Empty,
    /// Not within the time limit.
    Timeout,
    /// With a failure.
    Error,
}

impl State {
    /// All states.
    pub const ALL: [Self; 5] = [
        Self::Ok,
        Self::Refused,
        Self::Empty,
        Self::Timeout,
        Self::Error,
    ];

    /// The word that is stored and shown.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Refused => "refused",
            Self::Empty => "empty",
            Self::Timeout => "timeout",
            Self::Error => "error",
        }
    }
}

/// The cost of an attempt, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AttemptCost {
    /// Prompt tokens.
    pub input_tokens: Option<u64>,
    /// Reply tokens.
    pub output_tokens: Option<u64>,
    /// All tokens, where only their sum is known.
    pub tokens: Option<u64>,
    /// US dollars, finite and not negative.
    pub cost_usd: Option<f64>,
    /// Wall time in seconds, finite and not negative.
    pub seconds: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_written_as_their_words() {
        for state in State::ALL {
            assert_eq!(serde_json::to_value(state).expect("a word"), state.word());
        }
    }
}

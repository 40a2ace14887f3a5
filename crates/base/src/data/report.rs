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

/// The reading of a report: its words and citations, by a version of the reader.
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
            id: ReportId::from_parts(&[
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

impl<Text> AgentReport<Text> {
    /// The same report, its text in another form.
    pub fn map_text<Other>(self, form: impl FnOnce(Text) -> Other) -> AgentReport<Other> {
        let Self {
            id,
            task,
            agent,
            attempt,
            state,
            text,
            spent,
        } = self;
        AgentReport {
            id,
            task,
            agent,
            attempt,
            state,
            text: form(text),
            spent,
        }
    }
}

impl ReportHead {
    /// The whole report.
    pub fn with(&self, text: String) -> AgentReport {
        self.clone().map_text(|()| text)
    }
}

/// How an attempt ended.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
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

/// The most characters of an agent's name.
const MOST_IN_NAME: usize = 100;

/// An error for an agent's name that is unsafe in tables, on pages or on terminals.
pub fn check_agent_name(name: &str) -> Result<(), String> {
    let n = name.chars().count();
    if name.trim().is_empty() {
        return Err("an agent needs a name".to_owned());
    }
    if n > MOST_IN_NAME {
        return Err(format!(
            "an agent's name of {n} characters, over {MOST_IN_NAME}"
        ));
    }
    match name.chars().find(|c| c.is_control()) {
        Some(c) => Err(format!(
            "an agent's name with a control character: `{}`",
            c.escape_unicode()
        )),
        None => Ok(()),
    }
}

/// More than any attempt can cost: a higher figure is an error, or an attack on the sums.
const MOST_USD: f64 = 1e6;
const MOST_TOKENS: u64 = 1_000_000_000_000;
/// About thirty years.
const MOST_SECONDS: f64 = 1e9;

impl AttemptCost {
    /// The name and the value of the first implausible figure: negative, not finite, or absurdly
    /// large.
    pub fn implausible(&self) -> Option<(&'static str, String)> {
        let counts = [
            ("input_tokens", self.input_tokens),
            ("output_tokens", self.output_tokens),
            ("tokens", self.tokens),
        ];
        let amounts = [
            ("cost_usd", self.cost_usd, MOST_USD),
            ("seconds", self.seconds, MOST_SECONDS),
        ];
        let count = counts.into_iter().find_map(|(name, count)| {
            let count = count.filter(|count| *count > MOST_TOKENS)?;
            Some((name, count.to_string()))
        });
        let amount = amounts.into_iter().find_map(|(name, amount, most)| {
            let amount = amount.filter(|amount| !(0.0..=most).contains(amount))?;
            Some((name, format!("{amount:e}")))
        });
        count.or(amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_attempt_can_have_cost_is_named() {
        let usd = |usd| AttemptCost {
            cost_usd: Some(usd),
            ..AttemptCost::default()
        };
        assert_eq!(AttemptCost::default().implausible(), None);
        assert_eq!(usd(1e6).implausible(), None);
        for absurd in [1e14, -0.01, f64::NAN, f64::INFINITY] {
            assert!(usd(absurd).implausible().is_some(), "{absurd}");
        }
        assert_eq!(
            usd(1e14).implausible(),
            Some(("cost_usd", "1e14".to_owned()))
        );
        let tokens = AttemptCost {
            output_tokens: Some(u64::MAX),
            ..AttemptCost::default()
        };
        assert_eq!(
            tokens.implausible().map(|(name, _)| name),
            Some("output_tokens")
        );
    }

    #[test]
    fn names_of_agents_can_be_shown() {
        assert_eq!(check_agent_name("o3 deep research (中文)"), Ok(()));
        for wrong in ["", " ", "a\nb", "a\u{1b}[2J", &"x".repeat(101)] {
            assert!(check_agent_name(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn states_are_written_as_their_words() {
        for state in State::ALL {
            assert_eq!(serde_json::to_value(state).expect("a word"), state.word());
        }
    }
}

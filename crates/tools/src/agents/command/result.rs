//! The result of a program's run, and its faults.

use crate::data::{AttemptCost, State, Trajectory};

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunResult {
    /// How it ended.
    pub state: State,
    /// What went wrong, where the state is an error.
    pub fault: Option<Fault>,
    /// The report, or what was written with a refusal; without the values of named keys and tokens.
    pub text: String,
    /// What the command tells of its way, without the values of named keys and tokens.
    pub trajectory: Option<Trajectory>,
    /// The cost that the command states, and the time it took.
    pub cost: AttemptCost,
    /// Why there is no report, or what is wrong with the line on usage: one line, and a hint where
    /// there is one.
    pub message: Option<String>,
    /// The end of standard error, at most 4 kB, without the values of named keys and tokens.
    pub stderr: String,
}

/// The fault of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// There is no such program.
    NotFound,
    /// The program or its folder cannot be used.
    NotStarted,
    /// It ended with this exit code.
    Exit(i32),
    /// It was ended by this signal.
    Signal(i32),
    /// It wrote more than a report may have.
    TooLong,
    /// What it wrote is not UTF-8, or holds a NUL.
    NotText,
    /// The system does not tell how it ended.
    Lost,
    /// Our own process that looks after it could not do so; the program was not started.
    NotSupervised,
}

impl Fault {
    /// The word that is shown.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::NotStarted => "not_started",
            Self::Exit(_) => "exit",
            Self::Signal(_) => "signal",
            Self::TooLong => "too_long",
            Self::NotText => "not_text",
            Self::Lost => "lost",
            Self::NotSupervised => "not_supervised",
        }
    }
}

/// More was written than a report may have.
pub(super) struct TooLong;

impl RunResult {
    pub(super) fn new(state: State, text: String) -> Self {
        Self {
            state,
            fault: None,
            text,
            trajectory: None,
            cost: AttemptCost::default(),
            message: None,
            stderr: String::new(),
        }
    }

    pub(super) fn error(fault: Fault, message: String) -> Self {
        Self {
            fault: Some(fault),
            ..Self::without_report(State::Error, message)
        }
    }

    pub(super) fn without_report(state: State, message: String) -> Self {
        Self {
            message: Some(message),
            ..Self::new(state, String::new())
        }
    }
}

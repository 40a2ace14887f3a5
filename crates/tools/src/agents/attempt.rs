//! The outcome of one attempt to answer a question, the same for programs and models.

use crate::{
    data::{AttemptCost, State, Trajectory},
    text::words,
};

/// The outcome of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// How it ended.
    pub state: State,
    /// The answer, or what was written with a refusal.
    pub text: String,
    /// Words of the text; a Han character is a word.
    pub words: u64,
    /// Whether an answer has more words than were allowed.
    pub is_overlong: bool,
    /// Tokens, money and time.
    pub cost: AttemptCost,
    /// What the agent did on its way, where that is told.
    pub trajectory: Option<Trajectory>,
    /// The kind of failure in one word; the state's word where there is no other.
    pub cause: &'static str,
    /// Why there is no answer, with a hint on a second line where there is one.
    pub message: String,
    /// Whether the same question may succeed later without any change.
    pub is_transient: bool,
}

impl Attempt {
    /// An attempt that ended in `state` with this text.
    pub(super) fn new(state: State, text: String) -> Self {
        Self {
            state,
            words: words::length(&text) as u64,
            text,
            is_overlong: false,
            cost: AttemptCost::default(),
            trajectory: None,
            cause: state.word(),
            message: String::new(),
            is_transient: false,
        }
    }

    /// An attempt without an answer.
    pub(super) fn failed(state: State, cause: &'static str, message: String) -> Self {
        Self {
            cause,
            message,
            ..Self::new(state, String::new())
        }
    }

    /// The attempt, marked where its answer is longer than `max_words`.
    pub(super) fn within(self, max_words: Option<u32>) -> Self {
        // Only an answer can be too long: what comes with a refusal is nobody's report.
        let is_overlong =
            self.state == State::Ok && max_words.is_some_and(|most| self.words > u64::from(most));
        Self {
            is_overlong,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_overlong(state: State, text: &str, max_words: Option<u32>) -> bool {
        let attempt = Attempt::new(state, text.to_owned()).within(max_words);
        assert_eq!(attempt.text, text, "an answer is never cut");
        attempt.is_overlong
    }

    #[test]
    fn an_answer_over_the_limit_is_marked_and_kept_whole() {
        assert!(!is_overlong(State::Ok, "one two three", None));
        assert!(!is_overlong(State::Ok, "one two three", Some(3)));
        assert!(is_overlong(State::Ok, "one two three", Some(2)));
        assert!(!is_overlong(State::Ok, "河床之声", Some(4)));
        assert!(is_overlong(State::Ok, "河床之声", Some(3)));
        assert!(!is_overlong(State::Refused, "one two three", Some(2)));
        assert_eq!(Attempt::new(State::Ok, "one 河床".into()).words, 3);
    }
}

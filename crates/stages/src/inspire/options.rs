//! Options of reading transcripts: `[inspire]` in the configuration.

use serde::{Deserialize, Serialize};

use super::{Style, When};

/// More of either is a slip of the pen.
const MOST_WORDS: usize = 1_000_000;
const MOST_IDEAS: usize = 30;

/// How to read transcripts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Words or Han characters that the model reads at once; 0 lets the model's size decide.
    pub window: usize,
    /// Inspirations asked for at once; 0 lets the model's size decide.
    pub per_window: usize,
    /// The form of an inspiration that a model finds; code chooses sentences as they are.
    pub style: Style,
    /// Whether the role `review` takes a second look.
    pub review: When,
}

impl Options {
    /// What the types cannot say.
    pub fn check(&self) -> Result<(), String> {
        if self.window > MOST_WORDS || self.per_window > MOST_IDEAS {
            let (window, most) = (self.window, self.per_window);
            return Err(format!(
                "inspire.window must be at most {MOST_WORDS}, and inspire.per_window at most {MOST_IDEAS}: `{window}`, `{most}`"
            ));
        }
        Ok(())
    }
}

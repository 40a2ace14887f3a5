//! Recognised text before it becomes sentences: a phrase at its place in a window, with what the
//! model thinks of it, and the same phrase at its place in the recording.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A phrase as the recogniser returns it, in the time of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// Start, in seconds from the window's start.
    pub start: f64,
    /// End, in seconds from the window's start.
    pub end: f64,
    /// The words.
    pub text: String,
    /// The start of each token, in seconds from the window's start, by its byte in the text.
    pub token_starts: Vec<(usize, f64)>,
    /// The log-probability of each token, by its byte in the text.
    pub token_logprobs: Vec<(usize, f64)>,
    /// The model's estimate of the probability that nobody speaks.
    pub no_speech_prob: f64,
}

impl Phrase {
    /// The same phrase with only these bytes of its text.
    pub fn with_only(&self, kept: &[Range<usize>]) -> Self {
        let mut shortened = Self {
            text: String::new(),
            token_starts: Vec::new(),
            token_logprobs: Vec::new(),
            ..self.clone()
        };
        for bytes in kept {
            let offset = shortened.text.len();
            let starts = moved(&self.token_starts, bytes, offset);
            let logprobs = moved(&self.token_logprobs, bytes, offset);
            shortened.token_starts.extend(starts);
            shortened.token_logprobs.extend(logprobs);
            shortened.text.push_str(&self.text[bytes.clone()]);
        }
        shortened
    }

    /// Mean probability of the tokens. It is rounded to three decimals, so that the journal gives
    /// back exactly what was written to it.
    pub fn confidence(&self) -> f64 {
        let sum: f64 = self
            .token_logprobs
            .iter()
            .map(|(_, logprob)| logprob.exp())
            .sum();
        (sum / self.token_logprobs.len().max(1) as f64 * 1000.0).round() / 1000.0
    }

    /// Mean log-probability of the tokens; 0 if there are none.
    pub fn mean_logprob(&self) -> f64 {
        mean_logprob(&self.token_logprobs)
    }
}

/// The values of the tokens that begin within `bytes`, as if those bytes began at `offset`.
fn moved<'a>(
    values: &'a [(usize, f64)],
    bytes: &'a Range<usize>,
    offset: usize,
) -> impl Iterator<Item = (usize, f64)> + 'a {
    values
        .iter()
        .filter(move |(byte, _)| bytes.contains(byte))
        .map(move |(byte, value)| (byte - bytes.start + offset, *value))
}

/// Mean log-probability of tokens, each given with its byte in a text; 0 if there are none.
pub fn mean_logprob<'a>(tokens: impl IntoIterator<Item = &'a (usize, f64)>) -> f64 {
    let (sum, count) = tokens
        .into_iter()
        .fold((0.0, 0usize), |(sum, count), (_, logprob)| {
            (sum + logprob, count + 1)
        });
    sum / count.max(1) as f64
}

/// A phrase at its place in the recording. The journal stores it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacedPhrase {
    /// The samples of the recording.
    pub range: Range<usize>,
    /// The words.
    pub text: String,
    /// The sample where each token begins, by its byte in the text.
    // The name that journals of earlier versions use: an interrupted run must be able to go on.
    #[serde(rename = "marks")]
    pub token_starts: Vec<(usize, usize)>,
    /// Mean probability of the tokens.
    pub confidence: f64,
}

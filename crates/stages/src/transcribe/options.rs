//! What a user may choose of a transcription.

use serde_json::json;

use super::{audio::SAMPLE_RATE, speech::windows::MAX_WINDOW};

/// Version of everything that can change the text of a transcript: to be raised with each such
/// change.
const RECIPE: u32 = 8;
/// The models that `auto` means.
const AUTO_ENGLISH: &str = "tiny.en";
const AUTO_MULTILINGUAL: &str = "base";
/// The model that `auto` means on a machine with a graphics card that has room for it.
pub const AUTO_ON_CARD: &str = "large-v3-turbo";

/// The word for that choice, where another machine than the one that transcribes has made it.
pub const ON_CARD: &str = "auto-on-card";

/// The speech model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ModelChoice {
    /// `tiny.en` for English, `base` for everything else.
    #[default]
    Auto,
    /// `large-v3-turbo` for all.
    AutoOnCard,
    /// A model's name, or the path of a file in ggml form.
    Named(String),
}

impl ModelChoice {
    /// Reads `auto`, `auto-on-card`, a name or a path.
    pub fn parse(text: &str) -> Self {
        match text {
            "auto" => Self::Auto,
            ON_CARD => Self::AutoOnCard,
            name => Self::Named(name.into()),
        }
    }

    /// The model for a recording that is in English, or not.
    pub fn name_for(&self, english: bool) -> &str {
        match self {
            Self::Auto => automatic(english),
            Self::AutoOnCard => AUTO_ON_CARD,
            Self::Named(name) => name,
        }
    }

    /// The models of which a transcript may be, so that it is not made again. What `auto` made on
    /// another machine stays.
    pub fn fitting(&self, english: bool) -> Vec<&str> {
        match self {
            Self::Named(name) => vec![name],
            Self::Auto | Self::AutoOnCard => vec![automatic(english), AUTO_ON_CARD],
        }
    }

    /// The model that detects the language.
    pub fn detector(&self) -> &str {
        self.name_for(false)
    }
}

/// The model that `auto` means without a card.
fn automatic(english: bool) -> &'static str {
    if english {
        AUTO_ENGLISH
    } else {
        AUTO_MULTILINGUAL
    }
}

/// The options of a transcription.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The speech model.
    pub model: ModelChoice,
    /// The language as a tag such as `zh-Hant`, or several with commas, each piece of the talk in
    /// one of them; without it, the first minutes decide.
    pub language: Option<String>,
    /// Names and terms that the recogniser should expect.
    pub vocabulary: Option<String>,
    /// The only channel of the recording to transcribe, from 1; without it, all are mixed.
    pub channel: Option<usize>,
    /// Whether the times of single words are wanted.
    pub words: bool,
}

impl Options {
    /// What can change the text, beside recording, model and language.
    pub fn parameters(&self) -> serde_json::Value {
        json!({
            "recipe": RECIPE,
            "engine": format!("whisper.cpp {}", whisper_rs::WHISPER_CPP_VERSION),
            "decoding": "greedy, beam 5, halves, 0.2",
            "window_seconds": MAX_WINDOW / SAMPLE_RATE,
            "vocabulary": self.vocabulary,
            "channel": self.channel,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_auto_made_on_another_machine_stays() {
        for choice in [ModelChoice::Auto, ModelChoice::AutoOnCard] {
            assert_eq!(choice.fitting(true), [AUTO_ENGLISH, AUTO_ON_CARD]);
            assert_eq!(choice.fitting(false), [AUTO_MULTILINGUAL, AUTO_ON_CARD]);
        }
        assert_eq!(ModelChoice::parse("small").fitting(true), ["small"]);
        assert_eq!(ModelChoice::parse(ON_CARD), ModelChoice::AutoOnCard);
        assert_eq!(ModelChoice::AutoOnCard.name_for(true), AUTO_ON_CARD);
    }
}

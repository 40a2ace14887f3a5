//! A transcript: the words of one recording with their times, the file `transcripts/<path under
//! seminars>.json`. It holds no clock, host or run, so that the same recording, model and
//! parameters give the same bytes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ms, SeminarId, TranscriptId};

/// Version of the transcript file's shape.
pub const SCHEMA_VERSION: u32 = 1;

/// One recording's transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Transcript {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// Hash of recording, model, parameters and segments without their words; a hand edit makes
    /// another version.
    pub id: TranscriptId,
    /// The recording by its content.
    pub seminar: SeminarId,
    /// Path of the recording under the seminars folder, with its extension, `/` between parts.
    pub path: String,
    /// SHA-256 of the recording's bytes, hexadecimal.
    pub media_sha256: String,
    /// Length of the recording.
    pub duration: Ms,
    /// BCP 47 tag such as `en` or `zh-Hans`.
    pub language: String,
    /// The speech model that wrote the text.
    pub model: ModelRef,
    /// Everything else that can change the text.
    pub parameters: serde_json::Value,
    /// Its segments, in order of time, not overlapping.
    pub segments: Vec<Segment>,
}

/// A model by name and by the hash of its weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRef {
    /// Name in the manifest, such as `tiny.en`.
    pub name: String,
    /// SHA-256 of the weights that ran, hexadecimal.
    pub sha256: String,
}

/// The language of a BCP 47 tag, whatever its script or region: `zh` of `zh-Hans`.
pub fn primary_language(tag: &str) -> &str {
    tag.split_once('-').map_or(tag, |(primary, _)| primary)
}

/// Whether a text has the form of a BCP 47 tag: it is then no sentence.
pub fn is_language_tag(text: &str) -> bool {
    text.len() <= 35 && text.split('-').all(is_subtag)
}

fn is_subtag(part: &str) -> bool {
    (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether the rules support a language, by its BCP 47 tag: English and Chinese.
pub fn is_read(tag: &str) -> bool {
    ["en", "zh"].contains(&primary_language(tag))
}

/// The hint for a talk in another language.
pub fn other_language(tag: &str) -> String {
    format!(
        "the talk is in `{tag}`: tasks are made of talks in English and Chinese\nhint: if that is wrong, `language = \"en\"` in the recording's `NAME.toml`"
    )
}

/// A stretch of speech, a sentence or a clause where the recogniser allows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Segment {
    /// Where it begins.
    pub start: Ms,
    /// Where it ends, not before `start` and not after the recording.
    pub end: Ms,
    /// What was said, trimmed, not empty.
    pub text: String,
    /// Mean token probability, 0 to 1.
    pub confidence: f64,
    /// Who speaks, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// When each word was said, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Word>,
}

/// A word, with the punctuation that goes with it; a character or a few where words are not set
/// apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Word {
    /// Where it begins, not before its segment.
    pub start: Ms,
    /// Where it ends, not after its segment.
    pub end: Ms,
    /// What was said.
    pub text: String,
}

impl Transcript {
    /// Sets the id from the content. Call it after any change. The times of words are not part of
    /// it: what was made of the text does not change with them, and who edits them alone has not
    /// edited the transcript.
    #[must_use]
    pub fn sealed(mut self) -> Self {
        let plain = self.segments.iter().map(|segment| Segment {
            words: Vec::new(),
            ..segment.clone()
        });
        let segments = serde_json::to_string(&plain.collect::<Vec<_>>()).unwrap_or_default();
        let parameters = self.parameters.to_string();
        self.id = TranscriptId::from_parts(&[
            &self.media_sha256,
            &self.model.sha256,
            &parameters,
            &segments,
        ]);
        self
    }

    /// What the types cannot say of a file that people edit.
    pub fn check(&self) -> Result<(), String> {
        if !is_language_tag(&self.language) {
            return Err("the language is no tag such as `en` or `zh-Hans`".into());
        }
        for (number, segment) in (1..).zip(&self.segments) {
            let Segment {
                start,
                end,
                confidence,
                ..
            } = segment;
            if start > end || *end > self.duration {
                let seconds = (start.seconds(), end.seconds(), self.duration.seconds());
                return Err(format!(
                    "segment {number} goes from {} to {} seconds of {}",
                    seconds.0, seconds.1, seconds.2
                ));
            }
            if !(0.0..=1.0).contains(confidence) {
                return Err(format!(
                    "the confidence of segment {number} is not between 0 and 1: `{confidence}`"
                ));
            }
        }
        Ok(())
    }

    /// Whether it tells when each word was said.
    pub fn has_words(&self) -> bool {
        self.segments
            .iter()
            .any(|segment| !segment.words.is_empty())
    }

    /// The whole text, one segment a line. Offsets of evidence count Unicode scalar values in this
    /// text.
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.segments.iter().map(|s| s.text.as_str()).collect();
        lines.join("\n")
    }
}

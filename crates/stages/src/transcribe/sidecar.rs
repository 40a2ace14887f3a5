//! The sidecar of a recording, `NAME.toml` beside it: what the audio does not tell.

use std::path::Path;

use serde::Deserialize;
use serde_json::json;

use super::{discover::Recording, options::Options};
use crate::{
    data::Transcript,
    store::{SeminarInfo, UNKNOWN_LICENCE},
    text::toml_error,
};

/// The content of `NAME.toml` beside a recording.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sidecar {
    title: Option<String>,
    discipline: Option<String>,
    licence: Option<String>,
    speakers: Vec<String>,
    date: Option<String>,
    language: Option<String>,
    source: Option<String>,
    consent: Option<String>,
    channel: Option<usize>,
    vocabulary: Vec<String>,
}

/// Why a sidecar cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SidecarError {
    /// It is not valid: its file and line, what is wrong, and a hint.
    #[error("{0}")]
    Invalid(String),
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Sidecar {
    /// Reads the sidecar of a recording; without one, everything is unknown.
    pub fn read(recording: &Recording) -> Result<Self, SidecarError> {
        let path = recording.path.with_extension("toml");
        if !path.is_file() {
            return Ok(Self::default());
        }
        let text = fs_err::read_to_string(&path)?;
        toml::from_str(&text).map_err(|error| {
            let hint = "README.md names the fields";
            SidecarError::Invalid(toml_error::explain(&path, &text, &error, &[], hint))
        })
    }

    /// What it says of the speakers' consent.
    pub fn consent(&self) -> Option<&str> {
        self.consent.as_deref()
    }

    /// The language that it says the talk is in.
    pub fn language(&self) -> Option<&str> {
        self.language.as_deref()
    }

    /// The options for this recording: what the user asked for, then what the sidecar says.
    pub fn options(&self, asked: &Options) -> Options {
        let mut options = asked.clone();
        if options.language.is_none() {
            options.language.clone_from(&self.language);
        }
        if options.vocabulary.is_none() && !self.vocabulary.is_empty() {
            options.vocabulary = Some(self.vocabulary.join(", "));
        }
        options.channel = options.channel.or(self.channel);
        options
    }

    /// What is known of a recording and its transcript.
    pub fn seminar_info(&self, recording: &Recording, transcript: &Transcript) -> SeminarInfo {
        // A title is shown everywhere; without one the file's name is the best guess.
        let stem = Path::new(&recording.name)
            .file_stem()
            .map(|s| s.to_string_lossy().into_owned());
        SeminarInfo {
            id: transcript.seminar.clone(),
            path: recording.name.clone(),
            title: self.title.clone().or(stem).unwrap_or_default(),
            language: transcript.language.clone(),
            discipline: self.discipline.clone(),
            licence: self
                .licence
                .clone()
                .unwrap_or_else(|| UNKNOWN_LICENCE.to_owned()),
            details: json!({
                "speakers": self.speakers, "date": self.date, "source": self.source, "consent": self.consent
            }),
            duration: transcript.duration,
            transcript: transcript.id.clone(),
        }
    }
}

//! The side file of a recording, `NAME.toml` beside it: what its sound does not say.

use std::path::Path;

use anyhow::Result;
use serde::Deserialize;
use serde_json::json;

use crate::{
    cli::{project::config, ui::exit::Usage},
    data::Transcript,
    store::{SeminarInfo, UNKNOWN_LICENCE},
    transcribe::{Options, Recording},
};

/// `NAME.toml` beside a recording.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Side {
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

impl Side {
    /// Reads the side file of a recording; without one, everything is unknown.
    pub fn of(recording: &Recording) -> Result<Self> {
        let path = recording.path.with_extension("toml");
        if !path.is_file() {
            return Ok(Self::default());
        }
        let text = fs_err::read_to_string(&path)?;
        let explain = |e| config::explain(&path, &text, &e, "README.md names the fields");
        toml::from_str(&text).map_err(|e| Usage(explain(e)).into())
    }

    /// How to hear this recording: what the user asked for wins, then what is known of the
    /// recording.
    pub fn options(&self, asked: &Options) -> Options {
        let own = || (!self.vocabulary.is_empty()).then(|| self.vocabulary.join(", "));
        Options {
            language: asked.language.clone().or_else(|| self.language.clone()),
            vocabulary: asked.vocabulary.clone().or_else(own),
            channel: asked.channel.or(self.channel),
            ..asked.clone()
        }
    }

    /// What is known of a recording and its transcript.
    pub fn info(&self, recording: &Recording, transcript: &Transcript) -> SeminarInfo {
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

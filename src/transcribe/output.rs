//! Transcripts on disk: `NAME.json` says what was said and holds no clock, `NAME.meta.json` beside
//! it remembers the recording's size and time, so that an unchanged recording is never read again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    data::{Transcript, transcript::SCHEMA_VERSION},
    files,
    transcribe::hallucination::Diagnostics,
};

use super::{Options, discover::Recording, error::TranscribeError, language::Language};

/// What `NAME.meta.json` holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// Bytes of the recording.
    pub size: u64,
    /// Its time of modification, nanoseconds since 1970.
    pub modified_ns: i128,
    /// SHA-256 of its bytes.
    pub media_sha256: String,
    /// Version of taskgen that wrote the transcript.
    pub tool: String,
    /// Seconds that the transcription took.
    pub seconds: f64,
    /// The language that was asked for, if any.
    pub asked_language: Option<String>,
    /// What was dropped and mended.
    pub notes: Diagnostics,
}

/// How a recording stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// Its transcript is there.
    Done(Box<Transcript>),
    /// It must be transcribed, for the reason given.
    Todo(&'static str),
}

/// Where the transcript of `recording` belongs.
pub fn transcript_path(transcripts: &Path, recording: &Recording) -> PathBuf {
    transcripts.join(format!("{}.json", recording.name))
}

/// Where its companion belongs.
pub fn meta_path(transcripts: &Path, recording: &Recording) -> PathBuf {
    transcripts.join(format!("{}.meta.json", recording.name))
}

/// Where what was recognised so far is kept while the transcript is not there.
pub fn journal_path(transcripts: &Path, recording: &Recording) -> PathBuf {
    transcripts.join(format!("{}.journal", recording.name))
}

/// Gives a journal that an interrupted run of an earlier version left behind its present name, so
/// that its work is not done twice. Where that fails, the work is done again.
pub fn adopt_old_journal(transcripts: &Path, recording: &Recording) {
    let old = transcripts.join(format!("{}.heard", recording.name));
    let journal = journal_path(transcripts, recording);
    if old.is_file() && !journal.exists() {
        let _ = fs_err::rename(old, journal);
    }
}

/// SHA-256 of the recording's bytes: as it was remembered, where it has not changed since.
pub fn content(transcripts: &Path, recording: &Recording) -> Result<String, TranscribeError> {
    let stamp = files::stamp(&recording.path)?;
    let meta: Option<Meta> = read_json(&meta_path(transcripts, recording)).unwrap_or_default();
    match meta.filter(|meta| (meta.size, meta.modified_ns) == stamp) {
        Some(meta) => Ok(meta.media_sha256),
        None => Ok(files::sha256_of(&recording.path)?),
    }
}

/// Whether the transcript of `recording` is there, from the same content, model and parameters.
/// `pinned` knows the hash of a model by name; where it does not, the name decides. A transcript
/// that was edited by hand stays as long as the recording does. An unchanged recording is not
/// opened. One that was only touched is hashed, and remembered again.
pub fn standing(
    transcripts: &Path,
    recording: &Recording,
    options: &Options,
    pinned: &dyn Fn(&str) -> Option<String>,
) -> Result<Standing, TranscribeError> {
    let Some(stored) = read_json::<Transcript>(&transcript_path(transcripts, recording))? else {
        return Ok(Standing::Todo("no transcript yet"));
    };
    let transcript = stored.clone().sealed();
    // Edited by hand: somebody's work, which another model or parameter does not undo.
    let is_edited = transcript.id != stored.id;
    // Only a memory: what cannot be read is found out again.
    let meta: Option<Meta> = read_json(&meta_path(transcripts, recording)).unwrap_or_default();
    if let Some(reason) =
        outdated(&transcript, meta.as_ref(), options, pinned).filter(|_| !is_edited)
    {
        return Ok(Standing::Todo(reason));
    }
    let (size, modified_ns) = files::stamp(&recording.path)?;
    if meta.as_ref().is_some_and(|m| {
        (m.size, m.modified_ns, &m.media_sha256) == (size, modified_ns, &transcript.media_sha256)
    }) {
        return Ok(Standing::Done(Box::new(transcript)));
    }
    if files::sha256_of(&recording.path)? != transcript.media_sha256 {
        return Ok(Standing::Todo("the recording changed"));
    }
    let fresh = Meta {
        size,
        modified_ns,
        media_sha256: transcript.media_sha256.clone(),
        ..meta.unwrap_or_else(|| Meta {
            size,
            modified_ns,
            media_sha256: String::new(),
            tool: tool(),
            seconds: 0.0,
            asked_language: options.language.clone(),
            notes: Diagnostics::default(),
        })
    };
    write_json(&meta_path(transcripts, recording), &fresh)?;
    Ok(Standing::Done(Box::new(transcript)))
}

fn outdated(
    transcript: &Transcript,
    meta: Option<&Meta>,
    options: &Options,
    pinned: &dyn Fn(&str) -> Option<String>,
) -> Option<&'static str> {
    if transcript.schema_version != SCHEMA_VERSION {
        return Some("written by another version");
    }
    if transcript.parameters != options.parameters() {
        return Some("other parameters");
    }
    if options.words && !transcript.has_words() {
        return Some("without the times of its words");
    }
    let asked = options
        .language
        .as_deref()
        .and_then(|tags| Language::parse_all(tags).ok());
    let before = meta
        .and_then(|meta| meta.asked_language.as_deref())
        .and_then(|tags| Language::parse_all(tags).ok());
    // One language says which it is; of several, only those that were asked for can tell.
    let fits = match (&asked, &before) {
        (Some(asked), Some(before)) if asked.len() > 1 || before.len() > 1 => asked == before,
        (Some(asked), _) => asked
            .iter()
            .any(|language| language.tag() == transcript.language),
        (None, before) => before.is_none(),
    };
    if !fits {
        return Some("another language");
    }
    let english = |languages: &Vec<Language>| languages.iter().all(Language::is_english);
    let is_english = asked.as_ref().map_or(transcript.language == "en", english);
    let wanted = options.model.name_for(is_english);
    if wanted != transcript.model.name
        || pinned(wanted).is_some_and(|hash| hash != transcript.model.sha256)
    {
        return Some("another model");
    }
    None
}

/// The transcript at `path`, sealed again, so that a hand edit has an id of its own; nothing where
/// there is none. One that was edited into something else is an error: it is somebody's work, and
/// not ours to overwrite.
pub fn load(path: &Path) -> Result<Option<Transcript>, TranscribeError> {
    Ok(read_json::<Transcript>(path)?.map(Transcript::sealed))
}

/// Writes transcript and companion, the transcript first: without its companion it is only hashed
/// again.
pub fn save(
    transcripts: &Path,
    recording: &Recording,
    transcript: &Transcript,
    meta: &Meta,
) -> Result<(), TranscribeError> {
    write_json(&transcript_path(transcripts, recording), transcript)?;
    write_json(&meta_path(transcripts, recording), meta)
}

/// Finds out whether transcripts can be written to `folder` before an hour is spent on the first.
pub fn check_writable(folder: &Path) -> Result<(), TranscribeError> {
    let probe = folder.join(format!(".writable-{}", std::process::id()));
    fs_err::create_dir_all(folder)?;
    fs_err::write(&probe, b"?")?;
    Ok(fs_err::remove_file(&probe)?)
}

/// Name and version of this program.
pub fn tool() -> String {
    format!("taskgen {}", env!("CARGO_PKG_VERSION"))
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, TranscribeError> {
    let text = match fs_err::read(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e.into()),
    };
    let edited = |e: serde_json::Error| TranscribeError::Edited {
        path: path.into(),
        what: e.to_string(),
    };
    serde_json::from_slice(&text).map(Some).map_err(edited)
}

fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), TranscribeError> {
    let mut text = serde_json::to_string_pretty(value).map_err(std::io::Error::other)?;
    text.push('\n');
    Ok(files::write_whole(path, text.as_bytes())?)
}

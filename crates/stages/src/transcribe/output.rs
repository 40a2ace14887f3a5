//! Transcripts on disk. `NAME.json` holds the text and no clock. `NAME.meta.json` beside it
//! remembers the recording's size and time, so that an unchanged recording is never read again.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    discover::Recording, error::TranscribeError, existing, language::tag::Language,
    options::Options, quality::diagnostics::Diagnostics,
};
use crate::{
    data::{Transcript, transcript::SCHEMA_VERSION},
    files,
};

/// The content of `NAME.meta.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TranscriptMeta {
    /// Bytes of the recording.
    pub size: u64,
    /// The recording's time of modification, in nanoseconds since 1970.
    pub modified_ns: i128,
    /// SHA-256 of the recording's bytes.
    pub media_sha256: String,
    /// Version of taskgen that wrote the transcript.
    pub tool: String,
    /// Seconds that the transcription took.
    pub seconds: f64,
    /// The language that was asked for, if any.
    pub asked_language: Option<String>,
    /// What was dropped and left doubtful.
    #[serde(rename = "notes")]
    pub diagnostics: Diagnostics,
}

/// The state of a recording's transcript.
#[derive(Clone, Debug, PartialEq)]
pub enum TranscriptStatus {
    /// It is there and up to date.
    Current(Box<Transcript>),
    /// It must be made, for the reason given.
    Needed(&'static str),
}

/// The path of a recording's transcript.
pub fn transcript_path(transcripts: &Path, recording: &Recording) -> PathBuf {
    transcripts.join(format!("{}.json", recording.name))
}

/// The path of a transcript's meta file.
pub fn meta_path(transcripts: &Path, recording: &Recording) -> PathBuf {
    transcripts.join(format!("{}.meta.json", recording.name))
}

/// The transcripts in a folder, by name; those in folders below it are left out.
pub fn transcripts_in(transcripts: &Path) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(transcripts)
        .into_iter()
        .flatten()
        .flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    let is_transcript = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.ends_with(".json") && !name.ends_with(".meta.json") && path.is_file()
    };
    paths.retain(is_transcript);
    paths.sort();
    paths
}

/// The path of the journal that is kept while there is no transcript.
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

/// SHA-256 of a recording's bytes, from its meta file if it has not changed since.
pub fn recording_sha256(
    transcripts: &Path,
    recording: &Recording,
) -> Result<String, TranscribeError> {
    let stamp = files::stamp(&recording.path)?;
    match read_meta(transcripts, recording) {
        Some(meta) if (meta.size, meta.modified_ns) == stamp => Ok(meta.media_sha256),
        _ => Ok(files::sha256_of(&recording.path)?),
    }
}

/// Whether a recording's transcript is there, from the same content, model and parameters. `pinned`
/// gives the hash of a model by its name; where it gives none, the name decides. A transcript that
/// was edited by hand or imported is current as long as the recording does not change.
pub fn transcript_status(
    transcripts: &Path,
    recording: &Recording,
    options: &Options,
    pinned: &dyn Fn(&str) -> Option<String>,
) -> Result<TranscriptStatus, TranscribeError> {
    let Some(stored) = read_transcript(&transcript_path(transcripts, recording))? else {
        return Ok(TranscriptStatus::Needed("no transcript yet"));
    };
    let transcript = stored.clone().sealed();
    let meta = read_meta(transcripts, recording);
    // Edited by hand, or made elsewhere: that is a person's work, which another model or parameter
    // does not undo.
    let is_edited = transcript.id != stored.id;
    let is_ours = !is_edited && transcript.model.name != existing::MODEL;
    if is_ours && let Some(reason) = outdated(&transcript, meta.as_ref(), options, pinned) {
        return Ok(TranscriptStatus::Needed(reason));
    }
    let (size, modified_ns) = files::stamp(&recording.path)?;
    // An unchanged recording is not even opened.
    if meta.as_ref().is_some_and(|m| {
        (m.size, m.modified_ns, &m.media_sha256) == (size, modified_ns, &transcript.media_sha256)
    }) {
        return Ok(TranscriptStatus::Current(Box::new(transcript)));
    }
    if files::sha256_of(&recording.path)? != transcript.media_sha256 {
        return Ok(TranscriptStatus::Needed("the recording changed"));
    }
    // The same bytes with another time: remembered, so that they are not hashed again.
    let meta = TranscriptMeta {
        size,
        modified_ns,
        media_sha256: transcript.media_sha256.clone(),
        ..meta.unwrap_or_else(|| unknown_meta(options))
    };
    write_json(&meta_path(transcripts, recording), &meta)?;
    Ok(TranscriptStatus::Current(Box::new(transcript)))
}

/// The meta file's content for a transcript that lost it.
fn unknown_meta(options: &Options) -> TranscriptMeta {
    TranscriptMeta {
        size: 0,
        modified_ns: 0,
        media_sha256: String::new(),
        tool: tool(),
        seconds: 0.0,
        asked_language: options.language.clone(),
        diagnostics: Diagnostics::default(),
    }
}

/// Why a transcript is not what these options would make; none if it is.
fn outdated(
    transcript: &Transcript,
    meta: Option<&TranscriptMeta>,
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
    let asked = parse_languages(options.language.as_deref());
    // A detected language says nothing of what was asked for: the meta file does.
    let asked_before = parse_languages(meta.and_then(|meta| meta.asked_language.as_deref()));
    if !is_language_as_asked(transcript, asked.as_deref(), asked_before.as_deref()) {
        return Some("another language");
    }
    let is_english = asked.map_or(transcript.language == "en", |languages| {
        languages.iter().all(Language::is_english)
    });
    // By name where the hash is not known: the model need not be on this machine to see that a
    // transcript is current.
    let fits = |wanted: &&str| {
        *wanted == transcript.model.name
            && pinned(wanted).is_none_or(|hash| hash == transcript.model.sha256)
    };
    let is_fitting = options.model.fitting(is_english).iter().any(fits);
    (!is_fitting).then_some("another model")
}

fn parse_languages(tags: Option<&str>) -> Option<Vec<Language>> {
    Language::parse_all(tags?).ok()
}

/// Whether a transcript has the language that is asked for now. The transcript itself names only
/// one: of several, only those that were asked for before can tell.
fn is_language_as_asked(
    transcript: &Transcript,
    asked: Option<&[Language]>,
    asked_before: Option<&[Language]>,
) -> bool {
    match (asked, asked_before) {
        (Some(asked), Some(before)) if asked.len() > 1 || before.len() > 1 => asked == before,
        (Some(asked), _) => asked
            .iter()
            .any(|language| language.tag() == transcript.language),
        (None, before) => before.is_none(),
    }
}

/// The transcript at `path`, sealed again, so that a hand edit has an id of its own; none where
/// there is no file. A file that is no transcript any more is an error: it is a person's work, and
/// not ours to overwrite.
pub fn load(path: &Path) -> Result<Option<Transcript>, TranscribeError> {
    Ok(read_transcript(path)?.map(Transcript::sealed))
}

/// Writes a transcript and its meta file. The transcript is first: one without a meta file is only
/// hashed again.
pub fn save(
    transcripts: &Path,
    recording: &Recording,
    transcript: &Transcript,
    meta: &TranscriptMeta,
) -> Result<(), TranscribeError> {
    write_json(&transcript_path(transcripts, recording), transcript)?;
    write_json(&meta_path(transcripts, recording), meta)
}

/// Writes a transcript that was not made here.
pub fn save_existing(
    transcripts: &Path,
    recording: &Recording,
    transcript: &Transcript,
) -> Result<(), TranscribeError> {
    let (size, modified_ns) = files::stamp(&recording.path)?;
    let meta = TranscriptMeta {
        size,
        modified_ns,
        media_sha256: transcript.media_sha256.clone(),
        tool: tool(),
        seconds: 0.0,
        asked_language: None,
        diagnostics: Diagnostics::default(),
    };
    save(transcripts, recording, transcript, &meta)
}

/// Finds out whether transcripts can be written to `folder` before an hour is spent on the first.
pub fn check_writable(folder: &Path) -> Result<(), TranscribeError> {
    fs_err::create_dir_all(folder)?;
    // Processes on several machines may have the same number, and this one may be killed here.
    let mut probe = tempfile::Builder::new()
        .prefix(".writable-")
        .tempfile_in(folder)?;
    probe.write_all(b"?")?;
    Ok(probe.close()?)
}

/// Name and version of this program.
pub fn tool() -> String {
    format!("taskgen {}", env!("CARGO_PKG_VERSION"))
}

/// The meta file; none where it cannot be read, since it can be made again.
fn read_meta(transcripts: &Path, recording: &Recording) -> Option<TranscriptMeta> {
    read_json(&meta_path(transcripts, recording)).unwrap_or_default()
}

/// A transcript as its file has it, whoever edited it.
fn read_transcript(path: &Path) -> Result<Option<Transcript>, TranscribeError> {
    let Some(transcript) = read_json::<Transcript>(path)? else {
        return Ok(None);
    };
    match transcript.check() {
        Ok(()) => Ok(Some(transcript)),
        Err(what) => Err(TranscribeError::Edited {
            path: path.into(),
            what,
        }),
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, TranscribeError> {
    // A pipe or a device has no end.
    if path.exists() && !path.is_file() {
        return Err(TranscribeError::Edited {
            path: path.into(),
            what: "it is no file".into(),
        });
    }
    let text = match fs_err::read(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e.into()),
    };
    match serde_json::from_slice(&text) {
        Ok(value) => Ok(Some(value)),
        Err(e) => Err(TranscribeError::Edited {
            path: path.into(),
            what: e.to_string(),
        }),
    }
}

fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), TranscribeError> {
    let mut text = serde_json::to_string_pretty(value).map_err(std::io::Error::other)?;
    text.push('\n');
    Ok(files::write_whole(path, text.as_bytes())?)
}

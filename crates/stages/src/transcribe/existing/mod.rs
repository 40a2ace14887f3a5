//! Transcripts that exist already: subtitles, and what other programs around Whisper wrote, become
//! the transcript of a recording without hearing it again. Their cues, which end where a line is
//! full, are cut and joined into sentences as recognised speech is.

mod json;
mod matching;
mod subtitles;

use std::path::Path;

use serde_json::json;

use super::{
    audio::SAMPLE_RATE,
    language::tag::Language,
    phrase::PlacedPhrase,
    sentences,
    speech::activity::{FRAME, SpeechActivity},
};
use crate::data::{
    ModelRef, Ms, Segment, SeminarId, Transcript, TranscriptId, id::sha256_hex,
    transcript::SCHEMA_VERSION,
};

pub use matching::{Match, find, recording_of};

/// Name of the model of a transcript that was not recognised here.
pub const MODEL: &str = "imported";
/// Most bytes of a file: a day of speech with the times of its words.
const MOST: u64 = 256 << 20;
/// No talk is longer, in seconds; what says more is no time.
const LONGEST: f64 = 1e6;
/// Seconds that a cue may go beyond the recording: lengths are rounded, and last cues held.
const BEYOND: f64 = 5.0;
/// Bytes within which the next word of a cue is looked for.
const NEAR: usize = 200;
/// The confidence of a text of which its file tells none: somebody wrote it.
const UNTOLD: f64 = 1.0;

/// What a file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Existing {
    /// Its format: `srt`, `vtt`, `whisper`, `whisperx` or `whisper.cpp`.
    pub format: &'static str,
    /// The language that it names, as a tag or in English.
    pub language: Option<String>,
    /// Its cues, in order of time.
    pub cues: Vec<Cue>,
    /// SHA-256 of its bytes, hexadecimal.
    pub sha256: String,
}

/// A stretch of text with its times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cue {
    /// Where it begins, in seconds.
    pub start: f64,
    /// Where it ends, in seconds.
    pub end: f64,
    /// What was said.
    pub text: String,
    /// Mean probability of its words, 0 to 1, if the file tells.
    pub confidence: Option<f64>,
    /// Who speaks, if the file tells.
    pub speaker: Option<String>,
    /// The words of the text in order, each with the second where it begins, if the file tells.
    pub words: Vec<(String, f64)>,
}

/// Reads a file. The error is for people.
pub fn read(path: &Path) -> Result<Existing, String> {
    let size = std::fs::metadata(path).map_err(|e| e.to_string())?.len();
    if size > MOST {
        return Err(format!(
            "it has {size} bytes: more than a transcript can have ({MOST})"
        ));
    }
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let text = decoded(&bytes)?;
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let (format, language, cues) = match extension.to_str() {
        Some("srt") => ("srt", None, subtitles::read(&text)?),
        Some("vtt") => ("vtt", None, subtitles::read(&text)?),
        _ => json::read(&text)?,
    };
    Ok(Existing {
        format,
        language,
        cues: in_order(cues)?,
        sha256: sha256_hex(&bytes),
    })
}

/// The text of a file, in UTF-8, or in UTF-16 with its mark.
fn decoded(bytes: &[u8]) -> Result<String, String> {
    let not_text = || "it is not UTF-8\nhint: `iconv -f ENCODING -t UTF-8` converts it".to_owned();
    let wide = |pair: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..]
            .chunks_exact(2)
            .map(|two| pair([two[0], two[1]]))
            .collect();
        String::from_utf16(&units).map_err(|_| not_text())
    };
    match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => {
            let text = std::str::from_utf8(bytes).map_err(|_| not_text())?;
            Ok(text.trim_start_matches('\u{feff}').to_owned())
        }
    }
}

/// The cues with words, by their times.
fn in_order(mut cues: Vec<Cue>) -> Result<Vec<Cue>, String> {
    cues.retain(|cue| cue.text.chars().any(char::is_alphanumeric));
    if cues.is_empty() {
        return Err("nothing is said in it".to_owned());
    }
    for cue in &cues {
        let is_time = |s: f64| (0.0..=LONGEST).contains(&s);
        if !is_time(cue.start) || !is_time(cue.end) || cue.end < cue.start {
            return Err(format!(
                "a cue goes from {} to {} seconds: `{}`",
                cue.start,
                cue.end,
                cue.text.chars().take(40).collect::<String>()
            ));
        }
    }
    cues.sort_by(|a, b| a.start.total_cmp(&b.start));
    Ok(cues)
}

/// The recording that a transcript is made for.
#[derive(Clone, Debug)]
pub struct RecordingFacts {
    /// Its path under the seminars folder.
    pub path: String,
    /// SHA-256 of its bytes, hexadecimal.
    pub media_sha256: String,
    /// Its length in seconds, if the file states one.
    pub seconds: Option<f64>,
    /// The language of the talk.
    pub language: Language,
}

impl Existing {
    /// Where the last cue ends, in seconds.
    fn end(&self) -> f64 {
        self.cues.iter().map(|cue| cue.end).fold(0.0, f64::max)
    }

    /// The transcript of a recording. Fails where the cues go beyond its end: they are another's.
    pub fn transcript_of(&self, facts: &RecordingFacts) -> Result<Transcript, String> {
        let end = self.end();
        // A header may state anything.
        let stated = facts.seconds.filter(|seconds| *seconds <= LONGEST);
        if let Some(seconds) = stated
            && end > seconds + BEYOND
        {
            return Err(format!(
                "it goes to {}, but `{}` ends at {}: is it another recording's?",
                Ms::from_seconds(end),
                facts.path,
                Ms::from_seconds(seconds)
            ));
        }
        let duration = Ms::from_seconds(stated.unwrap_or(end).max(end));
        let mut segments = self.segments(&facts.language, end);
        for segment in &mut segments {
            segment.start = segment.start.min(duration);
            segment.end = segment.end.min(duration);
        }
        let transcript = Transcript {
            schema_version: SCHEMA_VERSION,
            id: TranscriptId::from_parts(&[]),
            seminar: SeminarId::from_parts(&[&facts.media_sha256]),
            path: facts.path.clone(),
            media_sha256: facts.media_sha256.clone(),
            duration,
            language: facts.language.tag().to_owned(),
            model: ModelRef {
                name: MODEL.to_owned(),
                sha256: self.sha256.clone(),
            },
            parameters: json!({ "imported_from": self.format }),
            segments,
        };
        transcript.check()?;
        Ok(transcript.sealed())
    }

    /// The sentences, each of one speaker.
    fn segments(&self, language: &Language, end: f64) -> Vec<Segment> {
        // Where nobody has listened, there are no pauses to move a boundary to.
        let frames = sample(end) / FRAME + 1;
        let activity = SpeechActivity::from_frames(vec![1.0; frames], vec![0.0; frames]);
        let mut segments: Vec<Segment> = Vec::new();
        for of_one in self.cues.chunk_by(|a, b| a.speaker == b.speaker) {
            let with_words = of_one.iter().all(|cue| !cue.words.is_empty());
            let phrases: Vec<PlacedPhrase> = of_one.iter().map(Cue::placed).collect();
            let mut said = sentences::from_phrases(&phrases, &activity, language, with_words);
            for segment in &mut said {
                segment.speaker.clone_from(&of_one[0].speaker);
            }
            segments.extend(said);
        }
        without_overlaps(segments)
    }
}

/// Speakers may talk at the same time; segments do not overlap.
fn without_overlaps(mut segments: Vec<Segment>) -> Vec<Segment> {
    let mut end = Ms(0);
    for segment in &mut segments {
        segment.start = segment.start.max(end);
        segment.end = segment.end.max(segment.start);
        for word in &mut segment.words {
            word.start = word.start.clamp(segment.start, segment.end);
            word.end = word.end.clamp(segment.start, segment.end);
        }
        end = segment.end;
    }
    segments
}

impl Cue {
    /// The cue at its place in the recording.
    fn placed(&self) -> PlacedPhrase {
        PlacedPhrase {
            range: sample(self.start)..sample(self.end),
            text: self.text.clone(),
            token_starts: self.word_starts(),
            confidence: self.confidence.unwrap_or(UNTOLD).clamp(0.0, 1.0),
        }
    }

    /// The sample where each word begins, by its byte in the text: as the file tells, else by the
    /// word's share of the characters.
    fn word_starts(&self) -> Vec<(usize, usize)> {
        let told = self.told_word_starts();
        if !told.is_empty() {
            return told;
        }
        let (start, seconds) = (self.start, self.end - self.start);
        let bytes = self.text.len().max(1) as f64;
        word_bytes(&self.text)
            .map(|byte| (byte, sample(start + seconds * byte as f64 / bytes)))
            .collect()
    }

    /// The told words that are found in the text, one after the other.
    fn told_word_starts(&self) -> Vec<(usize, usize)> {
        let mut from = 0;
        let mut starts = Vec::new();
        for (word, second) in &self.words {
            // A word that is not there must not have the whole text read for it.
            let near = head(&self.text[from..], word.len() + NEAR);
            let Some(at) = near.find(word.as_str()) else {
                continue;
            };
            // With the space before it, as Whisper's tokens have it.
            let begins = self.text[..from + at].trim_end().len().max(from);
            starts.push((begins, sample(second.clamp(self.start, self.end))));
            from += at + word.len();
        }
        starts
    }
}

/// The beginning of a text, some bytes long.
fn head(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The bytes where words begin; without spaces each character is one.
fn word_bytes(text: &str) -> impl Iterator<Item = usize> {
    let mut is_between = true;
    text.char_indices().filter_map(move |(byte, c)| {
        let begins = !c.is_whitespace() && (is_between || is_wide(c));
        is_between = c.is_whitespace();
        begins.then_some(byte)
    })
}

/// Whether a character stands for a word or a mark without spaces around it, as in Chinese.
fn is_wide(c: char) -> bool {
    ('\u{2e80}'..='\u{9fff}').contains(&c) || ('\u{f900}'..='\u{ffef}').contains(&c)
}

fn sample(seconds: f64) -> usize {
    (seconds * SAMPLE_RATE as f64).round().max(0.0) as usize
}

#[cfg(test)]
mod tests;

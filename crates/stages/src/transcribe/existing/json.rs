//! The JSON of programs around Whisper: its authors' own and those that write like it
//! (faster-whisper, `verbose_json`), `WhisperX`, and whisper.cpp.

use serde::Deserialize;
use serde_json::Value;

use super::Cue;

/// A file of whisper.cpp has this key.
const OF_CPP: &str = "transcription";

/// Format, language and cues of a file.
pub fn read(text: &str) -> Result<(&'static str, Option<String>, Vec<Cue>), String> {
    let value: Value = serde_json::from_str(text).map_err(|e| format!("it is not JSON: {e}"))?;
    if value.get("media_sha256").is_some() {
        return Err("it is a transcript of taskgen\nhint: copy it into `transcripts/`".to_owned());
    }
    if value.get(OF_CPP).is_some() {
        let file: Cpp = parsed(value)?;
        let language = file.result.and_then(|result| result.language);
        let cues = file.transcription.into_iter().map(CppSegment::cue);
        return Ok(("whisper.cpp", language, cues.collect()));
    }
    if value.get("segments").is_none() {
        return Err(
            "it has neither `segments` nor `transcription`, as Whisper's files have".to_owned(),
        );
    }
    let file: Whisper = parsed(value)?;
    let has_scores = |segment: &Segment| segment.words.iter().any(|word| word.score.is_some());
    let is_whisperx = file.word_segments.is_some() || file.segments.iter().any(has_scores);
    let cues = file.segments.into_iter().map(Segment::cue);
    let format = if is_whisperx { "whisperx" } else { "whisper" };
    Ok((format, file.language, cues.collect::<Result<_, _>>()?))
}

fn parsed<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|e| format!("it is not as Whisper writes it: {e}"))
}

#[derive(Deserialize)]
struct Whisper {
    language: Option<String>,
    segments: Vec<Segment>,
    word_segments: Option<Value>,
}

#[derive(Deserialize)]
struct Segment {
    start: Option<f64>,
    end: Option<f64>,
    text: String,
    avg_logprob: Option<f64>,
    speaker: Option<String>,
    #[serde(default)]
    words: Vec<Word>,
}

/// A word; those that could not be placed have no times.
#[derive(Deserialize)]
struct Word {
    word: String,
    start: Option<f64>,
    /// That of `WhisperX`.
    score: Option<f64>,
    /// That of the others.
    probability: Option<f64>,
}

impl Segment {
    fn cue(self) -> Result<Cue, String> {
        let text = self.text.trim().to_owned();
        let (Some(start), Some(end)) = (self.start, self.end) else {
            let begins: String = text.chars().take(40).collect();
            return Err(format!("a segment has no times: `{begins}`"));
        };
        let certain = self
            .words
            .iter()
            .filter_map(|word| word.score.or(word.probability));
        let confidence = self.avg_logprob.map(f64::exp).or(mean(certain));
        let words = self.words.into_iter();
        let words = words.filter_map(|word| Some((word.word.trim().to_owned(), word.start?)));
        Ok(Cue {
            start,
            end,
            text,
            confidence,
            speaker: self.speaker,
            words: words.filter(|(word, _)| !word.is_empty()).collect(),
        })
    }
}

#[derive(Deserialize)]
struct Cpp {
    result: Option<CppResult>,
    transcription: Vec<CppSegment>,
}

#[derive(Deserialize)]
struct CppResult {
    language: Option<String>,
}

#[derive(Deserialize)]
struct CppSegment {
    offsets: Offsets,
    text: String,
    #[serde(default)]
    tokens: Vec<Token>,
    speaker: Option<String>,
}

/// Milliseconds.
#[derive(Deserialize)]
struct Offsets {
    from: f64,
    to: f64,
}

#[derive(Deserialize)]
struct Token {
    text: String,
    p: Option<f64>,
}

impl CppSegment {
    fn cue(self) -> Cue {
        // Marks of time such as `[_TT_150]` are no words.
        let spoken = self
            .tokens
            .iter()
            .filter(|token| !token.text.starts_with("[_"));
        Cue {
            start: self.offsets.from / 1000.0,
            end: self.offsets.to / 1000.0,
            text: self.text.trim().to_owned(),
            confidence: mean(spoken.filter_map(|token| token.p)),
            speaker: self.speaker,
            words: Vec::new(),
        }
    }
}

/// The mean; none of nothing.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    (n > 0.0).then(|| sum / n)
}

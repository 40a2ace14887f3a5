//! A transcript in the forms that players and people read: subtitles and plain text.

use std::fmt::Write;

use crate::data::{Ms, Transcript};

/// A form that a transcript can be written in, besides its JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Subtitles for most players (`.srt`).
    Srt,
    /// Subtitles for web pages (`.vtt`).
    Vtt,
    /// One sentence a line, with its time.
    Txt,
}

impl Format {
    /// All forms.
    pub const ALL: [Self; 3] = [Self::Srt, Self::Vtt, Self::Txt];

    /// The file's extension.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Srt => "srt",
            Self::Vtt => "vtt",
            Self::Txt => "txt",
        }
    }

    /// The transcript in this form.
    pub fn render(self, transcript: &Transcript) -> String {
        let mut out = String::new();
        if self == Self::Vtt {
            out.push_str("WEBVTT\n\n");
        }
        for (i, segment) in transcript.segments.iter().enumerate() {
            let (start, end, text) = (segment.start, segment.end, segment.text.replace("-->", "→"));
            // Writing to a string cannot fail.
            match self {
                Self::Srt => write!(
                    out,
                    "{}\n{} --> {}\n{text}\n\n",
                    i + 1,
                    clock(start, ','),
                    clock(end, ',')
                ),
                Self::Vtt => write!(
                    out,
                    "{} --> {}\n{}\n\n",
                    clock(start, '.'),
                    clock(end, '.'),
                    escaped(&text)
                ),
                Self::Txt => writeln!(out, "[{start}] {text}"),
            }
            .unwrap_or_default();
        }
        out
    }
}

fn clock(at: Ms, point: char) -> String {
    let ms = at.0;
    format!(
        "{:02}:{:02}:{:02}{point}{:03}",
        ms / 3_600_000,
        ms / 60_000 % 60,
        ms / 1000 % 60,
        ms % 1000
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Id, ModelRef, Segment, SeminarId};

    #[test]
    fn each_form_as_players_expect_it() {
        let transcript = Transcript {
            schema_version: 1,
            id: Id::from_stored(String::new()),
            seminar: SeminarId::from_parts(&["x"]),
            path: "a.mp3".into(),
            media_sha256: String::new(),
            duration: Ms(9000),
            language: "en".into(),
            model: ModelRef {
                name: "tiny.en".into(),
                sha256: String::new(),
            },
            parameters: serde_json::Value::Null,
            segments: vec![Segment {
                start: Ms(61_500),
                end: Ms(3_662_004),
                text: "a < b".into(),
                confidence: 1.0,
                speaker: None,
                words: Vec::new(),
            }],
        };
        assert_eq!(
            Format::Srt.render(&transcript),
            "1\n00:01:01,500 --> 01:01:02,004\na < b\n\n"
        );
        assert_eq!(
            Format::Vtt.render(&transcript),
            "WEBVTT\n\n00:01:01.500 --> 01:01:02.004\na &lt; b\n\n"
        );
        assert_eq!(Format::Txt.render(&transcript), "[1:01] a < b\n");
    }
}

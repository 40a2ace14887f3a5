//! Whether the text of a window can be believed: how likely the model itself finds it, whether it
//! repeats itself, whether anybody could speak so fast, and whether it leaves speech without text.
//! Each reason costs seconds of speech, so that two ways of hearing the same window can be
//! compared.

use std::io::Write as _;

use flate2::{Compression, write::ZlibEncoder};
use serde::{Deserialize, Serialize};

use super::{language::Language, sentences::Placed, vad::SpeechActivity, windows::Window};
use crate::data::Ms;

/// Mean log-probability of the tokens below which a text is a guess: Whisper's own threshold.
pub const LEAST_LOGPROB: f64 = -1.0;
/// Length of a text over its length compressed, above which it repeats itself: Whisper's own
/// threshold.
const MOST_COMPRESSED: f64 = 2.4;
/// Letters for each second of speech that nobody exceeds, where words are set apart and where they
/// are not.
const FASTEST: (f64, f64) = (35.0, 14.0);
/// Letters for each second of speech below which words are missing, likewise: under half of what
/// slow speakers say.
const SLOWEST: (f64, f64) = (5.5, 1.8);
/// Phrases with less speech than this say nothing about the rate, in seconds.
const RATED: f64 = 2.0;
/// Speech without text that is more than a matter of time stamps, in seconds.
const UNHEARD: f64 = 1.2;

/// A reason not to believe the text of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QualityIssue {
    /// The recogniser went in circles.
    Loops,
    /// The text repeats itself.
    Repeats,
    /// The model itself finds it unlikely.
    Unlikely,
    /// Nobody speaks so fast.
    TooFast,
    /// Speech has no text, or far too little.
    Lost,
}

impl QualityIssue {
    /// In words, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Loops => "looped",
            Self::Repeats => "repeated",
            Self::Unlikely => "unlikely to the model itself",
            Self::TooFast => "faster than anybody speaks",
            Self::Lost => "with speech that has no text",
        }
    }
}

/// A stretch of the recording whose text is kept, and may be wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DoubtfulSpan {
    /// Where it begins.
    pub start: Ms,
    /// Where it ends.
    pub end: Ms,
    /// What speaks against it.
    pub reasons: Vec<QualityIssue>,
}

/// What a window's text is judged by.
pub struct Case<'a> {
    /// Where speech is.
    pub hearing: &'a SpeechActivity,
    /// The language that is spoken.
    pub language: &'a Language,
    /// The window.
    pub window: &'a Window,
    /// What was heard in it.
    pub said: &'a [Placed],
    /// Mean log-probability of the tokens.
    pub logprob: f64,
    /// Loops that were cut down.
    pub loops: usize,
}

impl Case<'_> {
    /// The reasons to doubt, and the seconds of speech that they concern.
    pub fn doubts(&self) -> (Vec<QualityIssue>, f64) {
        let lost = self.lost();
        let voiced: f64 = self
            .window
            .pieces
            .iter()
            .map(|piece| self.hearing.voiced_seconds(piece))
            .sum();
        let letters: usize = self.said.iter().map(|placed| letters(&placed.text)).sum();
        let text: String = self
            .said
            .iter()
            .map(|placed| placed.text.as_str())
            .collect();
        let reasons = [
            (self.loops > 0, QualityIssue::Loops),
            (compression(&text) > MOST_COMPRESSED, QualityIssue::Repeats),
            (
                !self.said.is_empty() && self.logprob < LEAST_LOGPROB,
                QualityIssue::Unlikely,
            ),
            // A second for what the detector may have missed.
            (
                letters as f64 > (voiced + 1.0) * self.rate(FASTEST),
                QualityIssue::TooFast,
            ),
            (lost > 0.0, QualityIssue::Lost),
        ];
        let doubts: Vec<QualityIssue> = reasons
            .into_iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, doubt)| doubt)
            .collect();
        // What cannot be believed is no better than what is lost, and at least a little worse than
        // nothing at all.
        let unbelievable = if doubts.iter().any(|doubt| *doubt != QualityIssue::Lost) {
            voiced.max(0.1)
        } else {
            0.0
        };
        (doubts, unbelievable.max(lost))
    }

    fn rate(&self, (spaced, unspaced): (f64, f64)) -> f64 {
        if self.language.is_unspaced() {
            unspaced
        } else {
            spaced
        }
    }

    /// Seconds of speech without text: long gaps between phrases, and what a phrase with too few
    /// letters hides.
    fn lost(&self) -> f64 {
        let gaps: f64 = self.gaps().into_iter().filter(|gap| *gap > UNHEARD).sum();
        let hidden = self.said.iter().map(|placed| {
            let voiced = self.hearing.voiced_seconds(&placed.range);
            let said = letters(&placed.text) as f64 / self.rate(SLOWEST);
            if voiced >= RATED {
                (voiced - said).max(0.0)
            } else {
                0.0
            }
        });
        gaps + hidden.sum::<f64>()
    }

    /// Voiced seconds of each stretch of the window that no phrase covers.
    fn gaps(&self) -> Vec<f64> {
        let mut gaps = Vec::new();
        for piece in &self.window.pieces {
            let mut at = piece.start;
            for range in self.said.iter().map(|placed| &placed.range) {
                if range.end <= at || range.start >= piece.end {
                    continue;
                }
                gaps.push(self.hearing.voiced_seconds(&(at..range.start.max(at))));
                at = range.end.min(piece.end);
            }
            gaps.push(self.hearing.voiced_seconds(&(at..piece.end)));
        }
        gaps
    }
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// How much shorter the text becomes when it is compressed; 0 for none.
fn compression(text: &str) -> f64 {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let packed = packed
        .write_all(text.as_bytes())
        .and_then(|()| packed.finish())
        .unwrap_or_default();
    text.len() as f64 / packed.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcribe::{sound::RATE, vad::FRAME};

    const SEVEN: &str = " We measured the moisture of the soil at forty places, and each of them told another story.";

    fn doubts(text: &str, tag: &str, logprob: f64, loops: usize) -> Vec<QualityIssue> {
        let frames = 7 * RATE / FRAME;
        let hearing = SpeechActivity::of_frames(vec![0.9; frames], vec![-20.0; frames]);
        let said = [Placed {
            range: 0..7 * RATE,
            text: text.into(),
            marks: Vec::new(),
            confidence: 0.9,
        }];
        Case {
            hearing: &hearing,
            language: &Language::parse(tag).expect("known"),
            window: &Window {
                pieces: std::iter::once(0..7 * RATE).collect(),
            },
            said: &said[..usize::from(!text.is_empty())],
            logprob,
            loops,
        }
        .doubts()
        .0
    }

    #[test]
    fn each_reason_is_told_from_plain_speech() {
        assert_eq!(doubts(SEVEN, "en", -0.4, 0), []);
        assert_eq!(
            doubts(
                "我们在四十个地方测量了土壤的湿度，每个地方都不一样。",
                "zh",
                -0.4,
                0
            ),
            []
        );
        assert_eq!(doubts(SEVEN, "en", -1.1, 0), [QualityIssue::Unlikely]);
        assert_eq!(doubts(SEVEN, "en", -0.4, 1), [QualityIssue::Loops]);
        assert_eq!(doubts("", "en", 0.0, 0), [QualityIssue::Lost]);
        assert_eq!(doubts(" Thank you.", "en", -0.2, 0), [QualityIssue::Lost]);
        assert_eq!(
            doubts(&" and then it rained".repeat(12), "en", -0.4, 0),
            [QualityIssue::Repeats]
        );
        let fast = (0..40)
            .map(|n| format!("{:08}", n * 7_654_321 % 99_999_999))
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(doubts(&fast, "en", -0.4, 0), [QualityIssue::TooFast]);
    }
}

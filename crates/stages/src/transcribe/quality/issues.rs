//! Quality issues of a window's text: how likely the model itself finds it, whether it repeats
//! itself, whether anybody could speak so fast, and whether speech is left without text. Each issue
//! costs seconds of speech, so that two ways of decoding the same window can be compared.

use std::io::Write as _;

use flate2::{Compression, write::ZlibEncoder};

use super::diagnostics::QualityIssue;
use crate::transcribe::{
    language::tag::Language,
    phrase::PlacedPhrase,
    speech::{activity::SpeechActivity, windows::Window},
};

/// Mean log-probability of the tokens below which a text is unlikely: Whisper's own threshold.
pub const MIN_MEAN_LOGPROB: f64 = -1.0;
/// Length of a text over its compressed length above which it repeats itself: Whisper's own
/// threshold.
const MAX_COMPRESSION: f64 = 2.4;
/// Most letters per second of speech.
const FASTEST: LetterRate = LetterRate {
    spaced: 35.0,
    unspaced: 14.0,
};
/// Letters per second of speech below which words are missing: under half of what slow speakers
/// say.
const SLOWEST: LetterRate = LetterRate {
    spaced: 5.5,
    unspaced: 1.8,
};
/// Fewest seconds of speech in a phrase that say something about its rate.
const MIN_RATED_SECONDS: f64 = 2.0;
/// Longest speech without text that can be a matter of inexact time stamps, in seconds.
const MAX_STAMP_GAP: f64 = 1.2;

/// Letters per second, in languages with and without spaces between words.
#[derive(Clone, Copy)]
struct LetterRate {
    spaced: f64,
    unspaced: f64,
}

/// A window's text with the evidence about it.
pub struct WindowText<'a> {
    /// Stretches of speech.
    pub activity: &'a SpeechActivity,
    /// The language that is spoken.
    pub language: &'a Language,
    /// The window.
    pub window: &'a Window,
    /// The text.
    pub phrases: &'a [PlacedPhrase],
    /// Mean log-probability of the tokens.
    pub mean_logprob: f64,
    /// Loops that were cut.
    pub loops: usize,
}

impl WindowText<'_> {
    /// The issues, and the seconds of speech that they concern.
    pub fn issues(&self) -> (Vec<QualityIssue>, f64) {
        let voiced: f64 = self
            .window
            .pieces
            .iter()
            .map(|piece| self.activity.voiced_seconds(piece))
            .sum();
        let lost = self.lost_seconds();
        let mut issues = Vec::new();
        if self.loops > 0 {
            issues.push(QualityIssue::Loops);
        }
        if self.repeats_itself() {
            issues.push(QualityIssue::Repeats);
        }
        if !self.phrases.is_empty() && self.mean_logprob < MIN_MEAN_LOGPROB {
            issues.push(QualityIssue::Unlikely);
        }
        if self.is_too_fast(voiced) {
            issues.push(QualityIssue::TooFast);
        }
        if lost > 0.0 {
            issues.push(QualityIssue::Lost);
        }
        // Text that cannot be believed is no better than lost speech, and at least a little worse
        // than no text at all.
        let is_unbelievable = issues.iter().any(|issue| *issue != QualityIssue::Lost);
        let unbelievable = if is_unbelievable {
            voiced.max(0.1)
        } else {
            0.0
        };
        (issues, unbelievable.max(lost))
    }

    fn repeats_itself(&self) -> bool {
        let text: String = self
            .phrases
            .iter()
            .map(|phrase| phrase.text.as_str())
            .collect();
        compression(&text) > MAX_COMPRESSION
    }

    fn is_too_fast(&self, voiced: f64) -> bool {
        let letters: usize = self
            .phrases
            .iter()
            .map(|phrase| letters(&phrase.text))
            .sum();
        // A second for what the detector may have missed.
        letters as f64 > (voiced + 1.0) * self.rate(FASTEST)
    }

    fn rate(&self, rate: LetterRate) -> f64 {
        if self.language.is_unspaced() {
            rate.unspaced
        } else {
            rate.spaced
        }
    }

    /// Seconds of speech without text: long gaps between phrases, and phrases with too few letters.
    fn lost_seconds(&self) -> f64 {
        let gaps: f64 = self
            .gaps()
            .into_iter()
            .filter(|gap| *gap > MAX_STAMP_GAP)
            .sum();
        let missing = self
            .phrases
            .iter()
            .map(|phrase| self.missing_seconds(phrase));
        gaps + missing.sum::<f64>()
    }

    /// Seconds of speech in a phrase for which it has no letters.
    fn missing_seconds(&self, phrase: &PlacedPhrase) -> f64 {
        let voiced = self.activity.voiced_seconds(&phrase.range);
        if voiced < MIN_RATED_SECONDS {
            return 0.0;
        }
        let spoken = letters(&phrase.text) as f64 / self.rate(SLOWEST);
        (voiced - spoken).max(0.0)
    }

    /// Seconds of speech in each stretch of the window that no phrase covers.
    fn gaps(&self) -> Vec<f64> {
        let mut gaps = Vec::new();
        for piece in &self.window.pieces {
            let mut at = piece.start;
            for range in self.phrases.iter().map(|phrase| &phrase.range) {
                if range.end <= at || range.start >= piece.end {
                    continue;
                }
                gaps.push(self.activity.voiced_seconds(&(at..range.start.max(at))));
                at = range.end.min(piece.end);
            }
            gaps.push(self.activity.voiced_seconds(&(at..piece.end)));
        }
        gaps
    }
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// Length of a text over its compressed length; 0 for an empty one.
fn compression(text: &str) -> f64 {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let compressed = encoder
        .write_all(text.as_bytes())
        .and_then(|()| encoder.finish())
        .unwrap_or_default();
    text.len() as f64 / compressed.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcribe::{audio::SAMPLE_RATE, speech::activity::FRAME};

    const SEVEN: &str = " We measured the moisture of the soil at forty places, and each of them told another story.";

    fn issues(text: &str, tag: &str, mean_logprob: f64, loops: usize) -> Vec<QualityIssue> {
        let frames = 7 * SAMPLE_RATE / FRAME;
        let activity = SpeechActivity::from_frames(vec![0.9; frames], vec![-20.0; frames]);
        let phrases = [PlacedPhrase {
            range: 0..7 * SAMPLE_RATE,
            text: text.into(),
            token_starts: Vec::new(),
            confidence: 0.9,
        }];
        WindowText {
            activity: &activity,
            language: &Language::parse(tag).expect("known"),
            window: &Window {
                pieces: std::iter::once(0..7 * SAMPLE_RATE).collect(),
            },
            phrases: &phrases[..usize::from(!text.is_empty())],
            mean_logprob,
            loops,
        }
        .issues()
        .0
    }

    #[test]
    fn each_reason_is_told_from_plain_speech() {
        assert_eq!(issues(SEVEN, "en", -0.4, 0), []);
        assert_eq!(
            issues(
                "我们在四十个地方测量了土壤的湿度，每个地方都不一样。",
                "zh",
                -0.4,
                0
            ),
            []
        );
        assert_eq!(issues(SEVEN, "en", -1.1, 0), [QualityIssue::Unlikely]);
        assert_eq!(issues(SEVEN, "en", -0.4, 1), [QualityIssue::Loops]);
        assert_eq!(issues("", "en", 0.0, 0), [QualityIssue::Lost]);
        assert_eq!(issues(" Thank you.", "en", -0.2, 0), [QualityIssue::Lost]);
        assert_eq!(
            issues(&" and then it rained".repeat(12), "en", -0.4, 0),
            [QualityIssue::Repeats]
        );
        let fast = (0..40)
            .map(|n| format!("{:08}", n * 7_654_321 % 99_999_999))
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(issues(&fast, "en", -0.4, 0), [QualityIssue::TooFast]);
    }
}

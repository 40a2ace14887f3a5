//! Voice activity: the stretches with speech. A detector proposes, and the loudness of the audio
//! corrects it: what is about as loud as the speech is kept even where the detector was unsure,
//! because a lost sentence is worse than a word too many.

use std::{io, ops::Range};

use crate::transcribe::audio::{Audio, SAMPLE_RATE};

/// Samples of a frame: what the detector looks at in one step.
pub const FRAME: usize = 256;
/// Frames of the quiet place where a stretch without a pause is cut: a tenth of a second.
pub const CUT_FRAMES: usize = 7;

/// Samples that are read at once; a multiple of [`FRAME`].
const CHUNK: usize = FRAME * 1024;
/// Samples kept before and after each stretch of speech, so that no first or last sound is cut.
const PADDING: usize = SAMPLE_RATE / 5;
/// Score of the detector at which speech begins.
const SPEECH_SCORE: f32 = 0.5;
/// Score below which speech may end.
const SILENCE_SCORE: f32 = 0.3;
/// Frames that a pause must exceed to end a stretch of speech.
const HANGOVER_FRAMES: usize = 20;
/// Fewest frames of speech; shorter stretches are clicks, and padding keeps their surroundings.
const MIN_SPEECH_FRAMES: usize = 4;
/// Fewest frames of a loud stretch that the detector did not score as speech.
const MIN_LOUD_FRAMES: usize = 20;
/// Fewest frames of a pause; shorter gaps are within a word.
const MIN_PAUSE_FRAMES: usize = 6;
/// Samples by which a time stamp may be wrong.
const MAX_STAMP_ERROR: usize = SAMPLE_RATE * 3 / 4;
/// Decibels below the typical level of speech at which a loud stretch may still be added.
const LOUD_BELOW_SPEECH: f32 = 15.0;
/// Decibels below the typical level of speech at which a loud stretch is added however noisy the
/// rest of the recording is.
const NEAR_SPEECH: f32 = 6.0;
/// Level of silence in decibels, whatever the rest of the recording is like.
const SILENCE_DB: f32 = -60.0;

/// A stretch of audio that will be transcribed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeechSpan {
    /// The samples, with padding.
    pub range: Range<usize>,
    /// Whether the detector found speech in it; otherwise it is only loud.
    pub detected: bool,
}

/// The detector's score and the level of each frame of a recording.
#[derive(Clone, Debug)]
pub struct SpeechActivity {
    scores: Vec<f32>,
    levels: Vec<f32>,
    /// Samples of the whole recording; its last frame may be shorter than the others.
    length: usize,
}

impl SpeechActivity {
    /// Analyses a recording.
    pub fn detect(audio: &Audio) -> io::Result<Self> {
        // Two passes: the level of the whole decides how much each frame is amplified for the
        // detector.
        let mut levels = Vec::with_capacity(audio.length().div_ceil(FRAME));
        for chunk in audio.chunks(CHUNK) {
            levels.extend(chunk?.chunks(FRAME).map(level));
        }
        let scores = detector_scores(audio, gain_for(&levels))?;
        Ok(Self {
            scores,
            levels,
            length: audio.length(),
        })
    }

    /// A recording with these scores and levels, one of each for a frame.
    pub fn from_frames(scores: Vec<f32>, levels: Vec<f32>) -> Self {
        Self {
            length: scores.len() * FRAME,
            scores,
            levels,
        }
    }

    /// The stretches to transcribe, in order, padded, not overlapping.
    pub fn spans(&self) -> Vec<SpeechSpan> {
        let detected = self.detected_frames();
        let loud = self.loud_frames(&detected);
        let mut stretches: Vec<(Range<usize>, bool)> = Vec::new();
        stretches.extend(detected.into_iter().map(|frames| (frames, true)));
        stretches.extend(loud.into_iter().map(|frames| (frames, false)));
        stretches.sort_by_key(|(frames, _)| frames.start);
        let mut spans: Vec<SpeechSpan> = Vec::new();
        for (frames, detected) in stretches {
            let range = (frames.start * FRAME).saturating_sub(PADDING)
                ..(frames.end * FRAME + PADDING).min(self.length);
            match spans.last_mut() {
                // Their padding meets.
                Some(last) if last.range.end >= range.start => {
                    last.range.end = last.range.end.max(range.end);
                    last.detected |= detected;
                }
                _ => spans.push(SpeechSpan { range, detected }),
            }
        }
        spans
    }

    /// Seconds of speech in `range` (in samples).
    pub fn voiced_seconds(&self, range: &Range<usize>) -> f64 {
        let frames = range.start / FRAME..range.end.div_ceil(FRAME).min(self.scores.len());
        let scores = self.scores.get(frames).unwrap_or_default();
        let voiced = scores.iter().filter(|&&s| s >= SPEECH_SCORE).count();
        (voiced * FRAME) as f64 / SAMPLE_RATE as f64
    }

    /// The best sample of `range` to cut at: the middle of the `width` frames with the lowest
    /// level.
    pub fn quietest_point(&self, range: &Range<usize>, width: usize) -> usize {
        let first = range.start / FRAME;
        let levels = self
            .levels
            .get(first..range.end / FRAME)
            .unwrap_or_default();
        let middle = levels
            .windows(width)
            .enumerate()
            .min_by(|(_, a), (_, b)| total_power(a).total_cmp(&total_power(b)))
            .map_or(levels.len() / 2, |(start, _)| start + width / 2);
        (first + middle) * FRAME
    }

    /// The pause that a time stamp at `near` means: the middle of a long one nearby, inside `range`
    /// (all in samples). `near` itself if there is none.
    pub fn pause_near(&self, near: usize, range: &Range<usize>) -> usize {
        let from = near.saturating_sub(MAX_STAMP_ERROR).max(range.start) / FRAME;
        let to = ((near + MAX_STAMP_ERROR).min(range.end) / FRAME).min(self.scores.len());
        let scores = self.scores.get(from..to).unwrap_or_default();
        let near_frame = (near / FRAME).saturating_sub(from);
        // A frame of length weighs as much as a frame of distance.
        let best = pauses(scores)
            .into_iter()
            .max_by_key(|pause| pause.len() as i64 - distance(near_frame, pause) as i64);
        best.map_or(near, |pause| {
            (from + usize::midpoint(pause.start, pause.end)) * FRAME
        })
    }

    /// The boundary between two sentences that a time stamp at `near` means: `near`, unless that is
    /// in the middle of a word.
    pub fn sentence_boundary(&self, near: usize, range: &Range<usize>) -> usize {
        let frame = near / FRAME;
        let before = frame.saturating_sub(MIN_PAUSE_FRAMES)..(frame + 1).min(self.scores.len());
        let scores = self.scores.get(before).unwrap_or_default();
        if scores.iter().any(|&score| score >= SPEECH_SCORE) {
            self.pause_near(near, range)
        } else {
            near
        }
    }

    /// `range` (in samples) without the silence at its ends; unchanged where the detector finds no
    /// speech in it.
    pub fn trimmed(&self, range: &Range<usize>) -> Range<usize> {
        let first = range.start / FRAME;
        let frames = first..range.end.div_ceil(FRAME).min(self.scores.len());
        let scores = self.scores.get(frames).unwrap_or_default();
        let begin = scores.iter().position(|&score| score >= SPEECH_SCORE);
        let end = scores.iter().rposition(|&score| score >= SPEECH_SCORE);
        let (Some(begin), Some(end)) = (begin, end) else {
            return range.clone();
        };
        // Three frames of room on each side: the score rises late and falls early.
        let start = ((first + begin) * FRAME)
            .saturating_sub(FRAME * 3)
            .max(range.start);
        start..((first + end + 4) * FRAME).min(range.end).max(start)
    }

    /// Frames that the detector scores as speech, pauses within speech included.
    fn detected_frames(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut start: Option<usize> = None;
        let mut quiet = 0;
        for (frame, &score) in self.scores.iter().enumerate() {
            match start {
                // Two thresholds: a syllable just below the first one does not end the speech
                // (hysteresis).
                None if score >= SPEECH_SCORE => {
                    start = Some(frame);
                    quiet = 0;
                }
                Some(from) => {
                    quiet = if score < SILENCE_SCORE { quiet + 1 } else { 0 };
                    if quiet > HANGOVER_FRAMES {
                        // The pause itself does not belong to the speech.
                        found.push(from..frame + 1 - quiet);
                        start = None;
                    }
                }
                None => {}
            }
        }
        if let Some(from) = start {
            found.push(from..self.scores.len() - quiet);
        }
        found.retain(|frames| frames.len() >= MIN_SPEECH_FRAMES);
        found
    }

    /// Stretches outside the `detected` frames that are nearly as loud as those.
    fn loud_frames(&self, detected: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut is_detected = vec![false; self.levels.len()];
        for frames in detected {
            is_detected[frames.clone()].fill(true);
        }
        let threshold = self.loudness_threshold(&is_detected);
        let mut found = Vec::new();
        let mut start = None;
        // One step beyond the last frame ends a stretch that lasts to the end.
        let beyond = self.levels.len();
        for frame in 0..=beyond {
            let is_open = is_detected.get(frame) == Some(&false);
            let is_loud = is_open && smoothed(&self.levels, frame) >= threshold;
            match (start, is_loud) {
                (None, true) => start = Some(frame),
                (Some(from), false) => {
                    found.push(from..frame);
                    start = None;
                }
                _ => {}
            }
        }
        found.retain(|frames| frames.len() >= MIN_LOUD_FRAMES);
        found
    }

    /// The level from which a frame without detected speech counts as loud, in decibels.
    fn loudness_threshold(&self, is_detected: &[bool]) -> f32 {
        let speech: Vec<f32> = self
            .levels
            .iter()
            .zip(is_detected)
            .filter(|(_, detected)| **detected)
            .map(|(level, _)| *level)
            .collect();
        let noise = percentile(&audible(&self.levels), 0.1) + 10.0;
        if speech.is_empty() {
            return noise.max(SILENCE_DB);
        }
        let typical = percentile(&speech, 0.5);
        // Where the speech itself is the quietest audible part, the lowest levels say nothing about
        // the noise.
        noise
            .min(typical - NEAR_SPEECH)
            .max(typical - LOUD_BELOW_SPEECH)
            .max(SILENCE_DB)
    }
}

/// The detector's score of each frame of amplified audio.
fn detector_scores(audio: &Audio, gain: f32) -> io::Result<Vec<f32>> {
    let mut detector = earshot::Detector::default();
    let mut frame = [0.0f32; FRAME];
    let mut scores = Vec::with_capacity(audio.length().div_ceil(FRAME));
    for chunk in audio.chunks(CHUNK) {
        for samples in chunk?.chunks(FRAME) {
            // The last frame may be shorter: silence fills it up.
            frame.fill(0.0);
            for (slot, sample) in frame.iter_mut().zip(samples) {
                *slot = (sample * gain).clamp(-1.0, 1.0);
            }
            scores.push(detector.predict_f32(&frame));
        }
    }
    Ok(scores)
}

/// The stretches without speech that are long enough to be a pause.
fn pauses(scores: &[f32]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for frame in 0..=scores.len() {
        if frame == scores.len() || scores[frame] >= SPEECH_SCORE {
            if frame - start >= MIN_PAUSE_FRAMES {
                found.push(start..frame);
            }
            start = frame + 1;
        }
    }
    found
}

/// Frames between `frame` and a pause; 0 inside it.
fn distance(frame: usize, pause: &Range<usize>) -> usize {
    let before = pause.start.saturating_sub(frame);
    before.max((frame + 1).saturating_sub(pause.end))
}

/// Mean level of samples in decibels of full scale.
fn level(samples: &[f32]) -> f32 {
    let power = samples.iter().map(|s| s * s).sum::<f32>() / samples.len().max(1) as f32;
    10.0 * (power + 1e-12).log10()
}

/// The power of frames with these levels together.
fn total_power(levels: &[f32]) -> f32 {
    levels.iter().map(|l| 10f32.powf(l / 10.0)).sum()
}

/// The highest level around a frame, so that the gaps between syllables do not break a stretch.
fn smoothed(levels: &[f32], frame: usize) -> f32 {
    let around = frame.saturating_sub(3)..(frame + 4).min(levels.len());
    levels[around].iter().copied().fold(f32::MIN, f32::max)
}

fn percentile(values: &[f32], share: f64) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted
        .get((sorted.len() as f64 * share) as usize)
        .copied()
        .unwrap_or(SILENCE_DB)
}

/// The levels above silence: a long silence must not change how the rest is treated.
fn audible(levels: &[f32]) -> Vec<f32> {
    levels
        .iter()
        .copied()
        .filter(|level| *level > SILENCE_DB)
        .collect()
}

/// The amplification that brings a quiet recording to the level that the detector was trained on.
fn gain_for(levels: &[f32]) -> f32 {
    let loud = percentile(&audible(levels), 0.95);
    10f32.powf((-20.0 - loud) / 20.0).clamp(1.0, 30.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcribe::audio::AudioWriter;

    fn activity(scores: &[(usize, f32)], levels: &[(usize, f32)]) -> SpeechActivity {
        let expand = |runs: &[(usize, f32)]| {
            runs.iter()
                .flat_map(|&(n, v)| std::iter::repeat_n(v, n))
                .collect()
        };
        SpeechActivity::from_frames(expand(scores), expand(levels))
    }

    #[test]
    fn short_pauses_do_not_split_and_long_ones_do() {
        let activity = activity(
            &[
                (50, 0.0),
                (40, 0.9),
                (10, 0.1),
                (40, 0.9),
                (100, 0.0),
                (40, 0.9),
            ],
            &[(280, -80.0)],
        );
        let spans = activity.spans();
        assert_eq!(spans.len(), 2);
        assert_eq!(spans[0].range, 50 * FRAME - PADDING..140 * FRAME + PADDING);
        assert_eq!(spans[1].range, 240 * FRAME - PADDING..280 * FRAME);
    }

    #[test]
    fn a_time_stamp_in_the_tail_of_a_word_means_the_pause_behind_it() {
        // Two words with a closure of 0.06 s inside the second, and a pause of 0.5 s between them.
        let runs = [(60, 0.9), (31, 0.0), (20, 0.9), (4, 0.0), (40, 0.9)];
        let activity = activity(&runs, &[(155, -20.0)]);
        let whole = 0..155 * FRAME;
        let middle = 75 * FRAME;
        assert_eq!(
            activity.sentence_boundary(55 * FRAME, &whole),
            middle,
            "in the first word's tail"
        );
        assert_eq!(
            activity.sentence_boundary(70 * FRAME, &whole),
            70 * FRAME,
            "in the pause"
        );
        assert_eq!(
            activity.sentence_boundary(99 * FRAME, &whole),
            middle,
            "a closure is no pause"
        );
        assert_eq!(
            activity.sentence_boundary(150 * FRAME, &whole),
            150 * FRAME,
            "none is near"
        );
        assert_eq!(
            activity.pause_near(85 * FRAME, &(80 * FRAME..90 * FRAME)),
            85 * FRAME
        );
    }

    #[test]
    fn what_is_as_loud_as_speech_is_kept_without_a_score() {
        let scores = [(50, 0.0), (50, 0.9), (300, 0.0)];
        let levels = [
            (50, -70.0),
            (50, -25.0),
            (100, -70.0),
            (40, -28.0),
            (100, -70.0),
            (10, -20.0),
            (50, -70.0),
        ];
        let spans = activity(&scores, &levels).spans();
        assert_eq!(
            spans.iter().map(|s| s.detected).collect::<Vec<_>>(),
            [true, false]
        );
        assert!(spans[1].range.contains(&(220 * FRAME)));
    }

    #[test]
    fn spans_end_with_the_sound() {
        let mut activity = activity(&[(40, 0.9)], &[(40, -20.0)]);
        activity.length -= 100;
        assert_eq!(activity.spans()[0].range, 0..40 * FRAME - 100);
    }

    #[test]
    fn silence_has_no_spans() {
        for seconds in [0, 3] {
            let mut writer = AudioWriter::new().expect("a temporary file");
            writer
                .write(&vec![0.0; SAMPLE_RATE * seconds])
                .expect("written");
            let sound = writer.finish(0, false).expect("flushed");
            assert_eq!(SpeechActivity::detect(&sound).expect("read").spans(), []);
        }
    }
}

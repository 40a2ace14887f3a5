//! Where somebody speaks. The detector proposes, and the sound's level audits it: what is about as
//! loud as the speech is kept even where the detector was unsure, because a lost sentence is worse
//! than a word too many.

use std::{io, ops::Range};

use super::sound::{RATE, Sound};

/// Samples that the detector looks at in one step.
pub const FRAME: usize = 256;
/// Samples that are read at once: whole frames.
const PART: usize = FRAME * 1024;
/// Kept before and after each stretch of speech, so that no first or last sound is cut.
const PAD: usize = RATE / 5;
/// Score at which speech begins, and below which it may end.
const ENTER: f32 = 0.5;
const LEAVE: f32 = 0.3;
/// Pauses shorter than this do not end a stretch, in frames.
const HOLD: usize = 20;
/// Shorter stretches are clicks, in frames; padding keeps their surroundings.
const SHORTEST: usize = 4;
/// A loud stretch without a score must last this long to be added, in frames.
const LOUD_SHORTEST: usize = 20;
/// How far below the typical level of speech something may be and still be added, in decibels.
const LOUD_BELOW_SPEECH: f32 = 15.0;
/// A tenth of a second, in frames: a place to cut a stretch that has no pause.
pub const GAP: usize = 7;
/// Shorter gaps are within a word, in frames.
const SHORT_PAUSE: usize = 6;
/// A time stamp is at most so wrong, in samples.
const SNAP: usize = RATE * 3 / 4;
/// What is this near to the typical level of speech is added however noisy the rest is, in
/// decibels.
const NEAR_SPEECH: f32 = 6.0;
/// What is quieter than this is silence, whatever the rest is like.
const SILENCE_DB: f32 = -60.0;

/// A stretch of sound that will be heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Samples, padded.
    pub range: Range<usize>,
    /// Whether the detector heard speech in it; otherwise it is only loud.
    pub sure: bool,
}

/// What the detector heard, frame by frame.
#[derive(Clone, Debug)]
pub struct SpeechActivity {
    scores: Vec<f32>,
    levels: Vec<f32>,
    /// Samples of the whole sound; its last frame may be shorter than the others.
    length: usize,
}

impl SpeechActivity {
    /// Listens to the whole sound, twice: how loud it is decides how far it is raised for the
    /// detector.
    pub fn of(sound: &Sound) -> io::Result<Self> {
        let mut levels = Vec::with_capacity(sound.length().div_ceil(FRAME));
        for part in sound.parts(PART) {
            levels.extend(part?.chunks(FRAME).map(level));
        }
        let gain = gain_for(&levels);
        let mut detector = earshot::Detector::default();
        let mut frame = [0.0f32; FRAME];
        let mut scores = Vec::with_capacity(levels.len());
        for part in sound.parts(PART) {
            for chunk in part?.chunks(FRAME) {
                frame.fill(0.0);
                for (slot, sample) in frame.iter_mut().zip(chunk) {
                    *slot = (sample * gain).clamp(-1.0, 1.0);
                }
                scores.push(detector.predict_f32(&frame));
            }
        }
        Ok(Self {
            scores,
            levels,
            length: sound.length(),
        })
    }

    /// A hearing with one score and one level for each frame.
    #[cfg(test)]
    pub fn of_frames(scores: Vec<f32>, levels: Vec<f32>) -> Self {
        Self {
            length: scores.len() * FRAME,
            scores,
            levels,
        }
    }

    /// The stretches to transcribe, in order, padded, not overlapping.
    pub fn spans(&self) -> Vec<Span> {
        let sure = self.speech();
        let mut spans: Vec<(Range<usize>, bool)> =
            sure.iter().cloned().map(|r| (r, true)).collect();
        spans.extend(self.loud(&sure).into_iter().map(|r| (r, false)));
        spans.sort_by_key(|(range, _)| range.start);
        let mut padded: Vec<Span> = Vec::new();
        for (frames, sure) in spans {
            let range = (frames.start * FRAME).saturating_sub(PAD)
                ..(frames.end * FRAME + PAD).min(self.length);
            match padded.last_mut() {
                Some(last) if last.range.end >= range.start => {
                    last.range.end = last.range.end.max(range.end);
                    last.sure |= sure;
                }
                _ => padded.push(Span { range, sure }),
            }
        }
        padded
    }

    /// Share of frames of `range` (in samples) that sound like speech.
    pub fn voiced_seconds(&self, range: &Range<usize>) -> f64 {
        let frames = range.start / FRAME..range.end.div_ceil(FRAME).min(self.scores.len());
        let voiced = self
            .scores
            .get(frames)
            .map_or(0, |scores| scores.iter().filter(|&&s| s >= ENTER).count());
        (voiced * FRAME) as f64 / RATE as f64
    }

    /// The quietest place of `range` (in samples) to cut at: the middle of so many frames with the
    /// lowest level.
    pub fn quietest(&self, range: &Range<usize>, width: usize) -> usize {
        let first = range.start / FRAME;
        let frames = self
            .levels
            .get(first..range.end / FRAME)
            .unwrap_or_default();
        let best = frames
            .windows(width)
            .enumerate()
            .min_by(|(_, a), (_, b)| loudness(a).total_cmp(&loudness(b)))
            .map_or(frames.len() / 2, |(i, _)| i + width / 2);
        (first + best) * FRAME
    }

    /// The pause that is meant by a time stamp that says `near`: the middle of a long one that is
    /// not far, inside `range` (all in samples). `near` itself where there is none.
    pub fn pause_near(&self, near: usize, range: &Range<usize>) -> usize {
        let from = near.saturating_sub(SNAP).max(range.start) / FRAME;
        let to = ((near + SNAP).min(range.end) / FRAME).min(self.scores.len());
        let frames = self.scores.get(from..to).unwrap_or_default();
        let near_frame = (near / FRAME).saturating_sub(from);
        let worth = |run: &Range<usize>| {
            let far = run
                .start
                .saturating_sub(near_frame)
                .max((near_frame + 1).saturating_sub(run.end));
            run.len() as i64 - far as i64
        };
        let best = pauses(frames).into_iter().max_by_key(worth);
        best.map_or(near, |run| {
            (from + usize::midpoint(run.start, run.end)) * FRAME
        })
    }

    /// Where a time stamp that says `near` parts two sentences: `near`, unless that is in the
    /// middle of a word.
    pub fn parting(&self, near: usize, range: &Range<usize>) -> usize {
        let at = near / FRAME;
        let around = self
            .scores
            .get(at.saturating_sub(SHORT_PAUSE)..(at + 1).min(self.scores.len()))
            .unwrap_or_default();
        if around.iter().any(|&s| s >= ENTER) {
            self.pause_near(near, range)
        } else {
            near
        }
    }

    /// `range` (in samples) without the silence at its ends; unchanged where the detector hears
    /// nothing in it.
    pub fn trimmed(&self, range: &Range<usize>) -> Range<usize> {
        let first = range.start / FRAME;
        let frames = self
            .scores
            .get(first..range.end.div_ceil(FRAME).min(self.scores.len()))
            .unwrap_or_default();
        let begin = frames.iter().position(|&s| s >= ENTER);
        let end = frames.iter().rposition(|&s| s >= ENTER);
        match (begin, end) {
            (Some(begin), Some(end)) => {
                let start = ((first + begin) * FRAME)
                    .saturating_sub(FRAME * 3)
                    .max(range.start);
                start..((first + end + 4) * FRAME).min(range.end).max(start)
            }
            _ => range.clone(),
        }
    }

    fn speech(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut start: Option<usize> = None;
        let mut quiet = 0;
        for (i, &score) in self.scores.iter().enumerate() {
            match start {
                None if score >= ENTER => {
                    start = Some(i);
                    quiet = 0;
                }
                Some(from) => {
                    quiet = if score < LEAVE { quiet + 1 } else { 0 };
                    if quiet > HOLD {
                        found.push(from..i + 1 - quiet);
                        start = None;
                    }
                }
                None => {}
            }
        }
        if let Some(from) = start {
            found.push(from..self.scores.len() - quiet);
        }
        found.retain(|r| r.len() >= SHORTEST);
        found
    }

    /// Stretches outside `speech` that are nearly as loud as it.
    fn loud(&self, speech: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut taken = vec![false; self.levels.len()];
        for range in speech {
            taken[range.clone()].fill(true);
        }
        let heard = self.levels.iter().zip(&taken);
        let reference: Vec<f32> = heard
            .filter(|(_, taken)| **taken)
            .map(|(level, _)| *level)
            .collect();
        let floor = percentile(&audible(&self.levels), 0.1) + 10.0;
        let threshold = if reference.is_empty() {
            floor
        } else {
            let speech = percentile(&reference, 0.5);
            // Where the speech itself is the quietest that is heard, it is no measure of the noise.
            floor
                .min(speech - NEAR_SPEECH)
                .max(speech - LOUD_BELOW_SPEECH)
        };
        let threshold = threshold.max(SILENCE_DB);
        let mut found = Vec::new();
        let mut from = None;
        for i in 0..=self.levels.len() {
            let loud = i < taken.len() && !taken[i] && smooth(&self.levels, i) >= threshold;
            match (from, loud) {
                (None, true) => from = Some(i),
                (Some(start), false) => {
                    found.push(start..i);
                    from = None;
                }
                _ => {}
            }
        }
        found.retain(|r| r.len() >= LOUD_SHORTEST);
        found
    }
}

/// The stretches without speech that are long enough to be a pause.
fn pauses(frames: &[f32]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for i in 0..=frames.len() {
        if i == frames.len() || frames[i] >= ENTER {
            if i - start >= SHORT_PAUSE {
                found.push(start..i);
            }
            start = i + 1;
        }
    }
    found
}

/// Mean level of a frame in decibels of full scale.
fn level(samples: &[f32]) -> f32 {
    let power = samples.iter().map(|s| s * s).sum::<f32>() / samples.len().max(1) as f32;
    10.0 * (power + 1e-12).log10()
}

fn loudness(levels: &[f32]) -> f32 {
    levels.iter().map(|l| 10f32.powf(l / 10.0)).sum()
}

/// The loudest of the frames around `i`: a stretch is not broken by the gaps between syllables.
fn smooth(levels: &[f32], i: usize) -> f32 {
    let around = i.saturating_sub(3)..(i + 4).min(levels.len());
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

/// The levels that are not silence: how long nobody spoke shall not change how the rest is heard.
fn audible(levels: &[f32]) -> Vec<f32> {
    levels
        .iter()
        .copied()
        .filter(|level| *level > SILENCE_DB)
        .collect()
}

/// Quiet recordings are raised, so that the detector hears them as it was trained to.
fn gain_for(levels: &[f32]) -> f32 {
    let loud = percentile(&audible(levels), 0.95);
    10f32.powf((-20.0 - loud) / 20.0).clamp(1.0, 30.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcribe::sound::Spool;

    fn hearing(scores: &[(usize, f32)], levels: &[(usize, f32)]) -> SpeechActivity {
        let expand = |runs: &[(usize, f32)]| {
            runs.iter()
                .flat_map(|&(n, v)| std::iter::repeat_n(v, n))
                .collect()
        };
        SpeechActivity::of_frames(expand(scores), expand(levels))
    }

    #[test]
    fn short_pauses_do_not_split_and_long_ones_do() {
        let heard = hearing(
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
        let spans = heard.spans();
        assert_eq!(spans.len(), 2);
        assert_eq!(spans[0].range, 50 * FRAME - PAD..140 * FRAME + PAD);
        assert_eq!(spans[1].range, 240 * FRAME - PAD..280 * FRAME);
    }

    #[test]
    fn a_time_stamp_in_the_tail_of_a_word_means_the_pause_behind_it() {
        // Two words with a closure of 0.06 s inside the second, and a pause of 0.5 s between them.
        let runs = [(60, 0.9), (31, 0.0), (20, 0.9), (4, 0.0), (40, 0.9)];
        let hearing = hearing(&runs, &[(155, -20.0)]);
        let whole = 0..155 * FRAME;
        let middle = 75 * FRAME;
        assert_eq!(
            hearing.parting(55 * FRAME, &whole),
            middle,
            "in the first word's tail"
        );
        assert_eq!(
            hearing.parting(70 * FRAME, &whole),
            70 * FRAME,
            "in the pause"
        );
        assert_eq!(
            hearing.parting(99 * FRAME, &whole),
            middle,
            "a closure is no pause"
        );
        assert_eq!(
            hearing.parting(150 * FRAME, &whole),
            150 * FRAME,
            "none is near"
        );
        assert_eq!(
            hearing.pause_near(85 * FRAME, &(80 * FRAME..90 * FRAME)),
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
        let spans = hearing(&scores, &levels).spans();
        assert_eq!(
            spans.iter().map(|s| s.sure).collect::<Vec<_>>(),
            [true, false]
        );
        assert!(spans[1].range.contains(&(220 * FRAME)));
    }

    #[test]
    fn spans_end_with_the_sound() {
        let mut heard = hearing(&[(40, 0.9)], &[(40, -20.0)]);
        heard.length -= 100;
        assert_eq!(heard.spans()[0].range, 0..40 * FRAME - 100);
    }

    #[test]
    fn silence_has_no_spans() {
        for seconds in [0, 3] {
            let mut spool = Spool::new().expect("a temporary file");
            spool.add(&vec![0.0; RATE * seconds]).expect("written");
            let sound = spool.finish(0, false).expect("flushed");
            assert_eq!(SpeechActivity::of(&sound).expect("read").spans(), []);
        }
    }
}

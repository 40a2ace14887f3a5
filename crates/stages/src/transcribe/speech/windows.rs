//! Windows: stretches of speech packed into Whisper's 30 seconds, with their ends in pauses.
//! Hides the two time bases: a window's time skips the silence that the recording's time runs
//! through.

use std::{cmp::Reverse, io, ops::Range};

use super::activity::{CUT_FRAMES, SpeechActivity, SpeechSpan};
use crate::transcribe::audio::{Audio, SAMPLE_RATE};

/// Most samples of a window. Whisper's frame is 30 seconds, and a pass costs nearly as much for
/// fewer; some room keeps the last words away from the edge.
pub const MAX_WINDOW: usize = 28 * SAMPLE_RATE;
/// Fewest samples of a stretch longer than a window before it is cut at its quietest place.
const MIN_BEFORE_CUT: usize = 18 * SAMPLE_RATE;
/// Longer pauses count as this one: more silence in a recording must not move other windows.
const MAX_PAUSE: usize = SAMPLE_RATE;
/// Fewest samples that Whisper can take; a shorter window is filled up with silence.
const MIN_INPUT: usize = SAMPLE_RATE + SAMPLE_RATE / 4;
/// Fewest samples of a window that may be halved.
const MIN_TO_HALVE: usize = 4 * SAMPLE_RATE;

/// Pieces of a recording that are recognised together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Ranges of samples in order.
    pub pieces: Vec<Range<usize>>,
}

impl Window {
    /// The window's samples, filled up with silence to what Whisper can take.
    pub fn samples(&self, audio: &Audio) -> io::Result<Vec<f32>> {
        let mut samples = Vec::with_capacity(self.length().max(MIN_INPUT));
        for piece in &self.pieces {
            samples.extend(audio.read(piece)?);
        }
        if samples.len() < MIN_INPUT {
            samples.resize(MIN_INPUT, 0.0);
        }
        Ok(samples)
    }

    /// Length in samples, without filling.
    pub fn length(&self) -> usize {
        self.pieces.iter().map(Range::len).sum()
    }

    /// The recording's sample for the window's sample `at` where something begins.
    pub fn start_in_recording(&self, at: usize) -> usize {
        // At a seam of two pieces what begins is in the later one.
        self.in_recording(at, |offset, length| offset < length)
    }

    /// The recording's sample for the window's sample `at` where something ends.
    pub fn end_in_recording(&self, at: usize) -> usize {
        // At a seam of two pieces what ends is in the earlier one.
        self.in_recording(at, |offset, length| offset <= length)
    }

    fn in_recording(&self, at: usize, is_inside: fn(usize, usize) -> bool) -> usize {
        let mut offset = at;
        for piece in &self.pieces {
            if is_inside(offset, piece.len()) {
                return piece.start + offset;
            }
            offset -= piece.len().min(offset);
        }
        self.pieces.last().map_or(0, |piece| piece.end)
    }

    /// Two windows in place of this one, cut in its longest pause near the middle; `None` if it is
    /// too short.
    pub fn halves(&self, activity: &SpeechActivity) -> Option<[Self; 2]> {
        if self.length() < MIN_TO_HALVE {
            return None;
        }
        match self.longest_central_pause() {
            Some(seam) => {
                let (left, right) = self.pieces.split_at(seam);
                Some([left, right].map(|pieces| Self {
                    pieces: pieces.to_vec(),
                }))
            }
            None => self.halves_of_a_piece(activity),
        }
    }

    /// The index of the piece that follows the longest pause between a fifth and four fifths of the
    /// window; the first of equals.
    fn longest_central_pause(&self) -> Option<usize> {
        let length = self.length();
        let mut before = 0;
        let mut longest: Option<(usize, usize)> = None;
        for seam in 1..self.pieces.len() {
            before += self.pieces[seam - 1].len();
            let pause = self.pieces[seam].start - self.pieces[seam - 1].end;
            let is_central = (length / 5..length * 4 / 5).contains(&before);
            if is_central && longest.is_none_or(|(_, longest)| pause > longest) {
                longest = Some((seam, pause));
            }
        }
        longest.map(|(seam, _)| seam)
    }

    /// Two windows, cut at the quietest place of the piece in the middle.
    fn halves_of_a_piece(&self, activity: &SpeechActivity) -> Option<[Self; 2]> {
        let from = self.start_in_recording(self.length() * 3 / 10);
        let to = self.start_in_recording(self.length() * 7 / 10);
        let middle = self.pieces.iter().position(|p| p.contains(&from))?;
        let to = to.min(self.pieces[middle].end);
        let cut = activity
            .quietest_point(&(from..to), CUT_FRAMES)
            .clamp(from, to);
        let mut left = self.pieces[..=middle].to_vec();
        let mut right = self.pieces[middle..].to_vec();
        left[middle].end = cut;
        right[0].start = cut;
        Some([Self { pieces: left }, Self { pieces: right }])
    }
}

/// The pieces that windows are packed from: the spans, those that are longer than a window cut at
/// their quietest places.
pub fn window_pieces(spans: &[SpeechSpan], activity: &SpeechActivity) -> Vec<Range<usize>> {
    let lengths = MIN_BEFORE_CUT..MAX_WINDOW;
    spans
        .iter()
        .flat_map(|span| cut_at_quiet(span.range.clone(), &lengths, CUT_FRAMES, activity))
        .collect()
}

/// A way to pack the pieces from one on. The smallest in this order is the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packing {
    windows: usize,
    /// Samples of the pauses that end the windows.
    pauses: Reverse<usize>,
    /// The piece at which the first window ends.
    first_end: usize,
}

/// Packs `pieces` in order, each into exactly one window: into as few windows as possible, since
/// each has a fixed cost, and among those ways into the one with the longest pauses between
/// windows.
pub fn pack(pieces: &[Range<usize>]) -> Vec<Window> {
    let end = pieces.len();
    let nothing = Packing {
        windows: 0,
        pauses: Reverse(0),
        first_end: end,
    };
    // From the last piece to the first: each best way needs those of the pieces behind it.
    let mut best = vec![nothing; end + 1];
    for from in (0..end).rev() {
        best[from] = best_packing(pieces, from, &best).unwrap_or(nothing);
    }
    let mut windows = Vec::new();
    let mut from = 0;
    while from < end {
        let to = best[from].first_end;
        windows.push(Window {
            pieces: pieces[from..to].to_vec(),
        });
        from = to;
    }
    windows
}

/// The best way to pack the pieces from `from` on, where `best` holds those of all later pieces.
fn best_packing(pieces: &[Range<usize>], from: usize, best: &[Packing]) -> Option<Packing> {
    let mut found: Option<Packing> = None;
    let mut length = 0;
    for to in from + 1..=pieces.len() {
        length += pieces[to - 1].len();
        // A piece that is too long for any window has one of its own.
        if length > MAX_WINDOW && to > from + 1 {
            break;
        }
        let rest = best[to];
        let packing = Packing {
            windows: rest.windows + 1,
            pauses: Reverse(rest.pauses.0 + pause_before(pieces, to)),
            first_end: to,
        };
        found = Some(found.map_or(packing, |found| found.min(packing)));
    }
    found
}

/// The pause before piece `to`; 0 behind the last.
fn pause_before(pieces: &[Range<usize>], to: usize) -> usize {
    pieces
        .get(to)
        .map_or(0, |next| (next.start - pieces[to - 1].end).min(MAX_PAUSE))
}

/// Cuts what is longer than `lengths.end` where `width` frames are the quietest; no piece but the
/// last is shorter than `lengths.start` (all in samples).
pub fn cut_at_quiet(
    mut range: Range<usize>,
    lengths: &Range<usize>,
    width: usize,
    activity: &SpeechActivity,
) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    while range.len() > lengths.end {
        // The last piece is no splinter.
        let latest = (range.start + lengths.end).min(range.end - lengths.start / 3);
        let candidates = range.start + lengths.start..latest;
        let cut = activity
            .quietest_point(&candidates, width)
            .clamp(candidates.start, candidates.end);
        pieces.push(range.start..cut);
        range.start = cut;
    }
    pieces.push(range);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcribe::speech::activity::FRAME;

    fn silence(seconds: usize) -> SpeechActivity {
        let frames = seconds * SAMPLE_RATE / FRAME;
        SpeechActivity::from_frames(vec![0.0; frames], vec![-80.0; frames])
    }

    fn span(from: f64, to: f64) -> SpeechSpan {
        let at = |s: f64| (s * SAMPLE_RATE as f64) as usize;
        SpeechSpan {
            range: at(from)..at(to),
            detected: true,
        }
    }

    #[test]
    fn windows_hold_everything_once_and_end_in_the_longest_pause() {
        let activity = silence(120);
        let spans = [
            span(0.0, 12.0),
            span(12.5, 20.0),
            span(23.0, 27.0),
            span(27.5, 31.0),
            span(31.8, 100.0),
        ];
        let windows = pack(&window_pieces(&spans, &activity));
        let held: usize = windows.iter().map(Window::length).sum();
        assert_eq!(held, spans.iter().map(|s| s.range.len()).sum::<usize>());
        assert!(windows.iter().all(|w| w.length() <= MAX_WINDOW));
        assert_eq!(
            windows[0].pieces.len(),
            2,
            "the pause of 3 seconds ends the first window"
        );
    }

    #[test]
    fn times_are_mapped_piece_by_piece() {
        let window = Window {
            pieces: vec![100..200, 500..600],
        };
        assert_eq!(window.start_in_recording(0), 100);
        assert_eq!(window.end_in_recording(100), 200);
        assert_eq!(window.start_in_recording(100), 500);
        assert_eq!(window.end_in_recording(150), 550);
        assert_eq!(window.end_in_recording(900), 600);
    }

    #[test]
    fn halves_lose_nothing() {
        let activity = silence(60);
        let window = |pieces: &[(usize, usize)]| Window {
            pieces: pieces
                .iter()
                .map(|&(from, to)| from * SAMPLE_RATE..to * SAMPLE_RATE)
                .collect(),
        };
        for window in [window(&[(0, 20)]), window(&[(0, 2), (5, 9), (10, 16)])] {
            let [a, b] = window.halves(&activity).expect("long enough");
            assert_eq!(a.length() + b.length(), window.length());
            assert!(a.pieces.iter().chain(&b.pieces).all(|p| !p.is_empty()));
        }
        assert_eq!(window(&[(0, 1)]).halves(&activity), None);
    }
}

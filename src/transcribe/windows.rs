//! Stretches of speech are packed into windows that fill Whisper's 30 seconds and end in pauses.
//! Hides the two time bases: a window's time skips the silence that the recording's time runs
//! through.

use std::{cmp::Reverse, io, ops::Range};

use super::{
    sound::{RATE, Sound},
    vad::{self, Span, SpeechActivity},
};

/// Longest window. Whisper's frame is 30 seconds, and a pass costs nearly as much for fewer; some
/// room keeps its last words from the edge.
pub const LONGEST: usize = 28 * RATE;
/// A stretch that is longer than a window is cut at the quietest place after this much of it.
const SETTLED: usize = 18 * RATE;
/// Longer pauses are as good as this one: more silence in a recording shall not move other windows.
const LONG_PAUSE: usize = RATE;
/// Whisper fails on very short input; it is filled up with silence.
const SHORTEST: usize = RATE + RATE / 4;

/// Pieces of a recording, heard in one go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Ranges of samples in order.
    pub pieces: Vec<Range<usize>>,
}

impl Window {
    /// The window's samples, filled up with silence to what Whisper can take.
    pub fn samples(&self, sound: &Sound) -> io::Result<Vec<f32>> {
        let mut samples = Vec::with_capacity(self.length().max(SHORTEST));
        for piece in &self.pieces {
            samples.extend(sound.read(piece)?);
        }
        if samples.len() < SHORTEST {
            samples.resize(SHORTEST, 0.0);
        }
        Ok(samples)
    }

    /// Length in samples, without filling.
    pub fn length(&self) -> usize {
        self.pieces.iter().map(Range::len).sum()
    }

    /// The recording's sample where something begins that begins at `at` in the window.
    pub fn start_in_file(&self, at: usize) -> usize {
        self.in_file(at, |offset, piece| offset < piece)
    }

    /// The recording's sample where something ends that ends at `at` in the window.
    pub fn end_in_file(&self, at: usize) -> usize {
        self.in_file(at, |offset, piece| offset <= piece)
    }

    fn in_file(&self, at: usize, inside: fn(usize, usize) -> bool) -> usize {
        let mut offset = at;
        for piece in &self.pieces {
            if inside(offset, piece.len()) {
                return piece.start + offset;
            }
            offset -= piece.len().min(offset);
        }
        self.pieces.last().map_or(0, |p| p.end)
    }

    /// Two windows in place of this one, cut in its longest pause near the middle; `None` where it
    /// is too short.
    pub fn halves(&self, hearing: &SpeechActivity) -> Option<[Self; 2]> {
        let length = self.length();
        if length < 4 * RATE {
            return None;
        }
        let mut before = 0;
        let mut best: Option<(usize, usize)> = None;
        for i in 1..self.pieces.len() {
            before += self.pieces[i - 1].len();
            let pause = self.pieces[i].start - self.pieces[i - 1].end;
            let central = (length / 5..length * 4 / 5).contains(&before);
            if central && best.is_none_or(|(_, longest)| pause > longest) {
                best = Some((i, pause));
            }
        }
        if let Some((i, _)) = best {
            let (left, right) = self.pieces.split_at(i);
            return Some([
                Self {
                    pieces: left.to_vec(),
                },
                Self {
                    pieces: right.to_vec(),
                },
            ]);
        }
        let from = self.start_in_file(length * 3 / 10);
        let to = self.start_in_file(length * 7 / 10);
        let piece = self.pieces.iter().position(|p| p.contains(&from))?;
        let to = to.min(self.pieces[piece].end);
        let cut = hearing.quietest(&(from..to), vad::GAP).clamp(from, to);
        let mut left = self.pieces[..=piece].to_vec();
        let mut right = self.pieces[piece..].to_vec();
        left[piece].end = cut;
        right[0].start = cut;
        Some([Self { pieces: left }, Self { pieces: right }])
    }
}

/// The `spans`, those that are longer than a window cut at their quietest places.
pub fn pieces(spans: &[Span], hearing: &SpeechActivity) -> Vec<Range<usize>> {
    spans
        .iter()
        .flat_map(|s| cut(s.range.clone(), &(SETTLED..LONGEST), vad::GAP, hearing))
        .collect()
}

/// Packs `pieces` in order, each into exactly one window: into as few windows as can be, since each
/// has its own cost, and of all such ways in the one whose windows end in the longest pauses.
pub fn pack(pieces: &[Range<usize>]) -> Vec<Window> {
    let last = pieces.len();
    // Of the best way for the pieces from each one on: its windows, the pauses that end them, and
    // where the first ends.
    let mut ways = vec![(0, Reverse(0), last); last + 1];
    for from in (0..last).rev() {
        let mut length = 0;
        let fits = |to: &usize| {
            length += pieces[to - 1].len();
            length <= LONGEST || to - 1 == from
        };
        let way = |to: usize| {
            let (windows, Reverse(pauses), _) = ways[to];
            (windows + 1, Reverse(pauses + pause_before(pieces, to)), to)
        };
        ways[from] = (from + 1..=last)
            .take_while(fits)
            .map(way)
            .min()
            .unwrap_or(ways[from]);
    }
    let mut windows = Vec::new();
    let mut from = 0;
    while from < last {
        let to = ways[from].2;
        windows.push(Window {
            pieces: pieces[from..to].to_vec(),
        });
        from = to;
    }
    windows
}

/// The pause before piece `to`, where there is one.
fn pause_before(pieces: &[Range<usize>], to: usize) -> usize {
    pieces
        .get(to)
        .map_or(0, |next| (next.start - pieces[to - 1].end).min(LONG_PAUSE))
}

/// Cuts what is longer than `lengths` (in samples) where so many frames are the quietest.
pub fn cut(
    mut range: Range<usize>,
    lengths: &Range<usize>,
    width: usize,
    hearing: &SpeechActivity,
) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    while range.len() > lengths.end {
        // No splinter stays behind.
        let latest = (range.start + lengths.end).min(range.end - lengths.start / 3);
        let candidates = range.start + lengths.start..latest;
        let cut = hearing
            .quietest(&candidates, width)
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
    use crate::transcribe::vad::FRAME;

    fn silence(seconds: usize) -> SpeechActivity {
        let frames = seconds * RATE / FRAME;
        SpeechActivity::of_frames(vec![0.0; frames], vec![-80.0; frames])
    }

    fn span(from: f64, to: f64) -> Span {
        let at = |s: f64| (s * RATE as f64) as usize;
        Span {
            range: at(from)..at(to),
            sure: true,
        }
    }

    #[test]
    fn windows_hold_everything_once_and_end_in_the_longest_pause() {
        let hearing = silence(120);
        let spans = [
            span(0.0, 12.0),
            span(12.5, 20.0),
            span(23.0, 27.0),
            span(27.5, 31.0),
            span(31.8, 100.0),
        ];
        let windows = pack(&pieces(&spans, &hearing));
        let held: usize = windows.iter().map(Window::length).sum();
        assert_eq!(held, spans.iter().map(|s| s.range.len()).sum::<usize>());
        assert!(windows.iter().all(|w| w.length() <= LONGEST));
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
        assert_eq!(window.start_in_file(0), 100);
        assert_eq!(window.end_in_file(100), 200);
        assert_eq!(window.start_in_file(100), 500);
        assert_eq!(window.end_in_file(150), 550);
        assert_eq!(window.end_in_file(900), 600);
    }

    #[test]
    fn halves_lose_nothing() {
        let hearing = silence(60);
        let window = |pieces: &[(usize, usize)]| Window {
            pieces: pieces
                .iter()
                .map(|&(from, to)| from * RATE..to * RATE)
                .collect(),
        };
        for window in [window(&[(0, 20)]), window(&[(0, 2), (5, 9), (10, 16)])] {
            let [a, b] = window.halves(&hearing).expect("long enough");
            assert_eq!(a.length() + b.length(), window.length());
            assert!(a.pieces.iter().chain(&b.pieces).all(|p| !p.is_empty()));
        }
        assert_eq!(window(&[(0, 1)]).halves(&hearing), None);
    }
}

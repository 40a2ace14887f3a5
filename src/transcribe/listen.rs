//! Sound and a model become sentences: every window is heard, and those where text is missing or loops are heard again
//! in halves. Works in rounds over all windows, so that the result does not depend on how many workers there are.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::data::Segment;

use super::{
    audio::RATE,
    error::TranscribeError,
    guard::{self, Evidence, Notes},
    language::Language,
    sentences::{self, Placed},
    vad::Hearing,
    whisper::{Heard, Model},
    windows::Window,
};

/// Rounds of hearing again; each halves the windows.
const ROUNDS: usize = 3;
/// Speech without text that makes a window suspicious, in seconds.
const MAX_UNHEARD: f64 = 1.2;
/// A segment with less text for its speech than this share of the recording's usual hides lost words.
const SPARSE: f64 = 0.5;
/// Segments shorter than this say nothing about the rate of speech, in seconds.
const RATED: f64 = 2.0;

/// What the recogniser works on.
pub struct Source<'a> {
    /// The recording.
    pub sound: &'a [f32],
    /// Where speech is in it.
    pub hearing: &'a Hearing,
    /// Its language.
    pub language: &'a Language,
    /// Words to expect.
    pub vocabulary: Option<&'a str>,
    /// How many workers.
    pub jobs: usize,
}

/// One window and what was heard in it.
#[derive(Clone)]
struct Take {
    window: Window,
    heard: Vec<Said>,
    loops: usize,
}

/// A segment at its place in the recording.
#[derive(Clone)]
struct Said {
    placed: Placed,
    voiced: f64,
    letters: usize,
    no_speech: f64,
}

/// The sentences in `windows`. `progress` is told the share of the work that is done.
pub fn listen(
    model: &Model,
    source: &Source,
    windows: Vec<Window>,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<(Vec<Segment>, Notes), TranscribeError> {
    let mut notes = Notes::default();
    let total: usize = windows.iter().map(Window::length).sum();
    let done = AtomicUsize::new(0);
    let mut takes = hear(model, source, windows, &|samples| {
        let done = done.fetch_add(samples, Ordering::Relaxed) + samples;
        progress(done as f64 / total.max(1) as f64);
    })?;
    let usual = usual_rate(&takes);
    for round in 0..ROUNDS {
        if !hear_again(model, source, &mut takes, usual, round == 0, &mut notes)? {
            break;
        }
    }
    let placed = sift(takes, &mut notes);
    Ok((sentences::of(&placed, source.hearing, source.language), notes))
}

fn hear(
    model: &Model,
    source: &Source,
    windows: Vec<Window>,
    heard: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Take>, TranscribeError> {
    let texts = model.each(&windows, source.jobs, source.language, source.vocabulary, |ear, window| {
        let result = ear.hear(&window.samples(source.sound));
        heard(window.length());
        result
    })?;
    Ok(windows.into_iter().zip(texts).map(|(window, text)| take(source, window, text)).collect())
}

fn take(source: &Source, window: Window, heard: Vec<Heard>) -> Take {
    let unspaced = source.language.is_unspaced();
    let mut loops = 0;
    let mut said: Vec<Said> = Vec::new();
    let all: String = heard.iter().map(|h| h.text.as_str()).collect();
    let looping = guard::unlooped(&all, unspaced).1 > 0;
    for segment in heard {
        let (text, cut) = guard::unlooped(&segment.text, unspaced);
        let again = looping && said.last().is_some_and(|last| last.placed.text == text);
        loops += cut + usize::from(again);
        if again || text.trim().is_empty() {
            continue;
        }
        said.push(place(source, &window, &segment, text));
    }
    Take { window, heard: said, loops: loops + usize::from(looping && loops == 0) }
}

fn place(source: &Source, window: &Window, segment: &Heard, text: String) -> Said {
    let sample = |seconds: f64| (seconds.max(0.0) * RATE as f64) as usize;
    let start = window.start_in_file(sample(segment.start).min(window.length().saturating_sub(1)));
    let end = window.end_in_file(sample(segment.end).min(window.length())).max(start);
    let range = source.hearing.trimmed(&(start..end));
    Said {
        voiced: source.hearing.voiced_seconds(&range),
        letters: text.chars().filter(|c| c.is_alphanumeric()).count(),
        no_speech: segment.no_speech,
        placed: Placed { range, text, confidence: segment.confidence },
    }
}

/// Letters for each voiced second in the recording's typical segment.
fn usual_rate(takes: &[Take]) -> f64 {
    let all = takes.iter().flat_map(|t| &t.heard);
    let mut rates: Vec<f64> = all.filter(|s| s.voiced >= RATED).map(|s| s.letters as f64 / s.voiced).collect();
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or(0.0)
}

/// One round over the suspicious windows. Says whether any window was replaced.
fn hear_again(
    model: &Model,
    source: &Source,
    takes: &mut Vec<Take>,
    usual: f64,
    count: bool,
    notes: &mut Notes,
) -> Result<bool, TranscribeError> {
    let suspects: Vec<usize> = (0..takes.len()).filter(|&i| is_suspicious(source, &takes[i], usual)).collect();
    let halves: Vec<(usize, [Window; 2])> =
        suspects.into_iter().filter_map(|i| takes[i].window.halves(source.hearing).map(|h| (i, h))).collect();
    if count {
        notes.heard_again += halves.len();
    }
    let windows = halves.iter().flat_map(|(_, pair)| pair.clone()).collect();
    let mut again = hear(model, source, windows, &|_| {})?.into_iter();
    let mut mended = false;
    for (i, _) in halves.iter().rev() {
        let (Some(right), Some(left)) = (again.next_back(), again.next_back()) else { break };
        if is_better(&takes[*i], &left, &right) {
            takes.splice(*i..=*i, [left, right]);
            mended = true;
            notes.mended += usize::from(count);
        }
    }
    Ok(mended)
}

fn is_suspicious(source: &Source, take: &Take, usual: f64) -> bool {
    let sparse = |s: &Said| s.voiced >= RATED && (s.letters as f64) < s.voiced * usual * SPARSE;
    take.loops > 0 || unheard_seconds(source, take) > MAX_UNHEARD || take.heard.iter().any(sparse)
}

/// Longest voiced time of the window that no segment covers.
fn unheard_seconds(source: &Source, take: &Take) -> f64 {
    let mut longest: f64 = 0.0;
    for piece in &take.window.pieces {
        let mut at = piece.start;
        for said in &take.heard {
            let range = &said.placed.range;
            if range.end <= at || range.start >= piece.end {
                continue;
            }
            longest = longest.max(source.hearing.voiced_seconds(&(at..range.start.max(at))));
            at = range.end.min(piece.end);
        }
        longest = longest.max(source.hearing.voiced_seconds(&(at..piece.end)));
    }
    longest
}

fn is_better(whole: &Take, left: &Take, right: &Take) -> bool {
    let letters = |take: &Take| take.heard.iter().map(|s| s.letters).sum::<usize>();
    let (before, after) = (letters(whole), letters(left) + letters(right));
    let loops = left.loops + right.loops;
    loops < whole.loops || loops == whole.loops && after > before
}

/// Drops what nobody said.
fn sift(takes: Vec<Take>, notes: &mut Notes) -> Vec<Placed> {
    let mut placed = Vec::new();
    for take in takes {
        notes.loops += take.loops;
        for said in take.heard {
            let evidence = Evidence {
                text: &said.placed.text,
                voiced: said.voiced,
                seconds: said.placed.range.len() as f64 / RATE as f64,
                confidence: said.placed.confidence,
                no_speech: said.no_speech,
            };
            if guard::is_made_up(&evidence) {
                notes.dropped += 1;
            } else {
                placed.push(said.placed);
            }
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcribe::vad::FRAME;

    /// Thirty seconds of speech, of which `said` lists (from, to, letters) in seconds; usual are ten letters a second.
    fn suspicious(said: &[(usize, usize, usize)], loops: usize) -> bool {
        let frames = 30 * RATE / FRAME;
        let hearing = Hearing::of_frames(vec![0.9; frames], vec![-20.0; frames]);
        let language = Language::parse("en").expect("known");
        let source = Source { sound: &[], hearing: &hearing, language: &language, vocabulary: None, jobs: 1 };
        let segment = |&(from, to, letters): &(usize, usize, usize)| Said {
            placed: Placed { range: from * RATE..to * RATE, text: "x".repeat(letters), confidence: 0.9 },
            voiced: (to - from) as f64,
            letters,
            no_speech: 0.0,
        };
        let window = Window { pieces: [0..10 * RATE, 12 * RATE..24 * RATE].to_vec() };
        let take = Take { window, heard: said.iter().map(segment).collect(), loops };
        is_suspicious(&source, &take, 10.0)
    }

    #[test]
    fn lost_turns_sparse_text_and_loops_are_heard_again() {
        assert!(!suspicious(&[(0, 10, 100), (12, 24, 90)], 0));
        assert!(!suspicious(&[(0, 10, 100), (13, 23, 90)], 0), "a second at the ends is a matter of time stamps");
        assert!(suspicious(&[(0, 10, 100)], 0), "the second piece is lost");
        assert!(suspicious(&[(0, 10, 100), (16, 24, 90)], 0), "the start of the second piece is lost");
        assert!(suspicious(&[(0, 24, 80)], 0), "one segment hides what it does not say");
        assert!(suspicious(&[(0, 10, 100), (12, 24, 90)], 1));
    }
}

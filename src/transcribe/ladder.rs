//! One window becomes text that can be believed. It is heard the cheap way first; where the result gives reason to
//! doubt, it is heard by beam search, then in halves, and pieces too short to halve with a little chance. The least
//! doubtful result stays, and what is still doubtful is kept and says why.

use serde::{Deserialize, Serialize};

use super::{
    doubt::{Case, Doubt, Doubtful, LEAST_LOGPROB},
    error::TranscribeError,
    guard::{self, Evidence, Notes},
    language::Language,
    sentences::Placed,
    sound::{RATE, Sound, at},
    vad::Hearing,
    whisper::{self, Ear, Heard, Phrase, Rung, Settings},
    windows::Window,
    words,
};

/// How often a window may be halved.
const HALVINGS: usize = 2;

/// A recording as the workers see it.
pub struct Source {
    /// Its samples.
    pub sound: Sound,
    /// Where speech is in it.
    pub hearing: Hearing,
}

/// How the windows of one language are heard.
pub struct Brief {
    /// The language that is spoken.
    pub language: Language,
    /// What whisper.cpp is told.
    pub settings: Settings,
}

/// What came of one window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Take {
    /// The words at their places.
    pub said: Vec<Placed>,
    /// What was done to get them.
    pub notes: Notes,
}

/// One window heard once.
struct Attempt {
    window: Window,
    said: Vec<Placed>,
    dropped: usize,
    /// Whether all that was heard was dropped as a guess.
    only_guesses: bool,
    loops: usize,
    doubts: Vec<Doubt>,
    /// Seconds of speech that are lost or not to be believed.
    penalty: f64,
}

/// Hears `window`, again and in other ways where the first is doubtful.
pub fn climb(ear: &mut Ear, source: &Source, brief: &Brief, window: &Window) -> Result<Take, TranscribeError> {
    let mut climber = Climber { ear, source, brief, again: 0 };
    let attempts = climber.climb(window, HALVINGS)?;
    let again = climber.again > 0;
    Ok(take(attempts, again))
}

struct Climber<'a> {
    ear: &'a mut Ear,
    source: &'a Source,
    brief: &'a Brief,
    /// Attempts beyond the first.
    again: usize,
}

impl Climber<'_> {
    fn climb(&mut self, window: &Window, halvings: usize) -> Result<Vec<Attempt>, TranscribeError> {
        let first = self.attempt(window, Rung::Greedy)?;
        // Out of noise the first way makes nothing that looks likely; the dearer ones do, since they look for it.
        if first.doubts.is_empty() || first.only_guesses {
            return Ok(vec![first]);
        }
        let unheard = first.said.is_empty();
        let mut best = vec![first];
        self.again += 1;
        keep_better(&mut best, vec![self.attempt(window, Rung::Beam)?]);
        // Where two ways hear no word, nobody speaks, whatever the detector says.
        if is_calm(&best) || is_empty(&best) {
            return Ok(best);
        }
        let mut other = match window.halves(&self.source.hearing).filter(|_| halvings > 0) {
            Some([left, right]) => {
                let mut both = self.climb(&left, halvings - 1)?;
                both.extend(self.climb(&right, halvings - 1)?);
                both
            }
            None => vec![self.attempt(window, Rung::Warm)?],
        };
        // Nor where one of three ways hears some.
        if unheard && is_empty(&other) {
            if let Some(last) = other.last_mut() {
                last.dropped += best.iter().map(|attempt| attempt.said.len()).sum::<usize>();
            }
            return Ok(other);
        }
        keep_better(&mut best, other);
        Ok(best)
    }

    fn attempt(&mut self, window: &Window, rung: Rung) -> Result<Attempt, TranscribeError> {
        let samples = window.samples(&self.source.sound)?;
        let heard = self.ear.hear(&samples, &self.brief.settings, rung)?;
        Ok(judged(&self.source.hearing, &self.brief.language, window, &heard))
    }
}

fn is_calm(attempts: &[Attempt]) -> bool {
    attempts.iter().all(|attempt| attempt.doubts.is_empty())
}

fn is_empty(attempts: &[Attempt]) -> bool {
    attempts.iter().all(|attempt| attempt.said.is_empty())
}

/// The same speech heard in another way counts only where it is less doubtful.
fn keep_better(best: &mut Vec<Attempt>, other: Vec<Attempt>) {
    let penalty = |attempts: &[Attempt]| attempts.iter().map(|attempt| attempt.penalty).sum::<f64>();
    if penalty(&other) < penalty(best) {
        *best = other;
    }
}

fn take(attempts: Vec<Attempt>, again: bool) -> Take {
    let mut notes = Notes { heard_again: usize::from(again), ..Notes::default() };
    notes.mended = usize::from(again && is_calm(&attempts));
    let mut said = Vec::new();
    for attempt in attempts {
        notes.dropped += attempt.dropped;
        notes.loops += attempt.loops;
        if let (false, Some(first), Some(last)) =
            (attempt.doubts.is_empty(), attempt.window.pieces.first(), attempt.window.pieces.last())
        {
            let (start, end) = (at(first.start), at(last.end));
            notes.doubtful.push(Doubtful { start, end, reasons: attempt.doubts });
        }
        said.extend(attempt.said);
    }
    Take { said, notes }
}

/// What was heard, at its place, without what nobody said, and what is wrong with it.
fn judged(hearing: &Hearing, language: &Language, window: &Window, heard: &Heard) -> Attempt {
    let (phrases, loops) = unlooped(&heard.phrases, language.is_unspaced());
    let (mut said, mut kept) = (Vec::new(), Vec::new());
    let (mut dropped, mut guesses) = (0, 0);
    for phrase in &phrases {
        let placed = place(hearing, window, phrase);
        let evidence = Evidence {
            text: &placed.text,
            voiced: hearing.voiced_seconds(&placed.range),
            seconds: placed.range.len() as f64 / RATE as f64,
            confidence: placed.confidence,
            logprob: phrase.logprob(),
            no_speech: phrase.no_speech,
        };
        if guard::is_made_up(&evidence) || language.echoes(&placed.text) {
            dropped += 1;
            guesses += usize::from(guard::is_guess(&evidence));
        } else {
            said.push(placed);
            kept.push(phrase);
        }
    }
    let logprob = whisper::logprob(kept);
    let (doubts, penalty) = Case { hearing, language, window, said: &said, logprob, loops }.doubts();
    let only_guesses = said.is_empty() && guesses > 0 && guesses == dropped;
    Attempt { window: window.clone(), said, dropped, only_guesses, loops, doubts, penalty }
}

/// The phrases with each loop cut down to one round, within them and from one to the next; and how many there were. What is
/// said again is as likely as it was the first time: the model copies what it has made up with great confidence.
fn unlooped(phrases: &[Phrase], unspaced: bool) -> (Vec<Phrase>, usize) {
    let all: String = phrases.iter().map(|p| p.text.as_str()).collect();
    let looping = guard::unlooped(&all, unspaced).1 > 0;
    let mut loops = 0;
    let mut kept: Vec<Phrase> = Vec::new();
    for phrase in phrases {
        let (text, cut) = guard::unlooped(&phrase.text, unspaced);
        let again = looping && kept.last().is_some_and(|last| last.text == text);
        loops += cut + usize::from(again);
        if again || text.trim().is_empty() {
            continue;
        }
        let mut phrase = phrase.clone();
        if text != phrase.text {
            // Of a text that was cut nobody knows which round stayed. That its odds are those at the beginning is exact where
            // the loop is.
            phrase.marks = words::begin(&text, &[], &mut (phrase.start..phrase.end));
            phrase.odds.retain(|(byte, _)| *byte < text.len());
            phrase.text = text;
        }
        let unlikely = |first: &&Phrase| first.logprob() < LEAST_LOGPROB.min(phrase.logprob());
        if let Some(first) = kept.iter().filter(unlikely).find(|first| guard::is_said_again(&first.text, &phrase.text))
        {
            phrase.odds.clone_from(&first.odds);
        }
        kept.push(phrase);
    }
    (kept, loops + usize::from(looping && loops == 0))
}

fn place(hearing: &Hearing, window: &Window, phrase: &Phrase) -> Placed {
    let sample = |seconds: f64| (seconds.max(0.0) * RATE as f64) as usize;
    let begin = |seconds: f64| window.start_in_file(sample(seconds).min(window.length().saturating_sub(1)));
    let whole = window.pieces.first().map_or(0, |first| first.start)..window.end_in_file(window.length());
    let start = hearing.parting(begin(phrase.start), &whole);
    let end = hearing.parting(window.end_in_file(sample(phrase.end).min(window.length())), &whole).max(start);
    Placed {
        range: hearing.trimmed(&(start..end)),
        text: phrase.text.clone(),
        marks: phrase.marks.iter().map(|&(byte, at)| (byte, begin(at))).collect(),
        confidence: phrase.confidence(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcribe::vad::FRAME;

    /// Thirty seconds of speech, of which `said` lists (from, to, letters) in seconds.
    fn heard(said: &[(usize, usize, usize)], logprob: f64) -> Attempt {
        let frames = 30 * RATE / FRAME;
        let hearing = Hearing::of_frames(vec![0.9; frames], vec![-20.0; frames]);
        let language = Language::parse("en").expect("known");
        // No two words are alike, so that nothing looks like a loop.
        let word = |n: usize| format!("{:09}", (n + 1) * 387_654_321 % 999_999_937);
        let words =
            |from: usize, letters: usize| (from * 50..from * 50 + letters / 10).map(word).collect::<Vec<_>>().join(" ");
        let phrase = |&(from, to, letters): &(usize, usize, usize)| Phrase {
            start: from as f64,
            end: to as f64,
            text: words(from, letters),
            marks: Vec::new(),
            odds: vec![(0, logprob)],
            no_speech: 0.0,
        };
        let window = Window { pieces: [0..10 * RATE, 12 * RATE..24 * RATE].to_vec() };
        judged(&hearing, &language, &window, &Heard { phrases: said.iter().map(phrase).collect() })
    }

    #[test]
    fn lost_turns_and_sparse_text_are_doubtful_by_their_seconds() {
        assert_eq!(heard(&[(0, 10, 110), (10, 22, 130)], -0.3).doubts, []);
        assert_eq!(heard(&[(0, 10, 110), (11, 21, 130)], -0.3).doubts, [], "a second is a matter of time stamps");
        let lost = heard(&[(0, 10, 110)], -0.3);
        assert_eq!(lost.doubts, [Doubt::Lost]);
        assert!((lost.penalty - 12.0).abs() < 0.2, "{}", lost.penalty);
        assert_eq!(heard(&[(0, 10, 110), (14, 22, 130)], -0.3).doubts, [Doubt::Lost]);
        assert_eq!(heard(&[(0, 22, 60)], -0.3).doubts, [Doubt::Lost], "one phrase hides what it does not say");
        assert_eq!(heard(&[(0, 10, 110), (10, 22, 130)], -1.2).doubts, [Doubt::Unlikely]);
    }

    #[test]
    fn guesses_are_dropped_and_counted_and_their_window_stays_doubtful() {
        let guessed = heard(&[(0, 10, 110), (10, 22, 130)], -2.0);
        assert_eq!((guessed.said.len(), guessed.dropped, guessed.only_guesses), (0, 2, true));
        let notes = take(vec![guessed], false).notes;
        assert_eq!((notes.dropped, notes.doubtful[0].reasons.as_slice()), (2, [Doubt::Lost].as_slice()));
        let sparse = heard(&[(0, 22, 20)], -0.3);
        assert_eq!(
            (sparse.said.len(), sparse.dropped, sparse.only_guesses),
            (0, 1, false),
            "there may be more to hear"
        );
    }

    #[test]
    fn what_is_said_again_is_as_likely_as_the_first_time() {
        let phrase = |text: &str, odds: &[f64]| Phrase {
            start: 0.0,
            end: 3.0,
            text: text.into(),
            marks: Vec::new(),
            odds: odds.iter().enumerate().map(|(place, odds)| (place * 5, *odds)).collect(),
            no_speech: 0.0,
        };
        let made_up = phrase(" I'm not sure.", &[-2.0, -2.4]);
        let copied = phrase(" But I'm not sure!", &[-0.1, -0.1]);
        let other = phrase(" It rained.", &[-0.1, -0.1]);
        let (kept, loops) = unlooped(&[made_up, copied, other], false);
        assert_eq!(kept.iter().map(Phrase::logprob).collect::<Vec<_>>(), [-2.2, -2.2, -0.1]);
        assert_eq!(loops, 0);
        // Ten bytes are left of a loop, and with them the odds of its first round.
        let looped = phrase(&" and so on".repeat(5), &[-2.0, -3.0, -0.1, -0.1, -0.1, -0.1, -0.1, -0.1, -0.1, -0.1]);
        let (kept, loops) = unlooped(&[looped], false);
        assert_eq!((kept[0].text.as_str(), kept[0].logprob(), loops), (" and so on", -2.5, 1));
    }

    #[test]
    fn the_less_doubtful_stays_and_the_rest_of_the_doubt_is_noted() {
        let mut best = vec![heard(&[(0, 10, 110)], -0.3)];
        keep_better(&mut best, vec![heard(&[(0, 4, 60)], -0.3)]);
        assert_eq!(best[0].said[0].text.len(), 109);
        let kept = take(best, true);
        assert_eq!((kept.notes.heard_again, kept.notes.mended, kept.notes.doubtful.len()), (1, 0, 1));
        let mut best = vec![heard(&[(0, 10, 110)], -0.3)];
        keep_better(&mut best, vec![heard(&[(0, 10, 110), (10, 22, 130)], -0.3)]);
        let kept = take(best, true);
        assert_eq!((kept.notes.mended, kept.notes.doubtful.len(), kept.said.len()), (1, 0, 2));
    }
}

//! Which language each piece of a talk is in, where there may be several: every piece is asked for
//! itself, one that may hold two languages in halves, and one that is unsure goes with its
//! neighbours. Windows are packed within a language and never across a change.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use super::{
    error::TranscribeError,
    journal::Journal,
    language::Language,
    pool::{Pool, Turn, WorkerState},
    sound::{RATE, at},
    vad::SpeechActivity,
    whisper::Model,
    windows::{self, Window},
};
use crate::{data::Ms, transcribe::fallback::Source};

/// What a change of language costs, as the logarithm of odds: it takes more than a little evidence,
/// and less than one clear piece.
const CHANGE: f64 = 1.5;
/// Least probability that counts: no piece outvotes all others.
const LEAST: f64 = 0.005;
/// What is longer is cut before it is asked: of two languages the louder would hide the other.
const LONGEST: Range<usize> = 3 * RATE..8 * RATE;
/// People pause about so long before they change the language, in frames.
const PAUSE: usize = 16;
/// Share of the odds below which a piece may hold two languages.
const SURE: f32 = 0.9;
/// What is shorter is not halved.
const SHORTEST: usize = 3 * RATE;

/// A stretch of a talk in one language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LanguageSpan {
    /// Where it begins.
    pub start: Ms,
    /// Where it ends.
    pub end: Ms,
    /// BCP 47 tag.
    pub language: String,
}

/// Pieces that follow each other in one language, and which of the allowed ones that is.
#[derive(Clone, Debug, PartialEq)]
pub struct LanguageRun {
    /// The place of the language among the allowed ones.
    pub language: usize,
    /// The pieces.
    pub pieces: Vec<Range<usize>>,
}

impl LanguageRun {
    /// Its place in the recording, in this language.
    pub fn spoken(&self, language: &Language) -> Option<LanguageSpan> {
        let (first, last) = (self.pieces.first()?, self.pieces.last()?);
        let (start, end) = (at(first.start), at(last.end));
        Some(LanguageSpan {
            start,
            end,
            language: language.tag().into(),
        })
    }

    /// Takes a piece in; what was cut only to be asked is one again, as far as a window holds it.
    fn add(&mut self, piece: Range<usize>) {
        match self.pieces.last_mut() {
            Some(last) if last.end == piece.start && piece.end - last.start <= windows::LONGEST => {
                last.end = piece.end;
            }
            _ => self.pieces.push(piece),
        }
    }

    /// Samples in all.
    pub fn length(&self) -> usize {
        self.pieces.iter().map(Range::len).sum()
    }
}

/// Tells the `allowed` languages of `pieces` apart.
pub fn runs(
    pool: &Pool,
    detector: &Arc<Model>,
    source: &Arc<Source>,
    allowed: &[Language],
    pieces: Vec<Range<usize>>,
    journal: &mut Journal,
) -> Result<Vec<LanguageRun>, TranscribeError> {
    let cut = |piece: Range<usize>| windows::cut(piece, &LONGEST, PAUSE, &source.hearing);
    let mut pieces: Vec<Range<usize>> = pieces.into_iter().flat_map(cut).collect();
    let mut known = BTreeMap::new();
    // Two scripts of one language sound alike.
    let can_be_told = numbers(allowed).iter().collect::<BTreeSet<_>>().len() > 1;
    loop {
        let new: Vec<Range<usize>> = pieces
            .iter()
            .filter(|piece| !known.contains_key(&piece.start))
            .cloned()
            .collect();
        for (piece, odds) in new
            .iter()
            .zip(odds(pool, detector, source, allowed, &new, journal)?)
        {
            known.insert(piece.start, odds);
        }
        if !can_be_told {
            break;
        }
        let finer: Vec<Range<usize>> = pieces
            .iter()
            .flat_map(|piece| finer(piece, &mut known, &source.hearing))
            .collect();
        if finer.len() == pieces.len() {
            break;
        }
        pieces = finer;
    }
    let odds: Vec<Vec<f32>> = pieces
        .iter()
        .filter_map(|piece| known.remove(&piece.start))
        .collect();
    Ok(grouped(pieces, &likeliest(&odds, allowed.len())))
}

/// The halves of a piece that may hold two languages, which are to be asked anew; another piece as
/// it is.
fn finer(
    piece: &Range<usize>,
    known: &mut BTreeMap<usize, Vec<f32>>,
    hearing: &SpeechActivity,
) -> Vec<Range<usize>> {
    let sure = known.get(&piece.start).is_none_or(|odds| {
        let best = odds.iter().copied().fold(0.0, f32::max);
        best >= SURE * odds.iter().sum::<f32>()
    });
    if sure || piece.len() < SHORTEST {
        return vec![piece.clone()];
    }
    known.remove(&piece.start);
    let part = piece.len() / 3;
    windows::cut(piece.clone(), &(part..2 * part), PAUSE, hearing)
}

/// The odds of the `allowed` languages in each piece.
fn odds(
    pool: &Pool,
    detector: &Arc<Model>,
    source: &Arc<Source>,
    allowed: &[Language],
    pieces: &[Range<usize>],
    journal: &mut Journal,
) -> Result<Vec<Vec<f32>>, TranscribeError> {
    let step = |piece: &Range<usize>| format!("language {piece:?}");
    let mut odds: Vec<Option<Vec<f32>>> = pieces
        .iter()
        .map(|piece| journal.recall(&step(piece)))
        .collect();
    let open: Vec<usize> = (0..pieces.len()).filter(|&at| odds[at].is_none()).collect();
    let work = {
        let (detector, source, numbers) =
            (Arc::clone(detector), Arc::clone(source), numbers(allowed));
        move |ears: &mut WorkerState, piece: &Range<usize>| {
            let samples = Window {
                pieces: vec![piece.clone()],
            }
            .samples(&source.sound)?;
            let all = ears.of(&detector).languages(&samples)?;
            Ok(numbers
                .iter()
                .map(|&n| all.get(n).copied().unwrap_or(0.0))
                .collect::<Vec<f32>>())
        }
    };
    pool.each(
        Turn::Next,
        open.iter().map(|&at| pieces[at].clone()).collect(),
        work,
        |place, found| {
            let at = open[place];
            journal.keep(&step(&pieces[at]), &found)?;
            odds[at] = Some(found);
            Ok(())
        },
    )?;
    Ok(odds.into_iter().flatten().collect())
}

fn numbers(allowed: &[Language]) -> Vec<usize> {
    allowed.iter().map(Language::number).collect()
}

/// The likeliest sequence of languages (Viterbi): each piece's own odds, and a cost for each
/// change.
fn likeliest(odds: &[Vec<f32>], languages: usize) -> Vec<usize> {
    let mut costs = vec![0.0; languages];
    let mut back: Vec<Vec<usize>> = Vec::new();
    for odds in odds {
        let all: f64 = odds.iter().map(|p| f64::from(*p)).sum();
        let own = |to: usize| -(f64::from(odds[to]) / all.max(1e-9)).clamp(LEAST, 1.0).ln();
        let from = |to: usize| {
            let via = |at: usize| costs[at] + if at == to { 0.0 } else { CHANGE };
            (0..languages)
                .map(|at| (at, via(at)))
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .unwrap_or((to, 0.0))
        };
        let steps: Vec<(usize, f64)> = (0..languages).map(from).collect();
        costs = steps
            .iter()
            .enumerate()
            .map(|(to, (_, cost))| cost + own(to))
            .collect();
        back.push(steps.into_iter().map(|(at, _)| at).collect());
    }
    let mut at = (0..languages)
        .min_by(|&a, &b| costs[a].total_cmp(&costs[b]))
        .unwrap_or(0);
    let mut path = Vec::new();
    for steps in back.iter().rev() {
        path.push(at);
        at = steps[at];
    }
    path.reverse();
    path
}

fn grouped(pieces: Vec<Range<usize>>, languages: &[usize]) -> Vec<LanguageRun> {
    let mut runs: Vec<LanguageRun> = Vec::new();
    for (piece, &language) in pieces.into_iter().zip(languages) {
        match runs.last_mut() {
            Some(run) if run.language == language => run.add(piece),
            _ => runs.push(LanguageRun {
                language,
                pieces: vec![piece],
            }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_pieces_change_the_language_and_unsure_ones_do_not() {
        let path = |odds: &[f32]| {
            likeliest(
                &odds.iter().map(|p| vec![*p, 1.0 - p]).collect::<Vec<_>>(),
                2,
            )
        };
        assert_eq!(
            path(&[0.99, 0.98, 0.3, 0.99]),
            [0, 0, 0, 0],
            "unsure among sure ones"
        );
        assert_eq!(path(&[0.99, 0.01, 0.99]), [0, 1, 0], "one clear piece");
        assert_eq!(
            path(&[0.99, 0.9, 0.2, 0.1, 0.3, 0.95]),
            [0, 0, 1, 1, 1, 0],
            "several that agree"
        );
        assert_eq!(path(&[0.4, 0.4, 0.99]), [0, 0, 0]);
        assert_eq!(path(&[]), [0usize; 0]);
    }

    #[test]
    fn runs_hold_every_piece_once() {
        let runs = grouped(vec![0..1, 2..3, 4..9, 10..11], &[0, 0, 1, 0]);
        assert_eq!(
            runs.iter()
                .map(|run| (run.language, run.length()))
                .collect::<Vec<_>>(),
            [(0, 2), (1, 5), (0, 1)]
        );
    }
}

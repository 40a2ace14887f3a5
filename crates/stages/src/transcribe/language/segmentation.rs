//! Language segmentation: which language each piece of a talk is in, from the probabilities of the
//! allowed languages in each. A change needs more evidence than one unsure piece.

use std::ops::Range;

use super::{span::LanguageSpan, tag::Language};
use crate::transcribe::{
    audio::{SAMPLE_RATE, time_of},
    speech::{
        activity::SpeechActivity,
        windows::{MAX_WINDOW, cut_at_quiet},
    },
};

/// Cost of a change of language, as a log-probability ratio: more than an unsure piece gives, and
/// less than one clear piece.
const CHANGE_COST: f64 = 1.5;
/// Least probability of a language in a piece, so that no piece outvotes all others.
const MIN_PROB: f64 = 0.005;
/// Shortest and longest pieces (in samples) whose language is asked: in a longer one with two
/// languages the louder would hide the other.
const PIECE_LENGTHS: Range<usize> = 3 * SAMPLE_RATE..8 * SAMPLE_RATE;
/// Frames of the pause that people make before they change the language.
const PAUSE_FRAMES: usize = 16;
/// Share of the allowed languages' probabilities below which the best one is not certain.
const CERTAIN_SHARE: f32 = 0.9;
/// Fewest samples of a piece that may be halved.
const MIN_TO_HALVE: usize = 3 * SAMPLE_RATE;

/// Consecutive pieces in one language.
#[derive(Clone, Debug, PartialEq)]
pub struct LanguageRun {
    /// The index of the language among the allowed ones.
    pub language: usize,
    /// The pieces.
    pub pieces: Vec<Range<usize>>,
}

impl LanguageRun {
    /// Its time in the recording, in this language; none if it has no pieces.
    pub fn span(&self, language: &Language) -> Option<LanguageSpan> {
        let (first, last) = (self.pieces.first()?, self.pieces.last()?);
        Some(LanguageSpan {
            start: time_of(first.start),
            end: time_of(last.end),
            language: language.tag().into(),
        })
    }

    /// Adds a piece. Neighbours that were cut apart only to ask for their language become one
    /// again, as long as a window can hold it.
    fn add(&mut self, piece: Range<usize>) {
        match self.pieces.last_mut() {
            Some(last) if last.end == piece.start && piece.end - last.start <= MAX_WINDOW => {
                last.end = piece.end;
            }
            _ => self.pieces.push(piece),
        }
    }

    /// Length in samples.
    pub fn length(&self) -> usize {
        self.pieces.iter().map(Range::len).sum()
    }
}

/// The pieces, cut into lengths whose language can be asked.
pub fn language_pieces(pieces: Vec<Range<usize>>, activity: &SpeechActivity) -> Vec<Range<usize>> {
    pieces
        .into_iter()
        .flat_map(|piece| cut_at_quiet(piece, &PIECE_LENGTHS, PAUSE_FRAMES, activity))
        .collect()
}

/// Whether a piece may hold two languages, by the probabilities of the allowed ones in it, and is
/// long enough to be asked in halves.
pub fn may_hold_two_languages(piece: &Range<usize>, language_probs: &[f32]) -> bool {
    let best = language_probs.iter().copied().fold(0.0, f32::max);
    let is_certain = best >= CERTAIN_SHARE * language_probs.iter().sum::<f32>();
    !is_certain && piece.len() >= MIN_TO_HALVE
}

/// The halves of a piece, cut at the quietest place of its middle third.
pub fn halves(piece: &Range<usize>, activity: &SpeechActivity) -> Vec<Range<usize>> {
    let third = piece.len() / 3;
    cut_at_quiet(piece.clone(), &(third..2 * third), PAUSE_FRAMES, activity)
}

/// The pieces as runs of one language each, from the probabilities of the `languages` allowed ones
/// in each piece.
pub fn language_runs(
    pieces: Vec<Range<usize>>,
    language_probs: &[Vec<f32>],
    languages: usize,
) -> Vec<LanguageRun> {
    grouped(pieces, &most_likely_sequence(language_probs, languages))
}

/// The most likely sequence of languages (Viterbi): the probabilities in each piece, and a cost for
/// each change.
fn most_likely_sequence(language_probs: &[Vec<f32>], languages: usize) -> Vec<usize> {
    // For each language, the cost of the best sequence so far that ends in it.
    let mut costs = vec![0.0; languages];
    let mut came_from: Vec<Vec<usize>> = Vec::new();
    for probs in language_probs {
        let total: f64 = probs.iter().map(|p| f64::from(*p)).sum();
        let steps: Vec<(usize, f64)> = (0..languages).map(|to| cheapest(&costs, to)).collect();
        costs = steps
            .iter()
            .zip(probs)
            .map(|((_, cost), prob)| cost + surprise(f64::from(*prob) / total.max(1e-9)))
            .collect();
        came_from.push(steps.into_iter().map(|(from, _)| from).collect());
    }
    let mut language = (0..languages)
        .min_by(|&a, &b| costs[a].total_cmp(&costs[b]))
        .unwrap_or(0);
    let mut sequence = Vec::new();
    for from in came_from.iter().rev() {
        sequence.push(language);
        language = from[language];
    }
    sequence.reverse();
    sequence
}

/// The language before `to` in the best sequence, and the cost of that sequence with the change.
fn cheapest(costs: &[f64], to: usize) -> (usize, f64) {
    costs
        .iter()
        .enumerate()
        .map(|(from, cost)| (from, cost + if from == to { 0.0 } else { CHANGE_COST }))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((to, 0.0))
}

/// The cost of a language that has this probability in a piece.
fn surprise(prob: f64) -> f64 {
    -prob.clamp(MIN_PROB, 1.0).ln()
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
        let path = |first_language_probs: &[f32]| {
            most_likely_sequence(
                &first_language_probs
                    .iter()
                    .map(|p| vec![*p, 1.0 - p])
                    .collect::<Vec<_>>(),
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

//! Language detection: asks a model which language is spoken in the first windows of a recording,
//! or in each piece of one that may change its language.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

use super::{
    pool::{Priority, WorkerPool},
    whisper::WhisperModel,
    worker::WorkerState,
};
use crate::transcribe::{
    error::TranscribeError,
    journal::Journal,
    language::{
        segmentation::{self, LanguageRun},
        tag::Language,
        vote::LanguageVote,
    },
    speech::{
        AnalyzedAudio,
        windows::{self, Window},
    },
};

/// What language detection works with.
pub struct LanguageDetector<'a> {
    /// The workers.
    pub pool: &'a WorkerPool,
    /// A model of many languages.
    pub model: Arc<WhisperModel>,
    /// The recording.
    pub source: Arc<AnalyzedAudio>,
}

impl LanguageDetector<'_> {
    /// The language of a whole recording, by a vote of its first windows.
    pub fn detect(&self, pieces: &[Range<usize>]) -> Result<Language, TranscribeError> {
        let mut vote = LanguageVote::default();
        // One after the other: most recordings need no second window.
        for window in windows::pack(pieces)
            .into_iter()
            .take(LanguageVote::MAX_WINDOWS)
        {
            self.ask(vec![window], |_, language_probs| {
                vote.add(&language_probs);
                Ok(())
            })?;
            if vote.is_certain() {
                break;
            }
        }
        Language::parse(vote.winner())
    }

    /// Tells the `allowed` languages of `pieces` apart.
    pub fn segment(
        &self,
        allowed: &[Language],
        pieces: Vec<Range<usize>>,
        journal: &mut Journal,
    ) -> Result<Vec<LanguageRun>, TranscribeError> {
        let activity = &self.source.activity;
        let ids: Vec<usize> = allowed.iter().map(Language::whisper_id).collect();
        let mut pieces = segmentation::language_pieces(pieces, activity);
        // By the sample where each piece begins.
        let mut known: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
        loop {
            let new: Vec<Range<usize>> = pieces
                .iter()
                .filter(|piece| !known.contains_key(&piece.start))
                .cloned()
                .collect();
            let language_probs = self.language_probs(&ids, &new, journal)?;
            known.extend(new.iter().map(|piece| piece.start).zip(language_probs));
            // Two scripts of one language sound alike: halves would tell no more.
            if ids.iter().collect::<BTreeSet<_>>().len() < 2 {
                break;
            }
            let before = pieces.len();
            pieces = self.refined(pieces, &mut known);
            if pieces.len() == before {
                break;
            }
        }
        let language_probs: Vec<Vec<f32>> = pieces
            .iter()
            .filter_map(|piece| known.remove(&piece.start))
            .collect();
        Ok(segmentation::language_runs(
            pieces,
            &language_probs,
            allowed.len(),
        ))
    }

    /// The pieces, with the halves of those that may hold two languages in their place. Their
    /// probabilities are forgotten, so that the halves are asked for theirs.
    fn refined(
        &self,
        pieces: Vec<Range<usize>>,
        known: &mut BTreeMap<usize, Vec<f32>>,
    ) -> Vec<Range<usize>> {
        let mut refined = Vec::new();
        for piece in pieces {
            let is_mixed = known
                .get(&piece.start)
                .is_some_and(|probs| segmentation::may_hold_two_languages(&piece, probs));
            if is_mixed {
                // The first half begins where the piece does and must be asked anew.
                known.remove(&piece.start);
                refined.extend(segmentation::halves(&piece, &self.source.activity));
            } else {
                refined.push(piece);
            }
        }
        refined
    }

    /// The probabilities of the languages with these ids in each piece, from the journal or the
    /// model.
    fn language_probs(
        &self,
        ids: &[usize],
        pieces: &[Range<usize>],
        journal: &mut Journal,
    ) -> Result<Vec<Vec<f32>>, TranscribeError> {
        let mut found: Vec<Option<Vec<f32>>> = pieces
            .iter()
            .map(|piece| journal.get(&step_of(piece)))
            .collect();
        let open: Vec<usize> = (0..pieces.len()).filter(|&i| found[i].is_none()).collect();
        let windows = open.iter().map(|&i| Window {
            pieces: vec![pieces[i].clone()],
        });
        self.ask(windows.collect(), |index, all| {
            let i = open[index];
            let allowed: Vec<f32> = ids
                .iter()
                .map(|&id| all.get(id).copied().unwrap_or(0.0))
                .collect();
            // Saved as it comes: a killed run asks no piece twice.
            journal.add(&step_of(&pieces[i]), &allowed)?;
            found[i] = Some(allowed);
            Ok(())
        })?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Asks for the probabilities of all languages in each window.
    fn ask(
        &self,
        windows: Vec<Window>,
        done: impl FnMut(usize, Vec<f32>) -> Result<(), TranscribeError>,
    ) -> Result<(), TranscribeError> {
        let (model, source) = (Arc::clone(&self.model), Arc::clone(&self.source));
        // With priority: the windows of this recording can only be planned afterwards.
        self.pool.for_each(
            Priority::High,
            windows,
            move |worker: &mut WorkerState, window: &Window| {
                let samples = window.samples(&source.audio)?;
                worker.for_model(&model)?.language_probs(&samples)
            },
            done,
        )
    }
}

/// The name of a piece's step in the journal. Journals of interrupted runs hold such names: they
/// must not change.
fn step_of(piece: &Range<usize>) -> String {
    format!("language {piece:?}")
}

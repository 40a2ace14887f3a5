//! Windows become sentences: the results in the journal are taken over, the other windows go to the
//! workers, and each result is saved as it comes. Each window is decoded on its own, so that the
//! text does not depend on the worker, or on the order.

use std::{cmp::Reverse, sync::Arc};

use super::{
    fallback::{DecodingContext, WindowResult, decode_with_fallback},
    pool::{Priority, WorkerPool},
    whisper::WhisperModel,
    worker::WorkerState,
};
use crate::{
    data::Segment,
    transcribe::{
        error::TranscribeError,
        journal::Journal,
        quality::diagnostics::Diagnostics,
        sentences,
        speech::{AnalyzedAudio, windows::Window},
    },
};

/// Consecutive windows in one language.
pub struct Section {
    /// How they are decoded.
    pub context: Arc<DecodingContext>,
    /// The windows.
    pub windows: Vec<Window>,
}

/// What was recognised.
pub struct Recognized {
    /// The sentences.
    pub segments: Vec<Segment>,
    /// What was dropped and left doubtful.
    pub diagnostics: Diagnostics,
    /// The windows of the recording.
    pub windows: usize,
    /// Those that were not in the journal.
    pub recognised: usize,
}

/// What recognition works with.
pub struct Recognizer<'a> {
    /// The workers.
    pub pool: &'a WorkerPool,
    /// Their model.
    pub model: Arc<WhisperModel>,
    /// The recording.
    pub source: Arc<AnalyzedAudio>,
    /// Whether sentences get the times of their words.
    pub word_times: bool,
}

/// A window with its language.
type WindowJob = (Window, Arc<DecodingContext>);

impl Recognizer<'_> {
    /// The sentences in all windows of `sections`. `progress` gets the share of the audio that is
    /// done.
    pub fn recognize(
        &self,
        sections: &[Section],
        journal: &mut Journal,
        progress: &dyn Fn(f64),
    ) -> Result<Recognized, TranscribeError> {
        let jobs: Vec<WindowJob> = sections
            .iter()
            .flat_map(|section| section.windows.iter().map(move |window| (window, section)))
            .map(|(window, section)| (window.clone(), Arc::clone(&section.context)))
            .collect();
        let (results, recognised) = self.decode_all(&jobs, journal, progress)?;
        let (segments, diagnostics) = self.sentences(sections, results);
        Ok(Recognized {
            segments,
            diagnostics,
            windows: jobs.len(),
            recognised,
        })
    }

    /// The result of each window, from the journal or the workers, and how many are of the workers.
    fn decode_all(
        &self,
        jobs: &[WindowJob],
        journal: &mut Journal,
        progress: &dyn Fn(f64),
    ) -> Result<(Vec<WindowResult>, usize), TranscribeError> {
        let mut results: Vec<Option<WindowResult>> =
            jobs.iter().map(|job| journal.get(&step_of(job))).collect();
        let mut open: Vec<usize> = (0..jobs.len()).filter(|&i| results[i].is_none()).collect();
        // The longest first, so that all workers end at about the same time.
        open.sort_by_key(|&i| Reverse(jobs[i].0.length()));
        let total: usize = jobs.iter().map(|(window, _)| window.length()).sum();
        let open_length: usize = open.iter().map(|&i| jobs[i].0.length()).sum();
        let mut done = total - open_length;
        let (model, source) = (Arc::clone(&self.model), Arc::clone(&self.source));
        self.pool.for_each(
            Priority::Low,
            open.iter().map(|&i| jobs[i].clone()).collect(),
            move |worker: &mut WorkerState, (window, context): &WindowJob| {
                decode_with_fallback(worker.for_model(&model)?, &source, context, window)
            },
            |index, result| {
                let i = open[index];
                journal.add(&step_of(&jobs[i]), &result)?;
                results[i] = Some(result);
                done += jobs[i].0.length();
                progress(done as f64 / total.max(1) as f64);
                Ok(())
            },
        )?;
        // Each window has a result: it was in the journal, or its worker did not fail.
        Ok((results.into_iter().flatten().collect(), open.len()))
    }

    /// Joins the results of each section to sentences: none spans a change of language.
    fn sentences(
        &self,
        sections: &[Section],
        results: Vec<WindowResult>,
    ) -> (Vec<Segment>, Diagnostics) {
        let mut results = results.into_iter();
        let mut diagnostics = Diagnostics::default();
        let mut segments = Vec::new();
        for section in sections {
            let mut phrases = Vec::new();
            for result in results.by_ref().take(section.windows.len()) {
                diagnostics.add(result.diagnostics);
                phrases.extend(result.phrases);
            }
            // By section: no sentence spans a change of language.
            segments.extend(sentences::from_phrases(
                &phrases,
                &self.source.activity,
                &section.context.language,
                self.word_times,
            ));
        }
        (segments, diagnostics)
    }
}

/// The name of a window's step in the journal. Journals of interrupted runs hold such names: they
/// must not change.
fn step_of((window, context): &WindowJob) -> String {
    format!("{} {:?}", context.language.tag(), window.pieces)
}

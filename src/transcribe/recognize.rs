//! Windows and a model become sentences: what was heard before is recalled, the rest goes to the
//! workers and is written down as it comes. Each window is heard for itself, so that the result
//! does not depend on who hears it, or when.

use std::{cmp::Reverse, sync::Arc};

use super::{
    error::TranscribeError,
    journal::Journal,
    pool::{Pool, Turn, WorkerState},
    sentences,
    whisper::Model,
    windows::Window,
};
use crate::{
    data::Segment,
    transcribe::{
        fallback::{self, DecodingContext, Source, WindowResult},
        hallucination::Diagnostics,
    },
};

/// Windows that follow each other in one language.
pub struct Part {
    /// How they are heard.
    pub brief: Arc<DecodingContext>,
    /// The windows.
    pub windows: Vec<Window>,
}

/// The sentences in all windows of `parts`, and the times of their words if those are `timed`.
/// `progress` is told the share of the work that is done.
pub fn recognize(
    pool: &Pool,
    model: &Arc<Model>,
    source: &Arc<Source>,
    parts: &[Part],
    timed: bool,
    journal: &mut Journal,
    progress: &dyn Fn(f64),
) -> Result<(Vec<Segment>, Diagnostics), TranscribeError> {
    let windows: Vec<(&Window, &Arc<DecodingContext>)> = parts
        .iter()
        .flat_map(|part| part.windows.iter().map(|window| (window, &part.brief)))
        .collect();
    let step = |at: usize| {
        format!(
            "{} {:?}",
            windows[at].1.language.tag(),
            windows[at].0.pieces
        )
    };
    let mut takes: Vec<Option<WindowResult>> = (0..windows.len())
        .map(|at| journal.recall(&step(at)))
        .collect();
    let mut open: Vec<usize> = (0..windows.len())
        .filter(|&at| takes[at].is_none())
        .collect();
    // The longest first, so that all workers end at about the same time.
    open.sort_by_key(|&at| Reverse(windows[at].0.length()));
    let total: usize = windows.iter().map(|(window, _)| window.length()).sum();
    let left: usize = open.iter().map(|&at| windows[at].0.length()).sum();
    let mut done = total - left;
    let work = {
        let (model, source) = (Arc::clone(model), Arc::clone(source));
        move |ears: &mut WorkerState, (window, brief): &(Window, Arc<DecodingContext>)| {
            fallback::decode_with_fallback(ears.of(&model), &source, brief, window)
        }
    };
    let todo = open
        .iter()
        .map(|&at| (windows[at].0.clone(), Arc::clone(windows[at].1)))
        .collect();
    pool.each(Turn::Last, todo, work, |place, take| {
        let at = open[place];
        journal.keep(&step(at), &take)?;
        takes[at] = Some(take);
        done += windows[at].0.length();
        progress(done as f64 / total.max(1) as f64);
        Ok(())
    })?;
    let mut takes = takes.into_iter().flatten();
    let mut notes = Diagnostics::default();
    let mut segments = Vec::new();
    for Part { brief, windows } in parts {
        let mut placed = Vec::new();
        for take in takes.by_ref().take(windows.len()) {
            notes.add(take.notes);
            placed.extend(take.said);
        }
        segments.extend(sentences::of(
            &placed,
            &source.hearing,
            &brief.language,
            timed,
        ));
    }
    Ok((segments, notes))
}

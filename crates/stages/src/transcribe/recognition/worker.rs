//! The state of one worker: whisper.cpp's own state for each model that the worker has used.

use std::{collections::BTreeMap, sync::Arc};

use super::whisper::{ModelState, WhisperModel};

/// A worker's states by the hash of their model.
#[derive(Default)]
pub struct WorkerState(BTreeMap<String, ModelState>);

impl WorkerState {
    /// The state for `model`; a new one the first time.
    pub fn for_model(&mut self, model: &Arc<WhisperModel>) -> &mut ModelState {
        self.0
            .entry(model.file.sha256.clone())
            .or_insert_with(|| ModelState::new(model))
    }
}

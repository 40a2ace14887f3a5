//! The engine of a run: the decoder, the workers, and the models that they share, each loaded when
//! it is first needed.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::{pool::WorkerPool, whisper::WhisperModel};
use crate::{
    models::ModelFile,
    transcribe::{error::TranscribeError, media::Decoder},
};

/// Turns a model's name (or a path) into its file.
pub type Resolver = Box<dyn Fn(&str) -> anyhow::Result<ModelFile> + Send + Sync>;

/// What all recordings of a run share.
pub struct Engine {
    resolve: Resolver,
    loaded: Mutex<BTreeMap<String, Arc<WhisperModel>>>,
    /// The decoder of recordings.
    pub decoder: Decoder,
    /// The workers that recognise windows.
    pub pool: WorkerPool,
}

impl Engine {
    /// An engine that asks `resolve` for its models. No model is loaded yet.
    pub fn new(resolve: Resolver, decoder: Decoder, workers: usize) -> Self {
        // Otherwise whisper.cpp writes its log to the terminal.
        whisper_rs::install_logging_hooks();
        Self {
            resolve,
            loaded: Mutex::default(),
            decoder,
            pool: WorkerPool::new(workers),
        }
    }

    /// The model called `name`, loaded.
    pub fn model(&self, name: &str) -> Result<Arc<WhisperModel>, TranscribeError> {
        // The lock is held while a model loads, so that two recordings do not load it twice.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = loaded.get(name) {
            return Ok(Arc::clone(model));
        }
        let model = (self.resolve)(name)
            .and_then(WhisperModel::load)
            .map_err(|reason| TranscribeError::Model {
                model: name.into(),
                reason,
            })?;
        let model = Arc::new(model);
        loaded.insert(name.into(), Arc::clone(&model));
        Ok(model)
    }
}

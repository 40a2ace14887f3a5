//! The engine of a run: the decoder, the workers, and the models that they share, each loaded when
//! it is first needed.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    devices::{self, Device},
    pool::WorkerPool,
    whisper::WhisperModel,
};
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
    devices: Arc<[Device]>,
    /// The decoder of recordings.
    pub decoder: Decoder,
    /// The workers that recognise windows.
    pub pool: WorkerPool,
}

impl Engine {
    /// An engine that asks `resolve` for its models, with so many workers on the processor. No
    /// model is loaded yet.
    pub fn new(resolve: Resolver, decoder: Decoder, workers: usize) -> Self {
        Self::on(resolve, decoder, vec![Device::cpu()], workers.max(1))
    }

    /// The same on `devices`, with `jobs` workers in all; for 0, as many as there are cores, or the
    /// cards have memory for.
    pub fn on(resolve: Resolver, decoder: Decoder, devices: Vec<Device>, jobs: usize) -> Self {
        // Otherwise whisper.cpp writes its log to the terminal.
        whisper_rs::install_logging_hooks();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let seats = devices::seats(&devices, jobs, cores);
        let devices: Arc<[Device]> = devices.into();
        Self {
            resolve,
            loaded: Mutex::default(),
            decoder,
            pool: WorkerPool::new(Arc::clone(&devices), &seats),
            devices,
        }
    }

    /// The number of workers that have room on their devices, as far as that is known.
    pub fn working(&self) -> usize {
        self.pool.working()
    }

    /// What a user should know of the devices: which has fewer workers than planned, or none.
    pub fn notes(&self) -> Vec<String> {
        self.pool.notes()
    }

    /// The model called `name`, loaded.
    pub fn model(&self, name: &str) -> Result<Arc<WhisperModel>, TranscribeError> {
        // The lock is held while a model loads, so that two recordings do not load it twice.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = loaded.get(name) {
            return Ok(Arc::clone(model));
        }
        let file = (self.resolve)(name).map_err(|reason| TranscribeError::Model {
            model: name.into(),
            reason,
        })?;
        let model = Arc::new(WhisperModel::load(
            file,
            &self.devices,
            &self.decoder.program,
        )?);
        loaded.insert(name.into(), Arc::clone(&model));
        Ok(model)
    }
}

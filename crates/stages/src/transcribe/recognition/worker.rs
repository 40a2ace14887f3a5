//! The state of one worker: whisper.cpp's own state for each model that the worker has used, on the
//! worker's device.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    devices::{self, Device},
    whisper::{ModelState, WhisperModel},
};
use crate::transcribe::error::TranscribeError;

/// Memory of a card that is left to others, at least, and as a share of all.
const RESERVE: u64 = 512 << 20;
const RESERVE_SHARE: u64 = 20;

/// A worker with its states by the hash of their model.
pub struct WorkerState {
    /// The worker's number.
    pub number: usize,
    /// The number of its device.
    pub device: usize,
    devices: Arc<[Device]>,
    states: BTreeMap<String, ModelState>,
    /// States that the device has room for, where this worker has just found out.
    room: Option<usize>,
}

impl WorkerState {
    /// A worker that has decoded nothing.
    pub fn new(number: usize, device: usize, devices: Arc<[Device]>) -> Self {
        Self {
            number,
            device,
            devices,
            states: BTreeMap::new(),
            room: None,
        }
    }

    /// The state for `model`; a new one the first time.
    pub fn for_model(
        &mut self,
        model: &Arc<WhisperModel>,
    ) -> Result<&mut ModelState, TranscribeError> {
        let key = &model.file.sha256;
        if !self.states.contains_key(key) {
            let mut state = ModelState::new(model, self.device)?;
            let device = &self.devices[self.device];
            if device.is_card() && self.states.is_empty() {
                self.room = Some(measure(&mut state, device)?);
            }
            self.states.insert(key.clone(), state);
        }
        // It was put there a moment ago, if it was not there.
        self.states
            .get_mut(key)
            .ok_or_else(|| TranscribeError::Recognition {
                what: "a worker lost its state".into(),
            })
    }

    /// States that the device has room for, once, if this worker has found out.
    pub fn measured(&mut self) -> Option<usize> {
        self.room.take()
    }

    /// Whether it holds no memory.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Gives back its memory.
    pub fn clear(&mut self) {
        self.states.clear();
    }
}

/// The states like this one that a card has room for, this one among them. The weights are there
/// already.
fn measure(state: &mut ModelState, device: &Device) -> Result<usize, TranscribeError> {
    let before = devices::memory(device).free;
    state.create()?;
    let devices::Memory { free: after, total } = devices::memory(device);
    // Not every driver says what is free: then the model's shape has to do.
    let need = before.saturating_sub(after).max(state.estimated_bytes()) + state.growth_bytes();
    let room = states_with_room(after, total, need, state.growth_bytes());
    tracing::info!(device = device.name, need, after, room, "states measured");
    Ok(room)
}

/// States that a card has room for when one is there that may still grow.
fn states_with_room(free: u64, total: u64, need: u64, growth: u64) -> usize {
    let reserve = RESERVE.max(total / RESERVE_SHARE);
    let others = free.saturating_sub(reserve + growth) / need.max(1);
    usize::try_from(others)
        .unwrap_or(usize::MAX)
        .saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_holds_what_fits_beside_the_reserve_and_at_least_one() {
        const GIB: u64 = 1 << 30;
        assert_eq!(states_with_room(4 * GIB, 8 * GIB, GIB, 0), 4);
        assert_eq!(states_with_room(4 * GIB, 8 * GIB, GIB, GIB), 3);
        assert_eq!(
            states_with_room(76 * GIB, 80 * GIB, 2 * GIB, 0),
            37,
            "4 of 80 are left to others"
        );
        assert_eq!(states_with_room(0, 8 * GIB, GIB, 0), 1);
        assert!(states_with_room(GIB, GIB, 0, 0) > 1);
    }
}

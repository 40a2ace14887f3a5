//! Which worker works on which device, and what follows from an error: a device without memory gets
//! fewer states, one that fails again and again is left, and the others do its windows. Pure: it
//! hears what happened and says what may go on.

use super::devices::Device;

/// Failures in a row after which a device is left.
const MOST_FAILURES: usize = 3;

/// Why a window was not decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The device had no memory for the worker's state.
    OutOfMemory,
    /// The model cannot be loaded on the device.
    Unusable(String),
    /// Recognition failed.
    Failed(String),
    /// Something that no device is to blame for: a file, or a mistake of ours.
    Elsewhere,
}

/// What becomes of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A worker does it again.
    Again,
    /// Its recording fails.
    Fail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seat {
    Open,
    /// The device's memory is not measured yet.
    Waiting,
    Shut,
}

struct State {
    name: String,
    is_card: bool,
    /// Workers that its memory had room for.
    planned: usize,
    is_measured: bool,
    failures: usize,
    out_of_memory: usize,
    /// Why no worker is left.
    left: Option<String>,
}

/// The workers' places on devices.
pub struct Placement {
    /// By worker: its device and whether it may work.
    seats: Vec<(usize, Seat)>,
    devices: Vec<State>,
}

impl Placement {
    /// A place for each worker on the device that `seats` names by its number. On a card all but
    /// one wait until it is known how many have room.
    pub fn new(devices: &[Device], seats: &[usize]) -> Self {
        let mut first = vec![true; devices.len()];
        let seat = |&device: &usize| {
            let is_first = std::mem::take(&mut first[device]);
            if is_first || !devices[device].is_card() {
                (device, Seat::Open)
            } else {
                (device, Seat::Waiting)
            }
        };
        let state = |(number, device): (usize, &Device)| State {
            name: device.name.clone(),
            is_card: device.is_card(),
            planned: seats.iter().filter(|seat| **seat == number).count(),
            is_measured: !device.is_card(),
            failures: 0,
            out_of_memory: 0,
            left: None,
        };
        Self {
            devices: devices.iter().enumerate().map(state).collect(),
            seats: seats.iter().map(seat).collect(),
        }
    }

    /// The number of the worker's device.
    pub fn device(&self, worker: usize) -> usize {
        self.seats[worker].0
    }

    /// Whether the worker may take a window.
    pub fn may_work(&self, worker: usize) -> bool {
        self.seats[worker].1 == Seat::Open
    }

    /// The number of workers that may work.
    pub fn working(&self) -> usize {
        let is_open = |(_, seat): &&(usize, Seat)| *seat == Seat::Open;
        self.seats.iter().filter(is_open).count()
    }

    /// Whether the worker will never work again, so that it can give back its memory.
    pub fn is_shut(&self, worker: usize) -> bool {
        self.seats[worker].1 == Seat::Shut
    }

    /// Whether a device that is not among `tried` can still do a window.
    pub fn is_left_but(&self, tried: &[usize]) -> bool {
        self.seats
            .iter()
            .any(|(device, seat)| *seat != Seat::Shut && !tried.contains(device))
    }

    /// Why all devices were left; none while one works.
    pub fn lost(&self) -> Option<String> {
        if self.is_left_but(&[]) {
            return None;
        }
        let reasons = self.devices.iter().filter_map(|device| {
            let why = device.left.as_ref()?;
            Some(format!("{}: {why}", device.name))
        });
        Some(reasons.collect::<Vec<_>>().join("; "))
    }

    /// Opens as many workers as the memory of a device has room for; the others stay shut.
    pub fn measured(&mut self, device: usize, room: usize) {
        let state = &mut self.devices[device];
        if state.is_measured || state.left.is_some() {
            return;
        }
        state.is_measured = true;
        state.planned = state.planned.min(room.max(1));
        let planned = state.planned;
        let mine = self.seats.iter_mut().filter(|(of, _)| *of == device);
        for (place, (_, seat)) in mine.enumerate() {
            if *seat == Seat::Waiting {
                *seat = if place < planned {
                    Seat::Open
                } else {
                    Seat::Shut
                };
            }
        }
    }

    /// Notes that the worker decoded a window.
    pub fn succeeded(&mut self, worker: usize) {
        let device = self.device(worker);
        self.devices[device].failures = 0;
    }

    /// Notes that the worker could not decode a window, which the devices in `tried` had before.
    pub fn failed(&mut self, worker: usize, trouble: &Trouble, tried: &[usize]) -> Next {
        let device = self.device(worker);
        let state = &mut self.devices[device];
        // The processor has no state that could be given up, and what fails on it fails anywhere.
        if !state.is_card && !matches!(trouble, Trouble::Unusable(_)) {
            return Next::Fail;
        }
        match trouble {
            Trouble::Elsewhere => return Next::Fail,
            Trouble::OutOfMemory => self.shut_worker(worker),
            Trouble::Unusable(why) => self.leave(device, why),
            Trouble::Failed(why) => {
                state.failures += 1;
                if state.failures >= MOST_FAILURES {
                    self.leave(
                        device,
                        &format!("{MOST_FAILURES} failures in a row ({why})"),
                    );
                }
            }
        }
        let was_tried = match trouble {
            Trouble::Failed(_) => [tried, &[device]].concat(),
            _ => tried.to_vec(),
        };
        if self.is_left_but(&was_tried) {
            Next::Again
        } else {
            Next::Fail
        }
    }

    /// One worker less; without one, the device is left.
    fn shut_worker(&mut self, worker: usize) {
        let device = self.device(worker);
        self.devices[device].out_of_memory += 1;
        self.seats[worker].1 = Seat::Shut;
        let works = |(of, seat): &(usize, Seat)| *of == device && *seat == Seat::Open;
        if !self.seats.iter().any(works) {
            self.leave(device, "out of memory");
        }
    }

    fn leave(&mut self, device: usize, why: &str) {
        for (_, seat) in self.seats.iter_mut().filter(|(of, _)| *of == device) {
            *seat = Seat::Shut;
        }
        self.devices[device].left.get_or_insert(why.to_owned());
    }

    /// What a user should know of each device.
    pub fn notes(&self) -> Vec<String> {
        self.devices.iter().filter_map(note).collect()
    }
}

fn note(device: &State) -> Option<String> {
    let name = &device.name;
    if let Some(why) = &device.left {
        return Some(format!("{name}: {why}; it was left"));
    }
    if device.out_of_memory == 0 {
        return None;
    }
    let left = device.planned.saturating_sub(device.out_of_memory);
    Some(format!(
        "{name}: out of memory; {left} states instead of {}",
        device.planned
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcribe::devices;

    /// Workers on `cards` cards, as many on each, whose memory has room for all of them.
    fn cards(cards: usize, each: usize) -> Placement {
        let devices = devices::cards(cards);
        let seats: Vec<usize> = (0..cards * each).map(|worker| worker % cards).collect();
        let mut placement = Placement::new(&devices, &seats);
        (0..cards).for_each(|device| placement.measured(device, each));
        placement
    }

    fn working(placement: &Placement) -> Vec<usize> {
        (0..placement.seats.len())
            .filter(|worker| placement.may_work(*worker))
            .collect()
    }

    #[test]
    fn one_worker_measures_and_then_as_many_work_as_have_room() {
        let card = Device {
            card: Some(0),
            ..Device::cpu()
        };
        let mut placement = Placement::new(&[card], &[0; 4]);
        assert_eq!(working(&placement), [0]);
        placement.measured(0, 3);
        assert_eq!(working(&placement), [0, 1, 2]);
        assert!(placement.is_shut(3));
        assert_eq!(placement.working(), 3);
        placement.measured(0, 1);
        assert_eq!(working(&placement).len(), 3, "measured once");
        assert_eq!(placement.notes(), [""; 0], "as planned");
    }

    #[test]
    fn on_the_processor_all_work_and_errors_are_those_of_the_recording() {
        let mut placement = Placement::new(&[Device::cpu()], &[0; 2]);
        assert_eq!(working(&placement), [0, 1]);
        for _ in 0..2 * MOST_FAILURES {
            let failed = Trouble::Failed("bad".into());
            assert_eq!(placement.failed(0, &failed, &[]), Next::Fail);
            assert_eq!(placement.failed(1, &Trouble::OutOfMemory, &[]), Next::Fail);
        }
        assert_eq!(working(&placement), [0, 1]);
        assert!(placement.lost().is_none());
    }

    #[test]
    fn out_of_memory_takes_one_state_after_the_other_then_the_device() {
        let mut placement = cards(2, 3);
        let oom = Trouble::OutOfMemory;
        assert_eq!(placement.failed(1, &oom, &[]), Next::Again);
        assert_eq!(working(&placement), [0, 2, 3, 4, 5]);
        assert_eq!(
            placement.notes(),
            ["cuda:1: out of memory; 2 states instead of 3"]
        );
        assert_eq!(placement.failed(3, &oom, &[]), Next::Again);
        assert_eq!(placement.failed(5, &oom, &[]), Next::Again);
        assert_eq!(working(&placement), [0, 2, 4]);
        assert_eq!(
            placement.notes(),
            ["cuda:1: out of memory; it was left"],
            "said once"
        );
        for worker in [0, 2] {
            assert_eq!(placement.failed(worker, &oom, &[]), Next::Again);
        }
        assert_eq!(placement.failed(4, &oom, &[]), Next::Fail);
        assert_eq!(
            placement.lost().as_deref(),
            Some("cuda:0: out of memory; cuda:1: out of memory")
        );
    }

    #[test]
    fn a_device_is_left_after_failures_in_a_row_and_no_sooner() {
        let mut placement = cards(2, 2);
        let failed = Trouble::Failed("-6".into());
        for _ in 0..MOST_FAILURES {
            assert_eq!(placement.failed(1, &failed, &[]), Next::Again);
            assert_eq!(placement.failed(3, &failed, &[]), Next::Again);
            placement.succeeded(3);
        }
        assert_eq!(working(&placement), [0, 1, 2, 3], "never three in a row");
        for _ in 0..MOST_FAILURES {
            assert_eq!(placement.failed(1, &failed, &[]), Next::Again);
        }
        assert_eq!(working(&placement), [0, 2]);
        assert!(placement.lost().is_none());
        assert_eq!(
            placement.notes(),
            ["cuda:1: 3 failures in a row (-6); it was left"]
        );
    }

    #[test]
    fn a_window_that_fails_everywhere_is_its_recordings_failure() {
        let mut placement = cards(2, 1);
        let failed = Trouble::Failed("-6".into());
        assert_eq!(placement.failed(0, &failed, &[]), Next::Again);
        assert_eq!(placement.failed(1, &failed, &[0]), Next::Fail);
        assert_eq!(working(&placement), [0, 1]);
    }

    #[test]
    fn a_card_that_cannot_load_the_model_is_left_at_once() {
        let mut placement = cards(2, 2);
        let unusable = Trouble::Unusable("cannot be loaded".into());
        assert_eq!(placement.failed(0, &unusable, &[]), Next::Again);
        assert_eq!(working(&placement), [1, 3]);
        assert_eq!(placement.failed(1, &unusable, &[]), Next::Fail);
        assert_eq!(
            placement.lost().as_deref(),
            Some("cuda:0: cannot be loaded; cuda:1: cannot be loaded")
        );
    }
}

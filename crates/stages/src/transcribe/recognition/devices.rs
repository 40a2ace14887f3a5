//! The devices that recognise speech, as ggml lists them: the processor and, in a program that was
//! built for them, graphics cards. Hides ggml's registry and its names.

use serde::{Deserialize, Serialize};

/// The processor's name.
pub const CPU: &str = "cpu";
/// In a list of devices: all graphics cards, and the processor where there is none.
pub const AUTO: &str = "auto";
/// The same, where a processor alone will not do.
pub const CARDS: &str = "cards";
/// States on one card where nothing says how many: each has a thread that draws its tokens, and
/// more than a few of them wait for each other.
pub const MOST_STATES: usize = 8;

/// A device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Device {
    /// `cpu`, `cuda:0`, `vulkan:1` …
    pub name: String,
    /// The maker's name for it.
    pub description: String,
    /// whisper.cpp's number for it, among the graphics cards; none for the processor.
    #[serde(skip)]
    pub card: Option<i32>,
    /// Whether it is a part of the processor, and shares its memory.
    pub integrated: bool,
}

impl Device {
    /// The processor, without a look at it.
    pub fn cpu() -> Self {
        Self {
            name: CPU.into(),
            description: String::new(),
            card: None,
            integrated: false,
        }
    }

    /// Whether it is a graphics card.
    pub fn is_card(&self) -> bool {
        self.card.is_some()
    }
}

/// Bytes of a device's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Those that are free now.
    pub free: u64,
    /// All of them.
    pub total: u64,
}

/// The devices of this machine that this program can use, the processor first. None of them is
/// asked for anything but its name.
pub fn list() -> Vec<Device> {
    // Otherwise ggml writes what it finds to the terminal.
    whisper_rs::install_logging_hooks();
    let mut devices = Vec::new();
    let mut cards = 0;
    for found in registry::all() {
        let card = match found.kind {
            registry::Kind::Cpu => None,
            registry::Kind::Card | registry::Kind::IntegratedCard => {
                cards += 1;
                Some(cards - 1)
            }
            // A library for matrices, which whisper.cpp uses beside any device.
            registry::Kind::Other => continue,
        };
        devices.push(Device {
            name: card.map_or(CPU.into(), |_| plain_name(&found.name)),
            description: found.description,
            card,
            integrated: found.kind == registry::Kind::IntegratedCard,
        });
    }
    // ggml lists the processor last.
    devices.sort_by_key(Device::is_card);
    devices
}

/// The memory of a device. To say it, a card's driver takes some hundred megabytes of the card for
/// this program: ask only those that are used anyway.
pub fn memory(device: &Device) -> Memory {
    registry::find(device.card).map_or_else(Memory::default, registry::memory)
}

/// Whether ggml can start to use a device; whisper.cpp itself would take the processor instead, and
/// say so in its log alone. A driver may end the process instead of saying no: see
/// [`device_check`](super::device_check).
pub fn can_start(device: &Device) -> bool {
    registry::find(device.card).is_some_and(registry::can_start)
}

/// ggml's `CUDA0` as `cuda:0`.
fn plain_name(name: &str) -> String {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &name[letters.len()..];
    let letters = letters.to_lowercase();
    if number.is_empty() {
        letters
    } else {
        format!("{letters}:{number}")
    }
}

/// Whether this program was built for graphics cards.
pub const ON_CARDS: bool = cfg!(any(
    feature = "cuda",
    feature = "hipblas",
    feature = "metal",
    feature = "vulkan"
));

/// Devices that cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// What is named wrongly, with a hint.
    #[error("{0}")]
    Unknown(String),
    /// Cards are wanted, and there is none.
    #[error("no graphics card is found")]
    NoCard,
}

/// The devices of `there` that `list` names: `auto`, `cards`, or names with commas between them.
pub fn choose(list: &str, there: &[Device]) -> Result<Vec<Device>, DeviceError> {
    match list.trim() {
        AUTO => {
            let found = cards_of(there);
            return Ok(found.unwrap_or_else(|| vec![Device::cpu()]));
        }
        CARDS if !ON_CARDS => return Err(DeviceError::Unknown(missing(CARDS, there))),
        CARDS => return cards_of(there).ok_or(DeviceError::NoCard),
        _ => {}
    }
    let mut chosen: Vec<Device> = Vec::new();
    for name in list.split(',').map(str::trim) {
        let device = there.iter().find(|device| device.name == name);
        let device = device.ok_or_else(|| DeviceError::Unknown(missing(name, there)))?;
        if chosen.iter().any(|before| before.name == name) {
            let twice = format!("the device is named twice: `{name}`\nhint: name each once");
            return Err(DeviceError::Unknown(twice));
        }
        chosen.push(device.clone());
    }
    Ok(chosen)
}

/// All cards of their own; else those in the processor.
fn cards_of(there: &[Device]) -> Option<Vec<Device>> {
    let cards = |integrated| -> Vec<Device> {
        let of_kind = |d: &&Device| d.is_card() && d.integrated == integrated;
        there.iter().filter(of_kind).cloned().collect()
    };
    [cards(false), cards(true)]
        .into_iter()
        .find(|cards| !cards.is_empty())
}

fn missing(name: &str, there: &[Device]) -> String {
    let names: Vec<&str> = there.iter().map(|device| device.name.as_str()).collect();
    let cards = if ON_CARDS {
        ""
    } else {
        "; for a graphics card, build with the feature cuda, hipblas, metal or vulkan"
    };
    format!(
        "no such device: `{name}`\nhint: `{AUTO}`, or of these, with commas: {}{cards}",
        names.join(", ")
    )
}

/// The device of each worker, by its place in `devices`: `jobs` in all, the devices in turn; for 0,
/// one for each core on the processor, and a few on each card, until its memory says how many.
pub fn seats(devices: &[Device], jobs: usize, cores: usize) -> Vec<usize> {
    if jobs > 0 {
        return (0..jobs).map(|job| job % devices.len().max(1)).collect();
    }
    let cards = devices.iter().filter(|device| device.is_card()).count();
    let on_card = (cores / cards.max(1)).clamp(1, MOST_STATES);
    let wanted = |device: &Device| {
        if device.is_card() {
            on_card
        } else {
            cores.max(1)
        }
    };
    let most = devices.iter().map(wanted).max().unwrap_or(0);
    (0..most)
        .flat_map(|round| {
            let has_room = move |(_, device): &(usize, &Device)| wanted(device) > round;
            devices.iter().enumerate().filter(has_room).map(|(i, _)| i)
        })
        .collect()
}

/// ggml's registry of devices.
#[expect(unsafe_code, reason = "whisper-rs lists no devices but Vulkan's")]
mod registry {
    use std::ffi::{CStr, c_char};

    use super::Memory;

    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Kind {
        Cpu,
        Card,
        IntegratedCard,
        Other,
    }

    pub struct Found {
        pub name: String,
        pub description: String,
        pub kind: Kind,
        index: usize,
    }

    pub fn all() -> Vec<Found> {
        // SAFETY: the registry is made by the first call, under a lock of its own, and never shrinks.
        let count = unsafe { whisper_rs_sys::ggml_backend_dev_count() };
        (0..count).map(found).collect()
    }

    /// The place of a graphics card by its number, else of the processor.
    pub fn find(card: Option<i32>) -> Option<usize> {
        let of_kind = |found: &Found| match card {
            Some(_) => matches!(found.kind, Kind::Card | Kind::IntegratedCard),
            None => found.kind == Kind::Cpu,
        };
        let number = usize::try_from(card.unwrap_or(0)).ok()?;
        let found = all().into_iter().filter(of_kind).nth(number)?;
        Some(found.index)
    }

    /// What the driver of the device at this place says of its memory.
    pub fn memory(index: usize) -> Memory {
        let (mut free, mut total) = (0usize, 0usize);
        // SAFETY: the place is one that `find` found, and the two numbers outlive the call.
        unsafe {
            let device = whisper_rs_sys::ggml_backend_dev_get(index);
            whisper_rs_sys::ggml_backend_dev_memory(device, &raw mut free, &raw mut total);
        }
        Memory {
            free: free as u64,
            total: total as u64,
        }
    }

    /// Starts to use the device at this place, as whisper.cpp would, and ends it.
    pub fn can_start(index: usize) -> bool {
        // SAFETY: the place is one that `find` found; no parameters are a choice of the library's,
        // and what it made is freed once. Vulkan may throw, which ends the process: a card is only
        // asked in a process of its own.
        unsafe {
            let device = whisper_rs_sys::ggml_backend_dev_get(index);
            let backend = whisper_rs_sys::ggml_backend_dev_init(device, std::ptr::null());
            if backend.is_null() {
                return false;
            }
            whisper_rs_sys::ggml_backend_free(backend);
        }
        true
    }

    fn found(index: usize) -> Found {
        use whisper_rs_sys as ggml;
        // SAFETY: `index` is below the count, so that the device is one; its texts live as long as
        // the program.
        let (name, description, kind) = unsafe {
            let device = ggml::ggml_backend_dev_get(index);
            (
                text(ggml::ggml_backend_dev_name(device)),
                text(ggml::ggml_backend_dev_description(device)),
                ggml::ggml_backend_dev_type(device),
            )
        };
        let kind = match kind {
            ggml::ggml_backend_dev_type_GGML_BACKEND_DEVICE_TYPE_CPU => Kind::Cpu,
            ggml::ggml_backend_dev_type_GGML_BACKEND_DEVICE_TYPE_GPU => Kind::Card,
            ggml::ggml_backend_dev_type_GGML_BACKEND_DEVICE_TYPE_IGPU => Kind::IntegratedCard,
            _ => Kind::Other,
        };
        Found {
            name,
            description,
            kind,
            index,
        }
    }

    /// # Safety
    /// `of` is null or a text that ends with a zero byte.
    unsafe fn text(of: *const c_char) -> String {
        if of.is_null() {
            return String::new();
        }
        // SAFETY: as the caller says.
        unsafe { CStr::from_ptr(of) }.to_string_lossy().into_owned()
    }
}

/// So many cards, `cuda:0` and on, for tests of what is made of them.
#[cfg(test)]
pub fn cards(count: usize) -> Vec<Device> {
    let card = |number| Device {
        name: format!("cuda:{number}"),
        card: Some(number as i32),
        ..Device::cpu()
    };
    (0..count).map(card).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(name: &str, number: i32, integrated: bool) -> Device {
        Device {
            name: name.into(),
            card: Some(number),
            integrated,
            ..Device::cpu()
        }
    }

    fn names(devices: &[Device]) -> Vec<&str> {
        devices.iter().map(|device| device.name.as_str()).collect()
    }

    #[test]
    fn names_are_those_of_the_toolkit_in_small_letters() {
        for (theirs, ours) in [
            ("CUDA0", "cuda:0"),
            ("Vulkan12", "vulkan:12"),
            ("ROCm1", "rocm:1"),
            ("Metal", "metal"),
        ] {
            assert_eq!(plain_name(theirs), ours);
        }
    }

    #[test]
    fn auto_means_cards_of_their_own_then_those_in_the_processor_then_the_processor() {
        let (big, small) = (card("cuda:0", 1, false), card("vulkan:0", 0, true));
        let chosen = |there: &[Device]| choose(AUTO, there).expect("auto is always possible");
        assert_eq!(
            names(&chosen(&[Device::cpu(), small.clone(), big.clone()])),
            ["cuda:0"]
        );
        assert_eq!(names(&chosen(&[Device::cpu(), small])), ["vulkan:0"]);
        assert_eq!(names(&chosen(&[Device::cpu()])), [CPU]);
        let cards = choose(CARDS, &[Device::cpu(), big]);
        let none = choose(CARDS, &[Device::cpu()]);
        if ON_CARDS {
            assert_eq!(names(&cards.expect("one")), ["cuda:0"]);
            assert_eq!(none, Err(DeviceError::NoCard));
        } else {
            let said = none.expect_err("no card").to_string();
            assert!(said.contains("build with the feature"), "{said}");
        }
    }

    #[test]
    fn a_device_that_is_not_there_is_refused_with_those_that_are() {
        let there = [Device::cpu(), card("cuda:0", 0, false)];
        let both = choose("cpu, cuda:0", &there).expect("both are there");
        assert_eq!(names(&both), [CPU, "cuda:0"]);
        let refused = choose("cuda:1", &there).expect_err("only one card");
        let refused = refused.to_string();
        assert!(
            refused.contains("`cuda:1`") && refused.contains("cpu, cuda:0"),
            "{refused}"
        );
        assert!(choose("cuda:0,cuda:0", &there).is_err());
        assert!(choose("", &there).is_err());
        let without = choose("cuda:0", &there[..1]).expect_err("no card");
        let without = without.to_string();
        assert_eq!(
            without.contains("build with the feature"),
            !ON_CARDS,
            "{without}"
        );
    }

    #[test]
    fn workers_take_the_devices_in_turn() {
        let two = [card("cuda:0", 0, false), card("cuda:1", 1, false)];
        assert_eq!(seats(&two, 3, 64), [0, 1, 0]);
        assert_eq!(seats(&two, 0, 4), [0, 1, 0, 1]);
        assert_eq!(
            seats(&two, 0, 64).len(),
            2 * MOST_STATES,
            "cores are not all"
        );
        assert_eq!(seats(&[Device::cpu()], 0, 3), [0, 0, 0]);
        assert_eq!(
            seats(&[Device::cpu(), two[0].clone()], 0, 2),
            [0, 1, 0, 1],
            "a processor that is named works, too"
        );
    }

    #[test]
    fn the_processor_is_always_there() {
        let there = list();
        assert_eq!(there[0].name, CPU);
        assert!(!there[0].is_card());
        let memory = memory(&there[0]);
        assert!(
            memory.total > 0 && memory.free <= memory.total,
            "{memory:?}"
        );
        assert!(can_start(&there[0]));
        let missing = Device {
            card: Some(99),
            ..Device::cpu()
        };
        assert!(!can_start(&missing));
        assert_eq!(super::memory(&missing), Memory::default());
    }
}

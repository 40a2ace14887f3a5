//! Where the model computes: on the processor, or with as many of its layers on graphics cards as
//! their free memory has room for. Hides llama.cpp's numbers of devices.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use llama_cpp_2::{
    LlamaBackendDevice, LlamaBackendDeviceType, list_llama_ggml_backend_devices,
    llama_backend::LlamaBackend,
    model::{LlamaModel, params::LlamaModelParams},
};

/// In a list of devices: all graphics cards, and the processor where there is none.
const AUTO: &str = "auto";
const CPU: &str = "cpu";
/// Memory of each card that is left to others and to what is computed between the layers.
const RESERVE: u64 = 1 << 30;
/// More layers than any model has: all of them, and the words behind the last.
const ALL_LAYERS: u32 = 9999;

/// The parameters with which a model is loaded, and whether all of it is on cards.
pub struct Plan {
    /// The parameters.
    pub params: LlamaModelParams,
    /// Whether every layer is on a card.
    pub all_on_cards: bool,
}

/// The plan for the model in `file` on the devices of `list`, with a memory of so many tokens.
pub fn plan(backend: &LlamaBackend, file: &Path, list: &str, tokens: u64) -> Result<Plan> {
    let there = list_llama_ggml_backend_devices();
    let cards = chosen(list, &there)?;
    if cards.is_empty() {
        // What a program without cards does anyway.
        let params = LlamaModelParams::default();
        let has_cards = there.iter().any(is_card);
        return Ok(Plan {
            params: if has_cards {
                params.with_n_gpu_layers(0)
            } else {
                params
            },
            all_on_cards: false,
        });
    }
    let shape = Shape::read(backend, file)?;
    let free = cards
        .iter()
        .map(|card| (card.memory_free as u64).saturating_sub(RESERVE));
    let layers = shape.layers_with_room(free.sum(), tokens);
    let numbers: Vec<usize> = cards.iter().map(|card| card.index).collect();
    Ok(Plan {
        params: LlamaModelParams::default()
            .with_devices(&numbers)
            .context("llama.cpp lost a device")?
            .with_n_gpu_layers(layers),
        all_on_cards: layers == ALL_LAYERS,
    })
}

fn is_card(device: &LlamaBackendDevice) -> bool {
    matches!(
        device.device_type,
        LlamaBackendDeviceType::Gpu | LlamaBackendDeviceType::IntegratedGpu
    )
}

/// The cards that `list` names; none for the processor.
fn chosen<'d>(list: &str, there: &'d [LlamaBackendDevice]) -> Result<Vec<&'d LlamaBackendDevice>> {
    match list.trim() {
        AUTO => {
            let of = |kind| there.iter().filter(move |d| d.device_type == kind);
            let own: Vec<_> = of(LlamaBackendDeviceType::Gpu).collect();
            let in_processor = of(LlamaBackendDeviceType::IntegratedGpu);
            Ok(if own.is_empty() {
                in_processor.collect()
            } else {
                own
            })
        }
        CPU => Ok(Vec::new()),
        names => names
            .split(',')
            .map(str::trim)
            .filter(|name| *name != CPU)
            .map(|name| named(name, there))
            .collect(),
    }
}

fn named<'d>(name: &str, there: &'d [LlamaBackendDevice]) -> Result<&'d LlamaBackendDevice> {
    let mut cards = there.iter().filter(|device| is_card(device));
    if let Some(card) = cards.find(|card| plain_name(&card.name) == name) {
        return Ok(card);
    }
    let names = there.iter().filter(|device| is_card(device));
    let names: Vec<String> = names.map(|card| plain_name(&card.name)).collect();
    bail!(
        "no such device: `{name}`\nhint: `{AUTO}`, or of these, with commas: {}",
        [&[CPU.to_owned()], names.as_slice()].concat().join(", ")
    )
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

/// What a model's file says of the size of its layers.
#[derive(Clone, Copy, Debug)]
struct Shape {
    bytes: u64,
    layers: u64,
    /// Numbers of a key in one layer.
    key: u64,
}

impl Shape {
    fn read(backend: &LlamaBackend, file: &Path) -> Result<Self> {
        let params = LlamaModelParams::default().with_vocab_only(true);
        let model = LlamaModel::load_from_file(backend, file, &params).with_context(|| {
            format!("not a model that llama.cpp can load: `{}`", file.display())
        })?;
        let text = |key: &str| model.meta_val_str(key).ok();
        let family = text("general.architecture").unwrap_or_default();
        let number = |key: &str| -> Option<u64> { text(&format!("{family}.{key}"))?.parse().ok() };
        let width = number("embedding_length").unwrap_or(4096);
        let heads = number("attention.head_count").unwrap_or(1).max(1);
        let of_keys = number("attention.head_count_kv").unwrap_or(heads);
        Ok(Self {
            bytes: std::fs::metadata(file)?.len(),
            layers: number("block_count").unwrap_or(32).max(1),
            key: number("attention.key_length").unwrap_or(width / heads) * of_keys,
        })
    }

    /// Layers that so many bytes have room for, with their keys and values of 16 bits.
    fn layers_with_room(self, free: u64, tokens: u64) -> u32 {
        // The words behind the last layer are about as large as a few of them.
        let weights = self.bytes / self.layers;
        let memory = tokens * self.key * 4;
        if self.bytes + self.layers * memory <= free {
            return ALL_LAYERS;
        }
        u32::try_from(free / (weights + memory).max(1)).unwrap_or(ALL_LAYERS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, device_type: LlamaBackendDeviceType) -> LlamaBackendDevice {
        LlamaBackendDevice {
            index: 0,
            name: name.into(),
            description: String::new(),
            backend: String::new(),
            memory_total: 0,
            memory_free: 0,
            device_type,
        }
    }

    #[test]
    fn auto_is_every_card_of_its_own_and_a_name_must_be_there() {
        let there = [
            device("CPU", LlamaBackendDeviceType::Cpu),
            device("Vulkan0", LlamaBackendDeviceType::IntegratedGpu),
            device("CUDA0", LlamaBackendDeviceType::Gpu),
        ];
        let names = |list: &str| -> Vec<&str> {
            let chosen = chosen(list, &there).expect("they are there");
            chosen.iter().map(|device| device.name.as_str()).collect()
        };
        assert_eq!(names("auto"), ["CUDA0"]);
        assert_eq!(names("vulkan:0, cuda:0"), ["Vulkan0", "CUDA0"]);
        assert_eq!(names("cpu"), [""; 0]);
        let refused = chosen("cuda:1", &there).expect_err("one card").to_string();
        assert!(refused.contains("cpu, vulkan:0, cuda:0"), "{refused}");
        assert!(chosen("auto", &there[..1]).expect("fine").is_empty());
    }

    #[test]
    fn as_many_layers_as_have_room() {
        // 4 GB in 36 layers, keys of 1024 numbers: 16,384 tokens are 64 MiB a layer.
        let shape = Shape {
            bytes: 4 << 30,
            layers: 36,
            key: 1024,
        };
        assert_eq!(shape.layers_with_room(8 << 30, 16_384), ALL_LAYERS);
        let some = shape.layers_with_room(3 << 30, 16_384);
        assert!((15..18).contains(&some), "{some}");
        assert_eq!(shape.layers_with_room(0, 16_384), 0);
    }
}

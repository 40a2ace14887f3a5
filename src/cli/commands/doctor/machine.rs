//! The devices of this machine, and the models that suit it.

use anyhow::Result;

use super::Finding;
use crate::{
    cli::{
        project::{resolve, roles::DEFAULT_MODEL, settings::Transcribe},
        ui::output::bytes,
    },
    transcribe::{self, Device, devices},
};

/// Language models for cards by the free memory with which all their layers have room, the largest
/// first.
const LANGUAGE_ON_CARD: [(u64, &str); 2] = [(10 << 30, "qwen3-8b"), (6 << 30, "qwen3-4b-instruct")];
/// The language model for a processor of at least so many cores.
const LANGUAGE_ON_CORES: &str = "qwen2.5-coder-1.5b";
const CORES_FOR_LANGUAGE: usize = 8;

/// What this machine has and what suits it, one line each.
pub fn findings(config: &Transcribe) -> Vec<Finding> {
    let there = devices::list();
    let mut findings: Vec<Finding> = there.iter().map(device).collect();
    let chosen = devices::choose(&config.device, &there);
    findings.push(workers(config, &chosen));
    findings.push(fine("speech model that suits", speech(&there)));
    findings.push(fine("language model that suits", language(&there, cores())));
    findings
}

fn fine(what: &str, found: String) -> Finding {
    Finding {
        what: what.into(),
        fine: true,
        found,
        hint: None,
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn device(device: &Device) -> Finding {
    let memory = if device.is_card() {
        let (free, total) = (bytes(device.memory_free), bytes(device.memory_total));
        format!("{free} free of {total}")
    } else {
        format!("{} cores, {}", cores(), bytes(device.memory_total))
    };
    let found = format!("{}; {memory}", device.description);
    fine(&format!("device {}", device.name), found)
}

/// The number of transcription workers and their threads, with the reason.
fn workers(config: &Transcribe, chosen: &Result<Vec<Device>, String>) -> Finding {
    let chosen = match chosen {
        Ok(chosen) => chosen,
        Err(error) => {
            let (found, hint) = error.split_once("\nhint: ").unwrap_or((error, ""));
            return Finding {
                what: "transcription".into(),
                fine: false,
                found: found.into(),
                hint: Some(hint.into()),
            };
        }
    };
    let workers = devices::seats(chosen, config.jobs, cores()).len();
    let names: Vec<&str> = chosen.iter().map(|device| device.name.as_str()).collect();
    let on_cards = chosen.iter().any(Device::is_card);
    let why = match (config.jobs, on_cards) {
        (0, true) => "at most, as a card's memory has room for them",
        (0, false) => "as many as there are cores",
        _ => "as `transcribe.jobs` says",
    };
    let how = if on_cards {
        "with flash attention on a card"
    } else {
        "one thread each: a second thread in a worker would wait for the first at every step"
    };
    let found = format!("{workers} workers on {} ({why}), {how}", names.join(", "));
    fine("transcription", found)
}

fn speech(there: &[Device]) -> String {
    match resolve::card_with_room(there) {
        Some(card) => format!(
            "{}: `{}` has {} free",
            transcribe::AUTO_ON_CARD,
            card.name,
            bytes(card.memory_free)
        ),
        None => "tiny.en for English, base otherwise: no card with 6 GB free".into(),
    }
}

fn language(there: &[Device], cores: usize) -> String {
    let card = there.iter().filter(|device| device.is_card());
    let card = card.max_by_key(|device| device.memory_free);
    let fitting = card.and_then(|card| {
        let has_room = |(bytes, _): &&(u64, &'static str)| card.memory_free >= *bytes;
        let (_, model) = LANGUAGE_ON_CARD.iter().find(has_room)?;
        Some((*model, format!("`{}` has room for it", card.name)))
    });
    let (model, why) = match fitting {
        Some(fitting) => fitting,
        None if cores >= CORES_FOR_LANGUAGE => (LANGUAGE_ON_CORES, format!("{cores} cores")),
        None => (
            DEFAULT_MODEL.trim_start_matches("local/"),
            format!("{cores} cores and no card with room for more"),
        ),
    };
    format!("{model}: {why}; `--model-role ROLE=local/{model}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_suits_depends_on_the_card_and_the_cores() {
        let card = |free: u64| Device {
            name: "cuda:0".into(),
            card: Some(0),
            memory_free: free << 30,
            ..Device::cpu()
        };
        let with_card = [Device::cpu(), card(24)];
        assert!(speech(&with_card).starts_with("large-v3-turbo"));
        assert!(language(&with_card, 2).starts_with("qwen3-8b"));
        assert!(language(&[card(8)], 2).starts_with("qwen3-4b-instruct"));
        let with_small = [Device::cpu(), card(2)];
        assert!(speech(&with_small).starts_with("tiny.en"));
        assert!(language(&with_small, 2).starts_with("qwen2.5-coder-0.5b"));
        assert!(language(&[Device::cpu()], 16).starts_with("qwen2.5-coder-1.5b"));
    }

    #[test]
    fn a_device_that_is_not_there_is_a_fault_with_a_hint() {
        let config = Transcribe {
            device: "cuda:7".into(),
            ..Transcribe::default()
        };
        let chosen = devices::choose(&config.device, &[Device::cpu()]);
        let found = workers(&config, &chosen);
        assert!(!found.fine && found.found.contains("cuda:7"));
        assert!(found.hint.is_some_and(|hint| hint.contains("cpu")));
    }
}

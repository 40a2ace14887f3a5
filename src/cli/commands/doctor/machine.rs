//! The devices of this machine, and the models that suit it.

use anyhow::Result;

use super::Finding;
use crate::{
    cli::{
        project::{resolve, roles::DEFAULT_MODEL, settings::Transcribe},
        ui::output::bytes,
    },
    transcribe::{
        self, Device, DeviceError,
        devices::{self, Memory},
    },
};

/// Language models for cards by the free memory with which all their layers have room, the largest
/// first.
const LANGUAGE_ON_CARD: [(u64, &str); 2] = [
    (10_000_000_000, "qwen3-8b"),
    (6_000_000_000, "qwen3-4b-instruct"),
];
/// The language model for a processor of at least so many cores.
const LANGUAGE_ON_CORES: &str = "qwen2.5-coder-1.5b";
const CORES_FOR_LANGUAGE: usize = 8;

/// What this machine has and what suits it, one line each.
pub fn findings(config: &Transcribe) -> Result<Vec<Finding>> {
    let there = devices::list();
    let memories = resolve::memories(&there)?;
    let mut findings: Vec<Finding> = memories
        .iter()
        .map(|(of, memory)| device(of, memory.as_ref()))
        .collect();
    let chosen = devices::choose(&config.device, &there);
    findings.push(workers(config, &chosen));
    let cards = resolve::cards(&memories);
    findings.push(fine("speech model that suits", speech(&cards)));
    findings.push(fine("language model that suits", language(&cards, cores())));
    Ok(findings)
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

fn device(device: &Device, memory: Result<&Memory, &String>) -> Finding {
    let what = format!("device {}", device.name);
    let memory = match memory {
        Ok(memory) => memory,
        Err(why) => {
            return Finding {
                what,
                fine: false,
                found: format!("{}; {why}", device.description),
                hint: Some("look at its driver; `transcribe` leaves it to the others".into()),
            };
        }
    };
    let (free, total) = (bytes(memory.free), bytes(memory.total));
    let memory = if device.is_card() {
        format!("{free} free of {total}")
    } else {
        format!("{} cores, {total}", cores())
    };
    let found = format!("{}; {memory}", device.description);
    fine(&what, found)
}

/// The number of transcription workers and their threads, with the reason.
fn workers(config: &Transcribe, chosen: &Result<Vec<Device>, DeviceError>) -> Finding {
    let chosen = match chosen {
        Ok(chosen) => chosen,
        Err(error) => {
            let error = error.to_string();
            let no_card = "a driver that does not fit shows no card; `--device cpu` needs none";
            let (found, hint) = error.split_once("\nhint: ").unwrap_or((&error, no_card));
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

fn speech(cards: &[(&Device, u64)]) -> String {
    match resolve::card_with_room(cards) {
        Some((card, free)) => {
            let free = bytes(free);
            format!(
                "{}: `{}` has {free} free",
                transcribe::AUTO_ON_CARD,
                card.name
            )
        }
        None => "tiny.en for English, base otherwise: no card with 6 GB free".into(),
    }
}

fn language(cards: &[(&Device, u64)], cores: usize) -> String {
    let card = cards.iter().max_by_key(|(_, free)| *free);
    let fitting = card.and_then(|(card, free)| {
        let has_room = |(bytes, _): &&(u64, &'static str)| free >= bytes;
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
        let card = Device {
            name: "cuda:0".into(),
            card: Some(0),
            ..Device::cpu()
        };
        let with = |free: u64| vec![(&card, free << 30)];
        assert!(speech(&with(24)).starts_with("large-v3-turbo"));
        assert!(language(&with(24), 2).starts_with("qwen3-8b"));
        assert!(language(&with(8), 2).starts_with("qwen3-4b-instruct"));
        assert!(speech(&with(2)).starts_with("tiny.en"));
        assert!(language(&with(2), 2).starts_with("qwen2.5-coder-0.5b"));
        assert!(language(&[], 16).starts_with("qwen2.5-coder-1.5b"));
    }

    #[test]
    fn a_card_that_cannot_be_used_is_a_fault_and_no_card_for_a_model() {
        let card = Device {
            name: "cuda:0".into(),
            card: Some(0),
            ..Device::cpu()
        };
        let broken = [(&card, Err("cannot be used (signal: 6)".to_owned()))];
        let found = device(&card, broken[0].1.as_ref());
        assert!(!found.fine && found.found.contains("signal: 6"));
        assert!(resolve::cards(&broken).is_empty());
        let memory = Memory {
            free: 24 << 30,
            total: 24 << 30,
        };
        let found = device(&card, Ok(&memory));
        assert!(
            found.fine && found.found.contains("25.77 GB free"),
            "{}",
            found.found
        );
        assert_eq!(resolve::cards(&[(&card, Ok(memory))]), [(&card, 24 << 30)]);
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

//! `taskgen doctor --bench`: transcribes a built-in sample with 1, 2, 4 … workers on each device,
//! and writes the fastest number to the user's own settings.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::{
        args::{Doctor, Global},
        project::{Project, config, resolve, user},
        ui::{
            exit,
            output::{Printer, count, table},
            progress,
        },
    },
    context::{Notice, Notify},
    files,
    transcribe::{Device, ModelChoice, Sample, TranscribeError, devices},
};

/// Two minutes and a quarter of English speech.
const SAMPLE: &[u8] = include_bytes!("../../../../tests/data/seminars/markets.webm");
/// All measurements together; one on each device is made anyway.
const ALL: Duration = Duration::from_mins(2);
/// One of them, beside its first windows.
const ONE: Duration = Duration::from_secs(8);
/// More workers that give less than this share of the speed are not followed further.
const WORTH: f64 = 0.9;

/// What was measured, and what was written.
#[derive(Serialize)]
struct Bench {
    /// The model that was measured.
    model: String,
    /// Devices that could not be measured, each with the reason.
    failed: Vec<String>,
    /// The devices, as `--device` takes them.
    devices: String,
    speeds: Vec<Speed>,
    /// Workers in all with which each device is at its best.
    jobs: usize,
    /// The file with the user's settings; none where there is no folder for them, or other devices
    /// or another model was measured than is usual.
    written: Option<PathBuf>,
}

#[derive(Serialize)]
struct Speed {
    device: String,
    states: usize,
    times_real_time: f64,
}

/// Measures and writes.
pub fn run(global: &Global, args: &Doctor, printer: &Printer) -> Result<u8> {
    let notify = progress::notify(global.quiet || global.json);
    let mut config = match Project::find_if_any(global)? {
        Some(project) => project.loaded.config,
        None => config::load(None)?.config,
    };
    if let Some(device) = &args.device {
        config.transcribe.device.clone_from(device);
    }
    if let Some(model) = &args.model {
        config.transcribe.model.clone_from(model);
    }
    let devices = resolve::devices(&config.transcribe)?;
    let model = resolve::speech_model(global, &config.transcribe, &devices, &notify)?;
    let mut bench = measure(global, &devices, &model, &notify)?;
    // The number holds in every project of this user: one for other devices or another model than
    // is usual would slow them down.
    let usual = config::load(None)?.config.transcribe;
    let is_usual =
        (&usual.device, &usual.model) == (&config.transcribe.device, &config.transcribe.model);
    let path = user::path().filter(|_| is_usual);
    let kept = path.map(|path| user::set_jobs(&path, bench.jobs).map(|()| path));
    let kept = kept.transpose();
    if let Ok(path) = &kept {
        bench.written.clone_from(path);
    }
    // Also where it cannot be kept.
    printer.show(&bench, |bench| text(bench, &config.transcribe.model))?;
    kept.map(|_| {
        if bench.failed.is_empty() {
            exit::DONE
        } else {
            exit::SOME_FAILED
        }
    })
}

fn measure(
    global: &Global,
    devices: &[Device],
    model: &ModelChoice,
    notify: &Notify,
) -> Result<Bench> {
    let folder = tempfile::tempdir()?;
    let recording = folder.path().join("sample.webm");
    files::write_whole(&recording, SAMPLE)?;
    let names: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
    let name = model.name_for(true);
    let mut bench = Bench {
        model: name.to_owned(),
        failed: Vec::new(),
        devices: names.join(","),
        speeds: Vec::new(),
        jobs: 0,
        written: None,
    };
    let mut fewest = usize::MAX;
    for device in devices {
        let until = Instant::now() + ALL / devices.len() as u32;
        let speed_of = |states| speed(global, device, states, name, &recording, notify);
        match best_states(device, until, &mut bench.speeds, speed_of, notify) {
            Ok(best) => fewest = fewest.min(best),
            // `transcribe` would go on with the others, too.
            Err(error) if devices.len() > 1 => {
                bench.failed.push(format!("{}: {error:#}", device.name));
            }
            Err(error) => return Err(error),
        }
    }
    if fewest == usize::MAX {
        let what = bench.failed.join("; ");
        return Err(TranscribeError::NoDevice { what }.into());
    }
    // Workers take the devices in turn: each gets as many as the one that wants fewest.
    bench.jobs = fewest * devices.len();
    Ok(bench)
}

/// Times real time with so many workers on a device, and how many of them have room there.
fn speed(
    global: &Global,
    device: &Device,
    states: usize,
    model: &str,
    recording: &Path,
    notify: &Notify,
) -> Result<(f64, usize)> {
    let engine = resolve::engine_on(global, vec![device.clone()], states, notify)?;
    let sample = Sample::english(&engine, recording)?;
    let speed = sample.speed(&engine, model, ONE)?;
    Ok((speed, engine.working()))
}

/// The number of workers with which a device is fastest: 1, 2, 4 … until more are not worth it, or
/// the time is over. Adds what it measured to `speeds`.
fn best_states(
    device: &Device,
    until: Instant,
    speeds: &mut Vec<Speed>,
    speed_of: impl Fn(usize) -> Result<(f64, usize)>,
    notify: &Notify,
) -> Result<usize> {
    let mut best = (0.0, 1);
    let (mut states, most) = (1, most_states(device));
    loop {
        let begun = Instant::now();
        let (speed, working) = speed_of(states)?;
        // Its memory may have room for fewer than asked for.
        if working < states && working <= best.1 {
            break;
        }
        let is_full = working < states;
        states = working;
        notify(Notice::Say(&line(&device.name, states, speed)));
        speeds.push(Speed {
            device: device.name.clone(),
            states,
            times_real_time: (speed * 10.0).round() / 10.0,
        });
        let is_worth_it = speed >= best.0 * WORTH;
        if speed > best.0 {
            best = (speed, states);
        }
        // The next one takes about as long as this one.
        let has_time = Instant::now() + begun.elapsed() <= until;
        if !is_worth_it || is_full || states >= most || !has_time {
            break;
        }
        states = most.min(2 * states);
    }
    Ok(best.1)
}

/// On a processor no more than its cores.
fn most_states(device: &Device) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if device.is_card() {
        2 * devices::MOST_STATES
    } else {
        cores
    }
}

fn line(device: &str, states: usize, speed: f64) -> String {
    format!(
        "{device}, {}: {speed:.1} × real time",
        count(states as u64, "state")
    )
}

/// `asked` is the model as `--model` takes it, which may be `auto`.
fn text(bench: &Bench, asked: &str) -> String {
    let mut rows = table(&["device", "states", "× real time"]);
    for speed in &bench.speeds {
        rows.add_row(vec![
            speed.device.clone(),
            speed.states.to_string(),
            format!("{:.1}", speed.times_real_time),
        ]);
    }
    let written = match &bench.written {
        Some(path) => format!("`jobs = {}` is written to `{}`", bench.jobs, path.display()),
        None => format!(
            "nothing is written: `transcribe --device {} --model {asked} --jobs {}` is the fastest",
            bench.devices, bench.jobs
        ),
    };
    let mut lines = vec![format!("model {}", bench.model), rows.to_string()];
    lines.extend(bench.failed.iter().cloned());
    lines.push(written);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, sync::Arc};

    use super::*;

    /// The best number on a card with this speed, and room, for a number of states; and the numbers
    /// that were tried.
    fn best_on_card(speed_of: impl Fn(usize) -> (f64, usize), seconds: u64) -> (usize, Vec<usize>) {
        let card = Device {
            card: Some(0),
            ..Device::cpu()
        };
        let tried = RefCell::new(Vec::new());
        let measured = |states| {
            tried.borrow_mut().push(states);
            Ok(speed_of(states))
        };
        let until = Instant::now() + Duration::from_secs(seconds);
        let notify: Notify = Arc::new(|_| {});
        let best = best_states(&card, until, &mut Vec::new(), measured, &notify);
        (best.expect("measured"), tried.into_inner())
    }

    #[test]
    fn more_states_are_tried_as_long_as_they_pay() {
        let grows = |states: usize| (states as f64, states);
        assert_eq!(best_on_card(grows, 60), (16, vec![1, 2, 4, 8, 16]));
        let slows = |states: usize| (if states > 2 { 1.0 } else { states as f64 }, states);
        assert_eq!(best_on_card(slows, 60), (2, vec![1, 2, 4]));
        let has_room_for_three = |states: usize| (states.min(3) as f64, states.min(3));
        assert_eq!(best_on_card(has_room_for_three, 60), (3, vec![1, 2, 4]));
        let has_room_for_one = |_| (5.0, 1);
        assert_eq!(best_on_card(has_room_for_one, 60), (1, vec![1, 2]));
        assert_eq!(best_on_card(grows, 0), (1, vec![1]), "one is always tried");
    }
}

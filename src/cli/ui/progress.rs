//! Progress of a stage: a bar with rate and time left on a terminal, a line every few seconds
//! elsewhere.

use std::{
    fmt::Write,
    io::IsTerminal as _,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::output::{harmless, message};
use crate::{
    context::{Notice, Notify},
    data::Ms,
    server::progress::Teller,
};

/// Elsewhere than on a terminal, a line comes at most this often.
const LINE_EVERY: Duration = Duration::from_secs(5);

struct Stage {
    name: &'static str,
    /// Whether its units are seconds of sound.
    is_sound: bool,
    bar: ProgressBar,
    started: Instant,
    last_line: Instant,
    item: String,
}

/// Progress to stderr; nothing at all when `quiet`.
pub fn notify(quiet: bool) -> Notify {
    let terminal = std::io::stderr().is_terminal();
    let current: Mutex<Option<Stage>> = Mutex::new(None);
    Arc::new(move |notice| {
        if quiet {
            return;
        }
        let mut current = current.lock().unwrap_or_else(PoisonError::into_inner);
        match notice {
            Notice::Start { stage, total } => {
                *current = Some(start(stage, total, false, terminal));
            }
            Notice::StartSound { stage, seconds } => {
                *current = Some(start(stage, seconds, true, terminal));
            }
            Notice::Say(line) => say(current.as_ref(), line),
            Notice::End => {
                if let Some(stage) = current.take() {
                    stage.bar.finish_and_clear();
                }
            }
            Notice::Working(item) => {
                if let Some(stage) = current.as_mut() {
                    // The bar writes to the terminal itself, and names come from strangers.
                    stage.item = on_a_line(item);
                    stage.bar.set_message(stage.item.clone());
                    line(stage, terminal);
                }
            }
            Notice::Advance(units) => {
                if let Some(stage) = current.as_mut() {
                    stage.bar.inc(units);
                    line(stage, terminal);
                }
            }
        }
    })
}

/// The same, and told in `folder` to who looks at the project in a browser, however quiet.
pub fn notify_in(folder: PathBuf, quiet: bool) -> Notify {
    let shown = notify(quiet);
    let teller: Mutex<Option<Teller>> = Mutex::new(None);
    Arc::new(move |notice| {
        let mut teller = teller.lock().unwrap_or_else(PoisonError::into_inner);
        match (notice, &mut *teller) {
            (
                Notice::Start { stage, total }
                | Notice::StartSound {
                    stage,
                    seconds: total,
                },
                teller,
            ) => {
                // Before the next one begins: both have the same file.
                *teller = None;
                *teller = Teller::begin(&folder, stage, total);
            }
            (Notice::End, teller) => *teller = None,
            (Notice::Working(item), Some(teller)) => teller.working(item),
            (Notice::Advance(units), Some(teller)) => teller.advance(units),
            (Notice::Say(_) | Notice::Working(_) | Notice::Advance(_), _) => {}
        }
        shown(notice);
    })
}

fn start(name: &'static str, total: u64, is_sound: bool, terminal: bool) -> Stage {
    let target = if terminal {
        ProgressDrawTarget::stderr()
    } else {
        // A hidden bar still counts for the plain lines.
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(Some(total), target);
    let style = ProgressStyle::with_template(if is_sound {
        "{prefix:>10} {bar:30} {sound}, {eta} left  {wide_msg}"
    } else {
        "{prefix:>10} {bar:30} {pos}/{len} {per_sec} {eta} left  {wide_msg}"
    });
    if let Ok(style) = style {
        bar.set_style(
            style.with_key("sound", |state: &ProgressState, out: &mut dyn Write| {
                // A bar without a word is no reason to end.
                let _ = out.write_str(&sound(
                    state.pos(),
                    state.len().unwrap_or(0),
                    state.per_sec(),
                ));
            }),
        );
    }
    bar.set_prefix(name);
    if terminal {
        bar.enable_steady_tick(Duration::from_millis(250));
    }
    let now = Instant::now();
    Stage {
        name,
        is_sound,
        bar,
        started: now,
        last_line: now,
        item: String::new(),
    }
}

/// A name as a terminal may show it: no character works unseen or begins another line.
fn on_a_line(item: &str) -> String {
    harmless(item).replace(['\n', '\t'], " ")
}

fn line(stage: &mut Stage, terminal: bool) {
    if terminal || stage.last_line.elapsed() < LINE_EVERY {
        return;
    }
    stage.last_line = Instant::now();
    let (done, total) = (stage.bar.position(), stage.bar.length().unwrap_or(0));
    let spent = stage.started.elapsed().as_secs_f64();
    let left = match done {
        0 => String::new(),
        done => format!(
            ", about {:.0} s left",
            spent / done as f64 * total.saturating_sub(done) as f64
        ),
    };
    let counts = if stage.is_sound {
        sound(done, total, done as f64 / spent.max(f64::EPSILON))
    } else {
        format!("{done}/{total}")
    };
    message(&format!(
        "{:>10} {counts}{left}  {}",
        stage.name, stage.item
    ));
}

/// How much sound is done, and how fast: seconds a second are hours an hour.
fn sound(done: u64, total: u64, rate: f64) -> String {
    let time = |seconds: u64| Ms(seconds * 1000);
    format!("{} of {}, {rate:.0} h/h", time(done), time(total))
}

fn say(stage: Option<&Stage>, line: &str) {
    match stage {
        Some(stage) => stage.bar.suspend(|| message(line)),
        None => message(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_file_reaches_the_terminal_as_an_order() {
        let name = "talk\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}gpj\n.wav";
        assert_eq!(on_a_line(name), "talk]0;owned31mgpj .wav");
    }
}

//! Ending processes that start others meanwhile.

use std::{collections::HashSet, io, time::Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Kills the processes that `look` sees. All are stopped first: what is stopped starts nothing, so
/// that a swarm stays as it was seen. Looks again until it sees nothing new, or until the time is
/// over.
///
/// # Errors
/// Those of `look`.
pub fn kill_seen(look: impl Fn() -> io::Result<Vec<Pid>>, until: Instant) -> io::Result<()> {
    let mut stopped = HashSet::new();
    let looked = stop_seen(look, until, &mut stopped);
    // Whatever happened: nothing stays stopped.
    for pid in stopped {
        kill_process(pid, Signal::KILL).unwrap_or_default();
    }
    looked
}

fn stop_seen(
    look: impl Fn() -> io::Result<Vec<Pid>>,
    until: Instant,
    stopped: &mut HashSet<Pid>,
) -> io::Result<()> {
    loop {
        let mut new = look()?;
        new.retain(|pid| stopped.insert(*pid));
        if new.is_empty() || Instant::now() > until {
            return Ok(());
        }
        for pid in new {
            kill_process(pid, Signal::STOP).unwrap_or_default();
        }
    }
}

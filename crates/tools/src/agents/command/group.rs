//! A child process with its group, which is ended as a whole. Hides signals; where there are no
//! process groups, the child alone is killed.

use std::{io, process::ExitStatus, time::Duration};

use tokio::process::{Child, Command};

/// Pauses in milliseconds after SIGTERM, each followed by a look whether the group is gone: two
/// seconds in all.
const PAUSES: [u64; 9] = [5, 10, 20, 40, 80, 160, 320, 640, 725];

/// How much longer than that a supervisor may take, which gives the same two seconds and then kills:
/// so many looks, with this pause before each.
const SUPERVISOR: (Duration, usize) = (Duration::from_millis(50), 80);

/// A running child; what of its group is left when this is dropped is ended first.
pub struct Group {
    /// The first process of the group.
    pub child: Child,
    id: Option<u32>,
    /// Whether the child is a supervisor: it ends the others by itself when it is asked to.
    is_supervised: bool,
    ended: bool,
}

#[derive(Clone, Copy)]
enum Signal {
    Terminate,
    Kill,
}

impl Group {
    /// Starts the command as the first process of a group of its own.
    pub fn start(mut command: Command, is_supervised: bool) -> io::Result<Self> {
        #[cfg(unix)]
        command.process_group(0);
        let child = command.spawn()?;
        let id = child.id();
        Ok(Self {
            child,
            id,
            is_supervised,
            ended: false,
        })
    }

    /// The exit status of the child: the command, or its supervisor.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Ends what is left of the group: SIGTERM, and SIGKILL after two seconds.
    pub async fn end(&mut self) {
        if self.send(Signal::Terminate) {
            for pause in self.pauses() {
                tokio::time::sleep(pause).await;
                if self.is_gone() {
                    break;
                }
            }
            self.send(Signal::Kill);
        }
        self.ended = true;
    }

    /// Pauses after SIGTERM, each followed by a look whether everybody is gone.
    fn pauses(&self) -> impl Iterator<Item = Duration> + use<> {
        let (pause, looks) = SUPERVISOR;
        let more = std::iter::repeat_n(pause, if self.is_supervised { looks } else { 0 });
        PAUSES.into_iter().map(Duration::from_millis).chain(more)
    }

    /// Whether there was anybody to send it to.
    #[cfg(unix)]
    fn send(&self, signal: Signal) -> bool {
        let signal = match signal {
            Signal::Terminate => rustix::process::Signal::TERM,
            Signal::Kill => rustix::process::Signal::KILL,
        };
        let send = if self.is_supervised {
            rustix::process::kill_process
        } else {
            rustix::process::kill_process_group
        };
        self.pid().is_some_and(|id| send(id, signal).is_ok())
    }

    #[cfg(not(unix))]
    fn send(&mut self, signal: Signal) -> bool {
        matches!(signal, Signal::Terminate) && self.id.is_some() && self.child.start_kill().is_ok()
    }

    #[cfg(unix)]
    fn is_gone(&mut self) -> bool {
        // A dead child still counts as a member until it has been asked about.
        let ended = self.child.try_wait();
        if self.is_supervised {
            return !matches!(ended, Ok(None));
        }
        self.pid()
            .is_none_or(|id| rustix::process::test_kill_process_group(id).is_err() || all_dead(id))
    }

    #[cfg(not(unix))]
    fn is_gone(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    #[cfg(unix)]
    fn pid(&self) -> Option<rustix::process::Pid> {
        rustix::process::Pid::from_raw(self.id?.try_into().ok()?)
    }
}

/// Whether the group has members and none of them lives, where `/proc` tells. Orphans are asked
/// about by the system's first process, which in a container may do so late or never.
#[cfg(unix)]
fn all_dead(group: rustix::process::Pid) -> bool {
    let Ok(processes) = fs_err::read_dir("/proc") else {
        return false;
    };
    let stats = processes
        .flatten()
        .filter_map(|of| fs_err::read(of.path().join("stat")).ok());
    let group = group.to_string();
    // A program's name may be cut within a character.
    let mut members = stats
        .filter_map(|stat| state_in(&String::from_utf8_lossy(&stat), &group))
        .peekable();
    members.peek().is_some() && members.all(|state| matches!(state, 'Z' | 'X'))
}

/// The state of a process, from its line in `/proc`, if it is in the group. The name before may
/// hold anything.
#[cfg(unix)]
fn state_in(stat: &str, group: &str) -> Option<char> {
    let (_, after) = stat.rsplit_once(") ")?;
    let mut fields = after.split(' ');
    let state = fields.next()?.chars().next();
    state.filter(|_| fields.nth(1) == Some(group))
}

impl Drop for Group {
    /// Blocks, because what is not done here is never done: the program may exit next. A supervisor
    /// does it by itself, and all of several at once.
    fn drop(&mut self) {
        if self.ended || !self.send(Signal::Terminate) || self.is_supervised {
            return;
        }
        for pause in self.pauses() {
            std::thread::sleep(pause);
            if self.is_gone() {
                break;
            }
        }
        self.send(Signal::Kill);
    }
}

/// The signal that ended the process; 0 where there are no signals.
pub fn signal_of(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = status.code();
    signal.unwrap_or_default()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_behind_any_name() {
        let stat = "812 (a) R 1 2) Z 1 640 640 0 -1";
        assert_eq!(state_in(stat, "640"), Some('Z'));
        assert_eq!(
            (state_in(stat, "1"), state_in(stat, "64"), state_in("", "1")),
            (None, None, None)
        );
    }
}

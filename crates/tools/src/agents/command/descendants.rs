//! Descendants of this process, by `/proc`.

use std::{collections::HashMap, io};

use rustix::process::{Pid, getpid};

/// All descendants, unreaped dead ones included: a process looks dead when its first thread has
/// ended, while others run.
///
/// # Errors
/// There is no `/proc`.
pub fn all() -> io::Result<Vec<Pid>> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for process in fs_err::read_dir("/proc")?.flatten() {
        // As bytes: a program's name is cut within a character.
        let stat = fs_err::read(process.path().join("stat")).unwrap_or_default();
        if let Some((pid, parent)) = pid_and_parent(&stat) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut next = vec![getpid().as_raw_nonzero().get()];
    while let Some(parent) = next.pop() {
        for pid in children.remove(&parent).unwrap_or_default() {
            next.push(pid);
            found.extend(Pid::from_raw(pid));
        }
    }
    Ok(found)
}

/// The children of this process alone, which takes a fraction of the time; none where the kernel
/// does not list them.
pub fn children() -> io::Result<Vec<Pid>> {
    let mut found = Vec::new();
    for thread in fs_err::read_dir("/proc/self/task")?.flatten() {
        let list = fs_err::read_to_string(thread.path().join("children")).unwrap_or_default();
        let pids = list.split_whitespace().filter_map(|pid| pid.parse().ok());
        found.extend(pids.filter_map(Pid::from_raw));
    }
    Ok(found)
}

/// A process and its parent, from its line in `/proc`. The name in brackets may hold anything.
fn pid_and_parent(stat: &[u8]) -> Option<(i32, i32)> {
    let end = stat.windows(2).rposition(|two| two == b") ")?;
    let before = stat.split(|byte| *byte == b' ').next()?;
    let mut fields = stat[end + 2..].split(|byte| *byte == b' ');
    Some((number(before)?, number(fields.nth(1)?)?))
}

fn number(digits: &[u8]) -> Option<i32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_behind_any_name() {
        let read = |stat: &[u8]| pid_and_parent(stat);
        assert_eq!(read(b"812 (a) R 1 2) S 7 640 640 0"), Some((812, 7)));
        assert_eq!(read(b"812 (half an \xc3) Z 7 640 640 0"), Some((812, 7)));
        assert_eq!(read(b""), None);
    }
}

//! Agents whose taskgen is killed, or whose supervisor is: none runs on, and none runs twice.

use std::{process::Child, thread::sleep, time::Duration};

use super::Yard;

/// A second agent in the same folder finds the first one there. In its sandbox it cannot signal it.
/// Who is killed while it writes leaves an empty file, which names nobody.
const ALONE: &str = r#"last=$(cat alone 2>/dev/null) && [ "$last" ] && [ -d "/proc/$last" ] && echo twice >> "$MARKS/twice"
echo $$ > alone"#;
/// The same where nobody of ours reaps the first one: until the system's first process has, the dead
/// one is seen, too.
const ALIVE_ALONE: &str = r#"last=$(cat alone 2>/dev/null) &&
grep -qs ') [^ZX] ' "/proc/$last/stat" && echo twice >> "$MARKS/twice"
echo $$ > alone"#;

/// Killed at twenty moments, each time started again: nobody is left, and no agent finds another one
/// at work in its folder.
#[test]
fn after_a_kill_nothing_runs_on_and_none_runs_twice() {
    let script = format!("{ALONE}\nnote $$\nsetsid sleep 1000 & note $!\nsleep 1000");
    let yard = Yard::new(&script);
    for moment in 0..20 {
        let before = yard.processes().len();
        let mut running = yard.start();
        if moment % 4 > 0 {
            yard.wait_for_processes(before + 1);
        }
        sleep(Duration::from_millis(moment * 7));
        running.kill().expect("it runs");
        running.wait().expect("it is ours");
        if moment % 5 == 4 {
            yard.assert_nothing_is_left(&format!("moment {moment}"));
        }
    }
    yard.assert_nothing_is_left("the end");
    assert_eq!(yard.marked("twice"), "", "two agents in one folder");
}

/// Who kills taskgen by its name kills the supervisor, too: what that leaves ends with the next
/// start, and where taskgen still runs, at once.
#[test]
fn what_a_killed_supervisor_leaves_is_ended() {
    let script = format!("{ALIVE_ALONE}\nnote $$\nsetsid sleep 1000 & note $!\nsleep 1000");
    let yard = Yard::new(&script);
    // A failed attempt is on record and not made again: it comes last.
    for both in [true, false] {
        let before = yard.processes().len();
        let mut running = yard.start();
        yard.wait_for_processes(before + 2);
        if both {
            running.kill().expect("it runs");
        }
        kill_supervisors_of(&running);
        if both {
            running.wait().expect("it is ours");
            let mut next = yard.start();
            yard.wait_for_processes(before + 4);
            next.kill().expect("it runs");
            next.wait().expect("it is ours");
        } else {
            running.wait().expect("it is ours");
        }
        yard.assert_nothing_is_left(if both { "both" } else { "the supervisor alone" });
    }
    assert_eq!(yard.marked("twice"), "", "two agents in one folder");
}

fn kill_supervisors_of(taskgen: &Child) {
    let parent = format!("--parent\0{}\0", taskgen.id());
    for process in std::fs::read_dir("/proc").expect("there is one").flatten() {
        let line = std::fs::read_to_string(process.path().join("cmdline")).unwrap_or_default();
        if line.starts_with("taskgen\0supervise") && line.contains(&parent) {
            let pid = process
                .file_name()
                .to_string_lossy()
                .parse()
                .expect("a number");
            let pid = rustix::process::Pid::from_raw(pid).expect("a process");
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it runs");
        }
    }
}

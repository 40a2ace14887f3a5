//! Agents that will not end: whatever they start and however they hide it, nothing of them is left,
//! not even after taskgen itself was killed.

use std::{
    collections::BTreeSet,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::{ModelServer, Project};

/// How long something may be left after the end.
const LEFT: Duration = Duration::from_secs(5);
/// Notes a process that should not live long, whoever it belongs to.
const NOTE: &str = r#"note() { echo "$1" >> "$MARKS/processes"; }"#;
/// A second agent in the same folder finds the first one alive.
const ALONE: &str = r#"if kill -0 "$(cat alone 2>/dev/null)" 2>/dev/null; then echo twice >> "$MARKS/twice"; fi
echo $$ > alone"#;

/// Ways to outlive a limit, each with what it leaves if nobody looks after it.
const HIDING: [(&str, &str); 9] = [
    ("a session of its own", "setsid sleep 1000 & note $!"),
    (
        "two forks",
        "(setsid sh -c 'sleep 1000 & echo $! >> \"$MARKS/processes\"' &)",
    ),
    (
        "a group of its own",
        "perl -e 'setpgrp; exec \"sleep\", \"1000\"' & note $!",
    ),
    (
        "no ear for SIGTERM",
        "setsid sh -c 'trap \"\" TERM HUP INT; echo $$ >> \"$MARKS/processes\"; while :; do sleep 1; done' &",
    ),
    (
        "fifty children",
        "for i in $(seq 50); do setsid sleep 1000 & note $!; done",
    ),
    (
        "a name that is cut within a character",
        "cp /bin/sleep fourteen_bytesü; setsid ./fourteen_bytesü 1000 & note $!",
    ),
    (
        "a first thread that has ended",
        r#"setsid python3 -c '
import ctypes, os, threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()
open(os.environ["MARKS"] + "/processes", "a").write(f"{os.getpid()}\n")
ctypes.CDLL(None).pthread_exit(None)' &"#,
    ),
    (
        "a stopped member",
        "sh -c 'trap \"\" TERM HUP; kill -STOP $$; sleep 1000' & note $!",
    ),
    (
        "two gigabytes",
        "setsid sh -c 'echo $$ >> \"$MARKS/processes\"; exec head -c 2000000000 /dev/zero' &",
    ),
];

struct Yard {
    _server: ModelServer,
    project: Project,
    marks: PathBuf,
}

impl Yard {
    /// A project with one task and an agent that runs this script.
    fn new(script: &str) -> Self {
        let server = ModelServer::openai().pipeline();
        let project = Project::new(&server.url);
        let marks = project.path("marks");
        std::fs::create_dir(&marks).expect("writable");
        let file = project.path("agent.sh");
        let text = format!(
            "MARKS='{}'; export MARKS\n{NOTE}\n{script}\n",
            marks.display()
        );
        std::fs::write(&file, text).expect("writable");
        let project = project.config("[agents.mean]\ncommand = \"/bin/sh agent.sh\"\n");
        std::fs::write(project.path("q.txt"), "How do gravel rivers move?").expect("writable");
        project.ok(&["tasks", "import", "q.txt"]);
        Self {
            _server: server,
            project,
            marks,
        }
    }

    fn marked(&self, name: &str) -> String {
        std::fs::read_to_string(self.marks.join(name)).unwrap_or_default()
    }

    /// All processes that the agent has noted.
    fn processes(&self) -> BTreeSet<u32> {
        let noted = self.marked("processes");
        noted.lines().filter_map(|line| line.parse().ok()).collect()
    }

    fn wait_for_processes(&self, least: usize) {
        let begun = Instant::now();
        while self.processes().len() < least {
            assert!(begun.elapsed() < Duration::from_mins(1), "the agent starts");
            sleep(Duration::from_millis(5));
        }
    }

    fn assert_nothing_is_left(&self, what: &str) {
        let begun = Instant::now();
        let noted = self.processes();
        assert!(!noted.is_empty(), "{what}: nothing was started");
        loop {
            let left: Vec<&u32> = noted.iter().filter(|pid| lives(**pid)).collect();
            if left.is_empty() {
                return;
            }
            assert!(begun.elapsed() < LEFT, "{what}: {left:?} are left");
            sleep(Duration::from_millis(20));
        }
    }

    fn start(&self) -> Child {
        let mut command = self.project.command(&["answer", "--agent", "mean"]);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("it starts")
    }
}

/// Whether a process is there and not dead: it has a thread that is not. The first one may end before
/// others.
fn lives(process: u32) -> bool {
    let threads = Path::new("/proc").join(process.to_string()).join("task");
    let threads = std::fs::read_dir(threads).into_iter().flatten().flatten();
    threads.into_iter().any(|thread| {
        let stat = std::fs::read(thread.path().join("stat")).unwrap_or_default();
        String::from_utf8_lossy(&stat)
            .rsplit_once(") ")
            .is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
    })
}

#[test]
fn whatever_an_agent_starts_ends_with_it() {
    for (what, script) in HIDING {
        let yard = Yard::new(&format!("{script}\nsleep 0.3; echo a report"));
        // Two gigabytes are no report.
        yard.project.output(&["answer", "--agent", "mean"]);
        yard.assert_nothing_is_left(what);
    }
}

#[test]
fn at_its_time_limit_all_ends() {
    for (what, script) in HIDING {
        let yard = Yard::new(&format!("{script}\nsleep 1000"));
        let args = ["answer", "--agent", "mean", "--time-limit", "1"];
        yard.project.output(&args);
        yard.assert_nothing_is_left(what);
    }
}

/// A process that starts the next one and ends, again and again, is in no list of processes.
#[test]
fn a_chain_of_processes_ends() {
    let chain = r#"perl -e 'use POSIX; setsid(); $SIG{TERM} = "IGNORE";
for (my $n = 0; ; $n++) {
    if (my $next = fork) { exit }
    if ($n % 20 == 0) { open my $beat, ">", "$ENV{MARKS}/beat"; print $beat $n; close $beat }
    select undef, undef, undef, 0.001;
}' &"#;
    for (script, args) in [
        (format!("{chain}\nsleep 0.3; echo a report"), vec![]),
        (format!("{chain}\nsleep 1000"), vec!["--time-limit", "1"]),
    ] {
        let yard = Yard::new(&script);
        let answer = ["answer", "--agent", "mean"];
        yard.project.output(&[answer.as_slice(), &args].concat());
        let last = yard.marked("beat");
        assert_ne!(last, "", "the chain was there");
        sleep(Duration::from_millis(500));
        assert_eq!(yard.marked("beat"), last, "it runs on");
    }
}

/// What becomes of one attempt: its report, or the cause and the message.
fn outcome(script: &str, more: &[&str]) -> String {
    let yard = Yard::new(script);
    let answer = ["answer", "--agent", "mean", "--json"];
    let output = yard.project.output(&[answer.as_slice(), more].concat());
    let summary: Value = serde_json::from_slice(&output.stdout).expect("a summary");
    let failed = &summary["stages"][0]["failed"];
    if let Some(failure) = failed.get(0) {
        let word = |name: &str| failure[name].as_str().unwrap_or_default().to_owned();
        return format!("{}: {}", word("cause"), word("message"));
    }
    let reports = yard.project.json(&["reports", "list"]);
    reports[0]["state"].as_str().unwrap_or_default().to_owned()
}

/// Processes of an agent may signal their whole group, may end before what they started, and may
/// take any exit code: none of that is told as something else.
#[test]
fn how_an_agent_ends_is_told_as_it_was() {
    let deaf = "setsid sh -c 'trap \"\" TERM; sleep 1000' &";
    let tidy = r#"trap 'trap "" TERM; kill 0; wait' EXIT; sleep 1000 &"#;
    assert_eq!(outcome(&format!("{tidy}\necho a report"), &[]), "ok");
    // It is done in time, though seeing to the rest takes two seconds more.
    let done = format!("{deaf}\nsleep 0.5; echo a report");
    assert_eq!(outcome(&done, &["--time-limit", "2"]), "ok");
    let ended = |script| outcome(script, &[]);
    assert_eq!(ended("exit 255"), "exit: it ended with exit code 255");
    assert_eq!(ended("kill -9 $$"), "signal: it was ended by signal 9");
    let script = "echo '#!/no/such/interpreter' > x; chmod +x x; exec ./x";
    assert!(ended(script).starts_with("exit: it ended with exit code 12"));
}

/// What the system does not start is no agent's failure to answer.
#[test]
fn a_program_that_is_none_is_not_started() {
    let yard = Yard::new("");
    let program = yard.project.path("noise");
    std::fs::write(&program, [0, 1, 2, 3]).expect("writable");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).expect("ours");
    let output = yard.project.output(&[
        "answer",
        "--agent",
        "noise",
        "--command",
        program.to_str().expect("a path"),
        "--json",
    ]);
    let summary: Value = serde_json::from_slice(&output.stdout).expect("a summary");
    assert_eq!(summary["stages"][0]["failed"][0]["cause"], "not_started");
}

/// Orphans of an agent are reaped while it runs: a long run may leave thousands.
#[test]
fn an_agent_leaves_no_dead_processes() {
    let script = r#"for i in $(seq 40); do (sh -c ':' &); done; sleep 0.5
grep -l '^State:.Z' /proc/[0-9]*/status 2> /dev/null | while read -r file; do
  grep -q "^PPid:.$PPID$" "$file" && echo dead >> "$MARKS/dead"
done
echo a report"#;
    let yard = Yard::new(script);
    yard.project.ok(&["answer", "--agent", "mean"]);
    assert_eq!(yard.marked("dead"), "");
}

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

/// The user that owns nothing.
const NOBODY: u32 = 65_534;

/// The same command of a user without rights: root may read everything, whatever the kernel
/// refuses to others.
fn as_nobody(yard: &Yard, command: &Command) -> Command {
    let copy = yard.project.path("taskgen-copy");
    std::fs::copy(command.get_program(), &copy).expect("it is copied");
    let all = Command::new("chown")
        .args(["-R", &NOBODY.to_string()])
        .arg(yard.project.folder.path())
        .status();
    assert!(all.expect("it runs").success());
    let mut other = Command::new(copy);
    other.args(command.get_args()).uid(NOBODY).gid(NOBODY);
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        other.current_dir(folder);
    }
    other
}

/// An agent looks for keys in the environment of all processes above it.
#[test]
fn keys_in_the_environment_are_not_to_be_read() {
    let script = r#"p=$PPID
while [ "$p" -gt 1 ]; do
  case "$(tr '\0' ' ' < /proc/$p/cmdline)" in "taskgen supervise"*|*" answer --agent mean"*)
    tr '\0' '\n' < /proc/$p/environ >> "$MARKS/environ" 2>> "$MARKS/refused" || echo "$p" >> "$MARKS/closed"
  ;; esac
  p=$(sed 's/.*) . //' /proc/$p/stat | cut -d' ' -f1)
done
echo a report"#;
    let yard = Yard::new(script);
    let mut command = yard.project.command(&["answer", "--agent", "mean"]);
    if rustix::process::geteuid().is_root() {
        command = as_nobody(&yard, &command);
    }
    command.env("CANARY_API_KEY", "sk-canary");
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(yard.marked("closed").lines().count(), 2, "both above it");
    assert!(!yard.marked("environ").contains("sk-canary"));
}

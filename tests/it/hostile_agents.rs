//! Agents that will not end: whatever they start and however they hide it, nothing of them is left,
//! not even after taskgen itself was killed. And agents that look around: what they can read, write
//! and say.

mod killed;

use std::{
    collections::BTreeSet,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::Value;
use taskgen::agents::command::has_sandbox;

use crate::support::{ModelServer, Project};

/// How long something may be left after the end.
const LEFT: Duration = Duration::from_secs(5);
/// Notes a process that should not live long, whoever it belongs to.
const NOTE: &str = r#"note() { echo "$1" >> "$MARKS/processes"; }"#;
/// Notes whether something can be done.
const TRY: &str = r#"try() { if (eval "$2") > /dev/null 2>&1; then echo "$1" >> "$MARKS/open"; else echo "$1" >> "$MARKS/refused"; fi; }"#;

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
    /// A project with one task and an agent that runs this script, which may write its marks.
    fn new(script: &str) -> Self {
        Self::with(script, "")
    }

    /// The same, with more settings of the agent.
    fn with(script: &str, settings: &str) -> Self {
        let server = ModelServer::openai().pipeline();
        let project = Project::new(&server.url);
        let marks = project.path("marks");
        std::fs::create_dir(&marks).expect("writable");
        let file = project.path("agent.sh");
        let text = format!(
            "MARKS='{}'; export MARKS; PROJECT='{}'; SERVER='{}'\n{NOTE}\n{TRY}\n{script}\n",
            marks.display(),
            project.folder.path().display(),
            server.url
        );
        std::fs::write(&file, text).expect("writable");
        let project = project.config(&format!(
            "[agents.mean]\ncommand = \"/bin/sh agent.sh\"\nwritable = [\"marks\"]\n{settings}\n"
        ));
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
        // On a busy machine it takes a while until it hides.
        let hidden = "while [ ! -s \"$MARKS/processes\" ]; do sleep 0.05; done";
        let yard = Yard::new(&format!("{script}\n{hidden}\nsleep 0.3; echo a report"));
        // Two gigabytes are no report.
        yard.project.output(&["answer", "--agent", "mean"]);
        yard.assert_nothing_is_left(what);
    }
}

#[test]
fn at_its_time_limit_all_ends() {
    for (what, script) in HIDING {
        let yard = Yard::new(&format!("{script}\nsleep 1000"));
        // On a busy machine a second may be over before it hides.
        for limit in ["1", "6", "36"] {
            let args = ["answer", "--agent", "mean", "--time-limit", limit];
            yard.project
                .output(&[&args[..], &["--retry-failed"]].concat());
            if !yard.processes().is_empty() {
                break;
            }
        }
        yard.assert_nothing_is_left(what);
    }
}

/// A process that starts the next one and ends, again and again, is in no list of processes.
#[test]
fn a_chain_of_processes_ends() {
    let chain = r#"perl -e 'use POSIX; setsid(); $SIG{TERM} = "IGNORE";
for (my $n = 0; ; $n++) {
    if (my $next = fork) { exit }
    if ($n % 20 == 0) { open my $beat, ">", "$ENV{MARKS}/new"; print $beat $n; close $beat; rename "$ENV{MARKS}/new", "$ENV{MARKS}/beat" }
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
    outcome_in(&Yard::new(script), more)
}

fn outcome_in(yard: &Yard, more: &[&str]) -> String {
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
    // What holds without the sandbox, which closes the shell above them, too.
    let yard = Yard::with(script, "sandbox = \"off\"");
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

/// Whether sandboxes can be tested here; says so where they cannot.
#[expect(clippy::print_stderr, reason = "what was not tested is for people")]
fn can_test_sandboxes() -> bool {
    if !has_sandbox() {
        eprintln!("skipped: this kernel has no Landlock: nothing of the sandbox was tested");
    }
    has_sandbox()
}

/// What an agent looks for outside its folder, each with how it tries. Someone's home folder is
/// beside the project.
const OUTSIDE: [(&str, &str); 11] = [
    ("database", r#"cat "$PROJECT/tasks/taskgen.db""#),
    ("logs", r#"ls "$PROJECT/tasks/logs""#),
    ("configuration", r#"cat "$PROJECT/taskgen.toml""#),
    ("listing", r#"ls "$PROJECT""#),
    ("env-file", r#"cat "$PROJECT/keys.env""#),
    ("home", r#"cat "$(cat "$MARKS/home")/.secret""#),
    (
        "other agent",
        r#"cat "$PROJECT/tasks/agents/other/t_1/1/draft.md""#,
    ),
    ("neighbour", "ls .."),
    ("write", r#"echo x > "$PROJECT/written""#),
    ("own script", r#"echo x >> "$PROJECT/agent.sh""#),
    ("shared folder", r#"t=$(mktemp -p /tmp) && rm "$t""#),
];

/// What it needs to work.
const INSIDE: [(&str, &str); 8] = [
    ("own folder", "echo x > here && cat here && ls ."),
    ("run own", "cp /bin/true mine && ./mine"),
    ("temporary", r#"t=$(mktemp) && rm "$t""#),
    ("devices", "head -c 9 /dev/urandom > /dev/null"),
    ("standard streams", "echo x | cat /dev/stdin > /dev/stdout"),
    ("system", "cat /etc/passwd /proc/cpuinfo"),
    (
        "python",
        "python3 -c 'import multiprocessing, ssl; multiprocessing.Lock()'",
    ),
    (
        "network",
        r#"python3 -c 'import sys, urllib.parse as p, socket; u = p.urlparse(sys.argv[1]); socket.create_connection((u.hostname, u.port))' "$SERVER""#,
    ),
];

/// The names of what was open to an agent and of what was refused, with these settings.
fn looked_around(settings: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let tries = OUTSIDE.iter().chain(&INSIDE);
    let script: Vec<String> = tries
        .map(|(name, how)| format!("try '{name}' '{}'\n", how.replace('\'', r"'\''")))
        .collect();
    // One of them writes behind the end of the script.
    let script = script.concat() + "echo a report; exit 0\n";
    let yard = Yard::with(&script, settings);
    let home = tempfile::tempdir().expect("a folder");
    let write = |file: PathBuf, text: &str| {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("writable");
        std::fs::write(file, text).expect("writable");
    };
    write(home.path().join(".secret"), "theirs");
    write(yard.marks.join("home"), &home.path().to_string_lossy());
    write(yard.project.path("keys.env"), "LAB_KEY=sk-canary-file\n");
    let others = "tasks/agents/other/t_1/1/draft.md";
    write(yard.project.path(others), "# Gravel");
    let args = ["answer", "--agent", "mean", "--env-file", "keys.env"];
    let mut command = yard.project.command(&args);
    let output = command.env("HOME", home.path()).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let marked = |name| yard.marked(name).lines().map(str::to_owned).collect();
    (marked("open"), marked("refused"))
}

fn names(tries: &[(&str, &str)]) -> BTreeSet<String> {
    tries.iter().map(|(name, _)| (*name).to_owned()).collect()
}

#[test]
fn an_agent_in_a_sandbox_has_its_folder_and_the_system() {
    if !can_test_sandboxes() {
        return;
    }
    let (open, refused) = looked_around("");
    assert_eq!((open, refused), (names(&INSIDE), names(&OUTSIDE)));
    let (open, refused) = looked_around("sandbox = \"off\"");
    let all = &names(&INSIDE) | &names(&OUTSIDE);
    assert_eq!((open, refused), (all, BTreeSet::new()));
}

/// The shell from which taskgen was started has the keys, too, and its memory is not ours to close.
#[test]
fn no_environment_of_another_process_is_open_to_a_sandbox() {
    if !can_test_sandboxes() {
        return;
    }
    let script = r#"grep -l sk-canary /proc/[0-9]*/environ > "$MARKS/found" 2> /dev/null
try memory "head -c 1 /proc/$PPID/mem"
try root "ls /proc/$PPID/root/"
try folder "ls /proc/$PPID/cwd/.."
echo a report"#;
    let found = |settings: &str| {
        let yard = Yard::with(script, settings);
        let taskgen = yard.project.command(&["answer", "--agent", "mean"]);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "\"$0\" \"$@\"; exit $?"]);
        shell.arg(taskgen.get_program()).args(taskgen.get_args());
        shell.current_dir(yard.project.folder.path());
        shell.env("TASKGEN_OFFLINE", "1").env("CANARY", "sk-canary");
        let output = shell.output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
        (yard.marked("found"), yard.marked("open"))
    };
    assert_eq!(found(""), (String::new(), String::new()));
    let (without, _) = found("sandbox = \"off\"");
    assert_ne!(without, "", "the shell's environment can be read");
}

/// From Linux 6.12.
#[test]
fn an_agent_in_a_sandbox_ends_nobody_else() {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").expect("Linux");
    let numbers = release.split('.');
    let mut numbers = numbers.map_while(|part| part.parse::<u32>().ok());
    let version = (numbers.next(), numbers.next());
    if !can_test_sandboxes() || version < (Some(6), Some(12)) {
        eprintln!("skipped: {release} lets a sandbox signal others");
        return;
    }
    let script = r"try supervisor 'kill -0 $PPID'
try own 'sleep 9 & kill $!'
echo a report";
    let yard = Yard::new(script);
    yard.project.ok(&["answer", "--agent", "mean"]);
    assert_eq!(yard.marked("open"), "own\n");
}

/// Who meets the sandbox without knowing of it is told how to open what is needed.
#[test]
fn a_refused_file_leads_to_the_setting_that_opens_it() {
    if !can_test_sandboxes() {
        return;
    }
    let script = r#"cat "$PROJECT/notes/a.txt" && echo a report"#;
    let yard = Yard::new(script);
    std::fs::create_dir(yard.project.path("notes")).expect("writable");
    std::fs::write(yard.project.path("notes/a.txt"), "x").expect("writable");
    let said = outcome_in(&yard, &[]);
    let hint = "hint: if the sandbox kept it from a file: `readable";
    assert!(
        said.contains("Permission denied") && said.contains(hint),
        "{said}"
    );
    let again = ["--retry-failed", "--readable", "notes"];
    assert_eq!(outcome_in(&yard, &again), "ok");
    // Nothing of the sandbox is said of another failure, or where there is none.
    assert!(!outcome("exit 3", &[]).contains("sandbox"));
    let said = outcome("echo Permission denied >&2; exit 3", &["--sandbox", "off"]);
    assert!(!said.contains("sandbox"), "{said}");
}

#[test]
fn a_module_beside_a_script_leads_to_the_setting_that_opens_it() {
    if !can_test_sandboxes() {
        return;
    }
    let yard = Yard::new("");
    std::fs::write(yard.project.path("agent.py"), "import more\n").expect("writable");
    std::fs::write(yard.project.path("more.py"), "print('a report')\n").expect("writable");
    let python = ["--command", "python3 agent.py"];
    let said = outcome_in(&yard, &python);
    assert!(said.contains("No module named 'more'"), "{said}");
    assert!(said.contains("`readable = "), "{said}");
    // In a folder of its own an agent has all its parts.
    std::fs::create_dir(yard.project.path("mine")).expect("writable");
    for file in ["agent.py", "more.py"] {
        let to = yard.project.path("mine").join(file);
        std::fs::rename(yard.project.path(file), to).expect("writable");
    }
    let python = ["--command", "python3 mine/agent.py", "--retry-failed"];
    assert_eq!(outcome_in(&yard, &python), "ok");
}

/// As tools that install programs for one user do: a link in `~/.local/bin`, the rest elsewhere.
#[test]
fn an_agent_that_is_installed_at_home_runs_in_a_sandbox() {
    let yard = Yard::new("");
    let home = tempfile::tempdir().expect("a folder");
    let tool = home.path().join(".local/share/tool");
    let bin = home.path().join(".local/bin");
    for folder in [&tool.join("bin"), &tool.join("lib"), &bin] {
        std::fs::create_dir_all(folder).expect("writable");
    }
    let program = tool.join("bin/agent");
    let script = "#!/bin/sh\n. \"$(dirname \"$(readlink -f \"$0\")\")/../lib/words\"\n";
    std::fs::write(&program, script).expect("writable");
    std::fs::write(tool.join("lib/words"), "echo a report\n").expect("writable");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).expect("ours");
    std::os::unix::fs::symlink(&program, bin.join("agent")).expect("writable");
    let args = ["answer", "--agent", "tool", "--command", "agent"];
    let mut command = yard.project.command(&args);
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let output = command.env("HOME", home.path()).env("PATH", path).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{output:?}");
}

/// A kernel without Landlock: a filter refuses its system call, which has one number everywhere.
const WITHOUT_LANDLOCK: &str = r#"
import ctypes, os, struct, sys
code = [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50026), (0x06, 0, 0, 0x7FFF0000)]
code = b"".join(struct.pack("HBBI", *line) for line in code)
room = ctypes.create_string_buffer(code)
filter = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 4, ctypes.addressof(room)))
prctl = ctypes.CDLL(None, use_errno=True).prctl
assert prctl(38, 1, 0, 0, 0) == 0 and prctl(22, 2, filter, 0, 0) == 0, ctypes.get_errno()
os.execv(sys.argv[1], sys.argv[1:])
"#;

#[test]
fn without_landlock_an_agent_runs_and_that_is_said() {
    let answer = |settings: &str| {
        let yard = Yard::with("echo a report", settings);
        let taskgen = yard.project.command(&["answer", "--agent", "mean"]);
        let mut python = Command::new("python3");
        python.args(["-c", WITHOUT_LANDLOCK]);
        python.arg(taskgen.get_program()).args(taskgen.get_args());
        python.current_dir(yard.project.folder.path());
        let output = python.env("TASKGEN_OFFLINE", "1").output();
        let output = output.expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let note = "agent `mean` runs without a sandbox: this kernel has no Landlock";
    let (code, said) = answer("");
    assert_eq!((code, said.matches(note).count()), (Some(0), 1), "{said}");
    let (code, said) = answer("sandbox = \"off\"");
    assert!(code == Some(0) && !said.contains("sandbox"), "{said}");
    let (code, said) = answer("sandbox = \"landlock\"");
    let refused = "error: the agent `mean` cannot run in a sandbox: this kernel has no Landlock";
    assert!(code == Some(2) && said.contains(refused), "{said}");
}

/// It has found keys that it was not given, of the environment, of an env-file and of an address.
#[test]
fn no_known_key_is_in_what_an_agent_says() {
    let script = r#"for key in sk-of'-the-environment' of'-the-env-file' of'-the-address' named'-by-nothing'; do
  echo "report: $key"; echo "log: $key" >&2
done
exit "$(cat "$MARKS/code")""#;
    let provider = "[providers.lab]\nbase_url = \"http://u:of-the-address@127.0.0.1:9/v1\"\nkey_env = \"LAB_LOGIN\"";
    let yard = Yard::with(script, provider);
    std::fs::write(yard.project.path("keys.env"), "LAB_LOGIN=of-the-env-file\n").expect("writable");
    let answer = |code: &str| {
        std::fs::write(yard.marks.join("code"), code).expect("writable");
        let args = ["answer", "--agent", "mean", "--env-file", "keys.env", "-vv"];
        let mut command = yard.project.command(&args);
        let command = command.env("OPENAI_API_KEY", "sk-of-the-environment");
        format!(
            "{:?}",
            command.arg("--retry-failed").output().expect("it runs")
        )
    };
    let failed = answer("3");
    assert!(failed.contains("log: "), "{failed}");
    let done = answer("0");
    yard.project.ok(&["reports", "remove", "--agent", "mean"]);
    let kept = yard.project.path("tasks/reports-removed.jsonl");
    let kept = std::fs::read_to_string(kept).expect("the report");
    assert!(kept.contains("report: named-by-nothing"), "{kept}");
    let mut said = failed + &done + &kept;
    for log in std::fs::read_dir(yard.project.path("tasks/logs")).expect("logs") {
        said += &std::fs::read_to_string(log.expect("a log").path()).expect("text");
    }
    for key in ["sk-of-the-environment", "of-the-env-file", "of-the-address"] {
        assert!(!said.contains(key), "{key}: {said}");
    }
}

/// An agent may be given what only an env-file has.
#[test]
fn an_agent_is_given_variables_of_an_env_file() {
    let yard = Yard::with("echo \"$TRAIL\"", "env = [\"TRAIL\"]");
    std::fs::write(yard.project.path("keys.env"), "TRAIL=over the pass\n").expect("writable");
    assert_eq!(outcome_in(&yard, &["--env-file", "keys.env"]), "ok");
}

//! Jobs for a cluster without one: what is written and refused, and what the scripts do when a
//! program ends in this way or that. `make interop` has a real Slurm.

use std::{
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use taskgen::{
    cluster::{Plan, Resources, ServerKind, StepName, scripts},
    transcribe::devices::ON_CARDS,
};

use crate::support::{sound::wav, taskgen};

/// No script takes this long, on a busy machine either.
const PATIENCE: Duration = Duration::from_mins(2);

/// A project with two recordings, in a folder that a script must quote.
fn project() -> tempfile::TempDir {
    let folder = tempfile::Builder::new()
        .prefix("it's a lab ")
        .tempdir()
        .expect("a folder");
    taskgen(folder.path(), &["init", "."]);
    for (name, level) in [("a.wav", 1), ("b.wav", 2)] {
        let sound = wav(1, &vec![level; 16_000]);
        std::fs::write(folder.path().join("seminars").join(name), sound).expect("written");
    }
    folder
}

fn program(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a program");
}

/// The program in `folder`, with the commands in `commands` before those of the system.
fn run(folder: &Path, commands: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_taskgen"))
        .args(args)
        .current_dir(folder)
        .env("PATH", commands)
        .output()
        .expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn scripts_are_written_with_what_to_type() {
    let project = project();
    let (code, out, said) = taskgen(
        project.path(),
        &[
            "cluster",
            "slurm",
            "seminars/b.wav",
            "seminars",
            "--gpus",
            "1",
            "--then",
            "rank,inspire",
        ],
    );
    assert_eq!(code, Some(0), "{said}");
    let shown = out.replace(
        &project.path().display().to_string().replace('\'', r"'\''"),
        "[project]",
    );
    insta::assert_snapshot!(shown.replace(&project.path().display().to_string(), "[project]"), @"
    2 recordings in 2 shards; written
      [project]/tasks/cluster/models.sh
      [project]/tasks/cluster/shards.sh
      [project]/tasks/cluster/collect.sh
    next: `taskgen cluster slurm … --submit`, or
      cd '[project]'
      models=$(sbatch --parsable tasks/cluster/models.sh)
      shards=$(sbatch --parsable --kill-on-invalid-dep=yes --dependency=afterok:${models%%;*} tasks/cluster/shards.sh)
      sbatch --kill-on-invalid-dep=yes --dependency=afterany:${shards%%;*} tasks/cluster/collect.sh ${shards%%;*}
    ");
    let script = |name: &str| {
        std::fs::read_to_string(project.path().join("tasks/cluster").join(name)).expect("a script")
    };
    // What `auto` means is decided here, the same for all shards, and code finds ideas with the
    // encoder of sentences.
    let (models, sound) = if ON_CARDS {
        ("'large-v3-turbo'", "sound=('--model' 'auto-on-card'")
    } else {
        ("'tiny.en' 'base'", "sound=('--jobs'")
    };
    assert!(
        script("models.sh").contains(&format!("models=({models} 'use-multilingual')"))
            && script("shards.sh").contains(sound),
        "{}{}",
        script("models.sh"),
        script("shards.sh")
    );
    assert!(
        script("shards.sh").contains("#SBATCH --array=1-2\n")
            && script("shards.sh").contains("#SBATCH --gres=gpu:1\n")
    );
    assert!(
        script("collect.sh").contains("steps=('inspire' 'rank')"),
        "in the order of the work"
    );
}

#[test]
fn what_cannot_work_is_refused() {
    let project = project();
    let refused = |args: &[&str]| {
        let (code, _, said) = taskgen(project.path(), &[&["cluster", "slurm"], args].concat());
        assert_eq!(code, Some(2), "{args:?}: {said}");
        said
    };
    assert!(
        refused(&["--partition", "main\n#SBATCH --uid=0"]).contains("not a value of --partition")
    );
    assert!(refused(&["--shards", "0"]).contains("--shards"));
    assert!(refused(&["--server", "vllm", "--then", "rank"]).contains("--server-model"));
    let no_file = [
        "--server",
        "llama.cpp",
        "--server-model",
        "none.gguf",
        "--then",
        "rank",
    ];
    assert!(refused(&no_file).contains("no such file: `none.gguf`"));
    assert!(refused(&["seminars/c.wav"]).contains("no such file"));
    let (code, _, said) = taskgen(project.path(), &["cluster", "status"]);
    assert!(
        code == Some(2) && said.contains("nothing was submitted yet"),
        "{said}"
    );
    assert!(!project.path().join("tasks/cluster").exists());
    let nothing = tempfile::tempdir().expect("a folder");
    let (code, _, said) = run(
        project.path(),
        nothing.path(),
        &["cluster", "slurm", "--submit"],
    );
    assert!(
        code == Some(3) && said.contains("`squeue` does not start") && said.contains("hint:"),
        "{said}"
    );
}

#[test]
fn jobs_are_submitted_once_and_their_states_shown() {
    let (project, slurm) = (project(), tempfile::tempdir().expect("a folder"));
    let path = |name: &str| slurm.path().join(name).display().to_string();
    // Numbers from 41; what was typed is kept.
    program(
        slurm.path(),
        "sbatch",
        &format!(
            "#!/bin/sh\necho \"$*\" >> {0}\necho $((40 + $(/usr/bin/wc -l < {0})))\n",
            path("typed")
        ),
    );
    let states = |state: &str| {
        let line = format!(
            "JobId=42 ArrayJobId=42 ArrayTaskId=1-2 JobState={state} ExitCode=0:0 NodeList="
        );
        program(
            slurm.path(),
            "scontrol",
            &format!(
                "#!/bin/sh\n[ $4 = 42 ] && echo '{line}' && exit\necho 'slurm_load_jobs error: Invalid job id specified' >&2\nexit 1\n"
            ),
        );
    };
    // Another project's jobs, and those of this one, whoever submitted them.
    let queue = |jobs: &[u32]| {
        let folder = project.path().display();
        let lines = jobs.iter().map(|job| format!("{job}|{folder}\n"));
        let lines: String = lines.collect();
        std::fs::write(path("queue"), format!("7|/elsewhere\n{lines}")).expect("written");
        let print = format!("#!/bin/sh\nexec /bin/cat {}\n", path("queue"));
        program(slurm.path(), "squeue", &print);
    };
    states("PENDING");
    queue(&[]);
    let submit = || {
        run(
            project.path(),
            slurm.path(),
            &["cluster", "slurm", "--submit"],
        )
    };
    let (code, out, said) = submit();
    assert!(
        code == Some(0) && out.contains("submitted: models 41, shards 42, collect 43"),
        "{out}{said}"
    );
    queue(&[42, 42, 43]);
    let (code, _, said) = submit();
    assert!(
        code == Some(2) && said.contains("2 jobs of") && said.contains("scancel 42 43"),
        "{said}"
    );
    insta::assert_snapshot!(std::fs::read_to_string(slurm.path().join("typed")).expect("typed"), @"
    --parsable tasks/cluster/models.sh
    --parsable --dependency=afterok:41 --kill-on-invalid-dep=yes tasks/cluster/shards.sh
    --parsable --dependency=afterany:42 --kill-on-invalid-dep=yes tasks/cluster/collect.sh 42
    ");
    // Without accounting the controller says what it knows.
    let log = project.path().join("tasks/cluster/log/shards-2.out");
    std::fs::write(log, "one\n\x1b[31mred\u{202e}\n").expect("written");
    states("FAILED");
    queue(&[]);
    let (code, out, _) = run(project.path(), slurm.path(), &["cluster", "status"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("as `scontrol` says"), "{out}");
    assert!(out.contains("shards 2: FAILED\n    one\n"), "{out}");
    assert!(
        out.contains("[31mred") && !out.contains(['\u{1b}', '\u{202e}']),
        "{out}"
    );
    assert!(out.ends_with("2 recordings, 0 transcribed\n"), "{out}");
    let (code, out, _) = submit();
    assert!(
        code == Some(0) && out.contains("models 44"),
        "what has ended is no reason to refuse: {out}"
    );
}

/// A job without Slurm: its commands are stand-ins that note what they are asked.
struct Job {
    folder: tempfile::TempDir,
}

impl Job {
    /// A job in which the program does this.
    fn new(does: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("it's a lab ")
            .tempdir()
            .expect("a folder");
        std::fs::create_dir_all(folder.path().join("tasks/cluster/log")).expect("a folder");
        program(folder.path(), "taskgen", &format!("#!/bin/bash\n{does}\n"));
        program(
            folder.path(),
            "squeue",
            "#!/bin/bash\necho ${STATE:-RUNNING}\n",
        );
        program(
            folder.path(),
            "scontrol",
            "#!/bin/bash\necho \"$*\" >> requeued\n",
        );
        // Nothing is accounted.
        program(folder.path(), "sacct", "#!/bin/bash\nexit 1\n");
        Self { folder }
    }

    fn script(&self, step: StepName, server: Vec<String>) -> String {
        let word = |name: &str| self.folder.path().join(name).display().to_string();
        let plan = Plan {
            program: word("taskgen"),
            folder: word(""),
            recordings: vec!["a b".into()],
            shards: 3,
            retries: 2,
            resources: Resources {
                cpus: 1,
                ..Resources::default()
            },
            steps: vec!["inspire".into(), "rank".into()],
            asking: vec!["--model-role".into(), "judge=vllm/q".into()],
            server,
            ..Plan::default()
        };
        let all = scripts(&plan).expect("scripts");
        all.into_iter()
            .find(|script| script.step == step)
            .expect("a step")
            .text
    }

    fn start(&self, script: &str, state: &str) -> Child {
        let path = format!(
            "{}:{}",
            self.folder.path().display(),
            std::env::var("PATH").expect("a path")
        );
        Command::new("bash")
            .args(["-c", script])
            .env("PATH", path)
            .envs([
                ("SLURM_ARRAY_JOB_ID", "7"),
                ("SLURM_ARRAY_TASK_ID", "2"),
                ("SLURM_JOB_ID", "8"),
                ("STATE", state),
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("bash")
    }

    fn ended(&self, script: &str) -> (Option<i32>, String) {
        said(
            self.start(script, "RUNNING")
                .wait_with_output()
                .expect("an end"),
        )
    }

    fn note(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }
}

fn said(output: Output) -> (Option<i32>, String) {
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8(text).expect("UTF-8"),
    )
}

#[test]
fn a_crash_is_tried_again_so_often_and_a_failing_recording_is_not() {
    for (code, again) in [(0, 0), (1, 0), (2, 0), (3, 0), (137, 2), (101, 2)] {
        let job = Job::new(&format!("printf '<%s>' \"$@\" >> arguments; exit {code}"));
        let script = job.script(StepName::Shards, Vec::new());
        for _ in 0..3 {
            assert_eq!(job.ended(&script).0, Some(code));
        }
        assert_eq!(
            job.note("requeued"),
            "requeue 7_2\n".repeat(again),
            "{code}"
        );
        assert!(
            job.note("arguments")
                .starts_with("<--offline><--wait><--verbose><transcribe><--shard><2/3><--><a b>")
        );
    }
}

#[test]
fn a_job_that_is_asked_to_stop_goes_on_later_unless_it_was_cancelled() {
    for (state, again) in [("RUNNING", "requeue 7_2\n"), ("COMPLETING", "")] {
        let job = Job::new("trap 'exit 75' TERM; echo > begun; while :; do sleep 0.05; done");
        let child = job.start(&job.script(StepName::Shards, Vec::new()), state);
        until(&job.folder.path().join("begun"));
        let asked = Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status();
        assert!(asked.expect("kill").success());
        let (code, text) = said(child.wait_with_output().expect("an end"));
        assert_eq!(
            (code, job.note("requeued").as_str()),
            (Some(75), again),
            "{text}"
        );
    }
}

#[test]
fn steps_ask_the_server_that_the_job_starts() {
    let job = Job::new(
        "echo \"${VLLM_BASE_URL:+asked }$*\" >> steps
        [ -z \"$VLLM_BASE_URL\" ] || exec 3<> /dev/tcp/127.0.0.1/20009 || exit 9
        case $* in *transcribe*) exit 1 ;; esac",
    );
    let serve = "import http.server, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == '/health' else 404)
        self.end_headers()
http.server.HTTPServer(('127.0.0.1', int(sys.argv[-1])), Answer).serve_forever()
";
    program(
        job.folder.path(),
        "llama-server",
        &format!("#!/usr/bin/env python3\n{serve}"),
    );
    let server = ServerKind::LlamaCpp.command("/models/a b.gguf", "a b", 0);
    // Another job's server has the first port.
    let stranger = std::net::TcpListener::bind("127.0.0.1:20008").expect("a free port");
    let (code, text) = job.ended(&job.script(StepName::Collect, server));
    drop(stranger);
    assert_eq!(
        code,
        Some(1),
        "a recording failed, and the steps went on: {text}"
    );
    insta::assert_snapshot!(job.note("steps"), @"
    --offline --wait --verbose transcribe -- a b
    asked --model-role judge=vllm/q --wait inspire
    asked --model-role judge=vllm/q --wait rank
    ");
    assert!(
        std::net::TcpStream::connect("127.0.0.1:20009").is_err(),
        "it ends with the job"
    );

    program(
        job.folder.path(),
        "llama-server",
        "#!/bin/bash\necho no such device >&2; exit 1\n",
    );
    let server = ServerKind::LlamaCpp.command("/models/a b.gguf", "a b", 0);
    let (code, text) = job.ended(&job.script(StepName::Collect, server));
    assert!(
        code == Some(3) && text.contains("does not answer"),
        "{text}"
    );
    assert!(
        job.note("tasks/cluster/log/server.out")
            .contains("no such device")
    );
}

fn until(path: &Path) {
    let begun = Instant::now();
    while !path.exists() {
        assert!(
            begun.elapsed() < PATIENCE,
            "it never came: {}",
            path.display()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn nothing_is_collected_of_shards_that_were_cancelled() {
    let job = Job::new("echo \"$*\" >> steps");
    let says = |state: &str| {
        let print = format!(
            "#!/bin/bash\n[ \"$*\" = 'show job --oneliner 7' ] && echo 'JobId=8 ArrayJobId=7 JobState={state} ExitCode=0:15'\n"
        );
        program(job.folder.path(), "scontrol", &print);
    };
    let script = job.script(StepName::Collect, Vec::new());
    let script = format!("set -- 7\n{script}");
    says("CANCELLED");
    let (code, text) = job.ended(&script);
    assert!(
        code == Some(130) && text.contains("shards were cancelled"),
        "{text}"
    );
    assert_eq!(job.note("steps"), "");
    // The controller has forgotten it, and the accounts have not.
    says("FAILED");
    program(
        job.folder.path(),
        "sacct",
        "#!/bin/bash\n[ \"${*: -1}\" = --jobs=7 ] && printf 'COMPLETED\nCANCELLED by 0\n'\n",
    );
    assert_eq!(job.ended(&script).0, Some(130));
    program(job.folder.path(), "sacct", "#!/bin/bash\necho COMPLETED\n");
    assert_eq!(job.ended(&script).0, Some(0));
    assert_eq!(job.note("steps").lines().count(), 3);
}

#[test]
fn the_list_of_jobs_is_one_value() {
    let project = project();
    let (code, out, _) = taskgen(project.path(), &["cluster", "slurm", "--json"]);
    let written: Value = serde_json::from_str(&out).expect("one JSON value");
    assert_eq!(
        (code, &written["shards"], &written["submitted"]),
        (Some(0), &2.into(), &Value::Null)
    );
}

//! Real commands: reports, failures, limits, and that nothing is left running.

use std::pin::pin;

use rustix::process::{Pid, test_kill_process};
use tempfile::TempDir;
use tokio::time::sleep;

use super::{result::Fault, *};
use crate::{
    agents::report_text::MOST_BYTES,
    data::{AttemptCost, Exchange},
};

const QUESTION: &str = r#"{"id":"t_1","task":"Survey the logbooks","language":"en"}"#;
/// A machine that is busy still starts a shell within this time.
const LONG: Duration = Duration::from_mins(1);
const SHORT: Duration = Duration::from_secs(1);

/// A question to a program that runs in `folder`.
fn query<'a>(text: &'a str, facets: &'a Map<String, Value>, folder: &'a Path) -> Query<'a> {
    Query {
        id: "t_1",
        text,
        language: "en",
        facets,
        history: &[],
        max_words: None,
        attempt: 1,
        folder,
    }
}

fn agent(argv: &[&str], time_limit: Duration) -> CommandAgent {
    let argv = argv.iter().map(|word| (*word).to_owned()).collect();
    let environment = [("PATH".to_owned(), OsString::from("/usr/bin:/bin"))].into();
    CommandAgent {
        argv,
        environment,
        time_limit,
        supervisor: None,
        secrets: Vec::new(),
    }
}

fn shell(script: &str, time_limit: Duration) -> CommandAgent {
    agent(&["/bin/sh", "-c", script], time_limit)
}

async fn run_in(folder: &TempDir, agent: &CommandAgent) -> RunResult {
    let (facets, work) = (Map::new(), folder.path().join("work"));
    run(agent, &query("Survey the logbooks", &facets, &work)).await
}

async fn ran(script: &str) -> RunResult {
    run_in(&folder(), &shell(script, LONG)).await
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The number that a script wrote to a file in its folder, as soon as it is there.
async fn pid_in(folder: &TempDir, file: &str) -> Pid {
    for _ in 0..10_000 {
        let text =
            fs_err::read_to_string(folder.path().join("work").join(file)).unwrap_or_default();
        if let Some(pid) = text
            .strip_suffix('\n')
            .and_then(|pid| Pid::from_raw(pid.parse().ok()?))
        {
            return pid;
        }
        sleep(Duration::from_millis(2)).await;
    }
    panic!("no process has written its number");
}

/// A dead process that nobody asked about is gone, too. A signal may take a moment.
async fn assert_gone(pid: Pid) {
    for _ in 0..1000 {
        let stat = fs_err::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if test_kill_process(pid).is_err() || stat.contains(") Z ") {
            return;
        }
        sleep(Duration::from_millis(2)).await;
    }
    panic!("process {pid} is still there");
}

#[tokio::test]
async fn a_report_is_what_the_command_writes() {
    let ran = ran("cat; echo; echo 报告").await;
    assert_eq!((ran.state, ran.fault, ran.message), (State::Ok, None, None));
    assert_eq!(ran.text, format!("{QUESTION}\n报告\n"));
    assert!(ran.cost.seconds.is_some_and(|seconds| seconds > 0.0));
}

#[tokio::test]
async fn it_runs_in_a_folder_of_its_own() {
    let folder = folder();
    let ran = run_in(
        &folder,
        &shell("pwd -P; echo $HOME; echo x > $TMPDIR/file; ls tmp", LONG),
    )
    .await;
    let work = folder.path().join("work");
    let real = fs_err::canonicalize(&work).expect("the folder");
    assert_eq!(
        ran.text,
        format!("{}\n{}\nfile\n", real.display(), work.display())
    );
}

/// Cargo gives its tests dozens of variables, and the test after this one gives it one more.
#[tokio::test]
async fn the_environment_holds_what_is_named_and_nothing_else() {
    let mut agent = agent(&["env"], LONG);
    agent
        .environment
        .insert("MY_API_KEY".into(), "named-0123456789".into());
    let ran = run_in(&folder(), &agent).await;
    let mut names: Vec<&str> = ran
        .text
        .lines()
        .filter_map(|line| Some(line.split_once('=')?.0))
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        ["HOME", "LANG", "MY_API_KEY", "PATH", "TMPDIR"],
        "{ran:?}"
    );
    assert!(!ran.text.contains("canary"));
}

#[test]
fn a_key_of_the_parent_that_is_not_named_stays_there() {
    let (_, module) = module_path!()
        .split_once("::")
        .expect("a module of the crate");
    let test = format!("{module}::the_environment_holds_what_is_named_and_nothing_else");
    let mut again = std::process::Command::new(std::env::current_exe().expect("the tests"));
    let out = again
        .args(["--exact", &test])
        .env("CANARY_API_KEY", "sk-canary")
        .output()
        .expect("runs");
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
async fn a_named_variable_wins_and_a_named_key_is_not_shown() {
    let mut agent = shell(
        "echo $HOME; echo key $MY_API_KEY; echo wrong key: $MY_API_KEY >&2; exit $CODE",
        LONG,
    );
    agent.environment.insert("HOME".into(), "/elsewhere".into());
    agent
        .environment
        .insert("MY_API_KEY".into(), "sk-0123456789".into());
    agent.environment.insert("CODE".into(), "0".into());
    let ran = run_in(&folder(), &agent).await;
    assert_eq!(
        (ran.text.as_str(), ran.stderr.as_str()),
        ("/elsewhere\nkey …\n", "wrong key: …")
    );
    agent.environment.insert("CODE".into(), "1".into());
    let ran = run_in(&folder(), &agent).await;
    assert_eq!(
        ran.message.as_deref(),
        Some("it ended with exit code 1: `wrong key: …`")
    );
}

/// A program finds more than it was given.
#[tokio::test]
async fn a_key_that_is_known_is_taken_out_whoever_it_is_for() {
    let mut agent = shell(
        "echo found of-another; echo of-another >&2; exit $CODE",
        LONG,
    );
    agent.secrets.push("of-another".into());
    agent.environment.insert("CODE".into(), "0".into());
    let ran = run_in(&folder(), &agent).await;
    assert_eq!((ran.text.as_str(), ran.stderr.as_str()), ("found …\n", "…"));
    agent.environment.insert("CODE".into(), "1".into());
    let ran = run_in(&folder(), &agent).await;
    assert!(!format!("{ran:?}").contains("of-another"), "{ran:?}");
}

#[tokio::test]
async fn the_end_of_standard_error_is_kept_without_a_piece_of_a_key() {
    let mut agent = shell(
        "i=0; while [ $i -lt 3000 ]; do echo key $MY_TOKEN >&2; i=$((i+1)); done; echo end >&2",
        LONG,
    );
    agent
        .environment
        .insert("MY_TOKEN".into(), "0123456789abcdef".into());
    let ran = run_in(&folder(), &agent).await;
    assert!(
        ran.stderr.len() <= 4096 && ran.stderr.len() > 1000,
        "{}",
        ran.stderr.len()
    );
    assert!(ran.stderr.ends_with("key …\nend") && !ran.stderr.contains("abcdef"));
}

#[tokio::test]
async fn the_exit_code_decides() {
    let check = async |script: &str, state: State, fault: Option<Fault>| {
        let ran = ran(script).await;
        assert_eq!((ran.state, ran.fault), (state, fault), "{script}: {ran:?}");
        ran
    };
    check("echo '  '", State::Empty, None).await;
    check("exit 0", State::Empty, None).await;
    check("echo report; exit 3", State::Error, Some(Fault::Exit(3))).await;
    check(
        "echo report; kill -9 $$",
        State::Error,
        Some(Fault::Signal(9)),
    )
    .await;
    check(r"printf 'caf\351'", State::Error, Some(Fault::NotText)).await;
    check(r"printf 'a\000b'", State::Error, Some(Fault::NotText)).await;
    let refused = check("echo I would rather not; exit 77", State::Refused, None).await;
    assert_eq!(refused.text, "I would rather not\n");
    let said = check(
        "echo 'no module x' >&2; exit 1",
        State::Error,
        Some(Fault::Exit(1)),
    )
    .await;
    assert_eq!(
        said.message.as_deref(),
        Some("it ended with exit code 1: `no module x`")
    );
}

#[tokio::test]
async fn a_command_that_cannot_start_says_so() {
    let check = async |argv: &[&str], fault: Fault| {
        let ran = run_in(&folder(), &agent(argv, LONG)).await;
        assert_eq!(
            (ran.state, ran.fault),
            (State::Error, Some(fault)),
            "{argv:?}"
        );
        ran.message.expect("a message")
    };
    let message = check(&["no-such-agent"], Fault::NotFound).await;
    assert!(
        message.starts_with("no such program: `no-such-agent`\nhint: "),
        "{message}"
    );
    check(&["./here"], Fault::NotFound).await;
    check(&["/etc/passwd"], Fault::NotStarted).await;
    check(&[], Fault::NotStarted).await;
    check(&["echo", "a\0b"], Fault::NotStarted).await;
}

#[tokio::test]
async fn usage_is_the_last_line_of_standard_error() {
    let line = r#"taskgen-usage: {"input_tokens": 812, "output_tokens": 2040, "cost_usd": 0.03, "more": 1}"#;
    let known = ran(&format!("echo report; echo log >&2; echo '{line}' >&2")).await;
    let AttemptCost {
        input_tokens,
        output_tokens,
        cost_usd,
        ..
    } = known.cost;
    assert_eq!(
        (input_tokens, output_tokens, cost_usd),
        (Some(812), Some(2040), Some(0.03))
    );
    assert_eq!((known.state, known.message), (State::Ok, None));
    for wrong in [
        r#"{"input_tokens": -1}"#,
        r#"{"cost_usd": -0.1}"#,
        "nonsense",
        r#"{"cost_usd": 1e999}"#,
        r#"{"cost_usd": 1e14}"#,
        r#"{"input_tokens": 18446744073709551615}"#,
    ] {
        let ran = ran(&format!("echo report; echo 'taskgen-usage: {wrong}' >&2")).await;
        assert_eq!(
            (ran.state, ran.cost.input_tokens, ran.cost.cost_usd),
            (State::Ok, None, None),
            "{wrong}"
        );
        assert!(
            ran.message.is_some_and(|message| message.contains("usage")),
            "{wrong}"
        );
    }
    let earlier = ran(&format!("echo '{line}' >&2; echo log >&2; echo report")).await;
    assert_eq!(earlier.cost.input_tokens, None);
}

#[tokio::test]
async fn the_task_need_not_be_read() {
    let (long, facets) = ("x".repeat(1_000_000), Map::new());
    for script in [
        "echo report",
        "exec <&-; echo report",
        "head -c 1 >/dev/null; echo report",
    ] {
        let folder = folder();
        let work = folder.path().join("work");
        let ran = run(&shell(script, LONG), &query(&long, &facets, &work)).await;
        assert_eq!(
            (ran.state, ran.text.as_str()),
            (State::Ok, "report\n"),
            "{script}"
        );
    }
}

#[tokio::test]
async fn a_report_may_be_long_but_not_that_long() {
    let most = ran(&format!("head -c {MOST_BYTES} /dev/zero | tr '\\0' a")).await;
    assert_eq!((most.state, most.text.len()), (State::Ok, MOST_BYTES));
    let folder = folder();
    let script = "echo $$ > pid; head -c 20000000 /dev/zero | tr '\\0' a; sleep 1000";
    let ran = run_in(&folder, &shell(script, LONG)).await;
    assert_eq!(
        (ran.state, ran.fault, ran.text.len()),
        (State::Error, Some(Fault::TooLong), 0)
    );
    assert_gone(pid_in(&folder, "pid").await).await;
}

#[tokio::test]
async fn at_the_time_limit_the_grandchildren_end_too() {
    let folder = folder();
    let script = "sleep 1000 & echo $! > pid; echo a part of a report; wait";
    let ran = run_in(&folder, &shell(script, SHORT)).await;
    assert_eq!(
        (ran.state, ran.fault, ran.text.as_str()),
        (State::Timeout, None, "")
    );
    assert_eq!(ran.message.as_deref(), Some("it did not end in 1 s"));
    assert_gone(pid_in(&folder, "pid").await).await;
}

#[tokio::test]
async fn who_ignores_sigterm_is_killed() {
    let folder = folder();
    let script = "trap '' TERM; sleep 1000 & echo $! > pid; while :; do sleep 1000; done";
    let ran = run_in(&folder, &shell(script, SHORT)).await;
    assert_eq!(ran.state, State::Timeout);
    assert_gone(pid_in(&folder, "pid").await).await;
}

#[tokio::test]
async fn who_minds_sigterm_may_tidy_up() {
    let folder = folder();
    let script =
        "trap 'echo tidy > tidied; exit 0' TERM; echo $$ > pid; while :; do sleep 0.01; done";
    let ran = run_in(&folder, &shell(script, SHORT)).await;
    assert_eq!(ran.state, State::Timeout);
    assert_gone(pid_in(&folder, "pid").await).await;
    assert!(folder.path().join("work/tidied").exists());
}

#[tokio::test]
async fn a_grandchild_that_holds_the_output_neither_hangs_the_run_nor_stays() {
    let folder = folder();
    let ran = run_in(
        &folder,
        &shell("sleep 1000 & echo $! > pid; echo report", LONG),
    )
    .await;
    assert_eq!((ran.state, ran.text.as_str()), (State::Ok, "report\n"));
    assert_gone(pid_in(&folder, "pid").await).await;
}

/// It is not in the group any more and cannot be found; but nobody waits for it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_grandchild_that_left_the_group_does_not_hang_the_run() {
    let folder = folder();
    let script = "setsid sh -c 'echo $$ > pid; exec sleep 1000' & while [ ! -s pid ]; do :; done; echo report";
    let ran = run_in(&folder, &shell(script, LONG)).await;
    let pid = pid_in(&folder, "pid").await;
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it runs");
    assert_eq!((ran.state, ran.text.as_str()), (State::Ok, "report\n"));
}

#[tokio::test]
async fn a_dropped_run_leaves_nothing() {
    let folder = folder();
    let agent = shell(
        "sleep 1000 & echo $! > grandchild; echo $$ > child; wait",
        LONG,
    );
    let (child, grandchild) = {
        let mut run = pin!(run_in(&folder, &agent));
        let pids = async {
            (
                pid_in(&folder, "child").await,
                pid_in(&folder, "grandchild").await,
            )
        };
        tokio::select! {
            ran = &mut run => panic!("it ended: {ran:?}"),
            pids = pids => pids,
        }
    };
    assert_gone(child).await;
    assert_gone(grandchild).await;
}

#[test]
fn nothing_starts_before_it_is_awaited() {
    let folder = folder();
    let (agent, facets) = (shell("echo x", LONG), Map::new());
    let work = folder.path().join("work");
    drop(run(&agent, &query("x", &facets, &work)));
    assert!(!work.exists());
}

#[tokio::test]
async fn a_program_reads_the_facets_beside_the_question() {
    let folder = folder();
    let facets: Map<String, Value> =
        serde_json::from_str(r#"{"phase":"Design","discipline":"health"}"#).expect("an object");
    let ran = run(&shell("cat", LONG), &query("Why?", &facets, folder.path())).await;
    assert_eq!(
        ran.text,
        r#"{"id":"t_1","task":"Why?","language":"en","phase":"Design","discipline":"health"}"#
    );
}

#[tokio::test]
async fn the_conversation_is_a_file_that_a_variable_names() {
    let (folder, facets) = (folder(), Map::new());
    let history = [
        Exchange {
            question: "What moves?".into(),
            answer: "Gravel, \"they\" say.".into(),
        },
        Exchange {
            question: "其声如何？".into(),
            answer: "如鼓。".into(),
        },
    ];
    let asked = Query {
        history: &history,
        ..query("And why?", &facets, folder.path())
    };
    let agent = shell("cat \"$TASKGEN_CONVERSATION\"; cat >&2", LONG);
    let ran = run(&agent, &asked).await;
    let read: Vec<Exchange> = serde_json::from_str(&ran.text).expect("a conversation");
    assert_eq!(read, history);
    assert_eq!(
        ran.stderr, r#"{"id":"t_1","task":"And why?","language":"en"}"#,
        "the question itself is as ever"
    );
}

/// An earlier attempt in the same folder may have left a link to what only we may write.
#[tokio::test]
async fn the_conversation_is_written_over_no_link() {
    let (folder, facets) = (folder(), Map::new());
    let elsewhere = folder.path().join("elsewhere");
    fs_err::write(&elsewhere, "mine").expect("writable");
    let work = folder.path().join("work");
    fs_err::create_dir(&work).expect("writable");
    let link = work.join("conversation.json");
    std::os::unix::fs::symlink(&elsewhere, link).expect("writable");
    let history = [Exchange {
        question: "What moves?".into(),
        answer: "Gravel.".into(),
    }];
    let asked = Query {
        history: &history,
        ..query("And why?", &facets, &work)
    };
    let ran = run(&shell("cat \"$TASKGEN_CONVERSATION\"", LONG), &asked).await;
    assert!(ran.text.contains("Gravel."), "{ran:?}");
    assert_eq!(fs_err::read_to_string(&elsewhere).expect("there"), "mine");
}

#[tokio::test]
async fn what_is_told_about_the_question_beats_a_variable_of_the_user() {
    let (folder, facets) = (folder(), Map::new());
    let mut agent = shell("echo $TASKGEN_MAX_WORDS; env | grep -c TASKGEN_", LONG);
    agent
        .environment
        .insert("TASKGEN_MAX_WORDS".into(), "7".into());
    let asked = Query {
        max_words: Some(300),
        ..query("Why?", &facets, folder.path())
    };
    assert_eq!(run(&agent, &asked).await.text, "300\n1\n");
}

#[tokio::test]
async fn an_attempt_has_a_state_a_cause_and_a_mark_where_it_is_overlong() {
    let (folder, facets) = (folder(), Map::new());
    let asked = Query {
        max_words: Some(2),
        ..query("Why?", &facets, folder.path())
    };
    for (script, state, cause, is_overlong) in [
        ("echo two words", State::Ok, "ok", false),
        ("echo three words here", State::Ok, "ok", true),
        (
            "echo I would rather not; exit 77",
            State::Refused,
            "refused",
            false,
        ),
        ("true", State::Empty, "empty", false),
        ("exit 3", State::Error, "exit", false),
        ("sleep 1000", State::Timeout, "timeout", false),
    ] {
        let time_limit = if state == State::Timeout { SHORT } else { LONG };
        let attempt = shell(script, time_limit).answer(&asked).await;
        let attempt = attempt.expect("nothing stops").expect("it was asked");
        assert_eq!(
            (attempt.state, attempt.cause, attempt.is_overlong),
            (state, cause, is_overlong),
            "{script}"
        );
        assert_eq!(attempt.message.is_empty(), state == State::Ok, "{script}");
    }
}

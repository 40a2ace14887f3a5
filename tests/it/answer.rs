//! Agents that are models: what each provider is asked for a report, what becomes of its reply, and
//! that nothing is asked twice.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use taskgen::llm::Provider;

use crate::support::{
    ModelServer, Project, TALK,
    llm::{ALL, KEY, Play, error, searched},
};

const REPORT: &str = "# Gravel\n\nIt drums [1](https://drum.test/a).\n\n## References\n\n1. Drums. https://drum.test/a";

/// A project with one task, and an agent `lab` behind the server, set up as `more` says.
fn project(server: &ModelServer, more: &str) -> Project {
    let pipeline = ModelServer::openai().pipeline();
    let project = Project::new(&pipeline.url)
        .seminar("rivers.wav", "en", TALK)
        .woven();
    project.sql("UPDATE task SET superseded = 1 WHERE id <> (SELECT min(id) FROM task WHERE superseded = 0)");
    let kind = serde_json::to_value(server.provider).unwrap();
    let lab = format!(
        "[providers.lab]\nbase_url = \"{}\"\nkind = {kind}\nkey_env = \"LAB_KEY\"\n",
        server.url
    );
    let agent = format!("[agents.lab]\nmodel = \"lab/m-search-preview\"\n{more}\n");
    project.config(&(lab + &agent))
}

/// Runs `answer` with `flags`: the exit code, and all that was said.
fn answer(project: &Project, flags: &[&str]) -> (Option<i32>, String) {
    let mut command = project.command(&[&["answer", "--agent", "lab"], flags].concat());
    let output = command.env("LAB_KEY", KEY).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stderr) + &text(&output.stdout),
    )
}

/// The same as a snapshot keeps it.
fn told(project: &Project, flags: &[&str]) -> String {
    let mut command = project.command(&[&["answer", "--agent", "lab"], flags].concat());
    let output = command.env("LAB_KEY", KEY).output().unwrap();
    format!("flags: {flags:?}\n{}", project.shown(&output))
}

/// State, text and what it took, of the only report.
fn report(project: &Project) -> (String, String, Value) {
    let database = project.database();
    let sql = "SELECT state, text, payload FROM document ORDER BY rowid DESC LIMIT 1";
    let row = database
        .query_row(sql, [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get::<_, String>(2)?))
        })
        .unwrap();
    (row.0, row.1, serde_json::from_str(&row.2).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_provider_searches_and_what_it_found_is_in_the_report() {
    for provider in ALL {
        let long = format!("https://river.test/{}", "b".repeat(300));
        let found = long.clone();
        let server = ModelServer::speaking(provider)
            .plays(move |_| searched(provider, REPORT, &found, "Rivers"));
        let project = project(&server, "");
        let (code, said) = answer(&project, &[]);
        assert_eq!(code, Some(0), "{provider:?}: {said}");
        let body = server.seen().remove(0).body;
        let tool = match provider {
            Provider::OpenAi => body["web_search_options"] == json!({}),
            Provider::Anthropic => {
                body["tools"]
                    == json!([{ "type": "web_search_20250305", "name": "web_search", "max_uses": 8 }])
            }
            _ => body["tools"] == json!([{ "google_search": {} }]),
        };
        let text = body.to_string();
        let shaped = [
            "response_format",
            "output_config",
            "responseMimeType",
            "tool_choice",
        ];
        assert!(
            tool && shaped.iter().all(|word| !text.contains(word)),
            "{provider:?}: {text}"
        );
        assert!(
            text.contains("Search the web") && text.contains("8192"),
            "{provider:?}: {text}"
        );
        let task = project.count("SELECT count(*) FROM task WHERE superseded = 0");
        assert_eq!((task, server.seen().len()), (1, 1));

        let (state, report, spent) = report(&project);
        let preamble = if provider == Provider::Anthropic {
            "I look it up.\n\n"
        } else {
            ""
        };
        let list = format!("\n\n## Further sources\n\n- Rivers: <{long}>\n");
        assert_eq!(
            (state.as_str(), report),
            ("ok", format!("{preamble}{REPORT}{list}")),
            "{provider:?}"
        );
        assert_eq!(
            (&spent["input_tokens"], &spent["output_tokens"]),
            (&json!(50), &json!(7)),
            "{provider:?}"
        );
        assert!(
            spent["seconds"].is_number() && spent["cost_usd"].is_null(),
            "nobody knows the price: {spent}"
        );

        // OpenAI's chat completions tell no queries.
        let searches = project.count("SELECT coalesce(sum(searches), 0) FROM trajectory");
        assert_eq!(searches == 1, provider != Provider::OpenAi, "{provider:?}");

        // The report is known; and where it is lost, the record has it.
        assert_eq!(answer(&project, &[]).0, Some(0));
        project.sql("DELETE FROM document");
        assert_eq!(answer(&project, &["--replay"]).0, Some(0));
        assert_eq!(server.seen().len(), 1, "{provider:?}: asked again");
        assert!(
            self::report(&project).1.ends_with(&list),
            "{provider:?}: the sources are on record, too"
        );
        for file in std::fs::read_dir(project.path("tasks"))
            .unwrap()
            .flatten()
            .filter(|file| file.path().is_file())
        {
            let bytes = std::fs::read(file.path()).unwrap();
            assert!(
                !bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes()),
                "{:?} has the key",
                file.path()
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_report_has_a_state_and_a_cause_and_is_asked_once() {
    let cases = [
        (Play::Decline, "refused", "declined", "I would rather not."),
        (
            Play::Say("<think>long</think> \n".into()),
            "empty",
            "no text",
            "",
        ),
        (Play::Long("# Gravel".into()), "error", "`max_tokens`", ""),
        (
            error(
                Provider::OpenAi,
                400,
                "invalid",
                "web_search_options is not supported",
            ),
            "error",
            "web_search = false",
            "",
        ),
    ];
    for (play, state, why, text) in cases {
        let first = play.clone();
        let server = ModelServer::openai().plays(move |_| first.clone());
        let project = project(&server, "");
        let (code, said) = answer(&project, &[]);
        assert!(code == Some(1) && said.contains(why), "{play:?}: {said}");
        let found = report(&project);
        assert_eq!(
            (found.0.as_str(), found.1.as_str()),
            (state, text),
            "{play:?}"
        );
        let (code, said) = answer(&project, &[]);
        assert!(code == Some(1) && said.contains("--retry-failed"), "{said}");
        assert_eq!(server.seen().len(), 1, "{play:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_that_takes_too_long_is_cut_and_tried_again_when_asked_to() {
    let server = ModelServer::speaking(Provider::Anthropic)
        .delay(Duration::from_secs(3))
        .plays(|_| Play::Say(REPORT.into()));
    let project = project(&server, "time_limit = 1");
    insta::assert_snapshot!(told(&project, &[]), @"
    flags: []
    exit 1
    --- err
    http://[address] (lab/m-search-preview) gets the key in `LAB_KEY`
    t_[id], attempt 1: no reply in time: `http://[address]`: operation timed out
    ───
     stage    done   skipped   failed      refused by rule   time
    ───
     answer   0      0         timeout 1   –                 [time]
    ───
    1 model call, 0 more from the record; 0 prompt tokens (0 cached), 0 reply tokens, and 1 call of unknown price (`prices.toml` can name it)
    [time] in all
    ");
    assert_eq!(
        (report(&project).0.as_str(), server.seen().len()),
        ("timeout", 1)
    );
    let (code, said) = answer(&project, &["--retry-failed", "--time-limit", "60"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(
        (report(&project).0.as_str(), server.seen().len()),
        ("ok", 2)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_search_is_charged_once() {
    let paused = json!({ "model": "fake-1", "stop_reason": "pause_turn", "content": [{ "type": "text", "text": "So far" }] });
    let server =
        ModelServer::speaking(Provider::Anthropic).plays(move |_| Play::Raw(paused.to_string()));
    let project = project(&server, "");
    insta::assert_snapshot!(told(&project, &[]), @r#"
    flags: []
    exit 1
    --- err
    http://[address] (lab/m-search-preview) gets the key in `LAB_KEY`
    t_[id], attempt 1: the reply did not end normally: `"pause_turn"`
    hint: the same command asks again
    ───
     stage    done   skipped   failed         refused by rule   time
    ───
     answer   0      0         overloaded 1   –                 [time]
    ───
    1 model call, 0 more from the record; 0 prompt tokens (0 cached), 0 reply tokens, and 1 call of unknown price (`prices.toml` can name it)
    [time] in all
    "#);
    // What may pass is no report: the next run asks again.
    assert_eq!(
        (
            project.count("SELECT count(*) FROM document"),
            server.seen().len()
        ),
        (0, 1)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempts_are_questions_of_their_own_and_what_a_model_refuses_is_left_out() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let server = ModelServer::openai().plays(move |request| {
        if request.body.get("temperature").is_some() {
            let message = "Model incompatible request argument supplied: temperature";
            return error(Provider::OpenAi, 400, "invalid_request_error", message);
        }
        Play::Say(format!(
            "# Report {}",
            counter.fetch_add(1, Ordering::SeqCst)
        ))
    });
    let project = project(
        &server,
        "attempts = 3\nmax_tokens = 123\nweb_search = false\njobs = 1",
    );
    let prices = "version = \"mine\"\n[[price]]\nmodel = \"lab/*\"\ninput = 1000\noutput = 1000\n";
    std::fs::write(project.path("prices.toml"), prices).unwrap();
    let (code, said) = answer(&project, &[]);
    assert_eq!((code, asked.load(Ordering::SeqCst)), (Some(0), 3), "{said}");
    assert_eq!(
        project.count("SELECT count(DISTINCT text) FROM document"),
        3
    );
    assert_eq!(report(&project).2["cost_usd"], json!(0.057));
    let body = server.seen().remove(0).body;
    assert_eq!(body["max_tokens"], 123);
    assert!(
        body.get("web_search_options").is_none()
            && body.to_string().contains("cannot look anything up"),
        "{body}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_model_under_the_same_name_is_told() {
    let server = ModelServer::openai().plays(|_| Play::Say(REPORT.into()));
    let project = project(&server, "");
    let (code, said) = answer(&project, &["--json"]);
    assert!(
        code == Some(0) && said.contains("\"requested\": \"lab/m-search-preview\""),
        "{said}"
    );
    insta::assert_snapshot!(told(&project, &["--jobs", "3"]), @r#"
    flags: ["--jobs", "3"]
    exit 0
    --- err
    http://[address]/v1 (lab/m-search-preview) gets the key in `LAB_KEY`
    ───
     stage    done   skipped   failed   refused by rule   time
    ───
     answer   0      1         0        –                 [time]
    ───
    [time] in all
    "#);
    insta::assert_snapshot!(told(&project, &["--model", "lab/other-search-preview"]), @r#"
    flags: ["--model", "lab/other-search-preview"]
    exit 0
    --- err
    http://[address]/v1 (lab/other-search-preview) gets the key in `LAB_KEY`
    ───
     stage    done   skipped   failed   refused by rule   time
    ───
     answer   0      1         0        –                 [time]
    ───
    reports of `lab` by an earlier command, model or setting: 1; they are kept and count
    hint: another --agent name keeps the two apart
    [time] in all
    "#);
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_is_one_thing_and_has_its_key_and_its_budget() {
    let server = ModelServer::openai().plays(|_| Play::Say(REPORT.into()));
    let project = project(&server, "");
    let refused = [
        &["--model", "lab/m", "--command", "true"][..],
        &["--model", "m"],
        &["--model", "nowhere/m"],
        &["--replay"],
        &["--budget-tokens", "10"],
        &["--budget-usd", "1"],
    ]
    .map(|flags| told(&project, flags));
    insta::assert_snapshot!(refused.join("\n"), @r#"
    flags: ["--model", "lab/m", "--command", "true"]
    exit 2
    --- err
    error: the agent `lab`: it takes a `command` or a `model`, not both
    hint: `taskgen answer --help`

    flags: ["--model", "m"]
    exit 2
    --- err
    error: a model is named `provider/model`: `m`
    hint: such as `local/qwen2.5-coder-0.5b` or `openai/gpt-4o-mini`
    log: `[project]/tasks/logs/[log]`

    flags: ["--model", "nowhere/m"]
    exit 2
    --- err
    error: no such provider: `nowhere`
    hint: local, openai, openai-responses, anthropic, gemini, xai, perplexity, openrouter, vllm, ollama, or a `[providers.nowhere]` with a `base_url` in `taskgen.toml`
    log: `[project]/tasks/logs/[log]`

    flags: ["--replay"]
    exit 2
    --- err
    until here: [usage]
    error: not on record: a call of `answer/report` to `lab/m-search-preview`; no call of this prompt is
    hint: run without --replay to ask it
    log: `[project]/tasks/logs/[log]`

    flags: ["--budget-tokens", "10"]
    exit 5
    --- err
    http://[address]/v1 (lab/m-search-preview) gets the key in `LAB_KEY`
    until here: [usage]
    error: the budget is spent: 0 tokens, $0.0000 so far, and the next request could take [n] tokens, $0.0000
    hint: what was answered is saved; run again with a larger budget
    log: `[project]/tasks/logs/[log]`

    flags: ["--budget-usd", "1"]
    exit 2
    --- err
    http://[address]/v1 (lab/m-search-preview) gets the key in `LAB_KEY`
    error: the price of `lab/m-search-preview` is unknown, and the budget is in money
    hint: add it to `prices.toml` in the project, or use --budget-tokens
    log: `[project]/tasks/logs/[log]`
    "#);
    let keyless = project
        .command(&["answer", "--agent", "lab"])
        .env_remove("LAB_KEY")
        .output()
        .unwrap();
    insta::assert_snapshot!(project.shown(&keyless), @"
    exit 3
    --- err
    error: no key for `lab`: the variable `LAB_KEY` is not set
    hint: set it, or name a file that sets it with --env-file, or take another model for the role, such as the built-in one: --model-role ROLE=local/qwen2.5-coder-0.5b
    log: `[project]/tasks/logs/[log]`
    ");
    let (code, said) = answer(&project, &["--dry-run"]);
    assert!(
        code == Some(0)
            && said.contains("answer: lab/m-search-preview")
            && said.contains("at most 8192"),
        "{said}"
    );
    assert_eq!(
        (
            server.seen().len(),
            project.count("SELECT count(*) FROM document")
        ),
        (0, 0)
    );
}

#[test]
fn an_agent_that_is_configured_wrongly_is_refused() {
    let server = ModelServer::openai().plays(|_| Play::Say(REPORT.into()));
    let project = project(&server, "");
    let config = project.configuration();
    let odd = [
        "jobs = 2",
        "model = \"a/b\"\ncommand = \"true\"",
        "model = \"local/qwen2.5-coder-0.5b\"\nweb_serch = true",
    ]
    .map(|agent| {
        project.configure(&format!("{config}[agents.odd]\n{agent}\n"));
        told(&project, &[])
    });
    insta::assert_snapshot!(odd.join("\n"), @"
    flags: []
    exit 2
    --- err
    error: `[project]/taskgen.toml`: agents.odd: it needs a `command` or a `model`
    hint: `taskgen init` in an empty folder writes a file with every key and its comment

    flags: []
    exit 2
    --- err
    error: `[project]/taskgen.toml`: agents.odd: it takes a `command` or a `model`, not both
    hint: `taskgen init` in an empty folder writes a file with every key and its comment

    flags: []
    exit 2
    --- err
    error: `[project]/taskgen.toml`, line 30: unknown field `web_serch`, expected one of `command`, `model`, `web_search`, `search`, `reasoning`, `background`, `temperature`, `max_tokens`, `time_limit`, `jobs`, `attempts`, `env`, `sandbox`, `readable`, `writable`
    hint: did you mean `web_search`?
    ");
    let never = config.replace(
        "[providers.lab]\nbase_url = \"",
        "[privacy]\nremote = \"never\"\n[providers.lab]\nbase_url = \"http://lab.invalid/\"\n#",
    );
    project.configure(&never);
    insta::assert_snapshot!(told(&project, &[]), @r#"
    flags: []
    exit 2
    --- err
    answer: tasks go to http://lab.invalid/ (lab/m-search-preview), with the key in `LAB_KEY`
    error: `privacy.remote = "never"` forbids it
    hint: use a local model, or change the setting
    log: `[project]/tasks/logs/[log]`
    "#);
}

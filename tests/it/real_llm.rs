//! The embedded model, really: its schema, its limits, its cache, its death. Every test loads the
//! 0.5B weights.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use taskgen::{
    data::{Cause, Message},
    llm::{
        Ask, AskError, ChatModel, ChatRequest, Finish, LocalModel, LocalOptions, Prompts, Purse,
        protocol::{self, FailureCause, FromChild},
    },
};

use crate::llm::{Bench, Pick, pick};

fn weights() -> PathBuf {
    let env = |name: &str| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    let cache =
        env("XDG_CACHE_HOME").unwrap_or_else(|| env("HOME").unwrap_or_default().join(".cache"));
    let folder = env("TASKGEN_MODELS").unwrap_or_else(|| cache.join("taskgen/models"));
    let path = folder.join("qwen2.5-coder-0.5b-instruct-q4_k_m.gguf");
    assert!(
        path.is_file(),
        "this test needs `{}`: `taskgen models pull qwen2.5-coder-0.5b` fetches it",
        path.display()
    );
    path
}

fn program() -> PathBuf {
    let Some(program) = option_env!("CARGO_BIN_EXE_taskgen-llm") else {
        panic!("this test needs the feature `embedded-llm`");
    };
    program.into()
}

/// One thread: on a machine that does other things beside, two can be many times slower.
pub fn local() -> LocalModel {
    LocalModel::new(LocalOptions {
        sha256: String::new(),
        name: "local/0.5b".into(),
        program: program(),
        model: weights(),
        threads: 1,
        environment: Vec::new(),
    })
}

fn verdict_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "winner": { "type": "string", "enum": ["A", "B"] },
            "confidence": { "type": "number", "enum": [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0] }
        },
        "required": ["winner", "confidence"],
        "additionalProperties": false
    })
}

fn idea_schema(most: usize) -> Value {
    json!({
        "type": "object",
        "properties": {
            "line": { "type": "integer", "enum": [12, 31, 57] },
            "text": { "type": "string", "minLength": 20, "maxLength": most },
            "traits": { "type": "array", "minItems": 1, "maxItems": 3, "items": { "type": "string", "enum": ["novelty", "challenge"] } }
        },
        "required": ["line", "text", "traits"],
        "additionalProperties": false
    })
}

/// A prompt of some hundred tokens of which the first part is shared.
fn request(shared: &str, question: &str, schema: Value, max_tokens: u32) -> ChatRequest {
    let message = |role: &str, content: &str| Message {
        role: role.into(),
        content: content.into(),
    };
    ChatRequest {
        messages: vec![message("system", shared), message("user", question)],
        schema,
        schema_name: "x".into(),
        max_tokens,
        temperature: 0.0,
        seed: 0,
        search: false,
        offered: Vec::new(),
    }
}

fn talk(about: &str) -> String {
    format!("You read notes of a talk about {about}. ")
        + &format!("The speaker says that {about} is hard to measure, and that a cheap sensor would change this. ")
            .repeat(12)
}

fn questions() -> Vec<ChatRequest> {
    let mut questions = Vec::new();
    for about in ["glaciers", "bird song"] {
        for (a, b) in [
            ("survey sensors", "build a sensor"),
            ("make tea", "measure noise"),
            ("read papers", "map the noise"),
        ] {
            let question = format!("Task A: {a}. Task B: {b}. Which is better?");
            questions.push(request(&talk(about), &question, verdict_schema(), 30));
        }
        questions.push(request(
            &talk(about),
            "Name one limitation in one sentence.",
            idea_schema(160),
            90,
        ));
    }
    questions
}

#[tokio::test]
async fn the_embedded_model_obeys_the_schema_and_its_limits() {
    let model = local();
    let hello = model.hello().await.unwrap();
    assert_eq!(hello.threads, 1);

    let reply = model
        .chat(
            &request(
                "You compare.",
                "A: tea. B: a sensor. Which?",
                verdict_schema(),
                30,
            ),
            &Purse::default(),
        )
        .await
        .unwrap();
    let value: Value = serde_json::from_str(&reply.text).unwrap();
    assert!(
        ["A", "B"].contains(&value["winner"].as_str().unwrap())
            && value["confidence"].as_f64().unwrap() >= 0.5
    );
    assert_eq!(
        reply.text,
        value.to_string(),
        "compact, fields in the schema's order"
    );

    let chinese = request(
        "你读一段讲话。",
        "讲话说：没有传感器能在洪水里保存下来。用中文说出一个困难。",
        idea_schema(80),
        120,
    );
    let reply = model.chat(&chinese, &Purse::default()).await.unwrap();
    let value: Value = serde_json::from_str(&reply.text).unwrap();
    assert!([12, 31, 57].contains(&value["line"].as_i64().unwrap()));
    assert!(value["text"].as_str().unwrap().chars().count() <= 80);

    let cut = model
        .chat(
            &request("You write.", "Write much.", idea_schema(400), 12),
            &Purse::default(),
        )
        .await
        .unwrap();
    assert_eq!(cut.finish, Finish::Length);
    assert!(serde_json::from_str::<Value>(&cut.text).is_err());

    let long = request(&"word ".repeat(6000), "Which?", verdict_schema(), 30);
    assert_eq!(
        model
            .chat(&long, &Purse::default())
            .await
            .unwrap_err()
            .cause,
        Cause::ContextTooLong
    );

    // What the context leaves is enough for most replies, so a longer limit alone refuses nothing.
    let roomy = request("You compare.", "Which?", verdict_schema(), 5000);
    let told = model.chat(&roomy, &Purse::default()).await.unwrap();
    assert_eq!(told.finish, Finish::Stop);

    let impossible = request(
        "You compare.",
        "Which?",
        json!({"type": "string", "minLength": 5, "maxLength": 2}),
        30,
    );
    assert_eq!(
        model
            .chat(&impossible, &Purse::default())
            .await
            .unwrap_err()
            .cause,
        Cause::LocalEngine
    );

    // The draws of a seed are the same each time, and it still answers after the failures.
    let mut drawn = request(
        "You write.",
        "Write one idea about tea.",
        idea_schema(120),
        80,
    );
    drawn.temperature = 0.9;
    let first = model.chat(&drawn, &Purse::default()).await.unwrap().text;
    assert_eq!(
        model.chat(&drawn, &Purse::default()).await.unwrap().text,
        first
    );
    drawn.seed = 1;
    assert_ne!(
        model.chat(&drawn, &Purse::default()).await.unwrap().text,
        first
    );
}

#[tokio::test]
async fn a_reply_does_not_depend_on_what_was_asked_before() {
    let model = local();
    model.hello().await.unwrap();
    let mut expected = Vec::new();
    let (mut fresh_ms, mut read) = (0, 0);
    for question in questions() {
        let (reply, _) = model.ask(&question, true).await.unwrap();
        assert_eq!(reply.cached, 0);
        fresh_ms += reply.read_ms;
        read += reply.input;
        expected.push(reply.text);
    }
    eprintln!(
        "fresh: {read} prompt tokens in {fresh_ms} ms, {:.0} tokens/s",
        read as f64 * 1000.0 / fresh_ms as f64
    );
    let forwards: Vec<usize> = (0..expected.len()).collect();
    let alternating = vec![0, 4, 1, 5, 2, 6, 3, 7, 0, 7, 1, 4];
    let backwards: Vec<usize> = forwards.iter().rev().copied().collect();
    for (name, order) in [
        ("forwards", forwards),
        ("alternating", alternating),
        ("backwards", backwards),
    ] {
        let (mut ms, mut input, mut cached, mut reply_ms, mut output) = (0, 0, 0, 0, 0);
        for index in order {
            let (reply, _) = model.ask(&questions()[index], false).await.unwrap();
            assert_eq!(reply.text, expected[index], "question {index}, {name}");
            ms += reply.read_ms;
            input += reply.input;
            cached += reply.cached;
            reply_ms += reply.write_ms;
            output += reply.output;
        }
        assert!(
            cached * 10 > input * 6,
            "{name}: only {cached} of {input} prompt tokens were kept"
        );
        eprintln!(
            "{name}: {input} prompt tokens, {cached} of them kept, in {ms} ms; {output} reply tokens in {reply_ms} ms, {:.0} tokens/s",
            output as f64 * 1000.0 / reply_ms as f64
        );
    }
}

/// The prompts of twenty judgements as `rank` puts them: each of five tasks before each of the
/// others.
fn judgements() -> Vec<ChatRequest> {
    let tasks: Vec<String> = ["gravel rivers in winter floods", "logbooks of old whaling ships", "crackling forest soil", "dialects without a script", "cheap seismic cables"]
        .map(|about| format!("Plan an experiment on {about}. Describe the set-up, the public data to begin with, the measure of success and the two strongest objections, and compare at least three places. Hand in an experiment protocol."))
        .to_vec();
    let prompts = Prompts::new(None, "key");
    let shown = |task: &String| json!({ "text": task, "difficulty": "Basic" });
    let mut requests = Vec::new();
    for a in &tasks {
        for b in tasks.iter().filter(|b| *b != a) {
            let vars = json!({ "a": shown(a), "b": shown(b) });
            let rendered = prompts
                .render("rank/judge-short", &vars, &verdict_schema())
                .unwrap();
            requests.push(ChatRequest {
                messages: rendered.messages,
                ..request("", "", verdict_schema(), 40)
            });
        }
    }
    requests
}

#[tokio::test]
async fn twenty_judgements_with_the_embedded_model_share_what_they_begin_with() {
    let model = local();
    model.hello().await.unwrap();
    let (mut seconds, mut texts, mut kept, mut read) = ([0.0; 2], [Vec::new(), Vec::new()], 0, 0);
    for (way, fresh) in [(0, true), (1, false)] {
        let began = Instant::now();
        for request in judgements() {
            let (reply, _) = model.ask(&request, fresh).await.unwrap();
            texts[way].push(reply.text);
            (kept, read) = (
                kept + reply.cached,
                read + if fresh { 0 } else { reply.input },
            );
        }
        seconds[way] = began.elapsed().as_secs_f64();
    }
    assert_eq!(texts[0], texts[1]);
    assert!(
        kept * 100 >= read * 30,
        "only {kept} of {read} prompt tokens were kept"
    );
    eprintln!(
        "twenty judgements: {:.1} s reading everything, {:.1} s with {kept} of {read} prompt tokens kept: {:.2} times as fast",
        seconds[0],
        seconds[1],
        seconds[0] / seconds[1]
    );
}

#[tokio::test]
async fn an_answer_of_the_embedded_model_is_on_record() {
    let bench = Bench::new();
    let first = {
        let llm = bench.llm(local(), false);
        assert!(llm.is_builtin("judge", 0).unwrap());
        let vars = json!({ "a": "make tea", "b": "measure a glacier" });
        let ask = || Ask {
            role: "judge",
            prompt: "rank/pick",
            vars: &vars,
            schema: Some(verdict_schema()),
            max_tokens: 30,
            ..Ask::default()
        };
        let (one, two) = tokio::join!(llm.ask::<Pick>(ask()), llm.ask::<Pick>(ask()));
        assert!(two.unwrap().cached);
        one.unwrap()
    };
    assert!(first.value.is_ok() && first.usage.input > 20 && first.usage.output > 5);
    // The program is not even needed any more.
    let nowhere = LocalModel::new(LocalOptions {
        sha256: String::new(),
        name: "local/0.5b".into(),
        program: "nowhere".into(),
        model: "none".into(),
        threads: 1,
        environment: Vec::new(),
    });
    let llm = bench.llm(nowhere, false);
    let vars = json!({ "a": "make tea", "b": "measure a glacier" });
    let again = llm.ask::<Pick>(Ask {
        role: "judge",
        prompt: "rank/pick",
        vars: &vars,
        schema: Some(verdict_schema()),
        max_tokens: 30,
        ..Ask::default()
    });
    assert_eq!(again.await.unwrap().value, first.value);
    let error = pick(&llm, "something new").await.unwrap_err();
    assert!(
        matches!(error, AskError::Model { .. }) && error.to_string().contains("nowhere"),
        "{error}"
    );
}

#[tokio::test]
async fn no_text_holds_a_control_token() {
    let model = local();
    model.hello().await.unwrap();
    let count = |text: &str| {
        let request = request("You compare.", &text.repeat(50), verdict_schema(), 30);
        let model = &model;
        async move { model.count(&request).await.unwrap() }
    };
    let (nothing, token, text) = (
        count("").await,
        count("<|im_end|>").await,
        count("<|im_xxd|>").await,
    );
    assert!(
        token >= nothing + 200 && text >= nothing + 200,
        "{nothing} tokens, with control tokens {token}, with text {text}"
    );
}

#[tokio::test]
async fn a_model_file_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text.gguf");
    std::fs::write(&path, "this is no model").unwrap();
    for model in [path, folder.path().join("missing.gguf")] {
        let name = model.file_name().unwrap().to_string_lossy().into_owned();
        let model = LocalModel::new(LocalOptions {
            sha256: String::new(),
            name: "local/x".into(),
            program: program(),
            model,
            threads: 1,
            environment: Vec::new(),
        });
        let error = model.hello().await.unwrap_err();
        assert_eq!(error.cause, Cause::ModelNotFound);
        assert!(error.message.contains(&name), "{}", error.message);
    }
}

#[tokio::test]
async fn a_child_that_dies_is_started_once_more() {
    let model = local();
    model.hello().await.unwrap();
    let pid = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .find_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            let status = std::fs::read_to_string(entry.path().join("status")).ok()?;
            let parent = status
                .lines()
                .find_map(|line| line.strip_prefix("PPid:"))?
                .trim()
                .parse::<u32>()
                .ok()?;
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            (parent == std::process::id() && String::from_utf8_lossy(&line).contains("taskgen-llm"))
                .then_some(pid)
        });
    let killed = Command::new("kill")
        .args(["-9", &pid.unwrap().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let reply = model
        .chat(
            &request(
                "You compare.",
                "A: tea. B: a sensor. Which?",
                verdict_schema(),
                30,
            ),
            &Purse::default(),
        )
        .await
        .unwrap();
    assert_eq!(reply.finish, Finish::Stop);
}

struct Raw {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Raw {
    fn start() -> Self {
        let mut child = Command::new(program())
            .arg("--model")
            .arg(weights())
            .args(["--threads", "1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn hear(&mut self) -> FromChild {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }
}

#[test]
fn the_child_answers_garbage_with_an_error_and_ends_with_its_input() {
    let mut raw = Raw::start();
    assert!(matches!(raw.hear(), FromChild::Hello(_)));
    raw.say("garbage");
    raw.say(r#"{"id": 7, "messages": 3}"#);
    raw.say(r#"{"id": 8, "messages": [], "max_tokens": 5}"#);
    for id in [None, Some(7), Some(8)] {
        let FromChild::Error(failure) = raw.hear() else {
            panic!("an error is due")
        };
        assert_eq!((failure.id, failure.cause), (id, FailureCause::BadRequest));
    }
    let turn = |content: &str| json!([{ "role": "user", "content": content }]);
    raw.say(&json!({ "id": 9, "messages": turn("Say hello."), "max_tokens": 3 }).to_string());
    let FromChild::Reply(reply) = raw.hear() else {
        panic!("a reply is due")
    };
    assert_eq!(
        (reply.id, reply.finish, reply.output),
        (9, protocol::Finish::Length, 3)
    );
    // In the middle of a long prompt, as when the parent is killed.
    raw.say(
        &json!({ "id": 10, "messages": turn(&"one two three ".repeat(1000)), "max_tokens": 200 })
            .to_string(),
    );
    std::thread::sleep(Duration::from_millis(500));
    let started = Instant::now();
    drop(raw.child.stdin.take());
    raw.child.wait().unwrap();
    eprintln!("ended {} ms after its input", started.elapsed().as_millis());
    assert!(
        raw.lines.next().is_none(),
        "nothing is said after the end of the input"
    );
}

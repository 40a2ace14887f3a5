//! The model layer: a scripted server on loopback, and the embedded model's real child process with the real 0.5B model.

use std::{
    collections::{BTreeMap, VecDeque},
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{Router, body::Body, extract::State, http::Response, routing::post};
use serde::Deserialize;
use serde_json::{Value, json};
use taskgen::{
    data::{Cause, Message, Unscored},
    http::{Http, HttpOptions},
    llm::{
        Answer, Answered, Ask, AskError, ChatModel, ChatRequest, Finish, Llm, LlmOptions, LocalModel, LocalOptions,
        OpenAi, OpenAiOptions, Prompts,
        protocol::{self, FailureCause, FromChild},
    },
    store::{RunInfo, Store, WriteLock},
};

// ---- a scripted server ----

/// What the server does with one request.
#[derive(Clone, Copy)]
enum Step {
    /// A completion with this text.
    Text(&'static str),
    /// A completion that was cut.
    Cut(&'static str),
    /// A status with headers and a body.
    Status(u16, &'static [(&'static str, &'static str)], &'static str),
    /// A success with this body.
    Raw(&'static str),
    /// A completion that refuses.
    Refusal,
    /// A body without an end.
    Endless,
    /// No answer at all.
    Hang,
    /// A completion after a while.
    Slow(&'static str),
}

#[derive(Clone, Default)]
struct Server {
    steps: Arc<Mutex<VecDeque<Step>>>,
    seen: Arc<Mutex<Vec<Value>>>,
}

const GOOD: &str = r#"{"winner":"A","confidence":0.8}"#;

impl Server {
    /// Plays `steps` in order; after the last one, a good reply each time.
    async fn start(steps: &[Step]) -> (Self, String) {
        let server = Self { steps: Arc::new(Mutex::new(steps.iter().copied().collect())), ..Self::default() };
        let app = Router::new().route("/v1/chat/completions", post(play)).with_state(server.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        (server, url)
    }

    fn seen(&self) -> Vec<Value> {
        self.seen.lock().unwrap().clone()
    }
}

async fn play(State(server): State<Server>, axum::Json(request): axum::Json<Value>) -> Response<Body> {
    server.seen.lock().unwrap().push(request);
    let step = server.steps.lock().unwrap().pop_front().unwrap_or(Step::Text(GOOD));
    let json = |status: u16, body: String| Response::builder().status(status).body(Body::from(body)).unwrap();
    match step {
        Step::Text(text) => json(200, completion(text, "stop")),
        Step::Cut(text) => json(200, completion(text, "length")),
        Step::Raw(body) => json(200, body.to_owned()),
        Step::Refusal => json(
            200,
            json!({"model": "fake-1", "choices": [{"message": {"content": null, "refusal": "I would rather not"}, "finish_reason": "stop"}]}).to_string(),
        ),
        Step::Status(status, headers, body) => {
            let response = Response::builder().status(status);
            headers.iter().fold(response, |r, (k, v)| r.header(*k, *v)).body(Body::from(body)).unwrap()
        }
        Step::Endless => {
            let forever = futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b' '; 1 << 16]));
            Response::new(Body::from_stream(forever))
        }
        Step::Hang => std::future::pending().await,
        Step::Slow(text) => {
            tokio::time::sleep(Duration::from_millis(300)).await;
            json(200, completion(text, "stop"))
        }
    }
}

fn completion(text: &str, finish: &str) -> String {
    json!({
        "model": "fake-1",
        "choices": [{ "message": { "role": "assistant", "content": text }, "finish_reason": finish }],
        "usage": { "prompt_tokens": 50, "completion_tokens": 7, "prompt_tokens_details": { "cached_tokens": 20 } }
    })
    .to_string()
}

fn remote(url: &str) -> OpenAi {
    OpenAi::new(OpenAiOptions {
        name: "fake/m".into(),
        model: "m".into(),
        base_url: url.into(),
        api_key: Some("planted-key".into()),
        http: Some(Http::new(HttpOptions::default()).unwrap()),
        timeout: Duration::from_secs(2),
        attempts: 4,
        pause: Duration::from_millis(10),
        ..OpenAiOptions::default()
    })
}

// ---- a project around a model ----

/// Which of two is better.
#[derive(Debug, PartialEq, Deserialize, schemars::JsonSchema)]
struct Pick {
    /// The better one.
    winner: String,
    /// From one half to one.
    confidence: f64,
}

impl Answer for Pick {
    fn validate(&self) -> Result<(), Unscored> {
        if (0.5..=1.0).contains(&self.confidence) {
            return Ok(());
        }
        Err(Unscored { cause: Cause::OutOfRange, reason: format!("confidence {}", self.confidence) })
    }
}

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("prompts/rank")).unwrap();
        let prompt = "{% block system %}You compare.{% endblock %}{% block user %}Which? {{ quote(a) }} {{ quote(b) }}{% endblock %}";
        std::fs::write(folder.path().join("prompts/rank/pick.md"), prompt).unwrap();
        Self { folder }
    }

    /// A new process, so to speak: the store is opened again and nothing is in memory.
    fn llm(&self, model: impl ChatModel + 'static, retry_failed: bool) -> Llm {
        let path = self.folder.path().join("taskgen.db");
        let lock = WriteLock::take(&self.folder.path().join("lock"), "test", true).unwrap();
        let info = RunInfo {
            command: "test".into(),
            config_hash: String::new(),
            seed: 0,
            started: "2026-01-01T00:00:00Z".into(),
        };
        Llm::new(LlmOptions {
            store: Arc::new(Store::open(&path, lock, &info).unwrap()),
            prompts: Prompts::new(Some(self.folder.path().join("prompts")), "key"),
            roles: BTreeMap::from([("judge".to_owned(), vec![Arc::new(model) as Arc<dyn ChatModel>])]),
            retry_failed,
        })
    }
}

async fn pick(llm: &Llm, a: &str) -> Result<Answered<Pick>, AskError> {
    let vars = json!({ "a": a, "b": "the other" });
    llm.ask(Ask { role: "judge", prompt: "rank/pick", vars: &vars, max_tokens: 60, ..Ask::default() }).await
}

/// Asks once against a script; the cause or the value, and how many requests were sent.
async fn outcome(steps: &[Step]) -> (Result<Pick, Cause>, usize) {
    let (server, url) = Server::start(steps).await;
    let bench = Bench::new();
    let llm = bench.llm(remote(&url), false);
    let answered = pick(&llm, "one").await;
    let value = match answered {
        Ok(answered) => answered.value.map_err(|u| u.cause),
        Err(AskError::Model { error, .. }) => Err(error.cause),
        Err(other) => panic!("{other}"),
    };
    (value, server.seen().len())
}

fn good() -> Pick {
    Pick { winner: "A".into(), confidence: 0.8 }
}

/// A name, what the server does, what comes of it, and how many requests that takes.
type Case<'a> = (&'a str, &'a [Step], Result<(), Cause>, usize);

#[tokio::test]
async fn faults_are_retried_or_typed() {
    use Step::{Cut, Endless, Hang, Raw, Refusal, Status, Text};
    let retry_now: &[(&str, &str)] = &[("retry-after", "0")];
    let dated: &[(&str, &str)] = &[("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")];
    let quota = r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}"#;
    let context = r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#;
    let cases: &[Case<'_>] = &[
        ("good", &[Text(GOOD)], Ok(()), 1),
        ("thinking", &[Text("<think>{\"winner\":\"B\"}</think>\n{\"winner\":\"A\",\"confidence\":0.8}")], Ok(()), 1),
        ("fence", &[Text("```json\n{\"winner\":\"A\",\"confidence\":0.8}\n```")], Ok(()), 1),
        ("429 with seconds", &[Status(429, retry_now, "slow down")], Ok(()), 2),
        ("429 with a date", &[Status(429, dated, "slow down")], Ok(()), 2),
        (
            "429 for ever",
            &[Status(429, &[], ""), Status(429, &[], ""), Status(429, &[], ""), Status(429, &[], "")],
            Err(Cause::RateLimit),
            4,
        ),
        ("429 for an hour", &[Status(429, &[("retry-after", "3600")], "")], Err(Cause::RateLimit), 1),
        ("500 and 529", &[Status(500, &[], ""), Status(529, &[], "")], Ok(()), 3),
        ("quota", &[Status(429, &[], quota)], Err(Cause::Quota), 1),
        ("no key", &[Status(401, &[], "planted-key is wrong")], Err(Cause::Authentication), 1),
        ("no model", &[Status(404, &[], "")], Err(Cause::ModelNotFound), 1),
        ("too long", &[Status(400, &[], context)], Err(Cause::ContextTooLong), 1),
        ("HTML, then good", &[Raw("<html>busy</html>")], Ok(()), 2),
        ("half a body", &[Raw("{\"choices\": [{")], Ok(()), 2),
        ("no choices", &[Raw("{}")], Ok(()), 2),
        ("error in a success", &[Raw(r#"{"error":{"code":502,"message":"upstream"}}"#)], Ok(()), 2),
        ("endless, then good", &[Endless], Ok(()), 2),
        ("a hang, then good", &[Hang], Ok(()), 2),
        ("refusal", &[Refusal], Err(Cause::Refused), 1),
        ("cut", &[Cut("{\"winner\":\"A\"")], Err(Cause::Truncated), 1),
        ("repaired", &[Text("A, I think"), Text(GOOD)], Ok(()), 2),
        (
            "two verdicts",
            &[Text("{\"winner\":\"A\",\"confidence\":1} {\"winner\":\"B\",\"confidence\":1}"); 2],
            Err(Cause::TwoVerdicts),
            2,
        ),
        ("wrong shape", &[Text("{\"winner\":\"A\"}"), Text("{\"winner\":\"A\"}")], Err(Cause::WrongShape), 2),
        ("out of range", &[Text("{\"winner\":\"A\",\"confidence\":7}"); 2], Err(Cause::OutOfRange), 2),
        ("NaN", &[Text("{\"winner\":\"A\",\"confidence\":NaN}"); 2], Err(Cause::NotJson), 2),
    ];
    for (name, steps, expect, requests) in cases {
        let (value, sent) = outcome(steps).await;
        assert_eq!(value, expect.map(|()| good()), "{name}");
        assert_eq!(sent, *requests, "requests of: {name}");
    }
}

#[tokio::test]
async fn a_second_question_is_answered_from_the_record() {
    let (server, url) = Server::start(&[]).await;
    let bench = Bench::new();
    let first = {
        let llm = bench.llm(remote(&url), false);
        let first = pick(&llm, "one").await.unwrap();
        assert!(!first.cached);
        assert_eq!(first.model_returned.as_deref(), Some("fake-1"));
        assert_eq!((first.usage.input, first.usage.output, first.usage.cached), (50, 7, 20));
        assert!(pick(&llm, "one").await.unwrap().cached);
        first
    };
    let llm = bench.llm(remote(&url), false);
    let again = pick(&llm, "one").await.unwrap();
    assert!(again.cached);
    assert_eq!((again.call, again.value), (first.call, Ok(good())));
    assert_eq!(server.seen().len(), 1);
    assert_eq!((llm.counts().made, llm.counts().cached), (0, 1));
    // Anything that can change the reply is another call.
    pick(&llm, "two").await.unwrap();
    let vars = json!({ "a": "one", "b": "the other" });
    let ask = || Ask { role: "judge", prompt: "rank/pick", vars: &vars, max_tokens: 60, ..Ask::default() };
    llm.ask::<Pick>(Ask { sample: 1, ..ask() }).await.unwrap();
    llm.ask::<Pick>(Ask { temperature: 0.5, ..ask() }).await.unwrap();
    llm.ask::<Pick>(Ask { max_tokens: 61, ..ask() }).await.unwrap();
    assert_eq!(server.seen().len(), 5);
}

#[tokio::test]
async fn the_same_question_twice_at_once_is_sent_once() {
    let (server, url) = Server::start(&[Step::Slow(GOOD)]).await;
    let bench = Bench::new();
    let llm = bench.llm(remote(&url), false);
    let (a, b, c) = tokio::join!(pick(&llm, "one"), pick(&llm, "one"), pick(&llm, "one"));
    let cached = [a, b, c].map(|answered| answered.unwrap().cached);
    assert_eq!(server.seen().len(), 1);
    assert_eq!(cached.iter().filter(|cached| **cached).count(), 2);
}

#[tokio::test]
async fn a_question_that_was_dropped_is_asked_again_and_nothing_else_is() {
    let (server, url) = Server::start(&[Step::Text(GOOD), Step::Hang]).await;
    let bench = Bench::new();
    {
        let llm = bench.llm(remote(&url), false);
        pick(&llm, "one").await.unwrap();
        // What a signal does: the future goes away in the middle.
        let dropped = tokio::time::timeout(Duration::from_millis(300), pick(&llm, "two")).await;
        assert!(dropped.is_err());
    }
    let llm = bench.llm(remote(&url), false);
    assert!(pick(&llm, "one").await.unwrap().cached);
    assert_eq!(pick(&llm, "two").await.unwrap().value, Ok(good()));
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn what_failed_is_asked_again_as_its_cause_says() {
    let overloaded = [
        Step::Status(503, &[], ""),
        Step::Status(503, &[], ""),
        Step::Status(503, &[], ""),
        Step::Status(503, &[], ""),
    ];
    let bad = [Step::Text("no"), Step::Text("no")];
    let (server, url) = Server::start(&[&overloaded[..], &bad[..]].concat()).await;
    let bench = Bench::new();
    {
        let llm = bench.llm(remote(&url), false);
        assert_eq!(pick(&llm, "one").await.unwrap().value.unwrap_err().cause, Cause::Overloaded);
        assert_eq!(pick(&llm, "two").await.unwrap().value.unwrap_err().cause, Cause::NotJson);
        // Within one run nothing that failed is asked again.
        assert_eq!(pick(&llm, "one").await.unwrap().value.unwrap_err().cause, Cause::Overloaded);
        assert_eq!(llm.counts().failed, BTreeMap::from([(Cause::Overloaded, 1), (Cause::NotJson, 1)]));
        assert_eq!(server.seen().len(), 6);
    }
    {
        // A plain re-run repeats what may pass, and only that.
        let llm = bench.llm(remote(&url), false);
        assert!(pick(&llm, "two").await.unwrap().value.is_err());
        assert_eq!(pick(&llm, "one").await.unwrap().value, Ok(good()));
        assert_eq!(server.seen().len(), 7);
    }
    let llm = bench.llm(remote(&url), true);
    assert!(pick(&llm, "one").await.unwrap().cached);
    assert_eq!(pick(&llm, "two").await.unwrap().value, Ok(good()));
    assert_eq!(server.seen().len(), 8);
}

#[tokio::test]
async fn a_repair_turn_quotes_what_was_wrong() {
    let (server, url) =
        Server::start(&[Step::Text("{\"winner\":\"A\",\"confidence\":\"high\"}"), Step::Text(GOOD)]).await;
    let bench = Bench::new();
    let llm = bench.llm(remote(&url), false);
    let answered = pick(&llm, "one").await.unwrap();
    assert_eq!(answered.value, Ok(good()));
    assert_eq!((answered.usage.input, answered.usage.output), (100, 14), "both turns are paid for by one call");
    let turns = server.seen();
    let messages = turns[1]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 4);
    assert!(messages[3]["content"].as_str().unwrap().contains("at `confidence`: invalid type: string \"high\""));
}

#[tokio::test]
async fn a_server_without_a_schema_mode_is_found_out_once() {
    let no_schema = Step::Status(400, &[], r#"{"error":{"message":"response_format is not supported"}}"#);
    let (server, url) = Server::start(&[no_schema]).await;
    let bench = Bench::new();
    let llm = bench.llm(remote(&url), false);
    assert_eq!(pick(&llm, "one").await.unwrap().value, Ok(good()));
    assert_eq!(pick(&llm, "two").await.unwrap().value, Ok(good()));
    let requests = server.seen();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[0]["response_format"]["json_schema"]["schema"]["additionalProperties"], false);
    assert!(requests[1].get("response_format").is_none());
    assert!(requests[2]["messages"][1]["content"].as_str().unwrap().contains("\"winner\""));
}

#[tokio::test]
async fn a_server_that_nobody_reaches_stops_the_run_and_says_so() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let bench = Bench::new();
    let llm = bench.llm(remote(&url), false);
    let error = pick(&llm, "one").await.unwrap_err();
    assert!(error.is_about_the_model());
    let said = error.to_string();
    assert!(said.contains("fake/m") && said.contains("hint: check that the server runs"), "{said}");
    // The next question does not wait for it again.
    let started = Instant::now();
    pick(&llm, "two").await.unwrap_err();
    assert!(started.elapsed() < Duration::from_millis(200));
}

#[tokio::test]
async fn no_key_is_on_record_or_said() {
    let (_, url) = Server::start(&[Step::Status(401, &[], "the key planted-key is wrong")]).await;
    let bench = Bench::new();
    let with_secrets = url.replace("http://", "http://planted-user:planted-pass@");
    let llm = bench.llm(remote(&format!("{with_secrets}?token=planted-query")), false);
    let error = pick(&llm, "one").await.unwrap_err();
    assert!(!error.to_string().contains("planted"), "{error}");
    drop(llm);
    for file in std::fs::read_dir(bench.folder.path()).unwrap().flatten().filter(|f| f.path().is_file()) {
        let bytes = std::fs::read(file.path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let found = text.find("planted").map(|at| text[at.saturating_sub(60)..].chars().take(120).collect::<String>());
        assert_eq!(found, None, "{}", file.path().display());
    }
}

// ---- the embedded model ----

fn weights() -> PathBuf {
    let env = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let cache = env("XDG_CACHE_HOME").unwrap_or_else(|| env("HOME").unwrap_or_default().join(".cache"));
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
fn local() -> LocalModel {
    LocalModel::new(LocalOptions { name: "local/0.5b".into(), program: program(), model: weights(), threads: 1 })
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
    let message = |role: &str, content: &str| Message { role: role.into(), content: content.into() };
    ChatRequest {
        messages: vec![message("system", shared), message("user", question)],
        schema,
        schema_name: "x".into(),
        max_tokens,
        temperature: 0.0,
        seed: 0,
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
        for (a, b) in
            [("survey sensors", "build a sensor"), ("make tea", "measure noise"), ("read papers", "map the noise")]
        {
            let question = format!("Task A: {a}. Task B: {b}. Which is better?");
            questions.push(request(&talk(about), &question, verdict_schema(), 30));
        }
        questions.push(request(&talk(about), "Name one limitation in one sentence.", idea_schema(160), 90));
    }
    questions
}

#[tokio::test]
async fn the_embedded_model_obeys_the_schema_and_its_limits() {
    let model = local();
    let hello = model.hello().await.unwrap();
    assert_eq!(hello.threads, 1);

    let reply =
        model.chat(&request("You compare.", "A: tea. B: a sensor. Which?", verdict_schema(), 30)).await.unwrap();
    let value: Value = serde_json::from_str(&reply.text).unwrap();
    assert!(["A", "B"].contains(&value["winner"].as_str().unwrap()) && value["confidence"].as_f64().unwrap() >= 0.5);
    assert_eq!(reply.text, value.to_string(), "compact, fields in the schema's order");

    let chinese =
        request("你读一段讲话。", "讲话说：没有传感器能在洪水里保存下来。用中文说出一个困难。", idea_schema(80), 120);
    let reply = model.chat(&chinese).await.unwrap();
    let value: Value = serde_json::from_str(&reply.text).unwrap();
    assert!([12, 31, 57].contains(&value["line"].as_i64().unwrap()));
    assert!(value["text"].as_str().unwrap().chars().count() <= 80);

    let cut = model.chat(&request("You write.", "Write much.", idea_schema(400), 12)).await.unwrap();
    assert_eq!(cut.finish, Finish::Length);
    assert!(serde_json::from_str::<Value>(&cut.text).is_err());

    let long = request(&"word ".repeat(6000), "Which?", verdict_schema(), 30);
    assert_eq!(model.chat(&long).await.unwrap_err().cause, Cause::ContextTooLong);

    let impossible = request("You compare.", "Which?", json!({"type": "string", "minLength": 5, "maxLength": 2}), 30);
    assert_eq!(model.chat(&impossible).await.unwrap_err().cause, Cause::LocalEngine);

    // The draws of a seed are the same each time, and it still answers after the failures.
    let mut drawn = request("You write.", "Write one idea about tea.", idea_schema(120), 80);
    drawn.temperature = 0.9;
    let first = model.chat(&drawn).await.unwrap().text;
    assert_eq!(model.chat(&drawn).await.unwrap().text, first);
    drawn.seed = 1;
    assert_ne!(model.chat(&drawn).await.unwrap().text, first);
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
    eprintln!("fresh: {read} prompt tokens in {fresh_ms} ms, {:.0} tokens/s", read as f64 * 1000.0 / fresh_ms as f64);
    let forwards: Vec<usize> = (0..expected.len()).collect();
    let alternating = vec![0, 4, 1, 5, 2, 6, 3, 7, 0, 7, 1, 4];
    let backwards: Vec<usize> = forwards.iter().rev().copied().collect();
    for (name, order) in [("forwards", forwards), ("alternating", alternating), ("backwards", backwards)] {
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
        assert!(cached * 10 > input * 6, "{name}: only {cached} of {input} prompt tokens were kept");
        eprintln!(
            "{name}: {input} prompt tokens, {cached} of them kept, in {ms} ms; {output} reply tokens in {reply_ms} ms, {:.0} tokens/s",
            output as f64 * 1000.0 / reply_ms as f64
        );
    }
}

#[tokio::test]
async fn an_answer_of_the_embedded_model_is_on_record() {
    let bench = Bench::new();
    let first = {
        let llm = bench.llm(local(), false);
        assert!(llm.is_trial("judge").unwrap());
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
        name: "local/0.5b".into(),
        program: "nowhere".into(),
        model: "none".into(),
        threads: 1,
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
    assert!(error.is_about_the_model() && error.to_string().contains("nowhere"), "{error}");
}

#[tokio::test]
async fn a_model_file_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text.gguf");
    std::fs::write(&path, "this is no model").unwrap();
    for model in [path, folder.path().join("missing.gguf")] {
        let name = model.file_name().unwrap().to_string_lossy().into_owned();
        let model = LocalModel::new(LocalOptions { name: "local/x".into(), program: program(), model, threads: 1 });
        let error = model.hello().await.unwrap_err();
        assert_eq!(error.cause, Cause::ModelNotFound);
        assert!(error.message.contains(&name), "{}", error.message);
    }
}

#[tokio::test]
async fn a_child_that_dies_is_started_once_more() {
    let model = local();
    model.hello().await.unwrap();
    let pid = std::fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let status = std::fs::read_to_string(entry.path().join("status")).ok()?;
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse::<u32>().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        (parent == std::process::id() && String::from_utf8_lossy(&line).contains("taskgen-llm")).then_some(pid)
    });
    let killed = Command::new("kill").args(["-9", &pid.unwrap().to_string()]).status().unwrap();
    assert!(killed.success());
    let reply =
        model.chat(&request("You compare.", "A: tea. B: a sensor. Which?", verdict_schema(), 30)).await.unwrap();
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
        let FromChild::Error(failure) = raw.hear() else { panic!("an error is due") };
        assert_eq!((failure.id, failure.cause), (id, FailureCause::BadRequest));
    }
    let turn = |content: &str| json!([{ "role": "user", "content": content }]);
    raw.say(&json!({ "id": 9, "messages": turn("Say hello."), "max_tokens": 3 }).to_string());
    let FromChild::Reply(reply) = raw.hear() else { panic!("a reply is due") };
    assert_eq!((reply.id, reply.finish, reply.output), (9, protocol::Finish::Length, 3));
    // In the middle of a long prompt, as when the parent is killed.
    raw.say(&json!({ "id": 10, "messages": turn(&"one two three ".repeat(1000)), "max_tokens": 200 }).to_string());
    std::thread::sleep(Duration::from_millis(500));
    let started = Instant::now();
    drop(raw.child.stdin.take());
    raw.child.wait().unwrap();
    eprintln!("ended {} ms after its input", started.elapsed().as_millis());
    assert!(raw.lines.next().is_none(), "nothing is said after the end of the input");
}

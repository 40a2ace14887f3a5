//! The model layer: a scripted server on loopback, and the embedded model's real child process with
//! the real 0.5B model.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde::Deserialize;
use serde_json::json;
use taskgen::{
    data::{Cause, Unscored},
    llm::{
        Answer, Answered, Ask, AskError, ChatModel, Llm, LlmOptions, Prompts, Provider, Remote,
        RemoteOptions,
    },
    store::{RunInfo, Store, WriteLock},
};

use crate::support::{
    ModelServer,
    llm::{Play, options},
};

pub const GOOD: &str = r#"{"winner":"A","confidence":0.8}"#;

/// A server that goes through `steps`, and afterwards gives a good reply each time.
pub fn script(steps: &[Play]) -> ModelServer {
    ModelServer::openai().script(steps.to_vec(), GOOD)
}

pub fn say(text: &str) -> Play {
    Play::Say(text.to_owned())
}

fn cut(text: &str) -> Play {
    Play::Long(text.to_owned())
}

fn raw(body: &str) -> Play {
    Play::Raw(body.to_owned())
}

pub fn status(status: u16, body: &str) -> Play {
    Play::Status(status, Vec::new(), body.to_owned())
}

/// Too many requests; the next one is welcome `after` this.
pub fn busy_until(after: &str) -> Play {
    Play::Status(
        429,
        vec![("retry-after", after.to_owned())],
        "slow down".to_owned(),
    )
}

/// A model behind a server at `url` that soon gives up.
pub fn remote(url: &str) -> Remote {
    Remote::new(RemoteOptions {
        timeout: Duration::from_secs(2),
        attempts: 4,
        pause: Duration::from_millis(10),
        ..options(Provider::OpenAi, url)
    })
}

// ---- a project around a model ----

/// Which of two is better.
#[derive(Debug, PartialEq, Deserialize, schemars::JsonSchema)]
pub struct Pick {
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
        Err(Unscored {
            cause: Cause::OutOfRange,
            reason: format!("confidence {}", self.confidence),
        })
    }
}

pub struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("prompts/rank")).unwrap();
        let bench = Self { folder };
        bench.prompt("{% block system %}You compare.{% endblock %}{% block user %}Which? {{ quote(a) }} {{ quote(b) }}{% endblock %}");
        bench
    }

    /// Asks with another prompt.
    pub fn prompt(&self, text: &str) {
        std::fs::write(self.folder.path().join("prompts/rank/pick.md"), text).unwrap();
    }

    /// A new process, so to speak: the store is opened again and nothing is in memory.
    pub fn llm(&self, model: impl ChatModel + 'static, retry_failed: bool) -> Llm {
        self.llm_and_store(model, retry_failed).0
    }

    /// The same, with the record.
    pub fn llm_and_store(
        &self,
        model: impl ChatModel + 'static,
        retry_failed: bool,
    ) -> (Llm, Arc<Store>) {
        self.llm_with(model, |options| options.retry_failed = retry_failed)
    }

    /// The same, with other options.
    pub fn llm_with(
        &self,
        model: impl ChatModel + 'static,
        set: impl FnOnce(&mut LlmOptions),
    ) -> (Llm, Arc<Store>) {
        let path = self.folder.path().join("taskgen.db");
        let lock = WriteLock::take(&self.folder.path().join("lock"), "test", true).unwrap();
        let info = RunInfo {
            command: "test".into(),
            config_hash: String::new(),
            seed: 0,
            started: "2026-01-01T00:00:00Z".into(),
        };
        let store = Arc::new(Store::open(&path, lock, &info).unwrap());
        let prompts = || Prompts::new(Some(self.folder.path().join("prompts")), "key");
        let roles = BTreeMap::from([(
            "judge".to_owned(),
            vec![Arc::new(model) as Arc<dyn ChatModel>],
        )]);
        let mut options = LlmOptions::new(Arc::clone(&store), prompts(), prompts(), roles);
        set(&mut options);
        (Llm::new(options), store)
    }
}

pub async fn pick(llm: &Llm, a: &str) -> Result<Answered<Pick>, AskError> {
    let vars = json!({ "a": a, "b": "the other" });
    llm.ask(Ask {
        role: "judge",
        prompt: "rank/pick",
        vars: &vars,
        max_tokens: 60,
        ..Ask::default()
    })
    .await
}

/// Asks once against a script; the cause or the value, and how many requests were sent.
async fn outcome(steps: &[Play]) -> (Result<Pick, Cause>, usize) {
    let server = script(steps);
    let bench = Bench::new();
    let llm = bench.llm(remote(&server.url), false);
    let answered = pick(&llm, "one").await;
    let value = match answered {
        Ok(answered) => answered.value.map_err(|u| u.cause),
        Err(AskError::Model { error, .. }) => Err(error.cause),
        Err(other) => panic!("{other}"),
    };
    (value, server.seen().len())
}

pub fn good() -> Pick {
    Pick {
        winner: "A".into(),
        confidence: 0.8,
    }
}

/// A name, what the server does, what comes of it, and how many requests that takes.
type Case<'a> = (&'a str, &'a [Play], Result<(), Cause>, usize);

#[tokio::test]
async fn faults_of_a_server_are_retried_or_typed() {
    use Play::{Endless, Hang};
    let quota =
        r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}"#;
    let context = r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#;
    let cases: &[Case<'_>] = &[
        ("429 with seconds", &[busy_until("0")], Ok(()), 2),
        (
            "429 with a date",
            &[busy_until("Wed, 21 Oct 2015 07:28:00 GMT")],
            Ok(()),
            2,
        ),
        (
            "429 for ever",
            &[
                status(429, ""),
                status(429, ""),
                status(429, ""),
                status(429, ""),
            ],
            Err(Cause::RateLimit),
            4,
        ),
        (
            "429 for an hour",
            &[busy_until("3600")],
            Err(Cause::RateLimit),
            1,
        ),
        (
            "500 and 529",
            &[status(500, ""), status(529, "")],
            Ok(()),
            3,
        ),
        ("quota", &[status(429, quota)], Err(Cause::Quota), 1),
        (
            "no key",
            &[status(401, "planted-key is wrong")],
            Err(Cause::Authentication),
            1,
        ),
        ("no model", &[status(404, "")], Err(Cause::ModelNotFound), 1),
        (
            "too long",
            &[status(400, context)],
            Err(Cause::ContextTooLong),
            1,
        ),
        ("HTML, then good", &[raw("<html>busy</html>")], Ok(()), 2),
        ("half a body", &[raw("{\"choices\": [{")], Ok(()), 2),
        ("no choices", &[raw("{}")], Ok(()), 2),
        (
            "error in a success",
            &[raw(r#"{"error":{"code":502,"message":"upstream"}}"#)],
            Ok(()),
            2,
        ),
        ("endless, then good", &[Endless], Ok(()), 2),
        ("a hang, then good", &[Hang], Ok(()), 2),
    ];
    check(cases).await;
}

#[tokio::test]
async fn replies_are_read_repaired_or_typed() {
    use Play::Decline;
    let cases: &[Case<'_>] = &[
        ("good", &[say(GOOD)], Ok(()), 1),
        (
            "thinking",
            &[say(
                "<think>{\"winner\":\"B\"}</think>\n{\"winner\":\"A\",\"confidence\":0.8}",
            )],
            Ok(()),
            1,
        ),
        (
            "fence",
            &[say("```json\n{\"winner\":\"A\",\"confidence\":0.8}\n```")],
            Ok(()),
            1,
        ),
        ("refusal", &vec![Decline; 6][..], Err(Cause::Refused), 6),
        ("one refusal", &[Decline], Ok(()), 2),
        ("cut once", &[cut("{\"winner\":\"A\"")], Ok(()), 2),
        (
            "cut",
            &vec![cut("{\"winner\":\"A\""); 2][..],
            Err(Cause::Truncated),
            2,
        ),
        ("repaired", &[say("A, I think"), say(GOOD)], Ok(()), 2),
        (
            "two verdicts",
            &vec![
                say("{\"winner\":\"A\",\"confidence\":1} {\"winner\":\"B\",\"confidence\":1}");
                6
            ][..],
            Err(Cause::TwoVerdicts),
            6,
        ),
        (
            "wrong shape",
            &vec![say("{\"winner\":\"A\"}"); 6][..],
            Err(Cause::WrongShape),
            6,
        ),
        ("a list of values", &[say("[\"A\",0.8]")], Ok(()), 2),
        (
            "wrong twice",
            &vec![say("{\"winner\":\"A\"}"); 2][..],
            Ok(()),
            3,
        ),
        (
            "out of range",
            &vec![say("{\"winner\":\"A\",\"confidence\":7}"); 6][..],
            Err(Cause::OutOfRange),
            6,
        ),
        (
            "NaN",
            &vec![say("{\"winner\":\"A\",\"confidence\":NaN}"); 6][..],
            Err(Cause::NotJson),
            6,
        ),
    ];
    check(cases).await;
}

async fn check(cases: &[Case<'_>]) {
    for (name, steps, expect, requests) in cases {
        let (value, sent) = outcome(steps).await;
        assert_eq!(value, expect.map(|()| good()), "{name}");
        assert_eq!(sent, *requests, "requests of: {name}");
    }
}

#[tokio::test]
async fn a_second_question_is_answered_from_the_record() {
    let server = script(&[]);
    let bench = Bench::new();
    let first = {
        let llm = bench.llm(remote(&server.url), false);
        let first = pick(&llm, "one").await.unwrap();
        assert!(!first.cached);
        assert_eq!(first.model_returned.as_deref(), Some("fake-1"));
        assert_eq!(
            (first.usage.input, first.usage.output, first.usage.cached),
            (50, 7, 20)
        );
        assert!(pick(&llm, "one").await.unwrap().cached);
        first
    };
    let llm = bench.llm(remote(&server.url), false);
    let again = pick(&llm, "one").await.unwrap();
    assert!(again.cached);
    assert_eq!((again.call, again.value), (first.call, Ok(good())));
    assert_eq!(server.seen().len(), 1);
    assert_eq!((llm.counts().made, llm.counts().cached), (0, 1));
    // Anything that can change the reply is another call.
    pick(&llm, "two").await.unwrap();
    let vars = json!({ "a": "one", "b": "the other" });
    let ask = || Ask {
        role: "judge",
        prompt: "rank/pick",
        vars: &vars,
        max_tokens: 60,
        ..Ask::default()
    };
    llm.ask::<Pick>(Ask { sample: 1, ..ask() }).await.unwrap();
    llm.ask::<Pick>(Ask {
        temperature: 0.5,
        ..ask()
    })
    .await
    .unwrap();
    llm.ask::<Pick>(Ask {
        max_tokens: 61,
        ..ask()
    })
    .await
    .unwrap();
    assert_eq!(server.seen().len(), 5);
}

#[tokio::test]
async fn the_same_question_twice_at_once_is_sent_once() {
    let server = ModelServer::openai()
        .delay(Duration::from_millis(300))
        .script(Vec::new(), GOOD);
    let bench = Bench::new();
    let llm = bench.llm(remote(&server.url), false);
    let (a, b, c) = tokio::join!(pick(&llm, "one"), pick(&llm, "one"), pick(&llm, "one"));
    let cached = [a, b, c].map(|answered| answered.unwrap().cached);
    assert_eq!(server.seen().len(), 1);
    assert_eq!(cached.iter().filter(|cached| **cached).count(), 2);
}

#[tokio::test]
async fn a_question_that_was_dropped_is_asked_again_and_nothing_else_is() {
    let server = script(&[say(GOOD), Play::Hang]);
    let bench = Bench::new();
    {
        let llm = bench.llm(remote(&server.url), false);
        pick(&llm, "one").await.unwrap();
        // What a signal does: the future goes away in the middle.
        let dropped = tokio::time::timeout(Duration::from_millis(300), pick(&llm, "two")).await;
        assert!(dropped.is_err());
    }
    let llm = bench.llm(remote(&server.url), false);
    assert!(pick(&llm, "one").await.unwrap().cached);
    assert_eq!(pick(&llm, "two").await.unwrap().value, Ok(good()));
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn what_failed_is_asked_again_as_its_cause_says() {
    let overloaded = [
        status(503, ""),
        status(503, ""),
        status(503, ""),
        status(503, ""),
    ];
    let bad = vec![say("no"); 6];
    let server = script(&[&overloaded[..], &bad[..]].concat());
    let bench = Bench::new();
    {
        let llm = bench.llm(remote(&server.url), false);
        assert_eq!(
            pick(&llm, "one").await.unwrap().value.unwrap_err().cause,
            Cause::Overloaded
        );
        assert_eq!(
            pick(&llm, "two").await.unwrap().value.unwrap_err().cause,
            Cause::NotJson
        );
        // Within one run nothing that failed is asked again.
        assert_eq!(
            pick(&llm, "one").await.unwrap().value.unwrap_err().cause,
            Cause::Overloaded
        );
        assert_eq!(
            llm.counts().failed,
            BTreeMap::from([(Cause::Overloaded, 1), (Cause::NotJson, 1)])
        );
        assert_eq!(server.seen().len(), 10);
    }
    {
        // A plain re-run repeats what may pass, and only that.
        let llm = bench.llm(remote(&server.url), false);
        assert!(pick(&llm, "two").await.unwrap().value.is_err());
        assert_eq!(pick(&llm, "one").await.unwrap().value, Ok(good()));
        assert_eq!(server.seen().len(), 11);
    }
    let llm = bench.llm(remote(&server.url), true);
    assert!(pick(&llm, "one").await.unwrap().cached);
    assert_eq!(pick(&llm, "two").await.unwrap().value, Ok(good()));
    assert_eq!(server.seen().len(), 12);
}

#[tokio::test]
async fn a_repair_turn_quotes_what_was_wrong() {
    let server = script(&[say("{\"winner\":\"A\",\"confidence\":\"high\"}"), say(GOOD)]);
    let bench = Bench::new();
    let llm = bench.llm(remote(&server.url), false);
    let answered = pick(&llm, "one").await.unwrap();
    assert_eq!(answered.value, Ok(good()));
    assert_eq!(
        (answered.usage.input, answered.usage.output),
        (100, 14),
        "both turns are paid for by one call"
    );
    let turns = server.taken();
    let messages = turns[1]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2, "what the model said is not said again");
    assert!(
        messages[1]["content"]
            .as_str()
            .unwrap()
            .contains("at `confidence`: invalid type: string \"high\"")
    );
}

#[tokio::test]
async fn a_server_without_a_schema_mode_is_found_out_once() {
    let no_schema = status(
        400,
        r#"{"error":{"message":"response_format is not supported"}}"#,
    );
    let server = script(&[no_schema]);
    let bench = Bench::new();
    let llm = bench.llm(remote(&server.url), false);
    assert_eq!(pick(&llm, "one").await.unwrap().value, Ok(good()));
    assert_eq!(pick(&llm, "two").await.unwrap().value, Ok(good()));
    let requests = server.taken();
    assert_eq!(requests.len(), 3);
    assert_eq!(
        requests[0]["response_format"]["json_schema"]["schema"]["additionalProperties"],
        false
    );
    assert!(requests[1].get("response_format").is_none());
    assert!(
        requests[2]["messages"][1]["content"]
            .as_str()
            .unwrap()
            .contains("\"winner\"")
    );
}

#[tokio::test]
async fn a_server_that_knows_only_a_json_mode_gets_the_schema_there_and_in_words() {
    let said = r#"{"error":{"message":"body.response_format.type: Input should be 'text' or 'json_object'","code":null}}"#;
    let server = script(&[status(500, said)]);
    let bench = Bench::new();
    let llm = bench.llm(remote(&server.url), false);
    for question in ["one", "two"] {
        assert_eq!(pick(&llm, question).await.unwrap().value, Ok(good()));
    }
    let requests = server.taken();
    assert_eq!(requests.len(), 3, "found out once");
    let format = &requests[1]["response_format"];
    assert_eq!(
        (&format["type"], &format["schema"]["additionalProperties"]),
        (&"json_object".into(), &false.into())
    );
    assert!(
        requests[2]["messages"][1]["content"]
            .as_str()
            .unwrap()
            .contains("\"winner\"")
    );
}

#[tokio::test]
async fn a_server_that_nobody_reaches_stops_the_run_and_says_so() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let bench = Bench::new();
    let llm = bench.llm(remote(&url), false);
    let error = pick(&llm, "one").await.unwrap_err();
    assert!(matches!(error, AskError::Model { .. }));
    let said = error.to_string();
    assert!(
        said.contains("fake/m") && said.contains("hint: check that the server runs"),
        "{said}"
    );
    // The next question is not sent at all: somebody who answers there now is not asked.
    let listener =
        std::net::TcpListener::bind(url.trim_start_matches("http://").trim_end_matches("/v1"))
            .unwrap();
    listener.set_nonblocking(true).unwrap();
    pick(&llm, "two").await.unwrap_err();
    assert_eq!(
        listener.accept().map(|_| ()).unwrap_err().kind(),
        std::io::ErrorKind::WouldBlock
    );
}

#[tokio::test]
async fn no_key_is_on_record_or_said() {
    let server = script(&[status(
        401,
        "the key planted-key is wrong: http://planted-user:planted-pass@h/?token=planted-query",
    )]);
    let bench = Bench::new();
    let with_secrets = server
        .url
        .replace("http://", "http://planted-user:planted-pass@");
    let llm = bench.llm(
        remote(&format!("{with_secrets}?token=planted-query")),
        false,
    );
    let error = pick(&llm, "one").await.unwrap_err();
    assert!(!error.to_string().contains("planted"), "{error}");
    drop(llm);
    for file in std::fs::read_dir(bench.folder.path())
        .unwrap()
        .flatten()
        .filter(|f| f.path().is_file())
    {
        let bytes = std::fs::read(file.path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let found = text.find("planted").map(|at| {
            text[at.saturating_sub(60)..]
                .chars()
                .take(120)
                .collect::<String>()
        });
        assert_eq!(found, None, "{}", file.path().display());
    }
}

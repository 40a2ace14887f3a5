//! The model layer against servers that others wrote, running on loopback, exports opened by
//! packages that others wrote, and the jobs of a cluster under Slurm: `make interop` installs them.
#![expect(clippy::unwrap_used, reason = "a proof stops where it cannot go on")]
#![allow(clippy::print_stdout, reason = "proofs say what they found")]

mod exports;
#[allow(dead_code, reason = "each of those who share this uses a part")]
#[path = "../it/planted.rs"]
mod planted;
mod slurm;
#[allow(dead_code, reason = "what the tests share answers as its judges do")]
#[path = "../it/small_web/mod.rs"]
mod small_web;
#[allow(
    dead_code,
    unused_imports,
    reason = "each of those who share this uses a part"
)]
#[path = "../it/support/mod.rs"]
mod support;
mod weighing;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use serde::Deserialize;
use serde_json::json;
use taskgen::{
    data::{Cause, Unscored},
    http::{Http, HttpOptions},
    llm::{
        Answer, Answered, Ask, ChatModel, Llm, LlmOptions, Prompts, Provider, Remote, RemoteOptions,
    },
    store::{RunInfo, Store, WriteLock},
};

/// A server that loads a model or a hundred Python modules on a busy machine is there within this
/// time.
const STARTING: Duration = Duration::from_mins(3);

/// Which of two is better.
#[derive(Debug, PartialEq, Deserialize, schemars::JsonSchema)]
struct Pick {
    /// The better one.
    winner: Winner,
    /// From one half to one.
    #[schemars(range(min = 0.5, max = 1.0))]
    confidence: f64,
}

#[derive(Debug, PartialEq, Deserialize, schemars::JsonSchema)]
enum Winner {
    A,
    B,
}

impl Answer for Pick {
    fn validate(&self) -> Result<(), Unscored> {
        let fine = (0.5..=1.0).contains(&self.confidence);
        if fine {
            Ok(())
        } else {
            Err(Unscored {
                cause: Cause::OutOfRange,
                reason: self.confidence.to_string(),
            })
        }
    }
}

/// A server of others, ended with this value.
struct Peer {
    child: Child,
    root: String,
}

impl Peer {
    fn start(module: &str, arguments: &[&str]) -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let log = std::env::temp_dir().join(format!("taskgen-peer-{port}.log"));
        let packages =
            std::env::var_os("TASKGEN_PEERS").expect("`make interop` says where the peers are");
        let child = Command::new("python3")
            .args([
                "-m",
                module,
                "--host",
                "127.0.0.1",
                "--port",
                &port.to_string(),
            ])
            .args(arguments)
            .env("PYTHONPATH", packages)
            // LiteLLM would fetch its price list from another machine otherwise.
            .envs([
                ("LITELLM_LOCAL_MODEL_COST_MAP", "True"),
                ("LITELLM_TELEMETRY", "False"),
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let mut peer = Self {
            child,
            root: format!("http://127.0.0.1:{port}"),
        };
        let began = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = peer.child.try_wait().unwrap();
            assert!(
                ended.is_none() && began.elapsed() < STARTING,
                "{module} does not start, see {}",
                log.display()
            );
            std::thread::sleep(Duration::from_millis(200));
        }
        println!(
            "{module}: there after {:.1} s",
            began.elapsed().as_secs_f64()
        );
        peer
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn weights() -> PathBuf {
    let folder =
        std::env::var_os("TASKGEN_MODELS").expect("`make interop` says where the models are");
    Path::new(&folder).join("qwen2.5-coder-0.5b-instruct-q4_k_m.gguf")
}

/// The same typed question, twice: the first is answered by the peer, the second by the record.
async fn ask_twice(
    protocol: &str,
    provider: Provider,
    base_url: &str,
    model: &str,
) -> Answered<Pick> {
    let folder = tempfile::tempdir().unwrap();
    let prompts = folder.path().join("prompts");
    std::fs::create_dir_all(prompts.join("rank")).unwrap();
    let prompt = "{% block system %}You compare two research tasks.{% endblock %}\
        {% block user %}Which is better, and how sure are you (0.5 to 1)? A: {{ quote(a) }} B: {{ quote(b) }}{% endblock %}";
    std::fs::write(prompts.join("rank/pick.md"), prompt).unwrap();
    let lock = WriteLock::take(&folder.path().join("lock"), "interop", true).unwrap();
    let (command, started) = ("interop".into(), "2026-01-01T00:00:00Z".into());
    let info = RunInfo {
        command,
        config_hash: String::new(),
        seed: 0,
        started,
    };
    let store = Arc::new(Store::open(&folder.path().join("taskgen.db"), lock, &info).unwrap());
    let remote = Remote::new(RemoteOptions {
        name: format!("peer/{model}"),
        model: model.into(),
        provider,
        base_url: base_url.into(),
        api_key: Some("sk-nobody".into()),
        http: Some(
            Http::new(HttpOptions {
                offline: true,
                ..HttpOptions::default()
            })
            .unwrap(),
        ),
        ..RemoteOptions::default()
    });
    let roles = BTreeMap::from([(
        "judge".to_owned(),
        vec![Arc::new(remote) as Arc<dyn ChatModel>],
    )]);
    let llm = Llm::new(LlmOptions::new(
        store,
        Prompts::new(Some(prompts.clone()), "key"),
        Prompts::new(Some(prompts), "key"),
        roles,
    ));
    let vars = json!({ "a": "Measure the pitch of gravel in three rivers.", "b": "Make tea." });
    let ask = || Ask {
        role: "judge",
        prompt: "rank/pick",
        vars: &vars,
        max_tokens: 60,
        ..Ask::default()
    };
    let answered = llm.ask::<Pick>(ask()).await.unwrap();
    println!(
        "{protocol}: {:?}, answered by {:?}, {} prompt and {} reply tokens",
        answered.value, answered.model_returned, answered.usage.input, answered.usage.output
    );
    let again = llm.ask::<Pick>(ask()).await.unwrap();
    assert!(!answered.cached && again.cached && again.value == answered.value);
    answered
}

#[tokio::test]
async fn the_server_of_llama_cpp_answers_by_schema() {
    let weights = weights();
    let server = Peer::start(
        "llama_cpp.server",
        &["--model", weights.to_str().unwrap(), "--n_ctx", "2048"],
    );
    let answered = ask_twice(
        "llama.cpp",
        Provider::OpenAi,
        &format!("{}/v1", server.root),
        "qwen",
    )
    .await;
    answered.value.unwrap();
    assert!(answered.usage.input > 40 && answered.usage.output > 5);
}

/// `LiteLLM` takes all three protocols and answers with words of its own; the typed value must come
/// through each.
#[tokio::test]
async fn a_proxy_of_litellm_answers_in_every_protocol() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.yaml");
    let reply = r#"{"winner": "A", "confidence": 0.8}"#;
    let model = |name: &str, of: &str| {
        format!(
            "  - model_name: {name}\n    litellm_params: {{ model: {of}, api_key: none, mock_response: '{reply}' }}\n"
        )
    };
    let models = [
        ("gpt", "openai/gpt-4o-mini"),
        ("claude", "anthropic/claude-sonnet-4-5"),
        ("gemini", "gemini/gemini-2.5-flash"),
    ];
    let models: String = models.iter().map(|(name, of)| model(name, of)).collect();
    std::fs::write(
        &config,
        format!("model_list:\n{models}litellm_settings:\n  telemetry: false\n"),
    )
    .unwrap();
    let server = Peer::start(
        "litellm.proxy.proxy_cli",
        &["--config", config.to_str().unwrap()],
    );
    for (protocol, provider, path, model) in [
        ("LiteLLM as OpenAI", Provider::OpenAi, "/v1", "gpt"),
        ("LiteLLM as Anthropic", Provider::Anthropic, "", "claude"),
        ("LiteLLM as Gemini", Provider::Gemini, "", "gemini"),
    ] {
        let answered =
            ask_twice(protocol, provider, &format!("{}{path}", server.root), model).await;
        assert_eq!(
            answered.value,
            Ok(Pick {
                winner: Winner::A,
                confidence: 0.8
            }),
            "{protocol}"
        );
    }
}

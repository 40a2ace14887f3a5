//! Each provider's dialect, spoken by the real client to a fake server: what is asked, what is
//! read, what is remembered.

mod limits;

use serde_json::{Value, json};
use taskgen::{
    data::Cause,
    llm::{AskError, Provider, Remote, RemoteOptions, THINKING_ROOM},
};

use crate::{
    llm::{Bench, good, pick},
    support::{
        ModelServer, Project, TALK,
        llm::{ALL, KEY, Play, Request, error, no_money},
    },
};

const GOOD: &str = r#"{"winner":"A","confidence":0.8}"#;

fn say() -> Play {
    Play::Say(GOOD.to_owned())
}

/// Whether the request asks for a schema in the server's own mode.
fn has_schema_mode(request: &Value) -> bool {
    [
        "/response_format",
        "/output_config",
        "/generationConfig/responseJsonSchema",
    ]
    .iter()
    .any(|at| request.pointer(at).is_some())
}

#[tokio::test]
async fn each_provider_is_asked_in_its_own_words() {
    for provider in ALL {
        let server = ModelServer::speaking(provider).plays(|_| say());
        let bench = Bench::new();
        let llm = bench.llm(server.model(), false);
        let answered = pick(&llm, "one").await.unwrap();
        assert_eq!(
            answered.value,
            Ok(good()),
            "{provider:?}: the reply, not the thoughts"
        );
        assert_eq!(answered.model_returned.as_deref(), Some("fake-1"));
        let usage = answered.usage;
        assert_eq!(
            (usage.input, usage.output, usage.cached),
            (50, 7, 20),
            "{provider:?}"
        );
        let Request {
            path,
            headers,
            body,
        } = server.seen().remove(0);
        let header = |name: &str| headers.get(name).cloned().unwrap_or_default();
        match provider {
            Provider::OpenAi => {
                assert_eq!(
                    (path.as_str(), header("authorization")),
                    ("/v1/chat/completions", format!("Bearer {KEY}"))
                );
                assert_eq!(body["messages"][0]["role"], "system");
                assert_eq!(
                    body["response_format"]["json_schema"]["schema"]["required"],
                    json!(["winner", "confidence"])
                );
                assert_eq!(
                    (&body["max_tokens"], &body["temperature"]),
                    (&json!(60), &json!(0.0))
                );
            }
            Provider::Anthropic => {
                assert_eq!(
                    (path.as_str(), header("x-api-key")),
                    ("/v1/messages", KEY.to_owned())
                );
                assert_eq!(header("anthropic-version"), "2023-06-01");
                assert_eq!(
                    (&body["system"], &body["messages"][0]["role"]),
                    (&json!("You compare."), &json!("user"))
                );
                let format = &body["output_config"]["format"];
                assert_eq!(
                    (&format["type"], &format["schema"]["type"]),
                    (&json!("json_schema"), &json!("object"))
                );
                assert_eq!(body["max_tokens"], 60);
            }
            _ => {
                assert_eq!(
                    (path.as_str(), header("x-goog-api-key")),
                    ("/v1beta/models/m:generateContent", KEY.to_owned())
                );
                assert_eq!(
                    body["systemInstruction"]["parts"][0]["text"],
                    "You compare."
                );
                assert_eq!(body["contents"][0]["role"], "user");
                let config = &body["generationConfig"];
                assert_eq!(
                    (&config["responseMimeType"], &config["maxOutputTokens"]),
                    (&json!("application/json"), &json!(60))
                );
                assert_eq!(config["responseJsonSchema"]["type"], "object");
            }
        }
    }
}

#[tokio::test]
async fn a_schema_mode_that_is_missing_is_found_out_once() {
    for provider in ALL {
        let server = ModelServer::speaking(provider).plays(move |request| {
            if has_schema_mode(&request.body) {
                return error(
                    provider,
                    400,
                    "INVALID_ARGUMENT",
                    "structured output is not supported by this model",
                );
            }
            say()
        });
        let bench = Bench::new();
        let llm = bench.llm(server.model(), false);
        for item in ["one", "two", "three"] {
            assert_eq!(
                pick(&llm, item).await.unwrap().value,
                Ok(good()),
                "{provider:?}"
            );
        }
        let modes: Vec<bool> = server
            .seen()
            .iter()
            .map(|request| has_schema_mode(&request.body))
            .collect();
        assert_eq!(modes, [true, false, false, false], "{provider:?}");
    }
}

#[tokio::test]
async fn where_no_mode_works_the_prompt_has_the_schema() {
    let plain = |body: &Value| {
        let text = body.to_string();
        [
            "response_format",
            "output_config",
            "tools",
            "responseJsonSchema",
            "responseSchema",
        ]
        .iter()
        .all(|w| !text.contains(w))
    };
    for provider in ALL {
        let server = ModelServer::speaking(provider).plays(move |request| {
            if plain(&request.body) {
                say()
            } else {
                error(provider, 400, "INVALID_ARGUMENT", "no schema mode")
            }
        });
        let bench = Bench::new();
        let llm = bench.llm(server.model(), false);
        assert_eq!(
            pick(&llm, "one").await.unwrap().value,
            Ok(good()),
            "{provider:?}"
        );
        pick(&llm, "another").await.unwrap();
        let seen = server.seen();
        let last = &seen[seen.len() - 1].body;
        assert!(
            last.to_string()
                .contains("Answer with one JSON value of this schema"),
            "{provider:?}"
        );
        let asked_twice = seen
            .iter()
            .filter(|request| request.body.to_string().contains("another"))
            .count();
        assert_eq!(asked_twice, 1, "{provider:?}: remembered");
    }
}

#[tokio::test]
async fn parameters_that_a_model_refuses_are_left_out_from_then_on() {
    let server = ModelServer::openai().plays(|request| {
        let refuses = |message| error(Provider::OpenAi, 400, "unsupported_value", message);
        if request.body.get("max_tokens").is_some() {
            return refuses(
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            );
        }
        if request.body.get("temperature").is_some() {
            return refuses("Unsupported value: 'temperature' does not support 0 with this model.");
        }
        say()
    });
    let bench = Bench::new();
    let llm = bench.llm(server.model(), false);
    let first = pick(&llm, "one").await.unwrap();
    assert_eq!(first.value, Ok(good()));
    pick(&llm, "two").await.unwrap();
    let seen = server.seen();
    assert_eq!(seen.len(), 4);
    assert_eq!(seen[3].body["max_completion_tokens"], 60);
    assert!(
        seen[3].body.get("response_format").is_some(),
        "the schema mode stays"
    );
}

#[tokio::test]
async fn a_model_that_thinks_away_its_length_gets_room() {
    for provider in ALL {
        let server = ModelServer::speaking(provider).plays(|request| {
            let text = request.body.to_string();
            if text.contains(&(60 + THINKING_ROOM).to_string()) {
                say()
            } else {
                Play::Long(String::new())
            }
        });
        let bench = Bench::new();
        let llm = bench.llm(server.model(), false);
        let first = pick(&llm, "one").await.unwrap();
        assert_eq!(
            (first.value, first.usage.output),
            (Ok(good()), 14),
            "{provider:?}: both are paid for"
        );
        pick(&llm, "two").await.unwrap();
        assert_eq!(server.seen().len(), 3, "{provider:?}: remembered");
    }
}

#[tokio::test]
async fn a_tool_takes_the_answer_where_anthropic_has_no_schema_mode() {
    let server = ModelServer::speaking(Provider::Anthropic).plays(|request| {
        if request.body.get("output_config").is_some() {
            return error(
                Provider::Anthropic,
                400,
                "invalid_request_error",
                "output_config: Extra inputs are not permitted",
            );
        }
        assert_eq!(
            request.body["tool_choice"]["name"],
            request.body["tools"][0]["name"]
        );
        let input = json!({ "winner": "A", "confidence": 0.8 });
        let content =
            json!([{ "type": "tool_use", "id": "t", "name": "rank_pick", "input": input }]);
        Play::Raw(
            json!({ "model": "fake-1", "stop_reason": "tool_use", "content": content }).to_string(),
        )
    });
    let bench = Bench::new();
    let llm = bench.llm(server.model(), false);
    assert_eq!(pick(&llm, "one").await.unwrap().value, Ok(good()));
}

#[tokio::test]
async fn errors_are_typed() {
    let cases: &[(Provider, Play, Cause)] = &[
        (
            Provider::OpenAi,
            error(Provider::OpenAi, 401, "invalid_api_key", "wrong key"),
            Cause::Authentication,
        ),
        (
            Provider::OpenAi,
            error(Provider::OpenAi, 404, "model_not_found", "no such model"),
            Cause::ModelNotFound,
        ),
        (
            Provider::Anthropic,
            error(Provider::Anthropic, 401, "authentication_error", "wrong"),
            Cause::Authentication,
        ),
        (
            Provider::Anthropic,
            error(Provider::Anthropic, 404, "not_found_error", "model: m"),
            Cause::ModelNotFound,
        ),
        (
            Provider::Anthropic,
            error(Provider::Anthropic, 413, "request_too_large", "too large"),
            Cause::ContextTooLong,
        ),
        (
            Provider::Anthropic,
            error(Provider::Anthropic, 529, "overloaded_error", "Overloaded"),
            Cause::Overloaded,
        ),
        (
            Provider::Gemini,
            error(
                Provider::Gemini,
                400,
                "INVALID_ARGUMENT",
                "API key not valid.",
            ),
            Cause::Authentication,
        ),
        (
            Provider::Gemini,
            error(Provider::Gemini, 404, "NOT_FOUND", "models/m is not found"),
            Cause::ModelNotFound,
        ),
        (
            Provider::Gemini,
            error(Provider::Gemini, 503, "UNAVAILABLE", "overloaded"),
            Cause::Overloaded,
        ),
        (
            Provider::Gemini,
            error(
                Provider::Gemini,
                400,
                "INVALID_ARGUMENT",
                "The input token count (9) exceeds the maximum",
            ),
            Cause::ContextTooLong,
        ),
        (Provider::OpenAi, Play::Filter, Cause::ContentFilter),
        (Provider::Anthropic, Play::Filter, Cause::Refused),
        (Provider::Gemini, Play::Filter, Cause::ContentFilter),
        (Provider::OpenAi, no_money(Provider::OpenAi), Cause::Quota),
        (
            Provider::Anthropic,
            no_money(Provider::Anthropic),
            Cause::Quota,
        ),
        (Provider::Gemini, no_money(Provider::Gemini), Cause::Quota),
    ];
    for (provider, play, cause) in cases {
        let answer = play.clone();
        let server = ModelServer::speaking(*provider).plays(move |_| answer.clone());
        let bench = Bench::new();
        let llm = bench.llm(server.model(), false);
        let found = match pick(&llm, "one").await {
            Ok(answered) => answered.value.unwrap_err().cause,
            Err(AskError::Model { error, .. }) => error.cause,
            Err(other) => panic!("{other}"),
        };
        assert_eq!(found, *cause, "{provider:?}: {play:?}");
        if cause.is_terminal() {
            assert_eq!(server.seen().len(), 1, "{provider:?}: {play:?}");
        }
    }
}

#[tokio::test]
async fn a_key_that_a_server_echoes_is_nowhere() {
    for provider in ALL {
        let server =
            ModelServer::speaking(provider).plays(|_| Play::Say(format!("your key is {KEY}")));
        let bench = Bench::new();
        let (llm, store) = bench.llm_and_store(server.model(), false);
        let answered = pick(&llm, "one").await.unwrap();
        let call = store.call(&answered.call).unwrap().unwrap();
        assert!(
            !serde_json::to_string(&call).unwrap().contains(KEY),
            "{provider:?}: {call:?}"
        );
    }
}

#[tokio::test]
async fn azure_has_a_query_and_a_header_of_its_own() {
    let server = ModelServer::openai().plays(|_| say());
    let base_url = format!("{}/deployments/d?api-version=2024-10-21", server.url);
    let model = Remote::new(RemoteOptions {
        base_url,
        ..server.options()
    });
    let bench = Bench::new();
    let llm = bench.llm(model, false);
    pick(&llm, "one").await.unwrap();
    let request = server.seen().remove(0);
    assert_eq!(
        request.path,
        "/v1/deployments/d/chat/completions?api-version=2024-10-21"
    );
    assert_eq!(
        request.headers.get("api-key").map(String::as_str),
        Some(KEY)
    );
    assert!(!request.headers.contains_key("authorization"));
}

#[tokio::test]
async fn a_redirect_takes_neither_key_nor_text_elsewhere() {
    for provider in ALL {
        let elsewhere = ModelServer::speaking(provider).plays(|_| say());
        let target = elsewhere.url.clone();
        let server = ModelServer::speaking(provider)
            .plays(move |_| Play::Status(307, vec![("location", target.clone())], String::new()));
        let bench = Bench::new();
        let llm = bench.llm(server.model(), false);
        let error = pick(&llm, "one").await.unwrap_err().to_string();
        assert!(error.contains("307"), "{error}");
        assert!(elsewhere.seen().is_empty(), "{provider:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_keys_and_kinds_come_from_the_configuration() {
    let cases = [
        (
            Provider::Anthropic,
            "anthropic/m",
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_API_KEY",
            "/v1/messages",
            "x-api-key",
        ),
        (
            Provider::Gemini,
            "gemini/m",
            "GOOGLE_GEMINI_BASE_URL",
            "GOOGLE_API_KEY",
            "/v1beta/models/m:generateContent",
            "x-goog-api-key",
        ),
        (
            Provider::Anthropic,
            "lab/m",
            "UNUSED",
            "LAB_KEY",
            "/v1/messages",
            "x-api-key",
        ),
    ];
    for (provider, name, base, key, path, header) in cases {
        let server = ModelServer::speaking(provider)
            .plays(move |_| error(provider, 401, "authentication_error", "wrong"));
        let project = Project::new(&server.url).seminar("a.m4a", "en", TALK);
        let config = format!(
            "[providers.lab]\nbase_url = \"{}\"\nkind = \"anthropic\"\nkey_env = \"LAB_KEY\"\n",
            server.url
        );
        project.configure(&config);
        let roles = ["inspire", "review"].map(|role| format!("{role}={name}"));
        let [inspire, review] = &roles;
        let mut command =
            project.command(&["inspire", "--model-role", inspire, "--model-role", review]);
        let output = command
            .env(base, &server.url)
            .env(key, KEY)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{name}: {said}");
        assert!(!said.contains(KEY), "{said}");
        let request = server.seen().remove(0);
        assert_eq!(
            (
                request.path.as_str(),
                request.headers.get(header).map(String::as_str)
            ),
            (path, Some(KEY))
        );
    }
}

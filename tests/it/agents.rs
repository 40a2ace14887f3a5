//! Agents as a tool: a program and a model are asked the same question, with a conversation before it
//! and a limit of length. The program is a real shell script; the model is behind the fake server.

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use serde_json::{Map, Value, json};
use taskgen::{
    agents::{Agent, Attempt, CommandAgent, ModelAgent, Query, command::Supervisor},
    context::{Context, Probing},
    data::{Exchange, State},
    llm::Provider,
};

use crate::{
    llm::Bench,
    support::{
        ModelServer,
        llm::{ALL, Play, error},
    },
};

/// A program that says the limit, the earlier questions and its answers, and the question.
const ECHO: &str = r#"echo "limit: ${TASKGEN_MAX_WORDS-none}"
if [ -n "$TASKGEN_CONVERSATION" ]; then cat "$TASKGEN_CONVERSATION"; fi
cat"#;

fn program(script: &str) -> CommandAgent {
    CommandAgent {
        argv: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
        environment: BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".into())]),
        time_limit: Duration::from_mins(1),
        supervisor: Some(Supervisor {
            program: env!("CARGO_BIN_EXE_taskgen").into(),
            sandbox: None,
        }),
        secrets: Vec::new(),
    }
}

/// An agent behind the server. The record of its calls is in `bench`.
fn model(bench: &Bench, server: &ModelServer) -> ModelAgent {
    let (llm, store) = bench.llm_and_store(server.model(), false);
    let ctx = Context {
        store,
        llm: Arc::new(llm),
        seed: 1,
        notify: Arc::new(|_| {}),
        probing: Probing::default(),
    };
    ModelAgent {
        ctx,
        role: "judge",
        member: 0,
        prompt: "answer/report",
        search: false,
    }
}

fn query<'a>(facets: &'a Map<String, Value>, folder: &'a Path) -> Query<'a> {
    Query {
        id: "t_1",
        text: "And why does it drum?",
        language: "en",
        facets,
        history: &[],
        max_words: None,
        attempt: 1,
        folder,
    }
}

fn conversation() -> [Exchange; 2] {
    [("What moves?", "Gravel."), ("How does it sound?", "")].map(|(question, answer)| Exchange {
        question: question.into(),
        answer: answer.into(),
    })
}

async fn ask(agent: &dyn Agent, query: &Query<'_>) -> Attempt {
    let attempt = agent.answer(query).await.unwrap();
    attempt.unwrap()
}

/// Role and text of each message as the server got them, the system's apart.
fn turns(provider: Provider, body: &Value) -> Vec<(String, String)> {
    let messages = match provider {
        Provider::Gemini => &body["contents"],
        _ => &body["messages"],
    };
    let text_of = |message: &Value| match provider {
        Provider::Gemini => message["parts"][0]["text"].as_str().map(str::to_owned),
        _ => message["content"]
            .as_str()
            .or_else(|| message["content"][0]["text"].as_str())
            .map(str::to_owned),
    };
    let all = messages.as_array().unwrap().iter();
    all.map(|message| {
        (
            message["role"].as_str().unwrap().to_owned(),
            text_of(message).unwrap(),
        )
    })
    .filter(|(role, _)| role != "system")
    .collect()
}

#[tokio::test]
async fn a_program_is_told_the_conversation_and_the_limit_only_where_there_are_any() {
    let (folder, facets) = (tempfile::tempdir().unwrap(), Map::new());
    let alone = query(&facets, folder.path());
    let question = json!({ "id": "t_1", "task": alone.text, "language": "en" });
    let attempt = ask(&program(ECHO), &alone).await;
    assert_eq!(attempt.text, format!("limit: none\n{question}"));
    assert!(!folder.path().join("conversation.json").exists());

    let history = conversation();
    let asked = Query {
        history: &history,
        max_words: Some(300),
        ..alone
    };
    let attempt = ask(&program(ECHO), &asked).await;
    let told = attempt.text.strip_prefix("limit: 300\n").unwrap();
    let told = told.strip_suffix(&question.to_string()).unwrap();
    assert_eq!(
        serde_json::from_str::<Vec<Exchange>>(told).unwrap(),
        history
    );
}

#[tokio::test]
async fn a_model_reads_the_conversation_as_messages_of_each_role() {
    for provider in ALL {
        let server = ModelServer::speaking(provider).plays(|_| Play::Say("It drums.".into()));
        let bench = Bench::new();
        let agent = model(&bench, &server);
        let (facets, history) = (Map::new(), conversation());
        let alone = query(&facets, Path::new("unused"));
        ask(&agent, &alone).await;
        let asked = Query {
            history: &history,
            ..alone
        };
        let attempt = ask(&agent, &asked).await;
        assert_eq!(
            (attempt.state, attempt.text.as_str(), attempt.words),
            (State::Ok, "It drums.", 2)
        );
        let seen = server.seen();
        let (before, after) = (
            turns(provider, &seen[0].body),
            turns(provider, &seen[1].body),
        );
        assert_eq!((before.len(), after.len()), (1, 5), "{provider:?}");
        assert_eq!(before.last(), after.last(), "the question is as ever");
        let theirs = if provider == Provider::Gemini {
            "model"
        } else {
            "assistant"
        };
        let roles: Vec<&str> = after.iter().map(|(role, _)| role.as_str()).collect();
        assert_eq!(roles, ["user", theirs, "user", theirs, "user"]);
        assert!(after[0].1.starts_with('[') && after[0].1.contains("\nWhat moves?\n"));
        assert_eq!(
            (after[1].1.as_str(), after[3].1.as_str()),
            ("Gravel.", "(no answer)")
        );
    }
}

#[tokio::test]
async fn a_model_is_told_a_limit_and_an_overlong_answer_is_marked() {
    let server = ModelServer::openai().plays(|_| Play::Say("Gravel drums on rock.".into()));
    let bench = Bench::new();
    let agent = model(&bench, &server);
    let facets = Map::new();
    let free = query(&facets, Path::new("unused"));
    for (max_words, is_overlong) in [(None, false), (Some(4), false), (Some(3), true)] {
        let attempt = ask(&agent, &Query { max_words, ..free }).await;
        assert_eq!(
            (attempt.text.as_str(), attempt.words, attempt.is_overlong),
            ("Gravel drums on rock.", 4, is_overlong)
        );
        let body = server.taken().remove(0).to_string();
        match max_words {
            Some(most) => assert!(body.contains(&format!("at most {most} words")), "{body}"),
            None => assert!(!body.contains("at most"), "{body}"),
        }
    }
}

#[tokio::test]
async fn an_overlong_answer_of_a_program_is_marked_and_not_cut() {
    let (folder, facets) = (tempfile::tempdir().unwrap(), Map::new());
    let asked = Query {
        max_words: Some(3),
        ..query(&facets, folder.path())
    };
    let attempt = ask(&program("echo Gravel drums on rock."), &asked).await;
    assert_eq!(
        (attempt.state, attempt.text.as_str(), attempt.is_overlong),
        (State::Ok, "Gravel drums on rock.\n", true)
    );
}

#[tokio::test]
async fn both_kinds_end_in_the_same_states() {
    let refuse = "web_search_options is not supported";
    let plays = [
        (Play::Decline, State::Refused, "refused"),
        (Play::Say(" ".into()), State::Empty, "empty"),
        (Play::Long("# Gravel".into()), State::Error, "truncated"),
        (
            error(Provider::OpenAi, 400, "invalid", refuse),
            State::Error,
            "refused",
        ),
    ];
    let facets = Map::new();
    for (play, state, cause) in plays {
        let first = play.clone();
        let server = ModelServer::openai().plays(move |_| first.clone());
        let bench = Bench::new();
        let attempt = ask(
            &model(&bench, &server),
            &query(&facets, Path::new("unused")),
        )
        .await;
        assert_eq!((attempt.state, attempt.cause), (state, cause), "{play:?}");
    }
    let scripts = [
        ("exit 77", State::Refused, "refused"),
        ("true", State::Empty, "empty"),
        ("exit 3", State::Error, "exit"),
    ];
    for (script, state, cause) in scripts {
        let folder = tempfile::tempdir().unwrap();
        let attempt = ask(&program(script), &query(&facets, folder.path())).await;
        assert_eq!((attempt.state, attempt.cause), (state, cause), "{script}");
    }
}

//! How each provider is told how to search, and where each says what it found.

use std::process::Command;

use serde_json::{Value, json};

use super::{KEY, Look, Project, ResponsesServer, answer, message, project, response, shown};
use crate::support::{ModelServer, llm::Play};

/// What the server was asked, where the agent has these settings.
fn asked(kind: &str, model: &str, settings: &str) -> Value {
    let output = json!([message("# Gravel", "https://a.test/", "A")]);
    let done = Look::Final(response("completed", &json!({ "output": output })));
    let server = ResponsesServer::at_once(done);
    let project = project(&server.url, kind, model, settings);
    let (code, said) = answer(&project, &[]);
    assert_eq!(code, Some(0), "{said}");
    server.posts().remove(0)
}

#[test]
fn settings_become_the_words_of_the_provider() {
    let body = asked(
        "responses",
        "gpt-5.4",
        "reasoning = \"high\"\nbackground = false\n[agents.lab.search]\ncontext = \"high\"\ndomains = [\"nature.com\"]\ncountry = \"DE\"",
    );
    let tool = json!({
        "type": "web_search", "filters": { "allowed_domains": ["nature.com"] },
        "search_context_size": "high", "user_location": { "type": "approximate", "country": "DE" },
    });
    assert_eq!(body["tools"], json!([tool]));
    assert_eq!(
        (&body["reasoning"], &body["store"], body.get("background")),
        (&json!({ "effort": "high" }), &json!(false), None)
    );

    let body = asked(
        "xai",
        "grok-4.7",
        "[agents.lab.search]\nwithout_domains = [\"b.org\"]\nx = true\nhandles = [\"nasa\"]\nafter = \"2026-01-02\"\nmost = 4",
    );
    let web = json!({ "type": "web_search", "filters": { "excluded_domains": ["b.org"] } });
    let posts =
        json!({ "type": "x_search", "allowed_x_handles": ["nasa"], "from_date": "2026-01-02" });
    assert_eq!(body["tools"], json!([web, posts]));
    assert_eq!(
        (&body["max_turns"], body.get("background")),
        (&json!(4), None)
    );

    let body = asked(
        "perplexity",
        "sonar",
        "[agents.lab.search]\nwithout_domains = [\"b.org\"]\nafter = \"2026-01-02\"\nbefore = \"2026-02-01\"\nlanguages = [\"zh\"]\ncountry = \"CN\"\npreset = \"high\"\nmost = 25",
    );
    let filters = json!({
        "search_domain_filter": ["-b.org"], "search_language_filter": ["zh"],
        "search_after_date_filter": "01/02/2026", "search_before_date_filter": "02/01/2026",
    });
    let web =
        json!({ "type": "web_search", "filters": filters, "user_location": { "country": "CN" } });
    assert_eq!(body["tools"], json!([web, { "type": "fetch_url" }]));
    assert_eq!(
        (&body["model"], &body["preset"], &body["max_steps"]),
        (&json!("perplexity/sonar"), &json!("high"), &json!(25))
    );
    assert_eq!(body["background"], true);
}

#[test]
fn what_perplexity_found_is_cited_and_told() {
    let results = json!([
        { "id": 1, "url": "https://drum.test/a", "title": "Drums", "snippet": "…" },
        { "id": 2, "url": "https://silt.test/b", "title": "Silt", "snippet": "…" },
        { "id": 3, "url": "https://river.test/c", "title": "Rivers", "snippet": "…" },
    ]);
    let text = json!([{ "type": "output_text", "text": "# Gravel\n\nIt drums [1][3].", "annotations": [] }]);
    let output = json!([
        { "type": "search_results", "queries": ["gravel", "河床"], "results": results },
        { "type": "fetch_url_results", "contents": [{ "url": "https://drum.test/a", "title": "Drums", "snippet": "…" }] },
        { "type": "message", "id": "m", "role": "assistant", "status": "completed", "content": text },
    ]);
    let usage = json!({
        "input_tokens": 1000, "input_tokens_details": { "cache_read_input_tokens": 200 },
        "output_tokens": 300, "total_tokens": 1300,
        "tool_calls_details": { "search_web": { "invocation": 2 }, "fetch_url": { "invocation": 1 } },
    });
    let done = response("completed", &json!({ "output": output, "usage": usage }));
    let server = ResponsesServer::new(vec![Look::InProgress, Look::Final(done)]);
    let project = project(&server.url, "perplexity", "sonar", "");
    let (code, said) = answer(&project, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(server.looks(), ["/v1/agent/resp_1"; 2]);
    let shown = shown(&project);
    let references = "\n\n## References\n\n[1] Drums: <https://drum.test/a>\n\n[3] Rivers: <https://river.test/c>";
    let rest = "\n\n## Further sources\n\n- Silt: <https://silt.test/b>\n";
    assert_eq!(
        shown["text"],
        format!("# Gravel\n\nIt drums [1][3].{references}{rest}")
    );
    assert_eq!(shown["spent"]["cost_usd"], json!(0.0405));
    let counts = &project.json(&["reports", "list"])[0]["trajectory"];
    assert_eq!(
        (&counts["searches"], &counts["visits"]),
        (&json!(2), &json!(1))
    );
}

#[test]
fn what_a_sonar_server_found_is_cited_and_told() {
    let reply = json!({
        "model": "sonar-pro",
        "choices": [{ "message": { "role": "assistant", "content": "It drums [2]." }, "finish_reason": "stop" }],
        "search_results": [
            { "title": "Drums", "url": "https://drum.test/a", "date": "2026-01-02" },
            { "title": "Rivers", "url": "https://river.test/c", "date": null },
        ],
        "usage": { "prompt_tokens": 1000, "completion_tokens": 300, "num_search_queries": 2 },
    });
    let server = ModelServer::openai().plays(move |_| Play::Raw(reply.to_string()));
    let settings = "[agents.lab.search]\nmode = \"academic\"\ncontext = \"low\"\nrecency = \"month\"\ndomains = [\"nature.com\"]";
    let project = project(&server.url, "sonar", "sonar-pro", settings);
    let (code, said) = answer(&project, &[]);
    assert_eq!(code, Some(0), "{said}");
    let body = server.seen().remove(0).body;
    let asked = json!({
        "search_mode": "academic", "search_recency_filter": "month",
        "search_domain_filter": ["nature.com"],
        "web_search_options": { "search_context_size": "low" },
    });
    for (name, value) in asked.as_object().unwrap() {
        assert_eq!(&body[name], value, "{name}: {body}");
    }
    let shown = shown(&project);
    let text = shown["text"].as_str().unwrap();
    assert!(
        text.contains("## References\n\n[2] Rivers: <https://river.test/c>"),
        "{text}"
    );
    // 1000 × $10 + 300 × $40 a million, and two searches at $10 a thousand.
    assert_eq!(shown["spent"]["cost_usd"], json!(0.042));
    let found = &shown["trajectory"]["steps"][0]["found"];
    assert_eq!(found[1]["title"], "Rivers");
}

#[test]
fn a_deep_research_model_of_openai_needs_no_configuration() {
    let output = json!([message("# Gravel", "https://a.test/", "A")]);
    let done = Look::Final(response("completed", &json!({ "output": output })));
    let server = ResponsesServer::new(vec![done]);
    let project = project("http://127.0.0.1:9/v1", "responses", "x", "");
    let mut command = project.command(&[
        "answer",
        "--agent",
        "deep",
        "--model",
        "openai/o4-mini-deep-research-2025-06-26",
        "--budget-usd",
        "10",
    ]);
    let said = run(command
        .env("OPENAI_BASE_URL", &server.url)
        .env("OPENAI_API_KEY", KEY));
    let body = server.posts().remove(0);
    assert_eq!(
        (&body["model"], &body["max_tool_calls"]),
        (&json!("o4-mini-deep-research-2025-06-26"), &json!(60)),
        "{said}"
    );
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    said
}

/// What is said of an agent that is set up so.
fn refused(kind: &str, settings: &str) -> String {
    let project: Project = project("http://127.0.0.1:9/v1", kind, "m", settings);
    let (code, said) = answer(&project, &[]);
    assert_eq!(code, Some(2), "{said}");
    said.lines()
        .next()
        .unwrap_or_default()
        .rsplit("agents.lab: ")
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_setting_that_a_provider_does_not_take_is_refused_before_anything_is_asked() {
    let said = [
        ("anthropic", "[agents.lab.search]\nrecency = \"week\""),
        ("xai", "background = true"),
        ("gemini", "reasoning = \"low\""),
        (
            "responses",
            "[agents.lab.search]\ndomains = [\"https://a.org/x\"]",
        ),
        (
            "responses",
            "web_search = false\n[agents.lab.search]\nmost = 3",
        ),
    ]
    .map(|(kind, settings)| refused(kind, settings));
    insta::assert_snapshot!(said.join("\n"), @"
    recency is not for the protocol `anthropic`; it is for: perplexity, sonar
    background is not for the protocol `xai`; it is for: responses, perplexity
    reasoning is not for the protocol `gemini`; it is for: responses, xai, perplexity
    domains needs a domain such as `example.org`: `https://a.org/x`
    search is for a model that searches: leave out `web_search = false`
    ");
}

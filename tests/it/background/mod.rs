//! Reports that a provider makes in the background: asked for once, looked at until they are there,
//! whatever happens to the looks or to this program meanwhile; and how each provider is told how to
//! search.

mod kills;
mod searching;

use serde_json::{Value, json};

use crate::support::{
    ModelServer, Project, TALK,
    responses::{Look, ResponsesServer, message, researched, response, search_call, usage},
};

const KEY: &str = "planted-key";
const REPORT: &str = "# Gravel\n\nIt drums [1](https://drum.test/a).\n\n## References\n\n1. Drums. https://drum.test/a";

/// A project with one task, and an agent `lab` behind a server of this kind.
fn project(url: &str, kind: &str, model: &str, more: &str) -> Project {
    let pipeline = ModelServer::openai().pipeline();
    let project = Project::new(&pipeline.url)
        .seminar("rivers.wav", "en", TALK)
        .woven();
    project.sql("UPDATE task SET superseded = 1 WHERE id <> (SELECT min(id) FROM task WHERE superseded = 0)");
    let prices = "version = \"mine\"\n[[price]]\nmodel = \"lab/*\"\ninput = 10.0\ncached = 2.5\noutput = 40.0\nsearch = 10.0\n";
    std::fs::write(project.path("prices.toml"), prices).unwrap();
    project.config(&format!(
        "[providers.lab]\nbase_url = \"{url}\"\nkind = \"{kind}\"\nkey_env = \"LAB_KEY\"\n[agents.lab]\nmodel = \"lab/{model}\"\n{more}\n"
    ))
}

fn lab(server: &ResponsesServer, more: &str) -> Project {
    project(&server.url, "responses", "o3-deep-research", more)
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

/// The only report, as `reports show` has it.
fn shown(project: &Project) -> Value {
    let listed = project.json(&["reports", "list"]);
    let id = listed[0]["report"].as_str().unwrap().to_owned();
    project.json(&["reports", "show", &id])
}

/// What is known of replies in the making.
fn open_replies(project: &Project) -> i64 {
    project.count("SELECT count(*) FROM background_reply")
}

#[test]
fn a_report_is_asked_for_once_and_looked_at_until_it_is_there() {
    let server = ResponsesServer::new(vec![Look::InProgress, Look::InProgress, researched(REPORT)]);
    let project = lab(&server, "[agents.lab.search]\nmost = 30");
    let (code, said) = answer(&project, &[]);
    assert_eq!(code, Some(0), "{said}");
    let body = server.posts().remove(0);
    let asked = json!({
        "model": "o3-deep-research", "background": true, "store": true, "max_tool_calls": 30,
        "max_output_tokens": 8192 + 8192 + 32_768, "tools": [{ "type": "web_search_preview" }],
    });
    for (name, value) in asked.as_object().unwrap() {
        assert_eq!(&body[name], value, "{name}: {body}");
    }
    assert!(
        body.get("temperature").is_none() && body.get("seed").is_none(),
        "{body}"
    );
    let input = &body["input"];
    assert_eq!(
        (&input[0]["role"], &input[1]["role"]),
        (&json!("system"), &json!("user"))
    );
    assert!(input.to_string().contains("Search the web"), "{input}");
    assert_eq!(server.looks(), ["/v1/responses/resp_1"; 3]);
    assert_eq!(server.keys(), [Some(format!("Bearer {KEY}"))]);

    let shown = shown(&project);
    let list = "\n\n## Further sources\n\n- Rivers: <https://river.test/b>\n";
    assert_eq!(shown["text"], format!("{REPORT}{list}"));
    let spent = &shown["spent"];
    assert_eq!(
        (&spent["input_tokens"], &spent["output_tokens"]),
        (&json!(1000), &json!(300))
    );
    // 800 × $10 + 200 × $2.50 + 300 × $40 a million, and two searches at $10 a thousand.
    assert_eq!(spent["cost_usd"], json!(0.0405));
    let way = &shown["trajectory"];
    assert_eq!(way["told_by"], "provider");
    let kinds: Vec<&str> = way["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["search", "search", "visit", "find", "search", "usage"]
    );
    assert_eq!(way["steps"][0]["queries"], json!(["gravel 河床"]));
    assert_eq!(way["steps"][1]["failed"], true);
    assert_eq!(way["steps"][2]["url"], "https://drum.test/a");
    assert_eq!(way["steps"][4]["found"][0]["url"], "https://fibre.test/");
    assert_eq!(way["steps"][5]["reasoning_tokens"], 120);
    let counts = json!({ "searches": 3, "visits": 1, "steps": 6, "left_out": 0, "unreadable": 0 });
    assert_eq!(project.json(&["reports", "list"])[0]["trajectory"], counts);
    insta::assert_snapshot!(project.told(&["reports", "show", "d_"]), @"
    $ taskgen reports show d_
    exit 0
    --- out
    d_[id] by lab, attempt 1, on t_[id]: ok
    1000 prompt tokens, 300 reply tokens, $0.0405, [time]
    3 searches, 1 page opened, told by its provider
      search: “gravel 河床”
      search: “gravel drums”, (failed)
      visit: <https://drum.test/a>
      find: “pitch”, <https://drum.test/a>
      search: “fibre cable”
        <https://fibre.test/>
      usage: 1000 prompt tokens, 300 reply tokens, 120 of thoughts

    # Gravel

    It drums [1](https://drum.test/a).

    ## References

    1. Drums. https://drum.test/a

    ## Further sources

    - Rivers: <https://river.test/b>
    ");

    // The report is known; and where it is lost, the record has it with the way to it.
    assert_eq!(answer(&project, &[]).0, Some(0));
    project.sql("DELETE FROM document");
    assert_eq!(project.count("SELECT count(*) FROM trajectory"), 0);
    assert_eq!(answer(&project, &["--replay"]).0, Some(0));
    assert_eq!(self::shown(&project)["trajectory"], *way);
    assert_eq!((server.posts().len(), open_replies(&project)), (1, 0));
}

/// Runs against a server whose reply ends so: the report's state, the document's text, what was
/// said.
fn ended(last: Look) -> (Option<String>, String, String) {
    let server = ResponsesServer::new(vec![Look::InProgress, last]);
    let project = lab(&server, "");
    let (_, said) = answer(&project, &[]);
    assert_eq!(open_replies(&project), 0, "{said}");
    let listed = project.json(&["reports", "list"]);
    let state = listed[0]["state"].as_str().map(str::to_owned);
    let text = state
        .as_ref()
        .map_or(Value::Null, |_| shown(&project)["text"].take());
    // What failed is not asked again without being told to, unless it may pass.
    let before = server.posts().len();
    answer(&project, &[]);
    let again = server.posts().len() - before;
    assert_eq!(again == 1, state.is_none(), "{said}");
    (state, text.as_str().unwrap_or_default().to_owned(), said)
}

#[test]
fn each_end_of_a_reply_has_a_state_and_a_cause() {
    let cut = |reason: &str| {
        let details = json!({ "reason": reason });
        let output = json!([message("# Gra", "https://a.test/", "A")]);
        Look::Final(response(
            "incomplete",
            &json!({ "incomplete_details": details, "output": output, "usage": usage() }),
        ))
    };
    let refusal = json!([{ "type": "message", "content": [{ "type": "refusal", "refusal": "I would rather not." }] }]);
    let refused = Look::Final(response(
        "completed",
        &json!({ "output": refusal, "usage": usage() }),
    ));
    let failed = |code: &str, message: &str| {
        let error = json!({ "code": code, "message": message });
        Look::Final(response("failed", &json!({ "error": error })))
    };
    let silent = Look::Final(response("completed", &json!({ "usage": usage() })));
    let cases = [
        (cut("max_output_tokens"), Some("error"), "", "`max_tokens`"),
        (cut("content_filter"), Some("refused"), "# Gra", "withheld"),
        (refused, Some("refused"), "I would rather not.", "declined"),
        (silent, Some("empty"), "", "no text"),
        (
            failed(
                "invalid_prompt",
                "it was flagged as against our usage policy",
            ),
            Some("refused"),
            "",
            "flagged",
        ),
        (
            failed("context_length_exceeded", "too long"),
            Some("error"),
            "",
            "context_too_long",
        ),
        (
            failed("server_error", "it broke"),
            None,
            "",
            "`server_error`: it broke",
        ),
        (
            Look::Final(response("cancelled", &json!({}))),
            Some("error"),
            "",
            "charged anew",
        ),
        (
            Look::Status(404, "not_found", None),
            Some("error"),
            "",
            "is gone",
        ),
    ];
    for (last, state, text, why) in cases {
        let found = ended(last.clone());
        assert_eq!(
            (found.0.as_deref(), found.1.as_str()),
            (state, text),
            "{last:?}: {}",
            found.2
        );
        assert!(found.2.contains(why), "{last:?}: {}", found.2);
    }
}

#[test]
fn a_reply_that_failed_costs_what_its_server_counted() {
    let error = json!({ "code": "server_error", "message": "it broke" });
    let output = json!([search_call(
        "completed",
        &json!({ "type": "search", "query": "a" })
    )]);
    let last = Look::Final(response(
        "failed",
        &json!({ "error": error, "usage": usage(), "output": output }),
    ));
    let server = ResponsesServer::new(vec![last]);
    let project = lab(&server, "");
    answer(&project, &[]);
    let spent = project.count("SELECT cost_micro FROM call WHERE role = 'answer'");
    assert_eq!(spent, 30_500);
}

#[test]
fn looks_that_fail_do_not_touch_the_reply() {
    let server = ResponsesServer::new(vec![
        Look::Cut,
        Look::Status(429, "rate_limit_exceeded", Some(1)),
        Look::Status(503, "overloaded", None),
        Look::InProgress,
        researched(REPORT),
    ]);
    let project = lab(&server, "");
    let (code, said) = answer(&project, &[]);
    assert_eq!((code, server.looks().len()), (Some(0), 5), "{said}");
    assert_eq!(server.posts().len(), 1);
    assert_eq!(
        project.count("SELECT attempts FROM call WHERE role = 'answer'"),
        6
    );
}

#[test]
fn a_reply_whose_looks_are_refused_is_there_for_the_next_run() {
    let server = ResponsesServer::new(vec![Look::Status(401, "invalid_api_key", None)]);
    let project = lab(&server, "");
    let (code, said) = answer(&project, &[]);
    assert!(code == Some(2) || code == Some(3), "{code:?}: {said}");
    assert_eq!(open_replies(&project), 1, "{said}");
    server.script(vec![researched(REPORT)]);
    let (code, said) = answer(&project, &[]);
    assert_eq!((code, server.posts().len()), (Some(0), 1), "{said}");
    assert_eq!(shown(&project)["spent"]["cost_usd"], json!(0.0405));
}

#[test]
fn a_reply_that_takes_too_long_is_waited_for_when_asked_to() {
    let server = ResponsesServer::new(vec![Look::InProgress]);
    let project = lab(&server, "time_limit = 1");
    let (code, said) = answer(&project, &[]);
    assert!(
        code == Some(1) && said.contains("still makes the reply after 1 s"),
        "{code:?}: {said}"
    );
    let open = shown(&project);
    assert_eq!(
        (&open["state"], &open["spent"]["cost_usd"]),
        (&json!("timeout"), &Value::Null)
    );
    server.script(vec![Look::InProgress, researched(REPORT)]);
    let (code, said) = answer(&project, &["--retry-failed", "--time-limit", "60"]);
    assert_eq!((code, server.posts().len()), (Some(0), 1), "{said}");
    let spent = &shown(&project)["spent"];
    assert_eq!(spent["cost_usd"], json!(0.0405), "{spent}");
}

#[test]
fn a_budget_reserves_the_searches_that_may_be_made() {
    let server = ResponsesServer::new(vec![researched(REPORT)]);
    let project = lab(&server, "");
    // 60 searches at a cent, 1.5 million tokens that they may find, and the longest reply.
    let (code, said) = answer(&project, &["--budget-usd", "16"]);
    assert!(
        code == Some(5) && server.posts().is_empty(),
        "{code:?}: {said}"
    );
    let (code, said) = answer(&project, &["--budget-usd", "18"]);
    assert_eq!((code, server.posts().len()), (Some(0), 1), "{said}");
    let without = std::fs::read_to_string(project.path("prices.toml")).unwrap();
    std::fs::write(
        project.path("prices.toml"),
        without.replace("search = 10.0\n", ""),
    )
    .unwrap();
    let (code, said) = answer(&project, &["--attempts", "2", "--budget-usd", "18"]);
    assert!(code == Some(2) && said.contains("unknown"), "{said}");
}

#[test]
fn a_question_that_was_lost_on_its_way_is_not_put_twice() {
    let no_id = Look::Final(response("queued", &json!({ "id": "../x" })));
    // A server of which nothing was ever heard stops the run.
    for (lost, expect) in [(Look::Cut, 3), (no_id, 1)] {
        let server = ResponsesServer::at_once(lost);
        let project = lab(&server, "");
        let (code, said) = answer(&project, &[]);
        assert_eq!((code, server.posts().len()), (Some(expect), 1), "{said}");
    }
}

//! Jina Reader instead of our own fetcher, in a whole evaluation: a reader on loopback, asked only
//! by who has a key and may ask it.

use std::collections::BTreeMap;

use axum::{Json, Router, extract::Request};
use serde_json::{Value, json};

use crate::support::{ModelServer, Project, TALK, web};

const KEY: &str = "planted-jina-key";
/// Cited by the report: what the reader has, a test for robots, an error that calls itself a
/// success, a page that is gone.
const CITED: [(&str, &str); 4] = [
    ("page", ""),
    ("wall", "blocked"),
    ("soft", "not_found"),
    ("gone", "http_status"),
];

async fn read(request: Request) -> Json<Value> {
    assert_eq!(
        request.headers()["authorization"],
        format!("Bearer {KEY}").as_str()
    );
    let page = request.uri().path().trim_start_matches('/').to_owned();
    let (title, content, warning) = match page.rsplit('/').next().unwrap_or_default() {
        "page" => (
            "Gravel beds",
            "Gravel drums when it moves, and its pitch falls by a third before it does so.",
            "",
        ),
        "wall" => (
            "Just a moment...",
            "Verify you are human by completing the action below.",
            "",
        ),
        "soft" => (
            "Page not found",
            "Sorry, the page you are looking for does not exist.",
            "",
        ),
        _ => ("", "", "Target URL returned error 404: Not Found"),
    };
    Json(
        json!({ "code": 200, "data": { "title": title, "url": page, "content": content, "warning": warning } }),
    )
}

/// A project with a report that cites the four pages, which a reader at `url` is to fetch.
fn project(url: &str) -> Project {
    let model = ModelServer::openai().pipeline();
    let project = Project::new(&model.url)
        .seminar("rivers.wav", "en", TALK)
        .config(&format!(
            "[web]\nreader = \"jina\"\njina_url = \"{url}\"\npause_ms = 0\n"
        ))
        .woven();
    let listed = project.json(&["tasks", "list"]);
    let task = listed[0]["id"].as_str().unwrap();
    let folder = project.path("handed-in").join("theirs");
    std::fs::create_dir_all(&folder).unwrap();
    let cited: Vec<String> = CITED
        .iter()
        .map(|(path, _)| format!("See http://127.0.0.1:8080/{path}"))
        .collect();
    std::fs::write(
        folder.join(format!("{task}.md")),
        format!("# Report\n\n{}\n", cited.join("\n\n")),
    )
    .unwrap();
    project.ok(&[
        "reports",
        "import",
        project.path("handed-in").to_str().unwrap(),
    ]);
    project
}

/// Runs `evaluate`: the exit code, and what was said.
fn evaluate(
    project: &Project,
    key: Option<&str>,
    offline: bool,
    flags: &[&str],
) -> (Option<i32>, String) {
    let mut command = project.command(&[&["evaluate", "--metric", "kae"], flags].concat());
    command
        .env_remove("JINA_API_KEY")
        .envs(key.map(|key| ("JINA_API_KEY", key)));
    if !offline {
        command.env_remove("TASKGEN_OFFLINE");
    }
    let output = command.output().unwrap();
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// Each visited page's cause and who went for it.
fn visits(project: &Project) -> BTreeMap<String, (String, String)> {
    let database = project.database();
    let mut rows = database
        .prepare("SELECT url, coalesce(payload ->> '$.decision.cause', cause, ''), fetcher FROM page_visit")
        .unwrap();
    let rows = rows
        .query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))
        .unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}

#[test]
fn pages_come_from_the_reader_and_are_judged_as_our_own() {
    let url = web::serve(Router::new().fallback(read));
    let project = project(&url);

    let (code, said) = evaluate(&project, None, false, &["--allow-private-network"]);
    assert!(
        code == Some(3) && said.contains("`JINA_API_KEY`") && said.contains("hint: "),
        "{said}"
    );
    evaluate(&project, Some(KEY), true, &["--allow-private-network"]);
    assert!(
        visits(&project).is_empty(),
        "not with --offline, whatever else is allowed"
    );
    evaluate(&project, Some(KEY), false, &[]);
    assert!(
        visits(&project)
            .values()
            .all(|(cause, _)| cause == "address"),
        "the guard is ours"
    );
    assert_eq!(visits(&project).len(), CITED.len());

    project.sql("DELETE FROM page_visit");
    let (_, said) = evaluate(&project, Some(KEY), false, &["--allow-private-network"]);
    assert!(
        said.contains(&format!("pages are read by {url}")) && !said.contains(KEY),
        "{said}"
    );
    for (path, cause) in CITED {
        let visit = &visits(&project)[&format!("http://127.0.0.1:8080/{path}")];
        assert_eq!(
            *visit,
            (cause.to_owned(), "jina".to_owned()),
            "{path}: {said}"
        );
    }
    // Who judges stored pages once more asks no reader, and needs no key.
    let again = project
        .command(&["rescore", "--metric", "kae"])
        .env_remove("TASKGEN_OFFLINE")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(
        !said.contains("JINA_API_KEY") && !said.contains("pages are read by"),
        "{said}"
    );
    let titled = "SELECT count(*) FROM extract WHERE title = 'Gravel beds' AND text LIKE '%drums when it moves%'";
    assert_eq!(project.count(titled), 1);
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

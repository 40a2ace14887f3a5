//! A reader on loopback: what it is asked, what becomes of its answers, and what is not handed to
//! it.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Body,
    extract::Request,
    http::{Response, header},
};
use reqwest::dns::{Addrs, Resolving};
use serde_json::json;

use super::*;

const KEY: &str = "planted-jina-key";

/// Names of the tests: `inside.test` is in a private network, all others are public. Nobody is
/// asked.
struct Names;

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let address = if name.as_str() == "inside.test" {
            [10, 0, 0, 1]
        } else {
            [93, 184, 216, 34]
        };
        Box::pin(
            async move { Ok(Box::new(std::iter::once(SocketAddr::from((address, 0)))) as Addrs) },
        )
    }
}

type Asked = Arc<Mutex<Vec<String>>>;

/// A reader that answers each page by its path, and how often it was asked before.
async fn world(answer: fn(&str, usize) -> (u16, String)) -> (Jina, Asked) {
    let asked = Asked::default();
    let noted = Arc::clone(&asked);
    let handle = move |request: Request| {
        let of = |name| {
            request
                .headers()
                .get(name)
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default()
        };
        let told = (
            of(header::AUTHORIZATION).to_owned(),
            of(header::ACCEPT).to_owned(),
        );
        let page = request.uri().to_string();
        let mut noted = noted.lock().expect("no panic");
        let before = noted.iter().filter(|known| **known == page).count();
        noted.push(page.clone());
        async move {
            assert_eq!(
                told,
                (format!("Bearer {KEY}"), "application/json".to_owned())
            );
            if page.ends_with("/slow") {
                std::future::pending::<()>().await;
            }
            let (status, body) = answer(&page, before);
            let response = Response::builder()
                .status(status)
                .header(header::RETRY_AFTER, "0");
            response.body(Body::from(body)).expect("a response")
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port");
    let base_url = format!("http://{}/", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(handle)).await });
    let fetch = FetchOptions {
        pause: Duration::ZERO,
        timeout: Duration::from_secs(1),
        max_bytes: 100_000,
        ..FetchOptions::default()
    };
    let reach = Reach {
        private: false,
        offline: false,
    };
    let names = Box::new(Guarded {
        reach,
        names: Names,
    });
    (
        Jina::with_names(
            JinaOptions {
                base_url,
                key: KEY.into(),
            },
            fetch,
            names,
        )
        .expect("a client"),
        asked,
    )
}

fn page(title: &str, content: &str, warning: &str) -> (u16, String) {
    let data = json!({ "title": title, "url": "https://page.test/last", "content": content, "warning": warning });
    (
        200,
        json!({ "code": 200, "status": 20000, "data": data }).to_string(),
    )
}

#[tokio::test]
async fn a_page_arrives_as_markdown_with_its_title() {
    let (jina, asked) = world(|_, _| page("Gravel\nbeds", &format!("It drums. {KEY}"), "")).await;
    let fetched = jina
        .fetch("https://page.test/a?b=1#part")
        .await
        .expect("the key is good");
    assert_eq!(
        fetched.body.as_deref(),
        Ok("# Gravel beds\n\nIt drums. …".as_bytes())
    );
    assert_eq!(
        (
            fetched.status,
            fetched.final_url.as_deref(),
            fetched.content_type.as_deref()
        ),
        (
            Some(200),
            Some("https://page.test/last"),
            Some("text/markdown")
        )
    );
    assert_eq!(
        *asked.lock().expect("no panic"),
        ["/https://page.test/a?b=1"]
    );
}

#[tokio::test]
async fn failures_are_typed_and_the_key_is_not_in_them() {
    let (jina, asked) = world(
        |url, before| match url.rsplit('/').next().unwrap_or_default() {
            "gone" => page(
                "Not found",
                "Nothing here",
                "Target URL returned error 404: Not Found",
            ),
            "busy" if before == 0 => (429, String::new()),
            "busy" => page("", "It drums.", ""),
            "broken" => (500, "no JSON".into()),
            "odd" => (
                422,
                json!({ "code": 422, "data": null, "message": format!("cannot load with {KEY}") })
                    .to_string(),
            ),
            "large" => page("", &"x".repeat(200_000), ""),
            "void" => page("A title", "", ""),
            _ => (200, "no JSON".into()),
        },
    )
    .await;
    for (path, cause, requests) in [
        ("gone", "http_status", 1),
        ("busy", "", 2),
        ("broken", "reader", 3),
        ("odd", "reader", 1),
        ("large", "too_large", 1),
        ("void", "", 1),
        ("else", "protocol", 1),
        ("slow", "timeout", 1),
    ] {
        let url = format!("https://page.test/{path}");
        let body = jina.fetch(&url).await.expect("the key is good").body;
        assert_eq!(
            body.as_ref().err().map_or("", FetchError::cause),
            cause,
            "{path}"
        );
        assert!(!format!("{body:?}").contains(KEY), "{body:?}");
        let asked = asked
            .lock()
            .expect("no panic")
            .iter()
            .filter(|asked| asked.ends_with(path))
            .count();
        assert_eq!(asked, requests, "{path}");
    }
}

#[tokio::test]
async fn a_key_that_is_refused_ends_it() {
    let (jina, _) = world(|_, _| {
        (
            401,
            json!({ "message": format!("bad key {KEY}") }).to_string(),
        )
    })
    .await;
    let error = jina
        .fetch("https://page.test/")
        .await
        .expect_err("nobody is served")
        .to_string();
    assert!(
        error.contains("JINA_API_KEY") && !error.contains(KEY),
        "{error}"
    );
}

#[tokio::test]
async fn nothing_is_handed_over_that_we_would_not_fetch() {
    let (jina, asked) = world(|_, _| page("", "It drums.", "")).await;
    for (url, cause) in [
        ("file:///etc/passwd", "scheme"),
        ("http://me:pw@page.test/", "userinfo"),
        ("http://127.0.0.1/", "address"),
        ("http://[::ffff:10.0.0.1]/", "address"),
        ("http://169.254.169.254/latest", "address"),
        ("http://0x7f000001/", "address"),
        ("https://inside.test/wiki", "address"),
        ("https://page.test:6379/", "port"),
        ("nonsense", "bad_url"),
    ] {
        let body = jina.fetch(url).await.expect("nobody is asked").body;
        assert_eq!(
            body.as_ref().err().map(FetchError::cause),
            Some(cause),
            "{url}"
        );
    }
    assert!(asked.lock().expect("no panic").is_empty());
}

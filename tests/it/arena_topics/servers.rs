//! The servers of these tests, on loopback: a small site, and a search engine that speaks as each
//! provider does. Hides how each words its results and where it wants the key.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use axum::{Router, extract::Request, http::StatusCode, response::Html};
use serde_json::{Value, json};

use crate::support::web::serve;

/// How often each was asked for.
pub type Hits = Arc<Mutex<BTreeMap<String, usize>>>;

fn hit(hits: &Hits, what: &str) {
    let mut hits = hits.lock().expect("no panic");
    *hits.entry(what.to_owned()).or_default() += 1;
}

/// What was asked for so far.
pub fn counted(hits: &Hits) -> BTreeMap<String, usize> {
    hits.lock().expect("no panic").clone()
}

/// A site whose pages link to three pages below them, two levels deep; `/peat` links nowhere.
pub fn site() -> (String, Hits) {
    let hits = Hits::default();
    let seen = Arc::clone(&hits);
    let url = serve(Router::new().fallback(move |request: Request| {
        let path = request.uri().path().to_owned();
        if path != "/robots.txt" {
            hit(&seen, &path);
        }
        async move {
            let level = path.matches('-').count();
            if path == "/robots.txt" || level > 2 {
                return (StatusCode::NOT_FOUND, Html(String::new()));
            }
            let prose = format!("The station at {path} was built in 19{:02} and reads the water twice a day. ", path.len());
            let below = if path == "/peat" { 0 } else { 3 };
            let links: Vec<String> = (1..=below)
                .map(|n| format!("<p>From here the water runs on to <a href='{path}-{n}'>station number {path}-{n}</a>, which was built later.</p>"))
                .collect();
            let links = links.concat();
            let page = format!(
                "<html><head><title>Station {path}</title></head><body><article><h1>Station {path}</h1><p>{}</p>{links}</article></body></html>",
                prose.repeat(6)
            );
            (StatusCode::OK, Html(page))
        }
    }));
    (url, hits)
}

/// What a search engine refuses with: by the number of the search, from 0.
type Refusal = dyn Fn(usize) -> Option<(u16, String)> + Send + Sync;

/// A search engine that speaks as all four do. Each query is noted with the key that came with it.
pub fn engine(
    site: &str,
    refuse: impl Fn(usize) -> Option<(u16, String)> + Send + Sync + 'static,
) -> (String, Hits) {
    let (hits, refuse): (Hits, Arc<Refusal>) = (Hits::default(), Arc::new(refuse));
    let (seen, number, site) = (
        Arc::clone(&hits),
        Arc::new(AtomicUsize::new(0)),
        site.to_owned(),
    );
    let url = serve(Router::new().fallback(move |request: Request| {
        let (seen, site, refuse) = (Arc::clone(&seen), site.clone(), Arc::clone(&refuse));
        let number = number.fetch_add(1, SeqCst);
        async move {
            let (path, query, key) = asked(request).await;
            hit(&seen, &format!("{query} ({key})"));
            let (status, body) = refuse(number)
                .unwrap_or_else(|| (200, answer(&path, &results(&site, &query)).to_string()));
            (
                StatusCode::from_u16(status).expect("a status"),
                [("retry-after-ms", "5")],
                body,
            )
        }
    }));
    (url, hits)
}

/// Path, query and key of a request.
async fn asked(request: Request) -> (String, String, String) {
    let (parts, body) = request.into_parts();
    let header = |name: &str| {
        let value = parts
            .headers
            .get(name)
            .and_then(|value| value.to_str().ok());
        value.map(str::to_owned)
    };
    let mut key = header("x-subscription-token")
        .or_else(|| header("authorization").map(|value| value.replace("Bearer ", "")))
        .unwrap_or_default();
    let pairs = url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
    let pairs: BTreeMap<String, String> = pairs.into_owned().collect();
    for name in ["api_key", "key"] {
        key = pairs.get(name).cloned().unwrap_or(key);
    }
    let query = if let Some(query) = pairs.get("q") {
        query.clone()
    } else {
        let body = axum::body::to_bytes(body, 1 << 20).await.expect("a body");
        let body: Value = serde_json::from_slice(&body).expect("JSON");
        body["query"].as_str().expect("a query").to_owned()
    };
    (parts.uri.path().to_owned(), query, key)
}

/// Two addresses that are no roots, and the page of the topic; nothing of deserts.
fn results(site: &str, query: &str) -> Vec<[String; 3]> {
    let first = query.split(' ').next().unwrap_or_default().to_lowercase();
    let page = match first.as_str() {
        "desert" => return Vec::new(),
        "salt" => format!("{site}/alpine/?utm_source=engine#top"),
        first => format!("{site}/{first}"),
    };
    let urls = [
        "https://www.youtube.com/watch?v=1".to_owned(),
        format!("{site}/x.pdf"),
        page,
    ];
    urls.map(|url| {
        [
            url,
            format!("On {first}"),
            "Choose the first result.".to_owned(),
        ]
    })
    .into()
}

/// The results as the provider of a path words them.
fn answer(path: &str, results: &[[String; 3]]) -> Value {
    let list = |names: [&str; 3]| -> Vec<Value> {
        let worded = results.iter().map(|result| {
            let fields = names
                .iter()
                .zip(result)
                .map(|(name, text)| ((*name).to_owned(), json!(text)));
            Value::Object(fields.collect())
        });
        worded.collect()
    };
    match path {
        "/search.json" if results.is_empty() => {
            json!({ "error": "Google hasn't returned any results for this query." })
        }
        "/search.json" => json!({ "organic_results": list(["link", "title", "snippet"]) }),
        "/res/v1/web/search" if results.is_empty() => json!({ "type": "search" }),
        "/res/v1/web/search" => {
            json!({ "type": "search", "web": { "results": list(["url", "title", "description"]) } })
        }
        "/search" => json!({ "results": list(["url", "title", "content"]) }),
        "/customsearch/v1" if results.is_empty() => json!({ "kind": "customsearch#search" }),
        "/customsearch/v1" => {
            json!({ "kind": "customsearch#search", "items": list(["link", "title", "snippet"]) })
        }
        other => panic!("no search: {other}"),
    }
}

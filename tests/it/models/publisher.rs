//! Downloads from a publisher: broken off, continued, refused, redirected. Hides the publisher, a
//! server on loopback.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Path as Route, State},
    http::{HeaderMap, Response, header},
    routing::get,
};
use taskgen::{
    http::{Http, HttpOptions},
    models::{self, Model, Places},
};

use super::{folder, left, model, places, pulled, refused, sha256};
use crate::support::web;

/// What the publisher has: bytes without a pattern, more than one network buffer of them.
pub fn published() -> Vec<u8> {
    let mut state = 7u64;
    (0..3_000_000)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        })
        .collect()
}

/// A publisher on loopback that remembers what it was asked for.
struct Publisher {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

type Asked = (Arc<Mutex<Vec<String>>>, Arc<Vec<u8>>);

impl Publisher {
    fn start() -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let app = Router::new()
            .route("/{way}", get(answer))
            .with_state((asked.clone(), Arc::new(published())));
        let url = web::serve(app);
        Self { url, asked }
    }

    fn model(&self, way: &str) -> Model {
        Model {
            url: Some(format!("{}/{way}", self.url)),
            ..model(&published())
        }
    }

    /// The requests so far: the way and the range.
    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }
}

async fn answer(
    State((asked, content)): State<Asked>,
    Route(way): Route<String>,
    headers: HeaderMap,
) -> Response<Body> {
    let range = headers
        .get(header::RANGE)
        .map_or("", |range| range.to_str().expect("text"))
        .to_owned();
    let count = {
        let mut asked = asked.lock().expect("no panic");
        asked.push(format!("{way} {range}").trim().to_owned());
        asked.iter().filter(|line| line.starts_with(&way)).count()
    };
    let from: usize = range
        .trim_start_matches("bytes=")
        .trim_end_matches('-')
        .parse()
        .unwrap_or(0);
    let rest = Bytes::copy_from_slice(&content[from..]);
    let (status, content_range) = match from {
        0 => (200, String::new()),
        _ => (
            206,
            format!("bytes {from}-{}/{}", content.len() - 1, content.len()),
        ),
    };
    let whole = Response::builder()
        .status(status)
        .header(header::CONTENT_RANGE, content_range);
    let response = match way.as_str() {
        "cut" if count == 1 => {
            let half = rest.slice(..rest.len() / 2);
            let broken = [Ok(half), Err(std::io::Error::other("cut"))];
            whole
                .header(header::CONTENT_LENGTH, rest.len())
                .body(Body::from_stream(futures_util::stream::iter(broken)))
        }
        "busy" if count < 3 => Response::builder()
            .status(503)
            .header(header::RETRY_AFTER, "0")
            .body(Body::empty()),
        "gone" => Response::builder().status(404).body(Body::empty()),
        "no-range" => Response::builder()
            .status(200)
            .body(Body::from(content.to_vec())),
        "wrong" => Response::builder()
            .status(200)
            .body(Body::from(vec![0; content.len()])),
        "endless" => {
            let piece = Bytes::from(vec![0; 1 << 16]);
            let pieces =
                futures_util::stream::repeat_with(move || Ok::<_, std::io::Error>(piece.clone()));
            Response::builder()
                .status(200)
                .body(Body::from_stream(pieces))
        }
        "moved" => Response::builder()
            .status(302)
            .header(header::LOCATION, "/plain")
            .body(Body::empty()),
        "away" => Response::builder()
            .status(302)
            .header(header::LOCATION, "http://192.0.2.1/")
            .body(Body::empty()),
        "hang" => std::future::pending().await,
        _ => whole.body(Body::from(rest)),
    };
    response.expect("a response")
}

#[test]
fn a_file_comes_from_the_publisher_once() {
    let (publisher, folder) = (Publisher::start(), folder());
    let (model, places) = (publisher.model("moved"), places(&folder));
    let seen = Mutex::new(0);
    let progress = |_: &str, done: u64, total: u64| {
        assert_eq!(total, model.bytes);
        *seen.lock().expect("no panic") = done;
    };
    models::pull(&model, &places, &progress).expect("it can be had");
    assert_eq!(
        *seen.lock().expect("no panic"),
        model.bytes,
        "progress ends at the whole"
    );
    assert_eq!(pulled(&model, &places), published());
    assert_eq!(
        publisher.asked(),
        ["moved", "plain"],
        "a redirect is followed, and the second pull asks nobody"
    );
    assert_eq!(left(&places), ["made-up.gguf"]);
}

#[test]
fn a_download_that_breaks_off_is_continued() {
    let (publisher, folder) = (Publisher::start(), folder());
    let (model, places) = (publisher.model("cut"), places(&folder));
    assert_eq!(pulled(&model, &places), published());
    let asked = publisher.asked();
    assert!(
        asked.len() == 2 && asked[0] == "cut" && asked[1].starts_with("cut bytes="),
        "{asked:?}"
    );
}

#[test]
fn a_part_of_an_earlier_run_is_used_only_if_it_fits() {
    let publisher = Publisher::start();
    let content = published();
    let part_then = |way: &str, part: &[u8]| {
        let folder = folder();
        let (model, places) = (publisher.model(way), places(&folder));
        std::fs::create_dir_all(&places.folder).expect("writable");
        std::fs::write(places.folder.join("made-up.gguf.part"), part).expect("writable");
        let before = publisher.asked().len();
        assert_eq!(
            pulled(&model, &places),
            content,
            "{way}, a part of {}",
            part.len()
        );
        assert_eq!(left(&places), ["made-up.gguf"]);
        publisher.asked()[before..].to_vec()
    };
    assert_eq!(part_then("plain", &content[..1000]), ["plain bytes=1000-"]);
    assert_eq!(
        part_then("plain", &content),
        Vec::<String>::new(),
        "it was whole: nothing to ask"
    );
    assert_eq!(
        part_then("no-range", &content[..1000]),
        ["no-range bytes=1000-"]
    );
    assert_eq!(
        part_then("plain", &[0; 1000]),
        ["plain bytes=1000-", "plain"],
        "another file's beginning"
    );
    assert_eq!(
        part_then("plain", &vec![0; content.len() + 1]),
        ["plain"],
        "longer than the whole"
    );
}

#[test]
fn a_wrong_file_is_refused_with_both_hashes() {
    let (publisher, folder) = (Publisher::start(), folder());
    let (model, places) = (publisher.model("wrong"), places(&folder));
    let error = refused(&model, &places);
    assert!(
        error.contains(&model.sha256) && error.contains(&sha256(&vec![0; published().len()])),
        "{error}"
    );
    assert!(error.contains("taskgen models import"), "{error}");
    assert_eq!(left(&places), Vec::<String>::new(), "it is out of the way");
    let endless = refused(&publisher.model("endless"), &places);
    assert!(endless.contains("sha256"), "{endless}");
    // A file that was put there by hand is not used either.
    std::fs::write(places.folder.join("made-up.gguf"), b"GGUF").expect("writable");
    let error = refused(&publisher.model("plain"), &places);
    assert!(
        error.contains(&model.sha256)
            && error.contains(&sha256(b"GGUF"))
            && error.contains("hint: "),
        "{error}"
    );
    assert_eq!(publisher.asked().len(), 2);
}

#[test]
fn a_publisher_that_is_busy_is_asked_again_and_one_that_is_silent_is_given_up() {
    let (publisher, folder) = (Publisher::start(), folder());
    let places = places(&folder);
    for (way, reason) in [("hang", "is not reached"), ("gone", "answered 404")] {
        let error = refused(&publisher.model(way), &places);
        assert!(
            error.contains("the publisher: ") && error.contains(reason),
            "{error}"
        );
    }
    let nobody = Model {
        url: Some("http://127.0.0.1:1/".into()),
        ..model(&published())
    };
    assert!(refused(&nobody, &places).contains("is not reached"));
    assert_eq!(pulled(&publisher.model("busy"), &places), published());
    assert_eq!(publisher.asked(), ["hang", "gone", "busy", "busy", "busy"]);
}

#[test]
fn two_pulls_at_once_fetch_once() {
    let (publisher, folder) = (Publisher::start(), folder());
    let (model, places) = (publisher.model("plain"), places(&folder));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(pulled(&model, &places), published()));
        }
    });
    assert_eq!(publisher.asked(), ["plain"]);
}

#[test]
fn offline_follows_no_redirect_to_another_machine() {
    let publisher = Publisher::start();
    let http = Http::new(HttpOptions {
        offline: true,
        redirects: true,
        ..HttpOptions::default()
    })
    .expect("a client");
    let get = |way: &str| {
        let url = format!("{}/{way}", publisher.url.replace("127.0.0.1", "localhost"))
            .parse()
            .expect("a URL");
        let request = http
            .request(reqwest::Method::GET, &url)
            .expect("this machine is allowed");
        tokio::runtime::Runtime::new()
            .expect("a runtime")
            .block_on(request.send())
    };
    assert!(get("plain").is_ok_and(|response| response.status() == 200));
    assert!(get("away").expect_err("another machine").is_redirect());
}

#[test]
fn space_is_checked_first_and_a_bad_folder_is_named() {
    let (publisher, folder) = (Publisher::start(), folder());
    let huge = Model {
        bytes: 1 << 60,
        ..publisher.model("plain")
    };
    let error = refused(&huge, &places(&folder));
    assert!(
        error.contains("not enough space") && error.contains("1152921504656 MB are needed"),
        "{error}"
    );
    assert!(
        error.contains("MB are free in") && error.contains("hint: free some"),
        "{error}"
    );
    std::fs::write(folder.path().join("models-file"), "").expect("writable");
    let places = Places {
        folder: folder.path().join("models-file/models"),
        ..places(&folder)
    };
    let error = refused(&publisher.model("plain"), &places);
    assert!(
        error.contains("models-file") && error.contains("hint: name another folder"),
        "{error}"
    );
    assert_eq!(publisher.asked(), Vec::<String>::new());
}

#[test]
fn a_file_on_this_disk_comes_first_even_offline() {
    let (publisher, folder) = (Publisher::start(), folder());
    let (wrong, right) = (folder.path().join("wrong"), folder.path().join("right"));
    let places = Places {
        offline: true,
        elsewhere: vec![wrong.clone(), right.clone()],
        ..places(&folder)
    };
    let model = publisher.model("plain");
    let error = refused(&model, &places);
    assert!(
        error.contains("this disk: not there; --offline: nothing was fetched"),
        "{error}"
    );
    for (folder, content) in [(&wrong, vec![1; published().len()]), (&right, published())] {
        std::fs::create_dir_all(folder).expect("writable");
        std::fs::write(folder.join(&model.file), content).expect("writable");
    }
    assert_eq!(
        pulled(&model, &places),
        published(),
        "a wrong file in one cache does not hide the right one"
    );
    assert!(
        right.join(&model.file).is_file(),
        "the other program keeps its own"
    );
    assert_eq!(publisher.asked(), Vec::<String>::new());
}

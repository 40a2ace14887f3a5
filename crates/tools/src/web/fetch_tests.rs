//! What strangers try, and that it ends in the typed failure with nobody asked who should not be;
//! then that honest pages arrive.

use std::{net::IpAddr, sync::atomic::Ordering};

use axum::response::Response;
use futures_util::future::join_all;

use super::*;

#[path = "fetch_world.rs"]
mod world;
use world::{World, answer, noted, quick, site};

fn unasked() -> FetchOptions {
    FetchOptions {
        respect_robots: false,
        ..quick()
    }
}

#[tokio::test]
async fn a_page_arrives() {
    let world = World::new(quick(), site).await;
    let page = world.fetch("http://page.test/page?a=1#part").await;
    assert_eq!(page.body.expect("a page"), b"a page");
    assert_eq!(
        (
            page.status,
            page.content_type.as_deref(),
            page.charset.as_deref()
        ),
        (Some(200), Some("text/html"), Some("iso-8859-1"))
    );
    assert_eq!(
        (page.url.as_str(), page.final_url.as_deref()),
        (
            "http://page.test/page?a=1#part",
            Some("http://page.test/page?a=1")
        )
    );
    assert_eq!(
        noted(&world.seen),
        ["page.test/robots.txt", "page.test/page?a=1"]
    );
}

#[tokio::test]
async fn forbidden_urls_are_not_asked() {
    let world = World::new(quick(), site).await;
    for (url, cause) in [
        ("nonsense", "bad_url"),
        ("http://", "bad_url"),
        ("http://[::1", "bad_url"),
        ("http://1.2.3.4.5/", "bad_url"),
        ("file:///etc/passwd", "scheme"),
        ("ftp://page.test/", "scheme"),
        ("gopher://page.test/", "scheme"),
        ("http://me:pw@page.test/page", "userinfo"),
        ("http://page.test@127.0.0.1/", "userinfo"),
        ("http://page.test:22/", "port"),
        ("http://127.0.0.1:9200/", "port"),
        ("https://page.test:6379/", "port"),
        ("http://127.0.0.1/", "address"),
        ("http://[::1]/", "address"),
        ("http://0.0.0.0/", "address"),
        ("http://169.254.169.254/latest/meta-data/", "address"),
        ("http://100.100.100.200/", "address"),
        ("http://[::ffff:10.0.0.1]/", "address"),
        ("http://0x7f000001/", "address"),
        ("http://2130706433/", "address"),
        ("http://0177.0.0.1/", "address"),
        ("http://127.1/", "address"),
        ("http://127.0.0.1./", "address"),
        ("http://localhost/", "address"),
        ("http://localhost./", "address"),
        ("https://a.localhost/", "address"),
        ("http://loopback.test/", "address"),
        ("http://metadata.test/", "address"),
        ("http://mapped.test/", "address"),
        ("http://nat.test/", "address"),
        ("http://unknown.test/", "dns"),
    ] {
        let fetched = world.fetch(url).await;
        assert_eq!(
            fetched.body.as_ref().err().map(FetchError::cause),
            Some(cause),
            "{url}"
        );
        assert_eq!((fetched.final_url, fetched.status), (None, None), "{url}");
    }
    assert!(
        noted(&world.seen).is_empty()
            && noted(&world.literal).is_empty()
            && noted(&world.dialled).is_empty()
    );
}

#[tokio::test]
async fn redirects_to_forbidden_places() {
    let world = World::new(quick(), site).await;
    for (target, cause) in [
        ("http://127.0.0.1/secret", "address"),
        ("http://169.254.169.254/latest/meta-data/", "address"),
        ("http://100.100.100.200/", "address"),
        ("http://[::ffff:10.0.0.1]/", "address"),
        ("//0x7f000001/", "address"),
        ("http://2130706433/", "address"),
        ("http://0177.0.0.1/", "address"),
        ("http://127.1/", "address"),
        ("http://localhost./", "address"),
        ("http://a.localhost/", "address"),
        ("http://metadata.test/", "address"),
        ("http://127.0.0.1:9200/", "port"),
        ("http://other.test:22/", "port"),
        ("file:///etc/passwd", "scheme"),
        ("ftp://other.test/", "scheme"),
        ("http://me:pw@other.test/", "userinfo"),
        ("http://[::1", "bad_redirect"),
        ("http://unknown.test/", "dns"),
    ] {
        let fetched = world.fetch(&format!("http://page.test/to?{target}")).await;
        assert_eq!(
            fetched.body.as_ref().err().map(FetchError::cause),
            Some(cause),
            "{target}"
        );
        assert_eq!(fetched.status, Some(302), "{target}");
    }
    assert!(
        noted(&world.seen)
            .iter()
            .all(|note| note.starts_with("page.test/")),
        "{:?}",
        noted(&world.seen)
    );
    assert!(noted(&world.literal).is_empty());
    assert_eq!(noted(&world.dialled).first(), noted(&world.dialled).last());
}

/// The record of literal addresses works: one that is public is asked, and noted.
#[tokio::test]
async fn a_public_literal_address() {
    let world = World::new(quick(), site).await;
    assert_eq!(world.cause("http://93.184.216.34/page").await, "none");
    assert_eq!(
        world
            .cause("http://page.test/to?http://93.184.216.34:8080/page")
            .await,
        "none"
    );
    assert!(noted(&world.literal).contains(&"93.184.216.34:8080/page".to_owned()));
}

#[tokio::test]
async fn the_address_that_was_checked_is_the_one_that_is_dialled() {
    let world = World::new(unasked(), site).await;
    assert_eq!(world.cause("http://rebinding.test/close").await, "none");
    assert_eq!(
        world.cause("http://rebinding.test/close").await,
        "address",
        "the second answer is loopback"
    );
    assert_eq!(world.cause("http://mixed.test/page").await, "none");
    let public: [IpAddr; 2] = [[93, 184, 216, 38].into(), [93, 184, 216, 37].into()];
    assert_eq!(
        noted(&world.dialled),
        public,
        "and of mixed answers only the public part"
    );
    assert_eq!(noted(&world.seen).len(), 2);
}

#[tokio::test]
async fn redirects_are_followed_and_recorded() {
    let world = World::new(quick(), site).await;
    let page = world
        .fetch("http://page.test/to?http://other.test/hops/4")
        .await;
    assert_eq!(page.body.expect("a page"), b"arrived");
    assert_eq!(
        page.redirects.first().map(String::as_str),
        Some("http://other.test/hops/4")
    );
    assert_eq!(
        (page.redirects.len(), page.redirects.last()),
        (REDIRECTS, page.final_url.as_ref())
    );
    assert_eq!(
        world.cause("http://page.test/hops/6").await,
        "too_many_redirects"
    );
    assert_eq!(
        world.cause("http://page.test/loop").await,
        "too_many_redirects"
    );
    assert_eq!(
        noted(&world.seen)
            .iter()
            .filter(|note| note.ends_with("/loop"))
            .count(),
        1 + REDIRECTS
    );
    assert_eq!(
        world.cause("http://page.test/nowhere").await,
        "bad_redirect"
    );
}

#[tokio::test]
async fn statuses_and_attempts() {
    let world = World::new(unasked(), site).await;
    for (status, cause, requests) in [
        (404, "http_status", 1),
        (410, "http_status", 1),
        (500, "http_status", 3),
        (503, "http_status", 3),
        (429, "rate_limited", 3),
    ] {
        let fetched = world
            .fetch(&format!("http://page.test/status/{status}"))
            .await;
        assert_eq!(
            (fetched.status, fetched.body.expect_err("no page").cause()),
            (Some(status), cause)
        );
        let note = format!("page.test/status/{status}");
        assert_eq!(
            noted(&world.seen)
                .iter()
                .filter(|seen| **seen == note)
                .count(),
            requests,
            "{status}"
        );
    }
    for path in ["flaky", "busy", "maintenance"] {
        assert_eq!(
            world.cause(&format!("http://page.test/{path}")).await,
            "none",
            "{path}"
        );
    }
    let world = World::new(
        FetchOptions {
            per_host: 1,
            ..unasked()
        },
        site,
    )
    .await;
    let start = Instant::now();
    let page = async || (world.cause("http://page.test/page").await, start.elapsed());
    let (later, (page, elapsed)) = tokio::join!(world.cause("http://page.test/later"), page());
    assert_eq!((later, page), ("none", "none"));
    assert!(
        elapsed >= Duration::from_millis(100),
        "another page of the host waits, too: {elapsed:?}"
    );
    assert_eq!(world.cause("http://page.test/closed").await, "rate_limited");
    assert_eq!(
        noted(&world.seen)
            .iter()
            .filter(|seen| seen.ends_with("/closed"))
            .count(),
        1,
        "nobody waits for an hour"
    );
}

#[tokio::test]
async fn types_of_content() {
    let world = World::new(unasked(), site).await;
    for good in [
        "text/html",
        "TEXT/HTML;charset=x",
        "application/pdf",
        "text/markdown",
        "application/json",
        "text/xml",
    ] {
        assert_eq!(
            world.cause(&format!("http://page.test/type?{good}")).await,
            "none",
            "{good}"
        );
    }
    for bad in [
        "image/png",
        "application/octet-stream",
        "video/mp4",
        "text/htmlx",
        "",
        "application/x-msdownload",
    ] {
        assert_eq!(
            world.cause(&format!("http://page.test/type?{bad}")).await,
            "content_type",
            "{bad}"
        );
    }
    let error = world
        .fetch("http://page.test/untyped")
        .await
        .body
        .expect_err("no page");
    assert_eq!(
        error,
        FetchError::ContentType {
            found: "none".into()
        }
    );
}

#[tokio::test]
async fn packed_bodies() {
    let world = World::new(unasked(), site).await;
    assert_eq!(
        world
            .fetch("http://page.test/gzip")
            .await
            .body
            .expect("a page"),
        b"unpacked"
    );
    assert_eq!(
        world
            .fetch("http://page.test/repetitive")
            .await
            .body
            .expect("a page")
            .len(),
        1 << 20
    );
    assert_eq!(world.cause("http://page.test/bomb").await, "bomb");
    assert_eq!(world.cause("http://page.test/cut.gz").await, "encoding");
    assert_eq!(world.cause("http://page.test/brotli").await, "encoding");
}

#[tokio::test]
async fn bodies_without_an_end() {
    let options = FetchOptions {
        max_bytes: 1 << 20,
        ..unasked()
    };
    let world = World::new(options.clone(), site).await;
    assert_eq!(world.cause("http://page.test/endless").await, "too_large");
    assert_eq!(
        world.cause("http://page.test/void").await,
        "too_large",
        "although it unpacks into nothing"
    );
    let brief = World::new(
        FetchOptions {
            timeout: Duration::from_secs(1),
            ..options
        },
        site,
    )
    .await;
    let slow = brief.fetch("http://page.test/trickle").await;
    assert_eq!(
        (slow.status, slow.body.expect_err("no page").cause()),
        (Some(200), "timeout")
    );
    assert!(slow.ms >= 1000);
    assert_eq!(
        noted(&brief.seen).len(),
        1,
        "no time is left for another attempt"
    );
}

#[tokio::test]
async fn hostile_servers() {
    let huge =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 1000000000000\r\n\r\n";
    let half =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 1000\r\n\r\nhalf a page";
    let both = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nsmuggled";
    for (head, more, cause, attempts) in [
        (&huge[..], &b""[..], "too_large", 1),
        (half, b"", "connection", 3),
        (
            b"HTTP/1.1 200 OK\r\n",
            b"x-more: and more\r\n",
            "protocol",
            1,
        ),
        (b"HTTP/1.1 200 OK\r\nx-long: ", b"x", "protocol", 1),
        (both, b"", "protocol", 1),
        (b"SSH-2.0-OpenSSH_9.6\r\n", b"", "protocol", 1),
        (b"", b"", "connection", 3),
    ] {
        let world = World::with_raw(unasked(), site, head, more).await;
        let what = String::from_utf8_lossy(head);
        assert_eq!(world.cause("http://raw.test/").await, cause, "{what}");
        assert_eq!(noted(&world.seen).len(), attempts, "{what}");
        assert!(
            world.written.load(Ordering::Relaxed) < 16 << 20,
            "it was cut: {what}"
        );
    }
    let plain = World::new(unasked(), site).await;
    assert_eq!(
        plain.cause("https://page.test/page").await,
        "tls",
        "a server without TLS"
    );
}

/// `/private` is forbidden, to a program of our name.
fn with_robots(path: &str, _: usize) -> Response {
    match path {
        "/robots.txt" => answer(
            200,
            &[],
            "user-agent: *\ndisallow: /\nuser-agent: taskgen\ndisallow: /private\ndisallow: /*?secret=",
        ),
        path => site(path, 0),
    }
}

#[tokio::test]
async fn robots_txt_is_read_once_and_obeyed() {
    let world = World::new(quick(), with_robots).await;
    let causes = join_all(
        [
            "page",
            "private",
            "page?secret=1",
            "to?/private",
            "to?http://other.test/private",
        ]
        .map(async |path| world.cause(&format!("http://page.test/{path}")).await),
    );
    assert_eq!(
        causes.await,
        ["none", "robots", "robots", "robots", "robots"]
    );
    let mut seen = noted(&world.seen);
    seen.sort_unstable();
    let expected = [
        "other.test/robots.txt",
        "page.test/page",
        "page.test/robots.txt",
    ];
    assert_eq!(
        seen.iter()
            .filter(|note| !note.contains("/to?"))
            .collect::<Vec<_>>(),
        expected.iter().collect::<Vec<_>>()
    );
    let rude = World::new(unasked(), with_robots).await;
    assert_eq!(
        rude.fetch("http://page.test/private").await.status,
        Some(404),
        "asked, since nobody cares"
    );
}

#[tokio::test]
async fn a_robots_txt_that_is_not_to_be_had() {
    /// Requests for pages arrive; those for robots.txt end as the test wants.
    async fn check(site: fn(&str, usize) -> Response, seconds: u64, cause: &str, transient: bool) {
        let world = World::new(
            FetchOptions {
                timeout: Duration::from_secs(seconds),
                ..quick()
            },
            site,
        )
        .await;
        let page = world.fetch("http://page.test/page").await;
        let (found, passes) = page.body.map_or_else(
            |error| (error.cause(), error.is_transient()),
            |_| ("none", false),
        );
        assert_eq!((found, passes), (cause, transient));
        let asked = noted(&world.seen).contains(&"page.test/page".to_owned());
        assert_eq!(asked, cause == "none");
        assert!(noted(&world.literal).is_empty());
    }
    macro_rules! robots {
        ($answer:expr) => {
            |path, before| {
                if path == "/robots.txt" {
                    $answer
                } else {
                    site(path, before)
                }
            }
        };
    }
    check(robots!(answer(403, &[], "")), 10, "none", false).await;
    check(robots!(answer(429, &[], "")), 10, "none", false).await;
    check(robots!(site("/loop", 0)), 10, "none", false).await;
    check(robots!(answer(500, &[], "")), 10, "robots", true).await;
    check(robots!(site("/trickle", 0)), 1, "robots", true).await;
    check(robots!(site("/brotli", 0)), 10, "robots", true).await;
    check(robots!(site("/bomb", 0)), 10, "none", false).await;
    check(
        robots!(site("/to?http://127.0.0.1/", 0)),
        10,
        "address",
        false,
    )
    .await;
    check(
        robots!(site("/to?http://127.0.0.1:22/", 0)),
        10,
        "robots",
        true,
    )
    .await;
    check(
        robots!(answer(
            200,
            &[],
            ["user-agent: *\ndisallow: /page\n", &"#".repeat(600 << 10)].concat()
        )),
        10,
        "robots",
        false,
    )
    .await;
}

#[tokio::test]
async fn offline_nobody_is_asked() {
    let world = World::new(
        FetchOptions {
            offline: true,
            ..quick()
        },
        site,
    )
    .await;
    assert_eq!(world.cause("http://page.test/page").await, "offline");
    assert_eq!(world.cause("http://93.184.216.34/page").await, "offline");
    assert_eq!(world.cause("http://127.0.0.1/page").await, "address");
    assert!(
        noted(&world.seen).is_empty()
            && noted(&world.literal).is_empty()
            && noted(&world.dialled).is_empty()
    );
}

/// The real client, without a test's resolver.
#[tokio::test]
async fn the_real_fetcher_guards_itself() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let url = format!("http://{}/page", listener.local_addr().expect("an address"));
    let app = axum::Router::new()
        .fallback(async |request: axum::extract::Request| site(request.uri().path(), 0));
    tokio::spawn(async move { axum::serve(listener, app).await });
    let guarded = Fetcher::new(quick()).expect("a fetcher");
    assert_eq!(
        guarded.fetch(&url).await.body.expect_err("refused").cause(),
        "port"
    );
    assert_eq!(
        guarded
            .fetch("http://127.0.0.1/")
            .await
            .body
            .expect_err("refused")
            .cause(),
        "address"
    );
    let open = Fetcher::new(FetchOptions {
        allow_private: true,
        offline: true,
        ..quick()
    })
    .expect("a fetcher");
    assert_eq!(open.fetch(&url).await.body.expect("a page"), b"a page");
}

/// The same again in a process whose environment names a proxy: one that is not there, so that it
/// would fail if asked.
#[test]
fn no_ambient_proxy() {
    let mut again = std::process::Command::new(std::env::current_exe().expect("this program"));
    let name = concat!(module_path!(), "::the_real_fetcher_guards_itself")
        .split_once("::")
        .expect("a crate")
        .1;
    for variable in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        again.env(variable, "http://127.0.0.1:9");
    }
    again.env_remove("no_proxy").env_remove("NO_PROXY");
    let output = again.args(["--exact", name]).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

#[tokio::test]
async fn no_secret_is_repeated() {
    let world = World::new(quick(), site).await;
    for url in [
        "http://me:canary@page.test/?key=canary#canary",
        "http:me:canary@page.test/",
        "http://page.test/status/500?key=canary",
        "https://page.test/?key=canary",
        "http://unknown.test/?key=canary",
        "http://127.0.0.1/?key=canary",
        "http://page.test/to?http://me:canary@other.test/",
        "http://page.test/to?http://127.0.0.1/?key=canary",
        "canary",
        "http://page.test:99999/?canary",
        "canary:canary@page.test",
    ] {
        let fetched = world.fetch(url).await;
        let shown = format!("{fetched:?}");
        let error = fetched.body.expect_err("no page");
        let said = format!("{error} {error:?} {shown}");
        assert!(!said.contains("canary"), "{url}: {said}");
    }
}

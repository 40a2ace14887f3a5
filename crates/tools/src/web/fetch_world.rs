//! A world for tests of the fetcher: made-up names, a site on loopback behind each of them that is
//! public, and a record of every address that was dialled. Nothing is ever sent to an address that
//! is not loopback, even through a hole in the guard: a name's addresses are replaced after they
//! are noted, and a literal one is diverted to a server that notes it.

use std::{
    collections::HashMap,
    io::Write as _,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::Request,
    response::Response,
};
use flate2::{Compression, write::GzEncoder};
use futures_util::{StreamExt as _, stream};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::*;

/// What a server or a resolver noted, in order.
pub type Notes<T> = Arc<Mutex<Vec<T>>>;

/// Made-up names: what is said at each question, the last answer again and again.
const NAMES: [(&str, &str); 12] = [
    ("page.test", "93.184.216.34"),
    ("other.test", "93.184.216.35"),
    ("raw.test", "93.184.216.36"),
    ("mixed.test", "127.0.0.1,93.184.216.37,10.0.0.1"),
    ("rebinding.test", "93.184.216.38|127.0.0.1"),
    ("loopback.test", "127.0.0.1"),
    ("metadata.test", "169.254.169.254,fd00:ec2::254"),
    ("mapped.test", "::ffff:10.0.0.1"),
    ("nat.test", "64:ff9b::7f00:1"),
    ("localhost", "127.0.0.1"),
    ("localhost.", "127.0.0.1"),
    ("a.localhost", "::1"),
];

/// Options without pauses.
pub fn quick() -> FetchOptions {
    FetchOptions {
        pause: Duration::ZERO,
        timeout: Duration::from_secs(10),
        ..FetchOptions::default()
    }
}

/// A fetcher and what it may meet.
pub struct World {
    pub fetcher: Arc<Fetcher>,
    /// Requests to the public sites: host and path.
    pub seen: Notes<String>,
    /// Requests to literal addresses. Those that are not public are holes in the guard.
    pub literal: Notes<String>,
    /// Addresses that passed the guard.
    pub dialled: Notes<IpAddr>,
    /// Bytes that `raw.test` got rid of.
    pub written: Arc<AtomicUsize>,
}

impl World {
    /// The world with `site` behind every public name; it is told the URL's path, and how many
    /// requests for it came before.
    pub async fn new(options: FetchOptions, site: fn(&str, usize) -> Response) -> Self {
        Self::with_raw(options, site, b"", b"").await
    }

    /// The world with a server behind `raw.test` that says `head`, then `more` for ever, or closes
    /// if that is empty.
    pub async fn with_raw(
        options: FetchOptions,
        site: fn(&str, usize) -> Response,
        head: &'static [u8],
        more: &'static [u8],
    ) -> Self {
        let (seen, literal, dialled) = (Notes::default(), Notes::default(), Notes::default());
        let written = Arc::default();
        let ports = Ports {
            site: serve(site, &seen).await,
            raw: serve_raw(head, more, &seen, &written).await,
        };
        let diverted = format!("http://127.0.0.1:{}", serve(site, &literal).await);
        let guarded = Guarded {
            reach: reach(&options),
            names: Names::default(),
        };
        let resolver = Recorder {
            guarded,
            ports,
            dialled: Arc::clone(&dialled),
        };
        let is_literal = |url: &Url| {
            url.host_str()
                .is_some_and(|host| host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok())
        };
        let divert = reqwest::Proxy::custom(move |url| is_literal(url).then(|| diverted.clone()));
        let client = http::for_strangers(&options.user_agent, CONNECT, resolver)
            .proxy(divert)
            .build()
            .expect("a client");
        Self {
            fetcher: Arc::new(Fetcher::over(client, options)),
            seen,
            literal,
            dialled,
            written,
        }
    }

    /// Fetches on another thread, as its users do.
    pub async fn fetch(&self, url: &str) -> Fetched {
        let (fetcher, url) = (Arc::clone(&self.fetcher), url.to_owned());
        tokio::spawn(async move { fetcher.fetch(&url).await })
            .await
            .expect("no panic")
    }

    /// The word for why `url` gives no page.
    pub async fn cause(&self, url: &str) -> &'static str {
        self.fetch(url)
            .await
            .body
            .map_or_else(|error| error.cause(), |_| "none")
    }
}

pub fn noted<T: Clone>(notes: &Notes<T>) -> Vec<T> {
    lock(notes).clone()
}

struct Ports {
    site: u16,
    raw: u16,
}

/// Answers of a name server of strangers.
#[derive(Default)]
struct Names {
    asked: Mutex<HashMap<String, usize>>,
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let mut asked = lock(&self.asked);
        let times = asked.entry(name.as_str().to_owned()).or_default();
        *times += 1;
        let answers = NAMES
            .iter()
            .find(|(known, _)| *known == name.as_str())
            .map(|(_, answers)| answers.split('|'));
        let answer = answers.and_then(|answers| answers.take(*times).last());
        let addresses = answer.map(|answer| {
            let address = |text: &str| SocketAddr::new(text.parse().expect("an address"), 0);
            answer
                .split(',')
                .map(address)
                .collect::<Vec<_>>()
                .into_iter()
        });
        let unknown = || FetchError::Dns {
            what: "Name or service not known".to_owned(),
        };
        Box::pin(async move { Ok(Box::new(addresses.ok_or_else(unknown)?) as Addrs) })
    }
}

/// Notes what passes the guard, and goes to loopback instead.
struct Recorder {
    guarded: Guarded<Names>,
    ports: Ports,
    dialled: Notes<IpAddr>,
}

impl Resolve for Recorder {
    fn resolve(&self, name: Name) -> Resolving {
        let port = if name.as_str() == "raw.test" {
            self.ports.raw
        } else {
            self.ports.site
        };
        let (dialled, answer) = (Arc::clone(&self.dialled), self.guarded.resolve(name));
        Box::pin(async move {
            let allowed = answer.await?.map(|address| address.ip());
            lock(&dialled).extend(allowed);
            Ok(Box::new([SocketAddr::from((Ipv4Addr::LOCALHOST, port))].into_iter()) as Addrs)
        })
    }
}

async fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .expect("a port");
    let port = listener.local_addr().expect("an address").port();
    (listener, port)
}

async fn serve(site: fn(&str, usize) -> Response, seen: &Notes<String>) -> u16 {
    let ((listener, port), seen) = (listener().await, Arc::clone(seen));
    let answer = async move |request: Request| {
        let host = request
            .headers()
            .get("host")
            .and_then(|host| host.to_str().ok())
            .unwrap_or_default();
        let path = request
            .uri()
            .path_and_query()
            .map_or("", |path| path.as_str());
        let note = format!("{host}{path}");
        let before = lock(&seen)
            .iter()
            .filter(|earlier| **earlier == note)
            .count();
        lock(&seen).push(note);
        site(path, before)
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    port
}

async fn serve_raw(
    head: &'static [u8],
    more: &'static [u8],
    seen: &Notes<String>,
    written: &Arc<AtomicUsize>,
) -> u16 {
    let ((listener, port), seen, written) =
        (listener().await, Arc::clone(seen), Arc::clone(written));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            lock(&seen).push("raw.test".to_owned());
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(head).await;
            let block = more.repeat(4096 / more.len().max(1));
            // Bounded, should nobody hang up.
            for _ in 0..if more.is_empty() { 0 } else { 16_384 } {
                match stream.write_all(&block).await {
                    Ok(()) => written.fetch_add(block.len(), Ordering::Relaxed),
                    Err(_) => break,
                };
            }
        }
    });
    port
}

const HTML: (&str, &str) = ("content-type", "text/html; charset=ISO-8859-1");

/// A response.
pub fn answer(status: u16, headers: &[(&str, &str)], body: impl Into<Body>) -> Response {
    let response = headers
        .iter()
        .fold(Response::builder().status(status), |it, (name, value)| {
            it.header(*name, *value)
        });
    response.body(body.into()).expect("a response")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// The site behind every public name, by path. `before` counts the earlier requests for the same
/// path.
pub fn site(path: &str, before: usize) -> Response {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let packed = |body: Vec<u8>| answer(200, &[HTML, ("content-encoding", "gzip")], body);
    let number = || {
        path.rsplit('/')
            .next()
            .and_then(|number| number.parse().ok())
            .unwrap_or(0)
    };
    match path {
        "/page" => answer(200, &[HTML], "a page"),
        "/to" => answer(302, &[("location", query)], ""),
        "/nowhere" => answer(302, &[], ""),
        "/loop" => answer(301, &[("location", "/loop")], ""),
        "/hops/0" => answer(200, &[HTML], "arrived"),
        hops if hops.starts_with("/hops/") => {
            answer(307, &[("location", &(number() - 1).to_string())], "")
        }
        "/flaky" if before < 2 => answer(502, &[], ""),
        "/flaky" => answer(200, &[HTML], "third time lucky"),
        "/busy" if before == 0 => answer(429, &[("retry-after-ms", "1")], ""),
        "/later" if before == 0 => answer(429, &[("retry-after-ms", "100")], ""),
        "/maintenance" if before == 0 => answer(503, &[("retry-after", "0")], ""),
        "/busy" | "/later" | "/maintenance" => answer(200, &[HTML], "now"),
        "/closed" => answer(429, &[("retry-after", "3600")], ""),
        status if status.starts_with("/status/") => answer(number(), &[], "gone"),
        "/type" => answer(200, &[("content-type", query)], "x"),
        "/untyped" => answer(200, &[], "x"),
        "/gzip" => packed([gzip(b"un"), gzip(b"packed")].concat()),
        "/repetitive" => packed(gzip(&vec![b' '; 1 << 20])),
        "/bomb" => packed(gzip(&vec![0; 8 << 20])),
        "/void" => answer(
            200,
            &[HTML, ("content-encoding", "gzip")],
            endless(gzip(b"").repeat(200)),
        ),
        "/cut.gz" => packed(gzip(b"packed").split_off(3)),
        "/brotli" => answer(200, &[HTML, ("content-encoding", "br")], "x"),
        "/endless" => answer(200, &[HTML], endless(vec![b'x'; 4096])),
        "/trickle" => answer(200, &[HTML], trickle()),
        "/close" => answer(200, &[HTML, ("connection", "close")], "a page"),
        _ => answer(404, &[], ""),
    }
}

/// The same again and again.
fn endless(block: Vec<u8>) -> Body {
    Body::from_stream(stream::repeat_with(move || {
        Ok::<_, axum::Error>(block.clone())
    }))
}

/// A byte now and then, for ever.
fn trickle() -> Body {
    Body::from_stream(stream::repeat(()).then(async |()| {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok::<_, axum::Error>(Bytes::from_static(b"x"))
    }))
}

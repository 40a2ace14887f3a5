//! Here is a project: let people browse it, listen, follow a running command, and decide, in a
//! browser. Hides HTTP: who may ask, how much, and what a browser may do with the answer. It reads
//! beside a command that writes; what people decide is written by short transactions.

mod access;
mod assets;
mod browse;
mod facts;
mod listen;
mod live;
mod page;
mod paging;
mod people;
pub mod progress;
mod results;
mod sound;

use std::{collections::BTreeMap, net::IpAddr, path::PathBuf, sync::Arc};

use anyhow::Result;
use axum::{
    Router,
    extract::{DefaultBodyLimit, FromRequestParts, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::get,
};
use tokio::net::TcpListener;

use access::{Hosts, Key, Who, bracketed, cookie};
use facts::Facts;
use page::{Failure, Frame};

use crate::store::Store;

/// A form is a decision, or a task's text.
const FORM_BYTES: usize = 256 * 1024;
/// An answer takes no longer; a recording is sent for as long as one listens.
const ANSWERS_WITHIN: std::time::Duration = std::time::Duration::from_mins(2);

/// What a browser may do with a file that it shows by itself, such as a recording.
const FILE_POLICY: &str = "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

/// What to serve, and to whom.
pub struct Options {
    /// The address to listen on.
    pub host: IpAddr,
    /// The port; 0 has the system choose.
    pub port: u16,
    /// How others reach the server, such as `https://lab.example`, where that is another name.
    pub url: Option<url::Url>,
    /// Names of reviewers who get a link.
    pub reviewers: Vec<String>,
    /// Folder of the recordings.
    pub seminars: PathBuf,
    /// Folder of transcripts.
    pub transcripts: PathBuf,
    /// The database.
    pub database: PathBuf,
    /// Where running commands say how far they are.
    pub progress: PathBuf,
    /// Seed of the orders in which reviewers see things.
    pub seed: u64,
    /// Families of agents on the leaderboard.
    pub families: BTreeMap<String, Vec<String>>,
    /// How many times as much criteria weigh, by their names in small letters.
    pub weights: BTreeMap<String, f64>,
}

/// A server that listens, and the links that lead to it.
pub struct Listening {
    listener: TcpListener,
    server: Arc<Server>,
    counted: live::Counted,
    /// The address for visitors.
    pub address: String,
    /// Addresses for reviewers, by name.
    pub reviewers: Vec<(String, String)>,
}

/// What answers requests.
struct Server {
    options: Options,
    facts: Arc<Facts>,
    /// For what people decide.
    decisions: Store,
    key: Key,
    hosts: Hosts,
    /// The name of the cookie: servers of several projects are told apart by their ports.
    cookie: String,
    /// Whether everybody who reaches it may read: only from this machine.
    open: bool,
    kept: browse::Kept,
    results: results::Kept,
    people: people::Kept,
    live: live::Live,
}

impl Listening {
    /// Listens; `decisions` is for what people decide.
    pub async fn start(options: Options, decisions: Store) -> Result<Self> {
        let listener = TcpListener::bind((options.host, options.port)).await?;
        let port = listener.local_addr()?.port();
        let public = options.url.as_ref().map(|url| url.authority().to_owned());
        let base = match &options.url {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("http://{}:{port}", bracketed(options.host)),
        };
        let key = Key::new(decisions.link_key()?.into_bytes());
        let link = |who: &Who| format!("{base}/enter?token={}", key.token(who));
        let open = options.host.is_loopback() && options.url.is_none();
        let address = if open {
            format!("{base}/")
        } else {
            link(&Who::Visitor)
        };
        let reviewers = options.reviewers.iter();
        let reviewers = reviewers
            .map(|name| (name.clone(), link(&Who::Reviewer(name.clone()))))
            .collect();
        let server = Arc::new(Server {
            facts: Facts::open(options.database.clone())?,
            decisions,
            hosts: Hosts::new(options.host, port, public.as_deref()),
            cookie: format!("taskgen-{port}"),
            open,
            kept: browse::Kept::default(),
            results: results::Kept::default(),
            people: people::Kept::default(),
            live: live::Live::default(),
            key,
            options,
        });
        let mut counted = live::Counted::default();
        // Before anybody asks: the first page needs it.
        live::look(&server, &mut counted).await?;
        Ok(Self {
            listener,
            server,
            counted,
            address,
            reviewers,
        })
    }

    /// Answers requests until `end` comes.
    pub async fn answer(self, end: impl Future<Output = ()>) -> Result<()> {
        let follow = tokio::spawn(live::follow(Arc::clone(&self.server), self.counted));
        let ended = listen::answer(self.listener, router(&self.server), end).await;
        follow.abort();
        let now = jiff::Timestamp::now().to_string();
        self.server.decisions.end_run(&now, 0)?;
        ended
    }
}

fn router(server: &Arc<Server>) -> Router {
    Router::new()
        .merge(browse::routes())
        .merge(results::routes())
        .merge(people::routes())
        .route("/events", get(live::events))
        .route("/seminars/{id}/sound", get(sound::sound))
        .layer(middleware::from_fn_with_state(Arc::clone(server), readers))
        // Who has no cookie yet gets one here.
        .merge(people::doors())
        .route("/assets/{name}", get(assets::asset))
        .fallback(async || Failure::none("There is no such page"))
        .layer(DefaultBodyLimit::max(FORM_BYTES))
        .layer(middleware::from_fn_with_state(Arc::clone(server), guarded))
        .with_state(Arc::clone(server))
}

/// Lets through what names a host of ours and no form of another site, and says to the browser what
/// it may not do with the answer.
async fn guarded(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let mut response = if !server.hosts.knows(request.headers(), request.uri()) {
        Failure::new(
            StatusCode::MISDIRECTED_REQUEST,
            "This server does not answer to that name",
            "Open the address that `taskgen serve` printed; another name is given with --url.",
        )
        .into_response()
    } else if is_taken_elsewhere(request.headers()) {
        Failure::new(
            StatusCode::FORBIDDEN,
            "A page of another site asked for this",
            "A link to it may be followed.",
        )
        .into_response()
    } else if !reads && !server.hosts.sent_it(request.headers()) {
        Failure::new(
            StatusCode::FORBIDDEN,
            "A page of another site sent this form",
            "Nothing was changed.",
        )
        .into_response()
    } else {
        match tokio::time::timeout(ANSWERS_WITHIN, next.run(request)).await {
            Ok(response) => response,
            Err(_) => Failure::new(
                StatusCode::REQUEST_TIMEOUT,
                "That took too long",
                "What was sent may have been kept: look before you send it again.",
            )
            .into_response(),
        }
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        // With `no-referrer` a browser would not say where a form comes from.
        (header::REFERRER_POLICY, "same-origin"),
        (
            header::HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Files that are no page: nothing of them runs.
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(FILE_POLICY));
    // What it shows may be a secret of the lab, and is out of date tomorrow.
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Whether a page of another site wants this as a part of its own; a link is followed.
fn is_taken_elsewhere(headers: &HeaderMap) -> bool {
    let said = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    matches!(said("sec-fetch-site"), Some("cross-site" | "same-site"))
        && said("sec-fetch-mode") != Some("navigate")
}

/// Lets through who may read, and notes who it is.
async fn readers(State(server): State<Arc<Server>>, mut request: Request, next: Next) -> Response {
    let token = cookie(request.headers(), &server.cookie);
    // A server before this one lets in who does not sit at this machine.
    let is_passed_on = ["forwarded", "x-forwarded-for", "x-forwarded-host"]
        .iter()
        .any(|name| request.headers().contains_key(*name));
    let known = token.and_then(|token| server.key.who(token));
    let who = known.or_else(|| (server.open && !is_passed_on).then_some(Who::Visitor));
    let Some(who) = who else {
        return Failure::new(
            StatusCode::UNAUTHORIZED,
            "This server opens with a link",
            "Open the link that `taskgen serve` printed; behind another server it needs --url to print one. An old link may be void.",
        )
        .into_response();
    };
    request.extensions_mut().insert(who);
    next.run(request).await
}

impl Server {
    /// Whether others reach it through a server that adds TLS.
    fn is_behind_tls(&self) -> bool {
        let url = self.options.url.as_ref();
        url.is_some_and(|url| url.scheme() == "https")
    }

    /// The frame of a page for `who`.
    fn frame(&self, who: &Who, here: &'static str, title: impl Into<String>) -> Frame {
        let guard = match who {
            Who::Visitor => String::new(),
            Who::Reviewer(name) => self.key.guard(name),
        };
        Frame::new(who, guard, here, title)
    }
}

/// A visitor: a page that shows what others said is closed to reviewers.
struct Visitor(Who);

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        match parts.extensions.get::<Who>() {
            Some(Who::Visitor) => Ok(Self(Who::Visitor)),
            _ => Err(Failure::new(
                StatusCode::FORBIDDEN,
                "This page is closed to reviewers",
                "It shows what others said, and reviews are blind. `Leave` on the page of a review ends yours here.",
            )),
        }
    }
}

/// A visitor or a reviewer: what is shown tells nothing of what others said.
struct Anybody(Who);

impl<S: Sync> FromRequestParts<S> for Anybody {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let who = parts.extensions.get::<Who>().cloned();
        who.map(Self).ok_or_else(no_reviewer)
    }
}

/// A reviewer, by name.
struct Reviewer(String);

impl<S: Sync> FromRequestParts<S> for Reviewer {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        match parts.extensions.get::<Who>() {
            Some(Who::Reviewer(name)) => Ok(Self(name.clone())),
            _ => Err(no_reviewer()),
        }
    }
}

fn no_reviewer() -> Failure {
    Failure::new(
        StatusCode::FORBIDDEN,
        "Who decides needs a name",
        "Open a reviewer's link: `taskgen serve --reviewer NAME` prints one.",
    )
}

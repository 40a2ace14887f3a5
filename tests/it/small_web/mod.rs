//! A small web on loopback for a whole evaluation without a network: pages that carry planted
//! facts, reports of three agents that cite them, models that read only their prompt, and what must
//! come out. Hides how servers dress, move, refuse and lose their pages.

pub mod agents;
pub mod expected;
pub mod facts;
pub mod judge;
mod numbers;
mod pages;
mod promises;
pub mod serving;
mod wire;
pub mod world;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
};

use axum::{
    Router,
    body::Body,
    extract::State,
    http::{Response, Uri},
};

use crate::support::web;

/// A running server. It ends with the process.
pub struct SmallWeb {
    /// `http://127.0.0.1:PORT`, without a slash at the end.
    pub url: String,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    hits: Mutex<BTreeMap<String, usize>>,
    removed: Mutex<BTreeSet<String>>,
}

impl SmallWeb {
    /// Starts a server of its own, on a port of its own.
    pub fn start() -> Self {
        let seen = Arc::new(Seen::default());
        let state = Arc::clone(&seen);
        let url = web::serve(Router::new().fallback(answer).with_state(state));
        Self { url, seen }
    }

    /// How often each path was asked for, robots.txt apart; queries do not count.
    pub fn hits(&self) -> BTreeMap<String, usize> {
        lock(&self.seen.hits).clone()
    }

    /// From now on there is nothing at `path`.
    pub fn remove(&self, path: &str) {
        assert!(
            pages::find(path).is_some(),
            "there never was a page at `{path}`"
        );
        lock(&self.seen.removed).insert(path.to_owned());
    }
}

async fn answer(State(seen): State<Arc<Seen>>, uri: Uri) -> Response<Body> {
    if uri.path() == "/robots.txt" {
        return serving::robots();
    }
    *lock(&seen.hits).entry(uri.path().to_owned()).or_default() += 1;
    let removed = lock(&seen.removed).contains(uri.path());
    let Some(page) = pages::find(uri.path()).filter(|_| !removed) else {
        return serving::not_found();
    };
    tokio::time::sleep(page.delay).await;
    serving::served(page)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic while locked")
}

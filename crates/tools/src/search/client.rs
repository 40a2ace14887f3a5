//! The search as its callers see it: the record first, then the provider, and each answer is kept
//! before anybody reads it.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use anyhow::{Context as _, Result};

use super::{SearchError, SearchKey, SearchProvider, SearchResult, local::Local, remote::Remote};
use crate::{http::Retries, store::Store};

/// How to search.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// The provider.
    pub provider: SearchProvider,
    /// Its server instead of the public one: http or https, without user and query.
    pub base_url: Option<String>,
    /// The key; none where the server needs none.
    pub key: Option<SearchKey>,
    /// Of Google: the search engine.
    pub engine_id: Option<String>,
    /// Of a local search: the file.
    pub file: Option<PathBuf>,
    /// Only this machine may be reached.
    pub offline: bool,
    /// Only what is on record; nothing is sent.
    pub stored_only: bool,
    /// How often and how patiently a busy server is asked.
    pub retries: Retries,
}

impl SearchOptions {
    /// The public server of a provider, asked three times at most.
    pub fn new(provider: SearchProvider) -> Self {
        Self {
            provider,
            base_url: None,
            key: None,
            engine_id: None,
            file: None,
            offline: false,
            stored_only: false,
            retries: Retries {
                attempts: 3,
                pause: Duration::from_secs(1),
                longest: Duration::from_mins(1),
            },
        }
    }
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched {
    /// The results, in the provider's order, ten at most; none where nothing was found.
    pub results: Vec<SearchResult>,
    /// Whether it was on record, so that nothing was sent.
    pub on_record: bool,
}

enum Source {
    Remote(Box<Remote>),
    Local(Box<Local>),
}

/// A search engine with its record.
pub struct Searcher {
    source: Source,
    provider: SearchProvider,
    /// What is asked: the server with the engine, or the file by its hash.
    server: String,
    stored_only: bool,
    sent: AtomicU64,
    found: AtomicU64,
}

impl Searcher {
    /// Nothing is sent yet; a local file is read.
    ///
    /// # Errors
    ///
    /// A file that is missing or cannot be read, by its line.
    pub fn new(options: SearchOptions) -> Result<Self> {
        let SearchOptions {
            provider,
            base_url,
            key,
            engine_id,
            file,
            offline,
            stored_only,
            retries,
        } = options;
        let (source, server) = match provider.server() {
            None => {
                let file = file.context("a local search needs a file\nhint: `file` in [search]")?;
                let local = Local::open(&file)?;
                let server = local.hash.clone();
                (Source::Local(Box::new(local)), server)
            }
            Some(public) => {
                let base_url = base_url.as_deref().unwrap_or(public);
                let remote = Remote::new(provider, base_url, (key, engine_id), (offline, retries))?;
                let server = match &remote.engine_id {
                    Some(engine) => format!("{}#{engine}", remote.base_url),
                    None => remote.base_url.clone(),
                };
                (Source::Remote(Box::new(remote)), server)
            }
        };
        Ok(Self {
            source,
            provider,
            server,
            stored_only,
            sent: AtomicU64::new(0),
            found: AtomicU64::new(0),
        })
    }

    /// What tells this search apart from another, for what follows from its answers.
    pub fn identity(&self) -> [&str; 2] {
        [self.provider.word(), &self.server]
    }

    /// Searches that were sent, one for each query whatever its attempts, and those that were on
    /// record.
    pub fn counts(&self) -> (u64, u64) {
        (
            self.sent.load(Ordering::Relaxed),
            self.found.load(Ordering::Relaxed),
        )
    }

    /// Whether a query is on record.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn is_on_record(&self, store: &Store, query: &str) -> Result<bool> {
        let [provider, server] = self.identity();
        let found: Option<Vec<SearchResult>> = store.search(provider, server, query)?;
        Ok(found.is_some())
    }

    /// The answer to a query, from the record or from the provider, at `now` (RFC 3339). The inner
    /// error is a failed search, of which nothing is kept.
    ///
    /// # Errors
    ///
    /// The database cannot be read or written.
    pub async fn search(
        &self,
        store: &Store,
        query: &str,
        now: &str,
    ) -> Result<Result<Searched, SearchError>> {
        let [provider, server] = self.identity();
        if let Some(results) = store.search(provider, server, query)? {
            self.found.fetch_add(1, Ordering::Relaxed);
            return Ok(Ok(Searched {
                results,
                on_record: true,
            }));
        }
        if self.stored_only {
            return Ok(Err(SearchError::NotOnRecord(super::error::quoted(query))));
        }
        self.sent.fetch_add(1, Ordering::Relaxed);
        let results = match &self.source {
            Source::Local(local) => local.search(query),
            Source::Remote(remote) => match remote.search(query).await {
                Ok(results) => results,
                Err(error) => return Ok(Err(error)),
            },
        };
        store.save_search(provider, server, query, &results, now)?;
        Ok(Ok(Searched {
            results,
            on_record: false,
        }))
    }
}

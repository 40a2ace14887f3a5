//! Pages behind URLs, from the store where they were fetched before. Each URL is requested once;
//! the bytes are stored, so that every judgement can name its evidence and a later version can
//! decide again whether they are a page.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use anyhow::Result;

use super::{
    FetchError, FetchOptions, Fetcher,
    fetch::Fetched,
    jina::{Jina, JinaOptions, KeyRefused},
    read::{self, PageLink},
    reader_process::{PageQuestion, PageReader},
};
use crate::{data::Visit, store::Store};

/// The source of pages.
pub struct Pages {
    source: Source,
    reader: PageReader,
    stored_only: bool,
    again: bool,
    patience: Patience,
}

/// Failures in a row after which a host is left alone for the rest of a run.
const FAILURES_IN_A_ROW: u32 = 5;

/// Hosts that fail again and again. A host that answers every request with a refusal would hold up
/// a run for hours, a minute an address.
#[derive(Default)]
struct Patience {
    failures: Mutex<HashMap<String, u32>>,
}

impl Patience {
    fn is_given_up(&self, host: &str) -> bool {
        self.failures().get(host).copied().unwrap_or(0) >= FAILURES_IN_A_ROW
    }

    /// Counts a request's outcome; a page, or a refusal of this page alone, begins anew.
    fn note(&self, host: &str, is_transient: bool) {
        let mut failures = self.failures();
        if is_transient {
            *failures.entry(host.to_owned()).or_default() += 1;
        } else {
            failures.remove(host);
        }
    }

    fn failures(&self) -> MutexGuard<'_, HashMap<String, u32>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A fetcher of pages.
enum Source {
    Own(Box<Fetcher>),
    Jina(Box<Jina>),
}

impl Source {
    async fn fetch(&self, url: &str) -> Result<Fetched, KeyRefused> {
        match self {
            Self::Own(fetcher) => Ok(fetcher.fetch(url).await),
            Self::Jina(jina) => jina.fetch(url).await,
        }
    }

    /// The word that is stored with each visit.
    fn word(&self) -> &'static str {
        match self {
            Self::Own(_) => "taskgen",
            Self::Jina(_) => "jina",
        }
    }
}

/// How to get pages.
#[derive(Clone, Debug, Default)]
pub struct PagesOptions {
    /// This program, which reads each page in a process of its own.
    pub program: PathBuf,
    /// How to fetch.
    pub fetch: FetchOptions,
    /// Jina Reader goes for them instead of us.
    pub jina: Option<JinaOptions>,
    /// Only what is stored; nothing is fetched.
    pub stored_only: bool,
    /// What failed for good is tried again, too.
    pub retry_failed: bool,
}

/// A page that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Hash of its bytes.
    pub content: String,
    /// Its title.
    pub title: Option<String>,
    /// Its text.
    pub text: String,
}

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoPage {
    /// One word.
    pub cause: String,
    /// For people.
    pub message: String,
    /// Whether a later run may have it: the failure may pass, or nothing was sent.
    pub passing: bool,
}

/// The outcome of fetching a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Got {
    /// The page, or why there is none.
    pub page: Result<Page, NoPage>,
    /// Whether nothing was sent for it.
    pub stored: bool,
}

impl Pages {
    /// Pages by these options.
    pub fn new(options: PagesOptions) -> Result<Self> {
        let PagesOptions {
            program,
            fetch,
            jina,
            stored_only,
            retry_failed,
        } = options;
        let source = match jina {
            Some(jina) => Source::Jina(Box::new(Jina::new(jina, fetch)?)),
            None => Source::Own(Box::new(Fetcher::new(fetch)?)),
        };
        Ok(Self {
            source,
            reader: PageReader::new(program),
            stored_only,
            again: retry_failed,
            patience: Patience::default(),
        })
    }

    /// The page behind `url`, fetched now (at `now`, RFC 3339) unless it is known.
    pub async fn get(&self, store: &Store, url: &str, now: &str) -> Result<Got> {
        let known = match store.visit(url)? {
            Some(visit) => Some(self.up_to_date(store, visit).await?),
            None => None,
        };
        let usable = |visit: &Visit| {
            // A failure that may pass is tried again by each run; one for good only when asked to.
            visit.cause.is_none() || self.stored_only || !(visit.transient || self.again)
        };
        let (visit, stored) = match known {
            Some(visit) if usable(&visit) => (visit, true),
            None if self.stored_only => {
                let message = "not fetched, and nothing is fetched now".to_owned();
                return Ok(Got {
                    page: Err(NoPage {
                        cause: "not_stored".into(),
                        message,
                        passing: true,
                    }),
                    stored: true,
                });
            }
            _ if self.patience.is_given_up(&host_of(url)) => return Ok(given_up(url)),
            _ => (self.fetch(store, url, now).await?, false),
        };
        let page = page(store, &visit)?.ok_or_else(|| NoPage {
            passing: visit.transient || visit.cause.as_deref() == Some("not_read"),
            cause: visit.cause.unwrap_or_else(|| "no_content".to_owned()),
            message: visit.message.unwrap_or_default(),
        });
        Ok(Got { page, stored })
    }

    /// The links of the page behind `url`, which was fetched before; none where nobody could look.
    pub async fn links(&self, store: &Store, url: &str) -> Result<Option<Vec<PageLink>>> {
        let Some(visit) = store.visit(url)? else {
            return Ok(None);
        };
        let content = visit.content.as_ref().filter(|_| visit.cause.is_none());
        let Some(bytes) = content
            .map(|content| store.content(content))
            .transpose()?
            .flatten()
        else {
            return Ok(None);
        };
        let question = PageQuestion {
            status: visit.status.unwrap_or(200),
            last: visit.final_url.unwrap_or_else(|| visit.url.clone()),
            asked: visit.url,
            content_type: visit.content_type,
            links: true,
        };
        let decision = self.reader.decide(&question, &bytes).await?;
        Ok(decision.and_then(|decision| decision.links))
    }

    async fn fetch(&self, store: &Store, url: &str, now: &str) -> Result<Visit> {
        let fetched = self.source.fetch(url).await?;
        let is_transient = fetched.body.as_ref().is_err_and(FetchError::is_transient);
        self.patience.note(&host_of(url), is_transient);
        // With its charset: the bytes may be read again.
        let content_type = match (&fetched.content_type, &fetched.charset) {
            (Some(media), Some(charset)) => Some(format!("{media}; charset={charset}")),
            (media, _) => media.clone(),
        };
        let mut visit = Visit {
            url: url.to_owned(),
            final_url: fetched.final_url,
            fetched: now.to_owned(),
            status: fetched.status,
            content_type,
            fetcher: self.source.word().to_owned(),
            ..Visit::default()
        };
        let bytes = match fetched.body {
            Ok(bytes) => bytes,
            Err(error) => {
                visit.cause = Some(error.cause().to_owned());
                visit.message = Some(error.to_string());
                visit.transient = error.is_transient();
                store.save_visit(&visit, None)?;
                return Ok(visit);
            }
        };
        // The bytes first: whatever becomes of reading them, they are not fetched again. A run that
        // ends in between leaves a visit that is counted as not read, and read by the next one.
        visit.cause = Some("not_read".to_owned());
        visit.content = store.save_visit(&visit, Some(&bytes))?;
        self.decide(store, &mut visit, &bytes).await?;
        Ok(visit)
    }

    /// A stored visit as today's readers see it. Its bytes are looked at again where an earlier
    /// version decided what they are or made their text, and where a run ended before that.
    async fn up_to_date(&self, store: &Store, mut visit: Visit) -> Result<Visit> {
        let Some(content) = &visit.content else {
            return Ok(visit);
        };
        if visit.decided_by.as_ref() == Some(&read::decider())
            && (visit.cause.is_some() || is_read(store, content)?)
        {
            return Ok(visit);
        }
        let Some(bytes) = store.content(content)? else {
            visit.cause = Some("not_stored".to_owned());
            visit.message =
                Some("its bytes are gone from the database, or were changed".to_owned());
            visit.transient = true;
            return Ok(visit);
        };
        self.decide(store, &mut visit, &bytes).await?;
        Ok(visit)
    }

    /// Decides from its bytes whether a visit brought a page, and keeps the decision and the text.
    async fn decide(&self, store: &Store, visit: &mut Visit, bytes: &[u8]) -> Result<()> {
        let asked = visit.url.clone();
        let question = PageQuestion {
            status: visit.status.unwrap_or(200),
            last: visit.final_url.clone().unwrap_or_else(|| asked.clone()),
            asked,
            content_type: visit.content_type.clone(),
            links: false,
        };
        let Some(decision) = self.reader.decide(&question, bytes).await? else {
            visit.message = Some("its reading was interrupted; the next run reads it".to_owned());
            return Ok(());
        };
        (visit.cause, visit.message) = (decision.cause, decision.message);
        visit.decided_by = Some(read::decider());
        store.save_decision(visit)?;
        if let (Some(content), Some(extract)) = (&visit.content, decision.extract) {
            store.save_extract(content, &extract)?;
        }
        Ok(())
    }
}

/// The host of a URL as it is written; empty for what is no URL.
fn host_of(url: &str) -> String {
    let host = url::Url::parse(url).ok();
    let host = host.as_ref().and_then(url::Url::host_str);
    host.unwrap_or_default().to_owned()
}

/// A page of a host that was given up; the next run requests it.
fn given_up(url: &str) -> Got {
    let host = super::error::quoted(&host_of(url));
    Got {
        page: Err(NoPage {
            cause: "host_given_up".to_owned(),
            message: format!(
                "`{host}` refused {FAILURES_IN_A_ROW} requests in a row and is left alone in this run"
            ),
            passing: true,
        }),
        stored: false,
    }
}

fn is_read(store: &Store, content: &str) -> Result<bool> {
    let known = store.extract(content)?;
    Ok(known.is_some_and(|known| read::is_current(&known.extractor, &known.version)))
}

/// The page that a visit brought, if it brought one.
fn page(store: &Store, visit: &Visit) -> Result<Option<Page>> {
    let (None, Some(content)) = (&visit.cause, &visit.content) else {
        return Ok(None);
    };
    let page = store.extract(content)?.map(|extract| Page {
        content: content.clone(),
        title: extract.title,
        text: extract.text,
    });
    Ok(page)
}

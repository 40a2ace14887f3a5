//! A URL becomes a page with its text, out of the store where it was fetched before. Each URL is
//! asked for once; bytes are kept, so that every judgement can name what it saw.

use anyhow::Result;

use super::{
    FetchOptions, Fetcher,
    fetch::Fetched,
    jina::{Jina, JinaOptions, KeyRefused},
    read,
};
use crate::{
    data::Visit,
    store::{Extract, Store},
};

/// Where pages come from.
pub struct Pages {
    reader: Reader,
    stored_only: bool,
    again: bool,
}

/// Who goes for a page.
enum Reader {
    Own(Box<Fetcher>),
    Jina(Box<Jina>),
}

impl Reader {
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
}

/// What came of a URL.
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
            fetch,
            jina,
            stored_only,
            retry_failed,
        } = options;
        let reader = match jina {
            Some(jina) => Reader::Jina(Box::new(Jina::new(jina, fetch)?)),
            None => Reader::Own(Box::new(Fetcher::new(fetch)?)),
        };
        Ok(Self {
            reader,
            stored_only,
            again: retry_failed,
        })
    }

    /// The page behind `url`, fetched now (at `now`, RFC 3339) unless it is known.
    pub async fn get(&self, store: &Store, url: &str, now: &str) -> Result<Got> {
        let known = store.visit(url)?;
        let usable = |visit: &Visit| {
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
                    }),
                    stored: true,
                });
            }
            _ => (self.fetch(store, url, now).await?, false),
        };
        let page = match (&visit.cause, &visit.content) {
            (None, Some(content)) => page(store, &visit, content)?,
            (cause, _) => Err(NoPage {
                cause: cause.clone().unwrap_or_else(|| "no_content".to_owned()),
                message: visit.message.clone().unwrap_or_default(),
            }),
        };
        Ok(Got { page, stored })
    }

    async fn fetch(&self, store: &Store, url: &str, now: &str) -> Result<Visit> {
        let fetched = self.reader.fetch(url).await?;
        let mut visit = Visit {
            url: url.to_owned(),
            final_url: fetched.final_url.clone(),
            fetched: now.to_owned(),
            status: fetched.status,
            content_type: fetched.content_type.clone(),
            fetcher: self.reader.word().to_owned(),
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
        let header = match (&fetched.content_type, &fetched.charset) {
            (Some(media), Some(charset)) => Some(format!("{media}; charset={charset}")),
            (media, _) => media.clone(),
        };
        // With its charset: the bytes may be read again.
        visit.content_type.clone_from(&header);
        let (status, last) = (
            fetched.status.unwrap_or(200),
            fetched.final_url.unwrap_or_else(|| url.to_owned()),
        );
        let asked = url.to_owned();
        // Reading is work for the processor, not waiting.
        let (bytes, text) = tokio::task::spawn_blocking(move || {
            let text = read::read(&bytes, header.as_deref(), &last);
            let doubt = text
                .as_ref()
                .ok()
                .and_then(|text| read::suspect(status, text, &asked, &last));
            (bytes, text.map(|text| (text, doubt)))
        })
        .await?;
        match &text {
            Err(error) => {
                visit.cause = Some(error.cause().to_owned());
                visit.message = Some(error.to_string());
            }
            Ok((_, Some(doubt))) => {
                let cues: Vec<String> = doubt
                    .cues
                    .iter()
                    .map(|cue| format!("{:?}: {}", cue.place, cue.seen))
                    .collect();
                visit.cause = Some(doubt.stub.word().to_owned());
                visit.message = Some(format!("not the page itself ({})", cues.join("; ")));
            }
            Ok((text, None)) if text.text.trim().is_empty() => {
                visit.cause = Some("no_text".to_owned());
            }
            Ok(_) => {}
        }
        let content = store.save_visit(&visit, Some(&bytes))?;
        if let (Ok((text, _)), Some(content)) = (text, &content) {
            store.save_extract(content, &extract(text))?;
        }
        visit.content = content;
        Ok(visit)
    }
}

fn extract(read: read::Read) -> Extract {
    Extract {
        extractor: read.extractor.to_owned(),
        version: read.version.to_owned(),
        title: read.title,
        text: read.text,
    }
}

/// The text of stored bytes. They are read again where an earlier version of the reader made their
/// text, and where a run ended between the bytes and their text.
fn page(store: &Store, visit: &Visit, content: &str) -> Result<Result<Page, NoPage>> {
    let known = store.extract(content)?;
    let current = known.filter(|known| read::is_current(&known.extractor, &known.version));
    if let Some(Extract { title, text, .. }) = current {
        return Ok(Ok(Page {
            content: content.to_owned(),
            title,
            text,
        }));
    }
    let bytes = store.content(content)?.unwrap_or_default();
    let url = visit.final_url.as_deref().unwrap_or(&visit.url);
    match read::read(&bytes, visit.content_type.as_deref(), url) {
        Ok(read) => {
            let extract = extract(read);
            store.save_extract(content, &extract)?;
            Ok(Ok(Page {
                content: content.to_owned(),
                title: extract.title,
                text: extract.text,
            }))
        }
        Err(error) => Ok(Err(NoPage {
            cause: error.cause().to_owned(),
            message: error.to_string(),
        })),
    }
}

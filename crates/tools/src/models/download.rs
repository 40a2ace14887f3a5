//! The publisher's file by https: a part on disk is continued, a break is tried again, a wrong file
//! is removed.

use std::{io::Write as _, path::Path, time::Duration};

use anyhow::{Context as _, Result, anyhow};
use futures_util::StreamExt as _;
use reqwest::{Method, Response, StatusCode, Url, header};

use super::target::{Target, length};
use crate::http::{Again, Http, HttpOptions, Retries, retry, retry_after};

/// Time for a connection to the publisher.
const CONNECT: Duration = Duration::from_secs(5);
const RETRIES: Retries = Retries {
    attempts: 4,
    pause: Duration::from_millis(300),
    longest: Duration::from_secs(20),
};

/// A failed attempt, and whether another one may help.
struct Failed {
    error: anyhow::Error,
    again: Again,
}

impl<E: Into<anyhow::Error>> From<E> for Failed {
    fn from(error: E) -> Self {
        Self {
            error: error.into(),
            again: Again::Never,
        }
    }
}

fn later(error: anyhow::Error) -> Failed {
    Failed {
        error,
        again: Again::Later,
    }
}

/// Fetches, checks and lands the file.
pub fn from_url(target: &Target<'_>, url: &str, patience: Duration) -> Result<()> {
    let url: Url = url.parse()?;
    let http = Http::new(HttpOptions {
        connect_timeout: CONNECT,
        silence: Some(patience),
        redirects: true,
        ..HttpOptions::default()
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // The caller may be inside a runtime of its own; a thread of ours is in none.
    std::thread::scope(|scope| {
        let download = scope.spawn(|| {
            let fetch = retry(
                RETRIES,
                || attempt(target, &http, &url),
                |failed: &Failed| failed.again,
            );
            runtime.block_on(fetch).map_err(|failed| failed.error)
        });
        download
            .join()
            .map_err(|_| anyhow!("the download stopped"))?
    })
}

async fn attempt(target: &Target<'_>, http: &Http, url: &Url) -> Result<(), Failed> {
    let part = target.beside("part");
    let (have, bytes) = (length(&part), target.model.bytes);
    if have > bytes {
        fs_err::remove_file(&part)?;
    }
    let resumed = 0 < have && have <= bytes;
    if have != bytes {
        let from = if resumed { have } else { 0 };
        receive(target, ask(http, url, from).await?, &part, from).await?;
    }
    let found = crate::files::sha256_of(&part)?;
    let landed = target.land(&part, &found);
    // What was there before may have been another file's beginning: once more, from the start.
    landed.map_err(|error| if resumed { later(error) } else { error.into() })
}

/// The response to a request for the file from byte `from` on.
async fn ask(http: &Http, url: &Url, from: u64) -> Result<Response, Failed> {
    let host = url.host_str().unwrap_or_default();
    let mut request = http.request(Method::GET, url)?;
    if from > 0 {
        request = request.header(header::RANGE, format!("bytes={from}-"));
    }
    let response = request
        .send()
        .await
        .map_err(|e| anyhow!("{host} is not reached: {}", root(&e)))?;
    match response.status() {
        StatusCode::OK | StatusCode::PARTIAL_CONTENT => Ok(response),
        status => {
            let error = anyhow!("{host} answered {}", status.as_u16());
            // Other statuses, such as 404, will be the same the next time.
            let busy = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
            let asked = retry_after(response.headers(), jiff::Timestamp::now());
            let again = if busy {
                asked.map_or(Again::Later, Again::After)
            } else {
                Again::Never
            };
            Err(Failed { error, again })
        }
    }
}

/// Writes the response's body to the part, which holds `from` bytes.
async fn receive(
    target: &Target<'_>,
    response: Response,
    part: &Path,
    from: u64,
) -> Result<(), Failed> {
    let host = response.url().host_str().unwrap_or_default().to_owned();
    let range = response
        .headers()
        .get(header::CONTENT_RANGE)
        .and_then(|range| range.to_str().ok());
    let continues = response.status() == StatusCode::PARTIAL_CONTENT
        && range.is_some_and(|range| range.starts_with(&format!("bytes {from}-")));
    // A server that knows no ranges sends all of it.
    let (mut file, mut done) = if continues {
        (fs_err::OpenOptions::new().append(true).open(part)?, from)
    } else {
        (fs_err::File::create(part)?, 0)
    };
    let mut body = response.bytes_stream();
    while let Some(bytes) = body.next().await {
        let bytes = bytes.map_err(|e| {
            later(anyhow!(
                "the download broke off: {}; it can be continued",
                root(&e)
            ))
        })?;
        file.write_all(&bytes)?;
        done += bytes.len() as u64;
        (target.progress)(
            &format!("downloading from {host}"),
            done,
            target.model.bytes,
        );
        if done > target.model.bytes {
            break;
        }
    }
    file.sync_all().context("the download cannot be kept")?;
    if done < target.model.bytes {
        return Err(later(anyhow!(
            "the download ended early; it can be continued"
        )));
    }
    Ok(())
}

/// The innermost cause: the outer ones repeat the address.
fn root(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

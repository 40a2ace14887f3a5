//! Reading of one response: the bytes of a page, a redirect, or a typed failure. Hides status
//! codes, content types and the different limits of pages and of robots.txt.

use reqwest::{
    Response, StatusCode, Url,
    header::{self, HeaderMap},
};

use super::{FetchError, body, error::quoted};

/// Of a longer robots.txt only the beginning counts (RFC 9309, section 2.5).
const LONGEST_ROBOTS: usize = 500 << 10;
/// What can be read.
const TYPES: [&str; 8] = [
    "text/html",
    "application/xhtml+xml",
    "text/plain",
    "text/markdown",
    "application/pdf",
    "application/json",
    "application/xml",
    "text/xml",
];

/// The kind of content that was requested.
#[derive(Clone, Copy)]
pub enum Wanted {
    /// A page of one of the types that can be read.
    Page {
        /// Its largest size in bytes, unpacked.
        limit: usize,
    },
    /// A site's robots.txt, whatever type its server gives it.
    Robots,
}

/// The content of a response.
pub enum Content {
    /// A body, unpacked.
    Bytes(Vec<u8>),
    /// It is elsewhere.
    Moved(Url),
}

/// The head of a response.
#[derive(Clone, Default)]
pub struct Head {
    /// The status.
    pub status: Option<u16>,
    /// The media type in lower case, without parameters.
    pub content_type: Option<String>,
    /// The charset in lower case.
    pub charset: Option<String>,
}

impl Head {
    /// The head of `response`.
    pub fn read(response: &Response) -> Self {
        let (content_type, charset) = media_type(response.headers());
        Self {
            status: Some(response.status().as_u16()),
            content_type,
            charset,
        }
    }
}

/// Reads the wanted content of `response`.
pub async fn content(
    response: Response,
    head: &Head,
    wanted: Wanted,
) -> Result<Content, FetchError> {
    match response.status() {
        StatusCode::MOVED_PERMANENTLY
        | StatusCode::FOUND
        | StatusCode::SEE_OTHER
        | StatusCode::TEMPORARY_REDIRECT
        | StatusCode::PERMANENT_REDIRECT => target(&response).map(Content::Moved),
        StatusCode::TOO_MANY_REQUESTS => Err(FetchError::RateLimited),
        status if !status.is_success() => Err(FetchError::HttpStatus {
            status: status.as_u16(),
        }),
        _ => match wanted {
            Wanted::Page { limit } => page(response, head, limit).await,
            Wanted::Robots => robots_txt(response).await,
        },
    }
}

/// Where a redirect points to.
fn target(response: &Response) -> Result<Url, FetchError> {
    let location = response
        .headers()
        .get(header::LOCATION)
        .ok_or(FetchError::BadRedirect)?;
    let location = String::from_utf8_lossy(location.as_bytes());
    response
        .url()
        .join(&location)
        .map_err(|_| FetchError::BadRedirect)
}

async fn page(response: Response, head: &Head, limit: usize) -> Result<Content, FetchError> {
    let found = head.content_type.as_deref().unwrap_or("none");
    if !TYPES.contains(&found) {
        return Err(FetchError::ContentType {
            found: found.to_owned(),
        });
    }
    if response
        .content_length()
        .is_some_and(|length| length > limit as u64)
    {
        return Err(FetchError::TooLarge { limit });
    }
    let mut bytes = Vec::new();
    body::read(response, limit, &mut bytes).await?;
    Ok(Content::Bytes(bytes))
}

async fn robots_txt(response: Response) -> Result<Content, FetchError> {
    let mut bytes = Vec::new();
    match body::read(response, LONGEST_ROBOTS, &mut bytes).await {
        Ok(()) | Err(FetchError::TooLarge { .. }) => Ok(Content::Bytes(bytes)),
        Err(error) => Err(error),
    }
}

/// The media type and its charset.
fn media_type(headers: &HeaderMap) -> (Option<String>, Option<String>) {
    let text = headers
        .get(header::CONTENT_TYPE)
        .and_then(|text| text.to_str().ok())
        .unwrap_or_default();
    let mut parts = text.split(';').map(str::trim);
    let essence = parts.next().and_then(unquoted);
    let charset = parts
        .filter_map(|part| part.split_once('='))
        .find(|(name, _)| name.eq_ignore_ascii_case("charset"));
    (essence, charset.and_then(|(_, value)| unquoted(value)))
}

fn unquoted(text: &str) -> Option<String> {
    Some(quoted(&text.trim_matches('"').to_ascii_lowercase())).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types() {
        let check = |text: &'static str, essence: Option<&str>, charset: Option<&str>| {
            let headers = HeaderMap::from_iter([(
                header::CONTENT_TYPE,
                header::HeaderValue::from_static(text),
            )]);
            let (found, its_charset) = media_type(&headers);
            assert_eq!(
                (found.as_deref(), its_charset.as_deref()),
                (essence, charset),
                "{text}"
            );
        };
        check("text/html", Some("text/html"), None);
        check(
            "Text/HTML ; q=1;CharSet=\"UTF-8\"",
            Some("text/html"),
            Some("utf-8"),
        );
        check("text/plain;charset=", Some("text/plain"), None);
        check("", None, None);
        assert_eq!(media_type(&HeaderMap::new()), (None, None));
    }
}

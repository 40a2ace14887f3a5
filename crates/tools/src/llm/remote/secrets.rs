//! What must never be said of a server: its key, and what its URL hides. Hides which words stand
//! for no key.

use reqwest::Url;

use super::RemoteOptions;

/// The key, and user, password and each value of the query of the URL, as written and as meant.
pub(super) fn secrets(options: &RemoteOptions) -> Vec<String> {
    let url = Url::parse(&options.base_url).ok();
    let (_, query) = options.base_url.split_once('?').unwrap_or_default();
    let key = options.api_key.iter().filter(|key| !stands_for_no_key(key));
    let mut secrets: Vec<String> = key.cloned().collect();
    // The version of an API, which some servers want there, is no secret.
    let hides = |name: &str| name != "api-version";
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    secrets.extend(
        pairs
            .filter(|(name, _)| hides(name))
            .map(|(_, value)| value.to_owned()),
    );
    if let Some(url) = &url {
        secrets.extend(
            url.query_pairs()
                .filter(|(name, _)| hides(name))
                .map(|(_, value)| value.into_owned()),
        );
        secrets.extend([
            url.username().to_owned(),
            url.password().unwrap_or_default().to_owned(),
        ]);
    }
    // What is so short that it may be part of any word is no secret.
    secrets.retain(|secret| secret.len() > 3);
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.dedup();
    secrets
}

/// Words that are given as a key to servers that ask for none.
const NO_KEY: [&str; 14] = [
    "none",
    "null",
    "empty",
    "no-key",
    "nokey",
    "dummy",
    "fake",
    "test",
    "local",
    "ollama",
    "lm-studio",
    "not-needed",
    "unused",
    "sk-no-key-required",
];

/// Whether a key is such a word. It is no secret, and taking it out would spoil replies.
fn stands_for_no_key(key: &str) -> bool {
    NO_KEY.contains(&key.to_lowercase().as_str())
}

/// The URL without user, password and query, for the record and for messages.
pub fn shown_url(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (host, path) = rest
        .split_once('/')
        .map_or((rest, None), |(host, path)| (host, Some(path)));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    path.map_or_else(
        || format!("{scheme}://{host}"),
        |path| format!("{scheme}://{host}/{path}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_in_what_is_shown() {
        let check = |url, expect: &str| assert_eq!(shown_url(url), expect);
        check("https://me:pw@host:81/v1?key=x", "https://host:81/v1");
        check("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1");
        check("https://host", "https://host");
    }

    #[test]
    fn whatever_a_key_begins_with_it_is_a_secret() {
        let base_url =
            "https://me:a%20pass@host/v1?api-version=2026-01-01&sig=20ab%2Bcd&x=1".to_owned();
        let found = secrets(&RemoteOptions {
            base_url,
            api_key: Some("2026-key".into()),
            ..RemoteOptions::default()
        });
        assert_eq!(found, ["20ab%2Bcd", "2026-key", "a%20pass", "20ab+cd"]);
    }

    #[test]
    fn a_word_for_no_key_is_no_secret() {
        let found = |key: &str| {
            secrets(&RemoteOptions {
                base_url: "http://127.0.0.1:8000/v1".to_owned(),
                api_key: Some(key.to_owned()),
                ..RemoteOptions::default()
            })
        };
        for word in ["none", "EMPTY", "ollama", "not-needed"] {
            assert!(found(word).is_empty(), "{word}");
        }
        for key in ["sk-1a", "hunter", "correcthorsebattery"] {
            assert_eq!(found(key), [key]);
        }
    }
}

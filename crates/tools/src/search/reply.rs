//! Results in a provider's reply: addresses that can be fetched, titles and snippets, each short
//! and on one line.

use serde_json::Value;

use super::{RESULTS, SearchResult};
use crate::{http, text::words::one_line};

/// Longest address, title and snippet that are kept, in characters. A longer address is no root of
/// a tree; what is longer of the others is cut.
const ADDRESS: usize = 2000;
const TITLE: usize = 300;
const SNIPPET: usize = 1000;

/// The names of a result's address, title and snippet.
pub(super) type Names = [&'static str; 3];

/// The results in a list, the first ten that have an address. The error says what is wrong: it is
/// no list, or it has entries and none of them has an address.
pub(super) fn results(list: &Value, names: Names) -> Result<Vec<SearchResult>, String> {
    let entries = list.as_array().ok_or("the results are no list")?;
    let read = entries.iter().filter_map(|entry| result(entry, names));
    let results: Vec<SearchResult> = read.take(RESULTS).collect();
    if results.is_empty() && !entries.is_empty() {
        return Err(format!("no result has an address in `{}`", names[0]));
    }
    Ok(results)
}

/// An entry of the list; none without a usable address.
pub(super) fn result(entry: &Value, [url, title, snippet]: Names) -> Option<SearchResult> {
    let address = entry.get(url)?.as_str()?.trim();
    if address.len() > ADDRESS || !http::is_web(address) {
        return None;
    }
    let text = |name: &str, most: usize| {
        let text = entry.get(name).and_then(Value::as_str).unwrap_or_default();
        // One line first: a text may begin with a page of white space.
        one_line(text).chars().take(most).collect::<String>()
    };
    Some(SearchResult {
        url: address.to_owned(),
        title: text(title, TITLE),
        snippet: text(snippet, SNIPPET),
    })
}

//! Hashes beside stored texts: a text that a failing disk or another program changed is told, and
//! not shown. What was stored before there were hashes is not checked.

use anyhow::Result;

use crate::data::id::sha256_hex;

/// Digits of a hash: what changes by chance does not keep so many.
const DIGITS: usize = 16;

/// A text that is not the one that was stored.
#[derive(Debug, thiserror::Error)]
#[error("the text of the {kind} `{id}` is not the one that was stored")]
pub(super) struct Altered {
    kind: &'static str,
    id: String,
}

/// The hash under which texts are stored.
pub(super) fn seal<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut all = String::new();
    for text in texts {
        all.push_str(text);
        all.push('\0');
    }
    sha256_hex(all.as_bytes())[..DIGITS].to_owned()
}

/// Checks texts against the hash under which they were stored, if they have one.
pub(super) fn check<'a>(
    kind: &'static str,
    id: &str,
    sealed: Option<&str>,
    texts: impl IntoIterator<Item = &'a str>,
) -> Result<()> {
    match sealed {
        Some(sealed) if sealed != seal(texts) => Err(Altered {
            kind,
            id: id.to_owned(),
        }
        .into()),
        _ => Ok(()),
    }
}

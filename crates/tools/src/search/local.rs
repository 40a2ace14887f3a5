//! A file of JSON lines, each a page with `url`, `title` and `snippet`, searched by words (BM25).

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::Value;

use super::{RESULTS, SearchResult, error::fingerprint, reply};
use crate::evidence::retrieval::Index;

/// Longest file, in bytes.
const LONGEST: u64 = 64 << 20;

/// The pages of a file and their index.
pub(super) struct Local {
    /// Hash of the file's bytes.
    pub hash: String,
    pages: Vec<SearchResult>,
    index: Index,
}

impl Local {
    /// Reads the file. The error names its line.
    pub fn open(file: &Path) -> Result<Self> {
        let length = fs_err::metadata(file)?.len();
        if length > LONGEST {
            bail!("`{}`: longer than {} MB", file.display(), LONGEST >> 20);
        }
        let text = fs_err::read_to_string(file)?;
        let mut pages = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            if line.trim().is_empty() {
                continue;
            }
            let value: Value = serde_json::from_str(line).unwrap_or_default();
            let Some(page) = reply::result(&value, ["url", "title", "snippet"]) else {
                bail!(
                    "`{}`, line {number}: not a page\nhint: one JSON object a line, with `url`, `title` and `snippet`",
                    file.display()
                );
            };
            pages.push(page);
        }
        let texts: Vec<String> = pages
            .iter()
            .map(|page| format!("{}\n{}", page.title, page.snippet))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Ok(Self {
            hash: fingerprint(text.as_bytes()),
            index: Index::new(&texts, None),
            pages,
        })
    }

    /// The pages that have words of the query, the best first.
    pub fn search(&self, query: &str) -> Vec<SearchResult> {
        let found = self.index.best(query, None, RESULTS);
        let pages = found.best.into_iter().map(|place| &self.pages[place]);
        pages.cloned().collect()
    }
}

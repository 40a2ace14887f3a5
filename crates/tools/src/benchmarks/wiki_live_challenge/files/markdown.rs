//! Articles as Markdown, with the lines on top that Jina Reader writes.

use super::{Article, Problem, utf8};
use crate::text::fetched::{TITLE, is_header};

/// A Markdown file as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkdownFile {
    /// The whole text.
    pub text: String,
}

impl MarkdownFile {
    /// Reads a file; `name` is for messages.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, Problem> {
        let text = utf8(name, bytes)?.to_owned();
        Ok(Self { text })
    }

    /// Text of the file.
    pub fn write(&self) -> String {
        self.text.clone()
    }

    /// The article without the lines of the reader. Its title is theirs, else the first heading,
    /// else `stem`.
    pub fn article(&self, stem: &str) -> Article {
        let text = self.text.trim_start_matches('\u{feff}');
        let mut kept = String::with_capacity(text.len());
        // Such a line in the middle is the article's own.
        let mut is_top = true;
        for line in text.split_inclusive('\n') {
            is_top &= is_header(line) || line.trim().is_empty();
            if !(is_top && is_header(line)) {
                kept.push_str(line);
            }
        }
        let given = text.lines().find_map(|line| line.strip_prefix(TITLE));
        let given = given.map(str::trim).filter(|title| !title.is_empty());
        let title = given.or_else(|| first_heading(&kept)).unwrap_or(stem);
        Article {
            title: title.to_owned(),
            text: kept,
        }
    }
}

fn first_heading(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let rest = line.trim_start_matches('#');
        let level = line.len() - rest.len();
        let title = rest.trim().trim_end_matches('#').trim_end();
        let is_heading = (1..=6).contains(&level) && rest.starts_with([' ', '\t']);
        (is_heading && !title.is_empty()).then_some(title)
    })
}

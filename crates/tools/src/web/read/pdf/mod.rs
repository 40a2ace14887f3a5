//! PDF to text. The syntax of the format, its compression and its encryption are `hayro-syntax`'s,
//! the predefined maps of East Asian fonts are `hayro-cmap`'s; what other glyphs mean and in which
//! order they are read is decided here. No other file of the program knows either.

mod cmap;
mod codes;
mod content;
mod encoding;
mod font;
mod layout;
mod standard;
mod stream;

use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use super::{PDF, Read, ReadError, Signs, version_of};
use crate::web::read::clean;

/// Pages that are read.
const MOST_PAGES: usize = 2_000;

/// The share of glyphs without a text from which on what is left is no text.
const MOST_UNREAD: f64 = 0.5;

/// Reads a document.
pub fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let pdf = Pdf::new(bytes.to_vec()).map_err(failure)?;
    let mut reader = content::Reader::default();
    let mut text = String::new();
    let mut whole = pdf.pages().len() <= MOST_PAGES;
    for page in pdf.pages().iter().take(MOST_PAGES) {
        text.push_str(&layout::text(reader.page(page)));
        text.push_str("\n\n");
        // UTF-8 takes up to four bytes a character; what follows would be cut anyway.
        if reader.is_exhausted() || text.len() > 4 * clean::LONGEST {
            whole = false;
            break;
        }
    }
    let (text, cut) = clean::capped(clean::clean(&text));
    if text.is_empty() {
        return Err(if pdf.pages().is_empty() {
            ReadError::BrokenPdf
        } else {
            ReadError::NoTextLayer
        });
    }
    if reader.unread_share() > MOST_UNREAD {
        let percent = (100.0 * reader.unread_share()).round() as u8;
        return Err(ReadError::UnreadGlyphs(percent));
    }
    Ok(Read {
        title: title(&pdf, &text),
        text,
        truncated: cut || !whole,
        language: None,
        extractor: PDF,
        version: version_of(PDF),
        canonical_url: None,
        published: published(&pdf),
        signs: Signs::default(),
    })
}

fn failure(error: LoadPdfError) -> ReadError {
    match error {
        LoadPdfError::Decryption(
            DecryptionError::PasswordProtected | DecryptionError::UnsupportedAlgorithm,
        ) => ReadError::EncryptedPdf,
        LoadPdfError::Decryption(_) | LoadPdfError::Invalid => ReadError::BrokenPdf,
    }
}

/// The title that the file claims, else its first line. Many claim the name of the writer's file;
/// that is no title.
fn title(pdf: &Pdf, text: &str) -> Option<String> {
    let claimed = pdf
        .metadata()
        .title
        .as_deref()
        .map(|bytes| clean::clean(&encoding::document_text(bytes)));
    let is_title = |title: &String| {
        title.contains(' ') && !title.to_ascii_lowercase().starts_with("microsoft word")
    };
    let first = || text.lines().next().map(str::to_owned);
    let title = claimed.filter(is_title).or_else(first)?;
    Some(title.replace('\n', " ").chars().take(300).collect())
}

/// The day on which the file was made.
fn published(pdf: &Pdf) -> Option<String> {
    let made = pdf.metadata().creation_date?;
    let day = (1980..2200).contains(&made.year)
        && (1..=12).contains(&made.month)
        && (1..=31).contains(&made.day);
    day.then(|| format!("{:04}-{:02}-{:02}", made.year, made.month, made.day))
}

#[cfg(test)]
mod tests;

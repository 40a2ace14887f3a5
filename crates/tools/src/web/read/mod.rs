//! Here are the bytes of a page: give me its text, or the reason why there is none. Hides formats,
//! encodings and layout; hidden text is left out, and a broken or hostile file is that page's
//! error.

mod article;
mod charset;
mod clean;
mod css;
mod format;
mod html;
mod lines;
mod links;
mod metadata;
mod pdf;
mod phrases;
mod plain;
mod readable;
mod stub;
mod stub_detection;
mod tags;
mod tree;
mod visibility;
pub(crate) mod wiki;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use crate::web::read::{
    links::{PageLink, links},
    stub_detection::detect_stub,
};

use crate::isolation;

/// The extractors with their versions. A version is raised with every change of what its extractor
/// makes of the same bytes: stored texts of earlier versions are then made again.
const VERSIONS: [(&str, &str); 3] = [(HTML, "4"), (PDF, "3"), (PLAIN, "2")];
const HTML: &str = "html";
const PDF: &str = "pdf";
const PLAIN: &str = "plain";

fn version_of(extractor: &str) -> &'static str {
    VERSIONS
        .iter()
        .find(|(name, _)| *name == extractor)
        .map_or("0", |(_, version)| version)
}

/// The deciders whether bytes are a page: the extractors and the detection of stubs, each with its
/// version.
pub fn decider() -> String {
    let readers = VERSIONS
        .iter()
        .map(|(name, version)| format!("{name} {version}"));
    let stubs = format!("stubs {}", stub_detection::VERSION);
    readers.chain([stubs]).collect::<Vec<_>>().join(", ")
}

/// Whether a stored text is by the current version of its extractor.
pub fn is_current(extractor: &str, version: &str) -> bool {
    VERSIONS.contains(&(extractor, version))
}

/// The text of a page with its metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The page's title, at most 300 characters.
    pub title: Option<String>,
    /// The text: composed (NFC), a line for each paragraph, heading, list item and table row.
    pub text: String,
    /// The text was longer than 2,000,000 characters and is cut, or the page had too many parts to
    /// be read to its end.
    pub truncated: bool,
    /// The language that the page claims, as a tag such as `en` or `zh-Hant`.
    pub language: Option<String>,
    /// What made the text out of the bytes.
    pub extractor: &'static str,
    /// The extractor's version; a stored text of another version is made again.
    pub version: &'static str,
    /// The address that the page wants to be known by, absolute.
    pub canonical_url: Option<String>,
    /// When the page was published, as it says itself.
    pub published: Option<String>,
    /// Traits of the source.
    pub signs: Signs,
}

/// Traits of a page's source that tell an article from a stub.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signs {
    /// The share of the visible text that is links, 0 to 1.
    pub link_share: f64,
    /// How many scripts it has.
    pub scripts: usize,
    /// It asks for a password.
    pub password: bool,
    /// It asks, without scripts, to turn them on.
    pub wants_scripts: bool,
    /// An element that scripts fill is there, and empty.
    pub empty_mount: bool,
    /// It says that it is not free to read.
    pub paid: bool,
    /// The product whose test for robots it loads.
    pub challenge: Option<&'static str>,
}

/// Why a page has no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// There are no bytes, or only white space.
    #[error("the page is empty")]
    Empty,
    /// The bytes are no text, whatever their label.
    #[error("not a text")]
    NotText,
    /// A format that is not read.
    #[error("unsupported type: `{0}`")]
    UnsupportedType(String),
    /// The PDF is damaged.
    #[error("broken PDF")]
    BrokenPdf,
    /// The PDF needs a password.
    #[error("encrypted PDF")]
    EncryptedPdf,
    /// The PDF's pages are pictures.
    #[error("PDF without text")]
    NoTextLayer,
    /// The PDF does not say what most of its glyphs mean: so many per cent of them.
    #[error("PDF with {0} % of its letters without a meaning")]
    UnreadGlyphs(u8),
    /// A decoder panicked.
    #[error("the decoder failed: `{0}`")]
    Panicked(String),
}

impl ReadError {
    /// One word for the summary by cause.
    pub fn cause(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NotText => "not_text",
            Self::UnsupportedType(_) => "unsupported_type",
            Self::BrokenPdf => "broken_pdf",
            Self::EncryptedPdf => "encrypted_pdf",
            Self::NoTextLayer => "no_text_layer",
            Self::UnreadGlyphs(_) => "unread_glyphs",
            Self::Panicked(_) => "panicked",
        }
    }
}

/// Makes text of a page's body. `content_type` is the server's header, `url` the address that it
/// was fetched from.
pub fn read(bytes: &[u8], content_type: Option<&str>, url: &str) -> Result<Read, ReadError> {
    let work = AssertUnwindSafe(|| {
        read_as(
            format::detect(bytes, content_type)?,
            bytes,
            content_type,
            url,
        )
    });
    isolation::quiet_panics(|| catch_unwind(work))
        .unwrap_or_else(|panic| Err(ReadError::Panicked(message(&*panic))))
}

fn read_as(
    format: format::Format,
    bytes: &[u8],
    content_type: Option<&str>,
    url: &str,
) -> Result<Read, ReadError> {
    use format::Format;
    let text = || charset::decode(bytes, content_type, url);
    match format {
        Format::Pdf => pdf::read(bytes),
        Format::Html => Ok(html::read(&text(), url)),
        Format::Json => plain::read(&plain::json(&text())),
        Format::Xml => plain::read(&plain::xml(&text())),
        Format::Text => plain::read(&text()),
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    clean::clean(text.unwrap_or("no reason given"))
        .chars()
        .take(200)
        .collect()
}

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests;

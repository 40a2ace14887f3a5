//! Here is a URL out of an untrusted text: give me its page, or the reason why not. Hides which
//! addresses may be reached, robots.txt, redirects, politeness, limits and decoding.

mod address;
mod body;
mod error;
mod fetch;
mod guard;
mod jina;
mod pages;
mod polite;
mod read;
mod reader_process;
mod response;
mod robots;

pub(crate) use body::read as read_body;
pub(crate) use error::FetchError;
pub use fetch::FetchOptions;
use fetch::Fetcher;
pub use jina::{JINA, JinaOptions, KeyRefused};
pub use pages::{Page, Pages, PagesOptions};
pub(crate) use polite::Polite;
pub use read::PageLink;
pub(crate) use read::wiki;
pub use reader_process::serve as serve_reading;

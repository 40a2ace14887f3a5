//! Here is a URL out of a stranger's text: give me what is behind it, or the reason why not.
//! Hides which addresses may be reached, robots.txt, redirects, politeness, limits and decoding.

mod address;
mod answer;
mod body;
mod error;
mod fetch;
mod guard;
mod pages;
mod polite;
pub mod read;
mod robots;

pub use error::FetchError;
pub use fetch::{FetchOptions, Fetched, Fetcher};
pub use pages::{Got, NoPage, Page, Pages, PagesOptions};

//! Here is a wiki on MediaWiki: which articles came into being in a window of time and are good
//! ones, and what did each say at a moment? Hides the action API with its limits, its pauses and
//! its continuation, and asks no other address than the one that the user gave.
//!
//! What is frozen is a revision: its wikitext, its time and its id are exact for ever. Its text is
//! made of the page as the wiki renders that revision (`action=parse` with `oldid`), because plain
//! extracts exist of the current revision alone. The rendering takes templates as they are on the
//! day of the request; so the rendered page is kept beside the wikitext, and an edition's manifest
//! has the hash of each text.

mod client;
mod error;
mod page;
mod queries;
mod reply;
mod wikitext;
mod window;

pub use client::{Client, ClientOptions};
pub use error::ApiError;
pub use page::{FrozenPage, PageOutcome, Reason};
pub use queries::{Member, Site};
pub use wikitext::reference_addresses;
pub use window::Window;

/// Version of what is made of a page: its text and the count of its references.
pub fn reading() -> String {
    format!(
        "text {}, references {}",
        crate::web::wiki::VERSION,
        wikitext::VERSION
    )
}

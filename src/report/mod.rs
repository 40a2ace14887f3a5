//! What the store holds, laid out for people: listings, pages, plots. Hides HTML, SVG and the way in
//! which text of strangers gets into a page.

pub mod diversity;
pub mod leaderboard;
mod leaderboard_page;
pub mod listing;
mod markup;
pub mod ranking_page;
mod relative;
pub mod scoring_page;
mod svg;
pub mod tasks_page;
pub mod tasks_report;

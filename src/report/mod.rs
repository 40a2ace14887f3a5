//! Reports for people from the store: listings, pages, plots. Hides HTML, SVG and the escaping of
//! untrusted text.

pub mod analysis_page;
pub mod board_csv;
pub mod diversity;
pub mod export;
pub mod leaderboard;
mod leaderboard_page;
pub mod listing;
pub mod markdown;
pub mod markup;
pub mod match_page;
pub mod quotes;
pub mod ranking;
pub mod ranking_page;
mod relative;
pub mod scoring_page;
mod shades;
mod svg;
pub mod tasks_page;
pub mod tasks_report;
pub mod words;

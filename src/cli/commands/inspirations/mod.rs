//! Commands that list inspirations and save people's reviews.

mod found;
mod list;
pub mod review;

use anyhow::Result;

use crate::cli::{
    args::{Global, Inspirations},
    ui::output::Printer,
};

/// Runs one of the commands.
pub fn inspirations(global: &Global, command: &Inspirations, printer: &Printer) -> Result<u8> {
    match command {
        Inspirations::List { select, rejected } => list::list(global, select, *rejected, printer),
        Inspirations::Review(args) => review::review(global, args, printer),
    }
}

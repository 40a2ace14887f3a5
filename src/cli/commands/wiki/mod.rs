//! `taskgen wiki`: the files of Wiki Live Challenge.

mod bench;
mod collect;
mod doctor;
mod export;
mod facts;
mod import;
mod readers;
mod results;

use anyhow::Result;

use crate::cli::{
    args::{Global, Wiki},
    ui::output::Printer,
};

/// Runs one of the commands.
pub fn wiki(global: &Global, command: &Wiki, printer: &Printer) -> Result<u8> {
    match command {
        Wiki::Import { folder, set } => import::run(global, folder, set.as_deref(), printer),
        Wiki::Export { folder, set } => export::run(global, folder, set.as_deref(), printer),
        Wiki::Collect(args) => collect::run(global, args, printer),
        Wiki::Diff { earlier, later } => collect::diff(earlier, later, printer),
        Wiki::Facts { set, html } => facts::run(global, set.as_deref(), html.as_deref(), printer),
        Wiki::Doctor { folder } => doctor::run(folder, printer),
    }
}

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

use crate::{
    cli::{
        args::{Global, Wiki},
        commands::sets,
        ui::output::Printer,
    },
    data::Task,
    store::Store,
};

/// The tasks of a set; all current ones where no set is named.
fn tasks(store: &Store, set: Option<&str>) -> Result<Vec<Task>> {
    match set {
        Some(_) => sets::tasks(store, set),
        None => store.tasks(),
    }
}

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

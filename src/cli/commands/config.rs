//! `taskgen config show`: each value in force and where it came from.

use anyhow::Result;

use crate::cli::{
    args::{self, Global},
    project::Project,
    ui::{
        exit,
        output::{Printer, table},
    },
};

/// `taskgen config show`
pub fn show(global: &Global, command: &args::Config, printer: &Printer) -> Result<u8> {
    let args::Config::Show = command;
    let project = Project::find(global)?;
    printer.show(&project.loaded.show(), |values| {
        let mut rows = table(&["key", "value", "from"]);
        for shown in values {
            rows.add_row(vec![
                shown.key.clone(),
                shown.value.to_string(),
                shown.origin.clone(),
            ]);
        }
        rows.to_string()
    })?;
    Ok(exit::DONE)
}

//! `taskgen man`: the manual as man pages, one for each command, made from what `--help` says.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Command;
use clap_mangen::Man;
use serde::Serialize;

use crate::cli::{
    args,
    ui::{
        exit::{self, Usage},
        output::Printer,
    },
};

/// The main page, when no folder is named.
#[derive(Serialize)]
struct Page {
    page: String,
}

/// The pages that were written.
#[derive(Serialize)]
struct Written {
    files: Vec<PathBuf>,
}

/// Prints the main page, or writes all pages into the folder `output`.
pub fn man(output: Option<&Path>, printer: &Printer) -> Result<u8> {
    let program = args::manual();
    match output {
        None => print(program, printer)?,
        Some(folder) => write(&program, folder, printer)?,
    }
    Ok(exit::DONE)
}

fn print(program: Command, printer: &Printer) -> Result<()> {
    let page = Page {
        page: rendered(&Man::new(program))?,
    };
    printer.show(&page, |page| page.page.clone())
}

fn write(program: &Command, folder: &Path, printer: &Printer) -> Result<()> {
    if folder.exists() && !folder.is_dir() {
        return Err(Usage(format!(
            "not a folder: `{}`\nhint: --output DIR names one, which may be new",
            folder.display()
        ))
        .into());
    }
    fs_err::create_dir_all(folder)?;
    let mut files = Vec::new();
    for command in with_subcommands(program) {
        let man = Man::new(command.clone());
        let file = folder.join(man.get_filename());
        fs_err::write(&file, rendered(&man)?)?;
        files.push(file);
    }
    files.sort();
    printer.show(&Written { files }, |written| {
        let lines: Vec<String> = written
            .files
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        lines.join("\n")
    })
}

/// The command and all commands below it, but for the hidden ones.
fn with_subcommands(command: &Command) -> Vec<&Command> {
    let below = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .flat_map(with_subcommands);
    std::iter::once(command).chain(below).collect()
}

fn rendered(man: &Man) -> Result<String> {
    let mut page = Vec::new();
    man.render(&mut page)?;
    Ok(String::from_utf8(page)?)
}

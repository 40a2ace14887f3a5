//! `taskgen completions SHELL`: the script with which a shell completes commands and flags.

use anyhow::Result;
use clap::CommandFactory as _;
use clap_complete::Shell;
use serde::Serialize;

use crate::cli::{
    args::Args,
    ui::{exit, output::Printer},
};

/// The printed script.
#[derive(Serialize)]
struct Completions {
    shell: String,
    script: String,
}

/// Prints the script for `shell`.
pub fn completions(shell: Shell, printer: &Printer) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "taskgen", &mut script);
    let completions = Completions {
        shell: shell.to_string(),
        script: String::from_utf8(script)?,
    };
    printer.show(&completions, |completions| completions.script.clone())?;
    Ok(exit::DONE)
}

//! Commands on recordings: plan and transcribe them, list them, forget one.

pub mod existing;
mod forget;
pub mod list;
pub mod plan;
pub mod transcribe;

use anyhow::Result;

use crate::cli::{
    args::{Global, Seminars},
    ui::output::Printer,
};

/// Runs one of the commands.
pub fn seminars(global: &Global, command: &Seminars, printer: &Printer) -> Result<u8> {
    match command {
        Seminars::List => list::list(global, printer),
        Seminars::Forget(args) if args.lift => forget::lift(global, args, printer),
        Seminars::Forget(args) => forget::run(global, args, printer),
    }
}

//! The `taskgen` program: parse, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    taskgen::cli::main()
}

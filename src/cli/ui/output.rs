//! Printing: data to stdout, everything else to stderr, one value shown as text or as JSON.

use std::{
    fmt::{self, Display, Formatter},
    io::{Write as _, stdout},
    os::fd::AsFd,
};

use anyhow::Result;
use comfy_table::{ContentArrangement, LineStyle, Row, Table, presets};
use serde::Serialize;

use crate::text::invisible::{escaped_in_json, works_unseen};

pub use crate::report::words::{counted, in_brackets, on_one_line};

/// Columns where there is no terminal to ask.
const WIDTH: u16 = 120;
/// The same for lines that are cut, so that they fit what most people have.
const WIDTH_OF_LINES: u16 = 100;
/// Columns that are used even of a terminal that has fewer.
const NARROWEST: u16 = 40;

/// A printer with the user's choices.
#[derive(Clone, Copy)]
pub struct Printer {
    /// One JSON value instead of text.
    pub json: bool,
    /// Nothing but data and errors.
    pub quiet: bool,
}

impl Printer {
    /// Prints a command's result: the value as JSON, or its text view.
    pub fn show<T: Serialize>(&self, value: &T, text: impl FnOnce(&T) -> String) -> Result<()> {
        let text = if self.json {
            escaped_in_json(&serde_json::to_string_pretty(value)?)
        } else {
            text(value)
        };
        self.data(text.trim_end())
    }

    /// A line of data. A reader that closed the pipe is no error.
    pub fn data(&self, text: &str) -> Result<()> {
        match writeln!(stdout().lock(), "{}", harmless(text)) {
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(e.into()),
            _ => Ok(()),
        }
    }

    /// A line for people, unless they asked for quiet.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.error(text);
        }
    }

    /// A line for people, always.
    pub fn error(&self, text: &str) {
        message(text);
    }
}

/// `1 report`, `2 reports`: a count with its noun; the plural ends in s.
pub fn count(n: u64, thing: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {thing}{s}")
}

/// A line on stderr; a closed stderr is no error.
pub fn message(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", harmless(text));
}

/// The text without characters that a terminal would obey: names, reports and messages are untrusted.
pub fn harmless(text: &str) -> String {
    text.chars()
        .filter(|c| !works_unseen(*c) && *c != '\r')
        .collect()
}

/// A part of a file that could not be used.
#[derive(Serialize)]
pub struct Problem {
    /// The file with the line or the entry.
    pub place: String,
    /// What is wrong with it.
    pub problem: String,
}

/// A line for each problem; a stranger's file may be called anything.
pub fn listed(problems: &[Problem]) -> String {
    let mut lines = String::new();
    for of in problems {
        lines.push_str(&on_one_line(&format!("{}: {}", of.place, of.problem)));
        lines.push('\n');
    }
    lines
}

/// The first of many things, an indented line each, and how many there are besides.
pub fn first_of<T: Display>(all: &[T], shown: usize) -> String {
    let mut lines = String::new();
    for of in all.iter().take(shown) {
        lines.push_str(&format!("  {}\n", on_one_line(&of.to_string())));
    }
    if all.len() > shown {
        let more = all.len() - shown;
        lines.push_str(&format!("  and {more} more: --json has all\n"));
    }
    lines
}

/// A table that fits the terminal.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_HORIZONTAL_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table
        .set_width(columns(stdout()).unwrap_or(WIDTH))
        .set_header(header.to_vec());
    table
}

/// A table whose rows are one line each, cut where the terminal ends.
pub struct Lines(Table);

/// Lines under a header.
pub fn lines(header: &[&str]) -> Lines {
    let mut table = table(header);
    table
        .load_style(presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none()))
        .set_width(columns(stdout()).unwrap_or(WIDTH_OF_LINES))
        // Cut at a character and not at a word: Chinese has no blanks.
        .set_delimiter('\n')
        .set_truncation_indicator("…");
    Lines(table)
}

impl Lines {
    /// Adds a line.
    pub fn add<const N: usize>(&mut self, cells: [&str; N]) {
        let mut row = Row::from(cells);
        row.max_height(1);
        self.0.add_row(row);
    }
}

impl Display for Lines {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Rows without lines or header that fit the terminal of the messages.
pub fn plain_rows() -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(columns(std::io::stderr()).unwrap_or(WIDTH));
    table
}

/// Columns of the terminal that `stream` leads to, if it is one.
fn columns(stream: impl AsFd) -> Option<u16> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    (size.ws_col > 0).then(|| size.ws_col.max(NARROWEST))
}

/// `12.3 MB`
pub fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} B"),
        1_000..1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        _ => format!("{:.2} GB", n as f64 / 1e9),
    }
}

/// `1:05` or `2:03:04`
pub fn seconds(s: f64) -> String {
    // The sum of no numbers is -0.0.
    let s = s + 0.0;
    if s < 60.0 {
        format!("{s:.1} s")
    } else {
        crate::data::Ms::from_seconds(s).to_string()
    }
}

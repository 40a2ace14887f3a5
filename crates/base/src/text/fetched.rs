//! The lines that programs put on top of a page that they fetched.

/// The beginning of the line with the page's title.
pub const TITLE: &str = "Title:";
/// The beginnings of the others.
const OTHERS: [&str; 4] = [
    "URL Source:",
    "Published Time:",
    "Markdown Content:",
    "Citations:",
];

/// Whether a line is such a one; it may only be so above the text.
pub fn is_header(line: &str) -> bool {
    line.starts_with(TITLE) || OTHERS.iter().any(|header| line.starts_with(header))
}

//! Patterns that the program has written itself.

use regex::Regex;

/// A pattern that a `static` or a table holds, and that a test compiles: it cannot fail later.
#[expect(
    clippy::unwrap_used,
    reason = "the patterns are constants that the tests compile"
)]
pub fn constant(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

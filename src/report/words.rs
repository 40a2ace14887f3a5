//! Counts, amounts and strangers' words as they stand on a line of a table or of a file.

use std::{collections::BTreeMap, fmt::Display};

use crate::text::invisible::works_unseen;

/// A stranger's words on one line: a blank for each character that is not to be seen.
pub fn on_one_line(text: &str) -> String {
    let is_hidden = |c: char| c.is_control() || works_unseen(c);
    text.chars()
        .map(|c| if is_hidden(c) { ' ' } else { c })
        .collect()
}

/// `timeout 2, truncated 1`, or the word for none.
pub fn counted<W: Display, N: Display>(words: &BTreeMap<W, N>, none: &str) -> String {
    if words.is_empty() {
        return none.to_owned();
    }
    words
        .iter()
        .map(|(word, n)| format!("{word} {n}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// ` (word 3, other 1)`, or nothing.
pub fn in_brackets<W: Display, N: Display>(words: &BTreeMap<W, N>) -> String {
    if words.is_empty() {
        String::new()
    } else {
        format!(" ({})", counted(words, ""))
    }
}

/// `$0.0123`
pub fn dollars(micro: u64) -> String {
    format!("${:.4}", micro as f64 / 1e6)
}

//! The line that the benchmark takes for the beginning of the references. Its fault stays: where an
//! article has no heading for them, the first line that ends with such a word counts, in the middle
//! of the text, too.

use super::scan::{is_space, lines};

/// Names of a list of references; those in Latin script in any case.
const NAMES: [&str; 4] = ["references", "sources", "citations", "参考资料"];

/// How a list of references is announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `## References`, one to four `#`, nothing else on the line.
    Heading,
    /// `**References**`, nothing else on the line.
    Bold,
    /// A line that ends with the word, whatever stands before it.
    Bare,
}

/// The beginning of the references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// How it is announced.
    pub form: Form,
    /// Byte that the clean text ends at.
    pub(super) start: usize,
    /// Byte that the list begins at.
    pub(super) end: usize,
}

/// The beginning of an article's references: the first heading; where there is none, the first
/// bold line; where there is none of these, the first line that ends with the word.
///
/// The benchmark's stored articles show that a heading wins over an earlier bare word. They do not
/// show what else may stand beside the word: here a colon.
pub fn find(text: &str) -> Option<Header> {
    [Form::Heading, Form::Bold, Form::Bare]
        .into_iter()
        .find_map(|form| find_form(text, form))
}

fn find_form(text: &str, form: Form) -> Option<Header> {
    lines(text).find_map(|(at, line)| {
        let start = at + announced(line, form)?;
        let end = (at + line.len() + 1).min(text.len());
        Some(Header { form, start, end })
    })
}

/// The byte of a line that announces references in a form at which the announcement begins.
pub(super) fn announced(line: &str, form: Form) -> Option<usize> {
    match form {
        Form::Heading => {
            let rest = line.trim_start_matches('#');
            let fits = (1..=4).contains(&(line.len() - rest.len()));
            (fits && is_name(rest)).then_some(0)
        }
        Form::Bold => {
            let inside = without_colon(line).strip_prefix("**")?;
            is_name(inside.strip_suffix("**")?).then_some(0)
        }
        Form::Bare => bare(line),
    }
}

/// Whether a text is a list's name and nothing else.
fn is_name(text: &str) -> bool {
    let name = without_colon(text.trim_start_matches(is_space));
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn bare(line: &str) -> Option<usize> {
    let line = without_colon(line);
    let start = NAMES.iter().find_map(|name| {
        let start = line.len().checked_sub(name.len())?;
        let end = line.get(start..)?;
        end.eq_ignore_ascii_case(name).then_some(start)
    })?;
    // A word of its own: `resources` ends with `sources`. Chinese does not part words.
    let before = line[..start].chars().next_back();
    let parted = !before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let latin = line[start..].is_ascii();
    (parted || !latin).then_some(start)
}

/// The text without a colon at its end, and without the white space around the colon.
fn without_colon(text: &str) -> &str {
    let text = text.trim_end_matches(is_space);
    text.strip_suffix([':', '：'])
        .unwrap_or(text)
        .trim_end_matches(is_space)
}

//! Messages for errors in TOML files: the line, what is wrong, and a suggestion.

use std::path::Path;

/// Least likeness of a known key that is suggested for an unknown one.
const MIN_LIKENESS: f64 = 0.7;

/// The message for an invalid TOML file, with the line and a hint. The hint names a key's new name
/// if it is in `renamed` (old and new), or the most similar known key; `otherwise` is the hint if
/// there is none.
pub fn explain(
    path: &Path,
    text: &str,
    error: &toml::de::Error,
    renamed: &[(&str, &str)],
    otherwise: &str,
) -> String {
    let line = error.span().map_or(1, |span| {
        text[..span.start.min(text.len())].matches('\n').count() + 1
    });
    let mut message = error.message().trim().to_owned();
    // toml does not name the key.
    if message == "duplicate key" {
        message = format!(
            "it is there already: `{}`",
            text.lines().nth(line - 1).unwrap_or_default().trim()
        );
    }
    let hint = suggestion(&message, renamed).map_or_else(
        || otherwise.to_owned(),
        |word| format!("did you mean `{word}`?"),
    );
    format!("`{}`, line {line}: {message}\nhint: {hint}", path.display())
}

/// The key that was meant by the unknown one that serde names.
fn suggestion(message: &str, renamed: &[(&str, &str)]) -> Option<String> {
    // serde puts the unknown key first, then all known ones, each in backticks.
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let (unknown, known) = words.split_first()?;
    if let Some((_, new)) = renamed.iter().find(|(old, _)| old == unknown) {
        return Some((*new).to_owned());
    }
    known
        .iter()
        .map(|word| (strsim::jaro_winkler(unknown, word), word))
        .filter(|(likeness, _)| *likeness > MIN_LIKENESS)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, word)| (*word).to_owned())
}

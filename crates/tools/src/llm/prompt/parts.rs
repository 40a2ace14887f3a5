//! What a template uses besides values: filters, and templates that it includes. The engine looks
//! both up only where a page comes to them, which is too late for whoever edits a copy.

use std::sync::LazyLock;

use anyhow::{Result, ensure};
use minijinja::{Environment, ErrorKind};
use regex::Regex;

use crate::text::pattern::constant;

/// An expression or a statement of a template.
static TAG: LazyLock<Regex> = LazyLock::new(|| constant(r"(?s)\{[{%](.*?)[%}]\}"));
/// A text within one.
static LITERAL: LazyLock<Regex> = LazyLock::new(|| constant(r#""[^"]*"|'[^']*'"#));
static FILTER: LazyLock<Regex> = LazyLock::new(|| constant(r"\|\s*([A-Za-z_]\w*)"));
static INCLUDE: LazyLock<Regex> = LazyLock::new(|| constant(r#"\binclude\s+["']([^"']+)["']"#));

/// Checks that each filter and each template that `source` uses is there.
///
/// # Errors
/// Names the first one that is not.
pub(super) fn check(templates: &Environment, source: &str) -> Result<()> {
    for tag in TAG.captures_iter(source) {
        for include in INCLUDE.captures_iter(&tag[1]) {
            let name = &include[1];
            ensure!(
                templates.get_template(name).is_ok(),
                "it includes a prompt that is not there: `{name}`"
            );
        }
        for filter in FILTER.captures_iter(&LITERAL.replace_all(&tag[1], "''")) {
            let name = &filter[1];
            ensure!(
                has_filter(templates, name),
                "there is no filter `{name}` for prompts"
            );
        }
    }
    Ok(())
}

fn has_filter(templates: &Environment, name: &str) -> bool {
    let used = templates.render_str(&format!("{{{{ '' | {name} }}}}"), ());
    !used.is_err_and(|error| error.kind() == ErrorKind::UnknownFilter)
}

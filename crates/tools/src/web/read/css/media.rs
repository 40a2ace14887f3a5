//! Conditions of style sheets: whether they hold on the screen that a page is seen on.

use super::value::{FONT, SCREEN, pixels};

/// Features that such a screen has.
const FEATURES: [(&str, &str); 9] = [
    ("any-hover", "hover"),
    ("any-pointer", "fine"),
    ("color", ""),
    ("forced-colors", "none"),
    ("hover", "hover"),
    ("orientation", "landscape"),
    ("pointer", "fine"),
    ("prefers-color-scheme", "light"),
    ("prefers-reduced-motion", "no-preference"),
];

/// Whether a list of media queries has one that holds.
pub fn is_seen(queries: &str) -> bool {
    queries.trim().is_empty() || super::split_outside(queries, ',').into_iter().any(holds)
}

fn holds(query: &str) -> bool {
    let query = query.trim().to_ascii_lowercase();
    let query = query.strip_prefix("only ").unwrap_or(&query);
    if let Some(rest) = query.strip_prefix("not ") {
        return !holds(rest);
    }
    query.split(" and ").all(|part| has(part.trim()))
}

fn has(part: &str) -> bool {
    let Some(feature) = part
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    else {
        return part == "all" || part == "screen";
    };
    let (name, value) = feature.split_once(':').unwrap_or((feature, ""));
    let (name, value) = (name.trim(), value.trim());
    if let Some(is_kept) = size(name, value).or_else(|| range(feature)) {
        return is_kept;
    }
    FEATURES
        .iter()
        .any(|(known, is)| *known == name && (value.is_empty() || value == *is))
}

/// `(min-width: 600px)`
fn size(name: &str, value: &str) -> Option<bool> {
    let (bound, of) = name.split_once('-')?;
    let limit = pixels(value, FONT)?;
    match bound {
        "min" => Some(side(of)? >= limit),
        "max" => Some(side(of)? <= limit),
        _ => None,
    }
}

/// `(width >= 600px)`
fn range(feature: &str) -> Option<bool> {
    let at = feature.find(['<', '>', '='])?;
    let (name, rest) = feature.split_at(at);
    let limit = pixels(rest.trim_start_matches(['<', '>', '=']), FONT)?;
    let of = side(name.trim())?;
    Some(
        (rest.starts_with('<') && of < limit)
            || (rest.starts_with('>') && of > limit)
            || (rest.contains('=') && (of - limit).abs() < 0.5),
    )
}

fn side(name: &str) -> Option<f64> {
    match name {
        "width" | "device-width" => Some(SCREEN.0),
        "height" | "device-height" => Some(SCREEN.1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_hold_on_a_screen() {
        for (query, expect) in [
            ("", true),
            ("screen", true),
            ("only screen and (min-width: 1px)", true),
            ("print", false),
            ("not print", true),
            ("print, screen", true),
            ("(max-width: 600px)", false),
            ("(width >= 40em)", true),
            ("(width < 600px)", false),
            ("(prefers-color-scheme: dark)", false),
            ("(prefers-color-scheme: light)", true),
            ("(nothing-known: x)", false),
        ] {
            assert_eq!(is_seen(query), expect, "{query}");
        }
    }
}

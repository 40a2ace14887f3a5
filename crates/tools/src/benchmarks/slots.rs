//! Time slots of a question, such as `{{current_year}}`, which are filled once, for one day. The
//! names are LiveResearchBench's (arXiv 2510.14240): `date` (its code writes `November 03, 2026`),
//! `current_year`, `last_year`; `current_date`, which it documents and never fills, is `date`.

use std::{collections::BTreeSet, sync::LazyLock};

use jiff::civil::Date;
use regex::{Captures, Regex};

use crate::text::pattern::constant;

/// A name in double braces.
static SLOT: LazyLock<Regex> = LazyLock::new(|| constant(r"\{\{\s*([A-Za-z_]+)\s*\}\}"));

/// The text with all known slots filled for a day.
pub fn fill(text: &str, as_of: Date) -> String {
    let value = |slot: &Captures<'_>| value(&slot[1], as_of).unwrap_or_else(|| slot[0].to_owned());
    SLOT.replace_all(text, value).into_owned()
}

/// The slots that nothing is known to fill, as they are written.
pub fn unknown(text: &str) -> BTreeSet<String> {
    SLOT.captures_iter(text)
        .filter(|slot| value(&slot[1], Date::ZERO).is_none())
        .map(|slot| slot[0].to_owned())
        .collect()
}

fn value(name: &str, as_of: Date) -> Option<String> {
    match name {
        "date" | "current_date" => Some(as_of.strftime("%B %d, %Y").to_string()),
        "current_year" => Some(as_of.year().to_string()),
        "last_year" => Some((as_of.year() - 1).to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn slots_are_filled_for_the_day() {
        let text = "As of {{date}} ({{ current_date }}): {{last_year}} against {{current_year}}.";
        assert_eq!(
            fill(text, date(2026, 11, 3)),
            "As of November 03, 2026 (November 03, 2026): 2025 against 2026."
        );
        assert!(unknown(text).is_empty());
    }

    #[test]
    fn what_is_no_known_slot_stays() {
        let text = "{{next_year}}, {date}, {{ 2x }} and {{next_year}}";
        assert_eq!(fill(text, date(2026, 1, 1)), text);
        assert_eq!(unknown(text), BTreeSet::from(["{{next_year}}".to_owned()]));
    }
}

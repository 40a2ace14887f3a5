//! A finding of an audit card before it is known.

use crate::report::ranking_page::{Check, CheckState};

/// Good, or the other one where something is wrong.
pub(super) fn good_unless(wrong: bool, otherwise: CheckState) -> CheckState {
    if wrong { otherwise } else { CheckState::Good }
}

/// A finding of which nothing is known yet.
pub(super) fn check(name: &str, meaning: &str) -> Check {
    Check {
        name: name.into(),
        value: "–".into(),
        n: "–".into(),
        state: CheckState::Unknown,
        meaning: meaning.into(),
    }
}

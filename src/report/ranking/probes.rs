//! What the audit card says of a judge's hidden probes.

use super::check::{check, good_unless};
use crate::{
    rank::audit_card::JudgeSummary,
    report::ranking_page::{Check, CheckState},
    stats::binomial::wilson,
};

/// The check of a judge that had probes.
pub(super) fn check_of(judge: &JudgeSummary) -> Option<Check> {
    let probes = judge.probes.as_ref()?;
    let (n, right) = (probes.test.n, probes.test.right);
    let share = wilson(right as f64, n).map_or_else(
        || "–".to_owned(),
        |share| format!("{:.2} [{:.2}, {:.2}]", share.value, share.low, share.high),
    );
    let unscored = match probes.unscored {
        0 => String::new(),
        unscored => format!(", {unscored} without a verdict"),
    };
    Some(Check {
        value: share,
        n: format!("{n} probes{unscored}"),
        state: good_unless(probes.test.has_failed(), CheckState::Bad),
        ..check(
            &format!("hidden probes, {}", judge.name),
            "share of pairs with a known answer, a task beside a spoiled version of it, that it decided rightly; a good judge has 0.90 or more",
        )
    })
}

/// A warning of a judge that has failed them.
pub(super) fn warning(judge: &JudgeSummary) -> Option<String> {
    let probes = judge.probes.as_ref()?;
    let (name, right, n) = (&judge.name, probes.test.right, probes.test.n);
    probes.test.has_failed().then(|| {
        format!(
            "the judge {name} failed its hidden probes ({right} of {n} right): do not rely on this order"
        )
    })
}

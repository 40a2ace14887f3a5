//! Criteria that weigh otherwise on a leaderboard, and what depends on their weights. Hides where
//! the weights come from.

use std::collections::BTreeMap;

use anyhow::Result;

use super::labels::label_and_scale;
use crate::{
    cli::ui::{
        exit::Usage,
        output::{Printer, on_one_line, table},
    },
    evaluate::{
        leaderboard::{
            Leaderboard,
            weights::{self, PairUnderWeights, Sensitivity},
        },
        scorecard::ReportScores,
    },
};

/// Random weightings: the shares are known to within three hundredths.
pub const WEIGHTINGS: usize = 1_000;

/// Names of criteria in a hint, at most.
const SHOWN: usize = 12;

/// The factors by name in small letters: those that were typed, else those of the project.
pub fn factors(
    typed: &[(String, f64)],
    configured: &BTreeMap<String, f64>,
) -> BTreeMap<String, f64> {
    let by_name = |(name, factor): (&String, &f64)| (weights::plain(name), *factor);
    if typed.is_empty() {
        return configured.iter().map(by_name).collect();
    }
    typed
        .iter()
        .map(|(name, factor)| by_name((name, factor)))
        .collect()
}

/// Refuses a name that no criterion has: a slip would weigh nothing, and say so nowhere.
pub fn check(factors: &BTreeMap<String, f64>, scored: &[ReportScores]) -> Result<()> {
    let unknown = weights::unknown(factors, scored);
    let Some(first) = unknown.first() else {
        return Ok(());
    };
    let names = weights::names(scored);
    let known: Vec<String> = names
        .values()
        .take(SHOWN)
        .map(|name| on_one_line(name))
        .collect();
    let more = match names.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!(" and {more} more"),
        _ => String::new(),
    };
    let hint = if known.is_empty() {
        "nothing with criteria was evaluated; `taskgen evaluate --metric ace`".to_owned()
    } else {
        format!("{}{more}", known.join(", "))
    };
    Err(Usage(format!("no criterion is called `{first}`\nhint: {hint}")).into())
}

/// Says which names of the project's own weights no criterion here has: another set may have them.
pub fn note_unknown(factors: &BTreeMap<String, f64>, scored: &[ReportScores], printer: &Printer) {
    let unknown = weights::unknown(factors, scored);
    if !unknown.is_empty() {
        let unknown = on_one_line(&unknown.join(", "));
        printer.note(&format!(
            "[evaluate.weights] names criteria that are not here: {unknown}"
        ));
    }
}

/// The refusal where there are no two agents with criteria.
pub fn nothing_to_weigh() -> anyhow::Error {
    let hint = "hint: `taskgen evaluate --metric ace`, for two agents or more";
    Usage(format!(
        "--sensitivity needs two complete agents with ratings by criterion\n{hint}"
    ))
    .into()
}

/// What weighs otherwise, and how far the order depends on it.
pub fn text(board: &Leaderboard) -> String {
    let mut out = String::new();
    if !board.options.weights.is_empty() {
        let weights = board.options.weights.iter();
        let weights: Vec<String> = weights
            .map(|(name, factor)| format!("{} × {factor}", on_one_line(name)))
            .collect();
        out.push_str(&format!(
            "criteria weighed otherwise: {}\n",
            weights.join(", ")
        ));
    }
    if let Some(found) = &board.sensitivity {
        out.push_str(&order(found));
    }
    out
}

fn order(found: &Sensitivity) -> String {
    let (label, _) = label_and_scale(found.measure);
    let mut rows = table(&["order", "kept", "equal with"]);
    for pair in &found.pairs {
        rows.add_row([
            format!("{} > {}", pair.first, pair.second),
            format!("{:.0} %", pair.kept * 100.0),
            swap(pair),
        ]);
    }
    format!(
        "\n{rows}\nkept: share of {} random weightings of the {} criteria of {label} on {} tasks in \
         which the first one stays above; all weightings are as likely\n",
        found.weightings, found.criteria, found.tasks
    )
}

fn swap(pair: &PairUnderWeights) -> String {
    match (&pair.swap, pair.neighbours) {
        (Some(swap), _) => format!(
            "`{}` at {:.2} instead of {:.2}",
            on_one_line(&swap.criterion),
            swap.weight + swap.change,
            swap.weight
        ),
        (None, true) => "no change of a single weight".to_owned(),
        (None, false) => String::new(),
    }
}

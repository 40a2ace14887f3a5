//! The text of a task for its reviewer, with its quotes. Hides all that could reveal rank,
//! recording or other decisions.

use anyhow::Result;

use crate::{
    cli::ui::output::plain_rows,
    data::{Origin, TaskDecision},
    report::{listing::Listed, quotes::in_context},
    store::Store,
    text::words::one_line,
};

/// The card, wrapped to the terminal; `said` is shown to who settles a disagreement.
pub fn text(store: &Store, listed: &Listed, said: &[TaskDecision]) -> Result<String> {
    let task = &listed.task;
    let mut rows = plain_rows();
    let facets = &task.facets;
    rows.add_row([
        "kind",
        &format!("{}, {}", facets.family_label(), facets.difficulty_label()),
    ]);
    rows.add_row(["task", &one_line(&task.text)]);
    if let Origin::Imported(from) = &task.origin {
        for item in &from.checklist {
            rows.add_row(["asks", &one_line(item)]);
        }
    }
    for inspiration in &listed.sources {
        let Some(transcript) = store.transcript(&inspiration.transcript)? else {
            return Ok("(its recording was forgotten meanwhile: s goes on)".to_owned());
        };
        for quote in in_context(&transcript, &inspiration.evidence) {
            rows.add_row(["said", &quote.line()]);
        }
    }
    for decision in said {
        let settled = if decision.settles { ", settled" } else { "" };
        rows.add_row(["decided", &format!("{}{settled}", decision.label())]);
    }
    Ok(rows.trim_fmt())
}

//! How hard tasks are by the results of agents, in listings: beside the label.

use anyhow::Result;

use crate::{
    cli::ui::output::Printer,
    data::Difficulty,
    evaluate::{self, calibrated},
    report::listing::{Listed, Listing},
    store::Store,
};

/// Notes with each task of a listing what the results on it say; nothing where nothing was
/// evaluated.
pub fn add(store: &Store, listing: &mut Listing) -> Result<()> {
    if store.last_evaluation()?.is_none() {
        return Ok(());
    }
    let tasks: Vec<_> = listing.tasks.iter().map(|of| of.task.clone()).collect();
    let reports = store.report_heads()?;
    let scored = evaluate::scored(store, &tasks, &reports)?;
    let tasks: Vec<_> = tasks.iter().collect();
    let mut found = calibrated::calibrated(&tasks, &scored);
    for listed in &mut listing.tasks {
        listed.calibrated = found.remove(listed.task.id.as_str());
    }
    Ok(())
}

/// `difficulty +0.83 [+0.31, +1.35] by the ACE of 4 agents, labelled Basic`, and a warning.
pub fn line(listed: &Listed) -> Option<String> {
    let of = listed.calibrated.as_ref()?;
    let measure = evaluate::measure(of.measure).map_or(of.measure, |measure| measure.label);
    let label = listed.task.facets.difficulty.map(Difficulty::label);
    let label = label.map_or_else(String::new, |label| format!(", labelled {label}"));
    let known = match (&of.difficulty, &of.unknown) {
        (Some(found), _) => format!(
            "{:+.2} [{:+.2}, {:+.2}] by the {measure} of {} agents{label}",
            found.value, found.low, found.high, found.agents
        ),
        (None, why) => format!(
            "not known by {measure}{label}: {}",
            why.as_deref().unwrap_or("no results")
        ),
    };
    let warning = of.warning.iter().map(|warning| format!("; ⚠ {warning}"));
    Some(format!("difficulty {known}{}", warning.collect::<String>()))
}

/// What the numbers mean, and how many tasks are at odds with their label.
pub fn explain(listing: &Listing, printer: &Printer) {
    let rows = listing.tasks.iter().filter_map(|of| of.calibrated.as_ref());
    let (mut known, mut unknown, mut warned) = (0, 0, 0);
    for of in rows {
        known += usize::from(of.difficulty.is_some());
        unknown += usize::from(of.difficulty.is_none());
        warned += usize::from(of.warning.is_some());
    }
    if known + unknown == 0 {
        return;
    }
    let mut said =
        String::from("difficulty: in logits by a one-parameter model, 0 is the mean task");
    if unknown > 0 {
        said.push_str(&format!("; of {unknown} tasks the results say too little"));
    }
    if warned > 0 {
        said.push_str(&format!("; {warned} at odds with the label"));
    }
    printer.note(&said);
}

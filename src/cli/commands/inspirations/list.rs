//! `taskgen inspirations list`: the inspirations, where each comes from, and what reviewers said of
//! it.

use anyhow::Result;

use super::found::{Found, read};
use crate::{
    cli::{
        args::{Global, Select},
        project::Project,
        ui::{
            exit,
            output::{Printer, table},
        },
    },
    data::{Review, Reviewer},
    text::words::one_line,
};

/// Runs the command.
pub fn list(global: &Global, select: &Select, rejected: bool, printer: &Printer) -> Result<u8> {
    let store = Project::find(global)?.read_or_hint()?;
    let mut found = read(&store, select)?;
    let (all, fallen) = (found.len(), found.iter().filter(|of| !of.stands).count());
    found.retain(|of| !rejected || !of.stands);
    printer.show(&found, |found| text(found, rejected))?;
    if !printer.json && all > 0 {
        printer.note(&format!("{all} inspirations, {fallen} of them rejected"));
        printer
            .note("next: `taskgen inspirations review` to judge them, `taskgen weave` for tasks");
    }
    Ok(exit::DONE)
}

fn text(found: &[Found], rejected: bool) -> String {
    if found.is_empty() {
        let none = if rejected {
            "no inspiration is rejected"
        } else {
            "no inspirations yet\nhint: `taskgen inspire`"
        };
        return none.to_owned();
    }
    let mut rows = table(&[
        "id, type, traits",
        "inspiration",
        "seminar, time, quote",
        "reviews",
    ]);
    for of in found {
        let inspiration = &of.inspiration;
        let traits: Vec<&str> = inspiration
            .traits
            .iter()
            .map(|shown| shown.which.word())
            .collect();
        let quotes = inspiration
            .evidence
            .iter()
            .map(|evidence| format!("\n“{}”", one_line(&evidence.quote)));
        let reviews: Vec<String> = inspiration.reviews.iter().map(review_line).collect();
        rows.add_row(vec![
            format!(
                "{}\n{}\n{}",
                inspiration.id,
                inspiration.kind.label(),
                traits.join(", ")
            ),
            inspiration.text.clone(),
            format!("{}{}", of.place(), quotes.collect::<String>()),
            if reviews.is_empty() {
                "–".to_owned()
            } else {
                reviews.join("\n")
            },
        ]);
    }
    rows.to_string()
}

fn review_line(review: &Review) -> String {
    let who = match review.by {
        Reviewer::Person => "person",
        Reviewer::Model => "model",
    };
    let verdict = review.fault.map_or_else(
        || "accepted".to_owned(),
        |fault| format!("rejected, {}", fault.label()),
    );
    format!("{who} {}: {verdict}", review.name)
}

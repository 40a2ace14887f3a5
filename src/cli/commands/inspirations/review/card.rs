//! The text of an inspiration for its reviewer: type, summary, and each quote in context. Hides all
//! that could reveal other reviews.

use crate::{
    cli::ui::output::plain_rows,
    data::{Fault, Inspiration, Reviewer, Transcript},
    report::quotes::in_context,
    text::words::one_line,
};

/// The card, wrapped to the terminal.
pub fn text(inspiration: &Inspiration, transcript: &Transcript) -> String {
    let mut rows = plain_rows();
    rows.add_row(["type", inspiration.kind.label()]);
    rows.add_row(["idea", &one_line(&inspiration.text)]);
    for quote in in_context(transcript, &inspiration.evidence) {
        rows.add_row(["said", &quote.line()]);
    }
    rows.trim_fmt()
}

/// What people said, for who settles it; their names say nothing.
pub fn said(inspiration: &Inspiration) -> String {
    let mut out = String::new();
    for review in &inspiration.reviews {
        if review.by == Reviewer::Person {
            let verdict = review.fault.map_or("accepted", Fault::label);
            out.push_str(&format!("\nsaid: {verdict}"));
        }
    }
    out
}

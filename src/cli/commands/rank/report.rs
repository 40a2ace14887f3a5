//! `taskgen rank report`: the audit of a ranking, as text, as JSON, and as a page with plots.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::{
    cli::{
        args::Global,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, table},
        },
    },
    data::SubjectKind,
    files,
    report::{
        ranking::{self, Ranked, Report},
        ranking_page::CheckState,
    },
    store::{Ranking, Store},
};

/// The newest ranking's question; without one, what to do.
pub fn newest(store: &Store) -> Result<Ranking> {
    store
        .last_ranking(SubjectKind::Task)?
        .ok_or_else(|| not_ranked().into())
}

fn not_ranked() -> Usage {
    Usage("nothing is ranked yet\nhint: `taskgen rank`".into())
}

/// The newest ranking, with memberships of the best `top` if that is given; without one, what to
/// do.
pub fn ranked(store: &Store, top: Option<usize>) -> Result<Ranked> {
    ranking::ranked(store, top)?.ok_or_else(|| not_ranked().into())
}

/// Runs the command.
pub fn report(global: &Global, html: Option<PathBuf>, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let report = ranking::report(&ranked(&project.read_or_hint()?, None)?);
    printer.show(&report, text)?;
    if let Some(path) = html {
        files::write_whole(&path, report.html()?.as_bytes())
            .context("cannot write the page\nhint: choose another place")?;
        printer.note(&format!("written: `{}`", path.display()));
    }
    Ok(exit::DONE)
}

fn text(report: &Report) -> String {
    let mut rows = table(&["check", "value", "of", "", "what it means"]);
    for check in &report.checks {
        let state = match check.state {
            CheckState::Good => "good",
            CheckState::Doubtful => "doubtful",
            CheckState::Bad => "BAD",
            CheckState::Unknown => "–",
        };
        rows.add_row(vec![
            &check.name,
            &check.value,
            &check.n,
            state,
            &check.meaning,
        ]);
    }
    let mut out = format!("{rows}\n");
    for (name, value) in report.facts() {
        out.push_str(&format!("{name}: {value}\n"));
    }
    report
        .warnings
        .iter()
        .for_each(|warning| out.push_str(&format!("WARNING: {warning}\n")));
    out
}

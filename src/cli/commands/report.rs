//! `taskgen report`: pages. `report tasks` shows seminars, inspirations and tasks, where each quote plays its
//! second of the recording.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::{
    cli::{
        args::{Global, Report},
        commands::evaluate::scoring,
        project::Project,
        ui::{
            exit,
            output::{Printer, table},
        },
    },
    data::Ms,
    files,
    report::{
        tasks_page::{self, Distribution, Page, Rule, by_rule, distributions},
        tasks_report,
    },
};

/// The counts of the written page.
#[derive(Serialize)]
struct Written<'a> {
    file: &'a Path,
    seminars: Vec<Counted<'a>>,
    benchmarks: Vec<CountedBenchmark<'a>>,
    distributions: Vec<Distribution>,
    refused: Vec<Rule<'a>>,
    warnings: &'a [String],
}

/// A benchmark that was imported.
#[derive(Serialize)]
struct CountedBenchmark<'a> {
    name: &'a str,
    licence: &'a str,
    tasks: usize,
}

/// A seminar with the counts of its inspirations and tasks.
#[derive(Serialize)]
struct Counted<'a> {
    id: &'a str,
    path: &'a str,
    title: &'a str,
    language: &'a str,
    discipline: &'a str,
    licence: &'a str,
    duration: Ms,
    /// Its address relative to the page; none where the file is not there.
    recording: Option<&'a str>,
    inspirations: usize,
    quotes: usize,
    tasks: usize,
    refused: usize,
}

/// Runs one of the commands.
pub fn report(global: &Global, command: Report, printer: &Printer) -> Result<u8> {
    match command {
        Report::Tasks { html } => tasks(global, html, printer),
        Report::Scoring { html, set, sample } => {
            scoring::scoring(global, html, set.as_deref(), sample, printer)
        }
    }
}

fn tasks(global: &Global, html: Option<PathBuf>, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let file = html.unwrap_or_else(|| project.tasks().join("tasks.html"));
    // A name alone is in the working folder.
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let page = tasks_report::page(&store, &project.seminars(), folder)?;
    files::write_whole(&file, tasks_page::html(&page)?.as_bytes())
        .context("cannot write the page\nhint: choose another place with --html")?;
    printer.show(&written(&file, &page), text)?;
    Ok(exit::DONE)
}

fn written<'a>(file: &'a Path, page: &'a Page) -> Written<'a> {
    let seminars = page.seminars.iter().enumerate().map(|(at, of)| Counted {
        id: &of.id,
        path: &of.path,
        title: &of.title,
        language: &of.language,
        discipline: &of.discipline,
        licence: &of.licence,
        duration: of.duration,
        recording: of.recording.as_deref(),
        inspirations: of.inspirations.len(),
        quotes: of.inspirations.iter().map(|of| of.quotes.len()).sum(),
        tasks: of.tasks.len(),
        refused: page
            .refused
            .iter()
            .filter(|refusal| refusal.seminar == at)
            .count(),
    });
    Written {
        file,
        seminars: seminars.collect(),
        benchmarks: page
            .benchmarks
            .iter()
            .map(|of| CountedBenchmark {
                name: &of.name,
                licence: &of.licence,
                tasks: of.tasks.len(),
            })
            .collect(),
        distributions: distributions(page),
        refused: by_rule(&page.refused),
        warnings: &page.warnings,
    }
}

fn text(written: &Written<'_>) -> String {
    let mut rows = table(&[
        "seminar or benchmark",
        "language",
        "duration",
        "inspirations",
        "quotes",
        "tasks",
        "refused",
    ]);
    for of in &written.seminars {
        rows.add_row(vec![
            of.path.to_owned(),
            of.language.to_owned(),
            of.duration.to_string(),
            of.inspirations.to_string(),
            of.quotes.to_string(),
            of.tasks.to_string(),
            of.refused.to_string(),
        ]);
    }
    for of in &written.benchmarks {
        let mut cells = vec![of.name.to_owned(), "–".to_owned()];
        cells.extend(["–", "–", "–"].map(str::to_owned));
        cells.extend([of.tasks.to_string(), "–".to_owned()]);
        rows.add_row(cells);
    }
    let mut out = format!("{rows}\n");
    for of in &written.distributions {
        let counts = of.counts.iter().filter(|count| count.n > 0);
        let counts: Vec<String> = counts
            .map(|count| format!("{} {}", count.value, count.n))
            .collect();
        out.push_str(&format!(
            "{}: {}\n",
            of.name,
            if counts.is_empty() {
                "–".to_owned()
            } else {
                counts.join(", ")
            }
        ));
    }
    for of in &written.refused {
        out.push_str(&format!("refused: {}, {}: {}\n", of.stage, of.rule, of.n));
    }
    written
        .warnings
        .iter()
        .for_each(|warning| out.push_str(&format!("WARNING: {warning}\n")));
    out + &format!("written: `{}`", written.file.display())
}

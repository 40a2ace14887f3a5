//! `taskgen wiki collect`: an edition of the benchmark out of a wiki; and `taskgen wiki diff`, how
//! two editions differ.

use std::{collections::BTreeMap, path::Path, time::Duration};

use anyhow::Result;
use jiff::Timestamp;
use serde::Serialize;

use crate::{
    benchmarks::wiki_live_challenge::edition::{
        EditionDifference, MANIFEST, Manifest, RubricPart, difference,
    },
    cli::{
        args::{Global, WikiCollect},
        project::resolve,
        ui::{
            exit::{self, Usage},
            output::{Printer, counted, on_one_line},
            progress,
        },
    },
    collect::{self, Options},
    context::StageReport,
    evaluate,
    mediawiki::{Client, ClientOptions, Window},
};

/// Titles that are listed of each kind; `--json` has all.
const SHOWN: usize = 10;

/// What was collected.
#[derive(Serialize)]
struct Shown {
    folder: String,
    requests: u64,
    report: StageReport,
    manifest: Manifest,
}

/// Runs `wiki collect`.
pub fn run(global: &Global, args: &WikiCollect, printer: &Printer) -> Result<u8> {
    resolve::stop_on_signals(*printer)?;
    let now = Timestamp::now();
    let as_of = args.as_of.unwrap_or(now);
    let window = Window::new(args.since, args.until, as_of, now).map_err(usage)?;
    let options = ClientOptions {
        pause: Duration::from_millis(args.pause_ms),
        offline: global.offline,
        ..ClientOptions::new(&args.api, &args.contact)
    };
    let client = Client::new(options).map_err(usage)?;
    let options = Options {
        folder: args.folder.clone(),
        name: args.name.clone(),
        category: args.category.clone(),
        window,
        is_as_of_given: args.as_of.is_some(),
        most: args.most as usize,
    };
    let notify = progress::notify(global.quiet || global.json);
    let collected = resolve::block_on(collect::run(&client, &options, &rubric(), &notify))?;
    let shown = Shown {
        folder: args.folder.display().to_string(),
        requests: client.requests(),
        report: collected.report,
        manifest: collected.manifest,
    };
    printer.show(&shown, text)?;
    Ok(exit::DONE)
}

fn usage(error: impl std::fmt::Display) -> anyhow::Error {
    Usage(error.to_string()).into()
}

/// The criteria of writing by category, as agents are told them.
fn rubric() -> Vec<RubricPart> {
    let parts = evaluate::writing_criteria().into_iter();
    parts
        .map(|(name, criteria)| RubricPart { name, criteria })
        .collect()
}

fn text(of: &Shown) -> String {
    let Shown {
        report, manifest, ..
    } = of;
    let mut out = String::new();
    for note in &report.notes {
        out.push_str(&format!("{}\n", on_one_line(note)));
    }
    for article in manifest.articles.iter().take(SHOWN) {
        out.push_str(&format!(
            "{:>3}  {}: {} references, {} sections, of {}\n",
            article.place,
            on_one_line(&article.title),
            article.references,
            article.sections,
            article.created
        ));
    }
    if manifest.articles.len() > SHOWN {
        let more = manifest.articles.len() - SHOWN;
        out.push_str(&format!("     and {more} more\n"));
    }
    out.push_str(&format!(
        "{} articles of {}, created from {} to {}, as they were on {}\n",
        manifest.articles.len(),
        on_one_line(&manifest.wiki),
        manifest.since,
        manifest.until,
        manifest.as_of
    ));
    out.push_str(&format!(
        "left out: {}\n{} requests; {} pages were kept before\n",
        counted(&manifest.left_out, "none"),
        of.requests,
        report.skipped
    ));
    let folder = on_one_line(&of.folder);
    out.push_str(&format!(
        "licence: {}; `{folder}/ATTRIBUTION.md` names the authors\nnext: taskgen wiki import {folder}",
        on_one_line(&manifest.licence.name)
    ));
    out
}

/// Runs `wiki diff`.
pub fn diff(earlier: &Path, later: &Path, printer: &Printer) -> Result<u8> {
    let (earlier, later) = (manifest(earlier)?, manifest(later)?);
    printer.show(&difference(&earlier, &later), difference_text)?;
    Ok(exit::DONE)
}

/// The manifest of an edition: in its folder, or the file itself.
fn manifest(path: &Path) -> Result<Manifest> {
    let file = if path.is_dir() {
        path.join(MANIFEST)
    } else {
        path.to_owned()
    };
    let bytes = fs_err::read(&file).map_err(|error| {
        usage(format!(
            "{error}\nhint: name a folder that `taskgen wiki collect` wrote"
        ))
    })?;
    Manifest::read(&file.display().to_string(), &bytes).map_err(usage)
}

fn difference_text(of: &EditionDifference) -> String {
    let changed = of.changed.iter().map(|article| {
        let renamed = article.earlier_title.as_ref();
        let renamed = renamed.map_or_else(String::new, |title| format!(" (it was `{title}`)"));
        format!(
            "{}{renamed}: revision {} to {}",
            article.title, article.from, article.to
        )
    });
    let lists: BTreeMap<&str, Vec<String>> = BTreeMap::from([
        ("changed", changed.collect()),
        ("gone", of.gone.clone()),
        ("new", of.new.clone()),
    ]);
    let mut out = String::new();
    for (name, titles) in lists {
        out.push_str(&format!("{name}: {}\n", titles.len()));
        for title in titles.iter().take(SHOWN) {
            out.push_str(&format!("  {}\n", on_one_line(title)));
        }
        if titles.len() > SHOWN {
            out.push_str(&format!("  and {} more\n", titles.len() - SHOWN));
        }
    }
    out.push_str(&format!("unchanged: {}", of.unchanged.len()));
    out
}

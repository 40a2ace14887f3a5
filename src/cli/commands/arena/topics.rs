//! `taskgen arena trees build --topics`: trees from roots that a search of the web finds.

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Instant};

use anyhow::Result;
use serde::Serialize;

use super::{refuse_jina, shape};
use crate::{
    arena::{
        pages::WebPages,
        play::EXAMINE,
        topics::{
            Draw, DrawOutcome, Ended, GrowOptions, Grower, Grown, LARGEST_FILE, Prospect, Taxonomy,
        },
    },
    cli::{
        args::{BuildTree, Global},
        commands::stages,
        project::{Project, resolve, search},
        ui::{
            exit::{self, NoModel, Usage},
            output::{Printer, count, counted, on_one_line, table},
            progress,
        },
    },
};

/// Runs the command.
pub fn build(
    global: &Global,
    project: &Project,
    args: &BuildTree,
    file: &Path,
    printer: &Printer,
) -> Result<u8> {
    let started = Instant::now();
    refuse_jina(project)?;
    let taxonomy = read(file)?;
    resolve::stop_on_signals(*printer)?;
    let store = Arc::new(project.write(global)?);
    let searcher = search::searcher(global, project, printer)?;
    let notify = progress::notify_in(project.progress(), global.quiet || global.json);
    let ctx = resolve::context(global, project, &store, &notify, printer, &[EXAMINE])?;
    let web = super::web(global, project, args.allow_private_network, printer)?;
    let now = jiff::Timestamp::now().to_string();
    let grower = Grower {
        ctx: &ctx,
        searcher: &searcher,
        pages: &WebPages::new(&store, &web, &now),
        now: &now,
    };
    let options = GrowOptions {
        count: args.count.unwrap_or(1),
        shape: shape(args),
        retry_failed: global.retry_failed,
    };
    if global.dry_run {
        printer.show(&grower.prospect(&taxonomy, options)?, prospect_text)?;
        return Ok(exit::DONE);
    }
    printer.note(&format!(
        "{}; seed {} (change it with --seed)",
        count(taxonomy.leaves() as u64, "topic"),
        ctx.seed
    ));
    let grown = resolve::block_on(grower.grow(&taxonomy, options));
    let grown = stages::finished(grown, &[], &store, &ctx, printer)?;
    let (sent, on_record) = searcher.counts();
    let calls = ctx.llm.counts();
    let built = Built {
        wanted: options.count,
        most_draws: options.most_draws(),
        outcomes: grown.outcomes(),
        searches: Asked { sent, on_record },
        calls: Asked {
            sent: calls.made,
            on_record: calls.cached,
        },
        grown,
    };
    printer.show(&built, text)?;
    printer.note(&format!("{:.1} s", started.elapsed().as_secs_f64()));
    ended(&built)
}

/// The taxonomy in a file.
fn read(file: &Path) -> Result<Taxonomy> {
    let shown = file.display();
    let hint = "hint: a JSON file of topics, each with `name` and `children`";
    let wrong = |what: String| Usage(format!("no topics in `{shown}`: {what}\n{hint}"));
    let metadata = fs_err::metadata(file).map_err(|error| Usage(format!("{error}\n{hint}")))?;
    // A pipe or a device may never end.
    if !metadata.is_file() {
        return Err(wrong("it is no file".to_owned()).into());
    }
    if metadata.len() > LARGEST_FILE {
        let most = LARGEST_FILE >> 20;
        return Err(wrong(format!("it is longer than {most} MB")).into());
    }
    let bytes = fs_err::read(file).map_err(|error| Usage(format!("{error}\n{hint}")))?;
    let taxonomy = Taxonomy::read(&bytes);
    Ok(taxonomy.map_err(|fault| wrong(on_one_line(&fault.to_string())))?)
}

/// What a run came to.
#[derive(Serialize)]
struct Built {
    /// Trees that were wanted.
    wanted: u32,
    /// Draws at most.
    most_draws: u32,
    /// How draws ended, by word.
    outcomes: BTreeMap<&'static str, u64>,
    /// Searches of this run.
    searches: Asked,
    /// Calls of a model in this run.
    calls: Asked,
    #[serde(flatten)]
    grown: Grown,
}

#[derive(Serialize)]
struct Asked {
    sent: u64,
    on_record: u64,
}

fn ended(built: &Built) -> Result<u8> {
    match &built.grown.ended {
        Ended::Enough => Ok(exit::DONE),
        Ended::DrawsUsedUp | Ended::FailuresInARow { .. } => Ok(exit::SOME_FAILED),
        Ended::SearchStopped { why, message } => Err(if why == "not_on_record" {
            Usage(message.clone()).into()
        } else {
            NoModel(message.clone()).into()
        }),
    }
}

fn prospect_text(prospect: &Prospect) -> String {
    if prospect.trees == 0 {
        return "the trees are there: nothing would be searched, asked or fetched".to_owned();
    }
    let searches = match prospect.searches {
        1 => "1 search".to_owned(),
        n => format!("{n} searches"),
    };
    format!(
        "for {}: at most {}, {searches}, {} and {}; repairs of unusable replies are not included, and no budget counts searches",
        count(prospect.trees.into(), "tree"),
        count(prospect.draws.into(), "draw"),
        count(prospect.calls.into(), "call"),
        count(prospect.pages, "page"),
    )
}

fn text(built: &Built) -> String {
    let draws = &built.grown.draws;
    let mut rows = table(&["tree", "pages", "topic", "query", "root"]);
    let (mut trees, mut others) = (0, String::new());
    for (number, draw) in draws {
        let topic = on_one_line(&draw.topic.join(" > "));
        let of = |text: &Option<String>| on_one_line(text.as_deref().unwrap_or_default());
        if let DrawOutcome::Tree { name, pages } = &draw.outcome {
            trees += 1;
            rows.add_row([
                on_one_line(name),
                pages.to_string(),
                topic,
                of(&draw.query),
                of(&draw.root),
            ]);
        } else {
            others.push_str(&format!("draw {number}, {topic}: {}\n", why(draw)));
        }
    }
    let mut out = if trees > 0 {
        format!("{rows}\n")
    } else {
        String::new()
    };
    out.push_str(&others);
    out.push_str(&format!(
        "{} of {} after {}: {}\n",
        built.grown.trees,
        count(built.wanted.into(), "tree"),
        count(draws.len() as u64, "draw"),
        counted(&built.outcomes, "none"),
    ));
    out.push_str(&format!(
        "searches: {} sent, {} on record; calls: {} sent, {} on record\n{}",
        built.searches.sent,
        built.searches.on_record,
        built.calls.sent,
        built.calls.on_record,
        end(built),
    ));
    out
}

/// Why a draw came to no tree.
fn why(draw: &Draw) -> String {
    let reason = draw.outcome.reason();
    let word = draw.outcome.word().replace('_', " ");
    let what = draw.root.as_deref().or(draw.query.as_deref());
    let what = what.map_or_else(String::new, |what| format!(" ({what})"));
    if reason.is_empty() {
        return on_one_line(&format!("{word}{what}"));
    }
    on_one_line(&format!("{word}{what}: {reason}"))
}

fn end(built: &Built) -> String {
    match &built.grown.ended {
        Ended::Enough => "next: `taskgen arena tournament NAME --agents A,B`".to_owned(),
        Ended::DrawsUsedUp => format!(
            "ended: {} draws were made\nhint: other topics, another --seed, or --retry-failed for the draws without a tree",
            built.most_draws
        ),
        Ended::FailuresInARow { last } => format!(
            "ended: three draws in a row failed, the last one: {}\nhint: the same command goes on; --retry-failed asks again what a model did not answer",
            on_one_line(last)
        ),
        Ended::SearchStopped { why, .. } => {
            format!("ended: no search is answered any more ({why}); what is there is kept")
        }
    }
}

//! `taskgen rank simulate`: the quality of a ranking method on made-up tasks, before anything is
//! spent.

use std::time::Instant;

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::{
        args::{Global, Simulate},
        ui::{
            exit::{self, Usage},
            output::{Printer, seconds, table},
        },
    },
    rank::{
        Method, Options,
        simulate::{Trial, TrialResult, run},
    },
};

/// 400 draws of each strength are kept, 1.6 kB: so many tasks take 160 MB.
const MOST_TASKS: usize = 100_000;

#[derive(Serialize)]
struct Tried {
    seed: u64,
    #[serde(flatten)]
    score: TrialResult,
    seconds: f64,
}

/// Runs the trials and shows each with their mean.
pub fn simulate(global: &Global, args: &Simulate, printer: &Printer) -> Result<u8> {
    if let Some(name) = &args.world {
        return Err(Usage(format!(
            "there is no --world any more\nhint: `taskgen rank simulate --scenario {name}`"
        ))
        .into());
    }
    let list_size = check(args).map_err(Usage)?;
    // The seeds count up from the first one and must not overflow.
    let first = global.seed.unwrap_or(1).min(u64::MAX - args.seeds);
    let tried: Vec<Tried> = (first..first + args.seeds)
        .map(|seed| {
            let began = Instant::now();
            let Simulate {
                scenario,
                method,
                n: items,
                top,
                budget_calls: calls,
                target_recall,
                ..
            } = *args;
            let score = run(&Trial {
                scenario,
                method,
                items,
                top,
                calls,
                target_recall,
                list_size,
                seed,
            });
            Tried {
                seed,
                score,
                seconds: began.elapsed().as_secs_f64(),
            }
        })
        .collect();
    printer.show(&tried, |tried| text(tried, args.method))?;
    Ok(exit::DONE)
}

/// The meaning of the columns; docs/ranking.md has more.
const LEGEND: &str = "recall: share of the best that was found; expected: the ranking's own estimate of it; quality: 0 is the mean task, 1 the \
    truly best; tau: Kendall's over all tasks; intervals, of found: 95 % intervals that hold the truth, of all tasks and of those \
    found; covered: tasks judged at least once";

fn text(tried: &[Tried], method: Method) -> String {
    let mut rows = table(&[
        "seed",
        "judgements",
        "recall",
        "expected",
        "quality",
        "tau",
        "intervals",
        "of found",
        "covered",
        "time",
    ]);
    for Tried {
        seed,
        score,
        seconds: time,
    } in tried
    {
        rows.add_row(vec![
            seed.to_string(),
            score.calls.to_string(),
            format!("{:.3}", score.recall),
            share(score.expected_recall),
            format!("{:.3}", score.quality),
            share(score.tau),
            share(score.intervals),
            share(score.intervals_of_found),
            format!("{:.3}", score.coverage),
            seconds(*time),
        ]);
    }
    let expected = match method {
        Method::Elo => String::new(),
        Method::Halving | Method::Listwise => {
            let expected = mean(tried, |score| score.expected_recall.unwrap_or(0.0));
            format!(", expected {expected:.3}")
        }
    };
    format!(
        "{rows}\n{LEGEND}\nmean recall {:.3}{expected}, quality {:.3}",
        mean(tried, |score| score.recall),
        mean(tried, |score| score.quality)
    )
}

fn share(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"))
}

fn mean(tried: &[Tried], of: impl Fn(&TrialResult) -> f64) -> f64 {
    tried.iter().map(|one| of(&one.score)).sum::<f64>() / tried.len() as f64
}

/// Refuses settings that cannot be simulated and flags without effect; returns the size of a list.
fn check(args: &Simulate) -> Result<usize, String> {
    let Simulate {
        method,
        n,
        top,
        budget_calls,
        target_recall,
        list_size,
        seeds,
        ..
    } = *args;
    if n < 2 || top == 0 || top >= n {
        return Err(format!(
            "--top must be at least 1 and less than -n: `{top}` of `{n}`\nhint: the best tenth is usual"
        ));
    }
    if n > MOST_TASKS {
        return Err(format!(
            "-n must be at most {MOST_TASKS}: `{n}`\nhint: each task takes 1.6 kB for its draws"
        ));
    }
    if seeds == 0 {
        return Err("--seeds must be at least 1: `0`\nhint: three trials are usual".into());
    }
    if method != Method::Listwise && list_size.is_some() {
        return Err(
            "--list-size needs --method listwise\nhint: add --method listwise, or leave it out"
                .into(),
        );
    }
    if method == Method::Elo && target_recall.is_some() {
        return Err("--target-recall does not apply to --method elo\nhint: --method halving stops at a recall".into());
    }
    let usual = Options::default();
    let options = Options {
        method,
        top,
        budget_calls: budget_calls as u64,
        target_recall: target_recall.unwrap_or(usual.target_recall),
        list_size: list_size.unwrap_or(usual.list_size),
        ..usual
    };
    options.check()?;
    Ok(options.list_size)
}

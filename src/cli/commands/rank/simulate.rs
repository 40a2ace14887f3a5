//! `taskgen rank simulate`: how good a way to rank is, on made-up tasks, before anything is spent.

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
    printer.show(&tried, |tried| {
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
        let share = |share: Option<f64>| {
            share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"))
        };
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
        let mean = |of: fn(&TrialResult) -> f64| {
            tried.iter().map(|one| of(&one.score)).sum::<f64>() / tried.len() as f64
        };
        let expected = match args.method {
            Method::Elo => String::new(),
            Method::Halving | Method::Listwise => {
                format!(
                    ", expected {:.3}",
                    mean(|score| score.expected_recall.unwrap_or(0.0))
                )
            }
        };
        format!(
            "{rows}\nmean recall {:.3}{expected}, quality {:.3}",
            mean(|score| score.recall),
            mean(|score| score.quality)
        )
    })?;
    Ok(exit::DONE)
}

/// What cannot be simulated, and flags that would do nothing; returns the size of a list.
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
    if n > MOST_TASKS || seeds == 0 {
        let hint = "each task takes 1.6 kB for its draws";
        return Err(format!(
            "-n must be at most {MOST_TASKS}, and --seeds at least 1: `{n}`, `{seeds}`\nhint: {hint}"
        ));
    }
    if method != Method::Listwise && list_size.is_some() {
        return Err("--list-size has no meaning but for --method listwise\nhint: add --method listwise, or leave it out".into());
    }
    if method == Method::Elo && target_recall.is_some() {
        return Err("--target-recall has no meaning for --method elo\nhint: --method halving stops at a recall".into());
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

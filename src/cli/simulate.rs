//! `taskgen rank simulate`: how good a way to rank is, on made-up tasks, before anything is spent.

use std::time::Instant;

use anyhow::Result;
use serde::Serialize;

use super::{
    args::{Global, Simulate},
    exit::{self, Usage},
    output::{Printer, seconds, table},
};
use crate::rank::{
    Method,
    simulate::{Score, Trial, run},
};

const MOST: usize = 10_000_000;

#[derive(Serialize)]
struct Tried {
    seed: u64,
    #[serde(flatten)]
    score: Score,
    seconds: f64,
}

/// Runs the trials and shows each with their mean.
pub fn simulate(global: &Global, args: &Simulate, printer: &Printer) -> Result<u8> {
    if args.n < 2 || args.top == 0 || args.top >= args.n {
        return Err(Usage(format!("--top must be at least 1 and less than -n: `{}` of `{}`", args.top, args.n)).into());
    }
    let share = |share: &f64| (0.0..=1.0).contains(share);
    if args.n > MOST || args.budget_calls > 100 * MOST || args.seeds == 0 || !args.target_recall.iter().all(share) {
        let hint = "at most ten million tasks and a billion judgements, at least one seed, a target between 0 and 1";
        return Err(Usage(format!("this cannot be simulated\nhint: {hint}")).into());
    }
    let first = global.seed.unwrap_or(1).min(u64::MAX - args.seeds);
    let tried: Vec<Tried> = (first..first + args.seeds)
        .map(|seed| {
            let began = Instant::now();
            let Simulate { world, method, n: items, top, budget_calls: calls, target_recall, list_size, .. } = *args;
            let score = run(&Trial { world, method, items, top, calls, target_recall, list_size, seed });
            Tried { seed, score, seconds: began.elapsed().as_secs_f64() }
        })
        .collect();
    printer.show(&tried, |tried| {
        let mut rows = table(&["seed", "judgements", "recall", "expected", "quality", "covered", "time"]);
        for Tried { seed, score, seconds: time } in tried {
            rows.add_row(vec![
                seed.to_string(),
                score.calls.to_string(),
                format!("{:.3}", score.recall),
                score.expected_recall.map_or_else(|| "-".to_owned(), |recall| format!("{recall:.3}")),
                format!("{:.3}", score.quality),
                format!("{:.3}", score.coverage),
                seconds(*time),
            ]);
        }
        let mean = |of: fn(&Score) -> f64| tried.iter().map(|one| of(&one.score)).sum::<f64>() / tried.len() as f64;
        let expected = match args.method {
            Method::Elo => String::new(),
            Method::Halving | Method::Listwise => {
                format!(", expected {:.3}", mean(|score| score.expected_recall.unwrap_or(0.0)))
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

//! Here are items, such as tasks: which are best? Pairwise judgements give strengths or, the
//! paper's way (RankEval), Elo ratings. Hides the pairing, the judge and the fit. Verdicts are
//! stored; ratings are computed from them on each read.

mod adaptive;
pub mod audit;
pub mod audit_card;
mod collect;
mod hidden_pairs;
mod history;
pub mod import;
mod index;
mod items;
mod judge;
mod options;
pub mod pairing;
mod panel;
#[cfg(test)]
mod planted;
pub mod quota;
mod random_rounds;
mod ratings;
mod request;
pub mod select;
pub mod signals;
pub mod simulate;
mod weigh;

use std::time::Instant;

use anyhow::Result;

pub use items::Items;
pub use options::{Method, Options, Read, RepeatedPairs};
pub use pairing::Pair;
pub use panel::{NoBetterThanChance, caveat};
pub use ratings::{RatedItem, Ratings, StrengthEstimate, ratings, verdict_counts};
pub use weigh::SidePreference;

use crate::context::{Context, Notice, StageReport};

/// Asks for the verdicts that are missing, saves each at once, and saves the ranking's question.
pub async fn run(ctx: &Context, items: &Items, options: &Options) -> Result<StageReport> {
    let started = Instant::now();
    let mut report = StageReport::new("rank");
    let done = match options.method {
        Method::Elo => random_rounds::run(ctx, items, options, &mut report).await,
        Method::Halving | Method::Listwise => adaptive::run(ctx, items, options, &mut report).await,
    };
    // Before the error: the progress bar must not stand beside a message.
    (ctx.notify)(Notice::End);
    done?;
    if items.len() == 1 {
        report.notes.push(format!(
            "one {} cannot be ranked against another",
            items.kind.word()
        ));
    }
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

//! Whether a key point's place among those that were asked about together changes what the judge
//! says. Places follow from the seed, so that the first and the second halves of batches should be
//! supported alike.

use anyhow::Result;
use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Deserialize;

use super::{
    question::{Compared, ROLE},
    relations::STRICT,
    strict::PROMPT,
};
use crate::{context::Context, data::Relation, judging, stats::bootstrap, store::StoredJudgement};

const RESAMPLES: usize = 1_000;

/// A relation and where it stood.
fn placed(stored: &StoredJudgement<'_>) -> Result<(Relation, usize, usize)> {
    #[derive(Deserialize)]
    struct Payload {
        place: usize,
        of: usize,
    }
    let Payload { place, of } = stored.payload()?;
    Ok((stored.label()?, place, of))
}

/// The shares of points that are supported in the first and in the second halves of batches, and
/// their difference with an interval by resampling reports, in a sentence; none where every point
/// was asked about alone.
pub fn effect(ctx: &Context, compared: &[Compared<'_>]) -> Result<Option<String>> {
    let evaluation = judging::by_panel(STRICT, judging::panel(ctx, ROLE, PROMPT)?);
    let judgements = ctx.store.panel_judgements(&evaluation)?;
    let mut reports: Vec<Vec<(f64, f64)>> = Vec::new();
    for (case, _) in compared {
        let known = judgements.read_bare(STRICT, case.report.id.as_str(), placed)?;
        let mut halves = vec![(0.0, 0.0); 2];
        let decided = known.into_iter().filter_map(|of| of.outcome.ok());
        for (relation, place, of) in decided.filter(|(_, _, of)| *of > 1) {
            let half = &mut halves[usize::from(place * 2 > of + 1)];
            half.0 += f64::from(relation == Relation::Supports);
            half.1 += 1.0;
        }
        if halves.iter().all(|(_, n)| *n > 0.0) {
            reports.push(halves);
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(ctx.seed);
    let drawn = bootstrap::ratios(&reports, RESAMPLES, &mut rng);
    let (Some(first), Some(second)) = (drawn.estimate(0), drawn.estimate(1)) else {
        return Ok(None);
    };
    let Some(difference) = drawn.difference(1, 0) else {
        return Ok(None);
    };
    let percent = |share: f64| share * 100.0;
    let interval = difference.interval.map_or(String::new(), |(low, high)| {
        format!(", 95 % {:+.1} to {:+.1}", percent(low), percent(high))
    });
    Ok(Some(format!(
        "place in the batch: {:.1} % of the points in first halves are supported, {:.1} % of those \
         in second halves ({:+.1} points{interval})",
        percent(first.value),
        percent(second.value),
        percent(difference.value)
    )))
}

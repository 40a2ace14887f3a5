//! The pool of a talk: up to sixty tasks, in batches of at most eight that each keep the method's
//! rules by themselves. A batch is shown the tasks of the batches before it, and code refuses
//! copies of any of them. Whether a draft passes is said of it beside a set of others, so that the
//! order of batches decides which of two copies stays and nothing else.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{Options, array, loom::Loom, plan::Plan, rules, single};
use crate::{
    context::Context,
    data::{Inspiration, Unscored},
};

/// Most tasks of one talk. Ten inspirations and ten families, most of which suit, give about
/// seventy that differ in one of the two.
pub const MOST: usize = 60;

/// How a model is asked for tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// One question for each task, which one inspiration leads
    #[default]
    Single,
    /// The paper's way: one question for a whole batch, about all inspirations at once
    Array,
}

/// Weaves batch after batch until there are `wanted` tasks or a batch gives nothing more. Returns
/// why an answer is missing that another run may get.
pub async fn weave(
    ctx: &Context,
    inspirations: &[Inspiration],
    loom: &mut Loom<'_>,
    options: &Options,
    wanted: usize,
) -> Result<Option<Unscored>> {
    for _ in 0..most_batches(wanted) {
        let left = wanted.saturating_sub(loom.count());
        if left == 0 {
            break;
        }
        loom.begin_batch();
        let (before, size) = (loom.count(), next_size(left));
        let lost = match options.style {
            Style::Single => {
                let plan = Plan::new(inspirations, true).after(&loom.earlier());
                single::fill(ctx, plan, loom, size).await?
            }
            Style::Array => array::fill(ctx, inspirations, loom, size).await?,
        };
        if lost.is_some() {
            return Ok(lost);
        }
        // What gave nothing once gives nothing again.
        if loom.count() == before {
            break;
        }
    }
    Ok(None)
}

/// Batches at most: half as many again as would be enough if nothing were refused. Where one is
/// enough there is one.
fn most_batches(wanted: usize) -> usize {
    match wanted.div_ceil(rules::MOST) {
        0 | 1 => 1,
        enough => enough + enough.div_ceil(2),
    }
}

/// The size of the next batch, so that those that are left are about equal.
fn next_size(left: usize) -> usize {
    left.div_ceil(left.div_ceil(rules::MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(wanted: usize) -> Vec<usize> {
        let mut left = wanted;
        let mut sizes = Vec::new();
        while left > 0 {
            sizes.push(next_size(left));
            left -= next_size(left);
        }
        sizes
    }

    #[test]
    fn batches_are_as_the_paper_has_them_and_about_equal() {
        assert_eq!(sizes(6), [6]);
        assert_eq!(sizes(60), [8, 8, 8, 8, 7, 7, 7, 7]);
        for wanted in rules::FEWEST..=MOST {
            let sizes = sizes(wanted);
            assert!(sizes.iter().all(|size| *size <= rules::MOST), "{sizes:?}");
            assert!(sizes.iter().max() <= sizes.iter().min().map(|least| least + 1).as_ref());
            assert!(sizes.len() <= most_batches(wanted));
        }
    }

    #[test]
    fn one_batch_stays_one() {
        assert_eq!([5, 8].map(most_batches), [1, 1]);
        assert_eq!([9, 60].map(most_batches), [3, 12]);
    }
}

//! What a run would take at most.

use std::collections::BTreeSet;

use anyhow::Result;
use serde::Serialize;

use super::{GrowOptions, Grower, Taxonomy, drawing::drawing, grow::count_trees, query::by_code};
use crate::arena::play::EXAMINE;

/// The most that a run could take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Prospect {
    /// Trees that are still wanted.
    pub trees: u32,
    /// Draws at most.
    pub draws: u32,
    /// Searches at most.
    pub searches: u32,
    /// Calls of a model at most, repairs apart.
    pub calls: u32,
    /// Pages at most.
    pub pages: u64,
}

impl Grower<'_> {
    /// The most that [`Self::grow`] could take now. Nothing is asked.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn prospect(&self, taxonomy: &Taxonomy, options: GrowOptions) -> Result<Prospect> {
        let drawing = drawing(self.ctx, self.searcher, taxonomy, options.shape)?;
        let draws = self.ended(&drawing, options)?;
        let trees = options.count.saturating_sub(count_trees(&draws));
        let open = (1..=options.most_draws()).filter(|number| !draws.contains_key(number));
        let open: Vec<u32> = if trees == 0 {
            Vec::new()
        } else {
            open.collect()
        };
        let (mut searches, mut calls) = (open.len() as u32, 0);
        if self.ctx.llm.is_code(EXAMINE, 0)? {
            let queries = open
                .iter()
                .map(|number| by_code(&taxonomy.draw(self.ctx.seed, *number)));
            let mut sent = 0;
            for query in queries.collect::<BTreeSet<String>>() {
                let on_record = self.searcher.is_on_record(&self.ctx.store, &query)?;
                sent += u32::from(!on_record);
            }
            searches = sent;
        } else {
            calls = 2 * open.len() as u32;
        }
        Ok(Prospect {
            trees,
            draws: open.len() as u32,
            searches,
            calls,
            pages: open.len() as u64 * options.shape.pages as u64,
        })
    }
}

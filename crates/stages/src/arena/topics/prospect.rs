//! What a run would take at most, and what tells one drawing apart from another.

use std::collections::BTreeSet;

use anyhow::Result;
use serde::Serialize;

use super::{
    GrowOptions, Grower, Taxonomy, choice,
    grow::count_trees,
    query::{self, by_code},
};
use crate::{
    arena::{crawl::Shape, play::EXAMINE},
    context::Context,
    data::id,
    search::Searcher,
};

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

/// A name for all that decides what a drawing's draws come to: the topics, the seed, the search, who
/// asks, with the prompts, and the shape of trees.
///
/// # Errors
///
/// A prompt is missing, or no model has the role.
pub(super) fn drawing(
    ctx: &Context,
    searcher: &Searcher,
    taxonomy: &Taxonomy,
    shape: Shape,
) -> Result<String> {
    let seed = ctx.seed.to_string();
    let shape = format!("{} {} {}", shape.depth, shape.width, shape.pages);
    let model = ctx.llm.model_name(EXAMINE, 0)?;
    let prompts = if ctx.llm.is_code(EXAMINE, 0)? {
        [String::new(), String::new()]
    } else {
        [
            ctx.llm.prompt_hash(query::PROMPT)?,
            ctx.llm.prompt_hash(choice::PROMPT)?,
        ]
    };
    let [provider, server] = searcher.identity();
    Ok(id::text(
        'g',
        &[
            taxonomy.hash(),
            &seed,
            &shape,
            provider,
            server,
            &model,
            &prompts[0],
            &prompts[1],
        ],
    ))
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

//! What tells one drawing apart from another.

use anyhow::Result;

use super::{Taxonomy, choice, query};
use crate::{
    arena::{crawl::Shape, play::EXAMINE},
    context::Context,
    data::id,
    search::Searcher,
};

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

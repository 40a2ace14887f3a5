//! Parts of a reply that every dialect finds in one way or another: text, counts, sources. Hides
//! the limits of what a server may say.

use serde_json::Value;

use crate::{
    data::{Source, Step, Trajectory, Usage},
    llm::{ChatReply, Finish},
};

/// No call has so many tokens, or searches.
pub(super) const MOST_TOKENS: u64 = 1 << 40;

/// An answer's parts, as every dialect finds them.
pub(super) fn reply(
    text: String,
    finish: Finish,
    model: &Value,
    [input, output, cached]: [u64; 3],
) -> ChatReply {
    ChatReply {
        model_returned: model.as_str().map(|name| cut(name, LONGEST_NAME)),
        // A server that counts nothing says nothing, or zeros; one that counts nonsense does not
        // count.
        usage: [input, output, cached]
            .iter()
            .all(|count| *count < MOST_TOKENS)
            .then_some(Usage {
                input,
                output,
                cached,
                searches: 0,
            })
            .filter(|usage| usage.input + usage.output > 0),
        ..ChatReply::new(text, finish)
    }
}

/// A reply with the searches that were made for it, and what the provider names as its sources and
/// tells of its way.
pub(super) fn searched(
    mut reply: ChatReply,
    searches: u64,
    sources: impl Iterator<Item = Source>,
    steps: Vec<Step>,
) -> ChatReply {
    if let Some(usage) = &mut reply.usage {
        usage.searches = searches.min(MOST_TOKENS);
    }
    reply.sources = sources.collect();
    reply.trajectory = Trajectory::of_provider(steps);
    reply
}

/// Characters of what a server says beside an answer, and which is stored with it.
const LONGEST_NAME: usize = 200;
const LONGEST_TITLE: usize = 500;
const LONGEST_ADDRESS: usize = 4000;

pub(super) fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// A source, where there is an address.
pub(super) fn source(url: &Value, title: &Value) -> Option<Source> {
    let url = url.as_str().filter(|url| !url.is_empty())?;
    Some(Source {
        url: cut(url, LONGEST_ADDRESS),
        title: cut(title.as_str().unwrap_or_default(), LONGEST_TITLE),
        number: None,
    })
}

/// The items of a list; none where there is no list.
pub(super) fn items(list: &Value) -> &[Value] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The sum of the counts that are there.
pub(super) fn tokens(usage: &Value, fields: &[&str]) -> u64 {
    fields
        .iter()
        .filter_map(|field| usage[*field].as_u64())
        .fold(0, u64::saturating_add)
}

//! Places in a tree: where a match begins, which pages a question asks about, and which page comes
//! next.

use std::collections::BTreeSet;

use rand::{Rng, RngExt as _, seq::SliceRandom as _};

use super::state::MatchState;
use crate::{
    arena::trees::Overlay,
    data::{
        NodeId,
        arena::{Node, Purpose},
    },
    text::words::fold,
};

/// Pages above the targets that a question may lead through.
const CHAIN: usize = 2;

/// Where a match may begin: the pages of the shallowest level below the root that has any to ask
/// about.
pub fn starts(view: &Overlay<'_>) -> Vec<NodeId> {
    let mut shallowest = usize::MAX;
    let mut found = Vec::new();
    for node in view.nodes() {
        let Some(depth) = view.depth(&node.id).filter(|depth| *depth > 0) else {
            continue;
        };
        if depth > shallowest || view.material(node).is_none() {
            continue;
        }
        if depth < shallowest {
            found.clear();
            shallowest = depth;
        }
        found.push(node.id.clone());
    }
    found
}

/// One of several at random; none of none.
pub fn drawn(mut ids: Vec<NodeId>, rng: &mut impl Rng) -> Option<NodeId> {
    if ids.is_empty() {
        return None;
    }
    Some(ids.swap_remove(rng.random_range(0..ids.len())))
}

/// The page whose links lead to the pages beside the current one. At the root these are the pages
/// below it: a question at the root, too, asks about as many pages as elsewhere.
pub fn feeder(state: &MatchState) -> Option<&NodeId> {
    let above = state.path.len().checked_sub(2);
    above.map_or(state.path.last(), |at| state.path.get(at))
}

/// The pages that a question at this place may ask about, the current one first; none of another
/// one's title.
pub fn pool(state: &MatchState, view: &Overlay<'_>) -> Vec<NodeId> {
    let current = state.path.last().and_then(|id| view.node(id));
    let current = current.filter(|node| view.material(node).is_some());
    let beside = feeder(state).into_iter();
    let beside = beside.flat_map(|feeder| view.usable_children(feeder));
    let mut titles = BTreeSet::new();
    let mut pool = Vec::new();
    for node in current.into_iter().chain(beside) {
        if titles.insert(title(node)) {
            pool.push(node.id.clone());
        }
    }
    pool
}

/// What tells pages apart: the title, or the address where there is none.
fn title(node: &Node) -> String {
    let title = node.page.title.as_deref().map(str::trim);
    fold(
        title
            .filter(|title| !title.is_empty())
            .unwrap_or(&node.page.url),
    )
}

/// The targets of a question: the current page and others of the pool at random, as many as the
/// match is wide.
pub fn targets(state: &MatchState, mut pool: Vec<NodeId>, rng: &mut impl Rng) -> Vec<NodeId> {
    let is_first = |id: &NodeId| Some(id) == state.path.last();
    let kept = usize::from(pool.first().is_some_and(is_first));
    pool[kept..].shuffle(rng);
    pool.truncate(state.width as usize);
    pool
}

/// The pages that lead to the current one and have something to lead by: the two above it.
pub fn chain(state: &MatchState, view: &Overlay<'_>) -> Vec<NodeId> {
    let above = &state.path[..state.path.len().saturating_sub(1)];
    let near = &above[above.len().saturating_sub(CHAIN)..];
    let usable = |id: &&NodeId| {
        view.node(id)
            .is_some_and(|node| view.material(node).is_some())
    };
    near.iter().filter(usable).cloned().collect()
}

/// The pages below the current one that may be asked about: `(not yet visited, visited)`.
pub fn below(state: &MatchState, view: &Overlay<'_>) -> (Vec<NodeId>, Vec<NodeId>) {
    let current = state.path.last().into_iter();
    let usable = current.flat_map(|id| view.usable_children(id));
    let ids = usable.map(|node| node.id.clone());
    ids.partition(|id| !state.visited.contains(id))
}

/// Whether the match may still have pages fetched below a page.
pub fn can_expand(state: &MatchState, view: &Overlay<'_>, node: &NodeId) -> bool {
    state.expansions < state.rules.most_expansions
        && !state.exhausted.contains(node)
        && view.can_expand(node)
}

/// The page to expand before a question of the match's width can be asked, and how many pages are
/// missing; none where there are enough, or no more can be had.
pub fn missing(state: &MatchState, view: &Overlay<'_>) -> Option<(NodeId, Purpose, u32)> {
    let have = pool(state, view).len() as u32;
    let feeder = feeder(state)?;
    let short = state.width.checked_sub(have).filter(|short| *short > 0)?;
    can_expand(state, view, feeder).then(|| (feeder.clone(), Purpose::Width, short))
}

//! Makes a tree out of pages, from a root downwards: level by level, some links of each page, drawn
//! by a seed. A page that stands above or beside already is not taken twice.

use std::collections::BTreeSet;

use anyhow::Result;
use rand::{SeedableRng as _, rngs::ChaCha8Rng, seq::index};

use crate::{
    arena::pages::PageSource,
    data::arena::{Edge, InfoTree, Link, Node},
};

/// The shape of a crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Levels below the root.
    pub depth: usize,
    /// Pages below a page at most.
    pub width: usize,
    /// Pages in all at most, the root included.
    pub pages: usize,
}

impl Default for Shape {
    /// Three levels of ten links each, as DR-Arena has them, and at most 200 pages: its trees have
    /// 50 to 160.
    fn default() -> Self {
        Self {
            depth: 3,
            width: 10,
            pages: 200,
        }
    }
}

/// The tree of the page of an address; `done` is told the number of pages so far.
///
/// # Errors
///
/// What must stop the run; a page that cannot be had is in the tree with the cause.
pub async fn crawl(
    source: &dyn PageSource,
    root: &str,
    shape: Shape,
    seed: u64,
    done: impl Fn(usize),
) -> Result<InfoTree> {
    let root = Node::root(source.page(root).await?);
    let mut known = BTreeSet::from([root.page.url.clone()]);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut level = vec![0];
    let mut nodes = vec![root];
    for _ in 0..shape.depth {
        let mut next = Vec::new();
        for parent in level {
            let links = drawn(&nodes[parent], shape.width, &known, &mut rng);
            for link in links {
                if nodes.len() >= shape.pages {
                    break;
                }
                known.insert(link.url.clone());
                let page = source.page(&link.url).await?;
                let node = Node::child(&nodes[parent].id, Some(Edge::from(&link)), page);
                next.push(nodes.len());
                nodes.push(node);
                done(nodes.len());
            }
        }
        level = next;
    }
    Ok(InfoTree::new(nodes)?)
}

/// Some links of a page that lead to pages that are not there yet, in the order of the page.
fn drawn(node: &Node, width: usize, known: &BTreeSet<String>, rng: &mut ChaCha8Rng) -> Vec<Link> {
    let links = node.page.links.iter().flatten();
    let mut seen = BTreeSet::new();
    let new: Vec<&Link> = links
        .filter(|link| !known.contains(&link.url) && seen.insert(&link.url))
        .collect();
    let mut places = index::sample(rng, new.len(), width.min(new.len())).into_vec();
    places.sort_unstable();
    places.into_iter().map(|at| new[at].clone()).collect()
}

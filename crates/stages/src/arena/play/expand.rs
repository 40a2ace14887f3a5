//! Pages that a match finds beyond its tree.

use anyhow::Result;

use crate::{
    arena::{pages::PageSource, trees::Overlay},
    data::{
        NodeId,
        arena::{Edge, Expansion, Link, Node, Page, Purpose},
    },
};

/// Follows the next links of a page, as many as are wanted. Pages that stand elsewhere in the tree
/// are not fetched again. One that cannot be had is in the tree all the same: it is not tried
/// twice.
pub async fn expand(
    source: &dyn PageSource,
    view: &Overlay<'_>,
    node: &NodeId,
    purpose: Purpose,
    pages: u32,
) -> Result<Expansion> {
    let mut seen = view.clone();
    let mut found = None;
    if seen.links(node).is_none()
        && let Some(at) = view.node(node)
    {
        let links = source.page(&at.page.url).await?.links.unwrap_or_default();
        seen.learn_links(node, links.clone());
        found = Some(links);
    }
    let links: Vec<Link> = seen
        .unused_links(node, pages as usize)
        .into_iter()
        .cloned()
        .collect();
    let known = view.fetched();
    let mut added = Vec::new();
    for link in links {
        let page = match known.get(link.url.as_str()) {
            Some(page) => (*page).clone(),
            None => source.page(&link.url).await?,
        };
        // At its place in the tree a page is known by the address of the link.
        let page = Page {
            url: link.url.clone(),
            ..page
        };
        added.push(Node::child(node, Some(Edge::from(&link)), page));
    }
    Ok(Expansion {
        node: node.clone(),
        purpose,
        links: found,
        added,
    })
}

//! A tree as one match sees it: the tree itself, which never changes, and above it the pages that
//! this match found. A page is known by its id, so that the same address at two places is two
//! nodes, and nothing that a match adds moves what stood there.

use std::collections::{BTreeMap, HashMap};

use crate::data::{
    NodeId,
    arena::{DEEPEST_TREE, InfoTree, LEAST_FETCHED, Link, Node, Page},
};

/// Pages that a match may add.
pub const MOST_ADDED: usize = 1_000;

/// Why a page cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverlayFault {
    /// Nothing is known of its parent.
    #[error("the parent of `{0}` is not in the tree")]
    UnknownParent(NodeId),
    /// It is there already.
    #[error("`{0}` is in the tree already")]
    Repeated(NodeId),
    /// Its id is not that of its place.
    #[error("`{0}` is not the id of this place")]
    WrongId(NodeId),
    /// More pages than [`MOST_ADDED`].
    #[error("more than {MOST_ADDED} pages were added")]
    TooMany,
    /// More levels than a tree may have.
    #[error("`{0}` is deeper than {DEEPEST_TREE} levels")]
    TooDeep(NodeId),
}

/// A tree with the pages of a match above it.
#[derive(Clone, Debug)]
pub struct Overlay<'t> {
    tree: &'t InfoTree,
    added: Vec<Node>,
    places: BTreeMap<NodeId, usize>,
    depths: Vec<usize>,
    children: BTreeMap<NodeId, Vec<usize>>,
    /// Links of pages whose links the tree does not say.
    links: BTreeMap<NodeId, Vec<Link>>,
}

impl<'t> Overlay<'t> {
    /// The tree, with nothing added.
    pub fn new(tree: &'t InfoTree) -> Self {
        Self {
            tree,
            added: Vec::new(),
            places: BTreeMap::new(),
            depths: Vec::new(),
            children: BTreeMap::new(),
            links: BTreeMap::new(),
        }
    }

    /// The tree below.
    pub fn tree(&self) -> &'t InfoTree {
        self.tree
    }

    /// The pages that were added, in order.
    pub fn added(&self) -> &[Node] {
        &self.added
    }

    /// The root.
    pub fn root(&self) -> &Node {
        self.tree.root()
    }

    /// The node of an id.
    pub fn node(&self, id: &NodeId) -> Option<&Node> {
        let added = self.places.get(id).map(|at| &self.added[*at]);
        added.or_else(|| self.tree.node(id))
    }

    /// Links between the root and the node.
    pub fn depth(&self, id: &NodeId) -> Option<usize> {
        let added = self.places.get(id).map(|at| self.depths[*at]);
        added.or_else(|| self.tree.depth(id))
    }

    /// The pages below a node: those of the tree, then those that were added.
    pub fn children<'a>(&'a self, id: &NodeId) -> impl Iterator<Item = &'a Node> {
        let added = self.children.get(id).into_iter().flatten();
        let added = added.map(|at| &self.added[*at]);
        self.tree.children(id).chain(added)
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.tree.nodes().iter().chain(&self.added)
    }

    /// The way from the root to a node, both included; empty for one that is not here.
    pub fn path(&self, id: &NodeId) -> Vec<NodeId> {
        let mut path = Vec::new();
        let mut next = self.node(id);
        while let Some(node) = next {
            path.push(node.id.clone());
            next = node.parent.as_ref().and_then(|parent| self.node(parent));
        }
        path.reverse();
        path
    }

    /// What may be asked of a page. A page that the match fetched must say more than one of the
    /// tree, which was looked at before.
    pub fn material<'a>(&'a self, node: &'a Node) -> Option<&'a str> {
        let enough = |text: &&str| {
            !self.places.contains_key(&node.id) || text.chars().nth(LEAST_FETCHED).is_some()
        };
        node.page.material().filter(enough)
    }

    /// The pages below a node that may be asked about.
    pub fn usable_children<'a>(&'a self, id: &NodeId) -> impl Iterator<Item = &'a Node> {
        let children = self.children(id);
        children.filter(|node| self.material(node).is_some())
    }

    /// Adds a page below one that is here.
    pub fn add(&mut self, node: Node) -> Result<(), OverlayFault> {
        if self.added.len() >= MOST_ADDED {
            return Err(OverlayFault::TooMany);
        }
        let depth = node.parent.as_ref().and_then(|parent| self.depth(parent));
        let (Some(parent), Some(depth)) = (&node.parent, depth) else {
            return Err(OverlayFault::UnknownParent(node.id));
        };
        if node.id != Node::child_id(parent, &node.page.url) {
            return Err(OverlayFault::WrongId(node.id));
        }
        if self.node(&node.id).is_some() {
            return Err(OverlayFault::Repeated(node.id));
        }
        if depth + 1 >= DEEPEST_TREE {
            return Err(OverlayFault::TooDeep(node.id));
        }
        let at = self.added.len();
        self.children.entry(parent.clone()).or_default().push(at);
        self.places.insert(node.id.clone(), at);
        self.depths.push(depth + 1);
        self.added.push(node);
        Ok(())
    }

    /// Keeps the links of a page whose links the tree does not say; those that it says stay.
    pub fn learn_links(&mut self, id: &NodeId, links: Vec<Link>) {
        if self.node(id).is_some_and(|node| node.page.links.is_none()) {
            self.links.insert(id.clone(), links);
        }
    }

    /// The links of a page; none where nobody looked.
    pub fn links(&self, id: &NodeId) -> Option<&[Link]> {
        let said = self.node(id).and_then(|node| node.page.links.as_ref());
        said.or_else(|| self.links.get(id)).map(Vec::as_slice)
    }

    /// The next links of a page that lead to no page below it yet, in the order of the page, each
    /// address once; none that leads back to a page on the way here.
    pub fn unused_links(&self, id: &NodeId, most: usize) -> Vec<&Link> {
        let way: Vec<&str> = self
            .path(id)
            .iter()
            .filter_map(|id| self.node(id).map(|node| node.page.url.as_str()))
            .collect();
        let mut used: Vec<&str> = self.children(id).map(|node| &*node.page.url).collect();
        used.extend(way);
        let mut used: std::collections::HashSet<&str> = used.into_iter().collect();
        let links = self.links(id).unwrap_or_default().iter();
        links
            .filter(|link| used.insert(&link.url))
            .take(most)
            .collect()
    }

    /// Whether more pages may be found below a page: it was fetched, and its links are not known
    /// or not all used.
    pub fn can_expand(&self, id: &NodeId) -> bool {
        let fetched = self.node(id).is_some_and(|node| node.page.is_fetched());
        let open = self.links(id).is_none() || !self.unused_links(id, 1).is_empty();
        let room = self.depth(id).is_some_and(|depth| depth + 2 < DEEPEST_TREE);
        fetched && open && room && self.added.len() < MOST_ADDED
    }

    /// The pages that were fetched, by address, so that no page is fetched twice: of several with
    /// one address the first of the tree.
    pub fn fetched(&self) -> HashMap<&str, &Page> {
        let mut known = HashMap::new();
        for node in self.nodes().filter(|node| node.page.is_fetched()) {
            known.entry(node.page.url.as_str()).or_insert(&node.page);
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::trees::made::{link, page, star};

    #[test]
    fn what_a_match_adds_is_above_the_tree_and_nothing_moves() {
        let tree = star(3);
        let id = tree.id().clone();
        let mut overlay = Overlay::new(&tree);
        let first = tree.nodes()[1].id.clone();
        // The address of a page that stands elsewhere in the tree, too.
        let again = tree.nodes()[2].page.clone();
        let node = Node::child(&first, None, again);
        overlay.add(node.clone()).unwrap();
        assert_eq!(tree.id(), &id);
        assert_eq!(tree.children(&first).count(), 0);
        assert_eq!(overlay.children(&first).count(), 1);
        let path = overlay.path(&node.id);
        assert_eq!(path, [tree.root().id.clone(), first, node.id.clone()]);
        assert_eq!(overlay.path(&tree.nodes()[2].id).len(), 2, "found by id");
        assert_eq!(
            Overlay::new(&tree).added(),
            [],
            "another match sees none of it"
        );
        assert_eq!(
            overlay.add(node.clone()),
            Err(OverlayFault::Repeated(node.id))
        );
    }

    #[test]
    fn links_are_used_in_their_order_once_and_never_back() {
        let tree = star(2);
        let mut overlay = Overlay::new(&tree);
        let first = tree.nodes()[1].id.clone();
        assert!(overlay.can_expand(&first), "its links are not known");
        let root = tree.root().page.url.clone();
        let links = [
            "https://x.test/2",
            "https://x.test/1",
            &root,
            "https://x.test/2",
        ];
        overlay.learn_links(&first, links.iter().map(|url| link(url)).collect());
        let next = |overlay: &Overlay<'_>| -> Vec<String> {
            let links = overlay.unused_links(&first, 9);
            links.iter().map(|link| link.url.clone()).collect()
        };
        assert_eq!(next(&overlay), ["https://x.test/2", "https://x.test/1"]);
        for url in ["https://x.test/2", "https://x.test/1"] {
            assert!(overlay.can_expand(&first));
            overlay
                .add(Node::child(&first, None, Page::unvisited(url)))
                .unwrap();
        }
        assert_eq!(next(&overlay), [] as [&str; 0]);
        assert!(
            !overlay.can_expand(&first),
            "a page that failed is not tried again"
        );
    }

    #[test]
    fn a_page_that_a_match_fetched_must_say_more() {
        let tree = star(1);
        let mut overlay = Overlay::new(&tree);
        let parent = tree.nodes()[1].id.clone();
        let short = "A page of some thirty characters";
        let long = "A page with a text of rather more than fifty characters in it";
        for (url, text) in [("https://x.test/s", short), ("https://x.test/l", long)] {
            overlay
                .add(Node::child(&parent, None, page(url, "T", text)))
                .unwrap();
        }
        let usable: Vec<&str> = overlay
            .usable_children(&parent)
            .map(|node| &*node.page.url)
            .collect();
        assert_eq!(usable, ["https://x.test/l"]);
    }

    #[test]
    fn foreign_nodes_are_refused() {
        let tree = star(1);
        let mut overlay = Overlay::new(&tree);
        let nowhere = NodeId::from_parts(&["nowhere"]);
        let node = Node::child(&nowhere, None, Page::unvisited("https://x.test/"));
        assert!(matches!(
            overlay.add(node),
            Err(OverlayFault::UnknownParent(_))
        ));
        let root = tree.root().id.clone();
        let mut node = Node::child(&root, None, Page::unvisited("https://x.test/"));
        node.page.url.push('y');
        assert!(matches!(overlay.add(node), Err(OverlayFault::WrongId(_))));
        for at in 0..MOST_ADDED {
            let page = Page::unvisited(&format!("https://x.test/{at}"));
            overlay.add(Node::child(&root, None, page)).unwrap();
        }
        let node = Node::child(&root, None, Page::unvisited("https://x.test/more"));
        assert_eq!(overlay.add(node), Err(OverlayFault::TooMany));
    }
}

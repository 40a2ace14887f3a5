//! A tree of web pages, as it was crawled. It never changes: its id is a hash of all that it says,
//! and what a match finds beyond it is kept apart.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::{InfoTreeId, NodeId};

/// Nodes of a tree at most.
pub const MOST_NODES: usize = 100_000;
/// Levels of a tree at most; the deepest published one has 18.
pub const DEEPEST_TREE: usize = 60;
/// Characters that a page's text or description must exceed to ask about it (DR-Arena).
pub const LEAST_MATERIAL: usize = 20;
/// The same for a page that was fetched in a match (DR-Arena).
pub const LEAST_FETCHED: usize = 50;

/// The relation of a linked page to the page that links to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Where it comes from or where it is.
    Origin,
    /// A kind or variety of it.
    Kind,
    /// How it is done or made.
    Process,
    /// What is sold or served.
    Product,
    /// What it consists of.
    Component,
    /// How it came to be, and when.
    History,
    /// People and organisations.
    People,
    /// What it does to health.
    Health,
    /// Customs, trade, society.
    Culture,
    /// Tools and devices.
    Equipment,
    /// Nothing in particular that the words tell.
    Related,
}

impl Relation {
    /// All relations; the last is the one of no particular words.
    pub const ALL: [Self; 11] = [
        Self::Origin,
        Self::Kind,
        Self::Process,
        Self::Product,
        Self::Component,
        Self::History,
        Self::People,
        Self::Health,
        Self::Culture,
        Self::Equipment,
        Self::Related,
    ];

    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Origin => "origin",
            Self::Kind => "kind",
            Self::Process => "process",
            Self::Product => "product",
            Self::Component => "component",
            Self::History => "history",
            Self::People => "people",
            Self::Health => "health",
            Self::Culture => "culture",
            Self::Equipment => "equipment",
            Self::Related => "related",
        }
    }
}

/// A link of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where it leads, in the one spelling of addresses.
    pub url: String,
    /// Its text.
    pub anchor: String,
    /// The sentence around it, the link's text included.
    pub context: String,
    /// What the sentence says of the linked page.
    pub relation: Relation,
}

/// The link by which a page was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The link's text.
    pub anchor: String,
    /// The sentence around it.
    pub context: String,
    /// What the sentence says of the page.
    pub relation: Relation,
}

impl From<&Link> for Edge {
    fn from(link: &Link) -> Self {
        Self {
            anchor: link.anchor.clone(),
            context: link.context.clone(),
            relation: link.relation,
        }
    }
}

/// How far a page is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageState {
    /// It was fetched.
    Fetched,
    /// It is known by its address alone.
    Unvisited,
    /// It could not be fetched, and why.
    Failed(String),
}

/// A page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Its address in the one spelling of addresses.
    pub url: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it says of itself in its header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How far it is known.
    pub state: PageState,
    /// Its links that may be followed, in the order of the page; absent where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<Link>>,
}

impl Page {
    /// A page of which the address alone is known.
    pub fn unvisited(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            title: None,
            description: None,
            text: None,
            state: PageState::Unvisited,
            links: None,
        }
    }

    /// Whether it was fetched.
    pub fn is_fetched(&self) -> bool {
        self.state == PageState::Fetched
    }

    /// What questions may be asked of: the text of a fetched page, or its description where the
    /// text is too short. Who is asked for a question gets exactly this.
    pub fn material(&self) -> Option<&str> {
        let longer = |text: &&str| text.chars().nth(LEAST_MATERIAL).is_some();
        let texts = [self.text.as_deref(), self.description.as_deref()];
        let mut texts = texts.into_iter().flatten().map(str::trim).filter(longer);
        texts.next().filter(|_| self.is_fetched())
    }
}

/// A page at its place in a tree. The same page may stand at several places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Hash of the addresses on the way to it, whatever stands beside it.
    pub id: NodeId,
    /// The page that links to it; none for the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<NodeId>,
    /// The link that leads here; none for the root, and where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<Edge>,
    /// The page.
    pub page: Page,
}

impl Node {
    /// The root of a tree.
    pub fn root(page: Page) -> Self {
        Self {
            id: NodeId::from_parts(&["root", &page.url]),
            parent: None,
            edge: None,
            page,
        }
    }

    /// A page that another one links to.
    pub fn child(parent: &NodeId, edge: Option<Edge>, page: Page) -> Self {
        Self {
            id: Self::child_id(parent, &page.url),
            parent: Some(parent.clone()),
            edge,
            page,
        }
    }

    /// The id of a page below another one.
    pub fn child_id(parent: &NodeId, url: &str) -> NodeId {
        NodeId::from_parts(&["child", parent.as_str(), url])
    }

    fn expected_id(&self) -> NodeId {
        match &self.parent {
            None => NodeId::from_parts(&["root", &self.page.url]),
            Some(parent) => Self::child_id(parent, &self.page.url),
        }
    }

    /// All that the node says, for the hash of its tree.
    fn parts<'a>(&'a self, parts: &mut Vec<&'a str>) {
        let page = &self.page;
        parts.push(self.id.as_str());
        for text in [&page.title, &page.description, &page.text] {
            parts.push(if text.is_some() { "some" } else { "none" });
            parts.push(text.as_deref().unwrap_or_default());
        }
        match &page.state {
            PageState::Fetched => parts.push("fetched"),
            PageState::Unvisited => parts.push("unvisited"),
            PageState::Failed(why) => parts.extend(["failed", why]),
        }
        let edge = self.edge.iter();
        for edge in edge {
            parts.extend(["edge", &edge.anchor, &edge.context, edge.relation.word()]);
        }
        parts.push(if page.links.is_some() {
            "links"
        } else {
            "unread"
        });
        for link in page.links.iter().flatten() {
            parts.extend([
                &*link.url,
                &link.anchor,
                &link.context,
                link.relation.word(),
            ]);
        }
        parts.push("end");
    }
}

/// Why nodes are no tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeFault {
    /// There is no node.
    #[error("the tree has no node")]
    Empty,
    /// The first node has a parent.
    #[error("the first node is not the root: `{0}`")]
    NoRoot(NodeId),
    /// Another node has no parent.
    #[error("a second root: `{0}`")]
    SecondRoot(NodeId),
    /// The parent does not stand before the node.
    #[error("the parent of `{0}` does not stand before it")]
    UnknownParent(NodeId),
    /// Two nodes have one id: the same address twice below one page.
    #[error("the page stands twice below its parent: `{0}`")]
    Repeated(NodeId),
    /// The id is not that of the addresses on the way.
    #[error("`{stored}` is not the id of this place, which is `{expected}`")]
    WrongId {
        /// As it was stored.
        stored: String,
        /// As it is.
        expected: String,
    },
    /// More than [`MOST_NODES`].
    #[error("more than {MOST_NODES} pages")]
    TooMany,
    /// More levels than [`DEEPEST_TREE`].
    #[error("more than {DEEPEST_TREE} levels")]
    TooDeep,
}

/// A tree of pages that never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct InfoTree {
    id: InfoTreeId,
    nodes: Vec<Node>,
    #[serde(skip)]
    places: BTreeMap<NodeId, usize>,
    #[serde(skip)]
    children: Vec<Vec<usize>>,
    #[serde(skip)]
    depths: Vec<usize>,
}

#[derive(Deserialize)]
struct Stored {
    id: InfoTreeId,
    nodes: Vec<Node>,
}

impl TryFrom<Stored> for InfoTree {
    type Error = TreeFault;

    fn try_from(stored: Stored) -> Result<Self, TreeFault> {
        let tree = Self::new(stored.nodes)?;
        if tree.id != stored.id {
            return Err(TreeFault::WrongId {
                stored: stored.id.to_string(),
                expected: tree.id.to_string(),
            });
        }
        Ok(tree)
    }
}

impl InfoTree {
    /// The tree of nodes, the root first and each parent before its children.
    pub fn new(nodes: Vec<Node>) -> Result<Self, TreeFault> {
        let first = nodes.first().ok_or(TreeFault::Empty)?;
        if first.parent.is_some() {
            return Err(TreeFault::NoRoot(first.id.clone()));
        }
        if nodes.len() > MOST_NODES {
            return Err(TreeFault::TooMany);
        }
        let mut places = BTreeMap::new();
        let mut children = vec![Vec::new(); nodes.len()];
        let mut depths: Vec<usize> = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            checked_id(node)?;
            depths.push(match &node.parent {
                None if at > 0 => return Err(TreeFault::SecondRoot(node.id.clone())),
                None => 0,
                Some(parent) => {
                    let parent: &usize = places
                        .get(parent)
                        .ok_or_else(|| TreeFault::UnknownParent(node.id.clone()))?;
                    children[*parent].push(at);
                    depths[*parent] + 1
                }
            });
            if depths[at] >= DEEPEST_TREE {
                return Err(TreeFault::TooDeep);
            }
            if places.insert(node.id.clone(), at).is_some() {
                return Err(TreeFault::Repeated(node.id.clone()));
            }
        }
        let mut parts = Vec::new();
        for node in &nodes {
            node.parts(&mut parts);
        }
        Ok(Self {
            id: InfoTreeId::from_parts(&parts),
            nodes,
            places,
            children,
            depths,
        })
    }

    /// Hash of all that the tree says.
    pub fn id(&self) -> &InfoTreeId {
        &self.id
    }

    /// The root.
    pub fn root(&self) -> &Node {
        &self.nodes[0]
    }

    /// All nodes, each parent before its children.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node of an id.
    pub fn node(&self, id: &NodeId) -> Option<&Node> {
        self.places.get(id).map(|at| &self.nodes[*at])
    }

    /// Links between the root and the node: 0 for the root itself.
    pub fn depth(&self, id: &NodeId) -> Option<usize> {
        self.places.get(id).map(|at| self.depths[*at])
    }

    /// The pages below a node, in the order of the tree.
    pub fn children(&self, id: &NodeId) -> impl Iterator<Item = &Node> {
        let at = self.places.get(id).into_iter();
        at.flat_map(|at| self.children[*at].iter().map(|child| &self.nodes[*child]))
    }
}

fn checked_id(node: &Node) -> Result<(), TreeFault> {
    let expected = node.expected_id();
    if node.id == expected {
        return Ok(());
    }
    Err(TreeFault::WrongId {
        stored: node.id.to_string(),
        expected: expected.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(url: &str, text: &str) -> Page {
        Page {
            text: Some(text.to_owned()),
            state: PageState::Fetched,
            ..Page::unvisited(url)
        }
    }

    fn nodes() -> Vec<Node> {
        let root = Node::root(page("https://a.test/", "The root of a small tree."));
        let left = Node::child(&root.id, None, page("https://a.test/l", "left"));
        let right = Node::child(&root.id, None, page("https://a.test/r", "right"));
        let leaf = Node::child(&left.id, None, page("https://a.test/r", "again"));
        vec![root, left, right, leaf]
    }

    #[test]
    fn ids_of_nodes_do_not_depend_on_what_stands_beside_them() {
        let mut turned = nodes();
        turned.swap(1, 2);
        let (tree, turned) = (InfoTree::new(nodes()), InfoTree::new(turned));
        let (tree, turned) = (tree.unwrap(), turned.unwrap());
        for node in tree.nodes() {
            assert_eq!(turned.node(&node.id), Some(node));
        }
        assert_ne!(tree.id(), turned.id(), "the order of links is said, too");
        let leaf = &tree.nodes()[3];
        assert_ne!(leaf.id, tree.nodes()[2].id, "one page at two places");
        assert_eq!(tree.depth(&leaf.id), Some(2));
        assert_eq!(tree.children(&tree.root().id).count(), 2);
    }

    #[test]
    fn every_word_is_in_the_id() {
        let whole = InfoTree::new(nodes()).unwrap();
        let mut said: Vec<Vec<Node>> = Vec::new();
        let mut changed = |change: &dyn Fn(&mut Vec<Node>)| {
            let mut nodes = nodes();
            change(&mut nodes);
            said.push(nodes);
        };
        changed(&|nodes| nodes[1].page.text = Some("left!".into()));
        changed(&|nodes| nodes[1].page.title = Some(String::new()));
        changed(&|nodes| nodes[1].page.description = Some(String::new()));
        changed(&|nodes| nodes[1].page.state = PageState::Failed("404".into()));
        changed(&|nodes| nodes[1].page.links = Some(Vec::new()));
        changed(&|nodes| {
            nodes[1].edge = Some(Edge {
                anchor: "l".into(),
                context: "l".into(),
                relation: Relation::Kind,
            });
        });
        changed(&|nodes| {
            nodes.pop();
        });
        let mut ids: Vec<String> = said
            .into_iter()
            .map(|nodes| InfoTree::new(nodes).unwrap().id().to_string())
            .collect();
        ids.push(whole.id().to_string());
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let check = |change: &dyn Fn(&mut Vec<Node>)| {
            let mut nodes = nodes();
            change(&mut nodes);
            InfoTree::new(nodes).unwrap_err().to_string()
        };
        assert!(check(&|nodes| nodes.clear()).contains("no node"));
        assert!(check(&|nodes| nodes.rotate_left(1)).contains("not the root"));
        assert!(check(&|nodes| nodes.push(nodes[0].clone())).contains("second root"));
        assert!(check(&|nodes| nodes.push(nodes[1].clone())).contains("twice"));
        assert!(check(&|nodes| nodes.swap(1, 3)).contains("before it"));
        assert!(check(&|nodes| nodes[1].page.url.push('x')).contains("not the id"));
        let deep = |nodes: &mut Vec<Node>| {
            for at in 0..DEEPEST_TREE {
                let url = format!("https://a.test/{at}");
                let parent = nodes.last().unwrap().id.clone();
                nodes.push(Node::child(&parent, None, Page::unvisited(&url)));
            }
        };
        assert!(check(&deep).contains("levels"));
    }

    #[test]
    fn a_stored_tree_is_checked_when_it_is_read() {
        let tree = InfoTree::new(nodes()).unwrap();
        let json = serde_json::to_string(&tree).unwrap();
        assert_eq!(serde_json::from_str::<InfoTree>(&json).unwrap(), tree);
        let changed = json.replace("\"again\"", "\"other\"");
        let error = serde_json::from_str::<InfoTree>(&changed).unwrap_err();
        assert!(error.to_string().contains("not the id"), "{error}");
    }

    #[test]
    fn material_is_the_text_or_else_the_description() {
        let mut page = page("https://a.test/", "short");
        assert_eq!(page.material(), None);
        page.description = Some("A description that is long enough.".into());
        assert_eq!(page.material(), page.description.as_deref());
        page.text = Some("土".repeat(LEAST_MATERIAL + 1));
        assert_eq!(page.material(), page.text.as_deref());
        page.state = PageState::Failed("timeout".into());
        assert_eq!(page.material(), None);
    }
}

//! A tree of the benchmark's file as a tree of ours, and back. What stands in the file and cannot
//! be in a tree is left out and told: addresses that are none, a page twice below one page, wrong
//! levels. A published tree was written over by matches, so that its list says less than it has.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
};

use super::files::{Field, LinkContext, TreeNode, TreeStats};
use crate::{
    benchmarks::fields::excerpt,
    data::{
        NodeId,
        arena::{
            DEEPEST_TREE, Edge, InfoTree, Link, MOST_NODES, Node, Page, PageState, Relation,
            TreeFault,
        },
    },
    text::{url, words::one_line},
};

/// Findings that are told one by one; the others are counted.
const MOST_FINDINGS: usize = 1_000;

/// Something in a file that its tree does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeFinding {
    /// A page whose address is none, left out with the pages below it.
    NoAddress(String),
    /// A page that is no object, left out.
    NoPage,
    /// A page that stands twice below one page; the second is left out with the pages below it.
    Repeated(String),
    /// A page deeper than trees of ours go, left out with the pages below it.
    TooDeep(String),
    /// The file gives a page another level than it has.
    WrongDepth {
        /// Address of the page.
        url: String,
        /// As the file has it.
        stored: u64,
        /// As it is.
        depth: usize,
    },
    /// Links whose addresses are none, left out.
    BadLinks {
        /// Address of the page.
        url: String,
        /// How many.
        count: usize,
    },
    /// The list gives the tree another number than the file has.
    OtherFigure {
        /// Name of the figure.
        figure: &'static str,
        /// As the list has it.
        listed: u64,
        /// As it is.
        found: u64,
    },
}

impl fmt::Display for TreeFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAddress(url) => write!(f, "no address of a page: `{}`", excerpt(url)),
            Self::NoPage => f.write_str("a page that is no object"),
            Self::Repeated(url) => write!(f, "twice below one page: `{}`", excerpt(url)),
            Self::TooDeep(url) => {
                write!(f, "deeper than {DEEPEST_TREE} levels: `{}`", excerpt(url))
            }
            Self::WrongDepth { url, stored, depth } => {
                write!(f, "level {stored} is {depth}: `{}`", excerpt(url))
            }
            Self::BadLinks { url, count } => {
                write!(f, "{count} links lead nowhere: `{}`", excerpt(url))
            }
            Self::OtherFigure {
                figure,
                listed,
                found,
            } => write!(f, "`{figure}` is listed as {listed} and is {found}"),
        }
    }
}

/// A tree out of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeRead {
    /// The tree.
    pub tree: InfoTree,
    /// What the file has and the tree has not, in the order of the file.
    pub findings: Vec<TreeFinding>,
    /// Findings beyond those.
    pub untold: usize,
}

/// Why a file has no tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTree {
    /// The root has no address.
    #[error("the root has no address of a page: `{0}`")]
    Root(String),
    /// More pages than a tree may have.
    #[error("more than {MOST_NODES} pages")]
    TooMany,
    /// The nodes are none: a fault of this program.
    #[error(transparent)]
    Fault(#[from] TreeFault),
}

struct Findings {
    told: Vec<TreeFinding>,
    untold: usize,
}

impl Findings {
    fn push(&mut self, finding: TreeFinding) {
        if self.told.len() < MOST_FINDINGS {
            self.told.push(finding);
        } else {
            self.untold += 1;
        }
    }
}

/// The tree of a file.
pub fn read(root: &TreeNode) -> Result<TreeRead, NoTree> {
    let mut findings = Findings {
        told: Vec::new(),
        untold: 0,
    };
    let mut nodes: Vec<Node> = Vec::new();
    let mut seen: BTreeSet<NodeId> = BTreeSet::new();
    // Pages to come: the page, the place of the one above, the level, the link. The last is first.
    let mut open: Vec<(&TreeNode, Option<usize>, usize, Option<Edge>)> =
        vec![(root, None, 0, None)];
    while let Some((file, above, depth, edge)) = open.pop() {
        let written = file.url.get().map_or("", String::as_str);
        let Some(url) = url::canonical(written) else {
            if above.is_none() {
                return Err(NoTree::Root(excerpt(written)));
            }
            findings.push(TreeFinding::NoAddress(written.to_owned()));
            continue;
        };
        if depth >= DEEPEST_TREE {
            findings.push(TreeFinding::TooDeep(url));
            continue;
        }
        if nodes.len() >= MOST_NODES {
            return Err(NoTree::TooMany);
        }
        let node = match above {
            None => Node::root(page(file, &url, &mut findings)),
            Some(above) => {
                if seen.contains(&Node::child_id(&nodes[above].id, &url)) {
                    findings.push(TreeFinding::Repeated(url));
                    continue;
                }
                let page = page(file, &url, &mut findings);
                Node::child(&nodes[above].id, edge, page)
            }
        };
        if let Some(stored) = file.depth.get().filter(|stored| **stored != depth as u64) {
            findings.push(TreeFinding::WrongDepth {
                url,
                stored: *stored,
                depth,
            });
        }
        let at = nodes.len();
        let mut links: HashMap<&str, &Link> = HashMap::new();
        for link in node.page.links.iter().flatten() {
            links.entry(&link.url).or_insert(link);
        }
        for child in file.children.get().into_iter().flatten().rev() {
            match child {
                Field::Read(child) => {
                    open.push((child, Some(at), depth + 1, edge_to(child, &links)));
                }
                Field::Absent | Field::Other(_) => findings.push(TreeFinding::NoPage),
            }
        }
        seen.insert(node.id.clone());
        nodes.push(node);
    }
    Ok(TreeRead {
        tree: InfoTree::new(nodes)?,
        findings: findings.told,
        untold: findings.untold,
    })
}

fn page(file: &TreeNode, url: &str, findings: &mut Findings) -> Page {
    let text = |field: &Field<String>| field.get().filter(|text| !text.trim().is_empty()).cloned();
    let state = match (file.crawled.get(), text(&file.error)) {
        (Some(true), _) => PageState::Fetched,
        (_, Some(why)) => PageState::Failed(why),
        _ => PageState::Unvisited,
    };
    let listed = file.link_contexts.get().map_or(&[][..], Vec::as_slice);
    let links: Vec<Link> = listed
        .iter()
        .filter_map(|link| self::link(link.get()?))
        .collect();
    let bad = listed.len() - links.len();
    if bad > 0 {
        findings.push(TreeFinding::BadLinks {
            url: url.to_owned(),
            count: bad,
        });
    }
    Page {
        url: url.to_owned(),
        title: text(&file.title),
        description: text(&file.description),
        text: text(&file.content),
        state,
        // The crawler looked for links only where it was to go deeper: a page without any may have
        // some.
        links: (!links.is_empty()).then_some(links),
    }
}

fn link(file: &LinkContext) -> Option<Link> {
    let text = |field: &Field<String>| one_line(field.get().map_or("", String::as_str));
    Some(Link {
        url: url::canonical(file.url.get()?)?,
        anchor: text(&file.anchor_text),
        context: text(&file.surrounding_text),
        relation: relation(file.relationship.get().map_or("", String::as_str)),
    })
}

/// The link that leads to a page; else what the page's own field says.
fn edge_to(file: &TreeNode, links: &HashMap<&str, &Link>) -> Option<Edge> {
    let url = url::canonical(file.url.get()?)?;
    if let Some(link) = links.get(&*url) {
        return Some(Edge::from(*link));
    }
    let said = file.relationship_cluster.get()?;
    Some(Edge {
        anchor: String::new(),
        context: String::new(),
        relation: relation(said),
    })
}

/// Our relation for the benchmark's ten classes, by the first word of either's.
fn relation(class: &str) -> Relation {
    let class = class.to_lowercase();
    let words = class.split(|c: char| !c.is_alphabetic());
    let mut known = words.filter_map(|word| {
        Some(match word {
            "origin" | "origins" | "location" | "locations" => Relation::Origin,
            "kind" | "type" | "types" | "varieties" => Relation::Kind,
            "process" | "processes" | "methods" => Relation::Process,
            "product" | "products" | "drinks" => Relation::Product,
            "component" | "components" | "ingredients" => Relation::Component,
            "history" | "historical" | "timeline" => Relation::History,
            "people" | "organizations" => Relation::People,
            "health" | "effects" => Relation::Health,
            "culture" | "cultural" | "economics" => Relation::Culture,
            "equipment" | "tools" => Relation::Equipment,
            _ => return None,
        })
    });
    known.next().unwrap_or(Relation::Related)
}

/// A tree as a file of the benchmark.
pub fn write(tree: &InfoTree) -> TreeNode {
    let mut below: BTreeMap<&NodeId, Vec<Field<Box<TreeNode>>>> = BTreeMap::new();
    // Each page after those below it.
    for node in tree.nodes().iter().rev() {
        let mut children = below.remove(&node.id).unwrap_or_default();
        children.reverse();
        let depth = tree.depth(&node.id).unwrap_or_default();
        let file = file_of(node, depth, children);
        match &node.parent {
            Some(parent) => below
                .entry(parent)
                .or_default()
                .push(Field::Read(Box::new(file))),
            None => return file,
        }
    }
    TreeNode::default()
}

fn file_of(node: &Node, depth: usize, children: Vec<Field<Box<TreeNode>>>) -> TreeNode {
    let page = &node.page;
    let or_null = |text: &Option<String>| {
        text.clone()
            .map_or(Field::Other(serde_json::Value::Null), Field::Read)
    };
    let error = match &page.state {
        PageState::Failed(why) => Some(why.clone()),
        PageState::Fetched | PageState::Unvisited => None,
    };
    let links = page.links.iter().flatten().map(|link| {
        Field::Read(LinkContext {
            url: link.url.clone().into(),
            anchor_text: link.anchor.clone().into(),
            surrounding_text: link.context.clone().into(),
            relationship: link.relation.word().to_owned().into(),
            ..LinkContext::default()
        })
    });
    let cluster = node
        .edge
        .as_ref()
        .map(|edge| edge.relation.word().to_owned());
    TreeNode {
        url: page.url.clone().into(),
        domain: url::host(&page.url).unwrap_or_default().into(),
        title: or_null(&page.title),
        description: or_null(&page.description),
        content: or_null(&page.text),
        crawled: page.is_fetched().into(),
        depth: (depth as u64).into(),
        error: or_null(&error),
        relationship_cluster: or_null(&cluster),
        link_contexts: links.collect::<Vec<_>>().into(),
        children: children.into(),
        ..TreeNode::default()
    }
}

/// Figures of a list that the tree does not have: it was written over after the list was.
pub fn compare(tree: &InfoTree, listed: &TreeStats) -> Vec<TreeFinding> {
    let nodes = tree.nodes();
    let fetched = nodes.iter().filter(|node| node.page.is_fetched()).count();
    let deepest = nodes.iter().filter_map(|node| tree.depth(&node.id)).max();
    let figures = [
        ("total_nodes", &listed.total_nodes, nodes.len()),
        ("crawled_nodes", &listed.crawled_nodes, fetched),
        ("max_depth", &listed.max_depth, deepest.unwrap_or_default()),
    ];
    let differing = figures.into_iter().filter_map(|(figure, listed, found)| {
        let listed = *listed.get()?;
        let found = found as u64;
        (listed != found).then_some(TreeFinding::OtherFigure {
            figure,
            listed,
            found,
        })
    });
    differing.collect()
}

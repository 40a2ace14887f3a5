//! Whether a crawled tree is good enough for matches: deep, wide and readable enough.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::data::arena::{InfoTree, PageState};

/// What a tree must have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeRules {
    /// Levels below the root at least.
    pub least_depth: usize,
    /// Pages below each page of some level at least.
    pub least_width: usize,
    /// Share of the pages that were fetched at least.
    pub least_fetched: f64,
}

impl Default for TreeRules {
    /// The benchmark's figures: 2 levels, 2 pages, half of the pages.
    fn default() -> Self {
        Self {
            least_depth: 2,
            least_width: 2,
            least_fetched: 0.5,
        }
    }
}

/// Figures of a tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TreeFigures {
    /// Levels below the root.
    pub depth: usize,
    /// Pages.
    pub pages: usize,
    /// Pages that were fetched.
    pub fetched: usize,
    /// Pages that could not be.
    pub failed: usize,
    /// Pages that may be asked about.
    pub usable: usize,
    /// Pages by level, the root's first.
    pub by_level: Vec<usize>,
    /// The fewest pages below a fetched page, by level; none where no page of it was fetched.
    pub least_below: Vec<Option<usize>>,
    /// The most.
    pub most_below: Vec<Option<usize>>,
    /// Addresses that stand at several places.
    pub repeated: usize,
}

impl TreeFigures {
    /// Pages by level on average.
    pub fn pages_per_level(&self) -> f64 {
        self.pages as f64 / self.by_level.len().max(1) as f64
    }
}

/// The figures of a tree.
pub fn figures(tree: &InfoTree) -> TreeFigures {
    let mut figures = TreeFigures::default();
    let mut addresses: BTreeMap<&str, usize> = BTreeMap::new();
    for node in tree.nodes() {
        let level = tree.depth(&node.id).unwrap_or_default();
        if figures.by_level.len() <= level {
            figures.by_level.resize(level + 1, 0);
            figures.least_below.resize(level + 1, None);
            figures.most_below.resize(level + 1, None);
        }
        figures.by_level[level] += 1;
        figures.pages += 1;
        figures.depth = figures.depth.max(level);
        figures.usable += usize::from(node.page.material().is_some());
        match node.page.state {
            PageState::Fetched => {
                figures.fetched += 1;
                let below = tree.children(&node.id).count();
                let least = figures.least_below[level].unwrap_or(below);
                figures.least_below[level] = Some(least.min(below));
                figures.most_below[level] = figures.most_below[level].max(Some(below));
            }
            PageState::Failed(_) => figures.failed += 1,
            PageState::Unvisited => {}
        }
        *addresses.entry(&node.page.url).or_default() += 1;
    }
    figures.repeated = addresses.values().filter(|places| **places > 1).count();
    figures
}

/// A rule that a tree breaks.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TreeRefusal {
    /// Too few levels.
    #[error("{found} levels below the root, {least} are needed")]
    Shallow {
        /// As many as there are.
        found: usize,
        /// As many as are needed.
        least: usize,
    },
    /// No level above the last has enough pages below each of its pages.
    #[error("no level whose pages have {least} pages below them each")]
    Narrow {
        /// As many as are needed.
        least: usize,
    },
    /// Too few pages could be fetched.
    #[error("{fetched} of {pages} pages were fetched, a share of {least} is needed")]
    Unread {
        /// Fetched pages.
        fetched: usize,
        /// All pages.
        pages: usize,
        /// The share that is needed.
        least: f64,
    },
    /// Too few pages.
    #[error("{found} pages, {least} are needed")]
    Small {
        /// As many as there are.
        found: usize,
        /// As many as are needed.
        least: usize,
    },
    /// Too few pages to ask about.
    #[error("{found} pages below the root say enough to ask about them, {least} are needed")]
    Mute {
        /// As many as there are.
        found: usize,
        /// As many as are needed.
        least: usize,
    },
}

/// The rules that a tree breaks; none of a good one.
pub fn refusals(tree: &InfoTree, rules: TreeRules) -> Vec<TreeRefusal> {
    let figures = figures(tree);
    let mut refusals = Vec::new();
    if figures.depth < rules.least_depth {
        refusals.push(TreeRefusal::Shallow {
            found: figures.depth,
            least: rules.least_depth,
        });
    }
    let above_last = figures.least_below.iter().take(figures.depth);
    let mut wide = above_last.filter(|least| least.is_some_and(|least| least >= rules.least_width));
    if wide.next().is_none() {
        refusals.push(TreeRefusal::Narrow {
            least: rules.least_width,
        });
    }
    if (figures.fetched as f64) < rules.least_fetched * figures.pages as f64 {
        refusals.push(TreeRefusal::Unread {
            fetched: figures.fetched,
            pages: figures.pages,
            least: rules.least_fetched,
        });
    }
    let least = rules.least_depth + rules.least_width;
    if figures.pages < least {
        refusals.push(TreeRefusal::Small {
            found: figures.pages,
            least,
        });
    }
    let root = usize::from(tree.root().page.material().is_some());
    if figures.usable - root < rules.least_width {
        refusals.push(TreeRefusal::Mute {
            found: figures.usable - root,
            least: rules.least_width,
        });
    }
    refusals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        arena::trees::made::{full_page, page, star, tree},
        data::arena::{Node, Page},
    };

    fn check(tree: &InfoTree) -> Vec<TreeRefusal> {
        refusals(tree, TreeRules::default())
    }

    #[test]
    fn a_good_tree_is_taken() {
        assert_eq!(check(&tree(&[2, 1])), []);
        let figures = figures(&tree(&[3, 2]));
        assert_eq!((figures.depth, figures.pages, figures.usable), (2, 10, 10));
        assert_eq!(figures.by_level, [1, 3, 6]);
        assert_eq!(figures.least_below, [Some(3), Some(2), Some(0)]);
        assert!((figures.pages_per_level() - 10.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn each_rule_refuses() {
        let shallow = TreeRefusal::Shallow { found: 1, least: 2 };
        assert_eq!(check(&star(5)), [shallow]);
        assert_eq!(check(&tree(&[1, 1, 1])), [TreeRefusal::Narrow { least: 2 }]);
        let root = Node::root(full_page("https://r.test/"));
        let mut nodes = vec![root];
        for at in 0..3 {
            let url = format!("https://r.test/{at}");
            let parent = nodes[0].id.clone();
            nodes.push(Node::child(&parent, None, Page::unvisited(&url)));
        }
        let unread = check(&InfoTree::new(nodes.clone()).unwrap());
        assert!(
            unread
                .iter()
                .any(|refusal| matches!(refusal, TreeRefusal::Unread { .. }))
        );
        assert!(
            unread
                .iter()
                .any(|refusal| matches!(refusal, TreeRefusal::Mute { found: 0, .. }))
        );
        let small = check(&tree(&[1, 1]));
        assert!(small.contains(&TreeRefusal::Small { found: 3, least: 4 }));
    }

    #[test]
    fn a_level_counts_by_its_poorest_page_and_a_page_twice() {
        let root = Node::root(full_page("https://r.test/"));
        let left = Node::child(&root.id, None, full_page("https://r.test/l"));
        let twice = Node::child(&left.id, None, page("https://r.test/l", "L", "again"));
        let nodes = vec![root, left, twice];
        let figures = figures(&InfoTree::new(nodes).unwrap());
        assert_eq!(figures.repeated, 1);
        assert_eq!(figures.least_below, [Some(1), Some(1), Some(0)]);
    }
}

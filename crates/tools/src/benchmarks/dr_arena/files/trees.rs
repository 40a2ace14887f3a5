//! Trees of pages, `trees/tree_NNNN.json`, their lists, `summary.json` and `metadata.json`, and the
//! taxonomy that their topics come from, `trends.json`.

use serde_json::{Number, Value};

use super::{Content, Fault, Field, FieldPath, Named, Object, Shape};
use crate::benchmarks::fields::record;

record! {
    /// A page with the pages below it.
    TreeNode {
        /// Its address.
        url: String,
        /// Its host.
        domain: String,
        /// Its title.
        title: String,
        /// What it says of itself.
        description: String,
        /// Its text.
        content: String,
        /// Whether it was fetched.
        crawled: bool,
        /// Levels between it and the root.
        depth: u64,
        /// Why it could not be fetched.
        error: String,
        /// Relation to the page above.
        relationship_cluster: String,
        /// Its links.
        link_contexts: Vec<Field<LinkContext>>,
        /// The pages below.
        children: Vec<Field<Box<TreeNode>>>,
    }
}

impl Content for TreeNode {
    const NEEDED: &'static [&'static str] = &["url"];
}

record! {
    /// A link of a page.
    LinkContext {
        /// Where it leads.
        url: String,
        /// Its text.
        anchor_text: String,
        /// The text around it.
        surrounding_text: String,
        /// Class of the relation, in the benchmark's words.
        relationship: String,
    }
}

record! {
    /// A page of a topology, without its text.
    Topology {
        /// Its address.
        url: String,
        /// Its title.
        title: String,
        /// Its host.
        domain: String,
        /// Levels between it and the root.
        depth: u64,
        /// Whether it was fetched.
        crawled: bool,
        /// Why it could not be fetched.
        error: String,
        /// Relation to the page above, cut short.
        rc: String,
        /// The pages below.
        children: Vec<Field<Box<Topology>>>,
    }
}

impl Content for Topology {
    const NEEDED: &'static [&'static str] = &["url"];
}

record! {
    /// Figures of a tree.
    TreeStats {
        /// Levels below the root.
        max_depth: u64,
        /// Pages.
        total_nodes: u64,
        /// Fetched pages.
        crawled_nodes: u64,
        /// Pages that could not be fetched.
        failed_nodes: u64,
        /// Pages by level.
        nodes_by_depth: Named<u64>,
        /// Fewest pages below a page, by level.
        min_width_at_depth: Named<u64>,
        /// Most pages below a page, by level.
        max_width_at_depth: Named<u64>,
        /// Pages by level on average.
        avg_width: Number,
    }
}

record! {
    /// `summary.json`.
    Summary {
        /// When it was written, and where.
        dataset_info: Value,
        /// Trees by topic.
        trees_by_topic: Named<u64>,
        /// Trees by host.
        trees_by_domain: Named<u64>,
        /// The trees.
        trees: Vec<Field<SummaryTree>>,
    }
}

impl Content for Summary {
    const NEEDED: &'static [&'static str] = &[];
}

record! {
    /// A tree of the summary.
    SummaryTree {
        /// Its name.
        tree_id: String,
        /// Address of its root.
        root_url: String,
        /// Its topic, from the top of the taxonomy.
        topic: String,
        /// The leaf of the taxonomy.
        subtopic: String,
        /// Its figures.
        stats: TreeStats,
    }
}

record! {
    /// `metadata.json`.
    Metadata {
        /// When it was begun.
        created_at: String,
        /// When it was last written.
        updated_at: String,
        /// Number of trees.
        total_trees: u64,
        /// The trees.
        trees: Vec<Field<TreeRecord>>,
    }
}

impl Content for Metadata {
    const NEEDED: &'static [&'static str] = &["trees"];
}

record! {
    /// How a tree came to be.
    TreeRecord {
        /// Its name.
        tree_id: String,
        /// Its file.
        filename: String,
        /// Address of its root.
        root_url: String,
        /// Host of its root.
        domain: String,
        /// When it was crawled.
        crawled_at: String,
        /// Its topic.
        topic: String,
        /// The leaf of the taxonomy.
        subtopic: String,
        /// The leaf's id.
        category_id: Number,
        /// What was searched for.
        search_query: String,
        /// What was found.
        search_results: Vec<Field<SearchResult>>,
        /// The result that was chosen.
        selected_url: String,
        /// Why.
        llm_reasoning: String,
        /// Its figures.
        stats: TreeStats,
    }
}

record! {
    /// A result of a search.
    SearchResult {
        /// Title of the page.
        title: String,
        /// Its address.
        link: String,
        /// What the search engine shows of it.
        snippet: String,
        /// Its place, from 1.
        position: u64,
    }
}

record! {
    /// A category of the taxonomy with those below it, `trends.json`.
    Category {
        /// Its name.
        name: String,
        /// Its id.
        id: Number,
        /// The categories below.
        children: Vec<Field<Box<Category>>>,
    }
}

impl Content for Category {
    const NEEDED: &'static [&'static str] = &["children"];
}

impl Category {
    /// The categories of the taxonomy without any below, each with the names from the top to it.
    pub fn leaves(&self) -> Vec<Vec<&str>> {
        let mut leaves = Vec::new();
        let mut open: Vec<(&Self, Vec<&str>)> = vec![(self, Vec::new())];
        while let Some((category, above)) = open.pop() {
            let mut way = above;
            way.extend(category.name.get().map(String::as_str));
            let below = category.children.get().map_or(&[][..], Vec::as_slice);
            let below: Vec<&Self> = below
                .iter()
                .filter_map(|child| Some(&**child.get()?))
                .collect();
            if below.is_empty() {
                leaves.push(way);
                continue;
            }
            // The last is taken first, so that leaves come in the order of the file.
            open.extend(below.into_iter().rev().map(|child| (child, way.clone())));
        }
        leaves
    }
}

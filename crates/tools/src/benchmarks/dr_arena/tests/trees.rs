//! Trees: what of a file is in a tree, and what is told.

use serde_json::json;

use super::made::{node, read};
use crate::{
    benchmarks::dr_arena::{
        files::{Category, JsonFile, Metadata, Summary, TreeNode, TreeStats},
        tree::{self, NoTree, TreeFinding},
    },
    data::arena::{PageState, Relation},
};

#[test]
fn a_tree_is_read_and_written() {
    let leaf = node("https://a.test/l", 2, &[]);
    let mut failed = node("https://a.test/f", 1, &[]);
    failed["crawled"] = json!(false);
    failed["error"] = json!("HTTP 404");
    failed["content"] = json!(null);
    let value = node(
        "https://a.test/",
        0,
        &[node("https://a.test/p", 1, &[leaf]), failed],
    );
    let file: TreeNode = read(&value);
    let told = tree::read(&file).unwrap();
    assert_eq!(told.findings, []);
    let nodes = told.tree.nodes();
    let urls: Vec<&str> = nodes.iter().map(|node| &*node.page.url).collect();
    let expect = [
        "https://a.test/",
        "https://a.test/p",
        "https://a.test/l",
        "https://a.test/f",
    ];
    assert_eq!(
        urls, expect,
        "each page before those below it, in the order of the file"
    );
    assert_eq!(
        nodes[1].edge.as_ref().map(|edge| edge.relation),
        Some(Relation::History)
    );
    assert_eq!(
        nodes[2].page.links, None,
        "nobody looked for links of a leaf"
    );
    assert_eq!(nodes[3].page.state, PageState::Failed("HTTP 404".into()));
    let again = JsonFile::from(tree::write(&told.tree)).write();
    let again = JsonFile::<TreeNode>::read("again", again.as_bytes()).unwrap();
    let again = tree::read(&again.value.content).unwrap();
    assert_eq!(
        again.tree.id(),
        told.tree.id(),
        "our file of a tree is that tree"
    );
}

#[test]
fn what_no_tree_has_is_left_out_and_told() {
    let twice = node("https://a.test/p#top", 1, &[]);
    let below = node("https://a.test/below", 2, &[]);
    let nowhere = node("not an address", 1, &[below]);
    let mut wrong = node("https://a.test/w", 7, &[]);
    wrong["link_contexts"] = json!([{"url": "javascript:x"}, 5]);
    let value = node(
        "https://a.test/",
        0,
        &[
            node("https://a.test/p", 1, &[]),
            twice,
            nowhere,
            wrong,
            json!(null),
        ],
    );
    let text = value.to_string();
    let file = JsonFile::<TreeNode>::read("f", text.as_bytes())
        .unwrap()
        .value
        .content;
    let told = tree::read(&file).unwrap();
    assert_eq!(told.tree.nodes().len(), 3);
    let wrong = "https://a.test/w".to_owned();
    let count = |is: &dyn Fn(&TreeFinding) -> bool| told.findings.iter().filter(|f| is(f)).count();
    assert_eq!(count(&|f| matches!(f, TreeFinding::Repeated(_))), 1);
    assert_eq!(
        count(&|f| *f == TreeFinding::NoAddress("not an address".into())),
        1
    );
    assert_eq!(count(&|f| *f == TreeFinding::NoPage), 1);
    let depth = TreeFinding::WrongDepth {
        url: wrong.clone(),
        stored: 7,
        depth: 1,
    };
    assert_eq!(count(&|f| *f == depth), 1);
    let links = TreeFinding::BadLinks {
        url: wrong,
        count: 2,
    };
    assert_eq!(count(&|f| *f == links), 1);
    let root: TreeNode = read(&node("ftp://a.test/", 0, &[]));
    assert_eq!(tree::read(&root), Err(NoTree::Root("ftp://a.test/".into())));
}

#[test]
fn the_same_page_at_two_places_is_two_nodes() {
    let same = |depth| node("https://a.test/same", depth, &[]);
    let value = node(
        "https://a.test/",
        0,
        &[same(1), node("https://a.test/p", 1, &[same(2)])],
    );
    let told = tree::read(&read(&value)).unwrap();
    assert_eq!((told.tree.nodes().len(), told.findings.len()), (4, 0));
}

#[test]
fn a_tree_that_was_written_over_is_told_from_its_list() {
    let value = node("https://a.test/", 0, &[node("https://a.test/p", 1, &[])]);
    let told = tree::read(&read(&value)).unwrap();
    let stats = |pages: u64| -> TreeStats {
        let summary: Summary = read(&json!({
            "dataset_info": {"total_trees": 1},
            "trees_by_topic": {"Games": 1},
            "trees_by_domain": {"a.test": 1},
            "trees": [{
                "tree_id": "tree_0001",
                "root_url": "https://a.test/",
                "topic": "Games",
                "subtopic": "Chess",
                "stats": {
                    "max_depth": 1, "total_nodes": pages, "crawled_nodes": 2, "failed_nodes": 0,
                    "nodes_by_depth": {"0": 1, "1": 1}, "min_width_at_depth": {"0": 1},
                    "max_width_at_depth": {"0": 1}, "avg_width": 1.5,
                },
            }],
        }));
        let trees = summary.trees.get().unwrap();
        trees[0].get().unwrap().stats.get().unwrap().clone()
    };
    assert_eq!(tree::compare(&told.tree, &stats(2)), []);
    let other = TreeFinding::OtherFigure {
        figure: "total_nodes",
        listed: 1,
        found: 2,
    };
    assert_eq!(tree::compare(&told.tree, &stats(1)), [other]);
}

#[test]
fn lists_and_the_taxonomy_are_read() {
    let metadata: Metadata = read(&json!({
        "created_at": "2025-11-21T13:17:54",
        "updated_at": "2025-11-21T13:17:54",
        "total_trees": 1,
        "trees": [{
            "tree_id": "tree_0004",
            "filename": "tree_0004.json",
            "root_url": "https://a.test/",
            "domain": "a.test",
            "crawled_at": "2025-11-21T13:17:54",
            "topic": "Games > Board Games",
            "subtopic": "Chess",
            "category_id": 41,
            "search_query": "chess openings guide",
            "search_results": [{"title": "T", "link": "https://a.test/", "snippet": "s", "position": 1}],
            "selected_url": "https://a.test/",
            "llm_reasoning": "it has many links",
        }],
    }));
    assert_eq!(metadata.trees.get().map(Vec::len), Some(1));
    let taxonomy: Category = read(&json!({
        "name": "All", "id": 0,
        "children": [
            {"name": "Games", "id": 8, "children": [{"name": "Chess", "id": 9}]},
            {"name": "Food", "id": 71, "children": []},
        ],
    }));
    assert_eq!(
        taxonomy.leaves(),
        [vec!["All", "Games", "Chess"], vec!["All", "Food"]]
    );
}

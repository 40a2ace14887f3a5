//! Trees that tests make.

use crate::data::arena::{InfoTree, Link, Node, Page, PageState, Relation};

/// A fetched page.
pub fn page(url: &str, title: &str, text: &str) -> Page {
    Page {
        title: Some(title.to_owned()),
        text: Some(text.to_owned()),
        state: PageState::Fetched,
        ..Page::unvisited(url)
    }
}

/// A link without much around it.
pub fn link(url: &str) -> Link {
    Link {
        url: url.to_owned(),
        anchor: "a link".to_owned(),
        context: "A sentence with a link in it.".to_owned(),
        relation: Relation::Related,
    }
}

/// A page with enough to ask about.
pub fn full_page(url: &str) -> Page {
    let text = format!("The page at {url} says rather more than fifty characters.");
    page(url, &format!("Page {url}"), &text)
}

/// A root with `count` pages below it; nobody looked for links.
pub fn star(count: usize) -> InfoTree {
    tree(&[count])
}

/// A tree whose pages at each level have so many pages below them each. The root's links are known
/// and all used; nobody looked for those of leaves.
pub fn tree(widths: &[usize]) -> InfoTree {
    let mut nodes = vec![Node::root(full_page("https://root.test/"))];
    let mut level = vec![0];
    for width in widths {
        let mut next = Vec::new();
        for parent in level {
            let urls: Vec<String> = (0..*width)
                .map(|at| format!("{}{at}/", nodes[parent].page.url))
                .collect();
            nodes[parent].page.links = Some(urls.iter().map(|url| link(url)).collect());
            for url in urls {
                next.push(nodes.len());
                nodes.push(Node::child(&nodes[parent].id, None, full_page(&url)));
            }
        }
        level = next;
    }
    InfoTree::new(nodes).expect("a tree")
}

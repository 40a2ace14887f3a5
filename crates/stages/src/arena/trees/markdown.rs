//! A tree made from a document in Markdown: the document is the root, and its sections, by their
//! headings and by paragraphs that open in bold face, are the pages below. So an arena works
//! without a network, on documents that are at hand.

use crate::{
    citations::without_code,
    data::arena::{Edge, InfoTree, Node, Page, PageState, Relation, TreeFault},
};

/// Level of a paragraph that opens in bold face: below every heading.
const LEAD: usize = 7;
/// Longest opening in bold face, in characters: a longer one is an emphasised sentence.
const LONGEST_LEAD: usize = 60;
/// Characters of a part's text at least; a shorter one belongs to the part above.
const LEAST: usize = 80;

/// A part of the document, from its heading to the next one of any level.
struct Part {
    level: usize,
    title: String,
    text: String,
}

/// The tree of a document that is known by this address.
///
/// # Errors
///
/// If it has more sections than a tree may have.
pub fn tree(document: &str, url: &str) -> Result<InfoTree, TreeFault> {
    let mut parts = parts(document).into_iter();
    let first = parts.next();
    let (title, text) = first.map_or((String::new(), String::new()), |part| {
        (part.title, part.text)
    });
    let root = Node::root(page(url, &title, &text));
    // The way from the root to the last part, with the levels of its headings.
    let mut way = vec![(0, root.id.clone())];
    let mut nodes = vec![root];
    for (number, part) in parts.enumerate() {
        way.truncate(
            way.iter()
                .take_while(|(level, _)| *level < part.level)
                .count()
                .max(1),
        );
        let (_, parent) = &way[way.len() - 1];
        let edge = Edge {
            anchor: part.title.clone(),
            context: String::new(),
            relation: Relation::Related,
        };
        // Sections may share a title; their places differ. No fragment: addresses that differ in it
        // alone are one page.
        let address = format!("{url}/{}", number + 1);
        let node = Node::child(parent, Some(edge), page(&address, &part.title, &part.text));
        way.push((part.level, node.id.clone()));
        nodes.push(node);
    }
    InfoTree::new(nodes)
}

fn page(url: &str, title: &str, text: &str) -> Page {
    Page {
        title: Some(title.to_owned()).filter(|title| !title.is_empty()),
        text: Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        state: PageState::Fetched,
        links: Some(Vec::new()),
        ..Page::unvisited(url)
    }
}

/// The parts in their order. The first is what stands before the second heading, with the first
/// one as its title.
fn parts(document: &str) -> Vec<Part> {
    let visible = without_code(document);
    let mut parts: Vec<Part> = vec![Part {
        level: 0,
        title: String::new(),
        text: String::new(),
    }];
    for (line, shown) in document.lines().zip(visible.lines()) {
        let is_first =
            parts.len() == 1 && parts[0].title.is_empty() && parts[0].text.trim().is_empty();
        let new = heading(shown).or_else(|| lead(shown));
        match new {
            Some((_, title)) if is_first => parts[0].title = title,
            Some((level, title)) => parts.push(Part {
                level,
                title,
                text: if level == LEAD {
                    line.to_owned()
                } else {
                    String::new()
                },
            }),
            None => {
                let last = parts.len() - 1;
                add_line(&mut parts[last].text, line, shown);
            }
        }
    }
    joined(parts)
}

/// Adds a line to a text. A paragraph that is broken into lines is one line: sentences go on.
/// `shown` is the line without code.
fn add_line(text: &mut String, line: &str, shown: &str) {
    let begins = line.trim_start();
    let is_own = begins.is_empty()
        || shown.trim().is_empty()
        || begins.starts_with(['-', '*', '|', '>', '#', '`'])
        || begins.starts_with(|c: char| c.is_ascii_digit());
    let goes_on = !is_own && !text.is_empty() && !text.ends_with('\n');
    text.push_str(match (goes_on, text.is_empty()) {
        (true, _) => " ",
        (false, true) => "",
        (false, false) => "\n",
    });
    text.push_str(if goes_on { begins } else { line });
}

/// Parts in bold face without much to say go back into the part before them.
fn joined(parts: Vec<Part>) -> Vec<Part> {
    let mut kept: Vec<Part> = Vec::new();
    for part in parts {
        let is_short = part.level == LEAD && part.text.chars().nth(LEAST).is_none();
        match kept.last_mut().filter(|_| is_short) {
            Some(before) => add_line(&mut before.text, &part.text, &part.text),
            None => kept.push(part),
        }
    }
    kept
}

fn heading(line: &str) -> Option<(usize, String)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?;
    let title = title.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && !title.is_empty()).then(|| (level, title.to_owned()))
}

/// `**Title.** Text …`, at the beginning of a paragraph or of a list's item.
fn lead(line: &str) -> Option<(usize, String)> {
    let line = line.strip_prefix("- ").unwrap_or(line);
    let (title, rest) = line.strip_prefix("**")?.split_once("**")?;
    let title = title.trim_end_matches(['.', ':', ',']);
    let fits = !title.is_empty() && title.chars().nth(LONGEST_LEAD).is_none();
    (fits && !rest.trim().is_empty()).then(|| (LEAD, title.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "# Tides\n\nHow water moves.\n\n## Gauges\n\nThey stand in harbours.\n\n\
        **Old ones.** The oldest gauge that still works stands in a harbour whose name is long enough here.\n\n\
        ### Floats\n\nA float rises.\n\n```text\n# no heading\n```\n\n## Moons\n\n**x**\n";

    #[test]
    fn sections_are_pages_below_each_other() {
        let tree = tree(DOCUMENT, "https://a.test/tides").unwrap();
        let shown: Vec<(usize, &str)> = tree
            .nodes()
            .iter()
            .map(|node| {
                let title = node.page.title.as_deref().unwrap_or("");
                (tree.depth(&node.id).unwrap(), title)
            })
            .collect();
        assert_eq!(
            shown,
            [
                (0, "Tides"),
                (1, "Gauges"),
                (2, "Old ones"),
                (2, "Floats"),
                (1, "Moons")
            ]
        );
        let floats = tree.nodes()[3].page.text.as_deref().unwrap();
        assert!(floats.contains("A float rises.") && floats.contains("# no heading"));
        assert_eq!(tree.root().page.text.as_deref(), Some("How water moves."));
        assert_eq!(tree, super::tree(DOCUMENT, "https://a.test/tides").unwrap());
    }

    #[test]
    fn what_has_no_heading_is_a_tree_of_one_page() {
        for document in ["", "just text", "\u{feff}", "#\n##\n"] {
            assert_eq!(tree(document, "https://a.test/").unwrap().nodes().len(), 1);
        }
        let many = "# a\n".repeat(crate::data::arena::MOST_NODES + 2);
        assert_eq!(tree(&many, "https://a.test/"), Err(TreeFault::TooMany));
    }
}

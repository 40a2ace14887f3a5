//! The links of an article with the words around them: where could a reader go from here? Menus,
//! sidebars and what nobody sees have no part in it.

use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    article, charset,
    format::{self, Format},
    tree::{self, Tree},
};

/// Links of a page that are read.
const MOST_LINKS: usize = 500;
/// Characters of the block around a link, and nodes of it, that are looked at.
const MOST_CHARS: usize = 4000;
const MOST_NODES: usize = 2000;
/// Longest text of a link, and longest sentence around it, in characters.
const LONGEST_ANCHOR: usize = 200;
const LONGEST_CONTEXT: usize = 500;

/// A link of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageLink {
    /// Where it leads: an absolute address without a fragment.
    pub url: String,
    /// Its text.
    pub anchor: String,
    /// The sentence around it, its text included.
    pub context: String,
}

/// The links of a page that was fetched from `url`, each address once, in their order. Only pages
/// in HTML have any.
pub fn links(bytes: &[u8], content_type: Option<&str>, url: &str) -> Vec<PageLink> {
    if !matches!(format::detect(bytes, content_type), Ok(Format::Html)) {
        return Vec::new();
    }
    let html = charset::decode(bytes, content_type, url);
    let tree = tree::parse(&html[..html.floor_char_boundary(super::html::LONGEST)]);
    let Some(base) = base(&tree, url) else {
        return Vec::new();
    };
    let article = article::find(&tree);
    let inside = article.root..=tree.nodes[article.root].end;
    let anchors = tree.elements("a");
    let is_seen = |at: &usize| !article.left_out[*at] && tree.nodes[*at].visibility.is_visible();
    let anchors = anchors.filter(|(at, _)| inside.contains(at) && is_seen(at));
    let mut found: Vec<PageLink> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for (at, node) in anchors {
        let address = node
            .attribute("href")
            .and_then(|href| absolute(&base, href));
        let Some(address) = address.filter(|address| known.insert(address.clone())) else {
            continue;
        };
        let anchor = one_line(&text(&tree, at, LONGEST_ANCHOR));
        if anchor.is_empty() {
            continue;
        }
        found.push(PageLink {
            url: address,
            context: context(&tree, at, &anchor),
            anchor,
        });
        if found.len() == MOST_LINKS {
            break;
        }
    }
    found
}

/// The address that links of the page start from.
fn base(tree: &Tree, url: &str) -> Option<Url> {
    let own = Url::parse(url).ok()?;
    let said = tree
        .elements("base")
        .find_map(|(_, node)| node.attribute("href"));
    Some(said.and_then(|href| own.join(href).ok()).unwrap_or(own))
}

/// The address of a link; none where it leads to no other page of the web.
fn absolute(base: &Url, href: &str) -> Option<String> {
    let mut address = base.join(href.trim()).ok()?;
    address.set_fragment(None);
    let leads = matches!(address.scheme(), "http" | "https") && address.has_host();
    (leads && address != *base).then(|| address.into())
}

/// The beginning of the text inside a node.
fn text(tree: &Tree, at: usize, most: usize) -> String {
    let end = tree.nodes[at].end.min(at + MOST_NODES);
    let mut text = String::new();
    for node in &tree.nodes[at..=end] {
        // Pieces of neighbouring elements are words of their own.
        if node.is_block && !text.is_empty() {
            text.push(' ');
        }
        if node.visibility.is_visible() {
            text.push_str(node.text());
        }
        if text.len() > 4 * most {
            break;
        }
    }
    text.chars().take(most).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The sentence of the block in which a link stands. Where the block is too long for the link to be
/// found in its beginning, the link's own text.
fn context(tree: &Tree, at: usize, anchor: &str) -> String {
    let mut block = tree.nodes[at].parent;
    while !tree.nodes[block].is_block && block != tree.nodes[block].parent {
        block = tree.nodes[block].parent;
    }
    let text = one_line(&text(tree, block, MOST_CHARS));
    let Some(found) = text.find(anchor) else {
        return anchor.to_owned();
    };
    let start = text[..found]
        .char_indices()
        .rev()
        .find(|(at, c)| ends_sentence(*c, &text[at + c.len_utf8()..]))
        .map_or(0, |(at, c)| at + c.len_utf8());
    let behind = found + anchor.len();
    let end = text[behind..]
        .char_indices()
        .map(|(at, c)| (behind + at, c))
        .find(|(at, c)| ends_sentence(*c, &text[at + c.len_utf8()..]))
        .map_or(text.len(), |(at, c)| at + c.len_utf8());
    let sentence = text[start..end].trim();
    if sentence.chars().nth(LONGEST_CONTEXT).is_some() {
        return anchor.to_owned();
    }
    sentence.to_owned()
}

fn ends_sentence(c: char, rest: &str) -> bool {
    matches!(c, '。' | '！' | '？')
        || (matches!(c, '.' | '!' | '?') && (rest.is_empty() || rest.starts_with(' ')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links_of(html: &str) -> Vec<(String, String, String)> {
        let found = links(html.as_bytes(), Some("text/html"), "https://a.test/tea/");
        found
            .into_iter()
            .map(|link| (link.url, link.anchor, link.context))
            .collect()
    }

    fn words(n: usize) -> String {
        "Leaves are dried and rolled by hand in small rooms. ".repeat(n)
    }

    #[test]
    fn links_of_the_article_with_their_sentences() {
        let html = format!(
            "<html><head><title>Tea</title></head><body><nav><a href='/menu'>A menu of this site</a></nav>\
             <article><h1>Tea</h1><p>{}It came from <a href='../china#history'>the hills of Yunnan</a>, they say. \
             Later it spread.</p><p>See <a href='#top'>above</a>, <a href='mailto:a@b.test'>write</a>, \
             <a href='https://b.test/%E8%8C%B6'>茶</a>。又见<a href='/china/../china'>again</a></p></article></body></html>",
            words(8)
        );
        let found = links_of(&html);
        assert_eq!(
            found[0],
            (
                "https://a.test/china".to_owned(),
                "the hills of Yunnan".to_owned(),
                "It came from the hills of Yunnan, they say.".to_owned()
            )
        );
        assert_eq!(found[1].0, "https://b.test/%E8%8C%B6");
        assert_eq!(
            found.len(),
            2,
            "each address once, and only pages: {found:?}"
        );
        let hidden = "<a style='display:none' href='/x'>";
        let hidden = html.replace("<a href='../china#history'>", hidden);
        let seen = links_of(&hidden);
        assert!(
            seen.len() == 2 && seen.iter().all(|link| !link.0.ends_with("/x")),
            "{seen:?}"
        );
    }

    #[test]
    fn what_strangers_write_takes_no_long_time_and_never_panics() {
        let many = "<div><a href='x'>y</a>".repeat(50_000);
        let wide = format!("<p>{}</p>", "<a href='?q'>z </a>".repeat(50_000));
        for html in [
            many.as_str(),
            wide.as_str(),
            "<a href='http://['>x</a>",
            "",
            "<a",
            "<base href='::'><a href=y>z</a>",
        ] {
            let found = links(html.as_bytes(), Some("text/html"), "https://a.test/");
            assert!(found.len() <= MOST_LINKS);
        }
        let each = (0..2000).map(|n| format!("<p>About <a href='/{n}'>the {n}th thing</a>.</p>"));
        let html = each.collect::<String>();
        assert_eq!(links_of(&html).len(), MOST_LINKS);
        assert!(links(b"%PDF-1.4", None, "https://a.test/x.pdf").is_empty());
    }
}

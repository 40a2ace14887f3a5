//! Extraction of a page's article by the rules of Mozilla's Readability, which are
//! `dom_smoothie`'s. It is handed only what is visible: hidden text cannot come through.

use dom_smoothie::{Config, Readability};

use super::{
    tags::VOID,
    tree::{Kind, Node, Tree},
};

/// Elements inside each other that are kept: a hostile page nests deeper.
const DEEPEST: usize = 200;
/// Elements and texts of a page from which on it is not looked at: some steps are quadratic.
const MOST_NODES: usize = 50_000;
/// The attributes that the rules ask for.
const ATTRIBUTES: &[&str] = &["class", "href", "id", "itemprop", "rel", "role"];
/// Elements without text.
const SILENT: &[&str] = &[
    "head", "link", "meta", "script", "style", "template", "title",
];

/// The article's HTML, if one is found; `left_out` says of each node whether it is none of it.
pub fn find(tree: &Tree, left_out: &[bool]) -> Option<String> {
    if tree.nodes.len() > MOST_NODES {
        return None;
    }
    let config = Config {
        disable_json_ld: true,
        ..Config::default()
    };
    let mut page = Readability::new(visible(tree, left_out), None, Some(config)).ok()?;
    Some(page.parse().ok()?.content.to_string())
}

/// The page as HTML, without what nobody sees.
fn visible(tree: &Tree, left_out: &[bool]) -> String {
    let mut out = String::from("<!DOCTYPE html><html><body>");
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (at, node) in tree.nodes.iter().enumerate().skip(1) {
        while let Some((done, written)) = open.pop_if(|(done, _)| tree.nodes[*done].end < at) {
            close(&mut out, &tree.nodes[done], written);
        }
        let is_written = !left_out[at] && write(&mut out, node, open.len());
        open.push((at, is_written));
    }
    for (done, written) in open.into_iter().rev() {
        close(&mut out, &tree.nodes[done], written);
    }
    out + "</body></html>"
}

fn write(out: &mut String, node: &Node, depth: usize) -> bool {
    match &node.kind {
        Kind::Text(text) => {
            if node.visibility.is_visible() {
                out.push_str(&escaped(text));
            }
            false
        }
        Kind::Element { name, attributes } => {
            let is_frame =
                matches!(name.as_str(), "html" | "body") || SILENT.contains(&name.as_str());
            let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric());
            if is_frame || !is_plain || depth > DEEPEST {
                return false;
            }
            out.push('<');
            out.push_str(name);
            for (key, value) in attributes
                .iter()
                .filter(|(key, _)| ATTRIBUTES.contains(&&**key))
            {
                out.push_str(&format!(
                    " {key}=\"{}\"",
                    escaped(value).replace('"', "&quot;")
                ));
            }
            out.push('>');
            !VOID.contains(&name.as_str())
        }
    }
}

fn close(out: &mut String, node: &Node, written: bool) {
    if written {
        out.push_str(&format!("</{}>", node.name()));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{super::tree::parse, *};

    const LONG: &str = "Soil moisture was measured every hour for two years, in three fields, and the sensors were \
        calibrated against the weight of dried samples, which is why the figures can be compared.";

    fn article(html: &str) -> String {
        let tree = parse(html);
        find(&tree, &vec![false; tree.nodes.len()]).unwrap_or_default()
    }

    #[test]
    fn an_article_without_what_stands_beside_it() {
        let prose = format!("<p>{LONG}</p>").repeat(6);
        let html = format!(
            "<div class=sidebar><p>Subscribe to our letters</p></div><div class=post>{prose}</div>\
             <div class='related-posts'><a href=x>Ten facts about frost</a></div>"
        );
        let found = article(&html);
        assert_eq!(found.matches("dried samples").count(), 6);
        assert!(
            !found.contains("Subscribe") && !found.contains("Ten facts"),
            "{found}"
        );
    }

    #[test]
    fn only_what_is_visible_and_not_left_out_is_handed_over() {
        let html = format!(
            "<p>{LONG}<b style='display:none'>say yes</b> a < b &amp; c</p><i id='\"x'>d</i>"
        );
        let tree = parse(&html);
        let handed = visible(&tree, &vec![false; tree.nodes.len()]);
        assert!(!handed.contains("say yes"), "{handed}");
        assert!(
            handed.contains("a &lt; b &amp; c") && handed.contains("&quot;x"),
            "{handed}"
        );
        let out = vec![true; tree.nodes.len()];
        assert_eq!(
            visible(&tree, &out),
            "<!DOCTYPE html><html><body></body></html>"
        );
    }

    #[test]
    fn pages_that_nest_too_deep_are_flattened() {
        let tree = parse(&format!("{}{LONG}", "<div>".repeat(5_000)));
        let handed = visible(&tree, &vec![false; tree.nodes.len()]);
        assert!(handed.matches("<div>").count() <= DEEPEST + 1 && handed.contains(LONG));
        let many = parse(&"<p>".repeat(MOST_NODES));
        assert_eq!(find(&many, &vec![false; many.nodes.len()]), None);
    }
}

//! Extraction of text and signs from an HTML page. The steps are the module's other files: tree,
//! readable, article, lines, clean.

use super::{
    HTML, Read, Signs,
    article::{self, Article},
    lines, readable,
    tree::{self, Node, Tree},
    version_of,
};
use crate::web::read::{clean, metadata::metadata};

/// Bytes of a page after which the rest is not read.
pub const LONGEST: usize = 10_000_000;

/// Reads a page that was fetched from `url`. A page without visible text is one with an empty text.
pub fn read(html: &str, url: &str) -> Read {
    let tree = tree::parse(&html[..html.floor_char_boundary(LONGEST)]);
    let metadata = metadata(&tree, url);
    let (text, too_long) = clean::capped(text(&tree));
    Read {
        title: metadata.title,
        text,
        truncated: too_long || tree.cut || html.len() > LONGEST,
        language: metadata.language,
        extractor: HTML,
        version: version_of(HTML),
        canonical_url: metadata.canonical_url,
        published: metadata.published,
        signs: signs(&tree, metadata.is_paid),
    }
}

/// Characters of an article by Readability's rules from which on it is believed …
const BELIEVED: usize = 250;
/// … if it is at least one part in so many of what our own rules keep.
const PARTS: usize = 10;

/// The article's text, or all that is visible where no article is left.
fn text(tree: &Tree) -> String {
    let article = article::find(tree);
    let own = clean::clean(&lines::write(tree, &article));
    match by_readability(tree, &article) {
        // In doubt the longer text: a paragraph that is lost is a claim without evidence.
        Some(text) if text.chars().count() * PARTS >= own.chars().count() => text,
        _ if own.is_empty() => everything(tree),
        _ => own,
    }
}

/// The article by Readability's rules, if it is long enough, with the heading that they take for
/// the page's title.
fn by_readability(tree: &Tree, article: &Article) -> Option<String> {
    let html = readable::find(tree, &article.left_out)?;
    let text = everything(&tree::parse(&html));
    if text.chars().count() < BELIEVED {
        return None;
    }
    let heading = heading(tree, article).filter(|heading| !text.contains(heading.as_str()));
    Some(match heading {
        Some(heading) => format!("{heading}\n\n{text}"),
        None => text,
    })
}

/// The first main heading of an article.
fn heading(tree: &Tree, article: &Article) -> Option<String> {
    let inside = article.root..=tree.nodes[article.root].end;
    let is_heading = |(at, _): &(usize, &Node)| inside.contains(at) && !article.left_out[*at];
    let (root, _) = tree.elements("h1").find(is_heading)?;
    let heading = Article {
        root,
        left_out: article.left_out.clone(),
    };
    let text = clean::clean(&lines::write(tree, &heading)).replace('\n', " ");
    Some(text).filter(|text| !text.is_empty())
}

fn everything(tree: &Tree) -> String {
    let article = Article {
        root: 0,
        left_out: vec![false; tree.nodes.len()],
    };
    clean::clean(&lines::write(tree, &article))
}

fn signs(tree: &Tree, paid: bool) -> Signs {
    let all = article::masses(tree, &vec![false; tree.nodes.len()]);
    let is_mount = |(at, node): (usize, &Node)| {
        let id = node
            .attribute("id")
            .unwrap_or_default()
            .to_ascii_lowercase();
        MOUNTS.contains(&id.as_str()) && all[at].text == 0
    };
    let fallback = tree
        .elements("noscript")
        .map(|(at, _)| tree.inner_text(at).to_lowercase());
    Signs {
        link_share: all[0].link_share(),
        scripts: tree.elements("script").count(),
        password: tree
            .elements("input")
            .any(|(_, node)| node.attribute("type") == Some("password")),
        wants_scripts: fallback.into_iter().any(|text| text.contains("javascript")),
        empty_mount: tree.elements("div").any(is_mount)
            || tree
                .elements("app-root")
                .next()
                .is_some_and(|(at, _)| all[at].text == 0),
        paid,
        challenge: challenge(tree),
    }
}

/// The first captcha or bot test with traces in a script, a frame or an element's name.
fn challenge(tree: &Tree) -> Option<&'static str> {
    tree.nodes
        .iter()
        .find_map(|node| challenge_in_attributes(node).or_else(|| challenge_in_script(tree, node)))
}

fn challenge_in_attributes(node: &Node) -> Option<&'static str> {
    let values: Vec<&str> = ["id", "class", "src"]
        .iter()
        .filter_map(|key| node.attribute(key))
        .collect();
    challenge_named(&values.join(" ").to_ascii_lowercase())
}

fn challenge_in_script(tree: &Tree, node: &Node) -> Option<&'static str> {
    let is_script = tree.nodes[node.parent].name() == "script";
    challenge_named(if is_script { node.text() } else { "" })
}

fn challenge_named(text: &str) -> Option<&'static str> {
    let found = CHALLENGES.iter().find(|(trace, _)| text.contains(trace));
    found.map(|(_, name)| *name)
}

/// Elements that frameworks fill by a script.
const MOUNTS: &[&str] = &[
    "root",
    "app",
    "__next",
    "__nuxt",
    "___gatsby",
    "app-root",
    "react-root",
    "svelte",
    "main-app",
];

/// Traces of tests for robots.
const CHALLENGES: &[(&str, &str)] = &[
    ("_cf_chl_opt", "Cloudflare"),
    ("cf-chl", "Cloudflare"),
    ("cf-turnstile", "Cloudflare"),
    ("challenge-platform", "Cloudflare"),
    ("_incapsula_resource", "Imperva"),
    ("_Incapsula_Resource", "Imperva"),
    ("px-captcha", "PerimeterX"),
    ("captcha-delivery.com", "DataDome"),
    ("awswafcookiedomainlist", "AWS WAF"),
    ("awswaf", "AWS WAF"),
    ("hcaptcha", "hCaptcha"),
    ("h-captcha", "hCaptcha"),
    ("g-recaptcha", "reCAPTCHA"),
    ("recaptcha/api", "reCAPTCHA"),
    ("geetest", "GeeTest"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn read_html(html: &str) -> Read {
        read(html, "https://example.org/")
    }

    #[test]
    fn without_an_article_all_that_is_visible_is_read() {
        assert_eq!(
            read_html("<nav>Only <a href=x>a menu</a></nav><footer>f</footer>").text,
            "Only a menu\nf"
        );
        assert_eq!(
            read_html("<noscript>Turn on JavaScript</noscript><div hidden>x</div>").text,
            ""
        );
    }

    #[test]
    fn a_short_article_by_readability_is_not_believed() {
        let long = "The gauges were read, by hand, every morning, and drifted. ".repeat(8);
        let html = format!("<h1>Gauges</h1><div class=comment><p>{long}</p></div><p>{long}</p>");
        let read = read_html(&html).text;
        assert!(
            read.starts_with("Gauges\n") && read.contains("every morning"),
            "{read}"
        );
        assert_eq!(
            read_html("<p>Short, but all there is.").text,
            "Short, but all there is."
        );
    }

    #[test]
    fn signs_of_a_shell() {
        let signs = read_html(
            "<div id=root></div><noscript>Enable JavaScript</noscript><script src=a.js></script>",
        )
        .signs;
        assert!(signs.empty_mount && signs.wants_scripts && signs.scripts == 1);
        let signs = read_html("<div id=root><p>text</p></div>").signs;
        assert!(!signs.empty_mount && !signs.wants_scripts && signs.scripts == 0);
    }

    #[test]
    fn signs_of_a_wall() {
        let signs = read_html("<form><input type=password></form><a href=x>ab</a>cd").signs;
        assert!(signs.password && (signs.link_share - 0.5).abs() < 1e-12);
        assert_eq!(
            read_html("<script>window._cf_chl_opt={}</script>")
                .signs
                .challenge,
            Some("Cloudflare")
        );
        assert_eq!(
            read_html("<div class=g-recaptcha></div>").signs.challenge,
            Some("reCAPTCHA")
        );
        assert_eq!(
            read_html("<p>g-recaptcha, cf-chl and geetest compared")
                .signs
                .challenge,
            None
        );
    }
}

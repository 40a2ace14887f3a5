//! HTML to a flat tree of elements and texts, in document order. Hides the tokenizer, unclosed tags
//! and hostile nesting: nothing here or above it recurses, and the work for each tag is bounded, so
//! that depth costs neither stack nor time.

use std::borrow::Cow;

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};

use super::tags::{BLOCKS, FORMATTING, SCOPES, TABLE_PARTS, VOID};
use crate::web::read::{
    css::{Attribute, Element, Sheet, is_seen},
    visibility::{Visibility, hides_by_itself},
};

/// Nodes after which a page is cut: twenty times what a long article has.
const MOST_NODES: usize = 400_000;
/// How far up the stack an end tag looks for its start.
const REACH: usize = 256;
/// Bytes of an attribute that are kept.
const LONGEST_ATTRIBUTE: usize = 65_536;
/// Attributes that selectors ask for, beside those below.
const MOST_ATTRIBUTES: usize = 256;
/// The attributes that anything here asks for.
const ATTRIBUTES: &[&str] = &[
    "background",
    "bgcolor",
    "class",
    "color",
    "content",
    "datetime",
    "hidden",
    "href",
    "http-equiv",
    "id",
    "itemprop",
    "lang",
    "name",
    "open",
    "popover",
    "property",
    "rel",
    "role",
    "src",
    "style",
    "text",
    "type",
];

/// A page as nodes; a parent comes before its children, and the root is the first.
#[derive(Debug)]
pub struct Tree {
    /// In document order.
    pub nodes: Vec<Node>,
    /// The page was cut at its largest number of nodes.
    pub cut: bool,
}

/// An element or a piece of text.
#[derive(Debug)]
pub struct Node {
    /// The element that it is in; the root is its own parent.
    pub parent: usize,
    /// The last node inside this one, or itself.
    pub end: usize,
    /// What it is.
    pub kind: Kind,
    /// Its visibility.
    pub visibility: Visibility,
    /// Begins a line of its own.
    pub is_block: bool,
    /// Keeps end tags of other elements out.
    is_scope: bool,
}

/// What a node is.
#[derive(Debug)]
pub enum Kind {
    /// An element.
    Element {
        /// Its name in lower case.
        name: String,
        /// The attributes that matter, by name.
        attributes: Vec<Attribute>,
    },
    /// Text with its entities decoded.
    Text(String),
}

impl Node {
    /// The element's name; empty for text.
    pub fn name(&self) -> &str {
        match &self.kind {
            Kind::Element { name, .. } => name,
            Kind::Text(_) => "",
        }
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        match &self.kind {
            Kind::Element { attributes, .. } => attributes
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, v)| v.as_str()),
            Kind::Text(_) => None,
        }
    }

    /// The text; empty for an element.
    pub fn text(&self) -> &str {
        match &self.kind {
            Kind::Element { .. } => "",
            Kind::Text(text) => text,
        }
    }
}

impl Tree {
    /// The elements of a name.
    pub fn elements<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (usize, &'a Node)> {
        self.nodes
            .iter()
            .enumerate()
            .filter(move |(_, node)| node.name() == name)
    }

    /// All text inside a node, also what cannot be seen.
    pub fn inner_text(&self, at: usize) -> String {
        self.nodes[at..=self.nodes[at].end]
            .iter()
            .map(Node::text)
            .collect()
    }
}

/// Parses a page. Every text is a page; there are no errors.
pub fn parse(html: &str) -> Tree {
    let mut builder = Builder::new(sheets(html));
    for token in tokens(html) {
        match token {
            Token::StartTag(tag) => builder.start(&tag),
            Token::EndTag(tag) => builder.end_tag(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => builder.text(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
        if builder.tree.nodes.len() >= MOST_NODES || builder.sheet.is_spent() {
            builder.tree.cut = true;
            break;
        }
    }
    builder.finish()
}

fn tokens(html: &str) -> impl Iterator<Item = Token> {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(html, emitter).flatten()
}

/// The style sheets of a page, wherever they stand: the last one is for the first element, too.
fn sheets(html: &str) -> Sheet {
    let mut sheet = Sheet::default();
    let (mut templates, mut css) = (0usize, None::<String>);
    for token in tokens(html) {
        match token {
            Token::StartTag(tag) => {
                let value = |name: &[u8]| {
                    let value = &tag.attributes.get(name)?.value;
                    Some(String::from_utf8_lossy(value).to_lowercase())
                };
                match tag.name.as_slice() {
                    b"template" => templates += 1,
                    b"style" if is_seen(&value(b"media").unwrap_or_default()) => {
                        css = Some(String::new());
                    }
                    b"link" => {
                        let rel = value(b"rel").unwrap_or_default();
                        sheet.has_others |= rel.contains("stylesheet");
                    }
                    _ => {}
                }
            }
            Token::String(text) => {
                if let Some(css) = &mut css {
                    css.push_str(&String::from_utf8_lossy(&text));
                }
            }
            Token::EndTag(tag) => match tag.name.as_slice() {
                b"template" => templates = templates.saturating_sub(1),
                b"style" => add(&mut sheet, css.take(), templates),
                _ => {}
            },
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    add(&mut sheet, css, templates);
    sheet
}

/// Takes in a sheet, unless it stands in a template, where it is for nothing.
fn add(sheet: &mut Sheet, css: Option<String>, templates: usize) {
    if let Some(css) = css.filter(|_| templates == 0) {
        sheet.add(&css);
    }
}

struct Builder {
    tree: Tree,
    /// The open elements, the root first.
    open: Vec<usize>,
    /// The last element so far in each node, and the one before each; 0 where there is none.
    last_child: Vec<usize>,
    previous: Vec<usize>,
    sheet: Sheet,
    /// Attributes that the sheet's selectors ask for.
    asked_for: Vec<String>,
}

/// An element as selectors see it.
#[derive(Clone, Copy)]
struct Place<'a> {
    builder: &'a Builder,
    at: usize,
}

impl Place<'_> {
    fn beside(self, at: usize) -> Option<Self> {
        (at != self.at).then_some(Self { at, ..self })
    }
}

impl Element for Place<'_> {
    fn name(&self) -> &str {
        self.builder.name(self.at)
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        self.builder.tree.nodes[self.at].attribute(name)
    }

    fn parent(&self) -> Option<Self> {
        self.beside(self.builder.tree.nodes[self.at].parent)
    }

    fn previous(&self) -> Option<Self> {
        let before = self.builder.previous[self.at];
        if before == 0 {
            None
        } else {
            self.beside(before)
        }
    }
}

impl Builder {
    fn new(sheet: Sheet) -> Self {
        let names = sheet.attribute_names().into_iter();
        let names = names.filter(|name| !ATTRIBUTES.contains(name));
        let asked_for = names.take(MOST_ATTRIBUTES).map(str::to_owned).collect();
        let kind = Kind::Element {
            name: String::new(),
            attributes: Vec::new(),
        };
        let root = Node {
            parent: 0,
            end: 0,
            kind,
            visibility: Visibility::of_page(sheet.has_others),
            is_block: true,
            is_scope: false,
        };
        Self {
            tree: Tree {
                nodes: vec![root],
                cut: false,
            },
            open: vec![0],
            last_child: vec![0],
            previous: vec![0],
            asked_for,
            sheet,
        }
    }

    fn top(&self) -> usize {
        self.open.last().copied().unwrap_or(0)
    }

    fn name(&self, at: usize) -> &str {
        self.tree.nodes[at].name()
    }

    fn push(&mut self, kind: Kind, visibility: Visibility) -> usize {
        let at = self.tree.nodes.len();
        let mut node = Node {
            parent: self.top(),
            end: at,
            kind,
            visibility,
            is_block: false,
            is_scope: false,
        };
        node.is_block = BLOCKS.contains(&node.name());
        node.is_scope = SCOPES.contains(&node.name());
        let is_element = matches!(node.kind, Kind::Element { .. });
        let parent = node.parent;
        self.tree.nodes.push(node);
        self.last_child.push(0);
        self.previous.push(self.last_child[parent]);
        if is_element {
            self.last_child[parent] = at;
        }
        at
    }

    fn text(&mut self, text: &str) {
        let visibility = self.tree.nodes[self.top()].visibility;
        self.push(Kind::Text(text.to_owned()), visibility);
    }

    fn start(&mut self, tag: &StartTag<()>) {
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        let attributes = self.kept(tag);
        self.close_implied(&name);
        let leaf = VOID.contains(&name.as_str()) || (tag.self_closing && self.is_foreign(&name));
        let at = self.element(name, attributes);
        if !leaf {
            self.open.push(at);
        }
    }

    fn element(&mut self, name: String, attributes: Vec<Attribute>) -> usize {
        let around = self.tree.nodes[self.top()].visibility;
        let at = self.push(Kind::Element { name, attributes }, around);
        let declared = self.sheet.declared(Place { builder: self, at });
        if let Kind::Element { name, attributes } = &self.tree.nodes[at].kind {
            let visibility = around.inside(name, attributes, &declared);
            self.tree.nodes[at].visibility = visibility;
        }
        at
    }

    fn kept(&self, tag: &StartTag<()>) -> Vec<Attribute> {
        if tag.attributes.is_empty() {
            return Vec::new();
        }
        let known = ATTRIBUTES.iter().map(|name| Cow::Borrowed(*name));
        let has = |name: &&String| tag.attributes.contains_key(name.as_bytes());
        let asked_for = self.asked_for.iter().filter(has);
        let asked_for = asked_for.map(|name| Cow::Owned(name.clone()));
        known
            .chain(asked_for)
            .filter_map(|name| kept_value(tag, name))
            .collect()
    }

    /// Only inside drawings and formulas does a slash end an element; `<div/>` is an open one.
    fn is_foreign(&self, name: &str) -> bool {
        let foreign = |name: &str| name == "svg" || name == "math";
        foreign(name)
            || self
                .open
                .iter()
                .rev()
                .take(REACH)
                .any(|&at| foreign(self.name(at)))
    }

    /// Closes what a start tag ends without saying so: a paragraph before a block, an item before
    /// the next one.
    fn close_implied(&mut self, name: &str) {
        if closes_paragraph(name) {
            self.close_up_to(&["p"], SCOPES);
        }
        match name {
            "li" => self.close_up_to(&["li"], &["ul", "ol", "menu", "table"]),
            "dt" | "dd" => self.close_up_to(&["dt", "dd"], &["dl", "table"]),
            "option" | "optgroup" => self.close_up_to(&["option"], &["select", "datalist"]),
            "td" | "th" => self.close_up_to(&["td", "th"], &["tr", "table"]),
            "tr" => self.close_up_to(&["tr"], &["table"]),
            "tbody" | "thead" | "tfoot" => {
                self.close_up_to(&["tbody", "thead", "tfoot"], &["table"]);
            }
            "body" => self.close_up_to(&["head"], &["html"]),
            _ => {}
        }
    }

    fn close_up_to(&mut self, names: &[&str], walls: &[&str]) {
        let found = self.find(
            |node| names.contains(&node.name()),
            |node| walls.contains(&node.name()),
        );
        if let Some(depth) = found {
            self.close_from(depth);
        }
    }

    fn end_tag(&mut self, name: &str) {
        let table = TABLE_PARTS.contains(&name);
        let plain = !BLOCKS.contains(&name) && !FORMATTING.contains(&name);
        let wall = |open: &Node| {
            if table {
                open.name() == "table"
            } else {
                open.is_scope || (plain && open.is_block)
            }
        };
        if let Some(depth) = self.find(|open| open.name() == name, wall) {
            self.close_from(depth);
        }
    }

    /// The depth of the nearest open element of a kind, unless a wall comes before it.
    fn find(&self, is: impl Fn(&Node) -> bool, is_wall: impl Fn(&Node) -> bool) -> Option<usize> {
        for (depth, &at) in self.open.iter().enumerate().skip(1).rev().take(REACH) {
            let node = &self.tree.nodes[at];
            if is(node) || is_wall(node) {
                return is(node).then_some(depth);
            }
        }
        None
    }

    /// Closes an element and all in it. Formatting that was left open goes on behind it, as in a
    /// browser; that matters where it hides.
    fn close_from(&mut self, depth: usize) {
        let closed = self.open.split_off(depth);
        let last = self.tree.nodes.len() - 1;
        for &at in &closed {
            self.tree.nodes[at].end = last;
        }
        let hiding = closed
            .iter()
            .skip(1)
            .rev()
            .find(|&&at| self.is_hiding_formatting(at))
            .copied();
        if let Some(Node {
            kind: Kind::Element { name, attributes },
            ..
        }) = hiding.map(|at| &self.tree.nodes[at])
        {
            let at = self.element(name.clone(), attributes.clone());
            self.open.push(at);
        }
    }

    fn is_hiding_formatting(&self, at: usize) -> bool {
        let node = &self.tree.nodes[at];
        FORMATTING.contains(&node.name())
            && hides_by_itself(node.visibility, self.tree.nodes[node.parent].visibility)
    }

    fn finish(mut self) -> Tree {
        let last = self.tree.nodes.len() - 1;
        for at in self.open {
            self.tree.nodes[at].end = last;
        }
        self.tree
    }
}

fn kept_value(tag: &StartTag<()>, name: Cow<'static, str>) -> Option<Attribute> {
    let bytes = &tag.attributes.get(name.as_bytes())?.value;
    let short = &bytes[..bytes.len().min(LONGEST_ATTRIBUTE)];
    Some((name, String::from_utf8_lossy(short).into_owned()))
}

fn closes_paragraph(name: &str) -> bool {
    BLOCKS.contains(&name)
        && ![
            "td", "th", "tr", "tbody", "thead", "tfoot", "caption", "body", "html",
        ]
        .contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree as nested names, to compare by eye.
    fn sketch(html: &str) -> String {
        let tree = parse(html);
        let depth = |mut at: usize| {
            let mut depth = 0;
            while at != 0 {
                at = tree.nodes[at].parent;
                depth += 1;
            }
            depth
        };
        let line = |(at, node): (usize, &Node)| {
            format!("{}{}{}", depth(at), node.name(), node.text().trim())
        };
        tree.nodes
            .iter()
            .enumerate()
            .skip(1)
            .map(line)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn tags_that_are_left_out_are_implied() {
        assert_eq!(sketch("<p>a<p>b<div>c</div>"), "1p 2a 1p 2b 1div 2c");
        assert_eq!(
            sketch("<ul><li>a<ul><li>b</ul><li>c</ul>d"),
            "1ul 2li 3a 3ul 4li 5b 2li 3c 1d"
        );
        assert_eq!(
            sketch("<table><tr><td>a<td>b<tr><td>c</table>d"),
            "1table 2tr 3td 4a 3td 4b 2tr 3td 4c 1d"
        );
        assert_eq!(
            sketch("<dl><dt>a<dd>b<dt>c</dl>"),
            "1dl 2dt 3a 2dd 3b 2dt 3c"
        );
        assert_eq!(
            sketch("<head><title>t</title><body>b"),
            "1head 2title 3t 1body 2b"
        );
    }

    #[test]
    fn end_tags_close_their_own_element_only() {
        assert_eq!(sketch("<div><span>a</div>b"), "1div 2span 3a 1b");
        assert_eq!(
            sketch("<span><div>a</span>b</div>c"),
            "1span 2div 3a 3b 2c",
            "a plain end tag stops at a block"
        );
        assert_eq!(
            sketch("<div><table><tr><td>a</div>b</table>c</div>d"),
            "1div 2table 3tr 4td 5a 5b 2c 1d"
        );
        assert_eq!(sketch("</p></x>a<br/>b<img src=x>c"), "1a 1br 1b 1img 1c");
    }

    #[test]
    fn drawings_end_where_they_say() {
        assert_eq!(
            sketch("<svg><path/><g/></svg>a<div/>b"),
            "1svg 2path 2g 1a 1div 2b"
        );
    }

    #[test]
    fn raw_text_is_not_parsed_and_comments_are_nothing() {
        assert_eq!(
            sketch("<script>if (a<b) '<p>'</script>x<!-- <p>no -->y"),
            "1script 2if (a<b) '<p>' 1x 1y"
        );
        assert_eq!(
            sketch("<title>a &amp; <b></title>&#x4e2d;&eacute;"),
            "1title 2a & <b> 1中é"
        );
    }

    #[test]
    fn the_end_of_a_node_is_its_last_descendant() {
        let tree = parse("<div><p>a</p><p>b</p></div>c");
        assert_eq!(
            (
                tree.nodes[1].end,
                tree.nodes[0].end,
                tree.inner_text(1).as_str()
            ),
            (5, 6, "ab")
        );
    }

    #[test]
    fn hiding_formatting_goes_on_behind_its_paragraph() {
        let tree = parse("<p><b style='display:none'>a</p>b<div>c");
        let seen: Vec<bool> = tree
            .nodes
            .iter()
            .filter(|n| !n.text().is_empty())
            .map(|n| n.visibility.is_visible())
            .collect();
        assert_eq!(seen, [false, false, false]);
    }
}

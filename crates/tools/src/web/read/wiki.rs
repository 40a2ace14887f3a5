//! Text of an article that MediaWiki rendered, as Markdown: headings with their levels, a line for
//! each paragraph and list item. Unlike the reader of pages in general it knows what MediaWiki's
//! classes mean, so that nothing is guessed: boxes, notes, references and what is not printed are
//! left out.

use super::{
    clean,
    tree::{self, Node, Tree},
};

/// Version of the text: raised with every change of what is made of the same page.
pub const VERSION: &str = "1";
/// Bytes of a page after which the rest is not read.
const LONGEST: usize = 10_000_000;
/// Characters of a formula that are kept.
const LONGEST_FORMULA: usize = 2_000;

/// Elements that are no prose.
const LEFT_OUT: &[&str] = &[
    "audio", "button", "figure", "form", "img", "input", "nav", "noscript", "script", "style",
    "video",
];

/// MediaWiki's and Wikipedia's classes for what surrounds an article's text.
const FURNITURE: &[&str] = &[
    "ambox",
    "authority-control",
    "catlinks",
    "error",
    "gallery",
    "hatnote",
    "infobox",
    "metadata",
    "mw-cite-backlink",
    "mw-editsection",
    "mw-empty-elt",
    "mw-references-wrap",
    "navbox",
    "navigation-not-searchable",
    "noexcerpt",
    "nomobile",
    "noprint",
    "portalbox",
    "refbegin",
    "reference",
    "references",
    "reflist",
    "shortdescription",
    "side-box",
    "sidebar",
    "sistersitebox",
    "sortkey",
    "thumb",
    "toc",
    "vertical-navbox",
];

/// Headings of appendices that point away from the article, in lower case. Notes and
/// bibliographies stay where text is left in them: they may be the author's works.
const APPENDICES: &[&str] = &[
    "external links",
    "further reading",
    "see also",
    "参见",
    "參見",
    "外部链接",
    "外部連結",
    "延伸阅读",
    "延伸閱讀",
];

/// What becomes of tables of data; all others are left out in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// They stand in the text, a row a line.
    Kept,
    /// They are left out.
    LeftOut,
}

/// Text of an article out of the HTML that `action=parse` gives.
pub fn article(html: &str, tables: Tables) -> String {
    let tree = tree::parse(&html[..html.floor_char_boundary(LONGEST)]);
    let mut writer = Writer::default();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 1;
    while let Some(node) = tree.nodes.get(at) {
        while let Some(done) = open.pop_if(|done| tree.nodes[*done].end < at) {
            writer.leave(&tree.nodes[done]);
        }
        if node.name() == "math" {
            writer.text.push_str(&formula(&tree, at));
            at = node.end + 1;
        } else if is_left_out(node, tables, writer.in_table) {
            at = node.end + 1;
        } else {
            writer.enter(node);
            open.push(at);
            at += 1;
        }
    }
    while let Some(done) = open.pop() {
        writer.leave(&tree.nodes[done]);
    }
    writer.end_line();
    let lines = without_empty_sections(without_appendices(writer.lines));
    clean::capped(clean::clean(&joined(&lines))).0
}

fn is_left_out(node: &Node, tables: Tables, in_table: bool) -> bool {
    let is_data = || tables == Tables::Kept && !in_table && has_class(node, &["wikitable"]);
    LEFT_OUT.contains(&node.name())
        || has_class(node, FURNITURE)
        || (node.name() == "table" && !is_data())
}

fn has_class(node: &Node, names: &[&str]) -> bool {
    let classes = node.attribute("class").unwrap_or_default();
    classes
        .split_ascii_whitespace()
        .any(|class| names.contains(&class))
}

/// The source of a formula, which is hidden beside its picture.
fn formula(tree: &Tree, at: usize) -> String {
    let mut inside = at..=tree.nodes[at].end;
    let Some(source) = inside.find(|at| tree.nodes[*at].name() == "annotation") else {
        return String::new();
    };
    let source = tree.inner_text(source);
    let source = source.trim();
    let bare = source
        .strip_prefix("{\\displaystyle")
        .and_then(|rest| rest.strip_suffix('}'));
    let short: String = bare
        .unwrap_or(source)
        .trim()
        .chars()
        .take(LONGEST_FORMULA)
        .collect();
    if short.is_empty() {
        short
    } else {
        format!(" ${short}$ ")
    }
}

/// A line of the text; `level` is a heading's.
#[derive(Debug, Default)]
struct Line {
    level: Option<usize>,
    text: String,
    is_row: bool,
}

#[derive(Default)]
struct Writer {
    lines: Vec<Line>,
    /// The line in hand.
    text: String,
    /// Level of the heading that is open.
    heading: Option<usize>,
    /// The line in hand begins an item.
    is_item: bool,
    in_table: bool,
    /// Cells of the row in hand.
    cells: Vec<String>,
    /// Rows of the table in hand.
    rows: usize,
}

impl Writer {
    fn enter(&mut self, node: &Node) {
        if self.in_table {
            match node.name() {
                "" if node.visibility.is_visible() => self.text.push_str(node.text()),
                // A cell is one line, whatever blocks are in it.
                _ => self.space(node),
            }
            return;
        }
        if node.is_block {
            self.end_line();
        }
        match node.name() {
            "" if node.visibility.is_visible() => self.text.push_str(node.text()),
            "br" => self.end_line(),
            "li" => self.is_item = true,
            "table" => {
                self.in_table = true;
                self.rows = 0;
            }
            name => self.heading = level(name).or(self.heading),
        }
    }

    fn leave(&mut self, node: &Node) {
        match node.name() {
            "table" if self.in_table => {
                self.end_row();
                self.text.clear();
                self.in_table = false;
            }
            "tr" if self.in_table => self.end_row(),
            "td" | "th" if self.in_table => {
                let cell = one_line(&std::mem::take(&mut self.text)).replace('|', "\\|");
                self.cells.push(cell);
            }
            // Its caption is no row.
            "caption" if self.in_table => self.text.clear(),
            _ if self.in_table => self.space(node),
            name => {
                if node.is_block {
                    self.end_line();
                }
                match name {
                    "li" => self.is_item = false,
                    _ if level(name).is_some() => self.heading = None,
                    _ => {}
                }
            }
        }
    }

    fn space(&mut self, node: &Node) {
        if node.is_block || node.name() == "br" {
            self.text.push(' ');
        }
    }

    fn end_line(&mut self) {
        let text = one_line(&std::mem::take(&mut self.text));
        if text.is_empty() {
            return;
        }
        let is_item = std::mem::take(&mut self.is_item);
        self.lines.push(Line {
            level: self.heading,
            text: if is_item { format!("- {text}") } else { text },
            is_row: false,
        });
    }

    fn end_row(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        if cells.iter().all(String::is_empty) {
            return;
        }
        self.row(format!("| {} |", cells.join(" | ")));
        if self.rows == 0 {
            self.row(format!("|{}", " --- |".repeat(cells.len())));
        }
        self.rows += 1;
    }

    fn row(&mut self, text: String) {
        self.lines.push(Line {
            level: None,
            text,
            is_row: true,
        });
    }
}

/// Level of a heading in Markdown; the title alone has the first.
fn level(name: &str) -> Option<usize> {
    match name.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(usize::from(digit - b'0').max(2)),
        _ => None,
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

fn without_appendices(mut lines: Vec<Line>) -> Vec<Line> {
    // Level of the appendix in hand.
    let mut appendix: Option<usize> = None;
    lines.retain(|line| {
        let is_inside = |level| appendix.is_some_and(|outer| outer < level);
        if let Some(level) = line.level.filter(|level| !is_inside(*level)) {
            let is_one = APPENDICES.contains(&line.text.to_lowercase().as_str());
            appendix = is_one.then_some(level);
        }
        appendix.is_none()
    });
    lines
}

/// The lines without headings that nothing stands under.
fn without_empty_sections(mut lines: Vec<Line>) -> Vec<Line> {
    // From the end: by level, whether text was seen that a heading of that level would hold.
    let mut seen = [false; 7];
    let mut kept: Vec<Line> = Vec::with_capacity(lines.len());
    while let Some(line) = lines.pop() {
        match line.level {
            None => {
                seen = [true; 7];
                kept.push(line);
            }
            Some(level) => {
                let is_filled = seen[level];
                seen[level..].fill(false);
                if is_filled {
                    kept.push(line);
                }
            }
        }
    }
    kept.reverse();
    kept
}

fn joined(lines: &[Line]) -> String {
    let mut text = String::new();
    let mut after_row = false;
    for line in lines {
        // A table is apart from the paragraph before it and after it.
        if line.level.is_some() || line.is_row != after_row {
            text.push('\n');
        }
        if let Some(level) = line.level {
            text.push_str(&"#".repeat(level));
            text.push(' ');
        }
        text.push_str(&line.text);
        text.push('\n');
        after_row = line.is_row;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, expect: &str) {
        assert_eq!(article(html, Tables::Kept), expect, "{html}");
    }

    #[test]
    fn headings_keep_their_levels_and_lose_their_links() {
        check(
            "<div class=mw-parser-output><p><b>Kestrel Weir</b> is a weir.<sup class=reference>[1]</sup>\n</p>\
             <div class='mw-heading mw-heading2'><h2 id=History>History</h2><span class=mw-editsection>[edit]</span></div>\
             <p>Built in 1804.</p><h3>Repairs</h3><p>One<br>Two</p><ul><li>First</li><li>Second</li></ul></div>",
            "Kestrel Weir is a weir.\n\n## History\nBuilt in 1804.\n\n### Repairs\nOne\nTwo\n- First\n- Second",
        );
    }

    #[test]
    fn what_is_no_prose_is_left_out() {
        check(
            "<table class='infobox vcard'><tr><td>Height</td></tr></table>\
             <div class='hatnote navigation-not-searchable'>Not the bird.</div>\
             <figure><img alt=x><figcaption>A picture</figcaption></figure>\
             <p>Body<style>.a{}</style> text<sup class='noprint Inline-Template'>[citation needed]</sup>.</p>\
             <span style='display:none'>hidden</span>\
             <h2>See also</h2><ul><li>Other</li></ul><h3>Under it</h3><p>x</p>\
             <h2>References</h2><div class=reflist><ol class=references><li>A source</li></ol></div>\
             <h2>Legacy</h2><p>Kept.</p>\
             <h2>External links</h2><ul><li>Site</li></ul><div class=navbox>n</div>",
            "Body text.\n\n## Legacy\nKept.",
        );
    }

    #[test]
    fn a_section_with_text_below_it_keeps_its_heading() {
        check(
            "<h2>A</h2><h3>B</h3><p>b</p><h3>C</h3><h2>D</h2><h4>E</h4>",
            "## A\n\n### B\nb",
        );
    }

    #[test]
    fn tables_of_data_are_rows() {
        let html = "<p>Before</p><table class='wikitable sortable'><caption>Results</caption><tbody>\
                    <tr><th>Team<table class=wikitable><tr><td>inner</td></tr></table></th><th>Score</th></tr>\
                    <tr><td><p>Owls</p><p>A|B</p></td><td>3<sup class=reference>[2]</sup></td></tr></tbody></table><p>After</p>";
        check(
            html,
            "Before\n\n| Team | Score |\n| --- | --- |\n| Owls A\\|B | 3 |\n\nAfter",
        );
        assert_eq!(article(html, Tables::LeftOut), "Before\nAfter");
    }

    #[test]
    fn formulas_are_their_source() {
        check(
            "<p>Energy <span class=mwe-math-element><span style='display:none'><math><semantics><mi>E</mi>\
             <annotation encoding='application/x-tex'>{\\displaystyle E=mc^{2}}</annotation></semantics></math></span>\
             <img alt='x'></span> holds.</p>",
            "Energy $E=mc^{2}$ holds.",
        );
    }

    #[test]
    fn chinese_text_and_its_appendices() {
        check(
            "<p>隼堰是一座<b>堰</b>。</p><h2>歷史</h2><p>建於1804年。</p><h2>參見</h2><ul><li>他</li></ul>",
            "隼堰是一座堰。\n\n## 歷史\n建於1804年。",
        );
    }

    #[test]
    fn hostile_shapes_take_linear_time() {
        for piece in [
            "<math>",
            "<h2>",
            "<table class=wikitable><tr><td>",
            "<li>",
            "<div class=a>",
        ] {
            let html = piece.repeat(1_000_000 / piece.len());
            assert!(
                article(&html, Tables::Kept).len() < html.len() * 2,
                "{piece}"
            );
        }
        let classes = format!("<p class='{}'>x</p>", "a ".repeat(500_000));
        assert_eq!(article(&classes, Tables::Kept), "x");
    }
}

//! Plain text of an article: a line for each paragraph, heading, list item and table row. Hides
//! where HTML puts its spaces and which tables are only there for the layout.

use super::{
    article::{Article, Mass, masses},
    tree::{Node, Tree},
};

/// Characters of a cell from which on its table is there for the layout.
const LONG_CELL: usize = 300;

/// Writes the article down.
pub fn write(tree: &Tree, article: &Article) -> String {
    let rows = data_rows(tree, &masses(tree, &article.left_out));
    let mut page = Lines::default();
    let mut open: Vec<usize> = Vec::new();
    for at in article.root..=tree.nodes[article.root].end {
        while let Some(done) = open.pop_if(|done| tree.nodes[*done].end < at) {
            page.leave(&tree.nodes[done], rows[done]);
        }
        if article.left_out[at] {
            continue;
        }
        page.enter(tree, at, rows[at]);
        open.push(at);
    }
    page.out
}

/// For each node, whether it is a row whose cells go on one line.
fn data_rows(tree: &Tree, masses: &[Mass]) -> Vec<bool> {
    let mut rows: Vec<bool> = tree.nodes.iter().map(|node| node.name() == "tr").collect();
    for (at, node) in tree.nodes.iter().enumerate().skip(1) {
        let is_cell = matches!(node.name(), "td" | "th");
        if is_cell && tree.nodes[node.parent].name() == "tr" && masses[at].text > LONG_CELL {
            rows[node.parent] = false;
        }
    }
    // A row with a table or a heading in it is part of a layout. Marking the nearest row is enough:
    // each is one of them.
    let mut row_of = vec![0; tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate().skip(1) {
        row_of[at] = if rows[at] { at } else { row_of[node.parent] };
        if matches!(node.name(), "table" | "h1" | "h2" | "h3") {
            rows[row_of[node.parent]] = false;
        }
    }
    rows
}

#[derive(Default)]
struct Lines {
    out: String,
    /// Inside this many rows that go on one line.
    rows: usize,
    /// Inside this many `pre` elements.
    verbatim: usize,
    /// A cell of the current row has been written.
    between_cells: bool,
}

impl Lines {
    fn enter(&mut self, tree: &Tree, at: usize, is_row: bool) {
        let node = &tree.nodes[at];
        if node.is_block {
            self.end_line(gap(node.name()));
        }
        match node.name() {
            "" if node.visibility.is_visible() => self.text(node.text()),
            "br" => self.end_line(1),
            "li" if self.rows == 0 => self.out.push_str("- "),
            "td" | "th" if self.rows > 0 && self.between_cells => self.out.push_str("| "),
            "sup" if is_exponent(tree, at) => self.out.push('^'),
            "pre" => self.verbatim += 1,
            _ => {}
        }
        if is_row {
            self.rows += 1;
            self.between_cells = false;
        }
    }

    fn leave(&mut self, node: &Node, is_row: bool) {
        match node.name() {
            "td" | "th" => self.between_cells = true,
            "li" if self.is_new_item() => self.out.truncate(self.out.len() - 2),
            "pre" => self.verbatim -= 1,
            _ => {}
        }
        if is_row {
            self.rows -= 1;
        }
        if node.is_block {
            self.end_line(gap(node.name()));
        }
    }

    fn text(&mut self, text: &str) {
        if self.verbatim > 0 && self.rows == 0 {
            self.out.push_str(text);
            return;
        }
        for c in text.chars() {
            match c.is_whitespace() {
                false => self.out.push(c),
                true if !self.out.ends_with([' ', '\n']) => self.out.push(' '),
                true => {}
            }
        }
    }

    /// Whether the line is an item's mark and nothing else.
    fn is_new_item(&self) -> bool {
        self.out.ends_with("\n- ") || self.out == "- "
    }

    /// Ends the line, with `newlines` of 2 the paragraph; in a row of a table there is nothing to
    /// end.
    fn end_line(&mut self, newlines: usize) {
        if self.rows > 0 {
            return self.text(" ");
        }
        if self.is_new_item() {
            return;
        }
        let there = self.out.bytes().rev().take_while(|b| *b == b'\n').count();
        if !self.out.is_empty() {
            self.out
                .extend(std::iter::repeat_n('\n', newlines.saturating_sub(there)));
        }
    }
}

/// Paragraphs have an empty line around them, other blocks begin a new one.
fn gap(name: &str) -> usize {
    match name {
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "ul" | "ol" | "dl" | "table"
        | "blockquote" | "pre" | "hr" | "section" | "article" | "figure" => 2,
        _ => 1,
    }
}

/// Whether a superscript is part of a number or unit, so that 10 to the 6th does not become 106;
/// not a footnote's mark.
fn is_exponent(tree: &Tree, at: usize) -> bool {
    if tree.nodes[at].end - at > 4 {
        return false;
    }
    let inner = tree.inner_text(at);
    let mut chars = inner.trim().chars();
    let signed = |c: char| matches!(c, '-' | '+' | '−' | '–');
    let starts = chars
        .next()
        .is_some_and(|c| c.is_ascii_digit() || signed(c) || c == 'n');
    let linked = tree.nodes[at..=tree.nodes[at].end]
        .iter()
        .any(|node| node.name() == "a");
    starts && !linked && chars.all(|c| c.is_ascii_digit() || matches!(c, '.' | '/'))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{article, tree::parse},
        *,
    };
    use crate::web::read::clean::clean;

    fn check(html: &str, expect: &str) {
        let tree = parse(html);
        assert_eq!(
            clean(&write(&tree, &article::find(&tree))),
            expect,
            "{html}"
        );
    }

    #[test]
    fn blocks_are_lines_and_spaces_are_single() {
        check(
            "<h1>Title</h1><p>One\n  <b>two</b>,\tthree.</p>four<br>five",
            "Title\n\nOne two, three.\n\nfour\nfive",
        );
        check("<div>a<div>b</div>c</div>", "a\nb\nc");
        check("a<span>b</span> <i>c</i>", "ab c");
        check("<pre>a\n  b</pre>", "a\nb");
    }

    #[test]
    fn items_are_lines() {
        check(
            "<p>x</p><ul><li>a<li><p>b</p><ul><li><li>c</ul></ul>d",
            "x\n\n- a\n- b\n\n- c\n\nd",
        );
        check("<dl><dt>term<dd>what it is</dl>", "term\nwhat it is");
    }

    #[test]
    fn rows_are_lines_unless_the_table_is_a_layout() {
        let data = "<table><caption>Depths</caption><tr><th>cm<th>share<tr><td><p>10</p><td>0.21<br>wet</table>";
        check(data, "Depths\ncm | share\n10 | 0.21 wet");
        check(
            "<table><tr><td><h2>Head</h2><p>a</p><p>b</p></table>",
            "Head\n\na\n\nb",
        );
        let inner = "<table><tr><td>a<td>b</table>";
        check(
            &format!("<table><tr><td>{inner}<td>c</table>"),
            "a | b\n\nc",
        );
    }

    #[test]
    fn exponents_stay_apart_from_their_base() {
        check(
            "10<sup>-6</sup> m<sup>2</sup>, CO<sub>2</sub>",
            "10^-6 m^2, CO2",
        );
        check(
            "word<sup><a href=#n>1</a></sup>, 2<sup>nd</sup>, x<sup>[3]</sup>",
            "word1, 2nd, x[3]",
        );
    }

    #[test]
    fn hidden_text_is_not_written() {
        check(
            "<p>a<span style='display:none'>b</span><!-- c --><script>d</script></p>",
            "a",
        );
    }
}

//! A report's Markdown as HTML. Hides which few elements a stranger's text may become: whatever it
//! holds, it loads nothing, runs nothing, and links to nothing but pages of the web.

use std::{collections::BTreeMap, fmt::Write as _};

use minijinja::HtmlEscape;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::markup::outside;
use crate::data::id::sha256_hex;

/// Elements within each other, at most; a browser gives up at some hundreds.
const DEPTH: usize = 40;
/// Markup, at most: so many times the text and some more. What would be longer is shown as it is.
const TIMES: usize = 12;
const MORE: usize = 64 * 1024;

/// The text as HTML. Headings begin at `h3`, so that they stand below those of a page; HTML in the
/// text is shown as text, and images are links.
pub fn html(text: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let most = text.len() * TIMES + MORE;
    let mut page = Page::new(text);
    for event in Parser::new_ext(text, options) {
        page.add(event);
        if page.out.len() > most {
            return format!("<pre>{}</pre>", HtmlEscape(text));
        }
    }
    page.out
}

/// The markup so far.
struct Page<'a> {
    text: &'a str,
    out: String,
    /// The ends of what is open; empty for what was not written.
    ends: Vec<&'static str>,
    /// How many were open when it became too deep.
    too_deep: Option<usize>,
    in_link: bool,
    in_head: bool,
    notes: Notes,
}

/// Footnotes by the labels of the text.
#[derive(Default)]
struct Notes {
    /// Begins their ids: a page may show several reports.
    prefix: String,
    /// Numbers in the order of the first mention, and whether the note was written.
    numbers: BTreeMap<String, (usize, bool)>,
}

impl<'a> Page<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            out: String::with_capacity(text.len() + text.len() / 2),
            ends: Vec::new(),
            too_deep: None,
            in_link: false,
            in_head: false,
            notes: Notes::default(),
        }
    }

    fn add(&mut self, event: Event<'a>) {
        match event {
            Event::Start(tag) => self.begin(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text) => self.say(&text),
            Event::Code(code) => {
                self.out.push_str("<code>");
                self.say(&code);
                self.out.push_str("</code>");
            }
            Event::FootnoteReference(label) => self.refer(&label),
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br/>\n"),
            Event::Rule => self.out.push_str("<hr/>\n"),
            Event::TaskListMarker(is_done) => self.say(if is_done { "[x] " } else { "[ ] " }),
        }
    }

    fn say(&mut self, text: &str) {
        // Writing into a string does not fail.
        let _ = write!(self.out, "{}", HtmlEscape(text));
    }

    fn begin(&mut self, tag: Tag<'a>) {
        if self.too_deep.is_none() && self.ends.len() >= DEPTH && !is_part_of_table(&tag) {
            self.too_deep = Some(self.ends.len());
        }
        let end = match self.too_deep {
            Some(_) => " ",
            None => self.open(tag),
        };
        self.ends.push(end);
    }

    fn end(&mut self, tag: TagEnd) {
        let end = self.ends.pop().unwrap_or_default();
        self.out.push_str(end);
        if self.too_deep == Some(self.ends.len()) {
            self.too_deep = None;
        }
        // Of a link within a link nothing was written.
        self.in_link &= end != LINK;
        self.in_head &= tag != TagEnd::TableHead;
    }

    /// Writes the beginning of an element, and returns its end.
    fn open(&mut self, tag: Tag<'a>) -> &'static str {
        let (begin, end) = match tag {
            Tag::Heading { level, .. } => heading(level),
            Tag::BlockQuote(_) => ("<blockquote>\n", "</blockquote>\n"),
            Tag::CodeBlock(_) => ("<pre><code>", "</code></pre>\n"),
            Tag::HtmlBlock => ("<pre>", "</pre>\n"),
            Tag::List(first) => return self.list(first),
            Tag::Item => ("<li dir=\"auto\">", "</li>\n"),
            Tag::FootnoteDefinition(label) => return self.note(&label),
            Tag::Table(_) => (
                "<div class=\"scroll\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table>",
                "</tbody></table></div>\n",
            ),
            Tag::TableHead => {
                self.in_head = true;
                ("<thead><tr>", "</tr></thead><tbody>\n")
            }
            Tag::TableRow => ("<tr>", "</tr>\n"),
            Tag::TableCell if self.in_head => ("<th scope=\"col\" dir=\"auto\">", "</th>"),
            Tag::TableCell => ("<td dir=\"auto\">", "</td>"),
            Tag::Emphasis => ("<em>", "</em>"),
            Tag::Strong => ("<strong>", "</strong>"),
            Tag::Strikethrough => ("<del>", "</del>"),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                return self.link(&dest_url);
            }
            // What the options above do not turn on would be a paragraph.
            _ => ("<p dir=\"auto\">", "</p>\n"),
        };
        self.out.push_str(begin);
        end
    }

    fn list(&mut self, first: Option<u64>) -> &'static str {
        match first {
            None => {
                self.out.push_str("<ul>\n");
                "</ul>\n"
            }
            Some(first) => {
                let _ = writeln!(self.out, "<ol start=\"{first}\">");
                "</ol>\n"
            }
        }
    }

    fn link(&mut self, address: &str) -> &'static str {
        let Some(address) = outside(address).filter(|_| !self.in_link) else {
            return "";
        };
        self.in_link = true;
        let address = HtmlEscape(address);
        let _ = write!(
            self.out,
            "<a href=\"{address}\" rel=\"noreferrer noopener\">"
        );
        LINK
    }

    fn refer(&mut self, label: &CowStr<'_>) {
        let (id, number, _) = self.numbered(label);
        let _ = if self.in_link || self.too_deep.is_some() {
            write!(self.out, "<sup>{number}</sup>")
        } else {
            write!(self.out, "<sup><a href=\"#{id}\">{number}</a></sup>")
        };
    }

    fn note(&mut self, label: &CowStr<'_>) -> &'static str {
        let (id, number, is_known) = self.numbered(label);
        let _ = if is_known {
            write!(self.out, "<div><sup>{number}</sup> ")
        } else {
            write!(self.out, "<div id=\"{id}\"><sup>{number}</sup> ")
        };
        self.notes.numbers.insert(label.to_string(), (number, true));
        "</div>\n"
    }

    /// The id of a note, its number, and whether it was written.
    fn numbered(&mut self, label: &CowStr<'_>) -> (String, usize, bool) {
        let notes = &mut self.notes;
        if notes.prefix.is_empty() {
            notes.prefix = format!("note-{}", &sha256_hex(self.text.as_bytes())[..12]);
        }
        let next = notes.numbers.len() + 1;
        let (number, is_known) = *notes
            .numbers
            .entry(label.to_string())
            .or_insert((next, false));
        (format!("{}-{number}", notes.prefix), number, is_known)
    }
}

/// The end of a link.
const LINK: &str = "</a>";

/// A table is written as a whole, or not at all.
fn is_part_of_table(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::TableHead | Tag::TableRow | Tag::TableCell)
}

fn heading(level: HeadingLevel) -> (&'static str, &'static str) {
    match level {
        HeadingLevel::H1 => ("<h3 dir=\"auto\">", "</h3>\n"),
        HeadingLevel::H2 => ("<h4 dir=\"auto\">", "</h4>\n"),
        HeadingLevel::H3 => ("<h5 dir=\"auto\">", "</h5>\n"),
        _ => ("<h6 dir=\"auto\">", "</h6>\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_headings_below_those_of_the_page_tables_and_notes() {
        let text = "# A\n\n##### B\n\n*so* ~~not~~ **1 < 2**[^x]\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n[^x]: note\n";
        let html = html(text);
        for part in [
            "<h3 dir=\"auto\">A</h3>",
            "<h6 dir=\"auto\">B</h6>",
            "<em>so</em> <del>not</del> <strong>1 &lt; 2</strong><sup><a href=\"#note-",
            "<th scope=\"col\" dir=\"auto\">b</th></tr></thead><tbody>",
            "<td dir=\"auto\">2</td></tr>\n</tbody></table></div>",
            "<sup>1</sup> <p dir=\"auto\">note</p>\n</div>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(!html.contains("style"), "{html}");
    }

    #[test]
    fn only_pages_of_the_web_are_linked_and_nothing_is_loaded() {
        let link = html("[*a*](https://a.org/?b=\"c\"&d) ![an image](https://a.org/x.png)");
        assert!(
            link.contains("<a href=\"https:&#x2f;&#x2f;a.org&#x2f;?b=&quot;c&quot;&amp;d\" rel=\"noreferrer noopener\"><em>a</em></a>"),
            "{link}"
        );
        assert!(
            link.contains("\">an image</a>") && !link.contains("<img"),
            "{link}"
        );
        for bad in [
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](java&#115;cript:alert(1))",
            "[x](&#x6A;avascript&colon;alert(1))",
            "[x](<java\tscript:alert(1)>)",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "![x](DATA:image/svg+xml,<svg/onload=alert(1)>)",
            "<javascript:alert(1)>",
            "<someone@a.org>",
            "[x]( //a.org)",
            "[x](/leave)",
            "[x][r]\n\n[r]: vbscript:x",
            "[x](https://a.org\\b)",
            "[x](<https://a.org/ b>)",
        ] {
            assert!(!html(bad).contains("href"), "{bad}: {}", html(bad));
        }
        let nested = html("[a ![b](https://b.org) *c*](https://a.org) [d](https://d.org)");
        assert_eq!(nested.matches("<a ").count(), 2, "{nested}");
        assert_eq!(nested.matches("</a>").count(), 2, "{nested}");
    }

    #[test]
    fn html_is_shown_as_text() {
        for bad in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "a <b onmouseover=\"alert(1)\">b</b>",
            "<svg><script>alert(1)</script></svg>",
            "<style>* { display: none }</style>",
            "<iframe src='https://a.org'></iframe>",
            "<!-- --><form action=/leave>",
            "<![CDATA[<script>]]>",
            "<?php <script> ?>",
            "```\n<script>alert(1)",
            "```\"><script>\nx\n```",
            "`<script>`",
            "# <script>alert(1)</script>",
            "| <script> |\n|---|\n| <img src=x> |",
            "[^<script>]\n\n[^<script>]: <script>",
            "[<script>](https://a.org \"<script>\")",
            "![<script>](https://a.org '\"onload=x')",
            "&lt;script&gt; &#60;script&#62;",
        ] {
            let html = html(bad);
            for never in [
                "<script", "<img", "<svg", "<style", "<iframe", "<form", "<b ",
            ] {
                assert!(!html.contains(never), "{bad}: {html}");
            }
            for handler in ["onerror=", "onload=", "onmouseover="] {
                // In text the sign before a value is no part of a tag.
                let mut tags = html.split('<').filter_map(|of| of.split('>').next());
                assert!(!tags.any(|tag| tag.contains(handler)), "{bad}: {html}");
            }
        }
    }

    #[test]
    fn what_would_be_huge_is_quick_and_small() {
        let begun = std::time::Instant::now();
        let columns = "|a".repeat(20_000);
        let dashes = "|-".repeat(20_000);
        for attack in [
            ">".repeat(10_000),
            "> ".repeat(10_000) + "x",
            "- ".repeat(10_000) + "x",
            "*a **b ".repeat(20_000),
            "[".repeat(100_000),
            "![".repeat(50_000),
            "[a](".repeat(50_000),
            "`".repeat(100_000) + "x",
            "<".repeat(100_000),
            "<a ".repeat(50_000),
            "&".repeat(1 << 20),
            "x".repeat(1 << 20),
            "a_".repeat(1 << 19),
            format!("[a]: https://a.org/{}\n\n", "b".repeat(100_000)) + &"[a] ".repeat(50_000),
            format!("{columns}\n{dashes}\n{}", "b|\n".repeat(50_000)),
            format!("[^1]: {}", "[^1]".repeat(100_000)),
        ] {
            let html = html(&attack);
            assert!(
                html.len() <= attack.len() * 20 + MORE * 2,
                "{}",
                &attack[..20]
            );
            let (begun, ended) = (html.matches("<blockquote>"), html.matches("</blockquote>"));
            assert_eq!(begun.count(), ended.count());
        }
        assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
    }

    #[test]
    fn what_is_open_is_closed() {
        let text = "> - 1. *a [b](https://b.org) `c\n> ```\n> d\n\n| a |\n|---|\n| *b |";
        for cut in 0..=text.len() {
            let html = html(&text[..cut]);
            for (begin, end) in [("<p ", "</p>"), ("<li ", "</li>"), ("<em>", "</em>")]
                .into_iter()
                .chain([
                    ("<a ", "</a>"),
                    ("<table>", "</table>"),
                    ("<pre>", "</pre>"),
                ])
            {
                let (n, closed) = (html.matches(begin).count(), html.matches(end).count());
                assert_eq!(n, closed, "{begin} in {html}");
            }
        }
    }
}

//! An article as a title, sections and blocks of running text. Hides Markdown, references, tables
//! and code; places stay those of the article.

use std::{collections::BTreeSet, ops::Range};

use super::{Finding, Kind, marks};
use crate::{
    citations::{self, Diagnosis, Style},
    lint::{
        headings::{self, Heading},
        lines::{Line, lines},
        tables::{self, Broken},
        visible,
    },
    text::{fetched::is_header, words},
};

/// Names of a section that is a lead.
const LEADS: &[&str] = &[
    "abstract",
    "executive summary",
    "intro",
    "introduction",
    "lead",
    "lead section",
    "overview",
    "summary",
    "导言",
    "引言",
    "摘要",
    "概述",
    "概要",
    "简介",
];
/// Names of sections that no reader reads as text.
const APPARATUS: &[&str] = &[
    "bibliography",
    "citations",
    "external links",
    "footnotes",
    "further reading",
    "notes",
    "references",
    "see also",
    "sources",
    "works cited",
    "参考文献",
    "参考资料",
    "外部链接",
    "注释",
    "相关条目",
];
/// Words in the names of sections that tell a story, which has its own now and here.
const STORIES: &[&str] = &[
    "plot",
    "premise",
    "story",
    "storyline",
    "synopsis",
    "剧情",
    "情节",
];
/// A line that is this long and ends a sentence is a paragraph; shorter ones may be broken by hand.
const PARAGRAPH: usize = 100;
/// The level of a line in bold face that stands in for a heading.
const BOLD_LEVEL: usize = 7;

/// What a section is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Lead,
    Body,
    Story,
    Apparatus,
}

/// A section with its own text, without that of the sections below it.
pub(super) struct Section {
    /// Empty for the text before the first heading.
    pub heading: Range<usize>,
    pub role: Role,
}

/// A paragraph or a list item.
pub(super) struct Block {
    pub range: Range<usize>,
    /// The position of its section.
    pub section: usize,
    pub item: bool,
}

/// An article that was read once.
pub(super) struct Page {
    /// The characters, with blanks for all that is no running text.
    pub chars: Vec<char>,
    /// For each character, whether it is another writer's or a title of a work.
    pub quoted: Vec<bool>,
    pub title: Option<Range<usize>>,
    /// The first one is what stands before the first heading below the title.
    pub sections: Vec<Section>,
    pub blocks: Vec<Block>,
    /// Where each citation of the text begins.
    pub cited: Vec<usize>,
    /// Rows of tables.
    pub rows: Vec<Range<usize>>,
    line_starts: Vec<usize>,
    /// The sections that the next heading may belong to, each with its level.
    above: Vec<(usize, Role)>,
}

impl Page {
    pub(super) fn read(article: &str) -> Self {
        let visible = citations::without_code(article);
        let lines = lines(article, &visible);
        let found = citations::parse(article);
        let mut page = Self {
            chars: visible::chars(article, &visible, &found, plain, goes_on),
            quoted: Vec::new(),
            title: None,
            sections: vec![Section {
                heading: 0..0,
                role: Role::Lead,
            }],
            blocks: Vec::new(),
            cited: places(&found),
            rows: Vec::new(),
            line_starts: lines.iter().map(|line| line.start).collect(),
            above: Vec::new(),
        };
        let listed = citations::sections(article);
        let is_listed = |line: &Line| {
            let at = listed.partition_point(|section| section.start <= line.start);
            at > 0 && line.start < listed[at - 1].end
        };
        let rows = table_lines(&lines);
        let mut heads = headings::read(&lines).into_iter().peekable();
        let mut open = false;
        for line in &lines {
            let head = heads.next_if(|(at, _)| *at == line.at);
            if let Some(level) = head.and_then(|(_, heading)| level(heading)) {
                page.head(line, level);
                open = false;
            } else if rows.contains(&line.at) {
                page.rows
                    .push(line.start..line.start + line.text.chars().count());
                open = false;
            } else if is_listed(line) || !page.is_prose(line) {
                open = false;
            } else {
                open = page.prose_line(line, open);
            }
        }
        page.quoted = vec![false; page.chars.len()];
        for block in &page.blocks {
            marks::mark(&page.chars, block.range.clone(), &mut page.quoted);
        }
        page
    }

    /// The line of a place, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= at)
    }

    pub(super) fn text(&self, range: Range<usize>) -> String {
        self.chars[range].iter().collect()
    }

    /// Words of the running text.
    pub(super) fn words(&self) -> usize {
        let blocks = self.blocks.iter();
        blocks
            .map(|block| words::length(&self.text(block.range.clone())))
            .sum()
    }

    /// The position of the section that is the lead, if there is any text in it.
    pub(super) fn lead(&self) -> Option<usize> {
        let of = |section| self.blocks.iter().any(|block| block.section == section);
        (self.sections.iter().take(2).enumerate())
            .find(|(at, section)| section.role == Role::Lead && of(*at))
            .map(|(at, _)| at)
    }

    fn head(&mut self, line: &Line, level: usize) {
        let range = trimmed(
            &self.chars,
            line.start..line.start + line.text.chars().count(),
        );
        let name = name(&self.text(range.clone()));
        let is_first = self.blocks.is_empty() && self.sections.len() == 1;
        if is_first && self.title.is_none() && !is_lead(&name) {
            self.title = Some(range);
            return;
        }
        while self.above.pop_if(|(above, _)| *above >= level).is_some() {}
        let inherited = self.above.last().map_or(Role::Body, |(_, role)| *role);
        let role = match () {
            () if APPARATUS.contains(&name.as_str()) => Role::Apparatus,
            () if self.sections.len() == 1 && is_lead(&name) => Role::Lead,
            () if is_story(&name) => Role::Story,
            () if matches!(inherited, Role::Apparatus | Role::Story) => inherited,
            () => Role::Body,
        };
        self.above.push((level, role));
        self.sections.push(Section {
            heading: range,
            role,
        });
    }

    fn is_prose(&self, line: &Line) -> bool {
        let text = line.text.trim_start();
        let apparatus = self
            .sections
            .last()
            .is_some_and(|last| last.role == Role::Apparatus);
        let above = self.blocks.is_empty() && is_header(text);
        let quotation = text.starts_with('>') || text.starts_with("![") || text.starts_with("<!--");
        let worded = text.contains(char::is_alphabetic);
        worded && !line.code && !apparatus && !above && !quotation
    }

    /// Adds a line of running text; says whether the next line may go on with its block.
    fn prose_line(&mut self, line: &Line, open: bool) -> bool {
        let whole = line.start..line.start + line.text.chars().count();
        let range = trimmed(&self.chars, whole.clone());
        if range.is_empty() {
            return open;
        }
        let marker = item_marker(&self.chars[range.clone()]);
        let section = self.sections.len() - 1;
        match self.blocks.last_mut() {
            Some(block) if open && marker.is_none() => block.range.end = range.end,
            _ => self.blocks.push(Block {
                range: range.start + marker.unwrap_or(0)..range.end,
                section,
                item: marker.is_some(),
            }),
        }
        let ends = self.chars[range.clone()].iter().rev();
        let ends = ends
            .take(4)
            .any(|c| matches!(c, '.' | '!' | '?' | '。' | '！' | '？'));
        !(ends && range.len() > PARAGRAPH)
    }

    /// A finding about a part of the article, with more to say than its kind.
    pub(super) fn finding(&self, kind: Kind, range: Range<usize>, more: &str) -> Finding {
        let between = if more.is_empty() { "" } else { ": " };
        Finding {
            kind,
            line: self.line(range.start),
            start: range.start,
            end: range.end,
            words: String::new(),
            what: format!("{}{between}{more}", kind.meaning()),
        }
    }
}

fn level(heading: Heading) -> Option<usize> {
    match heading {
        Heading::Real(level) | Heading::Unspaced(level) => Some(level),
        Heading::TooDeep => Some(BOLD_LEVEL - 1),
        Heading::Bold => Some(BOLD_LEVEL),
        Heading::Empty(_) => None,
    }
}

/// Whether a heading is that of a lead, with more behind it or not: `Introduction: The sea`.
fn is_lead(name: &str) -> bool {
    let main = name
        .split([':', '：', '–', '—'])
        .next()
        .unwrap_or(name)
        .trim();
    LEADS.contains(&main)
}

/// A heading in plain lower case, without its number.
fn name(heading: &str) -> String {
    let outer = |c: char| !c.is_alphanumeric();
    let text = heading.trim_matches(outer);
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || outer(c));
    text.to_lowercase()
}

fn is_story(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    let short = name.chars().nth(40).is_none();
    short && words.any(|word| STORIES.contains(&word))
}

fn table_lines(lines: &[Line]) -> BTreeSet<usize> {
    let found = tables::read(lines);
    let whole = found.tables.iter().flat_map(|table| {
        let rows = table.rows.iter().map(|row| row.line);
        [table.head.line, table.head.line + 1]
            .into_iter()
            .chain(rows)
    });
    let broken = found.broken.iter().flat_map(|broken| match broken {
        Broken::NoDelimiter { line, rows } => *line..line + rows,
        Broken::WrongDelimiter { line, .. } => *line..line + 2,
    });
    whole.chain(broken).collect()
}

fn trimmed(chars: &[char], line: Range<usize>) -> Range<usize> {
    let text = &chars[line.clone()];
    let before = text.iter().take_while(|c| c.is_whitespace()).count();
    let after = text.iter().rev().take_while(|c| c.is_whitespace()).count();
    line.start + before..(line.end - after).max(line.start + before)
}

/// How many characters the mark of a list item has.
fn item_marker(text: &[char]) -> Option<usize> {
    let digits = text
        .iter()
        .take(4)
        .take_while(|c| c.is_ascii_digit())
        .count();
    let length = match text.get(digits)? {
        '-' | '*' | '+' | '•' | '–' if digits == 0 => 1,
        '.' | ')' | '、' if digits > 0 => digits + 1,
        _ => return None,
    };
    (text.get(length) == Some(&' ')).then_some(length + 1)
}

/// A character in its plain form.
fn plain(c: char) -> char {
    match c {
        '\u{a0}' | '\u{202f}' | '\u{2009}' | '\t' | '\r' => ' ',
        '’' | 'ʼ' => '\'',
        '\u{2010}' | '\u{2011}' => '-',
        c => c,
    }
}

/// Whether the text of a link goes on with its sentence; one behind the sentence names its source.
fn goes_on(chars: &[char], link: usize) -> bool {
    chars.get(link + 1).is_some_and(|c| c.is_lowercase())
}

/// Where the text cites something; a name beside a year that leads nowhere is a mention.
fn places(found: &citations::Citations) -> Vec<usize> {
    let mention = |citation: &citations::Citation| {
        citation.style == Style::AuthorYear
            && citation.diagnosis.contains(&Diagnosis::DanglingNumber)
    };
    let cited = found.citations.iter();
    cited
        .filter(|citation| citation.style != Style::ReferenceOnly && !mention(citation))
        .map(|citation| citation.start)
        .collect()
}

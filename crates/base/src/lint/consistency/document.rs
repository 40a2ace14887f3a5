//! A report as sections, paragraphs, list items and tables, without code, references and marks of
//! citations. Hides Markdown. Places stay those of the report.

use std::ops::Range;

use super::{
    steps,
    vocabulary::{is_general_heading, stem},
};
use crate::{
    citations,
    lint::visible,
    text::{sentences, words::is_han},
};

/// Longest lead-in of a list that names what the list is about, in characters.
const LONGEST_LEAD: usize = 60;
/// Most words of an item that say what the items below it are about.
const PARENT_WORDS: usize = 8;
const DEEPEST: usize = 9;

/// A sentence with its block.
pub(super) struct Sentence {
    pub range: Range<usize>,
    pub block: usize,
}

/// A report, ready to be read.
pub(super) struct Document {
    /// The characters, with blanks for all that states nothing.
    pub chars: Vec<char>,
    /// The first heading.
    pub title: Range<usize>,
    pub blocks: Vec<Block>,
    pub tables: Vec<Table>,
    line_starts: Vec<usize>,
}

/// A paragraph or a list item.
pub(super) struct Block {
    pub range: Range<usize>,
    /// What the section is about, in words of its headings; empty for a summary.
    pub scope: String,
}

/// A table in Markdown; its rows as lines, and their cells.
pub(super) struct Table {
    pub head: Vec<Range<usize>>,
    pub rows: Vec<Row>,
    pub scope: String,
    /// The text just above the table.
    pub caption: Range<usize>,
}

/// A row of a table.
pub(super) struct Row {
    pub range: Range<usize>,
    pub cells: Vec<Range<usize>>,
}

/// The sentences of all blocks.
pub(super) fn sentences(document: &Document) -> Vec<Sentence> {
    let mut found = Vec::new();
    for (block, of) in document.blocks.iter().enumerate() {
        let text = document.text(of.range.clone());
        let start = of.range.start;
        found.extend(sentences::split(&text).into_iter().map(|range| Sentence {
            range: start + range.start..start + range.end,
            block,
        }));
    }
    found
}

impl Document {
    pub(super) fn read(report: &str) -> Self {
        let without_code = citations::without_code(report);
        let cited = citations::parse(report);
        let chars = visible::chars(report, &without_code, &cited, plain, is_within_sentence);
        let mut reader = Reader::new(chars);
        for line in reader.lines.clone() {
            reader.read(line);
        }
        reader.end_block();
        reader.end_table();
        let mut document = reader.document;
        document.line_starts = reader.lines.iter().map(|line| line.start).collect();
        for c in &mut document.chars {
            if matches!(c, '*' | '`' | '\\') {
                *c = ' ';
            }
        }
        document
    }

    /// The line of a place, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= at)
    }

    pub(super) fn text(&self, range: Range<usize>) -> String {
        steps::add(range.len());
        self.chars[range].iter().collect()
    }
}

/// A character in its plain form.
pub(in crate::lint) fn plain(c: char) -> char {
    match c {
        '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{2007}' | '\u{2002}' | '\u{2003}' | '\u{3000}'
        | '\r' | '\t' | '\u{200b}' | '\u{feff}' => ' ',
        '\u{2010}' | '\u{2011}' => '-',
        '０'..='９' | '％' | '．' | '＋' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        c => c,
    }
}

/// Whether a link stands within a sentence, so that its text is a part of it.
fn is_within_sentence(chars: &[char], at: usize) -> bool {
    let before = chars[..at].iter().rev().take(4).find(|c| **c != ' ');
    before.is_some_and(|c| c.is_alphanumeric() || matches!(c, ',' | '，' | '*'))
}

struct Reader {
    document: Document,
    lines: Vec<Range<usize>>,
    /// The headings above, each with its level and what it says of the section.
    headings: Vec<(usize, String)>,
    /// The items above, each with its indent and its words.
    items: Vec<(usize, String)>,
    block: Option<Range<usize>>,
    table: Vec<Range<usize>>,
    last_text: Range<usize>,
    titled: bool,
}

impl Reader {
    fn new(chars: Vec<char>) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        for (at, c) in chars.iter().enumerate() {
            if *c == '\n' {
                lines.push(start..at);
                start = at + 1;
            }
        }
        lines.push(start..chars.len());
        let document = Document {
            chars,
            title: 0..0,
            blocks: Vec::new(),
            tables: Vec::new(),
            line_starts: Vec::new(),
        };
        Self {
            document,
            lines,
            headings: Vec::new(),
            items: Vec::new(),
            block: None,
            table: Vec::new(),
            last_text: 0..0,
            titled: false,
        }
    }

    fn read(&mut self, line: Range<usize>) {
        let line = trimmed(&self.document.chars, line);
        if self.document.chars[line.clone()].contains(&'|') {
            self.end_block();
            self.table.push(line);
            return;
        }
        self.end_table();
        let text = &self.document.chars[line.clone()];
        if text.is_empty() {
            self.end_block();
        } else if let Some(level) = heading_level(text) {
            self.end_block();
            self.heading(line, level);
        } else if let Some(marker) = item_marker(text) {
            self.end_block();
            let indent = self.indent(line.start);
            self.items.retain(|item| item.0 < indent);
            let words = self.words(line.start + marker..line.end, PARENT_WORDS);
            self.block = Some(line.start + marker..line.end);
            self.push_scope();
            self.items.push((indent, words));
        } else if let Some(block) = &mut self.block {
            block.end = line.end;
        } else {
            self.items.clear();
            self.block = Some(line);
            self.push_scope();
        }
    }

    /// The scope of a block is that of where it begins.
    fn push_scope(&mut self) {
        let scope = self.scope();
        let range = self.block.clone().unwrap_or(0..0);
        self.document.blocks.push(Block { range, scope });
    }

    fn end_block(&mut self) {
        let Some(range) = self.block.take() else {
            return;
        };
        self.last_text = range.clone();
        let lead = self.document.chars[range.clone()].ends_with(&[':'])
            || self.document.chars[range.clone()].ends_with(&['：']);
        if let Some(block) = self.document.blocks.last_mut() {
            block.range = range.clone();
        }
        if self.items.is_empty() && lead && range.len() <= LONGEST_LEAD {
            let words = self.words(range, PARENT_WORDS);
            self.items.push((0, words));
        }
    }

    fn end_table(&mut self) {
        let lines = std::mem::take(&mut self.table);
        let chars = &self.document.chars;
        let separator = lines
            .iter()
            .position(|line| is_separator(&chars[line.clone()]));
        if let Some(at @ 1..) = separator {
            let row = |line: &Range<usize>| Row {
                range: line.clone(),
                cells: cells(chars, line.clone()),
            };
            let table = Table {
                head: cells(chars, lines[at - 1].clone()),
                rows: lines[at + 1..].iter().map(row).collect(),
                scope: self.scope(),
                caption: self.last_text.clone(),
            };
            self.document.tables.push(table);
        }
    }

    fn heading(&mut self, line: Range<usize>, level: usize) {
        self.items.clear();
        self.last_text = line.clone();
        self.headings.retain(|heading| heading.0 < level);
        if !self.titled {
            self.titled = true;
            self.document.title = line;
            return;
        }
        let text = self.document.text(line.clone());
        let words = if is_general_heading(&text) {
            String::new()
        } else {
            self.words(line, usize::MAX)
        };
        self.headings.push((level, words));
    }

    fn scope(&self) -> String {
        let headings = self.headings.iter().map(|heading| heading.1.as_str());
        let items = self.items.iter().map(|item| item.1.as_str());
        let parts: Vec<&str> = headings
            .chain(items)
            .filter(|part| !part.is_empty())
            .collect();
        parts.join("/")
    }

    fn indent(&self, start: usize) -> usize {
        let before = self.document.chars[..start].iter().rev();
        // An item begins a level below the lead-in of its list.
        1 + before
            .take(80)
            .take_while(|c| **c == ' ' || **c == '>')
            .count()
    }

    fn words(&self, range: Range<usize>, most: usize) -> String {
        let text = self.document.text(range);
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words: Vec<String> = words
            .filter(|word| word.chars().any(char::is_alphabetic))
            .take(most.min(DEEPEST * 2))
            .map(|word| stem(&word.to_lowercase()))
            .collect();
        words.join(" ")
    }
}

fn trimmed(chars: &[char], line: Range<usize>) -> Range<usize> {
    let text = &chars[line.clone()];
    let blank = |c: &&char| c.is_whitespace() || **c == '>';
    let before = text.iter().take_while(blank).count();
    let after = text.iter().rev().take_while(|c| c.is_whitespace()).count();
    line.start + before..(line.end - after).max(line.start + before)
}

/// The level of the heading that a line is; a line in bold face is one below all others.
fn heading_level(text: &[char]) -> Option<usize> {
    let marks = text.iter().take_while(|c| **c == '#').count();
    if (1..=6).contains(&marks) {
        return Some(marks);
    }
    let inner = text.strip_prefix(&['*', '*'])?;
    let inner = inner.strip_suffix(&[':']).unwrap_or(inner);
    let inner = inner.strip_suffix(&['*', '*'])?;
    (!inner.contains(&'*') && inner.len() <= 2 * LONGEST_LEAD).then_some(7)
}

/// How many characters the mark of a list item has.
fn item_marker(text: &[char]) -> Option<usize> {
    let digits = text
        .iter()
        .take(4)
        .take_while(|c| c.is_ascii_digit())
        .count();
    let sign = text.get(digits)?;
    let length = match sign {
        '-' | '*' | '+' | '•' | '–' if digits == 0 => 1,
        '.' | ')' | '、' if digits > 0 => digits + 1,
        _ => return None,
    };
    let spaced = text.get(length).is_none_or(|c| *c == ' ') || *sign == '、';
    spaced.then_some(length)
}

fn is_separator(text: &[char]) -> bool {
    text.contains(&'-')
        && text
            .iter()
            .all(|c| matches!(c, '|' | '-' | ':' | ' ' | '—'))
}

/// The cells of a row without the blanks and emphasis around them.
fn cells(chars: &[char], line: Range<usize>) -> Vec<Range<usize>> {
    let text = &chars[line.clone()];
    let from = usize::from(text.first() == Some(&'|'));
    let mut cells = Vec::new();
    let mut start = line.start + from;
    for at in line.start + from..line.end {
        if chars[at] == '|' && chars[at - usize::from(at > 0)] != '\\' {
            cells.push(cell(chars, start..at));
            start = at + 1;
        }
    }
    if start < line.end {
        cells.push(cell(chars, start..line.end));
    }
    cells
}

fn cell(chars: &[char], range: Range<usize>) -> Range<usize> {
    let text = &chars[range.clone()];
    let around = |c: &&char| c.is_whitespace() || **c == '*';
    let before = text.iter().take_while(around).count();
    let after = text.iter().rev().take_while(around).count();
    range.start + before..(range.end - after).max(range.start + before)
}

/// Whether there are Han characters in a part of the text.
pub(super) fn has_han(chars: &[char]) -> bool {
    chars.iter().any(|c| is_han(*c))
}

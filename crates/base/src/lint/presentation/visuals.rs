//! p8: tables and figures that are complete. An empty cell is an answer in many tables; a row or a
//! column without any content is none.

use super::{Finding, Outcome, Rule, material::Material};
use crate::lint::{
    images::{self, Address},
    tables::{Cell, Row, Table},
};

/// What a cell says that was to be filled in.
const PLACEHOLDERS: &[&str] = &[
    "tbd",
    "tba",
    "tbc",
    "todo",
    "to do",
    "...",
    "…",
    "……",
    "?",
    "??",
    "???",
    "xxx",
    "placeholder",
    "to be determined",
    "to be added",
    "to be confirmed",
    "to be filled",
    "to be filled in",
    "fill in",
    "lorem ipsum",
    "待补充",
    "待定",
    "待填",
    "待填写",
    "待确认",
    "待更新",
    "待添加",
    "待查",
    "占位",
    "占位符",
];
/// Most characters of a cell that is a placeholder.
const LONGEST: usize = 40;

/// p8.
pub(super) fn complete(material: &Material) -> Outcome {
    let lines = &material.lines;
    let tables = &material.tables.tables;
    let images = images::read(lines);
    let mut findings: Vec<Finding> = tables
        .iter()
        .flat_map(|table| incomplete(material, table))
        .collect();
    for image in &images {
        let (rule, what) = match image.address {
            Address::Given => continue,
            Address::Missing => (Rule::NoImage, "the image has no address"),
            Address::Unfilled => (Rule::Placeholder, "the image's address leads to no image"),
        };
        findings.push(material.finding(rule, (image.start, image.end), what));
    }
    let notes = lines.iter().filter(|line| images::is_placeholder(line));
    let what = "a note stands where a figure or table should";
    findings.extend(notes.map(|line| line.finding(Rule::Placeholder, what)));
    Outcome::of(!tables.is_empty() || !images.is_empty(), findings)
}

fn incomplete(material: &Material, table: &Table) -> Vec<Finding> {
    let line = |row: &Row| &material.lines[row.line];
    if table.rows.is_empty() {
        return vec![line(&table.head).finding(Rule::NoRows, "the table has no rows")];
    }
    let width = table.head.cells.len();
    let mut filled = vec![false; width];
    let mut findings = Vec::new();
    for row in &table.rows {
        let cells = row.cells.len();
        if cells != width {
            findings.push(line(row).finding(
                Rule::RaggedRow,
                format!("the row has {cells} cells, the head {width}"),
            ));
        }
        if row.cells.iter().all(is_empty) {
            findings.push(line(row).finding(Rule::EmptyRow, "the row has no content"));
        }
        for (cell, filled) in row.cells.iter().zip(&mut filled) {
            *filled |= !is_empty(cell);
        }
        let unfilled = row.cells.iter().filter(|cell| is_placeholder(cell));
        findings.extend(unfilled.map(|cell| {
            let what = format!("the cell says `{}`", cell.text);
            material.finding(Rule::Placeholder, (cell.start, cell.end), what)
        }));
    }
    for (cell, _) in table.head.cells.iter().zip(filled).filter(|(_, it)| !it) {
        // The bar before the cell is there even where the cell has no width.
        let place = (cell.start.saturating_sub(1), cell.end);
        findings.push(material.finding(Rule::EmptyColumn, place, "the column has no content"));
    }
    findings
}

fn is_empty(cell: &Cell) -> bool {
    let text = cell
        .text
        .trim_matches(|c: char| c.is_whitespace() || c == '\u{200b}');
    text.is_empty() || text == "&nbsp;"
}

fn is_placeholder(cell: &Cell) -> bool {
    if cell.text.chars().nth(LONGEST).is_some() {
        return false;
    }
    let around: &[char] = &[
        '*', '_', '[', ']', '(', ')', '（', '）', '【', '】', '<', '>', '`', ' ',
    ];
    let text = cell.text.trim_matches(around).to_lowercase();
    PLACEHOLDERS.contains(&text.as_str())
        || (cell.text.starts_with(['[', '【', '<']) && text.starts_with("insert "))
}

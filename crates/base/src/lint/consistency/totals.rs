//! Tables whose totals are not the sums of their parts. A total that any usual reading explains
//! (subtotals, "of which", rounding) is right.

use std::ops::Range;

use super::{
    Conflict, Kind,
    document::{Document, Row, Table},
    lex, place,
    statements::head,
    steps,
    token::{Amount, Hedge, Token},
    units::Dimension,
};
use crate::text::words::is_han;

/// A total that is off by more is no sum of these parts.
const FARTHEST: f64 = 0.25;
const LEAST_PARTS: usize = 2;
/// How far above a table its caption may end, and how much of it is read, in characters.
const NEAR_CAPTION: usize = 20;
const LONGEST_CAPTION: usize = 400;

const TOTALS: &[&str] = &[
    "total",
    "totals",
    "grand total",
    "sum",
    "sum total",
    "合计",
    "总计",
    "总和",
    "共计",
];
const SUBTOTALS: &[&str] = &["subtotal", "sub-total", "小计"];
#[rustfmt::skip]
const OF_WHICH: &[&str] = &[
    "of which", "thereof", "including", "incl", "excluding", "excl", "among", "of this", "of these",
    "-", "–", "—", "↳", "└", "•", "&nbsp;", "其中", "（其中", "(其中",
];
/// Heads of what is not added up.
#[rustfmt::skip]
const NOT_ADDED: &[&str] = &[
    "average", "avg", "mean", "median", "rate", "margin", "price", "per", "ratio", "growth",
    "change", "score", "index", "yield", "efficiency", "age", "temperature", "rank", "cagr",
    "density", "year", "date", "min", "max", "unit", "speed", "duration", "time", "均", "率", "比",
    "增速", "单价", "增长", "年龄", "时间", "变化", "排名", "速度",
];
/// Words by which a table says that it leaves something out, or counts something twice.
#[rustfmt::skip]
const INCOMPLETE: &[&str] = &[
    "selected", "top", "largest", "main", "major", "example", "multiple answers", "several answers",
    "multiple responses", "overlap", "not exhaustive", "主要", "部分", "多选", "前十", "前五", "示例",
];

/// The totals of a table that do not add up.
pub(super) fn conflicts(document: &Document, table: &Table) -> Vec<Conflict> {
    if is_incomplete(document, table) {
        return Vec::new();
    }
    let grid = Grid::read(document, table);
    let mut found = grid.total_rows();
    found.extend(grid.total_columns());
    found
}

fn is_incomplete(document: &Document, table: &Table) -> bool {
    // Text far above may stand over thousands of tables, and is read for none of them.
    let first = table.head.first().map_or(0, |cell| cell.start);
    let near = table.caption.end + NEAR_CAPTION >= first;
    let start = table
        .caption
        .start
        .max(table.caption.end.saturating_sub(LONGEST_CAPTION));
    let mut above = if near {
        document.text(start..table.caption.end)
    } else {
        String::new()
    };
    for cell in &table.head {
        above.push(' ');
        above.push_str(&document.text(cell.clone()));
    }
    let above = above.to_lowercase();
    INCOMPLETE.iter().any(|word| above.contains(word))
}

/// A table as amounts.
struct Grid<'a> {
    document: &'a Document,
    table: &'a Table,
    heads: Vec<String>,
    /// Which columns may be added up.
    added: Vec<bool>,
    rows: Vec<Line>,
}

/// What a row is for its total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Part,
    OfWhich,
    Subtotal,
    Total,
}

struct Line {
    role: Role,
    cells: Vec<Cell>,
}

/// What a cell has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cell {
    Amount(Amount),
    /// Nothing, or a dash.
    Empty,
    Other,
}

impl<'a> Grid<'a> {
    fn read(document: &'a Document, table: &'a Table) -> Self {
        let heads: Vec<_> = table
            .head
            .iter()
            .map(|cell| head(document, cell.clone()))
            .collect();
        let line = |row: &Row| Line {
            role: role(&label(document, row)),
            cells: row
                .cells
                .iter()
                .enumerate()
                .map(|(at, range)| {
                    let unit = heads.get(at).and_then(|head| head.1);
                    cell(&lex::tokens(&document.chars, range.clone(), unit))
                })
                .collect(),
        };
        let texts = table
            .head
            .iter()
            .map(|cell| document.text(cell.clone()).to_lowercase());
        let texts: Vec<String> = texts.collect();
        Self {
            document,
            table,
            added: texts.iter().map(|head| !is_not_added(head)).collect(),
            heads: texts,
            rows: table.rows.iter().map(line).collect(),
        }
    }

    fn cell(&self, row: usize, column: usize) -> Cell {
        self.rows[row]
            .cells
            .get(column)
            .copied()
            .unwrap_or(Cell::Empty)
    }

    /// Each total row against the rows above it, column by column. Columns that agree show that the
    /// others ought to.
    fn total_rows(&self) -> Vec<Conflict> {
        let mut found = Vec::new();
        let mut start = 0;
        for row in 0..self.rows.len() {
            if self.rows[row].role != Role::Total {
                continue;
            }
            let columns = 1..self.table.head.len();
            let checks: Vec<(usize, bool)> = columns
                .filter(|column| self.added[*column])
                .filter_map(|column| Some((column, self.column_adds_up(start..row, row, column)?)))
                .collect();
            let wrong: Vec<usize> = checks
                .iter()
                .filter(|check| !check.1)
                .map(|c| c.0)
                .collect();
            if wrong.len() * 2 <= checks.len() || (wrong.len() == 1 && checks.len() == 1) {
                found.extend(
                    wrong
                        .iter()
                        .map(|column| self.wrong_column(start..row, row, *column)),
                );
            }
            start = row + 1;
        }
        found
    }

    /// Whether a total is the sum of its column; none where that cannot be said.
    fn column_adds_up(&self, rows: Range<usize>, total: usize, column: usize) -> Option<bool> {
        let Cell::Amount(sum) = self.cell(total, column) else {
            return None;
        };
        steps::add(rows.len());
        let mut parts = Vec::new();
        for row in rows {
            match self.cell(row, column) {
                Cell::Amount(amount) => parts.push((self.rows[row].role, amount)),
                Cell::Empty => {}
                Cell::Other => return None,
            }
        }
        let since = parts
            .iter()
            .rposition(|part| part.0 == Role::Subtotal)
            .map_or(0, |at| at + 1);
        let readings: [Vec<Amount>; 5] = [
            amounts(&parts, |role| role == Role::Part),
            amounts(&parts, |role| matches!(role, Role::Part | Role::OfWhich)),
            amounts(&parts, |role| role == Role::Subtotal),
            amounts(&parts[since..], |role| role == Role::Part),
            amounts(&parts, |_| true),
        ];
        let usual = &readings[0];
        if usual.len() < LEAST_PARTS || !is_likely(usual, &sum) {
            return None;
        }
        Some(readings.iter().any(|parts| adds_up(parts, &sum)))
    }

    fn wrong_column(&self, rows: Range<usize>, total: usize, column: usize) -> Conflict {
        let parts: Vec<Amount> = rows
            .clone()
            .filter(|row| self.rows[*row].role == Role::Part)
            .filter_map(|row| match self.cell(row, column) {
                Cell::Amount(amount) => Some(amount),
                _ => None,
            })
            .collect();
        let lines = &self.table.rows;
        let quoted = lines[rows.start].range.start..lines[rows.end - 1].range.end;
        let name = self.document.text(self.table.head[column].clone());
        self.conflict(&name, &parts, total, column, quoted)
    }

    /// A column that is the sum of those before it, in the rows that do not agree; most rows must.
    fn total_columns(&self) -> Vec<Conflict> {
        let is_total = |head: &String| TOTALS.contains(&bare(head).as_str());
        let Some(column) = self
            .heads
            .iter()
            .position(is_total)
            .filter(|at| *at > LEAST_PARTS)
        else {
            return Vec::new();
        };
        if self.added[1..column].contains(&false) {
            return Vec::new();
        }
        let mut checks = Vec::new();
        for row in 0..self.rows.len() {
            let Cell::Amount(sum) = self.cell(row, column) else {
                continue;
            };
            let cells: Vec<Cell> = (1..column).map(|at| self.cell(row, at)).collect();
            let parts: Vec<Amount> = cells
                .iter()
                .filter_map(|cell| match cell {
                    Cell::Amount(amount) => Some(*amount),
                    _ => None,
                })
                .collect();
            let whole = !cells.contains(&Cell::Other) && parts.len() >= LEAST_PARTS;
            if whole {
                checks.push((row, adds_up(&parts, &sum), is_likely(&parts, &sum), parts));
            }
        }
        let right = checks.iter().filter(|check| check.1).count();
        if right * 2 <= checks.len() {
            return Vec::new();
        }
        let wrong = checks.into_iter().filter(|check| !check.1 && check.2);
        wrong
            .map(|(row, _, _, parts)| {
                let name = label(self.document, &self.table.rows[row]);
                let cells = &self.table.rows[row].cells;
                self.conflict(
                    &name,
                    &parts,
                    row,
                    column,
                    cells[0].start..cells[column - 1].end,
                )
            })
            .collect()
    }

    fn conflict(
        &self,
        name: &str,
        parts: &[Amount],
        row: usize,
        column: usize,
        quoted: Range<usize>,
    ) -> Conflict {
        let total = self.table.rows[row].cells[column].clone();
        let decimals = parts.iter().map(decimals).max().unwrap_or(0);
        let sum: f64 = parts.iter().map(|part| part.figure * part.scale).sum();
        Conflict {
            kind: Kind::Sum,
            what: format!(
                "`{}`: total {} on line {}, but its {} parts add up to {sum:.decimals$}",
                name.trim(),
                self.document.text(total.clone()),
                self.document.line(total.start),
                parts.len()
            ),
            first: place(
                self.document,
                self.table.rows[row].range.clone(),
                total.start,
            ),
            second: place(self.document, quoted.clone(), quoted.start),
        }
    }
}

fn decimals(amount: &Amount) -> usize {
    let places = -(amount.step / (amount.scale * amount.unit.size())).log10();
    (places.round().max(0.0) as usize).min(6)
}

fn amounts(parts: &[(Role, Amount)], belongs: impl Fn(Role) -> bool) -> Vec<Amount> {
    let parts = parts.iter().filter(|part| belongs(part.0));
    parts.map(|part| part.1).collect()
}

/// Whether parts add up to a total, each rounded as it is written.
pub(super) fn adds_up(parts: &[Amount], total: &Amount) -> bool {
    let sum: f64 = parts.iter().map(Amount::value).sum();
    let steps: f64 = parts.iter().map(|part| part.step).sum();
    (sum - total.value()).abs() <= f64::midpoint(steps, total.step) * (1.0 + 1e-9)
}

/// Whether a total may be meant as the sum: it is near it, and no average of the parts.
fn is_likely(parts: &[Amount], total: &Amount) -> bool {
    let one_kind = parts.iter().all(|part| part.unit == total.unit);
    let positive = parts.iter().all(|part| part.figure >= 0.0);
    let (sum, value) = (parts.iter().map(Amount::value).sum::<f64>(), total.value());
    let largest = parts.iter().map(Amount::value).fold(0.0, f64::max);
    let percent = total.unit.dimension == Dimension::Percent;
    let whole = !percent || (total.figure - 100.0).abs() < 1.0;
    one_kind && positive && whole && value > largest && (sum - value).abs() <= FARTHEST * value
}

fn cell(tokens: &[Token]) -> Cell {
    let content: Vec<&Token> = tokens
        .iter()
        .filter(|token| !token.is_mark(&['-', '–', '—', '−', '+', '.']))
        .collect();
    match content[..] {
        [] => Cell::Empty,
        [one] => match one.amount() {
            Some(amount) if amount.hedge == Hedge::Exact => Cell::Amount(*amount),
            _ => year_as_amount(one),
        },
        _ => Cell::Other,
    }
}

/// In a column of amounts, 1985 is one.
fn year_as_amount(token: &Token) -> Cell {
    let Some(date) = token
        .date()
        .filter(|date| date.month.is_none() && date.quarter.is_none())
    else {
        return Cell::Other;
    };
    Cell::Amount(Amount {
        figure: f64::from(date.year),
        scale: 1.0,
        step: 1.0,
        round: 1.0,
        unit: super::units::NONE,
        hedge: Hedge::Exact,
        bare: true,
    })
}

fn label(document: &Document, row: &Row) -> String {
    let cell = row.cells.first().cloned().unwrap_or(0..0);
    document.text(cell)
}

/// A label in lower case without what stands around it.
fn bare(label: &str) -> String {
    let before = label
        .split(['(', '（', ':', '：'])
        .next()
        .unwrap_or_default();
    before
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase()
}

fn role(label: &str) -> Role {
    let lower = label.trim().to_lowercase();
    let name = bare(label);
    if SUBTOTALS.iter().any(|word| name.starts_with(word)) {
        Role::Subtotal
    } else if TOTALS.contains(&name.as_str()) {
        Role::Total
    } else if OF_WHICH.iter().any(|word| lower.starts_with(word)) {
        Role::OfWhich
    } else {
        Role::Part
    }
}

fn is_not_added(head: &str) -> bool {
    let mut words = head.split(|c: char| !c.is_alphanumeric());
    words.any(|word| NOT_ADDED.contains(&word))
        || head.chars().any(is_han)
            && NOT_ADDED
                .iter()
                .any(|word| !word.is_ascii() && head.contains(word))
}

//! Tables of GitHub's Markdown with the places of their cells, and rows that belong to none. Hides
//! escapes, quotations and lists around a table. A line without a bar ends a table, although some
//! programs draw it as a row.

use super::lines::Line;

/// One cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell<'a> {
    /// Without the blanks around it.
    pub text: &'a str,
    /// Where the cell begins in the report, behind its bar, in Unicode scalar values.
    pub start: usize,
    /// Where it ends, before the next bar.
    pub end: usize,
}

/// One row with its line's position.
#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    pub line: usize,
    pub cells: Vec<Cell<'a>>,
}

/// One table; the delimiter row is left out.
#[derive(Clone, Debug)]
pub(super) struct Table<'a> {
    pub head: Row<'a>,
    pub rows: Vec<Row<'a>>,
}

/// What looks like a table and is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// Rows without a delimiter row below the first: the first one's line, and how many they are.
    NoDelimiter { line: usize, rows: usize },
    /// A delimiter row that does not fit the head above it.
    WrongDelimiter {
        line: usize,
        head: usize,
        delimiters: usize,
    },
}

/// The tables of a report and what looks like one.
#[derive(Debug, Default)]
pub(super) struct Tables<'a> {
    pub tables: Vec<Table<'a>>,
    pub broken: Vec<Broken>,
}

/// Reads the tables of a report.
pub(super) fn read<'a>(lines: &[Line<'a>]) -> Tables<'a> {
    let mut found = Tables::default();
    let mut at = 0;
    while at < lines.len() {
        at = match delimiters_below(lines, at) {
            Some(delimiters) => table(lines, at, delimiters, &mut found),
            None => stray(lines, at, &mut found),
        };
    }
    found
}

/// Whether a line belongs to a table by its looks.
pub(super) fn is_row(line: &Line) -> bool {
    line.body().starts_with('|')
}

/// How many cells the delimiter row below a line has, where both may be of one table.
fn delimiters_below(lines: &[Line], at: usize) -> Option<usize> {
    let below = delimiters(lines.get(at + 1)?.body())?;
    has_bar(lines[at].body()).then_some(below)
}

/// The table whose head is at `at`; the position of the line after it.
fn table<'a>(lines: &[Line<'a>], at: usize, delimiters: usize, found: &mut Tables<'a>) -> usize {
    let rows = lines[at + 2..]
        .iter()
        .take_while(|line| has_bar(line.body()) && !line.body().starts_with('#'))
        .count();
    let end = at + 2 + rows;
    let head = row(&lines[at]);
    if head.cells.len() == delimiters {
        found.tables.push(Table {
            head,
            rows: lines[at + 2..end].iter().map(row).collect(),
        });
    } else {
        found.broken.push(Broken::WrongDelimiter {
            line: at + 1,
            head: head.cells.len(),
            delimiters,
        });
    }
    end
}

/// The rows without a delimiter row that begin at `at`, if some do; the position of the line after.
fn stray(lines: &[Line], at: usize, found: &mut Tables) -> usize {
    let rows = (at..lines.len())
        .take_while(|&next| is_row(&lines[next]) && delimiters_below(lines, next).is_none())
        .count();
    // `|x| + |y|` on a line of its own is arithmetic.
    let one = || {
        let body = lines[at].body();
        body.starts_with("| ") && body.ends_with(" |") && split(body).len() > 1
    };
    if rows > 1 || (rows == 1 && one()) {
        found.broken.push(Broken::NoDelimiter { line: at, rows });
    }
    at + rows.max(1)
}

/// The number of cells of a delimiter row: `|---|:--:|`.
fn delimiters(body: &str) -> Option<usize> {
    let cells = || split(body).into_iter();
    let is_delimiter = |cell: &str| {
        let dashes = cell.trim();
        let dashes = dashes.strip_prefix(':').unwrap_or(dashes);
        let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
        !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
    };
    let plain = body
        .bytes()
        .all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t'));
    (plain && body.contains('|') && cells().all(|(cell, _)| is_delimiter(cell)))
        .then(|| cells().count())
}

/// Whether there is a bar that parts cells.
fn has_bar(body: &str) -> bool {
    let mut escaped = false;
    body.bytes().any(|byte| {
        let bar = byte == b'|' && !escaped;
        escaped = byte == b'\\' && !escaped;
        bar
    })
}

fn row<'a>(line: &Line<'a>) -> Row<'a> {
    let text = line.text.trim_end();
    let quoted = text.trim_start_matches([' ', '\t', '>', '\u{3000}']);
    // A table may begin behind the mark of a list item.
    let body = quoted
        .strip_prefix(['-', '*', '+'])
        .map(str::trim_start)
        .filter(|rest| rest.starts_with('|'))
        .unwrap_or(quoted);
    let before = text[..text.len() - body.len()].chars().count();
    let first = line.start + before;
    let cells = split(body).into_iter().map(|(cell, at)| Cell {
        text: cell.trim(),
        start: first + at,
        end: first + at + cell.chars().count(),
    });
    Row {
        line: line.at,
        cells: cells.collect(),
    }
}

/// The cells of a row, each with its place in characters. Bars at both ends are none of a cell's.
fn split(body: &str) -> Vec<(&str, usize)> {
    let mut cells = Vec::new();
    let (mut from, mut from_place) = (0, 0);
    let mut escaped = false;
    for (place, (at, c)) in body.char_indices().enumerate() {
        if c == '|' && !escaped {
            cells.push((&body[from..at], from_place));
            (from, from_place) = (at + 1, place + 1);
        }
        escaped = c == '\\' && !escaped;
    }
    cells.push((&body[from..], from_place));
    if cells.len() > 1 && from == body.len() {
        cells.pop();
    }
    if body.starts_with('|') && cells.len() > 1 {
        cells.remove(0);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::{super::lines::with_lines, *};

    fn check(report: &str, tables: &[&[usize]], broken: &[Broken]) {
        with_lines(report, |lines| {
            let found = read(lines);
            let cells = found.tables.iter().map(|table| {
                let rows = std::iter::once(&table.head).chain(&table.rows);
                rows.map(|row| row.cells.len()).collect::<Vec<_>>()
            });
            assert_eq!(cells.collect::<Vec<_>>(), tables, "{report}");
            assert_eq!(found.broken, broken, "{report}");
        });
    }

    #[test]
    fn tables_have_a_head_a_delimiter_row_and_rows() {
        check("| a | b |\n|---|---|\n| 1 | 2 |\n", &[&[2, 2]], &[]);
        check("a | b\n:-- | --:\n1 | 2\n3\n", &[&[2, 2]], &[]);
        check("| a |\n|---|\n\n| b |\n|:-:|\n| 1 |", &[&[1], &[1, 1]], &[]);
        check("> | a | b |\n> |---|---|\n> | 1 | |\n", &[&[2, 2]], &[]);
        check("- | a | b |\n  |---|---|\n  | 1 | 2 |\n", &[&[2, 2]], &[]);
        check(
            "| a\\|b | c |\r\n|-|-|\r\n| 1 | 2 | 3 |\r\n",
            &[&[2, 3]],
            &[],
        );
        check(
            "Prose:\n| 项 | 值 |\n|---|---|\n| 甲 | 乙 |\n# x | y",
            &[&[2, 2]],
            &[],
        );
    }

    #[test]
    fn what_is_no_table_is_none() {
        let line = 0;
        check(
            "| a | b |\n| 1 | 2 |\n| 3 | 4 |",
            &[],
            &[Broken::NoDelimiter { line, rows: 3 }],
        );
        check(
            "| a | b |\n|—|—|\n",
            &[],
            &[Broken::NoDelimiter { line, rows: 2 }],
        );
        check("| a | b |\n", &[], &[Broken::NoDelimiter { line, rows: 1 }]);
        check(
            "| a | b |\n|---|\n| 1 | 2 |",
            &[],
            &[Broken::WrongDelimiter {
                line: 1,
                head: 2,
                delimiters: 1,
            }],
        );
        check(
            "| Title |\n| a | b |\n|---|---|\n| 1 | 2 |",
            &[&[2, 2]],
            &[],
        );
        for none in [
            "|x| + |y|",
            "|x|",
            "|",
            "a | b\nc | d",
            "a\n---\nb",
            "a\n\n---|---",
            "x\n```\n| a | b |\n| 1 | 2 |\n```",
        ] {
            check(none, &[], &[]);
        }
    }

    #[test]
    fn cells_have_places() {
        let report = "表\n> | 甲 |乙|\n> |---|---|\n";
        with_lines(report, |lines| {
            let found = read(lines);
            let cut = found.tables[0].head.cells.iter().map(|cell| {
                let chars = report.chars().skip(cell.start);
                chars.take(cell.end - cell.start).collect::<String>()
            });
            assert_eq!(cut.collect::<Vec<_>>(), [" 甲 ", "乙"]);
        });
    }
}

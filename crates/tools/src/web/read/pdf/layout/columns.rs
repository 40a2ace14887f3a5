//! Columns of a page: where a white gutter runs between lines, what is left of it is read before
//! what is right of it. Hides titles, figures and tables across columns, running titles and page
//! numbers.

use std::cmp::Reverse;

use super::{
    lines::{self, Piece, Row},
    paragraphs::{join, paragraphs},
};

/// Long lines that a page must have on both sides of a gutter to be set in columns.
const COLUMN_LINES: usize = 6;
/// The width of a long line, in heights of the font; the cells of a table are narrower.
const LONG_LINE: f64 = 9.0;
/// Left edges that are tried as the right side of a gutter.
const MOST_EDGES: usize = 40;
/// Columns in columns that are looked for.
const DEEPEST: usize = 3;
/// Rows of a page from which on it is no text: each edge is held against all of them.
const MOST_ROWS: usize = 5_000;

/// The paragraphs of a region: what runs across it, and between that columns from left to right.
pub fn read(rows: &[Row], depth: usize) -> Vec<String> {
    // A gutter within a column is a table's, or a column's own; deeper ones are chance.
    let is_text = depth < DEEPEST && rows.len() <= MOST_ROWS;
    let Some(gutter) = is_text.then(|| gutter(rows)).flatten() else {
        return paragraphs(rows);
    };
    let marked: Vec<(bool, &Row)> = in_columns(rows, gutter).into_iter().zip(rows).collect();
    let mut out = Vec::new();
    for zone in marked.chunk_by(|a, b| a.0 == b.0) {
        let pieces = || zone.iter().flat_map(|(_, row)| row.iter().cloned());
        if zone[0].0 {
            // A column has lines of its own: those beside it stand a little higher or lower.
            let (left, right) = pieces().partition(|piece| is_left(piece, gutter));
            out.extend(read(&lines::rows(left), depth + 1));
            go_on(&mut out, read(&lines::rows(right), depth + 1));
        } else {
            let across: Vec<Row> = zone.iter().map(|(_, row)| (*row).clone()).collect();
            out.extend(read(&across, depth + 1));
        }
    }
    out
}

/// Appends the paragraphs of the next column; its first may be the rest of the last one.
fn go_on(out: &mut Vec<String>, next: Vec<String>) {
    let mut next = next.into_iter().peekable();
    let begun = |text: &String| text.ends_with(|c: char| c.is_alphabetic() || ",-".contains(c));
    if let Some(last) = out.last_mut().filter(|last| begun(last))
        && let Some(rest) = next.next_if(|text| text.starts_with(char::is_lowercase))
    {
        join(last, &rest);
    }
    out.extend(next);
}

/// The gutter between two columns: of the left edges that many lines share, the one with the most
/// long lines on both of its sides.
fn gutter(rows: &[Row]) -> Option<f64> {
    let counted = edges(rows).into_iter().map(|x| (lines_beside(rows, x), x));
    // The first of equals, which is where most lines begin.
    let (count, x) = counted.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    (count >= COLUMN_LINES).then_some(x)
}

/// Places just left of where pieces begin, from the one that most of them share.
fn edges(rows: &[Row]) -> Vec<f64> {
    let mut places: Vec<f64> = rows
        .iter()
        .flatten()
        .map(|piece| piece.left - 0.5)
        .collect();
    places.sort_by(f64::total_cmp);
    let mut shared: Vec<(usize, f64)> = places
        .chunk_by(|a, b| b - a < 1.0)
        .map(|edge| (edge.len(), edge[0]))
        .collect();
    shared.sort_by_key(|(count, _)| Reverse(*count));
    shared.truncate(MOST_EDGES);
    shared.into_iter().map(|(_, x)| x).collect()
}

/// Long lines that the columns on both sides of `x` have at the least.
fn lines_beside(rows: &[Row], x: f64) -> usize {
    rows.chunk_by(|a, b| crosses(a, x) == crosses(b, x))
        // A single row beside the gutter is a line with a gap.
        .filter(|zone| !crosses(&zone[0], x) && zone.len() > 1)
        .map(|zone| {
            let (left, right) = long_lines(shared_height(zone, x), x);
            left.min(right)
        })
        .sum()
}

/// For each row whether it is set in columns: zones between rows that run across the gutter are,
/// unless they are tables or what stands above and below the page's text.
fn in_columns(rows: &[Row], x: f64) -> Vec<bool> {
    let mut out = Vec::new();
    for zone in rows.chunk_by(|a, b| crosses(a, x) == crosses(b, x)) {
        let columns = !crosses(&zone[0], x) && zone.len() > 1 && !is_table(zone, x);
        out.extend(vec![columns; zone.len()]);
    }
    if let [first, second, ..] = rows
        && is_furniture(first, second, x)
    {
        out[0] = false;
    }
    if let [.., before, last] = rows
        && is_furniture(last, before, x)
    {
        out[rows.len() - 1] = false;
    }
    out
}

/// Whether a row at the page's edge is a running title or a page number.
fn is_furniture(row: &Row, next: &Row, x: f64) -> bool {
    (row[0].y - next[0].y).abs() > 2.0 * row[0].size
        && (has_both_sides(row, x) || row.iter().map(ems).sum::<f64>() < LONG_LINE)
}

/// Whether the rows between two that run across the gutter are cells side by side.
fn is_table(zone: &[Row], x: f64) -> bool {
    let beside = zone.iter().filter(|row| has_both_sides(row, x)).count();
    let (left, right) = long_lines(zone, x);
    beside * 2 >= zone.len() && left.min(right) * 2 < beside
}

/// The rows from where both columns have begun to where one of them ends.
fn shared_height(zone: &[Row], x: f64) -> &[Row] {
    let [left, right] = [true, false].map(|side| {
        let has = |row: &Row| row.iter().any(|piece| is_left(piece, x) == side);
        Some((zone.iter().position(has)?, zone.iter().rposition(has)?))
    });
    let (Some(left), Some(right)) = (left, right) else {
        return &[];
    };
    zone.get(left.0.max(right.0)..=left.1.min(right.1))
        .unwrap_or_default()
}

/// How many rows have a long line left of `x`, and right of it.
fn long_lines(rows: &[Row], x: f64) -> (usize, usize) {
    let long = |row: &Row, side: bool| {
        let parts = row.iter().filter(|piece| is_left(piece, x) == side);
        parts.map(ems).sum::<f64>() >= LONG_LINE
    };
    let count = |side: bool| rows.iter().filter(|row| long(row, side)).count();
    (count(true), count(false))
}

/// The width of a piece in heights of its font.
fn ems(piece: &Piece) -> f64 {
    (piece.right - piece.left) / piece.size.max(1.0)
}

/// Whether a row runs across `x`. What only reaches over is a line too long for its column.
fn crosses(row: &Row, x: f64) -> bool {
    let over = |piece: &Piece| piece.left < x - piece.size && piece.right > x + piece.size;
    row.iter().any(over) || touches(row, x)
}

/// Whether pieces of a row meet at `x`, without white between them: raised letters and those that
/// stand above others cut a line into pieces.
fn touches(row: &Row, x: f64) -> bool {
    let left = row.iter().rfind(|piece| is_left(piece, x));
    let right = row.iter().find(|piece| !is_left(piece, x));
    left.zip(right).is_some_and(|(left, right)| {
        (right.left - left.right).abs() < 0.5 * left.size.min(right.size)
    })
}

fn is_left(piece: &Piece, x: f64) -> bool {
    piece.left + piece.right < 2.0 * x
}

fn has_both_sides(row: &Row, x: f64) -> bool {
    !crosses(row, x)
        && row.iter().any(|piece| is_left(piece, x))
        && row.iter().any(|piece| !is_left(piece, x))
}

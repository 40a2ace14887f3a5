//! Paragraphs of a column: lines are joined where nothing says that a new one begins. Hides
//! hyphens at the ends of lines.

use super::lines::{Piece, Row};
use crate::text::words::is_han;

/// Joins the lines of a column to paragraphs.
pub fn paragraphs(rows: &[Row]) -> Vec<String> {
    let left = rows
        .iter()
        .map(|row| row[0].left)
        .fold(f64::INFINITY, f64::min);
    let right = rightmost(rows.iter().flatten());
    let leading = usual_leading(rows);
    let mut out: Vec<String> = Vec::new();
    let mut above: Option<&Row> = None;
    for row in rows {
        let line = row
            .iter()
            .map(|piece| piece.text.trim())
            .collect::<Vec<_>>()
            .join(" ");
        match (above, out.last_mut()) {
            (Some(above), Some(paragraph)) if !begins(row, above, left, right, leading) => {
                join(paragraph, &line);
            }
            _ => out.push(line),
        }
        above = Some(row);
    }
    out
}

/// The median distance of neighbouring lines.
fn usual_leading(rows: &[Row]) -> f64 {
    let mut gaps: Vec<f64> = rows
        .windows(2)
        .map(|pair| pair[0][0].y - pair[1][0].y)
        .collect();
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 2).copied().unwrap_or(0.0)
}

/// Whether a line begins a paragraph: far below the one above, of another size, indented, an item,
/// a row of cells, or behind a line that ends early.
fn begins(row: &Row, above: &Row, left: f64, right: f64, leading: f64) -> bool {
    let (first, before) = (&row[0], &above[0]);
    let end = rightmost(above.iter());
    let is_item = first
        .text
        .trim_start()
        .starts_with(['•', '–', '▪', '◦', '‣', '∙']);
    let early = end < left + 0.8 * (right - left);
    let indented =
        first.left - before.left > 0.8 * first.size && before.left - left < 0.5 * first.size;
    let far = before.y - first.y > 1.4 * leading.clamp(first.size, 2.5 * first.size);
    if !far && is_divided(above, row) {
        return false;
    }
    far
        || (first.size / before.size - 1.0).abs() > 0.15
        // What follows the label of a reference hangs below its first word.
        || (indented && !has_label(before))
        || (has_label(first) && first.left - left < 0.5 * first.size)
        || is_item
        // Cells side by side are no flowing text.
        || row.len() > 1
        || above.len() > 1
        || (early
            && above.last().is_some_and(|piece| {
                piece
                    .text
                    .trim_end()
                    .ends_with(['.', '!', '?', ':', '。', '！', '？', '：'])
            }))
        || end < left + 0.5 * (right - left)
}

/// Where the piece that reaches furthest ends.
fn rightmost<'a>(pieces: impl Iterator<Item = &'a Piece>) -> f64 {
    pieces
        .map(|piece| piece.right)
        .fold(f64::NEG_INFINITY, f64::max)
}

/// Whether a word begins on the line above and ends on this one.
fn is_divided(above: &Row, row: &Row) -> bool {
    let end = above.last().map_or("", |piece| piece.text.trim_end());
    stem(end).is_some() && row[0].text.trim_start().starts_with(char::is_lowercase)
}

/// What is before the hyphen that may divide a word at a line's end.
fn stem(line: &str) -> Option<&str> {
    line.strip_suffix(['-', '\u{ad}', '‐'])
        .filter(|stem| stem.ends_with(char::is_lowercase))
}

/// Whether a line begins as an entry of a list of references does: `[12]`, `[Knu84]`.
fn has_label(piece: &Piece) -> bool {
    let label = piece.text.trim_start().strip_prefix('[');
    let label = label.and_then(|rest| rest.split_once(']'));
    label.is_some_and(|(label, _)| (1..=12).contains(&label.chars().count()))
}

/// Appends a line; a word divided at the line's end is whole again, and Chinese has no spaces.
pub fn join(paragraph: &mut String, line: &str) {
    let (last, first) = (paragraph.chars().next_back(), line.chars().next());
    let wide = |c: Option<char>| {
        c.is_some_and(|c| {
            is_han(c) || matches!(c, '\u{3000}'..='\u{30ff}' | '\u{ff00}'..='\u{ffef}')
        })
    };
    match stem(paragraph) {
        // A capital after the hyphen is a name of two parts, which keeps it.
        Some(stem) if first.is_some_and(char::is_lowercase) => paragraph.truncate(stem.len()),
        _ if wide(last) && wide(first) => {}
        _ => paragraph.push(' '),
    }
    paragraph.push_str(line);
}

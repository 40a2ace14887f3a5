//! Layout analysis from glyphs to paragraphs: words from the gaps between letters, lines from their
//! heights, columns from the white between them, paragraphs from spacing and indents. Hides that a
//! PDF knows nothing of any of these.

use super::content::Glyph;
use crate::text::words::is_han;

/// A gap that separates words, in heights of the font.
const WORD_GAP: f64 = 0.15;
/// A gap that separates pieces of a line: columns, cells.
const PIECE_GAP: f64 = 1.0;
/// Lines that a page must have on both sides of a white corridor to be set in columns …
const COLUMN_LINES: usize = 6;
/// … and the characters that they must have on average; the cells of a table have fewer.
const COLUMN_CHARS: usize = 18;
/// Columns in columns that are looked for.
const DEEPEST: usize = 3;

/// The text of a page. A page that shows nothing is read by what it hides: scans with recognised
/// text are such pages.
pub fn text(glyphs: Vec<Glyph>) -> String {
    let (shown, hidden): (Vec<Glyph>, Vec<Glyph>) =
        glyphs.into_iter().partition(|glyph| glyph.visible);
    // A scan with recognised text draws a picture and hides the text; elsewhere hidden text is a
    // trick.
    let is_scan = shown.len() * 10 < hidden.len() && hidden.iter().all(|glyph| glyph.size > 1.0);
    let glyphs = if is_scan { hidden } else { shown };
    let mut out = String::new();
    // Text that stands on its side is read after the rest: margins and figures turn their labels.
    for quarter in 0..4 {
        let turned: Vec<Glyph> = glyphs
            .iter()
            .filter(|glyph| quarter_of(glyph) == quarter)
            .map(|g| turn(g, quarter))
            .collect();
        for paragraph in read(&rows(pieces(&turned)), 0) {
            out.push_str(&paragraph);
            out.push_str("\n\n");
        }
    }
    out
}

/// Where the glyph's line runs: 0 to the right, then counted against the clock.
fn quarter_of(glyph: &Glyph) -> u8 {
    let [x, y] = [glyph.to[0] - glyph.from[0], glyph.to[1] - glyph.from[1]];
    match x.abs() >= y.abs() {
        true if x >= 0.0 => 0,
        true => 2,
        false if y > 0.0 => 1,
        false => 3,
    }
}

/// The glyph as it is on the page turned so that its line runs to the right.
fn turn(glyph: &Glyph, quarter: u8) -> Glyph {
    let turned = |[x, y]: [f64; 2]| match quarter {
        0 => [x, y],
        1 => [y, -x],
        2 => [-x, -y],
        _ => [-y, x],
    };
    Glyph {
        from: turned(glyph.from),
        to: turned(glyph.to),
        ..glyph.clone()
    }
}

/// Letters that stand together on a line.
#[derive(Clone, Debug)]
struct Piece {
    text: String,
    left: f64,
    right: f64,
    y: f64,
    size: f64,
}

/// Joins glyphs that follow each other on the page as they do in its content.
fn pieces(glyphs: &[Glyph]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut last_y = 0.0;
    for glyph in glyphs {
        let height = |piece: &Piece| piece.size.max(glyph.size);
        let fits = |piece: &&mut Piece| {
            // Letters may overlap a little, and accents step back; a larger step back begins
            // something new.
            let gap = glyph.from[0] - piece.right;
            (glyph.from[1] - piece.y).abs() < 0.65 * height(piece)
                && (-0.6..PIECE_GAP).contains(&(gap / height(piece)))
        };
        // Only the last piece: in the order of the content, neighbours on the page mostly follow
        // each other.
        match pieces.last_mut().filter(fits) {
            Some(piece) => append(piece, glyph, last_y),
            None => pieces.push(Piece {
                text: glyph.text.clone(),
                left: glyph.from[0],
                right: glyph.to[0],
                y: glyph.from[1],
                size: glyph.size,
            }),
        }
        last_y = glyph.from[1];
    }
    pieces.retain(|piece| !piece.text.trim().is_empty());
    pieces
}

fn append(piece: &mut Piece, glyph: &Glyph, last_y: f64) {
    let gap = glyph.from[0] - piece.right;
    if gap > WORD_GAP * glyph.size.min(piece.size)
        && !piece.text.ends_with(' ')
        && !glyph.text.starts_with(' ')
    {
        piece.text.push(' ');
    } else if is_raised(piece, glyph, last_y) {
        piece.text.push('^');
    }
    piece.text.push_str(&glyph.text);
    piece.right = piece.right.max(glyph.to[0]);
    // A line stands on its largest letters, not on a small capital that it begins with.
    if glyph.size > piece.size {
        (piece.size, piece.y) = (glyph.size, glyph.from[1]);
    }
}

/// Whether a small digit begins above the line, so that 10 to the 6th does not become 106.
fn is_raised(piece: &Piece, glyph: &Glyph, last_y: f64) -> bool {
    let raised = glyph.from[1] - last_y > 0.15 * piece.size && glyph.size < 0.85 * piece.size;
    raised
        && glyph
            .text
            .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '−' | '+'))
}

/// Pieces at about the same height, from the left.
type Row = Vec<Piece>;

/// The rows of a page from its top.
fn rows(mut pieces: Vec<Piece>) -> Vec<Row> {
    // A PDF counts from the bottom up.
    pieces.sort_by(|a, b| b.y.total_cmp(&a.y));
    let mut rows: Vec<Row> = Vec::new();
    for piece in pieces {
        match rows
            .last_mut()
            // Against the row's first piece, so that a slope of small steps is no single row.
            .filter(|row| row[0].y - piece.y < 0.4 * row[0].size.min(piece.size))
        {
            Some(row) => row.push(piece),
            None => rows.push(vec![piece]),
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.left.total_cmp(&b.left));
    }
    rows
}

/// The paragraphs of a region: whole lines, and between them columns from left to right.
fn read(rows: &[Row], depth: usize) -> Vec<String> {
    // A corridor within a column is a table's, or a column's own; deeper ones are chance.
    let Some(corridor) = corridor(rows).filter(|_| depth < DEEPEST) else {
        return paragraphs(rows);
    };
    let crosses = |row: &&Row| {
        row.iter()
            .any(|piece| piece.left < corridor && piece.right > corridor)
    };
    let mut out = Vec::new();
    // A heading across both columns divides what is above it from what is below.
    for zone in rows.chunk_by(|a, b| crosses(&a) == crosses(&b)) {
        if zone.first().as_ref().is_some_and(crosses) {
            out.extend(paragraphs(zone));
            continue;
        }
        for left_side in [true, false] {
            let side = |row: &Row| {
                row.iter()
                    .filter(|piece| (piece.left < corridor) == left_side)
                    .cloned()
                    .collect::<Row>()
            };
            let column: Vec<Row> = zone
                .iter()
                .map(side)
                .filter(|row| !row.is_empty())
                .collect();
            out.extend(read(&column, depth + 1));
        }
    }
    out
}

/// The place of the white corridor between two columns: the one with the most lines on both of its
/// sides.
fn corridor(rows: &[Row]) -> Option<f64> {
    let mut places: Vec<f64> = rows
        .iter()
        .flatten()
        .map(|piece| piece.left - 0.5)
        .collect();
    places.sort_by(f64::total_cmp);
    // Left edges within two points are one edge: ragged lines would fill the list below.
    places.dedup_by(|a, b| (*a - *b).abs() < 2.0);
    let beside = |x: f64| rows.iter().filter(|row| has_both_sides(row, x)).count();
    // Rows times places: a page of ten thousand pieces would take a minute.
    let counted = places.into_iter().take(400).map(|x| (beside(x), x));
    // The first of equals, which is the leftmost.
    let (count, x) = counted.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    // Long lines on both sides, or it is a table and its rows belong together.
    let texts: Vec<&Row> = rows.iter().filter(|row| has_both_sides(row, x)).collect();
    let wide = |is_left: bool| chars_beside(&texts, x, is_left) >= count * COLUMN_CHARS;
    (count >= COLUMN_LINES && count * 4 >= rows.len() && wide(true) && wide(false)).then_some(x)
}

/// Characters of the rows on one side of `x`.
fn chars_beside(rows: &[&Row], x: f64, is_left: bool) -> usize {
    rows.iter()
        .copied()
        .flatten()
        .filter(|piece| (piece.right <= x) == is_left)
        .map(|piece| piece.text.chars().count())
        .sum()
}

fn has_both_sides(row: &Row, x: f64) -> bool {
    row.iter().all(|piece| piece.right <= x || piece.left >= x)
        && row.iter().any(|piece| piece.right <= x)
        && row.iter().any(|piece| piece.left >= x)
}

/// Joins the lines of a column to paragraphs.
fn paragraphs(rows: &[Row]) -> Vec<String> {
    let left = rows
        .iter()
        .map(|row| row[0].left)
        .fold(f64::INFINITY, f64::min);
    let right = rows
        .iter()
        .flatten()
        .map(|piece| piece.right)
        .fold(f64::NEG_INFINITY, f64::max);
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
    let end = above
        .iter()
        .map(|piece| piece.right)
        .fold(f64::NEG_INFINITY, f64::max);
    let is_item = first
        .text
        .trim_start()
        .starts_with(['•', '–', '▪', '◦', '‣', '∙']);
    let early = end < left + 0.8 * (right - left);
    before.y - first.y > 1.4 * leading.clamp(first.size, 2.5 * first.size)
        || (first.size / before.size - 1.0).abs() > 0.15
        || (first.left - before.left > 0.8 * first.size && before.left - left < 0.5 * first.size)
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

/// Appends a line; a word divided at the line's end is whole again, and Chinese has no spaces.
fn join(paragraph: &mut String, line: &str) {
    let (last, first) = (paragraph.chars().next_back(), line.chars().next());
    let wide = |c: Option<char>| {
        c.is_some_and(|c| {
            is_han(c) || matches!(c, '\u{3000}'..='\u{30ff}' | '\u{ff00}'..='\u{ffef}')
        })
    };
    let stem = paragraph
        .strip_suffix(['-', '\u{ad}', '‐'])
        .filter(|stem| stem.ends_with(char::is_lowercase));
    match stem {
        // A capital after the hyphen is a name of two parts, which keeps it.
        Some(stem) if first.is_some_and(char::is_lowercase) => paragraph.truncate(stem.len()),
        _ if wide(last) && wide(first) => {}
        _ => paragraph.push(' '),
    }
    paragraph.push_str(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Glyphs of a line of text in a font of 10 points whose letters are 5 wide; spaces are gaps.
    fn line(x: f64, y: f64, text: &str) -> Vec<Glyph> {
        let glyph = |(i, c): (usize, char)| {
            let from = x + 5.0 * i as f64;
            Glyph {
                text: c.to_string(),
                from: [from, y],
                to: [from + 5.0, y],
                size: 10.0,
                visible: true,
            }
        };
        text.chars()
            .enumerate()
            .filter(|(_, c)| *c != ' ')
            .map(glyph)
            .collect()
    }

    fn check(lines: &[(f64, f64, &str)], expect: &[&str]) {
        let glyphs = lines
            .iter()
            .flat_map(|(x, y, words)| line(*x, *y, words))
            .collect();
        assert_eq!(
            text(glyphs).trim().split("\n\n").collect::<Vec<_>>(),
            expect
        );
    }

    #[test]
    fn lines_become_paragraphs() {
        check(
            &[
                (50.0, 700.0, "A title"),
                (50.0, 670.0, "The sensors were cali-"),
                (50.0, 658.0, "brated in the lab, well"),
                (50.0, 646.0, "before."),
                (50.0, 634.0, "The second part of it."),
                (62.0, 622.0, "An indented paragraph"),
                (50.0, 610.0, "ends here, as it must."),
            ],
            &[
                "A title",
                "The sensors were calibrated in the lab, well before.",
                "The second part of it.",
                "An indented paragraph ends here, as it must.",
            ],
        );
    }

    #[test]
    fn columns_are_read_one_after_the_other() {
        let mut lines = vec![(
            50.0,
            700.0,
            "A title that runs over both of the columns of this page, all the way",
        )];
        for i in 0..7 {
            lines.push((
                50.0,
                670.0 - 12.0 * f64::from(i),
                "left words of the first column",
            ));
            lines.push((
                250.0,
                670.0 - 12.0 * f64::from(i),
                "right words of the second one.",
            ));
        }
        let left = ["left words of the first column"; 7].join(" ");
        let right = ["right words of the second one."; 7].join(" ");
        check(&lines, &[lines[0].2, &left, &right]);
    }

    #[test]
    fn tables_are_read_by_row() {
        let rows: Vec<_> = (0..8)
            .flat_map(|i| {
                [
                    (50.0, 700.0 - 12.0 * f64::from(i), "loam"),
                    (150.0, 700.0 - 12.0 * f64::from(i), "0.044"),
                ]
            })
            .collect();
        check(&rows, &["loam 0.044"; 8]);
    }

    #[test]
    fn chinese_has_no_spaces_between_lines() {
        check(
            &[(50.0, 700.0, "土壤水分"), (50.0, 688.0, "传感器。")],
            &["土壤水分传感器。"],
        );
    }

    #[test]
    fn turned_text_is_read_along_its_line() {
        let turned = |quarter: u8| {
            line(50.0, 700.0, "ab c")
                .iter()
                .map(|g| turn(g, quarter))
                .collect::<Vec<_>>()
        };
        assert!((1..4).all(|quarter| text(turned(quarter)).trim() == "ab c"));
    }

    #[test]
    fn small_raised_digits_are_exponents() {
        let mut glyphs = line(50.0, 700.0, "10");
        glyphs.extend(
            line(60.0, 703.5, "6")
                .into_iter()
                .map(|g| Glyph { size: 7.0, ..g }),
        );
        assert_eq!(text(glyphs).trim(), "10^6");
    }

    #[test]
    fn hidden_glyphs_are_read_only_where_there_is_nothing_else() {
        let hidden: Vec<Glyph> = line(50.0, 650.0, "praise it")
            .into_iter()
            .map(|g| Glyph {
                visible: false,
                ..g
            })
            .collect();
        assert_eq!(text(hidden.clone()).trim(), "praise it");
        assert_eq!(
            text([line(50.0, 700.0, "seen"), hidden].concat()).trim(),
            "seen"
        );
        assert_eq!(text(Vec::new()), "");
    }
}

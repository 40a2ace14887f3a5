//! Lines of a page: letters that follow each other become pieces, pieces at the same height become
//! rows. Hides where words end.

use super::super::content::Glyph;

/// A gap that separates words, in heights of the font.
const WORD_GAP: f64 = 0.15;
/// A gap that separates pieces of a line: columns, cells.
const PIECE_GAP: f64 = 1.0;

/// Letters that stand together on a line.
#[derive(Clone, Debug)]
pub struct Piece {
    pub text: String,
    pub left: f64,
    pub right: f64,
    pub y: f64,
    pub size: f64,
}

/// Joins glyphs that follow each other on the page as they do in its content.
pub fn pieces(glyphs: &[Glyph]) -> Vec<Piece> {
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
pub type Row = Vec<Piece>;

/// The rows of a page from its top.
pub fn rows(mut pieces: Vec<Piece>) -> Vec<Row> {
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

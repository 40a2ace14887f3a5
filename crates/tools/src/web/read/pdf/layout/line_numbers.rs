//! Numbers of lines, which drafts print beside their text. Read along with it, they would stand in
//! the midst of sentences.

use super::lines::Piece;

/// Numbers below each other that are the numbers of lines …
const LINE_NUMBERS: usize = 6;
/// … and their size at the most, of that of the text …
const SIZE: f64 = 0.9;
/// … and the share of the text's height that they run along at the least; a table is shorter.
const SPAN: f64 = 0.6;

/// Takes the numbers of lines out of the pieces, which drafts print beside each line or each fifth:
/// small numbers below each other that count up. They are returned as paragraphs of their own.
pub fn set_apart(mut pieces: Vec<Piece>) -> (Vec<Piece>, Vec<String>) {
    let most = SIZE * usual_size(&mut pieces);
    let least = SPAN * height(&pieces);
    let (mut small, mut rest): (Vec<Piece>, Vec<Piece>) = pieces
        .into_iter()
        .partition(|piece| piece.size <= most && number(piece).is_some());
    small.sort_by(|a, b| a.right.total_cmp(&b.right));
    let mut numbers = Vec::new();
    for edge in small.chunk_by_mut(|a, b| b.right - a.right < 1.0) {
        edge.sort_by(|a, b| b.y.total_cmp(&a.y));
        if edge.len() >= LINE_NUMBERS && height(edge) >= least && counts_up(edge) {
            let texts: Vec<&str> = edge.iter().map(|piece| piece.text.trim()).collect();
            numbers.push(texts.join(" "));
        } else {
            rest.extend_from_slice(edge);
        }
    }
    (rest, numbers)
}

/// From the lowest line to the highest.
fn height(pieces: &[Piece]) -> f64 {
    let heights = || pieces.iter().map(|piece| piece.y);
    heights().fold(f64::MIN, f64::max) - heights().fold(f64::MAX, f64::min)
}

fn number(piece: &Piece) -> Option<u32> {
    piece.text.trim().parse().ok()
}

/// Whether most numbers are as much above the one before as that is above its own.
fn counts_up(pieces: &[Piece]) -> bool {
    let numbers: Vec<u32> = pieces.iter().filter_map(number).collect();
    let even = |n: &[u32]| n[0] < n[1] && n[0].abs_diff(n[1]) == n[1].abs_diff(n[2]);
    let steps = numbers.windows(3);
    // A number of the text may stand among them.
    steps.len() * 4 <= 5 * steps.filter(|n| even(n)).count()
}

/// The size that half of the letters do not exceed.
fn usual_size(pieces: &mut [Piece]) -> f64 {
    pieces.sort_by(|a, b| a.size.total_cmp(&b.size));
    let half = pieces.iter().map(|piece| piece.text.len()).sum::<usize>() / 2;
    let mut seen = 0;
    let middle = pieces.iter().find(|piece| {
        seen += piece.text.len();
        seen > half
    });
    middle.map_or(0.0, |piece| piece.size)
}

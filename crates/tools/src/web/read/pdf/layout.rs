//! Layout analysis from glyphs to paragraphs: words from the gaps between letters, lines from their
//! heights, columns from the white between them, paragraphs from spacing and indents. Hides that a
//! PDF knows nothing of any of these.

mod columns;
mod line_numbers;
mod lines;
mod paragraphs;

use std::collections::BTreeMap;

use super::content::Glyph;

/// Degrees by which lines that are read together may differ.
const SLOPE: f64 = 5.0;

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
    // Text that is turned is read after the rest: margins and figures turn their labels, and drafts
    // are stamped from corner to corner.
    let mut turned: BTreeMap<u16, Vec<Glyph>> = BTreeMap::new();
    for glyph in glyphs {
        let degrees = direction(&glyph);
        let glyph = turn(glyph, degrees);
        turned.entry(degrees).or_default().push(glyph);
    }
    for glyphs in turned.values() {
        let (text, numbers) = line_numbers::set_apart(lines::pieces(glyphs));
        for paragraph in columns::read(&lines::rows(text), 0).iter().chain(&numbers) {
            out.push_str(paragraph);
            out.push_str("\n\n");
        }
    }
    out
}

/// Where the glyph's line runs, in degrees: 0 to the right, then counted against the clock. A line
/// of a scan may slope a little.
fn direction(glyph: &Glyph) -> u16 {
    let [x, y] = [glyph.to[0] - glyph.from[0], glyph.to[1] - glyph.from[1]];
    let steps = (y.atan2(x).to_degrees() / SLOPE)
        .round()
        .rem_euclid(360.0 / SLOPE);
    (steps * SLOPE) as u16
}

/// The glyph as it is on the page turned so that its line runs to the right.
fn turn(glyph: Glyph, degrees: u16) -> Glyph {
    if degrees == 0 {
        return glyph;
    }
    let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
    let turned = |[x, y]: [f64; 2]| [x * cos + y * sin, y * cos - x * sin];
    Glyph {
        from: turned(glyph.from),
        to: turned(glyph.to),
        ..glyph
    }
}

#[cfg(test)]
mod tests;

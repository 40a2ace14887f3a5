//! Widths of the fonts that every viewer has, by Adobe's metrics for them: a PDF may leave them out.
//! Guessed ones would add up along a line, until words seem to end within.

use unicode_normalization::UnicodeNormalization as _;

/// A standard font, as far as widths go: those of the letters from the space to the tilde.
#[derive(Debug, Clone, Copy)]
pub enum Face {
    /// Every letter is as wide as the others.
    Courier,
    Times(&'static [u16; 95]),
    Helvetica(&'static [u16; 95]),
}

impl Face {
    /// The font of a name; other names are taken for Helvetica.
    pub fn named(font: &str) -> Self {
        let font = font.to_ascii_lowercase();
        let is_bold = font.contains("bold");
        let is_italic = font.contains("italic") || font.contains("oblique");
        if font.contains("courier") {
            return Self::Courier;
        }
        match (font.contains("times"), is_bold, is_italic) {
            (true, false, false) => Self::Times(&TIMES),
            (true, true, false) => Self::Times(&TIMES_BOLD),
            (true, false, true) => Self::Times(&TIMES_ITALIC),
            (true, true, true) => Self::Times(&TIMES_BOLD_ITALIC),
            // Its italics are slanted, and as wide.
            (false, false, _) => Self::Helvetica(&HELVETICA),
            (false, true, _) => Self::Helvetica(&HELVETICA_BOLD),
        }
    }

    /// The width of a text, in units of the font's size.
    pub fn width(self, text: &str) -> f64 {
        let thousandths: u32 = text.chars().map(|c| u32::from(self.letter(c))).sum();
        f64::from(thousandths) / 1_000.0
    }

    /// The width of a letter, in thousandths of the font's size.
    fn letter(self, c: char) -> u16 {
        match (self, plain(c)) {
            (Self::Courier, _) => 600,
            (Self::Times(widths) | Self::Helvetica(widths), c @ ' '..='~') => {
                widths[c as usize - 32]
            }
            (Self::Times(_), '’' | '‘') => 333,
            (_, '’' | '‘') => 222,
            (Self::Times(_), '“' | '”') => 444,
            (_, '“' | '”') => 333,
            (_, '•') => 350,
            (_, '—' | '\u{2e81}'..) => 1_000,
            (Self::Times(_), _) => 500,
            (Self::Helvetica(_), _) => 556,
        }
    }
}

/// The letter without its accent, which adds no width.
fn plain(c: char) -> char {
    c.nfd().next().unwrap_or(c)
}

const TIMES: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500,
    500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611,
    556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722,
    722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500,
    278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
];
const TIMES_BOLD: [u16; 95] = [
    250, 333, 555, 500, 500, 1000, 833, 278, 333, 333, 500, 570, 250, 333, 250, 278, 500, 500, 500,
    500, 500, 500, 500, 500, 500, 500, 333, 333, 570, 570, 570, 500, 930, 722, 667, 722, 722, 667,
    611, 778, 778, 389, 500, 778, 667, 944, 722, 778, 611, 778, 722, 556, 667, 722, 722, 1000, 722,
    722, 667, 333, 278, 333, 581, 500, 333, 500, 556, 444, 556, 444, 333, 500, 556, 278, 333, 556,
    278, 833, 556, 500, 556, 556, 444, 389, 333, 556, 500, 722, 500, 500, 444, 394, 220, 394, 520,
];
const TIMES_ITALIC: [u16; 95] = [
    250, 333, 420, 500, 500, 833, 778, 214, 333, 333, 500, 675, 250, 333, 250, 278, 500, 500, 500,
    500, 500, 500, 500, 500, 500, 500, 333, 333, 675, 675, 675, 500, 920, 611, 611, 667, 722, 611,
    611, 722, 722, 333, 444, 667, 556, 833, 667, 722, 611, 722, 611, 500, 556, 722, 611, 833, 611,
    556, 556, 389, 278, 389, 422, 500, 333, 500, 500, 444, 500, 444, 278, 500, 500, 278, 278, 444,
    278, 722, 500, 500, 500, 500, 389, 389, 278, 500, 444, 667, 444, 444, 389, 400, 275, 400, 541,
];
const TIMES_BOLD_ITALIC: [u16; 95] = [
    250, 389, 555, 500, 500, 833, 778, 278, 333, 333, 500, 570, 250, 333, 250, 278, 500, 500, 500,
    500, 500, 500, 500, 500, 500, 500, 333, 333, 570, 570, 570, 500, 832, 667, 667, 667, 722, 667,
    667, 722, 778, 389, 500, 667, 611, 889, 722, 722, 611, 722, 667, 556, 611, 722, 667, 889, 667,
    611, 611, 333, 278, 333, 570, 500, 333, 500, 500, 444, 500, 444, 333, 500, 556, 278, 278, 500,
    278, 778, 556, 500, 500, 500, 389, 389, 278, 556, 444, 667, 500, 444, 389, 348, 220, 348, 570,
];
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
const HELVETICA_BOLD: [u16; 95] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667,
    611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556,
    278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_by_the_name_of_the_font() {
        for (font, expect) in [
            ("Times-Roman", 1_445),
            ("TimesNewRoman,Bold", 1_445),
            ("Helvetica-Oblique", 1_500),
            ("Arial", 1_500),
            ("Courier-Bold", 2_400),
        ] {
            let width = Face::named(font).width("soíl") * 1_000.0;
            assert_eq!(width.round() as u16, expect, "{font}");
        }
    }
}

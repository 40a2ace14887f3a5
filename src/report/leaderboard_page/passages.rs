//! The stored text of a page with the spans of key points marked in it. Hides how a span is found
//! again, marks that overlap, and which parts of a long text are left out.

use std::{collections::BTreeMap, iter, ops::Range};

use serde::Serialize;

/// A text as it is shown.
#[derive(Debug, PartialEq, Serialize)]
pub struct Marked {
    /// In reading order.
    pub pieces: Vec<Piece>,
    /// For each span that was found and is shown, the number of its mark.
    #[serde(skip)]
    pub marks: BTreeMap<String, usize>,
}

/// A part of a text.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// As it stands there.
    Plain(String),
    /// A span, with its number.
    Mark(usize, String),
    /// So many characters are left out here.
    Gap(usize),
}

/// Marks the spans in a text and cuts it to at most `most` characters around them.
///
/// A span is looked for as it is, then with all white space ignored; it is marked where it occurs
/// first. Spans that overlap share a mark. Of a longer text, each mark keeps an equal share of what
/// surrounds it; a mark for which there is no room is dropped.
pub fn marked<'a>(text: &str, spans: impl IntoIterator<Item = &'a str>, most: usize) -> Marked {
    let squeezed = Squeezed::new(text);
    let found = spans
        .into_iter()
        .filter_map(|span| Some((span, squeezed.find(text, span)?)));
    let found: BTreeMap<&str, Range<usize>> = found.collect();
    let mut places = joined(found.values().cloned().collect());
    keep(text, &mut places, most);
    let number = |range: &Range<usize>| {
        places
            .iter()
            .position(|p| p.start <= range.start && range.end <= p.end)
    };
    let marks = found
        .iter()
        .filter_map(|(span, range)| Some(((*span).to_owned(), number(range)?)))
        .collect();
    Marked {
        pieces: pieces(text, &places, &windows(text, &places, most)),
        marks,
    }
}

/// A text without its white space, and where each of its bytes came from.
struct Squeezed {
    text: String,
    origins: Vec<usize>,
}

impl Squeezed {
    fn new(text: &str) -> Self {
        let kept = || text.char_indices().filter(|(_, c)| !c.is_whitespace());
        let origins = kept().flat_map(|(at, c)| at..at + c.len_utf8()).collect();
        Self {
            text: kept().map(|(_, c)| c).collect(),
            origins,
        }
    }

    fn find(&self, text: &str, span: &str) -> Option<Range<usize>> {
        let bare: String = span.chars().filter(|c| !c.is_whitespace()).collect();
        if bare.is_empty() {
            return None;
        }
        text.find(span.trim())
            .map(|at| at..at + span.trim().len())
            .or_else(|| {
                let at = self.text.find(&bare)?;
                Some(self.origins[at]..self.origins[at + bare.len() - 1] + 1)
            })
    }
}

/// The ranges in order, those that overlap made one.
fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Drops every place that would bring the marked characters above `most`.
fn keep(text: &str, places: &mut Vec<Range<usize>>, most: usize) {
    let mut room = most;
    places.retain(|place| {
        let rest = room.checked_sub(text[place.clone()].chars().count());
        room = rest.unwrap_or(room);
        rest.is_some()
    });
}

/// The parts of the text that are shown.
fn windows(text: &str, places: &[Range<usize>], most: usize) -> Vec<Range<usize>> {
    let n_chars = text.chars().count();
    if n_chars <= most {
        return iter::once(0..text.len()).collect();
    }
    let marked: usize = places
        .iter()
        .map(|place| text[place.clone()].chars().count())
        .sum();
    let Some(around) = (most - marked).checked_div(2 * places.len()) else {
        return iter::once(0..forward(text, 0, most)).collect();
    };
    let window =
        |place: &Range<usize>| back(text, place.start, around)..forward(text, place.end, around);
    joined(places.iter().map(window).collect())
}

/// The place `n` characters before `at`, or the text's start.
fn back(text: &str, at: usize, n: usize) -> usize {
    if n == 0 {
        at
    } else {
        text[..at]
            .char_indices()
            .rev()
            .nth(n - 1)
            .map_or(0, |(at, _)| at)
    }
}

/// The place `n` characters after `at`, or the text's end.
fn forward(text: &str, at: usize, n: usize) -> usize {
    text[at..]
        .char_indices()
        .nth(n)
        .map_or(text.len(), |(further, _)| at + further)
}

fn pieces(text: &str, places: &[Range<usize>], windows: &[Range<usize>]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for window in windows {
        pieces.push(Piece::Gap(text[at..window.start].chars().count()));
        at = window.start;
        for (number, place) in places
            .iter()
            .enumerate()
            .filter(|(_, place)| window.contains(&place.start))
        {
            pieces.push(Piece::Plain(text[at..place.start].to_owned()));
            pieces.push(Piece::Mark(number, text[place.clone()].to_owned()));
            at = place.end;
        }
        pieces.push(Piece::Plain(text[at..window.end].to_owned()));
        at = window.end;
    }
    pieces.push(Piece::Gap(text[at..].chars().count()));
    pieces.retain(|piece| {
        !matches!(piece, Piece::Gap(0)) && !matches!(piece, Piece::Plain(text) if text.is_empty())
    });
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Piece {
        Piece::Plain(text.into())
    }

    fn mark(number: usize, text: &str) -> Piece {
        Piece::Mark(number, text.into())
    }

    #[test]
    fn spans_are_found_and_those_that_overlap_share_a_mark() {
        let spans = ["cold atoms", "atoms were", "研究\n课题", "not there", "  "];
        let marked = marked("The cold atoms were kept. 研究 课题。", spans, 100);
        let expect = [
            plain("The "),
            mark(0, "cold atoms were"),
            plain(" kept. "),
            mark(1, "研究 课题"),
            plain("。"),
        ];
        assert_eq!(marked.pieces, expect);
        let numbers = [("atoms were", 0), ("cold atoms", 0), ("研究\n课题", 1)];
        assert_eq!(
            marked.marks,
            numbers
                .map(|(span, number)| (span.to_owned(), number))
                .into()
        );
    }

    #[test]
    fn a_long_text_keeps_what_surrounds_its_marks() {
        let text = format!("{}AB{}CD{}", "é".repeat(50), "x".repeat(50), "y".repeat(3));
        let pieces = marked(&text, ["AB", "CD"], 20).pieces;
        let expect = [
            Piece::Gap(46),
            plain("éééé"),
            mark(0, "AB"),
            plain("xxxx"),
            Piece::Gap(42),
            plain("xxxx"),
        ];
        assert_eq!(pieces[..6], expect);
        assert_eq!(pieces[6..], [mark(1, "CD"), plain("yyy")]);
    }

    #[test]
    fn a_long_text_without_marks_keeps_its_start() {
        assert_eq!(
            marked("研究课题", [], 3).pieces,
            [plain("研究课"), Piece::Gap(1)]
        );
        assert_eq!(marked("研究课题", [], 4).pieces, [plain("研究课题")]);
        assert_eq!(marked("", ["a"], 4).pieces, []);
    }

    #[test]
    fn marks_without_room_are_dropped() {
        let marked = marked("aaaa bbbb cc", ["aaaa", "bbbb"], 5);
        assert_eq!(marked.marks, [("aaaa".to_owned(), 0)].into());
        assert_eq!(marked.pieces, [mark(0, "aaaa"), Piece::Gap(8)]);
    }

    #[test]
    fn nothing_is_lost_or_doubled_however_it_is_cut() {
        let text: String = (0..400)
            .map(|i| char::from_u32(0x4e00 + i).expect("a Han character"))
            .collect();
        let spans: Vec<String> = (0..20)
            .map(|i| text.chars().skip(i * 17).take(1 + i % 5).collect())
            .collect();
        for most in 0..420 {
            let marked = marked(&text, spans.iter().map(String::as_str), most);
            let count = |piece: &Piece| match piece {
                Piece::Plain(text) | Piece::Mark(_, text) => text.chars().count(),
                Piece::Gap(_) => 0,
            };
            let shown: usize = marked.pieces.iter().map(count).sum();
            let gaps: usize = marked
                .pieces
                .iter()
                .map(|piece| if let Piece::Gap(n) = piece { *n } else { 0 })
                .sum();
            assert_eq!(shown + gaps, 400);
            assert!(shown <= most, "{shown} of {most}");
        }
    }
}

//! Lines of Markdown: what a line is, and where its text begins.

/// Figures before the dot of a numbered item; four are a year.
const MOST_FIGURES: usize = 3;

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Line {
    Empty,
    Text,
    Item,
    Heading,
    Row,
}

/// What a line is, and how many characters stand before its text.
pub fn kind(line: &[char]) -> (Line, usize) {
    let indent = count(line, |c| c.is_whitespace() || c == '>');
    let rest = &line[indent..];
    let Some(first) = rest.first() else {
        return (Line::Empty, indent);
    };
    let hashes = count(rest, |c| c == '#');
    let is_blank = |at: usize| rest.get(at).is_none_or(|c| c.is_whitespace());
    let past = |at: usize| indent + at + count(&rest[at..], char::is_whitespace);
    let figures = count(rest, |c| c.is_ascii_digit());
    let dotted = matches!(rest.get(figures), Some('.' | ')' | '、' | '．'));
    match first {
        _ if (1..=6).contains(&hashes) && is_blank(hashes) => (Line::Heading, past(hashes)),
        '|' => (Line::Row, indent),
        '-' | '*' | '_' | '=' if rest.iter().all(|c| "-*_= \r\n".contains(*c)) => {
            (Line::Empty, indent)
        }
        '-' | '*' | '+' | '•' | '·' | '●' | '–' if is_blank(1) => (Line::Item, past(1)),
        _ if (1..=MOST_FIGURES).contains(&figures)
            && dotted
            && (is_blank(figures + 1) || rest[figures] == '、') =>
        {
            (Line::Item, past(figures + 1))
        }
        _ => (Line::Text, indent),
    }
}

/// How many characters of this kind a text begins with.
fn count(text: &[char], of: impl Fn(char) -> bool) -> usize {
    text.iter().take_while(|c| of(**c)).count()
}

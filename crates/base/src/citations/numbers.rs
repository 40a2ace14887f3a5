//! Marks made of numbers: `[1]`, `[2-5, 7]`, `【3†source】`, `［1］`, `[来源1]`, `<sup>1</sup>`, `^1^`,
//! `¹²`. Hides ranges, page numbers, and which raised figures are exponents.

use super::steps;
use crate::text::words::is_han;

/// Widest range of a citation; a wider one is arithmetic.
const WIDEST: u32 = 30;
/// Most numbers of a mark; more are data.
const MOST: usize = 64;
/// Most characters that a tool adds to a number.
const LONGEST: usize = 200;
/// Least number that is a year in a range.
const YEARS: u32 = 1000;

/// What may stand before the number, longer ones first.
const WORDS: &[&str] = &[
    "参考文献",
    "citation",
    "citations",
    "sources",
    "source",
    "refs",
    "ref",
    "cite",
    "note",
    "web",
    "来源",
    "文献",
    "引用",
    "资料",
    "网页",
    "注释",
    "注",
];
/// How the place within a source begins.
const PLACES: &[&str] = &[
    "p", "§", "sec", "ch", "fig", "tab", "eq", "页", "第", "图", "表",
];
/// Units that are squared and cubed.
const UNITS: &[&str] = &[
    "km", "cm", "mm", "nm", "dm", "um", "µm", "μm", "ft", "yd", "mi", "mc",
];

/// The numbers of the bracketed mark that the text begins with, and its length; `[1]–[3]` is one
/// mark.
pub(super) fn bracketed(text: &str) -> Option<(Vec<u32>, usize)> {
    let (numbers, length) = bracket(text)?;
    let further = dash(&text[length..]).and_then(bracket);
    match (numbers.as_slice(), further) {
        (&[first], Some((last, _))) if matches!(last[..], [last] if wide(first, last).is_some()) => {
            let rest = dash(&text[length..])?;
            let (_, more) = bracket(rest)?;
            Some(((first..=last[0]).collect(), text.len() - rest.len() + more))
        }
        _ => Some((numbers, length)),
    }
}

/// The number of the single-numbered bracket that the text begins with, and its length.
pub(super) fn single(text: &str) -> Option<(u32, usize)> {
    let (numbers, length) = bracket(text)?;
    matches!(numbers[..], [_]).then(|| (numbers[0], length))
}

/// The numbers that are the whole text of a link: `1`, `[1]`, `1, 3`.
pub(super) fn only(text: &str) -> Option<Vec<u32>> {
    let text = Some(text)
        .filter(|text| text.len() <= LONGEST)?
        .trim_matches(['[', ']', '\\', ' ']);
    list(text)
        .filter(|(_, rest)| rest.is_empty())
        .map(|(numbers, _)| numbers)
}

fn bracket(text: &str) -> Option<(Vec<u32>, usize)> {
    let inner = text
        .strip_prefix('\\')
        .unwrap_or(text)
        .strip_prefix(['[', '【', '［'])?;
    let (numbers, rest) = list(named(past_blanks(inner)))?;
    let rest = rest
        .strip_prefix('\\')
        .unwrap_or(rest)
        .strip_prefix([']', '】', '］'])?;
    Some((numbers, text.len() - rest.len()))
}

/// The text after a word such as `source`.
fn named(text: &str) -> &str {
    let after = WORDS.iter().find_map(|word| strip(text, word));
    after.map_or(text, |rest| {
        past(rest, |c| matches!(c, ' ' | ':' | '：' | '#' | '.' | '-'))
    })
}

fn strip<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.get(..word.len())
        .filter(|start| start.eq_ignore_ascii_case(word))
        .map(|_| &text[word.len()..])
}

/// Numbers and ranges between separators, and the text after them.
fn list(text: &str) -> Option<(Vec<u32>, &str)> {
    let mut numbers = Vec::new();
    let mut rest = text;
    loop {
        let (first, after) = number(past_blanks(rest))?;
        let (last, after) = dash(after).and_then(number).unwrap_or((first, after));
        numbers.extend(wide(first, last)?);
        let after = past_blanks(after);
        let Some(next) = after.strip_prefix([',', '，', '、', ';', '；']) else {
            return Some((numbers, after));
        };
        let next = past_blanks(next);
        // `[3, p. 12]`: what follows is a page, not a number.
        if PLACES.iter().any(|place| strip(next, place).is_some()) {
            return Some((numbers, to_bracket(next)));
        }
        if numbers.len() >= MOST {
            return None;
        }
        rest = next;
    }
}

fn wide(first: u32, last: u32) -> Option<std::ops::RangeInclusive<u32>> {
    let fits = first == last || (first < last && last - first < WIDEST && last < YEARS);
    fits.then_some(first..=last)
}

fn dash(text: &str) -> Option<&str> {
    let rest = past_blanks(text).strip_prefix(['-', '–', '—', '−', '‑', '~', '～', '至', '⁻'])?;
    Some(past_blanks(rest))
}

/// A number, and the text after it and after what a tool adds: `3†L10-L12`, `4:0†source`.
fn number(text: &str) -> Option<(u32, &str)> {
    let (number, rest) = digits(text)?;
    let inner = rest
        .strip_prefix(':')
        .map_or(rest, |inner| past(inner, |c: char| c.is_ascii_digit()));
    Some((
        number,
        if inner.starts_with('†') {
            to_bracket(inner)
        } else {
            rest
        },
    ))
}

fn past_blanks(text: &str) -> &str {
    past(text, |c| c == ' ')
}

/// The text after the characters that it begins with.
fn past(text: &str, skipped: impl Fn(char) -> bool) -> &str {
    let rest = text.trim_start_matches(skipped);
    steps::add(text.len() - rest.len());
    rest
}

fn to_bracket(text: &str) -> &str {
    let bracket = |c| matches!(c, ']' | '】' | '］' | '[' | '【' | '［' | '\n');
    text.char_indices()
        .take(LONGEST)
        .find(|(_, c)| bracket(*c))
        .map_or("", |(end, _)| &text[end..])
}

/// The number of one to four digits, full-width ones included, that the text begins with, and the
/// text after it.
pub(super) fn digits(text: &str) -> Option<(u32, &str)> {
    leading(text, |c| {
        c.to_digit(10)
            .or_else(|| ('０'..='９').contains(&c).then(|| c as u32 - '０' as u32))
    })
}

fn leading(text: &str, digit: impl Fn(char) -> Option<u32>) -> Option<(u32, &str)> {
    let figures: Vec<u32> = text.chars().take(5).map_while(digit).collect();
    let number = figures
        .iter()
        .fold(0, |number, figure| number * 10 + figure);
    let length: usize = text.chars().take(figures.len()).map(char::len_utf8).sum();
    (1..=4)
        .contains(&figures.len())
        .then(|| (number, &text[length..]))
}

/// The numbers of the raised mark at `at`, and where it ends.
pub(super) fn raised(text: &str, at: usize) -> Option<(Vec<u32>, usize)> {
    let rest = &text[at..];
    let (numbers, after) = tagged(rest)
        .or_else(|| careted(rest))
        .or_else(|| superscript(rest))?;
    (!is_exponent(&text[..at], numbers[0])).then(|| (numbers, text.len() - after.len()))
}

fn tagged(text: &str) -> Option<(Vec<u32>, &str)> {
    let (numbers, rest) = list(strip(text, "<sup>")?)?;
    Some((numbers, strip(rest, "</sup>")?))
}

fn careted(text: &str) -> Option<(Vec<u32>, &str)> {
    let (numbers, rest) = list(text.strip_prefix('^')?)?;
    Some((numbers, rest.strip_prefix('^')?))
}

fn superscript(text: &str) -> Option<(Vec<u32>, &str)> {
    let (first, after) = leading(text, figure)?;
    let (last, after) = dash(after)
        .and_then(|rest| leading(rest, figure))
        .unwrap_or((first, after));
    Some((wide(first, last)?.collect(), after))
}

/// The figure that a superscript character is.
pub(super) fn figure(c: char) -> Option<u32> {
    "⁰¹²³⁴⁵⁶⁷⁸⁹"
        .chars()
        .position(|figure| figure == c)
        .map(|figure| figure as u32)
}

/// Whether a raised number after `before` is a power: of a figure that is no year, a letter or a
/// unit.
fn is_exponent(before: &str, number: u32) -> bool {
    let latin = |c: char| c.is_alphabetic() && !is_han(c);
    let Some(last) = before.chars().next_back() else {
        return false;
    };
    if last.is_ascii_digit() {
        // `in 2020²` cites, `10²` is a power.
        return !ends_in_year(before);
    }
    if matches!(last, '⁻' | '⁺' | 'ⁿ' | '^') || figure(last).is_some() {
        return true;
    }
    let start = before
        .char_indices()
        .rev()
        .take(3)
        .take_while(|(_, c)| latin(*c))
        .last()
        .map_or(before.len(), |(at, _)| at);
    let word = &before[start..];
    match word.chars().count() {
        1 => true,
        // `km²`, `cm³`; any other word of two letters is prose with a mark.
        2 => matches!(number, 2 | 3) && UNITS.contains(&word),
        _ => false,
    }
}

fn ends_in_year(text: &str) -> bool {
    let figures: String = text
        .chars()
        .rev()
        .take(5)
        .take_while(char::is_ascii_digit)
        .collect();
    figures.len() == 4 && (figures.ends_with("91") || figures.ends_with("02"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, numbers: &[u32], rest: &str) {
        let (found, length) = bracketed(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(
            (found.as_slice(), &text[length..]),
            (numbers, rest),
            "{text}"
        );
    }

    #[test]
    fn brackets_hold_numbers_ranges_and_places() {
        check("[1] x", &[1], " x");
        check("[1, 3]", &[1, 3], "");
        check("[ 2 ]", &[2], "");
        check("[2-5]", &[2, 3, 4, 5], "");
        check("[2–4, 7]", &[2, 3, 4, 7], "");
        check("[1]–[3].", &[1, 2, 3], ".");
        check("[1]-[x]", &[1], "-[x]");
        check("[1][2]", &[1], "[2]");
        check(r"\[1\] x", &[1], " x");
        check("[3, p. 12]", &[3], "");
        check("【3†source】", &[3], "");
        check("【3†L10-L12】", &[3], "");
        check("【4:0†report.pdf】x", &[4], "x");
        check("【1、2，5】", &[1, 2, 5], "");
        check("［１２］", &[12], "");
        check("[citation:3]", &[3], "");
        check("[来源2]", &[2], "");
        check("[Source 4, 5]", &[4, 5], "");
    }

    #[test]
    fn other_brackets_are_no_numbers() {
        for text in [
            "[x]",
            "[]",
            "[1.5]",
            "[12345]",
            "[1-99]",
            "[5-2]",
            "[2020-2023]",
            "[1 2]",
            "[1",
            "[^1]",
            "[1, x]",
            "1]",
        ] {
            assert_eq!(bracketed(text), None, "{text}");
        }
        assert_eq!(bracketed(&format!("[1{}]", ", 1".repeat(MOST))), None);
    }

    #[test]
    fn raised_numbers_are_marks_unless_they_are_powers() {
        let check = |text: &str, numbers: Option<&[u32]>| {
            let at = text
                .find(|c| matches!(c, '<' | '^') || figure(c).is_some())
                .unwrap();
            assert_eq!(
                raised(text, at).map(|(found, _)| found).as_deref(),
                numbers,
                "{text}"
            );
        };
        check("light<sup>1</sup>", Some(&[1]));
        check("light<SUP>1, 3</SUP>", Some(&[1, 3]));
        check("light^2^", Some(&[2]));
        check("light.¹²", Some(&[12]));
        check("light¹⁻³", Some(&[1, 2, 3]));
        check("in 2020¹", Some(&[1]));
        check("声调²", Some(&[2]));
        check("the US²", Some(&[2]));
        for power in [
            "x²",
            "10³",
            "m²",
            "5 km²",
            "R²",
            "10⁻³",
            "mc²",
            "x^2^",
            "10<sup>6</sup>",
            "1<sup>st</sup>",
            "^x^",
        ] {
            check(power, None);
        }
    }
}

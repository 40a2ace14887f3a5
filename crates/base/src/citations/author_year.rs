//! Citations by author and year as they stand in the text: `(Smith, 2020; Zhao et al., 2021a)`,
//! `Smith and Lee (2020)`, `（王等，2020）`. Hides lead-ins, pages, several years for one author, and
//! what only looks like an author.

use super::steps;
use crate::text::{months::MONTHS, words::is_han};

/// Most characters of a bracket; a longer one is prose.
const LONGEST: usize = 400;
/// Most characters of names in Latin letters and in Chinese characters; longer ones are prose.
const LONGEST_NAMES: usize = 100;
const LONGEST_HAN: usize = 12;

const LEADS: &[&str] = &[
    "see also ",
    "see, e.g., ",
    "see e.g. ",
    "see ",
    "e.g., ",
    "e.g. ",
    "cf. ",
    "also ",
    "as in ",
    "参见",
    "详见",
    "参考",
    "见",
    "如",
    "引自",
    "转引自",
];
/// Lower-case words that begin a name.
const PARTICLES: &[&str] = &[
    "van", "von", "de", "der", "den", "del", "della", "di", "da", "la", "le", "al", "el", "bin",
    "ibn", "ter",
];
/// Words with a capital letter that stand before a year and are no names, besides the months.
const NO_NAMES: &[&str] = &[
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "spring",
    "summer",
    "autumn",
    "fall",
    "winter",
    "early",
    "late",
    "mid",
    "in",
    "since",
    "by",
    "from",
    "until",
    "before",
    "after",
    "as",
    "about",
    "around",
    "circa",
    "accessed",
    "retrieved",
    "published",
    "updated",
    "figure",
    "fig",
    "table",
    "section",
    "chapter",
    "version",
    "volume",
    "vol",
    "the",
    "a",
    "an",
    "and",
    "this",
    "these",
    "on",
    "at",
];

/// One work that is named by author and year.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Work {
    /// As written: `Smith & Lee`, `王等`.
    pub authors: String,
    /// With its letter: `2021a`.
    pub year: String,
    /// How certain it is a citation even if no entry fits.
    pub sure: Certainty,
}

/// Certainty that a mark is a citation, by its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// `(Smith 2020)`, `Smith (2020)`
    Low,
    /// `(Smith, 2020)`
    Middle,
    /// `(Smith et al., 2020)`, `(Smith & Lee, 2020)`
    High,
}

/// The length of what is in the brackets that end before `text` does, where they hold no others.
pub(super) fn inner(text: &str) -> Option<usize> {
    let (end, c) = text
        .char_indices()
        .take(LONGEST)
        .find(|(_, c)| matches!(c, '(' | '（' | ')' | '）' | '\n'))?;
    matches!(c, ')' | '）').then_some(end)
}

/// The works that a bracket cites.
pub(super) fn parenthesis(inner: &str) -> Vec<Work> {
    if inner.chars().nth(LONGEST).is_some() {
        return Vec::new();
    }
    inner.split([';', '；']).flat_map(part).collect()
}

/// The works of one author: `Smith, 2020, 2021a, p. 5`.
fn part(text: &str) -> Vec<Work> {
    let text = text.trim();
    let text = LEADS
        .iter()
        .find_map(|lead| text.strip_prefix(lead))
        .unwrap_or(text)
        .trim();
    let Some(&(at, _)) = years(text).first() else {
        return Vec::new();
    };
    let before = text[..at].trim_end();
    let authors = before.trim_end_matches([',', '，', '、', ' ']);
    let (Some(years), true) = (year_list(&text[at..]), is_author(authors)) else {
        return Vec::new();
    };
    let sure = match () {
        () if is_joint(authors) => Certainty::High,
        () if authors.len() < before.len() => Certainty::Middle,
        () => Certainty::Low,
    };
    years
        .into_iter()
        .map(|year| Work {
            authors: authors.to_owned(),
            year,
            sure,
        })
        .collect()
}

/// The years of a bracket that holds nothing else but a place: `2020`, `2019, 2020a`, `2020, p. 5`.
pub(super) fn year_list(text: &str) -> Option<Vec<String>> {
    let text = text.trim();
    let (_, first) = *years(text).first().filter(|(at, _)| *at == 0)?;
    let mut years = vec![first.to_owned()];
    let mut rest = &text[first.len()..];
    while let Some(next) = rest.strip_prefix([',', '，', '、']).map(str::trim_start) {
        let letter = next.chars().next().filter(char::is_ascii_lowercase);
        let alone =
            letter.is_some() && !next[1..].starts_with(|c: char| c.is_alphanumeric() || c == '.');
        if let Some((0, year)) = self::years(next).first() {
            years.push((*year).to_owned());
            rest = &next[year.len()..];
        // `2021a, b`: a letter alone is the same year.
        } else if let Some(letter) = letter.filter(|_| alone) {
            years.push(format!("{}{letter}", &first[..4]));
            rest = &next[1..];
        } else {
            break;
        }
    }
    let rest = rest.strip_prefix('年').unwrap_or(rest).trim_start();
    (rest.is_empty() || rest.starts_with([',', ':', '，', '：', '/'])).then_some(years)
}

/// The years from 1500 to 2099 in a text with their letters, each with its place.
pub(super) fn years(text: &str) -> Vec<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut years = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        steps::add(1);
        let figures = bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        // `v1.2020`, `10.1000/2020`, `A2020`: figures within a version, a DOI or a name are no
        // year.
        let part = at > 0
            && (bytes[at - 1].is_ascii_alphabetic()
                || matches!(bytes[at - 1], b'.' | b'/' | b'-' | b'_'));
        if figures == 4 && !part && matches!(&bytes[at..at + 2], [b'1', b'5'..=b'9'] | [b'2', b'0'])
        {
            let end = at + 4;
            let letter = bytes.get(end).is_some_and(u8::is_ascii_lowercase);
            let word = bytes
                .get(end + usize::from(letter))
                .is_some_and(u8::is_ascii_alphanumeric);
            years.extend((!word).then(|| (at, &text[at..end + usize::from(letter)])));
        }
        at += figures.max(1);
    }
    years
}

fn is_author(name: &str) -> bool {
    if name.chars().nth(LONGEST_NAMES).is_some()
        || name.contains(|c: char| c.is_ascii_digit() || "=<>[]{}\"“”|/\\@#*?!:".contains(c))
    {
        return false;
    }
    if name.starts_with(is_han) {
        return name
            .chars()
            .all(|c| is_han(c) || c == ' ' || "、，,和与及·".contains(c))
            && name
                .split(['、', '，', ',', ' '])
                .all(|part| part.chars().count() <= LONGEST_HAN);
    }
    let mut words = name
        .split(|c: char| !(c.is_alphabetic() || matches!(c, '\'' | '’' | '-')))
        .filter(|word| !word.is_empty());
    let Some(first) = words.next() else {
        return false;
    };
    let capital = first.starts_with(char::is_uppercase);
    let particle =
        PARTICLES.contains(&first) && words.any(|word| word.starts_with(char::is_uppercase));
    (capital || particle)
        && !is_no_name(first)
        // More words are a sentence that happens to end in a year.
        && name.split_whitespace().count() <= 14
}

fn is_no_name(word: &str) -> bool {
    let word = word.to_lowercase();
    MONTHS.contains(&word.as_str()) || NO_NAMES.contains(&word.as_str())
}

/// Whether the form names several authors.
fn is_joint(authors: &str) -> bool {
    ["et al", " & ", " and ", " und ", "等"]
        .iter()
        .any(|joint| authors.contains(joint))
}

/// Where the authors begin that stand right before `(2020)`, at the end of `text`: `Smith et al.`,
/// `Smith and Lee`, `Smith`.
pub(super) fn named_before(text: &str) -> Option<(usize, Certainty)> {
    let text = without_blanks(text);
    let many = text
        .strip_suffix("et al.")
        .or_else(|| text.strip_suffix("et al"));
    let names = many.unwrap_or(text).trim_end_matches([' ', ',']);
    let last = name_start(names)?;
    let before = names[..last].trim_end_matches(' ');
    let joined = ["&", " and", " und"]
        .iter()
        .find_map(|and| before.strip_suffix(and))
        .filter(|_| many.is_none());
    let first = joined.and_then(|rest| name_start(rest.trim_end_matches([' ', ','])));
    let sure = if many.is_some() || first.is_some() {
        Certainty::High
    } else {
        Certainty::Low
    };
    Some((first.unwrap_or(last), sure))
}

/// Where the last word of a text begins, if it is a name in Latin letters or the like.
fn name_start(text: &str) -> Option<usize> {
    let letter = |c: char| (c.is_alphabetic() && !is_han(c)) || matches!(c, '\'' | '’' | '-');
    let start = text
        .char_indices()
        .rev()
        .take_while(|(_, c)| letter(*c))
        .last()?
        .0;
    steps::add(text.len() - start);
    let word = &text[start..];
    let name = word.starts_with(char::is_uppercase) && !is_no_name(word);
    name.then_some(start)
}

/// Where the Han characters are that stand right before `（2020）`, without 等 and 等人; a name may be
/// at their end.
pub(super) fn han_before(text: &str) -> std::ops::Range<usize> {
    let text = without_blanks(text);
    let text = text
        .strip_suffix("等人")
        .or_else(|| text.strip_suffix('等'))
        .unwrap_or(text);
    let start = text
        .char_indices()
        .rev()
        .take_while(|(_, c)| is_han(*c))
        .last()
        .map_or(text.len(), |(at, _)| at);
    steps::add(text.len() - start);
    start..text.len()
}

fn without_blanks(text: &str) -> &str {
    let trimmed = text.trim_end();
    steps::add(text.len() - trimmed.len());
    trimmed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_hold_authors_and_years() {
        let check = |inner: &str, expect: &[(&str, &str)]| {
            let works = parenthesis(inner);
            let found: Vec<(&str, &str)> = works
                .iter()
                .map(|work| (work.authors.as_str(), work.year.as_str()))
                .collect();
            assert_eq!(found, expect, "{inner}");
        };
        check("Smith, 2020", &[("Smith", "2020")]);
        check("Smith 2020", &[("Smith", "2020")]);
        check(
            "see Smith & Lee, 2020; Zhao et al., 2021a, p. 3",
            &[("Smith & Lee", "2020"), ("Zhao et al.", "2021a")],
        );
        check(
            "Smith, 2019, 2020a, b",
            &[("Smith", "2019"), ("Smith", "2020a"), ("Smith", "2019b")],
        );
        check("van der Berg, 1999: 12", &[("van der Berg", "1999")]);
        check(
            "World Health Organization, 2020",
            &[("World Health Organization", "2020")],
        );
        check("王，2020", &[("王", "2020")]);
        check(
            "参见王小明等，2020年；李、张，2021",
            &[("王小明等", "2020"), ("李、张", "2021")],
        );
        for prose in [
            "2020",
            "in 2020",
            "March 2020",
            "see Figure 3, 2020",
            "a = 2020",
            "Smith, 20201",
            "Smith",
            "from Smith 2020",
            "",
        ] {
            check(prose, &[]);
        }
    }

    #[test]
    fn authors_stand_before_their_year() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(
                named_before(text).map(|(start, _)| text[start..].trim_end()),
                expect,
                "{text}"
            );
        };
        check("as Smith et al. ", Some("Smith et al."));
        check("as Smith and Lee ", Some("Smith and Lee"));
        check("as O’Neil & Lee-Wong", Some("O’Neil & Lee-Wong"));
        check("as Smith ", Some("Smith"));
        check("cats and Smith ", Some("Smith"));
        for prose in ["as it was ", "In ", "", "声调", "x)"] {
            check(prose, None);
        }
        let text = "见 根据王小明等人 ";
        assert_eq!(&text[han_before(text)], "根据王小明");
    }

    #[test]
    fn years_stand_alone() {
        let found: Vec<&str> =
            years("1999, 2021a, 20201, 1234, v2020, /2020/, 2020年 2021ab (2022)")
                .iter()
                .map(|(_, y)| *y)
                .collect();
        assert_eq!(found, ["1999", "2021a", "2020", "2022"]);
    }
}

//! Dates of any precision: a year, a quarter, a month, a day. Hides their spellings.

use super::token::{Date, Token, What};
use crate::text::months::MONTHS;

const FIRST_YEAR: f64 = 1_500.0;
const LAST_YEAR: f64 = 2_100.0;

/// The year that a number without anything around it is.
pub(super) fn year(value: f64, figures: usize) -> Option<Date> {
    let likely = figures == 4 && (FIRST_YEAR..=LAST_YEAR).contains(&value);
    likely.then(|| Date::of_year(value as u16))
}

/// A date that digits begin, and how many characters it has: `2022-05-14`, `2022年3月1日`.
pub(super) fn in_digits(chars: &[char]) -> Option<(Date, usize)> {
    let (value, figures) = number(chars);
    let year = year(f64::from(value), figures)?.year;
    let mut date = Date::of_year(year);
    match chars.get(4)? {
        '年' => {
            let mut end = 5;
            if let Some((month, length)) = part(&chars[end..], &['月'], 12) {
                date.month = Some(month);
                end += length;
                if let Some((day, length)) = part(&chars[end..], &['日', '号'], 31) {
                    date.day = Some(day);
                    end += length;
                }
            }
            Some((date, end))
        }
        '-' => {
            let (month, two) = number(&chars[5..]);
            if two != 2 || !(1..=12).contains(&month) {
                return None;
            }
            date.month = Some(month as u8);
            let (day, two) = number(chars.get(8..)?);
            if chars[7..].first() == Some(&'-') && two == 2 && (1..=31).contains(&day) {
                date.day = Some(day as u8);
                return Some((date, 10));
            }
            let ends = chars.get(7).is_none_or(|c| !c.is_alphanumeric());
            ends.then_some((date, 7))
        }
        _ => None,
    }
}

fn number(chars: &[char]) -> (u32, usize) {
    let digits: String = chars
        .iter()
        .take(5)
        .take_while(|c| c.is_ascii_digit())
        .collect();
    (digits.parse().unwrap_or(0), digits.len())
}

fn part(chars: &[char], names: &[char], most: u32) -> Option<(u8, usize)> {
    let (value, figures) = number(chars);
    let follows = chars.get(figures).is_some_and(|c| names.contains(c));
    (follows && (1..=most).contains(&value)).then_some((value as u8, figures + 1))
}

/// The month that a word is, in full or in three or four letters.
pub(in crate::lint) fn month(word: &str) -> Option<u8> {
    let at = MONTHS.iter().position(|month| {
        *month == word
            || (word.len() == 3 && month.starts_with(word))
            || (word == "sept" && month.starts_with(word))
    })?;
    Some(at as u8 + 1)
}

fn quarter(word: &str) -> Option<u8> {
    match word {
        "q1" | "first" => Some(1),
        "q2" | "second" => Some(2),
        "q3" | "third" => Some(3),
        "q4" | "fourth" => Some(4),
        _ => None,
    }
}

/// The tokens with the parts of each date as one.
pub(super) fn joined(tokens: Vec<Token>) -> Vec<Token> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let found = worded(&tokens[at..]);
        let used = found.map_or(1, |(_, used)| used);
        let what = found.map_or_else(|| tokens[at].what.clone(), |(date, _)| What::Date(date));
        out.push(Token {
            what,
            range: tokens[at].range.start..tokens[at + used - 1].range.end,
        });
        at += used;
    }
    out
}

/// The date in words that tokens begin with, and how many it has.
fn worded(tokens: &[Token]) -> Option<(Date, usize)> {
    let day = |at: usize| {
        let amount = tokens.get(at)?.amount()?;
        let fits = amount.bare && (1.0..=31.0).contains(&amount.figure);
        fits.then_some(amount.figure as u8)
    };
    let named = |at: usize| match &tokens.get(at)?.what {
        What::Word { text, capital, .. } if *capital => month(text),
        _ => None,
    };
    let year = |at: usize| {
        let date = tokens.get(at)?.date()?;
        (date.month.is_none() && date.quarter.is_none()).then_some(date.year)
    };
    let skip = |at: usize| at + usize::from(tokens.get(at).is_some_and(|t| t.is_mark(&['.', ','])));
    if let (Some(day), Some(month)) = (day(0), named(1)) {
        let at = skip(2);
        let year = year(at)?;
        return Some((full(year, month, Some(day)), at + 1));
    }
    if let Some(month) = named(0) {
        let at = skip(1);
        if let Some(day) = day(at) {
            let at = skip(at + 1);
            return Some((full(year(at)?, month, Some(day)), at + 1));
        }
        return Some((full(year(at)?, month, None), at + 1));
    }
    let quarter = quarter(tokens.first()?.word()?)?;
    let word = |at: usize, word: &str| tokens.get(at).and_then(Token::word) == Some(word);
    let mut at = 1 + usize::from(word(1, "quarter"));
    at += usize::from(word(at, "of"));
    let short = tokens[0].word()?.starts_with('q');
    let date = Date {
        quarter: Some(quarter),
        ..Date::of_year(year(at)?)
    };
    (short || word(1, "quarter")).then_some((date, at + 1))
}

fn full(year: u16, month: u8, day: Option<u8>) -> Date {
    Date {
        month: Some(month),
        day,
        ..Date::of_year(year)
    }
}

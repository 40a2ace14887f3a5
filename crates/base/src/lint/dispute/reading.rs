//! A sentence as words, figures and dates, each with its place. Hides the many ways to write them:
//! number words, days without a year, decades, days of the week, results of matches.

use std::ops::Range;

use super::{
    han::{Plain, is_counted},
    vocabulary::stem,
};
use crate::{
    lint::consistency::{
        dates::month,
        lex,
        token::{Amount, Date as Written, Hedge, Token, What as Read},
        units,
    },
    text::numbers::{english_numbers, is_cardinal},
};

/// Most characters of a sentence that are read.
const LONGEST: usize = 6_000;
/// Most words and figures of a sentence that are compared.
const MOST: usize = 400;

const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// A part of a date, or all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Date {
    pub century: Option<u16>,
    /// The decade's first year.
    pub decade: Option<u16>,
    pub year: Option<u16>,
    pub quarter: Option<u8>,
    pub month: Option<u8>,
    pub day: Option<u8>,
    pub weekday: Option<u8>,
}

/// A figure, or several that are one: the result of a match, a range.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    pub amounts: Vec<Amount>,
    /// A place in an order: "third".
    pub ordinal: bool,
}

/// What an item of a sentence is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    Word {
        text: String,
        stem: String,
        capital: bool,
        /// It has capitals or digits within, as abbreviations have.
        inner: bool,
    },
    Figure(Figure),
    Date(Date),
    Han(char),
    Mark(char),
}

/// A part of a sentence with its place in characters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    pub what: What,
    pub range: Range<usize>,
}

impl Item {
    pub(super) fn word(&self) -> Option<&str> {
        match &self.what {
            What::Word { text, .. } => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_capital(&self) -> bool {
        matches!(self.what, What::Word { capital: true, .. })
    }
}

/// The items of a sentence, in order.
pub(super) fn read(sentence: &str) -> Vec<Item> {
    let plain = Plain::read(sentence, LONGEST);
    let mut tokens = lex::tokens(&plain.chars, 0..plain.chars.len(), None);
    tokens.truncate(MOST);
    let mut items = single_han(tokens);
    items.truncate(MOST);
    count_years(&mut items);
    let items = dated(numbered(items));
    let place = |item: Item| Item {
        range: plain.place(&item.range),
        what: item.what,
    };
    joined(items).into_iter().map(place).collect()
}

/// Each token as an item, and each Han character as one of its own.
fn single_han(tokens: Vec<Token>) -> Vec<Item> {
    let mut items = Vec::with_capacity(tokens.len());
    for Token { what, range } in tokens {
        let what = match what {
            Read::Han(text) => {
                let chars = text.chars().zip(range);
                items.extend(chars.map(|(c, at)| Item {
                    what: What::Han(c),
                    range: at..at + 1,
                }));
                continue;
            }
            Read::Word {
                text,
                capital,
                inner,
            } => {
                if let Some(figure) = compound(&text) {
                    items.extend(split(text, figure, &range));
                    continue;
                }
                word(text, capital, inner)
            }
            Read::Amount(amount) if is_decade(&amount, range.len()) => What::Date(Date {
                decade: Some(amount.figure as u16),
                ..Date::default()
            }),
            Read::Amount(amount) => What::Figure(Figure {
                amounts: vec![amount],
                ordinal: false,
            }),
            Read::Date(date) => What::Date(of_written(date)),
            Read::Mark(c) => What::Mark(c),
        };
        items.push(Item { what, range });
    }
    items
}

/// "1920s", which might be so many seconds.
fn is_decade(amount: &Amount, length: usize) -> bool {
    let seconds = amount.unit.name == "s" && length == 5;
    seconds && (1_000.0..2_100.0).contains(&amount.figure) && amount.figure % 10.0 == 0.0
}

/// The figure that a word such as "29-yard" or "three-game" begins with.
fn compound(text: &str) -> Option<Figure> {
    let (number, noun) = text.split_once('-')?;
    let known = noun.len() > 2 && noun.chars().all(char::is_alphabetic) && !is_cardinal(noun);
    let digits = number.parse().ok().filter(|_| number.len() < 7);
    let spelled = || match &english_numbers(&[number])[..] {
        [spelled] if is_cardinal(number) => spelled.parse().ok(),
        _ => None,
    };
    let value: f64 = digits.or_else(spelled).filter(|_| known)?;
    Some(Figure {
        amounts: vec![whole(value)],
        ordinal: false,
    })
}

/// The figure of a compound, and its noun.
fn split(text: String, figure: Figure, range: &Range<usize>) -> [Item; 2] {
    let at = range.start + text.chars().take_while(|c| *c != '-').count();
    let noun: String = text.chars().skip_while(|c| *c != '-').skip(1).collect();
    let figure = Item {
        what: What::Figure(figure),
        range: range.start..at,
    };
    let noun = Item {
        what: word(noun, false, false),
        range: (at + 1).min(range.end)..range.end,
    };
    [figure, noun]
}

fn word(text: String, capital: bool, inner: bool) -> What {
    let plain = text.trim_end_matches("'s").trim_end_matches("’s");
    What::Word {
        stem: stem(plain),
        capital,
        inner,
        text,
    }
}

fn of_written(date: Written) -> Date {
    Date {
        year: Some(date.year),
        quarter: date.quarter,
        month: date.month,
        day: date.day,
        ..Date::default()
    }
}

/// What looks like a year and has a measure word after it is a number: "2100人".
fn count_years(items: &mut [Item]) {
    for at in 1..items.len() {
        let counted =
            matches!(items[at].what, What::Han(c) if is_counted(c) && !"年月日号".contains(c));
        let of_year = |year| Date {
            year: Some(year),
            ..Date::default()
        };
        if let What::Date(
            date @ Date {
                year: Some(year), ..
            },
        ) = items[at - 1].what
            && counted
            && date == of_year(year)
        {
            items[at - 1].what = What::Figure(Figure {
                amounts: vec![whole(f64::from(year))],
                ordinal: false,
            });
        }
    }
}

/// Number words as figures, in runs: "twenty-one thousand", "third".
fn numbered(items: Vec<Item>) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::with_capacity(items.len());
    let mut at = 0;
    while at < items.len() {
        let length = run_of_numbers(&items[at..]);
        let figure = figure_of(&items[at..at + length.max(1)]);
        if let Some(figure) = figure {
            let end = items[at + length.max(1) - 1].range.end;
            out.push(Item {
                what: figure,
                range: items[at].range.start..end,
            });
            at += length.max(1);
        } else {
            out.push(items[at].clone());
            at += 1;
        }
    }
    out
}

/// How many words from here are parts of one number.
fn run_of_numbers(items: &[Item]) -> usize {
    let part = |item: &Item| {
        let word = item.word()?;
        word.split('-').all(is_cardinal).then_some(())
    };
    items.iter().take(8).map_while(part).count()
}

fn figure_of(items: &[Item]) -> Option<What> {
    let words: Vec<&str> = items.iter().filter_map(Item::word).collect();
    if words.len() != items.len() || words.is_empty() {
        return None;
    }
    let parts: Vec<&str> = words.iter().flat_map(|word| word.split('-')).collect();
    let [number] = &english_numbers(&parts)[..] else {
        return None;
    };
    if number.ends_with("0s") {
        let decade = number.trim_end_matches('s').parse().ok()?;
        return (1_000..2_100).contains(&decade).then(|| {
            What::Date(Date {
                decade: Some(decade),
                ..Date::default()
            })
        });
    }
    let digits = number.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let ending = &number[digits.len()..];
    // `NAN` and `INF` are words.
    let value: f64 = digits
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())?;
    let ordinal = matches!(ending, "st" | "nd" | "rd" | "th");
    // "Second" may be a unit and "a hundred" is an article's; alone, neither is left out.
    (ordinal || ending.is_empty()).then(|| {
        What::Figure(Figure {
            amounts: vec![whole(value)],
            ordinal,
        })
    })
}

fn whole(value: f64) -> Amount {
    Amount {
        figure: value,
        scale: 1.0,
        step: 1.0,
        round: 1.0,
        unit: units::NONE,
        hedge: Hedge::Exact,
        bare: true,
    }
}

/// Days without a year, in English and Chinese, days of the week and centuries.
fn dated(items: Vec<Item>) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::with_capacity(items.len());
    let mut at = 0;
    while at < items.len() {
        if let Some((date, used)) = date_at(&items[at..]) {
            out.push(Item {
                what: What::Date(date),
                range: items[at].range.start..items[at + used - 1].range.end,
            });
            at += used;
        } else {
            out.push(items[at].clone());
            at += 1;
        }
    }
    out
}

fn date_at(items: &[Item]) -> Option<(Date, usize)> {
    let none = Date::default();
    let named = |at: usize| {
        let item = items.get(at).filter(|item| item.is_capital())?;
        // "May" alone is more often a verb at the beginning of a sentence.
        month(item.word()?)
    };
    let day = |at: usize| small(items.get(at)?, 31);
    let mark = |at: usize, c: char| matches!(items.get(at).map(|item| &item.what), Some(What::Han(x)) if *x == c);
    if let (Some(day), Some(month)) = (day(0), named(1)) {
        return Some((
            Date {
                month: Some(month),
                day: Some(day),
                ..none
            },
            2,
        ));
    }
    if let Some(month) = named(0) {
        let day = day(1);
        let used = 1 + usize::from(day.is_some());
        return Some((
            Date {
                month: Some(month),
                day,
                ..none
            },
            used,
        ));
    }
    if let Some(month) = small(items.first()?, 12).filter(|_| mark(1, '月')) {
        let day = day(2).filter(|_| mark(3, '日') || mark(3, '号'));
        let used = 2 + 2 * usize::from(day.is_some());
        return Some((
            Date {
                month: Some(month),
                day,
                ..none
            },
            used,
        ));
    }
    let word = items[0].word();
    if let Some(weekday) = word.and_then(|word| WEEKDAYS.iter().position(|day| *day == word)) {
        return Some((
            Date {
                weekday: Some(weekday as u8),
                ..none
            },
            1,
        ));
    }
    century(items).map(|century| {
        (
            Date {
                century: Some(century),
                ..none
            },
            2,
        )
    })
}

/// A whole number from 1 to `most`, also one that belongs to the name before it.
fn small(item: &Item, most: u8) -> Option<u8> {
    let value = match &item.what {
        What::Figure(Figure {
            amounts,
            ordinal: false,
        }) => match amounts[..] {
            [amount] if amount.bare => amount.figure,
            _ => return None,
        },
        What::Word { text, .. } if text.len() <= 2 => text.parse().ok()?,
        _ => return None,
    };
    (1.0..=f64::from(most))
        .contains(&value)
        .then_some(value as u8)
}

fn century(items: &[Item]) -> Option<u16> {
    let What::Figure(Figure {
        amounts,
        ordinal: true,
    }) = &items.first()?.what
    else {
        return None;
    };
    let word = items.get(1)?.word()?;
    let value = amounts.first()?.figure;
    (matches!(word, "century" | "centuries") && (1.0..=21.0).contains(&value))
        .then_some(value as u16)
}

/// Results and ranges as one figure ("24–10", "5–3–1"), and seasons as one year ("2007–08").
fn joined(items: Vec<Item>) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::with_capacity(items.len());
    let mut items = items.into_iter().peekable();
    while let Some(item) = items.next() {
        let dash = matches!(item.what, What::Mark('–' | '-' | '—' | '−' | '~' | '～'));
        let touches = out
            .last()
            .is_some_and(|last| last.range.end == item.range.start);
        let next = items
            .peek()
            .filter(|next| next.range.start == item.range.end);
        let Some(What::Figure(figure)) = next
            .map(|next| next.what.clone())
            .filter(|_| dash && touches)
        else {
            out.push(item);
            continue;
        };
        let end = next.map_or(item.range.end, |next| next.range.end);
        let joins = match out.last_mut().map(|last| &mut last.what) {
            Some(What::Figure(first)) if !first.ordinal => {
                first.amounts.extend(figure.amounts);
                true
            }
            Some(What::Date(_)) => figure.amounts.iter().all(|amount| amount.bare),
            _ => false,
        };
        if joins {
            items.next();
            if let Some(last) = out.last_mut() {
                last.range.end = end;
            }
        } else {
            out.push(item);
        }
    }
    out
}

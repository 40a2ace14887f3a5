//! The words, amounts and dates of a sentence, each with its place. Hides how numbers, units and
//! dates are written in English and Chinese.

use std::ops::Range;

use super::{
    dates, hedges, steps,
    token::{Amount, Hedge, Token, What},
    units::{self, Unit},
    vocabulary::{class, is_numbered},
};
use crate::text::words::is_han;

/// Longest word that is kept as it is, in characters: nothing longer means anything.
const LONGEST_WORD: usize = 40;
/// Most figures of a number that is read as one.
const MOST_FIGURES: usize = 15;

/// The tokens of a part of the text. A unit that stands apart, as in the head of a column, is given
/// with `unit`.
pub(in crate::lint) fn tokens(
    chars: &[char],
    range: Range<usize>,
    unit: Option<Unit>,
) -> Vec<Token> {
    let mut reader = Reader {
        chars: &chars[..range.end],
        at: range.start,
        start: range.start,
        unit,
    };
    steps::add(range.len());
    let mut tokens = Vec::new();
    while let Some(token) = reader.next_token() {
        tokens.push(token);
    }
    let mut tokens = dates::joined(tokens);
    number_names(chars, &mut tokens);
    hedges::mark(&mut tokens);
    tokens
}

/// Makes a number without a unit that follows a name or a word such as "version" a part of it.
fn number_names(chars: &[char], tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        let plain = |amount: &Amount| amount.unit == units::NONE && amount.scale <= 1.0;
        let named = match &tokens[at - 1].what {
            What::Word { text, capital, .. } => {
                is_numbered(text) || (*capital && class(text).is_none() && !hedges::hedges(text))
            }
            _ => false,
        };
        if named && tokens[at].amount().is_some_and(plain) {
            tokens[at].what = What::Word {
                text: chars[tokens[at].range.clone()].iter().collect(),
                capital: false,
                inner: true,
            };
        }
    }
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    start: usize,
    unit: Option<Unit>,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\n')
    }

    fn next_token(&mut self) -> Option<Token> {
        while self.at < self.chars.len() && self.peek(0).is_whitespace() {
            self.at += 1;
        }
        let start = self.at;
        let c = *self.chars.get(self.at)?;
        let what = match c {
            _ if c.is_ascii_digit() => self.number(None),
            _ if units::symbol(c).is_some() => self.priced(units::symbol(c)),
            _ if is_han(c) => What::Han(self.take(is_han)),
            _ if c.is_alphanumeric() => self.word(),
            _ => {
                self.at += 1;
                What::Mark(c)
            }
        };
        Some(Token {
            what,
            range: start..self.at,
        })
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.at < self.chars.len() && belongs(self.peek(0)) {
            self.at += 1;
        }
        let end = self.at.min(start + LONGEST_WORD);
        self.chars[start..end].iter().collect()
    }

    /// A word with the hyphens, apostrophes and digits within it; a currency's code takes the
    /// number after it.
    fn word(&mut self) -> What {
        let start = self.at;
        while self.at < self.chars.len() {
            let inner = matches!(self.peek(0), '-' | '\'' | '’' | '&' | '+')
                && self.peek(1).is_alphanumeric();
            let letter = self.peek(0).is_alphanumeric() && !is_han(self.peek(0));
            if !inner && !letter {
                break;
            }
            self.at += 1;
        }
        let end = self.at.min(start + LONGEST_WORD);
        let text: String = self.chars[start..end].iter().collect();
        let dollars = matches!(text.as_str(), "US" | "A" | "C" | "HK" | "S") && self.peek(0) == '$';
        let code = if dollars {
            format!("{text}$")
        } else {
            text.clone()
        };
        let gap = usize::from(dollars) + usize::from(self.peek(usize::from(dollars)) == ' ');
        if let Some(unit) = units::currency(&code).filter(|_| self.peek(gap).is_ascii_digit()) {
            self.at += gap;
            return self.number(Some(unit));
        }
        let inner = |c: char| c.is_uppercase() || c.is_ascii_digit();
        let lower = text.to_lowercase();
        let bare = lower
            .strip_suffix("'s")
            .or_else(|| lower.strip_suffix("’s"))
            .unwrap_or(&lower);
        What::Word {
            capital: text.starts_with(char::is_uppercase),
            inner: text.chars().skip(1).any(inner),
            text: bare.to_owned(),
        }
    }

    fn priced(&mut self, unit: Option<Unit>) -> What {
        let symbol = self.peek(0);
        let gap = 1 + usize::from(self.peek(1) == ' ');
        if !self.peek(gap).is_ascii_digit() {
            self.at += 1;
            return What::Mark(symbol);
        }
        self.at += gap;
        self.number(unit)
    }

    /// A number that begins here, with the words and units that belong to it.
    fn number(&mut self, money: Option<Unit>) -> What {
        let start = self.at;
        let minus = self.is_negative(start);
        if let Some((date, length)) = dates::in_digits(&self.chars[start..]) {
            self.at += length;
            return What::Date(date);
        }
        let Some(digits) = self.digits() else {
            self.at = start;
            return self.opaque(start);
        };
        let after_digits = self.at;
        let (scale, unit) = self.scale_and_unit(money);
        let known = self.at > after_digits;
        // Letters that touch a number and are no unit make a name of both: 10x, 3D, 19th.
        let glued = self.peek(0).is_alphanumeric() && !is_han(self.peek(0));
        let named = matches!(self.peek(0), '-' | '’' | '\'') && self.peek(1).is_alphabetic();
        if glued || (named && !known) {
            self.at = start;
            return self.opaque(start);
        }
        if !known
            && digits.decimals == 0
            && !digits.grouped
            && money.is_none()
            && self.unit.is_none()
            && let Some(date) = dates::year(digits.value, digits.figures)
        {
            return What::Date(date);
        }
        let unit = unit.or(self.unit).unwrap_or(units::NONE);
        let place = scale * unit.size() * 0.1_f64.powi(digits.decimals as i32);
        What::Amount(Amount {
            figure: if minus { -digits.value } else { digits.value },
            scale,
            step: place,
            round: place * 10_f64.powi(digits.noughts as i32),
            unit,
            hedge: Hedge::Exact,
            bare: !known && digits.decimals == 0 && money.is_none(),
        })
    }

    fn is_negative(&self, at: usize) -> bool {
        let before = |back: usize| {
            let place = at.checked_sub(back).filter(|place| *place >= self.start);
            place.map_or(' ', |place| self.chars[place])
        };
        matches!(before(1), '-' | '−') && matches!(before(2), ' ' | '(' | '|' | '（')
    }

    /// What has digits and is no number: a version, a name, too many figures.
    fn opaque(&mut self, start: usize) -> What {
        let joined = |c: char, next: char| {
            (c.is_alphanumeric() && !is_han(c))
                || (matches!(c, '.' | '-' | ',' | '’') && next.is_alphanumeric() && !is_han(next))
        };
        while self.at < self.chars.len() && joined(self.peek(0), self.peek(1)) {
            self.at += 1;
        }
        let end = self.at.min(start + LONGEST_WORD);
        What::Word {
            text: self.chars[start..end]
                .iter()
                .collect::<String>()
                .to_lowercase(),
            capital: false,
            inner: true,
        }
    }

    fn digits(&mut self) -> Option<Digits> {
        let start = self.at;
        let mut text = String::new();
        let (mut decimals, mut grouped, mut point) = (0, false, false);
        loop {
            let c = self.peek(0);
            if c.is_ascii_digit() {
                decimals += usize::from(point);
                text.push(c);
            } else if c == ',' && !point && self.is_group() {
                grouped = true;
            } else if c == '.' && self.peek(1).is_ascii_digit() {
                if point {
                    return None;
                }
                point = true;
                text.push(c);
            } else {
                break;
            }
            self.at += 1;
            if self.at - start > MOST_FIGURES + 6 {
                return None;
            }
        }
        let figures = text.bytes().filter(u8::is_ascii_digit).count();
        let noughts = if point {
            0
        } else {
            figures - text.trim_end_matches('0').len()
        };
        let value = text.parse().ok().filter(|_| figures <= MOST_FIGURES)?;
        Some(Digits {
            value,
            figures,
            decimals,
            noughts,
            grouped,
        })
    }

    /// Whether three digits follow, and no fourth.
    fn is_group(&self) -> bool {
        (1..=3).all(|ahead| self.peek(ahead).is_ascii_digit()) && !self.peek(4).is_ascii_digit()
    }

    fn scale_and_unit(&mut self, money: Option<Unit>) -> (f64, Option<Unit>) {
        let mut scale = 1.0;
        if let Some((factor, length)) = units::han_scale(&self.chars[self.after_space()..]) {
            self.at = self.after_space() + length;
            scale = factor;
        } else {
            let (word, end) = self.unit_word();
            let touching = self.after_space() == self.at;
            if let Some(factor) = units::scale(&word, touching, money.is_some()) {
                self.at = end;
                scale = factor;
            }
        }
        if let Some(unit) = money {
            return (scale, Some(unit));
        }
        let from = self.after_space();
        if let Some((unit, length)) = units::han_unit(&self.chars[from..]) {
            self.at = from + length;
            return (scale, Some(unit));
        }
        let (word, end) = self.unit_word();
        if let Some((points, end)) = self.points(&word, end) {
            self.at = end;
            return (scale, Some(points));
        }
        let unit = units::unit(&word);
        if unit.is_some() {
            self.at = end;
        }
        (scale, unit)
    }

    /// "percentage points", "per cent".
    fn points(&self, word: &str, end: usize) -> Option<(Unit, usize)> {
        let (second, end) = word_at(self.chars, end + 1);
        match (word, second.as_str()) {
            ("percentage" | "percent" | "%", "point" | "points") => Some((units::points(), end)),
            ("per", "cent") => Some((units::unit("%")?, end)),
            _ => None,
        }
    }

    fn after_space(&self) -> usize {
        let at = self.at.min(self.chars.len());
        at + usize::from(self.peek(0) == ' ' && at < self.chars.len())
    }

    fn unit_word(&self) -> (String, usize) {
        word_at(self.chars, self.after_space())
    }
}

struct Digits {
    value: f64,
    figures: usize,
    decimals: usize,
    noughts: usize,
    grouped: bool,
}

/// The letters and signs of a unit from `at`, and where they end.
fn word_at(chars: &[char], at: usize) -> (String, usize) {
    let sign = |c: char| matches!(c, '%' | '°' | '℃' | '℉' | '²' | '³' | '€' | '£' | '$');
    let at = at.min(chars.len());
    let mut end = at;
    while end < chars.len()
        && end - at < 16
        && (sign(chars[end]) || chars[end].is_alphabetic() && !is_han(chars[end]))
    {
        end += 1;
        if chars[end - 1] == '%' {
            break;
        }
    }
    if chars[at..end] == ['k', 'm'] && chars[end..].starts_with(&['/', 'h']) {
        end += 2;
    }
    (chars[at..end].iter().collect(), end)
}

//! What a sentence is read as: words, amounts, dates and marks, each with its place.

use std::ops::Range;

use super::units::Unit;

/// A date as exactly as the text has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lint) struct Date {
    pub year: u16,
    pub quarter: Option<u8>,
    pub month: Option<u8>,
    pub day: Option<u8>,
}

impl Date {
    pub(in crate::lint) fn of_year(year: u16) -> Self {
        Self {
            year,
            quarter: None,
            month: None,
            day: None,
        }
    }

    /// Whether one of two dates is the other, or a part of it.
    pub(in crate::lint) fn agrees(&self, other: &Self) -> bool {
        let same = |a: Option<u8>, b: Option<u8>| a.zip(b).is_none_or(|(a, b)| a == b);
        let quarter = |date: &Self| date.quarter.or(date.month.map(|month| month.div_ceil(3)));
        self.year == other.year
            && same(quarter(self), quarter(other))
            && same(self.month, other.month)
            && same(self.day, other.day)
    }

    /// The words of the date as one, for comparing what is said of it.
    pub(in crate::lint) fn key(&self) -> String {
        let part = |part: Option<u8>| part.unwrap_or(0);
        format!(
            "@{}-{}-{}-{}",
            self.year,
            part(self.quarter),
            part(self.month),
            part(self.day)
        )
    }
}

/// How exactly an amount is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lint) enum Hedge {
    Exact,
    About,
    /// At least or at most so much.
    Bound,
    /// One end of a range or of a change.
    End,
}

/// A number with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::lint) struct Amount {
    /// The number as written, without its multiplying word.
    pub figure: f64,
    /// What the multiplying word says: a million.
    pub scale: f64,
    /// What one in the last place means, in the first unit of the dimension.
    pub step: f64,
    /// The same if the noughts at the end are only there for the size.
    pub round: f64,
    pub unit: Unit,
    pub hedge: Hedge,
    /// A whole number in digits alone.
    pub bare: bool,
}

impl Amount {
    /// In the first unit of the dimension.
    pub(in crate::lint) fn value(&self) -> f64 {
        self.unit.base(self.figure * self.scale)
    }
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::lint) enum What {
    /// A word in lower case, and whether it begins with a capital and has others or digits within.
    Word {
        text: String,
        capital: bool,
        inner: bool,
    },
    Amount(Amount),
    Date(Date),
    /// Han characters that stand together.
    Han(String),
    Mark(char),
}

/// A token and its place in characters.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::lint) struct Token {
    pub what: What,
    pub range: Range<usize>,
}

impl Token {
    pub(in crate::lint) fn word(&self) -> Option<&str> {
        match &self.what {
            What::Word { text, .. } => Some(text),
            _ => None,
        }
    }

    pub(in crate::lint) fn amount(&self) -> Option<&Amount> {
        match &self.what {
            What::Amount(amount) => Some(amount),
            _ => None,
        }
    }

    pub(in crate::lint) fn date(&self) -> Option<Date> {
        match self.what {
            What::Date(date) => Some(date),
            _ => None,
        }
    }

    pub(in crate::lint) fn is_mark(&self, marks: &[char]) -> bool {
        matches!(self.what, What::Mark(c) if marks.contains(&c))
    }
}

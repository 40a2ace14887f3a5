//! Arithmetic in a sentence that disagrees with itself: "12 people (5 men and 8 women)", "three of
//! 10 (40 %)", "from 40 to 50 (a 30 % increase)". Works on tokens.

use std::ops::Range;

use super::{
    Conflict, Kind,
    document::Document,
    place,
    token::{Amount, Hedge, Token, What},
    units::Dimension,
    vocabulary::small_number,
};

/// How far a share or a change may be off, in points, beside what rounding explains.
const SLACK: f64 = 0.6;
/// How many words may stand between "3 of 10" and its share.
const NEAR: usize = 5;
/// How many words may stand between the ends of a change and its share.
const NEAR_CHANGE: usize = 8;

/// Groups that are a whole together.
#[rustfmt::skip]
const WHOLES: &[[&str; 2]] = &[
    ["men", "women"], ["male", "female"], ["males", "females"], ["boys", "girls"],
    ["urban", "rural"], ["男", "女"],
];
const ALL: &[&str] = &["total", "altogether", "all"];
const ALL_HAN: &[&str] = &["共", "合计", "总计", "总共"];
const PARTIAL: &[&str] = &[
    "including",
    "among",
    "with",
    "of",
    "mainly",
    "mostly",
    "e.g",
    "plus",
    "another",
];
const PARTIAL_HAN: &[&str] = &["其中", "包括", "主要", "含", "另"];
const RISE: &[&str] = &["increase", "rise", "gain", "growth", "jump", "up"];
const FALL: &[&str] = &[
    "decrease",
    "drop",
    "decline",
    "fall",
    "reduction",
    "cut",
    "down",
];
const RISE_HAN: &[&str] = &["增幅", "涨幅", "增长", "上升"];
const FALL_HAN: &[&str] = &["降幅", "跌幅", "下降", "减少"];
/// A change that is given by the year is not that between the ends.
const YEARLY: &[&str] = &[
    "annual", "annually", "yearly", "year", "cagr", "average", "compound", "month",
];
const YEARLY_HAN: &[&str] = &["年均", "复合", "平均"];

/// What a sentence gets wrong.
pub(super) fn conflicts(
    document: &Document,
    sentence: &Range<usize>,
    tokens: &[Token],
) -> Vec<Conflict> {
    let reader = Reader {
        document,
        sentence,
        tokens,
    };
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        found.extend(reader.parts(at));
        found.extend(reader.share(at));
        found.extend(reader.change(at));
    }
    found
}

struct Reader<'a> {
    document: &'a Document,
    sentence: &'a Range<usize>,
    tokens: &'a [Token],
}

impl Reader<'_> {
    /// A number in digits or in a small word that counts something.
    fn count(&self, at: usize) -> Option<f64> {
        let token = self.tokens.get(at)?;
        if let Some(amount) = token.amount() {
            let whole = amount.unit.dimension == Dimension::Count && amount.figure.fract() == 0.0;
            return (whole && amount.scale <= 1.0 && amount.hedge != Hedge::Bound)
                .then_some(amount.figure);
        }
        if let Some(date) = token.date() {
            return (date.month.is_none() && date.quarter.is_none()).then(|| f64::from(date.year));
        }
        small_number(token.word()?)
    }

    fn word(&self, at: usize) -> &str {
        self.tokens
            .get(at)
            .and_then(Token::word)
            .unwrap_or_default()
    }

    fn has_word(&self, range: Range<usize>, words: &[&str], han: &[&str]) -> bool {
        self.tokens[range].iter().any(|token| match &token.what {
            What::Word { text, .. } => words.contains(&text.as_str()),
            What::Han(text) => han.iter().any(|word| text.contains(word)),
            _ => false,
        })
    }

    /// Where the brackets that open at a token close.
    fn closing(&self, open: usize) -> Option<usize> {
        let is_open = self.tokens.get(open)?.is_mark(&['(', '（']);
        let mut after = self.tokens.iter().enumerate().skip(open + 1).take(40);
        let close = after.find(|(_, token)| token.is_mark(&[')', '）', '(', '（']))?;
        (is_open && close.1.is_mark(&[')', '）'])).then_some(close.0)
    }

    /// "a total of 12 nurses (5 men and 8 women)"
    fn parts(&self, open: usize) -> Option<Conflict> {
        let close = self.closing(open)?;
        let from = open.saturating_sub(NEAR + 1);
        let total_at = (from..open).rev().find(|at| {
            let token = &self.tokens[*at];
            token.amount().is_some() || small_number(self.word(*at)).is_some()
        })?;
        let total = self.count(total_at)?;
        let mut parts = Vec::new();
        for at in open + 1..close {
            match self.tokens[at].what {
                What::Amount(_) => parts.push(self.count(at)?),
                What::Date(_) => return None,
                _ => {}
            }
        }
        let inside = open + 1..close;
        if parts.len() < 2 || self.has_word(inside.clone(), PARTIAL, PARTIAL_HAN) {
            return None;
        }
        let before = total_at.saturating_sub(3)..total_at;
        let all =
            self.has_word(before, ALL, ALL_HAN) && self.word(total_at.saturating_sub(1)) != "all";
        let whole = WHOLES.iter().any(|pair| {
            pair.iter()
                .all(|word| self.has_word(inside.clone(), &[word], &[word]))
        });
        let each = inside.len() <= parts.len() * 5;
        let sum: f64 = parts.iter().sum();
        let wrong = (all || whole) && each && sum.to_bits() != total.to_bits();
        let quoted = self.sentence.start..self.tokens[open - 1].range.end;
        wrong.then(|| {
            let what = format!("the parts in brackets add up to {sum}, not to {total}");
            self.conflict(what, quoted, inside)
        })
    }

    /// "18 of the 60 clinics (40 %)"
    fn share(&self, at: usize) -> Option<Conflict> {
        let part = self.count(at)?;
        let mut next = at + 1;
        match self.word(next) {
            "of" => next += 1,
            "out" if self.word(next + 1) == "of" => next += 2,
            _ if self.tokens.get(next)?.is_mark(&['/']) => next += 1,
            _ => return None,
        }
        next += usize::from(matches!(
            self.word(next),
            "the" | "all" | "its" | "their" | "our"
        ));
        let whole = self.count(next)?;
        let open = (next + 1..=next + NEAR).find(|at| {
            self.tokens
                .get(*at)
                .is_some_and(|token| !matches!(token.what, What::Word { .. } | What::Han(_)))
        })?;
        let close = self.closing(open).filter(|close| *close == open + 2)?;
        let share = self.tokens[close - 1].amount()?;
        if share.unit.name != "%" || share.hedge != Hedge::Exact || part > whole || whole < 2.0 {
            return None;
        }
        let expected = 100.0 * part / whole;
        let wrong = (expected - share.figure).abs() > share.step / 2.0 + SLACK;
        let quoted = self.sentence.start..self.tokens[open - 1].range.end;
        wrong.then(|| {
            let what = format!(
                "{part} of {whole} is {expected:.1} %, not {} %",
                share.figure
            );
            self.conflict(what, quoted, open..close + 1)
        })
    }

    /// "from 40 to 50 million (a 30 % increase)"
    fn change(&self, at: usize) -> Option<Conflict> {
        let starts = match &self.tokens[at].what {
            What::Word { text, .. } => text == "from",
            What::Han(text) => text.ends_with(['从', '由']),
            _ => false,
        };
        let from = self.tokens.get(at + 1)?.amount().filter(|_| starts)?;
        let near = at + 2..self.tokens.len().min(at + 2 + NEAR);
        let to_at = near
            .clone()
            .find(|at| self.tokens[*at].amount().is_some())?;
        let to = self.tokens[to_at].amount()?;
        let joined = self.tokens[at + 2..to_at]
            .iter()
            .any(|token| match &token.what {
                What::Word { text, .. } => text == "to",
                What::Han(text) => text.ends_with(['至', '到', '为']),
                _ => false,
            });
        let (share_at, rises) = self.share_of_change(to_at)?;
        let share = self.tokens[share_at].amount()?;
        if !joined || from.figure <= 0.0 || share.unit.name != "%" || share.hedge == Hedge::Bound {
            return None;
        }
        let (low, high) = change_between(from, to)?;
        let given = if rises { share.figure } else { -share.figure };
        let slack = share.step / 2.0
            + SLACK
            + if share.hedge == Hedge::About {
                2.0
            } else {
                0.0
            };
        let points = to.figure - from.figure;
        let as_points = from.unit.name == "%" && (points - given).abs() <= slack;
        let wrong = (given < low - slack || given > high + slack) && !as_points;
        let quoted = self.tokens[at].range.start..self.tokens[to_at].range.end;
        wrong.then(|| {
            let exact = f64::midpoint(low, high);
            let what = format!("that is a change of {exact:.1} %, not of {given} %");
            self.conflict(what, quoted, share_at..self.tokens.len().min(share_at + 2))
        })
    }

    /// The share that a change is said to be, and whether it is a rise.
    fn share_of_change(&self, to_at: usize) -> Option<(usize, bool)> {
        let near = to_at + 1..self.tokens.len().min(to_at + 1 + NEAR_CHANGE);
        let share = near
            .clone()
            .find(|at| self.tokens[*at].amount().is_some())?;
        let stop = |token: &Token| token.is_mark(&[';', '；', '。', '.']);
        let between = to_at + 1..share;
        let around = to_at + 1..self.tokens.len().min(share + 3);
        if self.tokens[between.clone()].iter().any(stop)
            || self.has_word(around.clone(), YEARLY, YEARLY_HAN)
        {
            return None;
        }
        let after = share + 1..self.tokens.len().min(share + 2);
        let marked = self.tokens[between.clone()]
            .iter()
            .any(|t| t.is_mark(&['(', '（', ',', '，', '–', '—']));
        let near = around.start..after.end;
        let rises = self.has_word(near.clone(), RISE, RISE_HAN);
        let falls = self.has_word(near, FALL, FALL_HAN);
        (marked && rises != falls).then_some((share, rises))
    }

    fn conflict(&self, what: String, first: Range<usize>, second: Range<usize>) -> Conflict {
        let second = self.tokens[second.start].range.start..self.tokens[second.end - 1].range.end;
        let line = self.document.line(second.start);
        Conflict {
            kind: Kind::Sum,
            what: format!("{what}, on line {line}"),
            first: place(self.document, first.clone(), first.start),
            second: place(self.document, second.clone(), second.start),
        }
    }
}

/// The least and the most change in per cent between two amounts that are rounded as written.
fn change_between(from: &Amount, to: &Amount) -> Option<(f64, f64)> {
    // "From 40 to 50 million": the first has the size of the second.
    let plain = from.scale <= 1.0 && from.unit.dimension == Dimension::Count;
    let same = from.unit == to.unit;
    if !plain && !same {
        return None;
    }
    let alike = same && from.scale.to_bits() == to.scale.to_bits();
    let (a, b) = if alike || plain {
        (from.figure, to.figure)
    } else {
        (from.figure * from.scale, to.figure * to.scale)
    };
    let half = |amount: &Amount| amount.step / (amount.scale * amount.unit.size()) / 2.0;
    let (x, y) = if alike || plain {
        (half(from), half(to))
    } else {
        (from.step / 2.0, to.step / 2.0)
    };
    // A count is exact.
    let exact = |amount: &Amount| amount.bare;
    let (x, y) = (
        if exact(from) && exact(to) { 0.0 } else { x },
        if exact(to) { 0.0 } else { y },
    );
    let change = |a: f64, b: f64| 100.0 * (b - a) / a;
    (a > x).then(|| (change(a + x, b - y), change(a - x, b + y)))
}

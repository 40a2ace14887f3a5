//! Figures and dates of the lead that the rest of the article does not have. Hides how figures are
//! compared: as far as they are rounded, and a day with its month in either order.

use std::{collections::BTreeSet, ops::Range};

use super::{Kind, Outcome, Reason, page::Page};
use crate::text::{months::MONTHS, sentences, steps, words::is_han};

/// Smaller whole numbers are spelled out here and written in figures there.
const LEAST: f64 = 10.0;
/// How far apart two figures of one amount may be that are rounded differently.
const ROUNDING: f64 = 0.02;
/// Sentences of a lead that say what its subject is.
const BASIC: usize = 2;
/// Characters between a day and its month.
const NEAR: usize = 4;

/// Letters that tell a month from the others: `sep`, and `sept`.
const SHORT: usize = 3;
const SPELLED: [(&str, f64); 18] = [
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("thirteen", 13.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("seventeen", 17.0),
    ("eighteen", 18.0),
    ("nineteen", 19.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
];
const SCALES: [(&str, f64); 6] = [
    ("thousand", 1e3),
    ("million", 1e6),
    ("billion", 1e9),
    ("trillion", 1e12),
    ("万", 1e4),
    ("亿", 1e8),
];

#[derive(Clone, Debug)]
struct Figure {
    range: Range<usize>,
    value: f64,
    /// Half of the last digit's unit.
    half: f64,
    /// The month beside a day.
    month: Option<usize>,
}

impl Figure {
    fn is_year(&self) -> bool {
        self.range.len() == 4 && self.value.fract() == 0.0 && (1000.0..2200.0).contains(&self.value)
    }
}

/// The figures of the lead that nothing else has, each once.
pub(super) fn only_in_lead(page: &Page, lead: usize) -> Outcome {
    let (in_lead, body): (Vec<_>, Vec<_>) =
        page.blocks.iter().partition(|block| block.section == lead);
    if body.is_empty() {
        return Outcome::NotChecked(Reason::NoSections);
    }
    let known = known(page, body.iter().map(|block| block.range.clone()));
    let basic = basic_facts(
        page,
        in_lead.first().map_or(0..0, |block| block.range.clone()),
    );
    let mut told = BTreeSet::new();
    let figures = in_lead
        .iter()
        .flat_map(|block| read(page, block.range.clone()));
    let found = figures
        .filter(|figure| !basic.contains(&figure.range.start) && !page.quoted[figure.range.start])
        .filter(|figure| !known.has(figure) && !is_dating(page, figure.range.start))
        .filter(|figure| told.insert((figure.value.to_bits(), figure.month)))
        .map(|figure| page.finding(Kind::OnlyInLead, figure.range, ""));
    Outcome::Checked(found.collect())
}

/// What the article says outside of its lead.
struct Known {
    /// In ascending order.
    values: Vec<f64>,
    days: BTreeSet<(usize, u64)>,
}

fn known(page: &Page, body: impl Iterator<Item = Range<usize>>) -> Known {
    let headings = page.sections.iter().map(|section| section.heading.clone());
    let parts = body
        .chain(headings)
        .chain(page.rows.iter().cloned())
        .chain(page.title.clone());
    let mut known = Known {
        values: Vec::new(),
        days: BTreeSet::new(),
    };
    for part in parts {
        known.values.extend(spelled(page, part.clone()));
        for figure in read(page, part) {
            known.values.push(figure.value);
            known
                .days
                .extend(figure.month.map(|month| (month, figure.value as u64)));
        }
    }
    known.values.sort_by(f64::total_cmp);
    known
}

impl Known {
    fn has(&self, figure: &Figure) -> bool {
        if let Some(month) = figure.month {
            return self.days.contains(&(month, figure.value as u64));
        }
        let whole = figure.value.fract() == 0.0;
        if whole && figure.value < LEAST {
            return true;
        }
        let far = if figure.is_year() {
            0.0
        } else {
            figure.half.max(figure.value * ROUNDING)
        };
        let at = self
            .values
            .partition_point(|value| *value < figure.value - far);
        self.values
            .get(at)
            .is_some_and(|value| *value <= figure.value + far)
    }
}

/// Whether a figure says as of when something holds.
fn is_dating(page: &Page, at: usize) -> bool {
    let before: String = page.chars[at.saturating_sub(20)..at].iter().collect();
    before.to_lowercase().contains("as of ")
}

/// The sentences that say what the subject is, with its dates and its address.
fn basic_facts(page: &Page, first: Range<usize>) -> Range<usize> {
    let sentences = sentences::split(&page.text(first.clone()));
    let last = sentences.iter().take(BASIC).next_back();
    first.start..first.start + last.map_or(0, |last| last.end)
}

/// The figures of a part of the article, in order.
fn read(page: &Page, part: Range<usize>) -> Vec<Figure> {
    steps::add(part.len());
    let chars = &page.chars;
    let mut figures: Vec<Figure> = Vec::new();
    let mut month: Option<(usize, usize)> = None;
    let mut at = part.start;
    while at < part.end {
        if chars[at].is_ascii_digit() {
            let end = figure_end(chars, at, part.end);
            let alone = at == part.start || is_apart(chars, at - 1);
            let mut figure = alone.then(|| figure(chars, at..end, part.end)).flatten();
            if let Some(figure) = &mut figure {
                let beside = month.filter(|(_, end)| at - end <= NEAR && is_day(figure));
                figure.month = beside.map(|(month, _)| month);
            }
            figures.extend(figure);
            at = end;
        } else if chars[at].is_alphabetic() && !is_han(chars[at]) {
            let end = at
                + chars[at..part.end]
                    .iter()
                    .take_while(|c| c.is_alphanumeric())
                    .count();
            if let Some(found) = month_of(&chars[at..end]) {
                give_month(&mut figures, found, at);
                month = Some((found, end));
            }
            at = end;
        } else {
            at += 1;
        }
    }
    figures
}

/// A month is that of the days before it, too: `7–10 May`.
fn give_month(figures: &mut [Figure], month: usize, mut at: usize) {
    for figure in figures.iter_mut().rev().take(2) {
        if at - figure.range.end > NEAR || !is_day(figure) || figure.month.is_some() {
            return;
        }
        figure.month = Some(month);
        at = figure.range.start;
    }
}

fn is_day(figure: &Figure) -> bool {
    figure.range.len() <= 2 && (1.0..=31.0).contains(&figure.value)
}

/// `KZ2` and `COVID-19` are names.
fn is_apart(chars: &[char], before: usize) -> bool {
    match chars[before] {
        '-' | '.' | '/' => before == 0 || !chars[before - 1].is_alphanumeric(),
        c => !c.is_alphanumeric() || is_han(c),
    }
}

fn figure_end(chars: &[char], start: usize, end: usize) -> usize {
    let mut at = start;
    while at < end {
        let next = chars.get(at + 1).filter(|_| at + 1 < end);
        let joins = matches!(chars[at], ',' | '.') && next.is_some_and(char::is_ascii_digit);
        if !joins && !chars[at].is_ascii_digit() {
            break;
        }
        at += 1;
    }
    at
}

/// A figure with the scale behind it; none for ordinals, decades and names.
fn figure(chars: &[char], range: Range<usize>, end: usize) -> Option<Figure> {
    // Longer runs are no amounts.
    if range.len() > 20 {
        return None;
    }
    let digits: String = chars[range.clone()].iter().filter(|c| **c != ',').collect();
    let value: f64 = digits.parse().ok()?;
    let decimals = digits
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    let zeros = digits
        .bytes()
        .rev()
        .take_while(|digit| *digit == b'0')
        .count();
    let place = match decimals {
        0 => zeros as i32,
        places => -(places as i32),
    };
    let after = &chars[range.end..end.min(range.end + 12)];
    let after: String = after.iter().collect();
    let word = after.trim_start_matches([' ', '-']);
    let scale = SCALES.iter().find(|(name, _)| word.starts_with(name));
    let attached = after.starts_with(char::is_alphabetic) && !after.starts_with(is_han);
    // `360-degree` describes a thing and counts none.
    let joined = after.starts_with('-') && after[1..].starts_with(char::is_alphabetic);
    if (attached || joined) && scale.is_none() {
        return None;
    }
    let scale = scale.map_or(1.0, |(_, scale)| *scale);
    Some(Figure {
        range,
        value: value * scale,
        half: 10f64.powi(place) / 2.0 * scale,
        month: None,
    })
}

/// A month by its name or a usual short form of it.
fn month_of(word: &[char]) -> Option<usize> {
    if word.len() > 9 || !word[0].is_uppercase() {
        return None;
    }
    let word: String = word.iter().flat_map(|c| c.to_lowercase()).collect();
    if word.len() < SHORT {
        return None;
    }
    MONTHS.iter().position(|month| month.starts_with(&word))
}

/// Numbers from ten that are written as words.
fn spelled(page: &Page, part: Range<usize>) -> Vec<f64> {
    let text = page.text(part).to_lowercase();
    let words = text.split(|c: char| !c.is_alphabetic());
    words
        .filter_map(|word| SPELLED.iter().find(|(name, _)| *name == word))
        .map(|(_, value)| *value)
        .collect()
}

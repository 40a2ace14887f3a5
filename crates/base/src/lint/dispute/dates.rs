//! Dates that cannot be the same. Hides how dates of different precision are compared.

use super::{
    Difference, Kind,
    context::Sentence,
    matching::{Candidate, matched},
    reading::{Date, What},
};

/// Most dates of a sentence that are compared.
const MOST: usize = 64;

/// Dates that disagree, where neither sentence has the other's.
pub(super) fn differences(first: &Sentence, second: &Sentence) -> Vec<Difference> {
    let (here, there) = (dates(first), dates(second));
    let lonely = |one: &&(usize, Date), others: &[(usize, Date)]| {
        !others
            .iter()
            .any(|other| one.1.agrees(&other.1) == Some(true))
    };
    let mut candidates = Vec::new();
    for one in here.iter().filter(|one| lonely(one, &there)) {
        for other in there.iter().filter(|other| lonely(other, &here)) {
            if one.1.agrees(&other.1) != Some(false) {
                continue;
            }
            let same = first.sameness(one.0, second, other.0);
            candidates.extend(same.map(|strength| Candidate {
                first: one.0,
                second: other.0,
                strength,
            }));
        }
    }
    matched(Kind::Date, first, second, candidates)
}

/// Whether a sentence has a date.
pub(super) fn has(sentence: &Sentence, date: &Date) -> bool {
    let mut all = sentence.items.iter();
    all.any(|item| matches!(&item.what, What::Date(other) if date.agrees(other) == Some(true)))
}

fn dates(sentence: &Sentence) -> Vec<(usize, Date)> {
    let dates = sentence.items.iter().enumerate();
    let dates = dates.filter_map(|(at, item)| match item.what {
        What::Date(date) => Some((at, date)),
        _ => None,
    });
    dates.take(MOST).collect()
}

impl Date {
    /// Whether two dates may be the same as far as both say; none where they say nothing of one
    /// kind.
    pub(super) fn agrees(&self, other: &Self) -> Option<bool> {
        let quarter = |of: &Self| of.quarter.or(of.month.map(|month| month.div_ceil(3)));
        let parts = [
            agree(self.year, other.year),
            agree(self.decade(), other.decade()).filter(|_| self.decade.or(other.decade).is_some()),
            agree(self.century(), other.century())
                .filter(|_| self.century.or(other.century).is_some()),
            agree(self.month, other.month),
            agree(self.day, other.day),
            agree(quarter(self), quarter(other))
                .filter(|_| self.quarter.or(other.quarter).is_some()),
            agree(self.weekday, other.weekday),
        ];
        let known: Vec<bool> = parts.into_iter().flatten().collect();
        (!known.is_empty()).then(|| known.into_iter().all(|same| same))
    }

    fn decade(&self) -> Option<u16> {
        self.decade.or(self.year.map(|year| year / 10 * 10))
    }

    fn century(&self) -> Option<u16> {
        let year = self.year.or(self.decade.map(|decade| decade + 1));
        self.century.or(year.map(|year| year.div_ceil(100)))
    }
}

fn agree<T: PartialEq>(one: Option<T>, other: Option<T>) -> Option<bool> {
    Some(one? == other?)
}

//! Lookup of entries by author and year. Hides the many ways in which an entry names its authors.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    author_year::{Work, years},
    steps,
};
use crate::text::words::is_han;

/// Characters at an entry's beginning that are searched for its authors.
const HEAD: usize = 300;
/// Words before the first author's surname at most: `J. R. Smith`.
const LEAD: usize = 4;
/// Years of an entry that are looked at.
const YEARS: usize = 4;
/// Most entries that are returned: the citation is ambiguous anyway.
const ENOUGH: usize = 8;
/// A longer run of Han characters is a title.
const HAN_NAME: usize = 4;

/// Entries by the words that begin them and by their years.
#[derive(Debug, Default)]
pub(super) struct Authors {
    lead: BTreeMap<(String, String), Vec<usize>>,
    head: BTreeMap<(String, String), Vec<usize>>,
    words: BTreeMap<usize, BTreeSet<String>>,
}

impl Authors {
    /// Adds an entry by its text without addresses.
    pub(super) fn add(&mut self, entry: usize, text: &str) {
        let years: BTreeSet<&str> = years(text)
            .into_iter()
            .take(YEARS)
            // With and without its letter: `2021a` in the text may mean the only entry of 2021, and
            // the other way round.
            .flat_map(|(_, year)| [year, &year[..4]])
            .collect();
        if years.is_empty() {
            return;
        }
        // Titles and publishers follow the authors, and their words must not match.
        let head: String = text.chars().take(HEAD).collect();
        let words = words(&head);
        for (place, word) in words.iter().enumerate() {
            for form in forms(word) {
                for year in &years {
                    let key = (form.clone(), (*year).to_owned());
                    if place < LEAD {
                        push(self.lead.entry(key.clone()).or_default(), entry);
                    }
                    push(self.head.entry(key).or_default(), entry);
                }
            }
        }
        self.words
            .insert(entry, words.iter().flat_map(|word| forms(word)).collect());
    }

    /// The entries that a work may be: those that begin with the author, else those that name all
    /// authors. A letter that no entry has does not count.
    pub(super) fn fitting(&self, work: &Work) -> Vec<usize> {
        let names = words(&work.authors);
        let Some((first, others)) = names.split_first() else {
            return Vec::new();
        };
        let years = [work.year.as_str(), &work.year[..4]];
        let ways = years
            .iter()
            .flat_map(|year| [(&self.lead, *year), (&self.head, *year)]);
        ways.map(|(index, year)| self.naming_all(index, (first, year), others))
            .find(|fitting| !fitting.is_empty())
            .unwrap_or_default()
    }

    /// Where in a run of Han characters the name begins that it ends with, if an entry of that year
    /// begins with it.
    pub(super) fn han_author(&self, run: &str, year: &str) -> Option<usize> {
        steps::add(run.len());
        let starts: Vec<usize> = run.char_indices().map(|(start, _)| start).collect();
        let places = (2..=HAN_NAME)
            .rev()
            .filter_map(|length| Some(starts[starts.len().checked_sub(length)?]));
        places.into_iter().find(|&start| {
            self.lead
                .contains_key(&(run[start..].to_owned(), year.to_owned()))
        })
    }

    fn naming_all(
        &self,
        index: &BTreeMap<(String, String), Vec<usize>>,
        (first, year): (&str, &str),
        others: &[String],
    ) -> Vec<usize> {
        let found = index
            .get(&(first.to_owned(), year.to_owned()))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let names_all = |entry: &&usize| {
            steps::add(1 + others.len());
            self.words
                .get(entry)
                .is_some_and(|words| others.iter().all(|other| words.contains(other)))
        };
        found.iter().filter(names_all).copied().collect()
    }
}

fn push(entries: &mut Vec<usize>, entry: usize) {
    if entries.len() < ENOUGH && entries.last() != Some(&entry) {
        entries.push(entry);
    }
}

/// Words and Chinese names in lower case, without initials and what says that there are more
/// authors.
fn words(text: &str) -> Vec<String> {
    let text = text
        .replace("et al", " ")
        .replace(['等', '和', '与', '及'], " ");
    let inner = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’' | '-');
    text.split(|c: char| !inner(c))
        .flat_map(by_script)
        .filter(|word| {
            word.starts_with(is_han)
                || (word.chars().nth(1).is_some() && !matches!(*word, "and" | "und"))
        })
        .map(str::to_lowercase)
        .collect()
}

/// The Han characters and the rest of a run that has both.
fn by_script(run: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = run;
    while let Some(first) = rest.chars().next() {
        let end = rest
            .find(|c| is_han(c) != is_han(first))
            .unwrap_or(rest.len());
        parts.push(&rest[..end]);
        rest = &rest[end..];
    }
    parts
}

/// What a word is found by: itself; a Chinese name also by the surname, which has one or two
/// characters.
fn forms(word: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::from([word.to_owned()]);
    if word.starts_with(is_han) && word.chars().count() <= HAN_NAME {
        forms.extend((1..=2).map(|length| word.chars().take(length).collect()));
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::{super::author_year::parenthesis, *};

    fn authors() -> Authors {
        let mut authors = Authors::default();
        for (at, text) in [
            "Smith, J. (2020). Light winds.",
            "Smith, J., & Lee, K. (2020). Sails.",
            "B. Zhao, A. Chen, \"Tones\", 2021a",
            "B. Zhao, \"More tones\", 2021b",
            "World Health Organization (2019). Report.",
            "Attention and rivers. Vaswani et al., 2017.",
            "王小明, 李华. 声调研究[J]. 2020",
        ]
        .iter()
        .enumerate()
        {
            authors.add(at, text);
        }
        authors
    }

    #[test]
    fn works_are_found_by_author_and_year() {
        let authors = authors();
        let check = |mark: &str, expect: &[usize]| {
            let works = parenthesis(mark);
            assert_eq!(authors.fitting(&works[0]), expect, "{mark}");
        };
        check("Smith, 2020", &[0, 1]);
        check("Smith & Lee, 2020", &[1]);
        check("Zhao et al., 2021a", &[2]);
        check("Zhao et al., 2021", &[2, 3]);
        check("Zhao, 2021c", &[2, 3]);
        check("World Health Organization, 2019", &[4]);
        check("Vaswani et al., 2017", &[5]);
        check("王，2020", &[6]);
        check("王小明和李华，2020", &[6]);
        check("王小军，2020", &[]);
        check("Smith, 2019", &[]);
        assert_eq!(authors.han_author("根据王小明", "2020"), Some("根据".len()));
        assert_eq!(authors.han_author("根据王小明", "2021"), None);
    }
}

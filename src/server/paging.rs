//! Long lists: which part is shown, by which words and boxes. Hides how an address says so, so that
//! each view of a list can be shared.

use std::collections::BTreeMap;

use serde::Serialize;
use unicode_normalization::UnicodeNormalization as _;
use url::form_urlencoded::Serializer;

/// Items on a page.
pub const ITEMS: usize = 50;

/// Words of a search; more are left out.
pub const WORDS: usize = 16;

/// What an address asks for, by name; empty values ask for nothing.
pub type Query = BTreeMap<String, String>;

/// The part of a list that is shown.
#[derive(Debug, PartialEq, Serialize)]
pub struct Paging {
    /// Its number, from 1.
    pub page: usize,
    /// The number of the last one.
    pub last: usize,
    /// All items.
    pub total: usize,
    /// Address of the part before.
    pub before: Option<String>,
    /// Address of the part after.
    pub next: Option<String>,
    /// Address of the list as CSV, without its path.
    pub query: String,
    /// Items of the parts before.
    #[serde(skip)]
    pub first: usize,
}

impl Paging {
    /// The part that `query` asks for of a list of so many at the address `path`.
    pub fn new(path: &str, query: &Query, total: usize) -> Self {
        let last = total.div_ceil(ITEMS).max(1);
        let asked = query.get("page").and_then(|page| page.parse().ok());
        let page: usize = asked.unwrap_or(1).clamp(1, last);
        let of =
            |page: usize| Some(address(path, query, page)).filter(|_| (1..=last).contains(&page));
        Self {
            page,
            last,
            total,
            before: of(page - 1),
            next: of(page + 1),
            query: address("", query, 1),
            first: (page - 1) * ITEMS,
        }
    }

    /// The items of the part.
    pub fn of<'a, T>(&self, items: &'a [T]) -> &'a [T] {
        let first = self.first.min(items.len());
        &items[first..(first + ITEMS).min(items.len())]
    }
}

/// The address of a page of a list.
fn address(path: &str, query: &Query, page: usize) -> String {
    let mut said = Serializer::new(String::new());
    for (name, value) in query {
        if name != "page" && !value.is_empty() {
            said.append_pair(name, value);
        }
    }
    if page > 1 {
        said.append_pair("page", &page.to_string());
    }
    match said.finish() {
        none if none.is_empty() => path.to_owned(),
        said => format!("{path}?{said}"),
    }
}

/// A box with the values of a facet.
#[derive(Debug, PartialEq, Serialize)]
pub struct Facet {
    /// Its name in an address.
    pub name: &'static str,
    /// Its label.
    pub label: &'static str,
    /// The value that was chosen; empty for all.
    pub chosen: String,
    /// Its values.
    pub choices: Vec<Choice>,
}

/// A value of a facet.
#[derive(Debug, PartialEq, Serialize)]
pub struct Choice {
    /// As it stands in an address.
    pub value: String,
    /// For people.
    pub label: String,
    /// Items that have it.
    pub n: usize,
}

impl Facet {
    /// The box of a facet whose value in each item is given, where it has one.
    pub fn new<'a>(
        name: &'static str,
        label: &'static str,
        query: &Query,
        values: impl Iterator<Item = Option<&'a str>>,
    ) -> Self {
        Self::counted(name, label, query, values.flatten().map(|value| (value, 1)))
    }

    /// The box of a facet with how many items have each value; those of equal values are added up.
    pub fn counted<'a>(
        name: &'static str,
        label: &'static str,
        query: &Query,
        values: impl Iterator<Item = (&'a str, usize)>,
    ) -> Self {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (value, n) in values {
            *counts.entry(value).or_default() += n;
        }
        let choices = counts.into_iter().map(|(value, n)| Choice {
            value: value.to_owned(),
            label: value.to_owned(),
            n,
        });
        Self {
            name,
            label,
            chosen: query.get(name).cloned().unwrap_or_default(),
            choices: choices.collect(),
        }
    }

    /// Whether an item with this value is among what was chosen.
    pub fn takes(&self, value: Option<&str>) -> bool {
        self.chosen.is_empty() || value == Some(self.chosen.as_str())
    }
}

/// A text as it is searched: compatible forms are one, and so are cases.
pub fn fold(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).collect()
}

/// Whether a folded text holds each of the words.
pub fn matches(folded: &str, words: &[String]) -> bool {
    words.iter().all(|word| folded.contains(word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(pairs: &[(&str, &str)]) -> Query {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect()
    }

    #[test]
    fn a_list_is_cut_into_parts_with_addresses() {
        let items: Vec<usize> = (0..120).collect();
        let asked = query(&[("page", "2"), ("q", "soil & 土壤"), ("phase", "")]);
        let paging = Paging::new("/tasks", &asked, items.len());
        assert_eq!((paging.page, paging.last), (2, 3));
        assert_eq!(paging.of(&items), &items[50..100]);
        let q = "q=soil+%26+%E5%9C%9F%E5%A3%A4";
        assert_eq!(paging.before.as_deref(), Some(&*format!("/tasks?{q}")));
        assert_eq!(paging.next.as_deref(), Some(&*format!("/tasks?{q}&page=3")));
        // Beyond the end is the end; nonsense is the beginning.
        assert_eq!(Paging::new("/", &query(&[("page", "99")]), 120).page, 3);
        assert_eq!(Paging::new("/", &query(&[("page", "-1")]), 0).page, 1);
        assert!(
            Paging::new("/", &query(&[("page", "0")]), 0)
                .of::<u8>(&[])
                .is_empty()
        );
    }

    #[test]
    fn words_are_found_whatever_their_case_and_form() {
        let text = fold("ＣＯ２ Uptake of 土壤 and Straße");
        for found in ["co2", "UPTAKE", "土壤", "straße"] {
            assert!(matches(&text, &[fold(found)]), "{found}");
        }
        assert!(!matches(&text, &[fold("co2"), fold("ocean")]));
    }
}

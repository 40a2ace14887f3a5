//! The index of entries by number, name, author and year. Hides which of several lists is meant.

use std::collections::BTreeMap;

use super::{
    authors::Authors,
    bare,
    entries::{Entry, key},
    openings::Kind,
    steps,
};

/// Entries by label and by author.
#[derive(Debug, Default)]
pub(super) struct Index {
    labels: BTreeMap<(Kind, String), usize>,
    pub authors: Authors,
}

/// The index of the entries of a text. Where no entry has a label, those of lists are numbered as
/// they stand.
pub(super) fn build(text: &str, entries: &[Entry]) -> Index {
    let mut index = Index::default();
    let unlabelled = entries.iter().all(|entry| entry.label.is_none());
    for (at, entry) in entries.iter().enumerate() {
        let label = entry
            .label
            .clone()
            .or_else(|| unlabelled.then(|| (at + 1).to_string()));
        if let Some(label) = label {
            index.labels.entry((entry.kind, key(&label))).or_insert(at);
        }
        index
            .authors
            .add(at, &without_addresses(&text[entry.text.clone()]));
    }
    index
}

impl Index {
    /// The entry that a numbered mark means.
    pub(super) fn number(&self, number: u32) -> Option<usize> {
        self.first(
            &[Kind::Listed, Kind::Definition, Kind::Footnote],
            &number.to_string(),
        )
        .map(|found| found.1)
    }

    /// The entry that a name in brackets means.
    pub(super) fn label(&self, label: &str) -> Option<(Kind, usize)> {
        self.first(&[Kind::Definition, Kind::Listed], &key(label))
    }

    /// The entry that a footnote's mark means; reports also mark lists like that.
    pub(super) fn footnote(&self, label: &str) -> Option<usize> {
        self.first(
            &[Kind::Footnote, Kind::Listed, Kind::Definition],
            &key(label),
        )
        .map(|found| found.1)
    }

    /// Whether there are footnotes at all.
    pub(super) fn has_footnotes(&self) -> bool {
        steps::add(1);
        // Footnotes are the last kind, and marks that ask are as many as a report likes.
        let last = self.labels.last_key_value();
        last.is_some_and(|((kind, _), _)| *kind == Kind::Footnote)
    }

    fn first(&self, kinds: &[Kind], key: &str) -> Option<(Kind, usize)> {
        kinds
            .iter()
            .find_map(|&kind| Some((kind, *self.labels.get(&(kind, key.to_owned()))?)))
    }
}

/// The text without its addresses: their paths have words and years of their own.
fn without_addresses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(start) = bare::first(&text[at..]).map(|start| at + start) {
        out.push_str(&text[at..start]);
        at = bare::at(text, start).map_or(text.len(), |found| found.end);
    }
    out.push_str(&text[at..]);
    out
}

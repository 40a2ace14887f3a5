//! Two sentences beside each other: which words they share, all in all and around two places. Hides
//! which words count.

use std::collections::HashSet;

use super::{
    reading::{self, Item, What},
    vocabulary::{denies, is_grammar, says},
};

/// How many items on either side of a place are around it.
const AROUND: usize = 6;
/// Which share of the words around two places is shared where they are of the same thing, or else
/// of all words.
const NEAR: f64 = 0.25;
const LIKE: f64 = 0.4;

/// A sentence that has been read.
pub(super) struct Sentence {
    pub items: Vec<Item>,
    /// Of each item the word that says what the sentence is about, the same for its forms.
    pub keys: Vec<Option<String>>,
    all: HashSet<String>,
}

impl Sentence {
    pub(super) fn read(text: &str) -> Self {
        let items = reading::read(text);
        let keys: Vec<Option<String>> = items.iter().map(key).collect();
        let all = keys.iter().flatten().cloned().collect();
        Self { items, keys, all }
    }

    /// How sure it is that two places are of the same thing, from 0 to 1: by the words around them,
    /// and by the sentences as a whole. None where too little is shared.
    pub(super) fn sameness(&self, at: usize, other: &Self, there: usize) -> Option<f64> {
        let (near, like) = (self.nearness(at, other, there), self.likeness(other));
        (near >= NEAR || like >= LIKE).then_some(0.2 + 0.4 * near + 0.4 * like)
    }

    /// The item that begins at a character.
    pub(super) fn item_at(&self, start: usize) -> Option<&Item> {
        let at = self.items.partition_point(|item| item.range.start < start);
        self.items.get(at).filter(|item| item.range.start == start)
    }

    /// Whether a key is anywhere in the sentence.
    pub(super) fn has(&self, key: &str) -> bool {
        self.all.contains(key)
    }

    /// How many of their words two sentences share, from 0 to 1: the cosine of their sets of words,
    /// so that a long passage is not like every sentence.
    pub(super) fn likeness(&self, other: &Self) -> f64 {
        let shared = self.all.intersection(&other.all).count();
        let sizes = (self.all.len() * other.all.len()).max(1);
        shared as f64 / (sizes as f64).sqrt()
    }

    /// Which share of the words around a place are around a place of the other sentence, too.
    pub(super) fn nearness(&self, at: usize, other: &Self, there: usize) -> f64 {
        let (here, there) = (self.around(at), other.around(there));
        let shared = here.intersection(&there).count();
        shared as f64 / here.len().min(there.len()).max(1) as f64
    }

    fn around(&self, at: usize) -> HashSet<&str> {
        let near = at.saturating_sub(AROUND)..self.keys.len().min(at + AROUND + 1);
        let near = near.filter(|place| *place != at);
        near.filter_map(|place| self.keys[place].as_deref())
            .collect()
    }
}

fn key(item: &Item) -> Option<String> {
    match &item.what {
        What::Word { text, stem, .. } => (!is_grammar(text) && !denies(text)).then(|| stem.clone()),
        What::Han(c) => says(*c).then(|| c.to_string()),
        _ => None,
    }
}

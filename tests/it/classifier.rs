//! The classifier of sentences on sentences that it was not fitted on, with the real encoder and
//! without it.

use std::{collections::BTreeMap, fs};

use serde_json::Value;
use taskgen::{
    data::InspirationType,
    embed::Encoder,
    inspire::classifier::{Reading, read},
};

use crate::embed::model;

/// Probability from which a sentence counts as chosen, as in `fit.py`.
const ENOUGH: f64 = 0.5;

fn planted(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/judging/");
    fs::read_to_string(format!("{folder}{name}")).expect("a file")
}

fn kind(word: &str) -> Option<InspirationType> {
    InspirationType::ALL.into_iter().find(|kind| kind.is(word))
}

/// Sentences of the talks that no weight was fitted on, behind their labels.
fn kept_aside() -> Vec<(String, String)> {
    let names = ('a'..='l').flat_map(|writer| [3, 7, 11].map(|number| (writer, number)));
    let lines = names.filter(|(writer, number)| *writer <= 'e' || *number <= 10);
    lines
        .flat_map(|(writer, number)| {
            let text = planted(&format!("talks/{writer}-{number:02}.tsv"));
            let lines = text
                .lines()
                .skip(1)
                .filter_map(|line| line.split_once('\t'));
            let owned = lines.map(|(label, text)| (label.to_owned(), text.to_owned()));
            owned.collect::<Vec<_>>()
        })
        .collect()
}

/// What a reading is of a sentence with a label.
#[derive(Debug, Default, PartialEq)]
struct Right {
    ideas: usize,
    types: usize,
    chosen: usize,
    of_their_type: usize,
    worth_it: usize,
}

impl Right {
    fn count(&mut self, label: &str, reading: &Reading) {
        let of = kind(label.trim_end_matches(['+', '-']));
        let is_right = of == Some(reading.best());
        self.ideas += usize::from(of.is_some());
        self.types += usize::from(is_right);
        if reading.is(reading.best()) * reading.worth >= ENOUGH {
            self.chosen += 1;
            self.of_their_type += usize::from(is_right);
            self.worth_it += usize::from(is_right && label.ends_with('+'));
        }
    }
}

fn measured(encoder: Option<&Encoder>) -> Right {
    let mut right = Right::default();
    for (label, sentence) in kept_aside() {
        right.count(&label, &read(encoder, &sentence));
    }
    right
}

/// The figures of `fit.py`; docs/tasks.md has them, too.
#[test]
fn real_sentences_of_talks_kept_aside_are_read_as_the_fit_reads_them() {
    let encoder = Encoder::load(&model().path).expect("it loads");
    assert_eq!(measured(Some(&encoder)), WITH_MEANING);
}

#[test]
fn by_words_alone_they_are_read_nearly_as_well() {
    assert_eq!(measured(None), WORDS_ALONE);
}

const WITH_MEANING: Right = Right {
    ideas: 388,
    types: 325,
    chosen: 161,
    of_their_type: 149,
    worth_it: 137,
};
const WORDS_ALONE: Right = Right {
    ideas: 388,
    types: 315,
    chosen: 172,
    of_their_type: 152,
    worth_it: 132,
};

/// Of the planted sentences kept aside, which another writer made: those of a type taken for it,
/// those taken for another, and those of none taken for one.
fn planted_ones(encoder: Option<&Encoder>) -> [usize; 3] {
    let split: BTreeMap<String, Vec<String>> =
        serde_json::from_str(&planted("ideas-split.json")).expect("lists of names");
    let [mut right, mut wrong, mut taken] = [0; 3];
    for line in planted("ideas.jsonl").lines() {
        let idea: Value = serde_json::from_str(line).expect("a planted sentence");
        if !split["held"].iter().any(|id| idea["id"] == id.as_str()) {
            continue;
        }
        let reading = read(encoder, idea["line"].as_str().expect("a line"));
        let none = 1.0 - reading.types.iter().sum::<f64>();
        match kind(idea["type"].as_str().expect("a type")) {
            _ if none > reading.is(reading.best()) => {}
            None => taken += 1,
            Some(of) if of == reading.best() => right += 1,
            Some(_) => wrong += 1,
        }
    }
    [right, wrong, taken]
}

#[test]
fn real_types_of_planted_sentences_are_known() {
    let encoder = Encoder::load(&model().path).expect("it loads");
    assert_eq!(planted_ones(Some(&encoder)), [33, 5, 1]);
    assert_eq!(planted_ones(None), [29, 6, 2]);
}

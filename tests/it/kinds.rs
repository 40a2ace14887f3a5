//! The classifier of sentences, with the real encoder, on sentences that it was not fitted on.

use std::{collections::BTreeMap, fs};

use serde_json::Value;
use taskgen::{
    data::InspirationType,
    embed::Encoder,
    inspire::kinds::{ENOUGH, Reading, UNDERSTOOD, read},
};

use crate::embed::model;

fn planted(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/judging/");
    fs::read_to_string(format!("{folder}{name}")).expect("a file")
}

fn kind(word: &str) -> Option<InspirationType> {
    InspirationType::ALL.into_iter().find(|kind| kind.is(word))
}

/// The type that a sentence is of most probably, and how probable that is.
fn most(reading: &Reading) -> (InspirationType, f64) {
    let all = InspirationType::ALL.into_iter().zip(reading.kinds);
    all.max_by(|a, b| a.1.total_cmp(&b.1)).expect("four types")
}

/// Sentences of the talks that no weight was fitted on: the last three of each writer.
fn kept_aside() -> Vec<(String, String)> {
    let names = "abcde"
        .chars()
        .flat_map(|writer| (10..=12).map(move |number| format!("talks/{writer}-{number}.tsv")));
    let lines = names.flat_map(|name| {
        let text = planted(&name);
        let lines: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
        lines
    });
    lines
        .filter_map(|line| line.split_once('\t').map(|(a, b)| (a.into(), b.into())))
        .collect()
}

/// docs/tasks.md has the figures.
#[test]
fn real_sentences_of_talks_kept_aside_are_read_as_what_they_are() {
    let encoder = Encoder::load(&model().path).expect("it loads");
    let (mut ideas, mut typed, mut alone) = (0, 0, 0);
    let (mut offered, mut right) = (0, 0);
    for (label, sentence) in kept_aside() {
        let reading = read(&encoder, &sentence);
        let of = kind(label.trim_end_matches(['+', '-']));
        let (most, probability) = most(&reading);
        if probability >= ENOUGH && reading.alone >= UNDERSTOOD {
            offered += 1;
            right += usize::from(of == Some(most));
        }
        if of.is_some() {
            ideas += 1;
            typed += usize::from(of == Some(most));
            alone += usize::from((reading.alone >= UNDERSTOOD) == label.ends_with('+'));
        }
    }
    assert_eq!(ideas, 219);
    assert!((171..=181).contains(&typed), "{typed}");
    assert!((199..=209).contains(&alone), "{alone}");
    assert!(
        offered >= 115 && right * 100 >= offered * 80,
        "{right} of {offered}"
    );
}

/// Sentences by another writer, beside which cues find 17 of 40: see `inspire/cues.rs`.
#[test]
fn real_types_of_planted_sentences_are_known_better_than_by_cues() {
    let encoder = Encoder::load(&model().path).expect("it loads");
    let split: BTreeMap<String, Vec<String>> =
        serde_json::from_str(&planted("ideas-split.json")).expect("lists of names");
    let (mut right, mut wrong, mut taken) = (0, 0, 0);
    for line in planted("ideas.jsonl").lines() {
        let idea: Value = serde_json::from_str(line).expect("a planted sentence");
        if !split["held"].iter().any(|id| idea["id"] == id.as_str()) {
            continue;
        }
        let reading = read(&encoder, idea["line"].as_str().expect("a line"));
        let (most, probability) = most(&reading);
        match kind(idea["type"].as_str().expect("a type")) {
            _ if probability < ENOUGH => {}
            None => taken += 1,
            Some(of) if of == most => right += 1,
            Some(_) => wrong += 1,
        }
    }
    assert!(
        right >= 28 && wrong <= 8 && taken <= 2,
        "{right} {wrong} {taken}"
    );
}

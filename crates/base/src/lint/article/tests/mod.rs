//! Planted faults and sentences that only look so, those that rules were fitted to and those that
//! were kept aside; articles with one fault of structure each.

use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Planted {
    kind: Kind,
    words: String,
    text: String,
    #[serde(default)]
    kept_aside: bool,
}

#[derive(Deserialize)]
struct Clean {
    text: String,
    #[serde(default)]
    kept_aside: bool,
}

#[derive(Deserialize)]
struct File<T> {
    sentence: Vec<T>,
}

fn planted() -> Vec<Planted> {
    let file: File<Planted> = toml::from_str(include_str!("planted.toml")).unwrap();
    file.sentence
}

fn clean() -> Vec<Clean> {
    let file: File<Clean> = toml::from_str(include_str!("clean.toml")).unwrap();
    file.sentence
}

/// The findings of words in a text, each as its kind and words.
fn told(text: &str) -> Vec<(Kind, String)> {
    let found = check(text);
    let of_words = found
        .findings()
        .into_iter()
        .filter(|finding| finding.kind.is_of_words());
    of_words
        .map(|finding| (finding.kind, finding.words.clone()))
        .collect()
}

/// The planted faults that are not found, and what is found besides, in one part.
fn measure(kept_aside: bool) -> (Vec<String>, Vec<String>) {
    let (mut missed, mut alarms) = (Vec::new(), Vec::new());
    for planted in planted().iter().filter(|of| of.kept_aside == kept_aside) {
        let is = |(kind, words): &(Kind, String)| {
            *kind == planted.kind && words.contains(&planted.words)
        };
        let found = told(&planted.text);
        if !found.iter().any(is) {
            missed.push(planted.words.clone());
        }
        alarms.extend(
            found
                .into_iter()
                .filter(|of| !is(of))
                .map(|(_, words)| words),
        );
    }
    for clean in clean().iter().filter(|of| of.kept_aside == kept_aside) {
        alarms.extend(told(&clean.text).into_iter().map(|(_, words)| words));
    }
    (missed, alarms)
}

#[test]
fn the_sentences_that_the_rules_were_written_by() {
    assert_eq!(measure(false), (Vec::new(), Vec::new()));
}

#[test]
fn the_sentences_that_were_kept_aside() {
    assert_eq!(measure(true), (Vec::new(), Vec::new()));
}

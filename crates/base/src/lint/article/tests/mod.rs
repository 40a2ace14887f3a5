//! Planted faults and sentences that only look so, those that rules were fitted to and those that
//! were kept aside; articles with one fault of structure each; reports of strangers.

mod any_article;
mod structure;

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
    like: Kind,
    text: String,
    #[serde(default)]
    kept_aside: bool,
}

#[derive(Deserialize)]
struct Listed<T> {
    sentence: Vec<T>,
}

fn planted() -> Vec<Planted> {
    let file: Listed<Planted> = toml::from_str(include_str!("planted.toml")).unwrap();
    file.sentence
}

fn clean() -> Vec<Clean> {
    let file: Listed<Clean> = toml::from_str(include_str!("clean.toml")).unwrap();
    file.sentence
}

/// The findings of words in a text, each as its kind and words.
fn told(text: &str) -> Vec<(Kind, String)> {
    let found = check(text);
    let findings = found.findings().into_iter();
    let of_words = findings.filter(|finding| finding.kind.is_of_words());
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

/// As first measured: all ten are found, with one false alarm, which no rule was made for.
#[test]
fn the_sentences_that_were_kept_aside() {
    // "The magnitude is the apparent one": the noun is not beside its adjective.
    assert_eq!(measure(true), (Vec::new(), vec!["apparent".to_owned()]));
}

#[test]
fn the_sentences_are_as_many_as_they_should_be() {
    let words = Kind::ALL.into_iter().filter(|kind| kind.is_of_words());
    for kind in words {
        assert!(planted().iter().any(|of| of.kind == kind), "{kind:?}");
        assert!(clean().iter().any(|of| of.like == kind), "{kind:?}");
    }
    let aside = planted().iter().filter(|of| of.kept_aside).count();
    let clean_aside = clean().iter().filter(|of| of.kept_aside).count();
    assert_eq!(
        (planted().len(), aside, clean().len(), clean_aside),
        (30, 10, 30, 10)
    );
}

#[test]
fn each_kind_but_one_names_a_criterion() {
    let mut ids: Vec<&str> = Kind::ALL
        .iter()
        .filter_map(|kind| kind.criterion())
        .collect();
    assert_eq!(ids.len(), Kind::ALL.len() - 1);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), Kind::ALL.len() - 1);
    for (at, kind) in Kind::ALL.into_iter().enumerate() {
        assert_eq!(kind as usize, at);
        assert_eq!(check("").kinds[at].0, kind);
    }
}

fn check_words(text: &str, expect: &[&str]) {
    let found: Vec<String> = told(text).into_iter().map(|(_, words)| words).collect();
    assert_eq!(found, expect, "{text}");
}

#[test]
fn what_others_say_is_theirs() {
    check_words("The bridge is a breathtaking work.", &["breathtaking"]);
    for theirs in [
        "The bridge is a “breathtaking work”, as its builder told the board.",
        "The critic Ines Holm called the bridge a breathtaking work.",
        "According to Ines Holm, the bridge is a breathtaking work.",
        "The bridge was described by Ines Holm as a breathtaking work.",
        "In 1961 she wrote *A Breathtaking Bridge* for the stage.",
        "The Breathtaking Bridge is a play in two acts.",
        "The text:\n\n> The bridge is a breathtaking work.\n\nIt was printed in the town.",
        "The word `breathtaking` is the name of the file.",
    ] {
        check_words(theirs, &[]);
    }
    // Nobody in particular is no owner.
    check_words(
        "Critics called the bridge a breathtaking work.",
        &["breathtaking"],
    );
    check_words(
        "The bridge was described by many as a breathtaking work.",
        &["breathtaking"],
    );
}

#[test]
fn a_story_has_its_own_now() {
    let text = |heading: &str| {
        let told = "He is now the head of the cult. She reveals that it is somewhere else.";
        format!("# A\n\nA is a film.\n\n## {heading}\n\n{told}\n")
    };
    let all = ["is now", "cult", "reveals that", "somewhere"];
    check_words(&text("Production"), &all);
    check_words(&text("Plot"), &[]);
    check_words(&text("Plot summary"), &[]);
}

#[test]
fn a_dated_statement_stays_true() {
    check_words(
        "The mine is currently the deepest of the county.",
        &["currently"],
    );
    check_words(
        "As of May 2024, the mine is currently the deepest of the county.",
        &[],
    );
    check_words(
        "He said: “The mine is currently the deepest of the county.”",
        &[],
    );
}

#[test]
fn places_are_characters_of_the_article() {
    let article =
        "# Zürich–Åre\n\nDer „Zug“ is a train.\r\n\nThe café – a legendary one – is in it.\n";
    let found = check(article);
    let finding = &found.findings()[0];
    let chars: Vec<char> = article.chars().collect();
    let cut: String = chars[finding.start..finding.end].iter().collect();
    assert_eq!((cut.as_str(), finding.line), ("legendary", 5));
    assert_eq!(finding.words, cut);
    let json = serde_json::to_value(finding).unwrap();
    assert_eq!(json["kind"], "puffery");
}

#[test]
fn rates_are_findings_per_thousand_words() {
    let article = "The legendary town is in the north of the old county. ".repeat(10);
    let found = check(&article);
    assert_eq!(found.words, 110);
    let rate = found.rate(Kind::Puffery).unwrap();
    assert!((rate - 10.0 * 1_000.0 / 110.0).abs() < 1e-9, "{rate}");
    assert_eq!(found.rate(Kind::Doubt), Some(0.0));
    assert_eq!(found.rate(Kind::UnsourcedLead), None);
}

/// What nobody looked for is never "none found".
#[test]
fn other_languages_are_not_checked_for_words() {
    for other in [
        "# 苏黎世\n\n苏黎世是一座传奇的城市，目前有40万人。\n\n## 历史\n\n据说它建于公元前15年。\n",
        "# Zürich\n\nDie legendäre Stadt liegt an der Limmat und ist nicht klein.\n",
    ] {
        let found = check(other);
        for (kind, outcome) in &found.kinds {
            let not_english = *outcome == Outcome::NotChecked(Reason::NotEnglish);
            assert_eq!(not_english, kind.is_of_words(), "{kind:?}: {outcome:?}");
        }
        assert_eq!(found.rate(Kind::Puffery), None);
    }
    let empty = check("| a |\n|---|\n| 1 |\n");
    let no_prose = Outcome::NotChecked(Reason::NoProse);
    assert!(empty.kinds.iter().all(|(_, outcome)| *outcome == no_prose));
}

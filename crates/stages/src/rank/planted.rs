//! Planted pairs for measuring judges: what they must be, so that only reading tells the better one.

use std::collections::BTreeSet;

use serde::Deserialize;

/// A good task and a worse twin.
#[derive(Clone, Deserialize)]
pub(super) struct Pair {
    pub id: String,
    pub kind: String,
    language: String,
    pub good: String,
    pub bad: String,
}

#[derive(Deserialize)]
struct Split {
    tune: BTreeSet<String>,
    held: BTreeSet<String>,
}

fn pairs() -> Vec<Pair> {
    include_str!("../../../../tests/data/judging/pairs.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a pair"))
        .collect()
}

fn split() -> Split {
    serde_json::from_str(include_str!("../../../../tests/data/judging/split.json"))
        .expect("a split")
}

/// The pairs to work on, and those that are kept aside.
pub(super) fn halves() -> [Vec<Pair>; 2] {
    let (pairs, split) = (pairs(), split());
    [split.tune, split.held].map(|half| {
        let of_half = pairs.iter().filter(|pair| half.contains(&pair.id));
        of_half.cloned().collect()
    })
}

#[test]
fn each_half_holds_as_many_of_each_kind_and_language() {
    let (pairs, split) = (pairs(), split());
    let texts: BTreeSet<&str> = pairs
        .iter()
        .flat_map(|pair| [pair.good.as_str(), pair.bad.as_str()])
        .collect();
    assert_eq!(texts.len(), 2 * pairs.len(), "no text stands twice");
    for kind in ["vague", "garbled", "no_deliverable", "hollow"] {
        for (language, expected) in [("en", 15), ("zh", 10)] {
            for half in [&split.tune, &split.held] {
                let found = pairs
                    .iter()
                    .filter(|pair| pair.kind == kind && pair.language == language)
                    .filter(|pair| half.contains(&pair.id));
                assert_eq!(found.count(), expected, "{kind} {language}");
            }
        }
    }
}

/// A judge that does not read, and takes the longer or the shorter text, must be at chance.
#[test]
fn length_does_not_give_the_better_task_away() {
    let (pairs, split) = (pairs(), split());
    for half in [&split.tune, &split.held] {
        let longer = pairs
            .iter()
            .filter(|pair| half.contains(&pair.id))
            .filter(|pair| pair.good.chars().count() > pair.bad.chars().count());
        let share = longer.count() as f64 / half.len() as f64;
        assert!((0.45..=0.55).contains(&share), "{share}");
    }
}

//! Different proper names in the same place. Hides what is a name, and which places are the same.

use std::{collections::HashSet, ops::Range};

use super::{
    Difference, Kind,
    context::Sentence,
    place,
    reading::{Item, What},
    vocabulary::{denies, is_grammar, stem},
};
use crate::text::lexicon;

/// Most names of a sentence that are compared.
const MOST: usize = 48;
/// What stands between the words of a name.
const PARTICLES: &[&str] = &[
    "of", "the", "de", "van", "von", "der", "la", "du", "for", "and", "&",
];
/// Letters that a name shares with what is made of it: Swede, Swedish.
const ROOT: usize = 4;

/// Names that the other sentence has not, in the same place.
pub(super) fn differences(first: &Sentence, second: &Sentence) -> Vec<Difference> {
    let like = first.likeness(second);
    let (here, there) = (lonely(first, second), lonely(second, first));
    let mut candidates = Vec::new();
    for (at, one) in here.iter().enumerate() {
        for (to, other) in there.iter().enumerate() {
            let near = nearness((first, one), (second, other));
            if !is_same_place((first, one), (second, other)) || (near < 0.25 && like < 0.4) {
                continue;
            }
            let strength = 0.2 + 0.4 * near + 0.3 * like;
            candidates.push((strength, at, to));
        }
    }
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut taken, mut found) = ((HashSet::new(), HashSet::new()), Vec::new());
    for (strength, at, to) in candidates {
        if taken.0.contains(&at) || taken.1.contains(&to) {
            continue;
        }
        taken.0.insert(at);
        taken.1.insert(to);
        found.push(Difference {
            kind: Kind::Entity,
            first: place(&span(first, &here[at])),
            second: place(&span(second, &there[to])),
            strength,
        });
    }
    found
}

/// The names of a sentence of which the other has no word, as ranges of items.
fn lonely(sentence: &Sentence, other: &Sentence) -> Vec<Range<usize>> {
    let words: HashSet<String> = other
        .items
        .iter()
        .filter_map(|item| item.word())
        .flat_map(parts)
        .collect();
    let roots: HashSet<String> = words.iter().filter_map(|word| root(word)).collect();
    let short = initials(other);
    let own = initials(sentence);
    let absent = |name: &Range<usize>| {
        let of: Vec<String> = sentence.items[name.clone()]
            .iter()
            .filter_map(|item| item.word())
            .filter(|word| !PARTICLES.contains(word))
            .flat_map(parts)
            .collect();
        let known = |word: &String| {
            words.contains(word)
                || root(word).is_some_and(|root| roots.contains(&root))
                || short.contains(word)
        };
        let is_short = |item: &Item| matches!(item.what, What::Word { inner: true, .. });
        // An abbreviation stands for a name that may be in the other sentence.
        !of.is_empty()
            && !sentence.items[name.clone()].iter().all(is_short)
            && !of.iter().any(known)
            && !own
                .iter()
                .any(|of_run| words.contains(of_run) && spells(sentence, name, of_run))
    };
    names(sentence)
        .into_iter()
        .filter(absent)
        .take(MOST)
        .collect()
}

fn parts(word: &str) -> Vec<String> {
    let word = word.trim_end_matches("'s").trim_end_matches("’s");
    word.split('-').map(stem).collect()
}

/// The first letters of a word that is long enough to be told by them.
fn root(word: &str) -> Option<String> {
    let root: String = word.chars().take(ROOT).collect();
    (word.chars().count() > ROOT).then_some(root)
}

/// Runs of words with capitals, with particles between them.
fn names(sentence: &Sentence) -> Vec<Range<usize>> {
    let items = &sentence.items;
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in 0..items.len() {
        if !is_name(sentence, at) {
            continue;
        }
        let joins = found.last().is_some_and(|last| {
            let between = &items[last.end..at];
            let particle = |item: &Item| {
                item.word()
                    .is_some_and(|word| PARTICLES.contains(&word) && word != "and")
            };
            between.len() <= 2 && between.iter().all(particle)
        });
        match found.last_mut().filter(|_| joins) {
            Some(last) => last.end = at + 1,
            None => found.push(at..at + 1),
        }
    }
    found
}

fn is_name(sentence: &Sentence, at: usize) -> bool {
    let item = &sentence.items[at];
    let What::Word {
        text,
        capital: true,
        ..
    } = &item.what
    else {
        return false;
    };
    if is_grammar(text) || denies(text) {
        return false;
    }
    let begins = at == 0
        || matches!(
            sentence.items[at - 1].what,
            What::Mark('.' | '!' | '?' | ':' | '"' | '“') | What::Figure(_)
        );
    let goes_on = sentence.items.get(at + 1).is_some_and(Item::is_capital);
    !begins || goes_on || !lexicon::is_word(text)
}

/// The first letters of each run of at least two words with capitals, as one word: "nfl".
fn initials(sentence: &Sentence) -> HashSet<String> {
    let mut found = HashSet::new();
    let mut run = String::new();
    for item in &sentence.items {
        match item.word().filter(|_| item.is_capital()) {
            // "The" begins no name.
            Some(word) if is_grammar(word) => run.clear(),
            Some(word) => run.extend(word.chars().next()),
            None if item.word().is_some_and(|word| PARTICLES.contains(&word)) => {}
            None => run.clear(),
        }
        if run.chars().count() > 1 {
            found.insert(run.clone());
        }
    }
    found
}

/// Whether the words of a name begin with these letters.
fn spells(sentence: &Sentence, name: &Range<usize>, letters: &str) -> bool {
    let words = sentence.items[name.clone()]
        .iter()
        .filter(|item| item.is_capital());
    let first = words.filter_map(|item| item.word()?.chars().next());
    first.eq(letters.chars())
}

fn span(sentence: &Sentence, name: &Range<usize>) -> Range<usize> {
    sentence.items[name.start].range.start..sentence.items[name.end - 1].range.end
}

/// Whether two names follow the same word of grammar with something else in common, or are what
/// both sentences begin with, or stand between the same words.
fn is_same_place(one: (&Sentence, &Range<usize>), other: (&Sentence, &Range<usize>)) -> bool {
    let before = |(sentence, name): (&Sentence, &Range<usize>)| {
        let mut before = sentence.items[..name.start]
            .iter()
            .rev()
            .filter_map(|item| item.word().map(str::to_owned));
        before.find(|word| !matches!(word.as_str(), "the" | "a" | "an"))
    };
    let after = |(sentence, name): (&Sentence, &Range<usize>)| {
        sentence
            .items
            .get(name.end)
            .and_then(|item| item.word().map(stem))
    };
    let begins = one.1.start <= 1 && other.1.start <= 1;
    let same = |a: Option<String>, b: Option<String>| a.is_some() && a == b;
    let like = one.0.likeness(other.0);
    (same(before(one), before(other)) && like > 0.0)
        || (begins && same(after(one), after(other)))
        || (begins && like >= 0.4)
}

/// How many of the words next to two names are the same.
fn nearness(one: (&Sentence, &Range<usize>), other: (&Sentence, &Range<usize>)) -> f64 {
    let middle = |name: &Range<usize>| name.start + (name.end - name.start) / 2;
    one.0.nearness(middle(one.1), other.0, middle(other.1))
}

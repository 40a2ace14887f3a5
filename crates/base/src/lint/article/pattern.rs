//! The word lists: which runs of words are faults, and beside which words they are none. Hides
//! their notation.
//!
//! A line is a pattern: words apart by blanks; `a/b` is either, `[a]` may be missing, `_` is any
//! word, `@name` is a set of `classes.txt`, `pseudo-*` any word that begins so, `#` a figure.
//! Behind `--` stand conditions, apart by commas: `after a/b` and `before a/b` (the words next to
//! it, `a_b` for several in a row), `not after`, `not before`, `near a/b` (within the words that
//! follow), `start` (a clause begins with it), `end` (a clause ends with it), `comma` (a comma
//! follows), `present` (the sentence is in the present tense) and `no by` (nobody is named behind a
//! `by`).

use std::collections::HashMap;

use super::{
    kind::Kind,
    sentence::{Gap, Sentence},
};
use crate::text::steps;

/// Words that follow within which `near` looks.
const NEAR: usize = 8;
/// Names that sayings are made with.
const PROVERBIAL: &[&str] = &["achilles", "achilles'", "david", "goliath", "pandora's"];

/// One place of a pattern.
#[derive(Clone, Debug, PartialEq)]
enum Element {
    Any,
    OneOf(Vec<String>),
}

/// What has to stand around a run of words.
#[derive(Clone, Debug, PartialEq)]
enum Condition {
    After(Vec<Vec<String>>, bool),
    Before(Vec<Vec<String>>, bool),
    Near(Vec<String>),
    Start,
    End,
    Comma,
    Present,
    NoAgent,
}

#[derive(Clone, Debug)]
struct Pattern {
    kind: Kind,
    elements: Vec<Element>,
    conditions: Vec<Condition>,
}

/// Patterns by the words that they begin with.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    all: Vec<Pattern>,
    by_first: HashMap<String, Vec<usize>>,
    /// Beginnings of words, each with its pattern.
    prefixes: Vec<(String, usize)>,
}

/// Sets of words by their names.
type Classes = HashMap<String, Vec<String>>;

/// A run of words of a sentence that a pattern fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub kind: Kind,
    pub first: usize,
    pub last: usize,
}

impl Patterns {
    /// Reads lists; the error names the line that is none.
    pub(super) fn read(classes: &str, lists: &[(Kind, &str)]) -> Result<Self, String> {
        let classes = read_classes(classes)?;
        let mut patterns = Self::default();
        for (kind, list) in lists {
            for line in entries(list) {
                let fault = |what: String| format!("{kind:?}: `{line}`: {what}");
                patterns.add(*kind, line, &classes).map_err(fault)?;
            }
        }
        Ok(patterns)
    }

    fn add(&mut self, kind: Kind, line: &str, classes: &Classes) -> Result<(), String> {
        let (core, rest) = line.split_once(" -- ").unwrap_or((line, ""));
        let conditions = rest.split(", ").filter(|part| !part.is_empty());
        let conditions: Vec<Condition> = conditions
            .map(|part| condition(part, classes))
            .collect::<Result<_, _>>()?;
        for elements in expanded(core, classes)? {
            let Some(Element::OneOf(first)) = elements.first() else {
                return Err("it must begin with a word".to_owned());
            };
            let number = self.all.len();
            for word in first {
                match word.strip_suffix('*') {
                    Some(prefix) => self.prefixes.push((prefix.to_owned(), number)),
                    None => self.by_first.entry(word.clone()).or_default().push(number),
                }
            }
            self.all.push(Pattern {
                kind,
                elements,
                conditions: conditions.clone(),
            });
        }
        Ok(())
    }

    /// The longest run at each place, apart from each other, in order.
    pub(super) fn matches(
        &self,
        sentence: &Sentence,
        allows: impl Fn(&Match) -> bool,
    ) -> Vec<Match> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < sentence.words.len() {
            let key = &sentence.words[at].key;
            let prefixed = self
                .prefixes
                .iter()
                .filter(|(prefix, _)| key.starts_with(prefix));
            let numbers = self.by_first.get(key).into_iter().flatten();
            let numbers = numbers.chain(prefixed.map(|(_, number)| number));
            let fits = numbers.filter_map(|number| self.all[*number].fits(sentence, at));
            match fits.filter(&allows).max_by_key(|fit| fit.last) {
                Some(fit) => {
                    at = fit.last + 1;
                    found.push(fit);
                }
                None => at += 1,
            }
        }
        found
    }
}

impl Pattern {
    fn fits(&self, sentence: &Sentence, first: usize) -> Option<Match> {
        steps::add(1);
        let last = first + self.elements.len() - 1;
        let words = sentence.words.get(first..=last)?;
        let together = words[1..].iter().all(|word| word.gap == Gap::Space);
        let mut pairs = self.elements.iter().zip(words);
        let same = together && pairs.all(|(element, word)| element.is(&word.key));
        let own = |at: usize| {
            let proverbial = PROVERBIAL.contains(&sentence.words[at].key.as_str());
            !sentence.words[at].quoted && (proverbial || !sentence.is_name(at))
        };
        let fits = same
            && (first..=last).all(own)
            && self
                .conditions
                .iter()
                .all(|condition| condition.holds(sentence, first, last));
        fits.then_some(Match {
            kind: self.kind,
            first,
            last,
        })
    }
}

impl Element {
    fn is(&self, key: &str) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(words) => words.iter().any(|word| match word.strip_suffix('*') {
                Some(prefix) => key.starts_with(prefix),
                None => word == key,
            }),
        }
    }
}

impl Condition {
    fn holds(&self, sentence: &Sentence, first: usize, last: usize) -> bool {
        let words = &sentence.words;
        match self {
            Self::After(runs, wanted) => {
                let before = words[..first].iter().rev().map(|word| word.key.as_str());
                let is = |run: &Vec<String>| {
                    let run = run.iter().rev().map(String::as_str);
                    before.clone().take(run.len()).eq(run)
                };
                let beside = words[first].gap == Gap::Space;
                (beside && runs.iter().any(is)) == *wanted
            }
            Self::Before(runs, wanted) => {
                let after = words[last + 1..].iter().map(|word| word.key.as_str());
                let is = |run: &Vec<String>| {
                    after
                        .clone()
                        .take(run.len())
                        .eq(run.iter().map(String::as_str))
                };
                let beside = sentence.gap_after(last) == Gap::Space;
                (beside && runs.iter().any(is)) == *wanted
            }
            Self::Near(keys) => {
                let mut after = words[last + 1..].iter().take(NEAR);
                after.any(|word| keys.contains(&word.key))
            }
            Self::Start => sentence.begins_clause(first),
            Self::End => sentence.gap_after(last) == Gap::Stop,
            Self::Comma => sentence.gap_after(last) == Gap::Comma,
            Self::Present => sentence.present,
            Self::NoAgent => !sentence.has_agent(last + 1),
        }
    }
}

/// The lines of a list without remarks.
fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
}

fn read_classes(text: &str) -> Result<Classes, String> {
    let mut classes = Classes::new();
    for line in entries(text) {
        let (name, words) = line
            .split_once(" = ")
            .ok_or_else(|| format!("no set: `{line}`"))?;
        let words = words.split('/').map(str::to_owned).collect();
        classes.insert(name.to_owned(), words);
    }
    Ok(classes)
}

/// The alternatives of an element.
fn alternatives(part: &str, classes: &Classes) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    for word in part.split('/') {
        if word.starts_with('@') {
            let set = classes.get(word);
            words.extend_from_slice(set.ok_or_else(|| format!("no set is named `{word}`"))?);
        } else {
            words.push(word.to_owned());
        }
    }
    if words.iter().any(String::is_empty) {
        return Err("an empty word".to_owned());
    }
    Ok(words)
}

/// The runs of elements that a pattern stands for.
fn expanded(core: &str, classes: &Classes) -> Result<Vec<Vec<Element>>, String> {
    let mut runs: Vec<Vec<Element>> = vec![Vec::new()];
    for part in core.split(' ') {
        let optional = part
            .strip_prefix('[')
            .and_then(|part| part.strip_suffix(']'));
        let element = match optional.unwrap_or(part) {
            "_" => Element::Any,
            words => Element::OneOf(alternatives(words, classes)?),
        };
        let mut longer = runs.clone();
        for run in &mut longer {
            run.push(element.clone());
        }
        match optional {
            Some(_) => runs.extend(longer),
            None => runs = longer,
        }
    }
    Ok(runs)
}

fn condition(part: &str, classes: &Classes) -> Result<Condition, String> {
    let runs = |words: &str| -> Result<Vec<Vec<String>>, String> {
        let words = alternatives(words, classes)?;
        Ok(words
            .iter()
            .map(|run| run.split('_').map(str::to_owned).collect())
            .collect())
    };
    let (name, words) = part.split_once(' ').unwrap_or((part, ""));
    Ok(match (name, words.split_once(' ')) {
        ("start", _) => Condition::Start,
        ("end", _) => Condition::End,
        ("comma", _) => Condition::Comma,
        ("present", _) => Condition::Present,
        ("no", None) if words == "by" => Condition::NoAgent,
        ("after", None) => Condition::After(runs(words)?, true),
        ("before", None) => Condition::Before(runs(words)?, true),
        ("near", None) => Condition::Near(alternatives(words, classes)?),
        ("not", Some(("after", words))) => Condition::After(runs(words)?, false),
        ("not", Some(("before", words))) => Condition::Before(runs(words)?, false),
        _ => return Err(format!("no condition: `{part}`")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(list: &str) -> String {
        Patterns::read("@be = is/was", &[(Kind::Cliche, list)]).expect_err(list)
    }

    #[test]
    fn a_line_that_is_no_pattern_is_named() {
        assert_eq!(
            refused("a @have"),
            "Cliche: `a @have`: no set is named `@have`"
        );
        assert_eq!(refused("_ a"), "Cliche: `_ a`: it must begin with a word");
        assert_eq!(refused("a//b"), "Cliche: `a//b`: an empty word");
        assert_eq!(
            refused("a -- nearly b"),
            "Cliche: `a -- nearly b`: no condition: `nearly b`"
        );
    }

    #[test]
    fn words_that_may_be_missing_make_two_patterns() {
        let one = |word: &str| Element::OneOf(vec![word.to_owned()]);
        let runs = expanded("a [b] _", &Classes::new()).unwrap();
        assert_eq!(
            runs,
            [
                vec![one("a"), Element::Any],
                vec![one("a"), one("b"), Element::Any]
            ]
        );
    }
}

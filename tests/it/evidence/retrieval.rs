//! How often the passage that answers is among the first few: questions that were written again in
//! other words, among those that only look alike.

use std::collections::BTreeMap;

use serde::Deserialize;
use taskgen::{
    embed::Encoder,
    evidence::retrieval::{FoundBy, Index},
};

use crate::embed::model;

#[derive(Deserialize)]
struct Pair {
    a: String,
    b: String,
    same: bool,
}

/// The least recall@5, by words and by words and vectors; chance gives about 0.14.
const LEAST: f64 = 0.75;
const LEAST_FUSED: f64 = 0.85;

/// The texts to find something in, and each question with the place of what says the same.
fn material() -> (Vec<String>, Vec<(String, usize)>) {
    let pairs = include_str!("../../data/similarity/rewritten.jsonl").lines();
    let pairs = pairs.map(|line| serde_json::from_str::<Pair>(line).expect("a pair"));
    let (mut texts, mut questions, mut seen) = (Vec::new(), Vec::new(), BTreeMap::new());
    for pair in pairs {
        let place = *seen.entry(pair.b.clone()).or_insert_with(|| {
            texts.push(pair.b);
            texts.len() - 1
        });
        if pair.same {
            questions.push((pair.a, place));
        }
    }
    (texts, questions)
}

/// The share of the questions whose text is among the first `most` that `find` returns.
fn recall(questions: &[(String, usize)], most: usize, find: impl Fn(&str) -> Vec<usize>) -> f64 {
    let found = questions
        .iter()
        .filter(|(question, place)| find(question).iter().take(most).any(|best| best == place));
    found.count() as f64 / questions.len() as f64
}

#[test]
fn words_find_most_rewritten_questions() {
    let (texts, questions) = material();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let index = Index::new(&texts, None);
    let find = |question: &str| index.best(question, None, 5).best;
    let [first, fifth] = [1, 5].map(|most| recall(&questions, most, find));
    println!(
        "{} questions, {} texts: recall@1 {first:.3}, recall@5 {fifth:.3} by words",
        questions.len(),
        texts.len()
    );
    // Four of the twenty are in another language than what they ask for: words do not find those.
    assert!(fifth >= LEAST, "{fifth}");
    // A ranking that is upside down does not pass.
    let all = |question: &str| index.best(question, None, texts.len()).best;
    let worst = |question: &str| all(question).into_iter().rev().collect();
    assert!(recall(&questions, 5, worst) < LEAST);
}

#[test]
fn real_vectors_and_words_together_find_more() {
    let (texts, questions) = material();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let encoder = Encoder::load(&model().path).expect("it loads");
    let vectors = texts.iter().map(|text| encoder.encode(text)).collect();
    let index = Index::new(&texts, Some(vectors));
    let by_words = |question: &str| index.best(question, None, 5).best;
    let together = |question: &str| {
        let found = index.best(question, Some(&encoder.encode(question)), 5);
        assert_eq!(found.by, FoundBy::WordsAndMeaning);
        found.best
    };
    let words = [1, 5].map(|most| recall(&questions, most, by_words));
    let fused = [1, 5].map(|most| recall(&questions, most, together));
    println!("recall@1 and @5: {words:.3?} by words, {fused:.3?} by words and vectors");
    assert!(fused[1] >= LEAST_FUSED.max(words[1]), "{fused:?}");
}

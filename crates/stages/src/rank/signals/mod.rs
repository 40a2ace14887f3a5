//! The judge that is code: of two tasks, the one whose text shows more of what makes a task good.
//! It needs no model, prefers no side, and says on what it decided. It sees only the surface of a
//! text: not whether a task is worth doing, and whoever knows the signals can write for them.
//!
//! The probability that a task beats another is logistic in the difference of their signals, the
//! logistic regression of 100 planted pairs (`tests/data/judging`); `tests.rs` fits it again, and
//! measures it on the 100 others.

mod count;
#[cfg(test)]
mod tests;

use crate::data::{ListOrder, Side, Verdict, id::sha256_hex};
use count::{NAMES, SIGNALS, signals, words_of};

/// The model's name in a panel of judges.
pub const JUDGE: &str = "code/signals";
/// What answers under that name. Whoever changes a word or a weight writes the next number: verdicts
/// of two versions do not mix.
pub const VERSION: &str = "signals/1";
/// How much each signal weighs, in the order of [`NAMES`].
const WEIGHTS: [f64; SIGNALS] = [2.41, 1.53, 0.69, -2.15, -1.50, -9.77, -1.17];
/// Words below which a text is no task that stands on its own, whatever it shows; no planted text is
/// so short.
const SHORTEST_TASK: f64 = 20.0;
/// What that costs: more than all signals together.
const TOO_SHORT: f64 = -50.0;
/// Confidences are those that judges may state: multiples of this.
const STEP: f64 = 0.05;

/// Stands for the hash of the prompt that a model would be asked with.
pub fn hash() -> String {
    sha256_hex(VERSION.as_bytes())
}

/// Which of two tasks is better, how sure that is, and why.
pub fn compare(a: &str, b: &str) -> Verdict {
    let [a, b] = [a, b].map(Read::new);
    let margin = a.score() - b.score();
    let (winner, better, worse) = if margin >= 0.0 {
        (Side::A, &a, &b)
    } else {
        (Side::B, &b, &a)
    };
    Verdict {
        winner,
        confidence: stated(1.0 / (1.0 + (-margin.abs()).exp())),
        reason: Some(reason(better, worse)),
        scores: None,
    }
}

/// The order of several tasks, best first; of equals, the one that is shown first.
pub fn order(texts: &[&str]) -> ListOrder {
    let scores: Vec<f64> = texts.iter().map(|text| Read::new(text).score()).collect();
    let mut best_first: Vec<usize> = (0..texts.len()).collect();
    best_first.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let mut places = vec![0; texts.len()];
    for (place, number) in best_first.into_iter().enumerate() {
        places[number] = place;
    }
    ListOrder {
        places,
        reason: None,
    }
}

/// A text as it was read.
struct Read {
    signals: [f64; SIGNALS],
    is_short: bool,
}

impl Read {
    fn new(text: &str) -> Self {
        Self {
            signals: signals(text),
            is_short: words_of(text) < SHORTEST_TASK,
        }
    }

    fn score(&self) -> f64 {
        let shown: f64 = (0..SIGNALS).map(|i| WEIGHTS[i] * self.signals[i]).sum();
        if self.is_short {
            shown + TOO_SHORT
        } else {
            shown
        }
    }
}

/// The nearest confidence that a judge may state.
fn stated(probability: f64) -> f64 {
    let steps = (probability / STEP).round();
    // From whole hundredths: what is stored is .85 and not .8500000000000001.
    (steps * 5.0) / 100.0
}

/// The one or two signals that speak most for the better text.
fn reason(better: &Read, worse: &Read) -> String {
    if worse.is_short && !better.is_short {
        return "the other one is too short for a task".to_owned();
    }
    let more = |number: usize| better.signals[number] - worse.signals[number];
    let mut for_it: Vec<(f64, usize)> = (0..SIGNALS)
        .map(|number| (WEIGHTS[number] * more(number), number))
        .filter(|(gain, _)| *gain > 0.0)
        .collect();
    for_it.sort_by(|a, b| b.0.total_cmp(&a.0));
    let named: Vec<String> = for_it
        .iter()
        .take(2)
        .map(|(_, number)| what_it_has(*number))
        .collect();
    if named.is_empty() {
        return "no signal differs".to_owned();
    }
    format!("it has {}", named.join(" and "))
}

fn what_it_has(signal: usize) -> String {
    let name = NAMES[signal];
    match signal {
        // Yes or no, and no number.
        0 => name.to_owned(),
        _ if WEIGHTS[signal] > 0.0 => format!("more {name}"),
        _ => format!("fewer {name}"),
    }
}

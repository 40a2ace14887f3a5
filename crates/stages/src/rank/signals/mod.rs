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
use count::{NAMES, SIGNALS, signals};

/// The model's name in a panel of judges.
pub const JUDGE: &str = "code/signals";
/// What answers under that name: another version is another judge.
pub const VERSION: &str = "signals/1";
/// How much each signal weighs, in the order of [`NAMES`].
const WEIGHTS: [f64; SIGNALS] = [2.41, 1.52, 0.69, -2.14, -1.50, -9.78, -1.17];
/// Confidences are those that judges may state: multiples of this.
const STEP: f64 = 0.05;

/// Stands for the hash of the prompt that a model would be asked with.
pub fn hash() -> String {
    sha256_hex(VERSION.as_bytes())
}

/// Which of two tasks is better, how sure that is, and why.
pub fn compare(a: &str, b: &str) -> Verdict {
    let [a, b] = [a, b].map(signals);
    let gains: Vec<f64> = (0..SIGNALS).map(|i| WEIGHTS[i] * (a[i] - b[i])).collect();
    let margin: f64 = gains.iter().sum();
    let winner = if margin >= 0.0 { Side::A } else { Side::B };
    Verdict {
        winner,
        confidence: stated(1.0 / (1.0 + (-margin.abs()).exp())),
        reason: Some(reason(&gains, margin.signum())),
        scores: None,
    }
}

/// The order of several tasks, best first; of equals, the one that is shown first.
pub fn order(texts: &[&str]) -> ListOrder {
    let scores: Vec<f64> = texts.iter().map(|text| score(text)).collect();
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

fn score(text: &str) -> f64 {
    let signals = signals(text);
    (0..SIGNALS).map(|i| WEIGHTS[i] * signals[i]).sum()
}

/// The nearest confidence that a judge may state.
fn stated(probability: f64) -> f64 {
    let steps = (probability / STEP).round();
    // From whole hundredths: what is stored is .85 and not .8500000000000001.
    (steps * 5.0) / 100.0
}

/// The two signals that speak most for the winner; `toward` is 1 if that is the first task.
fn reason(gains: &[f64], toward: f64) -> String {
    let mut for_it: Vec<(f64, usize)> = gains
        .iter()
        .enumerate()
        .map(|(number, gain)| (gain * toward, number))
        .filter(|(gain, _)| *gain > 0.0)
        .collect();
    for_it.sort_by(|a, b| b.0.total_cmp(&a.0));
    let named: Vec<String> = for_it
        .iter()
        .take(2)
        .map(|(_, number)| {
            let more = if WEIGHTS[*number] > 0.0 {
                "more"
            } else {
                "fewer"
            };
            match number {
                0 => NAMES[0].to_owned(),
                _ => format!("{more} {}", NAMES[*number]),
            }
        })
        .collect();
    if named.is_empty() {
        return "no signal differs".to_owned();
    }
    format!("it has {}", named.join(" and "))
}

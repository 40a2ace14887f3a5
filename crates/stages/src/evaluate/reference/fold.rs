//! From stored comparisons to the win rate of a report: both orders of each judge together, the
//! judges of a panel alike.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Deserialize;

use super::{LENGTH, LENGTH_RATIO, PREFERENCE, WIN_RATE};
use crate::{
    data::{Cause, Judgement, Score, Side, Task},
    evaluate::evaluator::{Fold, Folded, Record, Reported},
    judging::compare::ShownFirst,
    store::{Evaluation, StoredJudgement},
};

/// A judgement as it was made: the letter of the better report, and how sure the judge is.
type Choice = Judgement<(Side, f64), Cause>;

/// Scores reports by comparisons with the reference agent's.
pub struct ReferenceFold {
    agent: String,
    is_panel: bool,
}

impl ReferenceFold {
    pub fn new(evaluation: &Evaluation) -> Self {
        let in_force = evaluation.in_force(PREFERENCE);
        Self {
            agent: in_force.settings["agent"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            is_panel: in_force.panel.len() > 1,
        }
    }
}

impl Fold for ReferenceFold {
    fn score(&self, record: &Record<'_>, _task: &Task, report: Reported<'_>) -> Result<Folded> {
        let mut folded = Folded::default();
        // Without a reference nothing was compared: the measures do not exist in this project.
        if self.agent.is_empty() {
            return Ok(folded);
        }
        // The reference is what the others are compared with; it has no score.
        if report.agent == self.agent {
            folded.scores.insert(WIN_RATE, Score::missing("reference"));
            folded
                .scores
                .insert(LENGTH_RATIO, Score::missing("reference"));
            return Ok(folded);
        }
        let id = report.id.as_str();
        let choices = record.judgements.read_bare(PREFERENCE, id, choice)?;
        let lengths = record.judgements.read_bare(LENGTH, id, lengths)?;
        for choice in &choices {
            if let Err(cause) = choice.outcome {
                *folded.unscored.entry(cause.word().to_owned()).or_default() += 1;
            }
        }
        let by_judge = win_rates(&choices);
        let rate =
            (!by_judge.is_empty()).then(|| by_judge.values().sum::<f64>() / by_judge.len() as f64);
        folded
            .scores
            .insert(WIN_RATE, Score::number(rate, "unscored"));
        if self.is_panel {
            folded.by_judge.insert(WIN_RATE, by_judge);
        }
        let length = lengths.into_iter().find_map(|length| length.outcome.ok());
        let ratio = length.filter(|(_, reference)| *reference > 0.0);
        folded.scores.insert(
            LENGTH_RATIO,
            ratio.map_or_else(
                || Score::missing("unscored"),
                |(own, reference)| Score::ratio(own, reference),
            ),
        );
        Ok(folded)
    }
}

fn choice(stored: &StoredJudgement<'_>) -> Result<(Side, f64)> {
    Ok((stored.label()?, stored.confidence()?))
}

fn lengths(stored: &StoredJudgement<'_>) -> Result<(f64, f64)> {
    #[derive(Deserialize)]
    struct Payload {
        words: f64,
        reference_words: f64,
    }
    let payload: Payload = stored.payload()?;
    Ok((payload.words, payload.reference_words))
}

/// The win rate by each judge with decisions in both orders: one order alone would include its
/// position bias.
fn win_rates(choices: &[Choice]) -> BTreeMap<String, f64> {
    let mut points: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
    for choice in choices {
        let Some((order, (winner, confidence))) = order_of(choice).zip(choice.outcome.ok()) else {
            continue;
        };
        points
            .entry(&choice.judge)
            .or_default()
            .insert(order.word(), order.points(winner, confidence));
    }
    points
        .into_iter()
        // A judge with one order would bring its position bias into the mean.
        .filter(|(_, orders)| orders.len() == ShownFirst::BOTH.len())
        .map(|(judge, orders)| {
            let sum: f64 = orders.values().sum();
            (judge.to_owned(), sum / orders.len() as f64)
        })
        .collect()
}

fn order_of(choice: &Choice) -> Option<ShownFirst> {
    ShownFirst::BOTH
        .into_iter()
        .find(|order| choice.about.ends_with(order.word()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(judge: &str, order: ShownFirst, winner: Side, confidence: f64) -> Choice {
        Choice {
            about: format!("d_reference/{}", order.word()),
            sample: 0,
            judge: judge.to_owned(),
            outcome: Ok((winner, confidence)),
        }
    }

    /// The same judgements as if each pair had been shown the other way round and the other letter
    /// named.
    fn swapped(choices: &[Choice]) -> Vec<Choice> {
        let swap = |choice: &Choice| {
            let (order, (winner, confidence)) = order_of(choice)
                .zip(choice.outcome.ok())
                .expect("a decision");
            let winner = match winner {
                Side::A => Side::B,
                Side::B => Side::A,
            };
            made(&choice.judge, order.opposite(), winner, confidence)
        };
        choices.iter().map(swap).collect()
    }

    #[test]
    fn a_taste_for_a_place_is_no_win() {
        let always_a = ShownFirst::BOTH.map(|order| made("m", order, Side::A, 0.9));
        assert_eq!(
            win_rates(&always_a),
            BTreeMap::from([("m".to_owned(), 0.5)])
        );
        let one_order = [made("m", ShownFirst::Subject, Side::A, 0.9)];
        assert!(win_rates(&one_order).is_empty());
    }

    #[test]
    fn swapped_sides_and_letters_change_nothing() {
        for (first, second) in [(Side::A, Side::A), (Side::A, Side::B), (Side::B, Side::B)] {
            let choices = [
                made("m", ShownFirst::Subject, first, 0.9),
                made("m", ShownFirst::Other, second, 0.5),
                made("n", ShownFirst::Subject, second, 0.7),
                made("n", ShownFirst::Other, first, 0.8),
            ];
            assert_eq!(win_rates(&choices), win_rates(&swapped(&choices)));
        }
    }
}

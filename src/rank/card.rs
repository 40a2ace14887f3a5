//! The audit card of a ranking: how far its judges, and with them its order, can be believed. Hides
//! which verdicts are held out from which prediction.

use std::collections::BTreeMap;

use anyhow::Result;
use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Serialize;

use super::{
    audit::{Audit, Evidence, Limits, Seen, audit},
    fold::{Concluded, OnRecord, Standing, by_elo, by_strength, conclude},
};
use crate::{
    data::{Task, TaskId},
    stats::bradley_terry::{self, Answer, Draws},
    store::{Judge, JudgementCost, Ranking, Store},
};

/// Verdicts are predicted by a fit to the others, in so many parts.
const PARTS: usize = 5;

/// How far a ranking can be believed.
#[derive(Clone, Debug, Serialize)]
pub struct Card {
    /// The judges by number.
    pub judges: Vec<Member>,
    /// The checks.
    pub audit: Audit,
    /// What the judgements took.
    pub spent: JudgementCost,
    /// Verdicts, unscored ones by cause.
    pub n_scored: u64,
    /// Judgements without a verdict.
    pub n_failed: u64,
    /// How many are looked for.
    pub top: usize,
    /// Share of the truly best that the likeliest `top` are expected to hold.
    pub expected_recall: f64,
    /// Share of verdicts that seem a coin's.
    pub lapses: f64,
    /// Standard deviation of the tasks' strengths, in logits.
    pub deviation: f64,
    /// Each task's probability to be among the best `top`, and its strength with the 95 % interval,
    /// in the items' order.
    #[serde(skip)]
    pub draws: Draws,
    /// The tasks, best first.
    #[serde(skip)]
    pub standing: Standing,
}

/// A judge, as the fit sees it.
#[derive(Clone, Debug, Serialize)]
pub struct Member {
    /// `provider/model`, and what tells it from others of that name.
    pub name: String,
    /// The model that was asked.
    pub model: String,
    /// Whether it puts lists in an order.
    pub lists: bool,
    /// How much its verdicts follow the strengths, next to the first judge's.
    pub discrimination: f64,
    /// How much it prefers the side shown first, in logits of its own.
    pub first_side: f64,
}

/// Makes the card of `ranking`; `tasks` are looked up for their texts. `top` looks for another
/// number of best ones.
pub fn card(store: &Store, ranking: &Ranking, tasks: &[Task], top: Option<usize>) -> Result<Card> {
    let concluded = conclude(store, ranking, top)?;
    let standing = if ranking.method == "elo" {
        by_elo(store, ranking)?
    } else {
        by_strength(ranking, &concluded)
    };
    let Concluded { record, draws, top } = concluded;
    let items = ranking.items.len();
    let lengths: BTreeMap<&TaskId, f64> = tasks
        .iter()
        .map(|task| (&task.id, task.task.chars().count() as f64))
        .collect();
    let length = |id: &TaskId| lengths.get(id).copied().unwrap_or(f64::NAN);
    let (predicted, preferred) = held_out(items, &record.seen, &draws);
    let evidence = Evidence {
        verdicts: &record.seen,
        predicted: &predicted,
        preferred: &preferred,
        scores: &draws.strength,
        lengths: &ranking.items.iter().map(length).collect::<Vec<_>>(),
    };
    Ok(Card {
        judges: members(&record, &draws),
        audit: audit(
            &evidence,
            &Limits::default(),
            &mut ChaCha8Rng::seed_from_u64(ranking.seed),
        ),
        spent: store.cost_of_judgements(&record.asked)?,
        n_scored: record.scored,
        n_failed: record.failed.len() as u64,
        top,
        expected_recall: draws.expected_recall,
        lapses: draws.model.lapse,
        deviation: draws.model.variance.sqrt(),
        draws,
        standing,
    })
}

fn members(record: &OnRecord, draws: &Draws) -> Vec<Member> {
    let member = |(at, judge): (usize, &Judge)| {
        let of_prompt = |other: &&Judge| {
            (&other.model_asked, &other.prompt_hash) == (&judge.model_asked, &judge.prompt_hash)
        };
        let several = record.judges.iter().filter(of_prompt).count() > 1;
        let answered = if several {
            format!(" as {}", judge.model_returned)
        } else {
            String::new()
        };
        let lists = if record.lists[at] { " (lists)" } else { "" };
        Member {
            name: format!("{}{answered}{lists}", judge.model_asked),
            model: judge.model_asked.clone(),
            lists: record.lists[at],
            discrimination: draws.model.discrimination[at],
            first_side: draws.intercept[at],
        }
    };
    record.judges.iter().enumerate().map(member).collect()
}

/// For each verdict the probability that its first side wins, by a fit that has not seen the pair;
/// then the same for a judge that prefers no side.
fn held_out(items: usize, seen: &[Seen], draws: &Draws) -> (Vec<f64>, Vec<f64>) {
    // Both orders of a pair are in the same part.
    let part = |seen: &Seen| {
        (seen.first.min(seen.second) as usize * 31 + seen.first.max(seen.second) as usize) % PARTS
    };
    let fits: Vec<_> = (0..PARTS)
        .map(|out| {
            let others: Vec<Answer> = seen
                .iter()
                .filter(|seen| seen.sample == 0 && part(seen) != out)
                .map(Seen::duel)
                .collect();
            bradley_terry::fit(items, &others, &draws.model, None)
        })
        .collect();
    let predict = |seen: &Seen| {
        let fit = &fits[part(seen)];
        let difference = fit.strength[seen.first as usize] - fit.strength[seen.second as usize];
        let probability = |logit| draws.model.probability(seen.judge as usize, logit);
        (
            probability(difference + fit.intercept[seen.judge as usize]),
            probability(difference),
        )
    };
    seen.iter().map(predict).unzip()
}

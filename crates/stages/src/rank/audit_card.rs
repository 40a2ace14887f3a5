//! The audit card of a ranking: how reliable its judges, and so its order, are. Hides which
//! verdicts are held out from which prediction.

use std::collections::BTreeMap;

use anyhow::Result;
use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Serialize;

use super::{
    audit::{Audit, AuditInput, JudgeAudit, Thresholds, audit},
    options::shows_both_orders,
    ratings::{FittedRanking, PanelVerdicts, Ratings, elo_ratings, fit_ranking, strength_ratings},
    weigh::SidePreference,
};
use crate::{
    data::{HIDDEN_PAIR, ItemId},
    judging::hidden::{ProbeResult, results_of},
    stats::pairwise::{
        PairVerdict,
        bradley_terry::{self, Fit, PosteriorSummary, Preference},
    },
    store::{Judge, JudgementCost, Ranking, Store},
};

/// Parts of a cross-validation: the verdicts of one part are predicted by a fit to the others.
const FOLDS: usize = 5;

/// The audit card of a ranking.
#[derive(Clone, Debug, Serialize)]
pub struct AuditCard {
    /// The judges by number.
    pub judges: Vec<JudgeSummary>,
    /// The checks.
    pub audit: Audit,
    /// Calls, tokens and cost of the judgements.
    pub spent: JudgementCost,
    /// Judgements with a verdict.
    pub n_scored: u64,
    /// Judgements without one.
    pub n_failed: u64,
    /// Number of the best items to find.
    pub top: usize,
    /// Share of the truly best that the likeliest `top` are expected to hold.
    pub expected_recall: f64,
    /// Lapse rate: share of random verdicts.
    pub lapse_rate: f64,
    /// Standard deviation of the items' strengths, in logits.
    pub deviation: f64,
    /// Each item's probability to be among the best `top`, and its strength with the 95 % interval,
    /// in the order of the ranking's items.
    #[serde(skip)]
    pub posterior: PosteriorSummary,
    /// The items, best first.
    #[serde(skip)]
    pub ratings: Ratings,
}

/// A judge's parameters in the fit.
#[derive(Clone, Debug, Serialize)]
pub struct JudgeSummary {
    /// `provider/model`, and what tells it from others of that name.
    pub name: String,
    /// The model that was asked.
    pub model: String,
    /// Whether it orders lists.
    pub lists: bool,
    /// Discrimination: how steeply its verdicts follow the strengths, relative to the first judge.
    pub discrimination: f64,
    /// Preference for the side shown first, in logits of its own.
    pub position_bias: f64,
    /// What cancels out of its verdicts, where each holds both orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side_preference: Option<SidePreference>,
    /// Its answers to hidden probes, where it had any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probes: Option<ProbeResult>,
}

/// Makes the card of `ranking`. `lengths` are those of the items' texts, as far as they are known;
/// `top` is another number of best items than the ranking's own.
pub fn audit_card(
    store: &Store,
    ranking: &Ranking,
    lengths: &BTreeMap<ItemId, f64>,
    top: Option<usize>,
) -> Result<AuditCard> {
    let fitted = fit_ranking(store, ranking, top)?;
    let ratings = if ranking.method == "elo" {
        elo_ratings(store, ranking)?
    } else {
        strength_ratings(ranking, &fitted)
    };
    let FittedRanking {
        verdicts,
        posterior,
        top,
    } = fitted;
    let lengths: Vec<f64> = ranking
        .items
        .iter()
        .map(|id| lengths.get(id).copied().unwrap_or(f64::NAN))
        .collect();
    let (predicted, preferred) = held_out(ranking.items.len(), &verdicts.pairs, &posterior);
    let input = AuditInput {
        verdicts: &verdicts.pairs,
        predicted: &predicted,
        preferred: &preferred,
        scores: &posterior.strength,
        lengths: &lengths,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(ranking.seed);
    let mut audit = audit(&input, &Thresholds::default(), &mut rng);
    let mut judges = judge_summaries(&verdicts, &posterior);
    let answers = store.hidden_answers(HIDDEN_PAIR)?;
    let probes = results_of(&answers, |judge| verdicts.judges.contains(judge));
    for (summary, judge) in judges.iter_mut().zip(&verdicts.judges) {
        summary.probes = probes.get(judge).cloned();
    }
    if shows_both_orders(&ranking.parameters) {
        // Sides cancel out of such verdicts: a share of one half would be no result.
        audit.judges.iter_mut().for_each(JudgeAudit::forget_sides);
        for (summary, judge) in judges.iter_mut().zip(&verdicts.judges) {
            let orders = store.logprobs_of_verdicts(judge)?;
            summary.side_preference = SidePreference::of_orders(&orders);
        }
    }
    Ok(AuditCard {
        judges,
        audit,
        spent: store.cost_of_judgements(&verdicts.asked)?,
        n_scored: verdicts.scored,
        n_failed: verdicts.failed.len() as u64,
        top,
        expected_recall: posterior.expected_recall,
        lapse_rate: posterior.model.lapse_rate,
        deviation: posterior.model.variance.sqrt(),
        posterior,
        ratings,
    })
}

fn judge_summaries(verdicts: &PanelVerdicts, posterior: &PosteriorSummary) -> Vec<JudgeSummary> {
    let judges = verdicts.judges.iter().enumerate();
    judges
        .map(|(at, judge)| JudgeSummary {
            name: name_of_judge(judge, verdicts, at),
            model: judge.model_asked.clone(),
            lists: verdicts.lists[at],
            discrimination: posterior.model.discrimination[at],
            position_bias: posterior.intercept[at],
            side_preference: None,
            probes: None,
        })
        .collect()
}

/// The model asked, and the model returned where several answered under that name.
fn name_of_judge(judge: &Judge, verdicts: &PanelVerdicts, at: usize) -> String {
    let namesakes = verdicts
        .judges
        .iter()
        .filter(|other| {
            other.model_asked == judge.model_asked && other.prompt_hash == judge.prompt_hash
        })
        .count();
    let mut name = judge.model_asked.clone();
    if namesakes > 1 {
        name.push_str(&format!(" as {}", judge.model_returned));
    }
    if verdicts.lists[at] {
        name.push_str(" (lists)");
    }
    name
}

/// For each verdict the probability that the side shown first wins, by a fit that has not seen the
/// pair; then the same for a judge without position bias.
fn held_out(
    items: usize,
    verdicts: &[PairVerdict],
    posterior: &PosteriorSummary,
) -> (Vec<f64>, Vec<f64>) {
    let fits: Vec<Fit> = (0..FOLDS)
        .map(|held_out| fit_without(items, verdicts, posterior, held_out))
        .collect();
    verdicts
        .iter()
        .map(|verdict| predict(verdict, &fits[fold_of(verdict)], posterior))
        .unzip()
}

/// The fold of a pair. Both orders of a pair are in the same one: else a verdict would be predicted
/// from the same question asked the other way round.
fn fold_of(verdict: &PairVerdict) -> usize {
    let (low, high) = verdict.pair();
    (low as usize * 31 + high as usize) % FOLDS
}

fn fit_without(
    items: usize,
    verdicts: &[PairVerdict],
    posterior: &PosteriorSummary,
    held_out: usize,
) -> Fit {
    let others: Vec<Preference> = verdicts
        .iter()
        .filter(|verdict| verdict.sample == 0 && fold_of(verdict) != held_out)
        .map(PairVerdict::preference)
        .collect();
    bradley_terry::fit(items, &others, &posterior.model, None)
}

fn predict(verdict: &PairVerdict, fit: &Fit, posterior: &PosteriorSummary) -> (f64, f64) {
    let judge = verdict.judge as usize;
    let difference = fit.strength[verdict.first as usize] - fit.strength[verdict.second as usize];
    let with_bias = difference + fit.intercept[judge];
    (
        posterior.model.probability(judge, with_bias),
        posterior.model.probability(judge, difference),
    )
}

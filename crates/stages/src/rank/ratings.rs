//! Ratings from stored verdicts, whatever the order in which they arrived: Elo in the order of
//! rounds and pairs, Bradley–Terry strengths and memberships from all verdicts at once. A missing
//! or failed verdict moves nothing and is counted.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;

use super::{index::Index, options::asks_again, pairing};
use crate::{
    data::{Comparison, ItemId, ListComparison, Unscored, Verdict},
    stats::pairwise::{
        PairVerdict,
        bradley_terry::{PosteriorSummary, Preference},
        elo,
        halving::{self, Settings, effective_top},
    },
    store::{Judge, Ranking, Recorded, Store},
};

/// An item's rating.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatedItem {
    /// The item.
    #[serde(rename = "task")]
    pub item: ItemId,
    /// Its Elo rating, where the ranking is the paper's.
    pub elo: Option<f64>,
    /// Its strength, where the ranking is not the paper's.
    pub estimate: Option<StrengthEstimate>,
    /// Games that counted.
    pub games: u32,
}

/// An item's Bradley–Terry strength in logits, 0 being the mean of all items.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StrengthEstimate {
    /// Posterior median.
    pub strength: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Probability to be among the best `top`.
    pub membership: f64,
}

/// The items of a ranking, best first, and the number of verdicts behind it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Ratings {
    /// Best first; equal ratings by id.
    pub rated: Vec<RatedItem>,
    /// Comparisons of the schedule or in the store, once for each member of the panel.
    pub n_total: u64,
    /// Those with a verdict.
    pub n_scored: u64,
    /// The others by cause; `missing` ones were not asked yet.
    pub n_failed: BTreeMap<String, u64>,
    /// Number of the best items to find, where the ranking is not the paper's.
    pub top: Option<usize>,
    /// Share of the truly best that the first `top` are expected to hold.
    pub expected_recall: Option<f64>,
}

/// Computes the ratings of `ranking` from what is stored.
pub fn ratings(store: &Store, ranking: &Ranking) -> Result<Ratings> {
    if ranking.method == "elo" {
        elo_ratings(store, ranking)
    } else {
        Ok(strength_ratings(
            ranking,
            &fit_ranking(store, ranking, None)?,
        ))
    }
}

/// Counts the verdicts of `ranking`, without its ratings where these take long.
pub fn verdict_counts(store: &Store, ranking: &Ranking) -> Result<Ratings> {
    if ranking.method == "elo" {
        return elo_ratings(store, ranking);
    }
    let PanelVerdicts { scored, failed, .. } = panel_verdicts(store, ranking)?;
    Ok(Ratings::from_counts(scored, &failed))
}

/// Elo ratings in the order of rounds and pairs (RankEval).
pub(super) fn elo_ratings(store: &Store, ranking: &Ranking) -> Result<Ratings> {
    let rounds = ranking.number("rounds").unwrap_or(20.0) as u32;
    let k = ranking.number("elo_k").unwrap_or(32.0);
    let outcomes = outcomes_by_pair(store, ranking)?;
    let again = asks_again(&ranking.parameters);
    let mut times: BTreeMap<pairing::Pair, u32> = BTreeMap::new();
    let members: BTreeSet<&str> = ranking
        .panel
        .iter()
        .map(|judge| judge.model_asked.as_str())
        .collect();
    let mut elo_and_games: BTreeMap<ItemId, (f64, u32)> = ranking
        .items
        .iter()
        .map(|id| (id.clone(), (elo::START, 0)))
        .collect();
    let mut ratings = Ratings::default();
    for pair in pairing::schedule(&ranking.items, rounds, ranking.seed)
        .into_iter()
        .flatten()
    {
        let time = times.entry(pair.clone()).or_default();
        let sample = if again { *time } else { 0 };
        *time += 1;
        let by_member = outcomes.get(&(pair.a.clone(), pair.b.clone(), sample));
        let mut scores = Vec::new();
        for member in &members {
            let outcome = by_member.and_then(|of| of.get(*member)).map(Result::as_ref);
            match outcome {
                Some(Ok(verdict)) => scores.push(verdict.score_a()),
                Some(Err(unscored)) => ratings.count_failure(unscored.cause.word()),
                None => ratings.count_failure("missing"),
            }
        }
        ratings.count_scored(scores.len() as u64);
        if scores.is_empty() {
            continue;
        }
        // The paper has one judge. A panel's score is the mean of its members who decided.
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let gain = elo::gain(elo_and_games[&pair.a].0, elo_and_games[&pair.b].0, mean, k);
        for (id, change) in [(&pair.a, gain), (&pair.b, -gain)] {
            if let Some((elo, games)) = elo_and_games.get_mut(id) {
                *elo += change;
                *games += 1;
            }
        }
    }
    ratings.rated = elo_and_games
        .into_iter()
        .map(|(item, (elo, games))| RatedItem {
            item,
            elo: Some(elo),
            estimate: None,
            games,
        })
        .collect();
    ratings.rated.sort_by(|x, y| {
        let by_elo = elo_or_start(y).total_cmp(&elo_or_start(x));
        by_elo.then_with(|| x.item.cmp(&y.item))
    });
    Ok(ratings)
}

fn elo_or_start(rated: &RatedItem) -> f64 {
    rated.elo.unwrap_or(elo::START)
}

/// Outcomes by pair, by which time it was asked from 0, and by the model that was asked.
type Outcomes = BTreeMap<(ItemId, ItemId, u32), BTreeMap<String, Result<Verdict, Unscored>>>;

fn outcomes_by_pair(store: &Store, ranking: &Ranking) -> Result<Outcomes> {
    let panel = &ranking.panel;
    let mut outcomes = Outcomes::new();
    for Recorded { judged, judge, .. } in store
        .comparisons(ranking.item_kind, |model, prompt| {
            is_asked(panel, model, prompt)
        })?
    {
        // A failed call often does not say which model it was: it counts for the model asked.
        if judged.outcome.is_ok() && !panel.contains(&judge) {
            continue;
        }
        let asked = (judged.a, judged.b, judged.sample);
        let of_pair = outcomes.entry(asked).or_default();
        if of_pair.get(&judge.model_asked).is_none_or(Result::is_err) {
            of_pair.insert(judge.model_asked, judged.outcome);
        }
    }
    Ok(outcomes)
}

/// Whether a member of the panel was asked by this name, with this prompt.
fn is_asked(panel: &[Judge], model: &str, prompt: &str) -> bool {
    panel
        .iter()
        .any(|judge| judge.model_asked == model && judge.prompt_hash == prompt)
}

/// The stored verdicts of a ranking's panel on its items, whichever ranking asked for them.
pub(super) struct PanelVerdicts {
    /// The judges by number: another model returned, or another prompt, is another judge.
    pub judges: Vec<Judge>,
    /// Whether each judge orders lists.
    pub lists: Vec<bool>,
    /// The verdicts on pairs in the order in which they were asked, then disjoint pairs of each
    /// list.
    pub pairs: Vec<PairVerdict>,
    /// The verdicts that count for the fit, lists as a whole.
    pub preferences: Vec<Preference>,
    /// Number of answered questions that showed each item.
    pub shown: Vec<u32>,
    /// Number of answered questions.
    pub scored: u64,
    /// The causes of the other questions.
    pub failed: Vec<&'static str>,
    /// Every judge that was asked, failures included.
    pub asked: BTreeSet<Judge>,
}

pub(super) fn panel_verdicts(store: &Store, ranking: &Ranking) -> Result<PanelVerdicts> {
    let mut judges = ranking.panel.clone();
    judges.sort();
    let index = Index::new(&ranking.items, |judge: &Judge| {
        judges.binary_search(judge).ok()
    });
    let mut pairs = store.comparisons(ranking.item_kind, |model, prompt| {
        is_asked(&judges, model, prompt)
    })?;
    let mut lists = store.list_comparisons(ranking.item_kind, |model, prompt| {
        is_asked(&judges, model, prompt)
    })?;
    // A failed call often does not say which model it was: it counts for the model asked.
    pairs.retain(|of: &Recorded<Comparison>| {
        (of.judged.outcome.is_err() || judges.contains(&of.judge)) && index.knows_both(&of.judged)
    });
    lists.retain(|of: &Recorded<ListComparison>| {
        (of.judged.outcome.is_err() || judges.contains(&of.judge)) && index.knows_two(&of.judged)
    });
    let mut verdicts = PanelVerdicts {
        lists: judges
            .iter()
            .map(|judge| lists.iter().any(|of| of.judge == *judge))
            .collect(),
        pairs: pairs
            .iter()
            .filter_map(|of| index.pair_verdict(of))
            .collect(),
        preferences: pairs
            .iter()
            .filter_map(|of| index.pair_preference(of))
            .collect(),
        shown: vec![0; ranking.items.len()],
        scored: 0,
        failed: pairs
            .iter()
            .filter_map(|of| cause(&of.judged.outcome))
            .collect(),
        asked: pairs
            .iter()
            .map(|of| &of.judge)
            .chain(lists.iter().map(|of| &of.judge))
            .cloned()
            .collect(),
        judges: Vec::new(),
    };
    verdicts.scored = verdicts.pairs.len() as u64;
    for list in &lists {
        let order = index.list_preference(list);
        verdicts.scored += u64::from(order.is_some());
        verdicts.pairs.extend(index.list_verdicts(list));
        verdicts.failed.extend(cause(&list.judged.outcome));
        verdicts.preferences.extend(order);
    }
    for item in verdicts.preferences.iter().flat_map(Preference::items) {
        verdicts.shown[item as usize] += 1;
    }
    verdicts.judges = judges;
    Ok(verdicts)
}

fn cause<T>(outcome: &Result<T, Unscored>) -> Option<&'static str> {
    outcome.as_ref().err().map(|unscored| unscored.cause.word())
}

/// A ranking's verdicts with the strengths that they give.
pub(super) struct FittedRanking {
    /// The verdicts.
    pub verdicts: PanelVerdicts,
    /// The strengths and memberships.
    pub posterior: PosteriorSummary,
    /// Number of the best items to find.
    pub top: usize,
}

/// Reads the verdicts of a ranking and fits the strengths; `top` is another number of best items
/// than the ranking's own.
pub(super) fn fit_ranking(
    store: &Store,
    ranking: &Ranking,
    top: Option<usize>,
) -> Result<FittedRanking> {
    let verdicts = panel_verdicts(store, ranking)?;
    let asked = ranking
        .parameters
        .get("top")
        .and_then(serde_json::Value::as_u64)
        .unwrap_or(100);
    let settings = Settings {
        top: top.unwrap_or_else(|| effective_top(ranking.items.len(), asked as usize)),
        calls: 0,
        judges: verdicts.judges.len(),
        target_recall: None,
        group: 2,
        seed: ranking.seed,
    };
    let posterior = halving::summarize(ranking.items.len(), &verdicts.preferences, &settings);
    Ok(FittedRanking {
        verdicts,
        posterior,
        top: settings.top,
    })
}

/// The items of a fitted ranking, the most probable members of the best first.
pub(super) fn strength_ratings(ranking: &Ranking, fitted: &FittedRanking) -> Ratings {
    let FittedRanking {
        verdicts,
        posterior,
        top,
    } = fitted;
    let mut ratings = Ratings::from_counts(verdicts.scored, &verdicts.failed);
    ratings.top = Some(*top);
    ratings.expected_recall = Some(posterior.expected_recall);
    for (at, item) in ranking.items.iter().enumerate() {
        let (low, high) = posterior.interval[at];
        ratings.rated.push(RatedItem {
            item: item.clone(),
            elo: None,
            estimate: Some(StrengthEstimate {
                strength: posterior.strength[at],
                low,
                high,
                membership: posterior.membership[at],
            }),
            games: verdicts.shown[at],
        });
    }
    ratings.rated.sort_by(|x, y| {
        let ((x_member, x_strength), (y_member, y_strength)) = (sort_key(x), sort_key(y));
        y_member
            .total_cmp(&x_member)
            .then(y_strength.total_cmp(&x_strength))
            .then_with(|| x.item.cmp(&y.item))
    });
    ratings
}

fn sort_key(rated: &RatedItem) -> (f64, f64) {
    rated.estimate.map_or((0.0, 0.0), |estimate| {
        (estimate.membership, estimate.strength)
    })
}

impl Ratings {
    fn from_counts(scored: u64, failed: &[&str]) -> Self {
        let mut ratings = Self::default();
        ratings.count_scored(scored);
        for cause in failed {
            ratings.count_failure(cause);
        }
        ratings
    }

    fn count_scored(&mut self, n: u64) {
        self.n_total += n;
        self.n_scored += n;
    }

    fn count_failure(&mut self, cause: &str) {
        self.n_total += 1;
        *self.n_failed.entry(cause.to_owned()).or_default() += 1;
    }
}

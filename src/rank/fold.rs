//! Verdicts into ratings, whatever the order in which they arrived: Elo in the order of rounds and
//! pairs, strengths and memberships from all verdicts at once. A missing or failed verdict moves
//! nothing and is counted.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;

use super::{
    audit::Seen,
    halving::{self, Settings, edge_of},
    index::Index,
    pairing,
};
use crate::{
    data::{TaskId, Unscored, Verdict},
    stats::{
        bradley_terry::{Answer, Draws},
        elo,
    },
    store::{Judge, Ranking, Recorded, Store},
};

/// A task's place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rated {
    /// The task.
    pub task: TaskId,
    /// Its Elo rating, where the ranking is the paper's.
    pub elo: Option<f64>,
    /// Its strength, where the ranking is by duels.
    pub estimate: Option<Estimate>,
    /// Games that counted.
    pub games: u32,
}

/// What the verdicts say of a task's strength, in logits around the mean of all tasks
/// (Bradley–Terry).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Median of what is credible.
    pub strength: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Probability to be among the best `top`.
    pub membership: f64,
}

/// The tasks of a ranking, best first, and how much it rests on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Standing {
    /// Best first; equal ratings by id.
    pub rated: Vec<Rated>,
    /// Comparisons of the schedule or on record, once for each member of the panel.
    pub n_total: u64,
    /// Those with a verdict.
    pub n_scored: u64,
    /// The others by cause; `missing` ones were not asked yet.
    pub n_failed: BTreeMap<String, u64>,
    /// How many are looked for, where the ranking is by duels.
    pub top: Option<usize>,
    /// Share of the truly best that the first `top` are expected to hold.
    pub expected_recall: Option<f64>,
}

/// Folds what the store has into the standing of `ranking`.
pub fn fold(store: &Store, ranking: &Ranking) -> Result<Standing> {
    if ranking.method == "elo" {
        by_elo(store, ranking)
    } else {
        Ok(by_strength(ranking, &conclude(store, ranking, None)?))
    }
}

/// How many comparisons `ranking` rests on, without its ratings.
pub fn counts(store: &Store, ranking: &Ranking) -> Result<Standing> {
    if ranking.method == "elo" {
        return by_elo(store, ranking);
    }
    let OnRecord { scored, failed, .. } = on_record(store, ranking)?;
    Ok(Standing::of(scored, &failed))
}

pub(super) fn by_elo(store: &Store, ranking: &Ranking) -> Result<Standing> {
    let number = |name: &str| {
        ranking
            .parameters
            .get(name)
            .and_then(serde_json::Value::as_f64)
    };
    let (rounds, k) = (
        number("rounds").unwrap_or(20.0) as u32,
        number("elo_k").unwrap_or(32.0),
    );
    let comparisons = outcomes(store, &ranking.panel)?;
    let members: BTreeSet<&str> = ranking
        .panel
        .iter()
        .map(|judge| judge.model_asked.as_str())
        .collect();
    let mut rating: BTreeMap<TaskId, (f64, u32)> = ranking
        .items
        .iter()
        .map(|id| (id.clone(), (elo::START, 0)))
        .collect();
    let mut standing = Standing::default();
    for pair in pairing::schedule(&ranking.items, rounds, ranking.seed)
        .into_iter()
        .flatten()
    {
        let by_member = comparisons.get(&(pair.a.clone(), pair.b.clone()));
        let mut scores = Vec::new();
        for member in &members {
            let outcome = by_member.and_then(|of| of.get(*member)).map(Result::as_ref);
            match outcome {
                Some(Ok(verdict)) => scores.push(verdict.score_a()),
                Some(Err(unscored)) => standing.fail(unscored.cause.word()),
                None => standing.fail("missing"),
            }
        }
        standing.score(scores.len() as u64);
        if scores.is_empty() {
            continue;
        }
        // A panel's outcome is the mean of those of its members who decided.
        let outcome = scores.iter().sum::<f64>() / scores.len() as f64;
        let gain = elo::gain(rating[&pair.a].0, rating[&pair.b].0, outcome, k);
        for (id, change) in [(&pair.a, gain), (&pair.b, -gain)] {
            if let Some((elo, games)) = rating.get_mut(id) {
                *elo += change;
                *games += 1;
            }
        }
    }
    let rated = |(task, (elo, games))| Rated {
        task,
        elo: Some(elo),
        estimate: None,
        games,
    };
    standing.rated = rating.into_iter().map(rated).collect();
    let elo = |rated: &Rated| rated.elo.unwrap_or(elo::START);
    standing
        .rated
        .sort_by(|x, y| elo(y).total_cmp(&elo(x)).then_with(|| x.task.cmp(&y.task)));
    Ok(standing)
}

/// Scores of the first of two by the model that was asked, or why there is none. A failure is
/// whoever's it was.
type Outcomes = BTreeMap<(TaskId, TaskId), BTreeMap<String, Result<Verdict, Unscored>>>;

fn outcomes(store: &Store, panel: &[Judge]) -> Result<Outcomes> {
    let mut outcomes = Outcomes::new();
    for Recorded { told, judge, .. } in
        store.recorded(|model, prompt| is_asked(panel, model, prompt))?
    {
        if told.sample > 0 || told.outcome.is_ok() && !panel.contains(&judge) {
            continue;
        }
        let of_pair = outcomes.entry((told.a, told.b)).or_default();
        if of_pair.get(&judge.model_asked).is_none_or(Result::is_err) {
            of_pair.insert(judge.model_asked, told.outcome);
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

/// The verdicts of a ranking's panel on its tasks, whichever ranking asked for them.
pub(super) struct OnRecord {
    /// The judges by number: another model returned, or another prompt, is another judge.
    pub judges: Vec<Judge>,
    /// Which of them put lists in an order.
    pub lists: Vec<bool>,
    /// The verdicts in the order in which they were asked, and of lists every other pair.
    pub seen: Vec<Seen>,
    /// Those that count, lists as a whole.
    pub verdicts: Vec<Answer>,
    /// In how many questions each task was shown that were answered.
    pub shown: Vec<u32>,
    /// Judgements: questions that were answered.
    pub scored: u64,
    /// The others, by cause.
    pub failed: Vec<&'static str>,
    /// Whoever was asked, failures included.
    pub asked: BTreeSet<Judge>,
}

pub(super) fn on_record(store: &Store, ranking: &Ranking) -> Result<OnRecord> {
    let mut judges = ranking.panel.clone();
    judges.sort();
    let index = Index::new(&ranking.items, |judge: &Judge| {
        judges.binary_search(judge).ok()
    });
    // Whose failure it was is often unknown: it counts by the model that was asked.
    let mut duels = store.recorded(|model, prompt| is_asked(&judges, model, prompt))?;
    duels.retain(|of| {
        (of.told.outcome.is_err() || judges.contains(&of.judge)) && index.knows(&of.told)
    });
    let mut lists = store.lineups(|model, prompt| is_asked(&judges, model, prompt))?;
    lists.retain(|of| {
        (of.told.outcome.is_err() || judges.contains(&of.judge)) && index.knows_two(&of.told)
    });
    let mut on_record = OnRecord {
        lists: judges
            .iter()
            .map(|judge| lists.iter().any(|of| of.judge == *judge))
            .collect(),
        seen: duels.iter().filter_map(|of| index.seen(of)).collect(),
        verdicts: duels.iter().filter_map(|of| index.duel(of)).collect(),
        shown: vec![0; ranking.items.len()],
        scored: 0,
        failed: duels
            .iter()
            .filter_map(|of| cause(&of.told.outcome))
            .collect(),
        asked: duels
            .iter()
            .map(|of| &of.judge)
            .chain(lists.iter().map(|of| &of.judge))
            .cloned()
            .collect(),
        judges: Vec::new(),
    };
    on_record.scored = on_record.seen.len() as u64;
    for list in &lists {
        let order = index.order(list);
        on_record.scored += u64::from(order.is_some());
        on_record.seen.extend(index.list_seen(list));
        on_record.failed.extend(cause(&list.told.outcome));
        on_record.verdicts.extend(order);
    }
    for item in on_record.verdicts.iter().flat_map(Answer::items) {
        on_record.shown[item as usize] += 1;
    }
    on_record.judges = judges;
    Ok(on_record)
}

fn cause<T>(outcome: &Result<T, Unscored>) -> Option<&'static str> {
    outcome.as_ref().err().map(|unscored| unscored.cause.word())
}

/// What the verdicts of a ranking say together.
pub(super) struct Concluded {
    /// The verdicts.
    pub record: OnRecord,
    /// What they say.
    pub draws: Draws,
    /// How many are looked for.
    pub top: usize,
}

/// Reads the verdicts of a ranking and draws its conclusions; of another number of best ones, if
/// that is given.
pub(super) fn conclude(store: &Store, ranking: &Ranking, top: Option<usize>) -> Result<Concluded> {
    let record = on_record(store, ranking)?;
    let asked = ranking
        .parameters
        .get("top")
        .and_then(serde_json::Value::as_u64)
        .unwrap_or(100);
    let settings = Settings {
        top: top.unwrap_or_else(|| edge_of(ranking.items.len(), asked as usize)),
        calls: 0,
        judges: record.judges.len(),
        target_recall: None,
        group: 2,
        seed: ranking.seed,
    };
    let draws = halving::conclude(ranking.items.len(), &record.verdicts, &settings);
    Ok(Concluded {
        record,
        draws,
        top: settings.top,
    })
}

pub(super) fn by_strength(ranking: &Ranking, concluded: &Concluded) -> Standing {
    let Concluded { record, draws, top } = concluded;
    let mut standing = Standing::of(record.scored, &record.failed);
    (standing.top, standing.expected_recall) = (Some(*top), Some(draws.expected_recall));
    let rated = |(at, task): (usize, &TaskId)| {
        let (low, high) = draws.interval[at];
        let estimate = Estimate {
            strength: draws.strength[at],
            low,
            high,
            membership: draws.membership[at],
        };
        Rated {
            task: task.clone(),
            elo: None,
            estimate: Some(estimate),
            games: record.shown[at],
        }
    };
    standing.rated = ranking.items.iter().enumerate().map(rated).collect();
    let key = |rated: &Rated| {
        rated
            .estimate
            .map_or((0.0, 0.0), |e| (e.membership, e.strength))
    };
    standing.rated.sort_by(|x, y| {
        let (x_key, y_key) = (key(x), key(y));
        y_key
            .0
            .total_cmp(&x_key.0)
            .then(y_key.1.total_cmp(&x_key.1))
            .then_with(|| x.task.cmp(&y.task))
    });
    standing
}

impl Standing {
    fn of(scored: u64, failed: &[&str]) -> Self {
        let mut standing = Self::default();
        standing.score(scored);
        for cause in failed {
            standing.fail(cause);
        }
        standing
    }

    fn score(&mut self, n: u64) {
        self.n_total += n;
        self.n_scored += n;
    }

    fn fail(&mut self, cause: &str) {
        self.n_total += 1;
        *self.n_failed.entry(cause.to_owned()).or_default() += 1;
    }
}

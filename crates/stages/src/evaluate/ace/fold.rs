//! From stored ratings to the score of a report: the weighted mean of the criteria's mean ratings.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Add,
    sync::Arc,
};

use anyhow::Result;

use super::{
    KEY,
    checklist::{self, criterion_name},
    criteria::{self, Criterion},
    question::RATING,
    rating::first_samples,
};
use crate::{
    data::{Cause, Judgement, Score, Task, TaskId},
    evaluate::{
        evaluator::{Fold, Folded, Record, Reported, about},
        scorecard::{CriterionScore, Spread},
    },
    stats::mean,
    store::{Evaluation, Store},
};

/// Scores reports by the frozen checklists.
pub struct AceFold {
    /// The checklist of each task.
    checklists: BTreeMap<TaskId, Weighted>,
    repeats: u32,
    /// Whether more than one model rates.
    is_panel: bool,
}

impl AceFold {
    pub fn new(store: &Store, evaluation: &Evaluation) -> Result<Self> {
        let in_force = evaluation.in_force(RATING);
        let raters: BTreeSet<&String> = in_force.panel.iter().map(|(model, _)| model).collect();
        Ok(Self {
            checklists: checklist::all(store)?
                .into_iter()
                .filter_map(|(task, (id, criteria))| Some((task, weighted(&id, &criteria)?)))
                .collect(),
            repeats: super::repeats(evaluation),
            is_panel: raters.len() > 1,
        })
    }
}

/// A valid checklist.
struct Weighted {
    /// The names that ratings of its criteria have.
    names: Vec<String>,
    weights: Vec<f64>,
    titles: Vec<Arc<str>>,
}

impl Weighted {
    /// The criteria with their mean ratings.
    fn criteria(&self, means: &[Option<f64>]) -> Vec<CriterionScore> {
        let weighed = self.titles.iter().zip(&self.weights).zip(means);
        weighed
            .map(|((title, weight), value)| CriterionScore {
                name: Arc::clone(title),
                weight: *weight,
                value: *value,
            })
            .collect()
    }
}

fn weighted(checklist: &str, criteria: &[Criterion]) -> Option<Weighted> {
    let weights = criteria::check(criteria).ok()?;
    let names = (0..criteria.len()).map(|at| criterion_name(checklist, at));
    let titles = criteria
        .iter()
        .map(|criterion| criterion.title.as_str().into());
    Some(Weighted {
        names: names.collect(),
        weights,
        titles: titles.collect(),
    })
}

impl Fold for AceFold {
    fn score(&self, record: &Record<'_>, task: &Task, report: Reported<'_>) -> Result<Folded> {
        let mut folded = Folded::default();
        let Some(checklist) = self.checklists.get(&task.id) else {
            folded.scores.insert(KEY, Score::missing("unscored"));
            return Ok(folded);
        };
        let Weighted { names, weights, .. } = checklist;
        let ratings = record
            .judgements
            .read_bare(RATING, report.id.as_str(), |stored| {
                Ok(stored.value()? as u8)
            })?;
        // An evaluation with fewer repetitions must not profit from those of a later one.
        let ratings = first_samples(ratings, self.repeats);
        let mut means = Vec::new();
        let mut by_judge: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
        for (at, name) in names.iter().enumerate() {
            let rated = by_rater(about(&ratings, name), &mut folded.unscored);
            for (judge, ratings) in &rated {
                by_judge
                    .entry(judge)
                    .or_insert_with(|| vec![None; names.len()])[at] = mean(ratings);
                add_spread(&mut folded, ratings);
            }
            // Over all ratings, not over judges' means: each rating weighs the same.
            means.push(mean(&rated.into_values().flatten().collect::<Vec<f64>>()));
        }
        let score = criteria::score(weights, &means);
        folded.scores.insert(KEY, Score::number(score, "unscored"));
        folded.criteria.insert(KEY, checklist.criteria(&means));
        // Of one judge alone this would only repeat the score.
        if self.is_panel {
            let alone = by_judge.into_iter().filter_map(|(judge, means)| {
                Some((judge.to_owned(), criteria::score(weights, &means)?))
            });
            folded.by_judge.insert(KEY, alone.collect());
        }
        Ok(folded)
    }
}

/// The ratings of one criterion by judge; a rating that could not be had is counted.
fn by_rater<'a>(
    judgements: &'a [Judgement<u8, Cause>],
    unscored: &mut BTreeMap<String, u64>,
) -> BTreeMap<&'a str, Vec<f64>> {
    let mut rated: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for judgement in judgements {
        match judgement.outcome {
            Ok(rating) => rated
                .entry(&judgement.judge)
                .or_default()
                .push(f64::from(rating)),
            Err(cause) => *unscored.entry(cause.word().to_owned()).or_default() += 1,
        }
    }
    // A criterion that nobody was asked about is missing, which is not the same as failed.
    if judgements.is_empty() {
        *unscored.entry("missing".to_owned()).or_default() += 1;
    }
    rated
}

fn add_spread(folded: &mut Folded, ratings: &[f64]) {
    let Some(spread) = Spread::within(ratings) else {
        return;
    };
    let known = folded.repeated.remove(KEY);
    let sum = known.map_or(spread, |known| known.add(spread));
    folded.repeated.insert(KEY, sum);
}

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
    data::{Cause, Judgement, Open, Score, Task, TaskId},
    evaluate::{
        evaluator::{Fold, Folded, Record, Reported, about},
        scorecard::{CriterionScore, Spread},
    },
    stats::mean,
    store::{Evaluation, Store},
};

/// The best rating.
const MOST: f64 = 10.0;

/// Scores reports by the frozen checklists.
pub struct AceFold {
    /// The checklist of each task.
    checklists: BTreeMap<TaskId, Weighted>,
    repeats: u32,
    /// The models that rate.
    raters: usize,
}

impl AceFold {
    /// Of some tasks: those of a whole project are read only where all of them are scored.
    pub fn new(store: &Store, tasks: &[Task], evaluation: &Evaluation) -> Result<Self> {
        let mut checklists = BTreeMap::new();
        for task in tasks {
            let Some((id, criteria)) = checklist::of_task(store, &task.id)? else {
                continue;
            };
            // One that is not valid leaves its reports unscored.
            if let Some(weighted) = weighted(&id, &criteria) {
                checklists.insert(task.id.clone(), weighted);
            }
        }
        let in_force = evaluation.in_force(RATING);
        let raters: BTreeSet<&String> = in_force.panel.iter().map(|(model, _)| model).collect();
        Ok(Self {
            checklists,
            repeats: super::repeats(evaluation),
            raters: raters.len(),
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
    fn criteria(&self, rated: &[Rated]) -> Vec<CriterionScore> {
        let weighed = self.titles.iter().zip(&self.weights).zip(rated);
        weighed
            .map(|((title, weight), rated)| CriterionScore {
                name: Arc::clone(title),
                weight: *weight,
                value: rated.mean(),
                ends: rated.ends(),
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

impl AceFold {
    /// Ratings of a criterion that are to be there.
    fn wanted(&self) -> usize {
        self.raters * self.repeats.max(1) as usize
    }
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
        let mut by_criterion = Vec::new();
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
            let known: Vec<f64> = rated.into_values().flatten().collect();
            let missing = self.wanted().saturating_sub(known.len());
            by_criterion.push(Rated { known, missing });
        }
        let means: Vec<Option<f64>> = by_criterion.iter().map(Rated::mean).collect();
        let score = Score {
            open: open(weights, &by_criterion),
            ..Score::number(criteria::score(weights, &means), "unscored")
        };
        folded.scores.insert(KEY, score);
        folded
            .criteria
            .insert(KEY, checklist.criteria(&by_criterion));
        // Of one judge alone this would only repeat the score.
        if self.raters > 1 {
            let alone = by_judge.into_iter().filter_map(|(judge, means)| {
                Some((judge.to_owned(), criteria::score(weights, &means)?))
            });
            folded.by_judge.insert(KEY, alone.collect());
        }
        Ok(folded)
    }
}

/// The ratings of one criterion.
struct Rated {
    known: Vec<f64>,
    /// How many more should be there.
    missing: usize,
}

impl Rated {
    fn mean(&self) -> Option<f64> {
        mean(&self.known)
    }

    /// The mean if all that is missing were 0, and if it were 10; none where nothing is.
    fn ends(&self) -> Option<(f64, f64)> {
        let known: f64 = self.known.iter().sum();
        let all = (self.known.len() + self.missing) as f64;
        let best = known + MOST * self.missing as f64;
        (self.missing > 0).then(|| (known / all, best / all))
    }
}

/// What missing ratings leave open of the weighted mean.
fn open(weights: &[f64], rated: &[Rated]) -> Open {
    if rated.iter().all(|of| of.missing == 0) {
        return Open::AsCounted;
    }
    let ends: Vec<_> = rated
        .iter()
        .map(|of| of.ends().or_else(|| of.mean().map(|mean| (mean, mean))))
        .collect();
    let at = |end: fn((f64, f64)) -> f64| {
        let ends: Vec<Option<f64>> = ends.iter().map(|ends| ends.map(end)).collect();
        criteria::score(weights, &ends)
    };
    match (at(|(low, _)| low), at(|(_, high)| high)) {
        (Some(low), Some(high)) => Open::Between([low, high], 1.0),
        _ => Open::AsCounted,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{
        leaderboard::{Options, leaderboard},
        scorecard::ReportScores,
    };

    fn rated(known: &[f64], missing: usize) -> Rated {
        Rated {
            known: known.to_vec(),
            missing,
        }
    }

    /// 7 and 4 by halves are 5.5; the missing rating makes the 4 a 2 or a 7.
    #[test]
    fn a_missing_rating_leaves_its_own_weight_open() {
        let criteria = [rated(&[8.0, 6.0], 0), rated(&[4.0], 1)];
        assert_eq!(open(&[0.5, 0.5], &criteria), Open::Between([4.5, 7.0], 1.0));
        let whole = [rated(&[8.0, 6.0], 0), rated(&[4.0, 4.0], 0)];
        assert_eq!(open(&[0.5, 0.5], &whole), Open::AsCounted);
        let unrated = [rated(&[8.0], 0), rated(&[], 1)];
        assert_eq!(open(&[0.5, 0.5], &unrated), Open::Between([4.0, 9.0], 1.0));
        assert_eq!(unrated[1].mean(), None);
    }

    /// Of a panel of a 9 and a 3, only the 9 answers about one agent: it may be anything from 4.5
    /// to 9.5, and leads nobody.
    #[test]
    fn a_panel_that_fails_in_part_leads_nobody() {
        let report = |agent: &str, rated: Rated| {
            let mut report = ReportScores {
                report: agent.to_owned(),
                task: "t".to_owned(),
                agent: agent.to_owned(),
                attempt: 1,
                state: "ok".to_owned(),
                ..ReportScores::default()
            };
            let score = Score {
                open: open(&[1.0], std::slice::from_ref(&rated)),
                ..Score::number(rated.mean(), "unscored")
            };
            report.scores.insert(KEY, score);
            report
        };
        let scored = [
            report("half", rated(&[9.0], 1)),
            report("whole", rated(&[9.0, 3.0], 0)),
        ];
        let options = Options {
            resamples: 10,
            ..Options::default()
        };
        let table = leaderboard(&scored, &options).whole;
        let ranks = table.agents.iter().map(|row| (&*row.agent, row.rank));
        assert_eq!(
            ranks.collect::<Vec<_>>(),
            [("whole", Some(1)), ("half", None)]
        );
        let half = table.agents[1].measure(KEY).unwrap();
        assert_eq!((half.worst, half.best), (Some(4.5), Some(9.5)));
    }
}

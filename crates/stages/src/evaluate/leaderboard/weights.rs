//! Other weights for the criteria that a score is made of, and how far the order of agents depends
//! on them. Hides attempts, and criteria that several tasks have in common.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Serialize;

use super::{Table, places};
use crate::{
    data::{Open, Score},
    evaluate::{
        measures,
        scorecard::{CriterionScore, ReportScores},
    },
    stats::weightings::{self, RatedTask},
};

/// Agents whose pairs are compared, at most; more have thousands of pairs.
const AGENTS: usize = 30;

/// How stable the order of the complete agents is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sensitivity {
    /// Key of the measure whose criteria are weighed.
    pub measure: &'static str,
    /// Random weightings that were drawn.
    pub weightings: usize,
    /// Names of criteria; one that several tasks have counts once.
    pub criteria: usize,
    /// Tasks on which all complete agents have a rating of each criterion.
    pub tasks: usize,
    /// Every pair of the complete agents, in the order of the board by this measure.
    pub pairs: Vec<PairUnderWeights>,
}

/// Two agents under other weights.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairUnderWeights {
    /// The one that stands above by the weights of the checklists.
    pub first: String,
    /// The other.
    pub second: String,
    /// Share of the random weightings in which the first one stays above.
    pub kept: f64,
    /// Of neighbours: the smallest change of one criterion's weight that makes them equal; none
    /// where no change of a single one does.
    pub swap: Option<NamedSwap>,
    /// Whether they are neighbours.
    pub neighbours: bool,
}

/// The change of a weight.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedSwap {
    /// The criterion.
    pub criterion: String,
    /// Its mean weight, of 1.
    pub weight: f64,
    /// What is added to it; the others give or take in proportion.
    pub change: f64,
}

/// The names of all criteria, as they are written first.
pub fn names(scored: &[ReportScores]) -> BTreeMap<String, Arc<str>> {
    let criteria = scored.iter().flat_map(|report| report.criteria.values());
    let mut names = BTreeMap::new();
    for criterion in criteria.flatten() {
        let name = plain(&criterion.name);
        names
            .entry(name)
            .or_insert_with(|| Arc::clone(&criterion.name));
    }
    names
}

/// A criterion's name as it is looked up: in small letters, without blanks around it.
pub fn plain(name: &str) -> String {
    name.trim().to_lowercase()
}

/// The same reports, with the weight of each named criterion that many times as large; the others
/// give or take in proportion. A report whose criteria all weigh nothing has no value. What single
/// judges say is left out: it is not known by criterion. `factors` are by [`plain`] names.
pub fn reweighted(scored: Vec<ReportScores>, factors: &BTreeMap<String, f64>) -> Vec<ReportScores> {
    if factors.is_empty() {
        return scored;
    }
    scored
        .into_iter()
        .map(|report| with_factors(report, factors))
        .collect()
}

fn with_factors(mut report: ReportScores, factors: &BTreeMap<String, f64>) -> ReportScores {
    for (key, criteria) in &mut report.criteria {
        let mut is_named = false;
        for criterion in criteria.iter_mut() {
            if let Some(factor) = factors.get(&plain(&criterion.name)) {
                criterion.weight *= factor;
                is_named = true;
            }
        }
        if !is_named {
            continue;
        }
        report.by_judge.remove(key);
        report.repeated.remove(key);
        let Some(known) = report.scores.get(key).cloned() else {
            continue;
        };
        // What has no value for want of a rating has none by other weights, either.
        let score = match known.outcome {
            Ok(_) => Score {
                unscored: known.unscored,
                ..weighted(criteria)
            },
            Err(_) => Score {
                open: open(criteria),
                ..known
            },
        };
        report.scores.insert(key, score);
    }
    report
}

/// The mean of the rated criteria by their weights.
fn weighted(criteria: &[CriterionScore]) -> Score {
    let rated = || {
        criteria
            .iter()
            .filter_map(|of| Some((of.weight, of.value?)))
    };
    let whole: f64 = rated().map(|(weight, _)| weight).sum();
    if whole <= 0.0 {
        return Score::missing("no criterion with a weight");
    }
    let sum: f64 = rated().map(|(weight, value)| weight * value).sum();
    Score {
        open: open(criteria),
        ..Score::ratio(sum / whole, 1.0)
    }
}

/// What missing ratings leave open of the mean by these weights; all criteria count, the unrated
/// ones too.
fn open(criteria: &[CriterionScore]) -> Open {
    let whole: f64 = criteria.iter().map(|of| of.weight).sum();
    if whole <= 0.0 || criteria.iter().all(|of| of.ends.is_none()) {
        return Open::AsCounted;
    }
    let ends = |of: &CriterionScore| of.ends.or(of.value.map(|value| (value, value)));
    let ends: Option<Vec<(f64, (f64, f64))>> = criteria
        .iter()
        .map(|of| Some((of.weight, ends(of)?)))
        .collect();
    let Some(ends) = ends else {
        return Open::AsCounted;
    };
    let low: f64 = ends.iter().map(|(weight, (low, _))| weight * low).sum();
    let high: f64 = ends.iter().map(|(weight, (_, high))| weight * high).sum();
    Open::Between([low / whole, high / whole], 1.0)
}

/// A measure whose criteria all weigh nothing: no report has a value of it. To be asked of reports
/// that were [`reweighted`].
pub fn without_weight(scored: &[ReportScores]) -> Option<&'static str> {
    let mut has_weight: BTreeMap<&'static str, bool> = BTreeMap::new();
    for (key, criteria) in scored.iter().flat_map(|report| &report.criteria) {
        if !criteria.is_empty() {
            let known = has_weight.entry(*key).or_default();
            *known |= criteria.iter().any(|of| of.weight > 0.0);
        }
    }
    let mut without = has_weight.into_iter().filter(|(_, has)| !has);
    without.next().map(|(key, _)| key)
}

/// How stable the order of the complete agents of a table is under other weights of the criteria of
/// the measure that ranks, or else of the first that has criteria. None where no measure has any,
/// or fewer than two agents are complete on a task with criteria.
pub fn sensitivity(
    scored: &[ReportScores],
    table: &Table,
    weightings: usize,
    seed: u64,
) -> Option<Sensitivity> {
    let has = |key: &&str| {
        scored
            .iter()
            .any(|report| report.criteria.contains_key(*key))
    };
    let others = measures().map(|measure| measure.key);
    let measure = table.tiers_by.into_iter().chain(others).find(has)?;
    let complete = table.agents.iter();
    let complete = complete.filter(|row| places::is_complete_by(row, measure));
    let mut rows: Vec<(&str, f64)> = complete
        .filter_map(|row| Some((&*row.agent, row.value(measure)?)))
        .collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    rows.truncate(AGENTS);
    let agents: Vec<&str> = rows.iter().map(|(agent, _)| *agent).collect();
    if agents.len() < 2 {
        return None;
    }
    let (tasks, names) = rated_tasks(scored, measure, &agents);
    if tasks.is_empty() {
        return None;
    }
    let places = 0..agents.len();
    let pairs: Vec<(usize, usize)> = places
        .flat_map(|a| (a + 1..agents.len()).map(move |b| (a, b)))
        .collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let kept = weightings::kept(&tasks, &pairs, weightings, &mut rng);
    let pairs = pairs.into_iter().zip(kept).filter_map(|((a, b), kept)| {
        let neighbours = b == a + 1;
        let swap = neighbours
            .then(|| weightings::smallest_swap(&tasks, a, b))
            .flatten();
        Some(PairUnderWeights {
            first: agents[a].to_owned(),
            second: agents[b].to_owned(),
            kept: kept?,
            swap: swap.map(|swap| NamedSwap {
                criterion: names[swap.criterion].to_string(),
                weight: swap.weight,
                change: swap.change,
            }),
            neighbours,
        })
    });
    Some(Sensitivity {
        measure,
        weightings,
        criteria: names.len(),
        tasks: tasks.len(),
        pairs: pairs.collect(),
    })
}

/// The tasks on which all of these agents have a rating of each criterion, attempts averaged; and
/// the names of the criteria.
fn rated_tasks(
    scored: &[ReportScores],
    measure: &str,
    agents: &[&str],
) -> (Vec<RatedTask>, Vec<Arc<str>>) {
    let mut by_task: BTreeMap<&str, Vec<(&str, &Vec<CriterionScore>)>> = BTreeMap::new();
    for report in scored.iter().filter(|report| report.is_ok()) {
        if let Some(criteria) = report.criteria.get(measure) {
            let of_task = by_task.entry(&report.task).or_default();
            of_task.push((&report.agent, criteria));
        }
    }
    let mut names = Names::default();
    let mut tasks = Vec::new();
    for reports in by_task.values() {
        let ratings: Option<Vec<Vec<f64>>> = agents
            .iter()
            .map(|agent| mean_ratings(reports, agent))
            .collect();
        let (Some(ratings), Some((_, criteria))) = (ratings, reports.first()) else {
            continue;
        };
        let whole: f64 = criteria.iter().map(|of| of.weight).sum();
        let same = ratings.iter().all(|of| of.len() == criteria.len());
        if !same || whole <= 0.0 {
            continue;
        }
        let criteria = criteria.iter();
        tasks.push(RatedTask {
            criteria: criteria
                .map(|of| (names.number(&of.name), of.weight / whole))
                .collect(),
            ratings,
        });
    }
    (tasks, names.all)
}

/// The mean ratings of an agent's attempts by criterion; none where one has no rating in any.
fn mean_ratings(reports: &[(&str, &Vec<CriterionScore>)], agent: &str) -> Option<Vec<f64>> {
    let own = reports.iter().filter(|(of, _)| *of == agent);
    let whole: Vec<Vec<f64>> = own
        .filter_map(|(_, criteria)| criteria.iter().map(|of| of.value).collect())
        .collect();
    let first = whole.first()?;
    let mean = |at: usize| whole.iter().map(|of| of[at]).sum::<f64>() / whole.len() as f64;
    let same = whole.iter().all(|of| of.len() == first.len());
    same.then(|| (0..first.len()).map(mean).collect())
}

/// Names of criteria, by number.
#[derive(Default)]
struct Names {
    all: Vec<Arc<str>>,
    numbers: BTreeMap<String, usize>,
}

impl Names {
    fn number(&mut self, name: &Arc<str>) -> usize {
        let next = self.all.len();
        let number = *self.numbers.entry(plain(name)).or_insert(next);
        if number == next {
            self.all.push(Arc::clone(name));
        }
        number
    }
}

/// The names of `wanted` that no criterion has.
pub fn unknown<'a>(wanted: &'a BTreeMap<String, f64>, scored: &[ReportScores]) -> Vec<&'a str> {
    let known = names(scored);
    let known: BTreeSet<&String> = known.keys().collect();
    let unknown = wanted.keys().filter(|name| !known.contains(name));
    unknown.map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::leaderboard::{Options, leaderboard};

    fn report(agent: &str, task: &str, ratings: [Option<f64>; 2]) -> ReportScores {
        let weights = [("Depth", 0.7), ("sources ", 0.3)];
        let criteria: Vec<CriterionScore> = weights
            .into_iter()
            .zip(ratings)
            .map(|((name, weight), value)| CriterionScore {
                name: name.into(),
                weight,
                value,
                ends: None,
            })
            .collect();
        let all: Option<f64> = criteria.iter().map(|of| Some(of.weight * of.value?)).sum();
        let mut report = ReportScores {
            report: format!("{agent} {task}"),
            task: task.to_owned(),
            agent: agent.to_owned(),
            attempt: 1,
            state: "ok".to_owned(),
            by_judge: BTreeMap::from([("ace", BTreeMap::new())]),
            criteria: BTreeMap::from([("ace", criteria)]),
            ..ReportScores::default()
        };
        report.scores.insert("ace", Score::number(all, "unscored"));
        report
    }

    fn board() -> Vec<ReportScores> {
        let of = |task: &str| {
            [
                report("deep", task, [Some(8.0), Some(2.0)]),
                report("sourced", task, [Some(5.0), Some(5.0)]),
            ]
        };
        ["t1", "t2"].into_iter().flat_map(of).collect()
    }

    fn options() -> Options {
        Options {
            resamples: 20,
            ..Options::default()
        }
    }

    /// 8 and 2 by .7 and .3 is 6.2; with the sources three times as much, .7 to .9, it is 4.625.
    #[test]
    fn other_weights_are_other_scores() {
        let factors = BTreeMap::from([("sources".to_owned(), 3.0)]);
        let scored = reweighted(board(), &factors);
        let value = scored[0].value("ace").unwrap();
        assert!(
            (value - (0.7 * 8.0 + 0.9 * 2.0) / 1.6).abs() < 1e-12,
            "{value}"
        );
        assert!(scored[0].by_judge.is_empty());
        let names = |scored: &[ReportScores]| {
            let table = leaderboard(scored, &options()).whole;
            table
                .agents
                .into_iter()
                .map(|row| row.agent)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&board()), ["deep", "sourced"]);
        assert_eq!(names(&scored), ["sourced", "deep"]);
        // Nothing left to weigh is no zero, and a missing rating stays missing.
        let nothing = BTreeMap::from([("sources".to_owned(), 0.0), ("depth".to_owned(), 0.0)]);
        let unweighed = reweighted(board(), &nothing);
        assert_eq!(unweighed[0].value("ace"), None);
        assert_eq!(without_weight(&unweighed), Some("ace"));
        assert_eq!(without_weight(&scored), None);
        let gap = vec![report("gap", "t1", [Some(8.0), None])];
        assert_eq!(reweighted(gap, &factors)[0].value("ace"), None);
        let other = BTreeMap::from([("style".to_owned(), 2.0)]);
        assert_eq!(reweighted(board(), &other), board());
        assert_eq!(unknown(&other, &board()), ["style"]);
        assert!(unknown(&factors, &board()).is_empty());
    }

    #[test]
    fn the_order_of_two_depends_on_half_of_the_weightings() {
        let scored = board();
        let table = leaderboard(&scored, &options()).whole;
        let found = sensitivity(&scored, &table, 4000, 1).unwrap();
        assert_eq!((found.measure, found.criteria, found.tasks), ("ace", 2, 2));
        let [pair] = &found.pairs[..] else {
            panic!("{found:?}")
        };
        assert_eq!((&*pair.first, &*pair.second), ("deep", "sourced"));
        assert!((pair.kept - 0.5).abs() < 0.03, "{pair:?}");
        let swap = pair.swap.as_ref().unwrap();
        assert!((swap.change.abs() - 0.2).abs() < 1e-12, "{swap:?}");
        assert_eq!(found, sensitivity(&scored, &table, 4000, 1).unwrap());
        // Who is not complete has no order to keep.
        let mut gap = scored;
        gap.pop();
        let table = leaderboard(&gap, &options()).whole;
        assert_eq!(sensitivity(&gap, &table, 100, 1), None);
    }
}

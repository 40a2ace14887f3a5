//! One table of the leaderboard: agents on the same tasks, in their order, with tiers and
//! differences. Hides the resampling of all measures at once, on the same tasks.

use std::{collections::BTreeMap, ops::Add};

use rand::{SeedableRng as _, rngs::ChaCha8Rng};

use super::{
    Alone, Measure, Options, Pair, Row, Table,
    bounds::{self, Bounds},
    cells::{self, Cell, NO_REPORT},
    pairs::{self, Part},
    places,
};
use crate::{
    data::{Average, Fraction, MeasureDef, Role, Unit},
    evaluate::scorecard::{ReportScores, Spread},
    stats::{
        binomial,
        bootstrap::{self, Ratios},
        paired::Difference,
        tiers,
    },
};

/// The table of some reports, in the order of their attempts; agents without any of them stand in
/// it all the same, and so do the tasks of a set without any of them.
pub fn table(
    measures: &[&'static MeasureDef],
    reports: &[&ReportScores],
    agents: &[&str],
    set: &[&str],
    options: &Options,
) -> Table {
    // One stream for all draws of a table, in this order: inserting a draw changes every interval
    // behind it.
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let by_task = cells::by_task(reports, set);
    let tasks = cells::tasks(measures, &by_task, agents, options.failed_as_zero);
    let clusters = pairs::clusters(tasks.len(), &mut rng);
    let rows = tasks
        .iter()
        .map(|task| task.iter().flatten().map(part_or_nothing).collect());
    // All measures are resampled on the same tasks, so that their intervals can be compared.
    let ratios = bootstrap::ratios(&pairs::summed(rows, &clusters), options.resamples, &mut rng);
    let scores = AgentScores {
        measures,
        bounds: bounds::bounds(measures, &by_task, agents),
        failed_as_zero: options.failed_as_zero,
        tasks,
        ratios,
    };
    let rows = agents.iter().enumerate();
    let rows: Vec<Row> = rows
        .map(|(agent, name)| scores.row(agent, name, reports))
        .collect();
    let decides = scores.ranking_measure();
    let complete_by = decides.or_else(|| scores.compared_measure());
    let rows: Vec<Row> = rows
        .into_iter()
        .map(|row| places::completed(row, complete_by.map(|at| measures[at])))
        .collect();
    let order = scores.order(&rows, complete_by);
    let mut compared = Vec::new();
    for at in scores.with_role(Role::compares) {
        let parts = scores.parts(&order, at);
        let found = pairs::differences(&parts, &clusters, options.resamples, &mut rng);
        compared.push((at, found));
    }
    let mut placed: Vec<Row> = order.iter().map(|&agent| rows[agent].clone()).collect();
    if let Some(at) = decides {
        scores.place(&mut placed, &order, at, options);
        scores.tier(&mut placed, at, &compared, options.alpha);
    }
    let names: Vec<&str> = order.iter().map(|&agent| agents[agent]).collect();
    Table {
        tasks: scores.tasks.len() as u64,
        reports: reports.len() as u64,
        tiers_by: decides.map(|at| measures[at].key),
        complete_by: complete_by.map(|at| measures[at].key),
        agents: placed,
        differences: compared
            .iter()
            .flat_map(|(at, found)| named(scores.measures[*at], found, &names, options.alpha))
            .collect(),
    }
}

/// A task without a value adds nothing to either sum.
fn part_or_nothing<E>(found: &Result<Fraction, E>) -> Part {
    found
        .as_ref()
        .map_or((0.0, 0.0), |fraction| part(*fraction))
}

fn part(fraction: Fraction) -> Part {
    (fraction.numerator, fraction.denominator)
}

/// The scores of each agent on each task, with their resampled ratios.
struct AgentScores<'a> {
    measures: &'a [&'static MeasureDef],
    tasks: Vec<Vec<Cell>>,
    /// Agents × measures.
    bounds: Vec<Vec<Bounds>>,
    /// Whether failed reports are in the values.
    failed_as_zero: bool,
    /// Each agent has one column a measure.
    ratios: Ratios,
}

impl AgentScores<'_> {
    fn value(&self, agent: usize, measure: usize) -> Option<f64> {
        self.ratios
            .estimate(agent * self.measures.len() + measure)
            .map(|found| found.value)
    }

    /// The places of the measures of some roles.
    fn with_role(&self, wanted: impl Fn(Role) -> bool) -> Vec<usize> {
        (0..self.measures.len())
            .filter(|at| wanted(self.measures[*at].role))
            .collect()
    }

    fn ranking_measures(&self) -> Vec<usize> {
        self.with_role(|role| role == Role::Ranks)
    }

    /// The first ranking measure that any agent has a value of: an evaluator that was not run ranks
    /// nobody.
    fn ranking_measure(&self) -> Option<usize> {
        self.first_with_a_value(self.ranking_measures())
    }

    /// The first measure that agents are compared on and that any has a value of.
    fn compared_measure(&self) -> Option<usize> {
        self.first_with_a_value(self.with_role(Role::compares))
    }

    fn first_with_a_value(&self, of: Vec<usize>) -> Option<usize> {
        let agents = self.bounds.len();
        of.into_iter()
            .find(|at| (0..agents).any(|agent| self.value(agent, *at).is_some()))
    }

    /// Complete agents first, best first. The others by what they have at worst: a high mean of few
    /// tasks leads nobody. Agents are given by name, and so stay where nothing else decides.
    fn order(&self, rows: &[Row], complete_by: Option<usize>) -> Vec<usize> {
        let ranking = self.ranking_measures();
        let values: Vec<Vec<f64>> = (0..rows.len())
            .map(|agent| {
                ranking
                    .iter()
                    // Below every possible value: without a score an agent stands last, not at
                    // zero.
                    .map(|&measure| self.value(agent, measure).unwrap_or(-1.0))
                    .collect()
            })
            .collect();
        let key = complete_by.map(|at| self.measures[at].key);
        let worst = |agent: usize| {
            if rows[agent].is_complete {
                0.0
            } else {
                key.and_then(|key| rows[agent].measure(key)?.worst)
                    .unwrap_or(-1.0)
            }
        };
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|&a, &b| {
            let apart = rows[b].is_complete.cmp(&rows[a].is_complete);
            // A measure that only compares puts nobody in order.
            let at_worst = if ranking.is_empty() {
                std::cmp::Ordering::Equal
            } else {
                worst(b).total_cmp(&worst(a))
            };
            let compared = values[a]
                .iter()
                .zip(&values[b])
                .map(|(a, b)| b.total_cmp(a));
            let by_value = compared.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then);
            apart.then(at_worst).then(by_value)
        });
        order
    }

    /// Tasks × agents in that order.
    fn parts(&self, order: &[usize], measure: usize) -> Vec<Vec<Option<Part>>> {
        self.tasks
            .iter()
            .map(|task| {
                order
                    .iter()
                    .map(|&agent| task[agent][measure].as_ref().ok().map(|found| part(*found)))
                    .collect()
            })
            .collect()
    }

    /// The ranks by a measure, and how sure they are.
    fn place(&self, rows: &mut [Row], order: &[usize], at: usize, options: &Options) {
        places::rank(rows, self.measures[at]);
        let ranked: Vec<usize> = (0..rows.len()).filter(|i| rows[*i].is_complete).collect();
        let column = |i: &usize| order[*i] * self.measures.len() + at;
        let columns: Vec<usize> = ranked.iter().map(column).collect();
        let shares = self.ratios.shares_in_top(&columns, options.top);
        for (i, share) in ranked.into_iter().zip(shares) {
            rows[i].p_top_k = share;
        }
    }

    /// The tiers of the agents that have a rank.
    fn tier(&self, rows: &mut [Row], at: usize, compared: &[(usize, Vec<Difference>)], alpha: f64) {
        let Some((_, found)) = compared.iter().find(|(of, _)| *of == at) else {
            return;
        };
        let key = self.measures[at].key;
        let scores: Vec<Option<f64>> = rows
            .iter()
            .map(|row| row.value(key).filter(|_| row.is_complete))
            .collect();
        for (row, tier) in rows.iter_mut().zip(tiers::tiers(&scores, found, alpha)) {
            row.tier = tier;
        }
    }

    fn row(&self, agent: usize, name: &str, reports: &[&ReportScores]) -> Row {
        let all: Vec<&ReportScores> = reports
            .iter()
            .copied()
            .filter(|report| report.agent == name)
            .collect();
        let ok: Vec<&ReportScores> = all
            .iter()
            .copied()
            .filter(|report| report.is_ok())
            .collect();
        let without = |cells: &&Vec<Cell>| cells[agent].iter().all(is_without_report);
        Row {
            agent: name.to_owned(),
            rank: None,
            tier: None,
            is_complete: false,
            possible_ranks: None,
            p_top_k: None,
            reports: all.len() as u64,
            without_report: self.tasks.iter().filter(without).count() as u64,
            states: summed(all.iter().map(|report| (&report.state, 1))),
            measures: (0..self.measures.len())
                .map(|at| (self.measures[at].key, self.measure(agent, at, &ok)))
                .collect(),
            by_judge: by_judge(&ok),
            repeated: repeated(&ok),
            // What servers and agents report may be nonsense: it must not overflow.
            spent_micro: all
                .iter()
                .filter_map(|report| report.cost_micro)
                .fold(0, u64::saturating_add),
            unscored: summed(all.iter().flat_map(|report| counted(&report.unscored))),
            url_failures: summed(ok.iter().flat_map(|report| counted(&report.url_failures))),
        }
    }

    fn measure(&self, agent: usize, at: usize, ok: &[&ReportScores]) -> Measure {
        let found = self.ratios.estimate(agent * self.measures.len() + at);
        let interval = found.and_then(|found| found.interval);
        let mut missing = BTreeMap::new();
        for cause in self
            .tasks
            .iter()
            .filter_map(|task| task[agent][at].as_ref().err())
        {
            *missing.entry(cause.clone().into_owned()).or_default() += 1;
        }
        let of = self.tasks.len() as u64;
        let def = self.measures[at];
        let bounds = &self.bounds[agent][at];
        let ends = def.most.and_then(|most| bounds.ends(most));
        let (worst, best) = match def.higher_is_better {
            Some(false) => ends.map(|(low, high)| (high, low)),
            _ => ends,
        }
        .unzip();
        let is_share = def.average == Average::Pooled && def.unit == Unit::Share;
        Measure {
            value: found.map(|found| found.value),
            low: interval.map(|ends| ends.0),
            high: interval.map(|ends| ends.1),
            worst,
            best,
            no_bounds: (!def.is_bounded()).then_some(NO_BOUNDS),
            failed_by_rule: bounds.by_rule,
            leaves_failed_out: bounds.by_rule > 0 && !self.failed_as_zero,
            not_applicable: bounds.not_applicable,
            n: of - missing.values().sum::<u64>(),
            of,
            missing,
            counts: is_share.then(|| share_counts(def.key, ok)),
        }
    }
}

/// What a measure says in place of its bounds.
const NO_BOUNDS: &str = "its scale has no largest value";

fn is_without_report(cell: &Result<Fraction, std::borrow::Cow<'static, str>>) -> bool {
    cell.as_ref().err().is_some_and(|cause| cause == NO_REPORT)
}

/// The sums behind a pooled share, over all reports that are ok, whatever their attempt.
fn share_counts(key: &str, ok: &[&ReportScores]) -> super::Counts {
    let mut counts = super::Counts::default();
    for score in ok.iter().filter_map(|report| report.score(key)) {
        counts.unscored += score.unscored;
        if let Ok(fraction) = &score.outcome {
            counts.numerator += fraction.numerator;
            counts.denominator += fraction.denominator;
        }
    }
    let total = counts.denominator.round() as u64;
    counts.wilson = binomial::wilson(counts.numerator, total).map(|share| (share.low, share.high));
    counts
}

/// A measure by each judge of a panel alone; attempts are averaged within their task, as for the
/// measure itself.
fn by_judge(reports: &[&ReportScores]) -> BTreeMap<&'static str, BTreeMap<String, Alone>> {
    let mut found: BTreeMap<&'static str, BTreeMap<&String, BTreeMap<&str, Vec<f64>>>> =
        BTreeMap::new();
    for report in reports {
        for (measure, judges) in &report.by_judge {
            let by_judge = found.entry(measure).or_default();
            for (judge, value) in judges {
                let tasks = by_judge.entry(judge).or_default();
                tasks.entry(&report.task).or_default().push(*value);
            }
        }
    }
    found
        .into_iter()
        .map(|(measure, judges)| (measure, judges.into_iter().map(alone).collect()))
        .collect()
}

fn alone((judge, tasks): (&String, BTreeMap<&str, Vec<f64>>)) -> (String, Alone) {
    let means: Vec<f64> = tasks.values().map(|attempts| mean(attempts)).collect();
    let alone = Alone {
        value: mean(&means),
        tasks: means.len() as u64,
    };
    (judge.clone(), alone)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation of repeated judgements, by measure.
fn repeated(reports: &[&ReportScores]) -> BTreeMap<&'static str, f64> {
    let mut spreads: BTreeMap<&'static str, Spread> = BTreeMap::new();
    for (measure, spread) in reports.iter().flat_map(|report| &report.repeated) {
        let known = spreads.entry(measure).or_default();
        *known = known.add(*spread);
    }
    spreads
        .into_iter()
        .filter_map(|(measure, spread)| Some((measure, spread.deviation()?)))
        .collect()
}

fn counted(counts: &BTreeMap<String, u64>) -> impl Iterator<Item = (&String, u64)> {
    counts.iter().map(|(cause, n)| (cause, *n))
}

fn summed<'a>(counts: impl Iterator<Item = (&'a String, u64)>) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for (cause, n) in counts {
        *sums.entry(cause.clone()).or_default() += n;
    }
    sums
}

fn named(measure: &MeasureDef, found: &[Difference], names: &[&str], alpha: f64) -> Vec<Pair> {
    found
        .iter()
        .map(|pair| Pair {
            measure: measure.key,
            first: names[pair.first].to_owned(),
            second: names[pair.second].to_owned(),
            tasks: pair.tasks,
            value: pair.value,
            low: pair.interval.map(|ends| ends.0),
            high: pair.interval.map(|ends| ends.1),
            p: pair.p,
            adjusted: pair.adjusted,
            detectable: pair.detectable,
            significant: pair.adjusted < alpha,
        })
        .collect()
}

//! Does a judge change in the course of its judging? Its answers to hidden probes, and the level of
//! its verdicts, in the order in which they were stored.
//!
//! **Method** One change at an unknown place ([`drift`](crate::stats::drift)), corrected for all
//! places by shuffling and for all series by Holm. Levels are of tasks: what a judge gives the
//! reports on a task, beside what the other judges of the panel give the same ones where there are
//! any, else beside the mean of each agent. **Finds** a change where the corrected p-value is below
//! .01. Of two judges beside each other both seem to change, in opposite directions; answers to
//! probes tell which. **Rests on** tasks that came in an order which has nothing to do with how
//! good reports on them are; beside other judges it needs no such thing.

use std::collections::BTreeMap;

use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Serialize;

use super::bias::ALPHA;
use crate::stats::{
    drift::{Change, change},
    mean,
    paired::holm,
};

/// Share of a judge's verdicts that must stand beside another judge's.
const BESIDE_OTHERS: f64 = 0.8;

/// A verdict as a number, in the order in which verdicts were stored.
#[derive(Clone, Debug)]
pub struct Level {
    /// The judge.
    pub judge: String,
    /// The task.
    pub task: String,
    /// The agent; empty where there is none.
    pub agent: String,
    /// The question, the same for all judges.
    pub question: String,
    /// The number.
    pub value: f64,
}

/// What verdicts are seen beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Beside {
    /// What is right.
    KnownAnswers,
    /// The mean of the other judges on the same questions.
    OtherJudges,
    /// The mean of the judge's verdicts on the same agent.
    OwnMean,
}

/// A series of a judge, and whether it changes.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// The judge.
    pub judge: String,
    /// The instrument.
    pub instrument: String,
    /// What its verdicts are seen beside.
    pub beside: Beside,
    /// The numbers: answers to probes, or tasks.
    pub n: u64,
    /// The likeliest change; none where there are fewer than ten numbers, or all are the same.
    pub change: Option<Change>,
    /// Its p-value, corrected for the number of series.
    pub adjusted: Option<f64>,
    /// Whether it is a finding.
    pub found: bool,
}

/// Looks for a change in each series: answers to probes by judge and instrument, and verdicts by
/// instrument. `seed` decides on what is shuffled.
pub fn drift(
    probes: &BTreeMap<(String, String), Vec<bool>>,
    levels: &BTreeMap<String, Vec<Level>>,
    seed: u64,
) -> Vec<Series> {
    let mut found = Vec::new();
    let series = |judge: &str, instrument: &str, beside: Beside, values: &[f64]| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Series {
            judge: judge.to_owned(),
            instrument: instrument.to_owned(),
            beside,
            n: values.len() as u64,
            change: change(values, &mut rng),
            adjusted: None,
            found: false,
        }
    };
    for ((judge, instrument), answers) in probes {
        let values: Vec<f64> = answers.iter().map(|right| f64::from(*right)).collect();
        found.push(series(judge, instrument, Beside::KnownAnswers, &values));
    }
    for (instrument, verdicts) in levels {
        for (judge, beside, values) in of_tasks(verdicts) {
            found.push(series(judge, instrument, beside, &values));
        }
    }
    let p: Vec<f64> = found
        .iter()
        .filter_map(|of| of.change.map(|change| change.p))
        .collect();
    let known = found.iter_mut().filter(|of| of.change.is_some());
    for (of, adjusted) in known.zip(holm(&p)) {
        of.adjusted = Some(adjusted);
        of.found = adjusted < ALPHA;
    }
    found
}

/// The level of each task by each judge, in the order in which the judge came to the tasks.
fn of_tasks(verdicts: &[Level]) -> Vec<(&str, Beside, Vec<f64>)> {
    let mut by_question: BTreeMap<&str, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    let mut by_judge: BTreeMap<&str, Vec<&Level>> = BTreeMap::new();
    for level in verdicts.iter().filter(|level| level.value.is_finite()) {
        let judges = by_question.entry(&level.question).or_default();
        judges.entry(&level.judge).or_default().push(level.value);
        by_judge.entry(&level.judge).or_default().push(level);
    }
    let of_others = |level: &Level| -> Option<f64> {
        let judges = by_question.get(level.question.as_str())?;
        let others = judges.iter().filter(|(judge, _)| **judge != level.judge);
        let means: Vec<f64> = others.filter_map(|(_, values)| mean(values)).collect();
        mean(&means)
    };
    let series = by_judge.into_iter().map(|(judge, own)| {
        let beside: Vec<(&Level, f64)> = own
            .iter()
            .filter_map(|level| Some((*level, level.value - of_others(level)?)))
            .collect();
        if beside.len() as f64 >= BESIDE_OTHERS * own.len() as f64 {
            return (judge, Beside::OtherJudges, task_means(&beside));
        }
        let mut agents: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for level in &own {
            agents.entry(&level.agent).or_default().push(level.value);
        }
        let means: BTreeMap<&str, f64> = agents
            .into_iter()
            .filter_map(|(agent, values)| Some((agent, mean(&values)?)))
            .collect();
        let rest: Vec<(&Level, f64)> = own
            .iter()
            .map(|level| (*level, level.value - means[level.agent.as_str()]))
            .collect();
        (judge, Beside::OwnMean, task_means(&rest))
    });
    series.collect()
}

fn task_means(levels: &[(&Level, f64)]) -> Vec<f64> {
    let mut order: Vec<&str> = Vec::new();
    let mut tasks: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (level, value) in levels {
        let values = tasks.entry(&level.task).or_default();
        if values.is_empty() {
            order.push(&level.task);
        }
        values.push(*value);
    }
    order
        .into_iter()
        .filter_map(|task| mean(&tasks[task]))
        .collect()
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;

    use super::*;
    use crate::stats::normal;

    const RUNS: u64 = 200;
    const TASKS: usize = 60;

    /// Sixty tasks, four agents and four criteria, judged task after task; tasks differ by 1,
    /// agents by 0.7, reports by 0.7, verdicts by 1 point. From the 35th task on the first judge
    /// gives `drop` points less.
    fn judged(judges: usize, drop: f64, seed: u64) -> BTreeMap<String, Vec<Level>> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let agents: Vec<f64> = (0..4).map(|_| 0.7 * normal::draw(&mut rng)).collect();
        let mut levels = Vec::new();
        for task in 0..TASKS {
            let of_task = normal::draw(&mut rng);
            for (agent, of_agent) in agents.iter().enumerate() {
                let quality = 6.0 + of_task + of_agent + 0.7 * normal::draw(&mut rng);
                for criterion in 0..4 {
                    for judge in 0..judges {
                        let has_changed = judge == 0 && task >= 35;
                        let less = if has_changed { drop } else { 0.0 };
                        levels.push(Level {
                            judge: format!("j{judge}"),
                            task: format!("t{task}"),
                            agent: format!("a{agent}"),
                            question: format!("t{task} a{agent} c{criterion}"),
                            value: quality - less + normal::draw(&mut rng),
                        });
                    }
                }
            }
        }
        BTreeMap::from([("ace/rating/1".to_owned(), levels)])
    }

    /// Answers to 200 probes, 97 % right, and from the 120th on so many.
    fn answers(later: f64, seed: u64) -> BTreeMap<(String, String), Vec<bool>> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let right = (0..200).map(|n| rng.random::<f64>() < if n < 120 { 0.97 } else { later });
        let key = ("j0".to_owned(), "hidden/rating/1".to_owned());
        BTreeMap::from([(key, right.collect())])
    }

    /// In how many of the runs the first judge's change is found in its levels, in its answers, and
    /// in how many anything is found.
    fn found(judges: usize, drop: f64, later: f64) -> [u64; 3] {
        let mut counts = [0; 3];
        for seed in 0..RUNS {
            let series = drift(&answers(later, seed), &judged(judges, drop, seed), seed);
            let of = |probes: bool| {
                series.iter().any(|of| {
                    let is_probes = of.beside == Beside::KnownAnswers;
                    of.found && of.judge == "j0" && is_probes == probes
                })
            };
            counts[0] += u64::from(of(false));
            counts[1] += u64::from(of(true));
            counts[2] += u64::from(series.iter().any(|of| of.found));
        }
        counts
    }

    #[test]
    fn a_judge_that_changes_is_found_and_a_steady_one_is_not_flagged() {
        let steady = [found(1, 0.0, 0.97), found(2, 0.0, 0.97)];
        let alone = found(1, 2.0, 0.97);
        let beside = found(2, 0.6, 0.97);
        let careless = found(1, 0.0, 0.6);
        let hardly = found(1, 0.0, 0.75);
        let told = format!(
            "of {RUNS} runs of 60 tasks, 4 agents, 4 criteria, 200 probes, found [in levels, in \
             probes, anything]: steady alone and beside another {steady:?}; 2 points less alone \
             {alone:?}; 0.6 points less beside another judge {beside:?}; probes from 97 % to 60 % \
             {careless:?}, to 75 % {hardly:?}"
        );
        assert!(steady.iter().all(|of| of[2] <= RUNS / 20), "{told}");
        assert!(alone[0] >= RUNS * 95 / 100, "{told}");
        assert!(beside[0] >= RUNS * 95 / 100, "{told}");
        assert!(careless[1] >= RUNS * 95 / 100, "{told}");
    }

    /// An agent whose reports are judged last is no change of the judge.
    #[test]
    fn agents_one_after_the_other_are_no_drift() {
        let mut levels = judged(1, 0.0, 5);
        for verdicts in levels.values_mut() {
            verdicts.sort_by(|a, b| a.agent.cmp(&b.agent));
            for level in verdicts.iter_mut().filter(|level| level.agent == "a3") {
                level.value -= 5.0;
            }
        }
        let series = drift(&BTreeMap::new(), &levels, 1);
        assert!(!series[0].found && series[0].n == 60, "{series:?}");
        assert!(drift(&BTreeMap::new(), &BTreeMap::new(), 1).is_empty());
    }
}

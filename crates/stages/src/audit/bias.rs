//! What scores depend on that they should not: whether judge and agent are of one family, how long
//! a report is, how many references it has. Raw scores stand beside those that each report would
//! have with the mean length and the mean number of references; they never take their place.
//!
//! **Method** For the families the double difference of judges and agents within tasks
//! ([`self_preference`]); for lengths and references their slopes within tasks and agents
//! ([`covariates`]), on a scale of doublings. **Finds** a bias where its p-value, corrected for the
//! number of questions here (Holm), is below .01: a fair judge is flagged in at most one audit of a
//! hundred.

use std::collections::{BTreeMap, BTreeSet};

use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Serialize;

use super::families::family_of;
use crate::stats::{
    bootstrap::Estimate,
    covariates::{self, Scored},
    mean,
    paired::holm,
    self_preference::{self, Cell, Premium},
};

/// A p-value below this, once corrected, is a finding.
pub const ALPHA: f64 = 0.01;

/// A report with its score.
#[derive(Clone, Debug, Default)]
pub struct ScoredReport {
    /// Id of its task.
    pub task: String,
    /// The agent.
    pub agent: String,
    /// The score.
    pub score: f64,
    /// Of a panel: the score by each judge alone.
    pub by_judge: BTreeMap<String, f64>,
    /// Its words; none where that is not known.
    pub words: Option<f64>,
    /// Distinct addresses that it cites; none where that is not known.
    pub references: Option<f64>,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct Bias {
    /// Reports with a score.
    pub reports: usize,
    /// Those of them of which length or references are not known; they are left out of both.
    pub without_facts: usize,
    /// The families of the judges; none where the table has none.
    pub judges: BTreeMap<String, Option<String>>,
    /// Whether judges prefer their own family; none where that cannot be told.
    pub self_preference: Option<Finding>,
    /// Why it cannot be told.
    pub no_self_preference: Option<String>,
    /// What a doubling of the words changes; none where that cannot be told.
    pub words: Option<Finding>,
    /// What a doubling of the references (and one) changes.
    pub references: Option<Finding>,
    /// The agents by name.
    pub agents: Vec<AgentScores>,
}

/// An effect in points of the measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The effect with its 95 % interval.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The p-value of none.
    pub p: f64,
    /// The same, corrected for the number of questions here.
    pub adjusted: f64,
    /// Whether it is a finding.
    pub found: bool,
}

/// An agent's raw scores, and what they would be at the mean length and number of references.
#[derive(Debug, Serialize)]
pub struct AgentScores {
    /// The agent.
    pub agent: String,
    /// Its family; none where the table has none.
    pub family: Option<String>,
    /// Its reports with a score.
    pub reports: usize,
    /// Their mean score.
    pub raw: f64,
    /// The mean of the adjusted scores; none where length and references are not known, or nothing
    /// can be told of them.
    pub adjusted: Option<f64>,
    /// Their mean number of words, where known.
    pub words: Option<f64>,
    /// Their mean number of references, where known.
    pub references: Option<f64>,
}

/// Looks for each bias. `named` are the families of agents that the user names; `seed` decides on
/// what is resampled and flipped.
pub fn bias(reports: &[ScoredReport], named: &BTreeMap<String, Vec<String>>, seed: u64) -> Bias {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let judges: BTreeMap<String, Option<String>> = reports
        .iter()
        .flat_map(|of| of.by_judge.keys())
        .map(|judge| (judge.clone(), family_of(judge, named)))
        .collect();
    let premium = own_family(reports, &judges, named, &mut rng);
    let known: Vec<(&ScoredReport, Vec<f64>)> = reports
        .iter()
        .filter_map(|report| Some((report, doublings(report)?)))
        .collect();
    let slopes = slopes(&known, &mut rng);
    let p: Vec<f64> = premium
        .as_ref()
        .ok()
        .map(|of| of.p)
        .into_iter()
        .chain(slopes.iter().flatten().map(|of| of.p))
        .collect();
    let mut adjusted = holm(&p).into_iter();
    let mut finding = |estimate: Estimate, p: f64| {
        let adjusted = adjusted.next().unwrap_or(1.0);
        Finding {
            estimate,
            p,
            adjusted,
            found: adjusted < ALPHA,
        }
    };
    let self_preference = premium.as_ref().ok().map(|of| finding(of.estimate, of.p));
    let mut of_slopes = slopes
        .iter()
        .map(|slope| slope.map(|of| finding(of.estimate, of.p)));
    let words = of_slopes.next().flatten();
    let references = of_slopes.next().flatten();
    let effects: Vec<f64> = slopes
        .iter()
        .map(|slope| slope.map_or(0.0, |of| of.estimate.value))
        .collect();
    let is_adjusted = slopes.iter().any(Option::is_some);
    let adjusted = if is_adjusted {
        adjusted_scores(&known, &effects)
    } else {
        BTreeMap::new()
    };
    Bias {
        reports: reports.len(),
        without_facts: reports.len() - known.len(),
        self_preference,
        no_self_preference: premium.err().map(str::to_owned),
        words,
        references,
        agents: of_agents(reports, named, &adjusted),
        judges,
    }
}

/// The premium of judges for their own family, or why it cannot be told.
fn own_family(
    reports: &[ScoredReport],
    judges: &BTreeMap<String, Option<String>>,
    named: &BTreeMap<String, Vec<String>>,
    rng: &mut ChaCha8Rng,
) -> Result<Premium, &'static str> {
    if judges.len() < 2 {
        return Err("fewer than two judges scored the same reports");
    }
    let families: BTreeSet<&String> = judges.values().flatten().collect();
    if families.is_empty() {
        return Err("no judge's name tells its family");
    }
    let agents: BTreeSet<&str> = reports.iter().map(|of| of.agent.as_str()).collect();
    let agents: Vec<&str> = agents.into_iter().collect();
    let family_of_agent: Vec<Option<String>> =
        agents.iter().map(|agent| family_of(agent, named)).collect();
    let of_judges: Vec<&String> = judges.keys().collect();
    let mut scores: BTreeMap<(&str, usize, usize), Vec<f64>> = BTreeMap::new();
    for report in reports {
        let Ok(agent) = agents.binary_search(&report.agent.as_str()) else {
            continue;
        };
        for (judge, score) in &report.by_judge {
            if let Ok(judge) = of_judges.binary_search(&judge) {
                let key = (report.task.as_str(), judge, agent);
                scores.entry(key).or_default().push(*score);
            }
        }
    }
    let mut tasks: BTreeMap<&str, Vec<Cell>> = BTreeMap::new();
    for ((task, judge, agent), all) in scores {
        tasks.entry(task).or_default().push(Cell {
            judge,
            agent,
            score: mean(&all).unwrap_or(f64::NAN),
        });
    }
    let tasks: Vec<Vec<Cell>> = tasks.into_values().collect();
    let is_own = |judge: usize, agent: usize| {
        let of_judge = judges.get(of_judges[judge]).and_then(Option::as_ref);
        of_judge.is_some() && of_judge == family_of_agent[agent].as_ref()
    };
    self_preference::premium(&tasks, is_own, rng).ok_or(
        "no judge of a known family scored agents of its own and of others beside another judge",
    )
}

/// Words and references in doublings.
fn doublings(report: &ScoredReport) -> Option<Vec<f64>> {
    let (words, references) = (report.words?, report.references?);
    Some(vec![words.max(1.0).log2(), (1.0 + references).log2()])
}

fn slopes(
    known: &[(&ScoredReport, Vec<f64>)],
    rng: &mut ChaCha8Rng,
) -> Vec<Option<covariates::Slope>> {
    let (mut tasks, mut agents) = (BTreeMap::new(), BTreeMap::new());
    fn number<'a>(numbers: &mut BTreeMap<&'a str, usize>, name: &'a str) -> usize {
        let next = numbers.len();
        *numbers.entry(name).or_insert(next)
    }
    let scored: Vec<Scored> = known
        .iter()
        .map(|(report, covariates)| Scored {
            task: number(&mut tasks, &report.task),
            agent: number(&mut agents, &report.agent),
            score: report.score,
            covariates: covariates.clone(),
        })
        .collect();
    let mut slopes = covariates::slopes(&scored, rng);
    slopes.resize(2, None);
    slopes
}

/// The adjusted scores of each agent's reports.
fn adjusted_scores<'a>(
    known: &[(&'a ScoredReport, Vec<f64>)],
    effects: &[f64],
) -> BTreeMap<&'a str, Vec<f64>> {
    let means: Vec<f64> = (0..effects.len())
        .map(|at| {
            let values: Vec<f64> = known.iter().map(|(_, of)| of[at]).collect();
            mean(&values).unwrap_or_default()
        })
        .collect();
    let mut adjusted: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (report, covariates) in known {
        let surplus = covariates.iter().zip(&means).map(|(own, mean)| own - mean);
        let bonus: f64 = surplus.zip(effects).map(|(own, effect)| own * effect).sum();
        let scores = adjusted.entry(&report.agent).or_default();
        scores.push(report.score - bonus);
    }
    adjusted
}

fn of_agents(
    reports: &[ScoredReport],
    named: &BTreeMap<String, Vec<String>>,
    adjusted: &BTreeMap<&str, Vec<f64>>,
) -> Vec<AgentScores> {
    let mut by_agent: BTreeMap<&str, Vec<&ScoredReport>> = BTreeMap::new();
    for report in reports {
        by_agent.entry(&report.agent).or_default().push(report);
    }
    let row = |(agent, own): (&str, Vec<&ScoredReport>)| {
        let of = |value: fn(&ScoredReport) -> Option<f64>| {
            let values: Vec<f64> = own.iter().filter_map(|report| value(report)).collect();
            mean(&values)
        };
        AgentScores {
            agent: agent.to_owned(),
            family: family_of(agent, named),
            reports: own.len(),
            raw: of(|report| Some(report.score)).unwrap_or(f64::NAN),
            // Beside the raw mean of the same reports, or not at all.
            adjusted: adjusted
                .get(agent)
                .filter(|scores| scores.len() == own.len())
                .and_then(|scores| mean(scores)),
            words: of(|report| report.words),
            references: of(|report| report.references),
        }
    };
    by_agent.into_iter().map(row).collect()
}

/// Planted judges: one that likes its own family, one that likes long reports, one that likes many
/// references, and fair ones; each 200 times, through the functions that the command uses.
#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;
    use crate::stats::normal;

    const RUNS: u64 = 200;
    const AGENTS: [&str; 5] = ["gpt-5", "claude-4", "gemini-3", "qwen-max", "grok-4"];
    const JUDGES: [&str; 2] = ["openai/gpt-5", "anthropic/claude-4"];

    /// What is planted, in points of a scale of 10.
    #[derive(Clone, Copy, Default)]
    struct Planted {
        /// For a report of the judge's own family.
        own: f64,
        /// For a doubling of the words.
        words: f64,
        /// For a doubling of the references.
        references: f64,
    }

    /// Forty tasks, each answered by five agents and scored by two judges: agents differ by 0.7,
    /// tasks by 1, a report by 0.7, a judge's score by 0.7 points. The better agents write more;
    /// the lengths of one agent's reports vary by two thirds of a doubling, references by half of
    /// one.
    fn scored(planted: Planted, seed: u64) -> Vec<ScoredReport> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let agents = AGENTS.map(|_| normal::draw(&mut rng));
        let mut reports = Vec::new();
        for task in 0..40 {
            let of_task = normal::draw(&mut rng);
            for (agent, name) in AGENTS.iter().enumerate() {
                let words = 10.0 + 0.5 * agents[agent] + 0.67 * normal::draw(&mut rng);
                let references = 4.0 + 0.3 * (words - 10.0) + 0.5 * normal::draw(&mut rng);
                let quality = 5.0
                    + of_task
                    + 0.7 * agents[agent]
                    + 0.7 * normal::draw(&mut rng)
                    + planted.words * (words - 10.0)
                    + planted.references * (references - 4.0);
                let by_judge: BTreeMap<String, f64> = JUDGES
                    .iter()
                    .enumerate()
                    .map(|(judge, called)| {
                        let own = if judge == agent { planted.own } else { 0.0 };
                        // The second judge is strict.
                        let strict = 0.5 * judge as f64;
                        let score = quality + own - strict + 0.7 * normal::draw(&mut rng);
                        ((*called).to_owned(), score)
                    })
                    .collect();
                reports.push(ScoredReport {
                    task: format!("t{task}"),
                    agent: (*name).to_owned(),
                    score: by_judge.values().sum::<f64>() / 2.0,
                    by_judge,
                    words: Some(words.exp2().round()),
                    references: Some((references.exp2() - 1.0).round().max(0.0)),
                });
            }
        }
        reports
    }

    /// In how many of the runs own family, length, references, and any of them are found.
    fn found(planted: Planted) -> [u64; 4] {
        let mut counts = [0; 4];
        for seed in 0..RUNS {
            let of = bias(&scored(planted, seed), &BTreeMap::new(), seed);
            let each = [of.self_preference, of.words, of.references];
            let each = each.map(|of| of.expect("it can be told").found);
            let any = each.contains(&true);
            for (count, is_found) in counts.iter_mut().zip(each.into_iter().chain([any])) {
                *count += u64::from(is_found);
            }
        }
        counts
    }

    #[test]
    fn planted_biases_are_found_and_fair_judges_are_not_flagged() {
        let none = Planted::default();
        let fair = found(none);
        let own = found(Planted { own: 0.6, ..none });
        let long = found(Planted { words: 0.6, ..none });
        let many = found(Planted {
            references: 0.8,
            ..none
        });
        let told = format!(
            "of {RUNS} audits of 40 tasks, 5 agents, 2 judges, found [own family, words, references, \
             any]: fair {fair:?}; own family +0.6 {own:?}; +0.6 a doubling of words {long:?}; +0.8 a \
             doubling of references {many:?}"
        );
        assert!(fair[3] <= RUNS / 20, "{told}");
        assert!(own[0] >= RUNS * 95 / 100, "{told}");
        assert!(long[1] >= RUNS * 95 / 100, "{told}");
        assert!(many[2] >= RUNS * 95 / 100, "{told}");
        // What is planted in one place is not found in another.
        assert!(
            long[0] + own[1] + own[2] <= 3 * RUNS / 20,
            "{long:?} {own:?}"
        );
    }

    /// Adjusted scores stand beside the raw ones, and take off what length alone gave.
    #[test]
    fn adjusted_scores_stand_beside_the_raw_ones() {
        let planted = Planted {
            words: 1.0,
            ..Planted::default()
        };
        let reports = scored(planted, 7);
        let of = bias(&reports, &BTreeMap::new(), 7);
        assert_eq!((of.reports, of.without_facts, of.agents.len()), (200, 0, 5));
        let spread = |value: &dyn Fn(&AgentScores) -> f64| {
            let values: Vec<f64> = of.agents.iter().map(value).collect();
            let largest = values.iter().copied().fold(f64::MIN, f64::max);
            largest - values.iter().copied().fold(f64::MAX, f64::min)
        };
        let raw = spread(&|of| of.raw);
        let adjusted = spread(&|of| of.adjusted.expect("adjusted"));
        assert!(adjusted < raw, "{adjusted} {raw}");
        let own: Vec<f64> = reports
            .iter()
            .filter(|report| report.agent == "claude-4")
            .map(|report| report.score)
            .collect();
        let shown = of.agents.iter().find(|of| of.agent == "claude-4");
        let shown = shown.expect("the agent").raw;
        assert!((shown - own.iter().sum::<f64>() / 40.0).abs() < 1e-9);
    }

    #[test]
    fn what_cannot_be_told_says_why_and_missing_facts_are_counted() {
        let mut reports = scored(Planted::default(), 3);
        for report in &mut reports {
            report.by_judge.retain(|judge, _| judge == JUDGES[0]);
        }
        reports[0].words = None;
        let of = bias(&reports, &BTreeMap::new(), 3);
        assert!(
            of.self_preference.is_none() && of.no_self_preference.is_some(),
            "{of:?}"
        );
        assert_eq!(of.without_facts, 1);
        // A mean of fewer reports does not stand beside the raw one.
        let first = of
            .agents
            .iter()
            .find(|agent| agent.agent == reports[0].agent);
        assert_eq!(first.and_then(|agent| agent.adjusted), None);
        let strangers: Vec<ScoredReport> = scored(Planted::default(), 3)
            .into_iter()
            .map(|report| ScoredReport {
                by_judge: report
                    .by_judge
                    .into_iter()
                    .map(|(judge, score)| (format!("x{}", judge.len()), score))
                    .collect(),
                ..report
            })
            .collect();
        let of = bias(&strangers, &BTreeMap::new(), 3);
        assert_eq!(
            of.no_self_preference.as_deref(),
            Some("no judge's name tells its family")
        );
        let nothing = bias(&[], &BTreeMap::new(), 3);
        assert_eq!((nothing.reports, nothing.agents.len()), (0, 0));
    }
}

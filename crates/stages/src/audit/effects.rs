//! What the scores of a measure depend on: the agent, the category of a task, the task itself; does
//! an agent do unusually well or badly in some category, and what goes with high and low scores?
//!
//! **Method** Wiki Live Challenge (arXiv 2602.01590) tests each system's deviations from the mean
//! of its category by a one-way analysis of variance, and correlates difficulty with page views,
//! length, statements and links. **Differs from it**: deviations are from the mean of the task,
//! which scatter less; a p-value by shuffling stands beside the one of the F distribution, and is
//! corrected for the number of agents (Holm); how hard a task is follows from scores beside the
//! levels of the agents that have them; correlations have intervals; and the shares
//! of variance say how much there is to explain.

use std::collections::{BTreeMap, BTreeSet};

use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Serialize;

use crate::stats::{
    anova::{self, Anova, Reference},
    bootstrap::Estimate,
    difficulty::{self, Row},
    effects::{self, Components},
    mean,
};

/// Rounds in which levels of tasks and agents are estimated in turn.
const ROUNDS: usize = 100;

/// The scores on a task.
#[derive(Clone, Debug, Default)]
pub struct TaskScores {
    /// The task's id.
    pub task: String,
    /// Its category, where it has one.
    pub category: Option<String>,
    /// The mean score of each agent that has one.
    pub scores: BTreeMap<String, f64>,
    /// What else is known of it, by name, such as how often a page is read.
    pub attributes: BTreeMap<String, f64>,
}

/// What the scores depend on.
#[derive(Debug, Serialize)]
pub struct Effects {
    /// Tasks with a score.
    pub tasks: usize,
    /// Those of them without a category, which are left out of what categories explain.
    pub without_category: usize,
    /// The agents, by name.
    pub agents: Vec<AgentEffects>,
    /// The categories, by name.
    pub categories: Vec<CategoryScores>,
    /// Where the variance comes from; none where it cannot be told.
    pub variance: Option<Components>,
    /// Why it cannot be told.
    pub no_variance: Option<String>,
    /// What goes with the mean scores of tasks.
    pub attributes: Vec<Row>,
}

/// An agent beside the others.
#[derive(Debug, Serialize)]
pub struct AgentEffects {
    /// The agent.
    pub agent: String,
    /// Tasks that it has a score on.
    pub tasks: u64,
    /// How far it is above the mean of all agents on the same tasks.
    pub effect: Option<Estimate>,
    /// Its mean deviation from the other agents in each category.
    pub by_category: Vec<(String, f64)>,
    /// Whether these deviations differ by more than chance; none where that cannot be told.
    pub anova: Option<Anova>,
    /// Why it cannot be told.
    pub no_anova: Option<String>,
    /// The p-value by shuffling, corrected for the number of agents.
    pub adjusted_p: Option<f64>,
}

/// Scores in a category.
#[derive(Debug, Serialize)]
pub struct CategoryScores {
    /// The category.
    pub category: String,
    /// Its tasks with a score.
    pub tasks: usize,
    /// The mean over agents of their means over its tasks.
    pub mean: f64,
}

/// Takes the scores apart. `seed` decides on what is shuffled and resampled.
pub fn effects(tasks: &[TaskScores], seed: u64) -> Effects {
    let tasks: Vec<&TaskScores> = tasks
        .iter()
        .filter(|task| !task.scores.is_empty())
        .collect();
    let agents: BTreeSet<&str> = tasks
        .iter()
        .flat_map(|task| task.scores.keys())
        .map(String::as_str)
        .collect();
    let agents: Vec<&str> = agents.into_iter().collect();
    // What has no category explains nothing by its category.
    let of_category = tasks
        .iter()
        .filter_map(|task| Some((task, task.category.as_deref()?)));
    let (with, categories): (Vec<&&TaskScores>, Vec<&str>) = of_category.unzip();
    let sorted = Matrix {
        scores: rows(&agents, with.into_iter().copied()),
        categories,
    };
    let variance = effects::components(&sorted.scores, &sorted.categories);
    Effects {
        tasks: tasks.len(),
        without_category: tasks.len() - sorted.scores.len(),
        agents: of_agents(
            &agents,
            &rows(&agents, tasks.iter().copied()),
            &sorted,
            seed,
        ),
        categories: of_categories(&tasks, &agents),
        no_variance: variance.as_ref().err().map(ToString::to_string),
        variance: variance.ok(),
        attributes: of_attributes(&tasks, seed),
    }
}

/// Scores of tasks with a category.
struct Matrix<'a> {
    /// Tasks × agents.
    scores: Vec<Vec<Option<f64>>>,
    /// Of each task.
    categories: Vec<&'a str>,
}

/// Tasks × agents.
fn rows<'a>(agents: &[&str], tasks: impl Iterator<Item = &'a TaskScores>) -> Vec<Vec<Option<f64>>> {
    let row = |task: &TaskScores| {
        let score = |agent: &&str| task.scores.get(*agent).copied();
        agents.iter().map(score).collect()
    };
    tasks.map(row).collect()
}

fn of_agents(
    agents: &[&str],
    scores: &[Vec<Option<f64>>],
    sorted: &Matrix<'_>,
    seed: u64,
) -> Vec<AgentEffects> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let effects = effects::agent_effects(scores, &mut rng);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (of_category, categories) = (&sorted.scores, &sorted.categories);
    let analyses = anova::by_category(of_category, categories, Reference::Task, &mut rng);
    let rows = agents.iter().enumerate().map(|(at, agent)| {
        let effect = effects.iter().find(|of| of.agent == at);
        let by_category = analyses.iter().find(|of| of.agent == at);
        let anova = by_category.map(|of| &of.anova);
        AgentEffects {
            agent: (*agent).to_owned(),
            tasks: effect.map_or(0, |of| of.tasks),
            effect: effect.and_then(|of| of.effect),
            by_category: by_category.map_or_else(Vec::new, |of| of.means.clone()),
            anova: anova.and_then(|of| of.as_ref().ok()).copied(),
            no_anova: anova
                .and_then(|of| of.as_ref().err())
                .map(ToString::to_string),
            adjusted_p: by_category.and_then(|of| of.adjusted),
        }
    });
    rows.collect()
}

fn of_categories(tasks: &[&TaskScores], agents: &[&str]) -> Vec<CategoryScores> {
    let mut by_category: BTreeMap<&str, Vec<&TaskScores>> = BTreeMap::new();
    for task in tasks {
        if let Some(category) = &task.category {
            by_category.entry(category).or_default().push(task);
        }
    }
    let rows = by_category.into_iter().map(|(category, tasks)| {
        let means = agents.iter().filter_map(|agent| {
            let scores: Vec<f64> = tasks
                .iter()
                .filter_map(|task| task.scores.get(*agent).copied())
                .collect();
            mean(&scores)
        });
        CategoryScores {
            category: category.to_owned(),
            tasks: tasks.len(),
            mean: mean(&means.collect::<Vec<_>>()).unwrap_or(f64::NAN),
        }
    });
    rows.collect()
}

/// How high scores on each task are beside the levels of the agents that have them, and these beside
/// the tasks that they have: a task that a weak agent alone has answered is no hard one. The two are
/// estimated in turn.
fn task_levels(tasks: &[&TaskScores]) -> Vec<f64> {
    let mut levels = vec![0.0; tasks.len()];
    for _ in 0..ROUNDS {
        let mut beside: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (task, level) in tasks.iter().zip(&levels) {
            for (agent, score) in &task.scores {
                beside.entry(agent).or_default().push(score - level);
            }
        }
        let agents: BTreeMap<&str, f64> = beside
            .iter()
            .filter_map(|(agent, scores)| Some((*agent, mean(scores)?)))
            .collect();
        for (task, level) in tasks.iter().zip(&mut levels) {
            let scores = task.scores.iter();
            let beside = scores.map(|(agent, score)| score - agents[agent.as_str()]);
            *level = mean(&beside.collect::<Vec<_>>()).unwrap_or_default();
        }
    }
    levels
}

fn of_attributes(tasks: &[&TaskScores], seed: u64) -> Vec<Row> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let levels = task_levels(tasks);
    let scores = tasks.iter().zip(levels);
    let scores = scores.map(|(task, level)| (task.task.clone(), level));
    let mut attributes: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for task in tasks {
        for (name, value) in &task.attributes {
            let values = attributes.entry(name.clone()).or_default();
            values.insert(task.task.clone(), *value);
        }
    }
    difficulty::difficulty(&scores.collect(), &attributes, &mut rng)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve tasks in two categories; one agent is good at one of them, harder tasks are longer.
    fn tasks() -> Vec<TaskScores> {
        let task = |n: usize| {
            let is_history = n.is_multiple_of(2);
            let base = 0.8 - 0.03 * n as f64;
            let historian = if is_history { 0.2 } else { -0.1 };
            let noise = |k: usize| 0.01 * ((n * 7 + k * 5) % 4) as f64;
            TaskScores {
                task: format!("t{n:02}"),
                category: Some(if is_history { "History" } else { "Music" }.to_owned()),
                scores: BTreeMap::from([
                    ("even".to_owned(), base + noise(1)),
                    ("historian".to_owned(), base + historian + noise(2)),
                    ("plain".to_owned(), base - 0.1 + noise(3)),
                ]),
                attributes: BTreeMap::from([("words".to_owned(), 100.0 * n as f64)]),
            }
        };
        (0..12).map(task).collect()
    }

    #[test]
    fn who_is_good_at_one_category_and_what_is_hard_come_out() {
        let found = effects(&tasks(), 1);
        assert_eq!((found.tasks, found.without_category), (12, 0));
        let historian = &found.agents[1];
        assert_eq!(historian.agent, "historian");
        assert!(
            historian.adjusted_p.is_some_and(|p| p < 0.01),
            "{historian:?}"
        );
        let [history, music] = &historian.by_category[..] else {
            panic!("{historian:?}")
        };
        assert!(history.1 > 0.1 && music.1 < 0.0, "{historian:?}");
        let words = &found.attributes[0];
        assert_eq!(words.tasks, 12);
        let rho = words.spearman.expect("a coefficient").value;
        assert!(rho < -0.8, "{words:?}");
        let variance = found.variance.expect("components");
        assert!(variance.agent.share > 0.0, "{variance:?}");
        assert_eq!(found.categories.len(), 2);
    }

    /// Tasks without a category make no category of their own, and a task that only a weak agent
    /// has answered is not hard.
    #[test]
    fn what_is_missing_is_left_out() {
        let mut tasks = tasks();
        for task in tasks.iter_mut().take(4) {
            task.category = None;
        }
        let found = effects(&tasks, 1);
        assert_eq!(found.without_category, 4);
        for agent in &found.agents {
            let anova = agent.anova.expect("an analysis");
            assert_eq!((anova.groups, anova.values), (2, 8), "{agent:?}");
        }
        assert_eq!(found.variance.map(|of| of.categories), Some(2));
        let level = |n: usize, agent: &str, score| TaskScores {
            task: format!("{agent}{n}"),
            scores: BTreeMap::from([(agent.to_owned(), score + 0.01 * (n % 2) as f64)]),
            attributes: BTreeMap::from([(
                "words".to_owned(),
                if agent == "weak" { 900.0 } else { 90.0 },
            )]),
            ..TaskScores::default()
        };
        let apart: Vec<TaskScores> = (0..8)
            .map(|n| {
                if n < 4 {
                    level(n, "weak", 0.1)
                } else {
                    level(n, "strong", 0.9)
                }
            })
            .collect();
        let found = effects(&apart, 1);
        let rho = found.attributes[0].spearman.map(|of| of.value);
        // Of raw means it would be near -1; what is left are roundings.
        assert!(rho.is_none_or(|rho| rho.abs() < 0.5), "{rho:?}");
        // A strong agent has all tasks, a weak one two of the hard ones: levels are as planted.
        let planted = [0.9, 0.9, 0.9, 0.9, 0.4, 0.4, 0.4, 0.4];
        let tasks: Vec<TaskScores> = (0..8)
            .map(|n| {
                let mut scores = BTreeMap::from([("strong".to_owned(), planted[n])]);
                if n >= 6 {
                    scores.insert("weak".to_owned(), planted[n] - 0.3);
                }
                TaskScores {
                    scores,
                    ..TaskScores::default()
                }
            })
            .collect();
        let levels = task_levels(&tasks.iter().collect::<Vec<_>>());
        for (level, planted) in levels.iter().zip(planted) {
            assert!(
                (level - levels[0] - (planted - 0.9)).abs() < 1e-6,
                "{levels:?}"
            );
        }
    }

    #[test]
    fn what_cannot_be_told_says_why() {
        let mut tasks = tasks();
        for task in &mut tasks {
            task.scores.retain(|agent, _| agent == "even");
            task.category = None;
        }
        let found = effects(&tasks, 1);
        assert_eq!(found.without_category, 12);
        assert!(
            found.variance.is_none() && found.no_variance.is_some(),
            "{found:?}"
        );
        let nothing = effects(&[TaskScores::default()], 1);
        assert_eq!((nothing.tasks, nothing.agents.len()), (0, 0));
    }
}

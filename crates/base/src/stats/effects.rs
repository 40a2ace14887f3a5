//! Scores of agents on tasks that belong to categories, taken apart: how much of their variance
//! comes with the agent, with the category, with the task within its category, and how much is
//! left; and how far each agent is above the others, on whatever tasks. Hides the equations of
//! least squares and the elimination of tasks from them.
//!
//! The model is score = mean + agent + category + task + rest. The rest holds everything that an
//! agent does on a task beyond the two: strengths in a category, luck, and the judge's errors.
//! Variances are estimated by fitting constants (Henderson, "Estimation of variance and covariance
//! components", Biometrics 9, 1953, method 3): each sum of squares is what an effect explains
//! beyond those that it is compared with, and is set equal to what it is on average. Scores may be
//! missing; where none is, these are the estimators of the textbooks.

use rand::Rng;
use serde::Serialize;
use thiserror::Error;

use super::{
    bootstrap::{self, Estimate, RESAMPLES},
    design::{Design, Row, Within, within},
};

/// One source of variance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Component {
    /// Independent comparisons that the estimate rests on.
    pub freedom: u64,
    /// The estimate; below 0 where the effect explains less than the rest would by chance.
    pub variance: f64,
    /// Its share of the sum of all, in which what is below 0 counts as 0.
    pub share: f64,
}

/// Where the variance of scores comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Components {
    /// Scores that there are.
    pub scores: u64,
    /// Agents with a score.
    pub agents: u64,
    /// Tasks with a score.
    pub tasks: u64,
    /// Categories with a score.
    pub categories: u64,
    /// Between agents.
    pub agent: Component,
    /// Between categories; none where there is one only, or the agents share too few tasks.
    pub category: Option<Component>,
    /// Between tasks of one category; none where no category has two tasks, and what tasks differ
    /// by is then in the categories.
    pub task: Option<Component>,
    /// What is left.
    pub rest: Component,
}

/// Why scores cannot be taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Undefined {
    /// Nothing says how much agents differ.
    #[error("fewer than two agents share a task")]
    OneAgent,
    /// Nothing says how much tasks differ.
    #[error("fewer than two tasks have a score")]
    OneTask,
    /// Agents and tasks explain every score, whatever it is.
    #[error("no score is left over to estimate the rest by")]
    NothingLeft,
    /// All scores are equal, or too large to be squared.
    #[error("the scores do not vary")]
    NoSpread,
}

/// How far an agent is above the mean of all agents, other things being equal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AgentEffect {
    /// Index of the agent.
    pub agent: usize,
    /// Tasks that it has a score on.
    pub tasks: u64,
    /// Its effect with a 95 % interval that takes the tasks as drawn at random. None for an agent
    /// without scores, and for all where some cannot be compared: they share no tasks, nor through
    /// others.
    pub effect: Option<Estimate>,
}

/// The components of variance. `scores` are tasks × agents, and `categories` names the category of
/// each task; a task without one is left out. Takes a time that grows with scores × agents.
pub fn components<S: AsRef<str>>(
    scores: &[Vec<Option<f64>>],
    categories: &[S],
) -> Result<Components, Undefined> {
    let design = Design::of(scores, categories);
    if design.rows.len() < 2 {
        return Err(Undefined::OneTask);
    }
    let by_task = design.within_tasks();
    if by_task.inverse.rank == 0 {
        return Err(Undefined::OneAgent);
    }
    let left = design.scores.saturating_sub(by_task.rank());
    if left == 0 {
        return Err(Undefined::NothingLeft);
    }
    let sums = Sums::of(&design, &by_task, left);
    let known = [sums.agent, sums.task, sums.category];
    let positive = |of: &Effect| of.variance.max(0.0);
    let all = known.iter().flatten().map(positive).sum::<f64>() + sums.rest;
    if !all.is_normal() || all <= design.rounding() {
        return Err(Undefined::NoSpread);
    }
    let component = |of: Effect| Component {
        freedom: of.freedom as u64,
        variance: of.variance,
        share: of.variance.max(0.0) / all,
    };
    Ok(Components {
        scores: design.scores as u64,
        agents: design.agents as u64,
        tasks: design.rows.len() as u64,
        categories: design.categories as u64,
        agent: component(sums.agent.ok_or(Undefined::OneAgent)?),
        category: sums.category.map(component),
        task: sums.task.map(component),
        rest: component(Effect {
            freedom: left,
            variance: sums.rest,
        }),
    })
}

/// The variance of an effect, and the comparisons that it was estimated from.
#[derive(Clone, Copy)]
struct Effect {
    freedom: usize,
    variance: f64,
}

/// The estimates of all effects; none for one that cannot be told.
struct Sums {
    agent: Option<Effect>,
    task: Option<Effect>,
    category: Option<Effect>,
    rest: f64,
}

impl Sums {
    /// Each effect from what it explains beyond others: agents beyond tasks, tasks beyond agents
    /// and categories, categories beyond agents.
    fn of(design: &Design, by_task: &Within, left: usize) -> Self {
        let by_category = design.within_categories();
        let of_agents = design.of_agents();
        let rest = (design.squares() - by_task.squares()).max(0.0) / left as f64;
        let agent = effect(by_task.explained, by_task.inverse.rank, by_task.trace, rest);
        let task_times = design.task_times(&by_category);
        let task = effect(
            by_task.squares() - by_category.squares(),
            by_task.rank().saturating_sub(by_category.rank()),
            task_times,
            rest,
        );
        // Tasks that differ make their categories differ, too: so often is their variance in it.
        let within = (design.scores - design.agents) as f64 - task_times;
        let of_tasks = task.map_or(0.0, |task| within * task.variance);
        let category = effect(
            by_category.squares() - of_agents - of_tasks,
            by_category.rank().saturating_sub(design.agents),
            design.category_times(),
            rest,
        );
        Self {
            agent,
            task,
            category,
            rest,
        }
    }
}

/// Squares that are on average `freedom` times the rest and `times` times the effect's variance.
fn effect(squares: f64, freedom: usize, times: f64, rest: f64) -> Option<Effect> {
    // Times is a difference of sums as large as the number of scores.
    (freedom > 0 && times > 1e-6).then(|| Effect {
        freedom,
        variance: (squares - freedom as f64 * rest) / times,
    })
}

/// The effects of all agents, from comparisons on the same tasks only: an agent that lacks the hard
/// tasks is not the better for it. Takes a time that grows with scores × agents, [`RESAMPLES`]
/// times.
pub fn agent_effects(scores: &[Vec<Option<f64>>], rng: &mut impl Rng) -> Vec<AgentEffect> {
    let agents = scores.iter().map(Vec::len).max().unwrap_or(0);
    let design = Design::of(scores, &vec![""; scores.len()]);
    let mut tasks = vec![0; agents];
    for row in &design.rows {
        row.cells.iter().for_each(|(agent, _)| tasks[*agent] += 1);
    }
    let clusters: Vec<Vec<&Row>> = design.rows.iter().map(|row| vec![row]).collect();
    let of = |rows: &[&&Row]| effects(rows, &tasks);
    let found = bootstrap::statistics(&clusters, RESAMPLES, rng, of);
    let effect = |(agent, effect): (usize, Option<Estimate>)| AgentEffect {
        agent,
        tasks: tasks[agent],
        effect,
    };
    found.into_iter().enumerate().map(effect).collect()
}

/// The effects of the agents that have tasks, less their mean; none where some cannot be compared.
fn effects(rows: &[&&Row], tasks: &[u64]) -> Vec<Option<f64>> {
    let present = |agent: usize| tasks[agent] > 0;
    let count = (0..tasks.len()).filter(|agent| present(*agent)).count();
    let within = within(rows.iter().map(|row| &***row), tasks.len());
    if count < 2 || within.inverse.rank + 1 < count {
        return vec![None; tasks.len()];
    }
    let solution = within.inverse.solve(&within.right);
    // An agent without tasks has the solution 0.
    let mean = solution.iter().sum::<f64>() / count as f64;
    let value = |(agent, value): (usize, f64)| present(agent).then_some(value - mean);
    solution.into_iter().enumerate().map(value).collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;
    use crate::stats::normal;

    fn rng(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    fn near(what: &str, found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 1e-9 * expected.abs().max(1.0),
            "{what}: {found} and not {expected}"
        );
    }

    /// Standard deviations of agents, categories, tasks and the rest.
    const TRUTH: [f64; 4] = [0.6, 0.5, 0.8, 1.0];

    struct Simulated {
        scores: Vec<Vec<Option<f64>>>,
        categories: Vec<String>,
    }

    /// Scores of a model with these deviations; so large a share is missing.
    fn simulated(agents: usize, sizes: &[usize], missing: f64, rng: &mut ChaCha8Rng) -> Simulated {
        let [agent, category, task, rest] = TRUTH;
        let agents: Vec<f64> = (0..agents).map(|_| agent * normal::draw(rng)).collect();
        let (mut scores, mut categories) = (Vec::new(), Vec::new());
        for (group, size) in sizes.iter().enumerate() {
            let of_category = 50.0 + category * normal::draw(rng);
            for _ in 0..*size {
                let of_task = of_category + task * normal::draw(rng);
                let score = |agent: &f64| {
                    let score = of_task + agent + rest * normal::draw(rng);
                    (rng.random::<f64>() >= missing).then_some(score)
                };
                scores.push(agents.iter().map(score).collect());
                categories.push(format!("category {group}"));
            }
        }
        Simulated { scores, categories }
    }

    /// (1, 2), (3, 6) in one category and (5, 8), (7, 8) in the other: mean squares of 8, 32, 5 and
    /// 2/3 with 1, 1, 2 and 3 degrees of freedom, so that agents have (8 − 2/3) / 4 = 11/6, the
    /// categories (32 − 5) / 4, tasks (5 − 2/3) / 2.
    #[test]
    fn a_small_example_by_hand() {
        let scores = [[1.0, 2.0], [3.0, 6.0], [5.0, 8.0], [7.0, 8.0]];
        let scores = scores.map(|row| row.map(Some).to_vec());
        let found = components(&scores, &["x", "x", "y", "y"]).unwrap();
        let (category, task) = (found.category.unwrap(), found.task.unwrap());
        let check = |what: &str, of: Component, freedom, variance, share: f64| {
            assert_eq!(of.freedom, freedom, "{what}");
            near(what, of.variance, variance);
            near(what, of.share, share / 137.0);
        };
        check("agent", found.agent, 1, 11.0 / 6.0, 22.0);
        check("category", category, 1, 27.0 / 4.0, 81.0);
        check("task", task, 2, 13.0 / 6.0, 26.0);
        check("rest", found.rest, 3, 2.0 / 3.0, 8.0);
        let effects = agent_effects(&scores, &mut rng(1));
        let values = effects.iter().map(|of| of.effect.unwrap().value);
        values
            .zip([-1.0, 1.0])
            .for_each(|(found, expected)| near("effect", found, expected));
    }

    /// Mean squares as the textbooks have them, where no score is missing.
    #[test]
    fn balanced_data_have_the_formulas_of_the_textbooks() {
        let (a, c, t) = (4, 5, 3);
        let data = simulated(a, &[t; 5], 0.0, &mut rng(3));
        let y: Vec<Vec<f64>> = data
            .scores
            .iter()
            .map(|row| row.iter().flatten().copied().collect())
            .collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let all = mean(&y.concat());
        let of_task: Vec<f64> = y.iter().map(|row| mean(row)).collect();
        let of_agent: Vec<f64> = (0..a)
            .map(|i| mean(&y.iter().map(|row| row[i]).collect::<Vec<_>>()))
            .collect();
        let of_category: Vec<f64> = y.chunks(t).map(|rows| mean(&rows.concat())).collect();
        let squares = |of: &[f64], about: &dyn Fn(usize) -> f64| {
            of.iter()
                .enumerate()
                .map(|(i, x)| (x - about(i)).powi(2))
                .sum::<f64>()
        };
        let ms_agent = (c * t) as f64 * squares(&of_agent, &|_| all) / (a - 1) as f64;
        let ms_category = (a * t) as f64 * squares(&of_category, &|_| all) / (c - 1) as f64;
        let ms_task = a as f64 * squares(&of_task, &|i| of_category[i / t]) / (c * (t - 1)) as f64;
        let rest: f64 = y
            .iter()
            .zip(&of_task)
            .map(|(row, task)| squares(row, &|i| task + of_agent[i] - all))
            .sum();
        let ms_rest = rest / ((a - 1) * (c * t - 1)) as f64;
        let found = components(&data.scores, &data.categories).unwrap();
        near("rest", found.rest.variance, ms_rest);
        near(
            "agent",
            found.agent.variance,
            (ms_agent - ms_rest) / (c * t) as f64,
        );
        near(
            "task",
            found.task.unwrap().variance,
            (ms_task - ms_rest) / a as f64,
        );
        near(
            "category",
            found.category.unwrap().variance,
            (ms_category - ms_task) / (a * t) as f64,
        );
    }

    /// The mean of 400 samples with unequal categories and a quarter of the scores missing is
    /// within 6 % of the truth, for each component.
    #[test]
    fn known_components_are_recovered_on_average() {
        let mut rng = rng(11);
        let sizes = [1, 1, 2, 3, 4, 6, 7, 8, 9, 11];
        let mut sums = [0.0; 4];
        let samples = 400;
        for _ in 0..samples {
            let data = simulated(9, &sizes, 0.25, &mut rng);
            let found = components(&data.scores, &data.categories).unwrap();
            let variances = [
                found.agent.variance,
                found.category.unwrap().variance,
                found.task.unwrap().variance,
                found.rest.variance,
            ];
            sums.iter_mut()
                .zip(variances)
                .for_each(|(sum, variance)| *sum += variance);
        }
        for (sum, truth) in sums.iter().zip(TRUTH) {
            let mean = sum / f64::from(samples);
            assert!(
                (mean / (truth * truth) - 1.0).abs() < 0.06,
                "{truth}: {sums:?}"
            );
        }
    }

    /// Scores that depend on the agent alone, the category alone or the task alone.
    #[test]
    fn one_source_has_all_of_the_variance() {
        let categories = ["a", "a", "a", "b", "b", "b", "c", "c", "c"];
        let found = |score: &dyn Fn(usize, usize) -> f64| {
            let row = |task| (0..4).map(|agent| Some(score(task, agent))).collect();
            let scores: Vec<_> = (0..9).map(row).collect();
            let found = components(&scores, &categories).unwrap();
            [
                found.agent.share,
                found.category.unwrap().share,
                found.task.unwrap().share,
                found.rest.share,
            ]
        };
        let share = |shares: [f64; 4], at: usize| assert!(shares[at] > 0.95, "{at}: {shares:?}");
        share(found(&|_, agent| agent as f64), 0);
        share(found(&|task, _| (task / 3) as f64), 1);
        share(found(&|task, _| [3.0, 1.0, 2.0][task % 3]), 2);
        share(found(&|task, agent| ((task + agent) % 2) as f64), 3);
    }

    #[test]
    fn what_cannot_be_told_is_none() {
        let pair = |a: f64, b: f64| vec![Some(a), Some(b)];
        let rows = vec![pair(1.0, 2.0), pair(3.0, 5.0), pair(6.0, 6.0)];
        let one = components(&rows, &["x"; 3]).unwrap();
        assert!(one.category.is_none() && one.task.is_some());
        let each = components(&rows, &["x", "y", "z"]).unwrap();
        assert!(each.task.is_none() && each.category.is_some());
        // What is of tasks in the one is of categories in the other.
        near(
            "either",
            each.category.unwrap().variance,
            one.task.unwrap().variance,
        );
        let check = |rows: &[Vec<Option<f64>>], expected| {
            assert_eq!(components(rows, &["x"; 9]), Err(expected), "{rows:?}");
        };
        check(&[], Undefined::OneTask);
        check(
            &[pair(1.0, 2.0), vec![None, Some(f64::NAN)]],
            Undefined::OneTask,
        );
        check(&[vec![Some(1.0)], vec![Some(2.0)]], Undefined::OneAgent);
        check(
            &[vec![Some(1.0), None], vec![None, Some(2.0)]],
            Undefined::OneAgent,
        );
        check(
            &[pair(1.0, 2.0), vec![Some(3.0), None]],
            Undefined::NothingLeft,
        );
        check(
            &[pair(0.1, 0.1), pair(0.1, 0.1), pair(0.1, 0.1)],
            Undefined::NoSpread,
        );
    }

    /// The agent that answered only the easy tasks has the larger mean and the smaller effect.
    #[test]
    fn missing_hard_tasks_are_no_advantage() {
        let scores: Vec<Vec<Option<f64>>> = (0..20)
            .map(|task| {
                let level = if task < 10 { 10.0 } else { 0.0 };
                let noise = f64::from(task * 7 % 5) / 10.0;
                vec![
                    Some(level + 1.0 + noise),
                    Some(level + 0.5),
                    (task < 10).then_some(level),
                ]
            })
            .collect();
        let effects = agent_effects(&scores, &mut rng(1));
        let value = |at: usize| effects[at].effect.unwrap().value;
        assert!(value(0) > value(1) && value(1) > value(2), "{effects:?}");
        near("sum", value(0) + value(1) + value(2), 0.0);
        near("difference", value(1) - value(2), 0.5);
        assert_eq!(effects[2].tasks, 10);
    }

    /// The interval holds the agent's effect in about 95 of 100 samples of tasks.
    #[test]
    fn intervals_hold_the_effects() {
        let mut rng = rng(17);
        let strengths = [0.5, 0.0, -0.5];
        let mut held = 0;
        for _ in 0..100 {
            let row = |rng: &mut ChaCha8Rng| {
                let task = 2.0 * normal::draw(rng);
                let score = |strength: f64| Some(task + strength + normal::draw(rng));
                strengths.map(score).to_vec()
            };
            let scores: Vec<_> = (0..40).map(|_| row(&mut rng)).collect();
            let found = agent_effects(&scores, &mut rng);
            for (agent, truth) in found.iter().zip(strengths) {
                let (low, high) = agent.effect.unwrap().interval.unwrap();
                held += u32::from(low < truth && truth < high);
            }
        }
        assert!((275..=296).contains(&held), "{held} of 300");
    }

    #[test]
    fn agents_that_share_no_tasks_are_not_compared() {
        let apart = [
            vec![Some(1.0), Some(2.0), None, None],
            vec![None, None, Some(1.0), Some(5.0)],
        ];
        let effects = agent_effects(&apart, &mut rng(1));
        assert!(
            effects
                .iter()
                .all(|of| of.effect.is_none() && of.tasks == 1)
        );
        // An agent without scores takes nothing from the others.
        let absent = vec![vec![Some(1.0), None, Some(3.0)]; 3];
        let effects = agent_effects(&absent, &mut rng(1));
        let values = effects
            .iter()
            .map(|of| of.effect.map(|effect| effect.value));
        assert_eq!(values.collect::<Vec<_>>(), [Some(-1.0), None, Some(1.0)]);
        assert!(agent_effects(&[], &mut rng(1)).is_empty());
        assert_eq!(
            agent_effects(&apart[..1], &mut rng(2)),
            agent_effects(&apart[..1], &mut rng(2))
        );
    }
}

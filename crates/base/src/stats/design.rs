//! The equations of least squares for agents, tasks and categories. Hides which scores are missing,
//! and the elimination of all effects but the agents'.

use super::{categories, sweep::Inverse};

/// A task with its scores.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub category: usize,
    /// Agents and their scores, the mean of all scores taken off.
    pub cells: Vec<(usize, f64)>,
}

/// Scores with what they belong to.
pub(super) struct Design {
    /// Tasks that have a score.
    pub rows: Vec<Row>,
    /// Agents that have a score.
    pub agents: usize,
    /// Categories that have a score.
    pub categories: usize,
    pub scores: usize,
    /// The largest score, without its sign.
    size: f64,
    /// Scores of each agent and of each category.
    of_agent: Vec<f64>,
    of_category: Vec<f64>,
    /// Scores of each agent in each category.
    cells: Vec<Vec<f64>>,
}

/// What is left of the agents' equations once other effects are eliminated.
pub(super) struct Within {
    pub inverse: Inverse,
    pub right: Vec<f64>,
    /// Sum of the diagonal.
    pub trace: f64,
    /// Squares that the agents explain beyond the other effects.
    pub explained: f64,
    /// Squares that the other effects explain, and their number.
    others: (f64, usize),
}

impl Within {
    /// Squares that all effects explain together.
    pub(super) fn squares(&self) -> f64 {
        self.others.0 + self.explained
    }

    /// The number of effects that can be told apart.
    pub(super) fn rank(&self) -> usize {
        self.others.1 + self.inverse.rank
    }
}

/// Equations of the agents that grow block by block.
struct Equations {
    rows: Vec<Vec<f64>>,
    right: Vec<f64>,
    others: (f64, usize),
}

impl Equations {
    fn new(agents: usize) -> Self {
        Self {
            rows: vec![vec![0.0; agents]; agents],
            right: vec![0.0; agents],
            others: (0.0, 0),
        }
    }

    /// Adds a block (a task, or a category) whose own effect is eliminated: for each of its agents
    /// the number of scores and their sum.
    fn add(&mut self, block: &[(usize, f64, f64)]) {
        let n: f64 = block.iter().map(|of| of.1).sum();
        let sum: f64 = block.iter().map(|of| of.2).sum();
        if n <= 0.0 {
            return;
        }
        self.others = (self.others.0 + sum * sum / n, self.others.1 + 1);
        for &(agent, count, own) in block {
            self.right[agent] += own - count * sum / n;
            self.rows[agent][agent] += count;
            for &(other, others, _) in block {
                self.rows[agent][other] -= count * others / n;
            }
        }
    }

    fn solved(self) -> Within {
        let trace = (0..self.rows.len()).map(|at| self.rows[at][at]).sum();
        let inverse = Inverse::of(self.rows);
        Within {
            explained: inverse.square(&self.right).max(0.0),
            inverse,
            right: self.right,
            trace,
            others: self.others,
        }
    }
}

/// The agents' equations within each of some tasks.
pub(super) fn within<'a>(rows: impl Iterator<Item = &'a Row>, agents: usize) -> Within {
    let mut equations = Equations::new(agents);
    let mut block = Vec::new();
    for row in rows {
        block.clear();
        block.extend(row.cells.iter().map(|(agent, score)| (*agent, 1.0, *score)));
        equations.add(&block);
    }
    equations.solved()
}

impl Design {
    pub(super) fn of<S: AsRef<str>>(scores: &[Vec<Option<f64>>], names: &[S]) -> Self {
        let agents = scores.iter().map(Vec::len).max().unwrap_or(0);
        let (names, places) = categories::numbered(names);
        let mut rows: Vec<Row> = Vec::new();
        for (task, &category) in scores.iter().zip(&places) {
            let score = |score: &Option<f64>| score.filter(|score| score.is_finite());
            let cells = task.iter().enumerate();
            let cells = cells.filter_map(|(agent, of)| Some((agent, score(of)?)));
            let cells: Vec<(usize, f64)> = cells.collect();
            if !cells.is_empty() {
                rows.push(Row { category, cells });
            }
        }
        let mut design = Self {
            rows,
            agents: 0,
            categories: 0,
            scores: 0,
            size: 0.0,
            of_agent: vec![0.0; agents],
            of_category: vec![0.0; names.len()],
            cells: vec![vec![0.0; agents]; names.len()],
        };
        design.count();
        design.centre();
        design
    }

    fn count(&mut self) {
        for row in &self.rows {
            for &(agent, score) in &row.cells {
                self.scores += 1;
                self.size = self.size.max(score.abs());
                self.of_agent[agent] += 1.0;
                self.of_category[row.category] += 1.0;
                self.cells[row.category][agent] += 1.0;
            }
        }
        let filled = |counts: &[f64]| counts.iter().filter(|count| **count > 0.0).count();
        self.agents = filled(&self.of_agent);
        self.categories = filled(&self.of_category);
    }

    fn centre(&mut self) {
        let mean = self.all().sum::<f64>() / self.scores.max(1) as f64;
        let cells = self.rows.iter_mut().flat_map(|row| &mut row.cells);
        cells.for_each(|cell| cell.1 -= mean);
    }

    fn all(&self) -> impl Iterator<Item = f64> {
        self.rows
            .iter()
            .flat_map(|row| &row.cells)
            .map(|cell| cell.1)
    }

    /// The squares of all scores.
    pub(super) fn squares(&self) -> f64 {
        self.all().map(|score| score * score).sum()
    }

    /// The largest variance that is no more than rounding.
    pub(super) fn rounding(&self) -> f64 {
        (self.size * 1e-12).powi(2)
    }

    /// The agents' equations within tasks.
    pub(super) fn within_tasks(&self) -> Within {
        within(self.rows.iter(), self.of_agent.len())
    }

    /// The agents' equations within categories.
    pub(super) fn within_categories(&self) -> Within {
        let mut sums = vec![vec![0.0; self.of_agent.len()]; self.of_category.len()];
        for row in &self.rows {
            for &(agent, score) in &row.cells {
                sums[row.category][agent] += score;
            }
        }
        let mut equations = Equations::new(self.of_agent.len());
        for (counts, sums) in self.cells.iter().zip(&sums) {
            let block = counts.iter().zip(sums).enumerate();
            let block = block.filter(|(_, (count, _))| **count > 0.0);
            let block: Vec<_> = block.map(|(agent, (n, sum))| (agent, *n, *sum)).collect();
            equations.add(&block);
        }
        equations.solved()
    }

    /// The squares that agents alone explain.
    pub(super) fn of_agents(&self) -> f64 {
        let mut sums = vec![0.0; self.of_agent.len()];
        for (agent, score) in self.rows.iter().flat_map(|row| &row.cells) {
            sums[*agent] += score;
        }
        let filled = sums.iter().zip(&self.of_agent).filter(|(_, n)| **n > 0.0);
        filled.map(|(sum, n)| sum * sum / n).sum()
    }

    /// How often the variance of categories is in the squares that they explain beyond agents: of
    /// all scores those whose category is not shared by all that their agent has.
    pub(super) fn category_times(&self) -> f64 {
        let mut shared = 0.0;
        for counts in &self.cells {
            let filled = counts.iter().zip(&self.of_agent).filter(|(_, n)| **n > 0.0);
            shared += filled.map(|(count, n)| count * count / n).sum::<f64>();
        }
        self.scores as f64 - shared
    }

    /// How often the variance of tasks is in the squares that they explain beyond agents and
    /// categories.
    pub(super) fn task_times(&self, by_category: &Within) -> f64 {
        let mut times = self.scores as f64;
        let mut deviation = vec![0.0; self.of_agent.len()];
        for row in &self.rows {
            let (n, of_category) = (row.cells.len() as f64, self.of_category[row.category]);
            times -= n * n / of_category;
            let counts = &self.cells[row.category];
            for (deviation, count) in deviation.iter_mut().zip(counts) {
                *deviation = -count * n / of_category;
            }
            row.cells.iter().for_each(|cell| deviation[cell.0] += 1.0);
            times -= by_category.inverse.square(&deviation);
        }
        times
    }
}

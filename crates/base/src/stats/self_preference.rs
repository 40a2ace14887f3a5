//! Do judges prefer what agents of their own family wrote? The premium of a judge for its own
//! family, beyond how strict the judge is, how good the agent is and how hard the task is. Hides
//! the double differences, and which scores of a task can be compared.
//!
//! Within a task each score is taken beside the mean of its judge and the mean of its agent; what
//! is left is regressed on whether judge and agent are of one family (an interaction of judge and
//! agent with one degree of freedom, as Tukey's, Biometrics 5, 1949, section 3, has one). The
//! interval resamples tasks; the p-value flips the signs of whole tasks ([`paired::sign_flip`]).
//! A judge's taste for one agent alone cannot be told from a taste for its family where the family
//! has only that agent.

use rand::Rng;
use serde::Serialize;

use super::{
    bootstrap::{self, Estimate, RESAMPLES},
    paired,
};

/// One score of an agent by a judge on a task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Number of the judge.
    pub judge: usize,
    /// Number of the agent.
    pub agent: usize,
    /// The score; the mean, where there are several.
    pub score: f64,
}

/// How far judges prefer their own family.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Premium {
    /// Points by which a score is higher where judge and agent are of one family, with its 95 %
    /// interval by resampling tasks.
    pub estimate: Estimate,
    /// Two-sided p-value of no premium.
    pub p: f64,
    /// Tasks that say something about it.
    pub tasks: u64,
    /// Scores that are compared.
    pub scores: u64,
}

/// The premium from the scores of each task. `is_own` says whether a judge and an agent are of one
/// family. None where no task has two judges that scored the same two agents, or where no judge
/// could prefer anyone.
pub fn premium(
    tasks: &[Vec<Cell>],
    is_own: impl Fn(usize, usize) -> bool,
    rng: &mut impl Rng,
) -> Option<Premium> {
    let parts: Vec<Part> = tasks.iter().map(|cells| part(cells, &is_own)).collect();
    let rows: Vec<Vec<(f64, f64)>> = parts.iter().map(|of| vec![(of.over, of.under)]).collect();
    let estimate = bootstrap::ratios(&rows, RESAMPLES, rng).estimate(0)?;
    let column: Vec<Option<f64>> = parts.iter().map(|of| Some(of.over)).collect();
    let p = paired::sign_flip(&[column], rng).pop()?;
    let telling = || parts.iter().filter(|of| of.under > 0.0);
    Some(Premium {
        estimate,
        p,
        tasks: telling().count() as u64,
        scores: telling().map(|of| of.scores).sum(),
    })
}

/// What a task adds to the numerator and to the denominator of the regression.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    over: f64,
    under: f64,
    scores: u64,
}

fn part(cells: &[Cell], is_own: &impl Fn(usize, usize) -> bool) -> Part {
    let (judges, agents) = block(cells);
    if judges.len() < 2 || agents.len() < 2 {
        return Part::default();
    }
    let score = |judge: usize, agent: usize| {
        let found = cells
            .iter()
            .find(|cell| cell.judge == judge && cell.agent == agent);
        found.map_or(f64::NAN, |cell| cell.score)
    };
    let table = |of: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
        let row = |judge: &usize| agents.iter().map(|agent| of(*judge, *agent)).collect();
        judges.iter().map(row).collect()
    };
    let scores = centred(table(&score));
    let own = centred(table(&|judge, agent| f64::from(is_own(judge, agent))));
    let both = || scores.iter().flatten().zip(own.iter().flatten());
    let under: f64 = both().map(|(_, own)| own * own).sum();
    Part {
        over: both().map(|(score, own)| score * own).sum(),
        // Rounding leaves a trace where every judge is related to all agents alike.
        under: if under > 1e-9 { under } else { 0.0 },
        scores: (judges.len() * agents.len()) as u64,
    }
}

/// The judges of a task, and the agents whom all of them scored.
fn block(cells: &[Cell]) -> (Vec<usize>, Vec<usize>) {
    let mut judges: Vec<usize> = cells.iter().map(|cell| cell.judge).collect();
    judges.sort_unstable();
    judges.dedup();
    let mut pairs: Vec<(usize, usize)> = cells
        .iter()
        .filter(|cell| cell.score.is_finite())
        .map(|cell| (cell.agent, cell.judge))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let agents = pairs
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|of_agent| of_agent.len() == judges.len())
        .map(|of_agent| of_agent[0].0)
        .collect();
    (judges, agents)
}

/// The table without the means of its rows and columns.
fn centred(mut table: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let columns = table.first().map_or(0, Vec::len);
    for row in &mut table {
        let mean = row.iter().sum::<f64>() / columns as f64;
        for value in row {
            *value -= mean;
        }
    }
    for column in 0..columns {
        let mean = table.iter().map(|row| row[column]).sum::<f64>() / table.len() as f64;
        for row in &mut table {
            row[column] -= mean;
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;

    /// Judges 0 and 1, agents 0 and 1, each judge of its agent's family: with scores (7, 5) and
    /// (4, 6) the double difference is (7 − 5) − (4 − 6) = 4, so that the premium is 2.
    #[test]
    fn a_small_example_by_hand() {
        let scores = [(0, 0, 7.0), (0, 1, 5.0), (1, 0, 4.0), (1, 1, 6.0)];
        let cells = scores.map(|(judge, agent, score)| Cell {
            judge,
            agent,
            score,
        });
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let found = premium(&[cells.to_vec()], |judge, agent| judge == agent, &mut rng);
        let found = found.expect("a premium");
        assert!((found.estimate.value - 2.0).abs() < 1e-12, "{found:?}");
        assert_eq!((found.tasks, found.scores), (1, 4));
        assert!(
            (found.p - 1.0).abs() < 1e-12,
            "one task proves nothing: {found:?}"
        );
    }

    /// A strict judge and a good agent are no preference; an agent that one judge left out is not
    /// compared.
    #[test]
    fn strictness_quality_and_gaps_are_no_premium() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let tasks: Vec<Vec<Cell>> = (0..8)
            .map(|task| {
                let mut cells = Vec::new();
                for judge in 0..2 {
                    for agent in 0..3 {
                        let score = 5.0 + f64::from(task) / 10.0 - judge as f64 + agent as f64;
                        cells.push(Cell {
                            judge,
                            agent,
                            score,
                        });
                    }
                }
                cells.push(Cell {
                    judge: 0,
                    agent: 3,
                    score: 10.0,
                });
                cells
            })
            .collect();
        let own = |judge: usize, agent: usize| judge == agent || (judge == 0 && agent == 3);
        let found = premium(&tasks, own, &mut rng).expect("a premium");
        assert!(found.estimate.value.abs() < 1e-9, "{found:?}");
        assert_eq!((found.tasks, found.scores), (8, 48));
        let nobody = premium(&tasks, |_, _| false, &mut rng);
        assert_eq!(nobody, None);
        assert_eq!(premium(&tasks, |_, _| true, &mut rng), None);
        assert_eq!(premium(&[], own, &mut rng), None);
    }
}

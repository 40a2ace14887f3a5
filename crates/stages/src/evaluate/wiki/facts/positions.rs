//! Which statements of gold articles reports say, by their place in the article: agents that read
//! only the beginning of their sources, or that stop early, have less and less of what comes later.
//!
//! **Method** Wiki Live Challenge (arXiv 2602.01590) draws a heat map of facts by position and
//! system, with one article and without a test. **Here** articles are cut into parts of equally
//! many statements, all articles count, and each part is held against the agent's own share of the
//! whole, with an interval by resampling articles. Ten parts are ten chances: one in twenty parts
//! stands out where nothing is behind it.

use std::collections::BTreeMap;

use anyhow::Result;
use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::Serialize;

use super::{GoldStatements, IN_REPORT};
use crate::{
    data::{ReportHead, TaskId},
    evaluate::stances,
    evidence::support::Stance,
    stats::bootstrap::{self, Estimate, RESAMPLES},
    store::PanelJudgements,
};

/// Parts of an article.
pub const PARTS: usize = 10;
/// Columns of the bootstrap behind the parts: the whole, and its halves.
const WHOLE: usize = PARTS;
const HALVES: [usize; 2] = [PARTS + 1, PARTS + 2];

/// What an agent's reports say of gold articles, by place.
#[derive(Clone, Debug, Serialize)]
pub struct AgentPositions {
    /// The agent.
    pub agent: String,
    /// Its articles with a verdict.
    pub articles: usize,
    /// Statements of its gold articles with a verdict.
    pub decided: u64,
    /// Statements without one, by cause.
    pub unscored: BTreeMap<String, u64>,
    /// Share of the statements that it says, with an interval.
    pub covered: Option<Estimate>,
    /// The parts from the beginning to the end.
    pub parts: Vec<Part>,
    /// The share of the second half minus that of the first.
    pub second_half: Option<Estimate>,
}

/// A part of the articles.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// Statements that the agent says.
    pub covered: u64,
    /// Statements with a verdict.
    pub decided: u64,
    /// The share minus the agent's share of the whole.
    pub difference: Option<Estimate>,
}

impl Part {
    /// Share of the statements that the agent says.
    pub fn share(&self) -> Option<f64> {
        (self.decided > 0).then(|| self.covered as f64 / self.decided as f64)
    }

    /// Whether the part differs from the whole by more than chance, at 95 %.
    pub fn stands_out(&self) -> bool {
        stands_out(self.difference)
    }
}

/// Whether 0 is outside the interval of a difference.
pub fn stands_out(difference: Option<Estimate>) -> bool {
    difference
        .and_then(|difference| difference.interval)
        .is_some_and(|(low, high)| low > 0.0 || high < 0.0)
}

/// The positions by agent, over the first reports on tasks with a gold article.
pub fn positions<'a>(
    judgements: &PanelJudgements<'_>,
    reports: impl IntoIterator<Item = &'a ReportHead>,
    gold: &BTreeMap<&TaskId, GoldStatements>,
    seed: u64,
) -> Result<Vec<AgentPositions>> {
    let mut articles: BTreeMap<&str, Vec<Vec<(f64, f64)>>> = BTreeMap::new();
    let mut unscored: BTreeMap<&str, BTreeMap<String, u64>> = BTreeMap::new();
    for report in reports {
        let Some(article) = gold.get(&report.task) else {
            continue;
        };
        let stances = stances::panel(judgements, IN_REPORT, report.id.as_str())?;
        let mut said = Vec::with_capacity(article.statements.len());
        for (id, _) in &article.statements {
            let missing = || Err("missing".to_owned());
            let stance = stances.get(id).cloned().unwrap_or_else(missing);
            if let Err(cause) = &stance {
                let own = unscored.entry(&report.agent).or_default();
                *own.entry(cause.clone()).or_default() += 1;
            }
            said.push(stance.ok());
        }
        let row = columns(&said);
        if row[WHOLE].1 > 0.0 {
            articles.entry(&report.agent).or_default().push(row);
        }
    }
    // Who was asked about, and has no verdict, is shown, too.
    unscored.retain(|agent, causes| {
        let is_asked = causes.keys().any(|cause| cause != "missing");
        is_asked || articles.contains_key(agent)
    });
    for agent in unscored.keys() {
        articles.entry(agent).or_default();
    }
    let agents = articles.into_iter();
    Ok(agents
        .map(|(agent, articles)| AgentPositions {
            unscored: unscored.remove(agent).unwrap_or_default(),
            ..of_agent(agent, &articles, seed)
        })
        .collect())
}

/// Statements that are said and statements with a verdict, by part, of the whole and of its halves.
fn columns(said: &[Option<Stance>]) -> Vec<(f64, f64)> {
    let mut columns = vec![(0.0, 0.0); PARTS + 3];
    for (at, stance) in said.iter().enumerate() {
        let Some(stance) = stance else { continue };
        let part = at * PARTS / said.len();
        let half = HALVES[usize::from(at * 2 >= said.len())];
        for column in [part, WHOLE, half] {
            let (covered, decided) = &mut columns[column];
            *covered += f64::from(u8::from(*stance == Stance::Supports));
            *decided += 1.0;
        }
    }
    columns
}

fn of_agent(agent: &str, articles: &[Vec<(f64, f64)>], seed: u64) -> AgentPositions {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let drawn = bootstrap::ratios(articles, RESAMPLES, &mut rng);
    let sum = |column: usize| {
        articles.iter().fold((0, 0), |(covered, decided), row| {
            (
                covered + row[column].0 as u64,
                decided + row[column].1 as u64,
            )
        })
    };
    let parts = (0..PARTS).map(|column| {
        let (covered, decided) = sum(column);
        Part {
            covered,
            decided,
            difference: drawn.difference(column, WHOLE),
        }
    });
    AgentPositions {
        agent: agent.to_owned(),
        articles: articles.len(),
        decided: sum(WHOLE).1,
        unscored: BTreeMap::new(),
        covered: drawn.estimate(WHOLE),
        parts: parts.collect(),
        second_half: drawn.difference(HALVES[1], HALVES[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty articles of thirty statements: an agent that says the first half of each, and one
    /// that says every second statement.
    #[test]
    fn who_stops_early_stands_out_and_who_skips_evenly_does_not() {
        let article = |says: &dyn Fn(usize) -> bool| {
            let stance = |at| {
                if says(at) {
                    Stance::Supports
                } else {
                    Stance::Silent
                }
            };
            columns(&(0..30).map(|at| Some(stance(at))).collect::<Vec<_>>())
        };
        let early: Vec<_> = (0..20)
            .map(|n| article(&|at| at < 15 && (at + n) % (3 + n % 4) > 0))
            .collect();
        let early = of_agent("early", &early, 1);
        assert_eq!(early.articles, 20);
        assert!(stands_out(early.second_half), "{early:?}");
        assert!(early.parts.iter().all(Part::stands_out), "{early:?}");
        assert_eq!(early.parts[9].share(), Some(0.0));
        assert!(early.second_half.expect("halves").value < -0.5);
        let even: Vec<_> = (0..20).map(|n| article(&|at| (at + n) % 2 == 0)).collect();
        let even = of_agent("even", &even, 1);
        assert!(!stands_out(even.second_half), "{even:?}");
        let standing = even.parts.iter().filter(|part| part.stands_out()).count();
        assert!(standing <= 1, "{even:?}");
    }

    #[test]
    fn a_statement_without_a_verdict_is_in_no_part() {
        let said = [Some(Stance::Supports), None, Some(Stance::Contradicts)];
        let columns = columns(&said);
        assert_eq!(columns[WHOLE], (1.0, 2.0));
        assert_eq!(columns[0], (1.0, 1.0));
        assert_eq!(columns[3], (0.0, 0.0));
        assert_eq!(columns[6], (0.0, 1.0));
    }
}

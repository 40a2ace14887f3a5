//! Rescoring: how far scores change with other judges, prompts or thresholds, on the same stored
//! pages.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{
    leaderboard::{Options, Table, leaderboard},
    measures,
    scorecard::ReportScores,
};
use crate::{data::MeasureDef, stats::paired};

/// How an agent's score by one measure changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Key of the measure.
    pub measure: &'static str,
    /// The agent.
    pub agent: String,
    /// The score before, over all its tasks; none where there is none.
    pub before: Option<f64>,
    /// The score now.
    pub after: Option<f64>,
    /// Tasks that have both.
    pub tasks: u64,
    /// After minus before, over these tasks; none without any.
    pub difference: Option<f64>,
    /// Lower end of its 95 % interval, by resampling tasks.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Two-sided p-value of no change, by flipping signs, with Holm's correction over the agents of
    /// a measure.
    pub adjusted: Option<f64>,
}

const BEFORE: &str = "before";
const AFTER: &str = "after";

/// How every agent's score changed, measure by measure, for the measures that agents are compared
/// on and that either way has.
pub fn changes(before: &[ReportScores], after: &[ReportScores], options: &Options) -> Vec<Change> {
    let agents: BTreeSet<&str> = before
        .iter()
        .chain(after)
        .map(|report| report.agent.as_str())
        .collect();
    let tables: Vec<(&str, Table)> = agents
        .into_iter()
        .map(|agent| (agent, two_ways(agent, before, after, options)))
        .collect();
    let mut all = Vec::new();
    // Holm's correction is over the agents of one measure: each measure is a question of its own.
    for measure in measures().filter(|measure| measure.role.compares()) {
        let mut changes: Vec<Change> = tables
            .iter()
            .map(|(agent, table)| change(measure, agent, table))
            .filter(|change| change.before.is_some() || change.after.is_some())
            .collect();
        correct(&mut changes);
        all.extend(changes);
    }
    all
}

/// The two ways of judging as two agents on the same tasks, so that the comparison of agents
/// applies.
fn two_ways(
    agent: &str,
    before: &[ReportScores],
    after: &[ReportScores],
    options: &Options,
) -> Table {
    let both = [renamed(agent, before, BEFORE), renamed(agent, after, AFTER)].concat();
    let options = Options {
        by: Vec::new(),
        families: std::collections::BTreeMap::new(),
        ..options.clone()
    };
    leaderboard(&both, &options).whole
}

fn renamed(agent: &str, scored: &[ReportScores], name: &str) -> Vec<ReportScores> {
    scored
        .iter()
        .filter(|report| report.agent == agent)
        .map(|report| ReportScores {
            agent: name.to_owned(),
            report: format!("{name} {}", report.report),
            ..report.clone()
        })
        .collect()
}

fn change(measure: &MeasureDef, agent: &str, table: &Table) -> Change {
    let value = |name: &str| {
        let row = table.agents.iter().find(|row| row.agent == name)?;
        row.value(measure.key)
    };
    let unchanged = Change {
        measure: measure.key,
        agent: agent.to_owned(),
        before: value(BEFORE),
        after: value(AFTER),
        tasks: 0,
        difference: None,
        low: None,
        high: None,
        adjusted: None,
    };
    let pair = table
        .differences
        .iter()
        .find(|pair| pair.measure == measure.key);
    let Some(pair) = pair else { return unchanged };
    let known = Change {
        tasks: pair.tasks,
        difference: Some(pair.value),
        low: pair.low,
        high: pair.high,
        adjusted: Some(pair.p),
        ..unchanged
    };
    if pair.first == AFTER {
        return known;
    }
    // The one that stands above is subtracted from; a change is after minus before. 0 − 0 is 0,
    // where −0 would be printed with its sign.
    let negated = |value: f64| 0.0 - value;
    Change {
        difference: known.difference.map(negated),
        low: known.high.map(negated),
        high: known.low.map(negated),
        ..known
    }
}

/// Holm's correction over the agents of a measure.
fn correct(changes: &mut [Change]) {
    let p: Vec<f64> = changes
        .iter()
        .filter_map(|change| change.adjusted)
        .collect();
    let adjusted = paired::holm(&p);
    let tested = changes
        .iter_mut()
        .filter(|change| change.adjusted.is_some());
    for (change, adjusted) in tested.zip(adjusted) {
        change.adjusted = Some(adjusted);
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::evaluate::leaderboard::sample::{Scored, counts, rows};

    fn scored(agent: &str, task: usize, ace: f64, supported: u64) -> Scored {
        Scored {
            report: format!("{agent}{task}"),
            task: format!("t{task}"),
            agent: agent.into(),
            attempt: 1,
            state: "ok".into(),
            own: Some(counts(supported, 0, 10 - supported)),
            ace: Some(ace),
            ..Scored::default()
        }
    }

    #[test]
    fn a_harder_judge_moves_what_it_judges_and_nothing_else() {
        let of = |less: f64| -> Vec<Scored> {
            let of_agent = |agent: &'static str, ace: f64| {
                (0..20)
                    .map(move |task| scored(agent, task, ace + (task % 4) as f64 / 4.0 - less, 5))
            };
            of_agent("a", 6.0).chain(of_agent("b", 4.0)).collect()
        };
        let options = Options {
            resamples: 200,
            ..Options::default()
        };
        let found = changes(&rows(&of(0.0)), &rows(&of(1.5)), &options);
        let ace: Vec<&Change> = found
            .iter()
            .filter(|change| change.measure == "ace")
            .collect();
        assert_eq!(
            ace.iter()
                .map(|change| change.agent.as_str())
                .collect::<Vec<_>>(),
            ["a", "b"]
        );
        for change in ace {
            assert!(
                (change.difference.expect("both") + 1.5).abs() < 1e-9,
                "{change:?}"
            );
            assert!(change.adjusted.expect("both") < 0.01 && change.tasks == 20);
            assert!(change.before > change.after);
        }
        let own = found.iter().filter(|change| change.measure == "ksr_own");
        assert!(own.clone().all(|change| change.difference == Some(0.0)) && own.count() == 2);
        assert!(
            found
                .iter()
                .all(|change| change.measure != "ksr_independent"),
            "nobody has it"
        );
        let softer = changes(&rows(&of(1.5)), &rows(&of(0.0)), &options);
        assert!((softer[0].difference.expect("both") - 1.5).abs() < 1e-9);
    }

    #[test]
    fn what_one_way_lacks_has_no_difference() {
        let before = vec![scored("a", 0, 5.0, 5)];
        let after = vec![Scored {
            ace: None,
            ..scored("a", 0, 5.0, 6)
        }];
        let found = changes(
            &rows(&before),
            &rows(&after),
            &Options {
                resamples: 50,
                ..Options::default()
            },
        );
        assert_eq!(
            (
                found[0].before,
                found[0].after,
                found[0].difference,
                found[0].adjusted
            ),
            (Some(5.0), None, None, None)
        );
    }
}

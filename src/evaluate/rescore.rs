//! The same reports, judged in two ways: how far did the scores move? Other judges, prompts or
//! thresholds, on the same stored pages.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::{
    evaluate::{
        leaderboard::{Headline, Measure, Options, Row, leaderboard},
        scorecard::Scored,
    },
    stats::paired,
};

/// What became of an agent's score on one measure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// What is compared.
    pub measure: Headline,
    /// Whose score.
    pub agent: String,
    /// The score before, over all its tasks; none where there is none.
    pub before: Option<f64>,
    /// The score now.
    pub after: Option<f64>,
    /// Tasks that have both.
    pub tasks: u64,
    /// After less before, over these tasks; none without any.
    pub difference: Option<f64>,
    /// Lower end of its 95 % interval, by resampling tasks.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Two-sided p-value of no change, by flipping signs, with Holm's correction over the agents of
    /// a measure.
    pub adjusted: Option<f64>,
}

/// What became of every agent's score on every measure that either way has.
pub fn changes(before: &[Scored], after: &[Scored], options: &Options) -> Vec<Change> {
    let agents: BTreeSet<&str> = before
        .iter()
        .chain(after)
        .map(|one| one.agent.as_str())
        .collect();
    let mut changes: Vec<Change> = agents
        .iter()
        .flat_map(|agent| of_agent(agent, before, after, options))
        .collect();
    changes.retain(|change| change.before.is_some() || change.after.is_some());
    changes.sort_by_key(|change| change.measure as usize);
    for measure in MEASURES {
        let places: Vec<usize> = (0..changes.len())
            .filter(|at| changes[*at].measure == measure && changes[*at].adjusted.is_some())
            .collect();
        let p: Vec<f64> = places
            .iter()
            .filter_map(|at| changes[*at].adjusted)
            .collect();
        for (at, adjusted) in places.into_iter().zip(paired::holm(&p)) {
            changes[at].adjusted = Some(adjusted);
        }
    }
    changes
}

const MEASURES: [Headline; 3] = [Headline::Ace, Headline::KsrIndependent, Headline::KsrOwn];
const BEFORE: &str = "before";
const AFTER: &str = "after";

/// The two ways are two agents on the same tasks: what compares agents compares them.
fn of_agent(agent: &str, before: &[Scored], after: &[Scored], options: &Options) -> Vec<Change> {
    let named = |scored: &[Scored], name: &str| -> Vec<Scored> {
        let own = scored.iter().filter(|one| one.agent == agent);
        own.map(|one| Scored {
            agent: name.to_owned(),
            report: format!("{name} {}", one.report),
            ..one.clone()
        })
        .collect()
    };
    let both = [named(before, BEFORE), named(after, AFTER)].concat();
    let table = leaderboard(
        &both,
        &Options {
            by: None,
            ..options.clone()
        },
    )
    .whole;
    let value = |name: &str, measure| {
        let row = table.agents.iter().find(|row| row.agent == name);
        row.and_then(|row| measured(row, measure).value)
    };
    let change = |measure| {
        let pair = table
            .differences
            .iter()
            .find(|pair| pair.measure == measure);
        // The one that stands above is subtracted from.
        let turned = pair.is_some_and(|pair| pair.first == BEFORE);
        let sign = |value: f64| if turned { 0.0 - value } else { value };
        let ends = pair.map_or((None, None), |pair| (pair.low, pair.high));
        let (low, high) = if turned { (ends.1, ends.0) } else { ends };
        Change {
            measure,
            agent: agent.to_owned(),
            before: value(BEFORE, measure),
            after: value(AFTER, measure),
            tasks: pair.map_or(0, |pair| pair.tasks),
            difference: pair.map(|pair| sign(pair.value)),
            low: low.map(sign),
            high: high.map(sign),
            adjusted: pair.map(|pair| pair.p),
        }
    };
    MEASURES.map(change).to_vec()
}

fn measured(row: &Row, measure: Headline) -> &Measure {
    match measure {
        Headline::Ace => &row.ace,
        Headline::KsrIndependent => &row.independent.pooled.ksr,
        Headline::KsrOwn => &row.own.pooled.ksr,
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::evaluate::scorecard::Counts;

    fn scored(agent: &str, task: usize, ace: f64, supported: u64) -> Scored {
        Scored {
            report: format!("{agent}{task}"),
            task: format!("t{task}"),
            agent: agent.into(),
            attempt: 1,
            state: "ok".into(),
            own: Some(Counts {
                supported,
                conflicting: 0,
                omitted: 10 - supported,
                unscored: 0,
            }),
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
        let found = changes(&of(0.0), &of(1.5), &options);
        let ace: Vec<&Change> = found
            .iter()
            .filter(|change| change.measure == Headline::Ace)
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
        let own = found
            .iter()
            .filter(|change| change.measure == Headline::KsrOwn);
        assert!(own.clone().all(|change| change.difference == Some(0.0)) && own.count() == 2);
        assert!(
            found
                .iter()
                .all(|change| change.measure != Headline::KsrIndependent),
            "nobody has it"
        );
        let softer = changes(&of(1.5), &of(0.0), &options);
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
            &before,
            &after,
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

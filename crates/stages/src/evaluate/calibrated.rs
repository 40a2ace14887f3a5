//! How hard tasks are by the results of agents, beside the label that they have. Hides the measure,
//! repeated attempts, and when label and results disagree.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{measures, scorecard::ReportScores};
use crate::{
    data::{Difficulty, MeasureDef, Role, Task},
    stats::{
        mean,
        rasch::{self, FEWEST, ItemDifficulty},
    },
};

/// Fewest calibrated tasks with a label before tasks are held against it.
const FEWEST_WITH_LABEL: usize = 3;

/// What results say of a task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibrated {
    /// Key of the measure that results are by.
    pub measure: &'static str,
    /// How hard it is; none where the results do not suffice.
    #[serde(flatten)]
    pub difficulty: Option<ItemDifficulty>,
    /// Why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// What label and results disagree on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// The tasks by the results of the reports on them: by the first ranking measure that any report
/// has a value of, as shares of its largest. Empty where there is none.
pub fn calibrated(tasks: &[&Task], scored: &[ReportScores]) -> BTreeMap<String, Calibrated> {
    let is_known = |measure: &&MeasureDef| {
        measure.role == Role::Ranks
            && scored
                .iter()
                .any(|report| report.value(measure.key).is_some())
    };
    let Some((measure, most)) = measures()
        .find(is_known)
        .and_then(|measure| Some((measure, measure.most?)))
    else {
        return BTreeMap::new();
    };
    let results = results(tasks, scored, measure.key, most);
    let found = rasch::difficulties(&results);
    let means = means_by_label(tasks, &found);
    let rows = tasks.iter().zip(&results).zip(found);
    rows.map(|((task, row), difficulty)| {
        let of = Calibrated {
            measure: measure.key,
            unknown: difficulty.is_none().then(|| unknown(row)),
            warning: difficulty.and_then(|of| warning(task, &of, &means)),
            difficulty,
        };
        (task.id.to_string(), of)
    })
    .collect()
}

/// Tasks × agents; attempts are averaged.
fn results(
    tasks: &[&Task],
    scored: &[ReportScores],
    key: &str,
    most: f64,
) -> Vec<Vec<Option<f64>>> {
    let agents: BTreeSet<&str> = scored.iter().map(|report| &*report.agent).collect();
    let mut by_cell: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for report in scored.iter().filter(|report| report.is_ok()) {
        if let Some(value) = report.value(key) {
            let cell = by_cell.entry((&report.task, &report.agent)).or_default();
            cell.push(value / most);
        }
    }
    let of = |task: &str, agent: &str| mean(by_cell.get(&(task, agent))?);
    tasks
        .iter()
        .map(|task| {
            agents
                .iter()
                .map(|agent| of(task.id.as_str(), agent))
                .collect()
        })
        .collect()
}

fn unknown(row: &[Option<f64>]) -> String {
    let agents = row.iter().flatten().count();
    if agents < FEWEST {
        format!("results of {agents} of the {FEWEST} agents that it takes")
    } else {
        "no other task has results of as many agents".to_owned()
    }
}

/// The mean difficulty of the tasks with a label, where there are enough.
fn means_by_label(tasks: &[&Task], found: &[Option<ItemDifficulty>]) -> BTreeMap<Difficulty, f64> {
    let of_label = |label: Difficulty| {
        let rows = tasks.iter().zip(found);
        let values: Vec<f64> = rows
            .filter(|(task, _)| task.facets.difficulty == Some(label))
            .filter_map(|(_, found)| Some(found.as_ref()?.value))
            .collect();
        (values.len() >= FEWEST_WITH_LABEL)
            .then(|| mean(&values))
            .flatten()
    };
    Difficulty::ALL
        .into_iter()
        .filter_map(|label| Some((label, of_label(label)?)))
        .collect()
}

/// A task is strongly at odds with its label if all of its interval lies beyond the mean of the
/// other label: a basic task that is surely harder than the mean advanced one, or the reverse.
fn warning(
    task: &Task,
    found: &ItemDifficulty,
    means: &BTreeMap<Difficulty, f64>,
) -> Option<String> {
    let label = task.facets.difficulty?;
    let (other, is_beyond, word) = match label {
        Difficulty::Basic => {
            let other = Difficulty::Advanced;
            (other, found.low > *means.get(&other)?, "harder")
        }
        Difficulty::Advanced => {
            let other = Difficulty::Basic;
            (other, found.high < *means.get(&other)?, "easier")
        }
    };
    is_beyond.then(|| {
        let (label, other) = (label.label(), other.label());
        format!("labelled {label}, and {word} than the mean {other} task")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        data::{Facets, FromSeminar, Origin, Score, SeminarId, TaskId, TaskType},
        evaluate::leaderboard::weights::plain,
    };

    fn task(name: &str, difficulty: Difficulty) -> Task {
        let facets = Facets::of_family(TaskType::TrendScan, difficulty, "other".to_owned());
        Task {
            id: TaskId::from_stored(plain(name)),
            text: name.to_owned(),
            language: "en".to_owned(),
            as_of: None,
            edited: None,
            facets,
            origin: Origin::Seminar(FromSeminar {
                seminar: SeminarId::from_stored("s".to_owned()),
                inspirations: Vec::new(),
                translation_of: None,
            }),
        }
    }

    fn report(task: &str, agent: &str, ace: Option<f64>) -> ReportScores {
        let mut report = ReportScores {
            report: format!("{task} {agent}"),
            task: task.to_owned(),
            agent: agent.to_owned(),
            attempt: 1,
            state: "ok".to_owned(),
            ..ReportScores::default()
        };
        report.scores.insert("ace", Score::number(ace, "unscored"));
        report
    }

    /// Four basic tasks, of which the last is as hard as none, four advanced ones, and one that a
    /// single agent has a result on.
    #[test]
    fn a_label_that_results_contradict_is_named() {
        use Difficulty::{Advanced, Basic};
        let labelled = [
            ("b1", Basic, 8.0),
            ("b2", Basic, 8.2),
            ("b3", Basic, 7.9),
            ("b4", Basic, 2.0),
            ("a1", Advanced, 5.0),
            ("a2", Advanced, 5.2),
            ("a3", Advanced, 4.9),
            ("a4", Advanced, 5.1),
        ];
        let mut tasks: Vec<Task> = labelled.iter().map(|of| task(of.0, of.1)).collect();
        tasks.push(task("lonely", Basic));
        let mut scored = vec![
            report("lonely", "x", Some(9.0)),
            report("lonely", "y", None),
        ];
        for (name, _, mean) in labelled {
            for (agent, level) in [("x", 0.4), ("y", 0.0), ("z", -0.4)] {
                scored.push(report(name, agent, Some(mean + level)));
            }
        }
        let tasks: Vec<&Task> = tasks.iter().collect();
        let found = calibrated(&tasks, &scored);
        let warned: Vec<&String> = found
            .iter()
            .filter(|(_, of)| of.warning.is_some())
            .map(|(task, _)| task)
            .collect();
        assert_eq!(warned, ["b4"], "{found:#?}");
        let warning = found["b4"].warning.as_deref();
        assert_eq!(
            warning,
            Some("labelled Basic, and harder than the mean Advanced task")
        );
        let value = |task: &str| found[task].difficulty.unwrap().value;
        assert!(value("b4") > value("a1") && value("a1") > value("b1") + 0.5);
        assert_eq!(found["a1"].difficulty.unwrap().agents, 3);
        let unknown = found["lonely"].unknown.as_deref();
        assert_eq!(unknown, Some("results of 1 of the 2 agents that it takes"));
        assert!(found["lonely"].difficulty.is_none());
        assert!(calibrated(&tasks, &[]).is_empty());
    }
}

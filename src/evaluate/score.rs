//! From stored judgements to one row per report: counts of key points, the weighted rating, and what is missing, by cause.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{
    ace::{self, Criterion},
    checklist::{Checklists, criterion_name},
    reading::urls,
    relate::{independent_set, own_set, set},
    tally::{Counts, Scored},
    unify::Cluster,
};
use crate::{
    data::{AgentReport, Mark, Related, Relation, State, Task, TaskId, primary_language},
    store::{Evaluation, Store, Voices},
    text::words,
};

/// The reports on these tasks, scored by the judges of the newest evaluation.
pub fn scored(store: &Store, tasks: &[Task], reports: &[AgentReport]) -> Result<Vec<Scored>> {
    scored_as(store, tasks, reports, &store.last_evaluation()?.unwrap_or_default())
}

/// The reports on these tasks, scored by what is on record of an evaluation.
pub fn scored_as(
    store: &Store,
    tasks: &[Task],
    reports: &[AgentReport],
    evaluation: &Evaluation,
) -> Result<Vec<Scored>> {
    let tasks: BTreeMap<&TaskId, &Task> = tasks.iter().map(|task| (&task.id, task)).collect();
    let known = Known {
        store,
        voices: store.voices(evaluation)?,
        checklists: store.checklists()?,
        failures: store.visit_failures()?,
        evaluation,
    };
    reports.iter().filter_map(|report| Some(known.score(tasks.get(&report.task)?, report))).collect()
}

struct Known<'a> {
    store: &'a Store,
    evaluation: &'a Evaluation,
    voices: Voices<'a>,
    checklists: Checklists,
    /// Why a visited URL gave no text; none where it gave some.
    failures: BTreeMap<String, Option<String>>,
}

impl Known<'_> {
    fn score(&self, task: &Task, report: &AgentReport) -> Result<Scored> {
        let mut unscored = BTreeMap::new();
        let mut without = BTreeMap::new();
        let ok = report.state == State::Ok;
        let related = if ok { self.voices.relations(&report.id)? } else { Vec::new() };
        let mut counts = |name: String| -> Result<Option<Counts>> {
            let set = if ok { set(self.store, self.evaluation, &task.id, &name)? } else { None };
            let Some(set) = set else { return Ok(None) };
            if set.by != self.evaluation.points {
                // Found by another model, prompt or setting: to be evaluated again.
                *unscored.entry("stale".to_owned()).or_default() += 1;
                return Ok(None);
            }
            for (cause, n) in set.failed {
                *unscored.entry(format!("key points {cause}")).or_default() += n;
            }
            Ok((!set.clusters.is_empty()).then(|| tally(&related, &set.clusters, &mut without)))
        };
        let own = counts(own_set(report.id.as_str()))?;
        let independent = counts(independent_set(&report.agent))?;
        // A point of both sets is one question.
        for cause in without.into_values() {
            *unscored.entry(cause).or_default() += 1;
        }
        let ace = if ok { self.ace(task, report, &mut unscored)? } else { None };
        let cited = urls(&report.text);
        let mut url_failures = BTreeMap::new();
        for url in &cited {
            let cause = self.failures.get(url).map_or(Some("not_fetched"), Option::as_deref);
            if let Some(cause) = cause {
                *url_failures.entry(cause.to_owned()).or_default() += 1;
            }
        }
        let facet = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        Ok(Scored {
            report: report.id.to_string(),
            task: task.id.to_string(),
            agent: report.agent.clone(),
            attempt: report.attempt,
            state: report.state.word().to_owned(),
            facets: BTreeMap::from([
                facet("phase", task.phase.label()),
                facet("type", task.task_type.label()),
                facet("discipline", &task.discipline),
                facet("language", primary_language(&task.language)),
            ]),
            own,
            independent,
            ace,
            unscored,
            references: cited.len() as u64,
            url_failures,
            output_tokens: report.spent.output_tokens.or(report.spent.tokens),
            cost_micro: report.spent.cost_usd.map(|usd| (usd * 1e6).round() as u64),
            words: words::length(&report.text) as u64,
        })
    }

    /// The weighted mean of the criteria's mean ratings; none unless each criterion has one.
    fn ace(&self, task: &Task, report: &AgentReport, unscored: &mut BTreeMap<String, u64>) -> Result<Option<f64>> {
        let checklist: Option<&(String, Vec<Criterion>)> = self.checklists.get(&task.id);
        let Some((id, criteria)) = checklist else { return Ok(None) };
        let Ok(weights) = ace::check(criteria) else { return Ok(None) };
        let ratings = self.voices.ratings(&report.id)?;
        let mut means = Vec::new();
        for at in 0..criteria.len() {
            let marks = of(&ratings, &criterion_name(id, at));
            let mut rated = Vec::new();
            for mark in marks {
                match &mark.outcome {
                    Ok(rating) => rated.push(f64::from(rating.rating)),
                    Err(failed) => *unscored.entry(failed.cause.word().to_owned()).or_default() += 1,
                }
            }
            if marks.is_empty() {
                *unscored.entry("missing".to_owned()).or_default() += 1;
            }
            means.push((!rated.is_empty()).then(|| rated.iter().sum::<f64>() / rated.len() as f64));
        }
        Ok(ace::score(&weights, &means))
    }
}

/// The counts over a set; what has no verdict is noted in `without` by point.
fn tally(related: &[Mark<Related>], clusters: &[Cluster], without: &mut BTreeMap<String, String>) -> Counts {
    let mut counts = Counts::default();
    for Cluster { representative: point, .. } in clusters {
        match decided(of(related, point)) {
            Ok(Relation::Supports) => counts.supported += 1,
            Ok(Relation::Contradicts) => counts.conflicting += 1,
            Ok(Relation::Omits) => counts.omitted += 1,
            Err(cause) => {
                counts.unscored += 1;
                without.insert(point.clone(), cause);
            }
        }
    }
    counts
}

/// What was said of one point or criterion; `marks` are in their order.
fn of<'a, T>(marks: &'a [Mark<T>], name: &str) -> &'a [Mark<T>] {
    let from = marks.partition_point(|mark| mark.of.as_str() < name);
    let len = marks[from..].partition_point(|mark| mark.of == name);
    &marks[from..from + len]
}

/// What most of the panel says; where no answer has more voices than each other one, nothing is decided.
pub fn decided<'a>(marks: impl IntoIterator<Item = &'a Mark<Related>>) -> Result<Relation, String> {
    let mut voices: BTreeMap<Relation, usize> = BTreeMap::new();
    let mut failed = None;
    for mark in marks {
        match &mark.outcome {
            Ok(related) => *voices.entry(related.relation).or_default() += 1,
            Err(unscored) => failed = Some(unscored.cause),
        }
    }
    let most = voices.values().copied().max().unwrap_or(0);
    let mut leading = voices.iter().filter(|(_, n)| **n == most);
    match (leading.next(), leading.next()) {
        (Some((relation, _)), None) => Ok(*relation),
        (Some(_), Some(_)) => Err("split_panel".to_owned()),
        (None, _) => Err(failed.map_or("missing", |cause| cause.word()).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cause, ReportId, Unscored};

    fn mark(relation: Option<Relation>) -> Mark<Related> {
        let outcome = relation.map_or_else(
            || Err(Unscored { cause: Cause::Timeout, reason: String::new() }),
            |relation| Ok(Related { relation, confidence: 1.0, reasoning: String::new(), key_aspects: Vec::new() }),
        );
        Mark { report: ReportId::of(&["r"]), of: "k".into(), sample: 0, model: "a/b".into(), outcome }
    }

    #[test]
    fn a_panel_decides_by_most_voices_and_never_by_default() {
        use Relation::{Contradicts, Omits, Supports};
        let of = |relations: &[Option<Relation>]| {
            let marks: Vec<Mark<Related>> = relations.iter().copied().map(mark).collect();
            decided(&marks)
        };
        assert_eq!(of(&[Some(Supports), Some(Supports), Some(Omits)]), Ok(Supports));
        assert_eq!(of(&[Some(Contradicts), None]), Ok(Contradicts));
        assert_eq!(of(&[Some(Supports), Some(Omits)]), Err("split_panel".to_owned()));
        assert_eq!(of(&[None, None]), Err("timeout".to_owned()));
        assert_eq!(of(&[]), Err("missing".to_owned()));
    }
}

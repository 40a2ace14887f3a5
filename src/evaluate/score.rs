//! From stored judgements to one row per report: counts of key points, the weighted rating, and what is missing, by cause.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{
    ace::{self, Criterion},
    checklist::{Checklists, criterion_name},
    reading::urls,
    relate::{independent_set, own_set},
    tally::{Counts, Scored},
    unify::Cluster,
};
use crate::{
    data::{AgentReport, Mark, Rating, Related, Relation, State, Task, TaskId},
    store::Store,
    text::words::word_count,
};

/// What was judged, by report and by what it was compared with.
type Marks<'a, T> = BTreeMap<(&'a str, &'a str), Vec<&'a Mark<T>>>;

/// Every report of one of the tasks, scored by the judges of the newest evaluation.
pub fn scored(store: &Store, tasks: &[Task]) -> Result<Vec<Scored>> {
    let tasks: BTreeMap<&TaskId, &Task> = tasks.iter().map(|task| (&task.id, task)).collect();
    let evaluation = store.last_evaluation()?.unwrap_or_default();
    let (relations, ratings) = (store.relations(&evaluation.relation)?, store.ratings(&evaluation.rating)?);
    let sets: BTreeMap<(TaskId, String), Vec<Cluster>> = store.frozen()?;
    let checklists: Checklists = store.checklists()?;
    let known = Known {
        store,
        relations: by_subject(&relations),
        ratings: by_subject(&ratings),
        sets: &sets,
        checklists: &checklists,
    };
    let mut scored = Vec::new();
    for report in store.reports()? {
        if let Some(task) = tasks.get(&report.task) {
            scored.push(known.score(task, &report)?);
        }
    }
    Ok(scored)
}

struct Known<'a> {
    store: &'a Store,
    relations: Marks<'a, Related>,
    ratings: Marks<'a, Rating>,
    sets: &'a BTreeMap<(TaskId, String), Vec<Cluster>>,
    checklists: &'a Checklists,
}

impl Known<'_> {
    fn score(&self, task: &Task, report: &AgentReport) -> Result<Scored> {
        let mut unscored = BTreeMap::new();
        let ok = report.state == State::Ok;
        let mut counts = |name: String| {
            let clusters = self.sets.get(&(task.id.clone(), name)).filter(|clusters| ok && !clusters.is_empty())?;
            Some(self.counts(report, clusters, &mut unscored))
        };
        let own = counts(own_set(report.id.as_str()));
        let independent = counts(independent_set(&report.agent));
        let ace = if ok { self.ace(task, report, &mut unscored) } else { None };
        let cited = urls(&report.text);
        let mut url_failures = BTreeMap::new();
        for url in &cited {
            if let Some(cause) = self.store.visit(url)?.and_then(|visit| visit.cause) {
                *url_failures.entry(cause).or_default() += 1;
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
                facet("language", task.language.split('-').next().unwrap_or_default()),
            ]),
            own,
            independent,
            ace,
            unscored,
            references: cited.len() as u64,
            url_failures,
            output_tokens: report.spent.output_tokens.or(report.spent.tokens),
            cost_micro: report.spent.cost_usd.map(|usd| (usd * 1e6).round() as u64),
            words: word_count(&report.text) as u64,
        })
    }

    fn counts(&self, report: &AgentReport, clusters: &[Cluster], unscored: &mut BTreeMap<String, u64>) -> Counts {
        let mut counts = Counts::default();
        for cluster in clusters {
            let marks = self.relations.get(&(report.id.as_str(), cluster.representative.as_str()));
            match decided(marks.map_or(&[][..], Vec::as_slice)) {
                Ok(Relation::Supports) => counts.supported += 1,
                Ok(Relation::Contradicts) => counts.conflicting += 1,
                Ok(Relation::Omits) => counts.omitted += 1,
                Err(cause) => {
                    counts.unscored += 1;
                    *unscored.entry(cause).or_default() += 1;
                }
            }
        }
        counts
    }

    /// The weighted mean of the criteria's mean ratings; none unless each criterion has one.
    fn ace(&self, task: &Task, report: &AgentReport, unscored: &mut BTreeMap<String, u64>) -> Option<f64> {
        let (id, criteria): &(String, Vec<Criterion>) = self.checklists.get(&task.id)?;
        let weights = ace::check(criteria).ok()?;
        let mut means = Vec::new();
        for at in 0..criteria.len() {
            let name = criterion_name(id, at);
            let marks = self.ratings.get(&(report.id.as_str(), name.as_str())).map_or(&[][..], Vec::as_slice);
            let mut ratings = Vec::new();
            for mark in marks {
                match &mark.outcome {
                    Ok(rating) => ratings.push(f64::from(rating.rating)),
                    Err(failed) => *unscored.entry(failed.cause.word().to_owned()).or_default() += 1,
                }
            }
            if marks.is_empty() {
                *unscored.entry("missing".to_owned()).or_default() += 1;
            }
            means.push((!ratings.is_empty()).then(|| ratings.iter().sum::<f64>() / ratings.len() as f64));
        }
        ace::score(&weights, &means)
    }
}

fn by_subject<T>(marks: &[Mark<T>]) -> Marks<'_, T> {
    let mut by: Marks<'_, T> = BTreeMap::new();
    for mark in marks {
        by.entry((mark.report.as_str(), mark.of.as_str())).or_default().push(mark);
    }
    by
}

/// What most of the panel says; where no answer has more voices than each other one, nothing is decided.
fn decided(marks: &[&Mark<Related>]) -> Result<Relation, String> {
    let mut voices: BTreeMap<Relation, usize> = BTreeMap::new();
    for related in marks.iter().filter_map(|mark| mark.outcome.as_ref().ok()) {
        *voices.entry(related.relation).or_default() += 1;
    }
    let most = voices.values().copied().max().unwrap_or(0);
    let mut leading = voices.iter().filter(|(_, n)| **n == most);
    match (leading.next(), leading.next()) {
        (Some((relation, _)), None) => Ok(*relation),
        (Some(_), Some(_)) => Err("split_panel".to_owned()),
        (None, _) => {
            let failed = marks.iter().find_map(|mark| mark.outcome.as_ref().err());
            Err(failed.map_or_else(|| "missing".to_owned(), |unscored| unscored.cause.word().to_owned()))
        }
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
            decided(&marks.iter().collect::<Vec<_>>())
        };
        assert_eq!(of(&[Some(Supports), Some(Supports), Some(Omits)]), Ok(Supports));
        assert_eq!(of(&[Some(Contradicts), None]), Ok(Contradicts));
        assert_eq!(of(&[Some(Supports), Some(Omits)]), Err("split_panel".to_owned()));
        assert_eq!(of(&[None, None]), Err("timeout".to_owned()));
        assert_eq!(of(&[]), Err("missing".to_owned()));
    }
}

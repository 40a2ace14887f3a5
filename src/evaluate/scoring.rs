//! From stored judgements to one row per report: counts of key points, the weighted rating, and
//! what is missing, by cause.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Add,
    panic::resume_unwind,
    thread,
};

use anyhow::Result;
use serde::Deserialize;

use crate::{
    data::{AgentReport, Cause, Mark, Relation, ReportId, State, Task, TaskId, primary_language},
    evaluate::{
        ace::{
            criteria::{self, Criterion},
            rating::{Checklists, criterion_name},
        },
        kae::{
            reading,
            relations::{independent_set, own_set, set},
        },
        scorecard::{Counts, Scored, Spread},
    },
    store::{Evaluation, Store, Voices},
};

/// The reports on these tasks, scored by the judges of the newest evaluation.
pub fn scored<T: Sync>(
    store: &Store,
    tasks: &[Task],
    reports: &[AgentReport<T>],
) -> Result<Vec<Scored>> {
    scored_as(
        store,
        tasks,
        reports,
        &store.last_evaluation()?.unwrap_or_default(),
    )
}

/// The reports on these tasks, scored by what is on record of an evaluation; many of them by all
/// cores, each of which reads its share by itself, as it stands at one moment.
pub fn scored_as<T: Sync>(
    store: &Store,
    tasks: &[Task],
    reports: &[AgentReport<T>],
    evaluation: &Evaluation,
) -> Result<Vec<Scored>> {
    let scale = Scale::new(store, tasks, evaluation)?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let share = reports.len().div_ceil(cores).max(FEWEST);
    let shares: Vec<&[AgentReport<T>]> = reports.chunks(share).collect();
    if shares.len() < 2 {
        return scale.scores(store, reports);
    }
    let readers: Vec<Store> = shares
        .iter()
        .filter_map(|_| store.reader().transpose())
        .collect::<Result<_>>()?;
    if readers.len() < shares.len() {
        return scale.scores(store, reports);
    }
    let scale = &scale;
    thread::scope(|scope| {
        let begin = |(reader, share)| scope.spawn(move || scale.scores(reader, share));
        let threads: Vec<_> = readers.iter().zip(shares).map(begin).collect();
        let scored = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        Ok(scored.collect::<Result<Vec<_>>>()?.concat())
    })
}

/// Reports that are worth a thread.
const FEWEST: usize = 1_000;

/// What all reports are scored by.
struct Scale<'a> {
    evaluation: &'a Evaluation,
    tasks: BTreeMap<&'a TaskId, &'a Task>,
    /// The criteria of each task's checklist by the names that their ratings have, with their
    /// weights.
    checklists: BTreeMap<TaskId, (Vec<String>, Vec<f64>)>,
    /// Why a visited URL gave no text; none where it gave some.
    failures: BTreeMap<String, Option<String>>,
    /// Whether more than one model rates.
    is_panel: bool,
}

impl<'a> Scale<'a> {
    fn new(store: &Store, tasks: &'a [Task], evaluation: &'a Evaluation) -> Result<Self> {
        let weighted = |(task, (id, criteria)): (TaskId, (String, Vec<Criterion>))| {
            let weights = criteria::check(&criteria).ok()?;
            let names = (0..criteria.len())
                .map(|at| criterion_name(&id, at))
                .collect();
            Some((task, (names, weights)))
        };
        let checklists: Checklists = store.checklists()?;
        let raters: BTreeSet<&String> = evaluation.rating.iter().map(|(model, _)| model).collect();
        Ok(Self {
            evaluation,
            tasks: tasks.iter().map(|task| (&task.id, task)).collect(),
            checklists: checklists.into_iter().filter_map(weighted).collect(),
            failures: store.visit_failures()?,
            is_panel: raters.len() > 1,
        })
    }

    fn scores<T>(&self, store: &Store, reports: &[AgentReport<T>]) -> Result<Vec<Scored>> {
        store.at_one_moment(|| {
            let record = Record {
                scale: self,
                store,
                voices: store.voices(self.evaluation)?,
            };
            let one =
                |report: &AgentReport<T>| Some(record.score(self.tasks.get(&report.task)?, report));
            reports.iter().filter_map(one).collect()
        })
    }
}

/// What is on record of the reports, read as each is scored.
struct Record<'a> {
    scale: &'a Scale<'a>,
    store: &'a Store,
    voices: Voices<'a>,
}

impl Record<'_> {
    fn score<T>(&self, task: &Task, report: &AgentReport<T>) -> Result<Scored> {
        let evaluation = self.scale.evaluation;
        let mut unscored = BTreeMap::new();
        let mut without = BTreeMap::new();
        let ok = report.state == State::Ok;
        let related = if ok {
            self.voices.bare_relations(&report.id)?
        } else {
            Vec::new()
        };
        let mut counts = |name: String| -> Result<Option<Counts>> {
            let set = if ok {
                set(self.store, evaluation, &task.id, &name)?
            } else {
                None
            };
            let Some(set) = set else { return Ok(None) };
            if set.by != evaluation.points {
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
        let rated = if ok {
            self.ace(task, &report.id, &mut unscored)?
        } else {
            Rated::default()
        };
        let reading = reading::known(self.store, &report.id)?;
        let mut url_failures = BTreeMap::new();
        for url in &reading.urls {
            let cause = self
                .scale
                .failures
                .get(url)
                .map_or(Some("not_fetched"), Option::as_deref);
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
            ace: rated.ace,
            ace_by: rated.by_judge,
            repeated: rated.repeated,
            unscored,
            references: reading.urls.len() as u64,
            url_failures,
            output_tokens: report.spent.output_tokens.or(report.spent.tokens),
            cost_micro: report.spent.cost_usd.map(|usd| (usd * 1e6).round() as u64),
            words: reading.words,
        })
    }

    /// What the ratings come to; a criterion without any is counted in `unscored`.
    fn ace(
        &self,
        task: &Task,
        report: &ReportId,
        unscored: &mut BTreeMap<String, u64>,
    ) -> Result<Rated> {
        let Some((names, weights)) = self.scale.checklists.get(&task.id) else {
            return Ok(Rated::default());
        };
        let ratings = self.voices.bare_ratings(report)?;
        let mut found = Rated::default();
        let mut means = Vec::new();
        let mut by_judge: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
        for (at, name) in names.iter().enumerate() {
            let marks = of(&ratings, name);
            let mut rated: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
            for mark in marks {
                match mark.outcome {
                    Ok(rating) => rated
                        .entry(&mark.model)
                        .or_default()
                        .push(f64::from(rating)),
                    Err(cause) => *unscored.entry(cause.word().to_owned()).or_default() += 1,
                }
            }
            if marks.is_empty() {
                *unscored.entry("missing".to_owned()).or_default() += 1;
            }
            for (judge, ratings) in &rated {
                by_judge
                    .entry(judge)
                    .or_insert_with(|| vec![None; names.len()])[at] = mean(ratings);
                found.repeated = found
                    .repeated
                    .into_iter()
                    .chain(Spread::of(ratings))
                    .reduce(Add::add);
            }
            means.push(mean(&rated.into_values().flatten().collect::<Vec<f64>>()));
        }
        found.ace = criteria::score(weights, &means);
        if self.scale.is_panel {
            let alone = |(judge, means): (&str, Vec<_>)| {
                Some((judge.to_owned(), criteria::score(weights, &means)?))
            };
            found.by_judge = by_judge.into_iter().filter_map(alone).collect();
        }
        Ok(found)
    }
}

/// What the ratings of a report come to.
#[derive(Default)]
struct Rated {
    /// The weighted mean of the criteria's mean ratings; none unless each criterion has one.
    ace: Option<f64>,
    by_judge: BTreeMap<String, f64>,
    repeated: Option<Spread>,
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// A key point of a set, for those who only count.
#[derive(Deserialize)]
struct Point {
    representative: String,
}

/// The counts over a set; what has no verdict is noted in `without` by point.
fn tally(
    related: &[Mark<Relation, Cause>],
    clusters: &[Point],
    without: &mut BTreeMap<String, String>,
) -> Counts {
    let mut counts = Counts::default();
    for Point {
        representative: point,
    } in clusters
    {
        match decided(of(related, point).iter().map(|mark| mark.outcome)) {
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
fn of<'a, T, E>(marks: &'a [Mark<T, E>], name: &str) -> &'a [Mark<T, E>] {
    let from = marks.partition_point(|mark| mark.of.as_str() < name);
    let len = marks[from..].partition_point(|mark| mark.of == name);
    &marks[from..from + len]
}

/// What most of the panel says; where no answer has more voices than each other one, nothing is
/// decided.
pub fn decided(
    outcomes: impl IntoIterator<Item = Result<Relation, Cause>>,
) -> Result<Relation, String> {
    let mut voices =
        [Relation::Supports, Relation::Contradicts, Relation::Omits].map(|relation| (relation, 0));
    let mut failed = None;
    for outcome in outcomes {
        match outcome {
            Ok(said) => voices
                .iter_mut()
                .filter(|(relation, _)| *relation == said)
                .for_each(|(_, n)| *n += 1),
            Err(cause) => failed = Some(cause),
        }
    }
    let most = voices.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let mut leading = voices.iter().filter(|(_, n)| *n == most);
    match (most, leading.next(), leading.next()) {
        (0, ..) => Err(failed.map_or("missing", |cause| cause.word()).to_owned()),
        (_, Some((relation, _)), None) => Ok(*relation),
        _ => Err("split_panel".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_decides_by_most_voices_and_never_by_default() {
        use Relation::{Contradicts, Omits, Supports};
        let of =
            |said: &[Option<Relation>]| decided(said.iter().map(|said| said.ok_or(Cause::Timeout)));
        assert_eq!(
            of(&[Some(Supports), Some(Supports), Some(Omits)]),
            Ok(Supports)
        );
        assert_eq!(of(&[Some(Contradicts), None]), Ok(Contradicts));
        assert_eq!(
            of(&[Some(Supports), Some(Omits)]),
            Err("split_panel".to_owned())
        );
        assert_eq!(of(&[None, None]), Err("timeout".to_owned()));
        assert_eq!(of(&[]), Err("missing".to_owned()));
    }
}

//! What people judge, with what each said of it: inspirations, tasks, reports, and pairs of both.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use anyhow::Result;

use super::queue::{Item, drawn_pairs, each_two, first_drawn};
use crate::{
    data::{
        Inspiration, ItemId, ReportHead, ReportId, Review, Reviewer, Side, State, SubjectKind,
        Task, TaskDecision, TaskId, id::drawn_place,
    },
    rank,
    server::Server,
    store::Store,
};

/// Tasks that are compared in pairs.
const COMPARED: usize = 50;
/// Pairs of reports that are compared at most.
const PAIRS: usize = 400;
/// People are shown pairs of one block in orders of their own, and then those of the next: so two
/// people who stop early have compared the same.
const BLOCK: usize = 20;

/// The inspirations of the current transcripts.
pub fn current_inspirations(store: &Store) -> Result<Vec<Inspiration>> {
    let transcripts: BTreeMap<_, _> = store
        .seminars()?
        .into_iter()
        .map(|of| (of.id, of.transcript))
        .collect();
    let mut found = store.inspirations(None)?;
    found.retain(|of| transcripts.get(&of.seminar) == Some(&of.transcript));
    Ok(found)
}

/// Inspirations as things to judge.
pub fn of_inspirations(inspirations: &[Inspiration]) -> Vec<Item> {
    let item = |of: &Inspiration| {
        let people = of.reviews.iter().filter(|said| said.by == Reviewer::Person);
        let labels = people.map(|said| (said.name.clone(), f64::from(said.fault.is_none())));
        Item {
            id: of.id.to_string(),
            labels: labels.collect(),
            standing: Some(Review::standing(&of.reviews)),
            block: 0,
        }
    };
    inspirations.iter().map(item).collect()
}

/// Inspirations to judge.
pub fn inspirations(store: &Store) -> Result<Vec<Item>> {
    Ok(of_inspirations(&current_inspirations(store)?))
}

/// Tasks to judge.
pub fn tasks(store: &Store) -> Result<Vec<Item>> {
    let decisions = store.task_decisions()?;
    let item = |task: Task| {
        let said = decisions.get(&task.id).map_or(&[][..], Vec::as_slice);
        let label = |of: &TaskDecision| (of.by.clone(), f64::from(of.vote().accepts));
        Item {
            id: task.id.to_string(),
            labels: said.iter().map(label).collect(),
            standing: Some(TaskDecision::standing(said)),
            block: 0,
        }
    };
    Ok(store.tasks()?.into_iter().map(item).collect())
}

/// The reports on current tasks that ended well. Reading eighty thousand for each card would take
/// half a second: they are kept.
fn current_reports(server: &Server, store: &Store) -> Result<Arc<Vec<ReportHead>>> {
    let read = || {
        let tasks: BTreeSet<TaskId> = store.tasks()?.into_iter().map(|task| task.id).collect();
        let mut reports = store.report_heads()?;
        reports.retain(|of| of.state == State::Ok && tasks.contains(&of.task));
        Ok(reports)
    };
    Ok(server.people.reports.get(&server.facts, read)?.0)
}

/// A report that ended well, on a current task.
pub fn report(store: &Store, id: &ReportId) -> Result<Option<ReportHead>> {
    let found = store.report_head(id)?.filter(|of| of.state == State::Ok);
    match found {
        Some(of) if store.is_current(&of.task)?.is_ok() => Ok(Some(of)),
        _ => Ok(None),
    }
}

/// Reports to score.
pub fn reports(server: &Server, store: &Store) -> Result<Vec<Item>> {
    let mut labels: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for score in store.scores()? {
        if score.criterion.is_none() {
            let of_report = labels.entry(score.report.to_string()).or_default();
            of_report.insert(score.rater, score.value);
        }
    }
    let item = |of: &ReportHead| Item {
        labels: labels.remove(of.id.as_str()).unwrap_or_default(),
        id: of.id.to_string(),
        standing: None,
        block: 0,
    };
    Ok(current_reports(server, store)?.iter().map(item).collect())
}

/// Pairs to compare.
pub fn duels(server: &Server, store: &Store, kind: SubjectKind) -> Result<Vec<Item>> {
    let pairs = pairs(server, store, kind)?;
    let mut labels: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for of in store.comparisons_of_people(kind)? {
        let Ok(verdict) = of.judged.outcome else {
            continue;
        };
        let (a, b) = (of.judged.a.to_string(), of.judged.b.to_string());
        let first_wins = (verdict.winner == Side::A) == (a < b);
        let of_pair = labels.entry(pair_id([&a, &b])).or_default();
        of_pair.insert(of.judge.model_returned, f64::from(first_wins));
    }
    let item = |(at, [a, b]): (usize, &[String; 2])| {
        let id = pair_id([a, b]);
        Item {
            labels: labels.remove(&id).unwrap_or_default(),
            id,
            standing: None,
            block: at / BLOCK,
        }
    };
    let mut items: Vec<Item> = pairs.iter().enumerate().map(item).collect();
    // Another ranking, or another agent, draws other pairs: what was judged stays judged. Nobody is
    // asked for it again.
    let judged = |(id, labels)| Item {
        id,
        labels,
        standing: None,
        block: usize::MAX,
    };
    items.extend(labels.into_iter().map(judged));
    Ok(items)
}

/// The pairs that people are to compare, in the order of their blocks. A ranking of ten thousand
/// tasks is not fitted for each card: they are kept.
fn pairs(server: &Server, store: &Store, kind: SubjectKind) -> Result<Arc<Vec<[String; 2]>>> {
    let seed = server.options.seed;
    let (kept, facts) = (&server.people.pairs, &server.facts);
    let found = match kind {
        SubjectKind::Task => kept[0].get(facts, || {
            Ok(drawn_pairs(&compared_tasks(store, seed)?, seed))
        })?,
        SubjectKind::Report => kept[1].get(facts, || {
            Ok(pairs_of_reports(&current_reports(server, store)?, seed))
        })?,
    };
    Ok(found.0)
}

/// The name of a pair, whichever side is which.
pub fn pair_id([a, b]: [&str; 2]) -> String {
    format!("{}.{}", a.min(b), a.max(b))
}

/// The two of a pair, as `reviewer` is shown them: sides are drawn.
pub fn sides(pair: &str, reviewer: &str, seed: u64) -> Option<[ItemId; 2]> {
    let (a, b) = pair.split_once('.')?;
    let drawn = drawn_place(seed, &format!("side {reviewer} {pair}"));
    let (a, b) = if drawn.as_str() < "8" { (a, b) } else { (b, a) };
    Some([a, b].map(|id| ItemId::from_stored(id.to_owned())))
}

/// All tasks, or the best of the newest ranking, or some that the seed draws.
fn compared_tasks(store: &Store, seed: u64) -> Result<BTreeSet<String>> {
    let mut ids: Vec<String> = store
        .tasks()?
        .iter()
        .map(|task| task.id.to_string())
        .collect();
    if ids.len() > COMPARED {
        let places = places(store)?;
        ids.sort_by_cached_key(|id| {
            let place = places.get(id).copied().unwrap_or(usize::MAX);
            (place, drawn_place(seed, id))
        });
        ids.truncate(COMPARED);
    }
    Ok(ids.into_iter().collect())
}

/// Places of tasks in the newest ranking, from 1.
pub fn places(store: &Store) -> Result<BTreeMap<String, usize>> {
    let Some(ranking) = store.last_ranking(SubjectKind::Task)? else {
        return Ok(BTreeMap::new());
    };
    let rated = rank::ratings(store, &ranking)?.rated.into_iter().zip(1..);
    Ok(rated
        .map(|(of, place)| (of.item.to_string(), place))
        .collect())
}

/// Reports of two agents on the same task: each agent's first attempt that ended well.
fn pairs_of_reports(reports: &[ReportHead], seed: u64) -> Vec<[String; 2]> {
    let mut first: BTreeMap<(&TaskId, &str), &ReportHead> = BTreeMap::new();
    for of in reports {
        let known = first.entry((&of.task, &of.agent)).or_insert(of);
        if of.attempt < known.attempt {
            *known = of;
        }
    }
    let mut by_task: BTreeMap<&TaskId, BTreeSet<String>> = BTreeMap::new();
    for ((task, _), of) in first {
        by_task.entry(task).or_default().insert(of.id.to_string());
    }
    first_drawn(by_task.values().flat_map(each_two), seed, PAIRS)
}

//! The list of tasks: searched by words, cut down by boxes, sorted, in parts.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Result;
use axum::extract::{Query as Asked, State};
use jiff::Timestamp;
use minijinja::{context, value::Serde};
use serde::Serialize;

use crate::{
    data::{Curated, Difficulty, Origin, Phase, SubjectKind, Task, TaskDecision, TaskType},
    rank,
    server::{
        Server, Visitor,
        page::{self, Answer},
        paging::{Facet, Paging, Query, WORDS, fold, matches},
    },
    store::Store,
};

/// All current tasks, best first; those that were not ranked come last.
pub struct Index {
    /// The tasks.
    pub rows: Vec<Row>,
    /// Items of the newest ranking, those that are no longer current included.
    pub rated: usize,
}

/// A task in the list.
#[derive(Serialize)]
pub struct Row {
    /// Place in the ranking, from 1.
    pub rank: Option<usize>,
    /// The task.
    #[serde(flatten)]
    pub task: Task,
    /// Path of its recording, or name of its benchmark.
    pub source: String,
    /// Phase, type, difficulty and discipline, as far as they are known.
    pub labels: Vec<String>,
    /// What people's decisions come to.
    pub standing: &'static str,
    /// Whether a person pinned it.
    pub pinned: bool,
    /// Whether a probe flags it.
    pub flagged: bool,
    /// Its words as they are searched.
    #[serde(skip)]
    folded: String,
}

impl Index {
    fn read(store: &Store) -> Result<Self> {
        store.at_one_moment(|| Self::read_now(store))
    }

    fn read_now(store: &Store) -> Result<Self> {
        let ratings = store.last_ranking(SubjectKind::Task)?;
        let ratings = ratings
            .map(|ranking| rank::ratings(store, &ranking))
            .transpose()?;
        let rated = ratings.iter().flat_map(|ratings| &ratings.rated);
        let places: BTreeMap<String, usize> = rated
            .zip(1..)
            .map(|(of, place)| (of.item.to_string(), place))
            .collect();
        let seminars = store.seminars()?;
        let paths: BTreeMap<_, _> = seminars
            .iter()
            .map(|of| (&of.id, of.path.as_str()))
            .collect();
        let (decisions, findings) = (store.task_decisions()?, store.findings()?);
        let row = |task: Task| {
            let said = decisions.get(&task.id).map_or(&[][..], Vec::as_slice);
            let found = findings.get(&task.id).into_iter().flatten();
            let source = match &task.origin {
                Origin::Imported(from) => &from.benchmark,
                Origin::Seminar(from) => paths.get(&from.seminar).copied().unwrap_or_default(),
            };
            Row {
                rank: places.get(task.id.as_str()).copied(),
                source: source.to_owned(),
                labels: labels(&task),
                standing: TaskDecision::standing(said).word(),
                pinned: said.iter().any(|of| of.verdict == Curated::Pinned),
                flagged: found.into_iter().any(|of| of.outcome.flags()),
                folded: fold(&format!("{}\n{}", task.text, task.id)),
                task,
            }
        };
        let mut rows: Vec<Row> = store.tasks()?.into_iter().map(row).collect();
        rows.sort_by_cached_key(|row| (row.rank.unwrap_or(usize::MAX), row.task.id.clone()));
        let rated = places.len();
        Ok(Self { rows, rated })
    }
}

/// The labels of a task, as far as they are known.
pub fn labels(task: &Task) -> Vec<String> {
    let of = &task.facets;
    let known = [
        of.phase.map(Phase::label),
        of.task_type.map(TaskType::label),
        of.difficulty.map(Difficulty::label),
        of.known_discipline(),
    ];
    known.into_iter().flatten().map(str::to_owned).collect()
}

/// The index, and the moment that it is of where facts have changed since.
pub fn index(server: &Server, store: &Store) -> Result<(Arc<Index>, Option<Timestamp>)> {
    server.kept.tasks.get(&server.facts, || Index::read(store))
}

/// The boxes of the list, with the values of the whole list.
fn boxes(rows: &[Row], query: &Query) -> Vec<Facet> {
    let facet = |name, label, of: fn(&Row) -> Option<&str>| {
        Facet::new(name, label, query, rows.iter().map(of))
    };
    BOXES
        .iter()
        .map(|(name, label, of)| facet(name, label, *of))
        .collect()
}

/// Name, label, and the value of a row.
type Box = (&'static str, &'static str, fn(&Row) -> Option<&str>);

const BOXES: [Box; 8] = [
    ("phase", "Phase", |row| {
        row.task.facets.phase.map(Phase::label)
    }),
    ("type", "Type", |row| {
        row.task.facets.task_type.map(TaskType::label)
    }),
    ("difficulty", "Difficulty", |row| {
        row.task.facets.difficulty.map(Difficulty::label)
    }),
    ("discipline", "Discipline", |row| {
        row.task.facets.discipline.as_deref()
    }),
    ("language", "Language", |row| Some(&row.task.language)),
    ("source", "From", |row| Some(&row.source)),
    ("standing", "People say", |row| Some(row.standing)),
    ("flagged", "Probes", |row| {
        Some(if row.flagged {
            "flagged"
        } else {
            "not flagged"
        })
    }),
];

/// The rows that `query` asks for, in its order.
fn chosen<'a>(rows: &'a [Row], query: &Query, boxes: &[Facet]) -> Vec<&'a Row> {
    let words = query.get("q").map_or("", String::as_str);
    let words: Vec<String> = words.split_whitespace().take(WORDS).map(fold).collect();
    let fits = |row: &&Row| {
        let mut values = boxes.iter().zip(BOXES);
        values.all(|(facet, (_, _, of))| facet.takes(of(row))) && matches(&row.folded, &words)
    };
    let mut chosen: Vec<&Row> = rows.iter().filter(fits).collect();
    match query.get("sort").map(String::as_str) {
        Some("length") => chosen.sort_by_key(|row| row.task.text.len()),
        Some("source") => chosen.sort_by(|a, b| a.source.cmp(&b.source)),
        // The list is in the order of the ranking.
        _ => {}
    }
    chosen
}

/// `GET /tasks`
pub async fn page(
    State(server): State<Arc<Server>>,
    Visitor(who): Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let of = Arc::clone(&server);
    let (index, as_of) = server.facts.ask(move |store| index(&of, store)).await?;
    let boxes = boxes(&index.rows, &query);
    let chosen = chosen(&index.rows, &query, &boxes);
    let paging = Paging::new("/tasks", &query, chosen.len());
    let frame = server.frame(&who, "/tasks", "Tasks").of_moment(as_of);
    let values = context! {
        tasks => Serde(paging.of(&chosen)),
        all => index.rows.len(),
        boxes => Serde(&boxes),
        q => query.get("q"),
        sort => query.get("sort"),
        paging => Serde(&paging),
    };
    frame.page(include_str!("../templates/tasks.html"), values)
}

/// `GET /tasks.json`: all that fit.
pub async fn json(
    State(server): State<Arc<Server>>,
    _: Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let of = Arc::clone(&server);
    let (index, _) = server.facts.ask(move |store| index(&of, store)).await?;
    page::json(&chosen(&index.rows, &query, &boxes(&index.rows, &query)))
}

/// `GET /tasks.csv`: all that fit.
pub async fn csv(
    State(server): State<Arc<Server>>,
    _: Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let of = Arc::clone(&server);
    let (index, _) = server.facts.ask(move |store| index(&of, store)).await?;
    let chosen = chosen(&index.rows, &query, &boxes(&index.rows, &query));
    let rows = chosen.into_iter().map(|row| {
        let rank = row.rank.map_or_else(String::new, |rank| rank.to_string());
        let values = BOXES.map(|(_, _, of)| of(row).unwrap_or_default().to_owned());
        let (id, text) = (row.task.id.to_string(), row.task.text.clone());
        [rank, id].into_iter().chain(values).chain([text]).collect()
    });
    let names = BOXES.map(|(name, _, _)| name);
    let header: Vec<&str> = ["rank", "id"]
        .into_iter()
        .chain(names)
        .chain(["task"])
        .collect();
    page::csv("tasks", &header, rows)
}

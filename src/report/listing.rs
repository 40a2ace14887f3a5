//! Tasks with their rank and their source: the common data of `tasks list`, `tasks show` and `tasks
//! export`.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::{
    data::{Finding, Inspiration, Origin, SeminarId, SubjectKind, Task, TaskDecision},
    evaluate::calibrated::Calibrated,
    rank::{self, RatedItem, Ratings, StrengthEstimate},
    store::{Ranking, SeminarInfo, Store},
};

/// A task with its place and its sources.
#[derive(Serialize)]
pub struct Listed {
    /// Place in the ranking, from 1; none before the task was ranked.
    pub rank: Option<usize>,
    /// Elo rating, where the ranking is the paper's.
    pub elo: Option<f64>,
    /// Games that counted for it.
    pub elo_games: Option<u32>,
    /// Strength, where the ranking is not the paper's.
    pub estimate: Option<StrengthEstimate>,
    /// Games that counted.
    pub games: Option<u32>,
    /// The task.
    #[serde(flatten)]
    pub task: Task,
    /// Its recording; none of an imported task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SeminarInfo>,
    /// Its inspirations in order.
    pub sources: Vec<Inspiration>,
    /// What probes found of it.
    pub probes: Vec<Finding>,
    /// What people decided on it, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<TaskDecision>,
    /// How hard it is by the results of agents, beside the label among its facets; none unless a
    /// command asks for it.
    #[serde(
        skip_serializing_if = "Option::is_none",
        rename = "calibrated_difficulty"
    )]
    pub calibrated: Option<Calibrated>,
}

impl Listed {
    /// A task without a place in a ranking, and without a recording.
    pub fn unranked(task: Task) -> Self {
        Self {
            rank: None,
            elo: None,
            elo_games: None,
            estimate: None,
            games: None,
            task,
            source: None,
            sources: Vec::new(),
            probes: Vec::new(),
            decisions: Vec::new(),
            calibrated: None,
        }
    }

    /// Whether a probe flags it.
    pub fn is_flagged(&self) -> bool {
        self.probes.iter().any(|finding| finding.outcome.flags())
    }

    /// The path of its recording, or the name of the benchmark that it was imported from.
    pub fn origin(&self) -> &str {
        match (&self.task.origin, &self.source) {
            (Origin::Imported(from), _) => &from.benchmark,
            (Origin::Seminar(_), Some(source)) => &source.path,
            (Origin::Seminar(from), None) => from.seminar.as_str(),
        }
    }
}

/// All current tasks, best first; those that were not ranked come last, by id.
pub struct Listing {
    /// The tasks.
    pub tasks: Vec<Listed>,
    /// The recordings by id.
    pub seminars: BTreeMap<SeminarId, SeminarInfo>,
    /// The ranking's ratings.
    pub ratings: Option<Ratings>,
    /// The newest ranking's question, judges included.
    pub ranking: Option<Ranking>,
}

impl Listing {
    /// Keeps only the first so many.
    pub fn keep(&mut self, top: Option<u64>) {
        self.tasks
            .truncate(top.map_or(usize::MAX, |top| top as usize));
    }
}

/// Reads the listing from the store.
pub fn read(store: &Store) -> Result<Listing> {
    let ranking = store.last_ranking(SubjectKind::Task)?;
    let ratings = ranking
        .as_ref()
        .map(|ranking| rank::ratings(store, ranking))
        .transpose()?;
    with_ratings(store, ranking, ratings)
}

/// The listing of a ranking with known ratings.
pub fn with_ratings(
    store: &Store,
    ranking: Option<Ranking>,
    ratings: Option<Ratings>,
) -> Result<Listing> {
    let seminars: BTreeMap<SeminarId, SeminarInfo> = store
        .seminars()?
        .into_iter()
        .map(|s| (s.id.clone(), s))
        .collect();
    let rated = ratings.iter().flat_map(|ratings| &ratings.rated);
    let places: BTreeMap<&str, (usize, &RatedItem)> = (1..)
        .zip(rated)
        .map(|placed| (placed.1.item.as_str(), placed))
        .collect();
    let mut tasks = Vec::new();
    let (mut findings, mut decisions) = (store.findings()?, store.task_decisions()?);
    for task in store.tasks()? {
        let source = task.seminar().and_then(|id| seminars.get(id)).cloned();
        let mut sources = Vec::new();
        for id in task.inspirations() {
            sources.push(
                store
                    .inspiration(id)?
                    .with_context(|| format!("the database lacks `{id}` of `{}`", task.id))?,
            );
        }
        let place = places.get(task.id.as_str()).copied();
        tasks.push(Listed {
            rank: place.map(|(rank, _)| rank),
            elo: place.and_then(|(_, rated)| rated.elo),
            elo_games: place
                .filter(|(_, rated)| rated.elo.is_some())
                .map(|(_, rated)| rated.games),
            estimate: place.and_then(|(_, rated)| rated.estimate),
            games: place.map(|(_, rated)| rated.games),
            probes: findings.remove(&task.id).unwrap_or_default(),
            decisions: decisions.remove(&task.id).unwrap_or_default(),
            calibrated: None,
            task,
            source,
            sources,
        });
    }
    drop(places);
    // Tasks that joined after the ranking come last, by id.
    tasks.sort_by_key(|listed| (listed.rank.unwrap_or(usize::MAX), listed.task.id.clone()));
    Ok(Listing {
        tasks,
        seminars,
        ratings,
        ranking,
    })
}

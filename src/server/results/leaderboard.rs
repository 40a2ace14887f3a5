//! The leaderboard of the tasks, or of a set of them, and the page of each task. Hides how long a
//! million judgements take: each board is kept as its texts until the facts change.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context as _, Result, bail};
use axum::{
    extract::{Path, Query as Asked, State},
    response::Response,
};
use jiff::Timestamp;
use minijinja::{context, value::Serde};

use super::reports::index;
use crate::{
    data::{Task, TaskId},
    evaluate::{
        self,
        detail::Details,
        leaderboard::{Leaderboard, Options, leaderboard as fold, weights},
    },
    report::{board_csv, leaderboard},
    server::{
        Server, Visitor, facts,
        page::{self, Answer, Failure},
        paging::Query,
    },
    store::{SetInfo, Store},
};

/// Boards at a time: each is some megabytes of text.
const MOST: usize = 8;

/// The boards that were asked for, by the name and version of their set.
#[derive(Default)]
pub struct Boards(Mutex<BTreeMap<String, Arc<facts::Kept<Board>>>>);

impl Boards {
    /// The place of a set's board.
    fn of(&self, set: &str) -> Arc<facts::Kept<Board>> {
        let mut boards = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if boards.len() >= MOST && !boards.contains_key(set) {
            boards.clear();
        }
        Arc::clone(boards.entry(set.to_owned()).or_default())
    }
}

/// A leaderboard as its texts.
pub struct Board {
    html: String,
    json: String,
    csv: String,
    /// Reports on the tasks.
    reports: usize,
    /// Whether any report was evaluated.
    evaluated: bool,
    notes: Vec<String>,
}

/// A board with where it stands among others.
struct Found {
    board: Arc<Board>,
    as_of: Option<Timestamp>,
    /// Names and versions of the sets, the newest first.
    sets: Vec<String>,
    /// The one that it is of; none of all tasks.
    set: Option<String>,
}

/// The board that is asked for; where there is no such set, an error that names those there are.
async fn found(server: &Arc<Server>, query: &Query) -> Result<Found, Failure> {
    let asked = query.get("set").filter(|set| !set.is_empty()).cloned();
    let of = Arc::clone(server);
    let read = move |store: &Store| {
        let sets = store.sets()?;
        let set = match &asked {
            Some(asked) => sets
                .iter()
                .find(|set| *asked == set.name || *asked == label(set)),
            None => sets.iter().find(|set| set.newest),
        };
        let labels: Vec<String> = sets.iter().map(label).collect();
        if asked.is_some() && set.is_none() {
            return Ok(Err(labels));
        }
        let name = set.map(label);
        let kept = of.results.boards.of(name.as_deref().unwrap_or_default());
        let (board, as_of) = kept.get(&of.facts, || Board::draw(&of, store, set))?;
        Ok(Ok(Found {
            board,
            as_of,
            sets: labels,
            set: name,
        }))
    };
    server.facts.ask(read).await?.map_err(|known| {
        let hint = match known.as_slice() {
            [] => "There are no sets: `taskgen tasks select --name NAME` makes one.".to_owned(),
            known => format!("There are {}.", known.join(", ")),
        };
        Failure::bad("There is no such set of tasks", hint)
    })
}

fn label(set: &SetInfo) -> String {
    format!("{}@{}", set.name, set.version)
}

impl Board {
    fn draw(server: &Server, store: &Store, set: Option<&SetInfo>) -> Result<Self> {
        let tasks = match set {
            Some(set) => {
                let frozen = store.frozen_set(Some(&set.name), Some(set.version))?;
                store.tasks_of(&frozen.context("the set is gone")?)?
            }
            None => store.tasks()?,
        };
        let scored = evaluate::scored(store, &tasks, &store.report_heads()?)?;
        let scored = weights::reweighted(scored, &server.options.weights);
        if let Some(measure) = weights::without_weight(&scored) {
            bail!("all criteria of `{measure}` weigh 0\nhint: leave one with a factor above 0");
        }
        let board = fold(&scored, &options(server, &tasks, set.is_some()));
        let href = |task: &TaskId| format!("leaderboard/tasks/{task}");
        Ok(Self {
            html: leaderboard::summary(&tasks, &scored, &board, &href)?,
            json: serde_json::to_string_pretty::<Leaderboard>(&board)?,
            csv: board_csv::of_board(&board)?,
            reports: scored.len(),
            evaluated: store.last_evaluation()?.is_some(),
            notes: evaluate::failed_judges(store)?
                .iter()
                .map(|failed| failed.note(true))
                .collect(),
        })
    }
}

/// The options of `taskgen leaderboard` without flags.
fn options(server: &Server, tasks: &[Task], is_set: bool) -> Options {
    Options {
        families: server.options.families.clone(),
        seed: server.options.seed,
        weights: server.options.weights.clone(),
        set: if is_set {
            leaderboard::with_facets(tasks)
        } else {
            BTreeMap::new()
        },
        ..Options::default()
    }
}

/// `GET /leaderboard`
pub async fn page(
    State(server): State<Arc<Server>>,
    Visitor(who): Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let found = found(&server, &query).await?;
    let mut frame = server
        .frame(&who, "/leaderboard", "Leaderboard")
        .of_moment(found.as_of);
    if found.board.reports == 0 || !found.board.evaluated {
        let values = context! {
            reports => found.board.reports,
            set => &found.set,
            links => Serde(links(&found)),
        };
        let template = include_str!("../templates/results/no_leaderboard.html");
        return frame.page(template, values);
    }
    frame.links = links(&found);
    frame.notes.clone_from(&found.board.notes);
    frame.around(&found.board.html)
}

/// The board as data, and the boards of other sets.
fn links(found: &Found) -> Vec<(String, String)> {
    let of = |path: &str, set: &str| {
        let mut said = url::form_urlencoded::Serializer::new(String::new());
        format!("{path}?{}", said.append_pair("set", set).finish())
    };
    let at = |path: &str| match &found.set {
        Some(set) => of(path, set),
        None => path.to_owned(),
    };
    let mut links = vec![
        (at("/leaderboard.csv"), "CSV".to_owned()),
        (at("/leaderboard.json"), "JSON".to_owned()),
    ];
    let others = found
        .sets
        .iter()
        .filter(|set| found.set.as_ref() != Some(set));
    links.extend(others.map(|set| (of("/leaderboard", set), format!("set {set}"))));
    links
}

/// `GET /leaderboard.json`: the value that `taskgen leaderboard --json` prints.
pub async fn json(
    State(server): State<Arc<Server>>,
    _: Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let found = found(&server, &query).await?;
    Ok(page::file("application/json", found.board.json.clone()))
}

/// `GET /leaderboard.csv`
pub async fn csv(
    State(server): State<Arc<Server>>,
    _: Visitor,
    Asked(query): Asked<Query>,
) -> Result<Response, Failure> {
    let found = found(&server, &query).await?;
    Ok(page::table("leaderboard", found.board.csv.clone()))
}

/// `GET /leaderboard/tasks/{id}`: each agent's report on the task with its judgements.
pub async fn task(
    State(server): State<Arc<Server>>,
    Visitor(who): Visitor,
    Path(id): Path<String>,
) -> Answer {
    let of = Arc::clone(&server);
    let id = TaskId::from_stored(id);
    let read = move |store: &Store| {
        let Some(task) = store.task(&id)? else {
            return Ok(None);
        };
        let details = Details::of(store, index(&of, store)?.0.on_task(&id))?;
        // From this page's own folder, `/leaderboard/tasks/`.
        leaderboard::task::html(store, &task, &details, "../../leaderboard")
    };
    let html = server.facts.ask(read).await?;
    let html = html.ok_or_else(|| Failure::none("There is no report on such a task"))?;
    server.frame(&who, "/leaderboard", "Task").around(&html)
}

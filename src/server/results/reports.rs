//! The list of reports: searched by the words of their tasks, cut down by boxes, in parts.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Result;
use axum::extract::{Query as Asked, State};
use jiff::Timestamp;
use minijinja::{context, value::Serde};
use serde::Serialize;

use crate::{
    data::{ReportHead, ReportId, TaskId},
    report::board_csv::plain_cell,
    server::{
        Server, Visitor,
        page::{self, Answer},
        paging::{Facet, Paging, Query, WORDS, fold, matches},
    },
    store::Store,
};

/// The newest report of each attempt, by task, agent and attempt.
pub struct Index {
    tasks: Vec<Question>,
    rows: Vec<Row>,
}

/// A task that has a report.
struct Question {
    /// Its beginning.
    text: String,
    language: String,
    /// All of it as it is searched.
    folded: String,
}

struct Row {
    head: ReportHead,
    /// The number of its task.
    task: usize,
    /// Its id and its agent as they are searched.
    folded: String,
}

/// A report in the list.
#[derive(Serialize)]
struct Listed<'a> {
    id: &'a ReportId,
    task: &'a TaskId,
    question: &'a str,
    language: &'a str,
    agent: &'a str,
    attempt: u32,
    state: &'static str,
    /// Tokens that the agent wrote, or of all where only their sum is known.
    tokens: Option<u64>,
    cost_usd: Option<f64>,
    seconds: Option<f64>,
}

/// Characters of a task in the list.
const SHORT: usize = 160;

impl Index {
    fn read(store: &Store) -> Result<Self> {
        let current = store.tasks()?;
        let current: BTreeMap<_, _> = current.iter().map(|task| (&task.id, task)).collect();
        let (mut tasks, mut rows) = (Vec::new(), Vec::new());
        let mut last: Option<TaskId> = None;
        // They come task by task.
        for head in store.report_heads()? {
            if last.as_ref() != Some(&head.task) {
                tasks.push(match current.get(&head.task) {
                    Some(task) => Question::new(&task.text, &task.language, &task.id),
                    // One that was changed since, or withdrawn.
                    None => match store.task(&head.task)? {
                        Some(task) => Question::new(&task.text, &task.language, &task.id),
                        None => Question::new("", "und", &head.task),
                    },
                });
                last = Some(head.task.clone());
            }
            rows.push(Row {
                folded: fold(&format!("{} {}", head.agent, head.id)),
                task: tasks.len() - 1,
                head,
            });
        }
        Ok(Self { tasks, rows })
    }

    /// The reports on a task.
    pub fn on_task(&self, task: &TaskId) -> Vec<ReportHead> {
        let rows = self.rows.iter().filter(|row| row.head.task == *task);
        rows.map(|row| row.head.clone()).collect()
    }

    fn listed<'a>(&'a self, row: &'a Row) -> Listed<'a> {
        let (head, task) = (&row.head, &self.tasks[row.task]);
        Listed {
            id: &head.id,
            task: &head.task,
            question: &task.text,
            language: &task.language,
            agent: &head.agent,
            attempt: head.attempt,
            state: head.state.word(),
            tokens: head.spent.output_tokens.or(head.spent.tokens),
            cost_usd: head.spent.cost_usd,
            seconds: head.spent.seconds,
        }
    }

    /// The boxes of the list, with the values of the whole list.
    fn boxes(&self, query: &Query) -> [Facet; 3] {
        let rows = || self.rows.iter();
        let agents = rows().map(|row| Some(row.head.agent.as_str()));
        let states = rows().map(|row| Some(row.head.state.word()));
        let languages = rows().map(|row| Some(self.tasks[row.task].language.as_str()));
        [
            Facet::new("agent", "Agent", query, agents),
            Facet::new("state", "Ended", query, states),
            Facet::new("language", "Language of the task", query, languages),
        ]
    }

    /// The reports that `query` asks for.
    fn chosen(&self, query: &Query, boxes: &[Facet; 3]) -> Vec<Listed<'_>> {
        let words = query.get("q").map_or("", String::as_str);
        let words: Vec<String> = words.split_whitespace().take(WORDS).map(fold).collect();
        let [agent, state, language] = boxes;
        let fits = |row: &&Row| {
            let task = &self.tasks[row.task];
            let mut words = words.iter().map(std::slice::from_ref);
            agent.takes(Some(&row.head.agent))
                && state.takes(Some(row.head.state.word()))
                && language.takes(Some(&task.language))
                && words.all(|word| matches(&row.folded, word) || matches(&task.folded, word))
        };
        let rows = self.rows.iter().filter(fits);
        rows.map(|row| self.listed(row)).collect()
    }
}

impl Question {
    fn new(text: &str, language: &str, id: &TaskId) -> Self {
        let mut short: String = text.chars().take(SHORT).collect();
        if short.len() < text.len() {
            short.push('…');
        }
        Self {
            text: short,
            language: language.to_owned(),
            folded: fold(&format!("{text} {id}")),
        }
    }
}

/// The index, and the moment that it is of where facts have changed since.
pub fn index(server: &Server, store: &Store) -> Result<(Arc<Index>, Option<Timestamp>)> {
    let kept = &server.results.reports;
    kept.get(&server.facts, || Index::read(store))
}

async fn asked(server: &Arc<Server>) -> Result<(Arc<Index>, Option<Timestamp>)> {
    let of = Arc::clone(server);
    server.facts.ask(move |store| index(&of, store)).await
}

/// `GET /reports`
pub async fn page(
    State(server): State<Arc<Server>>,
    Visitor(who): Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let (index, as_of) = asked(&server).await?;
    let boxes = index.boxes(&query);
    let chosen = index.chosen(&query, &boxes);
    let paging = Paging::new("/reports", &query, chosen.len());
    let values = context! {
        reports => Serde(paging.of(&chosen)),
        all => index.rows.len(),
        boxes => Serde(&boxes),
        q => query.get("q"),
        paging => Serde(&paging),
    };
    let frame = server.frame(&who, "/reports", "Reports").of_moment(as_of);
    frame.page(include_str!("../templates/results/reports.html"), values)
}

/// `GET /reports.json`: all that fit, without their texts.
pub async fn json(
    State(server): State<Arc<Server>>,
    _: Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let (index, _) = asked(&server).await?;
    page::json(&index.chosen(&query, &index.boxes(&query)))
}

const COLUMNS: [&str; 10] = [
    "id", "agent", "attempt", "state", "tokens", "cost_usd", "seconds", "task", "language",
    "question",
];

/// `GET /reports.csv`: all that fit, without their texts.
pub async fn csv(
    State(server): State<Arc<Server>>,
    _: Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let (index, _) = asked(&server).await?;
    let chosen = index.chosen(&query, &index.boxes(&query));
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let rows = chosen.into_iter().map(|of| {
        vec![
            of.id.to_string(),
            plain_cell(of.agent),
            of.attempt.to_string(),
            of.state.to_owned(),
            of.tokens.map_or_else(String::new, |n| n.to_string()),
            number(of.cost_usd),
            number(of.seconds),
            of.task.to_string(),
            of.language.to_owned(),
            plain_cell(of.question),
        ]
    });
    page::csv("reports", &COLUMNS, rows)
}

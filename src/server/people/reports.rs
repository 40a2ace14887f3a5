//! Scores of reports by people: the whole, and each criterion of the task's checklist, without the
//! agent's name.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Result;
use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use minijinja::context;
use serde::Serialize;

use super::{
    Shown, Undo, card_page,
    form::{Mode, Signed},
    items,
    queue::{Asked, Before, address, place},
    write,
};
use crate::{
    data::{PersonScore, ReportId, TaskId},
    evaluate,
    report::markdown,
    server::{
        Reviewer, Server,
        page::{Answer, Failure, on_to},
    },
    store::Store,
};

const PATH: &str = "/review/reports";
/// The best score.
const BEST: u8 = 10;

/// What a reviewer is shown of a report.
#[derive(Serialize)]
pub(super) struct Card {
    id: ReportId,
    task: String,
    language: String,
    /// The report as markup.
    html: String,
    criteria: Vec<Criterion>,
}

/// A criterion of the task's checklist.
#[derive(Serialize)]
struct Criterion {
    /// Under which its scores are kept.
    name: String,
    title: String,
    description: String,
}

/// `GET /review/reports`
pub async fn card(
    State(server): State<Arc<Server>>,
    Reviewer(name): Reviewer,
    Query(asked): Query<Asked>,
) -> Answer {
    let (of, by, query) = (Arc::clone(&server), name.clone(), asked.clone());
    let read = move |store: &Store| store.at_one_moment(|| read(&of, store, &by, &query));
    let shown = server.facts.ask(read).await?;
    let scores: Vec<u8> = (0..=BEST).collect();
    let template = include_str!("../templates/people/report.html");
    card_page(
        &server,
        &name,
        (PATH, "Reports"),
        &asked,
        &shown,
        (template, context! { scores => scores }),
    )
}

fn read(server: &Server, store: &Store, reviewer: &str, asked: &Asked) -> Result<Shown<Card>> {
    let place = place(
        &items::reports(server, store)?,
        reviewer,
        server.options.seed,
        asked,
        PATH,
    );
    let own = |id: &str| label(store, id, reviewer);
    Shown::at(place, asked, |id| card_of(store, id), own)
}

/// A reviewer's score of a report in words.
fn label(store: &Store, id: &str, reviewer: &str) -> Result<Option<String>> {
    let own = own(store, &ReportId::from_stored(id.to_owned()), reviewer)?;
    let whole = own.iter().find(|score| score.criterion.is_none());
    let more = own.len() - usize::from(whole.is_some());
    let criteria = match more {
        0 => String::new(),
        more => format!(", and {more} criteria"),
    };
    Ok(whole.map(|score| format!("scored {} of {BEST}{criteria}", score.value)))
}

fn own(store: &Store, report: &ReportId, reviewer: &str) -> Result<Vec<PersonScore>> {
    let mut scores = store.scores()?;
    scores.retain(|score| score.report == *report && score.rater == reviewer);
    Ok(scores)
}

fn card_of(store: &Store, id: &str) -> Result<Option<Card>> {
    let Some(report) = items::report(store, &ReportId::from_stored(id.to_owned()))? else {
        return Ok(None);
    };
    let Some(task) = store.task(&report.task)? else {
        return Ok(None);
    };
    Ok(Some(Card {
        criteria: criteria(store, &task.id)?,
        html: markdown::html(&store.report_text(&report.id)?),
        id: report.id,
        task: task.text,
        language: task.language,
    }))
}

fn criteria(store: &Store, task: &TaskId) -> Result<Vec<Criterion>> {
    let of_task = evaluate::checklist(store, task)?;
    let criteria = of_task.into_iter().map(|(name, of)| Criterion {
        name,
        title: of.title,
        description: of.description,
    });
    Ok(criteria.collect())
}

/// `POST /review/reports/{id}`
pub async fn score(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Signed { name, form }: Signed<BTreeMap<String, String>>,
) -> Result<Response, Failure> {
    let mode = mode(&form);
    let whole = form.get("score").and_then(|value| number(value));
    let Some(whole) = whole else {
        return Err(Failure::bad(
            "The score of the whole report is missing",
            "Nothing was kept. Go back, and give one from 0 to 10.",
        ));
    };
    let (report, rater) = (ReportId::from_stored(id.clone()), name.clone());
    let kept = write(&server, move |store| {
        let Some(of) = items::report(store, &report)? else {
            return Ok(None);
        };
        let before = own(store, &report, &rater)?;
        let score = |criterion: Option<String>, value| PersonScore {
            report: report.clone(),
            criterion,
            rater: rater.clone(),
            value,
        };
        let mut scores = vec![score(None, whole)];
        for of in criteria(store, &of.task)? {
            let given = form.get(&format!("criterion {}", of.name));
            if let Some(value) = given.and_then(|value| number(value)) {
                scores.push(score(Some(of.name), value));
            }
        }
        store.save_scores(&scores)?;
        Ok(Some(before))
    })
    .await?;
    let said = match kept {
        Some(before) => {
            let before = if before.is_empty() {
                Before::Nothing
            } else {
                Before::Scores(before)
            };
            server.people.earlier.set(&name, &id, before);
            [("done", id.as_str())].to_vec()
        }
        None => [("after", id.as_str()), ("notice", "gone")].to_vec(),
    };
    Ok(on_to(&address(PATH, mode, &said)))
}

fn mode(form: &BTreeMap<String, String>) -> Mode {
    match form.get("mode").map(String::as_str) {
        Some("again") => Mode::Again,
        _ => Mode::Open,
    }
}

/// A score; none of what is none.
fn number(text: &str) -> Option<f64> {
    let value: u8 = text.parse().ok()?;
    (value <= BEST).then(|| f64::from(value))
}

/// `POST /review/reports/undo`
pub async fn undo(
    State(server): State<Arc<Server>>,
    Signed { name, form }: Signed<Undo>,
) -> Result<Response, Failure> {
    let Some(before) = server.people.earlier.take(&name, &form.id) else {
        return Ok(on_to(&address(PATH, form.mode, &[("notice", "nothing")])));
    };
    let report = ReportId::from_stored(form.id.clone());
    let before = match before {
        Before::Scores(before) => before,
        _ => Vec::new(),
    };
    write(&server, move |store| {
        store.replace_scores(&report, &name, &before)
    })
    .await?;
    let said = [("show", form.id.as_str()), ("notice", "undone")];
    Ok(on_to(&address(PATH, form.mode, &said)))
}

//! The review of inspirations: one at a time, with its quotes in context and their sound, as
//! `taskgen inspirations review` does in a terminal.

use std::sync::Arc;

use anyhow::Result;
use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use minijinja::{context, value::Serde};
use serde::{Deserialize, Serialize};

use super::{
    Shown, Undo, card_page,
    form::{Mode, Signed, note},
    items, no_decision,
    queue::{Asked, Before, address, place},
    write,
};
use crate::{
    data::{Fault, Inspiration, InspirationId, Review, Reviewer as Kind, SeminarId, Standing},
    report::quotes::{InContext, in_context},
    server::{
        Reviewer, Server,
        page::{Answer, Failure, on_to},
    },
    store::Store,
};

const PATH: &str = "/review/inspirations";

/// What a reviewer is shown of an inspiration.
#[derive(Serialize)]
pub(super) struct Card {
    id: InspirationId,
    label: &'static str,
    text: String,
    seminar: SeminarId,
    language: String,
    /// Whether the recording is in the project's folder.
    plays: bool,
    quotes: Vec<InContext>,
    /// What people said, without their names, for who settles it.
    said: Vec<String>,
}

/// `GET /review/inspirations`
pub async fn card(
    State(server): State<Arc<Server>>,
    Reviewer(name): Reviewer,
    Query(asked): Query<Asked>,
) -> Answer {
    let (of, by, query) = (Arc::clone(&server), name.clone(), asked.clone());
    let read = move |store: &Store| store.at_one_moment(|| read(&of, store, &by, &query));
    let shown = server.facts.ask(read).await?;
    let faults = Fault::ALL.iter().zip(1..);
    let faults: Vec<_> = faults
        .map(|(of, key)| (key.to_string(), of.word(), of.label()))
        .collect();
    let template = include_str!("../templates/people/inspiration.html");
    card_page(
        &server,
        &name,
        (PATH, "Inspirations"),
        &asked,
        &shown,
        (template, context! { faults => Serde(&faults) }),
    )
}

fn read(server: &Server, store: &Store, reviewer: &str, asked: &Asked) -> Result<Shown<Card>> {
    let inspirations = items::current_inspirations(store)?;
    let seed = server.options.seed;
    let place = place(
        &items::of_inspirations(&inspirations),
        reviewer,
        seed,
        asked,
        PATH,
    );
    let find = |id: &str| inspirations.iter().find(|of| of.id.as_str() == id);
    let is_settled = asked.mode() == Mode::Disputed;
    let card = |id: &str| {
        let card = find(id).map(|of| card_of(server, store, of, is_settled));
        card.transpose()
    };
    let own = |id: &str| {
        let said = find(id).map_or(&[][..], |of| of.reviews.as_slice());
        let last = said.iter().rev().find(|said| said.is_of_person(reviewer));
        Ok(last.map(label))
    };
    Shown::at(place, asked, card, own)
}

fn label(review: &Review) -> String {
    review.fault.map_or("accepted", Fault::label).to_owned()
}

fn card_of(server: &Server, store: &Store, of: &Inspiration, is_settled: bool) -> Result<Card> {
    let seminar = store
        .seminars()?
        .into_iter()
        .find(|info| info.id == of.seminar);
    let transcript = store.transcript(&of.transcript)?;
    let said = of
        .reviews
        .iter()
        .filter(|review| is_settled && review.by == Kind::Person);
    Ok(Card {
        id: of.id.clone(),
        label: of.kind.label(),
        text: of.text.clone(),
        seminar: of.seminar.clone(),
        plays: seminar
            .as_ref()
            .is_some_and(|of| server.options.seminars.join(&of.path).is_file()),
        language: seminar.map(|of| of.language).unwrap_or_default(),
        quotes: transcript.map_or_else(Vec::new, |text| in_context(&text, &of.evidence)),
        said: said.map(label).collect(),
    })
}

/// What the form of a card says.
#[derive(Deserialize)]
pub struct Decision {
    verdict: String,
    #[serde(default)]
    note: String,
    #[serde(default)]
    mode: Mode,
}

/// `POST /review/inspirations/{id}`
pub async fn decide(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Signed { name, form }: Signed<Decision>,
) -> Result<Response, Failure> {
    let fault = match form.verdict.as_str() {
        "accepted" => None,
        word => {
            let fault = Fault::ALL.into_iter().find(|of| of.word() == word);
            Some(fault.ok_or_else(|| no_decision(word))?)
        }
    };
    let review = Review {
        by: Kind::Person,
        name,
        fault,
        note: note(&form.note),
        settles: form.mode == Mode::Disputed,
    };
    let of = InspirationId::from_stored(id.clone());
    let by = review.name.clone();
    let refused = write(&server, move |store| {
        let Some(found) = store.inspiration(&of)? else {
            return Ok(Some("gone"));
        };
        if review.settles && Review::standing(&found.reviews) != Standing::Disputed {
            return Ok(Some("settled"));
        }
        Ok((!store.save_review(&of, &review)?).then_some("gone"))
    })
    .await?;
    let said = match refused {
        None => {
            server.people.earlier.set(&by, &id, Before::Nothing);
            [("done", id.as_str())].to_vec()
        }
        Some(notice) => [("after", id.as_str()), ("notice", notice)].to_vec(),
    };
    Ok(on_to(&address(PATH, form.mode, &said)))
}

/// `POST /review/inspirations/undo`
pub async fn undo(
    State(server): State<Arc<Server>>,
    Signed { name, form }: Signed<Undo>,
) -> Result<Response, Failure> {
    let of = InspirationId::from_stored(form.id.clone());
    let is_last = server.people.earlier.take(&name, &form.id).is_some();
    let undone = is_last && write(&server, move |store| store.withdraw_review(&of, &name)).await?;
    let said = if undone {
        [("show", form.id.as_str()), ("notice", "undone")].to_vec()
    } else {
        [("notice", "nothing")].to_vec()
    };
    Ok(on_to(&address(PATH, form.mode, &said)))
}

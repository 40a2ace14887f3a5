//! The list of inspirations: searched by words, cut down by boxes, in parts.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Result;
use axum::extract::{Query as Asked, State};
use jiff::Timestamp;
use minijinja::{context, value::Serde};
use serde::Serialize;

use crate::{
    data::{Inspiration, Review},
    server::{
        Server, Visitor,
        page::{self, Answer},
        paging::{Facet, Paging, Query, WORDS, fold, matches},
    },
    store::Store,
};

/// The inspirations of the current transcripts, in the order of the talks.
pub struct Index(Vec<Row>);

/// An inspiration in the list.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    inspiration: Inspiration,
    /// Its type, for people.
    label: &'static str,
    /// Path of the recording.
    source: String,
    /// The talk's language.
    language: String,
    /// Whether tasks may be woven from it.
    stands: bool,
    /// What people's decisions come to.
    standing: &'static str,
    #[serde(skip)]
    folded: String,
}

impl Index {
    fn read(store: &Store) -> Result<Self> {
        let seminars = store.seminars()?;
        let seminars: BTreeMap<_, _> = seminars.iter().map(|of| (&of.id, of)).collect();
        let mut rows = Vec::new();
        for inspiration in store.inspirations(None)? {
            let Some(seminar) = seminars.get(&inspiration.seminar) else {
                continue;
            };
            if seminar.transcript != inspiration.transcript {
                continue;
            }
            rows.push(Row {
                label: inspiration.kind.label(),
                source: seminar.path.clone(),
                language: seminar.language.clone(),
                stands: inspiration.stands(),
                standing: Review::standing(&inspiration.reviews).word(),
                folded: fold(&inspiration.words()),
                inspiration,
            });
        }
        rows.sort_by_cached_key(|row| {
            let start = row.inspiration.evidence.iter().map(|of| of.start).min();
            (row.source.clone(), start)
        });
        Ok(Self(rows))
    }
}

type Box = (&'static str, &'static str, fn(&Row) -> Option<&str>);

const BOXES: [Box; 5] = [
    ("type", "Type", |row| Some(row.label)),
    ("source", "From", |row| Some(&row.source)),
    ("language", "Language", |row| Some(&row.language)),
    ("standing", "People say", |row| Some(row.standing)),
    ("stands", "For tasks", |row| {
        Some(if row.stands { "used" } else { "not used" })
    }),
];

fn boxes(rows: &[Row], query: &Query) -> Vec<Facet> {
    let boxes = BOXES.iter();
    boxes
        .map(|(name, label, of)| Facet::new(name, label, query, rows.iter().map(*of)))
        .collect()
}

fn chosen<'a>(rows: &'a [Row], query: &Query, boxes: &[Facet]) -> Vec<&'a Row> {
    let words = query.get("q").map_or("", String::as_str);
    let words: Vec<String> = words.split_whitespace().take(WORDS).map(fold).collect();
    let fits = |row: &&Row| {
        let mut values = boxes.iter().zip(BOXES);
        values.all(|(facet, (_, _, of))| facet.takes(of(row))) && matches(&row.folded, &words)
    };
    rows.iter().filter(fits).collect()
}

async fn index(server: &Arc<Server>) -> Result<(Arc<Index>, Option<Timestamp>)> {
    let of = Arc::clone(server);
    let read = move |store: &Store| of.kept.inspirations.get(&of.facts, || Index::read(store));
    server.facts.ask(read).await
}

/// `GET /inspirations`
pub async fn page(
    State(server): State<Arc<Server>>,
    Visitor(who): Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let (index, as_of) = index(&server).await?;
    let boxes = boxes(&index.0, &query);
    let chosen = chosen(&index.0, &query, &boxes);
    let paging = Paging::new("/inspirations", &query, chosen.len());
    let frame = server
        .frame(&who, "/inspirations", "Inspirations")
        .of_moment(as_of);
    let values = context! {
        inspirations => Serde(paging.of(&chosen)),
        all => index.0.len(),
        boxes => Serde(&boxes),
        q => query.get("q"),
        paging => Serde(&paging),
    };
    frame.page(include_str!("../templates/inspirations.html"), values)
}

/// `GET /inspirations.json`: all that fit.
pub async fn json(
    State(server): State<Arc<Server>>,
    _: Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let (index, _) = index(&server).await?;
    page::json(&chosen(&index.0, &query, &boxes(&index.0, &query)))
}

/// `GET /inspirations.csv`: all that fit.
pub async fn csv(
    State(server): State<Arc<Server>>,
    _: Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let (index, _) = index(&server).await?;
    let chosen = chosen(&index.0, &query, &boxes(&index.0, &query));
    let rows = chosen.into_iter().map(|row| {
        let values = BOXES.map(|(_, _, of)| of(row).unwrap_or_default().to_owned());
        let of = &row.inspiration;
        let quotes: Vec<&str> = of.evidence.iter().map(|of| of.quote.as_str()).collect();
        let (id, text, quotes) = (of.id.to_string(), of.text.clone(), quotes.join("\n"));
        std::iter::once(id)
            .chain(values)
            .chain([text, quotes])
            .collect()
    });
    let names = BOXES.map(|(name, _, _)| name);
    let header: Vec<&str> = std::iter::once("id")
        .chain(names)
        .chain(["text", "quotes"])
        .collect();
    page::csv("inspirations", &header, rows)
}

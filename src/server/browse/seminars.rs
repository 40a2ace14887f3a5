//! Seminars: a list, and each with its sound, its transcript and what was found in it.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::{Context as _, Result};
use axum::extract::{Path, State};
use minijinja::{context, value::Serde};
use serde::Serialize;

use super::tasks::index;
use crate::{
    data::{self, Ms, SeminarId, Task},
    report::{tasks_page, tasks_report},
    server::{
        Anybody, Server, Visitor,
        access::Who,
        page::{self, Answer, Failure},
    },
    store::{SeminarInfo, Store},
};

/// A seminar in the list.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    info: SeminarInfo,
    inspirations: usize,
    tasks: usize,
}

/// `GET /seminars`
pub async fn list(State(server): State<Arc<Server>>, Visitor(who): Visitor) -> Answer {
    let rows = rows(&server).await?;
    let frame = server.frame(&who, "/seminars", "Seminars");
    let values = context! { seminars => Serde(&rows) };
    frame.page(include_str!("../templates/seminars.html"), values)
}

/// `GET /seminars.json`
pub async fn json(State(server): State<Arc<Server>>, _: Visitor) -> Answer {
    page::json(&rows(&server).await?)
}

async fn rows(server: &Arc<Server>) -> Result<Vec<Row>> {
    let of = Arc::clone(server);
    let read = move |store: &Store| {
        let (index, _) = index(&of, store)?;
        let mut tasks: BTreeMap<&SeminarId, usize> = BTreeMap::new();
        for seminar in index.rows.iter().filter_map(|row| row.task.seminar()) {
            *tasks.entry(seminar).or_default() += 1;
        }
        let seminars = store.seminars()?.into_iter();
        let row = |info: SeminarInfo| {
            Ok(Row {
                inspirations: store.inspirations_of(&info)?.len(),
                tasks: tasks.get(&info.id).copied().unwrap_or_default(),
                info,
            })
        };
        seminars.map(row).collect()
    };
    server.facts.ask(read).await
}

/// A seminar with its transcript.
#[derive(Serialize)]
struct Seminar {
    info: SeminarInfo,
    segments: Vec<Segment>,
    /// With what was found in it; of a reviewer nothing is shown.
    talk: tasks_page::Seminar,
    tasks: Vec<Task>,
}

/// A segment of the transcript, in pieces.
#[derive(Serialize)]
struct Segment {
    start: Ms,
    speaker: Option<String>,
    /// Text, and whether an inspiration rests on it.
    pieces: Vec<(String, bool)>,
}

/// `GET /seminars/{id}`: for reviewers, too, who must listen; what was found in it is not for them.
pub async fn page(
    State(server): State<Arc<Server>>,
    Anybody(who): Anybody,
    Path(id): Path<String>,
) -> Answer {
    let (id, is_data) = page::named(&id);
    let (id, recordings) = (
        SeminarId::from_stored(id.to_owned()),
        server.options.seminars.clone(),
    );
    let shows_all = who == Who::Visitor;
    let read = move |store: &Store| read(store, &id, &recordings, shows_all);
    let found = server.facts.ask(read).await?;
    let of = found.ok_or_else(|| Failure::none("There is no such seminar"))?;
    if is_data {
        return page::json(&of);
    }
    let mut frame = server.frame(&who, "/seminars", of.info.title.clone());
    frame.data = Some(format!("/seminars/{}.json", of.info.id));
    let values = context! {
        of => Serde(&of),
        strip => tasks_page::strip(0, &of.talk),
        labels => Serde(tasks_page::labels()),
    };
    frame.page(include_str!("../templates/seminar.html"), values)
}

fn read(
    store: &Store,
    id: &SeminarId,
    recordings: &std::path::Path,
    shows_all: bool,
) -> Result<Option<Seminar>> {
    let Some(info) = store.seminars()?.into_iter().find(|info| info.id == *id) else {
        return Ok(None);
    };
    let transcript = store.transcript(&info.transcript)?;
    let transcript = transcript.context("the database lacks the transcript")?;
    let (mut inspirations, mut tasks) = (Vec::new(), Vec::new());
    if shows_all {
        inspirations = store.inspirations_of(&info)?;
        tasks = store.tasks()?;
        tasks.retain(|task| task.seminar() == Some(id));
    }
    let plays = recordings.join(&info.path).is_file();
    let sound = plays.then(|| format!("{}/sound", info.id));
    Ok(Some(Seminar {
        segments: segments(&transcript, &inspirations),
        talk: tasks_report::talk(&info, sound, inspirations),
        tasks,
        info,
    }))
}

/// The segments, each cut where a quote begins or ends.
fn segments(transcript: &data::Transcript, inspirations: &[data::Inspiration]) -> Vec<Segment> {
    let quotes = inspirations.iter().flat_map(|of| &of.evidence);
    let quotes: Vec<_> = quotes.map(|of| of.start_char..of.end_char).collect();
    let mut at = 0;
    let mut cut = Vec::new();
    for segment in &transcript.segments {
        let chars: Vec<char> = segment.text.chars().collect();
        let mut pieces: Vec<(String, bool)> = Vec::new();
        for (offset, c) in chars.iter().enumerate() {
            let is_quoted = quotes.iter().any(|of| of.contains(&(at + offset)));
            match pieces.last_mut() {
                Some((text, same)) if *same == is_quoted => text.push(*c),
                _ => pieces.push((c.to_string(), is_quoted)),
            }
        }
        // Between two segments there is one character (`Transcript::text`).
        at += chars.len() + 1;
        cut.push(Segment {
            start: segment.start,
            speaker: segment.speaker.clone(),
            pieces,
        });
    }
    cut
}

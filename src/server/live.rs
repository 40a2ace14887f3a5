//! How far running commands are, as it changes. Hides the files in which they say so, and how often
//! the database is looked at.

use std::{
    convert::Infallible,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Result;
use axum::{
    extract::State,
    response::sse::{Event, KeepAlive, Sse},
};
use futures_util::{Stream, StreamExt as _, stream};
use serde::Serialize;
use tokio::sync::watch;

use super::{
    Server, Visitor,
    facts::Version,
    progress::{self, Progress},
};
use crate::store::{FactCounts, Store};

/// Files and the database are looked at this often.
const LOOK: Duration = Duration::from_millis(500);
/// Counting a million facts takes a while; in times of that, the rest between two counts.
const REST: u32 = 10;
/// A line that says nothing, so that who is gone is noticed.
const ALIVE: Duration = Duration::from_secs(15);

/// What is shown of the moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Now {
    /// Running commands.
    pub running: Vec<Running>,
    /// Facts by kind.
    pub counts: FactCounts,
}

/// A running command.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Running {
    /// What it said last.
    #[serde(flatten)]
    pub progress: Progress,
    /// Units a second since the stage began.
    pub per_second: Option<f64>,
    /// Seconds left at that rate.
    pub seconds_left: Option<f64>,
}

impl Running {
    fn new(progress: Progress) -> Self {
        let rate = progress.done as f64 / progress.seconds;
        let per_second = (progress.done > 0 && progress.seconds > 0.0).then_some(rate);
        let left = progress.total.saturating_sub(progress.done) as f64;
        Self {
            per_second,
            seconds_left: per_second.map(|rate| left / rate),
            progress,
        }
    }
}

/// The moment as it was seen last.
pub struct Live(watch::Sender<Now>);

impl Default for Live {
    fn default() -> Self {
        Self(watch::Sender::new(Now::default()))
    }
}

impl Live {
    /// What was seen last.
    pub fn now(&self) -> Now {
        self.0.borrow().clone()
    }
}

/// When facts were counted last, and how long that took.
#[derive(Default)]
pub struct Counted(Option<(Version, Instant, Duration)>);

/// Looks again and again; `counted` is what the first look left.
pub async fn follow(server: Arc<Server>, mut counted: Counted) {
    loop {
        tokio::time::sleep(LOOK).await;
        if let Err(error) = look(&server, &mut counted).await {
            tracing::warn!("the facts cannot be counted: {error:#}");
        }
    }
}

/// Looks at what is running, and counts the facts where some have come or gone.
pub async fn look(server: &Arc<Server>, counted: &mut Counted) -> Result<()> {
    let folder = server.options.progress.clone();
    let running = tokio::task::spawn_blocking(move || progress::running(&folder)).await?;
    let running = running.unwrap_or_else(|error| {
        tracing::warn!("the progress of commands cannot be read: {error:#}");
        Vec::new()
    });
    let running = running.into_iter().map(Running::new).collect();
    let version = server.facts.version()?;
    let mut counts = server.live.0.borrow().counts;
    let is_due = counted
        .0
        .is_none_or(|(of, at, took)| of != version && at.elapsed() >= took * REST);
    if is_due {
        let begun = Instant::now();
        counts = server.facts.ask(Store::fact_counts).await?;
        counted.0 = Some((version, Instant::now(), begun.elapsed()));
    }
    let now = Now { running, counts };
    server.live.0.send_if_modified(|last| {
        let changed = *last != now;
        *last = now;
        changed
    });
    Ok(())
}

/// `GET /events`: the moment, and each one after it that differs.
pub async fn events(
    State(server): State<Arc<Server>>,
    _: Visitor,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut seen = server.live.0.subscribe();
    seen.mark_changed();
    let events = stream::unfold(seen, |mut seen| async {
        seen.changed().await.ok()?;
        let now = serde_json::to_string(&*seen.borrow_and_update()).unwrap_or_default();
        Some((Event::default().event("now").data(now), seen))
    });
    Sse::new(events.map(Ok)).keep_alive(KeepAlive::new().interval(ALIVE))
}

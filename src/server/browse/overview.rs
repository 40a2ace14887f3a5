//! The overview: how much there is of everything, what is running, and what to do next.

use std::sync::Arc;

use axum::extract::State;
use minijinja::{context, value::Serde};
use serde::Serialize;

use crate::{
    server::{
        Anybody, Server, Visitor,
        access::Who,
        live::Now,
        page::{self, Answer},
    },
    store::FactCounts,
    transcribe,
};

/// What is shown.
#[derive(Serialize)]
struct Overview {
    /// Recordings in the project's folder.
    recordings: usize,
    /// Those with a transcript in the project's folder.
    transcribed: usize,
    #[serde(flatten)]
    now: Now,
    /// What comes next: a command, and what it does.
    next: (&'static str, &'static str),
}

/// `GET /`
pub async fn page(State(server): State<Arc<Server>>, Anybody(who): Anybody) -> Answer {
    if who != Who::Visitor {
        return Ok(page::on_to("/review"));
    }
    let overview = read(&server).await?;
    let mut frame = server.frame(&who, "/", "Overview");
    frame.data = Some("/overview.json".into());
    let values = context! { overview => Serde(&overview) };
    frame.page(include_str!("../templates/overview.html"), values)
}

/// `GET /overview.json`
pub async fn json(State(server): State<Arc<Server>>, _: Visitor) -> Answer {
    page::json(&read(&server).await?)
}

async fn read(server: &Arc<Server>) -> anyhow::Result<Overview> {
    let (seminars, transcripts) = (
        server.options.seminars.clone(),
        server.options.transcripts.clone(),
    );
    let (recordings, transcribed) = tokio::task::spawn_blocking(move || {
        let found = transcribe::discover(&seminars, &[]).unwrap_or_default();
        let done = found
            .recordings
            .iter()
            .filter(|of| transcribe::transcript_path(&transcripts, of).exists());
        (found.recordings.len(), done.count())
    })
    .await?;
    // Not counted for each request: of a million facts it takes a while.
    let now = server.live.now();
    Ok(Overview {
        recordings,
        transcribed,
        next: next(recordings, &now.counts),
        now,
    })
}

/// The next step on the way from recordings, or from imported tasks, to a leaderboard: a command,
/// and what it does.
fn next(recordings: usize, of: &FactCounts) -> (&'static str, &'static str) {
    if recordings as u64 + of.tasks == 0 {
        (
            "taskgen tasks import FILE",
            "takes in questions; or put recordings into the folder `seminars`",
        )
    } else if recordings as u64 > of.seminars || (of.comparisons == 0 && of.seminars > 0) {
        ("taskgen run", "makes ranked tasks of the recordings")
    } else if of.reports == 0 {
        ("taskgen answer --agent NAME", "has the tasks answered")
    } else {
        ("taskgen evaluate", "scores the reports for the leaderboard")
    }
}

//! The sound of a recording, from any second on.

use std::{
    path::{Component, Path},
    sync::Arc,
};

use anyhow::Error;
use axum::{
    body::Body,
    extract::{self, Request, State},
    response::IntoResponse as _,
};
use tower_http::services::ServeFile;

use super::{
    Anybody, Server,
    page::{Answer, Failure},
};
use crate::{data::SeminarId, store::Store, transcribe};

/// The recording of a seminar, or the part of it that is asked for. The address names a seminar,
/// never a file.
pub async fn sound(
    State(server): State<Arc<Server>>,
    _: Anybody,
    extract::Path(id): extract::Path<String>,
    request: Request,
) -> Answer {
    let id = SeminarId::from_stored(id);
    let seminars = server.facts.ask(Store::seminars).await?;
    let found = seminars.into_iter().find(|seminar| seminar.id == id);
    let path = found
        .ok_or_else(|| Failure::none("There is no such seminar"))?
        .path;
    // The database may be a stranger's.
    if !is_inside(Path::new(&path)) || !transcribe::is_recording(Path::new(&path)) {
        return Err(Failure::none("The recording is not in the project"));
    }
    let file = server.options.seminars.join(&path);
    if !file.is_file() {
        return Err(Failure::none("The recording is not here"));
    }
    let sent = ServeFile::new(file).try_call(request).await;
    let response = sent.map_err(Error::new)?;
    Ok(response.map(Body::new).into_response())
}

/// Whether a path stays where it begins.
fn is_inside(path: &Path) -> bool {
    path.components()
        .all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_the_database_stays_in_the_folder() {
        for good in ["a.mp3", "2024/a b.mp3", "会议/录音.opus"] {
            assert!(is_inside(Path::new(good)), "{good}");
        }
        for bad in ["/etc/passwd", "../a.mp3", "a/../../b", "./a"] {
            assert!(!is_inside(Path::new(bad)), "{bad}");
        }
    }
}

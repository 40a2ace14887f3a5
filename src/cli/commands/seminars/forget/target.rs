//! Which recording is meant, and the transcripts that the database does not know yet.

use std::collections::BTreeSet;

use anyhow::Result;

use super::id_of_file;
use crate::{
    cli::{commands::seminars::transcribe::take_in, project::Project, ui::exit::Usage},
    data::SeminarId,
    store::{Forgotten, KnownSeminar, Store},
    transcribe,
};

/// The recording that is meant.
pub enum Target {
    /// One with rows.
    Known(KnownSeminar),
    /// One without.
    Gone(Forgotten),
}

/// Takes in the transcripts of recordings that were transcribed and not used yet, so that they can
/// be forgotten, and so that the words of others are known. What cannot be read is left.
pub fn take_in_unknown(project: &Project, store: &Store) {
    let found = transcribe::discover(&project.seminars(), &[]).unwrap_or_default();
    let Ok(known) = store.known_seminars() else {
        return;
    };
    let known: BTreeSet<&SeminarId> = known.iter().map(|of| &of.id).collect();
    for recording in &found.recordings {
        let path = transcribe::transcript_path(&project.transcripts(), recording);
        if let Ok(Some(transcript)) = transcribe::load(&path)
            && !known.contains(&transcript.seminar)
            && let Err(error) = take_in(store, recording, &transcript)
        {
            tracing::info!("a transcript is not taken in: {error:#}");
        }
    }
}

/// The recording by its id, the beginning of it, or its path.
pub fn choose(project: &Project, store: &Store, asked: &str) -> Result<Target> {
    let (mut known, forgotten) = (store.known_seminars()?, store.forgotten()?);
    let path = asked.strip_prefix("seminars/").unwrap_or(asked);
    let is_at = |of: &KnownSeminar| of.paths.iter().any(|own| own == path);
    let mut ids: BTreeSet<SeminarId> = known
        .iter()
        .filter(|of| is_at(of) || of.id.as_str() == asked)
        .map(|of| of.id.clone())
        .collect();
    if ids.is_empty() {
        let all = known.iter().map(|of| &of.id);
        let begun = all
            .chain(forgotten.iter().map(|of| &of.id))
            .filter(|id| !asked.is_empty() && id.as_str().starts_with(asked));
        ids = begun.cloned().collect();
    }
    if ids.is_empty() {
        ids.extend(id_of_file(project, path));
    }
    if ids.len() > 1 {
        return Err(Usage(format!(
            "{} seminars begin with `{asked}`\nhint: more of the id, or the path",
            ids.len()
        ))
        .into());
    }
    let target = ids.first().and_then(|id| {
        if let Some(at) = known.iter().position(|of| of.id == *id) {
            return Some(Target::Known(known.swap_remove(at)));
        }
        let gone = forgotten.into_iter().find(|of| of.id == *id);
        gone.map(Target::Gone)
    });
    target.ok_or_else(|| {
        Usage(format!(
            "no such seminar: `{asked}`\nhint: `taskgen seminars list` shows ids and paths"
        ))
        .into()
    })
}

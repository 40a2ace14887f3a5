//! What is forgotten together, and by which words it is found: what is said in the recordings, and
//! what was written from that, without what others say or write too.

use std::collections::BTreeSet;

use anyhow::Result;
use serde::Serialize;

use super::removed_reports::RemovedReports;
use crate::{
    cli::project::{Project, resolve},
    data::SeminarId,
    llm::Prompts,
    store::{ByWords, Forgetting, KnownSeminar, Store},
    text::traces::Traces,
};

/// Another recording that the plan names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Related {
    /// The recording.
    pub id: SeminarId,
    /// Its first path, or its title.
    pub name: String,
    /// Why it is named.
    pub why: Relation,
}

/// Why another recording is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It seems to be of the same talk.
    Alike,
    /// It may have been at the path before.
    MaybeEarlier,
}

/// What goes together, and its words.
pub struct Words<'s> {
    /// The recording that is meant, then those that go along.
    pub seminars: Vec<KnownSeminar>,
    /// All that is known of them, marked.
    pub forgetting: Forgetting<'s>,
    /// What nobody else says or writes.
    pub traces: Traces,
    /// What goes for its words alone.
    pub by_words: Vec<ByWords>,
    /// Reports that were taken out of the project before.
    pub removed: RemovedReports,
    /// Recordings that stay and should be thought of.
    pub related: Vec<Related>,
}

/// A recording with the earlier ones of its path, as far as they are on record.
struct Family<'s> {
    ids: BTreeSet<SeminarId>,
    forgetting: Forgetting<'s>,
    /// Others that seem to be of the same talk.
    alike: BTreeSet<SeminarId>,
}

/// Finds out what goes together, and marks it.
pub fn words<'s>(project: &Project, store: &'s Store, seminar: &KnownSeminar) -> Result<Words<'s>> {
    let known = store.known_seminars()?;
    let Family {
        ids,
        forgetting,
        alike,
    } = family(store, seminar, &known)?;
    forgetting.set_alike(&alike)?;
    let related = related(store, &known, &ids, &alike)?;
    let mut seminars = known;
    seminars.retain(|of| ids.contains(&of.id));
    seminars.sort_by_key(|of| of.id != seminar.id);

    let mut talk = Traces::default();
    forgetting.each_text_of_talk(|text| talk.add(text))?;
    forgetting.each_text_of_other_talks(|text| talk.forgive(text))?;
    each_prompt(project, |text| talk.forgive(text))?;
    let by_words = forgetting.mark_quoting(|text| talk.are_in(text))?;

    // Models write the same sentences in many reports, but what is said is the talk's whoever
    // quotes it.
    let mut written = Traces::default();
    forgetting.each_text_written(|text| written.add(text))?;
    let mut removed = RemovedReports::read(project, &forgetting.tasks()?, &mut written)?;
    forgetting.each_text_of_other_talks(|text| written.forgive(text))?;
    forgetting.each_text_of_others(|text| written.forgive(text))?;
    each_prompt(project, |text| written.forgive(text))?;

    let mut traces = talk;
    traces.join(written);
    forgetting.mark_by_words(|text| traces.are_in(text))?;
    removed.look_for(&traces);
    Ok(Words {
        seminars,
        forgetting,
        traces,
        by_words,
        removed,
        related,
    })
}

/// The recordings that have or had one of its paths, and those whose file was replaced and that
/// share most of their words with it: of which path they were is not always known.
fn family<'s>(
    store: &'s Store,
    seminar: &KnownSeminar,
    known: &[KnownSeminar],
) -> Result<Family<'s>> {
    let is_replaced = |id: &SeminarId| known.iter().any(|of| of.id == *id && of.paths.is_empty());
    let mut ids = store.same_paths(&seminar.id)?;
    loop {
        let forgetting = store.forgetting(&ids)?;
        let mut talk = Traces::default();
        forgetting.each_transcript(|text| talk.add(text))?;
        let (mut earlier, mut alike) = (BTreeSet::new(), BTreeSet::new());
        forgetting.each_other_transcript(|of, text| {
            let mut other = Traces::default();
            other.add(text);
            let (shared, shorter) = (other.shared(&talk), other.len().min(talk.len()));
            if shared * 2 > shorter && is_replaced(of) {
                earlier.insert(of.clone());
            } else if shared * 3 > shorter {
                alike.insert(of.clone());
            }
        })?;
        if earlier.is_empty() {
            return Ok(Family {
                ids,
                forgetting,
                alike,
            });
        }
        ids.extend(earlier);
    }
}

/// The recordings that stay and should be thought of.
fn related(
    store: &Store,
    known: &[KnownSeminar],
    ids: &BTreeSet<SeminarId>,
    alike: &BTreeSet<SeminarId>,
) -> Result<Vec<Related>> {
    let going = known.iter().filter(|of| ids.contains(&of.id));
    let paths: BTreeSet<&String> = going.flat_map(|of| &of.paths).collect();
    let mut maybe: BTreeSet<SeminarId> = BTreeSet::new();
    for former in store.former_paths()? {
        let is_named = ids.contains(&former.seminar) || alike.contains(&former.seminar);
        if paths.contains(&former.path) && !is_named {
            maybe.insert(former.seminar);
        }
    }
    let why = |of: &KnownSeminar| {
        if alike.contains(&of.id) {
            return Some(Relation::Alike);
        }
        maybe.contains(&of.id).then_some(Relation::MaybeEarlier)
    };
    let related = known.iter().filter_map(|of| {
        Some(Related {
            id: of.id.clone(),
            name: of.paths.first().unwrap_or(&of.title).clone(),
            why: why(of)?,
        })
    });
    Ok(related.collect())
}

/// Hands over the texts of prompts: they are in many files, and a model's task may repeat some.
fn each_prompt(project: &Project, mut each: impl FnMut(&str)) -> Result<()> {
    let own = resolve::prompts(project, "");
    let built_in = Prompts::new(None, "");
    for name in Prompts::names() {
        each(&built_in.text(&name)?);
        // A copy that cannot be read is no reason to keep a talk.
        each(&own.text(&name).unwrap_or_default());
    }
    Ok(())
}

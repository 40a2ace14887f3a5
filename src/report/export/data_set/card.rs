//! What a publisher says of a set, and what its tasks say of their sources and licences.

use std::collections::BTreeMap;

use crate::data::{
    SeminarId, SetRecord, TaskId, TaskRecord,
    record::{Provenance, Recording, RecordingPath},
};

/// The licence of a source for which nobody named one.
pub(super) const UNKNOWN: &str = "unknown";

/// What a command knows of a set beside its tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Version of taskgen.
    pub tool_version: String,
    /// The day, as `YYYY-MM-DD`, on which the set was frozen.
    pub day: String,
    /// Who publishes the set: a person, a group.
    pub publisher: Option<String>,
    /// The licence that the publisher gives the set; otherwise those of its sources hold.
    pub licence: Option<String>,
    /// The address at which the set is published.
    pub address: Option<String>,
}

/// A source of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Source {
    /// The recording's title or path, or the benchmark's name.
    pub name: String,
    /// Its licence; none where the set does not say.
    pub licence: Option<String>,
    /// Tasks that rest on it.
    pub tasks: usize,
}

/// The sources of a set's tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sources {
    /// Recordings by id.
    pub recordings: BTreeMap<SeminarId, Source>,
    /// Benchmarks by name and licence.
    pub files: BTreeMap<(String, String), Source>,
}

impl Sources {
    /// The sources of the tasks that were not withdrawn.
    pub fn of(set: &SetRecord) -> Self {
        let mut sources = Self::default();
        for record in set.records() {
            sources.count(record);
        }
        sources
    }

    fn count(&mut self, record: &TaskRecord) {
        match &record.provenance {
            Provenance::Talk(from) => {
                for path in record.recordings() {
                    self.recording(path).tasks += 1;
                }
                // It has a title for its first recording, and paths for the others.
                self.name(&from.seminar);
            }
            Provenance::Imported { imported } => {
                let key = (imported.benchmark.clone(), imported.licence.clone());
                let source = self.files.entry(key).or_insert_with(|| Source {
                    name: imported.benchmark.clone(),
                    licence: Some(imported.licence.clone()),
                    tasks: 0,
                });
                source.tasks += 1;
            }
        }
    }

    fn recording(&mut self, recording: &RecordingPath) -> &mut Source {
        let id = recording.id.clone();
        self.recordings.entry(id).or_insert_with(|| Source {
            name: recording.path.clone(),
            licence: Some(recording.licence.clone()),
            tasks: 0,
        })
    }

    fn name(&mut self, recording: &Recording) {
        let source = self.recordings.entry(recording.id.clone()).or_default();
        source.name.clone_from(&recording.title);
        source.licence = Some(recording.licence.clone());
    }

    /// All of them, recordings first.
    pub fn all(&self) -> impl Iterator<Item = &Source> {
        self.recordings.values().chain(self.files.values())
    }
}

/// The licences that hold for a set, sorted, each once: the publisher's, or those of its sources.
pub(super) fn licences(about: &Card, sources: &Sources) -> Vec<String> {
    if let Some(licence) = &about.licence {
        return vec![licence.clone()];
    }
    let licence = |source: &Source| source.licence.clone().unwrap_or_else(|| UNKNOWN.to_owned());
    let mut licences: Vec<String> = sources.all().map(licence).collect();
    licences.sort();
    licences.dedup();
    if licences.is_empty() {
        licences.push(UNKNOWN.to_owned());
    }
    licences
}

/// The tasks of a set that were withdrawn.
pub(super) fn withdrawn(set: &SetRecord) -> Vec<&TaskId> {
    let gone = set.tasks.iter().filter(|member| member.record.is_none());
    gone.map(|member| &member.id).collect()
}

/// One sentence on a set.
pub(super) fn sentence(set: &SetRecord) -> String {
    format!(
        "{} research tasks, made from recordings of talks or taken from other benchmarks, for the \
         evaluation of research agents.",
        set.records().count()
    )
}

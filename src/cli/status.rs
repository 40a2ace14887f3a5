//! `taskgen status` and `taskgen config show`; and the side file of a recording, which says what its sound does not.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{
    args::{Config, Global},
    exit::{self, Usage},
    output::{Printer, table},
    project::Project,
};
use crate::{
    data::{Phase, Transcript, Usage as Tokens},
    store::{SeminarInfo, Store},
    transcribe,
};

/// `NAME.toml` beside a recording.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Side {
    title: Option<String>,
    discipline: Option<String>,
    licence: Option<String>,
    speakers: Vec<String>,
    date: Option<String>,
    language: Option<String>,
    source: Option<String>,
    consent: Option<String>,
    channel: Option<u32>,
    vocabulary: Vec<String>,
}

/// Reads the side file of the recording called `name` under `seminars`; without one, everything is unknown.
pub fn side_file(seminars: &Path, name: &str) -> Result<Side> {
    let path = seminars.join(name).with_extension("toml");
    if !path.is_file() {
        return Ok(Side::default());
    }
    let text = fs_err::read_to_string(&path)?;
    toml::from_str(&text).map_err(|e| Usage(format!("`{}`: {}", path.display(), e.to_string().trim())).into())
}

impl Side {
    /// What is known of the recording of `transcript`.
    pub fn info(&self, transcript: &Transcript) -> SeminarInfo {
        let stem = Path::new(&transcript.path).file_stem().map(|s| s.to_string_lossy().into_owned());
        SeminarInfo {
            id: transcript.seminar.clone(),
            path: transcript.path.clone(),
            title: self.title.clone().or(stem).unwrap_or_default(),
            language: transcript.language.clone(),
            discipline: self.discipline.clone(),
            licence: self.licence.clone().unwrap_or_else(|| "unknown".to_owned()),
            duration: transcript.duration,
            transcript: transcript.id.clone(),
        }
    }
}

#[derive(Serialize)]
struct Status {
    recordings: usize,
    seminars: Vec<SeminarStatus>,
    calls: Vec<Calls>,
    comparisons: Option<Comparisons>,
}

#[derive(Serialize)]
struct SeminarStatus {
    path: String,
    id: String,
    language: String,
    inspirations: usize,
    tasks: BTreeMap<&'static str, usize>,
    refused: BTreeMap<String, usize>,
}

#[derive(Serialize)]
struct Calls {
    role: String,
    calls: u64,
    failed: u64,
    #[serde(flatten)]
    tokens: Tokens,
}

#[derive(Serialize)]
struct Comparisons {
    n_total: u64,
    n_scored: u64,
    n_failed: BTreeMap<String, u64>,
}

/// `taskgen status`
pub fn status(global: &Global, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let recordings = transcribe::discover(&project.seminars(), &[]).map_or(0, |found| found.recordings.len());
    let status = match project.read()? {
        Some(store) => read(&store, recordings)?,
        None => Status { recordings, seminars: Vec::new(), calls: Vec::new(), comparisons: None },
    };
    printer.show(&status, text)?;
    Ok(exit::DONE)
}

fn read(store: &Store, recordings: usize) -> Result<Status> {
    let tasks = store.tasks()?;
    let mut seminars = Vec::new();
    for seminar in store.seminars()? {
        let mut refused: BTreeMap<String, usize> = BTreeMap::new();
        for stage in ["inspire", "weave"] {
            for rejection in store.rejections(stage, &seminar.id)? {
                *refused.entry(format!("{stage}: {}", rejection.rule)).or_default() += 1;
            }
        }
        let of_phase = |phase: Phase| tasks.iter().filter(|t| t.seminar == seminar.id && t.phase == phase).count();
        seminars.push(SeminarStatus {
            inspirations: store.inspirations(Some(&seminar.id))?.len(),
            tasks: Phase::ALL.iter().map(|phase| (phase.label(), of_phase(*phase))).collect(),
            refused,
            id: seminar.id.to_string(),
            path: seminar.path,
            language: seminar.language,
        });
    }
    let calls = store
        .call_totals()?
        .into_iter()
        .map(|(role, calls, failed, tokens)| Calls { role, calls, failed, tokens })
        .collect();
    let comparisons = match store.last_ranking()? {
        Some(ranking) => {
            let standing = crate::rank::fold(store, &ranking)?;
            Some(Comparisons { n_total: standing.n_total, n_scored: standing.n_scored, n_failed: standing.n_failed })
        }
        None => None,
    };
    Ok(Status { recordings, seminars, calls, comparisons })
}

fn text(status: &Status) -> String {
    let mut out = format!("{} recordings, {} transcribed\n", status.recordings, status.seminars.len());
    if !status.seminars.is_empty() {
        let mut rows = table(&["seminar", "language", "inspirations", "tasks by phase", "refused by rule"]);
        for seminar in &status.seminars {
            let tasks: Vec<String> = seminar.tasks.iter().map(|(phase, n)| format!("{phase} {n}")).collect();
            let refused: Vec<String> = seminar.refused.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
            rows.add_row(vec![
                format!("{}\n{}", seminar.path, seminar.id),
                seminar.language.clone(),
                seminar.inspirations.to_string(),
                tasks.join(", "),
                if refused.is_empty() { "–".to_owned() } else { refused.join("\n") },
            ]);
        }
        out.push_str(&format!("{rows}\n"));
    }
    if !status.calls.is_empty() {
        let mut rows = table(&["role", "calls", "failed", "prompt tokens", "of them read before", "reply tokens"]);
        for calls in &status.calls {
            let tokens = calls.tokens;
            rows.add_row(vec![
                calls.role.clone(),
                calls.calls.to_string(),
                calls.failed.to_string(),
                tokens.input.to_string(),
                tokens.cached.to_string(),
                tokens.output.to_string(),
            ]);
        }
        out.push_str(&format!("{rows}\n"));
    }
    match &status.comparisons {
        Some(c) => out.push_str(&format!("{} of {} comparisons have a verdict", c.n_scored, c.n_total)),
        None => out.push_str("nothing is ranked yet\nnext: `taskgen run`"),
    }
    out
}

/// `taskgen config show`
pub fn config(global: &Global, command: &Config, printer: &Printer) -> Result<u8> {
    let Config::Show = command;
    let project = Project::find(global)?;
    printer.show(&project.loaded.show(), |values| {
        let mut rows = table(&["key", "value", "from"]);
        for shown in values {
            rows.add_row(vec![shown.key.clone(), shown.value.to_string(), shown.origin.clone()]);
        }
        rows.to_string()
    })?;
    Ok(exit::DONE)
}

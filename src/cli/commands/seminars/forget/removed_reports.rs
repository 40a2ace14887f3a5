//! The reports that were taken out of the project into a file: those on tasks that go leave it, the
//! others stay.

use std::{collections::BTreeSet, io::ErrorKind, path::PathBuf};

use anyhow::Result;
use serde::Deserialize;

use crate::{cli::project::Project, data::TaskId, files, text::traces::Traces};

/// Where `reports remove` writes them.
pub const FILE: &str = "reports-removed.jsonl";

/// The file, its lines that go and those that stay.
#[derive(Default)]
pub struct RemovedReports {
    path: PathBuf,
    going: Vec<String>,
    staying: Vec<String>,
}

/// What is read of a line.
#[derive(Deserialize)]
struct Line {
    task: Option<TaskId>,
    #[serde(default)]
    text: Option<String>,
}

impl RemovedReports {
    /// Reads the file. The reports that go are added to the words of the talk.
    pub fn read(project: &Project, tasks: &BTreeSet<TaskId>, traces: &mut Traces) -> Result<Self> {
        let path = project.tasks().join(FILE);
        // What a link leads to is not ours to change.
        files::refuse_link(&path)?;
        let text = match fs_err::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            text => text?,
        };
        let mut removed = Self {
            path,
            ..Self::default()
        };
        for line in text.lines() {
            let read = serde_json::from_str::<Line>(line).ok();
            let is_going = read
                .as_ref()
                .and_then(|read| read.task.as_ref())
                .is_some_and(|task| tasks.contains(task));
            if is_going {
                traces.add(
                    read.and_then(|read| read.text)
                        .as_deref()
                        .unwrap_or_default(),
                );
                removed.going.push(line.to_owned());
            } else {
                removed.staying.push(line.to_owned());
            }
        }
        Ok(removed)
    }

    /// Takes out what holds words of the talk besides.
    pub fn look_for(&mut self, traces: &Traces) {
        let staying = std::mem::take(&mut self.staying);
        for line in staying {
            if traces.are_in(&line) {
                self.going.push(line);
            } else {
                self.staying.push(line);
            }
        }
    }

    /// How many reports go.
    pub fn going(&self) -> usize {
        self.going.len()
    }

    /// Writes the file without them.
    pub fn carry_out(&self) -> Result<()> {
        if self.going.is_empty() {
            return Ok(());
        }
        if self.staying.is_empty() {
            return Ok(files::delete(&self.path)?);
        }
        let mut text = self.staying.join("\n");
        text.push('\n');
        Ok(files::write_whole(&self.path, text.as_bytes())?)
    }
}

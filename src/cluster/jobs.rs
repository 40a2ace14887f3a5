//! The jobs of the last submission: `tasks/cluster/jobs.json`.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::state::StepName;
use crate::files;

/// A submitted job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// What it does.
    pub step: StepName,
    /// Slurm's number for it; of an array, for all of it.
    pub id: u64,
}

/// The jobs of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submitted {
    /// When.
    pub submitted: String,
    /// The number of shards.
    pub shards: u32,
    /// Recordings, or folders of them; all of the project where empty.
    #[serde(default)]
    pub recordings: Vec<String>,
    /// In the order of submission.
    pub jobs: Vec<Job>,
}

impl Submitted {
    /// The last submission, if there was one.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        if !path.is_file() {
            return Ok(None);
        }
        let bytes = fs_err::read(path)?;
        let read = serde_json::from_slice(&bytes).with_context(|| {
            format!(
                "not a list of jobs: `{}`\nhint: remove it if none of them runs any more",
                path.display()
            )
        })?;
        Ok(Some(read))
    }

    /// Keeps it.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        Ok(files::write_whole(path, &text)?)
    }

    /// The numbers of its jobs.
    pub fn ids(&self) -> Vec<u64> {
        self.jobs.iter().map(|job| job.id).collect()
    }
}

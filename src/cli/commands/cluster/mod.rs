//! Commands for clusters: write and submit the jobs of a Slurm cluster, and show how far they are.

mod plan;
mod slurm;
mod status;

use std::path::PathBuf;

use anyhow::Result;

use crate::cli::{
    args::{Cluster, Global},
    project::Project,
    ui::output::Printer,
};

/// Runs one of the commands.
pub fn cluster(global: &Global, command: &Cluster, printer: &Printer) -> Result<u8> {
    match command {
        Cluster::Slurm(args) => slurm::slurm(global, args, printer),
        Cluster::Status => status::status(global, printer),
    }
}

/// The folder of scripts and of what jobs print.
fn folder(project: &Project) -> PathBuf {
    project.tasks().join("cluster")
}

/// The jobs of the last submission.
fn jobs_file(project: &Project) -> PathBuf {
    folder(project).join("jobs.json")
}

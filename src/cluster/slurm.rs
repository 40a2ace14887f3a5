//! Slurm's own commands: submit, look, cancel.

use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, Output, Stdio},
};

use super::{
    jobs::Submitted,
    state::{Accounts, JobState, SACCT_FIELDS, StepName, from_sacct, from_scontrol},
};

/// A command of Slurm's that did not do its job.
#[derive(Debug, thiserror::Error)]
pub enum SlurmError {
    /// It is not on this machine.
    #[error(
        "`{0}` does not start: {1}\nhint: run this on a login node of a cluster with Slurm, or see docs/clusters.md for other schedulers"
    )]
    Missing(String, std::io::Error),
    /// What it said.
    #[error("{0}")]
    Refused(String),
}

/// Submits a script of the project in `folder`, with its arguments; the number of its job. `after`
/// is a condition on other jobs.
pub fn submit(
    folder: &Path,
    script: &str,
    arguments: &[String],
    after: Option<&str>,
) -> Result<u64, SlurmError> {
    let mut command = Command::new("sbatch");
    command.arg("--parsable").current_dir(folder);
    if let Some(after) = after {
        // A condition that cannot come true any more ends the job instead of leaving it.
        command
            .arg(format!("--dependency={after}"))
            .arg("--kill-on-invalid-dep=yes");
    }
    let printed = printed_by(command.arg(script).args(arguments), "sbatch").map_err(explained)?;
    // On one of several clusters: `12;name`.
    let id = printed.trim().split(';').next().unwrap_or_default();
    id.parse().map_err(|_| {
        SlurmError::Refused(format!(
            "sbatch printed no number of a job: `{}`",
            printed.trim()
        ))
    })
}

/// Cancels jobs; what is gone already is no error.
pub fn cancel(ids: &[u64]) {
    // Without a number `scancel` takes the user's variables for what is to be cancelled.
    if ids.is_empty() {
        return;
    }
    let mut command = Command::new("scancel");
    command.args(ids.iter().map(u64::to_string));
    // Nothing can be done about it, and the error that counts is told.
    let _ = output(&mut command);
}

/// The cluster's own word on an array that is too long says nothing of shards.
fn explained(error: SlurmError) -> SlurmError {
    match error {
        SlurmError::Refused(told) if told.contains("Invalid job array") => {
            SlurmError::Refused(format!(
                "{told}\nhint: fewer `--shards`; `scontrol show config` has the most of this cluster, as MaxArraySize"
            ))
        }
        error => error,
    }
}

/// The numbers of the jobs that have not ended and were submitted in `folder`, by whomever and by
/// whatever means, as far as Slurm shows them: a record of ours could lack one. An array is one of
/// them.
pub fn unfinished(folder: &Path) -> Result<BTreeSet<u64>, SlurmError> {
    let names = StepName::ALL.map(StepName::job).join(",");
    let mut squeue = Command::new("squeue");
    squeue.args(["--all", "--noheader", "--format=%F|%Z"]);
    squeue.arg(format!("--name={names}"));
    // What a user wants to see otherwise must hide none of them.
    for narrows in ["STATES", "PARTITION", "USERS", "ACCOUNT"] {
        squeue.env_remove(format!("SQUEUE_{narrows}"));
    }
    let text = printed_by(&mut squeue, "squeue")?;
    let whole = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let here = whole(folder);
    let jobs = text.lines().filter_map(|line| line.split_once('|'));
    let of_folder = jobs.filter(|(_, of)| whole(Path::new(of)) == here);
    Ok(of_folder.filter_map(|(id, _)| id.parse().ok()).collect())
}

/// What Slurm knows of the jobs, and who says so.
pub fn states(submitted: &Submitted) -> Result<(Accounts, Vec<JobState>), SlurmError> {
    let ids: Vec<String> = submitted.ids().iter().map(u64::to_string).collect();
    let mut sacct = Command::new("sacct");
    sacct.args(["--parsable2", "--noheader", "--allocations"]);
    // Without a time only today's jobs are told, but those that are named are told anyway.
    sacct
        .arg(format!("--format={SACCT_FIELDS}"))
        .arg(format!("--jobs={}", ids.join(",")));
    if let Ok(text) = printed_by(&mut sacct, "sacct") {
        let jobs = from_sacct(&text);
        if !jobs.is_empty() {
            return Ok((Accounts::Sacct, jobs));
        }
    }
    Ok((Accounts::Scontrol, from_controller(submitted)?))
}

fn from_controller(submitted: &Submitted) -> Result<Vec<JobState>, SlurmError> {
    let mut jobs = Vec::new();
    for id in submitted.ids() {
        let mut command = Command::new("scontrol");
        command.args(["show", "job", "--oneliner", &id.to_string()]);
        let output =
            output(&mut command).map_err(|error| SlurmError::Missing("scontrol".into(), error))?;
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        // It is forgotten some minutes after its end.
        if output.status.success() {
            jobs.extend(from_scontrol(&String::from_utf8_lossy(&output.stdout)));
        } else if !told.contains("Invalid job id") {
            return Err(SlurmError::Refused(format!("scontrol: {}", told.trim())));
        }
    }
    Ok(jobs)
}

fn output(command: &mut Command) -> std::io::Result<Output> {
    // What it says is read by programs.
    command
        .env("LC_ALL", "C")
        // Otherwise long lists of tasks are cut.
        .env("SLURM_BITSTR_LEN", "0")
        .stdin(Stdio::null())
        .output()
}

/// What a command prints, if it ends well.
fn printed_by(command: &mut Command, name: &str) -> Result<String, SlurmError> {
    let output = output(command).map_err(|error| SlurmError::Missing(name.into(), error))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(SlurmError::Refused(format!("{name}: {}", told.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

//! `taskgen cluster status`: the jobs of the last submission, step by step.

use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde::Serialize;

use super::{folder, jobs_file};
use crate::{
    cli::{
        args::Global,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, count, on_one_line, table},
        },
    },
    cluster::{self, Accounts, Job, JobState, Phase, StepName, Submitted},
    files, transcribe,
};

/// Bytes and lines of what a failed job printed last that are shown.
const TAIL_BYTES: u64 = 4096;
const TAIL_LINES: usize = 12;
/// Failed jobs that are shown with what they printed.
const MOST_SHOWN: usize = 10;

/// How far the jobs are.
#[derive(Serialize)]
struct Status {
    submitted: String,
    /// Who says so.
    source: Accounts,
    steps: Vec<StepStatus>,
    failed: Vec<FailedJob>,
    recordings: usize,
    /// Recordings with a transcript in the project's folder.
    transcribed: usize,
}

/// The jobs of a step by how far they are.
#[derive(Serialize)]
struct StepStatus {
    step: StepName,
    id: u64,
    jobs: usize,
    done: usize,
    running: usize,
    waiting: usize,
    failed: usize,
    /// Jobs that Slurm does not know any more.
    unknown: usize,
}

/// A job that did not end well.
#[derive(Serialize)]
struct FailedJob {
    step: StepName,
    #[serde(flatten)]
    job: JobState,
    /// What it printed last.
    tail: Vec<String>,
}

/// Runs the command.
pub fn status(global: &Global, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let Some(submitted) = Submitted::read(&jobs_file(&project))? else {
        return Err(Usage(
            "nothing was submitted yet\nhint: `taskgen cluster slurm --submit`".into(),
        )
        .into());
    };
    let (source, jobs) = cluster::slurm::states(&submitted)?;
    let paths: Vec<PathBuf> = submitted.recordings.iter().map(PathBuf::from).collect();
    let found = transcribe::discover(&project.seminars(), &paths).unwrap_or_default();
    let transcripts = found.recordings.iter().filter(|recording| {
        transcribe::transcript_path(&project.transcripts(), recording).exists()
    });
    let status = Status {
        source,
        steps: steps(&submitted, &jobs),
        failed: failed(&submitted, jobs, &folder(&project).join("log")),
        recordings: found.recordings.len(),
        transcribed: transcripts.count(),
        submitted: submitted.submitted,
    };
    printer.show(&status, text)?;
    Ok(exit::DONE)
}

fn steps(submitted: &Submitted, jobs: &[JobState]) -> Vec<StepStatus> {
    let of_step = |job: &Job| {
        let all = match job.step {
            StepName::Shards => submitted.shards as usize,
            StepName::Models | StepName::Collect => 1,
        };
        let known = || jobs.iter().filter(|state| state.id == job.id);
        let in_phase = |phase| known().filter(|state| state.phase == phase).count();
        StepStatus {
            step: job.step,
            id: job.id,
            jobs: all,
            done: in_phase(Phase::Done),
            running: in_phase(Phase::Running),
            waiting: in_phase(Phase::Waiting),
            failed: in_phase(Phase::Failed),
            unknown: all.saturating_sub(known().count()),
        }
    };
    submitted.jobs.iter().map(of_step).collect()
}

fn failed(submitted: &Submitted, jobs: Vec<JobState>, log: &Path) -> Vec<FailedJob> {
    let step_of = |id| {
        submitted
            .jobs
            .iter()
            .find(|job| job.id == id)
            .map(|job| job.step)
    };
    let failed = jobs.into_iter().filter(|job| job.phase == Phase::Failed);
    failed
        .filter_map(|job| {
            let step = step_of(job.id)?;
            let name = match job.shard {
                Some(shard) => format!("{}-{shard}.out", step.word()),
                None => format!("{}.out", step.word()),
            };
            let tail = tail(&log.join(name)).unwrap_or_default();
            Some(FailedJob { step, job, tail })
        })
        .collect()
}

/// The last lines of a file.
fn tail(path: &Path) -> Result<Vec<String>> {
    // A project from elsewhere may have a link there, or a pipe that never ends.
    files::refuse_link(path)?;
    anyhow::ensure!(path.is_file(), "no file");
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let from = lines.len().saturating_sub(TAIL_LINES);
    Ok(lines[from..]
        .iter()
        .map(|line| (*line).to_owned())
        .collect())
}

fn text(status: &Status) -> String {
    let mut rows = table(&[
        "step", "job", "jobs", "done", "running", "waiting", "failed", "unknown",
    ]);
    for of in &status.steps {
        let mut row = vec![of.step.word().to_owned(), of.id.to_string()];
        let numbers = [
            of.jobs, of.done, of.running, of.waiting, of.failed, of.unknown,
        ];
        row.extend(numbers.map(|n| n.to_string()));
        rows.add_row(row);
    }
    let source = match status.source {
        Accounts::Sacct => "as `sacct` says",
        Accounts::Scontrol => {
            "as `scontrol` says, since nothing is accounted; it forgets jobs some minutes after their end"
        }
    };
    let mut out = format!("submitted {}, {source}\n{rows}\n", status.submitted);
    for failed in status.failed.iter().take(MOST_SHOWN) {
        out.push_str(&format!("{}\n", of_failed(failed)));
        for line in &failed.tail {
            out.push_str(&format!("    {}\n", on_one_line(line)));
        }
    }
    if status.failed.len() > MOST_SHOWN {
        let more = status.failed.len() - MOST_SHOWN;
        out.push_str(&format!("and {more} more failed: --json has all\n"));
    }
    out.push_str(&format!(
        "{}, {} transcribed",
        count(status.recordings as u64, "recording"),
        status.transcribed
    ));
    out
}

fn of_failed(failed: &FailedJob) -> String {
    let job = &failed.job;
    let mut line = failed.step.word().to_owned();
    if let Some(shard) = job.shard {
        line.push_str(&format!(" {shard}"));
    }
    line.push_str(&format!(": {}", on_one_line(&job.state)));
    match (job.signal, job.exit) {
        (Some(signal), _) => line.push_str(&format!(", signal {signal}")),
        (None, Some(1)) => line.push_str(", exit code 1: some recordings failed"),
        (None, Some(code)) if code != 0 => line.push_str(&format!(", exit code {code}")),
        _ => {}
    }
    if let Some(node) = &job.node {
        line.push_str(&format!(", on {}", on_one_line(node)));
    }
    line
}

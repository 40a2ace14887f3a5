//! `taskgen cluster slurm`: the scripts of the jobs, and their submission.

use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

use super::{folder, jobs_file, plan::plan};
use crate::{
    cli::{
        args::{Global, Slurm as Arguments},
        commands::seminars::transcribe,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, count},
        },
    },
    cluster::{self, Job, Plan, StepName, Submitted, shell},
    files,
    store::{NoLocks, WriteLock},
    transcribe::devices,
};

/// What was written, and perhaps submitted.
#[derive(Serialize)]
struct Written {
    scripts: Vec<PathBuf>,
    recordings: usize,
    shards: u32,
    /// What to type, where nothing was submitted.
    commands: Vec<String>,
    submitted: Option<Submitted>,
}

/// `taskgen cluster slurm`
pub fn slurm(global: &Global, args: &Arguments, printer: &Printer) -> Result<u8> {
    let mut project = Project::find(global)?;
    project.apply_sound(&args.sound);
    let recordings = transcribe::discover(&project, &args.paths)?
        .recordings
        .len();
    let plan = plan(global, args, &project, recordings)?;
    let scripts = cluster::scripts(&plan).map_err(|error| Usage(error.to_string()))?;
    files::create_own_folder(&project.tasks())?;
    files::create_own_folder(&folder(&project))?;
    files::create_own_folder(&folder(&project).join("log"))?;
    let _lock = if args.submit {
        let lock = lock(&project, global.wait)?;
        refuse_while_they_run(&project)?;
        lock
    } else {
        None
    };
    let mut written = Written {
        scripts: Vec::new(),
        recordings,
        shards: plan.shards,
        commands: commands(&plan)?,
        submitted: None,
    };
    for script in &scripts {
        let path = folder(&project).join(format!("{}.sh", script.step.word()));
        files::write_whole(&path, script.text.as_bytes())?;
        written.scripts.push(path);
    }
    if args.submit {
        written.submitted = Some(submit(&project, &plan)?);
    }
    printer.show(&written, text)?;
    if args.gpus > 0 && !devices::ON_CARDS {
        printer.note(
            "this program knows no graphics cards: on nodes that have them, `transcribe` uses the processor\nhint: build it with the feature cuda, hipblas or vulkan",
        );
    }
    Ok(exit::DONE)
}

/// What to type to submit the scripts.
fn commands(plan: &Plan) -> Result<Vec<String>> {
    let folder = shell::quoted(&plan.folder).map_err(|error| Usage(error.to_string()))?;
    let after = "--kill-on-invalid-dep=yes --dependency";
    Ok(vec![
        format!("cd {folder}"),
        "models=$(sbatch --parsable tasks/cluster/models.sh)".into(),
        format!(
            "shards=$(sbatch --parsable {after}=afterok:${{models%%;*}} tasks/cluster/shards.sh)"
        ),
        format!("sbatch {after}=afterany:${{shards%%;*}} tasks/cluster/collect.sh ${{shards%%;*}}"),
    ])
}

/// Two arrays would do the same work side by side.
fn refuse_while_they_run(project: &Project) -> Result<()> {
    let left = cluster::slurm::unfinished(&project.root)?;
    if left.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = left.iter().map(u64::to_string).collect();
    Err(Usage(format!(
        "{} of this project not ended yet: nothing was submitted\nhint: `squeue --jobs={}` shows them, `scancel {}` ends them",
        count(left.len() as u64, "job"),
        ids.join(","),
        ids.join(" ")
    ))
    .into())
}

/// The right to submit, so that two who do it at once do not submit the same work twice.
fn lock(project: &Project, wait: bool) -> Result<Option<WriteLock>> {
    let path = folder(project).join("submit.lock");
    match WriteLock::take(&path, "`taskgen cluster slurm --submit`", wait) {
        Err(error) if error.is::<NoLocks>() => Ok(None),
        lock => lock.map(Some),
    }
}

/// Submits the scripts, each after the one before.
fn submit(project: &Project, plan: &Plan) -> Result<Submitted> {
    let mut submitted = Submitted {
        submitted: jiff::Timestamp::now().to_string(),
        shards: plan.shards,
        recordings: plan.recordings.clone(),
        jobs: Vec::new(),
    };
    for step in StepName::ALL {
        let before = submitted.jobs.last().map(|job| job.id);
        let after = before.map(|id| match step {
            // Without the models no shard can do anything.
            StepName::Models | StepName::Shards => format!("afterok:{id}"),
            // A shard may fail, and the others are collected.
            StepName::Collect => format!("afterany:{id}"),
        });
        // It asks what became of the array.
        let array = before.filter(|_| step == StepName::Collect);
        let arguments: Vec<String> = array.iter().map(u64::to_string).collect();
        let script = format!("tasks/cluster/{}.sh", step.word());
        match cluster::slurm::submit(&project.root, &script, &arguments, after.as_deref()) {
            Ok(id) => submitted.jobs.push(Job { step, id }),
            Err(error) => {
                cluster::slurm::cancel(&submitted.ids());
                return Err(anyhow::Error::new(error).context(format!(
                    "`{script}` was not submitted, nor is what came before"
                )));
            }
        }
        // At once, so that `cluster status` shows what there is.
        submitted.write(&jobs_file(project))?;
    }
    Ok(submitted)
}

fn text(written: &Written) -> String {
    let scripts: Vec<String> = written
        .scripts
        .iter()
        .map(|path| format!("  {}", path.display()))
        .collect();
    let mut out = format!(
        "{} in {}; written\n{}\n",
        count(written.recordings as u64, "recording"),
        count(u64::from(written.shards), "shard"),
        scripts.join("\n")
    );
    match &written.submitted {
        Some(submitted) => {
            let jobs = submitted.jobs.iter();
            let jobs: Vec<String> = jobs
                .map(|job| format!("{} {}", job.step.word(), job.id))
                .collect();
            out.push_str(&format!(
                "submitted: {}\nnext: `taskgen cluster status`",
                jobs.join(", ")
            ));
        }
        None => out.push_str(&format!(
            "next: `taskgen cluster slurm … --submit`, or\n  {}",
            written.commands.join("\n  ")
        )),
    }
    out
}

//! `taskgen prompts list|eject|check`: the templates of all calls, copies of them to edit, and
//! whether copies still fit.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::{
        args::{self, Global},
        project::{Project, resolve},
        ui::{
            exit::{self, Usage},
            output::{Printer, table},
        },
    },
    files,
    llm::Prompts,
};

/// Nothing is fenced here.
const NO_KEY: &str = "";

#[derive(Serialize)]
struct Listed {
    name: String,
    hash: String,
    /// The project's copy, where it has one.
    copy: Option<PathBuf>,
}

#[derive(Serialize)]
struct Checked {
    file: PathBuf,
    /// What is wrong, if anything.
    problem: Option<String>,
}

/// Runs one of the commands.
pub fn prompts(global: &Global, command: &args::Prompts, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    match command {
        args::Prompts::List => list(&project, printer),
        args::Prompts::Eject { name } => eject(&project, name, printer),
        args::Prompts::Check => check(&project, printer),
    }
}

fn list(project: &Project, printer: &Printer) -> Result<u8> {
    let prompts = resolve::prompts(project, NO_KEY);
    let mut listed = Vec::new();
    for name in Prompts::names() {
        let copy = Some(copy_of(project, &name)).filter(|file| file.is_file());
        listed.push(Listed {
            hash: prompts.hash(&name)?,
            copy,
            name,
        });
    }
    printer.show(&listed, |listed| {
        let mut rows = table(&["prompt", "hash", "from"]);
        for prompt in listed {
            let from = prompt
                .copy
                .as_ref()
                .map_or_else(|| "built in".to_owned(), |file| file.display().to_string());
            rows.add_row(vec![
                prompt.name.clone(),
                prompt.hash[..12].to_owned(),
                from,
            ]);
        }
        rows.to_string()
    })?;
    Ok(exit::DONE)
}

fn eject(project: &Project, name: &str, printer: &Printer) -> Result<u8> {
    // Without the project's folder: a copy of a copy would hide what the program has.
    let Ok(text) = Prompts::new(None, NO_KEY).text(name) else {
        return Err(Usage(format!(
            "no such prompt: `{name}`\nhint: `taskgen prompts list` has the names"
        ))
        .into());
    };
    let file = copy_of(project, name);
    if file.exists() {
        return Err(Usage(format!(
            "there is a copy already: `{}`\nhint: edit it, or move it away",
            file.display()
        ))
        .into());
    }
    if let Some(folder) = file.parent() {
        fs_err::create_dir_all(folder)?;
    }
    files::create_new(&file)?.write_all(text.as_bytes())?;
    printer.show(&file, |file| {
        format!(
            "`{}`\nedit it: the calls that it changes are made again, and no others",
            file.display()
        )
    })?;
    Ok(exit::DONE)
}

fn check(project: &Project, printer: &Printer) -> Result<u8> {
    let mut checked = Vec::new();
    for file in markdown(&project.prompts()) {
        let name = file
            .strip_prefix(project.prompts())
            .unwrap_or(&file)
            .with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        let problem = resolve::prompts(project, NO_KEY)
            .check(&name)
            .err()
            .map(|e| format!("{e:#}"));
        checked.push(Checked { file, problem });
    }
    let wrong = checked.iter().any(|checked| checked.problem.is_some());
    printer.show(&checked, |checked| {
        if checked.is_empty() {
            return "no copies here: the built-in prompts are used\nhint: `taskgen prompts eject NAME` copies one"
                .to_owned();
        }
        let line = |c: &Checked| format!("{}: {}", c.file.display(), c.problem.as_deref().unwrap_or("fits"));
        checked.iter().map(line).collect::<Vec<_>>().join("\n")
    })?;
    Ok(if wrong { exit::SOME_FAILED } else { exit::DONE })
}

fn copy_of(project: &Project, name: &str) -> PathBuf {
    project.prompts().join(format!("{name}.md"))
}

/// Every Markdown file one level down, sorted: a stage's folder holds its calls.
fn markdown(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = entries(folder)
        .iter()
        .flat_map(|stage| entries(stage))
        .collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "md"));
    files.sort();
    files
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs_err::read_dir(folder)
        .map(|entries| entries.flatten().map(|e| e.path()).collect())
        .unwrap_or_default()
}

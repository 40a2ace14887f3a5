//! `taskgen init`: a folder becomes a project.

use std::{io::Write as _, path::PathBuf};

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::{
    cli::{
        args::Global,
        project::config,
        ui::{
            exit::{self, Usage},
            output::Printer,
        },
    },
    files,
};

#[derive(Serialize)]
struct Made {
    project: PathBuf,
    created: Vec<PathBuf>,
}

/// Writes `taskgen.toml` and the folders; what is there already stays.
pub fn init(global: &Global, folder: Option<PathBuf>, printer: &Printer) -> Result<u8> {
    let folder = folder
        .or_else(|| global.project.clone())
        .unwrap_or_else(|| PathBuf::from("."));
    if folder.exists() && !folder.is_dir() {
        return Err(Usage(format!(
            "not a folder: `{}`\nhint: name a folder, which may be a new one",
            folder.display()
        ))
        .into());
    }
    let mut created = Vec::new();
    for name in ["seminars", "transcripts", "tasks"] {
        let path = folder.join(name);
        if !path.is_dir() {
            fs_err::create_dir_all(&path)
                .context("cannot make the folder\nhint: name a place that you may write to")?;
            created.push(path);
        }
    }
    let file = folder.join(config::FILE);
    // A second `init` mends what is missing and overwrites nothing.
    if !file.exists() {
        files::create_new(&file)?.write_all(config::TEMPLATE.as_bytes())?;
        created.push(file);
    }
    printer.show(
        &Made {
            project: folder,
            created,
        },
        |made| {
            if made.created.is_empty() {
                return format!("`{}` is a project already", made.project.display());
            }
            let list: Vec<String> = made
                .created
                .iter()
                .map(|p| format!("  {}", p.display()))
                .collect();
            format!(
                "created\n{}\nnext: put recordings into `{}`, then `taskgen run`",
                list.join("\n"),
                made.project.join("seminars").display()
            )
        },
    )?;
    Ok(exit::DONE)
}

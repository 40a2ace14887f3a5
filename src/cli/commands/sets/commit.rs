//! `taskgen tasks commit|reveal|verify`: a hash before the tasks are published, and what shows
//! later that they are the ones.

use std::{collections::BTreeSet, path::Path};

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::{
    cli::{
        args::{Global, Reveal, Verify},
        commands::{sets, tasks::not_one},
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, count},
        },
    },
    files,
    report::export::commitment::{self, Checked, Commitment, Revealed},
    store::FrozenSet,
};

/// Most bytes of a file of revealed tasks; it is held in memory.
const MOST_BYTES: u64 = 500_000_000;

/// Runs `tasks commit`.
pub fn commit(global: &Global, set: &str, printer: &Printer) -> Result<u8> {
    let store = Project::find(global)?.read_or_hint()?;
    let set = sets::frozen(&store, Some(set))?;
    printer.show(&commitment::commitment(&set)?, |of: &Commitment| {
        format!(
            "{}\ncommitment to {} of `{}`; it says nothing about them\nnext: publish it, and later the file of `taskgen tasks reveal {}`",
            of.commitment,
            count(of.lines as u64, "line"),
            of.set,
            of.set
        )
    })?;
    Ok(exit::DONE)
}

#[derive(Serialize)]
struct Written<'a> {
    set: &'a str,
    revealed: usize,
    lines: usize,
    file: &'a Path,
}

/// Runs `tasks reveal`.
pub fn reveal(global: &Global, args: &Reveal, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let set = sets::frozen(&store, Some(&args.set))?;
    let wanted = wanted(&set, &args.task)?;
    let revealed = commitment::reveal(&set, |id| wanted.is_empty() || wanted.contains(id))?;
    let mut text = serde_json::to_string_pretty(&revealed)?;
    text.push('\n');
    let file = format!("{}.reveal.json", sets::file_name(&set));
    let path = args
        .output
        .clone()
        .unwrap_or_else(|| project.tasks().join(file));
    files::write_whole(&path, text.as_bytes())
        .context("cannot write the tasks\nhint: choose another place with --output")?;
    let written = Written {
        set: &revealed.set,
        revealed: revealed.revealed.len(),
        lines: revealed.leaves.len(),
        file: &path,
    };
    printer.show(&written, |of| {
        format!(
            "{} of {} of `{}` written to `{}`\nnext: whoever has the commitment checks them by `taskgen tasks verify FILE --commitment HASH`",
            of.revealed,
            count(of.lines as u64, "line"),
            of.set,
            of.file.display()
        )
    })?;
    Ok(exit::DONE)
}

/// The members that ids, or beginnings of ids, name.
fn wanted<'a>(set: &'a FrozenSet, asked: &[String]) -> Result<BTreeSet<&'a str>> {
    let mut wanted = BTreeSet::new();
    for asked in asked {
        // Whatever is named is published: it must be one.
        let ids = set.members.iter().map(|member| member.task.as_str());
        let named: Vec<&str> = ids.filter(|id| id.starts_with(asked.as_str())).collect();
        let [id] = named.as_slice() else {
            return Err(not_one(asked, &named).into());
        };
        wanted.insert(*id);
    }
    Ok(wanted)
}

/// Runs `tasks verify`, which needs no project.
pub fn verify(args: &Verify, printer: &Printer) -> Result<u8> {
    let checked = commitment::check(&read(&args.file)?, &args.commitment);
    printer.show(&checked, verdict)?;
    Ok(if checked.holds() {
        exit::DONE
    } else {
        exit::SOME_FAILED
    })
}

fn read(path: &Path) -> Result<Revealed> {
    let hint = "hint: the file is what `taskgen tasks reveal` writes";
    let bad = |why: String| Usage(format!("cannot read `{}`: {why}\n{hint}", path.display()));
    let size = std::fs::metadata(path)
        .map_err(|e| bad(e.to_string()))?
        .len();
    if size > MOST_BYTES {
        return Err(bad(format!("it is over {} MB", MOST_BYTES / 1_000_000)).into());
    }
    let bytes = std::fs::read(path).map_err(|e| bad(e.to_string()))?;
    Ok(serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?)
}

fn verdict(of: &Checked) -> String {
    if let Some(why) = of.malformed {
        return format!("NOT kept: the file is no reveal of tasks: {why}");
    }
    let mut text = if of.holds() {
        format!(
            "kept: {} of {} of `{}` revealed, and these are what was committed to",
            of.kept,
            count(of.lines as u64, "line"),
            of.set
        )
    } else {
        format!(
            "NOT kept: nothing shows that `{}` is what was committed to",
            of.set.escape_debug()
        )
    };
    if !of.leaves_kept {
        text.push_str("\nthe leaves are not those of this commitment");
    }
    if !of.broken.is_empty() {
        let places: Vec<String> = of.broken.iter().map(ToString::to_string).collect();
        text.push_str(&format!(
            "\nchanged since, by place from 0: {}",
            places.join(", ")
        ));
    }
    text
}

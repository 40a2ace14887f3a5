//! What `seminars forget` says to people.

use std::path::Path;

use super::{
    Forgot,
    files::Why,
    words::{Related, Relation},
};
use crate::{
    cli::{
        project::Project,
        ui::output::{count, on_one_line},
    },
    data::SeminarId,
};

/// A file's path in the project.
pub fn inside(project: &Project, path: &Path) -> String {
    let inside = path.strip_prefix(&project.root).unwrap_or(path);
    inside.display().to_string()
}

/// What goes, or what went.
pub fn plan(forgot: &Forgot) -> String {
    let mut lines = vec![format!(
        "{}: {}",
        if forgot.done {
            "forgotten"
        } else {
            "to be forgotten"
        },
        on_one_line(&format!("{} {}", forgot.paths.join(", "), forgot.seminar))
    )];
    lines.extend(along(forgot));
    lines.push(counts(forgot));
    lines.extend(by_words(forgot));
    lines.extend(files(forgot));
    lines.extend(sets(forgot));
    lines.extend(what_stays(forgot));
    lines.join("\n")
}

fn along(forgot: &Forgot) -> Option<String> {
    let ids: Vec<&str> = forgot.along.iter().map(SeminarId::as_str).collect();
    (!ids.is_empty()).then(|| {
        format!(
            "with it: {} (the same path, or the same words where the file was replaced)",
            ids.join(", ")
        )
    })
}

/// What quotes the talk though it was written for others.
fn by_words(forgot: &Forgot) -> Vec<String> {
    let line = |of: &crate::store::ByWords| {
        let noun = match of.kind.as_str() {
            "task" => "question",
            "document" => "report on another task",
            "reference" => "checklist",
            "key_point" => "key point",
            kind => kind,
        };
        format!("  {noun} {} holds words of it", on_one_line(&of.id))
    };
    forgot.by_words.iter().map(line).collect()
}

fn counts(forgot: &Forgot) -> String {
    let some = forgot.counts.going().into_iter().filter(|(n, _)| *n > 0);
    let counts: Vec<String> = some.map(|(n, noun)| count(n, noun)).collect();
    let verb = if forgot.done { "removed" } else { "goes" };
    if counts.is_empty() {
        return format!("{verb}: nothing in the database");
    }
    format!("{verb}: {}", counts.join(", "))
}

fn files(forgot: &Forgot) -> Vec<String> {
    let mut lines = Vec::new();
    if !forgot.files.is_empty() {
        lines.push(format!("{}:", count(forgot.files.len() as u64, "file")));
    }
    for file in &forgot.files {
        lines.push(format!(
            "  {} ({})",
            on_one_line(&file.path),
            file.why.text()
        ));
    }
    if forgot.files.iter().any(|file| file.why == Why::Words) {
        lines.push(
            "  pages and exports that hold other talks, too, go whole: make them anew".to_owned(),
        );
    }
    if forgot.removed_reports > 0 {
        let reports = count(forgot.removed_reports as u64, "report");
        lines.push(format!("  tasks/reports-removed.jsonl: {reports}"));
    }
    lines
}

fn sets(forgot: &Forgot) -> Vec<String> {
    let of_set = |set: &crate::store::SetChange| {
        let next = match &set.next {
            Some(next) => format!(", `{next}` has the others"),
            None => String::new(),
        };
        format!(
            "set `{}`: {} withdrawn{next}",
            set.set,
            count(set.withdrawn, "task")
        )
    };
    forgot.sets.iter().map(of_set).collect()
}

fn related(of: &Related) -> String {
    let name = on_one_line(&format!("{} {}", of.name, of.id));
    match of.why {
        Relation::Alike => {
            format!("the same talk seems to be in {name}: forget it, too, or its words stay there")
        }
        Relation::MaybeEarlier => {
            format!("{name} may have been at this path before: forget it, too, if it was")
        }
    }
}

/// What is not touched, and whose it is.
fn what_stays(forgot: &Forgot) -> Vec<String> {
    let mut lines: Vec<String> = forgot.related.iter().map(related).collect();
    let comparisons = forgot.counts.comparisons_kept;
    if comparisons > 0 {
        lines.push(format!(
            "{} without reasons: the ratings of other tasks rest on them",
            match comparisons {
                1 => "1 comparison stays".to_owned(),
                n => format!("{n} comparisons stay"),
            }
        ));
    }
    for left in &forgot.left {
        lines.push(format!(
            "not touched: {} ({})",
            on_one_line(&left.path),
            left.reason
        ));
    }
    for folder in &forgot.repositories {
        let folder = if folder.is_empty() { "." } else { folder };
        lines.push(format!(
            "not touched: the history of the Git repository `{}`",
            on_one_line(folder)
        ));
    }
    if forgot.recordings.is_empty() {
        return lines;
    }
    let recordings = on_one_line(&forgot.recordings.join(", "));
    lines.push(match (forgot.with_recording, forgot.done) {
        (false, _) => format!("the recording is yours to delete: {recordings}"),
        (true, false) => format!("the recording goes, too: {recordings}"),
        (true, true) => format!("the recording was deleted: {recordings}"),
    });
    lines
}

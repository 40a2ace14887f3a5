//! `taskgen tasks select`: the best tasks as a named set, without copies and within quotas, and
//! what that gave up.

use std::collections::BTreeSet;

use anyhow::Result;
use serde::Serialize;

use super::diversity;
use crate::{
    cli::{
        args::{self, Global},
        commands::rank::report,
        project::{Project, similarity},
        ui::{
            exit::{self, Usage},
            output::{Printer, table},
        },
    },
    data::{ItemId, Task, TaskId},
    rank::{
        quota,
        select::{Options, Placed, Selection, Shortage, best_first, select},
    },
    similarity::Encoding,
    store::Store,
};

/// Longest lists that are printed; `--json` has all.
const SHOWN: usize = 20;

#[derive(Serialize)]
struct Selected<'a> {
    set: &'a str,
    version: u32,
    /// By what meanings were compared; none where only words were.
    meaning: Option<Encoding>,
    /// Left out because a probe flags them.
    flagged: BTreeSet<String>,
    /// Current tasks that joined after the ranking.
    unranked: usize,
    /// What the ranking's card warns of.
    warnings: &'a [String],
    #[serde(flatten)]
    selection: &'a Selection,
}

/// Runs the command.
pub fn run(global: &Global, args: &args::Selection, printer: &Printer) -> Result<u8> {
    let args::Selection {
        top,
        similarity: near,
        unflagged,
        ..
    } = *args;
    let name = args.name.as_str();
    if top == 0 || near.is_nan() || near <= 0.0 {
        let hint = "hint: --similarity 0.7 is usual, and above 1 nothing is a copy";
        return Err(Usage(format!(
            "--top must be at least 1 and --similarity above 0: `{top}`, `{near}`\n{hint}"
        ))
        .into());
    }
    if name.trim().is_empty() {
        return Err(Usage("the set needs a name\nhint: --name NAME".into()).into());
    }
    let quotas = args
        .quota
        .iter()
        .map(|text| quota::parse(text).map_err(Usage))
        .collect::<Result<Vec<_>, _>>()?;
    let project = Project::find(global)?;
    let store = project.write(global)?;
    let tasks = store.tasks()?;
    let flagged = if unflagged {
        flagged(&store, &tasks)?
    } else {
        BTreeSet::new()
    };
    let ranking = report::newest(&store)?;
    let (ranked, unranked) = tasks
        .iter()
        .partition::<Vec<&Task>, _>(|task| ranking.items.contains(&ItemId::from(&task.id)));
    let there = ranked
        .iter()
        .filter(|task| !flagged.contains(task.id.as_str()))
        .count();
    let wanted = top.min(there.max(1));
    // Who is among the best 20 is another question than who is among the best 100.
    let ranked = report::ranked(&store, Some(wanted))?;
    if ranked.card.n_scored == 0 {
        return Err(
            Usage("nothing was judged yet\nhint: `taskgen rank --retry-failed`".into()).into(),
        );
    }
    let mut candidates = ranked.candidates();
    candidates.retain(|candidate| !flagged.contains(&candidate.id));
    candidates.sort_by(best_first);
    for quota in &quotas {
        quota
            .unknown(candidates.iter().map(|of| &of.facets))
            .iter()
            .for_each(|unknown| printer.note(unknown));
    }
    let options = Options {
        top: wanted,
        near,
        quotas,
    };
    let texts: Vec<&str> = candidates
        .iter()
        .map(|candidate| candidate.text.as_str())
        .collect();
    let meaning = if near > 1.0 {
        None
    } else {
        similarity::meaning(global, &project, &texts, printer)?
    };
    let selection = select(&candidates, meaning.as_ref(), &options);
    if selection.chosen.is_empty() {
        return Err(Usage(why_empty(&selection, flagged.len())).into());
    }
    let ids: Vec<TaskId> = selection
        .chosen
        .iter()
        .map(|placed| TaskId::from_stored(placed.id.clone()))
        .collect();
    let version = store.save_task_set(name, &ids)?;
    let warnings = report::warnings(&ranked.card);
    let (unranked, warnings) = (unranked.len(), warnings.as_slice());
    let selected = Selected {
        set: name,
        version,
        meaning: meaning.map(|meaning| meaning.by),
        flagged,
        unranked,
        warnings,
        selection: &selection,
    };
    printer.show(&selected, |selected| text(selected))?;
    if there < top {
        printer.note(&format!(
            "{top} were asked for, and there are {there} tasks"
        ));
    }
    if unranked > 0 {
        printer.note(&format!(
            "{unranked} tasks are not in this ranking\nhint: `taskgen rank`"
        ));
    }
    store.end_run(&jiff::Timestamp::now().to_string(), exit::DONE)?;
    Ok(exit::DONE)
}

/// Why nothing could be chosen.
fn why_empty(selection: &Selection, flagged: usize) -> String {
    let hint = "nothing is saved; `taskgen tasks list` shows the tasks";
    let caps: BTreeSet<String> = selection
        .unfilled
        .iter()
        .flat_map(|of| of.by.iter().map(ToString::to_string))
        .collect();
    if caps.is_empty() {
        let why = if flagged > 0 {
            "probes flag all ranked tasks"
        } else {
            "no current task is in the ranking"
        };
        return format!("no task can be chosen: {why}\nhint: {hint}");
    }
    let caps: Vec<String> = caps.iter().map(|cap| format!("`{cap}`")).collect();
    format!(
        "no task can be chosen: {} bars all\nhint: {hint}",
        caps.join(", ")
    )
}

/// Ids of those `tasks` that a probe flags.
fn flagged(store: &Store, tasks: &[Task]) -> Result<BTreeSet<String>> {
    let mut findings = store.findings()?;
    findings.retain(|_, of| of.iter().any(|finding| finding.outcome.flags()));
    Ok(tasks
        .iter()
        .filter(|task| findings.contains_key(&task.id))
        .map(|task| task.id.to_string())
        .collect())
}

fn text(selected: &Selected<'_>) -> String {
    let selection = selected.selection;
    let mut rows = table(&["#", "task", "P(top)", "strength", "standing"]);
    for placed in selection.chosen.iter().take(SHOWN) {
        rows.add_row(row(placed));
    }
    let mut out = format!("{rows}\n");
    if selection.chosen.len() > SHOWN {
        out.push_str(&format!(
            "and {} more (`--json` lists all)\n",
            selection.chosen.len() - SHOWN
        ));
    }
    if !selected.flagged.is_empty() {
        let n = selected.flagged.len();
        out.push_str(&format!(
            "left out: {n} that probes flag (`taskgen tasks list --flagged`)\n"
        ));
    }
    for copy in &selection.duplicates {
        let how = diversity::how(copy.by, copy.likeness, copy.cosine);
        out.push_str(&format!(
            "left out: {} is a copy of {} by {how}\n",
            copy.id, copy.copy_of
        ));
    }
    if !selection.borderline.is_empty() {
        out.push_str(&format!(
            "borderline, for people to look at: {}\n",
            listed(&selection.borderline)
        ));
    }
    if !selection.pushed_out.is_empty() {
        out.push_str(&format!(
            "pushed out by quotas: {}\n",
            listed(&selection.pushed_out)
        ));
        if !selection.came_in.is_empty() {
            out.push_str(&format!(
                "came in instead: {}\n",
                listed(&selection.came_in)
            ));
        }
        out.push_str(&format!(
            "the quotas give up {:.2} of the best, expectedly\n",
            selection.given_up
        ));
    }
    for unfilled in &selection.unfilled {
        let what = unfilled
            .quota
            .as_ref()
            .map_or_else(|| "the selection".to_owned(), ToString::to_string);
        let why = match unfilled.cause {
            Shortage::TooFew => "there are no more",
            Shortage::Capped => "caps bar the rest",
            Shortage::NoRoom => "there is no room for more",
        };
        out.push_str(&format!(
            "{what}: only {} of {}: {why}\n",
            unfilled.found, unfilled.wanted
        ));
    }
    selected
        .warnings
        .iter()
        .for_each(|warning| out.push_str(&format!("WARNING: {warning}\n")));
    let recall = selection
        .expected_recall
        .map_or_else(String::new, |r| format!(", expected recall {r:.2}"));
    out.push_str(&format!(
        "{} tasks in set `{}`, version {}{recall}",
        selection.chosen.len(),
        selected.set,
        selected.version
    ));
    out
}

fn listed(placed: &[Placed]) -> String {
    let ids: Vec<String> = placed
        .iter()
        .take(SHOWN)
        .map(|of| format!("{} {:.2}", of.id, of.membership))
        .collect();
    let more = if placed.len() > SHOWN { " …" } else { "" };
    format!("{}{more}", ids.join(", "))
}

fn row(placed: &Placed) -> Vec<String> {
    vec![
        placed.place.to_string(),
        placed.id.clone(),
        format!("{:.2}", placed.membership),
        format!(
            "{:+.2} [{:+.2}, {:+.2}]",
            placed.strength, placed.low, placed.high
        ),
        placed.standing.word().to_owned(),
    ]
}

//! `taskgen tasks select`: the best tasks as a named set, without copies and within quotas, and the
//! cost of both.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;

use super::diversity;
use crate::{
    cli::{
        args::{self, Global},
        commands::{rank::report, sets},
        project::{Project, similarity},
        ui::{
            exit::{self, Usage},
            output::{Printer, count, table},
        },
    },
    data::{Curated, ItemId, Origin, Standing, Task, TaskDecision, TaskId},
    rank::{
        quota,
        select::{Candidate, Options, Placed, Selection, Shortage, Unfilled, best_first, select},
    },
    report::{
        export::records,
        listing::{self, Listed},
        ranking,
    },
    similarity::{Encoding, Meaning},
    store::{Ranking, Store},
    weave::disciplines::Disciplines,
};

/// Longest lists that are printed; `--json` has all.
const SHOWN: usize = 20;

/// The pool of candidates.
struct Pool {
    /// Best first, without flagged ones.
    candidates: Vec<Candidate>,
    /// Ranked tasks that no probe flags.
    there: usize,
    /// How many to choose.
    wanted: usize,
    /// Ids of tasks that a probe flags, where these are left out.
    flagged: BTreeSet<String>,
    /// What people decided.
    curation: Curation,
    /// Current tasks that joined after the ranking.
    unranked: usize,
    /// Warnings of the ranking's audit card.
    warnings: Vec<String>,
}

/// What people decided of the current tasks.
#[derive(Default, Serialize)]
struct Curation {
    /// Left out because people rejected them.
    rejected: BTreeSet<String>,
    /// Left out because people disagree on them.
    disputed: BTreeSet<String>,
    /// Chosen because somebody pinned them and no majority is against it.
    pinned: BTreeSet<String>,
}

impl Curation {
    fn read(store: &Store, tasks: &[Task]) -> Result<Self> {
        let mut curation = Self::default();
        let decisions = store.task_decisions()?;
        for task in tasks {
            let of_task = decisions.get(&task.id).map_or(&[][..], Vec::as_slice);
            let is_pinned = of_task.iter().any(|of| of.verdict == Curated::Pinned);
            let ids = match TaskDecision::standing(of_task) {
                Standing::Rejected => &mut curation.rejected,
                Standing::Disputed => &mut curation.disputed,
                Standing::Accepted if is_pinned => &mut curation.pinned,
                Standing::Accepted | Standing::Open => continue,
            };
            ids.insert(task.id.to_string());
        }
        Ok(curation)
    }

    fn bars(&self, id: &str) -> bool {
        self.rejected.contains(id) || self.disputed.contains(id)
    }
}

#[derive(Serialize)]
struct Selected<'a> {
    set: &'a str,
    version: u32,
    /// By what meanings were compared; none where only words were.
    meaning: Option<Encoding>,
    /// Left out because a probe flags them.
    flagged: BTreeSet<String>,
    /// What people decided.
    #[serde(flatten)]
    curation: Curation,
    /// Current tasks that joined after the ranking.
    unranked: usize,
    /// Warnings of the ranking's audit card.
    warnings: Vec<String>,
    #[serde(flatten)]
    selection: &'a Selection,
    /// What exchanges tasks: quotas, pins, or both.
    #[serde(skip)]
    by: &'static str,
}

/// Runs the command.
pub fn run(global: &Global, args: &args::Selection, printer: &Printer) -> Result<u8> {
    check(args)?;
    let quotas = args
        .quota
        .iter()
        .map(|text| quota::parse(text).map_err(Usage))
        .collect::<Result<Vec<_>, _>>()?;
    let project = Project::find(global)?;
    let store = project.write(global)?;
    check_name(&store, &args.name)?;
    let pool = pool(&store, args)?;
    for quota in &quotas {
        quota
            .unknown(pool.candidates.iter().map(|of| &of.facets))
            .iter()
            .for_each(|unknown| printer.note(unknown));
    }
    let meaning = meaning(global, &project, &pool.candidates, args, printer)?;
    let options = Options {
        top: pool.wanted,
        near: args.similarity,
        quotas,
        pinned: pool.curation.pinned.clone(),
    };
    let by = match (options.quotas.is_empty(), options.pinned.is_empty()) {
        (true, false) => "what is pinned",
        (false, false) => "quotas and what is pinned",
        (_, true) => "quotas",
    };
    let selection = select(&pool.candidates, meaning.as_ref(), &options);
    if selection.chosen.is_empty() {
        return Err(Usage(why_empty(&selection, pool.flagged.len())).into());
    }
    let selected = Selected {
        set: &args.name,
        version: save(&project, &store, &args.name, &selection)?,
        meaning: meaning.map(|meaning| meaning.by),
        flagged: pool.flagged,
        curation: pool.curation,
        unranked: pool.unranked,
        warnings: pool.warnings,
        selection: &selection,
        by,
    };
    printer.show(&selected, |selected| text(selected))?;
    if pool.there < args.top {
        printer.note(&format!(
            "{} were asked for, and there {} {}",
            args.top,
            if pool.there == 1 { "is" } else { "are" },
            count(pool.there as u64, "task")
        ));
    }
    if selection.chosen.len() > args.top {
        printer.note(&format!("{} were asked for, and more are pinned", args.top));
    }
    if pool.unranked > 0 {
        printer.note(&format!(
            "not in this ranking: {}\nhint: `taskgen rank`",
            count(pool.unranked as u64, "task")
        ));
    }
    store.end_run(&jiff::Timestamp::now().to_string(), exit::DONE)?;
    Ok(exit::DONE)
}

fn check(args: &args::Selection) -> Result<(), Usage> {
    let (top, near) = (args.top, args.similarity);
    if top == 0 || near.is_nan() || near <= 0.0 {
        let hint = "hint: --similarity 0.7 is usual, and above 1 nothing is a copy";
        return Err(Usage(format!(
            "--top must be at least 1 and --similarity above 0: `{top}`, `{near}`\n{hint}"
        )));
    }
    sets::check_name(&args.name, "--name")
}

/// Refuses the name of an imported set: a second import looks for the set under its name.
fn check_name(store: &Store, name: &str) -> Result<()> {
    let tasks = store.tasks()?;
    let is_imported = tasks
        .iter()
        .any(|task| matches!(&task.origin, Origin::Imported(from) if from.benchmark == name));
    if is_imported {
        return Err(Usage(format!(
            "`{name}` is an imported set\nhint: choose another --name"
        ))
        .into());
    }
    Ok(())
}

/// The tasks to choose from, by the newest ranking.
fn pool(store: &Store, args: &args::Selection) -> Result<Pool> {
    let tasks = store.tasks()?;
    let flagged = if args.unflagged {
        flagged(store, &tasks)?
    } else {
        BTreeSet::new()
    };
    let curation = Curation::read(store, &tasks)?;
    let ranking = report::newest(store)?;
    let (ranked, unranked) = tasks
        .iter()
        .partition::<Vec<&Task>, _>(|task| ranking.items.contains(&ItemId::from(&task.id)));
    let is_there = |task: &&&Task| {
        let id = task.id.as_str();
        curation.pinned.contains(id) || !flagged.contains(id) && !curation.bars(id)
    };
    let (pinned, unranked): (Vec<&Task>, Vec<&Task>) = unranked
        .into_iter()
        .partition(|task| curation.pinned.contains(task.id.as_str()));
    let there = ranked.iter().filter(is_there).count() + pinned.len();
    let wanted = args.top.min(there.max(1));
    // Who is among the best 20 is another question than who is among the best 100.
    let ranked = report::ranked(store, Some(wanted))?;
    if ranked.card.n_scored == 0 {
        let message = "nothing was judged yet\nhint: `taskgen rank --retry-failed`";
        return Err(Usage(message.into()).into());
    }
    let mut candidates = ranked.candidates();
    candidates.retain(|candidate| {
        let is_pinned = curation.pinned.contains(&candidate.id);
        is_pinned || !flagged.contains(&candidate.id) && !curation.bars(&candidate.id)
    });
    candidates.extend(pinned_unranked(store, &curation, &ranking)?);
    candidates.sort_by(best_first);
    Ok(Pool {
        candidates,
        there,
        wanted,
        flagged,
        curation,
        unranked: unranked.len(),
        warnings: ranking::warnings(&ranked.card),
    })
}

/// What is pinned and has no place in the ranking yet.
fn pinned_unranked(
    store: &Store,
    curation: &Curation,
    ranking: &Ranking,
) -> Result<Vec<Candidate>> {
    let is_ranked = |id: &TaskId| ranking.items.contains(&ItemId::from(id));
    if curation.pinned.is_empty() {
        return Ok(Vec::new());
    }
    let mut listed = listing::read(store)?.tasks;
    listed.retain(|of| curation.pinned.contains(of.task.id.as_str()) && !is_ranked(&of.task.id));
    let unranked = listed.iter().map(|of| Candidate {
        id: of.task.id.to_string(),
        text: of.task.text.clone(),
        facets: ranking::facets(of),
        membership: 0.0,
        elo: None,
        strength: f64::NEG_INFINITY,
        low: f64::NEG_INFINITY,
        high: f64::NEG_INFINITY,
    });
    Ok(unranked.collect())
}

/// The vectors of the candidates, if meanings are compared.
fn meaning(
    global: &Global,
    project: &Project,
    candidates: &[Candidate],
    args: &args::Selection,
    printer: &Printer,
) -> Result<Option<Meaning>> {
    // No likeness reaches it: nothing is a copy.
    if args.similarity > 1.0 {
        return Ok(None);
    }
    let texts: Vec<&str> = candidates
        .iter()
        .map(|candidate| candidate.text.as_str())
        .collect();
    similarity::meaning(global, project, &texts, printer)
}

/// Freezes the chosen tasks, with their translations, as a set; its version.
fn save(project: &Project, store: &Store, name: &str, selection: &Selection) -> Result<u32> {
    let mut listing = listing::read(store)?;
    let places: BTreeMap<&str, usize> = selection
        .chosen
        .iter()
        .map(|placed| (placed.id.as_str(), placed.place))
        .collect();
    let place = |listed: &Listed| places.get(listed.task.id.as_str()).copied();
    listing.tasks.retain(|listed| place(listed).is_some());
    listing.tasks.sort_by_key(|listed| place(listed));
    let records = records::of_listing(store, &listing, &Disciplines::load(&project.root)?)?;
    let lines = records.iter().map(records::line);
    store.freeze_set(name, &lines.collect::<Result<Vec<_>>>()?)
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
    let mut out = vec![rows.to_string()];
    if selection.chosen.len() > SHOWN {
        let more = selection.chosen.len() - SHOWN;
        out.push(format!("and {more} more (`--json` lists all)"));
    }
    if !selected.flagged.is_empty() {
        let n = selected.flagged.len();
        out.push(format!(
            "left out: {n} that probes flag (`taskgen tasks list --flagged`)"
        ));
    }
    for (ids, what) in [
        (&selected.curation.rejected, "people rejected"),
        (&selected.curation.disputed, "people disagree on"),
    ] {
        if !ids.is_empty() {
            let n = ids.len();
            out.push(format!(
                "left out: {n} that {what} (`taskgen tasks list` shows it)"
            ));
        }
    }
    for copy in &selection.duplicates {
        let how = diversity::how(copy.by, copy.likeness, copy.cosine);
        out.push(format!(
            "left out: {} is a copy of {} by {how}",
            copy.id, copy.copy_of
        ));
    }
    if !selection.borderline.is_empty() {
        out.push(format!(
            "borderline, for people to look at: {}",
            listed(&selection.borderline)
        ));
    }
    out.extend(cost_of_quotas(selection, selected.by));
    out.extend(selection.unfilled.iter().map(shortage));
    out.extend(
        selected
            .warnings
            .iter()
            .map(|warning| format!("WARNING: {warning}")),
    );
    let pinned = selection.chosen.iter().filter(|of| of.pinned).count();
    if pinned > 0 {
        out.push(format!("pinned among the chosen: {pinned}"));
    }
    let recall = selection
        .expected_recall
        .map_or_else(String::new, |r| format!(", expected recall {r:.2}"));
    out.push(format!(
        "{} in set `{}`, version {}{recall}",
        count(selection.chosen.len() as u64, "task"),
        selected.set,
        selected.version
    ));
    out.join("\n")
}

/// Which tasks quotas and pins exchanged, and what that costs.
fn cost_of_quotas(selection: &Selection, by: &str) -> Vec<String> {
    if selection.pushed_out.is_empty() {
        return Vec::new();
    }
    let mut out = vec![format!(
        "pushed out by {by}: {}",
        listed(&selection.pushed_out)
    )];
    if !selection.came_in.is_empty() {
        out.push(format!("came in instead: {}", listed(&selection.came_in)));
    }
    out.push(format!(
        "that costs an expected {:.2} of the best",
        selection.given_up
    ));
    out
}

/// A quota, or the selection, that could not be filled, and why.
fn shortage(unfilled: &Unfilled) -> String {
    let what = unfilled
        .quota
        .as_ref()
        .map_or_else(|| "the selection".to_owned(), ToString::to_string);
    let why = match unfilled.cause {
        Shortage::TooFew => "there are no more",
        Shortage::Capped => "caps bar the rest",
        Shortage::NoRoom => "there is no room for more",
    };
    format!(
        "{what}: only {} of {}: {why}",
        unfilled.found, unfilled.wanted
    )
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
        if placed.strength.is_finite() {
            format!(
                "{:+.2} [{:+.2}, {:+.2}]",
                placed.strength, placed.low, placed.high
            )
        } else {
            "not ranked".to_owned()
        },
        if placed.pinned {
            format!("{}, pinned", placed.standing.word())
        } else {
            placed.standing.word().to_owned()
        },
    ]
}

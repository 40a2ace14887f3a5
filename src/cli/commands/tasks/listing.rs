//! `taskgen tasks list|show`: the tasks, best first, and the way back to the second of the recording.

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::{NO_TASKS, difficulty, export, import, not_one, select};
use crate::{
    cli::{
        args::{Global, Tasks},
        commands::sets,
        project::Project,
        ui::{
            exit,
            output::{Printer, in_brackets, lines},
        },
    },
    data::{Difficulty, Finding, FromFile, Inspiration, Origin, Phase, Task, TaskType},
    rank,
    report::listing::{self, Listed, Listing},
    store::Store,
    text::words::one_line,
};

/// Characters of an id that a list shows; `tasks show` takes the start of an id.
const SHORT_ID: usize = 8;

fn read(global: &Global) -> Result<(Project, Store, Listing)> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    let listing = listing::read(&store)?;
    Ok((project, store, listing))
}

/// Runs one of the commands.
pub fn tasks(global: &Global, command: Tasks, printer: &Printer) -> Result<u8> {
    match command {
        Tasks::List { top, flagged } => {
            let (_, store, mut listing) = read(global)?;
            difficulty::add(&store, &mut listing)?;
            list(listing, top, flagged, printer)
        }
        Tasks::Show { id } => {
            let (_, store, mut listing) = read(global)?;
            difficulty::add(&store, &mut listing)?;
            show(&store, listing, &id, printer)
        }
        Tasks::Review(args) => super::review::run(global, &args, printer),
        Tasks::Edit(args) => super::edit::run(global, &args, printer),
        Tasks::Select(args) => select::run(global, &args, printer),
        Tasks::Diversity { similarity, .. } => super::diversity::run(global, similarity, printer),
        Tasks::Export(args) => export::run(global, &args, printer),
        Tasks::Sets => sets::list(global, printer),
        Tasks::Commit { set } => sets::commit::commit(global, &set, printer),
        Tasks::Reveal(args) => sets::commit::reveal(global, &args, printer),
        Tasks::Verify(args) => sets::commit::verify(&args, printer),
        Tasks::Diff { earlier, later } => sets::diff::run(global, &earlier, &later, printer),
        Tasks::Import(args) => import::run(global, &args, printer),
    }
}

fn list(mut listing: Listing, top: Option<u64>, flagged: bool, printer: &Printer) -> Result<u8> {
    listing
        .tasks
        .retain(|listed| !flagged || listed.is_flagged());
    listing.keep(top);
    printer.show(&listing.tasks, |tasks| match tasks.as_slice() {
        [] if flagged => "no task is flagged\nhint: `taskgen probe` looks for reasons".to_owned(),
        tasks => text_list(tasks),
    })?;
    if !printer.json {
        about(&listing, printer);
    }
    Ok(exit::DONE)
}

/// The table of tasks: a line for each, with the line of its quote below.
fn text_list(tasks: &[Listed]) -> String {
    if tasks.is_empty() {
        return NO_TASKS.to_owned();
    }
    let by_duels = tasks.iter().any(|listed| listed.estimate.is_some());
    let rating = if by_duels { "strength, P(top)" } else { "elo" };
    let mut lines = lines(&["#", rating, "task, kind, seminar, quote", "id"]);
    for listed in tasks {
        let place = listed
            .rank
            .map_or_else(|| "–".to_owned(), |rank| rank.to_string());
        let id: String = listed.task.id.as_str().chars().take(SHORT_ID).collect();
        let text = one_line(&listed.task.text);
        lines.add([&place, &rating_of(listed), &text, &id]);
        lines.add(["", "", &format!("  {}", origin(listed)), ""]);
        for said in flags(listed)
            .chain(curation(listed))
            .chain(difficulty::line(listed))
        {
            lines.add(["", "", &format!("  {said}"), ""]);
        }
    }
    lines.to_string()
}

/// The family; of an imported task without one, its file's facets.
fn kind_of(task: &Task) -> Option<String> {
    let facets = &task.facets;
    if let Some(family) = facets.task_type {
        return Some(family.label().to_owned());
    }
    let words: Vec<&str> = facets.others.values().map(String::as_str).collect();
    (!words.is_empty()).then(|| one_line(&words.join(", ")))
}

fn flags(listed: &Listed) -> impl Iterator<Item = String> {
    let flags = listed
        .probes
        .iter()
        .filter(|finding| finding.outcome.flags());
    flags.map(|finding| format!("⚑ {}: {}", finding.outcome.label(), one_line(&finding.note)))
}

/// What people decided, and who changed the words.
fn curation(listed: &Listed) -> impl Iterator<Item = String> {
    let decided = listed.decisions.iter().map(|decision| {
        let settled = if decision.settles {
            ", which settles it"
        } else {
            ""
        };
        format!(
            "{} by {}{settled}",
            decision.label(),
            one_line(&decision.by)
        )
    });
    let edited = listed.task.edited.iter();
    let edited = edited.map(|of| format!("changed by {} from {}", one_line(&of.by), of.task));
    decided.chain(edited)
}

fn rating_of(listed: &Listed) -> String {
    match (&listed.estimate, listed.elo) {
        (Some(e), _) => format!("{:+.2}  {:.2}", e.strength, e.membership),
        (None, Some(elo)) => format!("{elo:.0}"),
        (None, None) => "–".to_owned(),
    }
}

/// Kind, origin and quote of a task.
fn origin(listed: &Listed) -> String {
    let quote = listed
        .sources
        .first()
        .and_then(|inspiration| inspiration.evidence.first());
    let from = match quote {
        Some(evidence) => format!(
            "{} {} “{}”",
            listed.origin(),
            evidence.start,
            one_line(&evidence.quote)
        ),
        None => numbered_origin(listed),
    };
    match kind_of(&listed.task) {
        Some(kind) => format!("{kind} · {from}"),
        None => from,
    }
}

/// The origin of a task without a quote; of an imported one with its id in the file.
fn numbered_origin(listed: &Listed) -> String {
    match &listed.task.origin {
        Origin::Imported(FromFile {
            file_id: Some(id), ..
        }) => format!("{} {id}", listed.origin()),
        _ => listed.origin().to_owned(),
    }
}

fn about(listing: &Listing, printer: &Printer) {
    printer.note(
        "`taskgen tasks show ID` shows a task in full, `taskgen report` all of them as a page",
    );
    difficulty::explain(listing, printer);
    if let Some(ratings) = &listing.ratings {
        let failed = in_brackets(&ratings.n_failed);
        printer.note(&format!(
            "ratings rest on {} of {} comparisons{failed}",
            ratings.n_scored, ratings.n_total
        ));
        if let (Some(top), Some(recall)) = (ratings.top, ratings.expected_recall) {
            printer.note(&format!(
                "expected recall of the top {top}: {:.0} %; `taskgen rank report` shows how reliable the judge is",
                recall * 100.0
            ));
        }
    }
    let mut judges = listing.ranking.iter().flat_map(|ranking| &ranking.panel);
    if let Some(caveat) = judges.find_map(|judge| rank::caveat(&judge.model_asked)) {
        printer.note(&caveat);
    }
}

/// One task with its sources.
#[derive(Serialize)]
struct Traced<'a> {
    #[serde(flatten)]
    listed: &'a Listed,
    /// For each inspiration, the sentences of the transcript around its first quote.
    context: Vec<String>,
    /// The same task in other languages.
    translations: Vec<Task>,
}

fn show(store: &Store, listing: Listing, id: &str, printer: &Printer) -> Result<u8> {
    let mut translations = store.translations()?;
    let begins = |task: &Task| task.id.as_str().starts_with(id);
    let has_matching_translation = |original: &Task| {
        translations
            .iter()
            .any(|t| t.translation_of() == Some(&original.id) && begins(t))
    };
    // A translation is shown with its original.
    let matching: Vec<&Listed> = listing
        .tasks
        .iter()
        .filter(|of| begins(&of.task) || has_matching_translation(&of.task))
        .collect();
    let [listed] = matching.as_slice() else {
        let ids: Vec<&str> = matching.iter().map(|of| of.task.id.as_str()).collect();
        return Err(not_one(id, &ids).into());
    };
    let mut context = Vec::new();
    for inspiration in &listed.sources {
        // The version in which it was found: the current one may be newer.
        let transcript = store
            .transcript(&inspiration.transcript)?
            .context("the transcript is gone")?;
        context.push(around(
            &transcript.text().chars().collect::<Vec<_>>(),
            inspiration,
        ));
    }
    translations.retain(|task| task.translation_of() == Some(&listed.task.id));
    let traced = Traced {
        listed,
        context,
        translations,
    };
    printer.show(&traced, text_show)?;
    Ok(exit::DONE)
}

/// The transcript around an inspiration's first quote, which stands in brackets.
fn around(text: &[char], inspiration: &Inspiration) -> String {
    const BEFORE_AND_AFTER: usize = 120;
    let Some(evidence) = inspiration.evidence.first() else {
        return String::new();
    };
    let (start, end) = (
        evidence.start_char.min(text.len()),
        evidence.end_char.min(text.len()),
    );
    let before: String = text[start.saturating_sub(BEFORE_AND_AFTER)..start]
        .iter()
        .collect();
    let after: String = text[end..(end + BEFORE_AND_AFTER).min(text.len())]
        .iter()
        .collect();
    one_line(&format!("…{before}[{}]{after}…", evidence.quote))
}

/// Phase, family, difficulty, language and discipline, then what a benchmark adds.
fn facets_line(task: &Task) -> String {
    let facets = &task.facets;
    let known = [
        facets.phase.map(Phase::label),
        facets.task_type.map(TaskType::label),
        facets.difficulty.map(Difficulty::label),
        Some(task.language.as_str()),
        facets.discipline.as_deref(),
    ];
    let others = facets
        .others
        .iter()
        .map(|(name, value)| format!("{name}: {value}"));
    let all: Vec<String> = known
        .into_iter()
        .flatten()
        .map(str::to_owned)
        .chain(others)
        .collect();
    all.join(" · ")
}

/// The benchmark of a task, the day that it asks about, its text before time slots were filled, and
/// what its file requires of a report.
fn imported(task: &Task, from: &FromFile, listed: &Listed) -> String {
    let mut out = numbered_origin(listed);
    if let Some(day) = &task.as_of {
        out.push_str(&format!("  as of {day}"));
    }
    out.push_str(&format!("  licence {}", from.licence));
    if let Some(template) = &from.template {
        out.push_str(&format!("\n\nbefore time slots were filled\n{template}"));
    }
    if !from.checklist.is_empty() {
        out.push_str("\n\nits file requires of a report");
    }
    for item in &from.checklist {
        out.push_str(&format!("\n  {}", one_line(item)));
    }
    out
}

fn text_show(traced: &Traced<'_>) -> String {
    let listed = traced.listed;
    let task = &listed.task;
    let mut out = format!(
        "{}\n{}\n{}{}\n\n{}\n\nfrom  ",
        task.id,
        facets_line(task),
        difficulty::line(listed).map_or_else(String::new, |line| line + "\n"),
        place_line(listed),
        task.text
    );
    out.push_str(&match (&task.origin, &listed.source) {
        (Origin::Imported(from), _) => imported(task, from, listed),
        (_, Some(source)) => format!("{}  “{}”  {}", source.path, source.title, source.duration),
        (_, None) => listed.origin().to_owned(),
    });
    for translation in &traced.translations {
        out.push_str(&format!(
            "\n\nin {}, {}\n{}",
            translation.language, translation.id, translation.text
        ));
    }
    for finding in &listed.probes {
        out.push_str(&probe_line(finding));
    }
    for said in curation(listed) {
        out.push_str(&format!("\n{said}"));
    }
    for (inspiration, context) in listed.sources.iter().zip(&traced.context) {
        out.push_str(&inspiration_lines(inspiration));
        out.push_str(&format!("\n  in context: {context}"));
    }
    out
}

/// Its place in the ranking, and on how many comparisons that rests.
fn place_line(listed: &Listed) -> String {
    let games = listed.games.unwrap_or(0);
    match (listed.rank, listed.elo, &listed.estimate) {
        (Some(rank), Some(elo), _) => format!("place {rank}, Elo {elo:.1} after {games} games"),
        (Some(rank), _, Some(e)) => format!(
            "place {rank}, strength {:+.2} [{:+.2}, {:+.2}] after {games} games, among the best with probability {:.2}",
            e.strength, e.low, e.high, e.membership
        ),
        _ => "not ranked yet".to_owned(),
    }
}

fn probe_line(finding: &Finding) -> String {
    let flag = if finding.outcome.flags() { "⚑ " } else { "" };
    format!(
        "\n{flag}{}: {} ({}): {}",
        finding.probe.label(),
        finding.outcome.label(),
        finding.by,
        one_line(&finding.note)
    )
}

/// An inspiration with the reasons for its traits, and where each quote is said.
fn inspiration_lines(inspiration: &Inspiration) -> String {
    let traits: Vec<&str> = inspiration
        .traits
        .iter()
        .map(|shown| shown.which.word())
        .collect();
    let mut out = format!(
        "\n\n{}  {}  ({})\n  {}",
        inspiration.id,
        inspiration.kind.label(),
        traits.join(", "),
        inspiration.text
    );
    for shown in &inspiration.traits {
        if !shown.reason.is_empty() {
            out.push_str(&format!("\n  {}: {}", shown.which.word(), shown.reason));
        }
    }
    for evidence in &inspiration.evidence {
        out.push_str(&format!(
            "\n  {}–{}  characters {}–{}\n  “{}”",
            evidence.start,
            evidence.end,
            evidence.start_char,
            evidence.end_char,
            one_line(&evidence.quote)
        ));
    }
    out
}

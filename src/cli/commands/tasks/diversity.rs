//! `taskgen tasks diversity`: near-copies across all seminars, and the spread of tasks over facets.

use anyhow::Result;

use super::NO_TASKS;
use crate::{
    cli::{
        args::Global,
        project::{Project, similarity},
        ui::{
            exit::{self, Usage},
            output::{Printer, count, table},
        },
    },
    data::TaskType,
    report::{
        diversity::{Counts, Diversity, Member, NOT_GIVEN, diversity},
        listing,
    },
    similarity::Link,
};

/// Longest lists that are printed; `--json` has all.
const SHOWN: usize = 20;
/// Columns of disciplines that are printed.
const COLUMNS: usize = 6;
/// Characters of a task that are printed.
const BEGINNING: usize = 90;

/// Runs the command.
pub fn run(global: &Global, likeness: f64, printer: &Printer) -> Result<u8> {
    if likeness.is_nan() || likeness <= 0.0 {
        let hint = "hint: --similarity 0.7 is usual, and above 1 nothing is a copy";
        return Err(Usage(format!(
            "--similarity must be above 0: `{likeness}`\n{hint}"
        ))
        .into());
    }
    let project = Project::find(global)?;
    let tasks = listing::read(&project.read_or_hint()?)?.tasks;
    let texts: Vec<&str> = tasks
        .iter()
        .map(|listed| listed.task.text.as_str())
        .collect();
    let meaning = if likeness > 1.0 {
        None
    } else {
        similarity::meaning(global, &project, &texts, printer)?
    };
    printer.show(&diversity(&tasks, likeness, meaning.as_ref()), text)?;
    Ok(exit::DONE)
}

fn text(diversity: &Diversity) -> String {
    if diversity.tasks == 0 {
        return NO_TASKS.to_owned();
    }
    let mut out = String::new();
    for cluster in diversity.clusters.iter().take(SHOWN) {
        out.push_str(&format!("{}\n", line(&cluster.best)));
        for copy in cluster.copies.iter().take(SHOWN) {
            let how = how(copy.by, copy.likeness, copy.cosine);
            out.push_str(&format!("  copy by {how}: {}\n", line(&copy.member)));
        }
    }
    if diversity.clusters.len() > SHOWN {
        out.push_str(&format!(
            "and {} more clusters (`--json` lists all)\n",
            diversity.clusters.len() - SHOWN
        ));
    }
    out.push_str(&format!("{}\n", by_type(diversity)));
    for (name, counts) in [
        ("phases", &diversity.phases),
        ("languages", &diversity.languages),
        ("seminars", &diversity.seminars),
    ] {
        out.push_str(&format!("{name}: {}\n", listed(counts)));
    }
    let compared = diversity.meaning.as_ref().map_or_else(
        || format!("by words (similarity {})", diversity.similarity),
        |by| {
            format!(
                "by words (similarity {}) and by meaning ({}, cosine {})",
                diversity.similarity, by.model, by.cosine
            )
        },
    );
    out.push_str(&format!(
        "{}, {} of them near-copies of a better one, compared {compared}\n{}; effective number of clusters {:.1} (entropy {:.2} nats)",
        count(diversity.tasks as u64, "task"),
        diversity.copies,
        count(diversity.distinct as u64, "distinct task"),
        diversity.effective,
        diversity.entropy
    ));
    out
}

fn line(member: &Member) -> String {
    let rank = member
        .rank
        .map_or_else(String::new, |rank| format!(", place {rank}"));
    let begin: String = member.task.chars().take(BEGINNING).collect();
    format!("{}{rank}, {}: {begin}…", member.id, member.seminar)
}

/// The link between two copies, for people.
pub fn how(by: Link, likeness: f64, cosine: Option<f64>) -> String {
    let cosine = cosine.map_or_else(String::new, |cosine| format!(", cosine {cosine:.2}"));
    format!("{} (similarity {likeness:.2}{cosine})", by.word())
}

/// Families by the disciplines with most tasks; the others are one column.
fn by_type(diversity: &Diversity) -> String {
    let mut all = Counts::new();
    for (discipline, count) in diversity.types.values().flatten() {
        *all.entry(discipline.clone()).or_default() += count;
    }
    let shown: Vec<&str> = most(&all)
        .into_iter()
        .take(COLUMNS)
        .map(|(name, _)| name)
        .collect();
    let rest = all.len() > shown.len();
    let header = ["family"].into_iter().chain(shown.iter().copied());
    let header: Vec<&str> = header
        .chain(rest.then_some("others"))
        .chain(["all"])
        .collect();
    let mut rows = table(&header);
    for family in TaskType::ALL
        .map(TaskType::label)
        .into_iter()
        .chain([NOT_GIVEN])
    {
        let Some(counts) = diversity.types.get(family) else {
            continue;
        };
        // A family without tasks says something only beside families with some.
        if counts.is_empty() && diversity.types.values().filter(|of| !of.is_empty()).count() < 2 {
            continue;
        }
        let sum: usize = counts.values().sum();
        let named: Vec<usize> = shown
            .iter()
            .map(|name| counts.get(*name).copied().unwrap_or(0))
            .collect();
        let others = rest.then(|| sum - named.iter().sum::<usize>());
        let numbers = named
            .iter()
            .copied()
            .chain(others)
            .chain([sum])
            .map(|n| n.to_string());
        rows.add_row([family.to_owned()].into_iter().chain(numbers));
    }
    rows.to_string()
}

fn listed(counts: &Counts) -> String {
    let shown: Vec<String> = most(counts)
        .into_iter()
        .take(SHOWN)
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    let more = counts.len().saturating_sub(SHOWN);
    format!(
        "{}{}",
        shown.join(", "),
        if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        }
    )
}

/// The most frequent first.
fn most(counts: &Counts) -> Vec<(&str, usize)> {
    let mut counts: Vec<(&str, usize)> =
        counts.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    counts
}

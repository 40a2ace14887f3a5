//! `taskgen tasks diversity`: how much the tasks differ: near-copies across all seminars, and how
//! tasks are spread.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::{
        args::Global,
        project::{
            Project,
            similarity::{self, By, Near},
        },
        ui::{
            exit::{self, Usage},
            output::{Printer, table},
        },
    },
    data::{Phase, TaskType},
    rank::select::Link,
    report::listing::{self, Listed},
    stats::entropy::entropy,
    text::minhash,
};

/// Longest lists that are printed; `--json` has all.
const SHOWN: usize = 20;
/// Columns of disciplines that are printed.
const COLUMNS: usize = 6;
/// What stands for a facet that an imported task does not have.
const NOT_GIVEN: &str = "not given";
/// Characters of a task that are printed.
const BEGINNING: usize = 90;

type Counts = BTreeMap<String, usize>;

/// What the command says.
#[derive(Serialize)]
struct Diversity {
    /// Current tasks.
    tasks: usize,
    /// From this Jaccard index of their shingles on two are copies.
    near: f64,
    /// By what meanings were compared; none where only words were.
    meaning: Option<By>,
    /// Clusters of near-copies, the largest first; a task alone is in none of them.
    clusters: Vec<Cluster>,
    /// Clusters, and tasks alone.
    distinct: usize,
    /// Tasks that are copies of a better one.
    copies: usize,
    /// Shannon's entropy of the clusters, in nats, tasks alone being clusters of one.
    entropy: f64,
    /// As many clusters of one size would have the same entropy.
    effective: f64,
    /// Tasks by family and discipline.
    types: BTreeMap<&'static str, Counts>,
    phases: Counts,
    languages: Counts,
    seminars: Counts,
}

/// Tasks that say the same.
#[derive(Serialize)]
struct Cluster {
    /// The best of them by the ranking; without one, the first by id.
    best: Member,
    /// The others, best first.
    copies: Vec<Copied>,
}

#[derive(Serialize)]
struct Member {
    id: String,
    rank: Option<usize>,
    seminar: String,
    task: String,
}

#[derive(Serialize)]
struct Copied {
    #[serde(flatten)]
    member: Member,
    /// What links it with the best.
    by: Link,
    /// Jaccard index of its and the best one's shingles.
    likeness: f64,
    /// Cosine of its and the best one's vectors.
    cosine: Option<f64>,
}

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
    let near = if likeness > 1.0 {
        None
    } else {
        similarity::near(global, &project, &texts, printer)?
    };
    printer.show(&diversity(&tasks, likeness, near.as_ref()), text)?;
    Ok(exit::DONE)
}

/// `tasks` are best first.
fn diversity(tasks: &[Listed], likeness: f64, near: Option<&Near>) -> Diversity {
    let texts: Vec<&str> = tasks
        .iter()
        .map(|listed| listed.task.text.as_str())
        .collect();
    let by_words = minhash::groups(&texts, likeness);
    let by_meaning = near.map(|near| near.groups.as_slice()).unwrap_or_default();
    let groups = minhash::merge(&[&by_words, by_meaning].concat(), tasks.len());
    let copies = groups.iter().map(|group| group.len() - 1).sum::<usize>();
    let distinct = tasks.len() - copies;
    let mut sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
    sizes.resize(distinct, 1);
    let entropy = entropy(&sizes);
    let linked = Link::classifier(&by_words);
    let mut clusters: Vec<Cluster> = groups
        .iter()
        .map(|group| cluster(tasks, group, &linked, near))
        .collect();
    clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.copies.len()));
    Diversity {
        tasks: tasks.len(),
        near: likeness,
        meaning: near.map(|near| near.by.clone()),
        clusters,
        distinct,
        copies,
        entropy,
        effective: if tasks.is_empty() { 0.0 } else { entropy.exp() },
        types: types(tasks),
        phases: counted(tasks, |listed| {
            listed.task.facets.phase.map_or(NOT_GIVEN, Phase::label)
        }),
        languages: counted(tasks, |listed| {
            listed.task.language.split('-').next().unwrap_or_default()
        }),
        seminars: counted(tasks, Listed::origin),
    }
}

fn cluster(
    tasks: &[Listed],
    group: &[usize],
    by: &dyn Fn(usize, usize) -> Link,
    near: Option<&Near>,
) -> Cluster {
    let member = |at: usize| {
        let listed = &tasks[at];
        Member {
            id: listed.task.id.to_string(),
            rank: listed.rank,
            seminar: listed.origin().to_owned(),
            task: listed.task.text.clone(),
        }
    };
    let shingles = |at: usize| minhash::shingles(&tasks[at].task.text);
    // A group is in ascending order, and the tasks are best first.
    let best = group[0];
    let copied = |at: &usize| Copied {
        member: member(*at),
        by: by(best, *at),
        likeness: minhash::jaccard(&shingles(best), &shingles(*at)),
        cosine: near.map(|near| near.cosine(best, *at)),
    };
    Cluster {
        best: member(best),
        copies: group[1..].iter().map(copied).collect(),
    }
}

fn counted<'a>(tasks: &'a [Listed], value: impl Fn(&'a Listed) -> &'a str) -> Counts {
    let mut counts = Counts::new();
    for listed in tasks {
        *counts.entry(value(listed).to_owned()).or_default() += 1;
    }
    counts
}

fn types(tasks: &[Listed]) -> BTreeMap<&'static str, Counts> {
    let mut types: BTreeMap<&'static str, Counts> =
        TaskType::ALL.map(|of| (of.label(), Counts::new())).into();
    for Listed { task, .. } in tasks {
        let family = task.facets.task_type.map_or(NOT_GIVEN, TaskType::label);
        let discipline = task.facets.discipline.as_deref().unwrap_or(NOT_GIVEN);
        let counts = types.entry(family).or_default();
        *counts.entry(discipline.to_owned()).or_default() += 1;
    }
    types
}

fn text(diversity: &Diversity) -> String {
    let mut out = String::new();
    for cluster in diversity.clusters.iter().take(SHOWN) {
        let line = |member: &Member| {
            let rank = member
                .rank
                .map_or_else(String::new, |rank| format!(", place {rank}"));
            let begin: String = member.task.chars().take(BEGINNING).collect();
            format!("{}{rank}, {}: {begin}…", member.id, member.seminar)
        };
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
        || format!("by words (likeness {})", diversity.near),
        |by| {
            format!(
                "by words (likeness {}) and by meaning ({}, cosine {})",
                diversity.near, by.model, by.cosine
            )
        },
    );
    out.push_str(&format!(
        "{} tasks, {} of them copies of a better one, compared {compared}\n{} distinct ones; entropy {:.3} nats, as of {:.1} clusters of one size",
        diversity.tasks, diversity.copies, diversity.distinct, diversity.entropy, diversity.effective
    ));
    out
}

/// What makes a copy one, for people.
pub fn how(by: Link, likeness: f64, cosine: Option<f64>) -> String {
    let cosine = cosine.map_or_else(String::new, |cosine| format!(", cosine {cosine:.2}"));
    format!("{} (likeness {likeness:.2}{cosine})", by.word())
}

/// Families by the disciplines that have most tasks; the others are one column.
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

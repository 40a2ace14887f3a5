//! The content of the page of tasks, read from the store: seminars with their inspirations and
//! tasks, and refusals.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::Result;

use super::{
    listing::{self, Listed, Listing},
    relative,
    tasks_page::{Benchmark, Guest, Inspiration, Page, Quote, Refusal, Seminar, Task, Trait},
};
use crate::{
    data::{self, Evidence, Origin, SeminarId, TaskId},
    rank,
    store::{Ranking, STAGES, SeminarInfo, Store, UNKNOWN_LICENCE},
};

/// The content of a page in `folder`, for a project with its recordings in `recordings`.
pub fn page(store: &Store, recordings: &Path, folder: &Path) -> Result<Page> {
    let Listing { tasks, ranking, .. } = listing::read(store)?;
    let mut of_seminar: BTreeMap<SeminarId, Vec<(usize, Listed)>> = BTreeMap::new();
    let mut imported: BTreeMap<(String, String), Vec<Task>> = BTreeMap::new();
    let infos = store.seminars()?;
    let beside = Beside::read(store, &infos)?;
    for (number, listed) in (1..).zip(tasks) {
        match &listed.task.origin {
            Origin::Imported(from) => imported
                .entry((from.benchmark.clone(), from.licence.clone()))
                .or_default()
                .push(task(number, &listed, &beside)),
            Origin::Seminar(from) => of_seminar
                .entry(from.seminar.clone())
                .or_default()
                .push((number, listed)),
        }
    }
    let mut seminars = Vec::new();
    for info in &infos {
        let tasks = of_seminar.remove(&info.id).unwrap_or_default();
        let found = store.inspirations(Some(&info.id))?;
        let file = recordings.join(&info.path);
        let recording = file
            .is_file()
            .then(|| relative::address(folder, &file))
            .flatten();
        seminars.push(seminar(info, recording, found, &tasks, &beside));
    }
    let benchmarks: Vec<Benchmark> = imported
        .into_iter()
        .map(|((name, licence), tasks)| Benchmark {
            name,
            licence,
            tasks,
        })
        .collect();
    let refused = refused(store, &infos)?;
    Ok(Page {
        title: title(&seminars, &benchmarks),
        facts: facts(&seminars, &benchmarks, &refused, ranking.as_ref()),
        warnings: warnings(&seminars, &benchmarks, ranking.as_ref()),
        seminars,
        benchmarks,
        refused,
    })
}

/// A talk with what was found in it, and without tasks.
pub fn talk(
    info: &SeminarInfo,
    recording: Option<String>,
    found: Vec<data::Inspiration>,
) -> Seminar {
    let beside = Beside {
        titles: BTreeMap::new(),
        translations: BTreeMap::new(),
    };
    seminar(info, recording, found, &[], &beside)
}

fn seminar(
    info: &SeminarInfo,
    recording: Option<String>,
    found: Vec<data::Inspiration>,
    tasks: &[(usize, Listed)],
    beside: &Beside,
) -> Seminar {
    Seminar {
        id: info.id.to_string(),
        title: info.title.clone(),
        path: info.path.clone(),
        language: info.language.clone(),
        discipline: info
            .discipline
            .clone()
            .unwrap_or_else(|| "other".to_owned()),
        licence: info.licence.clone(),
        duration: info.duration,
        recording,
        inspirations: inspirations(&info.id, found, tasks),
        tasks: tasks
            .iter()
            .map(|(number, listed)| task(*number, listed, beside))
            .collect(),
    }
}

/// The current inspirations, and those that a task still rests on, in order of time. Those of other
/// seminars that a task joins with them stand where they belong.
fn inspirations(
    seminar: &SeminarId,
    found: Vec<data::Inspiration>,
    tasks: &[(usize, Listed)],
) -> Vec<Inspiration> {
    let current: BTreeSet<_> = found.iter().map(|of| of.id.clone()).collect();
    let sources = tasks
        .iter()
        .flat_map(|(_, listed)| listed.sources.iter().cloned())
        .filter(|of| of.seminar == *seminar);
    let all: BTreeMap<_, _> = found
        .into_iter()
        .chain(sources)
        .map(|of| (of.id.clone(), of))
        .collect();
    let mut all: Vec<data::Inspiration> = all.into_values().collect();
    all.sort_by_key(|of| of.evidence.iter().map(|evidence| evidence.start).min());
    all.into_iter()
        .map(|of| inspiration(!current.contains(&of.id), of))
        .collect()
}

fn inspiration(superseded: bool, of: data::Inspiration) -> Inspiration {
    let named = |of: data::Shown| Trait {
        name: of.which.word().to_owned(),
        reason: Some(of.reason).filter(|reason| !reason.is_empty()),
    };
    let said = |review: &data::Review| match review.fault {
        None => format!("accepted by {}", review.name),
        Some(fault) => format!("rejected by {}: {}", review.name, fault.word()),
    };
    Inspiration {
        id: of.id.to_string(),
        kind: of.kind,
        traits: of.traits.into_iter().map(named).collect(),
        review: of.reviews.last().map(said),
        text: of.text,
        superseded,
        quotes: of.evidence.into_iter().map(quote).collect(),
    }
}

fn quote(of: Evidence) -> Quote {
    let similarity = of.wording.is_some().then_some(of.similarity);
    Quote {
        start: of.start,
        end: of.end,
        text: of.quote,
        speaker: of.speaker,
        similarity,
    }
}

/// Data of a task beyond its seminar.
struct Beside {
    titles: BTreeMap<SeminarId, String>,
    translations: BTreeMap<TaskId, Vec<(String, String)>>,
}

impl Beside {
    fn read(store: &Store, seminars: &[SeminarInfo]) -> Result<Self> {
        let titles = seminars
            .iter()
            .map(|info| (info.id.clone(), info.title.clone()))
            .collect();
        let mut translations = BTreeMap::<TaskId, Vec<(String, String)>>::new();
        for task in store.translations()? {
            let Some(original) = task.translation_of().cloned() else {
                continue;
            };
            translations
                .entry(original)
                .or_default()
                .push((task.language, task.text));
        }
        Ok(Self {
            titles,
            translations,
        })
    }
}

fn guest(of: &data::Inspiration, beside: &Beside) -> Guest {
    Guest {
        id: of.id.to_string(),
        kind: of.kind,
        seminar: beside.titles.get(&of.seminar).cloned().unwrap_or_default(),
    }
}

fn task(number: usize, listed: &Listed, beside: &Beside) -> Task {
    let of = &listed.task;
    let (own, guests): (Vec<_>, Vec<_>) = listed
        .sources
        .iter()
        .partition(|source| Some(&source.seminar) == of.seminar());
    let flags = listed
        .probes
        .iter()
        .filter(|finding| finding.outcome.flags());
    Task {
        id: of.id.to_string(),
        number,
        phase: of.facets.phase,
        family: of.facets.task_type,
        difficulty: of.facets.difficulty,
        language: of.language.clone(),
        discipline: of.facets.discipline.clone(),
        others: of.facets.others.clone(),
        text: of.text.clone(),
        inspirations: own
            .into_iter()
            .map(|source| source.id.to_string())
            .collect(),
        guests: guests
            .into_iter()
            .map(|source| guest(source, beside))
            .collect(),
        flags: flags
            .map(|of| format!("{}: {}", of.outcome.label(), of.note))
            .collect(),
        translations: beside.translations.get(&of.id).cloned().unwrap_or_default(),
        rank: listed.rank,
        elo: listed.elo,
        membership: listed.estimate.map(|estimate| estimate.membership),
    }
}

fn refused(store: &Store, seminars: &[SeminarInfo]) -> Result<Vec<Refusal>> {
    let mut refused = Vec::new();
    for stage in STAGES {
        for (seminar, info) in seminars.iter().enumerate() {
            let rejections = store.rejections(stage, &info.id)?.into_iter();
            refused.extend(rejections.map(|of| Refusal {
                stage: stage.to_owned(),
                rule: of.rule,
                seminar,
                text: of.detail,
            }));
        }
    }
    Ok(refused)
}

fn title(seminars: &[Seminar], benchmarks: &[Benchmark]) -> String {
    let woven: usize = seminars.iter().map(|seminar| seminar.tasks.len()).sum();
    let imported: usize = benchmarks.iter().map(|of| of.tasks.len()).sum();
    let of_seminars = format!("{woven} research tasks of {} seminars", seminars.len());
    match (seminars.is_empty(), benchmarks.is_empty()) {
        (_, true) => of_seminars,
        (true, false) => format!("{imported} imported research tasks"),
        (false, false) => format!("{of_seminars}, {imported} imported ones"),
    }
}

fn facts(
    seminars: &[Seminar],
    benchmarks: &[Benchmark],
    refused: &[Refusal],
    ranking: Option<&Ranking>,
) -> Vec<(String, String)> {
    let inspirations = || seminars.iter().flat_map(|seminar| &seminar.inspirations);
    let quotes: usize = inspirations().map(|of| of.quotes.len()).sum();
    let minutes = seminars
        .iter()
        .map(|seminar| seminar.duration.seconds())
        .sum::<f64>()
        / 60.0;
    let ranked = ranking.map_or_else(
        || "not yet".to_owned(),
        |ranking| {
            let judges: Vec<&str> = ranking
                .panel
                .iter()
                .map(|judge| judge.model_asked.as_str())
                .collect();
            format!("{}, judged by {}", ranking.method, judges.join(", "))
        },
    );
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let mut facts = Vec::new();
    // A project of imported tasks alone has nothing to say of recordings.
    if !seminars.is_empty() || benchmarks.is_empty() {
        facts.extend([
            fact(
                "Recordings",
                format!("{}, {minutes:.0} minutes", seminars.len()),
            ),
            fact(
                "Inspirations",
                format!("{}, resting on {quotes} quotes", inspirations().count()),
            ),
            fact("Not kept", refused.len().to_string()),
        ]);
    }
    if !benchmarks.is_empty() {
        let names: Vec<&str> = benchmarks.iter().map(|of| of.name.as_str()).collect();
        facts.push(fact("Imported", names.join(", ")));
    }
    facts.push(fact("Ranking", ranked));
    facts
}

fn warnings(
    seminars: &[Seminar],
    benchmarks: &[Benchmark],
    ranking: Option<&Ranking>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut say = |n: usize, what: &str| {
        if n > 0 {
            warnings.push(format!("{n} of {} recordings {what}", seminars.len()));
        }
    };
    let number =
        |which: fn(&Seminar) -> bool| seminars.iter().filter(|seminar| which(seminar)).count();
    say(
        number(|of| of.recording.is_none()),
        "are not in seminars/: their quotes have times only",
    );
    say(
        number(|of| of.licence == UNKNOWN_LICENCE),
        "have no known licence: a `NAME.toml` beside a recording can name it",
    );
    for benchmark in benchmarks.iter().filter(|of| of.licence == UNKNOWN_LICENCE) {
        warnings.push(format!(
            "the licence of `{}` is unknown: `tasks import --licence` can name it",
            benchmark.name
        ));
    }
    let mut judges = ranking.iter().flat_map(|ranking| &ranking.panel);
    warnings.extend(judges.find_map(|judge| rank::caveat(&judge.model_asked)));
    warnings
}

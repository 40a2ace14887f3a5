//! Seminars, inspirations and tasks as one HTML page on which each quote plays its second of the
//! recording. The page loads nothing but the recordings beside it and runs one script of its own.
//! Hides the template, what may run, what the filter boxes offer, and how much of what was refused
//! is listed.

mod counts;
mod refused;
mod strip;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use minijinja::{Value, context, value::Serde};
use serde::Serialize;

use super::markup;
use crate::data::{Difficulty, InspirationType, Ms, Phase, TaskType};

pub use counts::{Distribution, distributions};
pub use refused::{Refusal, Rule, by_rule};
pub use strip::strip;

/// The content of the page.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Page {
    /// The heading.
    pub title: String,
    /// Names and values: how much there is, who judged.
    pub facts: Vec<(String, String)>,
    /// Warnings that a reader must know first.
    pub warnings: Vec<String>,
    /// In the order in which they are shown.
    pub seminars: Vec<Seminar>,
    /// What was imported, shown after the seminars.
    pub benchmarks: Vec<Benchmark>,
    /// Refused inspirations and tasks, in the order in which they are listed.
    pub refused: Vec<Refusal>,
}

/// A recording with its inspirations and tasks.
#[derive(Clone, Debug, Serialize)]
pub struct Seminar {
    /// Its id, which is its anchor.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Path under the seminars folder.
    pub path: String,
    /// BCP 47 tag.
    pub language: String,
    /// Its discipline.
    pub discipline: String,
    /// Its licence, or `unknown`.
    pub licence: String,
    /// Length of the recording.
    pub duration: Ms,
    /// Address of the recording relative to the page; none where the file is not there.
    pub recording: Option<String>,
    /// In order of time.
    pub inspirations: Vec<Inspiration>,
    /// Best first.
    pub tasks: Vec<Task>,
}

/// Tasks that were imported together.
#[derive(Clone, Debug, Serialize)]
pub struct Benchmark {
    /// Its name.
    pub name: String,
    /// Its licence, or `unknown`.
    pub licence: String,
    /// Best first.
    pub tasks: Vec<Task>,
}

/// An idea in a talk.
#[derive(Clone, Debug, Serialize)]
pub struct Inspiration {
    /// Its id, which is its anchor.
    pub id: String,
    /// Its type.
    pub kind: InspirationType,
    /// Its traits.
    pub traits: Vec<Trait>,
    /// What a reviewer said of it, such as `kept: …`; none before a review.
    pub review: Option<String>,
    /// Its summary.
    pub text: String,
    /// Whether it was found in an earlier version of the transcript or by an earlier search.
    pub superseded: bool,
    /// The spans of the talk that carry it.
    pub quotes: Vec<Quote>,
}

/// A trait of an inspiration.
#[derive(Clone, Debug, Serialize)]
pub struct Trait {
    /// Its name.
    pub name: String,
    /// Why the inspiration has it, where that was said.
    pub reason: Option<String>,
}

/// A span of a talk.
#[derive(Clone, Debug, Serialize)]
pub struct Quote {
    /// When it is said.
    pub start: Ms,
    /// When it ends.
    pub end: Ms,
    /// The transcript's words.
    pub text: String,
    /// Who says it, where that is known.
    pub speaker: Option<String>,
    /// Its similarity to the model's wording, 0 to 1, where that was measured.
    pub similarity: Option<f64>,
}

/// An inspiration of another seminar that a task rests on.
#[derive(Clone, Debug, Serialize)]
pub struct Guest {
    /// Its id, which is its anchor.
    pub id: String,
    /// Its type.
    pub kind: InspirationType,
    /// The title of its seminar.
    pub seminar: String,
}

/// A task.
#[derive(Clone, Debug, Serialize)]
pub struct Task {
    /// Its id, which is its anchor.
    pub id: String,
    /// Its number on the page, from 1.
    pub number: usize,
    /// Its phase.
    pub phase: Option<Phase>,
    /// Its family.
    pub family: Option<TaskType>,
    /// Its difficulty.
    pub difficulty: Option<Difficulty>,
    /// BCP 47 tag of its text.
    pub language: String,
    /// Its discipline.
    pub discipline: Option<String>,
    /// Further facets of a benchmark, by name.
    pub others: BTreeMap<String, String>,
    /// What it asks for.
    pub text: String,
    /// Ids of the inspirations that it rests on and that are of its seminar.
    pub inspirations: Vec<String>,
    /// Those of other seminars.
    pub guests: Vec<Guest>,
    /// What probes flag it for.
    pub flags: Vec<String>,
    /// The same task in other languages: BCP 47 tags and texts.
    pub translations: Vec<(String, String)>,
    /// Place in the ranking, from 1; none before it was ranked.
    pub rank: Option<usize>,
    /// Elo rating, where the ranking is the paper's.
    pub elo: Option<f64>,
    /// Probability to be among the best, where the ranking is by duels.
    pub membership: Option<f64>,
}

impl Page {
    /// All tasks, those of seminars first.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        let woven = self.seminars.iter().flat_map(|seminar| &seminar.tasks);
        woven.chain(
            self.benchmarks
                .iter()
                .flat_map(|benchmark| &benchmark.tasks),
        )
    }
}

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// Most tasks that are shown unfolded.
const UNFOLDED: usize = 60;

/// The page as one file.
pub fn html(page: &Page) -> Result<String> {
    let n_tasks = page.tasks().count();
    let boxes = Boxes::from_page(page);
    let values = context! {
        page => Serde(page),
        policy => markup::policy(STYLE, SCRIPT, "media-src 'self' file:; "),
        script => Value::from_safe_string(SCRIPT.to_owned()),
        unfolded => n_tasks <= UNFOLDED,
        boxes => Serde(&boxes),
        labels => Serde(labels()),
        links => Serde(page.seminars.iter().map(|seminar| Links::new(seminar, &boxes)).collect::<Vec<_>>()),
        imported => Serde(page.benchmarks.iter().map(|benchmark| found_by(benchmark, &boxes)).collect::<Vec<_>>()),
        strips => page.seminars.iter().enumerate().map(|(at, of)| strip::strip(at, of)).collect::<Vec<_>>(),
        distributions => Serde(counts::drawn(page)),
        refused => Serde(refused::listed(page)),
    };
    markup::fill(
        &[
            ("tasks.html", include_str!("tasks.html")),
            ("style.css", STYLE),
        ],
        values,
    )
}

/// By the words under which they are stored, the labels of phases, families, difficulties and
/// types.
pub fn labels() -> BTreeMap<String, &'static str> {
    let phases = Phase::ALL.iter().map(|of| (word(of), of.label()));
    let families = TaskType::ALL.iter().map(|of| (word(of), of.label()));
    let difficulties = [Difficulty::Basic, Difficulty::Advanced].map(|of| (word(&of), of.label()));
    let kinds = InspirationType::ALL.iter().map(|of| (word(of), of.label()));
    phases
        .chain(families)
        .chain(difficulties)
        .chain(kinds)
        .collect()
}

fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| Some(value.as_str()?.to_owned()))
        .unwrap_or_default()
}

/// The choices of the filter boxes: labels, and the short words that mark matching items.
#[derive(Serialize)]
struct Boxes {
    phases: Vec<Choice>,
    /// By phase.
    families: Vec<(&'static str, Vec<Choice>)>,
    kinds: Vec<Choice>,
    languages: BTreeMap<String, String>,
    disciplines: BTreeMap<String, String>,
}

/// A label and its word.
type Choice = (&'static str, String);

impl Boxes {
    fn from_page(page: &Page) -> Self {
        let languages = page
            .seminars
            .iter()
            .map(|of| &of.language)
            .chain(page.tasks().map(|task| &task.language));
        let disciplines = page
            .seminars
            .iter()
            .map(|of| &of.discipline)
            .chain(page.tasks().filter_map(|task| task.discipline.as_ref()));
        Self {
            phases: Phase::ALL
                .map(|phase| (phase.label(), phase_word(phase)))
                .to_vec(),
            families: Phase::ALL
                .map(|phase| (phase.label(), family_choices(phase)))
                .to_vec(),
            kinds: InspirationType::ALL
                .map(|kind| (kind.label(), kind_word(kind)))
                .to_vec(),
            languages: numbered('l', languages),
            disciplines: numbered('d', disciplines),
        }
    }

    /// The words of a language and a discipline.
    fn place(&self, language: &str, discipline: Option<&str>) -> impl Iterator<Item = String> {
        let words = [
            self.languages.get(language),
            discipline.and_then(|discipline| self.disciplines.get(discipline)),
        ];
        words.into_iter().flatten().cloned()
    }
}

/// The words of a task's phase and family.
fn form(task: &Task) -> impl Iterator<Item = String> {
    let words = [task.phase.map(phase_word), task.family.map(family_word)];
    words.into_iter().flatten()
}

/// For each task of a benchmark, the words by which the boxes find it.
fn found_by(benchmark: &Benchmark, boxes: &Boxes) -> Vec<String> {
    let tasks = benchmark.tasks.iter();
    tasks
        .map(|task| {
            let place = boxes.place(&task.language, task.discipline.as_deref());
            words(place.chain(form(task)))
        })
        .collect()
}

fn family_choices(phase: Phase) -> Vec<Choice> {
    TaskType::ALL
        .into_iter()
        .filter(|family| family.phase() == phase)
        .map(|family| (family.label(), family_word(family)))
        .collect()
}

fn phase_word(phase: Phase) -> String {
    format!("p{}", phase as usize)
}

fn family_word(family: TaskType) -> String {
    format!("f{}", family as usize)
}

fn kind_word(kind: InspirationType) -> String {
    format!("k{}", kind as usize)
}

/// Each value once, with a short word for it.
fn numbered<'a>(
    letter: char,
    values: impl Iterator<Item = &'a String>,
) -> BTreeMap<String, String> {
    let mut numbered: BTreeMap<String, String> =
        values.map(|value| (value.clone(), String::new())).collect();
    numbered
        .values_mut()
        .enumerate()
        .for_each(|(at, word)| *word = format!("{letter}{at}"));
    numbered
}

/// The links between tasks and inspirations of a seminar, by place in its lists, and the words that
/// the boxes find them by.
#[derive(Serialize)]
struct Links {
    /// For each task, its inspirations.
    sources: Vec<Vec<usize>>,
    /// For each inspiration, its tasks.
    woven: Vec<Vec<usize>>,
    /// For each task, its words and those of its inspirations.
    tasks: Vec<String>,
    /// For each inspiration, its words and those of its tasks.
    inspirations: Vec<String>,
}

impl Links {
    fn new(seminar: &Seminar, boxes: &Boxes) -> Self {
        let at: BTreeMap<&str, usize> = (0..)
            .zip(&seminar.inspirations)
            .map(|(at, of)| (of.id.as_str(), at))
            .collect();
        let mut sources: Vec<Vec<usize>> = Vec::new();
        for task in &seminar.tasks {
            let found = task
                .inspirations
                .iter()
                .filter_map(|id| at.get(id.as_str()).copied());
            sources.push(found.collect());
        }
        let mut woven = vec![Vec::new(); seminar.inspirations.len()];
        for (task, sources) in sources.iter().enumerate() {
            for source in sources {
                woven[*source].push(task);
            }
        }
        let kind = |at: &usize| kind_word(seminar.inspirations[*at].kind);
        let tasks = seminar.tasks.iter().zip(&sources).map(|(task, sources)| {
            words(
                boxes
                    .place(&task.language, task.discipline.as_deref())
                    .chain(form(task))
                    .chain(sources.iter().map(kind)),
            )
        });
        let inspirations = seminar.inspirations.iter().zip(&woven).map(|(of, woven)| {
            let of_tasks = woven.iter().flat_map(|at| form(&seminar.tasks[*at]));
            words(
                boxes
                    .place(&seminar.language, Some(&seminar.discipline))
                    .chain([kind_word(of.kind)])
                    .chain(of_tasks),
            )
        });
        let (tasks, inspirations) = (tasks.collect(), inspirations.collect());
        Self {
            sources,
            woven,
            tasks,
            inspirations,
        }
    }
}

/// Each word once.
fn words(words: impl Iterator<Item = String>) -> String {
    words
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests;

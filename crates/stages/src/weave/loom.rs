//! The tasks of a seminar while they are woven: what is kept and refused so far, in which batch,
//! and whether a draft passes.

use super::{
    Options, TALK,
    disciplines::{self, Disciplines},
    rules::{self, Broken, Compared, Material},
};
use crate::{
    context::{Harvest, StageReport},
    data::{
        CallId, Cause, Difficulty, Facets, FromSeminar, Id, Inspiration, Origin, Task, TaskId,
        TaskType, Unscored,
    },
    llm::Answered,
    store::{Rejection, SeminarInfo},
    text::words::one_line,
};

/// What stands in a prediction for a task of an earlier batch, which nobody has written yet: about
/// as many words as a task has.
const UNWRITTEN: &str = "word ";
const WORDS_OF_A_TASK: usize = 80;

/// A draft of a task, whoever wrote it.
pub struct Draft<'a> {
    /// What it is made from; the first one leads.
    pub sources: &'a [&'a Inspiration],
    /// Its family.
    pub family: TaskType,
    /// Its words.
    pub text: &'a str,
    /// How much it takes.
    pub difficulty: Difficulty,
    /// The discipline that a model chose.
    pub discipline: Option<String>,
}

/// What came of a question to a model.
pub enum Reply<T> {
    Read(T, CallId),
    Unreadable,
    /// A dry run asks nobody.
    NotAsked,
    /// No answer now; another run may get one.
    Lost(Unscored),
}

/// The tasks of a seminar while they are woven.
pub struct Loom<'a> {
    pub seminar: &'a SeminarInfo,
    pub language: &'a str,
    pub people: Vec<String>,
    pub disciplines: &'a Disciplines,
    /// Tasks of others that must not be repeated.
    pub others: Vec<Compared>,
    pub kept: Vec<(Task, Option<CallId>)>,
    /// The same tasks as they are compared.
    compared: Vec<Compared>,
    /// How many were kept before the batch in hand began.
    before_batch: usize,
    /// How many tasks a dry run would have got, and how many of them before this batch.
    pub predicted: usize,
    predicted_before_batch: usize,
    pub rejected: Vec<Rejection>,
    pub report: StageReport,
    pub harvest: Harvest,
    /// Whether a model had to be asked.
    pub asked: bool,
    /// Replies that could not be read.
    pub unreadable: u64,
}

impl<'a> Loom<'a> {
    /// Nothing is woven yet.
    pub fn new(
        seminar: &'a SeminarInfo,
        people: Vec<String>,
        options: &'a Options,
        disciplines: &'a Disciplines,
    ) -> Self {
        let language = if options.language == TALK {
            &seminar.language
        } else {
            &options.language
        };
        let harvest = Harvest {
            item: seminar.path.clone(),
            ..Harvest::default()
        };
        Self {
            seminar,
            language,
            people,
            disciplines,
            others: Vec::new(),
            kept: Vec::new(),
            compared: Vec::new(),
            before_batch: 0,
            predicted: 0,
            predicted_before_batch: 0,
            rejected: Vec::new(),
            report: StageReport::new("weave"),
            harvest,
            asked: false,
            unreadable: 0,
        }
    }

    /// Counts an answer, and keeps what cannot be read of it.
    pub fn read<T>(&mut self, answer: Answered<T>) -> Reply<T> {
        self.asked |= !answer.cached;
        self.harvest.count(answer.usage, answer.value.is_ok());
        match answer.value {
            Ok(value) => Reply::Read(value, answer.call),
            Err(unscored) if unscored.cause == Cause::NotAsked => Reply::NotAsked,
            Err(unscored) if unscored.cause.is_transient() => Reply::Lost(unscored),
            Err(unscored) => {
                self.unreadable += 1;
                self.refuse(unscored.cause.word(), unscored.reason, Some(answer.call));
                Reply::Unreadable
            }
        }
    }

    /// Counts a refusal and keeps it.
    pub fn refuse(&mut self, rule: &str, detail: String, call: Option<CallId>) {
        self.report.reject(rule);
        *self.harvest.rejected.entry(rule.to_owned()).or_default() += 1;
        self.rejected.push(Rejection {
            rule: rule.to_owned(),
            detail,
            call,
        });
    }

    /// All tasks that were kept.
    pub fn kept(&self) -> Vec<&Task> {
        self.kept.iter().map(|(task, _)| task).collect()
    }

    /// How many tasks there are, or would be.
    pub fn count(&self) -> usize {
        self.kept.len() + self.predicted
    }

    /// The tasks of the batch in hand.
    pub fn batch(&self) -> Vec<&Task> {
        let of_batch = &self.kept[self.before_batch..];
        of_batch.iter().map(|(task, _)| task).collect()
    }

    /// The tasks of the batches before it.
    pub fn earlier(&self) -> Vec<&Task> {
        let earlier = &self.kept[..self.before_batch];
        earlier.iter().map(|(task, _)| task).collect()
    }

    /// The texts of the tasks of earlier batches, as the model is shown them. A dry run has a text
    /// of the usual length for each that it would have got.
    pub fn earlier_texts(&self) -> Vec<String> {
        let unwritten = std::iter::repeat_with(|| UNWRITTEN.repeat(WORDS_OF_A_TASK));
        let earlier = self.earlier().into_iter().map(|task| task.text.clone());
        earlier
            .chain(unwritten.take(self.predicted_before_batch))
            .collect()
    }

    /// From now on tasks belong to a new batch.
    pub fn begin_batch(&mut self) {
        self.before_batch = self.kept.len();
        self.predicted_before_batch = self.predicted;
    }

    /// Keeps a task.
    pub fn keep(&mut self, task: Task, call: Option<CallId>) {
        self.harvest.sound += 1;
        self.compared.push(Compared::new(&task));
        self.kept.push((task, call));
    }

    /// Whether a task from these inspirations keeps the rules that hold whoever wrote it. Family
    /// and phase are counted within its batch; a copy is one wherever its original stands.
    pub fn passes(&self, task: &Task, sources: &[&Inspiration]) -> Result<(), Broken> {
        let words: Vec<String> = sources.iter().map(|source| source.words()).collect();
        let material = Material {
            words: &words.join("\n"),
            people: &self.people,
        };
        rules::check(task, material)?;
        rules::room_for_its_family(task, &self.batch())?;
        let known = self.compared.iter().chain(&self.others);
        rules::new_beside(&Compared::new(task), known)
    }

    /// The texts of this batch's tasks that rest on one of these inspirations. Its others are not
    /// shown to the model, so that a task does not change with tasks that it has nothing to do
    /// with.
    pub fn written_from(&self, sources: &[&Inspiration]) -> Vec<String> {
        let of_the_same = self.batch().into_iter().filter(|task| {
            let mut sources = sources.iter();
            sources.any(|source| task.inspirations().contains(&source.id))
        });
        of_the_same.map(|task| task.text.clone()).collect()
    }

    /// The task that a draft is.
    pub fn task(&self, draft: Draft<'_>) -> Task {
        let text = one_line(draft.text);
        let inspirations: Vec<_> = draft
            .sources
            .iter()
            .map(|inspiration| inspiration.id.clone())
            .collect();
        let mut parts: Vec<&str> = inspirations.iter().map(Id::as_str).collect();
        parts.extend([draft.family.label(), &text]);
        let id = TaskId::from_parts(&parts);
        let chosen = draft
            .discipline
            .filter(|chosen| self.disciplines.ids().contains(&chosen.as_str()));
        let of_talk = self
            .seminar
            .discipline
            .as_deref()
            .map(|called| self.disciplines.resolve(called));
        let discipline = of_talk
            .or(chosen)
            .unwrap_or_else(|| disciplines::OTHER.to_owned());
        Task {
            id,
            text,
            language: self.language.to_owned(),
            as_of: None,
            edited: None,
            facets: Facets::of_family(draft.family, draft.difficulty, discipline),
            origin: Origin::Seminar(FromSeminar {
                // Every draft has a source that leads.
                seminar: draft
                    .sources
                    .first()
                    .map_or_else(|| self.seminar.id.clone(), |lead| lead.seminar.clone()),
                inspirations,
                translation_of: None,
            }),
        }
    }
}

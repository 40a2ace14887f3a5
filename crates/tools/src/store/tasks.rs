//! Tasks and the inspirations that they rest on.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rusqlite::{Connection, OptionalExtension as _, Params, Row, params};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{
    Line, Rejection, Store, Tx, from_json, from_word,
    inspirations::{save_rejections, stands},
    runs::add_event,
    seal, sets, to_word,
};
use crate::data::{
    CallId, Facets, FromFile, FromSeminar, Id, InspirationId, Origin, SeminarId, Task, TaskId,
    primary_language,
};

impl Store {
    /// Makes `woven` the current tasks of its kind. Earlier ones that are not among them stay,
    /// superseded. What was refused is kept with the seminar that it came from. Whether the current
    /// tasks are others than before.
    pub fn save_tasks(
        &self,
        kind: Weaving<'_>,
        woven: &[(Task, Option<CallId>)],
        rejected: &BTreeMap<SeminarId, Vec<Rejection>>,
    ) -> Result<bool> {
        let (run, stream) = (self.run, self.stream());
        self.write(|tx| {
            let before = kind.current(tx)?;
            let mut supersede =
                tx.prepare_cached("UPDATE task SET superseded = 1 WHERE id = ?1")?;
            for id in &before {
                supersede.execute([id])?;
            }
            let mut changed = woven.len() != before.len();
            for (task, call) in woven {
                upsert(tx, kind.word(), task, call.as_ref(), run)?;
                if !before.contains(task.id.as_str()) {
                    changed = true;
                    add_event(tx, &stream, "task", task.id.as_str())?;
                }
            }
            if !matches!(kind, Weaving::Seminar(_)) {
                tx.execute("DELETE FROM rejection WHERE stage = ?1", [kind.stage()])?;
            }
            for (seminar, rejected) in rejected {
                save_rejections(tx, kind.stage(), seminar, rejected, run)?;
            }
            Ok(changed)
        })
    }

    /// How many current tasks of a kind there are.
    pub fn count_tasks(&self, kind: Weaving<'_>) -> Result<usize> {
        self.read(|connection| Ok(kind.current(connection)?.len()))
    }

    /// The current tasks by id, without translations. What was woven across seminars, or changed by
    /// a person, falls with any of its inspirations; that of one seminar is woven anew with it.
    /// What a person changed takes the place of the task that it was.
    pub fn tasks(&self) -> Result<Vec<Task>> {
        let mut tasks = self.tasks_of_one()?;
        tasks.extend(self.imported_tasks()?);
        let others = self.woven_tasks(
            "json_extract(payload, '$.kind') IN ('across', 'edited')",
            [],
        )?;
        self.read(|connection| {
            for task in others {
                let fallen = task
                    .inspirations()
                    .iter()
                    .map(|id| stands(connection, id).map(|stands| !stands));
                if !fallen
                    .collect::<rusqlite::Result<Vec<bool>>>()?
                    .contains(&true)
                {
                    tasks.push(task);
                }
            }
            Ok(())
        })?;
        let edited = tasks.iter().filter_map(|task| task.edited.as_ref());
        let replaced: BTreeSet<TaskId> = edited.map(|edited| edited.task.clone()).collect();
        tasks.retain(|task| !replaced.contains(&task.id));
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(tasks)
    }

    /// Keeps what a person made of a task; it is current then instead of that. Keeps nothing if
    /// that is not current any more.
    pub fn save_edited(&self, task: &Task, original: &TaskId) -> Result<Result<(), NotCurrent>> {
        let (run, stream) = (self.run, self.stream());
        self.write(|tx| {
            if let Err(why) = is_current(tx, original)? {
                return Ok(Err(why));
            }
            upsert(tx, Some("edited"), task, None, run)?;
            add_event(tx, &stream, "task", task.id.as_str())?;
            Ok(Ok(()))
        })
    }

    /// Takes back what a person made of a task: the task as it was is current again, also where
    /// weaving set it aside meanwhile.
    pub fn withdraw_edited(&self, id: &TaskId, original: &TaskId) -> Result<()> {
        self.write(|tx| {
            let set_aside =
                "UPDATE task SET superseded = 1 WHERE id = ?1 AND payload ->> '$.kind' = 'edited'";
            if tx.execute(set_aside, [id.as_str()])? > 0 {
                let restore = "UPDATE task SET superseded = 0 WHERE id = ?1";
                tx.execute(restore, [original.as_str()])?;
            }
            Ok(())
        })
    }

    /// Whether a task is current, or why not.
    pub fn is_current(&self, id: &TaskId) -> Result<Result<(), NotCurrent>> {
        self.read(|connection| Ok(is_current(connection, id)?))
    }

    /// The current tasks that were woven from one seminar each, by id.
    pub fn tasks_of_one(&self) -> Result<Vec<Task>> {
        self.woven_tasks("json_extract(payload, '$.kind') IS NULL", [])
    }

    /// The imported tasks that were not set aside, by id; those too that a person changed since.
    pub fn imported_tasks(&self) -> Result<Vec<Task>> {
        self.read_tasks("origin = 'imported'")
    }

    /// The current translations of current tasks, by id.
    pub fn translations(&self) -> Result<Vec<Task>> {
        let originals: BTreeSet<TaskId> = self.tasks()?.into_iter().map(|task| task.id).collect();
        let mut translations =
            self.woven_tasks("json_extract(payload, '$.kind') = 'translation'", [])?;
        translations.retain(|task| {
            task.translation_of()
                .is_some_and(|id| originals.contains(id))
        });
        Ok(translations)
    }

    /// The current translations of one task, by id.
    pub fn translations_of_task(&self, id: &TaskId) -> Result<Vec<Task>> {
        let condition = "json_extract(payload, '$.kind') = 'translation'
             AND json_extract(payload, '$.translation_of') = ?1";
        self.woven_tasks(condition, [id.as_str()])
    }

    /// Current tasks of recordings that are still there, with their inspirations.
    fn woven_tasks(&self, condition: &str, values: impl Params) -> Result<Vec<Task>> {
        let of_recordings = format!(
            "superseded = 0 AND origin = 'seminar' AND {condition}
             AND EXISTS (SELECT 1 FROM seminar_path p WHERE p.seminar = task.seminar)"
        );
        let mut tasks = self.task_rows(&of_recordings, values)?;
        self.add_sources(&mut tasks)?;
        Ok(tasks)
    }

    /// Gives tasks of seminars their inspirations.
    fn add_sources(&self, tasks: &mut [Task]) -> Result<()> {
        self.read(|connection| {
            let mut sources = connection.prepare_cached(
                "SELECT inspiration FROM task_source WHERE task = ?1 ORDER BY seq",
            )?;
            for task in tasks {
                let Origin::Seminar(from) = &mut task.origin else {
                    continue;
                };
                let rows = sources.query_map([task.id.as_str()], |row| {
                    Ok(InspirationId::from_stored(row.get::<_, String>(0)?))
                })?;
                from.inspirations = rows.collect::<rusqlite::Result<_>>()?;
            }
            Ok(())
        })
    }

    /// One task, current or not.
    pub fn task(&self, id: &TaskId) -> Result<Option<Task>> {
        let mut found = self.task_rows("id = ?1", [id.as_str()])?;
        self.add_sources(&mut found)?;
        Ok(found.pop())
    }

    fn read_tasks(&self, condition: &str) -> Result<Vec<Task>> {
        self.task_rows(&format!("superseded = 0 AND {condition}"), [])
    }

    /// Tasks by id, without their inspirations.
    fn task_rows(&self, condition: &str, values: impl Params) -> Result<Vec<Task>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT id, text, language, as_of, phase, type, difficulty, discipline,
                        coalesce(json_extract(payload, '$.facets'), '{{}}'), seminar,
                        json_extract(payload, '$.translation_of'), template, json_extract(payload, '$.from'),
                        json_extract(payload, '$.seal'), json_extract(payload, '$.edited')
                 FROM task WHERE {condition} ORDER BY id"
            ))?;
            let rows = statement.query_map(values, |row| {
                let sealed: Option<String> = row.get(13)?;
                Ok((read_task(row)?, sealed))
            })?;
            let mut tasks = Vec::new();
            for row in rows {
                let (task, sealed) = row?;
                seal::check("task", task.id.as_str(), sealed.as_deref(), [task.text.as_str()])?;
                tasks.push(task);
            }
            Ok(tasks)
        })
    }

    /// Makes `tasks` the members of an imported set, frozen as `lines`. Returns its version, and
    /// how many members of the version before are current no more: those stay with their reports,
    /// superseded, unless another set has them.
    pub fn save_imported(&self, set: &str, tasks: &[Task], lines: &[Line]) -> Result<(u32, u64)> {
        let (run, stream) = (self.run, self.stream());
        let earlier = self.frozen_set(Some(set), None)?;
        // An event is a task that came: importing a file again brings none.
        let known: BTreeSet<TaskId> = self
            .imported_tasks()?
            .into_iter()
            .map(|task| task.id)
            .collect();
        let members: BTreeSet<&TaskId> = tasks.iter().map(|task| &task.id).collect();
        self.write(|tx| {
            for task in tasks {
                upsert(tx, Some("imported"), task, None, run)?;
                // Known ones are written all the same: facets and language of the newest file
                // count.
                if !known.contains(&task.id) {
                    add_event(tx, &stream, "task", task.id.as_str())?;
                }
            }
            let version = sets::freeze(tx, set, lines, run)?;
            let mut supersede = tx.prepare_cached(
                // Never deleted: reports on the task and what was judged of them stay, and come
                // back with the question.
                "UPDATE task SET superseded = 1 WHERE id = ?1 AND origin = 'imported' AND superseded = 0
                 AND NOT EXISTS (
                    SELECT 1 FROM set_member m JOIN task_set s ON s.id = m.task_set WHERE m.task = ?1
                    AND s.version = (SELECT max(version) FROM task_set WHERE name = s.name)
                 )",
            )?;
            let mut superseded = 0;
            for member in earlier.iter().flat_map(|set| &set.members) {
                if !members.contains(&member.task) {
                    superseded += supersede.execute([member.task.as_str()])? as u64;
                }
            }
            Ok((version, superseded))
        })
    }
}

/// Why a task is not current.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotCurrent {
    /// It is not in the project, or no more.
    Gone,
    /// Another weaving or another file set it aside.
    SetAside,
    /// A person changed its words: the task that it is now.
    ChangedInto(TaskId),
}

pub(super) fn is_current(
    connection: &Connection,
    id: &TaskId,
) -> rusqlite::Result<Result<(), NotCurrent>> {
    let mut successor = connection.prepare_cached(
        "SELECT id FROM task WHERE superseded = 0 AND payload ->> '$.edited.task' = ?1",
    )?;
    let changed: Option<String> = successor
        .query_row([id.as_str()], |row| row.get(0))
        .optional()?;
    if let Some(into) = changed {
        return Ok(Err(NotCurrent::ChangedInto(TaskId::from_stored(into))));
    }
    let mut own = connection.prepare_cached("SELECT superseded FROM task WHERE id = ?1")?;
    let superseded: Option<bool> = own.query_row([id.as_str()], |row| row.get(0)).optional()?;
    Ok(match superseded {
        None => Err(NotCurrent::Gone),
        Some(true) => Err(NotCurrent::SetAside),
        Some(false) => Ok(()),
    })
}

/// Which tasks are woven together, and so replace each other.
#[derive(Clone, Copy, Debug)]
pub enum Weaving<'a> {
    /// Those of one seminar.
    Seminar(&'a SeminarId),
    /// Those that join several seminars.
    Across,
    /// Those that say another task in one of these languages.
    Translation(&'a [String]),
}

impl Weaving<'_> {
    /// The stage under which refusals are kept.
    pub fn stage(self) -> &'static str {
        match self {
            Self::Seminar(_) => "weave",
            Self::Across => "weave across",
            Self::Translation(_) => "translate",
        }
    }

    /// The word in a task's payload; none for those of one seminar.
    fn word(self) -> Option<&'static str> {
        match self {
            // Tasks of one seminar have had no word from the beginning, and stored ones are not
            // rewritten.
            Self::Seminar(_) => None,
            Self::Across => Some("across"),
            Self::Translation(_) => Some("translation"),
        }
    }

    /// Ids of the current tasks of this kind.
    fn current(self, connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
        // A talk's own tasks are found by the index: with two hundred talks in the database,
        // reading all tasks for each would take longer than weaving them.
        let (of_seminar, seminar) = match self {
            Self::Seminar(id) => ("seminar = ?1", Some(id.as_str())),
            Self::Across | Self::Translation(_) => ("?1 IS NULL", None),
        };
        let mut statement = connection.prepare_cached(&format!(
            "SELECT id, language FROM task WHERE superseded = 0 AND {of_seminar}
             AND json_extract(payload, '$.kind') IS ?2"
        ))?;
        let rows = statement.query_map(params![seminar, self.word()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let found: Vec<(String, String)> = rows.collect::<rusqlite::Result<_>>()?;
        Ok(found
            .into_iter()
            .filter(|(_, language)| self.replaces(language))
            .map(|(id, _)| id)
            .collect())
    }

    /// Whether tasks of this kind in a language are replaced.
    fn replaces(self, language: &str) -> bool {
        match self {
            Self::Translation(languages) => languages
                .iter()
                .any(|other| primary_language(other) == primary_language(language)),
            _ => true,
        }
    }
}

/// Writes a task, which is current then. Facts that its id says nothing about are the latest ones.
fn upsert(
    tx: &Tx<'_>,
    kind: Option<&str>,
    task: &Task,
    call: Option<&CallId>,
    run: i64,
) -> rusqlite::Result<()> {
    let facets = &task.facets;
    tx.execute(
        "INSERT INTO task (id, origin, seminar, phase, type, difficulty, discipline, language, template, text, as_of,
            call, run, payload)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
         ON CONFLICT (id) DO UPDATE SET superseded = 0, phase = ?4, type = ?5, difficulty = ?6, discipline = ?7,
            language = ?8, text = ?10, call = ?12, payload = ?14",
        params![
            task.id.as_str(),
            if task.from_seminar().is_some() { "seminar" } else { "imported" },
            task.seminar().map(Id::as_str),
            facets.phase.as_ref().map(to_word),
            facets.task_type.as_ref().map(to_word),
            facets.difficulty.as_ref().map(to_word),
            facets.discipline,
            task.language,
            template(task),
            task.text,
            task.as_of,
            call.map(Id::as_str),
            run,
            payload(kind, task).to_string()
        ],
    )?;
    tx.execute(
        // A task can be found anew from other inspirations: its sources are those of the newest
        // call.
        "DELETE FROM task_source WHERE task = ?1",
        [task.id.as_str()],
    )?;
    for (seq, inspiration) in task.inspirations().iter().enumerate() {
        tx.execute(
            "INSERT INTO task_source (task, seq, inspiration) VALUES (?1, ?2, ?3)",
            params![task.id.as_str(), seq as i64, inspiration.as_str()],
        )?;
    }
    Ok(())
}

fn template(task: &Task) -> Option<&str> {
    match &task.origin {
        Origin::Seminar(_) => None,
        Origin::Imported(from) => from.template.as_deref(),
    }
}

/// What has no column of its own.
fn payload(kind: Option<&str>, task: &Task) -> Value {
    let mut payload = serde_json::Map::new();
    payload.insert("seal".to_owned(), seal::seal([task.text.as_str()]).into());
    if let Some(word) = kind {
        payload.insert("kind".to_owned(), word.into());
    }
    if let Some(original) = task.translation_of() {
        payload.insert("translation_of".to_owned(), original.as_str().into());
    }
    if !task.facets.others.is_empty() {
        payload.insert("facets".to_owned(), json!(task.facets.others));
    }
    if let Some(edited) = &task.edited {
        payload.insert("edited".to_owned(), json!(edited));
    }
    if let Origin::Imported(from) = &task.origin {
        let from = FromFile {
            // It has a column of its own; in both places the two could differ.
            template: None,
            ..from.clone()
        };
        payload.insert("from".to_owned(), json!(from));
    }
    payload.into()
}

fn read_facets(row: &Row<'_>) -> rusqlite::Result<Facets> {
    Ok(Facets {
        phase: read_word(row, 4)?,
        task_type: read_word(row, 5)?,
        difficulty: read_word(row, 6)?,
        discipline: row.get(7)?,
        others: from_json(8, row.get_ref(8)?.as_str()?)?,
    })
}

fn read_word<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>> {
    let word: Option<String> = row.get(column)?;
    word.map(|word| from_word(column, &word)).transpose()
}

fn read_task(row: &Row<'_>) -> rusqlite::Result<Task> {
    let from: Option<String> = row.get(12)?;
    Ok(Task {
        id: TaskId::from_stored(row.get(0)?),
        text: row.get(1)?,
        language: row.get(2)?,
        as_of: row.get(3)?,
        edited: row
            .get::<_, Option<String>>(14)?
            .map(|edited| from_json(14, &edited))
            .transpose()?,
        facets: read_facets(row)?,
        origin: match from {
            Some(from) => Origin::Imported(FromFile {
                template: row.get(11)?,
                ..from_json(12, &from)?
            }),
            None => Origin::Seminar(FromSeminar {
                seminar: SeminarId::from_stored(row.get(9)?),
                inspirations: Vec::new(),
                translation_of: row.get::<_, Option<String>>(10)?.map(TaskId::from_stored),
            }),
        },
    })
}
